//! A failing test as a property.

use std::time::Instant;

use super::Test;
use super::probing::all_hits;
use crate::build::Diagnostic;
use crate::exec::Ending;
use crate::property::failure::{How, Place, TestFailure};
use crate::property::guards::Guards;
use crate::property::stack::Depth;
use crate::property::twin::{Passed, Passing};
use crate::property::{
    Judged, Oracle, Prepared, Setting, Stage, Switching, Traced, Turned, Verdict, replayed,
};
use crate::report::Failure;
use crate::subject::Subject;

/// What takes so many steps will not end: a test that hangs is not waited for while switches are tried.
const ENDLESS: u64 = 1 << 22;

/// After so many that were taken to hang for the CPU time they took, one is given the whole time: that costs about as much as
/// all of them did. With each that hangs after all, it is after twice as many.
const CONFIRMED_AFTER: usize = 8;

/// So often it becomes twice as many.
const TWICE: u32 = 3;

impl Test {
    /// Whether `failure` stands behind the one that is sought, in the same file: that has been passed then.
    fn is_behind(&self, failure: &TestFailure) -> bool {
        let sought = self.signature.as_ref().map(|signature| signature.how());
        match (sought, &failure.how) {
            (Some(How::Panic(Place::Origin(sought))), How::Panic(Place::Origin(place))) => {
                place.file == sought.file && place.offset > sought.offset
            }
            _ => false,
        }
    }
}

