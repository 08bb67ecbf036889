//! A failing test of a package.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Facts, Search, flaky, output, patience, shell_words, summed_up};
use crate::build::{Captured, CargoCall, Emit, Executable, ExecutableKind};
use crate::engine::package::{Package, executable_kind, limits, selection_flags, target_flags};
use crate::engine::trim;
use crate::exec::{self, Cancel, Ending};
use crate::property::by_cargo::{ByCargo, Wanted};
use crate::property::failure::{How, Signature, TestFailure};
use crate::property::replayed::Replayed;
use crate::property::test::{Run, Test};
use crate::report::{Event, Failure, Kind, Observer, Summary};
use crate::request::{Request, TestSelection, TestTarget};
use crate::subject::Subject;
use crate::subject::place::Place;

/// How often the original is run before anything is believed of it.
const BASELINE_RUNS: usize = 3;

/// Time after which a test that has not ended is taken to hang, unless the user says otherwise.
pub(super) const HANG: Duration = Duration::from_secs(20);

/// Time for each candidate of a test that hangs: one that does not hang takes milliseconds.
const HANG_TRIAL: Duration = Duration::from_secs(1);

pub(super) fn reduce(
    request: &Request,
    selection: &TestSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let case = Case::prepared(request, selection, observer, cancel)?;
    match &selection.flaky {
        Some(flaky) => flaky::reduce(request, flaky, case, observer, cancel),
        None => plainly(request, &case, observer, cancel),
    }
}

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
    fn prepared(
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
            subject,
            "replay",
            cancel,
        )
    }

    fn oracle_for(
        &self,
        request: &Request,
        captured: &Arc<Captured>,
        units: Vec<usize>,
        holding: &Subject,
        directory: &str,
        cancel: &Cancel,
    ) -> Result<Test, Failure> {
        let replayed = Replayed::new(
            Place::holding(captured.root.clone(), holding.clone()),
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
        self.oracle_for(request, &again, units, subject, "replay-trimmed", cancel)
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
            original: &self.package.subject,
            toolchain: toolchain
                .map(|found| found.verbose_version.clone())
                .unwrap_or_default(),
            output,
            started: self.started,
        }
    }
}

/// Reduces a test that fails in every run.
pub(super) fn plainly(
    request: &Request,
    case: &Case,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let package = &case.package;
    let mut oracle = case.oracle(request, cancel)?;
    let (signature, failure, took) = baseline(&mut oracle, package, &case.command, observer)?;
    let test_time = match signature.how() {
        How::Hang => request.trial_timeout.unwrap_or(HANG_TRIAL),
        _ => patience(request, took),
    };
    let place = package.scratch.path().join("judge");
    let mut call = case.call(request);
    call.cwd = place.join(&package.package);
    let wanted = Wanted::Test {
        signature: signature.clone(),
        args: case.run.args.clone(),
        timeout: test_time,
    };
    let mut by_cargo = ByCargo::new(
        Place::new(&place),
        call,
        wanted,
        limits(Duration::from_secs(3600)),
        cancel.clone(),
    );
    let targets = [case.executable.name.clone()];
    let units = case.units();
    let trimmed = trim::trimmed(
        package,
        &case.captured,
        &units,
        &targets,
        &mut by_cargo,
        observer,
    )?;
    if trimmed.build_changed {
        oracle = case.oracle_again(request, &trimmed.subject, observer, cancel)?;
    }
    oracle.set_timeout(test_time);
    confine(&mut oracle, &signature, &trimmed.subject, package, observer)?;
    oracle.set_signature(signature);
    let output = case.output(request);
    let ended = Search {
        request,
        start: trimmed.subject,
        fixed: trimmed.fixed,
        conditions: package.conditions(&case.captured, &units),
        protected: case.protected(),
        oracle: &mut oracle,
        last: Some(&mut by_cargo),
        cancel,
        output: output.clone(),
        scratch: package.scratch.path(),
        started: case.started,
        schedule: &mut |engine| engine.reduce_test(),
    }
    .run(observer)?;
    summed_up(case.facts(request, &failure, output), ended, None)
}

