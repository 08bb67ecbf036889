//! What a failure turns on: conditions of which the test would pass if they said the opposite. Where values are compared that turn
//! out wrong, one of them may be what is wrong, and as long as it always says the same, all goes on without it.
//!
//! As in mutation-based fault localization (Moon et al., "Ask the mutants", ICST 2014), with the conditions of one build turned
//! while it runs, one by one.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use super::switching::{Panel, TIMED_OUT};
use super::trial::stop;
use super::{Engine, Stop};
use crate::passes::ran::Ran;
use crate::passes::{self, switches::Switch};
use crate::property::{EVALUATIONS, Evaluation, Turned};

/// So many conditions stay.
const MOST_KEPT: usize = 3;

/// Of conditions that are evaluated more often than that, it is all evaluations first that turn.
const FEW: u8 = 4;

/// The steps that all runs together may take about; it is that many runs, at least and at most.
const STEPS: u64 = 1 << 32;
const RUNS: (u64, u64) = (8, 512);

/// The time that as many runs as one takes may last: of a test that waits for something, there are fewer.
const PATIENCE: Duration = Duration::from_secs(60);

impl Engine<'_> {
    /// Leaves the conditions as they are that would let the test pass if they said the opposite.
    pub(super) fn keep_what_it_turns_on(&mut self, ran: &Ran) -> Result<(), Stop> {
        if !self.holds_values_back() || !self.wanted.takes("sweep") {
            return Ok(());
        }
        let conditions = passes::turnable(&self.best, ran);
        let found = self.part("sweep", |engine| engine.turned(ran, &conditions))?;
        let stretches = found
            .into_iter()
            .flat_map(|at| passes::stood(&self.best, ran, &conditions[at]));
        let stretches = stretches.collect();
        self.leave(
            stretches,
            "conditions stay that would let the test pass if they said the opposite",
        );
        Ok(())
    }

    /// The numbers of the `conditions` with which the test passes when they say the opposite, in some of their evaluations.
    fn turned(&mut self, ran: &Ran, conditions: &[Switch]) -> Result<Vec<usize>, Stop> {
        let base = self.best.clone();
        let (mut refused, mut unswitchable) = Default::default();
        let panel = self.panel(&base, conditions, &mut refused, &mut unswitchable)?;
        let Some(panel) = panel else {
            return Ok(Vec::new());
        };
        let told = self.run_turned(&panel, None, Evaluation::Told)?;
        let common = |at: usize| {
            let place = passes::place(&base, ran, &conditions[at])?;
            self.common.get(&place).copied()
        };
        let order = Condition::in_order(&told.evaluated, common);
        let mut found: Vec<usize> = Vec::new();
        let mut out_of_time = 0;
        for (at, evaluation) in runs(&order).take(panel.affordable(&told)) {
            if found.len() == MOST_KEPT || out_of_time == TIMED_OUT {
                break;
            }
            if !found.contains(&at) {
                let run = self.run_turned(&panel, Some(at), evaluation)?;
                out_of_time += usize::from(run.timed_out);
                found.extend(run.passes.then_some(at));
            }
        }
        Ok(found)
    }

    /// Runs what is in `panel` with the condition `turned` saying the opposite at this `evaluation`.
    fn run_turned(
        &mut self,
        panel: &Panel,
        turned: Option<usize>,
        evaluation: Evaluation,
    ) -> Result<Turned, Stop> {
        self.may_go_on()?;
        let run = self.oracle.run_turned(
            &panel.prepared,
            turned,
            evaluation,
            panel.most,
            self.deadline,
        );
        let run = run.map_err(stop(&self.cancel))?;
        self.counts.cpu += run.cpu;
        Ok(run)
    }
}

impl Panel {
    /// How many runs may be spent on conditions, of which one is `told`.
    fn affordable(&self, told: &Turned) -> usize {
        let (least, most) = RUNS;
        let by_steps = STEPS / self.most;
        let by_time = PATIENCE.as_millis() / told.wall.as_millis().max(1);
        let fewer = by_steps.min(by_time.try_into().unwrap_or(u64::MAX));
        fewer.clamp(least, most) as usize
    }
}

/// A condition that is evaluated: first what fewest passing tests come to, and of that what is evaluated fewest times, the last first.
/// What passing tests come to, or what is asked again and again, is there for much else, on both sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Condition {
    common: usize,
    times: u8,
    last: Reverse<usize>,
    at: usize,
}

impl Condition {
    /// Those that are `evaluated`, by their numbers, in the order in which they are asked for.
    fn in_order(
        evaluated: &[usize],
        common: impl Fn(usize) -> Option<usize>,
    ) -> BTreeSet<Condition> {
        let mut all: HashMap<usize, (u8, usize)> = HashMap::new();
        for (when, at) in evaluated.iter().enumerate() {
            let (times, last) = all.entry(*at).or_default();
            (*times, *last) = (times.saturating_add(1), when);
        }
        all.into_iter()
            .map(|(at, (times, last))| Condition {
                common: common(at).unwrap_or_default(),
                times,
                last: Reverse(last),
                at,
            })
            .collect()
    }
}

/// All that is asked for of the conditions in this `order`, by their numbers; what is evaluated so often that it has many parts has
/// only the first of them before the others are done.
fn runs(order: &BTreeSet<Condition>) -> impl Iterator<Item = (usize, Evaluation)> {
    let of = |waiting: bool| {
        let parts = order
            .iter()
            .flat_map(|one| parts(one.times).enumerate().map(move |part| (one, part)));
        parts.filter_map(move |(one, (number, part))| {
            let waits = one.times > FEW && number > 0;
            (waits == waiting).then_some((one.at, part))
        })
    };
    of(false).chain(of(true))
}

/// The parts of so many evaluations of a condition in which it may be wrong. Earlier ones may be of other calls, which gave what they
/// should.
fn parts(times: u8) -> impl Iterator<Item = Evaluation> {
    let last = times.saturating_sub(1);
    let later = (0..times).rev().flat_map(move |at| {
        // There may be more than were told.
        let only = at < last || times == EVALUATIONS;
        let from = (at > 0).then_some(Evaluation::From(at));
        from.into_iter().chain(only.then_some(Evaluation::Only(at)))
    });
    std::iter::once(Evaluation::From(0)).chain(later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_few_tests_come_to_and_is_evaluated_few_times_is_first() {
        use Evaluation::{From, Only};
        let evaluated = [3, 1, 1, 2, 0, 2, 4, 4, 4, 4, 4];
        let order = Condition::in_order(&evaluated, |at| (at == 0).then_some(5));
        let numbers: Vec<usize> = order.iter().map(|one| one.at).collect();
        assert_eq!(numbers, [3, 2, 1, 4, 0]);
        let all: Vec<(usize, Evaluation)> = runs(&order).collect();
        let first = [(3, From(0)), (2, From(0)), (2, From(1)), (2, Only(0))];
        assert_eq!(all[..4], first);
        assert_eq!(all[7..10], [(4, From(0)), (0, From(0)), (4, From(4))]);
    }

    #[test]
    fn each_part_of_the_evaluations_is_asked_for_once() {
        use Evaluation::{From, Only};
        let all = |times| parts(times).collect::<Vec<_>>();
        assert_eq!(all(1), [From(0)]);
        assert_eq!(all(3), [From(0), From(2), From(1), Only(1), Only(0)]);
        assert_eq!(all(EVALUATIONS).len(), 32);
    }
}
