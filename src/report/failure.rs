//! Why there is no result, in words that say what was tried, what happened and what to do; knows no exit codes.

use std::fmt::Write as _;
use std::io;
use std::path::PathBuf;

/// Why a reduction gave no result.
///
/// Two tiers: failures that are to be expected, each with its own message and [`help`](Self::help), and
/// [`Failure::Bug`] for what can only be a defect of this program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// The test that was asked for does not exist.
    #[error("no test matches `{wanted}` in {searched}")]
    NoSuchTest {
        /// The name or filter as given.
        wanted: String,
        /// Where it was looked for: ``the test target `repro` of semver v1.0.26``.
        searched: String,
        /// All tests that are there, to suggest from.
        available: Vec<String>,
    },
    /// A test harness is given several filters.
    #[error("one test is reduced at a time, and a second filter was given: `{second}`")]
    SeveralFilters {
        /// The second one.
        second: String,
    },
    /// Several tests fail, and it was not said which one is meant.
    #[error("{} tests fail in {searched}, and only one can be reduced at a time", failing.len())]
    SeveralTestsFail {
        /// Where they are.
        searched: String,
        /// Their full names.
        failing: Vec<String>,
    },
    /// The test passes on the original.
    #[error("the test passes: `{command}` was run {} and never failed", times(*runs))]
    TestPasses {
        /// What was run.
        command: String,
        /// How often.
        runs: usize,
    },
    /// The program ends well on the original.
    #[error("the program does not fail: `{command}` was run {} and always ended with 0", times(*runs))]
    ProgramPasses {
        /// What was run.
        command: String,
        /// How often.
        runs: usize,
    },
    /// No integration test can be made of a doc test.
    #[error("the doc test `{name}` cannot be reduced: {why}")]
    DocTest {
        /// Its name, as rustdoc gives it.
        name: String,
        /// Why not.
        why: String,
    },
    /// A guard does not hold on the original.
    #[error("{what} has to pass before anything is removed, and does not")]
    GuardFails {
        /// Which: ``the guard `empty_input` ``.
        what: String,
        /// What it printed.
        output: String,
    },
    /// `--good` named what is no other version.
    #[error("`{wanted}` is no version to compare with: {why}")]
    NoGoodVersion {
        /// As given.
        wanted: String,
        /// Why: what cargo or git said.
        why: String,
    },
    /// A test that is to be flaky never failed.
    #[error("the test never failed: {}", tried.join("; "))]
    NeverFailed {
        /// What was tried, each with the number of runs: ``300 runs of `t` alone``.
        tried: Vec<String>,
    },
    /// A flaky test failed, but never in the way that was asked for.
    #[error("the test never failed like `{wanted}`: {}", counted(seen))]
    NoSuchFailure {
        /// The regular expression as given.
        wanted: String,
        /// The ways in which it failed, with how often each.
        seen: Vec<(String, usize)>,
    },
    /// A flaky test fails less often than was asked for.
    #[error(
        "`{command}` failed in {failures} of {runs} runs: less often than the {wanted} of `--min-rate`"
    )]
    FailsTooRarely {
        /// What was run.
        command: String,
        /// Runs that failed.
        failures: u32,
        /// Runs in all.
        runs: u32,
        /// The least rate: `30 %`.
        wanted: String,
    },
    /// Rates so near each other or so small that no reasonable number of runs tells them apart.
    #[error("deciding about a candidate takes too many runs: {why}")]
    TooCostly {
        /// What cannot be told apart.
        why: String,
    },
    /// The failure shows in some baseline runs only.
    #[error("the failure shows only sometimes: `{command}` failed in {failures} of {runs} runs")]
    FailsSometimes {
        /// What was run.
        command: String,
        /// Runs that failed.
        failures: usize,
        /// Runs in all.
        runs: usize,
    },
    /// The baseline runs failed in different ways.
    #[error("`{command}` fails in different ways: {}", counted(signatures))]
    FailsDifferently {
        /// What was run.
        command: String,
        /// The signatures seen, with how often each.
        signatures: Vec<(String, usize)>,
    },
    /// No command shows the failure: the compiler does not crash, most of all.
    #[error("{what}: {} showed nothing of the kind", quoted(commands))]
    NoCrash {
        /// What does not happen: `the compiler does not crash`.
        what: String,
        /// What was run, in order.
        commands: Vec<String>,
        /// What the last one printed.
        output: String,
    },
    /// What must not show with another toolchain does, on the original.
    #[error("it is no contrast: with {toolchain}, {objection}")]
    NoContrast {
        /// The other toolchain.
        toolchain: String,
        /// `it crashes: …`, `it does not compile`.
        objection: String,
        /// What was printed with it.
        output: String,
    },
    /// Next to nothing needs more memory than is allowed.
    #[error("the memory limit is too low: `{command}` exceeds it on an empty program too")]
    LimitTooLow {
        /// What was run.
        command: String,
    },
    /// The script does not find the original interesting.
    #[error("the original is not interesting: `{command}` does not end with 0")]
    NotInteresting {
        /// What was run.
        command: String,
        /// What it printed.
        output: String,
    },
    /// The script cannot be run at all.
    #[error("the script {} cannot be run: {why}", script.display())]
    BrokenScript {
        /// The script.
        script: PathBuf,
        /// What the system said.
        why: String,
    },
    /// The original of what fails when it is run does not compile.
    #[error("the code does not compile: `{command}` failed before anything ran")]
    DoesNotCompile {
        /// What was run.
        command: String,
        /// The compiler's errors.
        output: String,
    },
    /// `-p` named a package that is not there.
    #[error("no package `{wanted}` in the workspace of {}", manifest.display())]
    NoSuchPackage {
        /// The name as given.
        wanted: String,
        /// The manifest that was read.
        manifest: PathBuf,
        /// The packages that are there.
        available: Vec<String>,
    },
    /// The selected package is ambiguous: a virtual workspace and no `-p`.
    #[error("{} is a workspace of {} packages, and none was named", manifest.display(), available.len())]
    NoPackageNamed {
        /// The manifest that was read.
        manifest: PathBuf,
        /// The packages that are there.
        available: Vec<String>,
    },
    /// `--test`, `--bin` or the like named a target that is not there.
    #[error("no {kind} `{wanted}` in {package}")]
    NoSuchTarget {
        /// `test target or test`, `binary` …
        kind: &'static str,
        /// The name as given.
        wanted: String,
        /// The package: `semver v1.0.26`.
        package: String,
        /// The targets of that kind that are there.
        available: Vec<String>,
    },
    /// A file that was named is not there.
    #[error("no such file: {}", path.display())]
    NoSuchFile {
        /// The path as given.
        path: PathBuf,
    },
    /// No `Cargo.toml` here or above.
    #[error("no Cargo.toml in {} or any directory above it", searched.display())]
    NoManifest {
        /// Where the search began.
        searched: PathBuf,
    },
    /// Cargo cannot make sense of a manifest.
    #[error("cargo cannot read the package at {}", manifest.display())]
    BrokenManifest {
        /// The manifest.
        manifest: PathBuf,
        /// What cargo said.
        output: String,
    },
    /// A source file is not UTF-8.
    #[error("{} is not UTF-8: the byte at offset {offset} starts no character", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
        /// Offset of the first byte that is wrong.
        offset: usize,
    },
    /// Reading or writing failed.
    #[error("{action} {} failed: {source}", path.display())]
    Io {
        /// What was being done, as a gerund: `reading`, `writing`, `creating the directory`.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A tool could not be started.
    #[error("`{command}` cannot be run: {why}")]
    NoToolchain {
        /// The command: `cargo +nightly metadata`.
        command: String,
        /// What the system, or rustup, said.
        why: String,
    },
    /// Cargo failed for a reason that is not in the code under reduction.
    #[error("`{command}` failed")]
    CargoFailed {
        /// What was run.
        command: String,
        /// What it printed.
        output: String,
    },
    /// The output directory holds something.
    #[error("the output directory is not empty: {}", path.display())]
    OutputNotEmpty {
        /// The directory.
        path: PathBuf,
        /// It holds a journal that `--resume` could go on from.
        resumable: bool,
    },
    /// `--resume` without anything to go on from, or with a journal of something else.
    #[error("nothing to resume in {}: {why}", path.display())]
    CannotResume {
        /// The output directory.
        path: PathBuf,
        /// Why: `it has no journal`, `its journal is of another subject`.
        why: String,
    },
    /// Stopped by the user before there was anything to keep.
    #[error("interrupted before the original was run to its end: nothing was reduced")]
    Interrupted,
    /// Stopped by a second signal before the orderly end that the first had asked for.
    #[error("interrupted twice: ended at once, without a report")]
    InterruptedTwice,
    /// A defect of this program.
    #[error("this is a bug in cargo-reduce: {doing}: {why}")]
    Bug {
        /// What was being done: `applying the edits of a candidate`.
        doing: String,
        /// What went wrong.
        why: String,
    },
}

