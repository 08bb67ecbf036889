//! Candidates of a package compiled by replayed rustc calls: the part that the oracles for tests
//! and for crashes share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::build::{
    Addition, BuildError, Captured, Compiled, Diagnostic, Emit, Fidelity, Job, Level, Replay, Unit,
    Wanted,
};
use crate::exec::{Cancel, Ending, Limits};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;

/// Lints that deny are errors for cargo too, so they are for us.
const FIDELITY: Fidelity = Fidelity {
    debug_info: false,
    lints: true,
};

/// As cargo compiles it.
const FULL_FIDELITY: Fidelity = Fidelity {
    debug_info: true,
    lints: true,
};

/// Where what is compiled with full fidelity goes, in the directory of the rest.
const FAITHFUL: &str = "faithful";

/// Has a compiler that is released take options that are unstable.
fn unstable() -> (String, Option<String>) {
    ("RUSTC_BOOTSTRAP".to_string(), Some("1".to_string()))
}

/// What every command line gets: warnings would only be printed and thrown away.
fn quiet(mut addition: Addition) -> Addition {
    addition.args.push("-Awarnings".into());
    addition
}

/// Lints of what is undefined behaviour wherever it runs: what it does differs with and without debug information, and from one
/// day to the next.
const UNDEFINED: [&str; 4] = [
    "invalid_value",
    "deref_nullptr",
    "dangling_pointers_from_temporaries",
    "dangling_pointers_from_locals",
];

/// A place with a subject in it, and the units that are compiled from it.
pub struct Replayed {
    place: Place,
    replay: Replay,
    /// The same with full fidelity, once that has been asked for.
    faithful: Option<Replay>,
    units: Vec<usize>,
    emit: Emit,
    limits: Limits,
    cancel: Cancel,
    directory: PathBuf,
    warnings: bool,
    takes_undefined: bool,
}

impl Replayed {
    /// Compiles the captured units `units` of what lies in `place`; outputs go to `directory`.
    ///
    /// # Errors
    ///
    /// When `directory` cannot be made.
    pub fn new(
        place: Place,
        captured: Arc<Captured>,
        directory: &std::path::Path,
        units: Vec<usize>,
        emit: Emit,
        limits: Limits,
        cancel: Cancel,
    ) -> Result<Replayed, Failure> {
        let replay = Replay::new(captured, directory, FIDELITY).map_err(failure)?;
        Ok(Replayed {
            place,
            replay,
            faithful: None,
            units,
            emit,
            limits,
            cancel,
            directory: directory.to_path_buf(),
            warnings: false,
            takes_undefined: true,
        })
    }

    /// Whether what rustc knows to be undefined behaviour compiles; it does if nothing else is said.
    pub fn takes_undefined(&self) -> bool {
        self.takes_undefined
    }

    /// Says whether what rustc knows to be undefined behaviour compiles from now on.
    pub fn take_undefined(&mut self, takes: bool) {
        self.takes_undefined = takes;
    }

    /// Leaves warnings on: for tools that look for something only where they would warn of it.
    pub fn with_warnings(mut self) -> Replayed {
        self.warnings = true;
        self
    }

    /// Limits of each rustc, as they are now.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where outputs go.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Where candidates lie.
    pub fn root(&self) -> &std::path::Path {
        self.place.root()
    }

