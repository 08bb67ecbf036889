//! How often the original fails, and in which ways; decides nothing about candidates.

use std::time::{Duration, Instant};

use super::super::failure::{How, TestFailure};
use super::runs::Seen;
use super::{Criterion, Flaky, Group};
use crate::report::Failure;
use crate::statistics::Tally;
use crate::subject::Subject;

/// How long to go on measuring.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// At least so many runs.
    pub least: u32,
    /// And until so many failed in a way that may be kept.
    pub failures: u32,
    /// But at most so many runs,
    pub most: u32,
    /// in at most so much time.
    pub time: Duration,
    /// No longer than it takes to know that less than this share of the runs fail.
    pub rare: Option<f64>,
    /// Take the time-out of a run from what the runs before it took.
    pub adapt: bool,
}

/// What the runs of the original showed.
#[derive(Debug, Default)]
pub struct Measured {
    /// All runs, and all failures.
    pub tally: Tally,
    /// Runs that passed.
    pub passes: u32,
    /// Failures that are alike: those that may be kept first, the most frequent of them before others.
    pub groups: Vec<Group>,
    /// A signal ended some of them.
    pub killed: bool,
    /// Time of each run that ended by itself.
    pub ended: Vec<Duration>,
    /// Time that it took to compile what was run.
    pub compiled: Duration,
    /// Time that all runs took together, several at once.
    pub took: Duration,
}

impl Measured {
    /// The failures that are kept; `None` if there were none of the kind.
    #[must_use]
    pub fn kept(&self) -> Option<&Group> {
        self.groups.first().filter(|group| group.sought)
    }

    /// All runs, and those that failed in the way that is kept.
    #[must_use]
    pub fn kept_tally(&self) -> Tally {
        Tally {
            runs: self.tally.runs,
            failures: self.kept().map_or(0, |group| group.count),
        }
    }

    /// Failures of the kind that is kept in a second of such runs.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        f64::from(self.kept_tally().failures) / self.took.as_secs_f64().max(1e-3)
    }

    /// The time of a run on average.
    #[must_use]
    pub fn usual(&self) -> Duration {
        super::usual(&self.ended)
    }
}

/// Runs that have to have ended before a time-out is taken from them.
const FEW: usize = 8;

/// No run is given less: a busy machine may leave it alone for so long.
const LEAST: Duration = Duration::from_millis(300);

/// How sure it has to be that a failure is rare.
const SURE: f64 = 0.95;

/// The time-out of the first runs, if they turn out to be quick.
const PILOT: Duration = Duration::from_secs(2);

/// The time-out of a run when others took `ended`; `None` when there are too few to tell.
#[must_use]
pub fn patience(ended: &[Duration]) -> Option<Duration> {
    /// Times the slowest, at least: a busy machine slows a run down, and hanging costs all of it.
    const TIMES: f64 = 2.0;
    /// And so much more for one run; less where the slowest is that of many, and near the slowest that there is.
    const UNKNOWN: f64 = 64.0;
    let slowest = ended.iter().max().filter(|_| ended.len() >= FEW)?;
    let times = TIMES + UNKNOWN / ended.len() as f64;
    Some(slowest.mul_f64(times).max(LEAST))
}