impl Failure {
    /// For `map_err` on anything that reads or writes: `fs::read(p).map_err(Failure::io("reading", p))`.
    pub fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Failure::Io {
            action,
            path,
            source,
        }
    }

    /// A stable name for programs: `test-passes`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Failure::NoSuchTest { .. } => "no-such-test",
            Failure::SeveralFilters { .. } => "several-filters",
            Failure::SeveralTestsFail { .. } => "several-tests-fail",
            Failure::TestPasses { .. } => "test-passes",
            Failure::ProgramPasses { .. } => "program-passes",
            Failure::DocTest { .. } => "doc-test",
            Failure::GuardFails { .. } => "guard-fails",
            Failure::NoGoodVersion { .. } => "no-good-version",
            Failure::NeverFailed { .. } => "never-failed",
            Failure::NoSuchFailure { .. } => "no-such-failure",
            Failure::FailsTooRarely { .. } => "fails-too-rarely",
            Failure::TooCostly { .. } => "too-costly",
            Failure::FailsSometimes { .. } => "fails-sometimes",
            Failure::FailsDifferently { .. } => "fails-differently",
            Failure::NoCrash { .. } => "no-crash",
            Failure::NoContrast { .. } => "no-contrast",
            Failure::LimitTooLow { .. } => "limit-too-low",
            Failure::NotInteresting { .. } => "not-interesting",
            Failure::BrokenScript { .. } => "broken-script",
            Failure::DoesNotCompile { .. } => "does-not-compile",
            Failure::NoSuchPackage { .. } => "no-such-package",
            Failure::NoPackageNamed { .. } => "no-package-named",
            Failure::NoSuchTarget { .. } => "no-such-target",
            Failure::NoSuchFile { .. } => "no-such-file",
            Failure::NoManifest { .. } => "no-manifest",
            Failure::BrokenManifest { .. } => "broken-manifest",
            Failure::NotUtf8 { .. } => "not-utf8",
            Failure::Io { .. } => "io",
            Failure::NoToolchain { .. } => "no-toolchain",
            Failure::CargoFailed { .. } => "cargo-failed",
            Failure::OutputNotEmpty { .. } => "output-not-empty",
            Failure::CannotResume { .. } => "cannot-resume",
            Failure::Interrupted => "interrupted",
            Failure::InterruptedTwice => "interrupted-twice",
            Failure::Bug { .. } => "bug",
        }
    }

    /// What a tool printed that explains the failure, if one did.
    #[must_use]
    pub fn output(&self) -> Option<&str> {
        match self {
            Failure::NoCrash { output, .. }
            | Failure::NoContrast { output, .. }
            | Failure::NotInteresting { output, .. }
            | Failure::DoesNotCompile { output, .. }
            | Failure::GuardFails { output, .. }
            | Failure::BrokenManifest { output, .. }
            | Failure::CargoFailed { output, .. } => {
                Some(output.trim_end()).filter(|text| !text.is_empty())
            }
            _ => None,
        }
    }

    /// What the user can do, one sentence a line.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Failure::NoSuchTest { wanted, available, .. } => match nearest(wanted, available) {
                Some(near) => format!("did you mean `{near}`?"),
                None if available.is_empty() => {
                    "there are no tests there at all; `--features` or another target may be missing".to_owned()
                }
                None => format!("the tests there are {}", listed(available)),
            },
            Failure::SeveralFilters { .. } => "give the test's full name, or leave out what follows `--`".to_owned(),
            Failure::ProgramPasses { .. } => "cargo reduce needs a program that fails; its arguments go after `--`, and it is \
                                              run in its package's directory with nothing to read; a test in it is \
                                              named before `--`"
                .to_owned(),
            Failure::DocTest { .. } => "copy its code to an integration test in `tests/`, and reduce that with `--test`".to_owned(),
            Failure::SeveralTestsFail { failing, .. } => format!("name one of {}", listed(failing)),
            Failure::TestPasses { .. } => "cargo reduce needs a test that fails; check the name, the features and the \
                                           toolchain, or see `--flaky` for one that fails now and then"
                .to_owned(),
            Failure::GuardFails { .. } => {
                "a guard keeps the bug in what fails by passing where the bug is not met: name another one".to_owned()
            }
            Failure::NoGoodVersion { .. } => {
                "name a directory, a version of the package as the registry has it (1.2.3), or a git revision".to_owned()
            }
            Failure::NeverFailed { .. } => "try it where it was seen to fail: on a machine as busy, with the same features and profile, or \
                                            with `--stress auto`; name the target without the test if it fails only beside others"
                .to_owned(),
            Failure::NoSuchFailure { .. } => {
                "choose one of those by `--failure REGEX`, or the most frequent one by leaving that out".to_owned()
            }
            Failure::FailsTooRarely { .. } => {
                "ask for less with `--min-rate`, or make it fail more often with `--stress`".to_owned()
            }
            Failure::TooCostly { .. } => {
                "choose a `--min-rate` well below the measured rate, larger errors with `--alpha` and `--beta`, or make it \
                 fail more often with `--stress`"
                    .to_owned()
            }
            Failure::FailsSometimes { .. } | Failure::FailsDifferently { .. } => {
                "a test that fails only sometimes, or each time in another way, is reduced with `--flaky`".to_owned()
            }
            Failure::NoCrash { .. } => "name the toolchain that crashes (`cargo +nightly reduce …`), and give the flags \
                                        it needs after `--`"
                .to_owned(),
            Failure::DoesNotCompile { .. } => {
                "mend the errors above or choose the features and the toolchain that it needs; if it is the \
                 compiler that crashes, use `--ice`"
                    .to_owned()
            }
            Failure::NoContrast { .. } => "choose another toolchain for `--only-on` or `--compiles-on`: with that one the original \
                                           must be free of the failure, and compile if it has to"
                .to_owned(),
            Failure::LimitTooLow { .. } => {
                "allow more: the limit is of address space, of which rustc takes several hundred megabytes for nothing".to_owned()
            }
            Failure::NotInteresting { .. } => {
                "run the script yourself where a copy of the original lies: it has to end with 0 there".to_owned()
            }
            Failure::BrokenScript { .. } => "make it executable (`chmod +x`), and let its first line say what runs it (`#!/bin/sh`)".to_owned(),
            Failure::NoSuchPackage { wanted, available, .. } => match nearest(wanted, available) {
                Some(near) => format!("did you mean `-p {near}`?"),
                None => format!("the packages there are {}", listed(available)),
            },
            Failure::NoPackageNamed { available, .. } => format!("choose one with `-p`: {}", listed(available)),
            Failure::NoSuchTarget { wanted, available, .. } => match nearest(wanted, available) {
                Some(near) => format!("did you mean `{near}`?"),
                None if available.is_empty() => "the package has none of that kind".to_owned(),
                None => format!("there are {}", listed(available)),
            },
            Failure::NoSuchFile { .. } => {
                "check the path; it is taken relative to the current directory".to_owned()
            }
            Failure::NoManifest { .. } => "change to the package's directory, or name its manifest with \
                                           `--manifest-path`; a single file that crashes the compiler is reduced with \
                                           `--ice FILE.rs`"
                .to_owned(),
            Failure::BrokenManifest { .. } => "mend what cargo complains about above, until `cargo metadata` works".to_owned(),
            Failure::NotUtf8 { .. } => {
                "rustc takes UTF-8 only: convert the file, or leave it alone with `--keep` if it is data".to_owned()
            }
            Failure::Io { source, .. } => io_help(source.kind()).to_owned(),
            Failure::NoToolchain { .. } => {
                "`rustup toolchain list` shows what is installed, `rustup toolchain install` adds one".to_owned()
            }
            Failure::CargoFailed { .. } => "run that command yourself and mend what it complains about above".to_owned(),
            Failure::OutputNotEmpty { resumable: true, .. } => {
                "go on where it was left with `--resume`, name another directory with `--output`, or remove it".to_owned()
            }
            Failure::OutputNotEmpty { resumable: false, .. } => {
                "name another directory with `--output`, or remove it".to_owned()
            }
            Failure::CannotResume { .. } => "leave out `--resume` to begin anew".to_owned(),
            Failure::Interrupted => "start again, with `--time-limit` if it may take only so long".to_owned(),
            Failure::InterruptedTwice => {
                "the best so far is in the output directory; the same command with `--resume` goes on from it".to_owned()
            }
            Failure::Bug { .. } => {
                "please report it with the command line and, if you can, the input: the best result so far is in the \
                 output directory"
                    .to_owned()
            }
        }
    }
}

