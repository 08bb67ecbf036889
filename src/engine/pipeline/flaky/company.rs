//! A test that fails in the company of others only: which others, as few as possible.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::super::case::Case;
use super::super::finding::{Chosen, listed, run};
use super::super::shell_words;
use super::super::test::HANG;
use super::criterion;
use crate::exec::Cancel;
use crate::minimize::{self, Item};
use crate::property::flaky::{Budget, Company, Flaky, Stress, failing, patience};
use crate::property::{Oracle, Verdict};
use crate::report::{Event, Failure, Observer, Rate};
use crate::request::{FlakySelection, Request, TestSelection};

/// Time for finding out whether others matter at all.
const TIME: Duration = Duration::from_secs(20);

/// Runs for finding out which of several tests is meant.
const RUNS: usize = 200;

/// The one of `matching` that fails most often when all that the user's filter names run together, as cargo runs them.
pub(in super::super) fn most_failing(
    matching: Vec<Chosen>,
    selection: &TestSelection,
    command: &str,
    cancel: &Cancel,
) -> Result<Chosen, Failure> {
    let mut args: Vec<String> = selection.filter.iter().cloned().collect();
    if selection.exact {
        args.push("--exact".to_owned());
    }
    args.extend(selection.harness_arguments.iter().cloned());
    let mut executables = Vec::new();
    for chosen in &matching {
        if !executables.contains(&chosen.executable) {
            executables.push(chosen.executable.clone());
        }
    }
    let (started, mut runs) = (Instant::now(), 0);
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    // A few failures name the test; what it has in common with others shows later.
    while runs < RUNS && started.elapsed() < TIME && counts.values().sum::<usize>() < 5 {
        runs += 1;
        for executable in &executables {
            let outcome = run(executable, &args, HANG, cancel)?;
            let names = if outcome.success() {
                Vec::new()
            } else {
                failing(&outcome.stdout)
            };
            let meant = |name: &String| {
                matching
                    .iter()
                    .position(|chosen| chosen.test == *name && chosen.executable == *executable)
            };
            for at in names.iter().filter_map(meant) {
                *counts.entry(at).or_default() += 1;
            }
        }
    }
    let most = counts
        .iter()
        .max_by_key(|(at, count)| (**count, std::cmp::Reverse(**at)));
    let at = most.map(|(at, _)| *at);
    at.and_then(|at| matching.into_iter().nth(at))
        .ok_or_else(|| Failure::NeverFailed {
            tried: vec![format!("{runs} runs of `{command}`, all tests together")],
        })
}

/// Whether the test of `case` fails when the other tests of its executable run in the same process, before it or beside it;
/// if so, `case` and `oracle` go on with the fewest others that are needed. What was found, in words.
pub(super) fn found(
    oracle: &mut Flaky,
    case: &mut Case,
    request: &Request,
    flaky: &FlakySelection,
    tried: &mut Vec<String>,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Option<String>, Failure> {
    if case.run.program {
        return Ok(None);
    }
    let names = listed(&case.executable, cancel)?;
    let others: Vec<String> = names
        .into_iter()
        .filter(|name| *name != case.test)
        .collect();
    if others.is_empty() {
        return Ok(None);
    }
    let alone = case.run.args.clone();
    let company = Company {
        victim: case.test.clone(),
        alone,
    };
    for order in [Order::Before, Order::Beside] {
        oracle.set_company(Some(company.clone()), order.args(case, &others));
        let budget = Budget {
            least: 10,
            failures: 6,
            most: 300,
            time: request.time_limit.map_or(TIME, |limit| TIME.min(limit / 8)),
            rare: None,
            adapt: request.trial_timeout.is_none(),
        };
        let measured = oracle.measure(&case.package.subject, &budget, &mut |_| {})?;
        observer.event(&Event::Step {
            verb: "Running",
            what: &format!(
                "`{}` with {} other tests, {}: {} failed",
                case.test,
                others.len(),
                order.in_words(),
                Rate::from(measured.kept_tally()).in_words()
            ),
        });
        let Some(group) = measured.kept() else {
            tried.push(format!(
                "{} runs with all other tests of `{}`, {}",
                measured.tally.runs,
                case.executable.name,
                order.in_words()
            ));
            continue;
        };
        if let (None, Some(patience)) = (request.trial_timeout, patience(&measured.ended)) {
            oracle.set_timeout(patience);
        }
        oracle.set_criterion(criterion(
            flaky,
            case,
            &measured,
            group,
            &Stress::default(),
        )?);
        let needed = fewest(oracle, case, request, &others, order, &company, cancel)?;
        let args = order.args(case, &needed);
        oracle.set_company(Some(company), args.clone());
        case.run.args.clone_from(&args);
        let mut words = case.words.clone();
        words.push("--".into());
        words.extend(
            args.iter()
                .filter(|arg| *arg != "--nocapture")
                .map(Into::into),
        );
        case.command = shell_words(&words);
        let polluters = needed
            .iter()
            .map(|name| format!("`{name}`"))
            .collect::<Vec<_>>()
            .join(", ");
        let finding = format!(
            "`{}` passes alone and fails when {polluters} {} in the same process",
            case.test,
            order.verb(needed.len())
        );
        observer.event(&Event::Note(&finding));
        case.others = needed;
        return Ok(Some(finding));
    }
    Ok(None)
}

/// How tests share a process.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// One after the other, in the order of their names.
    Before,
    /// At the same time, as far as there are threads.
    Beside,
}

impl Order {
    fn in_words(self) -> &'static str {
        match self {
            Order::Before => "one after the other",
            Order::Beside => "at the same time",
        }
    }

    fn verb(self, count: usize) -> &'static str {
        match (self, count) {
            (Order::Before, 1) => "runs before it",
            (Order::Before, _) => "run before it",
            (Order::Beside, 1) => "runs beside it",
            (Order::Beside, _) => "run beside it",
        }
    }

    fn args(self, case: &Case, others: &[String]) -> Vec<String> {
        let mut args: Vec<String> = others.iter().chain([&case.test]).cloned().collect();
        args.extend(["--exact", "--nocapture"].map(String::from));
        if matches!(self, Order::Before) {
            args.push("--test-threads=1".to_owned());
        }
        args.extend(case.harness.iter().cloned());
        args
    }
}

/// As few of `others` as the failure needs, by the minimizer that the whole search uses; those that take long go first.
fn fewest(
    oracle: &mut Flaky,
    case: &Case,
    request: &Request,
    others: &[String],
    order: Order,
    company: &Company,
    cancel: &Cancel,
) -> Result<Vec<String>, Failure> {
    let mut items = Vec::new();
    for name in others {
        let mut args = vec![name.clone(), "--exact".to_owned()];
        args.extend(case.harness.iter().cloned());
        let took = run(&case.executable, &args, HANG, cancel)?.wall.as_millis();
        items.push(Item {
            weight: u32::try_from(took).unwrap_or(u32::MAX).max(1),
            prior: None,
        });
    }
    let mut minimizer = minimize::minimizer(&items, &request.search.minimizer);
    let left = |gone: &[usize]| -> Vec<String> {
        let stays = |at: &usize| !gone.contains(at);
        (0..others.len())
            .filter(stays)
            .map(|at| others[at].clone())
            .collect()
    };
    while let Some(trial) = minimizer.propose() {
        let mut gone = minimizer.removed();
        gone.extend(&trial.remove);
        oracle.set_company(Some(company.clone()), order.args(case, &left(&gone)));
        let judged = oracle.judge(&case.package.subject, None)?;
        minimizer.record(judged.verdict == Verdict::Interesting);
    }
    Ok(left(&minimizer.removed()))
}