impl Oracle for Test {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let mut seen = self.in_a_hurry(|test| test.observe(candidate, deadline))?;
        let verdict = self.verdict(&mut seen, candidate, deadline)?;
        let verdict = self.faithfully(candidate, verdict, &mut seen.cpu, deadline)?;
        if let (Verdict::Interesting, Some(executable)) = (&verdict, &seen.executable)
            && self.ends_sought > 0
        {
            self.ask_for_its_end(executable, deadline)?;
        }
        let stub = seen.failure.as_ref().and_then(TestFailure::stub);
        if let (Verdict::Slipped(_), Some((file, at))) = (&verdict, stub) {
            let path = candidate.file(file).path.clone();
            self.errors = vec![Diagnostic::reached(path, at)];
        }
        let output = seen
            .ran
            .map(|outcome| String::from_utf8_lossy(&outcome.stderr).into_owned());
        Ok(Judged {
            output: output
                .filter(|_| !matches!(verdict, Verdict::Uninteresting(_)))
                .unwrap_or_default(),
            verdict,
            cpu: seen.cpu,
            wall: seen.wall,
            errors: self.errors.clone(),
        })
    }

    fn trace(&mut self, probed: &Subject) -> Result<Traced, Failure> {
        let traces = self.traces(probed, &self.all_runs(), None)?;
        Ok(traces.map(|traces| all_hits(&traces)))
    }

    fn types(&mut self, asking: &Subject) -> Result<Traced<Vec<(u32, String)>>, Failure> {
        let traces = self.traces(asking, &self.all_runs(), None)?;
        Ok(traces.map(|traces| traces.into_iter().flat_map(|trace| trace.types).collect()))
    }

    fn depth(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<Depth>, Failure> {
        if self.runs_a_program() {
            return Ok(None);
        }
        let executable = self.build(subject, deadline)?.executable;
        let depth = executable.map(|executable| self.depth_of(&executable, deadline));
        depth.transpose()
    }

    fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.lints(subject)
    }

    fn expansions(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.traced_macros(subject)
    }

    fn expanded(&mut self, subject: &Subject) -> Result<Option<usize>, Failure> {
        self.bytes_expanded(subject)
    }

    fn prepare(
        &mut self,
        switched: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Traced<Prepared>, Failure> {
        let executable = self.build_probed(switched, deadline)?;
        Ok(executable.map(|executable| Prepared {
            executable,
            subject: switched.clone(),
        }))
    }

    fn judge_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
        deadline: Option<Instant>,
    ) -> Result<Switching, Failure> {
        let hangs = self.is_to_hang();
        let most = if hangs { ENDLESS } else { setting.most };
        self.set(Setting { most, ..setting })?;
        let (executable, subject) = (&prepared.executable, &prepared.subject);
        let mut seen = self.observe_all_at_once(executable, subject, deadline)?;
        // How it died then says nothing.
        let ended = self.steps()? >= most;
        let verdict = match (hangs, ended) {
            (true, true) => self.verdict_besides(&mut seen, subject, deadline)?,
            (false, false) => self.verdict(&mut seen, subject, deadline)?,
            _ => Verdict::Uninteresting(Stage::Run),
        };
        // With the largest stack it was stopped on its way down.
        let verdict = match !hangs && self.has_to_end && self.steps()? >= most {
            true => Verdict::Uninteresting(Stage::Run),
            false => verdict,
        };
        let ending = seen.ran.map(|outcome| outcome.ending);
        let judged = Judged {
            output: String::new(),
            verdict,
            cpu: seen.cpu,
            wall: seen.wall,
            errors: Vec::new(),
        };
        Ok(Switching {
            judged,
            // Guards may take more.
            steps: self.steps()?,
            timed_out: ending == Some(Ending::TimedOut),
        })
    }

    fn passes_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
        deadline: Option<Instant>,
    ) -> Result<Turned, Failure> {
        let (most, time) = (setting.most, self.limits.timeout.max(setting.patience));
        let behind_is_fine = setting.behind_is_fine;
        self.set(setting)?;
        let (executable, subject) = (&prepared.executable, &prepared.subject);
        let seen = self.observe_run_for(time, executable, subject, deadline)?;
        let ending = seen.ran.map(|outcome| outcome.ending);
        let succeeds = ending == Some(Ending::Exited(0));
        let is_behind = |failure: &TestFailure| self.is_behind(failure);
        Ok(Turned {
            passes: succeeds || behind_is_fine && seen.failure.as_ref().is_some_and(is_behind),
            failure: seen.failure,
            evaluated: self.evaluated()?,
            cpu: seen.cpu,
            wall: seen.wall,
            timed_out: ending == Some(Ending::TimedOut),
            cut_short: self.steps()? >= most,
        })
    }

    fn confirms_after(&self) -> usize {
        match self.busy {
            Some(_) => CONFIRMED_AFTER << self.hung_after_all.min(TWICE),
            None => self.faithful_after(),
        }
    }

    fn confirm(
        &mut self,
        best: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<bool>, Failure> {
        if self.busy.is_none() {
            return self.confirmed_faithfully(best, deadline);
        }
        let mut seen = self.observe(best, deadline)?;
        let verdict = self.verdict(&mut seen, best, deadline)?;
        let hangs = verdict == Verdict::Interesting;
        self.hung_after_all = if hangs { self.hung_after_all + 1 } else { 0 };
        Ok(Some(hangs))
    }

    fn judge_at_once(
        &mut self,
        best: &Subject,
        candidates: &[Subject],
        deadline: Option<Instant>,
    ) -> Result<Option<Vec<Option<Judged>>>, Failure> {
        self.judged_at_once(best, candidates, deadline)
    }

    fn remember(&mut self, candidate: &Subject) -> Result<(), Failure> {
        if self.ends_sought > 0
            && let Some(executable) = self.build(candidate, None)?.executable
        {
            self.ask_for_its_end(&executable, None)?;
        }
        Ok(())
    }
}

impl Passing for Test {
    fn passes(
        &mut self,
        subject: &Subject,
        guards: &Guards,
        deadline: Option<Instant>,
    ) -> Result<Passed, Failure> {
        let started = Instant::now();
        let compiled = self.replayed.compile(subject, deadline, true)?;
        let mut passed = Passed {
            cpu: compiled.cpu(),
            errors: replayed::errors(&compiled),
            ..Passed::default()
        };
        let executable = self.executable(&compiled);
        if let Some(executable) = executable.filter(|_| compiled.failed().is_none()) {
            let args = guards.arguments();
            let outcome = self.execute(executable, &args, guards.timeout, deadline)?;
            passed.cpu += outcome.cpu;
            passed.ran(&outcome, guards);
        } else if let Some(step) = compiled.failed() {
            passed.output = step.messages.text.clone();
        }
        passed.wall = started.elapsed();
        Ok(passed)
    }
}
