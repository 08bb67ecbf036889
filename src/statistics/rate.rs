//! How often something happens: counts and exact intervals; decides nothing.

use statrs::function::beta::inv_beta_reg;

/// Runs, and how many of them failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// All runs.
    pub runs: u32,
    /// Those that failed, at most all.
    pub failures: u32,
}

/// Where a rate lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// No less than this.
    pub low: f64,
    /// No more than this.
    pub high: f64,
}

impl Tally {
    /// Counts one more run.
    pub fn add(&mut self, failed: bool) {
        self.runs += 1;
        self.failures += u32::from(failed);
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Tally) -> Tally {
        Tally {
            runs: self.runs + other.runs,
            failures: self.failures + other.failures,
        }
    }

    /// The share of runs that failed; 0 of no runs.
    #[must_use]
    pub fn rate(self) -> f64 {
        if self.runs == 0 {
            0.0
        } else {
            f64::from(self.failures) / f64::from(self.runs)
        }
    }

    /// The interval that holds the true rate with at least this `confidence` (between 0 and 1), as long as the number of
    /// runs was not chosen by what they showed: Clopper and Pearson, "The use of confidence or fiducial limits illustrated
    /// in the case of the binomial", Biometrika 26 (1934), by the quantiles of the beta distribution. Exact, and so a
    /// little wide: with few failures, approximations are too narrow.
    #[must_use]
    pub fn interval(self, confidence: f64) -> Interval {
        let outside = (1.0 - confidence) / 2.0;
        Interval {
            low: self.at_least(1.0 - outside),
            high: self.at_most(1.0 - outside),
        }
    }

    /// The lower limit alone, on the same terms.
    #[must_use]
    pub fn at_least(self, confidence: f64) -> f64 {
        if self.failures == 0 {
            return 0.0;
        }
        let (failures, passes) = self.split();
        inv_beta_reg(failures, passes + 1.0, 1.0 - confidence)
    }

    /// The upper limit alone, on the same terms.
    #[must_use]
    pub fn at_most(self, confidence: f64) -> f64 {
        if self.failures == self.runs {
            return 1.0;
        }
        let (failures, passes) = self.split();
        inv_beta_reg(failures + 1.0, passes, confidence)
    }

    fn split(self) -> (f64, f64) {
        (
            f64::from(self.failures),
            f64::from(self.runs - self.failures),
        )
    }
}

/// How many runs show at least one failure with this `probability`, when each fails at `rate`; both between 0 and 1. At
/// least one, and `u32::MAX` where no number is enough.
#[must_use]
pub fn runs_to_see(rate: f64, probability: f64) -> u32 {
    let runs = ((1.0 - probability).ln() / (1.0 - rate).ln()).abs().ceil();
    // A rate of 1 makes it 0, one of 0 infinite; the cast keeps to the type's limits.
    (runs as u32).max(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use statrs::function::beta::beta_reg;

    use super::*;

    fn tally(failures: u32, runs: u32) -> Tally {
        Tally { runs, failures }
    }

    #[test]
    fn the_limits_are_those_of_published_tables() {
        // 5 of 20 at 95 %, and the "rule of three" for none of 100 (one-sided).
        let Interval { low, high } = tally(5, 20).interval(0.95);
        assert!((low - 0.0866).abs() < 1e-4, "{low}");
        assert!((high - 0.4910).abs() < 1e-4, "{high}");
        let most = tally(0, 100).at_most(0.95);
        assert!((most - 0.0295).abs() < 1e-4, "{most}");
    }

    #[test]
    fn what_never_or_always_failed_has_one_limit_only() {
        assert_eq!(tally(0, 30).interval(0.95).low, 0.0);
        assert_eq!(tally(30, 30).interval(0.95).high, 1.0);
        assert_eq!(tally(0, 0).interval(0.95).high, 1.0);
    }

    #[test]
    fn so_many_runs_show_it() {
        assert_eq!(runs_to_see(0.5, 0.99), 7);
        assert_eq!(runs_to_see(0.02, 0.99), 228);
        assert_eq!(runs_to_see(1.0, 0.99), 1);
        assert_eq!(runs_to_see(0.0, 0.99), u32::MAX);
    }

    #[test]
    fn the_true_rate_lies_inside_as_often_as_was_promised() {
        for rate in [0.5, 0.1, 0.02] {
            let mut random = fastrand::Rng::with_seed(11);
            let inside = (0..10_000)
                .filter(|_| {
                    let failures = (0..100).filter(|_| random.f64() < rate).count();
                    let Interval { low, high } = tally(failures as u32, 100).interval(0.95);
                    low <= rate && rate <= high
                })
                .count();
            assert!(inside >= 9_500, "{rate}: {inside}");
        }
    }

    proptest! {
        #[test]
        fn beyond_each_limit_lies_what_was_left_out(failures in 1_u32..400, passes in 1_u32..4000) {
            let tally = tally(failures, failures + passes);
            let Interval { low, high } = tally.interval(0.9);
            prop_assert!(low < tally.rate() && tally.rate() < high);
            let (failures, passes) = tally.split();
            prop_assert!((beta_reg(failures, passes + 1.0, low) - 0.05).abs() < 1e-6);
            prop_assert!((beta_reg(failures + 1.0, passes, high) - 0.95).abs() < 1e-6);
        }
    }
}
