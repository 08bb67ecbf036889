//! The oracle for a failing test: compile by replay, run the one test, compare the failure.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::failure::{How, Signature, TestFailure, observed, observed_of_program, overflowed};
use super::guards::Guards;
use super::probe::Probe;
use super::replayed::{self, Replayed};
use super::stack::Stack;
use super::twin::{Passed, Passing};
use super::{Judged, Oracle, Prepared, Stage, Switching, Traced, Verdict};
use crate::build::{Captured, Compiled, Diagnostic, Executable, ExecutableKind};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;

/// What takes so many steps will not end: a test that hangs is not waited for while switches are tried.
const ENDLESS: u64 = 1 << 22;

/// So many candidates that overflow the stack are asked whether they do with a larger one, if the original takes too long to
/// say: an integration test has a short input by then, and no code has gone that could have ended the recursion.
const STACKS_SOUGHT: usize = 16;

/// Which executable is run, and how.
#[derive(Debug, Clone)]
pub struct Run {
    /// The target's name.
    pub name: String,
    /// What it is made from.
    pub kind: ExecutableKind,
    /// The package.
    pub package: String,
    /// Arguments for the test harness, or for the program that it is instead.
    pub args: Vec<String>,
    /// It is no test harness.
    pub program: bool,
}

/// One test of a package.
pub struct Test {
    replayed: Replayed,
    run: Run,
    limits: Limits,
    cancel: Cancel,
    signature: Option<Signature>,
    guards: Option<Guards>,
    suffices: Option<Stack>,
    /// How many more candidates are asked which stack is large enough: less may tell what takes too long of more.
    stacks_sought: usize,
    errors: Vec<Diagnostic>,
    probe: Option<Probe>,
}

impl Test {
    /// An oracle that runs `run` under `limits`.
    pub fn new(replayed: Replayed, run: Run, limits: Limits, cancel: Cancel) -> Test {
        Test {
            replayed,
            run,
            limits,
            cancel,
            signature: None,
            guards: None,
            suffices: None,
            stacks_sought: 0,
            errors: Vec::new(),
            probe: None,
        }
    }

    /// The failure that candidates have to show.
    pub fn set_signature(&mut self, signature: Signature) {
        self.signature = Some(signature);
    }

    /// Tests that have to pass in candidates, from now on.
    pub fn set_guards(&mut self, guards: Guards) {
        self.guards = Some(guards).filter(|guards| !guards.names.is_empty());
    }

    /// A stack that no candidate may overflow, from now on, which overflows the usual one: its recursion has to end.
    pub fn set_stack_that_suffices(&mut self, stack: Stack) {
        self.suffices = Some(stack);
    }

    /// Seeks the stack that suffices for the next candidates that show the failure: it may take less time for them.
    pub fn seek_stack_that_suffices(&mut self) {
        self.stacks_sought = STACKS_SOUGHT;
    }

    /// Looks for the stack that suffices once more.
    fn seek_stack(
        &mut self,
        executable: &Executable,
        deadline: Option<Instant>,
    ) -> Result<(), Failure> {
        self.suffices = self.larger_stack(executable, deadline)?;
        self.stacks_sought = match self.suffices {
            Some(_) => 0,
            None => self.stacks_sought - 1,
        };
        Ok(())
    }

    /// Gives each rustc that is run from now on this long: a candidate may make it run for ever.
    pub fn set_compile_timeout(&mut self, timeout: Duration) {
        let limits = Limits {
            timeout,
            ..self.replayed.limits().clone()
        };
        self.replayed.set_limits(limits);
    }

