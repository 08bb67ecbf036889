//! Which algorithm, and how it is set. Knows nothing of how a setting is spelt on the command line
//! beyond its names.

use std::fmt;
use std::str::FromStr;

/// Where an element starts if its kind says nothing: the value of Wang et al., section 5.1.
pub const DEFAULT_INITIAL_PROBABILITY: f64 = 0.1;

/// A minimizer's settings. An algorithm takes those that concern it and leaves the others alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Which search.
    pub algorithm: Algorithm,
    /// ddmin: into how many parts a list is split first, and each part later (Kiss 2020).
    pub split_factor: SplitFactor,
    /// ddmin: whether each part is tried alone before the list is tried without it.
    pub subset_tests: bool,
    /// ddmin and onemin: the order in which parts are left out.
    pub complement_order: ComplementOrder,
    /// The probabilistic algorithms: where each element starts.
    pub initial_probability: InitialProbability,
    /// Follow the algorithm by the one-minimal pass.
    pub one_minimal: bool,
    /// Try the list without any of its elements before anything else.
    pub try_all_first: bool,
    /// ProbDD: shuffle elements of equal probability, with this seed. ActiveCoarsen, which is
    /// random by nature, takes the seed too (0 if there is none). The others use no randomness.
    pub shuffle: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            algorithm: Algorithm::WProbDd,
            split_factor: SplitFactor::default(),
            subset_tests: true,
            complement_order: ComplementOrder::Forward,
            initial_probability: InitialProbability::ByKind,
            one_minimal: true,
            try_all_first: true,
            shuffle: None,
        }
    }
}

/// A value that a setting does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {setting} `{value}`: expected {expected}")]
pub struct InvalidSetting {
    setting: &'static str,
    value: String,
    expected: &'static str,
}

/// Which search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Weighted ProbDD (Zhou et al. 2025, Algorithm 2).
    #[default]
    WProbDd,
    /// Probabilistic delta debugging (Wang et al. 2021).
    ProbDd,
    /// Counter-based delta debugging (Zhang et al. 2025, Algorithm 2).
    Cdd,
    /// Weighted ddmin (Zhou et al. 2025, Algorithm 1).
    WDdmin,
    /// Minimizing delta debugging with a split factor (Kiss 2020, Algorithm 3).
    Ddmin,
    /// One element at a time (Kiss 2020, Algorithm 2).
    OneMin,
    /// Random samples (Liang, Tripp and Naik 2011), for comparison.
    ActiveCoarsen,
}

impl Algorithm {
    /// Every algorithm, the default first.
    pub const ALL: [Self; 7] = [
        Self::WProbDd,
        Self::ProbDd,
        Self::Cdd,
        Self::WDdmin,
        Self::Ddmin,
        Self::OneMin,
        Self::ActiveCoarsen,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::WProbDd => "wprobdd",
            Self::ProbDd => "probdd",
            Self::Cdd => "cdd",
            Self::WDdmin => "wddmin",
            Self::Ddmin => "ddmin",
            Self::OneMin => "onemin",
            Self::ActiveCoarsen => "activecoarsen",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == text)
            .ok_or_else(|| InvalidSetting {
                setting: "algorithm",
                value: text.to_owned(),
                expected: "wprobdd, probdd, cdd, wddmin, ddmin, onemin or activecoarsen",
            })
    }
}

/// Into how many parts ddmin splits: ν of Kiss 2020. 2 is Zeller and Hildebrandt's ddmin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SplitFactor {
    /// This many parts, at least 2 (a smaller number counts as 2).
    Parts(usize),
    /// One element each, from the start.
    Infinite,
}

impl Default for SplitFactor {
    fn default() -> Self {
        Self::Parts(2)
    }
}

impl fmt::Display for SplitFactor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts(parts) => write!(f, "{parts}"),
            Self::Infinite => f.write_str("inf"),
        }
    }
}

impl FromStr for SplitFactor {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        match text.parse() {
            Ok(parts) if parts >= 2 => Ok(Self::Parts(parts)),
            _ if text == "inf" => Ok(Self::Infinite),
            _ => Err(InvalidSetting {
                setting: "split factor",
                value: text.to_owned(),
                expected: "a whole number of at least 2, or inf",
            }),
        }
    }
}

