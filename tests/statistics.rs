//! The statistics of the corpus bench agree with published values.

// One of them is 3.14.
#![allow(clippy::approx_constant)]

#[path = "../benches/corpus/statistics.rs"]
mod statistics;

use statistics::{geometric_mean, spearman, wilcoxon};

#[test]
fn the_signed_rank_test_agrees_with_hollander_and_wolfe() {
    // Depression scores before and after a therapy (Hollander and Wolfe 1973, p. 29; R's own example).
    let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
    let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
    let p = wilcoxon(&before, &after).expect("there are differences");
    assert!((p - 0.039_062_5).abs() < 1e-12, "{p}");
}

#[test]
fn the_signed_rank_test_agrees_with_the_table_of_critical_values() {
    // n pairs, the smaller sum of ranks, and twice how many of the 2^n signs give no more.
    for (n, negative, counts) in [
        (6_i32, vec![], 2.0),
        (8, vec![1, 2], 10.0),
        (10, vec![8], 50.0),
    ] {
        let a: Vec<f64> = (1..=n)
            .map(|d| f64::from(if negative.contains(&d) { -d } else { d }))
            .collect();
        let p = wilcoxon(&a, &vec![0.0; a.len()]).expect("there are differences");
        assert!((p - counts / 2_f64.powi(n)).abs() < 1e-12, "n = {n}: {p}");
    }
    assert_eq!(wilcoxon(&[1.0, 2.0], &[1.0, 2.0]), None);
}

#[test]
fn ties_share_their_ranks() {
    // Ranks 2, 2, 2 and 4: of 16 signs, four give a sum of at most 2 (none, or one of the first three).
    let p = wilcoxon(&[1.0, 1.0, -1.0, 3.0], &[0.0; 4]).expect("there are differences");
    assert!((p - 2.0 * 4.0 / 16.0).abs() < 1e-12, "{p}");
}

#[test]
fn the_rank_correlation_agrees_with_the_textbook_example() {
    // Ten people's IQ and hours of television a week: −29/165.
    let iq = [
        106.0, 100.0, 86.0, 101.0, 99.0, 103.0, 97.0, 113.0, 112.0, 110.0,
    ];
    let hours = [7.0, 27.0, 2.0, 50.0, 28.0, 29.0, 20.0, 12.0, 6.0, 17.0];
    let rho = spearman(&iq, &hours).expect("both vary");
    assert!((rho + 29.0 / 165.0).abs() < 1e-12, "{rho}");
    assert_eq!(spearman(&[1.0, 1.0], &[1.0, 2.0]), None);
}

#[test]
fn the_geometric_mean_of_two_and_eight_is_four() {
    assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
}
