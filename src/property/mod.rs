//! Properties: what has to stay true, and the oracle that finds out whether it does. An oracle
//! knows candidates and verdicts; it never knows which pass asked.

mod at_once;
pub mod by_cargo;
pub mod by_command;
pub mod contrast;
mod course;
pub mod crash;
pub mod crew;
pub mod failure;
pub mod flaky;
pub mod guards;
pub mod hang;
pub mod ice_package;
mod own_crate;
mod preload;
mod probe;
pub mod replayed;
pub mod script;
pub mod signature;
pub mod stack;
pub mod test;
pub mod tool_signature;
pub mod twin;

use std::path::Path;
use std::time::{Duration, Instant};

use crate::build::{Diagnostic, Executable};
use crate::exec::Limits;
use crate::report::Failure;
use crate::subject::Subject;
use failure::TestFailure;
pub use probe::{EVALUATIONS, Evaluation, Setting};
use stack::Depth;

/// How far a candidate got before it turned out not to be interesting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// It does not parse.
    Parse,
    /// It does not compile.
    Compile,
    /// It compiles, and nothing fails or crashes.
    Run,
    /// It fails in the same way, and so does something that has to pass.
    Guard,
}

/// What the oracle says of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It shows the same failure.
    Interesting,
    /// It does not.
    Uninteresting(Stage),
    /// It fails, but not in the same way; how it fails.
    Slipped(String),
}

/// A verdict and what it cost.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// User and system time of all processes.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
    /// What was printed, when the candidate slipped or is interesting.
    pub output: String,
    /// The compile errors, where the oracle knows them; if it compiles and the run ends at a stub, [where](Diagnostic::reached).
    pub errors: Vec<Diagnostic>,
}

/// What came of a subject with probes in it; of a run, the numbers of the probes that were hit.
#[derive(Debug, Clone)]
pub enum Traced<T = Vec<u32>> {
    /// It ran.
    Ran(T),
    /// It does not compile, for these reasons.
    Errors(Vec<Diagnostic>),
    /// It compiles, and there is nothing to run.
    Nothing,
}

impl<T> Traced<T> {
    /// The same with what `then` makes of what ran.
    pub fn map<U>(self, then: impl FnOnce(T) -> U) -> Traced<U> {
        match self {
            Traced::Ran(seen) => Traced::Ran(then(seen)),
            Traced::Errors(errors) => Traced::Errors(errors),
            Traced::Nothing => Traced::Nothing,
        }
    }

    /// The same, where what is made of it may fail.
    fn try_map<U, E>(self, then: impl FnOnce(T) -> Result<U, E>) -> Result<Traced<U>, E> {
        Ok(match self {
            Traced::Ran(seen) => Traced::Ran(then(seen)?),
            Traced::Errors(errors) => Traced::Errors(errors),
            Traced::Nothing => Traced::Nothing,
        })
    }
}

/// What is compiled once and run with any of its switches off.
#[derive(Debug, Clone)]
pub struct Prepared {
    executable: Executable,
    subject: Subject,
}

/// A run of what was prepared.
#[derive(Debug, Clone)]
pub struct Switching {
    /// What it shows.
    pub judged: Judged,
    /// The steps that it took, as the highest power of two.
    pub steps: u64,
    /// It did not come to its end in time.
    pub timed_out: bool,
}

/// A run of what was prepared, to see whether the test passes in it.
#[derive(Debug, Clone)]
pub struct Turned {
    /// The test passed, or failed behind what it fails with otherwise.
    pub passes: bool,
    /// With what it failed, if it did.
    pub failure: Option<TestFailure>,
    /// The numbers of what was evaluated, see [`Evaluation::Told`].
    pub evaluated: Vec<usize>,
    /// The processor time that it took.
    pub cpu: Duration,
    /// How long it took.
    pub wall: Duration,
    /// It did not come to its end in time.
    pub timed_out: bool,
    /// It took all the steps that it was given.
    pub cut_short: bool,
}

/// A signal as people know it: `SIGSEGV`.
fn signal_name(signal: i32) -> String {
    signal_hook::low_level::signal_name(signal)
        .map_or_else(|| format!("signal {signal}"), str::to_string)
}

/// Runs the property on candidates.
pub trait Oracle {
    /// The verdict on `candidate`.
    ///
    /// # Errors
    ///
    /// When no verdict can be had: a full disk, a missing compiler; [`Failure::Interrupted`] when it
    /// was cancelled or `deadline` came first.
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure>;

