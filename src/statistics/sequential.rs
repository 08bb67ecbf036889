//! Whether something happens often enough, decided in as few runs as possible; knows nothing of what is run.
//!
//! Wald's sequential probability ratio test ("Sequential tests of statistical hypotheses", Annals of Mathematical
//! Statistics 16, 1945): after each run, the ratio of how likely the runs so far are at the `high` rate to how likely they are
//! at the `low` one either passes one of two thresholds, or there is another run. No test with the same error probabilities
//! needs fewer runs on average at these two rates (Wald and Wolfowitz 1948).
//!
//! Three deviations, each for a reason:
//!
//! * **It ends.** Between the two rates Wald's test may go on for long. This one has a bound, where the number of failures
//!   decides.
//! * **What never fails goes sooner.** Most candidates that do not fail often enough do not fail at all. Half of the
//!   error probability `beta` is spent on turning those down after the first runs without a failure.
//! * **The errors are exact.** Wald's thresholds are approximations, and a bound adds errors. Both probabilities are
//!   therefore computed run by run (the "direct method" of Aroian, Technometrics 10, 1968), and the thresholds are
//!   moved apart until they hold.

use statrs::function::beta::beta_reg;

use super::Tally;

/// What a plan says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It happens often enough.
    Accept,
    /// It does not.
    Refuse,
}

/// Which hypotheses cannot be told apart.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// Rates out of order or out of range.
    #[error(
        "telling a rate of {high} from one of {low}; the lower has to be above 0, the higher above that and below 1"
    )]
    Rates {
        /// The lower one.
        low: f64,
        /// The higher one.
        high: f64,
    },
    /// Error probabilities out of range.
    #[error("allowing errors of {alpha} and {beta}; both have to be above 0 and at most {MOST}")]
    Errors {
        /// Of accepting.
        alpha: f64,
        /// Of refusing.
        beta: f64,
    },
    /// The rates are too near each other, or too small.
    #[error("telling a rate of {high} from one of {low} in fewer than {RUNS} runs")]
    TooMany {
        /// The lower one.
        low: f64,
        /// The higher one.
        high: f64,
    },
}

/// Above this, an error probability is none that anybody wants, and the two regions would overlap.
const MOST: f64 = 0.3;

/// Nobody waits for more.
const RUNS: u32 = 200_000;

/// When to go on and when to stop, for every number of runs.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    low: f64,
    high: f64,
    /// For n runs, at `n - 1`: failures from which on it is accepted. At the bound one more than in `refuse`.
    accept: Vec<u32>,
    /// Failures up to which it is refused, plus one; 0: never yet.
    refuse: Vec<u32>,
}

/// What a plan does when the true rate is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation {
    /// The probability that it accepts.
    pub accepts: f64,
    /// The number of runs that it takes on average.
    pub runs: f64,
}

impl Plan {
    /// A plan that accepts a rate of `low` or less with a probability of at most `alpha`, and refuses one of `high` or more
    /// with at most `beta`. Between the two it may do either.
    ///
    /// # Errors
    ///
    /// When there is no such plan, or none of reasonable length.
    pub fn new(low: f64, high: f64, alpha: f64, beta: f64) -> Result<Plan, PlanError> {
        let runs = fixed(low, high, alpha, beta)?;
        let mut inner = (alpha, beta / 2.0);
        let mut bound = runs;
        loop {
            let plan = Plan::wald(low, high, inner, beta / 2.0, bound);
            // The most failures at the bound that still are too few.
            let at_low = plan.walk(low);
            let at_high = plan.walk(high);
            let wrongly_accepted =
                |cut: usize| at_low.accepts + at_low.open[cut..].iter().sum::<f64>();
            let wrongly_refused =
                |cut: usize| at_high.refuses + at_high.open[..cut].iter().sum::<f64>();
            let cut = (0..=at_low.open.len()).find(|cut| wrongly_accepted(*cut) <= alpha);
            match cut {
                Some(cut) if wrongly_refused(cut) <= beta => {
                    return Ok(plan.ended_at(at_low.first + cut as u32));
                }
                Some(_) => inner.1 *= 0.95,
                None => inner.0 *= 0.95,
            }
            bound += bound.div_ceil(50);
            if bound > 2 * RUNS {
                return Err(PlanError::TooMany { low, high });
            }
        }
    }

    /// Wald's thresholds for `alpha` and `beta`; besides, refuses what has not failed once when that has a probability of
    /// `unseen` at the `high` rate.
    fn wald(low: f64, high: f64, (alpha, beta): (f64, f64), unseen: f64, bound: u32) -> Plan {
        let (upper, lower) = (((1.0 - beta) / alpha).ln(), (beta / (1.0 - alpha)).ln());
        let failure = (high / low).ln();
        let pass = ((1.0 - high) / (1.0 - low)).ln();
        let first = (unseen.ln() / (1.0 - high).ln()).ceil();
        let (mut accept, mut refuse) = (Vec::new(), Vec::new());
        for runs in (1..=bound).map(f64::from) {
            // failures · failure + (runs − failures) · pass, against either threshold.
            let from = ((upper - runs * pass) / (failure - pass)).ceil();
            let to = ((lower - runs * pass) / (failure - pass)).floor();
            // Casts keep to the type's limits: what is negative becomes 0.
            let to = (to + 1.0).max(if runs >= first { 1.0 } else { 0.0 }) as u32;
            accept.push((from as u32).max(to + 1));
            refuse.push(to);
        }
        Plan {
            low,
            high,
            accept,
            refuse,
        }
    }

