//! The oracle for one file that crashes the compiler: write it, run rustc, compare the crash.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::crash::{Crash, Report, Seen, errors_allowed};
use super::{Judged, Oracle, Stage, Verdict};
use crate::exec::{self, Cancel, Ending, Invocation, Limits};
use crate::report::Failure;
use crate::request::{ErrorPolicy, IceMatch};
use crate::subject::Subject;
use crate::subject::place::Place;

/// One file, one rustc command line.
pub struct IceFile {
    place: Place,
    rustc: PathBuf,
    args: Vec<OsString>,
    limits: Limits,
    cancel: Cancel,
    matching: IceMatch,
    errors: ErrorPolicy,
    original: Option<Seen>,
}

impl IceFile {
    /// An oracle that writes candidates to `place` and runs `rustc` on them with `args`, the file's
    /// path among them.
    pub fn new(
        place: Place,
        rustc: PathBuf,
        args: Vec<OsString>,
        cancel: Cancel,
        matching: IceMatch,
        errors: ErrorPolicy,
        timeout: Duration,
    ) -> IceFile {
        let limits = Limits {
            timeout,
            output_bytes: 1 << 20,
            memory_bytes: None,
            writable: None,
        };
        IceFile {
            place,
            rustc,
            args,
            limits,
            cancel,
            matching,
            errors,
            original: None,
        }
    }

    /// What rustc does with `subject`.
    ///
    /// # Errors
    ///
    /// When it cannot be written or rustc cannot be run.
    pub fn observe(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Seen, exec::Outcome), Failure> {
        let root = self.place.root().to_path_buf();
        self.place
            .put(subject)
            .map_err(Failure::io("writing a candidate to", root.clone()))?;
        let temporary = self
            .place
            .temporary()
            .map_err(Failure::io("making room for temporary files beside", &root))?;
        let invocation = Invocation {
            program: self.rustc.clone(),
            args: self.args.clone(),
            env: vec![
                ("RUSTC_ICE".into(), Some("0".into())),
                ("RUST_BACKTRACE".into(), Some("0".into())),
                ("TMPDIR".into(), Some(temporary.into())),
            ],
            cwd: root,
        };
        let limits = super::until(&self.limits, deadline);
        let outcome = exec::run(&invocation, &limits, &self.cancel).map_err(|error| {
            Failure::NoToolchain {
                command: self.rustc.display().to_string(),
                why: error.to_string(),
            }
        })?;
        if outcome.ending == Ending::Cancelled
            || outcome.ending == Ending::TimedOut && limits != self.limits
        {
            return Err(Failure::Interrupted);
        }
        Ok((Seen::of(&outcome), outcome))
    }

    /// Takes the crash of `subject`, the original, as the signature; `None` if it does not crash.
    ///
    /// # Errors
    ///
    /// As [`observe`](Self::observe).
    pub fn baseline(
        &mut self,
        subject: &Subject,
    ) -> Result<Option<(Crash, exec::Outcome)>, Failure> {
        let (seen, outcome) = self.observe(subject, None)?;
        let crash = seen.crash.clone();
        self.original = Some(seen);
        Ok(crash.map(|crash| (crash, outcome)))
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

    /// Time that a candidate may take from now on.
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.limits.timeout = timeout;
    }
}

impl Oracle for IceFile {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let (seen, outcome) = self.observe(candidate, deadline)?;
        let verdict = match (&self.original, &seen.crash) {
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
        Ok(Judged {
            output: match verdict {
                Verdict::Uninteresting(_) => String::new(),
                _ => String::from_utf8_lossy(&outcome.stderr).into_owned(),
            },
            verdict,
            cpu: outcome.cpu,
            wall: outcome.wall,
            errors: Vec::new(),
        })
    }
}
