//! A test that was found and built: what flaky and steady ones have in common.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::test::{HANG, chosen, closure, no_target, resolved};
use super::{Facts, output, shell_words};
use crate::build::{Captured, CargoCall, Emit, Executable};
use crate::engine::package::{Package, limits, selection_flags, target_flags};
use crate::exec::Cancel;
use crate::property::failure::TestFailure;
use crate::property::replayed::Replayed;
use crate::property::test::{Run, Test};
use crate::report::{Failure, Kind, Observer};
use crate::request::{Request, TestSelection, TestTarget};
use crate::subject::Subject;
use crate::subject::place::Place;

/// A test that was found and built.
pub(super) struct Case {
    pub(super) started: Instant,
    pub(super) package: Package,
    pub(super) target: TestTarget,
    /// How the user sees the failure.
    pub(super) command: String,
    /// The part of it that is cargo's: neither a filter nor what follows `--`.
    pub(super) words: Vec<OsString>,
    /// What the user gave to the harness, besides filters.
    pub(super) harness: Vec<String>,
    /// Tests that have to run before or beside the one that fails.
    pub(super) others: Vec<String>,
    pub(super) captured: Arc<Captured>,
    pub(super) executable: Executable,
    /// The test that fails.
    pub(super) test: String,
    /// How the executable is run.
    pub(super) run: Run,
}

impl Case {
    pub(super) fn prepared(
        request: &Request,
        selection: &TestSelection,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Case, Failure> {
        let started = Instant::now();
        let package = Package::copied(request, observer, cancel)?;
        let (target, filter) = resolved(selection, &package);
        let mut words: Vec<OsString> = vec!["cargo".into()];
        words.extend(
            request
                .cargo
                .toolchain
                .iter()
                .map(|name| format!("+{name}").into()),
        );
        words.push("test".into());
        words.extend(selection_flags(&request.cargo));
        words.extend(target_flags(&target));
        let cargo_words = words.clone();
        words.extend(filter.iter().map(OsString::from));
        let mut harness: Vec<&str> = selection
            .harness_arguments
            .iter()
            .map(String::as_str)
            .collect();
        if selection.exact {
            harness.push("--exact");
        }
        if !harness.is_empty() {
            words.push("--".into());
            words.extend(harness.iter().map(OsString::from));
        }
        let command = shell_words(&words);

        let call = package
            .cargo(&request.cargo, "test")
            .flags(target_flags(&target))
            .flags(["--no-run"]);
        let captured = package.capture(&call, observer, cancel)?;
        if !captured.outcome.success() {
            let rendered = captured
                .diagnostics
                .iter()
                .filter_map(|found| found.rendered.as_deref());
            let printed: String = rendered.collect();
            let printed = if printed.is_empty() {
                String::from_utf8_lossy(&captured.outcome.stderr).into_owned()
            } else {
                printed
            };
            return Err(no_target(&printed, &target, &package).unwrap_or(
                Failure::DoesNotCompile {
                    command,
                    output: printed,
                },
            ));
        }
        let captured = Arc::new(captured);
        let chosen = chosen(
            &captured,
            &target,
            filter.as_deref(),
            selection,
            &command,
            request,
            cancel,
        )?;
        let mut args = vec![
            chosen.test.clone(),
            "--exact".to_string(),
            "--nocapture".to_string(),
            "--test-threads=1".to_string(),
        ];
        args.extend(selection.harness_arguments.iter().cloned());
        let run = Run {
            name: chosen.executable.name.clone(),
            kind: chosen.executable.kind,
            package: chosen.executable.package.clone(),
            args,
        };
        Ok(Case {
            started,
            package,
            target,
            command,
            words: cargo_words,
            harness: selection.harness_arguments.clone(),
            others: Vec::new(),
            captured,
            executable: chosen.executable,
            test: chosen.test,
            run,
        })
    }

    /// The units that the test is made of, in dependency order.
    pub(super) fn units(&self) -> Vec<usize> {
        closure(&self.captured, self.executable.unit)
    }

    /// What compiles and runs the test in the copy of the package, which holds the original.
    pub(super) fn oracle(&self, request: &Request, cancel: &Cancel) -> Result<Test, Failure> {
        let subject = &self.package.subject;
        self.oracle_for(
            request,
            &self.captured,
            self.units(),
            Place::holding(&self.captured.root, subject.clone()),
            "replay",
            cancel,
        )
    }

    /// What compiles and runs the test in `place`, from the build `captured`; `directory` is for its own files.
    pub(super) fn oracle_for(
        &self,
        request: &Request,
        captured: &Arc<Captured>,
        units: Vec<usize>,
        place: Place,
        directory: &str,
        cancel: &Cancel,
    ) -> Result<Test, Failure> {
        let replayed = Replayed::new(
            place,
            Arc::clone(captured),
            &self.package.scratch.path().join(directory),
            units,
            Emit::Link,
            limits(Duration::from_secs(3600)),
            cancel.clone(),
        )?;
        let first_limits = limits(request.trial_timeout.unwrap_or(HANG));
        Ok(Test::new(
            replayed,
            self.run.clone(),
            first_limits,
            cancel.clone(),
        ))
    }

    /// As [`oracle`](Self::oracle) for what is left after trimming, when its build has to be taken down anew.
    pub(super) fn oracle_again(
        &self,
        request: &Request,
        subject: &Subject,
        observer: &mut dyn Observer,
        cancel: &Cancel,
    ) -> Result<Test, Failure> {
        let call = self.call(request).flags(["--no-run"]);
        let again = Arc::new(self.package.recapture(subject, &call, observer, cancel)?);
        let same = |found: &&Executable| {
            found.name == self.run.name
                && found.kind == self.run.kind
                && found.package == self.run.package
        };
        let unit = again
            .executables
            .iter()
            .find(same)
            .map_or(self.executable.unit, |found| found.unit);
        let units = closure(&again, unit);
        let place = Place::holding(&again.root, subject.clone());
        self.oracle_for(request, &again, units, place, "replay-trimmed", cancel)
    }

    /// `cargo test` on the target.
    pub(super) fn call(&self, request: &Request) -> CargoCall {
        self.package
            .cargo(&request.cargo, "test")
            .flags(target_flags(&self.target))
    }

    /// Names of functions that must stay.
    pub(super) fn protected(&self) -> Vec<String> {
        let tests = self.others.iter().chain([&self.test]);
        let last = tests.filter_map(|test| test.rsplit("::").next());
        last.map(String::from).collect()
    }

    /// Where the result goes.
    pub(super) fn output(&self, request: &Request) -> PathBuf {
        let name = match &self.target {
            TestTarget::Test(name) | TestTarget::Bin(name) => name.clone(),
            _ => self.package.name.clone(),
        };
        output(request, Some(&self.package), &name)
    }

    /// What the reports say besides what the search found.
    pub(super) fn facts<'a>(
        &'a self,
        request: &'a Request,
        failure: &TestFailure,
        output: PathBuf,
    ) -> Facts<'a> {
        let toolchain = self.captured.toolchain.as_ref();
        Facts {
            request,
            kind: Kind::Test {
                test: Some(self.test.clone()),
            },
            subject: self.package.title.clone(),
            command: self.command.clone(),
            directory: output.join("reduced").join(&self.package.package),
            signature: failure.title(&self.package.subject),
            class: failure.title(&self.package.subject),
            original: &self.package.subject,
            toolchain: toolchain
                .map(|found| found.verbose_version.clone())
                .unwrap_or_default(),
            output,
            started: self.started,
        }
    }
}
