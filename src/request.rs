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
    /// Files that parse need not do so in candidates.
    pub broken_syntax: bool,
}

#[cfg(test)]
impl Request {
    /// For a crash of the compiler, by `search`; the rest as it is without a flag.
    pub fn of_an_ice(search: SearchRequest) -> Request {
        Request {
            property: PropertyRequest::Ice(IceSelection::default()),
            cargo: CargoSelection::default(),
            output: None,
            jobs: 1,
            seed: 0,
            time_limit: None,
            trial_timeout: None,
            search,
            keep: Vec::new(),
            only: Vec::new(),
            resume: false,
            broken_syntax: false,
        }
    }
}

/// The predicate, as asked for.
#[derive(Debug, Clone)]
pub enum PropertyRequest {
    /// A failing test.
    Test(TestSelection),
    /// What a compiler, or a tool that is built on it, does with the code: a crash, most of all.
    Ice(IceSelection),
    /// The user's own: a program that says by its exit code whether a candidate is interesting.
    Script(ScriptSelection),
}

/// Which test fails, or which program that is none.
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
    /// The filter, if it stands before `--`: the first argument of a program that is no test harness.
    pub front_filter: Option<String>,
    /// What follows `--`, as it was given: the other arguments of such a program.
    pub arguments: Vec<String>,
    /// A second filter among them, which means something to such a program alone.
    pub second_filter: Option<String>,
    /// The test fails only sometimes.
    pub flaky: Option<FlakySelection>,
    /// How alike a candidate's failure has to be.
    pub matching: TestMatch,
    /// How much is reduced.
    pub scope: TestScope,
    /// What has to hold besides.
    pub guarding: Guarding,
}

/// How much of what is compiled for a test is reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TestScope {
    /// The test's own code.
    Test,
    /// All targets of the package; other crates stay as they are.
    Package,
    /// All crates of the workspace, and path dependencies outside of it.
    #[default]
    Workspace,
}

/// How alike two failures of a test have to be to count as the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TestMatch {
    /// Same place, and the same message up to what differs from run to run.
    #[default]
    Location,
    /// Same message up to what differs from run to run.
    Message,
    /// Same place, and the very same message.
    Exact,
    /// Any failure.
    Any,
}

/// What keeps the bug in what fails.
#[derive(Debug, Clone, Default)]
pub struct Guarding {
    /// Names of tests of the same target that have to pass.
    pub named: Vec<String>,
    /// Whether further ones are chosen; `None`: if the failure is in test code.
    pub automatic: Option<bool>,
    /// A version of the code under test in which the test passes: a directory, a version of the package in the
    /// registry, or a git revision.
    pub good: Option<String>,
}

/// How a test that fails only sometimes is dealt with.
#[derive(Debug, Clone, PartialEq)]
pub struct FlakySelection {
    /// The least failure rate of a candidate, above 0 and at most 1; `None`: half of the original's.
    pub min_rate: Option<f64>,
    /// Which failure is kept if there are several: the most frequent one whose title this regular expression finds.
    pub failure: Option<String>,
    /// How likely a candidate may be taken that fails no more often than that.
    pub alpha: f64,
    /// How likely a candidate may be refused that fails as often as the original; `None`: as little as costs few runs.
    pub beta: Option<f64>,
    /// What makes it fail more often; `None`: what helps is to be found out if it fails rarely.
    pub stress: Option<Stress>,
}

/// Where what fails lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestTarget {
    /// `--test NAME`: the integration test target NAME or, if there is none, the test function NAME in any target.
    Test(String),
    /// `--lib`
    Lib,
    /// `--bin NAME`: with a filter its unit tests, with arguments after `--` the program itself; with neither its unit
    /// tests if one of them fails, else the program.
    Bin(String),
    /// `--example NAME`: with a filter the tests in the example, else the program.
    Example(String),
    /// `--bench NAME`: run as `cargo test` runs it.
    Bench(String),
    /// `--doc`
    Doc,
    /// No target was named: the test function given as the filter, in any target.
    Any,
}

/// What has to show when a tool works on the code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sought {
    /// `--ice`: it crashes.
    #[default]
    Crash,
    /// `--hang`: it takes far too long, or never ends.
    Hang,
    /// `--error CODE`: it reports an error with this code (`E0277`).
    Error(String),
    /// `--stderr REGEX`: it prints something that matches.
    Stderr(String),
}

/// What works on the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tool {
    /// The compiler.
    #[default]
    Rustc,
    /// rustdoc; `cargo doc` for a package.
    Rustdoc,
    /// clippy-driver; `cargo clippy` for a package.
    Clippy,
    /// rustfmt, on a file.
    Rustfmt,
    /// miri; `cargo miri test` for a package.
    Miri,
}

/// Another toolchain, with which the failure must not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contrast {
    /// Its name, as after a `+`; `None` is the one that is used without any.
    pub toolchain: Option<String>,
    /// The code has to compile with it.
    pub compiles: bool,
    /// If the failure shows with this one and not with the one in use, the two change places.
    pub either: bool,
}

/// `--script`: which program judges, and on what.
#[derive(Debug, Clone)]
pub struct ScriptSelection {
    /// The program. Exit code 0 means that what lies in its working directory is interesting.
    pub script: PathBuf,
    /// The single file, which the program gets as its only argument; `None` means the selected package.
    pub file: Option<PathBuf>,
}

/// Which crash, or which other thing that a tool shows.
#[derive(Debug, Clone, Default)]
pub struct IceSelection {
    /// What has to show.
    pub sought: Sought,
    /// What it shows with.
    pub tool: Tool,
    /// Other toolchains, with which it must not show.
    pub contrasts: Vec<Contrast>,
    /// Address space that the tool may take, in bytes; to need more is a crash.
    pub memory_limit: Option<u64>,
    /// How many queries of the stack have to be the same, innermost first.
    pub query_depth: usize,
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
    /// For a crash `none` if the original has none, else `any`; for `--error` and `--stderr`, `same`.
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
#[derive(Debug, Clone, Default)]
pub struct SearchRequest {
    /// The minimizer and its settings, the one-minimal pass among them.
    pub minimizer: crate::minimize::Settings,
    /// Which lists are made from the syntax trees, and in which order they are searched.
    pub traversal: crate::passes::Traversal,
    /// Names of passes to run (`NAME`) or to leave out (`-NAME`); empty means all.
    pub passes: Vec<String>,
    /// Put modules and libraries into the file of the target that shows the failure, once they are small.
    pub flatten: bool,
    /// Once nothing more goes, put the code of dependencies from a registry or a repository into a package that still needs them.
    pub inline_deps: bool,
    /// Give what is left the names of an example: `A`, `f`, `x`.
    pub rename: bool,
}
