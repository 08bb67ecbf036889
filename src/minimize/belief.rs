//! How probable it is that each element is needed, and what a refusal teaches (Wang et al. 2021,
//! sections 3.1 and 3.2). Knows neither weights nor how the next candidate is chosen.

use super::Item;
use super::settings::InitialProbability;

/// An element at least this likely to be needed is decided: it stays.
///
/// In the paper an element is decided at 1. Only a refusal without that element alone gives exactly
/// 1; the margin stops the rounding of a long run of refusals from asking for the rest of its life.
const DECIDED: f64 = 1.0 - 1e-9;

/// A refusal raises a probability by at least this share.
///
/// The paper's factor is about 1.58 when all elements are alike (Zhang et al., Lemma III.2). It
/// comes near 1 only when a trial that was almost sure to fail fails – very unequal weights make
/// such a trial the best bet –, and then the same trial would be best a thousand times over.
const LEAST_GROWTH: f64 = 1.01;

/// Gains that differ by less than this share are a tie, which the shorter prefix wins.
///
/// With p = 1/k and equal weights, k − 1 and k elements have the same gain in mathematics and
/// different ones in floating point.
pub(super) const GAIN_EPSILON: f64 = 1e-9;

/// The model: for each element the probability that it is needed, all independent of each other.
#[derive(Debug, Clone)]
pub(super) struct Beliefs(Vec<f64>);

impl Beliefs {
    /// Section 3.1.4, the prior distribution: one value for all, or each element's own.
    pub(super) fn new(items: &[Item], start: InitialProbability) -> Self {
        Self(items.iter().map(|item| start.of(item.prior)).collect())
    }

    /// The probability that this element is needed.
    pub(super) fn needed(&self, element: usize) -> f64 {
        self.0[element]
    }

    /// Section 3.2, rule 3: the candidate without `tried` was refused, so at least one of them is
    /// needed: p ← p / (1 − Π(1 − p)). A lone element is needed for certain.
    ///
    /// Rules 1 and 2 need no code: the others keep their probability, and what an interesting trial
    /// removed is never looked at again.
    pub(super) fn refused(&mut self, tried: &[usize]) {
        if let &[alone] = tried {
            self.0[alone] = 1.0;
            return;
        }
        let all_unneeded: f64 = tried.iter().map(|&element| 1.0 - self.0[element]).product();
        for &element in tried {
            let p = &mut self.0[element];
            // Growth by a share could jump over certainty: halve the distance to it at most.
            let least = (*p * LEAST_GROWTH).min((1.0 + *p) / 2.0);
            *p = (*p / (1.0 - all_unneeded)).max(least).min(1.0);
        }
    }

    /// The element stays and is not tried again.
    pub(super) fn is_decided(&self, element: usize) -> bool {
        self.0[element] >= DECIDED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beliefs(start: &[f64]) -> Beliefs {
        let items: Vec<Item> = start
            .iter()
            .map(|&p| Item {
                weight: 1,
                prior: Some(p),
            })
            .collect();
        Beliefs::new(&items, InitialProbability::ByKind)
    }

    #[test]
    fn a_refusal_raises_what_was_left_out_by_the_papers_rule() {
        let mut model = beliefs(&[0.25; 5]);
        model.refused(&[0, 1, 2, 4]);
        for element in [0, 1, 2, 4] {
            assert!((model.needed(element) - 0.25 / (1.0 - 0.75_f64.powi(4))).abs() < 1e-12);
        }
        assert_eq!(model.needed(3), 0.25);
    }

    #[test]
    fn a_lone_refusal_decides() {
        let mut model = beliefs(&[1e-6, 1e-6]);
        model.refused(&[1]);
        assert!(model.is_decided(1));
        assert!(!model.is_decided(0));
    }

    #[test]
    fn a_refusal_that_was_almost_certain_still_brings_a_decision_nearer() {
        let mut model = beliefs(&[1.0 - 1e-6, 1e-6]);
        let mut refusals = 0;
        while !model.is_decided(0) || !model.is_decided(1) {
            model.refused(&[0, 1]);
            refusals += 1;
            assert!(refusals < 2_000);
        }
    }
}
