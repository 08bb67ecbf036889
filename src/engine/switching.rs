//! Searching at run time: what the failure does without is found out by running one build again and again with other switches
//! off, and then taken out of the text at once. A compilation decides what else takes one each.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

use super::memory::Contexts;
use super::solve::{enclosing, every_place, places};
use super::trial::stop;
use super::{Engine, Stop};
use crate::build::{Diagnostic, Span};
use crate::minimize::{self, Item};
use crate::passes::calls::Dependents;
use crate::passes::switches::{self, Switch, Switched};
use crate::passes::{Answers, Pass};
use crate::property::{Prepared, Setting, Switching, Traced, Verdict};
use crate::report::Event;
use crate::subject::Subject;
use crate::syntax::{FileId, Kind};

/// Attempts to compile a subject with switches: type errors come before those of borrows.
pub(super) const ROUNDS: usize = 8;

/// So many times the steps of the failing run, and a run counts as one that does not end.
pub(super) const STEPS: u64 = 16;

/// The fewest steps that do.
pub(super) const LEAST_STEPS: u64 = 1 << 16;

/// By so many rounds, most errors have been said.
pub(super) const AT_ONCE: usize = 2;

/// If then fewer than one in so many is blamed, the others in the same functions are left for later.
pub(super) const SLOW: usize = 8;

/// How likely a switch has to stay on: of what runs most is needed.
const NEEDED: f64 = 0.6;

/// A run that takes so much longer than usual is one that does not end.
pub(super) const LONG: Duration = Duration::from_secs(2);

/// Such runs before it is not worth going on.
pub(super) const TIMED_OUT: usize = 3;

/// Of the time that is left a search gets one part in so many.
const SHARE: u32 = 3;

/// A subject with switches, compiled.
pub(super) struct Panel {
    pub(super) prepared: Prepared,
    /// The numbers of those that are there.
    pub(super) live: Vec<usize>,
    /// The numbers of those besides that are off wherever the test is to pass.
    pub(super) aside: Vec<usize>,
    /// As many steps as a run may take.
    pub(super) most: u64,
    /// What takes so long counts as one that does not end.
    pub(super) long: Duration,
}

