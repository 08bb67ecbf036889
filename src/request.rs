//! What the user asked for, free of how it was spelt on the command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::property::flaky::Stress;

/// One reduction, as asked for.
#[derive(Debug, Clone)]
pub struct Request {
    /// What has to stay true.
    pub property: PropertyRequest,
    /// Which package, and how cargo is to build it.
    pub cargo: CargoSelection,
    /// Where the result goes; `None` means `target/cargo-reduce/<name>/`.
    pub output: Option<PathBuf>,
    /// Trials run at the same time. Never changes the result.
    pub jobs: usize,
    /// Seed of everything that is random.
    pub seed: u64,
    /// Stop with the best so far after this much wall time.
    pub time_limit: Option<Duration>,
    /// Limit of one trial; `None` derives it from the baseline.
    pub trial_timeout: Option<Duration>,
    /// The search and its settings.
    pub search: SearchRequest,
    /// Files (globs relative to the package or workspace root) that stay as they are.
    pub keep: Vec<String>,
    /// If not empty, only files that match one of these are reduced.
    pub only: Vec<String>,
    /// Go on from the journal in the output directory.
    pub resume: bool,
}

/// The predicate, as asked for.
#[derive(Debug, Clone)]
pub enum PropertyRequest {
    /// A failing test.
    Test(TestSelection),
    /// A compiler crash.
    Ice(IceSelection),
}

/// Which test fails.
#[derive(Debug, Clone)]
pub struct TestSelection {
    /// Where the test lives.
    pub target: TestTarget,
    /// The test's name or a part of it, as `cargo test` takes it; `None` when the target has one failing test.
    pub filter: Option<String>,
    /// `--exact` was given for the filter.
    pub exact: bool,
    /// Arguments for the test binary, after the filter: those after `--` apart from filters and `--exact`, in their order.
    pub harness_arguments: Vec<String>,
    /// The test fails only sometimes.
    pub flaky: Option<FlakySelection>,
}

/// How a test that fails only sometimes is dealt with.
#[derive(Debug, Clone, PartialEq)]
pub struct FlakySelection {
    /// The least failure rate of a candidate, above 0 and at most 1; `None`: half of the original's.
    pub min_rate: Option<f64>,
    /// How likely a candidate may be taken that fails no more often than that.
    pub alpha: f64,
    /// How likely a candidate may be refused that fails as often as the original.
    pub beta: f64,
    /// What makes it fail more often; `None`: what helps is to be found out.
    pub stress: Option<Stress>,
}

/// Where a test lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestTarget {
    /// `--test NAME`: the integration test target NAME or, if there is none, the test function NAME in any target.
    Test(String),
    /// `--lib`
    Lib,
    /// `--bin NAME`
    Bin(String),
    /// No target was named: the test function given as the filter, in any target.
    Any,
}

/// Which crash.
#[derive(Debug, Clone)]
pub struct IceSelection {
    /// The single file; `None` means the selected package.
    pub file: Option<PathBuf>,
    /// `--edition`, for a single file.
    pub edition: Option<String>,
    /// Arguments after `--`: cargo's for a package, rustc's for a file. Cargo's may begin with a command (`build`); if they
    /// do not, they go with every command that is tried. `--lib`, `--test NAME` and `--bin NAME` given before `--` come last.
    pub arguments: Vec<String>,
    /// How alike a candidate's crash has to be.
    pub matching: IceMatch,
    /// Which compile errors candidates may have.
    pub errors: ErrorPolicy,
}

/// How alike two crashes have to be to count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IceMatch {
    /// Same place in the compiler, and the same message up to names, types and spans.
    #[default]
    Location,
    /// Same message up to names, types and spans.
    Message,
    /// Same place and the very same message.
    Exact,
    /// Any crash.
    Any,
}

/// Which compile errors a candidate of an ICE may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ErrorPolicy {
    /// `none` if the original has none, else `any`.
    #[default]
    Auto,
    /// Only error codes that the original has too.
    Same,
    /// Any.
    Any,
    /// None at all.
    None,
}

/// Cargo's own selection flags.
#[derive(Debug, Clone, Default)]
pub struct CargoSelection {
    /// `+toolchain`
    pub toolchain: Option<String>,
    /// `--manifest-path`
    pub manifest_path: Option<PathBuf>,
    /// `-p`
    pub packages: Vec<String>,
    /// `--features`
    pub features: Vec<String>,
    /// `--no-default-features`
    pub no_default_features: bool,
    /// `--all-features`
    pub all_features: bool,
    /// `--profile`; `--release` is the profile `release`.
    pub profile: Option<String>,
    /// `--target`
    pub target: Option<String>,
    /// `--offline`
    pub offline: bool,
    /// `--locked`
    pub locked: bool,
}

/// The search and its settings.
#[derive(Debug, Clone)]
pub struct SearchRequest {
    /// The minimizer and its settings, the one-minimal pass among them.
    pub minimizer: crate::minimize::Settings,
    /// Names of passes to run (`NAME`) or to leave out (`-NAME`); empty means all.
    pub passes: Vec<String>,
}
