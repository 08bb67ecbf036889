//! What a candidate has to show: the failure, often enough, but not always; knows no processes.

use super::super::signature::Signature;
use super::super::{Stage, Verdict, signal_name};
use super::Measured;
use super::runs::Seen;
use crate::report::Failure;
use crate::statistics::{Decision, Plan, Tally, runs_to_see};
use crate::subject::Subject;

/// What never passes in so many runs is taken to fail always, however rarely the original passes.
const MOST_ALWAYS: u32 = 1000;

/// How likely what was taken may stay though it fails no more often than the least rate, each time that it is run anew.
const STRICT: f64 = 0.05;

/// What a candidate has to show, and how that is decided.
#[derive(Debug, Clone)]
pub struct Criterion {
    signature: Signature,
    /// For a candidate.
    plan: Plan,
    /// For what was taken, in fresh runs.
    strict: Plan,
    min_rate: f64,
    beta: f64,
    /// So many runs that all show it mean that it always fails.
    always: u32,
    /// What runs that do not show it have to do.
    spared: Spared,
    /// Signals end runs of the original, too.
    may_be_killed: bool,
}

/// What has to happen besides the failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spared {
    /// Some runs pass.
    Passes,
    /// Some runs pass or fail in another way.
    Differs,
    /// It may fail always.
    Nothing,
}

impl Criterion {
    /// The failure `signature` has to show in at least `min_rate` of all runs; `original` says how often it did in the runs
    /// that were `measured`. With a probability of at most `alpha`, something that fails in no more than `min_rate` is
    /// taken; with one of at most `beta`, something that fails as often as the original is not.
    ///
    /// # Errors
    ///
    /// When the two rates are too near each other to be told apart.
    pub fn new(
        signature: Signature,
        min_rate: f64,
        measured: &Measured,
        original: Tally,
        (alpha, beta): (f64, f64),
    ) -> Result<Criterion, Failure> {
        /// Less than this cannot be told apart in reasonable time.
        const APART: f64 = 1.1;
        // Nothing can be required of a rate of 1: it fails always, which is another thing.
        let low = min_rate.min(0.9);
        let high = original.rate().max(low * APART).min(0.99);
        let plan = |alpha| {
            Plan::new(low, high, alpha, beta).map_err(|error| Failure::TooCostly {
                why: error.to_string(),
            })
        };
        // An original that fails always, in several ways, has to go on failing in several ways.
        let differing = original.runs - original.failures;
        let (spared, without) = match (measured.passes, differing) {
            (0, 0) => (Spared::Nothing, original.runs),
            (0, differing) => (Spared::Differs, differing),
            (passes, _) => (Spared::Passes, passes),
        };
        let share = f64::from(without) / f64::from(original.runs.max(1));
        Ok(Criterion {
            signature,
            always: runs_to_see(share / 2.0, 1.0 - beta).min(MOST_ALWAYS),
            spared,
            may_be_killed: measured.killed,
            plan: plan(alpha)?,
            strict: plan(alpha.min(STRICT))?,
            min_rate,
            beta,
        })
    }

    /// The failure.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// The least rate.
    pub fn min_rate(&self) -> f64 {
        self.min_rate
    }

    /// How likely it is that something is refused that fails as often as the original.
    pub fn beta(&self) -> f64 {
        self.beta
    }

    /// The most runs that it takes to decide.
    pub fn most(&self) -> u32 {
        let bound = self.plan.bound().max(self.strict.bound());
        bound.max(self.always)
    }

    /// Whether fresh runs of what was taken leave no doubt.
    pub(super) fn is_confirmed(&self, seen: &Seen) -> bool {
        self.breaks(seen).is_some() || self.strict.decide(seen.tally) == Some(Decision::Accept)
    }

    /// What the number of failures says.
    pub(super) fn decision(&self, seen: &Seen) -> Option<Decision> {
        self.plan.decide(seen.tally)
    }

    /// Whether no further run is needed.
    pub(super) fn is_decided(&self, seen: &Seen) -> bool {
        match self.decision(seen) {
            _ if self.breaks(seen).is_some() => true,
            None => false,
            Some(Decision::Refuse) => true,
            // What fails in every run may have lost what makes it flaky, and with it the bug.
            Some(Decision::Accept) => self.spares(seen) || seen.tally.runs >= self.always,
        }
    }

    /// Whether it is refused, and by far: what fails nearly often enough is worth being counted to the end.
    pub(super) fn is_hopeless(&self, seen: &Seen) -> bool {
        let rarely = seen.tally.rate() < self.min_rate / 2.0;
        self.breaks(seen).is_some() || self.decision(seen) == Some(Decision::Refuse) && rarely
    }

