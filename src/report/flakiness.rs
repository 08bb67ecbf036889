//! How often a flaky test fails, before and after, as reports say it; computes nothing but what to do with that.

use std::time::Duration;

use serde::Serialize;

use super::wording::{count, number, time};
use crate::statistics::{Tally, runs_to_see};

/// Of an interval, and of seeing the failure.
const CONFIDENCE: f64 = 0.95;
const SEEN: f64 = 0.99;

/// How often a flaky test fails.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flakiness {
    /// The original.
    pub before: Rate,
    /// The result, in fresh runs; `None` when the time for them was not there.
    pub after: Option<Rate>,
    /// The least rate that was asked for.
    pub min_rate: f64,
    /// Whether the result fails at least so often with the confidence of its interval, or better.
    pub confirmed: bool,
    /// The probability of taking what fails no more often than `min_rate`, for each candidate.
    pub alpha: f64,
    /// The probability of refusing what fails as often as the original, for each candidate.
    pub beta: f64,
    /// All runs of the test in this reduction.
    pub runs_spent: usize,
    /// The failures seen on the original, most frequent first; the first is the one that was kept.
    pub signatures: Vec<SeenFailure>,
    /// What was done to make it fail more often, as `--stress` takes it; `none`: nothing.
    pub stress: String,
    /// What is known about the cause.
    pub findings: Vec<String>,
    /// A shell command, to be run in `directory`, that shows the failure with a probability of 99 %.
    pub loop_command: String,
    /// The most runs that it makes.
    pub loop_runs: u32,
    /// How long it takes on average until it shows, in seconds.
    pub loop_seconds: f64,
}

/// A failure rate, as it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Rate {
    /// Runs.
    pub runs: u32,
    /// Runs that failed.
    pub failures: u32,
    /// Their share.
    pub rate: f64,
    /// The limits of the exact (Clopper–Pearson) 95 % interval.
    pub low: f64,
    /// The upper one.
    pub high: f64,
}

/// A failure and how often it was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SeenFailure {
    /// What it looks like.
    pub signature: String,
    /// Runs that showed it.
    pub runs: u32,
}

impl From<Tally> for Rate {
    fn from(tally: Tally) -> Rate {
        let interval = tally.interval(CONFIDENCE);
        Rate {
            runs: tally.runs,
            failures: tally.failures,
            rate: tally.rate(),
            low: interval.low,
            high: interval.high,
        }
    }
}

impl Rate {
    /// `17 % (14–20 %), 100 of 600 runs`
    #[must_use]
    pub fn in_words(&self) -> String {
        format!(
            "{} ({}–{}), {} of {}",
            share(self.rate),
            share(self.low).trim_end_matches(" %"),
            share(self.high),
            number(self.failures as usize),
            count(self.runs as usize, "run"),
        )
    }
}

impl Flakiness {
    /// A loop around `call`, a shell command that fails when the test does, for a test that fails at `rate`; each call takes
    /// `each`. The command, the most runs, and the seconds until it shows on average.
    #[must_use]
    pub fn loop_around(call: &str, rate: Rate, each: Duration) -> (String, u32, f64) {
        // The lower limit: the promise is to hold though the rate is known only so well.
        let runs = runs_to_see(rate.low, SEEN);
        let command = if runs == u32::MAX {
            format!("while {call}; do :; done")
        } else {
            format!("for run in $(seq {runs}); do {call} || break; done")
        };
        // An infinite number is none in JSON.
        let seconds = (each.as_secs_f64() / rate.rate.max(1e-6) * 1000.0).round() / 1000.0;
        (command, runs, seconds)
    }

    /// `50 % before (43–57 %), 48 % after (41–55 %)`
    pub(super) fn in_short(&self) -> String {
        let side = |rate: &Rate| {
            let low = share(rate.low);
            format!(
                "{} ({}–{})",
                share(rate.rate),
                low.trim_end_matches(" %"),
                share(rate.high)
            )
        };
        let mut text = format!("{} of runs before", side(&self.before));
        if let Some(after) = &self.after {
            text.push_str(&format!(", {} after", side(after)));
        }
        text.push_str(&format!("; {} in all", count(self.runs_spent, "run")));
        text
    }

    /// What Markdown says of it, a list.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("* Before: {}", self.before.in_words())];
        match &self.after {
            Some(after) => lines.push(format!(
                "* After: {}, fresh ones; at least {} {} with {} confidence",
                after.in_words(),
                share(self.min_rate),
                if self.confirmed {
                    "confirmed"
                } else {
                    "not confirmed"
                },
                share(CONFIDENCE),
            )),
            None => lines.push("* After: there was no time to measure it".to_owned()),
        }
        lines.push(format!(
            "* Runs spent: {} (alpha {}, beta {})",
            number(self.runs_spent),
            self.alpha,
            self.beta
        ));
        if self.stress != "none" {
            lines.push(format!(
                "* Made to fail more often by `--stress {}`",
                self.stress
            ));
        }
        for (at, seen) in self.signatures.iter().enumerate() {
            let role = if at == 0 { "kept" } else { "also seen" };
            let runs = count(seen.runs as usize, "run");
            lines.push(format!(
                "* Failure {role}, {runs} of the original: {}",
                seen.signature
            ));
        }
        lines.extend(self.findings.iter().map(|finding| format!("* {finding}")));
        lines
    }

    /// What introduces the loop.
    pub(super) fn loop_words(&self) -> String {
        format!(
            "This shows it with a probability of 99 %, in {} on average",
            time(Duration::try_from_secs_f64(self.loop_seconds).unwrap_or(Duration::MAX))
        )
    }
}

/// A rate in per cent, with as many digits as it deserves.
#[must_use]
pub fn share(rate: f64) -> String {
    let percent = rate * 100.0;
    if percent == 0.0 || percent >= 9.95 {
        format!("{percent:.0} %")
    } else if percent >= 0.995 {
        format!("{percent:.1} %")
    } else {
        format!("{percent:.2} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(failures: u32, runs: u32) -> Rate {
        Tally { runs, failures }.into()
    }

    #[test]
    fn the_loop_promises_by_the_lower_limit() {
        let (command, runs, seconds) = Flakiness::loop_around(
            "cargo test --test t",
            rate(50, 100),
            Duration::from_millis(100),
        );
        // 0.398 at least: ln 0.01 / ln 0.602.
        assert_eq!(runs, 10);
        assert_eq!(
            command,
            "for run in $(seq 10); do cargo test --test t || break; done"
        );
        assert!((seconds - 0.2).abs() < 1e-9);
    }

    #[test]
    fn what_was_not_seen_is_looped_for_ever() {
        let (command, ..) = Flakiness::loop_around("t", rate(0, 10), Duration::from_millis(1));
        assert_eq!(command, "while t; do :; done");
    }

    #[test]
    fn rates_are_told_with_their_limits() {
        assert_eq!(rate(100, 600).in_words(), "17 % (14–20 %), 100 of 600 runs");
        assert_eq!(
            rate(2, 1000).in_words(),
            "0.20 % (0.02–0.72 %), 2 of 1,000 runs"
        );
    }
}
