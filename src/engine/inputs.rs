//! The test's inputs, made shorter while it runs: one build is asked again and again, with other words each time, and what is left of
//! them is put into the text at once.
//!
//! Where something stays that the failure turns on, an input may get shorter as long as the test passes on it, too, when that is
//! another. Otherwise it would come to fail on what a right program fails on as well.

use std::collections::BTreeSet;
use std::time::Instant;

use super::memory::Contexts;
use super::switching::{Panel, TIMED_OUT};
use super::turning::parts;
use super::{Engine, Stop};
use crate::minimize::{self, Item};
use crate::passes::calls::Dependents;
use crate::passes::switches::{self, Said, Values};
use crate::passes::{Inputs, Pass};
use crate::property::{Evaluation, Setting, Verdict};
use crate::report::Event;
use crate::subject::{Element, Elements, Subject};
use crate::syntax::FileId;

/// Fewer elements are asked for one by one.
const LEAST: usize = 3;

/// Something with which the test passes when it is another.
struct Turned {
    number: usize,
    /// In these of its evaluations; what was seen to do so last is first.
    evaluations: Vec<Evaluation>,
}

/// What is asked how short inputs can be.
struct Shortening<'b> {
    panel: Panel,
    said: Said<'b>,
    turned: Vec<Turned>,
    runs: usize,
    out_of_time: usize,
    end: Option<Instant>,
}

