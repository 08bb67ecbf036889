//! For the tests: runs a minimizer against a property and keeps what it asked.

use std::collections::HashSet;

use super::{Item, Minimizer};

/// What a run asked, was told, and came to.
#[derive(Debug)]
pub(super) struct Traced {
    /// Each trial: the elements taken out, and the verdict.
    pub(super) asked: Vec<(Vec<usize>, bool)>,
    /// The elements left at the end.
    pub(super) kept: Vec<usize>,
}

impl Traced {
    pub(super) fn trials(&self) -> usize {
        self.asked.len()
    }

    /// One line per trial, such as `-2,5 yes`.
    pub(super) fn log(&self) -> Vec<String> {
        self.asked
            .iter()
            .map(|(remove, interesting)| {
                let names: Vec<String> = remove.iter().map(usize::to_string).collect();
                format!(
                    "-{} {}",
                    names.join(","),
                    if *interesting { "yes" } else { "no" }
                )
            })
            .collect()
    }
}

/// Runs to the end. Checks on the way what every minimizer promises: a legal trial, the same
/// when asked twice, no candidate twice, and a state that is what the interesting trials removed.
pub(super) fn trace(
    minimizer: &mut dyn Minimizer,
    length: usize,
    interesting: impl Fn(&[usize]) -> bool,
) -> Traced {
    let mut kept: Vec<usize> = (0..length).collect();
    let mut asked = Vec::new();
    let mut candidates = HashSet::new();
    while let Some(trial) = minimizer.propose() {
        assert_eq!(minimizer.propose().as_ref(), Some(&trial));
        assert!(!trial.remove.is_empty());
        assert!(trial.remove.is_sorted_by(|a, b| a < b), "{trial:?}");
        assert!(
            trial.remove.iter().all(|element| kept.contains(element)),
            "{trial:?}"
        );
        let candidate: Vec<usize> = kept
            .iter()
            .copied()
            .filter(|element| trial.remove.binary_search(element).is_err())
            .collect();
        assert!(
            candidates.insert(candidate.clone()),
            "asked twice: {candidate:?}"
        );
        let verdict = interesting(&candidate);
        minimizer.record(verdict);
        asked.push((trial.remove, verdict));
        if verdict {
            kept = candidate;
        }
        let removed: Vec<usize> = (0..length)
            .filter(|element| !kept.contains(element))
            .collect();
        assert_eq!(minimizer.removed(), removed);
    }
    assert_eq!(minimizer.propose(), None);
    Traced { asked, kept }
}

/// Items of these weights, without priors.
pub(super) fn weights(weights: &[u32]) -> Vec<Item> {
    weights
        .iter()
        .map(|&weight| Item {
            weight,
            prior: None,
        })
        .collect()
}

/// The property that these elements are there.
pub(super) fn needs(needed: &[usize]) -> impl Fn(&[usize]) -> bool {
    move |kept| needed.iter().all(|element| kept.contains(element))
}
