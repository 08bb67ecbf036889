//! The command line as clap sees it: flags, their help and what excludes what; gives them no meaning.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgGroup, Parser, ValueEnum};

use crate::minimize::{Algorithm, ComplementOrder, InitialProbability, SplitFactor};
use crate::passes::Traversal;
use crate::property::flaky::Stress;

const PROPERTY: &str = "What fails";
const FLAKY: &str = "With --flaky";
const CARGO: &str = "Package and build, as cargo takes them";
const LIMITS: &str = "Result and limits";
const SCOPE: &str = "What is reduced";
const SEARCH: &str = "Search";
const DISPLAY: &str = "Display";

/// Shrink a failing test or a compiler crash to the smallest crate that still shows it.
///
/// The package is copied; nothing is written outside the output directory. The result is in `reduced/` there, and the
/// command you reduced with still shows the failure in it.
#[derive(Debug, Parser)]
#[command(
    name = "cargo-reduce",
    bin_name = "cargo reduce",
    version,
    max_term_width = 100,
    arg_required_else_help = true,
    disable_help_flag = true,
    disable_version_flag = true,
    override_usage = "cargo reduce --test NAME [FILTER] [OPTIONS] [-- TEST ARGS]\n       \
                      cargo reduce --lib | --bin NAME | --bench NAME | --doc [FILTER] [OPTIONS] [-- TEST ARGS]\n       \
                      cargo reduce --bin NAME | --example NAME [OPTIONS] [-- PROGRAM ARGS]\n       \
                      cargo reduce TEST_FUNCTION [OPTIONS]\n       \
                      cargo reduce --ice [-p PACKAGE] [OPTIONS] [-- CARGO ARGS]\n       \
                      cargo reduce --ice FILE.rs... [--edition EDITION] [OPTIONS] [-- RUSTC ARGS]\n       \
                      cargo reduce --error CODE | --stderr REGEX | --hang | --script PATH [FILE.rs...]",
    after_help = AFTER_HELP,
    group = ArgGroup::new("property").args(["test", "lib", "bin", "example", "bench", "doc", "ice", "hang", "error", "stderr", "script", "filter"]).multiple(true).required(true),
    group = ArgGroup::new("tool-output").args(["ice", "hang", "error", "stderr"]).multiple(true),
    group = ArgGroup::new("own").args(["error", "stderr", "script", "flaky"]).multiple(false),
    group = ArgGroup::new("target-of-test").args(["test", "lib", "bin", "example", "bench", "doc"]).multiple(false),
)]
pub(super) struct Arguments {
    /// The test's name, or a part of it, as `cargo test` takes it; alone, a test function anywhere in the package.
    ///
    /// After `--ice`, `--hang`, `--error`, `--stderr` and `--script`, the file or files.
    #[arg(value_name = "FILTER")]
    pub filter: Vec<String>,

    /// The failing test is in the integration test NAME; if there is none of that name, it is the test function NAME.
    ///
    /// Without a test harness (`harness = false`), the program itself fails: FILTER and what follows `--` are its arguments.
    #[arg(long, value_name = "NAME", help_heading = PROPERTY)]
    pub test: Option<String>,

    /// The failing test is a unit test of the library.
    #[arg(long, help_heading = PROPERTY)]
    pub lib: bool,

    /// The binary NAME fails when it is run, with the arguments after `--`; with a FILTER, a unit test of it.
    ///
    /// Without either, one of its unit tests, or else the program.
    #[arg(long, value_name = "NAME", help_heading = PROPERTY)]
    pub bin: Option<String>,

    /// The example NAME fails when it is run, with the arguments after `--`; with a FILTER, a test in it.
    #[arg(long, value_name = "NAME", help_heading = PROPERTY)]
    pub example: Option<String>,

    /// The failing test is in the benchmark NAME, run as `cargo test` runs it; without a test harness, as for `--test`.
    #[arg(long, value_name = "NAME", help_heading = PROPERTY)]
    pub bench: Option<String>,

    /// The failing test is a doc test of the library. An integration test is made of it, and reduced.
    #[arg(long, conflicts_with = "tool-output", help_heading = PROPERTY)]
    pub doc: bool,

    /// The compiler crashes: on this file alone, or on the selected package.
    ///
    /// Several files are reduced one after the other, each to a directory of its own, with a table at the end. For a package, `cargo check`, then `cargo build`, then `cargo test --no-run` are tried, unless `-- CARGO ARGS` say which.
    #[arg(long, value_name = "FILE.rs", num_args = 0.., help_heading = PROPERTY)]
    pub ice: Option<Vec<PathBuf>>,

