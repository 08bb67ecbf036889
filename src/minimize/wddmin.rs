//! W_ddmin: weighted ddmin (Zhou et al. 2025, Algorithm 1). Knows only what is left.
//!
//! What the paper leaves open, and what is done here:
//!
//! * The first partition is the whole list, which is known to be interesting: the algorithm begins
//!   with the call that line 10 makes then.
//! * "Close to halfSum": the cut whose first part is nearest to half the weight; of two equally
//!   near, the first. Parts stay consecutive and are never empty.
//! * Line 17 starts over with the same partitions: those were refused alone just before, and are
//!   not tried alone again.
//! * Starting over, here and in line 34, is the paper's way ([`AfterSuccess::StartOver`]). It costs
//!   several times the tests of going on to the next partition, which [`super::minimizer_with`]
//!   does if asked to.
//! * `ensureOneMinimal` is a search of its own ([`EnsureOneMinimal`]), part of the algorithm even
//!   when the one-minimal pass is off: the partitions of one element that line 23 skips need it.

use super::Item;
use super::kept::Kept;
use super::parts::Parts;
use super::run::Search;
use super::settings::ComplementOrder;
use super::walk::{AfterSuccess, Walk};

/// `wddRec`, lines 5 to 28.
#[derive(Debug, Clone)]
pub(super) struct WDdmin {
    weight: Vec<u64>,
    after_success: AfterSuccess,
    /// `None` before the first partition.
    partitions: Option<Parts>,
    turn: Turn,
}

#[derive(Debug, Clone)]
enum Turn {
    /// The loop of line 7, at this partition.
    Alone(usize),
    /// The loop of line 12.
    Without(Walk),
}

impl WDdmin {
    pub(super) fn new(items: &[Item], after_success: AfterSuccess) -> Self {
        Self {
            weight: items
                .iter()
                .map(|item| u64::from(item.weight.max(1)))
                .collect(),
            after_success,
            partitions: None,
            turn: Turn::Alone(0),
        }
    }

    /// Lines 20 to 28: every partition of several elements in two of nearly the same weight.
    fn weighted_partition(&mut self, partitions: &Parts) {
        self.partitions = Some(partitions.halves(|ptn| {
            let all: u64 = ptn.iter().map(|&element| self.weight[element]).sum();
            let mut first_part = 0;
            (1..ptn.len())
                .min_by_key(|&cut| {
                    first_part += self.weight[ptn[cut - 1]];
                    (2 * first_part).abs_diff(all)
                })
                // Cannot happen: `halves` cuts only what has two elements at least.
                .unwrap_or(1)
        }));
        self.turn = Turn::Alone(0);
    }
}

