//! onemin: one element at a time (Kiss 2020, Algorithm 2), and the one-minimal pass made of it.
//! Knows only what is left.
//!
//! The paper says that some ∇ᵢ is taken, not which one, and starts over after each success. Here a
//! round goes through the list in one direction and on from its place after a success; rounds
//! repeat until one brings nothing. [`Run`] remembers refusals, so the last round asks only for
//! what was refused before the last success. This is ddmin^ν with ν = ∞ and without subset tests.

use super::kept::Kept;
use super::run::{Run, Search};
use super::settings::ComplementOrder;
use super::{Minimizer, Trial};

/// Algorithm 2, in one direction or the other.
#[derive(Debug, Clone)]
pub(super) struct OneMin {
    order: ComplementOrder,
    /// Elements of this round that were looked at, those already removed included.
    passed: usize,
    /// Something went in this round.
    progress: bool,
}

impl OneMin {
    pub(super) fn new(order: ComplementOrder) -> Self {
        Self {
            order,
            passed: 0,
            progress: false,
        }
    }

    /// The next element of this round that is still there.
    fn next_in_round(&mut self, kept: &Kept) -> Option<usize> {
        while self.passed < kept.length() {
            let element = match self.order {
                ComplementOrder::Forward => self.passed,
                ComplementOrder::Backward => kept.length() - 1 - self.passed,
            };
            if kept.contains(element) {
                return Some(element);
            }
            self.passed += 1;
        }
        None
    }
}

impl Search for OneMin {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        loop {
            if let Some(element) = self.next_in_round(kept) {
                return Some(vec![element]);
            }
            if !self.progress {
                return None;
            }
            (self.passed, self.progress) = (0, false);
        }
    }

    fn learn(&mut self, _tried: &[usize], interesting: bool, _kept: &Kept) {
        self.passed += 1;
        self.progress |= interesting;
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

/// The one-minimal pass by itself: single elements in reverse order, round after round, until no
/// single element can go. Its result is 1-minimal for any deterministic property.
///
/// Reverse, because a definition can go only after its uses, and those come later as a rule.
#[derive(Clone)]
pub struct OneMinimal(Run);

impl OneMinimal {
    /// The pass over a list of this many elements.
    pub fn new(length: usize) -> Self {
        let stage = OneMin::new(ComplementOrder::Backward);
        Self(Run::new(length, vec![Box::new(stage)]))
    }
}

impl Minimizer for OneMinimal {
    fn propose(&mut self) -> Option<Trial> {
        self.0.propose()
    }

    fn record(&mut self, interesting: bool) {
        self.0.record(interesting);
    }

    fn removed(&self) -> Vec<usize> {
        self.0.removed()
    }

    fn clone_box(&self) -> Box<dyn Minimizer> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::trace::trace;

    #[test]
    fn uses_go_before_definitions_in_one_round() {
        // Element i uses i - 1, so that it can go only when all after it are gone.
        let traced = trace(&mut OneMinimal::new(6), 6, |kept| {
            kept.iter()
                .enumerate()
                .all(|(place, &element)| place == element)
        });
        assert_eq!(traced.kept, [0; 0]);
        assert_eq!(traced.trials(), 6);
    }

    #[test]
    fn the_last_round_asks_only_for_what_was_refused_before_the_last_success() {
        // 4 cannot go, 3 cannot go while 1 is there, 2 cannot go, 0 cannot go.
        let traced = trace(&mut OneMinimal::new(5), 5, |kept| {
            [0, 2, 4].iter().all(|needed| kept.contains(needed))
                && (kept.contains(&3) || !kept.contains(&1))
        });
        assert_eq!(
            traced.log(),
            [
                "-4 no", "-3 no", "-2 no", "-1 yes", "-0 no", "-4 no", "-3 yes", "-2 no", "-0 no",
                "-4 no"
            ]
        );
        assert_eq!(traced.kept, [0, 2, 4]);
    }
}
