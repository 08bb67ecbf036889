//! What makes a flaky test fail more often, found out by trying.

use std::time::Duration;

use super::super::test::HANG;
use super::Case;
use crate::property::flaky::{Budget, Flaky, Measured, Repetition, Stress};
use crate::report::{Event, Failure, Observer, Rate};
use crate::request::Request;

/// Of the limits that are compared.
const CONFIDENCE: f64 = 0.95;

/// The lever with which the test fails most often in the same time, among those with which it does so more often than without
/// (the lower limit lies above the upper one of `plain`), and not always; what was measured with it. `oracle` goes on with it.
///
/// The runs that a decision takes go with the inverse of the rate: twenty calls in one process fail more often, and gain
/// nothing if they take twenty times as long.
pub(super) fn pulled(
    oracle: &mut Flaky,
    case: &Case,
    request: &Request,
    plain: Measured,
    tried: &mut Vec<String>,
    observer: &mut dyn Observer,
) -> Result<(Stress, Measured), Failure> {
    let budget = Budget {
        least: 40,
        failures: 20,
        most: plain.tally.runs.max(200),
        time: request
            .time_limit
            .map_or(Duration::from_secs(20), |limit| limit / 20),
        rare: None,
        adapt: request.trial_timeout.is_none(),
    };
    let without = plain.kept_tally().at_most(CONFIDENCE);
    let mut best = (Stress::default(), plain);
    for stress in Stress::levers(cores(), best.1.usual()) {
        if stress.repeat > 0 && repetition(case, &stress).is_none() {
            continue;
        }
        pull(oracle, case, &stress);
        // What slows a run down is no reason to take it for one that hangs.
        oracle.set_timeout(request.trial_timeout.unwrap_or(HANG));
        let measured = oracle.measure(&case.package.subject, &budget, &mut |_| {})?;
        observer.event(&Event::Step {
            verb: "Stressing",
            what: &format!(
                "{stress}: {} failed",
                Rate::from(measured.kept_tally()).in_words()
            ),
        });
        tried.push(format!(
            "{} runs with `--stress {stress}`",
            measured.tally.runs
        ));
        let more = measured.kept_tally().at_least(CONFIDENCE) > without;
        let sooner = measured.per_second() > best.1.per_second();
        if more && sooner && measured.passes > 0 {
            best = (stress, measured);
        }
    }
    pull(oracle, case, &best.0);
    Ok(best)
}

/// What there is to be kept busy, however few jobs there are.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Has `oracle` run the test under `stress`.
pub(super) fn pull(oracle: &mut Flaky, case: &Case, stress: &Stress) {
    oracle.set_stress(stress.clone());
    oracle.set_repetition(repetition(case, stress));
}

/// How the test is repeated under `stress`; `None` if it is not, or cannot be.
pub(super) fn repetition(case: &Case, stress: &Stress) -> Option<Repetition> {
    let unit = &case.captured.units[case.executable.unit];
    let root = unit.source.strip_prefix(&case.captured.root).ok()?;
    let repetition = Repetition {
        test: case.test.clone(),
        root: root.to_path_buf(),
        times: stress.repeat,
    };
    let can = stress.repeat > 1 && case.others.is_empty();
    let found = repetition.within(&case.package.subject).is_some();
    Some(repetition).filter(|_| can && found)
}
