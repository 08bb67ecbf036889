//! The oracle that runs one command on a candidate and looks at what it prints and how it ends: rustc or
//! another tool on a file, or cargo on a package. Knows no command lines.

use std::time::{Duration, Instant};

use super::crash::{Crash, Seen};
use super::crew::{Colleague, Crew};
use super::tool_signature::ToolSignature;
use super::{Judged, Oracle, Stage, Verdict};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;

/// A place and a command that is run there.
pub struct ByCommand {
    place: Place,
    invocation: Invocation,
    limits: Limits,
    cancel: Cancel,
    signature: Option<ToolSignature>,
    backtraces: bool,
    busy: bool,
    crew: Crew<ByCommand>,
}

/// What a candidate is judged by, and what it may use.
#[derive(Clone)]
pub struct Terms {
    pub(super) limits: Limits,
    pub(super) signature: Option<ToolSignature>,
    pub(super) busy: bool,
}

impl ByCommand {
    /// An oracle that writes candidates to `place` and runs `invocation`.
    pub fn new(place: Place, invocation: Invocation, limits: Limits, cancel: Cancel) -> ByCommand {
        ByCommand {
            place,
            invocation,
            limits,
            cancel,
            signature: None,
            backtraces: false,
            busy: false,
            crew: Crew::default(),
        }
    }

    /// The same with `others` beside it, which run the same command elsewhere.
    pub fn beside(mut self, others: impl IntoIterator<Item = ByCommand>) -> ByCommand {
        self.crew = Crew::of(others);
        self
    }

    /// What judges in another place as this one does, with `invocation`.
    pub fn elsewhere(&self, place: Place, invocation: Invocation) -> ByCommand {
        let mut other = ByCommand::new(place, invocation, self.limits.clone(), self.cancel.clone());
        other.adopt(self.terms(), self.cancel.clone());
        other
    }

    /// The same command in another place, with backtraces, for what people are to read.
    pub fn for_people(&self, place: Place) -> ByCommand {
        let mut invocation = self.invocation.clone();
        if let Ok(inside) = invocation.cwd.strip_prefix(self.place.root()) {
            invocation.cwd = place.root().join(inside);
        }
        let mut other = self.elsewhere(place, invocation);
        other.backtraces = true;
        other
    }

    fn terms(&self) -> Terms {
        Terms {
            limits: self.limits.clone(),
            signature: self.signature.clone(),
            busy: self.busy,
        }
    }

    /// What the command does with `subject`.
    ///
    /// # Errors
    ///
    /// When it cannot be written or the command cannot be run; [`Failure::Interrupted`] when it was cancelled or
    /// `deadline` came first.
    pub fn observe(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Seen, Outcome), Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(subject)
            .map_err(Failure::io("writing a candidate to", root))?;
        let outcome = self.run(&self.limits, deadline)?;
        if self.busy && starved(&outcome, self.limits.timeout) {
            let outcome = self.run(&more_time(&self.limits), deadline)?;
            let mut seen = Seen::of(&outcome);
            set_right(&mut seen, &outcome, self.limits.timeout);
            return Ok((seen, outcome));
        }
        Ok((Seen::of(&outcome), outcome))
    }

    fn run(&self, limits: &Limits, deadline: Option<Instant>) -> Result<Outcome, Failure> {
        let temporary = self.place.temporary().map_err(Failure::io(
            "making room for temporary files beside",
            self.place.root(),
        ))?;
        let mut invocation = self.invocation.clone();
        let backtrace = if self.backtraces { "1" } else { "0" };
        invocation.env.extend([
            ("RUSTC_ICE".into(), Some("0".into())),
            ("RUST_BACKTRACE".into(), Some(backtrace.into())),
            ("CARGO_INCREMENTAL".into(), Some("0".into())),
            ("TMPDIR".into(), Some(temporary.into())),
        ]);
        let cut = super::until(limits, deadline);
        let outcome =
            exec::run(&invocation, &cut, &self.cancel).map_err(|error| Failure::NoToolchain {
                command: invocation.program.display().to_string(),
                why: super::replayed::chain(&error),
            })?;
        if outcome.ending == Ending::Cancelled
            || outcome.ending == Ending::TimedOut && cut != *limits
        {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }

    /// What candidates have to show.
    pub fn set_signature(&mut self, signature: ToolSignature) {
        self.signature = Some(signature);
    }

    /// Time that a candidate may take from now on. `busy`: the original uses the processor all that time, so that
    /// one that waits for a processor and runs out of it has not shown the same.
    pub fn set_timeout(&mut self, timeout: Duration, busy: bool) {
        self.limits.timeout = timeout;
        self.busy = busy;
    }
}

