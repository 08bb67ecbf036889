//! W_ProbDD: weighted probabilistic delta debugging (Zhou et al. 2025, Algorithm 2). Knows only
//! what is left and what was refused.
//!
//! What the paper leaves open, and what is done here:
//!
//! * Elements of equal w·(1−p) are ordered by ascending p, then by position (the paper: unsaid).
//! * Gains that are equal up to [`GAIN_EPSILON`] are a tie, and the shorter prefix wins (line 17's
//!   `>`, made independent of rounding).
//! * `shouldTerminate` is ProbDD's: no element is left that is not decided.
//! * p₀ may differ from element to element (`Item::prior`).
//! * When an element counts as decided, and how little a refusal may teach: [`super::belief`].

use std::cmp::Ordering;

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
    /// Room for the next of them: new memory for each trial costs more than all else.
    spare: Vec<usize>,
    /// The weight of all of them: whole numbers, whose sums are exact.
    all: f64,
    /// How many of them, from the front, are in the open trial.
    chosen: usize,
}

impl WProbDd {
    pub(super) fn new(items: &[Item], start: InitialProbability) -> Self {
        let weight = items.iter().map(|item| f64::from(item.weight.max(1)));
        let weight: Vec<f64> = weight.collect();
        let mut search = Self {
            all: weight.iter().sum(),
            weight,
            probs: Beliefs::new(items, start),
            sorted: Vec::new(),
            spare: Vec::new(),
            chosen: 0,
        };
        let mut sorted: Vec<usize> = (0..items.len()).collect();
        sorted.sort_by(|&a, &b| search.order(a, b));
        search.sorted = sorted;
        search
    }

    /// The order of line 10: by the expected weight that goes with the element alone, descending.
    fn order(&self, a: usize, b: usize) -> Ordering {
        let key = |element: usize| {
            let p = self.probs.needed(element);
            (self.weight[element] * (1.0 - p), p)
        };
        let ((gain_a, p_a), (gain_b, p_b)) = (key(a), key(b));
        gain_b
            .total_cmp(&gain_a)
            .then(p_a.total_cmp(&p_b))
            .then(a.cmp(&b))
    }

    /// Puts `elements`, whose probabilities have changed, where they belong among the others: the only ones that line 10
    /// has to move.
    fn insert(&mut self, mut elements: Vec<usize>) {
        elements.sort_by(|&a, &b| self.order(a, b));
        let mut merged = std::mem::take(&mut self.spare);
        merged.clear();
        let mut rest = &self.sorted[..];
        for element in elements {
            let before = rest.partition_point(|&other| self.order(other, element).is_lt());
            merged.extend_from_slice(&rest[..before]);
            merged.push(element);
            rest = &rest[before..];
        }
        merged.extend_from_slice(rest);
        self.spare = std::mem::replace(&mut self.sorted, merged);
    }

