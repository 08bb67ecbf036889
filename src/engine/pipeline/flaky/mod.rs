//! A test that fails only sometimes: how often is measured first, then the same search with another oracle.

mod company;
mod levers;

use std::time::Duration;

use super::case::Case;
use super::guarding::{answers, in_test_code};
use super::test::{plainly, test_root};
use super::{Search, patience_with_rustc, summed_up};
use crate::engine::package::limits;
use crate::engine::trim::{self, Compared};
use crate::exec::{self, Cancel};
use crate::property::Oracle;
use crate::property::failure::How;
use crate::property::flaky::{
    Budget, ByCargo, BySeed, Criterion, Final, Flaky, Group, Measured, Sought, Stress, Target,
    patience,
};
use crate::report::{Event, Failure, Flakiness, Observer, Rate, SeenFailure, Summary, share};
use crate::request::{FlakySelection, Request, TestSelection};
use crate::statistics::{Tally, runs_to_see};
use crate::subject::Subject;
use crate::subject::place::Place;

pub(super) use company::most_failing;

/// Runs that tell "half the time" from "always".
const LEAST_RUNS: u32 = 60;

/// Failures after which the rate is known to a sixth or so.
const FAILURES: u32 = 40;

/// Runs after which a test that has not failed is given up.
const MOST_RUNS: u32 = 3000;

/// What fails less often than this is made to fail more often, unless the user says how: at a few per cent each decision
/// takes a hundred runs.
const RARE: f64 = 0.1;

/// Time for measuring, if no limit of the whole is shorter.
const MEASURING: Duration = Duration::from_secs(60);

/// Of an interval.
const CONFIDENCE: f64 = 0.95;

