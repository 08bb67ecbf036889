//! The judge of last resort for a flaky test: built by cargo itself, without incremental compilation, and in the end run by it
//! too; must not know how candidates come about.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::runs::{Runs, Seen};
use super::{At, Criterion, Repetition, Stress, usual};
use crate::build::{self, CargoCall, Executable};
use crate::exec::{self, Cancel, Ending, Invocation, Limits, Outcome};
use crate::property::{Judged, Oracle, Stage, Verdict};
use crate::report::Failure;
use crate::statistics::Tally;
use crate::subject::Subject;
use crate::subject::place::Place;

/// No more time than this for the last runs.
const LAST: Duration = Duration::from_secs(120);

/// And than this for those that a shell could make, too.
const IN_A_SHELL: Duration = Duration::from_secs(20);

/// What the last runs showed.
#[derive(Debug, Clone, Copy)]
pub struct Final {
    /// Fresh runs, their number not chosen by what they showed.
    pub tally: Tally,
    /// The same under such conditions alone as a shell can make, if there were others; fewer runs, for it may be rare.
    pub in_a_shell: Option<Tally>,
    /// Wall time of one `cargo test` that builds nothing, under the conditions of a shell.
    pub call: Duration,
}

/// What is run of what cargo builds.
#[derive(Debug, Clone)]
pub struct Target {
    /// The test's executable as it was captured.
    pub executable: Executable,
    /// The root of the package there.
    pub root: PathBuf,
    /// Arguments for it.
    pub args: Vec<String>,
    /// The test whose failure counts, where others run too.
    pub victim: Option<String>,
    /// The test is called several times in one process.
    pub repetition: Option<Repetition>,
}

impl Target {
    /// What is built and run for `subject`.
    fn run_for(&self, subject: &Subject) -> Subject {
        let repeated = self.repetition.as_ref();
        let repeated = repeated.and_then(|repetition| repetition.within(subject));
        repeated.unwrap_or_else(|| subject.clone())
    }

    /// The arguments for it.
    fn run_args(&self) -> Vec<String> {
        match &self.repetition {
            Some(repetition) => repetition.args(&self.args),
            None => self.args.clone(),
        }
    }
}

/// Cargo on a copy of the package.
pub struct ByCargo {
    place: Place,
    /// The call, with its `cwd` in the place.
    call: CargoCall,
    target: Target,
    criterion: Criterion,
    at_once: usize,
    stress: Stress,
    /// Limits of the build, and of each run.
    build: Limits,
    run: Limits,
    cancel: Cancel,
    thorough: bool,
    last: Option<Final>,
    runs: usize,
}

impl ByCargo {
    /// A judge that runs `call`, which is without `--no-run`, on what it puts in `place`, and then `target`, so many at once.
    #[expect(
        clippy::too_many_arguments,
        reason = "each is one thing that it has to know"
    )]
    pub fn new(
        place: Place,
        call: CargoCall,
        target: Target,
        criterion: Criterion,
        at_once: usize,
        stress: Stress,
        (build, run): (Limits, Limits),
        cancel: Cancel,
    ) -> ByCargo {
        ByCargo {
            place,
            call,
            target,
            criterion,
            at_once,
            stress,
            build,
            run,
            cancel,
            thorough: false,
            last: None,
            runs: 0,
        }
    }

    /// From now on a verdict takes a fixed number of runs, so that their rate can be told.
    pub fn be_thorough(&mut self) {
        self.thorough = true;
    }

    /// What the last interesting candidate showed, if it was judged thoroughly.
    pub fn last(&self) -> Option<Final> {
        self.last
    }

    /// Time that each run of the test may take.
    pub fn timeout(&self) -> Duration {
        self.run.timeout
    }

    /// Runs of the test until now.
    pub fn runs(&self) -> usize {
        self.runs
    }

    fn build(&self, deadline: Option<Instant>) -> Result<Outcome, Failure> {
        let call = self.call.building().flags(["--message-format", "json"]);
        let mut invocation = call.invocation(&["--color", "never"]);
        let set = |name: &str, value: &str| (OsString::from(name), Some(OsString::from(value)));
        invocation.env.extend([set("CARGO_INCREMENTAL", "0")]);
        invocation
            .env
            .push(("TMPDIR".into(), Some(self.temporary()?.into())));
        let cut = super::super::until(&self.build, deadline);
        let outcome =
            exec::run(&invocation, &cut, &self.cancel).map_err(|error| Failure::NoToolchain {
                command: "cargo".into(),
                why: error.to_string(),
            })?;
        if outcome.ending == Ending::Cancelled
            || outcome.ending == Ending::TimedOut && cut != self.build
        {
            return Err(Failure::Interrupted);
        }
        Ok(outcome)
    }

    fn temporary(&self) -> Result<PathBuf, Failure> {
        self.place.temporary().map_err(Failure::io(
            "making room for temporary files beside",
            self.place.root(),
        ))
    }

    /// As cargo would start the test that it has just built.
    fn invocation(&self, built: &Outcome) -> Result<Option<(Invocation, PathBuf)>, Failure> {
        let Some(path) = build::built_executable(&built.stdout, &self.target.executable) else {
            return Ok(None);
        };
        let Target {
            executable, root, ..
        } = &self.target;
        let moved = executable.moved(path, root, self.place.root());
        let mut invocation = moved.invocation(self.target.run_args());
        invocation
            .env
            .push(("RUST_BACKTRACE".into(), Some("0".into())));
        invocation
            .env
            .push(("TMPDIR".into(), Some(self.temporary()?.into())));
        Ok(Some((invocation, moved.cwd)))
    }

    /// As the user would start it: a test whose timing matters may fail less often when another program has gone before it.
    fn users_invocation(&self) -> Result<Invocation, Failure> {
        let mut args = self.target.run_args();
        args.retain(|arg| arg != "--nocapture");
        let call = self.call.clone().flags(["--"]).flags(args);
        let mut invocation = call.invocation(&["--color", "never"]);
        let set = |name: &str, value: &str| (OsString::from(name), Some(OsString::from(value)));
        invocation
            .env
            .extend([set("CARGO_INCREMENTAL", "0"), set("RUST_BACKTRACE", "0")]);
        invocation
            .env
            .push(("TMPDIR".into(), Some(self.temporary()?.into())));
        Ok(invocation)
    }
}

