//! Kills process groups when we die in a way that leaves us no time to do it; knows nothing of how they run.

use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::process::Pid;

/// Learns on standard input which groups live, and when that ends, kills those that still do.
const SCRIPT: &str = r#"
live=
while read -r sign group; do
    case $sign in
        +) live="$live $group" ;;
        -)
            rest=
            for other in $live; do
                [ "$other" = "$group" ] || rest="$rest $other"
            done
            live=$rest
            ;;
    esac
done
for group in $live; do
    kill -s KILL -- "-$group"
done
"#;

/// A shell that waits at the other end of a pipe for us to be gone.
///
/// `PR_SET_PDEATHSIG` would do this without another process, but it is Linux's, it reaches the leader of a group
/// only, and has to be called in the child, for which the library forks in full: 33 µs more per run for each
/// megabyte that we occupy.
#[derive(Debug)]
pub(super) struct Watchdog {
    shell: Child,
    /// `None` only while it is being dropped.
    pipe: Option<ChildStdin>,
}

impl Watchdog {
    pub(super) fn start() -> io::Result<Self> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT])
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What the terminal sends to our group (an interrupt) must not reach it.
            .process_group(0)
            .spawn()?;
        let pipe = shell.stdin.take();
        Ok(Watchdog { shell, pipe })
    }

    /// From now on the group dies with us.
    pub(super) fn guard(&self, group: Pid) {
        self.tell('+', group);
    }

    /// The group is gone; its number may soon be another's.
    pub(super) fn release(&self, group: Pid) {
        self.tell('-', group);
    }

    fn tell(&self, sign: char, group: Pid) {
        let line = format!("{sign} {}\n", group.as_raw_nonzero());
        if let Some(mut pipe) = self.pipe.as_ref() {
            // One short write, so that lines of several threads do not mix. If the shell has been killed, so be it.
            let _ = pipe.write_all(line.as_bytes());
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // It ends when the pipe does.
        let _ = self.shell.wait();
    }
}
