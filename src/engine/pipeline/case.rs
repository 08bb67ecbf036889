//! A test, or a program, that was found and built: what flaky and steady ones have in common.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::doc_tests;
use super::finding::{Asked, call, resolved};
use super::test::{HANG, HANG_AGAIN, closure};
use super::{Facts, output};
use crate::build::{Captured, CargoCall, Emit, Executable};
use crate::engine::package::{Package, limits};
use crate::engine::taken_in::What;
use crate::exec::Cancel;
use crate::property::by_cargo::Program;
use crate::property::failure::TestFailure;
use crate::property::replayed::Replayed;
use crate::property::test::{Run, Test};
use crate::report::{Failure, Kind, Observer};
use crate::request::{Request, TestScope, TestSelection, TestTarget};
use crate::subject::Subject;
use crate::subject::place::Place;

/// A test, or a program that is none, found and built.
pub(super) struct Case {
    pub(super) started: Instant,
    pub(super) package: Package,
    pub(super) target: TestTarget,
    /// The cargo command that runs it: `test` or `run`.
    pub(super) subcommand: &'static str,
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
    /// It did not end when it was looked for.
    pub(super) hangs: bool,
    /// The function that fails: the test's full name, or a program's `main`.
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
        let mut package = Package::copied(request, observer, cancel)?;
        let (mut target, mut filter) = resolved(selection, &package);
        if target == TestTarget::Doc {
            let asked = Asked::of(request, selection, &package, &target, &filter, cancel);
            let name = doc_tests::chosen(&asked, observer)?;
            target = doc_tests::as_integration_test(&mut package, &name, observer)?;
            filter = None;
        }
        let asked = Asked::of(request, selection, &package, &target, &filter, cancel);
        let mut found = asked.found(observer)?;
        // Another version is built with what its own sources make, and what is left alone is left to make what it does.
        let guarding = &selection.guarding;
        if guarding.good.is_none() && selection.scope != TestScope::Test {
            let again = |package: &Package, observer: &mut dyn Observer| {
                Asked::of(request, selection, package, &target, &filter, cancel).found(observer)
            };
            let units = closure(&found.captured, found.executable.unit);
            let built = (&found.captured, &units[..]);
            let what = What::GeneratedAndData;
            let taken = package.taking_in(what, request, built, observer, again)?;
            found = taken.unwrap_or(found);
        }
        let run = Run {
            name: found.executable.name.clone(),
            kind: found.executable.kind,
            package: found.executable.package.clone(),
            args: found.args,
            program: found.program,
        };
        Ok(Case {
            started,
            package,
            target,
            subcommand: found.subcommand,
            command: found.command,
            words: found.words,
            harness: selection.harness_arguments.clone(),
            others: Vec::new(),
            captured: Arc::new(found.captured),
            executable: found.executable,
            hangs: found.hangs,
            test: found.test,
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
        let time = if self.hangs { HANG_AGAIN } else { HANG };
        let first_limits = limits(request.trial_timeout.unwrap_or(time));
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
        let call = self.call(request).building();
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

    /// `cargo test`, or `cargo run`, on the target.
    pub(super) fn call(&self, request: &Request) -> CargoCall {
        call(&self.package, request, self.subcommand, &self.target)
    }

    /// What is run, if it is no test harness.
    pub(super) fn program(&self) -> Option<Program> {
        self.run.program.then(|| Program {
            executable: self.executable.clone(),
            root: self.captured.root.clone(),
        })
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
            TestTarget::Test(name)
            | TestTarget::Bin(name)
            | TestTarget::Example(name)
            | TestTarget::Bench(name) => name.clone(),
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
            kind: match self.run.program {
                true => Kind::Program,
                false => Kind::Test {
                    test: Some(self.test.clone()),
                },
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