/// The target and the filter: a name that no integration test has is that of a test function.
fn resolved(selection: &TestSelection, package: &Package) -> (TestTarget, Option<String>) {
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
fn no_target(printed: &str, target: &TestTarget, package: &Package) -> Option<Failure> {
    if !printed.contains("no test target named")
        && !printed.contains("no bin target named")
        && !printed.contains("no library targets")
    {
        return None;
    }
    let targets = || {
        package
            .metadata
            .packages
            .iter()
            .filter(|p| p.name.as_str() == package.name)
            .flat_map(|p| &p.targets)
    };
    let (kind, wanted, available): (_, String, Vec<String>) = match target {
        TestTarget::Test(name) => (
            "integration test",
            name.clone(),
            targets()
                .filter(|t| t.is_test())
                .map(|t| t.name.clone())
                .collect(),
        ),
        TestTarget::Bin(name) => (
            "binary",
            name.clone(),
            targets()
                .filter(|t| t.is_bin())
                .map(|t| t.name.clone())
                .collect(),
        ),
        _ => ("library", package.name.clone(), Vec::new()),
    };
    Some(Failure::NoSuchTarget {
        kind,
        wanted,
        package: package.name.clone(),
        available,
    })
}

/// The units that `unit` is made of, in dependency order.
fn closure(captured: &Captured, unit: usize) -> Vec<usize> {
    let mut found = vec![false; captured.units.len()];
    let mut open = vec![unit];
    while let Some(next) = open.pop() {
        if !std::mem::replace(&mut found[next], true) {
            open.extend(&captured.units[next].dependencies);
        }
    }
    let wanted = |at: &usize| found[*at] && !captured.units[*at].host;
    (0..found.len()).filter(wanted).collect()
}

/// The test to be reduced.
pub(super) struct Chosen {
    pub(super) executable: Executable,
    pub(super) test: String,
}

/// The one failing test among those that the selection names.
fn chosen(
    captured: &Captured,
    target: &TestTarget,
    filter: Option<&str>,
    selection: &TestSelection,
    command: &str,
    request: &Request,
    cancel: &Cancel,
) -> Result<Chosen, Failure> {
    let kind = executable_kind(target);
    let is_test =
        |found: &&Executable| !matches!(found.kind, ExecutableKind::Bin | ExecutableKind::Other);
    let executables = captured
        .executables
        .iter()
        .filter(is_test)
        .filter(|found| kind.is_none_or(|kind| kind == found.kind));
    let mut matching: Vec<Chosen> = Vec::new();
    let mut all = Vec::new();
    let mut searched = Vec::new();
    for executable in executables {
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
                });
            }
        }
    }
    // `cargo test name` takes parts of names; a whole name means that test alone.
    if let Some(filter) = filter
        && matching
            .iter()
            .filter(|found| found.test == filter || found.test.ends_with(&format!("::{filter}")))
            .count()
            == 1
    {
        matching
            .retain(|found| found.test == filter || found.test.ends_with(&format!("::{filter}")));
    }
    if matching.len() > 1 && selection.flaky.is_some() {
        matching = vec![flaky::most_failing(matching, selection, command, cancel)?];
    }
    if matching.len() > 1 {
        let mut failing = Vec::new();
        for found in matching {
            if fails(&found, selection, request, cancel)? {
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
        .filter_map(|line| line.strip_suffix(": test"))
        .map(String::from)
        .collect())
}

fn fails(
    found: &Chosen,
    selection: &TestSelection,
    request: &Request,
    cancel: &Cancel,
) -> Result<bool, Failure> {
    let mut args = vec![found.test.clone(), "--exact".into()];
    args.extend(selection.harness_arguments.iter().cloned());
    let outcome = run(
        &found.executable,
        &args,
        request.trial_timeout.unwrap_or(HANG),
        cancel,
    )?;
    Ok(!outcome.success())
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

/// Runs the original a few times: the signature, one failure, and how long a run took.
fn baseline(
    oracle: &mut Test,
    package: &Package,
    command: &str,
    observer: &mut dyn Observer,
) -> Result<(Signature, TestFailure, Duration), Failure> {
    let mut failures = Vec::new();
    let mut runs = 0;
    let mut took = Duration::ZERO;
    while runs < BASELINE_RUNS {
        let seen = oracle.observe(&package.subject, None)?;
        let Some(ran) = &seen.ran else {
            return Err(Failure::Bug {
                doing: "replaying the rustc calls of the test".into(),
                why: format!(
                    "they fail, while cargo's own do not\n{}",
                    errors_of(oracle, &seen.compile_output)
                ),
            });
        };
        runs += 1;
        took = took.max(ran.wall);
        failures.extend(seen.failure);
        // Each run of a test that hangs takes all the time there is.
        if failures
            .last()
            .is_some_and(|failure| failure.how == How::Hang)
        {
            break;
        }
    }
    let Some(first) = failures.first().cloned() else {
        return Err(Failure::TestPasses {
            command: command.to_string(),
            runs,
        });
    };
    if failures.len() < runs {
        return Err(Failure::FailsSometimes {
            command: command.to_string(),
            failures: failures.len(),
            runs,
        });
    }
    let Some(signature) = Signature::of(&failures) else {
        let mut signatures: Vec<(String, usize)> = Vec::new();
        for failure in &failures {
            let title = failure.title(&package.subject);
            match signatures.iter_mut().find(|(known, _)| *known == title) {
                Some((_, count)) => *count += 1,
                None => signatures.push((title, 1)),
            }
        }
        return Err(Failure::FailsDifferently {
            command: command.to_string(),
            signatures,
        });
    };
    observer.event(&Event::Baseline {
        runs,
        signature: &first.title(&package.subject),
        tokens: package.subject.tokens(),
        files: package.subject.source_files(),
        wall: took,
    });
    Ok((signature, first, took))
}

/// Confines the test to the scratch directory, unless it fails in another way there: what is left of it when
/// half is deleted may delete files elsewhere.
fn confine(
    oracle: &mut Test,
    signature: &Signature,
    subject: &Subject,
    package: &Package,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    if !exec::can_confine() {
        return Ok(());
    }
    oracle.confine_to(Some(vec![package.scratch.path().to_path_buf()]));
    let seen = oracle.observe(subject, None)?;
    if !seen
        .failure
        .is_some_and(|failure| signature.holds(&failure))
    {
        oracle.confine_to(None);
        observer.event(&Event::Note(
            "the test fails in another way when it may not write outside the scratch directory: it may, in every trial",
        ));
    }
    Ok(())
}

fn errors_of(oracle: &Test, text: &str) -> String {
    let rendered = oracle
        .errors()
        .iter()
        .filter_map(|found| found.rendered.as_deref());
    rendered.chain([text]).collect()
}
