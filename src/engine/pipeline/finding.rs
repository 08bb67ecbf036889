//! What fails: the test, or the program, that the user names, found among what cargo builds of the package. Must not
//! judge how it fails.

use std::ffi::OsString;
use std::time::Duration;

use cargo_metadata::Target;

use super::shell_words;
use super::test::HANG;
use crate::build::{Captured, CargoCall, Executable, ExecutableKind};
use crate::engine::package::{Package, executable_kind, limits, selection_flags, target_flags};
use crate::exec::{self, Cancel, Ending};
use crate::report::{Failure, Observer};
use crate::request::{Request, TestSelection, TestTarget};

/// What was asked for, in terms of one package.
pub(super) struct Asked<'a> {
    pub request: &'a Request,
    pub selection: &'a TestSelection,
    pub package: &'a Package,
    pub target: &'a TestTarget,
    pub filter: Option<&'a str>,
    pub cancel: &'a Cancel,
}

/// What fails, built.
pub(super) struct Found {
    pub captured: Captured,
    pub executable: Executable,
    /// The function that fails: the test's full name, or a program's `main`.
    pub test: String,
    /// It is no test.
    pub program: bool,
    /// It did not end when it was looked for.
    pub hangs: bool,
    /// What it is run with.
    pub args: Vec<String>,
    /// The cargo command that runs it: `test` or `run`.
    pub subcommand: &'static str,
    /// How the user sees the failure.
    pub command: String,
    /// The part of it that is cargo's: neither a filter nor what follows `--`.
    pub words: Vec<OsString>,
}

impl<'a> Asked<'a> {
    pub(super) fn of(
        request: &'a Request,
        selection: &'a TestSelection,
        package: &'a Package,
        target: &'a TestTarget,
        filter: &'a Option<String>,
        cancel: &'a Cancel,
    ) -> Self {
        Asked {
            request,
            selection,
            package,
            target,
            filter: filter.as_deref(),
            cancel,
        }
    }

    /// Builds what is asked for and finds the one thing in it that is to be reduced.
    pub(super) fn found(&self, observer: &mut dyn Observer) -> Result<Found, Failure> {
        // Without a filter, what is no test target is run.
        let alone =
            matches!(self.target, TestTarget::Bin(_)) && self.selection.arguments.is_empty();
        if self.filter.is_none()
            && matches!(self.target, TestTarget::Bin(_) | TestTarget::Example(_))
        {
            if alone && let Some(captured) = self.with_a_failing_unit_test(observer)? {
                return self.a_test(captured);
            }
            let captured = self.built("run", observer)?;
            return match self.program_in(&captured, "run") {
                Some(found) => Ok(self.as_program(captured, found, "run")),
                None => Err(self.not_built()),
            };
        }
        let captured = self.built("test", observer)?;
        match self.program_in(&captured, "test") {
            Some(found) => Ok(self.as_program(captured, found, "test")),
            None => self.a_test(captured),
        }
    }

    /// The build of a binary's unit tests, if one of them fails.
    fn with_a_failing_unit_test(
        &self,
        observer: &mut dyn Observer,
    ) -> Result<Option<Captured>, Failure> {
        let captured = match self.built("test", observer) {
            Err(Failure::DoesNotCompile { .. }) => return Ok(None),
            other => other?,
        };
        let mut fails = false;
        for found in self.harnesses(&captured) {
            fails |= match self.selection.flaky {
                // It need not fail this time.
                Some(_) => !listed(found, self.cancel)?.is_empty(),
                // A harness without tests succeeds.
                None => !run(found, &[], HANG, self.cancel)?.success(),
            };
        }
        Ok(fails.then_some(captured))
    }

    /// `cargo SUBCOMMAND` on the target.
    pub(super) fn call(&self, subcommand: &str) -> CargoCall {
        call(self.package, self.request, subcommand, self.target)
    }

    /// Builds the target as `cargo SUBCOMMAND` does.
    fn built(
        &self,
        subcommand: &'static str,
        observer: &mut dyn Observer,
    ) -> Result<Captured, Failure> {
        let call = self.call(subcommand).building();
        let captured = self.package.capture(&call, observer, self.cancel)?;
        if captured.outcome.success() {
            return Ok(captured);
        }
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
        Err(
            no_target(&printed, self.target, self.package).unwrap_or(Failure::DoesNotCompile {
                command: self.command(subcommand, self.filter),
                output: printed,
            }),
        )
    }

