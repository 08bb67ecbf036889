//! How often the original fails, and in which ways; decides nothing about candidates.

use std::time::{Duration, Instant};

use super::super::failure::{How, Signature, TestFailure};
use super::runs::Seen;
use super::{Criterion, Flaky};
use crate::report::Failure;
use crate::statistics::Tally;
use crate::subject::Subject;

/// How long to go on measuring.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// At least so many runs.
    pub least: u32,
    /// And until so many failed.
    pub failures: u32,
    /// But at most so many runs,
    pub most: u32,
    /// in at most so much time.
    pub time: Duration,
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
    /// Failures of the same kind at the same place, most frequent first.
    pub groups: Vec<Group>,
    /// Time of each run that ended by itself.
    pub ended: Vec<Duration>,
}

/// Failures that are alike.
#[derive(Debug)]
pub struct Group {
    /// What they have in common.
    pub signature: Signature,
    /// One of them.
    pub failure: TestFailure,
    /// What that run printed.
    pub output: String,
    /// How many there were.
    pub count: u32,
}

impl Measured {
    /// The runs, and those that failed as `group` did.
    #[must_use]
    pub fn of(&self, group: &Group) -> Tally {
        Tally {
            runs: self.tally.runs,
            failures: group.count,
        }
    }

    /// The time of a run on average.
    #[must_use]
    pub fn usual(&self) -> Duration {
        super::usual(&self.ended)
    }
}

/// The time-out of a run when others took `ended`; `None` when there are too few to tell.
#[must_use]
pub fn patience(ended: &[Duration]) -> Option<Duration> {
    /// Runs that have to have ended.
    const FEW: usize = 8;
    /// Times the slowest: a busy machine slows a run down, and hanging costs all of it.
    const TIMES: u32 = 10;
    const LEAST: Duration = Duration::from_secs(1);
    let slowest = ended.iter().max().filter(|_| ended.len() >= FEW)?;
    Some((*slowest * TIMES).max(LEAST))
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
        let built = self.test.build(subject, None)?;
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
        let mut measured = Measured::default();
        let mut failures: Vec<(TestFailure, String)> = Vec::new();
        let mut batch = 8;
        let result = loop {
            let late = |_: &Seen| started.elapsed() >= budget.time;
            let left = budget.most.saturating_sub(measured.tally.runs);
            let seen = match self.run(executable, subject, left.min(batch), None, &late) {
                Ok(seen) => seen,
                Err(failure) => break Err(failure),
            };
            measured.tally = measured.tally.and(seen.tally);
            measured.passes += seen.passes;
            measured.ended.extend(seen.ended);
            failures.extend(seen.failures);
            tell(measured.tally);
            let shown =
                measured.tally.runs >= budget.least && measured.tally.failures >= budget.failures;
            if shown || measured.tally.runs >= budget.most || started.elapsed() >= budget.time {
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
        measured.groups = groups(failures);
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
        let built = self.test.build(subject, None)?;
        let Some(executable) = &built.executable else {
            return Ok(Tally::default());
        };
        let before = self.criterion.replace(criterion.clone());
        let late = |_: &Seen| started.elapsed() >= time;
        let seen = self.run(executable, subject, runs, None, &late);
        self.criterion = before;
        Ok(seen?.tally)
    }
}

/// Failures that end in the same way at the same place belong together; what their messages differ in does not matter.
fn groups(failures: Vec<(TestFailure, String)>) -> Vec<Group> {
    let mut alike: Vec<(How, Vec<TestFailure>, String)> = Vec::new();
    for (failure, output) in failures {
        match alike.iter_mut().find(|(how, ..)| *how == failure.how) {
            Some((_, group, _)) => group.push(failure),
            None => alike.push((failure.how.clone(), vec![failure], output)),
        }
    }
    let mut groups: Vec<Group> = alike
        .into_iter()
        .filter_map(|(_, group, output)| {
            Some(Group {
                signature: Signature::of(&group)?,
                count: u32::try_from(group.len()).ok()?,
                failure: group.into_iter().next()?,
                output,
            })
        })
        .collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    groups
}

#[cfg(test)]
mod tests {
    use super::super::super::failure::Place;
    use super::*;

    fn panic(place: &str, message: &str) -> (TestFailure, String) {
        let failure = TestFailure {
            how: How::Panic(Place::Elsewhere(place.into())),
            message: message.into(),
        };
        (failure, String::new())
    }

    #[test]
    fn failures_are_grouped_by_place_and_the_most_frequent_comes_first() {
        let found = groups(vec![
            panic("a.rs:1:1", "left: 3"),
            panic("b.rs:2:2", "left: 8"),
            panic("b.rs:2:2", "left: 9"),
        ]);
        let counts: Vec<u32> = found.iter().map(|group| group.count).collect();
        assert_eq!(counts, [2, 1]);
        assert!(found[0].signature.holds(&panic("b.rs:2:2", "left: 7").0));
        assert!(!found[0].signature.holds(&panic("a.rs:1:1", "left: 7").0));
    }

    #[test]
    fn patience_comes_from_the_slowest_run() {
        let millis = Duration::from_millis;
        assert_eq!(patience(&[millis(3); 7]), None);
        assert_eq!(patience(&[millis(3); 8]), Some(millis(1000)));
        let mut ended = [millis(3); 8];
        ended[5] = millis(400);
        assert_eq!(patience(&ended), Some(millis(4000)));
    }
}