    /// Time that the test may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.limits.timeout = timeout;
    }

    /// Time that the test may take.
    pub fn timeout(&self) -> Duration {
        self.limits.timeout
    }

    /// Lets the test write to these directories alone, where the system can do that; `None`: to any.
    pub fn confine_to(&mut self, writable: Option<Vec<PathBuf>>) {
        self.limits.writable = writable;
    }

    /// Whether what it runs is no test harness.
    pub fn runs_a_program(&self) -> bool {
        self.run.program
    }

    /// The captured build that it replays.
    pub fn captured(&self) -> &Captured {
        self.replayed.captured()
    }

    /// The same, for another oracle.
    pub fn shared(&self) -> std::sync::Arc<Captured> {
        self.replayed.shared()
    }

    /// The units of it that it compiles, by index.
    pub fn units(&self) -> &[usize] {
        self.replayed.units()
    }

    /// The directories that the test may write to; `None`: to any.
    pub fn confined_to(&self) -> Option<Vec<PathBuf>> {
        self.limits.writable.clone()
    }

    /// The compile errors of the candidate that was judged last.
    pub fn errors(&self) -> &[Diagnostic] {
        &self.errors
    }

    /// Compiles and runs `subject`: how the run ended, if it compiles, and the failure, if it fails.
    ///
    /// # Errors
    ///
    /// When it cannot be written, compiled or run at all.
    pub fn observe(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        let started = Instant::now();
        let built = self.build(subject, deadline)?;
        let Some(executable) = built.executable else {
            return Ok(Observed {
                executable: None,
                ran: None,
                failure: None,
                compile_output: built.output,
                cpu: built.cpu,
                wall: started.elapsed(),
            });
        };
        let mut observed = self.observe_run(&executable, subject, deadline)?;
        observed.cpu += built.cpu;
        observed.wall = started.elapsed();
        Ok(observed)
    }

    /// Runs `executable`, which was made of `subject`.
    pub(super) fn observe_run(
        &self,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        let started = Instant::now();
        let outcome = self.execute(executable, &self.run.args, self.limits.timeout, deadline)?;
        let base = self.base(executable);
        let observed = match self.run.program {
            true => observed_of_program,
            false => observed,
        };
        let failure = observed(&outcome, subject, self.root(), &base);
        Ok(Observed {
            executable: Some(executable.clone()),
            cpu: outcome.cpu,
            ran: Some(outcome),
            failure,
            compile_output: String::new(),
            wall: started.elapsed(),
        })
    }

    /// What `seen`, of `candidate`, says; whatever else has to be run for that adds to its time.
    pub(super) fn verdict(
        &self,
        seen: &mut Observed,
        candidate: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Verdict, Failure> {
        let verdict = self.compared(seen, candidate);
        match verdict {
            Verdict::Interesting => self.verdict_besides(seen, deadline),
            other => Ok(other),
        }
    }

    /// What the failure that was `seen`, of `candidate`, says.
    fn compared(&self, seen: &Observed, candidate: &Subject) -> Verdict {
        match (&seen.ran, &seen.failure, &self.signature) {
            (None, ..) => Verdict::Uninteresting(Stage::Compile),
            (_, Some(failure), Some(signature)) if signature.holds(failure) => Verdict::Interesting,
            (_, Some(failure), _) => Verdict::Slipped(failure.title(candidate)),
            _ => Verdict::Uninteresting(Stage::Run),
        }
    }

    /// What else has to be so where the failure itself is the one that is sought.
    fn verdict_besides(
        &self,
        seen: &mut Observed,
        deadline: Option<Instant>,
    ) -> Result<Verdict, Failure> {
        let Some(executable) = &seen.executable else {
            return Ok(Verdict::Interesting);
        };
        let overflows = |failure: &TestFailure| failure.how == How::Overflow;
        if let Some(stack) = self.suffices
            && seen.failure.as_ref().is_some_and(overflows)
        {
            let outcome = self.execute_with(executable, stack, deadline)?;
            seen.cpu += outcome.cpu;
            seen.wall += outcome.wall;
            // The original came to its end: what takes longer than it may is on its way down.
            if outcome.ending == Ending::TimedOut || overflowed(&outcome) {
                return Ok(Verdict::Slipped(format!(
                    "stack overflow with {stack}, too"
                )));
            }
        }
        if let Some(guards) = &self.guards {
            let outcome =
                self.execute(executable, &guards.arguments(), guards.timeout, deadline)?;
            seen.cpu += outcome.cpu;
            seen.wall += outcome.wall;
            if !guards.hold(&outcome) {
                return Ok(Verdict::Uninteresting(Stage::Guard));
            }
        }
        Ok(Verdict::Interesting)
    }

    /// Compiles `subject`, for it to be run any number of times.
    pub(super) fn build(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Built, Failure> {
        let compiled = self.replayed.compile(subject, deadline, true)?;
        let cpu = compiled
            .steps
            .iter()
            .filter_map(|step| Some(step.outcome.as_ref()?.cpu))
            .sum();
        self.errors = replayed::errors(&compiled);
        let executable = self
            .executable(&compiled)
            .filter(|_| compiled.failed().is_none());
        Ok(Built {
            executable: executable.cloned(),
            output: compiled
                .failed()
                .map(|step| step.messages.text.clone())
                .unwrap_or_default(),
            cpu,
        })
    }

    /// Where candidates lie.
    pub(super) fn root(&self) -> &Path {
        self.replayed.root()
    }

    /// The directory that paths in the panic messages of `executable` are relative to.
    pub(super) fn base(&self, executable: &Executable) -> PathBuf {
        let captured = self.replayed.captured();
        let root = self.root();
        captured.units[executable.unit]
            .cwd
            .strip_prefix(&captured.root)
            .map_or(root.to_path_buf(), |cwd| root.join(cwd))
    }

    /// Compiles a crate of many `versions`, of which nothing is worth keeping for the next.
    pub(super) fn compiled_at_once(
        &mut self,
        versions: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Compiled, Failure> {
        self.replayed.compile(versions, deadline, false)
    }

    /// The arguments that it is run with.
    pub(super) fn args(&self) -> &[String] {
        &self.run.args
    }

    /// The failure that candidates have to show.
    pub(super) fn signature(&self) -> Option<&Signature> {
        self.signature.as_ref()
    }

    /// Tests that have to pass in candidates.
    pub(super) fn guards(&self) -> Option<&Guards> {
        self.guards.as_ref()
    }

    /// Other tests that have to pass in candidates from now on.
    pub(super) fn replace_guards(&mut self, guards: Option<Guards>) {
        self.guards = guards;
    }

    /// Runs it with these arguments from now on; those until now.
    pub(super) fn set_args(&mut self, args: Vec<String>) -> Vec<String> {
        std::mem::replace(&mut self.run.args, args)
    }

    /// What compiles it.
    pub(super) fn replayed(&self) -> &Replayed {
        &self.replayed
    }

    /// What the test may use.
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How `executable` is run, with what `change` makes of the arguments.
    pub(super) fn invocation_as(
        &self,
        executable: &Executable,
        change: impl FnOnce(&[String]) -> Vec<String>,
    ) -> Result<Invocation, Failure> {
        self.invocation_with(executable, &change(&self.run.args))
    }

    fn invocation_with(
        &self,
        executable: &Executable,
        args: &[String],
    ) -> Result<Invocation, Failure> {
        let mut invocation = executable.invocation(args.iter().cloned());
        invocation
            .env
            .push(("RUST_BACKTRACE".into(), Some("0".into())));
        let temporary = self.replayed.temporary()?;
        invocation
            .env
            .push(("TMPDIR".into(), Some(temporary.into())));
        Ok(invocation)
    }

    /// Compiles `subject` and runs `guards`: whether they hold, and how the run ended.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe), and when it does not compile.
    pub fn guards_run(
        &mut self,
        subject: &Subject,
        guards: &Guards,
    ) -> Result<(bool, Outcome), Failure> {
        let compiled = self.replayed.compile(subject, None, true)?;
        let executable = self.executable(&compiled);
        let Some(executable) = executable.filter(|_| compiled.failed().is_none()) else {
            return Err(Failure::GuardFails {
                what: format!("`{}`", guards.names.join("`, `")),
                output: compiled
                    .failed()
                    .map(|step| step.messages.text.clone())
                    .unwrap_or_default(),
            });
        };
        let outcome = self.execute(executable, &guards.arguments(), guards.timeout, None)?;
        Ok((guards.hold(&outcome), outcome))
    }

    /// Compiles `probed` and runs it with each of `runs` – arguments for the harness, and the time for
    /// them – by itself.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe).
    pub fn traces(
        &mut self,
        probed: &Subject,
        runs: &[(Vec<String>, Duration)],
    ) -> Result<Traced<Vec<Trace>>, Failure> {
        let executable = match self.build_probed(probed)? {
            Traced::Ran(executable) => executable,
            Traced::Errors(errors) => return Ok(Traced::Errors(errors)),
            Traced::Nothing => return Ok(Traced::Nothing),
        };
        let mut traces = Vec::new();
        for (args, timeout) in runs {
            self.clear_hits()?;
            let outcome = self.execute(&executable, args, *timeout, None)?;
            traces.push(Trace {
                outcome,
                hits: self.hits()?,
            });
        }
        Ok(Traced::Ran(traces))
    }

    /// The one of the executables that were `compiled` that is run.
    pub(super) fn executable<'c>(&self, compiled: &'c Compiled) -> Option<&'c Executable> {
        compiled.executables.iter().find(|found| {
            found.name == self.run.name
                && found.kind == self.run.kind
                && found.package == self.run.package
        })
    }

    fn execute(
        &self,
        executable: &Executable,
        args: &[String],
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let invocation = self.invocation_with(executable, args)?;
        self.start(executable, &invocation, timeout, deadline)
    }

    /// As it is run to be judged, but with a `stack`.
    pub(super) fn execute_with(
        &self,
        executable: &Executable,
        stack: Stack,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let mut invocation = self.invocation_with(executable, &self.run.args)?;
        invocation.env.push(stack.variable());
        self.start(executable, &invocation, self.limits.timeout, deadline)
    }

    fn start(
        &self,
        executable: &Executable,
        invocation: &Invocation,
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let full = Limits {
            timeout,
            ..self.limits.clone()
        };
        let limits = super::until(&full, deadline);
        let outcome =
            exec::run(invocation, &limits, &self.cancel).map_err(|error| Failure::Bug {
                doing: format!("running {}", executable.path.display()),
                why: error.to_string(),
            })?;
        let cut_short = outcome.ending == Ending::TimedOut && limits != full;
        if outcome.ending == Ending::Cancelled || cut_short {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }
}

/// One run with probes.
#[derive(Debug, Clone)]
pub struct Trace {
    /// How it ended.
    pub outcome: Outcome,
    /// The numbers of the probes that were hit, in this order, with marks between them.
    pub hits: Vec<u32>,
}

/// What came of compiling a subject.
pub(super) struct Built {
    /// `None` if it does not compile.
    pub(super) executable: Option<Executable>,
    /// What rustc printed besides messages, if it does not.
    pub(super) output: String,
    /// User and system time.
    pub(super) cpu: Duration,
}

/// What came of compiling and running a subject.
#[derive(Debug, Clone)]
pub struct Observed {
    /// What was run.
    pub executable: Option<Executable>,
    /// The test's run; `None` if the subject does not compile.
    pub ran: Option<Outcome>,
    /// How the test failed, if it did.
    pub failure: Option<TestFailure>,
    /// What rustc printed besides messages, if it does not compile.
    pub compile_output: String,
    /// User and system time.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
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
        let steps = compiled.steps.iter();
        let cpu = steps.filter_map(|step| Some(step.outcome.as_ref()?.cpu));
        let mut passed = Passed {
            cpu: cpu.sum(),
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

impl Oracle for Test {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let mut seen = self.observe(candidate, deadline)?;
        let verdict = self.verdict(&mut seen, candidate, deadline)?;
        if let (Verdict::Interesting, Some(executable)) = (&verdict, &seen.executable)
            && self.stacks_sought > 0
        {
            self.seek_stack(executable, deadline)?;
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
        let mut runs = vec![(self.run.args.clone(), self.limits.timeout)];
        // What only a guard runs is needed too.
        runs.extend(
            self.guards
                .iter()
                .map(|guards| (guards.arguments(), guards.timeout)),
        );
        let traces = self.traces(probed, &runs)?;
        Ok(traces.map(|traces| traces.into_iter().flat_map(|trace| trace.hits).collect()))
    }

    fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.lints(subject)
    }

    fn prepare(&mut self, switched: &Subject) -> Result<Traced<Prepared>, Failure> {
        let executable = self.build_probed(switched)?;
        Ok(executable.map(|executable| Prepared {
            executable,
            subject: switched.clone(),
        }))
    }

    fn judge_without(
        &mut self,
        prepared: &Prepared,
        off: &[usize],
        most: u64,
        deadline: Option<Instant>,
    ) -> Result<Switching, Failure> {
        let hangs = |signature: &Signature| *signature.how() == How::Hang;
        let hangs = self.signature.as_ref().is_some_and(hangs);
        let most = if hangs { ENDLESS } else { most };
        self.switch_off(off, most)?;
        let (executable, subject) = (&prepared.executable, &prepared.subject);
        let mut seen = self.observe_run(executable, subject, deadline)?;
        // How it died then says nothing.
        let ended = self.steps()? >= most;
        let verdict = match (hangs, ended) {
            (true, true) => self.verdict_besides(&mut seen, deadline)?,
            (false, false) => self.verdict(&mut seen, subject, deadline)?,
            _ => Verdict::Uninteresting(Stage::Run),
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

    fn judge_at_once(
        &mut self,
        best: &Subject,
        candidates: &[Subject],
        deadline: Option<Instant>,
    ) -> Result<Option<Vec<Option<Judged>>>, Failure> {
        self.judged_at_once(best, candidates, deadline)
    }

    fn remember(&mut self, candidate: &Subject) -> Result<(), Failure> {
        if self.stacks_sought > 0
            && let Some(executable) = self.build(candidate, None)?.executable
        {
            self.seek_stack(&executable, None)?;
        }
        Ok(())
    }
}

impl Test {
    /// As [`Oracle::unused`].
    pub(super) fn lints(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.replayed.unused(subject)
    }

    /// Compiles `probed`, and forgets what has been hit; what is to be run.
    pub(super) fn build_probed(&mut self, probed: &Subject) -> Result<Traced<Executable>, Failure> {
        let probe = match &self.probe {
            Some(probe) => probe,
            None => self
                .probe
                .insert(Probe::compiled(&self.replayed, &self.cancel)?),
        };
        probe.clear()?;
        let addition = probe.addition();
        let compiled = self
            .replayed
            .compile_with(probed, None, false, &|_| addition.clone())?;
        if compiled.failed().is_some() {
            return Ok(Traced::Errors(replayed::errors(&compiled)));
        }
        Ok(match self.executable(&compiled) {
            Some(executable) => Traced::Ran(executable.clone()),
            None => Traced::Nothing,
        })
    }

    /// The probes that were hit in all runs since that was forgotten last.
    pub(super) fn hits(&self) -> Result<Vec<u32>, Failure> {
        self.probe.as_ref().map_or(Ok(Vec::new()), Probe::hits)
    }

    /// Has these switches off in every run from now on, and a run end at the first power of two of at least `most` steps; forgets
    /// the steps taken so far.
    pub(super) fn switch_off(&self, off: &[usize], most: u64) -> Result<(), Failure> {
        self.clear_hits()?;
        let probe = self.probe.as_ref();
        probe.map_or(Ok(()), |probe| probe.switch_off(off, most))
    }

    /// The steps of the longest run since switches were set, as the highest power of two.
    pub(super) fn steps(&self) -> Result<u64, Failure> {
        let powers = self.hits()?;
        Ok(powers.iter().max().map_or(0, |power| 1 << (power % 64)))
    }

    fn clear_hits(&self) -> Result<(), Failure> {
        self.probe.as_ref().map_or(Ok(()), Probe::clear)
    }
}
