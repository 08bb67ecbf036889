//! Runs cargo once, remembers its rustc command lines and replays them on changed source; knows nothing of
//! what is searched for or why the source changes.
//!
//! ```text
//! CargoCall ──capture──► Captured { units, executables, … } ──Replay::new──► compile(job) ──► Compiled
//! ```
//!
//! [`capture`] makes our own executable cargo's `RUSTC_WRAPPER`. Called as such,
//! [`run_as_wrapper_if_asked`] writes each command line down before it runs it. A [`Replay`] then starts
//! rustc itself, with outputs and incremental directories of its own and everything else as cargo had it.

mod arguments;
mod capture;
mod command;
mod dep_info;
mod diagnostic;
mod executable;
mod job;
mod messages;
mod relocate;
mod replay;
mod single_file;
mod toolchain;
mod unit;
mod user_wrapper;
mod wrapper;

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::ExecError;

pub use arguments::grouped;
pub use capture::{Captured, CargoCall, Subject, capture};
pub use command::{Addition, Emit, Fidelity};
pub use dep_info::{DepInfo, dep_info};
pub use diagnostic::{Code, Diagnostic, Expansion, Level, Messages, Span};
pub use executable::{Executable, ExecutableKind, built_executable};
pub use job::{Compiled, Job, Step, Wanted};
pub use replay::Replay;
pub use single_file::{FileCall, capture_file};
pub use toolchain::{Cfg, Toolchain};
pub use unit::{Extern, Unit};
pub use wrapper::run_as_wrapper_if_asked;

/// Why nothing can be said about a build. That it fails is not among the reasons.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// cargo or rustc could not be run at all.
    #[error(transparent)]
    Exec(#[from] ExecError),
    /// A file or directory of ours, or of the build, is out of reach.
    #[error("{doing} `{}`", path.display())]
    File {
        /// What was being done, as in "reading".
        doing: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A record of a rustc call does not make sense.
    #[error("reading the recorded rustc call `{}`: {reason}; this is a bug, please report it", path.display())]
    Record {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A rustc command line of the subject has arguments that are not UTF-8.
    #[error(
        "recording rustc on `{source_file}`: its arguments are not UTF-8; rename the files that are not"
    )]
    NotUtf8 {
        /// The source file, as far as it can be shown.
        source_file: String,
    },
    /// cargo did not compile a target of the subject although its source was newer than the outputs.
    #[error("capturing how cargo compiles `{}`: cargo keeps taking it as fresh; use an empty target directory", source_file.display())]
    StillFresh {
        /// The target's source file.
        source_file: PathBuf,
    },
    /// Cargo's configuration cannot be read.
    #[error("reading cargo's configuration `{}`: {reason}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The compiler does not say what it is.
    #[error("asking `{}` for {question}: {answer}; check that the toolchain is installed", rustc.display())]
    Toolchain {
        /// The compiler asked.
        rustc: PathBuf,
        /// What it was asked for.
        question: &'static str,
        /// What came back instead.
        answer: String,
    },
}

impl BuildError {
    fn file<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> Self + use<'a> {
        move |source| BuildError::File {
            doing,
            path: path.to_path_buf(),
            source,
        }
    }
}
