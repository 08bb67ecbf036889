//! What a failure turns on: conditions with which the test would pass if they said the opposite, and numbers with which it would if
//! they were one more or one less; if there is none of these, operators with which it would if they were others. Where values are
//! compared that turn out wrong, one of them may be what is wrong, and as long as it is always the same, all goes on without it.
//!
//! As in mutation-based fault localization (Moon et al., "Ask the mutants", ICST 2014), with the conditions, numbers and operators
//! of one build changed while it runs, one by one.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::switching::{Panel, TIMED_OUT};
use super::trial::stop;
use super::{Engine, Stop};
use crate::passes::assertions::Stretch;
use crate::passes::ran::Ran;
use crate::passes::{self, End, switches::Switch};
use crate::property::failure::TestFailure;
use crate::property::{EVALUATIONS, Evaluation, Setting, Turned};
use crate::subject::Subject;
use crate::syntax::{FileId, Origin};

/// So many conditions stay, and so many numbers, and operators where there are none of these.
const MOST_CONDITIONS: usize = 3;
const MOST_NUMBERS: usize = 2;
const MOST_OPERATORS: usize = 2;

/// Of what is evaluated more often than that, it is all evaluations first that change.
const FEW: u8 = 4;

/// The steps that all runs together may take about; it is that many runs, at least and at most, if there is time for them.
const STEPS: u64 = 1 << 32;
const RUNS: (u64, u64) = (8, 512);

/// Parts of conditions are asked for, too, where there may be so many runs.
const MANY: usize = 64;

/// Where conditions were found, numbers are asked for in one run of so many that there may be.
const BESIDES: usize = 4;

/// Where the code under test fails by itself, whatever goes another way may not come to that place. If more than one in so many
/// lets the test pass, it tells nothing which they are.
const TELLING: usize = 2;

/// Steps that the test may take when it passes: one that fails at once may have much before it then.
const MOST_STEPS: u64 = 1 << 22;

/// So many that took more, and so passed the point where the test fails, may take as many steps and as long as this.
const AGAIN: usize = 4;
const LONGER: (u64, Duration) = (1 << 27, Duration::from_secs(5));

/// Of the time that is left, one part in so many is for this.
const TURNING: u32 = 8;

/// One part in so many is for operators: by then, the other changes have taken what is theirs.
const SWAPPING: u32 = 16;

/// The time that as many runs as one takes may last: of a test that takes long, there are fewer.
const PATIENCE: Duration = Duration::from_secs(60);

/// What was found with which the test passes when it is another, by number.
#[derive(Debug, Default)]
struct Passing {
    found: Vec<usize>,
    /// There were too many to tell anything, and they are not among these.
    vague: bool,
}

/// Whether a switch is of a kind.
type OfKind = fn(&Switch) -> bool;