    /// The compiler never ends, or takes far longer than it should; with `--timeout`, longer than that.
    #[arg(long, conflicts_with_all = ["own"], help_heading = PROPERTY)]
    pub hang: bool,

    /// The compiler reports an error with this code, and with this message, names aside.
    #[arg(long, value_name = "CODE", value_parser = error_code, conflicts_with = "ice", help_heading = PROPERTY)]
    pub error: Option<String>,

    /// The compiler, or cargo, prints something that matches.
    #[arg(long, value_name = "REGEX", value_parser = regex, conflicts_with = "ice", help_heading = PROPERTY)]
    pub stderr: Option<String>,

    /// This program, run where the candidate lies, ends with 0; a file is its argument.
    #[arg(long, value_name = "PATH", conflicts_with = "ice", help_heading = PROPERTY)]
    pub script: Option<PathBuf>,

    /// The tool that shows it.
    #[arg(long, value_name = "TOOL", value_enum, default_value_t, requires = "tool-output", help_heading = PROPERTY)]
    pub tool: ToolChoice,

    /// It shows with one of two toolchains and not with the other: the one in use and this one.
    #[arg(long, value_name = "TOOLCHAIN", requires = "tool-output", help_heading = PROPERTY)]
    pub only_on: Option<String>,

    /// The code compiles with this toolchain; without a name, with the one on which it does not show.
    #[arg(long, value_name = "TOOLCHAIN", num_args = 0..=1, requires = "tool-output", help_heading = PROPERTY)]
    pub compiles_on: Option<Option<String>>,

    /// The compiler may take so much memory (`2GiB`, address space); to need more is a crash.
    #[arg(long, value_name = "SIZE", value_parser = size, requires = "tool-output", help_heading = PROPERTY)]
    pub memory_limit: Option<u64>,

    /// The file's edition (rustc's own default: 2015).
    #[arg(long, value_name = "EDITION", requires = "tool-output", help_heading = PROPERTY)]
    pub edition: Option<String>,

    /// How alike a candidate's crash has to be.
    #[arg(long, value_name = "HOW", value_enum, default_value_t, requires = "ice", help_heading = PROPERTY)]
    pub ice_match: IceMatchChoice,

    /// So many queries of the stack, innermost first, have to be the same too.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "ice", help_heading = PROPERTY)]
    pub backtrace_match: usize,

    /// Which compile errors a candidate may have besides.
    #[arg(long, value_name = "WHICH", value_enum, default_value_t, requires = "tool-output", help_heading = PROPERTY)]
    pub errors: ErrorsChoice,

    /// The test fails only sometimes.
    #[arg(long, conflicts_with = "ice", help_heading = PROPERTY)]
    pub flaky: bool,

    #[command(flatten)]
    pub same_bug: super::same_bug::SameBug,

    /// The least failure rate, as 5% or 0.05 [default: half of the original's].
    #[arg(long, value_name = "RATE", value_parser = rate, requires = "flaky", help_heading = FLAKY)]
    pub min_rate: Option<f64>,

    /// Of several ways in which it fails, the one whose title matches [default: the most frequent].
    ///
    /// Titles are what `--flaky` tells of the original, such as `panic at src/lib.rs:12: no value` or `does not end`.
    /// `--match` says which failures are one and the same.
    #[arg(long, value_name = "REGEX", value_parser = regex, requires = "flaky", help_heading = FLAKY)]
    pub failure: Option<String>,

    /// How likely a candidate may be taken that fails no more often than `--min-rate`.
    ///
    /// It is a rate per decision, and a wrong one is made good: what was taken is run anew after each pass, and the result in
    /// the end, with an error of 5 % at most. That costs less than to be as sure of every step.
    #[arg(long, value_name = "P", value_parser = error_rate, default_value = "0.2", requires = "flaky", help_heading = FLAKY)]
    pub alpha: f64,

    /// How likely a candidate may be refused that fails as often as the original.
    ///
    /// Such an element stays; the smaller this is, the more runs each candidate takes. [default: 0.05, and down to 0.005
    /// where the original fails so often that a dozen runs without a failure say that much]
    #[arg(long, value_name = "P", value_parser = error_rate, requires = "flaky", help_heading = FLAKY)]
    pub beta: Option<f64>,

