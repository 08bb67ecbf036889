//! Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once; knows nothing of what is running.

use std::io;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::Exit;
use crate::report::{Failure, Style, failure_text};

/// Calls `first` on the first SIGINT or SIGTERM; on the second calls `second` and ends the process with exit code 130.
///
/// Both run on a thread of their own, so they may do what a signal handler may not. `second` has to be quick: it is for
/// what would outlive this process, such as children in process groups of their own.
///
/// # Errors
///
/// When the system refuses the handlers, or the thread.
pub(super) fn watch(
    first: impl FnOnce() + Send + 'static,
    second: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let mut signals = held_back(|| Signals::new([SIGINT, SIGTERM]))?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let mut received = signals.forever();
            if received.next().is_some() {
                first();
            }
            if received.next().is_some() {
                second();
                let failure = Failure::InterruptedTwice;
                // Below the live line, which nobody is left to take away.
                eprint!("\n{}", failure_text(&failure, Style::new(false)));
                // Without destructors: whatever holds up the orderly end would hold up this one too.
                signal_hook::low_level::exit(i32::from(Exit::from(&failure).code()));
            }
        })?;
    Ok(())
}

/// Does `work` while SIGINT and SIGTERM wait: one that comes when the handler is in place and does not know yet what to do would
/// be lost.
fn held_back<T>(work: impl FnOnce() -> T) -> T {
    // SAFETY: a set is plain data, made empty before anything is put in it, and all three outlive the calls.
    let before = unsafe {
        let (mut held, mut before): (libc::sigset_t, libc::sigset_t) = std::mem::zeroed();
        libc::sigemptyset(&mut held);
        for signal in [SIGINT, SIGTERM] {
            libc::sigaddset(&mut held, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &held, &mut before);
        before
    };
    let done = work();
    // SAFETY: as above.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &before, std::ptr::null_mut()) };
    done
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _};
    use std::process::{Child, Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    use rustix::process::{Pid, Signal, kill_process};

    use super::*;

    /// Set for the process that is sent signals.
    const CHILD: &str = "CARGO_REDUCE_TEST_SIGNALS";

    /// Signals go to whole processes, so the one that gets them is this test alone in a process of its own.
    #[test]
    #[ignore = "the other half of the tests below"]
    fn a_process_that_waits_for_signals() {
        if std::env::var_os(CHILD).is_none() {
            return;
        }
        watch(|| println!("\nfirst"), || println!("\nsecond")).unwrap();
        println!("\nready");
        // Longer than any test waits, and not for ever if the test dies.
        std::thread::sleep(Duration::from_secs(600));
    }

    struct Waiting {
        child: Child,
        lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
    }

    impl Waiting {
        fn start() -> Self {
            let test = "cli::signals::tests::a_process_that_waits_for_signals";
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--ignored", "--exact", test, "--nocapture"])
                .env(CHILD, "1")
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            let mut waiting = Waiting { child, lines };
            waiting.until("ready");
            waiting
        }

        fn send(&self, signal: Signal) {
            kill_process(Pid::from_child(&self.child), signal).unwrap();
        }

        fn until(&mut self, word: &str) {
            assert!(
                self.lines.any(|line| line.unwrap() == word),
                "it ended without saying {word}"
            );
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }

    #[test]
    fn what_comes_while_signals_wait_comes_afterwards() {
        let came = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGTERM, Arc::clone(&came)).unwrap();
        held_back(|| {
            // To this thread: another one would not wait.
            signal_hook::low_level::raise(SIGTERM).unwrap();
            assert!(!came.load(Ordering::SeqCst));
        });
        assert!(came.load(Ordering::SeqCst));
    }

    #[test]
    fn the_first_signal_asks_for_an_orderly_end_and_the_process_goes_on() {
        for signal in [Signal::INT, Signal::TERM] {
            let mut waiting = Waiting::start();
            waiting.send(signal);
            waiting.until("first");
            assert!(waiting.child.try_wait().unwrap().is_none());
        }
    }

    #[test]
    fn the_second_signal_ends_the_process_at_once_with_130_and_says_what_to_do() {
        let mut waiting = Waiting::start();
        waiting.send(Signal::INT);
        waiting.until("first");
        waiting.send(Signal::TERM);
        waiting.until("second");
        assert_eq!(waiting.child.wait().unwrap().code(), Some(130));
        let mut said = String::new();
        waiting
            .child
            .stderr
            .take()
            .unwrap()
            .read_to_string(&mut said)
            .unwrap();
        assert!(
            said.contains("error: interrupted twice") && said.contains("--resume"),
            "{said}"
        );
    }
}