impl Engine<'_> {
    /// Leaves what would let the test pass if it was another: conditions that said the opposite, numbers that were one more or less.
    /// With an `end`, it is the code under test that fails, else what the test compares, if it does.
    pub(super) fn keep_what_it_turns_on(
        &mut self,
        ran: &Ran,
        end: Option<End>,
    ) -> Result<(), Stop> {
        let turns = match end {
            None => self.holds_values_back(),
            Some(End::AtOnce(_)) => true,
            Some(End::Recursion | End::Endless) => false,
        };
        if !turns || !self.wanted.takes("sweep") {
            return Ok(());
        }
        let all = passes::turnable(&self.best, ran);
        let mut passing = Passing::default();
        let operators = all.partition_point(|one| !one.swaps());
        self.for_a_part(TURNING, |engine| {
            let all = &all[..operators];
            engine.part("sweep", |engine| engine.decisive(ran, all, &mut passing))
        })?;
        // Where many numbers let it pass, so do many operators.
        if passing.found.is_empty() && !passing.vague && operators < all.len() {
            self.for_a_part(SWAPPING, |engine| {
                let operators = operators..all.len();
                engine.part("sweep", |engine| {
                    engine.decisive_operators(ran, &all, operators, &mut passing)
                })
            })?;
        }
        let found = || passing.found.iter().map(|at| &all[*at]);
        self.decisive = found().filter_map(|one| known(&self.best, one)).collect();
        let kinds: [(OfKind, &str); 3] = [
            (
                Switch::turns,
                "conditions stay that would let the test pass if they said the opposite",
            ),
            (
                Switch::nudges,
                "numbers stay that would let the test pass if they were one more or one less",
            ),
            (
                Switch::swaps,
                "operators stay that would let the test pass if they were others",
            ),
        ];
        for (is_one, why) in kinds {
            let own = found().filter(|one| is_one(one));
            // A part alone would be a condition that decides for all that the others decided for.
            let whole = own.map(|one| whole_of(&all, one).unwrap_or(one));
            let stretches = whole.flat_map(|one| passes::stood(&self.best, ran, one));
            let stretches: Vec<Stretch> = stretches.collect();
            self.deciding.extend_from_slice(&stretches);
            self.leave(stretches, why);
        }
        Ok(())
    }

    /// Finds those of `all` with which the test is `passing` when they are another, in some of their evaluations.
    fn decisive(&mut self, ran: &Ran, all: &[Switch], passing: &mut Passing) -> Result<(), Stop> {
        let base = self.best.clone();
        let mut panel = self.turning_panel(&base, all, |_| true)?;
        if panel.is_none() {
            let turning = all.partition_point(Switch::turns);
            panel = self.turning_panel(&base, &all[..turning], |_| true)?;
        }
        let Some(panel) = panel else {
            return Ok(());
        };
        let told = self.told_what_is_evaluated(&panel)?;
        let common = |at: usize| self.common_to(&base, ran, &all[at]);
        let is_part = |at: usize| whole_of(all, &all[at]).is_some();
        let order = |wanted: &dyn Fn(usize) -> bool| {
            let own = told.evaluated.iter().copied();
            let own: Vec<usize> = own.filter(|at| wanted(*at)).collect();
            Evaluated::in_order(&own, common)
        };
        let whole = order(&|at| all[at].turns() && !is_part(at));
        let parts = order(&|at| all[at].turns() && is_part(at));
        let numbers = order(&|at| !all[at].turns());
        let affordable = panel.affordable(&told);
        self.first_that_pass(&panel, &whole, MOST_CONDITIONS, affordable, passing)?;
        if passing.found.is_empty() && affordable >= MANY {
            self.first_that_pass(&panel, &parts, MOST_CONDITIONS, affordable, passing)?;
        }
        let affordable = match passing.found.is_empty() {
            true => affordable,
            false => affordable / BESIDES,
        };
        self.first_that_pass(&panel, &numbers, MOST_NUMBERS, affordable, passing)
    }

    /// Finds those of `operators`, by their numbers in `all`, with which the test is `passing` when they are others.
    fn decisive_operators(
        &mut self,
        ran: &Ran,
        all: &[Switch],
        operators: Range<usize>,
        passing: &mut Passing,
    ) -> Result<(), Stop> {
        let base = self.best.clone();
        let own = &all[operators.clone()];
        let Some(panel) = self.turning_panel(&base, own, |_| true)? else {
            return Ok(());
        };
        let told = self.told_what_is_evaluated(&panel)?;
        let common = |at: usize| self.common_to(&base, ran, &own[at]);
        let order = Evaluated::in_order(&told.evaluated, common);
        let most = panel.affordable(&told);
        let mut own = Passing::default();
        self.first_that_pass(&panel, &order, MOST_OPERATORS, most, &mut own)?;
        let own = own.found.into_iter().map(|at| operators.start + at);
        passing.found.extend(own);
        Ok(())
    }

    /// `base` with `switches`, and with others behind them for what is asserted to be as it is now: that would fail where all is
    /// right.
    pub(super) fn turning_panel(
        &mut self,
        base: &Subject,
        switches: &[Switch],
        counted: impl Fn(FileId) -> bool,
    ) -> Result<Option<Panel>, Stop> {
        let own = switches.len();
        let mut switches = switches.to_vec();
        if let Some(stretch) = &self.as_now {
            switches.extend(passes::switches::statements_from(base, stretch));
        }
        let (mut refused, mut unswitchable) = Default::default();
        let panel =
            self.panel_counting(base, &switches, counted, &mut refused, &mut unswitchable)?;
        Ok(panel.map(|mut panel| {
            let from = panel.live.partition_point(|at| *at < own);
            panel.aside = panel.live.split_off(from);
            panel
        }))
    }

    /// By how many passing tests the place is reached where this `switch` is evaluated, as far as that is known.
    fn common_to(&self, base: &Subject, ran: &Ran, switch: &Switch) -> Option<usize> {
        let place = passes::place(base, ran, switch)?;
        self.common.get(&place).copied()
    }

    /// Has it be known where that stands which was put into the test to assert what is so now.
    pub(super) fn know_as_now(&mut self, stretch: Option<Stretch>) {
        self.as_now = stretch;
    }

    /// The first in this `order`, `most` of them, with which the test passes, as far as that is found out in so many runs and while
    /// there is time. None is `passing` if these are too many to tell anything.
    fn first_that_pass(
        &mut self,
        panel: &Panel,
        order: &BTreeSet<Evaluated>,
        most: usize,
        affordable: usize,
        passing: &mut Passing,
    ) -> Result<(), Stop> {
        let (mut found, mut asked) = (Vec::new(), HashSet::new());
        let turns = runs(order).take(affordable);
        match self.ask_which_pass(panel, turns, most, &mut found, &mut asked) {
            Ok(()) | Err(Stop::TimeLimit) => {}
            Err(stop) => return Err(stop),
        }
        if !self.holds_values_back() && tells_nothing(found.len(), asked.len()) {
            passing.vague = true;
            found.clear();
        }
        passing.found.append(&mut found);
        Ok(())
    }

    /// Asks for one of these `turns` after the other until `most` of them are `found` with which the test passes.
    fn ask_which_pass(
        &mut self,
        panel: &Panel,
        turns: impl Iterator<Item = (usize, Evaluation)>,
        most: usize,
        found: &mut Vec<usize>,
        asked: &mut HashSet<usize>,
    ) -> Result<(), Stop> {
        let mut longer = Vec::new();
        let mut out_of_time = 0;
        for (at, evaluation) in turns {
            if found.len() == most || out_of_time == TIMED_OUT {
                break;
            }
            if !found.contains(&at) {
                asked.insert(at);
                let run =
                    self.turned(panel, (at, evaluation), (panel.passing(), Duration::ZERO))?;
                out_of_time += usize::from(run.timed_out);
                found.extend(run.passes.then_some(at));
                if run.cut_short {
                    longer.push((at, evaluation));
                }
            }
        }
        longer.truncate(AGAIN);
        for (at, evaluation) in longer {
            if found.len() == most || out_of_time == TIMED_OUT {
                break;
            }
            if !found.contains(&at) {
                let run = self.turned(panel, (at, evaluation), LONGER)?;
                out_of_time += usize::from(run.timed_out || run.cut_short);
                found.extend(run.passes.then_some(at));
            }
        }
        Ok(())
    }

    /// Runs what is in `panel` with one thing changed in some of its evaluations, for at most about so many steps and so long.
    fn turned(
        &mut self,
        panel: &Panel,
        (at, evaluation): (usize, Evaluation),
        (most, patience): (u64, Duration),
    ) -> Result<Turned, Stop> {
        let setting = Setting {
            evaluation,
            off: &panel.off_with(at),
            patience,
            ..Setting::without(&[], most)
        };
        self.passes_set(panel, setting)
    }

    /// Runs what is in `panel` as it is, to be told what is evaluated.
    pub(super) fn told_what_is_evaluated(&mut self, panel: &Panel) -> Result<Turned, Stop> {
        let setting = Setting {
            evaluation: Evaluation::Told,
            ..Setting::without(&[], panel.most)
        };
        self.passes_set(panel, setting)
    }

    /// Runs what is in `panel` with this `setting`, to see whether the test passes.
    pub(super) fn passes_set(&mut self, panel: &Panel, setting: Setting) -> Result<Turned, Stop> {
        self.may_go_on()?;
        let setting = Setting {
            // What stands behind a place in the code under test may be anything, the test's own assertions as well.
            behind_is_fine: self.holds_values_back(),
            ..setting
        };
        let run = (self.oracle).passes_set(&panel.prepared, setting, self.deadline);
        let run = run.map_err(stop(&self.cancel))?;
        self.counts.cpu += run.cpu;
        Ok(run)
    }
}