    /// What makes it fail more often: `auto`, `none`, or several of `copies=N`, `load=N`, `threads=N`, `repeat=N`,
    /// `pin`.
    ///
    /// `copies`: so many runs at the same time. `load`: so many cores kept busy. `threads`: RUST_TEST_THREADS. `repeat`: so
    /// many calls of the test in one process. `pin`: each run on one core. `auto`: where fewer than one run in ten fails, some of
    /// them are tried, and the one that helps most is taken, if one does.
    #[arg(long, value_name = "LEVERS", default_value = "auto", requires = "flaky", help_heading = FLAKY)]
    pub stress: StressChoice,

    /// For a test: its own arguments, such as `--exact`; for a program, what it is run with. For an ICE: cargo's (a package)
    /// or rustc's (a file).
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,

    /// The package that fails.
    #[arg(short, long, value_name = "SPEC", help_heading = CARGO)]
    pub package: Vec<String>,

    /// Path to Cargo.toml.
    #[arg(long, value_name = "PATH", help_heading = CARGO)]
    pub manifest_path: Option<PathBuf>,

    /// Features to activate, separated by spaces or commas.
    #[arg(short = 'F', long, value_name = "FEATURES", help_heading = CARGO)]
    pub features: Vec<String>,

    /// Activate all features.
    #[arg(long, help_heading = CARGO)]
    pub all_features: bool,

    /// Do not activate the `default` feature.
    #[arg(long, help_heading = CARGO)]
    pub no_default_features: bool,

    /// Build in release mode.
    #[arg(short, long, conflicts_with = "profile", help_heading = CARGO)]
    pub release: bool,

    /// Build with this profile.
    #[arg(long, value_name = "PROFILE", help_heading = CARGO)]
    pub profile: Option<String>,

    /// Build for this target triple.
    #[arg(long, value_name = "TRIPLE", help_heading = CARGO)]
    pub target: Option<String>,

    /// Do without the network.
    #[arg(long, help_heading = CARGO)]
    pub offline: bool,

    /// Leave Cargo.lock as it is.
    #[arg(long, help_heading = CARGO)]
    pub locked: bool,

    /// `--locked` and `--offline`.
    #[arg(long, help_heading = CARGO)]
    pub frozen: bool,

    /// Where the result goes [default: target/cargo-reduce/NAME].
    #[arg(short, long, value_name = "DIR", help_heading = LIMITS)]
    pub output: Option<PathBuf>,

    /// Go on from what an earlier run left in the output directory.
    #[arg(long, help_heading = LIMITS)]
    pub resume: bool,