impl Engine<'_> {
    /// Takes out statements and branches that the failure does without; whether any went.
    pub(super) fn switch_off_statements(&mut self) -> Result<bool, Stop> {
        self.switch_off_all("skips", switches::in_bodies)
    }

    /// Has functions give one of `answers` that the failure does without; whether any do so now.
    pub(super) fn switch_off_functions(&mut self, answers: &Answers) -> Result<bool, Stop> {
        self.worth_an_answer(|engine| {
            let all = |subject: &Subject| switches::answers(subject, answers);
            engine.switch_off_all(answers.name(), all)
        })
    }

    /// Has expressions give way to one that stands in them, as far as the failure does without the rest; whether any do so now.
    pub(super) fn switch_off_expressions(&mut self) -> Result<bool, Stop> {
        self.switch_off_all("hoist-expressions", switches::expressions)
    }

    /// Finds out which of `all` the failure does without and takes these out of the text, until there are none; whether any went.
    fn switch_off_all(
        &mut self,
        name: &'static str,
        all: impl Fn(&Subject) -> Vec<Switch>,
    ) -> Result<bool, Stop> {
        self.while_confirmed(name, |engine| engine.switch_off_once(&all))
    }

    /// Does `part` of the work under a pass's name, if that is wanted, again and again until it finds nothing, or what it found is
    /// not confirmed; whether anything went.
    pub(super) fn while_confirmed(
        &mut self,
        name: &'static str,
        part: impl Fn(&mut Self) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let start = self.best.key();
        while self.wanted.takes(name) && self.part(name, &part)? {
            // Much goes at once here, and other code may come not to end.
            let lost = match self.turning {
                None => self.reconfirm()?,
                Some(_) => self.reconfirm_now()?,
            };
            if !lost {
                break;
            }
        }
        Ok(self.best.key() != start)
    }

    fn switch_off_once(&mut self, all: impl Fn(&Subject) -> Vec<Switch>) -> Result<bool, Stop> {
        let base = self.best.clone();
        let contexts = Contexts::of(&base);
        let dependents = Dependents::of(&base, &self.calls);
        let open = |switch: &Switch| {
            self.is_open(&base, &contexts, &dependents, &switch.element)
                && !(self.unswitchable).stands(&base, &contexts, &switch.element)
        };
        let open: Vec<Switch> = all(&base).into_iter().filter(open).collect();
        let (mut refused, mut unswitchable) = (BTreeSet::new(), BTreeSet::new());
        let panel = self.panel(&base, &open, &mut refused, &mut unswitchable);
        let unswitchable = unswitchable.iter().map(|at| open[*at].element.clone());
        self.unswitchable.add_each(&base, unswitchable.collect());
        let panel = panel?;
        let mut went = false;
        if let Some(panel) = panel {
            let (off, complete) = self.search(&panel, &open)?;
            let elements = switches::elements(&base, off.iter().map(|at| &open[*at]));
            went = !elements.is_empty()
                && (self.solve_replacements(&elements)? || self.list(elements, |_| Vec::new())?);
            // What was not asked for may go yet.
            if complete {
                refused.extend(panel.live.iter().filter(|at| !off.contains(at)));
            }
        }
        let kept = refused.iter().map(|at| &open[*at].element);
        let again = all(&self.best).into_iter().map(|switch| switch.element);
        self.refusals.add(&base, kept, &self.best, again.collect());
        Ok(went)
    }

    /// `base` with as many of `switches` as it compiles with, if that shows the failure with all of them on. Those that errors are
    /// about are `unswitchable`; where what happens instead is no such thing, they are `refused`.
    pub(super) fn panel(
        &mut self,
        base: &Subject,
        switches: &[Switch],
        refused: &mut BTreeSet<usize>,
        unswitchable: &mut BTreeSet<usize>,
    ) -> Result<Option<Panel>, Stop> {
        self.panel_counting(base, switches, |_| true, refused, unswitchable)
    }

    /// The same with steps counted in some files alone.
    pub(super) fn panel_counting(
        &mut self,
        base: &Subject,
        switches: &[Switch],
        counted: impl Fn(FileId) -> bool,
        refused: &mut BTreeSet<usize>,
        unswitchable: &mut BTreeSet<usize>,
    ) -> Result<Option<Panel>, Stop> {
        let mut live: BTreeSet<usize> = (0..switches.len()).collect();
        for round in 0..ROUNDS {
            if live.is_empty() {
                break;
            }
            self.may_go_on()?;
            let numbered = live.iter().map(|at| (*at, &switches[*at]));
            let switched = switches::switched_counting(base, numbered, &counted);
            let prepared = self.oracle.prepare(&switched.subject, self.deadline);
            match prepared.map_err(stop(&self.cancel))? {
                Traced::Nothing => break,
                Traced::Errors(errors) => {
                    let mut blamed = blamed(base, switches, &live, &switched, &errors, refused);
                    if blamed.is_empty() {
                        break;
                    }
                    unswitchable.extend(&blamed);
                    // What one error hides is said of one place in a function at a time.
                    if round >= AT_ONCE && blamed.len() * SLOW < live.len() {
                        blamed.extend(beside(base, switches, &live, &blamed));
                    }
                    live.retain(|at| !blamed.contains(at));
                }
                Traced::Ran(prepared) => {
                    let run = self.run_without(&prepared, &[], u64::MAX)?;
                    let shows = run.judged.verdict == Verdict::Interesting;
                    return Ok(shows.then(|| Panel {
                        prepared,
                        live: live.into_iter().collect(),
                        aside: Vec::new(),
                        most: run.steps.saturating_mul(STEPS).max(LEAST_STEPS),
                        long: LONG + run.judged.wall * 4,
                    }));
                }
            }
        }
        Ok(None)
    }

    /// The numbers of the switches that can be off together, and whether all were asked for.
    fn search(&mut self, panel: &Panel, switches: &[Switch]) -> Result<(Vec<usize>, bool), Stop> {
        let item = |at: &usize| Item {
            weight: switches[*at].element.weight(),
            prior: Some(NEEDED),
        };
        let items: Vec<Item> = panel.live.iter().map(item).collect();
        let mut settings = self.settings.clone();
        // What another one stood in the way of goes in the next round.
        settings.one_minimal = false;
        settings.try_all_first = false;
        let mut minimizer = minimize::minimizer(&items, &settings);
        let end = self.end_of_a_share();
        let (mut runs, mut out_of_time) = (0, 0);
        let mut complete = false;
        while out_of_time < TIMED_OUT && end.is_none_or(|end| Instant::now() < end) {
            let Some(trial) = minimizer.propose() else {
                complete = true;
                break;
            };
            let gone = minimizer.removed().into_iter().chain(trial.remove);
            let off: Vec<usize> = gone.map(|at| panel.live[at]).collect();
            let run = self.run_without(&panel.prepared, &off, panel.most)?;
            let interesting = run.judged.verdict == Verdict::Interesting;
            let long = run.timed_out || run.judged.wall >= panel.long;
            out_of_time += usize::from(!interesting && long);
            minimizer.record(interesting);
            runs += 1;
        }
        let off = minimizer.removed().into_iter().map(|at| panel.live[at]);
        let off: Vec<usize> = off.collect();
        self.observer.event(&Event::Note(&format!(
            "{} of {} places that can be switched off may be, in {runs} runs of one build",
            off.len(),
            panel.live.len()
        )));
        Ok((off, complete))
    }

    /// When it is time for something else: what is found at run time has to go from the text as well.
    pub(super) fn end_of_a_share(&self) -> Option<Instant> {
        let now = Instant::now();
        let left = |deadline: Instant| deadline.saturating_duration_since(now);
        self.deadline.map(|deadline| now + left(deadline) / SHARE)
    }

    /// Runs what is `prepared` with the switches `off`, for at most about so many steps.
    pub(super) fn run_without(
        &mut self,
        prepared: &Prepared,
        off: &[usize],
        most: u64,
    ) -> Result<Switching, Stop> {
        self.run_set(prepared, Setting::without(off, most))
    }

    /// Runs what is `prepared` with this `setting`.
    pub(super) fn run_set(
        &mut self,
        prepared: &Prepared,
        setting: Setting,
    ) -> Result<Switching, Stop> {
        self.may_go_on()?;
        let run = self.oracle.judge_set(prepared, setting, self.deadline);
        let run = run.map_err(stop(&self.cancel))?;
        self.counts.cpu += run.judged.cpu;
        Ok(run)
    }
}

