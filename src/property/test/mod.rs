//! The oracle for a failing test: compile by replay, run the one test, compare the failure.

mod faithful;
mod oracle;
mod probing;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use self::faithful::Faithful;
pub use self::probing::{Trace, all_hits};
use super::course::{Course, Watch, Way};
use super::failure::{How, TestFailure, observed, observed_of_program, overflowed, which_panic};
use super::guards::Guards;
use super::probe::Probe;
use super::replayed::{self, Replayed};
use super::signature::Signature;
use super::stack::Stack;
use super::{Stage, Verdict};
use crate::build::{Captured, Compiled, Diagnostic, Executable, ExecutableKind};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;

/// So many candidates that overflow the stack are asked whether they do with a larger one, if the original takes too long to
/// say: an integration test has a short input by then, and no code has gone that could have ended the recursion.
const ENDS_SOUGHT: usize = 16;

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
    /// Less CPU time is enough in trials, as long as nothing has to be sure.
    busy: Option<Duration>,
    cancel: Cancel,
    signature: Option<Signature>,
    guards: Option<Guards>,
    /// The course that a panic has to take, and what sees which it took.
    course: Option<(Watch, Course)>,
    /// What overflows the stack must not overflow the largest.
    has_to_end: bool,
    /// How many more candidates are asked whether they end with the largest stack: less may tell what takes too long of more.
    ends_sought: usize,
    /// So many in a row that were taken to hang did when they were given the whole time.
    hung_after_all: u32,
    errors: Vec<Diagnostic>,
    probe: Option<Probe>,
    faithful: Faithful,
}