    /// Stop with the best so far after this time: `120s`, `10min`, `1h 30m`.
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = LIMITS)]
    pub time_limit: Option<Duration>,

    /// Limit of a single trial [default: derived from the original's runs].
    #[arg(long, value_name = "DURATION", value_parser = duration, help_heading = LIMITS)]
    pub timeout: Option<Duration>,

    /// Candidates of a crash, or runs of a flaky test, at the same time [default: one for each processor].
    #[arg(short, long, value_name = "N", help_heading = LIMITS)]
    pub jobs: Option<NonZeroUsize>,

    /// Leave files that match GLOB as they are; repeatable.
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = SCOPE)]
    pub keep: Vec<String>,

    /// Reduce only files that match GLOB; repeatable.
    #[arg(long, value_name = "GLOB", value_parser = glob, help_heading = SCOPE)]
    pub only: Vec<String>,

    /// Passes to run, separated by commas; `-NAME` leaves one out.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = pass, allow_hyphen_values = true, help_heading = SCOPE)]
    pub passes: Vec<String>,

    /// Put modules, path dependencies, workspace members and the library into the file of the target that shows the
    /// failure, once they are small; the default.
    #[arg(long, overrides_with = "no_flatten", help_heading = SCOPE, hide_short_help = true)]
    pub flatten: bool,

    /// Leave modules and libraries in files of their own.
    #[arg(long, overrides_with = "flatten", help_heading = SCOPE)]
    pub no_flatten: bool,

    /// If a compiler crash needs dependencies from a registry or a repository when nothing more can go, reduce the package
    /// once more with their code in it, and keep that if it does without them in the end; the default.
    #[arg(long, overrides_with = "no_inline_deps", help_heading = SCOPE, hide_short_help = true)]
    pub inline_deps: bool,

    /// Leave dependencies from a registry or a repository where they are.
    #[arg(long, overrides_with = "inline_deps", help_heading = SCOPE)]
    pub no_inline_deps: bool,

    /// Give what is left the names of an example (`A`, `f`, `x`): what compiler crashes get unless `--no-rename` says
    /// otherwise, and failing tests only with this.
    #[arg(long, overrides_with = "no_rename", help_heading = SCOPE)]
    pub rename: bool,

    /// Leave all names as they are.
    #[arg(long, overrides_with = "rename", help_heading = SCOPE)]
    pub no_rename: bool,
    /// Files that parse may stop doing so: for bugs of a parser.
    #[arg(long, help_heading = SCOPE)]
    pub broken_syntax: bool,

    /// The minimizer.
    #[arg(
        long,
        value_name = "NAME",
        default_value_t = Algorithm::default(),
        value_parser = named::<Algorithm>(Algorithm::ALL.map(Algorithm::name)),
        help_heading = SEARCH
    )]
    pub algorithm: Algorithm,

    /// Which parts of the syntax make up a list, and which list comes first.
    ///
    /// `by-kind`: all statements, all parameters …; `hdd`: each level of the tree; `hddr`, `hddr-depth`: the parts of each node, breadth or depth first; `perses`: the heaviest like parts of a node first.
    /// These four only delete: what puts one thing in the place of another still goes by kind after them.
    #[arg(
        long,
        value_name = "NAME",
        default_value_t = Traversal::default(),
        value_parser = named::<Traversal>(Traversal::ALL.map(Traversal::name)),
        help_heading = SEARCH
    )]
    pub traversal: Traversal,

    /// Seed of everything random.
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = SEARCH)]
    pub seed: u64,

    /// ddmin: into how many parts a list is split, or `inf`.
    #[arg(long, value_name = "N", help_heading = SEARCH)]
    pub split_factor: Option<SplitFactor>,

    /// ddmin: try each part alone before trying without it.
    #[arg(long, value_name = "YES|NO", value_enum, help_heading = SEARCH)]
    pub subset_tests: Option<YesNo>,

    /// ddmin and onemin: which part goes first.
    #[arg(
        long,
        value_name = "ORDER",
        value_parser = named::<ComplementOrder>(["forward", "backward"]),
        help_heading = SEARCH
    )]
    pub complement_order: Option<ComplementOrder>,

    /// wprobdd, probdd, cdd: the probability that an element is needed before anything is known, or `by-kind`.
    #[arg(long, value_name = "P", help_heading = SEARCH)]
    pub initial_probability: Option<InitialProbability>,

    /// probdd: shuffle elements of equal probability, by the seed.
    #[arg(long, help_heading = SEARCH)]
    pub shuffle: bool,

    /// Do without the one-minimal pass after each list.
    #[arg(long, help_heading = SEARCH)]
    pub no_one_minimal: bool,

    /// How to tell what happens: for people, or one JSON object a line.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = DISPLAY)]
    pub message_format: MessageFormat,

    /// Colours.
    #[arg(long, value_name = "WHEN", value_enum, help_heading = DISPLAY)]
    pub color: Option<ColorChoice>,

    /// Say nothing but errors and where the result lies.
    #[arg(short, long, conflicts_with = "verbose", help_heading = DISPLAY)]
    pub quiet: bool,

    /// Say every trial, and what each pass did.
    #[arg(short, long, action = ArgAction::Count, help_heading = DISPLAY)]
    pub verbose: u8,

    /// Print help.
    #[arg(short, long, action = ArgAction::Help, help_heading = DISPLAY)]
    pub help: Option<bool>,

    /// Print version.
    #[arg(short = 'V', long, action = ArgAction::Version, help_heading = DISPLAY)]
    pub version: Option<bool>,
}