impl Flaky {
    /// Runs `subject` as long as `budget` says; `tell` hears of it now and then.
    ///
    /// # Errors
    ///
    /// When it cannot be compiled or run.
    pub fn measure(
        &mut self,
        subject: &Subject,
        budget: &Budget,
        tell: &mut dyn FnMut(Tally),
    ) -> Result<Measured, Failure> {
        let started = Instant::now();
        let run = self.run_for(subject);
        let built = self.test.build(&run, None)?;
        let Some(executable) = &built.executable else {
            let rendered = self
                .test
                .errors()
                .iter()
                .filter_map(|found| found.rendered.as_deref());
            let errors: String = rendered.chain([&*built.output]).collect();
            return Err(Failure::Bug {
                doing: "replaying the rustc calls of the test".into(),
                why: format!("they fail, while cargo's own do not\n{errors}"),
            });
        };
        let criterion = self.criterion.take();
        let mut measured = Measured {
            compiled: started.elapsed(),
            ..Measured::default()
        };
        let mut failures: Vec<(TestFailure, String)> = Vec::new();
        let full = self.timeout();
        // To wait for the first hang of a quick test as long as for a slow test would cost more than all other runs.
        let mut pilot = budget.adapt && PILOT < full;
        let mut batch = FEW as u32;
        if pilot {
            self.set_timeout(PILOT);
            batch *= 2;
        }
        let result = loop {
            let late = |_: &Seen| started.elapsed() >= budget.time;
            let left = budget.most.saturating_sub(measured.tally.runs);
            let seen = match self.run(executable, &run, left.min(batch), None, &late) {
                Ok(seen) => seen,
                Err(failure) => break Err(failure),
            };
            if std::mem::take(&mut pilot) {
                self.set_timeout(full);
                let hangs = |(failure, _): &(TestFailure, String)| failure.how == How::Hang;
                let quick = patience(&seen.ended).is_some_and(|patience| patience <= PILOT);
                // Otherwise those that are only slow may have been taken for some that hang.
                if !quick && seen.failures.iter().any(hangs) {
                    continue;
                }
            }
            measured.tally = measured.tally.and(seen.tally);
            measured.passes += seen.passes;
            measured.killed |= seen.killed.is_some();
            measured.ended.extend(seen.ended);
            failures.extend(seen.failures);
            tell(measured.tally);
            let sought = failures
                .iter()
                .filter(|(failure, _)| self.sought.takes(failure, subject))
                .count();
            let shown = measured.tally.runs >= budget.least && sought >= budget.failures as usize;
            let is_rare = |rare: f64| {
                let tally = Tally {
                    failures: u32::try_from(sought).unwrap_or(u32::MAX),
                    ..measured.tally
                };
                tally.runs >= budget.least && tally.at_most(SURE) < rare
            };
            let over = measured.tally.runs >= budget.most || started.elapsed() >= budget.time;
            if shown || over || budget.rare.is_some_and(is_rare) {
                break Ok(());
            }
            if let Some(patience) = patience(&measured.ended).filter(|_| budget.adapt) {
                self.set_timeout(patience);
            }
            // Twice as many in all each time, so that it is told a few times only.
            batch = measured.tally.runs.min(400);
        };
        self.criterion = criterion;
        result?;
        measured.took = started.elapsed() - measured.compiled;
        measured.groups = self.sought.groups(failures, subject);
        Ok(measured)
    }

    /// How often `subject` fails as `criterion` says, in so many runs or so much time.
    ///
    /// # Errors
    ///
    /// When it cannot be compiled or run.
    pub fn count(
        &mut self,
        subject: &Subject,
        criterion: &Criterion,
        runs: u32,
        time: Duration,
    ) -> Result<Tally, Failure> {
        let started = Instant::now();
        let run = self.run_for(subject);
        let built = self.test.build(&run, None)?;
        let Some(executable) = &built.executable else {
            return Ok(Tally::default());
        };
        let before = self.criterion.replace(criterion.clone());
        let late = |_: &Seen| started.elapsed() >= time;
        let seen = self.run(executable, &run, runs, None, &late);
        self.criterion = before;
        Ok(seen?.tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_comes_from_the_slowest_run_and_from_how_many_there_were() {
        let millis = Duration::from_millis;
        assert_eq!(patience(&[millis(3); 7]), None);
        assert_eq!(patience(&[millis(3); 8]), Some(LEAST));
        let mut ended = vec![millis(3); 8];
        ended[5] = millis(400);
        assert_eq!(patience(&ended), Some(millis(4000)));
        ended.resize(64, millis(3));
        assert_eq!(patience(&ended), Some(millis(1200)));
    }
}
