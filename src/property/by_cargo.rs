//! The judge of last resort: cargo itself, on a copy of its own, without incremental compilation.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::crash::Seen;
use super::failure::{observed, observed_of_program};
use super::guards::Guards;
use super::signature::Signature;
use super::tool_signature::ToolSignature;
use super::twin::{Passed, Passing};
use super::{Judged, Oracle, Stage, Verdict};
use crate::build::{self, CargoCall, Executable};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;

/// Cargo gets at least so long to find out that there is nothing to be built, and at most so long.
const LEAST_LOOKING: Duration = Duration::from_millis(250);
const MOST_LOOKING: Duration = Duration::from_secs(2);

/// So begins the line that cargo writes before it runs what it has built.
const RUNNING: &[u8] = b"     Running ";

/// What cargo has to show.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// The test, or the program, fails like this with these arguments.
    Test {
        /// The failure.
        signature: Signature,
        /// Arguments behind `--`.
        args: Vec<String>,
        /// What is run, if it is no test harness.
        program: Option<Box<Program>>,
        /// Time for the run of the test, building not included.
        timeout: Duration,
        /// Tests that have to pass.
        guards: Option<Guards>,
    },
    /// The call shows this: a crash of the compiler, most of all.
    Shown(Box<ToolSignature>),
}

/// A program without a test harness. Cargo builds it, and it is started as cargo would: cargo's own words and exit code would
/// hide how it ends.
#[derive(Debug, Clone)]
pub struct Program {
    /// As it was captured.
    pub executable: Executable,
    /// The root of the tree there.
    pub root: PathBuf,
}

/// Cargo on a copy of the package.
pub struct ByCargo {
    place: Place,
    /// The call, with its `cwd` in the place.
    call: CargoCall,
    wanted: Wanted,
    build: Limits,
    cancel: Cancel,
}

impl ByCargo {
    /// A judge that runs `call` – for a test without `--no-run`, for a program `run` – on what it puts in `place`.
    pub fn new(
        place: Place,
        call: CargoCall,
        wanted: Wanted,
        build: Limits,
        cancel: Cancel,
    ) -> ByCargo {
        ByCargo {
            place,
            call,
            wanted,
            build,
            cancel,
        }
    }

    /// Tests that have to pass besides, from now on.
    pub fn set_guards(&mut self, chosen: Guards) {
        if let Wanted::Test { guards, .. } = &mut self.wanted {
            *guards = Some(chosen).filter(|chosen| !chosen.names.is_empty());
        }
    }

    /// What is run, if it is no test harness.
    fn program(&self) -> Option<&Program> {
        match &self.wanted {
            Wanted::Test { program, .. } => program.as_deref(),
            Wanted::Shown(_) => None,
        }
    }

    /// Builds what the call runs.
    fn build(&self, deadline: Option<Instant>) -> Result<Outcome, Failure> {
        let mut call = self.call.building();
        if self.program().is_some() {
            call = call.flags(["--message-format", "json-render-diagnostics"]);
        }
        self.cargo(&call, &self.build, deadline)
    }

    /// Runs what was `built`, with these arguments behind `--`.
    fn run(
        &self,
        built: &Outcome,
        args: &[String],
        timeout: Duration,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let limits = |timeout| Limits {
            timeout,
            ..self.build.clone()
        };
        let Some(program) = self.program() else {
            let call = self.call.clone().flags(["--"]).flags(args);
            // Cargo looks through all fingerprints before the test starts, as it did before it built.
            let looking = built.wall.clamp(LEAST_LOOKING, MOST_LOOKING);
            return self.cargo(&call, &limits(timeout + looking), deadline);
        };
        let path = build::built_executable(&built.stdout, &program.executable);
        let path = path.ok_or_else(|| Failure::Bug {
            doing: format!("running `{}`", program.executable.name),
            why: "cargo has built it and does not say where".into(),
        })?;
        let moved = (program.executable).moved(path, &program.root, self.place.root());
        self.execute(moved.invocation(args), &limits(timeout), deadline)
    }

    fn cargo(
        &self,
        call: &CargoCall,
        limits: &Limits,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        self.execute(call.invocation(&["--color", "never"]), limits, deadline)
    }