pub(super) fn reduce(
    request: &Request,
    selection: &TestSelection,
    flaky: &FlakySelection,
    mut case: Case,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    // A test alone in its process runs on a thread of its own either way; how many there may be is up to the user.
    if !case.run.program {
        case.run.args.retain(|arg| arg != "--test-threads=1");
    }
    let mut stress = flaky.stress.clone().unwrap_or_default();
    let test = case.oracle(request, cancel)?;
    let sought = Sought::new(selection.matching, flaky.failure.as_deref()).map_err(|error| {
        Failure::Bug {
            doing: "reading --failure".into(),
            why: error.to_string(),
        }
    })?;
    let mut oracle = Flaky::new(test, request.jobs, stress.clone(), sought, cancel.clone());
    if stress.repeat > 1 && levers::repetition(&case, &stress).is_none() {
        observer.event(&Event::Note(&format!(
            "`{}` is run once in each process: it is not found in the text as a test that can be called",
            case.test
        )));
        stress.repeat = 0;
    }
    levers::pull(&mut oracle, &case, &stress);
    let rare = Some(RARE).filter(|_| flaky.stress.is_none());
    let mut measured = self::measured(&mut oracle, &case, request, rare, observer)?;
    oracle.set_compile_timeout(patience_with_rustc(measured.compiled));
    let mut tried = Vec::new();
    if rare.is_some_and(|rare| measured.kept_tally().rate() < rare) {
        (stress, measured) =
            levers::pulled(&mut oracle, &case, request, measured, &mut tried, observer)?;
        // It was known to be rare, and no more than that.
        if stress.is_none() {
            measured = self::measured(&mut oracle, &case, request, None, observer)?;
        }
    }
    if stress.is_none() {
        let alone = format!("{} runs of `{}` alone", measured.tally.runs, case.test);
        tried.insert(0, alone);
    }
    let mut findings = Vec::new();
    if measured.kept().is_none() {
        let found = company::found(
            &mut oracle,
            &mut case,
            request,
            flaky,
            &mut tried,
            observer,
            cancel,
        )?;
        let Some(finding) = found else {
            return Err(never_failed(flaky, &case, &measured, tried));
        };
        findings.push(finding);
        // Those that run before it or beside it do so once.
        stress.repeat = 0;
        measured = self::measured(&mut oracle, &case, request, None, observer)?;
    }
    let Some(group) = measured.kept() else {
        return Err(never_failed(flaky, &case, &measured, tried));
    };
    let always = group.steady && group.count == measured.tally.runs;
    if always && case.others.is_empty() && stress.is_none() {
        let runs = measured.tally.runs;
        observer.event(&Event::Note(&format!(
            "the test failed in all of {runs} runs: it is reduced as one that always fails"
        )));
        if !case.run.program {
            case.run.args.push("--test-threads=1".to_owned());
        }
        return plainly(request, selection, &case, observer, cancel);
    }
    if let (None, Some(patience)) = (request.trial_timeout, patience(&measured.ended)) {
        oracle.set_timeout(patience);
    }
    let criterion = criterion(flaky, &case, &measured, group, &stress)?;
    oracle.set_criterion(criterion.clone());
    let before = measured.kept_tally();
    observer.event(&Event::Baseline {
        runs: before.runs as usize,
        signature: &format!(
            "{}: {}",
            Rate::from(before).in_words(),
            group.failure.title(&case.package.subject)
        ),
        tokens: case.package.subject.tokens(),
        files: case.package.subject.source_files(),
        wall: measured.usual(),
    });
    for other in &measured.groups[1..] {
        observer.event(&Event::Note(&format!(
            "it also failed in another way, in {} of {} runs: {}",
            other.count,
            before.runs,
            other.failure.title(&case.package.subject)
        )));
    }
    if case.others.is_empty() {
        findings.extend(by_seed(&mut oracle, &case, &criterion, before, observer)?);
    }
    let mut by_cargo = judge(&case, request, &oracle, &criterion, &stress, cancel);
    let units = case.units();
    let trimmed = trim::trimmed(
        &case.package,
        &case.captured,
        &units,
        Compared::by(&group.failure.message),
        &mut by_cargo,
        observer,
    )?;
    if trimmed.build_changed {
        oracle.replace(case.oracle_again(request, &trimmed.subject, observer, cancel)?);
        oracle.set_timeout(by_cargo.timeout());
    }
    confine(&mut oracle, &trimmed.subject, &case, observer)?;
    by_cargo.be_thorough();
    let joints = match levers::repetition(&case, &stress) {
        // The test that repeats the other is looked for where the other was.
        Some(_) => Vec::new(),
        None => case
            .package
            .joints(oracle.test().captured(), oracle.test().units()),
    };
    let output = case.output(request);
    let root = test_root(&case.captured, case.executable.unit, &trimmed.subject);
    let apart = root.is_some() && !case.run.program;
    let compared = in_test_code(&group.failure, &trimmed.subject, root);
    let answers = answers(&group.failure, compared);
    let ended = Search {
        request,
        start: trimmed.subject,
        fixed: trimmed.fixed,
        untouched: Vec::new(),
        joints,
        manifest_trials: 0,
        pump: None,
        conditions: case.package.conditions(&case.captured, &units),
        protected: case.protected(),
        oracle: &mut oracle,
        last: Some(&mut by_cargo),
        cancel,
        output: output.clone(),
        scratch: case.package.scratch.path(),
        started: case.started,
        schedule: &mut |engine| {
            engine.reduce_test(&group.failure, answers.as_ref(), None, None, apart)
        },
    }
    .run(observer)?;
    let last = by_cargo.last();
    let runs_spent = oracle.runs() + by_cargo.runs();
    let mut flakiness = flakiness(
        flaky, &case, &measured, &criterion, &stress, last, runs_spent,
    );
    if let Some(plain) = last.and_then(|last| last.in_a_shell) {
        let finding = format!(
            "Without anybody who makes it fail more often, the result fails in {}",
            Rate::from(plain).in_words()
        );
        observer.event(&Event::Note(&finding));
        findings.push(finding);
    }
    flakiness.findings = findings;
    if !flakiness.confirmed
        && let Some(after) = flakiness.after
    {
        observer.event(&Event::Note(&format!(
            "the result fails in {}: that it is at least {} cannot be said with {} confidence",
            after.in_words(),
            share(criterion.min_rate()),
            share(CONFIDENCE)
        )));
    }
    summed_up(
        case.facts(request, &group.failure, output),
        ended,
        Some(flakiness),
    )
}

