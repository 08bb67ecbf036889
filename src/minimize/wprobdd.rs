//! W_ProbDD: weighted probabilistic delta debugging (Zhou et al. 2025, Algorithm 2). Knows only what is left and what was refused.
//!
//! What the paper leaves open, and what is done here:
//!
//! * Elements of equal w·(1−p) are ordered by ascending p, then by position (the paper: unsaid).
//! * Gains that are equal up to [`GAIN_EPSILON`] are a tie, and the shorter prefix wins (line 17's `>`,
//!   made independent of rounding).
//! * `shouldTerminate` is ProbDD's: no element is left that is not decided.
//! * p₀ may differ from element to element (`Item::prior`).

use super::Item;
use super::belief::{Beliefs, GAIN_EPSILON};
use super::kept::Kept;
use super::run::Search;
use super::settings::InitialProbability;

#[derive(Debug, Clone)]
pub(super) struct WProbDd {
    weight: Vec<f64>,
    probs: Beliefs,
    /// l_sorted of line 10, without decided elements: kept sorted from trial to trial.
    sorted: Vec<usize>,
    /// How many of them, from the front, are in the open trial.
    chosen: usize,
}

impl WProbDd {
    pub(super) fn new(items: &[Item], start: InitialProbability) -> Self {
        let mut search = Self {
            weight: items
                .iter()
                .map(|item| f64::from(item.weight.max(1)))
                .collect(),
            probs: Beliefs::new(items, start),
            sorted: (0..items.len()).collect(),
            chosen: 0,
        };
        search.sort();
        search
    }

    /// Line 10: by the expected weight that goes with the element alone, descending.
    fn sort(&mut self) {
        let key = |element: usize| {
            let p = self.probs.needed(element);
            (self.weight[element] * (1.0 - p), p)
        };
        // The stable sort merges runs that are already in order: after a refusal that is all that is to do.
        self.sorted.sort_by(|&a, &b| {
            let ((gain_a, p_a), (gain_b, p_b)) = (key(a), key(b));
            gain_b
                .total_cmp(&gain_a)
                .then(p_a.total_cmp(&p_b))
                .then(a.cmp(&b))
        });
    }

    /// Lines 11 to 20: the length of the prefix with the highest expected weight.
    fn best_prefix(&self) -> usize {
        let all: f64 = self
            .sorted
            .iter()
            .map(|&element| self.weight[element])
            .sum();
        let (mut weight, mut prob_of_deletion) = (0.0, 1.0);
        let (mut gain_max, mut result) = (0.0, 0);
        for (before, &element) in self.sorted.iter().enumerate() {
            weight += self.weight[element];
            prob_of_deletion *= 1.0 - self.probs.needed(element);
            let gain = weight * prob_of_deletion;
            if gain > gain_max * (1.0 + GAIN_EPSILON) {
                (gain_max, result) = (gain, before + 1);
            }
            // No longer prefix can win: it weighs `all` at most and is no more likely to go.
            if all * prob_of_deletion <= gain_max {
                break;
            }
        }
        result
    }
}

impl Search for WProbDd {
    fn choose(&mut self, _kept: &Kept) -> Option<Vec<usize>> {
        self.chosen = self.best_prefix();
        let mut ptn = self.sorted[..self.chosen].to_vec();
        ptn.sort_unstable();
        (!ptn.is_empty()).then_some(ptn)
    }

    fn learn(&mut self, tried: &[usize], interesting: bool, _kept: &Kept) {
        if interesting {
            self.sorted.drain(..self.chosen);
        } else {
            self.probs.refused(tried);
            self.sorted
                .retain(|&element| !self.probs.is_decided(element));
            self.sort();
        }
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::minimize::trace::{needs, trace, weights};
    use crate::minimize::{InitialProbability, Settings, minimizer};

    fn bare(p: f64) -> Settings {
        Settings {
            initial_probability: InitialProbability::Same(p),
            one_minimal: false,
            try_all_first: false,
            ..Settings::default()
        }
    }

    /// The golden test of the design page: by weight {1, 5, 10} are needed.
    #[test]
    fn heavy_and_needed_elements_stay_and_the_others_go() {
        let items = weights(&[1, 2, 3, 5, 10]);
        let traced = trace(&mut *minimizer(&items, &bare(0.25)), 5, needs(&[0, 3, 4]));
        assert_eq!(traced.kept, [0, 3, 4]);
        assert_eq!(
            traced.log(),
            ["-3,4 no", "-4 no", "-2,3 no", "-1,2 yes", "-3 no", "-0 no"]
        );
    }
}
