//! For the tests: runs a minimizer against a property and keeps what it asked.

use std::collections::HashSet;

use super::kept::{Kept, Refused};
use super::run::Search;
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

/// Runs to the end. Checks on the way what every minimizer promises: a legal trial, the same when
/// asked twice, no candidate twice, and a state that is what the interesting trials removed.
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

/// What became of a choice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Answer {
    Yes,
    No,
    /// Refused before, as the same candidate: not asked.
    Remembered,
}

/// Runs one search to the end and shows each choice, what became of it, and the search afterwards.
pub(super) fn steps<S: Search, T>(
    mut search: S,
    length: usize,
    interesting: impl Fn(&[usize]) -> bool,
    look: impl Fn(&S) -> T,
) -> Vec<(Vec<usize>, Answer, T)> {
    let mut kept = Kept::all(length);
    let mut refused = Refused::default();
    let mut steps = Vec::new();
    while let Some(choice) = search.choose(&kept) {
        let mut candidate = kept.clone();
        candidate.remove(&choice);
        let answer = if refused.contains(&kept, &choice) {
            Answer::Remembered
        } else if interesting(&candidate.iter().collect::<Vec<_>>()) {
            kept = candidate;
            Answer::Yes
        } else {
            refused.insert(&kept, &choice);
            Answer::No
        };
        search.learn(&choice, answer == Answer::Yes, &kept);
        steps.push((choice, answer, look(&search)));
    }
    steps
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

/// The running example of Zhang et al. 2025 (Fig. 1), elements from 0: which lines each line uses.
/// The last line crashes on a value that line 4 or line 6 defines.
pub(super) fn crash_needs(kept: &[usize]) -> bool {
    let uses: [&[usize]; 8] = [&[], &[0], &[1], &[0], &[], &[2, 3], &[0, 3, 5], &[]];
    closed(kept, &uses) && kept.contains(&7) && (kept.contains(&4) || kept.contains(&6))
}

/// The motivating example of Wang et al. 2021 (Listing 1), elements from 0: which lines each line
/// uses. The last line calls the faulty function with a value that line 2 or line 6 defines.
pub(super) fn tensorflow_needs(kept: &[usize]) -> bool {
    let uses: [&[usize]; 8] = [&[], &[0], &[], &[0], &[1, 3], &[1, 3], &[3, 4, 5], &[]];
    // A `with` block must not be empty.
    let block = !kept.contains(&3) || kept.contains(&4) || kept.contains(&5);
    let defined = kept.contains(&2) || kept.contains(&6);
    closed(kept, &uses) && block && kept.contains(&7) && defined
}

/// Whether all that the kept lines use is kept.
fn closed(kept: &[usize], uses: &[&[usize]]) -> bool {
    kept.iter()
        .all(|&line| uses[line].iter().all(|used| kept.contains(used)))
}
