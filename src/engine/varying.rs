//! Trying elements inside functions alone, many in one build: each function holds a copy of its body for every element in it, and
//! the program is run once for each copy. What fails to compile is known by the copy in which the error stands.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Instant;

use super::memory::Contexts;
use super::solve::{every_place, places};
use super::switching::{AT_ONCE, LEAST_STEPS, LONG, ROUNDS, SLOW, STEPS, TIMED_OUT};
use super::trial::stop;
use super::{Engine, Stop};
use crate::passes::calls::Dependents;
use crate::passes::variants::{self, Variant, Varied};
use crate::passes::{Pass, switches};
use crate::property::{Traced, Verdict};
use crate::report::Event;
use crate::subject::{Element, Subject};
use crate::syntax::FileId;

/// The name of what this does.
pub const NAME: &str = "body-variants";

/// Tokens of copies in one build.
const MOST_TOKENS: usize = 150_000;

/// Fewer elements are asked for one by one.
const LEAST: usize = 8;

/// What became of the elements that were tried.
#[derive(Default)]
struct Tried {
    refused: Vec<usize>,
    promising: Vec<usize>,
    runs: usize,
    builds: usize,
}

impl Engine<'_> {
    /// Tries each element of `passes` that lies in the body of a function; what can go alone goes as far as it can go together.
    /// Whether any went.
    pub(super) fn try_inside_bodies(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        if !self.decisive.is_empty() {
            // What is found out here takes long, and is to be kept should the search step back.
            self.reconfirm_now()?;
        }
        self.while_confirmed(NAME, |engine| engine.try_each(passes))
    }

    fn try_each(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        let open = self.open_elements(passes);
        self.try_alone(open)
    }

    /// The same for `elements`, as far as they lie in the body of a function.
    pub(super) fn try_alone(&mut self, elements: Vec<Element>) -> Result<bool, Stop> {
        let base = self.best.clone();
        let all = variants::variants(&base, elements);
        if all.len() < LEAST {
            return Ok(false);
        }
        let mut tried = Tried::default();
        let mut from = 0;
        let end = self.end_of_a_share();
        while from < all.len() && end.is_none_or(|end| Instant::now() < end) {
            let mut tokens = 0;
            let fits = all[from..].iter().take_while(|variant| {
                tokens += variant.tokens;
                tokens <= MOST_TOKENS
            });
            let to = from + fits.count().max(1);
            if !self.try_some(&base, &all, from..to, &mut tried)? {
                break;
            }
            from = to;
        }
        self.observer.event(&Event::Note(&format!(
            "{} of {} elements inside functions can go alone, in {} runs of {} builds",
            tried.promising.len(),
            tried.promising.len() + tried.refused.len(),
            tried.runs,
            tried.builds,
        )));
        let of = |numbers: &[usize]| -> Vec<Element> {
            numbers.iter().map(|at| all[*at].element.clone()).collect()
        };
        self.refuse_each(&base, of(&tried.refused));
        let promising = of(&tried.promising);
        Ok(!promising.is_empty()
            && (self.solve_replacements(&promising)? || self.list(promising, |_| Vec::new())?))
    }

    /// Builds `base` with the variants `some` of `all` and runs each; whether it is worth going on with others.
    fn try_some(
        &mut self,
        base: &Subject,
        all: &[Variant],
        some: Range<usize>,
        tried: &mut Tried,
    ) -> Result<bool, Stop> {
        let mut live: BTreeSet<usize> = some.collect();
        for round in 0..ROUNDS {
            self.may_go_on()?;
            let varied = variants::varied(base, live.iter().map(|at| (*at, &all[*at])));
            let stepped = switches::switched(&varied.subject, []);
            tried.builds += 1;
            let prepared = self.oracle.prepare(&stepped.subject, self.deadline);
            let prepared = match prepared.map_err(stop(&self.cancel))? {
                Traced::Nothing => return Ok(false),
                Traced::Ran(prepared) => prepared,
                Traced::Errors(errors) => {
                    let mut blamed = BTreeSet::new();
                    let mut told = BTreeSet::new();
                    for error in &errors {
                        let at = |found: Vec<(FileId, Range<usize>)>| at_places(&varied, &found);
                        let own = at(places(&varied.subject, &stepped.edits, error));
                        if own.is_empty() {
                            told.extend(at(every_place(&varied.subject, &stepped.edits, error)));
                        }
                        blamed.extend(own);
                    }
                    let gone = &blamed | &told;
                    // Some errors are said of one copy in a function at a time.
                    let slow = round >= AT_ONCE && gone.len() * SLOW < live.len();
                    live.retain(|at| {
                        let beside = |gone: &usize| all[*at].shares_its_body_with(&all[*gone]);
                        !(gone.contains(at) || slow && gone.iter().any(beside))
                    });
                    tried.refused.extend(&blamed);
                    if gone.is_empty() {
                        return Ok(false);
                    }
                    if live.is_empty() {
                        return Ok(true);
                    }
                    continue;
                }
            };
            let usual = self.run_without(&prepared, &[], u64::MAX)?;
            if usual.judged.verdict != Verdict::Interesting {
                return Ok(false);
            }
            let most = usual.steps.saturating_mul(STEPS).max(LEAST_STEPS);
            let long = LONG + usual.judged.wall * 4;
            let mut out_of_time = 0;
            for at in live {
                let run = self.run_without(&prepared, &[at], most)?;
                tried.runs += 1;
                if run.judged.verdict == Verdict::Interesting {
                    tried.promising.push(at);
                    continue;
                }
                tried.refused.push(at);
                out_of_time += usize::from(run.timed_out || run.judged.wall >= long);
                if out_of_time >= TIMED_OUT {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        Ok(true)
    }

    /// The elements of `passes` that may go and were not refused already.
    pub(super) fn open_elements(&self, passes: &[Box<dyn Pass>]) -> Vec<Element> {
        let base = &self.best;
        let contexts = Contexts::of(base);
        let dependents = Dependents::of(base, &self.calls);
        let taken = passes.iter().filter(|pass| self.wanted.takes(pass.name()));
        let lists = taken.flat_map(|pass| (0..).map_while(|round| pass.list(base, round)));
        let mut elements: Vec<Element> = lists.flatten().collect();
        elements.retain(|element| self.is_open(base, &contexts, &dependents, element));
        elements
    }
}

/// The variants in whose bodies the places stand.
fn at_places(varied: &Varied, found: &[(FileId, Range<usize>)]) -> Vec<usize> {
    let numbers = found
        .iter()
        .filter_map(|(file, range)| varied.variant_at(*file, range.start));
    numbers.collect()
}