/// The order in which parts of a list are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ComplementOrder {
    /// First part first.
    #[default]
    Forward,
    /// Last part first: uses before definitions.
    Backward,
}

impl fmt::Display for ComplementOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
        })
    }
}

impl FromStr for ComplementOrder {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        match text {
            "forward" => Ok(Self::Forward),
            "backward" => Ok(Self::Backward),
            _ => Err(InvalidSetting {
                setting: "complement order",
                value: text.to_owned(),
                expected: "forward or backward",
            }),
        }
    }
}

/// Where the probability that an element is needed starts: p₀, or σ, in the papers.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum InitialProbability {
    /// At the element's own prior, or at [`DEFAULT_INITIAL_PROBABILITY`] if it has none.
    #[default]
    ByKind,
    /// At this value for every element, whatever its prior.
    Same(f64),
}

impl InitialProbability {
    /// Priors are learned rates and may be 0 or 1; the model needs room on both sides: at 0 the
    /// update divides 0 by 0, at 1 an element would never be tried.
    const OPEN: std::ops::RangeInclusive<f64> = 1e-6..=1.0 - 1e-6;

    /// The starting value for an element with this prior, strictly between 0 and 1.
    pub fn of(self, prior: Option<f64>) -> f64 {
        let p = match self {
            Self::ByKind => prior.unwrap_or(DEFAULT_INITIAL_PROBABILITY),
            Self::Same(p) => p,
        };
        if p.is_nan() {
            return DEFAULT_INITIAL_PROBABILITY;
        }
        p.clamp(*Self::OPEN.start(), *Self::OPEN.end())
    }
}

impl fmt::Display for InitialProbability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByKind => f.write_str("by-kind"),
            Self::Same(p) => write!(f, "{p}"),
        }
    }
}

impl FromStr for InitialProbability {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        match text.parse::<f64>() {
            Ok(p) if p > 0.0 && p < 1.0 => Ok(Self::Same(p)),
            _ if text == "by-kind" => Ok(Self::ByKind),
            _ => Err(InvalidSetting {
                setting: "initial probability",
                value: text.to_owned(),
                expected: "a number between 0 and 1, both excluded, or by-kind",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back_to_what_it_names() {
        for algorithm in Algorithm::ALL {
            assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        }
        for factor in [
            SplitFactor::Parts(2),
            SplitFactor::Parts(55),
            SplitFactor::Infinite,
        ] {
            assert_eq!(factor.to_string().parse(), Ok(factor));
        }
        for order in [ComplementOrder::Forward, ComplementOrder::Backward] {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        for start in [InitialProbability::ByKind, InitialProbability::Same(0.25)] {
            assert_eq!(start.to_string().parse(), Ok(start));
        }
    }

    #[test]
    fn a_wrong_value_is_refused_with_what_was_expected() {
        let message = |result: Result<(), InvalidSetting>| result.unwrap_err().to_string();
        assert_eq!(
            message("1".parse::<SplitFactor>().map(drop)),
            "unknown split factor `1`: expected a whole number of at least 2, or inf"
        );
        assert_eq!(
            message("1.0".parse::<InitialProbability>().map(drop)),
            "unknown initial probability `1.0`: expected a number between 0 and 1, both excluded, or by-kind"
        );
        assert!("NaN".parse::<InitialProbability>().is_err());
        // An algorithm added without its name in the message would leave the user guessing.
        let error = "ddmim".parse::<Algorithm>().unwrap_err().to_string();
        for algorithm in Algorithm::ALL {
            assert!(error.contains(algorithm.name()), "{error}");
        }
    }

    #[test]
    fn a_prior_counts_by_kind_only_and_never_reaches_certainty() {
        assert_eq!(InitialProbability::ByKind.of(Some(0.4)), 0.4);
        assert_eq!(
            InitialProbability::ByKind.of(None),
            DEFAULT_INITIAL_PROBABILITY
        );
        assert_eq!(InitialProbability::Same(0.2).of(Some(0.4)), 0.2);
        for certain in [0.0, 1.0, -3.0, f64::INFINITY, f64::NAN] {
            let p = InitialProbability::ByKind.of(Some(certain));
            assert!(p > 0.0 && p < 1.0, "{certain} gave {p}");
        }
    }
}
