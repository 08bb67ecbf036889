//! What a failure turns on: conditions of which the test would pass if they said the opposite. Where values are compared that turn
//! out wrong, one of them may be what is wrong, and as long as it always says the same, all goes on without it.
//!
//! As in mutation-based fault localization (Moon et al., "Ask the mutants", ICST 2014), with the conditions of one build turned
//! while it runs, one by one.

use std::cmp::Reverse;
use std::collections::HashMap;

use super::switching::Panel;
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
const RUNS: (u64, u64) = (16, 512);

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

    /// The numbers of the `conditions` with which the test passes when they say the opposite, in some of their evaluations: those that
    /// fewest passing tests come to, and of these the last that are evaluated fewest times.
    fn turned(&mut self, ran: &Ran, conditions: &[Switch]) -> Result<Vec<usize>, Stop> {
        let base = self.best.clone();
        let (mut refused, mut unswitchable) = Default::default();
        let panel = self.panel(&base, conditions, &mut refused, &mut unswitchable)?;
        let Some(panel) = panel else {
            return Ok(Vec::new());
        };
        let told = self.run_turned(&panel, None, Evaluation::Told)?;
        let mut evaluated: HashMap<usize, (usize, u8)> = HashMap::new();
        for (when, at) in told.evaluated.into_iter().enumerate() {
            let (last, times) = evaluated.entry(at).or_default();
            (*last, *times) = (when, *times + 1);
        }
        // What passing tests come to, or what is asked again and again, is there for much else, on both sides of a comparison.
        let mut order: Vec<(usize, u8, Reverse<usize>, usize)> = Vec::new();
        for (at, (last, times)) in evaluated {
            let place = passes::place(&base, ran, &conditions[at]);
            let common = place.and_then(|place| self.common.get(&place).copied());
            order.push((common.unwrap_or_default(), times, Reverse(last), at));
        }
        order.sort_unstable();
        let (least, most) = RUNS;
        let runs = (STEPS / panel.most).clamp(least, most) as usize;
        // What is evaluated so often that it has many parts waits.
        let runs_of = |(_, times, _, at): &(usize, u8, Reverse<usize>, usize)| {
            let (times, at) = (*times, *at);
            let numbered = parts(times).enumerate();
            numbered.map(move |(number, part)| (times > FEW && number > 0, at, part))
        };
        let mut all: Vec<(bool, usize, Evaluation)> = order.iter().flat_map(runs_of).collect();
        all.sort_by_key(|(waits, ..)| *waits);
        let mut found: Vec<usize> = Vec::new();
        for (_, at, evaluation) in all.into_iter().take(runs) {
            if found.len() == MOST_KEPT {
                break;
            }
            if !found.contains(&at) && self.run_turned(&panel, Some(at), evaluation)?.passes {
                found.push(at);
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
    fn each_part_of_the_evaluations_is_asked_for_once() {
        use Evaluation::{From, Only};
        let all = |times| parts(times).collect::<Vec<_>>();
        assert_eq!(all(1), [From(0)]);
        assert_eq!(all(3), [From(0), From(2), From(1), Only(1), Only(0)]);
        assert_eq!(all(EVALUATIONS).len(), 32);
    }
}