    /// The words of the command that are cargo's.
    fn words(&self, subcommand: &str) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["cargo".into()];
        let cargo = &self.request.cargo;
        words.extend(cargo.toolchain.iter().map(|name| format!("+{name}").into()));
        words.push(subcommand.into());
        words.extend(selection_flags(cargo));
        words.extend(target_flags(self.target));
        words
    }

    /// The command without what follows `--`.
    pub(super) fn command(&self, subcommand: &str, filter: Option<&str>) -> String {
        let filter = filter.map(OsString::from);
        shell_words(self.words(subcommand).into_iter().chain(filter))
    }

    /// `command` with what follows `--`.
    fn with_arguments<'w>(command: &str, arguments: impl IntoIterator<Item = &'w str>) -> String {
        let arguments: Vec<&str> = arguments.into_iter().collect();
        match arguments.is_empty() {
            true => command.to_string(),
            false => format!("{command} -- {}", shell_words(arguments)),
        }
    }

    /// The executables of the target that are test harnesses.
    fn harnesses<'c>(&self, captured: &'c Captured) -> impl Iterator<Item = &'c Executable> {
        let kind = executable_kind(self.target);
        captured.executables.iter().filter(move |found| {
            captured.units[found.unit].is_test && kind.is_none_or(|kind| kind == found.kind)
        })
    }

    /// The executable of the target that is none, if the target was built to one by `cargo SUBCOMMAND`.
    fn program_in(&self, captured: &Captured, subcommand: &str) -> Option<Executable> {
        let (name, kind) = match (self.target, subcommand) {
            (TestTarget::Bin(name), "run") => (name, ExecutableKind::Bin),
            (TestTarget::Example(name), "run") => (name, ExecutableKind::Other),
            (TestTarget::Test(name), _) => (name, ExecutableKind::Test),
            (TestTarget::Bench(name) | TestTarget::Example(name), _) => {
                (name, ExecutableKind::OtherTest)
            }
            _ => return None,
        };
        let is_it = |found: &&Executable| {
            found.kind == kind && found.name == *name && !captured.units[found.unit].is_test
        };
        captured.executables.iter().find(is_it).cloned()
    }

    fn as_program(
        &self,
        captured: Captured,
        executable: Executable,
        subcommand: &'static str,
    ) -> Found {
        let given = &self.selection.arguments;
        let filter = self.selection.front_filter.clone();
        let command = self.command(subcommand, filter.as_deref());
        Found {
            captured,
            executable,
            test: "main".to_string(),
            program: true,
            hangs: false,
            args: filter.into_iter().chain(given.iter().cloned()).collect(),
            subcommand,
            command: Self::with_arguments(&command, given.iter().map(String::as_str)),
            words: self.words(subcommand),
        }
    }

    /// The one test that is meant among those in `captured`.
    fn a_test(&self, captured: Captured) -> Result<Found, Failure> {
        if let Some(second) = &self.selection.second_filter {
            return Err(Failure::SeveralFilters {
                second: second.clone(),
            });
        }
        let given = &self.selection.harness_arguments;
        // It is about a filter.
        let exact = (self.selection.exact && self.filter.is_some()).then_some("--exact");
        let arguments = given.iter().map(String::as_str).chain(exact);
        let command = self.command("test", self.filter);
        let command = Self::with_arguments(&command, arguments);
        let chosen = self.chosen(&captured, &command)?;
        let mut args = vec![
            chosen.test.clone(),
            "--exact".to_string(),
            "--nocapture".to_string(),
            "--test-threads=1".to_string(),
        ];
        args.extend(given.iter().cloned());
        Ok(Found {
            captured,
            executable: chosen.executable,
            test: chosen.test,
            program: false,
            hangs: chosen.hangs,
            args,
            subcommand: "test",
            command,
            words: self.words("test"),
        })
    }

    fn not_built(&self) -> Failure {
        Failure::Bug {
            doing: format!("finding what `{}` runs", self.command("run", None)),
            why: "cargo has built it and does not say where".into(),
        }
    }

    /// The one failing test among those that the selection names.
    fn chosen(&self, captured: &Captured, command: &str) -> Result<Chosen, Failure> {
        let (selection, filter, cancel) = (self.selection, self.filter, self.cancel);
        let mut matching: Vec<Chosen> = Vec::new();
        let mut all = Vec::new();
        let mut searched = Vec::new();
        for executable in self.harnesses(captured) {
            searched.push(executable.name.clone());
            for test in listed(executable, cancel)? {
                let wanted = filter.is_none_or(|filter| {
                    if selection.exact {
                        test == filter
                    } else {
                        test.contains(filter)
                    }
                });
                all.push(test.clone());
                if wanted {
                    matching.push(Chosen {
                        executable: executable.clone(),
                        test,
                        hangs: false,
                    });
                }
            }
        }
        // `cargo test name` takes parts of names; a whole name means that test alone.
        if let Some(filter) = filter
            && matching
                .iter()
                .filter(|found| {
                    found.test == filter || found.test.ends_with(&format!("::{filter}"))
                })
                .count()
                == 1
        {
            matching.retain(|found| {
                found.test == filter || found.test.ends_with(&format!("::{filter}"))
            });
        }
        if matching.len() > 1 && selection.flaky.is_some() {
            matching = vec![super::flaky::most_failing(
                matching, selection, command, cancel,
            )?];
        }
        if matching.len() > 1 {
            let mut failing = Vec::new();
            for mut found in matching {
                let outcome = self.run(&found)?;
                found.hangs = outcome.ending == Ending::TimedOut;
                if !outcome.success() {
                    failing.push(found);
                }
            }
            matching = failing;
            if matching.is_empty() {
                return Err(Failure::TestPasses {
                    command: command.to_string(),
                    runs: 1,
                });
            }
        }
        let searched = format!("`{}`", searched.join("`, `"));
        match matching.len() {
            1 => Ok(matching.remove(0)),
            0 => Err(Failure::NoSuchTest {
                wanted: filter.unwrap_or("*").to_string(),
                searched,
                available: all,
            }),
            _ => Err(Failure::SeveralTestsFail {
                searched,
                failing: matching.into_iter().map(|found| found.test).collect(),
            }),
        }
    }

    fn run(&self, found: &Chosen) -> Result<exec::Outcome, Failure> {
        let mut args = vec![found.test.clone(), "--exact".into()];
        args.extend(self.selection.harness_arguments.iter().cloned());
        let time = self.request.trial_timeout.unwrap_or(HANG);
        run(&found.executable, &args, time, self.cancel)
    }
}