/// Whether a run was out of time because it spent most of it waiting, on a machine that had none for it.
pub(super) fn starved(outcome: &Outcome, threshold: Duration) -> bool {
    outcome.ending == Ending::TimedOut && outcome.cpu < threshold / 2
}

/// What a run gets that was starved.
pub(super) fn more_time(limits: &Limits) -> Limits {
    Limits {
        timeout: limits.timeout * 4,
        ..limits.clone()
    }
}

/// Makes `seen`, of a run that got more time, say what one would have shown that got all of `threshold`: the processor's
/// time tells, not the clock's.
pub(super) fn set_right(seen: &mut Seen, outcome: &Outcome, threshold: Duration) {
    let timed_out = outcome.ending == Ending::TimedOut;
    let enough = if timed_out { threshold / 2 } else { threshold };
    if outcome.cpu >= enough {
        seen.crash = Some(Crash::hang());
    } else if timed_out {
        seen.crash = None;
    }
}

impl Colleague for ByCommand {
    type Terms = Terms;

    fn adopt(&mut self, terms: Terms, cancel: Cancel) {
        self.limits = terms.limits;
        self.signature = terms.signature;
        self.busy = terms.busy;
        self.cancel = cancel;
    }
}

impl Oracle for ByCommand {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let answer = self.crew.answer(candidate, &self.cancel, deadline);
        if let Some(answer) = answer {
            return answer;
        }
        let (seen, outcome) = self.observe(candidate, deadline)?;
        let verdict = match &self.signature {
            Some(signature) => signature.verdict(&seen),
            None => Verdict::Uninteresting(Stage::Run),
        };
        Ok(Judged {
            output: match verdict {
                Verdict::Uninteresting(_) => String::new(),
                _ => super::without_scratch(&seen.text, self.place.root()),
            },
            verdict,
            cpu: outcome.cpu,
            wall: outcome.wall,
            errors: Vec::new(),
        })
    }

    fn side_by_side(&self) -> usize {
        self.crew.members()
    }

    fn expect(&mut self, next: &[Subject], deadline: Option<Instant>) -> Result<(), Failure> {
        self.crew
            .begin_with(next, &self.terms(), &self.cancel, deadline)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ended(ending: Ending, cpu: u64) -> Outcome {
        Outcome {
            ending,
            stdout: Vec::new(),
            stderr: Vec::new(),
            wall: Duration::from_secs(40),
            cpu: Duration::from_secs(cpu),
        }
    }

    #[test]
    fn on_a_busy_machine_the_time_of_the_processor_tells_what_hangs() {
        let threshold = Duration::from_secs(10);
        for (ending, cpu, hangs) in [
            (Ending::TimedOut, 6, true),
            (Ending::TimedOut, 1, false),
            (Ending::Exited(0), 12, true),
            (Ending::Exited(0), 3, false),
        ] {
            let outcome = ended(ending, cpu);
            let mut seen = Seen::of(&outcome);
            set_right(&mut seen, &outcome, threshold);
            assert_eq!(seen.crash.is_some(), hangs, "{outcome:?}");
        }
        assert!(starved(&ended(Ending::TimedOut, 4), threshold));
        assert!(!starved(&ended(Ending::TimedOut, 5), threshold));
        assert!(!starved(&ended(Ending::Exited(0), 0), threshold));
    }
}