const AFTER_HELP: &str = "\
Examples:
  cargo reduce --test parser empty_input         a failing integration test
  cargo reduce empty_input                       the same, wherever it is
  cargo reduce --lib -- tests::empty --exact     a unit test
  cargo reduce --bin tool -- in.txt -v           a program that panics
  cargo reduce --example tour                    an example that does
  cargo reduce --doc Parser::parse               a doc test
  cargo +nightly reduce --ice                    a crash of the compiler in this package
  cargo +nightly reduce --ice crash.rs --edition 2024 -- -Zmir-opt-level=4
  cargo reduce --ice found/*.rs                  many files, and which are the same crash
  cargo +nightly reduce --ice --only-on stable   a regression, and nothing else
  cargo reduce --error E0277                     an error of the compiler
  cargo reduce --script ./interesting.sh a.rs    whatever the script says
  cargo reduce --test parser --time-limit 10min  the best that ten minutes give
  cargo reduce --test parser --resume            and on from there
  cargo reduce --flaky --test server             a test that fails only sometimes

Exit codes: 0 reduced or already minimal, 1 error, 2 usage, 3 it does not fail, 4 it fails only
sometimes, 130 interrupted with the best so far written; of several files, the code of the first
without a result";

/// `--ice-match`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum IceMatchChoice {
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

/// `--tool`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ToolChoice {
    /// The compiler.
    #[default]
    Rustc,
    /// `rustdoc`, or `cargo doc`.
    Rustdoc,
    /// `clippy-driver`, or `cargo clippy`.
    Clippy,
    /// `rustfmt --check`, on a file.
    Rustfmt,
    /// `miri`, or `cargo miri test`.
    Miri,
}

/// `--errors`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ErrorsChoice {
    /// None if the original has none, else any; for `--error` and `--stderr`, same.
    #[default]
    Auto,
    /// Only error codes that the original has too.
    Same,
    /// Any.
    Any,
    /// None at all.
    None,
}

/// `--stress`: what is given, or nothing for `auto`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StressChoice(pub Option<Stress>);

impl std::str::FromStr for StressChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(StressChoice(None)),
            levers => levers.parse().map(|stress| StressChoice(Some(stress))),
        }
    }
}

/// A setting that is on by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum YesNo {
    Yes,
    No,
}

/// `--message-format`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum MessageFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object a line on standard output, each with a `reason`.
    Json,
}

/// `--color`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorChoice {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// A parser that offers `names` in help and errors, and reads them by the type's own `FromStr`.
fn named<T>(names: impl IntoIterator<Item = &'static str>) -> impl TypedValueParser<Value = T>
where
    T: std::str::FromStr + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(names).try_map(|name| name.parse::<T>())
}

fn duration(text: &str) -> Result<Duration, String> {
    let duration = humantime::parse_duration(text).map_err(|error| {
        format!("{error}; write a number with its unit, such as 90s, 10min or 1h")
    })?;
    if duration.is_zero() {
        Err("it has to be longer than nothing".to_owned())
    } else {
        Ok(duration)
    }
}

/// Lints have names instead of codes, and are found by what is printed.
fn error_code(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix('E').unwrap_or_default();
    if digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        Ok(text.to_owned())
    } else {
        Err("an error's code looks like E0277; find anything else by `--stderr REGEX`".to_owned())
    }
}

fn regex(text: &str) -> Result<String, regex::Error> {
    regex::Regex::new(text).map(|_| text.to_owned())
}

fn size(text: &str) -> Result<u64, String> {
    let size: bytesize::ByteSize = text
        .parse()
        .map_err(|_| "write a number with its unit, such as 900MB or 2GiB".to_owned())?;
    match size.as_u64() {
        0 => Err("it has to be more than nothing".to_owned()),
        bytes => Ok(bytes),
    }
}

/// `5%` or `0.05`
fn rate(text: &str) -> Result<f64, String> {
    let (number, unit) = match text.strip_suffix('%') {
        Some(number) => (number, 0.01),
        None => (text, 1.0),
    };
    let rate = number.trim_end().parse::<f64>().map(|number| number * unit);
    rate.ok()
        .filter(|rate| *rate > 0.0 && *rate <= 1.0)
        .ok_or_else(|| "it has to be above 0 and at most 1 (or 100%)".to_owned())
}

fn error_rate(text: &str) -> Result<f64, String> {
    rate(text)
        .ok()
        .filter(|rate| *rate <= 0.3)
        .ok_or_else(|| "it has to be above 0 and at most 0.3".to_owned())
}

/// The name of a pass, perhaps behind a `-`.
fn pass(text: &str) -> Result<String, String> {
    let known = crate::engine::pass_names();
    if known.contains(text.strip_prefix('-').unwrap_or(text)) {
        return Ok(text.to_owned());
    }
    let known: Vec<&str> = known.into_iter().collect();
    Err(format!("there are {}", known.join(", ")))
}

/// Checked here, so that a mistake is a usage error and not a surprise after the build.
fn glob(text: &str) -> Result<String, globset::Error> {
    globset::Glob::new(text).map(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        <Arguments as clap::CommandFactory>::command().debug_assert();
    }
}