impl Oracle for ByCargo {
    fn may_err(&self) -> bool {
        true
    }

    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let root = self.place.root().to_path_buf();
        let run = self.target.run_for(candidate);
        self.place
            .put(&run)
            .map_err(Failure::io("writing a candidate to", &root))?;
        let built = self.build(deadline)?;
        let not_built = |verdict| Judged {
            verdict,
            cpu: built.cpu,
            wall: built.wall,
            output: String::from_utf8_lossy(&built.stderr).into_owned(),
            errors: Vec::new(),
        };
        if !built.success() {
            return Ok(not_built(Verdict::Uninteresting(Stage::Compile)));
        }
        let Some((mut invocation, base)) = self.invocation(&built)? else {
            return Ok(not_built(Verdict::Uninteresting(Stage::Compile)));
        };
        let started = Instant::now();
        let mut limits = self.run.clone();
        if self.thorough {
            invocation = self.users_invocation()?;
            // Cargo looks through all fingerprints before the test starts; how long that takes shows when there is nothing
            // else to do.
            let idle = self.build(deadline)?;
            limits.timeout += idle.wall * 3;
        }
        let runs = Runs {
            invocation: &invocation,
            limits: &limits,
            at_once: self.at_once,
            stress: &self.stress,
            cancel: &self.cancel,
        };
        // Cargo runs it in the package's directory; rustc may have named paths from the workspace's.
        let at = At {
            subject: &run,
            root: &root,
            bases: &[&base, &root],
            victim: self.target.victim.as_deref(),
        };
        let criterion = &self.criterion;
        let late = |seen: &Seen| started.elapsed() >= LAST || criterion.is_hopeless(seen);
        let decided = |seen: &Seen| criterion.is_decided(seen);
        let enough: &dyn Fn(&Seen) -> bool = if self.thorough { &late } else { &decided };
        let signature = Some(criterion.signature());
        let seen = runs.until(criterion.most(), deadline, &at, signature, enough)?;
        let shell = self.stress.in_a_shell();
        let mut made = seen.made;
        let mut plain = None;
        if self.thorough && shell != self.stress && criterion.holds(&seen) {
            let started = Instant::now();
            let runs = Runs {
                at_once: 1,
                stress: &shell,
                ..runs
            };
            let late = |_: &Seen| started.elapsed() >= IN_A_SHELL;
            let seen = runs.until(criterion.most(), deadline, &at, signature, &late)?;
            made += seen.made;
            plain = Some(seen);
        }
        self.runs += made;
        let verdict = if !self.thorough {
            self.criterion.verdict(&seen, candidate)
        } else if self.criterion.holds(&seen) {
            Verdict::Interesting
        } else {
            Verdict::Uninteresting(Stage::Run)
        };
        if self.thorough && verdict == Verdict::Interesting {
            self.last = Some(Final {
                tally: seen.tally,
                in_a_shell: plain.as_ref().map(|seen| seen.tally),
                call: usual(&plain.as_ref().unwrap_or(&seen).ended),
            });
        }
        Ok(Judged {
            verdict,
            cpu: built.cpu + seen.cpu,
            wall: built.wall + started.elapsed(),
            output: seen.output,
            errors: Vec::new(),
        })
    }
}
