//! What can be said about the last measurements.

use crate::Recent;

/// Numbers that sum up many.
pub trait Stats {
    /// The mean, if there is anything.
    fn mean(&self) -> Option<f64>;

    /// The middle one, if there is anything; of two in the middle the smaller.
    fn median(&self) -> Option<f64>;

    /// The mean of every `step`th only, for when there are many.
    fn sampled_mean(&self, step: usize) -> Option<f64>;
}

impl<const N: usize> Stats for Recent<f64, N> {
    fn mean(&self) -> Option<f64> {
        average(self.iter().copied())
    }

    fn median(&self) -> Option<f64> {
        let mut sorted: Vec<f64> = self.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.len().checked_sub(1)? / 2;
        sorted.get(middle).copied()
    }

    fn sampled_mean(&self, step: usize) -> Option<f64> {
        average(self.every(step).copied())
    }
}

fn average(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for value in values {
        sum += value;
        count = count.saturating_add(1);
    }
    (count > 0).then(|| sum / f64::from(count))
}
