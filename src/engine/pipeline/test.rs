//! A failing test of a package, or a program of it that fails.

use std::time::{Duration, Instant};

use super::case::Case;
use super::finding::listed;
use super::guarding::{Choosing, Guarded, answers, asserted_elsewhere, in_test_code};
use super::scoping;
use super::versions::Looking;
use super::{Search, patience_with_a_test, patience_with_rustc, summed_up};
use crate::build::{Captured, ExecutableKind};
use crate::engine::Store;
use crate::engine::package::{Package, limits};
use crate::engine::trim::{self, Compared};
use crate::exec::{self, Cancel};
use crate::passes::assertions::Stretch;
use crate::property::Oracle;
use crate::property::by_cargo::{ByCargo, Wanted};
use crate::property::failure::{How, TestFailure};
use crate::property::guards::Guards;
use crate::property::signature::Signature;
use crate::property::stack::Stack;
use crate::property::test::Test;
use crate::property::twin::Twin;
use crate::report::{Event, Failure, Observer, Summary};
use crate::request::{Request, TestMatch, TestSelection};
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::FileId;

/// How often the original is run before anything is believed of it.
const BASELINE_RUNS: usize = 3;

/// Time after which a test that has not ended is taken to hang, unless the user says otherwise.
pub(super) const HANG: Duration = Duration::from_secs(20);

/// The same for one that was seen not to end once: it is only to be seen that it does so here too.
pub(super) const HANG_AGAIN: Duration = Duration::from_secs(2);

/// Time for each candidate of a test that hangs: one that does not hang takes milliseconds.
const HANG_TRIAL: Duration = Duration::from_secs(1);

/// CPU time after which one that computes all the while has not to be waited for, until it is to be confirmed.
const HANG_BUSY: Duration = Duration::from_millis(100);

pub(super) fn reduce(
    request: &Request,
    selection: &TestSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let case = Case::prepared(request, selection, observer, cancel)?;
    Store::check(&case.output(request), request.resume)?;
    match &selection.flaky {
        Some(flaky) => super::flaky::reduce(request, selection, flaky, case, observer, cancel),
        None => plainly(request, selection, &case, observer, cancel),
    }
}

