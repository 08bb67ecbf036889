//! What a replay is asked for and what it answers; must not do any of it.

use std::path::Path;
use std::time::Duration;

use crate::exec::{Cancel, Invocation, Limits, Outcome};

use super::command::{Addition, Emit};
use super::dep_info::DepInfo;
use super::diagnostic::Messages;
use super::executable::Executable;
use super::unit::Unit;

/// Which units a job is about. What they depend on is compiled as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// All but host units.
    All,
    /// These, by index. A host unit that is named is compiled and used; one that is not stays as cargo built it.
    Units(&'a [usize]),
}

/// What to compile, and how.
#[derive(Clone, Copy)]
pub struct Job<'a> {
    /// The root of the source: a directory laid out like the captured one. Must not change meanwhile.
    /// Incremental compilation pays only while it is the same directory.
    pub tree: &'a Path,
    /// Which units.
    pub wanted: Wanted<'a>,
    /// What to compile them to.
    pub emit: Emit,
    /// With incremental directories; without them nothing that an earlier compilation left can play a role.
    pub incremental: bool,
    /// Whether to compile a unit even if nothing it is known to read has changed: for what dep-info does not tell.
    pub changed: &'a dyn Fn(&Unit) -> bool,
    /// What to add to a unit's command line.
    pub addition: &'a dyn Fn(&Unit) -> Addition,
    /// The limits of each rustc.
    pub limits: &'a Limits,
    /// Ends the job: the step it is at ends as cancelled.
    pub cancel: &'a Cancel,
}

impl<'a> Job<'a> {
    /// All units, incrementally, with nothing added.
    pub fn new(tree: &'a Path, emit: Emit, limits: &'a Limits, cancel: &'a Cancel) -> Self {
        Job {
            tree,
            wanted: Wanted::All,
            emit,
            incremental: true,
            changed: &|_| false,
            addition: &|_| Addition::default(),
            limits,
            cancel,
        }
    }
}

/// How far a job came.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// One per unit that was compiled or found up to date, in order. Only the last can have failed.
    pub steps: Vec<Step>,
    /// What was linked, if the job succeeded.
    pub executables: Vec<Executable>,
}

/// One unit of a job.
#[derive(Debug, Clone)]
pub struct Step {
    /// Its index.
    pub unit: usize,
    /// The command line.
    pub invocation: Invocation,
    /// How rustc ended; `None` if the unit was up to date. Standard error has gone into `messages`.
    pub outcome: Option<Outcome>,
    /// What rustc said when it compiled this.
    pub messages: Messages,
    /// What rustc read, with files relative to the tree if they lie there. `None` if it failed too early to say.
    pub read: Option<DepInfo>,
}

impl Step {
    /// Whether rustc succeeded, now or before.
    pub fn success(&self) -> bool {
        self.outcome.as_ref().is_none_or(Outcome::success)
    }
}

impl Compiled {
    /// The step that stopped the job.
    pub fn failed(&self) -> Option<&Step> {
        self.steps.last().filter(|step| !step.success())
    }

    /// User and system time of all steps.
    pub fn cpu(&self) -> Duration {
        let outcomes = self.steps.iter().filter_map(|step| step.outcome.as_ref());
        outcomes.map(|outcome| outcome.cpu).sum()
    }
}
