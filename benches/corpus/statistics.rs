//! Geometric means, Wilcoxon's signed-rank test and Spearman's correlation. Knows nothing of what is
//! measured.
//!
//! The tests are our own: of the statistics libraries, `statrs` has no signed-rank test, and those that
//! have one ask for a newer compiler than this package does. `tests/statistics.rs` holds them against
//! published values.

/// The geometric mean of positive numbers; not a number if there is none.
pub fn geometric_mean(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|value| value.ln()).sum();
    (sum / values.len() as f64).exp()
}

/// The two-sided p-value of Wilcoxon's signed-rank test on pairs, exact for any ties; pairs without a
/// difference are left out (Wilcoxon 1945). `None` if there are no others.
pub fn wilcoxon(a: &[f64], b: &[f64]) -> Option<f64> {
    let differences = a.iter().zip(b).map(|(a, b)| a - b);
    let differences: Vec<f64> = differences.filter(|d| *d != 0.0).collect();
    if differences.is_empty() {
        return None;
    }
    let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
    // Twice the rank is a whole number, ties or not.
    let ranks: Vec<usize> = ranks(&sizes).iter().map(|r| (r * 2.0) as usize).collect();
    let total: usize = ranks.iter().sum();
    let signed = ranks.iter().zip(&differences);
    let positive: usize = signed
        .filter(|(_, d)| **d > 0.0)
        .map(|(rank, _)| rank)
        .sum();
    let extreme = positive.min(total - positive);
    // The probability of each sum of ranks when every sign is as likely as the other.
    let mut probability = vec![0.0; total + 1];
    probability[0] = 1.0;
    for rank in ranks {
        for sum in (0..=total).rev() {
            let with = sum.checked_sub(rank).map_or(0.0, |rest| probability[rest]);
            probability[sum] = 0.5 * (probability[sum] + with);
        }
    }
    let tail: f64 = probability[..=extreme].iter().sum();
    Some((2.0 * tail).min(1.0))
}

/// Spearman's rank correlation; `None` if one side does not vary.
pub fn spearman(x: &[f64], y: &[f64]) -> Option<f64> {
    let (x, y) = (ranks(x), ranks(y));
    let mean = (x.len() as f64 + 1.0) / 2.0;
    let covariance = |a: &[f64], b: &[f64]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean));
        products.sum()
    };
    let spread = covariance(&x, &x) * covariance(&y, &y);
    (spread > 0.0).then(|| covariance(&x, &y) / spread.sqrt())
}

/// The rank of each value, from 1; values that are equal share the mean of their ranks.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tied in order.chunk_by(|a, b| values[*a] == values[*b]) {
        let rank = before as f64 + (tied.len() as f64 + 1.0) / 2.0;
        tied.iter().for_each(|at| ranks[*at] = rank);
        before += tied.len();
    }
    ranks
}