/// Reduces a test that fails in every run.
pub(super) fn plainly(
    request: &Request,
    selection: &TestSelection,
    case: &Case,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let (package, captured, run) = (&case.package, &case.captured, &case.run);
    let (started, unit) = (case.started, case.executable.unit);
    let units = case.units();
    let mut oracle = case.oracle(request, cancel)?;
    oracle.take_undefined(false);
    let at = Instant::now();
    let (signature, failure, took) = baseline(
        &mut oracle,
        package,
        &case.command,
        selection.matching,
        observer,
    )?;
    let test_time = match signature.how() {
        How::Hang => request.trial_timeout.unwrap_or(HANG_TRIAL),
        _ => patience_with_a_test(request, took),
    };
    let compile_time = patience_with_rustc(at.elapsed());
    let wanted = Wanted::Test {
        signature: signature.clone(),
        args: run.args.clone(),
        program: case.program().map(Box::new),
        timeout: test_time,
        guards: None,
    };
    let by_cargo_in = |directory: &str| {
        let place = package.scratch.path().join(directory);
        let mut call = case.call(request);
        call.cwd = place.join(&package.package);
        ByCargo::new(
            Place::new(&place),
            call,
            wanted.clone(),
            limits(Duration::from_secs(3600)),
            cancel.clone(),
        )
    };
    let mut by_cargo = by_cargo_in("judge");
    let trimmed = trim::trimmed(
        package,
        captured,
        &units,
        Compared::by(&failure.message),
        &mut by_cargo,
        observer,
    )?;
    if trimmed.build_changed {
        let undefined = oracle.takes_undefined();
        oracle = case.oracle_again(request, &trimmed.subject, observer, cancel)?;
        oracle.take_undefined(undefined);
    }
    oracle.set_timeout(test_time);
    if *signature.how() == How::Hang && request.trial_timeout.is_none() {
        oracle.set_busy(Some(HANG_BUSY));
    }
    oracle.set_compile_timeout(compile_time);
    confine(&mut oracle, &signature, &trimmed.subject, package, observer)?;
    end_recursion(&mut oracle, &signature, &trimmed.subject, observer)?;
    oracle.set_signature(signature);
    oracle.confirm_faithfully();
    let program = (run.program)
        .then(|| source_of(captured, unit, &package.subject))
        .flatten();
    let root = program.or_else(|| test_root(captured, unit, &package.subject));
    // What a program that people use does is no test of something else.
    let mut in_test_code =
        run.kind != ExecutableKind::Bin && in_test_code(&failure, &trimmed.subject, root);
    let tests = match run.program {
        true => Vec::new(),
        false => listed(&case.executable, cancel)?,
    };
    if let (How::Panic(_), false) = (&failure.how, in_test_code)
        && matches!(selection.matching, TestMatch::Location | TestMatch::Exact)
    {
        oracle.follow(&trimmed.subject)?;
        // What a snapshot is compared with, or what is expected of a mock, is for another crate to say.
        if run.kind != ExecutableKind::Bin
            && asserted_elsewhere(&failure, oracle.innermost(), &trimmed.subject, root)
        {
            oracle.follow_no_more();
            in_test_code = true;
        }
    }
    let answers = answers(&failure, in_test_code);
    let deadline = request.time_limit.map(|limit| started + limit);
    let mut guarded = Choosing {
        selection: &selection.guarding,
        subject: &trimmed.subject,
        test: &case.test,
        args: &run.args,
        tests: &tests,
        executable: &case.executable.name,
        in_test_code,
        program,
        failure: &failure,
        deadline,
        cancel,
    }
    .guarded(&mut oracle, observer)?;
    by_cargo.set_guards(guarded.guards.clone());
    let end = Guarded::end(&failure, in_test_code, &selection.guarding);
    let expected = guarded.expected(&failure, &case.test, &selection.guarding);
    guarded.untouched.extend(expected);
    let mut protected = case.protected();
    let guards = guarded.guards.names.iter();
    protected.extend(
        guards
            .filter_map(|name| name.rsplit("::").next())
            .map(String::from),
    );
    let output = case.output(request);
    let mut joints = package.joints(oracle.captured(), oracle.units());
    let own: Vec<FileId> = units
        .iter()
        .map(|at| &captured.units[*at])
        .filter(|unit| unit.manifest_dir == captured.root.join(&package.package))
        .filter_map(|unit| unit.source.strip_prefix(&captured.root).ok())
        .filter_map(|source| trimmed.subject.find(source))
        .collect();
    let left = scoping::left(selection.scope, &trimmed.subject, &own, root, &case.test);
    let mut fixed = trimmed.fixed;
    fixed.extend(left.fixed);
    guarded.untouched.extend(left.untouched);
    let mut ran = guarded.ran.take();
    let mut start = guarded.subject;
    let mut versions = None;
    if let Some(good) = &selection.guarding.good {
        let place = Place::new(package.scratch.path().join("good-tree"));
        let captured = oracle.shared();
        let units = oracle.units().to_vec();
        let mut quick = case.oracle_for(request, &captured, units, place, "replay-good", cancel)?;
        quick.set_timeout(test_time);
        quick.confine_to(oracle.confined_to());
        let itself = Guards {
            names: vec![case.test.clone()],
            timeout: test_time,
            program: run.program.then(|| run.args.clone()),
        };
        let tests: Vec<FileId> = root
            .map(|root| start.clone().with_roots([root]))
            .map(|own| own.modules().reached.iter().copied().collect())
            .unwrap_or_default();
        let looking = Looking {
            wanted: good,
            package,
            tests: &tests,
            settings: &request.search.minimizer,
            // The rest of the time is for the search.
            deadline: request.time_limit.map(|limit| started + limit / 3),
            cancel,
        };
        let cargo = by_cargo_in("judge-good");
        let found = looking.found(&start, quick, cargo, itself, observer)?;
        start = found.0;
        ran = None;
        // What differs is the bug: it is made smaller last, by itself.
        guarded.untouched.extend(
            found
                .1
                .difference
                .replaced()
                .map(|(file, range)| Stretch { file, range }),
        );
        versions = Some(found.1);
        // The other version stays in its own crates.
        joints = Vec::new();
    }
    let (mut quick_twin, mut cargo_twin);
    let (judge, last): (&mut dyn Oracle, &mut dyn Oracle) = match &mut versions {
        Some(versions) => {
            quick_twin = Twin {
                fails: &mut oracle,
                passes: &mut versions.quick,
                difference: &versions.difference,
                guards: versions.guards.clone(),
            };
            cargo_twin = Twin {
                fails: &mut by_cargo,
                passes: &mut versions.cargo,
                difference: &versions.difference,
                guards: versions.guards.clone(),
            };
            (&mut quick_twin, &mut cargo_twin)
        }
        None => (&mut oracle, &mut by_cargo),
    };
    let ended = Search {
        request,
        start,
        fixed,
        conditions: package.conditions(captured, &units),
        joints,
        protected,
        untouched: guarded.untouched,
        oracle: judge,
        last: Some(last),
        cancel,
        output: output.clone(),
        scratch: package.scratch.path(),
        started,
        manifest_trials: 24,
        pump: None,
        schedule: &mut |engine| {
            let apart = root.is_some() && !run.program;
            // A version in which the test passes keeps the bug in by itself.
            let guarding = &selection.guarding;
            if in_test_code && guarding.good.is_none() && guarding.automatic != Some(false) {
                engine.hold_values_back();
                engine.leave_unentered(std::mem::take(&mut guarded.unentered));
                engine.know_as_now(guarded.as_now.take());
                engine.know_common(std::mem::take(&mut guarded.common));
            }
            engine.reduce_test(&failure, answers.as_ref(), ran.take(), end, apart)
        },
    }
    .run(observer)?;
    if let Some(versions) = &mut versions {
        let settings = &request.search.minimizer;
        versions.write(&ended.best, &output, settings, deadline, observer)?;
    }
    summed_up(case.facts(request, &failure, output), ended, None)
}