impl Engine<'_> {
    /// Whether all that is decisive is still evaluated in the run of `subject` in which `ran` ran, as far as it is known. What
    /// is not makes no difference any more, and it fails for another reason.
    pub(super) fn evaluates_what_is_decisive(&self, subject: &Subject, ran: &Ran) -> bool {
        let decisive = self.decisive_in(subject);
        let runs = decisive
            .iter()
            .map(|one| (one, passes::may_run(subject, ran, one)));
        each_is(subject, runs)
    }

    /// Whether all that is decisive, as far as it is there, is evaluated in `subject`, and some of it makes a difference: if
    /// it is another, in any of its evaluations, the test passes or fails in another way. It may lead to where nothing is left by
    /// then. `None` if that cannot be found out.
    pub(super) fn decides(&mut self, subject: &Subject) -> Result<Option<bool>, Stop> {
        let decisive = self.decisive_in(subject);
        if decisive.is_empty() {
            return Ok(None);
        }
        let Some(panel) = self.turning_panel(subject, &decisive, |_| true)? else {
            return Ok(None);
        };
        let now = self.told_what_is_evaluated(&panel)?;
        let Some(failure) = &now.failure else {
            return Ok(None);
        };
        let live = panel.live.iter();
        let evaluated = live.map(|at| (&decisive[*at], now.evaluated.contains(at)));
        if !each_is(subject, evaluated) {
            return Ok(Some(false));
        }
        self.makes_a_difference(&panel, &now, failure)
    }

    /// Whether the test passes, or has another `failure` than `now`, if one of those evaluated there is another. `None` if
    /// they are too many to ask for.
    fn makes_a_difference(
        &mut self,
        panel: &Panel,
        now: &Turned,
        failure: &TestFailure,
    ) -> Result<Option<bool>, Stop> {
        let order = Evaluated::in_order(&now.evaluated, |_| None);
        let limits = (panel.passing(), Duration::ZERO);
        let affordable = panel.affordable(now);
        for turned in runs(&order).take(affordable) {
            let run = self.turned(panel, turned, limits)?;
            if run.passes || run.failure.as_ref() != Some(failure) {
                return Ok(Some(true));
            }
        }
        // Nobody knows what the others would do.
        Ok((runs(&order).count() <= affordable).then_some(false))
    }

    /// What is decisive, in `subject`.
    pub(super) fn decisive_in(&self, subject: &Subject) -> Vec<Switch> {
        if self.decisive.is_empty() {
            return Vec::new();
        }
        let mut all = passes::switches::changeable(subject);
        all.retain(|switch| known(subject, switch).is_some_and(|own| self.decisive.contains(&own)));
        all
    }
}