/// What to do about a failed system call.
fn io_help(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "make room there, or point `TMPDIR` (scratch copy) or `--output` (result) to another disk; `--resume` goes on from \
             the best so far"
        }
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "check the permissions; the scratch copy goes to `TMPDIR`, the result to `--output`"
        }
        io::ErrorKind::NotFound => {
            "check that it is still there: nothing may change the package while it is read"
        }
        _ => "if it does not happen again, `--resume` goes on from the best so far",
    }
}

/// The candidate that is most like `wanted`, if one is like it at all.
fn nearest<'a>(wanted: &str, available: &'a [String]) -> Option<&'a str> {
    available
        .iter()
        .map(|name| {
            // `module::test_name` is often misremembered by its module: compare the last part too.
            let last = name.rsplit("::").next().unwrap_or(name);
            let likeness =
                strsim::jaro_winkler(wanted, name).max(strsim::jaro_winkler(wanted, last));
            (likeness, name.as_str())
        })
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// At most ten names, quoted, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let mut text = quoted(names.get(..SHOWN).unwrap_or(names));
    if names.len() > SHOWN {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {} more", names.len() - SHOWN);
    }
    text
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn counted(signatures: &[(String, usize)]) -> String {
    signatures
        .iter()
        .map(|(signature, count)| format!("{}, {signature}", times(*count)))
        .collect::<Vec<_>>()
        .join("; ")
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        more => format!("{more} times"),
    }
}
