//! One file that shows the crash by itself, and the shortest rustc command line that it takes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shell_words;
use crate::exec::{Cancel, Invocation, Limits};
use crate::minimize::{self, Item, Settings};
use crate::property::Verdict;
use crate::property::by_command::ByCommand;
use crate::property::tool_signature::ToolSignature;
use crate::report::{Failure, write_atomically};
use crate::request::{IceSelection, Sought, Tool};
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::{ItemKind, Kind};

/// The name of the file in the output directory.
pub(super) const NAME: &str = "reduced.rs";

/// How likely a flag is needed: cargo gives a dozen, of which rustc needs two.
const PRIOR: f64 = 0.15;

/// How likely the crate's type is needed by a file without `fn main`.
const WITHOUT_MAIN: f64 = 0.9;

/// Whether what `selection` is after shows in rustc alone, on one file, without limits or a second toolchain.
pub(super) fn stands_alone(selection: &IceSelection, signature: &ToolSignature) -> bool {
    selection.tool == Tool::Rustc
        && selection.sought == Sought::Crash
        && selection.memory_limit.is_none()
        && selection.contrasts.is_empty()
        && !signature.is_hang()
}

/// What a file has to show, and with what.
pub(super) struct Alone<'a> {
    pub(super) rustc: &'a Path,
    /// `+toolchain` as it was asked for.
    pub(super) toolchain: Option<&'a str>,
    /// What rustc is given, in groups that belong together; the file's own path is none of them.
    pub(super) flags: Vec<Vec<String>>,
    pub(super) signature: &'a ToolSignature,
    pub(super) settings: &'a Settings,
    pub(super) timeout: Duration,
    /// A directory of ours.
    pub(super) scratch: PathBuf,
    pub(super) cancel: &'a Cancel,
}

/// A file that shows the crash.
pub(super) struct Shown {
    /// The command, where `file` is the path that it was asked to name.
    pub(super) command: String,
    /// What rustc printed.
    pub(super) output: String,
    /// Whether fewer flags do than were given.
    pub(super) fewer: bool,
}

impl Alone<'_> {
    /// The shortest command on `source` that shows the crash, naming the file `file`, if there is one,
    /// and how many it took to find it. `shown` is what rustc prints with all flags, if they are known to
    /// show it.
    ///
    /// # Errors
    ///
    /// When rustc cannot be run.
    pub(super) fn search(
        &self,
        source: &str,
        file: &Path,
        shown: Option<String>,
    ) -> Result<(Option<Shown>, usize), Failure> {
        let name = PathBuf::from(file.file_name().unwrap_or_default());
        let subject = Subject::new([(name.clone(), source.as_bytes().to_vec())]);
        let all: Vec<usize> = (0..self.flags.len()).collect();
        let mut trials = usize::from(shown.is_none());
        let shown = match shown {
            Some(shown) => Some(shown),
            None => self.crashes(&subject, &name, &all)?,
        };
        let Some(mut output) = shown else {
            return Ok((None, trials));
        };
        let items = self.items(has_main(&subject));
        let mut settings = self.settings.clone();
        // All at once is no use where one of them is known to be needed.
        settings.try_all_first &= items.iter().all(|item| item.prior == Some(PRIOR));
        let mut minimizer = minimize::minimizer(&items, &settings);
        while let Some(trial) = minimizer.propose() {
            let mut gone = minimizer.removed();
            gone.extend(&trial.remove);
            let left: Vec<usize> = all
                .iter()
                .copied()
                .filter(|at| !gone.contains(at))
                .collect();
            trials += 1;
            let printed = self.crashes(&subject, &name, &left)?;
            minimizer.record(printed.is_some());
            output = printed.unwrap_or(output);
        }
        let removed = minimizer.removed();
        let left = all.iter().copied().filter(|at| !removed.contains(at));
        let mut words: Vec<OsString> = vec!["rustc".into()];
        words.extend(self.toolchain.map(|name| format!("+{name}").into()));
        words.extend(self.arguments(&left.collect::<Vec<_>>()));
        words.push(file.into());
        let shown = Shown {
            command: shell_words(words),
            output,
            fewer: !removed.is_empty(),
        };
        Ok((Some(shown), trials))
    }

    /// The flags as elements of one weight.
    fn items(&self, has_main: bool) -> Vec<Item> {
        let prior = |flag: &Vec<String>| {
            let is_type = flag
                .first()
                .is_some_and(|word| word.starts_with("--crate-type"));
            if is_type && !has_main {
                WITHOUT_MAIN
            } else {
                PRIOR
            }
        };
        let items = self.flags.iter().map(|flag| Item {
            weight: 1,
            prior: Some(prior(flag)),
        });
        items.collect()
    }

    fn arguments(&self, flags: &[usize]) -> Vec<OsString> {
        let words = flags.iter().flat_map(|at| &self.flags[*at]);
        words.map(OsString::from).collect()
    }

    /// What rustc prints when it crashes in the same way with only `flags`.
    fn crashes(
        &self,
        subject: &Subject,
        name: &Path,
        flags: &[usize],
    ) -> Result<Option<String>, Failure> {
        let mut args = self.arguments(flags);
        args.extend([
            name.into(),
            "--out-dir".into(),
            self.scratch.join("out").into(),
        ]);
        let root = self.scratch.join("candidate");
        let invocation = Invocation {
            program: self.rustc.to_path_buf(),
            args,
            env: Vec::new(),
            cwd: root.clone(),
        };
        let limits = Limits {
            timeout: self.timeout,
            busy: None,
            output_bytes: 1 << 20,
            memory_bytes: None,
            writable: None,
        };
        let rustc = ByCommand::new(Place::new(root), invocation, limits, self.cancel.clone());
        let (seen, outcome) = rustc
            .for_people(Place::new(self.scratch.join("shown")))
            .observe(subject, None)?;
        let same = self.signature.verdict(&seen) == Verdict::Interesting;
        let text = || String::from_utf8_lossy(&outcome.stderr).into_owned();
        Ok(same.then(text))
    }
}

/// Whether a program could start here.
fn has_main(subject: &Subject) -> bool {
    subject.sources().any(|(_, file, tree)| {
        let mut functions = tree
            .nodes()
            .filter(|(_, node)| node.kind == Kind::Item(ItemKind::Fn));
        functions.any(|(_, node)| {
            let name = node.name.clone();
            name.is_some_and(|name| &file.source()[name] == "main")
        })
    })
}

/// Puts `source` into `output` as [`NAME`].
///
/// # Errors
///
/// When it cannot be written.
pub(super) fn write(output: &Path, source: &str) -> Result<(), Failure> {
    write_atomically(&output.join(NAME), source.as_bytes())
}
