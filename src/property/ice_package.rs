//! The oracle for a package that crashes the compiler: the rustc call that crashed, replayed.

use std::time::Instant;

use super::by_command::{Terms, more_time, set_right, starved};
use super::crash::Seen;
use super::crew::{Colleague, Crew};
use super::replayed::{self, Replayed};
use super::tool_signature::ToolSignature;
use super::{Judged, Oracle, Stage, Verdict};
use crate::build::{Compiled, Step, Unit};
use crate::exec::{Cancel, Ending, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;

/// The units up to the one that crashes.
pub struct IcePackage {
    replayed: Replayed,
    signature: Option<ToolSignature>,
    busy: bool,
    crew: Crew<IcePackage>,
}

/// What one step of a build shows, its messages taken for what it would have printed.
pub fn seen(step: &Step) -> Seen {
    let rendered = step
        .messages
        .diagnostics
        .iter()
        .filter_map(|found| found.rendered.as_deref());
    let mut text: String = rendered.collect();
    text.push_str(&step.messages.text);
    let outcome = step.outcome.clone().unwrap_or(Outcome {
        ending: Ending::Exited(0),
        stdout: Vec::new(),
        stderr: Vec::new(),
        wall: Default::default(),
        cpu: Default::default(),
    });
    Seen::of(&Outcome {
        stderr: text.into_bytes(),
        ..outcome
    })
}

impl IcePackage {
    /// An oracle over `replayed`.
    pub fn new(replayed: Replayed) -> IcePackage {
        IcePackage {
            replayed,
            signature: None,
            busy: false,
            crew: Crew::default(),
        }
    }

    /// The same with `others` beside it, which replay the same build elsewhere.
    pub fn beside(mut self, others: impl IntoIterator<Item = IcePackage>) -> IcePackage {
        self.crew = Crew::of(others);
        self
    }

    /// What candidates have to show.
    pub fn set_signature(&mut self, signature: ToolSignature) {
        self.signature = Some(signature);
    }

    /// The unit that crashes.
    pub fn last_unit(&self) -> Option<&Unit> {
        self.replayed.last_unit()
    }

    /// The builds that it replays.
    pub fn replayed(&mut self) -> &mut Replayed {
        &mut self.replayed
    }

    /// Limits of each rustc from now on. `busy`: as for [`ByCommand::set_timeout`](super::by_command::ByCommand::set_timeout).
    pub fn set_limits(&mut self, limits: Limits, busy: bool) {
        self.replayed.set_limits(limits);
        self.busy = busy;
    }

    /// What the last unit that was compiled shows of `subject`, with what it cost.
    ///
    /// # Errors
    ///
    /// As for [`Oracle::judge`].
    pub fn observe(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Seen, Judged), Failure> {
        let started = Instant::now();
        // What an incremental directory holds may hide a crash, or cause one.
        let mut compiled = self.replayed.compile(subject, deadline, false)?;
        let mut seen = compiled.failed().map(seen).unwrap_or_default();
        let limits = self.replayed.limits().clone();
        let last =
            |compiled: &Compiled| compiled.steps.last().and_then(|step| step.outcome.clone());
        if self.busy && last(&compiled).is_some_and(|it| starved(&it, limits.timeout)) {
            self.replayed.set_limits(more_time(&limits));
            let again = self.replayed.compile(subject, deadline, false);
            self.replayed.set_limits(limits.clone());
            compiled = again?;
            seen = compiled.failed().map(self::seen).unwrap_or_default();
            if let Some(outcome) = last(&compiled) {
                set_right(&mut seen, &outcome, limits.timeout);
            }
        }
        let judged = Judged {
            verdict: Verdict::Uninteresting(Stage::Run),
            cpu: compiled.cpu(),
            wall: started.elapsed(),
            errors: replayed::errors(&compiled),
            output: compiled
                .failed()
                .map(|step| step.messages.text.clone())
                .unwrap_or_default(),
        };
        Ok((seen, judged))
    }
}

impl Colleague for IcePackage {
    type Terms = Terms;

    fn adopt(&mut self, terms: Terms, cancel: Cancel) {
        self.replayed.set_limits(terms.limits);
        self.replayed.set_cancel(cancel);
        self.signature = terms.signature;
        self.busy = terms.busy;
    }
}

impl Oracle for IcePackage {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let cancel = self.replayed.cancel();
        let answer = self.crew.answer(candidate, cancel, deadline);
        if let Some(answer) = answer {
            return answer;
        }
        let (seen, mut judged) = self.observe(candidate, deadline)?;
        if let Some(signature) = &self.signature {
            judged.verdict = signature.verdict(&seen);
        }
        Ok(judged)
    }

    fn side_by_side(&self) -> usize {
        self.crew.members()
    }

    fn expect(&mut self, next: &[Subject], deadline: Option<Instant>) -> Result<(), Failure> {
        let terms = Terms {
            limits: self.replayed.limits().clone(),
            signature: self.signature.clone(),
            busy: self.busy,
        };
        let cancel = self.replayed.cancel();
        self.crew.begin_with(next, &terms, cancel, deadline)
    }
}
