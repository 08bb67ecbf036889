//! The oracle for a package that crashes the compiler: the rustc call that crashed, replayed.

use std::time::Instant;

use super::crash::{Crash, Report, Seen, errors_allowed};
use super::replayed::{self, Replayed};
use super::{Judged, Oracle, Stage, Verdict};
use crate::build::{Step, Unit};
use crate::exec::{Ending, Outcome};
use crate::report::Failure;
use crate::request::{ErrorPolicy, IceMatch};
use crate::subject::Subject;

/// The units up to the one that crashes.
pub struct IcePackage {
    replayed: Replayed,
    matching: IceMatch,
    errors: ErrorPolicy,
    original: Option<Seen>,
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
    pub fn new(replayed: Replayed, matching: IceMatch, errors: ErrorPolicy) -> IcePackage {
        IcePackage {
            replayed,
            matching,
            errors,
            original: None,
        }
    }

    /// What the compiler reported of the original: nothing before [`baseline`](Self::baseline).
    pub fn report(&self) -> Report {
        let original = self.original.as_ref();
        original.map(|seen| seen.report.clone()).unwrap_or_default()
    }

    /// What the original showed: nothing before [`baseline`](Self::baseline).
    pub fn original(&self) -> Option<&Seen> {
        self.original.as_ref()
    }

    /// The unit that crashes.
    pub fn last_unit(&self) -> Option<&Unit> {
        self.replayed.last_unit()
    }

    /// The builds that it replays.
    pub fn replayed(&mut self) -> &mut Replayed {
        &mut self.replayed
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
        let compiled = self.replayed.compile(subject, deadline, false)?;
        let seen = compiled.failed().map(seen).unwrap_or_default();
        let outcomes = compiled
            .steps
            .iter()
            .filter_map(|step| step.outcome.as_ref());
        let judged = Judged {
            verdict: Verdict::Uninteresting(Stage::Run),
            cpu: outcomes.map(|outcome| outcome.cpu).sum(),
            wall: started.elapsed(),
            errors: replayed::errors(&compiled),
            output: compiled
                .failed()
                .map(|step| step.messages.text.clone())
                .unwrap_or_default(),
        };
        Ok((seen, judged))
    }

    /// Takes the crash of `subject`, the original, as the signature; `None` if it does not crash.
    ///
    /// # Errors
    ///
    /// As for [`Oracle::judge`].
    pub fn baseline(&mut self, subject: &Subject) -> Result<Option<(Crash, Judged)>, Failure> {
        let (seen, judged) = self.observe(subject, None)?;
        let crash = seen.crash.clone();
        self.original = Some(seen);
        Ok(crash.map(|crash| (crash, judged)))
    }
}

impl Oracle for IcePackage {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let (seen, mut judged) = self.observe(candidate, deadline)?;
        judged.verdict = match (&self.original, &seen.crash) {
            (
                Some(Seen {
                    crash: Some(original),
                    errors,
                    ..
                }),
                Some(crash),
            ) => {
                if !original.same(crash, self.matching) {
                    Verdict::Slipped(crash.title())
                } else if errors_allowed(self.errors, errors, &seen.errors) {
                    Verdict::Interesting
                } else {
                    Verdict::Uninteresting(Stage::Compile)
                }
            }
            _ if seen.errors.is_empty() => Verdict::Uninteresting(Stage::Run),
            _ => Verdict::Uninteresting(Stage::Compile),
        };
        Ok(judged)
    }
}
