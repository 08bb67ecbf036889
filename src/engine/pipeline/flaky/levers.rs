//! What makes a flaky test fail more often, found out by trying.

use std::time::Duration;

use super::Case;
use crate::property::flaky::{Budget, Flaky, Measured, Stress};
use crate::report::{Event, Failure, Observer, Rate};
use crate::request::Request;

/// Of the limits that are compared.
const CONFIDENCE: f64 = 0.95;

/// The lever with which the test fails most often, if it does so more often than without (its lower limit lies above the
/// upper one of `plain`) and not always; what was measured with it. `oracle` goes on with it.
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
        adapt: request.trial_timeout.is_none(),
    };
    let mut best = (Stress::default(), plain);
    for stress in Stress::levers(request.jobs) {
        oracle.set_stress(stress.clone());
        let measured = oracle.measure(&case.package.subject, &budget, &mut |_| {})?;
        observer.event(&Event::Step {
            verb: "Stressing",
            what: &format!("{stress}: {} failed", Rate::from(measured.tally).in_words()),
        });
        tried.push(format!(
            "{} runs with `--stress {stress}`",
            measured.tally.runs
        ));
        let more = measured.tally.at_least(CONFIDENCE) > best.1.tally.at_most(CONFIDENCE);
        if more && measured.passes > 0 {
            best = (stress, measured);
        }
    }
    oracle.set_stress(best.0.clone());
    Ok(best)
}