/// The units that `unit` is made of, in dependency order.
pub(super) fn closure(captured: &Captured, unit: usize) -> Vec<usize> {
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

/// The first file of the test `unit`, if the code under test is in other units.
pub(super) fn test_root(captured: &Captured, at: usize, subject: &Subject) -> Option<FileId> {
    let unit = &captured.units[at];
    let others = unit.dependencies.iter().any(|at| captured.units[*at].own);
    let own = captured.executables.iter().any(|found| {
        found.kind == ExecutableKind::Test && captured.units[found.unit].source == unit.source
    });
    source_of(captured, at, subject).filter(|_| others && own)
}

/// The first file of `unit`.
fn source_of(captured: &Captured, unit: usize, subject: &Subject) -> Option<FileId> {
    let source = &captured.units[unit].source;
    subject.find(source.strip_prefix(&captured.root).ok()?)
}

/// Runs the original a few times: the signature, one failure, and how long a run took.
fn baseline(
    oracle: &mut Test,
    package: &Package,
    command: &str,
    matching: TestMatch,
    observer: &mut dyn Observer,
) -> Result<(Signature, TestFailure, Duration), Failure> {
    let mut failures = Vec::new();
    let mut runs = 0;
    let mut took = Duration::ZERO;
    while runs < BASELINE_RUNS {
        let seen = oracle.observe(&package.subject, None)?;
        let Some(ran) = &seen.ran else {
            if !oracle.takes_undefined() {
                // The original may have it.
                oracle.take_undefined(true);
                continue;
            }
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
        let command = command.to_string();
        return Err(match oracle.runs_a_program() {
            true => Failure::ProgramPasses { command, runs },
            false => Failure::TestPasses { command, runs },
        });
    };
    if failures.len() < runs {
        return Err(Failure::FailsSometimes {
            command: command.to_string(),
            failures: failures.len(),
            runs,
        });
    }
    let alike = match matching {
        TestMatch::Any => &failures[..1],
        _ => &failures[..],
    };
    let differs = |failure: &TestFailure| failure.message != first.message;
    let signature = match matching {
        TestMatch::Exact if failures.iter().any(differs) => None,
        _ => Signature::of(alike).map(|signature| signature.compared(matching)),
    };
    let Some(signature) = signature else {
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
            "it fails in another way when it may not write outside the scratch directory: it may, in every trial",
        ));
    }
    Ok(())
}

/// Has the recursion of every candidate end, if that of the original does: one that never ends overflows the stack whatever
/// the input is, and shows another bug. A program's stack is not ours to choose.
fn end_recursion(
    oracle: &mut Test,
    signature: &Signature,
    subject: &Subject,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    if *signature.how() != How::Overflow || oracle.runs_a_program() {
        return Ok(());
    }
    if oracle.ends_with_the_largest_stack(subject)? {
        oracle.require_an_end();
        observer.event(&Event::Note(&format!(
            "a stack of {} is large enough for it, and has to be for what is left of it: recursion without end is another bug",
            Stack::LARGEST
        )));
    } else {
        oracle.seek_an_end();
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
