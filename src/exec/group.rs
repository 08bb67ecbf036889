//! A process group that is ours to end: killed as a whole and reaped; knows nothing of output or limits.

use std::io;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group};

use super::Ending;
use super::watchdog::Watchdog;

/// A running leader and its group. Dropping it kills and reaps what is left.
pub(super) struct Group<'a> {
    leader: Pid,
    watchdog: Option<&'a Watchdog>,
    reaped: bool,
}

/// How the leader ended, and what the group used.
pub(super) struct End {
    pub(super) ending: Ending,
    pub(super) cpu: Duration,
}

impl<'a> Group<'a> {
    /// The group that a freshly started child leads.
    pub(super) fn of(child: &Child, watchdog: Option<&'a Watchdog>) -> Self {
        let leader = Pid::from_child(child);
        if let Some(watchdog) = watchdog {
            watchdog.guard(leader);
        }
        Group {
            leader,
            watchdog,
            reaped: false,
        }
    }

    /// A descriptor that becomes readable when the leader exits. The leader stays a zombie until
    /// [`kill_and_reap`](Self::kill_and_reap), so its process and group ids cannot mean anyone else.
    #[cfg(target_os = "linux")]
    pub(super) fn exit_notice(&self) -> io::Result<OwnedFd> {
        let flags = rustix::process::PidfdFlags::empty();
        Ok(rustix::process::pidfd_open(self.leader, flags)?)
    }

    /// The same without process descriptors: a thread waits, and its end of a pipe goes away with it.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn exit_notice(&self) -> io::Result<OwnedFd> {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        let leader = self.leader;
        let (reader, writer) = io::pipe()?;
        std::thread::Builder::new()
            .name("exit notice".into())
            .spawn(move || {
                let writer = writer;
                let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
                let interrupted = || {
                    matches!(
                        waitid(WaitId::Pid(leader), options),
                        Err(rustix::io::Errno::INTR)
                    )
                };
                while interrupted() {}
                drop(writer);
            })?;
        Ok(reader.into())
    }

    /// User and system time of the leader until now; `None` where that cannot be told.
    #[cfg(target_os = "linux")]
    pub(super) fn cpu(&self) -> Option<Duration> {
        let mut clock = 0;
        // SAFETY: the pointer is to a live, exclusively borrowed local of the right type.
        let found = unsafe { libc::clock_getcpuclockid(self.leader.as_raw_pid(), &mut clock) };
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: as above. No safe wrapper at hand reads the clock of another process.
        let read = found == 0 && unsafe { libc::clock_gettime(clock, &mut time) } == 0;
        let seconds = u64::try_from(time.tv_sec).ok()?;
        let nanos = u32::try_from(time.tv_nsec).ok()?;
        read.then(|| Duration::new(seconds, nanos))
    }

    /// The same where no such clock is known.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn cpu(&self) -> Option<Duration> {
        None
    }

    /// Kills every member and waits until none is left.
    pub(super) fn kill_and_reap(&mut self) -> io::Result<End> {
        // Fails only if all members are gone or zombies already.
        let _ = kill_process_group(self.leader, Signal::KILL);
        let leader = self.leader.as_raw_nonzero().get();
        let (ending, mut cpu) = wait4(leader)?;
        self.reaped = true;
        // What the leader left behind is our child now; elsewhere than on Linux it is init's.
        while let Ok((_, more)) = wait4(-leader) {
            cpu += more;
        }
        if let Some(watchdog) = self.watchdog {
            watchdog.release(self.leader);
        }
        Ok(End { ending, cpu })
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if !self.reaped {
            // Nobody is left to be told.
            let _ = self.kill_and_reap();
        }
    }
}

/// Makes this process fit to have groups: it inherits orphaned descendants, and they inherit from it
/// that no core is dumped. Doing it again changes nothing.
pub(super) fn prepare_ourselves() {
    // Without it (before Linux 3.4) init reaps the orphans: only their CPU time is lost.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
    let limit = rustix::process::getrlimit(Resource::Core);
    if limit.current != Some(0) {
        let none = Rlimit {
            current: Some(0),
            ..limit
        };
        // Lowering one's own limit is always allowed.
        let _ = rustix::process::setrlimit(Resource::Core, none);
    }
}

/// Waits for a child (or, for a negative id, any child in that group) to end, and reaps it.
fn wait4(id: i32) -> io::Result<(Ending, Duration)> {
    let mut status = 0;
    // SAFETY: `rusage` is plain numbers, for which all zeroes is a valid value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    loop {
        // SAFETY: both pointers are to live, exclusively borrowed locals of the right types. No safe
        // wrapper at hand returns the resource usage of one child.
        let waited = unsafe { libc::wait4(id, &mut status, 0, &mut usage) };
        if waited >= 0 {
            break;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    let ending = if libc::WIFSIGNALED(status) {
        Ending::Signalled(libc::WTERMSIG(status))
    } else {
        Ending::Exited(libc::WEXITSTATUS(status))
    };
    Ok((ending, duration(usage.ru_utime) + duration(usage.ru_stime)))
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let micros = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(micros)
}