/// `cargo SUBCOMMAND` on the target.
pub(super) fn call(
    package: &Package,
    request: &Request,
    subcommand: &str,
    target: &TestTarget,
) -> CargoCall {
    package
        .cargo(&request.cargo, subcommand)
        .flags(target_flags(target))
}

/// The target and the filter: a name that no integration test has is that of a test function.
pub(super) fn resolved(
    selection: &TestSelection,
    package: &Package,
) -> (TestTarget, Option<String>) {
    if let TestTarget::Test(name) = &selection.target {
        let mut targets = package
            .metadata
            .packages
            .iter()
            .filter(|p| p.name.as_str() == package.name)
            .flat_map(|p| &p.targets);
        if selection.filter.is_none()
            && !targets.any(|target| target.is_test() && target.name == *name)
        {
            return (TestTarget::Any, Some(name.clone()));
        }
    }
    (selection.target.clone(), selection.filter.clone())
}

/// Cargo's complaint about a target that is not there, as ours.
pub(super) fn no_target(printed: &str, target: &TestTarget, package: &Package) -> Option<Failure> {
    let complaints =
        ["test", "bin", "example", "bench"].map(|kind| format!("no {kind} target named"));
    if !complaints.iter().any(|text| printed.contains(text))
        && !printed.contains("no library targets")
    {
        return None;
    }
    let (kind, wanted, is_of_kind): (_, _, fn(&Target) -> bool) = match target {
        TestTarget::Test(name) => ("integration test", name, Target::is_test),
        TestTarget::Bin(name) => ("binary", name, Target::is_bin),
        TestTarget::Example(name) => ("example", name, Target::is_example),
        TestTarget::Bench(name) => ("benchmark", name, Target::is_bench),
        _ => ("library", &package.name, Target::is_lib),
    };
    let targets = package
        .metadata
        .packages
        .iter()
        .filter(|p| p.name.as_str() == package.name)
        .flat_map(|p| &p.targets)
        .filter(|target| is_of_kind(target));
    Some(Failure::NoSuchTarget {
        kind,
        wanted: wanted.clone(),
        package: package.name.clone(),
        available: targets.map(|target| target.name.clone()).collect(),
    })
}

/// The test to be reduced.
pub(super) struct Chosen {
    pub(super) executable: Executable,
    pub(super) test: String,
    /// It did not end when it was run, if it was.
    pub(super) hangs: bool,
}

/// The names of the tests in `executable`.
pub(super) fn listed(executable: &Executable, cancel: &Cancel) -> Result<Vec<String>, Failure> {
    let outcome = run(
        executable,
        &["--list".into()],
        Duration::from_secs(60),
        cancel,
    )?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    Ok(text
        .lines()
        // `cargo test` runs benchmarks as tests.
        .filter_map(|line| {
            line.strip_suffix(": test")
                .or_else(|| line.strip_suffix(": benchmark"))
        })
        .map(String::from)
        .collect())
}

pub(super) fn run(
    executable: &Executable,
    args: &[String],
    time: Duration,
    cancel: &Cancel,
) -> Result<exec::Outcome, Failure> {
    let invocation = executable.invocation(args.iter().cloned());
    let outcome = exec::run(&invocation, &limits(time), cancel).map_err(|error| Failure::Bug {
        doing: format!("running {}", executable.path.display()),
        why: error.to_string(),
    })?;
    match outcome.ending {
        Ending::Cancelled => Err(Failure::Interrupted),
        _ => Ok(outcome),
    }
}