impl Shortening<'_> {
    fn is_over(&self) -> bool {
        self.out_of_time >= TIMED_OUT || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

impl Engine<'_> {
    /// Makes the test's inputs shorter; whether any are.
    pub(super) fn shorten_inputs(&mut self, inputs: &Inputs) -> Result<bool, Stop> {
        let start = self.best.key();
        // Later nothing tells any more what is right.
        let heeds = self.heeds_decisive;
        if !self.wanted.takes(inputs.name()) || !heeds && !self.decisive.is_empty() {
            return Ok(false);
        }
        let base = self.best.clone();
        let open = self.open_inputs(&base, inputs);
        if open.len() >= LEAST || heeds && !open.is_empty() {
            self.part(inputs.name(), |engine| {
                engine.shorten_at_run_time(inputs, &base, &open)
            })?;
        }
        // What no run can be told is asked for by trials.
        if !heeds {
            self.pass(inputs)?;
        }
        Ok(self.best.key() != start)
    }

    /// All that may go from the inputs of `base`, in any round.
    fn open_inputs(&self, base: &Subject, inputs: &Inputs) -> Elements {
        let contexts = Contexts::of(base);
        let dependents = Dependents::of(base, &self.calls);
        let rounds = (0..).map_while(|round| inputs.list(base, round));
        let open = |element: &Element| {
            self.is_open(base, &contexts, &dependents, element)
                && (self.proves || !self.refusals.had(base, element))
        };
        rounds.flatten().filter(open).collect()
    }

    /// Finds out in runs of one build how short the inputs of `base` can be, of which `open` may go.
    fn shorten_at_run_time(
        &mut self,
        inputs: &Inputs,
        base: &Subject,
        open: &[Element],
    ) -> Result<(), Stop> {
        let Some(mut shortening) = self.inputs_told(base, open)? else {
            return Ok(());
        };
        let mut now = base.clone();
        let mut left = Vec::new();
        loop {
            let before = now.key();
            left.clear();
            let mut round = 0;
            while let Some(mut list) = inputs.list(&now, round) {
                list.retain(|element| {
                    shortening.said.holds(&now, element) && self.scope.allows_element(&now, element)
                });
                now = self.without_some(&mut shortening, now, &list)?;
                left.extend(list);
                round += 1;
            }
            if now.key() == before || shortening.is_over() {
                break;
            }
        }
        self.observer.event(&Event::Note(&format!(
            "the test was run on shorter inputs, in {} runs of one build",
            shortening.runs
        )));
        if self.trial(now)? && !shortening.is_over() {
            // Each was refused, of just what is there now.
            let now = self.best.clone();
            self.refusals.add_each(&now, left);
        }
        Ok(())
    }

    /// `base` with the literals that `open` changes and with what the failure turns on, compiled to be told what they are; `None`
    /// where that cannot be.
    fn inputs_told<'b>(
        &mut self,
        base: &'b Subject,
        open: &[Element],
    ) -> Result<Option<Shortening<'b>>, Stop> {
        let mut all = switches::literals(base, open);
        let literals = all.len();
        all.extend(self.decisive_in(base));
        // Where the code under test is a crate of its own and stays as it is, it need not be compiled for that.
        let everywhere = all.len() > literals || self.turning.is_some();
        let files: BTreeSet<FileId> = all.iter().map(|switch| switch.file).collect();
        let counted = |file| everywhere || files.contains(&file);
        let Some(panel) = self.turning_panel(base, &all, counted)? else {
            return Ok(None);
        };
        let turned = self.turned_now(&panel, literals)?;
        let live = panel.live.iter().filter(|at| **at < literals);
        let said = Said::of(base, live.map(|at| (*at, &all[*at])));
        let all_turn = turned.len() == self.decisive.len();
        Ok(all_turn.then(|| Shortening {
            panel,
            said,
            turned,
            runs: 0,
            out_of_time: 0,
            end: self.end_of_a_share(),
        }))
    }

    /// `now` without as many elements of `list` as the failure does without.
    fn without_some(
        &mut self,
        shortening: &mut Shortening,
        now: Subject,
        list: &[Element],
    ) -> Result<Subject, Stop> {
        let items: Vec<Item> = list.iter().map(|element| self.item(element)).collect();
        let mut minimizer = minimize::minimizer(&items, &self.settings);
        while !shortening.is_over() {
            let Some(trial) = minimizer.propose() else {
                break;
            };
            let gone = minimizer.removed().into_iter().chain(trial.remove);
            let candidate = now.without(gone.map(|at| &list[at]));
            minimizer.record(self.shows_told(shortening, &candidate)?);
        }
        let gone = minimizer.removed();
        Ok(now.without(gone.iter().map(|at| &list[*at])))
    }

    /// Whether the failure shows when the literals say what they do in `candidate`, and what it turns on is still that.
    fn shows_told(
        &mut self,
        shortening: &mut Shortening,
        candidate: &Subject,
    ) -> Result<bool, Stop> {
        let Some(values) = shortening.said.values(candidate) else {
            return Ok(false);
        };
        let panel = &shortening.panel;
        let setting = Setting {
            values: &values,
            ..Setting::without(&[], panel.most)
        };
        let run = self.run_set(&panel.prepared, setting)?;
        shortening.runs += 1;
        if run.judged.verdict != Verdict::Interesting {
            let long = run.timed_out || run.judged.wall >= panel.long;
            shortening.out_of_time += usize::from(long);
            return Ok(false);
        }
        self.all_turn(panel, &mut shortening.turned, &values)
    }

    fn item(&self, element: &Element) -> Item {
        Item {
            weight: element.weight(),
            prior: Some(self.priors.of(self.pass, element.kind)),
        }
    }

    /// What in `panel`, from this number on, the test passes with as its inputs are.
    fn turned_now(&mut self, panel: &Panel, first: usize) -> Result<Vec<Turned>, Stop> {
        let numbers: Vec<usize> = panel
            .live
            .iter()
            .copied()
            .filter(|at| *at >= first)
            .collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let told = self.told_what_is_evaluated(panel)?.evaluated;
        let mut found = Vec::new();
        for number in numbers {
            let times = told.iter().filter(|at| **at == number).count();
            let mut one = [Turned {
                number,
                evaluations: parts(times.try_into().unwrap_or(u8::MAX)).collect(),
            }];
            if self.all_turn(panel, &mut one, &Values::new())? {
                found.extend(one);
            }
        }
        Ok(found)
    }

    /// Whether the test passes on these `values` with each of `turned` alone being another, in some of its evaluations.
    fn all_turn(
        &mut self,
        panel: &Panel,
        turned: &mut [Turned],
        values: &Values,
    ) -> Result<bool, Stop> {
        for one in turned {
            let mut out_of_time = 0;
            let mut passes = None;
            for (order, evaluation) in one.evaluations.iter().enumerate() {
                let setting = Setting {
                    evaluation: *evaluation,
                    values,
                    off: &panel.off_with(one.number),
                    ..Setting::without(&[], panel.most)
                };
                let run = self.passes_set(panel, setting)?;
                out_of_time += usize::from(run.timed_out);
                passes = run.passes.then_some(order);
                if passes.is_some() || out_of_time == TIMED_OUT {
                    break;
                }
            }
            match passes {
                Some(order) => one.evaluations[..=order].rotate_right(1),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Leaves the lists that the test works on as long as they are now, if they got as short as what the failure turns on allows.
    pub(super) fn leave_what_is_listed(&mut self, inputs: &Inputs) {
        if !self.decisive.is_empty() {
            let listed = inputs.listed(&self.best);
            self.scope = std::mem::take(&mut self.scope).leaving(listed);
        }
    }

    /// Whether the test passes in `subject` with each alone of what the failure turns on being another.
    pub(super) fn is_still_decisive(&mut self, subject: &Subject) -> Result<bool, Stop> {
        let decisive = self.decisive_in(subject);
        Ok(match self.turning_panel(subject, &decisive, |_| true)? {
            Some(panel) => self.turned_now(&panel, 0)?.len() == self.decisive.len(),
            None => false,
        })
    }
}
