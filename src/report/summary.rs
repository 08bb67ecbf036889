//! What came of a reduction: the facts that every report is made from; knows nothing of how they are shown.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::Flakiness;

/// What came of a reduction. Its serialized form is `report.json`.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// How it ended.
    pub status: Status,
    /// What had to stay true.
    #[serde(flatten)]
    pub kind: Kind,
    /// What was reduced: `semver v1.0.26`, `input.rs`.
    pub subject: String,
    /// The command that shows the failure again, to be run in `directory`.
    pub command: String,
    /// Where to run `command`: the directory of the reduced package or file.
    #[serde(serialize_with = "path")]
    pub directory: PathBuf,
    /// The rustc command that shows a crash on one file alone, to be run in `output`; `None` if no file shows it alone
    /// or `command` is that already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_command: Option<String>,
    /// What the failure looks like.
    pub signature: String,
    /// The signature without names and numbers: results of which it is the same most likely show the same bug.
    pub class: String,
    /// Size of the original, in tokens.
    pub tokens_before: usize,
    /// Size of the result, in tokens.
    pub tokens_after: usize,
    /// Files in the original.
    pub files_before: usize,
    /// Files in the result.
    pub files_after: usize,
    /// Lines in the original's `.rs` files.
    pub lines_before: usize,
    /// Lines in the result's `.rs` files.
    pub lines_after: usize,
    /// Candidates judged, those answered by the cache included.
    pub trials: usize,
    /// How many of these showed the property.
    pub interesting_trials: usize,
    /// How many were answered without running anything.
    pub cache_hits: usize,
    /// Wall time from start to end, earlier runs of a resumed reduction not included.
    #[serde(rename = "wall_seconds", serialize_with = "seconds")]
    pub wall: Duration,
    /// User and system time of all processes run.
    #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
    pub cpu: Duration,
    /// No single element that the passes know can go: a last round over all of them found nothing. What it did not ask for
    /// again was refused before, for a reason that still stands. Values in the place of what would save next to nothing are
    /// not asked for at all.
    pub one_minimal: bool,
    /// The minimizer's name, as `--algorithm` takes it.
    pub algorithm: String,
    /// The seed of everything random.
    pub seed: u64,
    /// What `rustc -vV` said.
    pub toolchain: String,
    /// The output directory.
    #[serde(serialize_with = "path")]
    pub output: PathBuf,
    /// What each pass did, in the order of their first run.
    pub passes: Vec<PassStatistics>,
    /// Other failures met on the way.
    pub slips: Vec<Slip>,
    /// How often it fails, for a test that does not always.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flakiness: Option<Flakiness>,
    /// What the final run of `command` printed.
    pub failure_output: String,
    /// The result's text files with their paths relative to `directory`, most telling first: reports show them when
    /// they are short enough. May be left empty when they are not.
    #[serde(skip)]
    pub result: Vec<(PathBuf, String)>,
    /// Paths of all files of the result, relative to `directory`.
    #[serde(serialize_with = "paths")]
    pub result_files: Vec<PathBuf>,
}

/// How a reduction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Smaller than before.
    Reduced,
    /// Nothing could go.
    AlreadyMinimal,
    /// Stopped by the user; the result is the best so far.
    Interrupted,
    /// Stopped by `--time-limit`; the result is the best so far.
    TimeLimit,
}

/// What had to stay true, as far as reports differ by it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum Kind {
    /// A failing test.
    Test {
        /// The failing test's full name, if it is one function.
        test: Option<String>,
    },
    /// A program that fails: an example, a binary, a test target without a test harness.
    Program,
    /// A compiler crash.
    Ice {
        /// Where the compiler panicked, `compiler/rustc_middle/src/ty/generics.rs:247:17`; for a delayed bug,
        /// where it was delayed. `None` when it was killed.
        location: Option<String>,
    },
    /// Something that a tool prints: an error, most of all.
    Output,
    /// What the user's own script finds interesting.
    Script,
}

/// What one pass did in all its runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PassStatistics {
    /// The pass's name.
    pub name: String,
    /// Candidates judged.
    pub trials: usize,
    /// How many of these showed the property.
    pub interesting: usize,
    /// Tokens that went.
    pub tokens_removed: usize,
    /// User and system time of its trials.
    #[serde(rename = "cpu_seconds", serialize_with = "seconds")]
    pub cpu: Duration,
}

/// Another failure met on the way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Slip {
    /// Its signature.
    pub signature: String,
    /// Where a candidate that shows it lies, relative to the output directory.
    #[serde(serialize_with = "path")]
    pub kept_in: PathBuf,
}

/// Seconds to the millisecond: finer digits are noise.
fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64((duration.as_secs_f64() * 1000.0).round() / 1000.0)
}

/// A path that is not UTF-8 loses a character, not the report.
fn path<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

fn paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}