/// Whether so many are `found` among those `asked` for that going another way is enough by itself.
fn tells_nothing(found: usize, asked: usize) -> bool {
    found > 1 && found * TELLING > asked
}

/// The condition, among `all`, of which `one` is a part.
fn whole_of<'s>(all: &'s [Switch], one: &Switch) -> Option<&'s Switch> {
    all.iter().find(|other| one.is_part_of(other))
}

/// What is decisive: where it began and ended originally, and what happens to it.
pub(super) type Decisive = ([Origin; 2], &'static str);

/// Whether it is so for each that is decisive in `subject`, in any of the places where it stands by now.
fn each_is<'s>(subject: &Subject, all: impl Iterator<Item = (&'s Switch, bool)>) -> bool {
    let mut each: HashMap<Decisive, bool> = HashMap::new();
    for (switch, is_so) in all {
        if let Some(own) = known(subject, switch) {
            *each.entry(own).or_default() |= is_so;
        }
    }
    each.into_values().all(|is_so| is_so)
}

/// By what `switch`, of `subject`, is known later.
pub(super) fn known(subject: &Subject, switch: &Switch) -> Option<Decisive> {
    let text = subject.file(switch.file).text()?;
    let [start, last] = [switch.range.start, switch.range.end.checked_sub(1)?];
    let ends = [text.origin(start)?, text.origin(last)?];
    Some((ends, switch.change()?))
}

