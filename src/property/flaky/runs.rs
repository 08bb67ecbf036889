//! Many runs of one executable, several at once, each in a process and a directory for temporary files of its own; must not
//! decide anything but when to stop.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::super::failure::{How, TestFailure, killed, observed};
use super::super::signature::Signature;
use super::super::until;
use super::{At, Stress};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::statistics::Tally;

/// What is run, and how.
pub(super) struct Runs<'a> {
    /// With a `TMPDIR`, in which each run gets a directory.
    pub(super) invocation: &'a Invocation,
    pub(super) limits: &'a Limits,
    pub(super) at_once: usize,
    pub(super) stress: &'a Stress,
    pub(super) cancel: &'a Cancel,
}

/// What runs have shown so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Runs that count, and those that failed with the signature: in any way, as long as there is none.
    pub(super) tally: Tally,
    /// Runs that did not fail at all.
    pub(super) passes: u32,
    /// The last failure with the signature, and what that run printed.
    pub(super) failure: Option<TestFailure>,
    pub(super) output: String,
    /// The last failure without it.
    pub(super) other: Option<TestFailure>,
    /// The last signal that ended a run.
    pub(super) killed: Option<i32>,
    /// Every failure, as long as there is no signature.
    pub(super) failures: Vec<(TestFailure, String)>,
    /// Time of each run that ended by itself.
    pub(super) ended: Vec<Duration>,
    pub(super) cpu: Duration,
    /// Runs made, those started too early to be told that it was enough included.
    pub(super) made: usize,
}

impl Seen {
    fn add(&mut self, outcome: &Outcome, at: &At<'_>, signature: Option<&Signature>) {
        let as_seen = |base: &&Path| {
            observed(outcome, at.subject, at.root, base).filter(|failure| {
                // Where others run too, only the failure of the one counts.
                failure.how == How::Hang
                    || at.victim.is_none_or(|victim| {
                        failing(&outcome.stdout).iter().any(|test| test == victim)
                    })
            })
        };
        self.killed = killed(outcome).or(self.killed);
        let same =
            |failure: &TestFailure| signature.is_none_or(|signature| signature.holds(failure));
        let mut failures = at.bases.iter().filter_map(as_seen);
        let failure = failures
            .find(same)
            .or_else(|| at.bases.first().and_then(as_seen));
        if failure
            .as_ref()
            .is_none_or(|failure| failure.how != How::Hang)
        {
            self.ended.push(outcome.wall);
        }
        let Some(failure) = failure else {
            self.passes += 1;
            self.tally.add(false);
            return;
        };
        let same = same(&failure);
        self.tally.add(same);
        let printed = || {
            [&outcome.stdout[..], &outcome.stderr[..]]
                .map(|part| String::from_utf8_lossy(part).into_owned())
                .concat()
        };
        if signature.is_none() {
            self.failures.push((failure, printed()));
        } else if same {
            self.output = printed();
            self.failure = Some(failure);
        } else {
            self.other = Some(failure);
        }
    }
}