impl Search for WDdmin {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        loop {
            let Some(partitions) = &self.partitions else {
                self.weighted_partition(&Parts::whole(kept));
                continue;
            };
            let count = partitions.count();
            match &self.turn {
                _ if count == 0 => return None,
                Turn::Alone(ptn) if *ptn < count => return Some(partitions.others(*ptn, kept)),
                Turn::Alone(_) => {
                    let walk = Walk::over(count, ComplementOrder::Forward, self.after_success);
                    self.turn = Turn::Without(walk);
                }
                Turn::Without(walk) => match walk.turn() {
                    Some(ptn) => return Some(partitions.part(ptn).to_vec()),
                    None => self.weighted_partition(&partitions.clone()),
                },
            }
        }
    }

    fn learn(&mut self, _tried: &[usize], interesting: bool, _kept: &Kept) {
        let Some(partitions) = &mut self.partitions else {
            return;
        };
        match &mut self.turn {
            Turn::Alone(ptn) if interesting => {
                partitions.keep_only(*ptn);
                let partitions = partitions.clone();
                self.weighted_partition(&partitions);
            }
            Turn::Alone(ptn) => *ptn += 1,
            Turn::Without(walk) if interesting => {
                partitions.take_away(walk.turn().unwrap_or_default());
                walk.taken_away();
            }
            Turn::Without(walk) => walk.refused(),
        }
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

/// `ensureOneMinimal`, lines 29 to 35: single elements from the front, again from the front after
/// each success.
#[derive(Debug, Clone, Default)]
pub(super) struct EnsureOneMinimal {
    /// Elements before this one were refused since the last success, or are gone.
    next: usize,
}

impl Search for EnsureOneMinimal {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        self.next = (self.next..kept.length()).find(|&element| kept.contains(element))?;
        Some(vec![self.next])
    }

    fn learn(&mut self, _tried: &[usize], interesting: bool, _kept: &Kept) {
        self.next = if interesting { 0 } else { self.next + 1 };
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::trace::{needs, steps, trace, weights};
    use crate::minimize::{Algorithm, Settings, minimizer};

    const FIGURE_1: [u32; 8] = [5, 8, 7, 7, 8, 16, 25, 6];

    /// Zhou et al. 2025, Fig. 1(c) and section IV-A.
    #[test]
    fn partitions_are_cut_by_weight() {
        let kept = Kept::all(8);
        let mut search = WDdmin::new(&weights(&FIGURE_1), AfterSuccess::StartOver);
        let mut partitions = Parts::whole(&kept);
        let mut levels: Vec<Vec<u32>> = Vec::new();
        loop {
            search.weighted_partition(&partitions);
            partitions = search.partitions.clone().unwrap();
            if partitions.count() == 0 {
                break;
            }
            let sum = |ptn| partitions.part(ptn).iter().map(|&e| FIGURE_1[e]).sum();
            levels.push((0..partitions.count()).map(sum).collect());
        }
        assert_eq!(
            levels,
            // 16, element 6, is alone on the second level and left out on the third.
            [
                &[35, 47][..],
                &[20, 15, 16, 31],
                &[13, 7, 7, 8, 25, 6],
                &[5, 8]
            ]
        );
    }

    /// Zhou et al. 2025, Fig. 2(b) and section III-A.
    #[test]
    fn the_motivating_example_takes_26_tests() {
        let settings = Settings {
            algorithm: Algorithm::WDdmin,
            one_minimal: false,
            try_all_first: false,
            ..Settings::default()
        };
        let mut minimizer = minimizer(&weights(&FIGURE_1), &settings);
        let traced = trace(&mut *minimizer, 8, needs(&[0, 2, 5, 6, 7]));
        assert_eq!(traced.kept, [0, 2, 5, 6, 7]);
        assert_eq!(traced.trials(), 26);
        // "Attempts to remove node 7 only 12 times" (section III-A).
        let without_7 = traced
            .asked
            .iter()
            .filter(|(remove, _)| remove.contains(&6));
        assert_eq!(without_7.count(), 12);
    }

    #[test]
    fn the_result_is_one_minimal_though_the_partitions_skip_single_elements() {
        // The heavy first element is alone from the start, and can go only after the last one.
        let settings = Settings {
            algorithm: Algorithm::WDdmin,
            one_minimal: false,
            try_all_first: false,
            ..Settings::default()
        };
        let mut minimizer = minimizer(&weights(&[100, 1, 1, 1]), &settings);
        let traced = trace(&mut *minimizer, 4, |kept| {
            kept.contains(&1) && kept.contains(&2) && (kept.contains(&0) || !kept.contains(&3))
        });
        assert_eq!(traced.kept, [1, 2]);
    }

    #[test]
    fn ensure_one_minimal_starts_at_the_front_again_after_each_success() {
        // 0 can go only after 2.
        let interesting = |kept: &[usize]| kept.contains(&0) || !kept.contains(&2);
        let steps = steps(EnsureOneMinimal::default(), 3, interesting, |_| ());
        let chosen: Vec<usize> = steps.iter().map(|(choice, ..)| choice[0]).collect();
        assert_eq!(chosen, [0, 1, 0, 2, 0]);
    }
}
