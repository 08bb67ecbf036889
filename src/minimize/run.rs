//! Runs searches one after the other over the same list, and never asks for the same candidate
//! twice. Knows no algorithm beyond the trial without any element.

use std::collections::VecDeque;

use super::kept::{Kept, Refused};
use super::{Minimizer, Trial};

/// One algorithm: what it would remove next, and what it learns from the verdict.
///
/// [`Run`] keeps the book (what is left, what was refused, which trial is open), so that an
/// algorithm's file holds nothing but the algorithm.
pub(super) trait Search: Send {
    /// The elements to try without next: ascending, each of them in `kept`, never empty; `None`
    /// when this search is finished.
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>>;

    /// The verdict on the elements last chosen. `kept` is the state after it.
    fn learn(&mut self, tried: &[usize], interesting: bool, kept: &Kept);

    fn clone_box(&self) -> Box<dyn Search>;
}

/// Searches in a row, as one minimizer.
///
/// A choice that amounts to a candidate refused earlier in this run is answered from memory: the
/// search learns "uninteresting", as it would from the oracle, and nobody is asked. For ddmin this
/// is the outcome cache that the papers assume; for a one-minimal pass it is what makes the proof
/// cost only the trials that are still missing.
pub(super) struct Run {
    kept: Kept,
    refused: Refused,
    /// The searches not finished yet, the present one in front.
    stages: VecDeque<Box<dyn Search>>,
    /// The trial proposed and not judged yet.
    open: Option<Trial>,
}

impl Run {
    pub(super) fn new(length: usize, stages: Vec<Box<dyn Search>>) -> Self {
        Self {
            kept: Kept::all(length),
            refused: Refused::default(),
            stages: stages.into(),
            open: None,
        }
    }
}

impl Clone for Run {
    fn clone(&self) -> Self {
        Self {
            kept: self.kept.clone(),
            refused: self.refused.clone(),
            stages: self.stages.iter().map(|stage| stage.clone_box()).collect(),
            open: self.open.clone(),
        }
    }
}

impl Minimizer for Run {
    fn propose(&mut self) -> Option<Trial> {
        while self.open.is_none() && self.kept.count() > 0 {
            let stage = self.stages.front_mut()?;
            match stage.choose(&self.kept) {
                None => drop(self.stages.pop_front()),
                Some(remove) if self.refused.contains(&self.kept, &remove) => {
                    stage.learn(&remove, false, &self.kept);
                }
                Some(remove) => {
                    debug_assert!(!remove.is_empty());
                    debug_assert!(remove.is_sorted_by(|a, b| a < b));
                    debug_assert!(remove.iter().all(|&element| self.kept.contains(element)));
                    self.open = Some(Trial { remove });
                }
            }
        }
        self.open.clone()
    }

    fn record(&mut self, interesting: bool) {
        let Some(Trial { remove }) = self.open.take() else {
            panic!("a verdict was recorded, but no trial is open");
        };
        if interesting {
            self.kept.remove(&remove);
        } else {
            self.refused.insert(&self.kept, &remove);
        }
        if let Some(stage) = self.stages.front_mut() {
            stage.learn(&remove, interesting, &self.kept);
        }
    }

    fn removed(&self) -> Vec<usize> {
        self.kept.removed()
    }

    fn clone_box(&self) -> Box<dyn Minimizer> {
        Box::new(self.clone())
    }
}

/// One trial: the list without any of its elements.
///
/// The papers take for granted that the empty list is uninteresting; in a program it often is not
/// (all attributes, all bodies), and then one trial does what a search does in many.
#[derive(Debug, Clone, Default)]
pub(super) struct AllFirst {
    tried: bool,
}

impl Search for AllFirst {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        (!self.tried).then(|| kept.iter().collect())
    }

    fn learn(&mut self, _tried: &[usize], _interesting: bool, _kept: &Kept) {
        self.tried = true;
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::minimize::trace::{trace, weights};
    use crate::minimize::*;

    #[test]
    fn the_one_minimal_pass_follows_the_algorithm_and_goes_backward() {
        // Each element uses the one before it.
        let interesting = |kept: &[usize]| kept.iter().enumerate().all(|(place, &e)| place == e);
        let settings = Settings {
            algorithm: Algorithm::Cdd,
            initial_probability: InitialProbability::Same(0.9),
            try_all_first: false,
            ..Settings::default()
        };
        let mut minimizer = minimizer(&weights(&[1; 3]), &settings);
        let traced = trace(&mut *minimizer, 3, interesting);
        assert_eq!(
            traced.log(),
            ["-0 no", "-1 no", "-2 yes", "-1 yes", "-0 yes"]
        );
    }

    #[test]
    fn what_the_algorithm_proved_against_the_present_list_is_not_asked_again() {
        let settings = Settings {
            initial_probability: InitialProbability::Same(0.9),
            ..Settings::default()
        };
        let mut minimizer = minimizer(&weights(&[3, 2, 1]), &settings);
        let traced = trace(&mut *minimizer, 3, |kept| kept.len() == 3);
        assert_eq!(traced.log(), ["-0,1,2 no", "-0 no", "-1 no", "-2 no"]);
    }
}