impl Test {
    /// An oracle that runs `run` under `limits`.
    pub fn new(replayed: Replayed, run: Run, limits: Limits, cancel: Cancel) -> Test {
        Test {
            replayed,
            run,
            limits,
            busy: None,
            cancel,
            signature: None,
            guards: None,
            course: None,
            has_to_end: false,
            ends_sought: 0,
            hung_after_all: 0,
            errors: Vec::new(),
            probe: None,
            faithful: Faithful::default(),
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

    /// Candidates have to come to their panic through functions through which `subject` does, from now on, where that can be seen.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe).
    pub fn follow(&mut self, subject: &Subject) -> Result<(), Failure> {
        let Some(watch) = Watch::of(&self.replayed, &self.cancel)? else {
            return Ok(());
        };
        let Some(executable) = self.build(subject, None)?.executable else {
            return Ok(());
        };
        let way = self
            .observe_watched(&watch, &executable, subject, None)?
            .way;
        let course = way.map(|way| Course::of(subject, way));
        // It may differ from run to run where there are threads.
        let again = self
            .observe_watched(&watch, &executable, subject, None)?
            .way;
        let course = course.filter(|course| {
            course.is_known() && again.is_some_and(|way| course.is_taken_by(&way))
        });
        self.course = course.map(|course| (watch, course));
        Ok(())
    }

    /// The function of the subject that called what panics, if that is known.
    pub fn innermost(&self) -> Option<&str> {
        self.course
            .as_ref()
            .and_then(|(_, course)| course.innermost())
    }

    /// Candidates may come to their panic through whatever functions, from now on.
    pub fn follow_no_more(&mut self) {
        self.course = None;
    }

    /// What overflows the stack must not overflow the largest, from now on: its recursion has to end.
    pub fn require_an_end(&mut self) {
        self.has_to_end = true;
    }

    /// Asks the next candidates that show the failure whether they end with the largest stack; if one does, all have to that come
    /// after it.
    pub fn seek_an_end(&mut self) {
        self.ends_sought = ENDS_SOUGHT;
    }

    /// Asks once more whether it ends with the largest stack.
    fn ask_for_its_end(
        &mut self,
        executable: &Executable,
        deadline: Option<Instant>,
    ) -> Result<(), Failure> {
        self.has_to_end = self.suffices(executable, Stack::LARGEST, deadline)?;
        self.ends_sought = match self.has_to_end {
            true => 0,
            false => self.ends_sought - 1,
        };
        Ok(())
    }

    /// As [`Replayed::takes_undefined`].
    pub fn takes_undefined(&self) -> bool {
        self.replayed.takes_undefined()
    }

    /// As [`Replayed::take_undefined`].
    pub fn take_undefined(&mut self, takes: bool) {
        self.replayed.take_undefined(takes);
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

    /// CPU time after which the test counts as one that does not end, from now on, until it is to be confirmed; see
    /// [`Limits::busy`].
    pub fn set_busy(&mut self, busy: Option<Duration>) {
        self.busy = busy;
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
        self.observe_built(built, started, subject, deadline)
    }

    /// The same for what was `built` of it since `started`.
    fn observe_built(
        &self,
        built: Built,
        started: Instant,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        let Some(executable) = built.executable else {
            return Ok(Observed {
                executable: None,
                ran: None,
                failure: None,
                way: None,
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

    /// Does `observe` with the CPU time of [`set_busy`](Self::set_busy).
    pub(super) fn in_a_hurry<T>(&mut self, observe: impl FnOnce(&mut Self) -> T) -> T {
        self.within(self.busy, observe)
    }

    /// Does `observe`, in which `busy` is CPU time enough to count as what does not end.
    fn within<T>(&mut self, busy: Option<Duration>, observe: impl FnOnce(&mut Self) -> T) -> T {
        self.limits.busy = busy;
        let seen = observe(self);
        self.limits.busy = None;
        seen
    }

    /// Runs `executable`, which was made of `subject`.
    pub(super) fn observe_run(
        &self,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        self.observe_run_for(self.limits.timeout, executable, subject, deadline)
    }

    /// The same, where it may take this `time`.
    fn observe_run_for(
        &self,
        time: Duration,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        let started = Instant::now();
        let outcome = self.execute(executable, &self.run.args, time, deadline)?;
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
            way: None,
            compile_output: String::new(),
            wall: started.elapsed(),
        })
    }

    /// The same with the way that its panic came, as `watch` sees it. What is loaded for that changes what lies where: a program that
    /// reads what nobody wrote may do something else.
    fn observe_watched(
        &self,
        watch: &Watch,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        let mut seen = self.observe_run(&watch.watching(executable)?, subject, deadline)?;
        let shows = |failure: &TestFailure| match &self.signature {
            Some(signature) => signature.holds(failure),
            None => true,
        };
        if let Some(outcome) = &seen.ran
            && seen.failure.as_ref().is_some_and(shows)
        {
            seen.way = watch.seen(executable, which_panic(outcome));
        }
        seen.executable = Some(executable.clone());
        Ok(seen)
    }

    /// The same in one run with the way, if a panic has to take a course: where candidates are only looked for.
    pub(super) fn observe_all_at_once(
        &self,
        executable: &Executable,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Observed, Failure> {
        match &self.course {
            Some((watch, _)) => self.observe_watched(watch, executable, subject, deadline),
            None => self.observe_run(executable, subject, deadline),
        }
    }

    /// Finds out which way the panic that was `seen`, of `subject`, came, if that matters and is not known.
    pub(super) fn look_at_the_way(
        &self,
        seen: &mut Observed,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(), Failure> {
        if let (Some((watch, _)), Some(executable)) = (&self.course, &seen.executable)
            && seen.way.is_none()
            && self.compared(seen, subject) == Verdict::Interesting
        {
            let watched = self.observe_watched(watch, executable, subject, deadline)?;
            seen.cpu += watched.cpu;
            seen.wall += watched.wall;
            seen.way = watched.way;
        }
        Ok(())
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
            Verdict::Interesting => self.verdict_besides(seen, candidate, deadline),
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
        candidate: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Verdict, Failure> {
        self.look_at_the_way(seen, candidate, deadline)?;
        if let (Some((_, course)), Some(way)) = (&self.course, &seen.way)
            && !course.is_taken_by(way)
        {
            return Ok(Verdict::Uninteresting(Stage::Guard));
        }
        let Some(executable) = &seen.executable else {
            return Ok(Verdict::Interesting);
        };
        let overflows = |failure: &TestFailure| failure.how == How::Overflow;
        if self.has_to_end && seen.failure.as_ref().is_some_and(overflows) {
            let stack = Stack::LARGEST;
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
        self.errors = replayed::errors(&compiled);
        Ok(self.built(&compiled))
    }

    /// What came of what was `compiled`.
    fn built(&self, compiled: &Compiled) -> Built {
        let executable = self
            .executable(compiled)
            .filter(|_| compiled.failed().is_none());
        Built {
            executable: executable.cloned(),
            output: compiled
                .failed()
                .map(|step| step.messages.text.clone())
                .unwrap_or_default(),
            cpu: compiled.cpu(),
        }
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

    /// Whether candidates have to hang.
    pub(super) fn is_to_hang(&self) -> bool {
        let hangs = |signature: &Signature| *signature.how() == How::Hang;
        self.signature.as_ref().is_some_and(hangs)
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

    /// As [`Oracle::unused`].
    pub(super) fn lints(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.replayed.unused(subject)
    }

    /// As [`Oracle::expanded`].
    pub(super) fn bytes_expanded(&mut self, subject: &Subject) -> Result<Option<usize>, Failure> {
        self.replayed.expanded(subject)
    }

    /// As [`Oracle::expansions`].
    pub(super) fn traced_macros(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.replayed.expansions(subject)
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
    /// The way that its panic came, where that was looked at.
    pub way: Option<Way>,
    /// What rustc printed besides messages, if it does not compile.
    pub compile_output: String,
    /// User and system time.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
}