/// Why there is nothing to reduce: no failure at all, or none like the one that was asked for.
fn never_failed(
    flaky: &FlakySelection,
    case: &Case,
    measured: &Measured,
    tried: Vec<String>,
) -> Failure {
    let seen = measured.groups.iter().map(|group| {
        let title = group.failure.title(&case.package.subject);
        (title, group.count as usize)
    });
    match &flaky.failure {
        Some(wanted) if !measured.groups.is_empty() => Failure::NoSuchFailure {
            wanted: wanted.clone(),
            seen: seen.collect(),
        },
        _ => Failure::NeverFailed { tried },
    }
}

/// What fixed seeds of hash maps say of the cause.
fn by_seed(
    oracle: &mut Flaky,
    case: &Case,
    criterion: &Criterion,
    before: Tally,
    observer: &mut dyn Observer,
) -> Result<Option<String>, Failure> {
    let finding = match oracle.by_seed(&case.package.subject, criterion, before)? {
        BySeed::Decides { runs } => format!(
            "It looks like order dependence: with the random seed of `HashMap` and `HashSet` fixed to one with which it fails, \
             it failed in each of {runs} runs"
        ),
        BySeed::DoesNot => {
            "With the random seed of `HashMap` and `HashSet` fixed it fails in some runs only: hash order alone is not the cause"
                .to_owned()
        }
        BySeed::Unknown => return Ok(None),
    };
    observer.event(&Event::Note(&finding));
    Ok(Some(finding))
}

/// Runs the original until its rate is known, or known to be below `rare`.
fn measured(
    oracle: &mut Flaky,
    case: &Case,
    request: &Request,
    rare: Option<f64>,
    observer: &mut dyn Observer,
) -> Result<Measured, Failure> {
    let share_of_all = request.time_limit.map_or(MEASURING, |limit| limit / 5);
    let budget = Budget {
        least: LEAST_RUNS,
        failures: FAILURES,
        most: MOST_RUNS,
        time: MEASURING.min(share_of_all),
        rare,
        adapt: request.trial_timeout.is_none(),
    };
    oracle.measure(&case.package.subject, &budget, &mut |tally: Tally| {
        observer.event(&Event::Step {
            verb: "Measuring",
            what: &format!("{} failed", Rate::from(tally).in_words()),
        });
    })
}

/// What candidates have to show.
fn criterion(
    flaky: &FlakySelection,
    case: &Case,
    measured: &Measured,
    group: &Group,
    stress: &Stress,
) -> Result<Criterion, Failure> {
    let tally = measured.kept_tally();
    let half = stress.of_all_calls(stress.of_one_call(tally.rate()) / 2.0);
    let min_rate = flaky.min_rate.unwrap_or(half);
    if tally.at_most(CONFIDENCE) < min_rate {
        return Err(Failure::FailsTooRarely {
            command: case.command.clone(),
            failures: tally.failures,
            runs: tally.runs,
            wanted: share(min_rate),
        });
    }
    let beta = flaky.beta.unwrap_or_else(|| usual_beta(tally.rate()));
    let errors = (flaky.alpha, beta);
    Criterion::new(group.signature.clone(), min_rate, measured, tally, errors)
}

/// The error rate of refusals where the original fails at `rate`, unless the user says: some candidates are half the result –
/// whole lists, types made concrete –, and one in twenty of them is much where a few more runs would be sure.
fn usual_beta(rate: f64) -> f64 {
    /// Runs without a failure that cost little beside a compilation.
    const FEW: u32 = 12;
    let sure = [0.005, 0.01, 0.02];
    // Half of the error is for candidates that have not failed once.
    let cheap = |beta: &f64| runs_to_see(rate, 1.0 - beta / 2.0) <= FEW;
    sure.into_iter().find(cheap).unwrap_or(0.05)
}