    /// Whether there are runs without the failure.
    fn spares(&self, seen: &Seen) -> bool {
        self.spares_in(seen, 1)
    }

    /// Whether there are so many of them.
    fn spares_in(&self, seen: &Seen, runs: u32) -> bool {
        match self.spared {
            Spared::Passes => seen.passes >= runs,
            Spared::Differs => seen.tally.runs - seen.tally.failures >= runs,
            Spared::Nothing => true,
        }
    }

    /// Whether there are so many runs that show the failure, and so many that do not where the original has some.
    pub(super) fn shows_both(&self, seen: &Seen, runs: u32) -> bool {
        seen.tally.failures >= runs && self.spares_in(seen, runs)
    }

    /// The signal that ended a run, as none does of the original: what memory holds then is anybody's guess, and so is why other
    /// runs fail.
    fn breaks(&self, seen: &Seen) -> Option<i32> {
        seen.killed.filter(|_| !self.may_be_killed)
    }

    /// The verdict on runs that decide.
    pub(super) fn verdict(&self, seen: &Seen, candidate: &Subject) -> Verdict {
        if let Some(signal) = self.breaks(seen) {
            return Verdict::Slipped(signal_name(signal));
        }
        match self.decision(seen) {
            Some(Decision::Accept) if self.spares(seen) => Verdict::Interesting,
            Some(Decision::Accept) => match &seen.failure {
                Some(failure) => {
                    Verdict::Slipped(format!("in every run, {}", failure.title(candidate)))
                }
                None => Verdict::Uninteresting(Stage::Run),
            },
            _ => match &seen.other {
                Some(other) if seen.tally.failures == 0 => Verdict::Slipped(other.title(candidate)),
                _ => Verdict::Uninteresting(Stage::Run),
            },
        }
    }

    /// Whether so many runs, not stopped for being refused, leave it at the least rate or above, and not failing always.
    pub(super) fn holds(&self, seen: &Seen) -> bool {
        let often = seen.tally.rate() >= self.min_rate;
        let spares = self.spares(seen) || seen.tally.runs < self.always;
        often && spares && self.breaks(seen).is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::failure::{How, TestFailure};
    use super::*;

    fn criterion(failures: u32, runs: u32) -> Criterion {
        let failure = TestFailure {
            how: How::Hang,
            message: String::new(),
        };
        let signature = Signature::of(&[failure]).expect("there is one");
        let tally = Tally { runs, failures };
        let measured = Measured {
            tally,
            passes: runs - failures,
            ..Measured::default()
        };
        Criterion::new(signature, tally.rate() / 2.0, &measured, tally, (0.2, 0.05))
            .expect("the rates can be told apart")
    }

    fn seen(failures: u32, runs: u32) -> Seen {
        Seen {
            tally: Tally { runs, failures },
            passes: runs - failures,
            ..Seen::default()
        }
    }

    #[test]
    fn what_is_taken_soon_is_confirmed_later() {
        let criterion = criterion(50, 100);
        let first = |enough: &dyn Fn(&Seen) -> bool| {
            (1..=criterion.most()).find(|runs| enough(&seen(runs / 2, *runs)))
        };
        let taken = first(&|seen| criterion.is_decided(seen)).expect("it is decided");
        let confirmed = first(&|seen| criterion.is_confirmed(seen)).expect("it is confirmed");
        assert!(taken < confirmed, "{taken} {confirmed}");
    }

    #[test]
    fn what_a_signal_kills_now_and_then_is_not_taken() {
        let criterion = criterion(50, 100);
        let mut seen = seen(50, 100);
        let candidate = Subject::new([]);
        assert!(criterion.holds(&seen));
        assert_eq!(criterion.verdict(&seen, &candidate), Verdict::Interesting);
        seen.killed = Some(6);
        assert!(!criterion.holds(&seen));
        // No further run is made of it.
        assert!(criterion.is_decided(&seen) && criterion.is_confirmed(&seen));
        assert!(criterion.is_hopeless(&seen));
        let verdict = criterion.verdict(&seen, &candidate);
        assert_eq!(verdict, Verdict::Slipped("SIGABRT".to_owned()));
    }

    #[test]
    fn what_never_passes_any_more_is_not_taken() {
        let criterion = criterion(50, 100);
        let always = (1..=criterion.most()).find(|runs| criterion.is_decided(&seen(*runs, *runs)));
        let always = always.expect("it is decided");
        let verdict = criterion.verdict(&seen(always, always), &Subject::new([]));
        assert_ne!(verdict, Verdict::Interesting);
    }
}