impl Panel {
    /// The switches that are off where this one is and the test is to pass.
    pub(super) fn off_with(&self, at: usize) -> Vec<usize> {
        let aside = self.aside.iter().copied();
        std::iter::once(at).chain(aside).collect()
    }

    /// The steps that the test may take where something has been changed for it to pass.
    fn passing(&self) -> u64 {
        self.most.max(MOST_STEPS)
    }

    /// How many runs may be spent, of which one is `told`.
    fn affordable(&self, told: &Turned) -> usize {
        let (least, most) = RUNS;
        let by_steps = (STEPS / self.passing()).clamp(least, most);
        let by_time = PATIENCE.as_millis() / told.wall.as_millis().max(1);
        let fewer = u128::from(by_steps).min(by_time.max(1));
        fewer as usize
    }
}

/// What is evaluated: first what fewest passing tests come to, and of that what is evaluated fewest times, the last first.
/// What passing tests come to, or what is asked again and again, is there for much else, on both sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Evaluated {
    common: usize,
    times: u8,
    last: Reverse<usize>,
    at: usize,
}

impl Evaluated {
    /// Those that are `evaluated`, by their numbers, in the order in which they are asked for.
    fn in_order(
        evaluated: &[usize],
        common: impl Fn(usize) -> Option<usize>,
    ) -> BTreeSet<Evaluated> {
        let mut all: HashMap<usize, (u8, usize)> = HashMap::new();
        for (when, at) in evaluated.iter().enumerate() {
            let (times, last) = all.entry(*at).or_default();
            (*times, *last) = (times.saturating_add(1), when);
        }
        all.into_iter()
            .map(|(at, (times, last))| Evaluated {
                common: common(at).unwrap_or_default(),
                times,
                last: Reverse(last),
                at,
            })
            .collect()
    }
}

/// All that is asked for of those in this `order`, by their numbers; what is evaluated so often that it has many parts has
/// only the first of them before the others are done.
fn runs(order: &BTreeSet<Evaluated>) -> impl Iterator<Item = (usize, Evaluation)> {
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

/// The parts of so many evaluations in which something may be wrong. Earlier ones may be of other calls, which gave what they
/// should.
pub(super) fn parts(times: u8) -> impl Iterator<Item = Evaluation> {
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
        let order = Evaluated::in_order(&evaluated, |at| (at == 0).then_some(5));
        let numbers: Vec<usize> = order.iter().map(|one| one.at).collect();
        assert_eq!(numbers, [3, 2, 1, 4, 0]);
        let all: Vec<(usize, Evaluation)> = runs(&order).collect();
        let first = [(3, From(0)), (2, From(0)), (2, From(1)), (2, Only(0))];
        assert_eq!(all[..4], first);
        assert_eq!(all[7..10], [(4, From(0)), (0, From(0)), (4, From(4))]);
    }

    #[test]
    fn many_that_pass_tell_nothing() {
        assert!(!tells_nothing(1, 1) && !tells_nothing(2, 4));
        assert!(tells_nothing(2, 3) && tells_nothing(3, 3));
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