/// Those of the `live` switches that `errors`, of the `switched` text, are about; they are `refused` where an error stands in what
/// happens instead.
fn blamed(
    base: &Subject,
    switches: &[Switch],
    live: &BTreeSet<usize>,
    switched: &Switched,
    errors: &[Diagnostic],
    refused: &mut BTreeSet<usize>,
) -> HashSet<usize> {
    let mut found = HashSet::new();
    for error in errors {
        let instead = |span: &Span| {
            let span = span.outermost();
            let number = switched.instead_at(base.find(&span.file)?, span.byte_start)?;
            live.contains(&number).then_some(number)
        };
        let own: Vec<usize> = error.primary_spans().filter_map(instead).collect();
        let own = match own.is_empty() {
            // What is moved there is missed elsewhere.
            true => error.spans.iter().filter_map(instead).collect(),
            false => own,
        };
        if !own.is_empty() {
            // Alone, an expression may have another type.
            let answers = own.iter().filter(|at| switches[**at].answers());
            refused.extend(answers);
            found.extend(own);
            continue;
        }
        let at = places(base, &switched.edits, error);
        let around = [
            at.clone(),
            every_place(base, &switched.edits, error),
            enclosing(base, &at, |kind| kind == Kind::Body),
            enclosing(base, &at, |kind| kind == Kind::File),
        ];
        let own = around
            .iter()
            .map(|places| {
                let own = places
                    .iter()
                    .flat_map(|place| at_place(switches, live, place));
                own.collect::<Vec<usize>>()
            })
            .find(|own| !own.is_empty());
        found.extend(own.into_iter().flatten());
    }
    found
}

/// Those of the `live` switches that stand in the same bodies as those that are `blamed`.
fn beside(
    base: &Subject,
    switches: &[Switch],
    live: &BTreeSet<usize>,
    blamed: &HashSet<usize>,
) -> Vec<usize> {
    let at: Vec<(FileId, Range<usize>)> = blamed
        .iter()
        .map(|at| (switches[*at].file, switches[*at].range.clone()))
        .collect();
    let bodies = enclosing(base, &at, |kind| kind == Kind::Body);
    let stands_there = |at: &usize| {
        let own = &switches[*at];
        bodies.iter().any(|(file, body)| {
            own.file == *file && body.start <= own.range.start && own.range.end <= body.end
        })
    };
    live.iter().copied().filter(stands_there).collect()
}

/// Those of the `live` switches that stand in a place; the innermost around it, if there are none.
fn at_place(
    switches: &[Switch],
    live: &BTreeSet<usize>,
    (file, place): &(FileId, Range<usize>),
) -> Vec<usize> {
    let of_file = || {
        let own = live.iter().copied();
        own.filter(|at| switches[*at].file == *file)
    };
    let range = |at: &usize| &switches[*at].range;
    let inside = |at: &usize| place.start <= range(at).start && range(at).end <= place.end;
    let found: Vec<usize> = of_file().filter(inside).collect();
    if !found.is_empty() {
        return found;
    }
    let around = |at: &usize| range(at).start <= place.start && place.end <= range(at).end;
    let innermost = of_file().filter(around).min_by_key(|at| range(at).len());
    innermost.into_iter().collect()
}