    /// Compiles and runs `probed`, whose probes call `cargo_reduce_probe::hit`: which of them ran,
    /// or why it does not compile.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn trace(&mut self, probed: &Subject) -> Result<Traced, Failure> {
        let _ = probed;
        Ok(Traced::Nothing)
    }

    /// Compiles and runs `asking`, whose functions tell `cargo_reduce_probe::is` what types they are about: the number of each question
    /// with a type's name, or why it does not compile.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn types(&mut self, asking: &Subject) -> Result<Traced<Vec<(u32, String)>>, Failure> {
        let _ = asking;
        Ok(Traced::Nothing)
    }

    /// Compiles `switched`, whose switches ask `cargo_reduce_probe` whether they are on, for any number of runs; until the
    /// `deadline`, at most.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn prepare(
        &mut self,
        switched: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Traced<Prepared>, Failure> {
        let _ = (switched, deadline);
        Ok(Traced::Nothing)
    }

    /// What was `prepared` last shows when it runs with this `setting`. Where it does not come to its end within the steps of that,
    /// it shows nothing, unless it is to hang.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn judge_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
        deadline: Option<Instant>,
    ) -> Result<Switching, Failure> {
        let _ = (prepared, setting, deadline);
        Err(Failure::Bug {
            doing: "running otherwise than the text says".into(),
            why: "this property prepares nothing".into(),
        })
    }

    /// Whether the test passes when what was `prepared` last runs with this `setting`.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn passes_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
        deadline: Option<Instant>,
    ) -> Result<Turned, Failure> {
        let _ = (prepared, setting, deadline);
        Err(Failure::Bug {
            doing: "running otherwise than the text says".into(),
            why: "this property prepares nothing".into(),
        })
    }

    /// The verdicts on `candidates`, made from `best`, in less time than it takes to judge them one by one; `None` for those of
    /// which that cannot be had so, and for all where it cannot be done. What is interesting has to prove so alone; what is refused
    /// would be.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn judge_at_once(
        &mut self,
        best: &Subject,
        candidates: &[Subject],
        deadline: Option<Instant>,
    ) -> Result<Option<Vec<Option<Judged>>>, Failure> {
        let _ = (best, candidates, deadline);
        Ok(None)
    }

    /// How many candidates can be judged at the same time; none if one after the other.
    fn side_by_side(&self) -> usize {
        0
    }

    /// Begins with the first of `next`, which it is likely to be asked about in this order, and ends what it has begun besides. Nothing
    /// comes of it until then.
    ///
    /// # Errors
    ///
    /// When it cannot begin.
    fn expect(&mut self, next: &[Subject], deadline: Option<Instant>) -> Result<(), Failure> {
        let _ = (next, deadline);
        Ok(())
    }

    /// Takes note that `candidate` is interesting, which is known without a run.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn remember(&mut self, candidate: &Subject) -> Result<(), Failure> {
        let _ = candidate;
        Ok(())
    }

    /// How deep a recursion of `subject` goes that overflows the stack; `None` where the stack is not the property's to choose, or
    /// nothing compiles.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn depth(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<Depth>, Failure> {
        let _ = (subject, deadline);
        Ok(None)
    }

    /// What the lints of rustc's group `unused` say of `subject`, without running it; nothing if this property does not ask rustc.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let _ = subject;
        Ok(Vec::new())
    }

    /// What macros of `subject` expand to, as rustc traces it; nothing if this property does not ask rustc.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn expansions(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        let _ = subject;
        Ok(Vec::new())
    }

    /// How many bytes of source the compiler reads once all macros of `subject` are expanded, in the crate that shows the failure;
    /// `None` if this property cannot tell.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn expanded(&mut self, subject: &Subject) -> Result<Option<usize>, Failure> {
        let _ = subject;
        Ok(None)
    }

    /// How many subjects have to have become the best, one after the other, before it is worth having the last confirmed.
    fn confirms_after(&self) -> usize {
        0
    }

    /// Whether `best`, which was judged interesting, proves so in fresh runs; `None` if each run shows the same.
    ///
    /// # Errors
    ///
    /// As for [`judge`](Self::judge).
    fn confirm(
        &mut self,
        best: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<bool>, Failure> {
        let _ = (best, deadline);
        Ok(None)
    }

    /// Whether a refusal may be due to chance, so that a candidate may be asked about once more.
    fn may_err(&self) -> bool {
        false
    }

    /// Whether `candidate`, which is interesting and as large, is better than `best` all the same.
    fn prefers(&self, candidate: &Subject, best: &Subject) -> bool {
        let _ = (candidate, best);
        true
    }
}

/// `text` with the files in `root`, a scratch directory, named as from there.
fn without_scratch(text: &str, root: &Path) -> String {
    let root = root.display().to_string();
    text.replace(&format!("{root}/"), "").replace(&root, ".")
}

/// `limits`, cut short by `deadline`.
fn until(limits: &Limits, deadline: Option<Instant>) -> Limits {
    let mut limits = limits.clone();
    if let Some(deadline) = deadline {
        limits.timeout = limits
            .timeout
            .min(deadline.saturating_duration_since(Instant::now()));
    }
    limits
}
