//! The judge of last resort: cargo itself, on a copy of its own, without incremental compilation.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::crash::Seen;
use super::failure::{Signature, observed};
use super::guards::Guards;
use super::tool_signature::ToolSignature;
use super::twin::{Passed, Passing};
use super::{Judged, Oracle, Stage, Verdict};
use crate::build::CargoCall;
use crate::exec::{self, Cancel, Ending, Limits, Outcome};
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::Place;

/// What cargo has to show.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// `cargo test` fails like this, with these arguments for the harness.
    Test {
        /// The failure.
        signature: Signature,
        /// Arguments behind `--`.
        args: Vec<String>,
        /// Time for the run of the test, building not included.
        timeout: Duration,
        /// Tests that have to pass.
        guards: Option<Guards>,
    },
    /// The call shows this: a crash of the compiler, most of all.
    Shown(Box<ToolSignature>),
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
    /// A judge that runs `call` – for a test without `--no-run` – on what it puts in `place`.
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

    fn cargo(
        &self,
        call: &CargoCall,
        limits: &Limits,
        deadline: Option<Instant>,
    ) -> Result<Outcome, Failure> {
        let mut invocation = call.invocation(&["--color", "never"]);
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
                command: "cargo".into(),
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
        let build = self.call.clone().flags(["--no-run"]);
        let built = self.cargo(&build, &self.build, deadline)?;
        let mut passed = Passed {
            cpu: built.cpu,
            wall: built.wall,
            output: String::from_utf8_lossy(&built.stderr).into_owned(),
            ..Passed::default()
        };
        if built.success() {
            let call = self.call.clone().flags(["--"]).flags(guards.arguments());
            let limits = Limits {
                timeout: guards.timeout + Duration::from_secs(2),
                ..self.build.clone()
            };
            let outcome = self.cargo(&call, &limits, deadline)?;
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
        let judged = |verdict: Verdict, outcome: &Outcome| Judged {
            output: super::without_scratch(
                &[&outcome.stdout[..], &outcome.stderr[..]]
                    .map(|part| String::from_utf8_lossy(part).into_owned())
                    .concat(),
                &root,
            ),
            verdict,
            cpu: outcome.cpu,
            wall: outcome.wall,
            errors: Vec::new(),
        };
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
                timeout,
                guards,
            } => {
                let built = self.cargo(
                    &self.call.clone().flags(["--no-run"]),
                    &self.build,
                    deadline,
                )?;
                if !built.success() {
                    return Ok(judged(Verdict::Uninteresting(Stage::Compile), &built));
                }
                let call = self.call.clone().flags(["--"]).flags(args.iter());
                // Cargo looks through all fingerprints before the test starts.
                let limits = Limits {
                    timeout: *timeout + Duration::from_secs(2),
                    ..self.build.clone()
                };
                let outcome = self.cargo(&call, &limits, deadline)?;
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
                let mut judged = judged(verdict, &outcome);
                if let (Verdict::Interesting, Some(guards)) = (&judged.verdict, guards) {
                    let call = self.call.clone().flags(["--"]).flags(guards.arguments());
                    let limits = Limits {
                        timeout: guards.timeout + Duration::from_secs(2),
                        ..self.build.clone()
                    };
                    let outcome = self.cargo(&call, &limits, deadline)?;
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