impl Runs<'_> {
    /// Runs it at most so often, until `enough`. Runs count in the order in which they were started, or quick ones would be
    /// seen before slow ones.
    pub(super) fn until(
        &self,
        most: u32,
        deadline: Option<Instant>,
        at: &At<'_>,
        signature: Option<&Signature>,
        enough: &dyn Fn(&Seen) -> bool,
    ) -> Result<Seen, Failure> {
        let bug = |why: String| Failure::Bug {
            doing: format!("running {}", self.invocation.program.display()),
            why,
        };
        // Set when it is enough, for those that still run; by a signal, for all.
        let cancel = self
            .cancel
            .child()
            .map_err(|error| bug(error.to_string()))?;
        let next = AtomicU32::new(0);
        let stop = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        let mut seen = Seen::default();
        let result = std::thread::scope(|scope| {
            for _ in 0..self.stress.load {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        std::hint::spin_loop();
                    }
                });
            }
            let threads = if self.stress.copies > 0 {
                self.stress.copies
            } else {
                self.at_once
            };
            for _ in 0..threads.max(1).min(most as usize) {
                let sender = sender.clone();
                let (next, stop, cancel) = (&next, &stop, &cancel);
                scope.spawn(move || {
                    if self.stress.pin {
                        pin();
                    }
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= most || stop.load(Ordering::Relaxed) {
                            return;
                        }
                        let sent = sender.send((number, self.once(number, deadline, cancel)));
                        if sent.is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let result = self.collect(&receiver, &mut seen, at, signature, enough);
            stop.store(true, Ordering::Relaxed);
            cancel.set();
            result
        });
        result?;
        // What came after the last that counts was run all the same.
        seen.made = next.into_inner().min(most) as usize;
        Ok(seen)
    }

    fn collect(
        &self,
        receiver: &mpsc::Receiver<(u32, Result<Outcome, Failure>)>,
        seen: &mut Seen,
        at: &At<'_>,
        signature: Option<&Signature>,
        enough: &dyn Fn(&Seen) -> bool,
    ) -> Result<(), Failure> {
        let mut waiting = BTreeMap::new();
        let mut expected = 0;
        for (number, outcome) in receiver {
            waiting.insert(number, outcome?);
            while let Some(outcome) = waiting.remove(&expected) {
                expected += 1;
                seen.cpu += outcome.cpu;
                seen.add(&outcome, at, signature);
                if enough(seen) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn once(
        &self,
        number: u32,
        deadline: Option<Instant>,
        cancel: &Cancel,
    ) -> Result<Outcome, Failure> {
        let mut invocation = self.invocation.clone();
        if self.stress.threads > 0 {
            let threads = self.stress.threads.to_string();
            invocation
                .env
                .push(("RUST_TEST_THREADS".into(), Some(threads.into())));
        }
        let directory = temporary(&invocation).map(|around| around.join(format!("run-{number}")));
        if let Some(directory) = &directory {
            fs::create_dir_all(directory).map_err(Failure::io("creating", directory))?;
            invocation
                .env
                .push(("TMPDIR".into(), Some(directory.into())));
        }
        let limits = until(self.limits, deadline);
        let outcome = exec::run(&invocation, &limits, cancel).map_err(|error| Failure::Bug {
            doing: format!("running {}", invocation.program.display()),
            why: error.to_string(),
        })?;
        if let Some(directory) = &directory {
            // What cannot be removed lies in the scratch directory, which goes as a whole.
            let _ = fs::remove_dir_all(directory);
        }
        let cut_short = outcome.ending == Ending::TimedOut && limits != *self.limits;
        if outcome.ending == Ending::Cancelled || cut_short {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }
}

/// The tests that the standard test harness, which printed `stdout`, counts as failures. What killed the whole process left
/// no such list: then it is the last test that began.
#[must_use]
pub fn failing(stdout: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stdout);
    match text.rsplit_once("\nfailures:\n") {
        Some((_, list)) => {
            let names = list.lines().filter_map(|line| line.strip_prefix("    "));
            names.map(str::to_owned).collect()
        }
        None if text.contains("\ntest result: ok.") => Vec::new(),
        None => {
            let begun = text.lines().filter_map(|line| line.strip_prefix("test "));
            let last = begun.filter_map(|line| line.split_once(" ...")).next_back();
            last.map(|(name, _)| name.to_owned()).into_iter().collect()
        }
    }
}

/// The directory that `invocation` names for temporary files.
fn temporary(invocation: &Invocation) -> Option<PathBuf> {
    let mut set = invocation.env.iter().rev();
    let found = set.find(|(name, _)| name == "TMPDIR")?;
    found.1.as_ref().map(PathBuf::from)
}

/// Keeps this thread, and the processes that it starts, to one of the cores that it may use.
#[cfg(target_os = "linux")]
fn pin() {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    // Where the system refuses, runs are not pinned: they count all the same.
    if let Ok(all) = sched_getaffinity(None)
        && let Some(first) = (0..CpuSet::MAX_CPU).find(|cpu| all.is_set(*cpu))
    {
        let mut one = CpuSet::new();
        one.set(first);
        let _ = sched_setaffinity(None, &one);
    }
}

#[cfg(not(target_os = "linux"))]
fn pin() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harness_lists_who_failed() {
        let printed = "running 2 tests\ntest a ... ok\ntest b::c ... FAILED\n\nfailures:\n\nfailures:\n    b::c\n\ntest result: FAILED.";
        assert_eq!(failing(printed.as_bytes()), ["b::c"]);
        let printed = "running 1 test\ntest a ... ok\n\ntest result: ok. 1 passed";
        assert!(failing(printed.as_bytes()).is_empty());
    }

    #[test]
    fn who_kills_the_process_is_the_last_that_began() {
        let printed = "running 2 tests\ntest a ... ok\ntest b ... ";
        assert_eq!(failing(printed.as_bytes()), ["b"]);
    }
}