    /// Lines 11 to 20: the length of the prefix with the highest expected weight.
    fn best_prefix(&self) -> usize {
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
            if self.all * prob_of_deletion <= gain_max {
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
        let mut open = Vec::new();
        if interesting {
            self.sorted.drain(..self.chosen);
        } else {
            open.extend(self.sorted.drain(..self.chosen));
            self.probs.refused(tried);
            open.retain(|&element| !self.probs.is_decided(element));
        }
        let closed: f64 = tried.iter().map(|&element| self.weight[element]).sum();
        let back: f64 = open.iter().map(|&element| self.weight[element]).sum();
        self.all -= closed - back;
        if !open.is_empty() {
            self.insert(open);
        }
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::trace::{Answer, needs, steps, trace, weights};
    use crate::minimize::{Settings, minimizer};

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

    /// Zhou et al. 2025, Fig. 1 and 2(d): every proposal, with the probabilities after it in
    /// hundredths. Elements are numbered from 0 here, from 1 in the figure.
    ///
    /// The algorithm makes 13 proposals; the figure has 11 rows. Two of the proposals are
    /// candidates that were refused before: once 1 and 4 are gone, leaving out 5 is what leaving
    /// out {1, 4, 5} was, and leaving out {2, 3} is what leaving out {1, 2, 3, 4} was. The figure
    /// lists no repeated tests (section II-A), but their updates are in its eighth row, which
    /// therefore changes 0, 5 and {2, 3} at once. So the figure and the algorithm agree, given a
    /// memory of outcomes.
    #[test]
    fn the_motivating_example_goes_through_the_figures_eleven_tests() {
        use Answer::{No, Remembered, Yes};
        let items = weights(&[5, 8, 7, 7, 8, 16, 25, 6]);
        let search = WProbDd::new(&items, InitialProbability::Same(0.2));
        let needed = [0, 2, 5, 6, 7];
        let steps = steps(search, 8, needs(&needed), |search| {
            let hundredths = |element| (100.0 * search.probs.needed(element)).round() as u32;
            [0, 1, 2, 3, 4, 5, 6, 7].map(hundredths)
        });
        // What is gone keeps its last probability here; the figure shows 0 or nothing.
        let expected = [
            (vec![5, 6], No, [20, 20, 20, 20, 20, 56, 56, 20]),
            (vec![6], No, [20, 20, 20, 20, 20, 56, 100, 20]),
            (vec![1, 4, 5], No, [20, 28, 20, 20, 28, 78, 100, 20]),
            (vec![1, 2, 3, 4], No, [20, 42, 30, 30, 42, 78, 100, 20]),
            (vec![2, 3, 7], No, [20, 42, 49, 49, 42, 78, 100, 33]),
            (vec![1, 4], Yes, [20, 42, 49, 49, 42, 78, 100, 33]),
            (vec![0, 7], No, [43, 42, 49, 49, 42, 78, 100, 71]),
            (vec![5], Remembered, [43, 42, 49, 49, 42, 100, 100, 71]),
            (vec![2, 3], Remembered, [43, 42, 66, 66, 42, 100, 100, 71]),
            (vec![0], No, [100, 42, 66, 66, 42, 100, 100, 71]),
            (vec![2], No, [100, 42, 100, 66, 42, 100, 100, 71]),
            (vec![3], Yes, [100, 42, 100, 66, 42, 100, 100, 71]),
            (vec![7], No, [100, 42, 100, 66, 42, 100, 100, 100]),
        ];
        assert_eq!(steps, expected);

        let traced = trace(&mut *minimizer(&items, &bare(0.2)), 8, needs(&needed));
        assert_eq!(traced.trials(), 11);
        assert_eq!(traced.kept, needed);
    }

    #[test]
    fn elements_of_equal_gain_go_by_probability_then_by_position() {
        // w(1 − p) is 4 for all; gains of prefixes: 4, 6, 6, 5 …: the shorter of the two with 6
        // wins.
        let item = |weight, p| Item {
            weight,
            prior: Some(p),
        };
        let items = [item(8, 0.5), item(5, 0.2), item(8, 0.5), item(5, 0.2)];
        let mut search = WProbDd::new(&items, InitialProbability::ByKind);
        assert_eq!(search.sorted, [1, 3, 0, 2]);
        assert_eq!(search.choose(&Kept::all(4)), Some(vec![1, 3]));
    }

    #[test]
    fn of_two_prefixes_of_equal_gain_the_shorter_is_tried() {
        // p = 1/k: k − 1 and k elements tie in mathematics, and differ in the last bit of a double.
        for k in 2..200 {
            let items = weights(&vec![3; k + 5]);
            let mut search = WProbDd::new(&items, InitialProbability::Same(1.0 / k as f64));
            let chosen = search.choose(&Kept::all(items.len())).unwrap();
            assert_eq!(chosen.len(), k - 1);
        }
    }

    /// Line 12 looks at all prefixes: the gain may fall and rise again.
    #[test]
    fn a_longer_prefix_may_win_though_the_gain_falls_before_it() {
        let item = |weight, p| Item {
            weight,
            prior: Some(p),
        };
        // 2 · 0.9 = 1.8, then 19 · 0.09 = 1.71, and with the light ones up to 39 · 0.09 · 0.98 =
        // 3.44.
        let mut items = vec![item(2, 0.1), item(17, 0.9)];
        items.extend([item(1, 0.001); 20]);
        let mut search = WProbDd::new(&items, InitialProbability::ByKind);
        assert_eq!(search.choose(&Kept::all(22)).unwrap().len(), 22);
    }
}