/// The judge of last resort.
fn judge(
    case: &Case,
    request: &Request,
    oracle: &Flaky,
    criterion: &Criterion,
    stress: &Stress,
    cancel: &Cancel,
) -> ByCargo {
    let place = case.package.scratch.path().join("judge");
    let mut call = case.call(request);
    call.cwd = place.join(&case.package.package);
    ByCargo::new(
        Place::new(&place),
        call,
        Target {
            executable: case.executable.clone(),
            root: case.captured.root.clone(),
            args: case.run.args.clone(),
            victim: (!case.others.is_empty()).then(|| case.test.clone()),
            repetition: levers::repetition(case, stress),
        },
        criterion.clone(),
        request.jobs,
        stress.clone(),
        (limits(Duration::from_secs(3600)), limits(oracle.timeout())),
        cancel.clone(),
    )
}

/// Confines the test to the scratch directory, unless it fails less often there.
fn confine(
    oracle: &mut Flaky,
    subject: &Subject,
    case: &Case,
    observer: &mut dyn Observer,
) -> Result<(), Failure> {
    if !exec::can_confine() {
        return Ok(());
    }
    oracle.confine_to(Some(vec![case.package.scratch.path().to_path_buf()]));
    // A quick refusal is wrong too often for what is decided once.
    if oracle.confirm(subject, None)? != Some(true) {
        oracle.confine_to(None);
        observer.event(&Event::Note(
            "the test fails less often, or in another way, when it may not write outside the scratch directory: it may, in every trial",
        ));
    }
    Ok(())
}

/// How often the user's command fails, which calls the test once.
fn of_one_call(known: Tally, stress: &Stress) -> Rate {
    let rate = Rate::from(known);
    Rate {
        rate: stress.of_one_call(rate.rate),
        low: stress.of_one_call(rate.low),
        high: stress.of_one_call(rate.high),
        ..rate
    }
}

/// What the reports say of how often it fails.
fn flakiness(
    flaky: &FlakySelection,
    case: &Case,
    measured: &Measured,
    criterion: &Criterion,
    stress: &Stress,
    last: Option<Final>,
    runs_spent: usize,
) -> Flakiness {
    let before = measured.kept_tally();
    let known = last.map_or(before, |last| last.in_a_shell.unwrap_or(last.tally));
    let call = match criterion.signature().how() {
        // Without a limit the loop would stop at the first hang, and never say so.
        How::Hang => format!(
            "timeout {} {}",
            patience(&measured.ended).map_or(20, |time| time.as_secs() + 1),
            case.command
        ),
        _ => case.command.clone(),
    };
    let each = last.map_or(measured.usual(), |last| last.call);
    let (loop_command, loop_runs, loop_seconds) =
        Flakiness::loop_around(&stress.around(&call), of_one_call(known, stress), each);
    let seen = measured.groups.iter().map(|group| SeenFailure {
        signature: group.failure.title(&case.package.subject),
        runs: group.count,
    });
    Flakiness {
        before: before.into(),
        after: last.map(|last| last.tally.into()),
        min_rate: criterion.min_rate(),
        confirmed: last.is_some_and(|last| last.tally.at_least(CONFIDENCE) >= criterion.min_rate()),
        alpha: flaky.alpha,
        beta: criterion.beta(),
        runs_spent,
        signatures: seen.collect(),
        stress: stress.to_string(),
        findings: Vec::new(),
        loop_command,
        loop_runs,
        loop_seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::usual_beta;
    use crate::statistics::{Decision, Plan, Tally};

    #[test]
    fn refusals_are_as_sure_as_a_dozen_runs_make_them() {
        for (rate, beta) in [
            (1.0, 0.005),
            (0.5, 0.005),
            (0.4, 0.005),
            (0.35, 0.02),
            (0.3, 0.05),
            (0.02, 0.05),
        ] {
            assert_eq!(usual_beta(rate), beta, "{rate}");
        }
    }

    /// README says so.
    #[test]
    fn what_never_fails_is_refused_after_nine_runs_where_the_original_fails_half_the_time() {
        let after = |rate: f64| {
            let plan = Plan::new(rate / 2.0, rate, 0.2, usual_beta(rate)).expect("a plan");
            let refused = |runs| plan.decide(Tally { runs, failures: 0 }) == Some(Decision::Refuse);
            (1..100).find(|runs| refused(*runs))
        };
        assert_eq!((after(0.5), after(0.1)), (Some(9), Some(36)));
    }
}