    /// The same with a decision at the bound: accepted from `cut` failures on.
    fn ended_at(mut self, cut: u32) -> Plan {
        if let (Some(accept), Some(refuse)) = (self.accept.last_mut(), self.refuse.last_mut()) {
            (*accept, *refuse) = (cut, cut);
        }
        self
    }

    /// The rates that it tells apart: the lower, the higher.
    #[must_use]
    pub fn rates(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// The most runs that a decision takes.
    #[must_use]
    pub fn bound(&self) -> u32 {
        self.accept.len() as u32
    }

    /// The decision after so many runs, of which one fewer gave none; `None`: there has to be another run.
    #[must_use]
    pub fn decide(&self, tally: Tally) -> Option<Decision> {
        let at = tally.runs.min(self.bound()).checked_sub(1)? as usize;
        if tally.failures >= self.accept[at] {
            Some(Decision::Accept)
        } else if tally.failures < self.refuse[at] {
            Some(Decision::Refuse)
        } else {
            None
        }
    }

    /// What it does when the true rate is `rate`; exact.
    #[must_use]
    pub fn operation(&self, rate: f64) -> Operation {
        let walked = self.walk(rate);
        Operation {
            accepts: walked.accepts,
            runs: walked.runs,
        }
    }

    /// Follows the probabilities of each number of failures from run to run.
    fn walk(&self, rate: f64) -> Walked {
        let mut walked = Walked {
            first: 0,
            open: vec![1.0],
            accepts: 0.0,
            refuses: 0.0,
            runs: 0.0,
        };
        for (accept, refuse) in self.accept.iter().zip(&self.refuse) {
            walked.runs += walked.open.iter().sum::<f64>();
            let mut next = vec![0.0; walked.open.len() + 1];
            for (at, probability) in walked.open.iter().enumerate() {
                next[at] += probability * (1.0 - rate);
                next[at + 1] += probability * rate;
            }
            let failures = |at: usize| walked.first + at as u32;
            let refused = (0..next.len())
                .take_while(|at| failures(*at) < *refuse)
                .count();
            let open = (refused..next.len())
                .take_while(|at| failures(*at) < *accept)
                .count();
            walked.refuses += next[..refused].iter().sum::<f64>();
            walked.accepts += next[refused + open..].iter().sum::<f64>();
            walked.open = next[refused..refused + open].to_vec();
            walked.first += refused as u32;
            if walked.open.is_empty() {
                break;
            }
        }
        walked
    }
}

/// Where a plan stands when all its runs are made.
struct Walked {
    /// The number of failures that `open` begins with.
    first: u32,
    /// The probability of each number of failures without a decision.
    open: Vec<f64>,
    accepts: f64,
    refuses: f64,
    /// Runs on average.
    runs: f64,
}

/// The number of runs of the shortest plan with these rates and errors that always makes them all: what a sequential plan
/// is to be compared with.
///
/// # Errors
///
/// When there is none, or none of reasonable length.
pub fn fixed(low: f64, high: f64, alpha: f64, beta: f64) -> Result<u32, PlanError> {
    if !(low > 0.0 && low < high && high < 1.0) {
        return Err(PlanError::Rates { low, high });
    }
    if !(alpha > 0.0 && alpha <= MOST && beta > 0.0 && beta <= MOST) {
        return Err(PlanError::Errors { alpha, beta });
    }
    // The least number of failures that so few runs at the low rate have.
    let mut cut = 1;
    for runs in 1..=RUNS {
        while cut <= runs && at_least(cut, runs, low) > alpha {
            cut += 1;
        }
        if cut <= runs && 1.0 - at_least(cut, runs, high) <= beta {
            return Ok(runs);
        }
    }
    Err(PlanError::TooMany { low, high })
}

/// The probability of at least so many failures (one at least) in so many runs.
fn at_least(failures: u32, runs: u32, rate: f64) -> f64 {
    beta_reg(f64::from(failures), f64::from(runs - failures) + 1.0, rate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DECISIONS: u32 = 10_000;

    /// Decides about a coin so many times: how often it was accepted, how many runs there were, the most at once.
    fn simulated(plan: &Plan, rate: f64, seed: u64) -> (u32, u32, u32) {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut accepted, mut runs, mut most) = (0, 0, 0);
        for _ in 0..DECISIONS {
            let mut tally = Tally::default();
            let decision = loop {
                tally.add(random.f64() < rate);
                if let Some(decision) = plan.decide(tally) {
                    break decision;
                }
            };
            accepted += u32::from(decision == Decision::Accept);
            runs += tally.runs;
            most = most.max(tally.runs);
        }
        (accepted, runs, most)
    }

    /// Three standard deviations of a count with this probability.
    fn slack(probability: f64) -> f64 {
        3.0 * (f64::from(DECISIONS) * probability * (1.0 - probability)).sqrt()
    }

    #[test]
    fn ten_thousand_decisions_err_no_more_often_than_allowed() {
        for rate in [0.5, 0.1, 0.02] {
            for (alpha, beta) in [(0.05, 0.05), (0.01, 0.1)] {
                let plan = Plan::new(rate / 2.0, rate, alpha, beta).unwrap();
                let allowed = |errors: f64| errors * f64::from(DECISIONS) + slack(errors);
                let (accepted, _, most) = simulated(&plan, rate / 2.0, 1);
                assert!(f64::from(accepted) <= allowed(alpha), "{rate}: {accepted}");
                assert!(most <= plan.bound());
                let (accepted, _, _) = simulated(&plan, rate, 2);
                let refused = DECISIONS - accepted;
                assert!(f64::from(refused) <= allowed(beta), "{rate}: {refused}");
                let (accepted, ..) = simulated(&plan, 0.0, 3);
                assert_eq!(accepted, 0, "what never fails is never taken");
            }
        }
    }

    #[test]
    fn what_is_computed_is_what_is_simulated() {
        for rate in [0.5, 0.1, 0.02] {
            let plan = Plan::new(rate / 2.0, rate, 0.05, 0.05).unwrap();
            for (seed, part) in [(4, 0.3), (5, 0.5), (6, 0.75), (7, 1.0), (8, 1.5)] {
                let expected = plan.operation(rate * part);
                let (accepted, runs, _) = simulated(&plan, rate * part, seed);
                let expected_accepted = expected.accepts * f64::from(DECISIONS);
                let off = (f64::from(accepted) - expected_accepted).abs();
                assert!(
                    off <= slack(expected.accepts) + 1.0,
                    "{rate} {part}: {accepted}, {expected:?}"
                );
                let mean = f64::from(runs) / f64::from(DECISIONS);
                assert!(
                    (mean / expected.runs - 1.0).abs() < 0.05,
                    "{rate} {part}: {mean}, {expected:?}"
                );
            }
        }
    }

    #[test]
    fn fewer_runs_than_a_fixed_number_would_take() {
        for rate in [0.5, 0.1, 0.02] {
            let plan = Plan::new(rate / 2.0, rate, 0.05, 0.05).unwrap();
            let fixed = f64::from(fixed(rate / 2.0, rate, 0.05, 0.05).unwrap());
            assert!(plan.operation(0.0).runs * 4.0 < fixed, "{rate}");
            for part in [0.5, 1.0] {
                assert!(
                    plan.operation(rate * part).runs * 1.3 < fixed,
                    "{rate} {part}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_told_apart_is_refused() {
        let rates = |low, high| Plan::new(low, high, 0.05, 0.05).unwrap_err();
        assert!(matches!(rates(0.0, 0.5), PlanError::Rates { .. }));
        assert!(matches!(rates(0.5, 0.5), PlanError::Rates { .. }));
        assert!(matches!(rates(0.5, 1.0), PlanError::Rates { .. }));
        assert!(matches!(rates(0.5, 0.5001), PlanError::TooMany { .. }));
        assert!(matches!(
            Plan::new(0.1, 0.2, 0.0, 0.1).unwrap_err(),
            PlanError::Errors { .. }
        ));
        assert!(matches!(
            Plan::new(0.1, 0.2, 0.1, 0.9).unwrap_err(),
            PlanError::Errors { .. }
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn errors_hold_for_any_rates_beyond_the_two(
            low in 0.01_f64..0.6,
            factor in 1.3_f64..4.0,
            alpha in 0.005_f64..0.2,
            beta in 0.005_f64..0.2,
            beyond in 0.0_f64..1.0,
        ) {
            let high = (low * factor).min(0.97);
            let plan = Plan::new(low, high, alpha, beta).unwrap();
            let tiny = 1e-9;
            prop_assert!(plan.operation(low).accepts <= alpha + tiny);
            prop_assert!(plan.operation(low * beyond).accepts <= alpha + tiny);
            prop_assert!(plan.operation(high).accepts >= 1.0 - beta - tiny);
            prop_assert!(plan.operation(high + (1.0 - high) * beyond).accepts >= 1.0 - beta - tiny);
        }

        #[test]
        fn every_course_of_runs_ends_in_a_decision(fails in proptest::collection::vec(any::<bool>(), 600)) {
            let plan = Plan::new(0.2, 0.4, 0.05, 0.05).unwrap();
            let mut tally = Tally::default();
            let decided = fails.iter().cycle().take(plan.bound() as usize).any(|failed| {
                tally.add(*failed);
                plan.decide(tally).is_some()
            });
            prop_assert!(decided);
        }
    }
}
