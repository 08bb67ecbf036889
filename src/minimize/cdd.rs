//! CDD: counter-based delta debugging (Zhang et al. 2025, Algorithm 2). Knows only what is left.
//!
//! What the paper leaves open, and what is done here:
//!
//! * 1.582 stands for 1/(1 − 1/e) (Lemma III.2), which is used.
//! * Equal sizes of line 20's argmax: the longer one, as in Table III, where p = 0.25 gives four,
//!   not three.
//! * There is one p₀: the mean of the elements' own, if they have any.

use super::Item;
use super::belief::GAIN_EPSILON;
use super::kept::Kept;
use super::parts::Parts;
use super::run::Search;
use super::settings::InitialProbability;

#[derive(Debug, Clone)]
pub(super) struct Cdd {
    p0: f64,
    /// r: the number of this round.
    round: usize,
    /// s: how many elements a subset of this round has; 0 before the first round.
    size: usize,
    /// What line 5 made of the list.
    subsets: Parts,
    /// The subset whose turn it is.
    turn: usize,
}

impl Cdd {
    pub(super) fn new(items: &[Item], start: InitialProbability) -> Self {
        let sum: f64 = items.iter().map(|item| start.of(item.prior)).sum();
        Self {
            p0: sum / items.len() as f64,
            round: 0,
            size: 0,
            subsets: Parts::default(),
            turn: 0,
        }
    }
}

/// 1/(1 − 1/e), about 1.582: by this a probability grows from round to round (Lemma III.2).
const GROWTH: f64 = 1.0 / (1.0 - 1.0 / std::f64::consts::E);

/// Lines 18 to 21: how many elements a subset of round r has.
fn compute_size(round: usize, p0: f64) -> usize {
    let p = (0..round).fold(p0, |p, _| p * GROWTH).min(1.0);
    let (mut size, mut success, mut best) = (0_usize, 1.0, 0.0);
    // s × (1 − p)^s rises up to its maximum and falls after it.
    loop {
        success *= 1.0 - p;
        let gain = (size + 1) as f64 * success;
        if gain < best * (1.0 - GAIN_EPSILON) || gain <= 0.0 {
            return size.max(1);
        }
        (size, best) = (size + 1, gain.max(best));
    }
}

impl Search for Cdd {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        while self.turn == self.subsets.count() {
            // Line 15: the round of single elements is the last.
            if self.size == 1 || kept.count() == 0 {
                return None;
            }
            self.size = compute_size(self.round, self.p0);
            self.subsets = Parts::of_length(kept, self.size);
            (self.round, self.turn) = (self.round + 1, 0);
        }
        Some(self.subsets.part(self.turn).to_vec())
    }

    fn learn(&mut self, _tried: &[usize], _interesting: bool, _kept: &Kept) {
        self.turn += 1;
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::probdd::ProbDd;
    use crate::minimize::trace::{Answer, crash_needs, needs, steps, trace, weights};
    use crate::minimize::{Algorithm, Settings, minimizer};

    fn settings(algorithm: Algorithm, p: f64) -> Settings {
        Settings {
            algorithm,
            initial_probability: InitialProbability::Same(p),
            one_minimal: false,
            try_all_first: false,
            ..Settings::default()
        }
    }

    /// Zhang et al. 2025, Table III: p₀ = 0.25 gives subsets of four, two and one.
    #[test]
    fn subset_sizes_follow_from_the_round_alone() {
        let sizes = |p0| -> Vec<usize> { (0..7).map(|round| compute_size(round, p0)).collect() };
        assert_eq!(sizes(0.25), [4, 2, 1, 1, 1, 1, 1]);
        assert_eq!(sizes(0.1), [10, 6, 3, 2, 1, 1, 1]);
        assert_eq!(sizes(0.999_999), [1; 7]);
    }

    /// Zhang et al. 2025, Table III and section V: eight variants, and CDD does what ProbDD does.
    ///
    /// The table's random choices are had by the order of the list: l4 l8 l1 l5 l2 l3 l6 l7. What
    /// cannot be followed without randomness is the order of v3 and v4, and of v5 to v8; so l8's
    /// turn comes right after l4's, and is answered from memory.
    #[test]
    fn the_running_example_goes_through_the_tables_eight_variants() {
        use Answer::{No, Remembered, Yes};
        let lines = [3, 7, 0, 4, 1, 2, 5, 6];
        let interesting = |kept: &[usize]| {
            let kept: Vec<usize> = kept.iter().map(|&place| lines[place]).collect();
            crash_needs(&kept)
        };
        let items = weights(&[1; 8]);
        let start = InitialProbability::Same(0.25);
        let by_cdd = steps(Cdd::new(&items, start), 8, interesting, |_| ());
        let expected = [
            (vec![0, 1, 2, 3], No, ()),
            (vec![4, 5, 6, 7], Yes, ()),
            (vec![0, 1], No, ()),
            (vec![2, 3], No, ()),
            // l4 goes, l8 stays, l1 goes, l5 stays.
            (vec![0], Yes, ()),
            (vec![1], Remembered, ()),
            (vec![2], Yes, ()),
            (vec![3], No, ()),
        ];
        assert_eq!(by_cdd, expected);

        let settings = settings(Algorithm::ProbDd, 0.25);
        let by_probdd = steps(ProbDd::new(&items, &settings), 8, interesting, |_| ());
        assert_eq!(by_probdd, by_cdd);
    }

    #[test]
    fn elements_with_priors_start_from_their_mean() {
        let item = |p| Item {
            weight: 1,
            prior: Some(p),
        };
        let items = [item(0.1), item(0.4), item(0.1), item(0.4)];
        let mut search = Cdd::new(&items, InitialProbability::ByKind);
        assert_eq!(search.choose(&Kept::all(4)), Some(vec![0, 1, 2, 3]));
        assert!((search.p0 - 0.25).abs() < 1e-12);
    }

    #[test]
    fn a_subset_that_cannot_go_is_tried_again_in_smaller_pieces() {
        let items = weights(&[1; 6]);
        let mut minimizer = minimizer(&items, &settings(Algorithm::Cdd, 0.25));
        let traced = trace(&mut *minimizer, 6, needs(&[1]));
        assert_eq!(
            traced.log(),
            [
                "-0,1,2,3 no",
                "-4,5 yes",
                "-0,1 no",
                "-2,3 yes",
                "-0 yes",
                "-1 no"
            ]
        );
    }
}