    /// An empty directory for the temporary files (`TMPDIR`) of what is to be started next.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn temporary(&self) -> Result<PathBuf, Failure> {
        self.place.temporary().map_err(Failure::io(
            "making room for temporary files beside",
            self.place.root(),
        ))
    }

    /// The unit that is compiled last.
    pub fn last_unit(&self) -> Option<&Unit> {
        self.units.last().map(|at| &self.captured().units[*at])
    }

    /// The units that are compiled, by index, in the order in which they are.
    pub fn units(&self) -> &[usize] {
        &self.units
    }

    /// The captured build.
    pub fn captured(&self) -> &Captured {
        self.replay.captured()
    }

    /// The captured build, to be replayed in another place too.
    pub fn shared(&self) -> Arc<Captured> {
        self.replay.shared()
    }

    /// What ends it.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// What ends it from now on.
    pub fn set_cancel(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// Limits of each rustc.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// Compiles `candidate`, with nothing added to the command lines.
    ///
    /// # Errors
    ///
    /// When it cannot be written or rustc cannot be run; [`Failure::Interrupted`] when cancelled.
    pub fn compile(
        &mut self,
        candidate: &Subject,
        deadline: Option<std::time::Instant>,
        incremental: bool,
    ) -> Result<Compiled, Failure> {
        self.compile_with(candidate, deadline, incremental, &|_| Addition::default())
    }

    /// Compiles `candidate` as cargo does when it has compiled nothing before.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn compile_faithfully(
        &mut self,
        candidate: &Subject,
        deadline: Option<std::time::Instant>,
    ) -> Result<Compiled, Failure> {
        let mut faithful = match self.faithful.take() {
            Some(faithful) => faithful,
            None => {
                let directory = self.directory.join(FAITHFUL);
                Replay::new(self.shared(), &directory, FULL_FIDELITY).map_err(failure)?
            }
        };
        std::mem::swap(&mut self.replay, &mut faithful);
        let compiled = self.compile(candidate, deadline, false);
        std::mem::swap(&mut self.replay, &mut faithful);
        self.faithful = Some(faithful);
        compiled
    }

    /// Compiles `candidate`. `deadline` cuts the time of each rustc short; `addition` is what a
    /// unit's command line gets besides.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn compile_with(
        &mut self,
        candidate: &Subject,
        deadline: Option<std::time::Instant>,
        incremental: bool,
        addition: &dyn Fn(&Unit) -> Addition,
    ) -> Result<Compiled, Failure> {
        self.compile_to(self.emit, candidate, deadline, incremental, addition)
    }

    /// What the lints of the group `unused` say of `subject`.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let mut said = self.said(subject, "--force-warn=unused", &[])?;
        said.retain(|found| found.level == Level::Warning);
        Ok(said)
    }

    /// What macros of `subject` expand to, step by step: a note for each call, with a pair of notes for each step. Compilers that
    /// are released tell that, too, if they are asked as one that is not.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn expansions(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let mut said = self.said(subject, "-Ztrace-macros", &[unstable()])?;
        said.retain(|found| found.level == Level::Note);
        Ok(said)
    }

    /// How many bytes of source the last unit of `subject` is once all macros are expanded; `None` if that cannot be had.
    ///
    /// # Errors
    ///
    /// As for [`compile`](Self::compile).
    pub fn expanded(&mut self, subject: &Subject) -> Result<Option<usize>, Failure> {
        let last = self.units.last().copied();
        let captured = self.shared();
        let addition = |unit: &Unit| match last.is_some_and(|at| captured.units[at] == *unit) {
            true => Addition {
                args: vec!["-Zunpretty=expanded".into()],
                env: vec![unstable()],
                ..Addition::default()
            },
            false => Addition::default(),
        };
        let compiled = self.compile_to(Emit::Metadata, subject, None, false, &addition)?;
        let step = compiled.steps.last();
        let step = step.filter(|step| Some(step.unit) == last && step.success());
        Ok(step.and_then(|step| Some(step.outcome.as_ref()?.stdout.len())))
    }

    /// All that rustc says of `subject` with one more argument and these variables, up to where types are known.
    fn said(
        &mut self,
        subject: &Subject,
        argument: &str,
        env: &[(String, Option<String>)],
    ) -> Result<Vec<Diagnostic>, Failure> {
        let addition = |_: &Unit| Addition {
            args: vec![argument.into()],
            env: env.to_vec(),
            ..Addition::default()
        };
        let compiled = self.compile_to(Emit::Metadata, subject, None, true, &addition)?;
        let said = compiled
            .steps
            .into_iter()
            .flat_map(|step| step.messages.diagnostics);
        Ok(said.collect())
    }

    fn compile_to(
        &mut self,
        emit: Emit,
        candidate: &Subject,
        deadline: Option<std::time::Instant>,
        incremental: bool,
        addition: &dyn Fn(&Unit) -> Addition,
    ) -> Result<Compiled, Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(candidate)
            .map_err(Failure::io("writing a candidate to", &root))?;
        let limits = super::until(&self.limits, deadline);
        let temporary = self.temporary()?;
        let (warnings, takes_undefined) = (self.warnings, self.takes_undefined);
        let addition = |unit: &Unit| {
            let mut addition = addition(unit);
            if !warnings {
                addition = quiet(addition);
            }
            if !takes_undefined {
                let refused = UNDEFINED.map(|lint| format!("-D{lint}"));
                addition.args.extend(refused);
            }
            let temporary = Some(temporary.display().to_string());
            addition.env.push(("TMPDIR".into(), temporary));
            addition
        };
        let job = Job {
            wanted: Wanted::Units(&self.units),
            incremental,
            addition: &addition,
            ..Job::new(&root, emit, &limits, &self.cancel)
        };
        let compiled = self.replay.compile(&job).map_err(failure)?;
        let last = compiled.steps.last().and_then(|step| step.outcome.as_ref());
        if last.is_some_and(|outcome| {
            outcome.ending == Ending::Cancelled
                || outcome.ending == Ending::TimedOut && limits != self.limits
        }) {
            return Err(Failure::Interrupted);
        }
        Ok(compiled)
    }
}

/// The compile errors of a failed build.
pub fn errors(compiled: &Compiled) -> Vec<Diagnostic> {
    let Some(step) = compiled.failed() else {
        return Vec::new();
    };
    let errors = step
        .messages
        .diagnostics
        .iter()
        .filter(|found| found.level == Level::Error);
    errors.cloned().collect()
}

/// A [`BuildError`] as what the user is told.
pub fn failure(error: BuildError) -> Failure {
    match error {
        BuildError::File {
            doing,
            path,
            source,
        } => Failure::Io {
            action: doing,
            path,
            source,
        },
        other => Failure::NoToolchain {
            command: "rustc".into(),
            why: chain(&other),
        },
    }
}

/// `error` with its causes.
pub(super) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text.push_str(": ");
        text.push_str(&inner.to_string());
        source = inner.source();
    }
    text
}
