//! The oracle that is the user's own: a program that says by its exit code whether what lies before it is interesting.

use std::time::{Duration, Instant};

use super::{Judged, Oracle, Stage, Verdict};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;

/// A program, and the place where candidates are put before it runs.
pub struct Script {
    place: Place,
    invocation: Invocation,
    limits: Limits,
    cancel: Cancel,
}

impl Script {
    /// An oracle that writes candidates to `place` and runs `invocation`, whose working directory lies there.
    pub fn new(place: Place, invocation: Invocation, limits: Limits, cancel: Cancel) -> Script {
        Script {
            place,
            invocation,
            limits,
            cancel,
        }
    }

    /// How the program ends on `subject`.
    ///
    /// # Errors
    ///
    /// When the subject cannot be written or the program cannot be run; [`Failure::Interrupted`] when it was
    /// cancelled or `deadline` came first.
    pub fn observe(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(subject)
            .map_err(Failure::io("writing a candidate to", &root))?;
        let temporary = self
            .place
            .temporary()
            .map_err(Failure::io("making room for temporary files beside", &root))?;
        let mut invocation = self.invocation.clone();
        invocation
            .env
            .push(("TMPDIR".into(), Some(temporary.into())));
        let limits = super::until(&self.limits, deadline);
        let outcome = exec::run(&invocation, &limits, &self.cancel).map_err(|error| {
            Failure::BrokenScript {
                script: self.invocation.program.clone(),
                why: super::replayed::chain(&error),
            }
        })?;
        if outcome.ending == Ending::Cancelled
            || outcome.ending == Ending::TimedOut && limits != self.limits
        {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }

    /// Time that the program may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.limits.timeout = timeout;
    }
}

impl Oracle for Script {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let outcome = self.observe(candidate, deadline)?;
        let printed = [&outcome.stdout[..], &outcome.stderr[..]].concat();
        let (verdict, output) = if outcome.success() {
            let text = String::from_utf8_lossy(&printed);
            let shown = super::without_scratch(&text, self.place.root());
            (Verdict::Interesting, shown)
        } else {
            (Verdict::Uninteresting(Stage::Run), String::new())
        };
        Ok(Judged {
            output,
            verdict,
            cpu: outcome.cpu,
            wall: outcome.wall,
            errors: Vec::new(),
        })
    }
}