    fn execute(
        &self,
        mut invocation: Invocation,
        limits: &Limits,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let set = |name: &str, value: &str| (OsString::from(name), Some(OsString::from(value)));
        invocation.env.extend([
            set("RUSTC_ICE", "0"),
            // What it prints goes into the report.
            set(
                "RUST_BACKTRACE",
                match self.wanted {
                    Wanted::Test { .. } => "0",
                    Wanted::Shown(_) => "1",
                },
            ),
            set("CARGO_INCREMENTAL", "0"),
        ]);
        let temporary = self.place.temporary().map_err(Failure::io(
            "making room for temporary files beside",
            self.place.root(),
        ))?;
        invocation
            .env
            .push(("TMPDIR".into(), Some(temporary.into())));
        let cut = super::until(limits, deadline);
        let outcome =
            exec::run(&invocation, &cut, &self.cancel).map_err(|error| Failure::NoToolchain {
                command: invocation.program.display().to_string(),
                why: error.to_string(),
            })?;
        if outcome.ending == Ending::Cancelled
            || outcome.ending == Ending::TimedOut && cut != *limits
        {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }
}

impl Passing for ByCargo {
    fn passes(
        &mut self,
        subject: &Subject,
        guards: &Guards,
        deadline: Option<Instant>,
    ) -> Result<Passed, Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(subject)
            .map_err(Failure::io("writing a candidate to", &root))?;
        let built = self.build(deadline)?;
        let mut passed = Passed {
            cpu: built.cpu,
            wall: built.wall,
            output: String::from_utf8_lossy(&built.stderr).into_owned(),
            ..Passed::default()
        };
        if built.success() {
            let outcome = self.run(&built, &guards.arguments(), guards.timeout, deadline)?;
            passed.cpu += outcome.cpu;
            passed.wall += outcome.wall;
            passed.ran(&outcome, guards);
        }
        Ok(passed)
    }
}

impl Oracle for ByCargo {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(candidate)
            .map_err(Failure::io("writing a candidate to", &root))?;
        let judged_by = |verdict: Verdict, outcome: &Outcome, stderr: &[u8]| Judged {
            output: super::without_scratch(
                &[&outcome.stdout, stderr]
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .concat(),
                &root,
            ),
            verdict,
            cpu: outcome.cpu,
            wall: outcome.wall,
            errors: Vec::new(),
        };
        let judged = |verdict, outcome: &Outcome| judged_by(verdict, outcome, &outcome.stderr);
        match &self.wanted {
            Wanted::Shown(signature) => {
                let outcome = self.cargo(&self.call, &self.build, deadline)?;
                let seen = Seen::of(&outcome);
                // Cargo adds errors of its own to the compiler's: what these may be was judged before.
                let verdict = if signature.shows(&seen) {
                    Verdict::Interesting
                } else {
                    signature.verdict(&seen)
                };
                Ok(judged(verdict, &outcome))
            }
            Wanted::Test {
                signature,
                args,
                program,
                timeout,
                guards,
            } => {
                let built = self.build(deadline)?;
                if !built.success() {
                    return Ok(judged(Verdict::Uninteresting(Stage::Compile), &built));
                }
                let outcome = self.run(&built, args, *timeout, deadline)?;
                let observed = match program {
                    Some(_) => observed_of_program,
                    None => observed,
                };
                let base: PathBuf = self
                    .place
                    .root()
                    .join(self.call.cwd.strip_prefix(&root).unwrap_or(&root));
                let failure = [base, root.clone()].iter().find_map(|base| {
                    let failure = observed(&outcome, candidate, &root, base)?;
                    signature.holds(&failure).then_some(failure)
                });
                let verdict = match failure.or_else(|| observed(&outcome, candidate, &root, &root))
                {
                    Some(failure) if signature.holds(&failure) => Verdict::Interesting,
                    Some(failure) => Verdict::Slipped(failure.title(candidate)),
                    None => Verdict::Uninteresting(Stage::Run),
                };
                let mut cpu = built.cpu;
                let mut judged = judged_by(verdict, &outcome, since_it_runs(&outcome.stderr));
                if let (Verdict::Interesting, Some(guards)) = (&judged.verdict, guards) {
                    let outcome =
                        self.run(&built, &guards.arguments(), guards.timeout, deadline)?;
                    cpu += outcome.cpu;
                    if !guards.hold(&outcome) {
                        judged.verdict = Verdict::Uninteresting(Stage::Guard);
                    }
                }
                judged.cpu += cpu;
                Ok(judged)
            }
        }
    }
}

/// What is on `stderr` since cargo started what it had built: without the warnings of the build, which it repeats before that.
fn since_it_runs(stderr: &[u8]) -> &[u8] {
    let mut after = stderr;
    while let Some(end) = after.iter().position(|byte| *byte == b'\n') {
        let line;
        (line, after) = after.split_at(end + 1);
        if line.starts_with(RUNNING) {
            return after;
        }
    }
    stderr
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cargo_says_before_it_runs_is_left_out() {
        let stderr = "warning: unused variable: `f`\n --> src/lib.rs:1:6\n\n    Finished `test` profile in 0.09s\n     \
                      Running tests/it.rs (target/debug/deps/it-1)\n\nthread 'it' panicked at tests/it.rs:2:5:\n";
        let printed = since_it_runs(stderr.as_bytes());
        assert_eq!(
            String::from_utf8_lossy(printed),
            "\nthread 'it' panicked at tests/it.rs:2:5:\n"
        );
    }

    #[test]
    fn all_is_told_where_nothing_was_run() {
        let stderr = b"error: no test target named `it`\n";
        assert_eq!(since_it_runs(stderr), stderr);
        assert_eq!(since_it_runs(b"killed"), b"killed");
    }
}
