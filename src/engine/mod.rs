//! The loop: passes × minimizer × oracle. Decides the order of things and keeps what was found; it
//! knows no compiler and no syntax.

mod ahead;
mod around;
mod besides;
mod certain;
mod depth;
mod drift;
mod expanding;
mod good;
mod guards;
mod halves;
mod implied;
mod inlined;
mod inlining;
mod inputs;
mod instances;
mod lints;
mod manifest;
mod memory;
mod one_file;
mod origins;
mod package;
mod pipeline;
mod priors;
mod probing;
mod schedule;
pub mod scratch;
mod screen;
mod solve;
mod store;
mod sweep;
mod switching;
mod tables;
mod taken_in;
mod traverse;
mod trial;
mod trim;
mod turning;
mod unwrapping;
mod varying;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

pub use pipeline::reduce;
pub use store::Store;

use crate::exec::Cancel;
use crate::minimize::{self, Item, Settings};
use crate::passes::assertions::Stretch;
use crate::passes::calls::{Calls, Dependents};
use crate::passes::{self, Pass, Traversal};
use crate::property::Oracle;
use crate::report::{Event, Failure, Fate, Observer, PassStatistics};
use crate::subject::{Element, Joint, Subject};
use crate::syntax::Origin;
use memory::{Priors, Refusals};

/// The pass that asks the compiler's lints.
const UNUSED: &str = "unused";

/// The pass that opens macro calls which stand for a condition.
const CONDITIONAL_MACROS: &str = "conditional-macros";

/// A list is not left for later before so many refusals in a row.
const PATIENCE: usize = 16;

/// Nor before one in so many of its elements could have been refused alone.
const PART_IN_VAIN: usize = 8;

/// Why the search ended before it was through.
#[derive(Debug)]
pub enum Stop {
    /// The user asked for it.
    Cancelled,
    /// The time is up.
    TimeLimit,
    /// No further verdict can be had.
    Failed(Failure),
}

/// How often what was asked.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Candidates put to the oracle.
    pub trials: usize,
    /// Those that were interesting.
    pub interesting: usize,
    /// Verdicts that were known already.
    pub cache_hits: usize,
    /// User and system time of all trials.
    pub cpu: Duration,
}

/// The state of one reduction.
pub struct Engine<'a> {
    oracle: &'a mut dyn Oracle,
    observer: &'a mut dyn Observer,
    cancel: Cancel,
    deadline: Option<Instant>,
    settings: Settings,
    traversal: crate::passes::Traversal,
    wanted: PassFilter,
    scope: Scope,
    /// What the search began with.
    start: Subject,
    best: Subject,
    store: Store,
    verdicts: HashMap<blake3::Hash, bool>,
    /// Candidates that are not interesting, though they compile: there are no errors to be learned from.
    compile: HashSet<blake3::Hash>,
    refusals: Refusals,
    /// What did not compile as something that can be switched off; in the text itself it may.
    unswitchable: Refusals,
    priors: Priors,
    screen: screen::Screen,
    /// `None` where less may show what more does not.
    implied: Option<implied::Implied>,
    ahead: ahead::Ahead,
    counts: Counts,
    passes: Vec<PassStatistics>,
    pass: &'static str,
    /// Whether modules and crates are put into one file.
    flatten: bool,
    /// Whether names become those of an example in the end.
    renames: bool,
    /// The libraries that can go into the crate that shows the failure, users before what they use; none if that is
    /// not wanted.
    joints: Vec<Joint>,
    /// What is compiled under which conditions.
    conditions: crate::passes::Conditions,
    /// Names of functions that must stay: the test.
    protected: Vec<String>,
    /// The next trial is run for its compile errors: no screen stands in for the compiler.
    wants_errors: bool,
    /// Who called whom when the last sweep looked; nobody where nothing runs.
    calls: Calls,
    /// Elements that save less, with what runs for their sake alone, wait; 0 if what runs is of no matter.
    at_least: u64,
    /// An expression gives way to one that stands in it only if at most so many tokens run for the sake of the rest alone: what
    /// a test compares could be had without them, and be another bug.
    at_most: u64,
    /// Where branches stood that are to be left, for no test enters them.
    unentered: Vec<Origin>,
    /// What was put into the test, for it to assert what is so now.
    as_now: Option<Stretch>,
    /// What stays since it decides that such branches are not entered, or heeds what is decisive.
    deciding: Vec<Stretch>,
    /// What would let the test pass if it was another.
    decisive: Vec<turning::Decisive>,
    /// A candidate has to leave them that.
    heeds_decisive: bool,
    /// How many tests that pass come to a place.
    common: HashMap<Origin, usize>,
    /// The definitions that no live text mentions and the compiler has asked back since all were solved last.
    needed: HashSet<Option<crate::syntax::Origin>>,
    /// What lints named in vain since then.
    named_in_vain: HashSet<crate::syntax::Origin>,
    /// The tokens that there were when that was forgotten last.
    named_at: Option<usize>,
    /// What the compiler can do without, but makes a difference to what runs, by where it stood.
    named_and_run: HashSet<crate::syntax::Origin>,
    /// How many tokens there were when that was forgotten last.
    needed_at: Option<usize>,
    /// What nothing seems to lead to, and was asked back all the same.
    reached: HashSet<Option<crate::syntax::Origin>>,
    /// How many tokens there were when all definitions were solved last.
    solved_at: Option<usize>,
    /// All definitions are solved however many there are.
    thorough: bool,
    /// What has been refused is asked for again when something else has gone; until then it waits.
    proves: bool,
    /// Files that parse need not do so in candidates.
    may_break_syntax: bool,
    /// The compile errors of candidates of which they were wanted.
    errors: HashMap<blake3::Hash, Vec<crate::build::Diagnostic>>,
    /// The best at the end of each pass that found something, for when the final judgement steps back.
    milestones: Vec<Subject>,
    /// Something was public and is not any more, and what follows from that was not asked for so far.
    was_public: bool,
    /// The last that fresh runs confirmed, or the start.
    confirmed: Subject,
    /// The refusals of what came before that: later ones may be of what was lost already.
    confirmed_refusals: Refusals,
    /// What became the best since then, in order.
    since: Vec<Subject>,
    /// What went on and on when the failure showed at first, if that does not end: it has to go on doing so.
    turning: Option<Origin>,
    /// Each step has to be seen to keep that.
    careful: bool,
    /// The items that were asked what types they are about, by where they stood originally.
    asked: HashSet<Origin>,
    /// Those that were asked what is made of their parameters, by the same.
    projected: HashSet<Origin>,
    /// The tokens that there were when that was begun.
    asked_at: Option<usize>,
    /// Functions that may have no value to give back, or were asked for in vain.
    uncertain: BTreeSet<String>,
    /// The tokens that there were when that was forgotten last.
    certain_at: Option<usize>,
    /// The tokens that there were when macros were expanded.
    expanded_at: Option<usize>,
    /// The tokens that there were when all that is compiled away was to go together.
    compiled_at: Option<usize>,
    /// What all data said when nothing of it could go.
    data_refused: Option<blake3::Hash>,
    /// Bytes that macros made so far: they count as standing behind the end of what is there originally.
    made: u32,
}

/// The names of all that `--passes` tells apart: the passes, and what the engine itself does.
pub fn pass_names() -> BTreeSet<&'static str> {
    /// What is no list of elements, or needs to be told something first.
    const OTHERS: [&str; 27] = [
        "answers",
        ahead::ALL,
        varying::NAME,
        certain::NAME,
        crate::passes::one_module::NAME,
        crate::passes::certain::options::NAME,
        CONDITIONAL_MACROS,
        "conditions",
        "data",
        expanding::NAME,
        "files",
        "inline-deps",
        "inline-files",
        "inputs",
        inlined::NAME,
        crate::passes::small_functions::NAME,
        crate::passes::small_functions::OF_TYPES,
        instances::NAME,
        "join-crates",
        "manifest",
        "rename",
        "seed",
        "skips",
        "solve",
        "sweep",
        "tables",
        "unused",
    ];
    let lists = [
        passes::coarse(),
        passes::fine(),
        passes::inside(),
        passes::types_in_fewer_words(),
        Vec::from(passes::said_twice()),
        passes::raw(),
        vec![passes::comments()],
    ];
    let names = lists.iter().flatten().map(|pass| pass.name());
    let traversals = Traversal::ALL.map(Traversal::name);
    names.chain(OTHERS).chain(traversals).collect()
}

/// Which passes run: names to take, names to leave out.
#[derive(Debug, Clone, Default)]
pub struct PassFilter {
    only: Vec<String>,
    without: Vec<String>,
}

impl PassFilter {
    /// From the names of `--passes`: `NAME` takes only those named, `-NAME` leaves one out.
    pub fn new(names: &[String]) -> PassFilter {
        let (without, only): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| name.starts_with('-'));
        PassFilter {
            only: only.into_iter().cloned().collect(),
            without: without
                .into_iter()
                .map(|name| name[1..].to_string())
                .collect(),
        }
    }

    /// Whether the pass `name` runs.
    pub fn takes(&self, name: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|other| other == name);
        (self.only.is_empty() || named(&self.only)) && !named(&self.without)
    }
}

/// Which files may change.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    fixed: std::collections::BTreeSet<std::path::PathBuf>,
    untouched: Vec<Stretch>,
    keep: Option<globset::GlobSet>,
    only: Option<globset::GlobSet>,
}

impl Scope {
    /// From `--keep` and `--only`.
    ///
    /// # Errors
    ///
    /// When a glob is malformed.
    pub fn new(keep: &[String], only: &[String]) -> Result<Scope, globset::Error> {
        let set = |globs: &[String]| -> Result<Option<globset::GlobSet>, globset::Error> {
            if globs.is_empty() {
                return Ok(None);
            }
            let mut builder = globset::GlobSetBuilder::new();
            for glob in globs {
                builder.add(globset::Glob::new(glob)?);
            }
            builder.build().map(Some)
        };
        Ok(Scope {
            fixed: Default::default(),
            untouched: Vec::new(),
            keep: set(keep)?,
            only: set(only)?,
        })
    }

    /// The same with `fixed` files that must not change either.
    pub fn fixing(mut self, fixed: std::collections::BTreeSet<std::path::PathBuf>) -> Scope {
        self.fixed.extend(fixed);
        self
    }

    /// The same with text that must stay as it is, wherever it stands by then.
    pub fn leaving(mut self, untouched: Vec<Stretch>) -> Scope {
        self.untouched.extend(untouched);
        self
    }

    /// The same with these stretches being as free as all else.
    pub fn releasing(mut self, released: &[Stretch]) -> Scope {
        self.untouched.retain(|stretch| !released.contains(stretch));
        self
    }

    /// Whether the beginning of `file` must stay as it is: then what is around a test does.
    fn leaves_beginning_of(&self, file: crate::syntax::FileId) -> bool {
        let mut own = self.untouched.iter().filter(|stretch| stretch.file == file);
        own.any(|stretch| stretch.range.start == 0 && !stretch.range.is_empty())
    }

    /// Whether the file at `path` may change.
    pub fn allows(&self, path: &std::path::Path) -> bool {
        !self.fixed.contains(path) && self.is_open(path)
    }

    /// Whether the user lets the file at `path` change.
    fn is_open(&self, path: &std::path::Path) -> bool {
        !self.keep.as_ref().is_some_and(|keep| keep.is_match(path))
            && self.only.as_ref().is_none_or(|only| only.is_match(path))
    }

    /// Whether the user leaves it to us what becomes of `element`: files that must not change because no
    /// replay would notice may go where cargo itself judges.
    fn leaves(&self, subject: &Subject, element: &Element) -> bool {
        let scope = Scope {
            fixed: Default::default(),
            ..self.clone()
        };
        scope.allows_element(subject, element)
    }

    fn allows_element(&self, subject: &Subject, element: &Element) -> bool {
        let files = element
            .edits
            .iter()
            .map(|edit| edit.file)
            .chain(element.drops.iter().copied());
        let drops = element.drops.iter().map(|file| (*file, 0..usize::MAX));
        let ranges = element
            .edits
            .iter()
            .map(|edit| (edit.file, edit.range.clone()))
            .chain(drops);
        files
            .into_iter()
            .all(|file| self.allows(&subject.file(file).path))
            && (self.untouched.is_empty()
                || !ranges
                    .into_iter()
                    .any(|(file, range)| self.touches(subject, file, range)))
    }

    /// Whether any of `range` is text that must stay as it is.
    fn touches(
        &self,
        subject: &Subject,
        file: crate::syntax::FileId,
        range: std::ops::Range<usize>,
    ) -> bool {
        let Some(text) = subject.file(file).text() else {
            return false;
        };
        let mut originals = text.originals(range.clone()).peekable();
        if originals.peek().is_none() {
            // What was put in there stays with what is around it.
            let before = (0..range.start).rev().find_map(|at| text.origin(at));
            let behind = (range.end..text.as_str().len()).find_map(|at| text.origin(at));
            return before.zip(behind).is_some_and(|(before, behind)| {
                let mut untouched = self.untouched.iter();
                untouched.any(|stretch| stretch.holds(before) && stretch.holds(behind))
            });
        }
        originals.any(|(origin, length)| {
            let mut untouched = self.untouched.iter();
            untouched.any(|stretch| stretch.meets(origin, length))
        })
    }
}

impl Engine<'_> {
    /// The smallest interesting subject so far.
    pub fn best(&self) -> &Subject {
        &self.best
    }

    /// Runs one pass over all its rounds; whether it removed anything.
    fn pass(&mut self, pass: &dyn Pass) -> Result<bool, Stop> {
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let start = self.best.key();
        loop {
            let before = self.best.tokens();
            let counts = self.begin(pass.name());
            let outcome = self.rounds(pass);
            self.finish_pass(before, &counts);
            outcome?;
            // What went together with what has to stay may go without it.
            if !self.reconfirm()? {
                return Ok(self.best.key() != start);
            }
        }
    }

    /// Searches the lists of all rounds of `pass`.
    fn rounds(&mut self, pass: &dyn Pass) -> Result<(), Stop> {
        let mut round = 0;
        while let Some(list) = pass.list(&self.best, round) {
            // For what was refused once there is a better time, when all are asked at once.
            let base = &self.best;
            let waits = |element: &Element| !self.proves && self.refusals.had(base, element);
            let list: Vec<Element> = list.into_iter().filter(|one| !waits(one)).collect();
            if !list.is_empty() {
                self.list(list, |subject| {
                    pass.list(subject, round).unwrap_or_default()
                })?;
            }
            round += 1;
        }
        Ok(())
    }

    /// Notes that a pass begins; what was counted until then.
    fn begin(&mut self, pass: &'static str) -> Counts {
        debug_assert!(pass_names().contains(pass), "{pass} cannot be named");
        self.pass = pass;
        self.counts.clone()
    }

    fn finish_pass(&mut self, before: usize, counts: &Counts) {
        let trials = self.counts.trials - counts.trials;
        let interesting = self.counts.interesting - counts.interesting;
        let tokens_removed = before.saturating_sub(self.best.tokens());
        if tokens_removed > 0 {
            self.milestones.push(self.best.clone());
        }
        let name = self.pass;
        let at = self
            .passes
            .iter()
            .position(|known| known.name == name)
            .unwrap_or_else(|| {
                self.passes.push(PassStatistics {
                    name: name.to_string(),
                    trials: 0,
                    interesting: 0,
                    tokens_removed: 0,
                    cpu: Duration::ZERO,
                });
                self.passes.len() - 1
            });
        let statistics = &mut self.passes[at];
        statistics.trials += trials;
        statistics.interesting += interesting;
        statistics.tokens_removed += tokens_removed;
        statistics.cpu += self.counts.cpu.saturating_sub(counts.cpu);
        if trials > 0 {
            self.observer.event(&Event::PassFinished {
                name,
                trials,
                interesting,
                tokens_removed,
            });
        }
    }

    /// Tokens that `element` saves, with what runs for its sake alone where that counts.
    fn saves(&self, dependents: &Dependents, element: &Element) -> u64 {
        let below = match self.at_least {
            0 => 0,
            _ => dependents.below(element),
        };
        below + u64::from(element.weight())
    }

    /// Whether `element` may go, is worth asking for, does not have to wait and was not refused already.
    fn is_open(
        &self,
        base: &Subject,
        contexts: &memory::Contexts,
        dependents: &Dependents,
        element: &Element,
    ) -> bool {
        self.scope.allows_element(base, element)
            && !self.refusals.stands(base, contexts, element)
            && self.saves(dependents, element) >= self.at_least
            && (!self.holds_values_back() || self.keeps_values(base, dependents, element))
    }

    /// Whether `element` puts no value in the place of one that more was computed for than may be now.
    fn keeps_values(&self, base: &Subject, dependents: &Dependents, element: &Element) -> bool {
        dependents.replaced(element) <= self.at_most && !passes::loses_a_name(base, element)
    }

    /// After how many refusals in a row a list of so many elements is left for later. As long as there is much to build and the
    /// next passes are not exhausted, a trial that takes nothing is dearer than what a list still has.
    fn patience(&self, elements: usize) -> usize {
        match self.proves || self.best.tokens() <= schedule::MUCH {
            true => usize::MAX,
            false => PATIENCE.max(elements / PART_IN_VAIN),
        }
    }

    /// Searches one list; whether anything in it went. `again` makes the list anew from what is left.
    fn list(
        &mut self,
        elements: Vec<Element>,
        again: impl Fn(&Subject) -> Vec<Element>,
    ) -> Result<bool, Stop> {
        let base = self.best.clone();
        let contexts = memory::Contexts::of(&base);
        // What runs for an element's sake alone goes in the next sweep. That tells which of a few is worth asking for first;
        // among statements it leads to those that the failure needs most (on yaml-rust 1 of 80 trials found something, 7 of 116
        // without).
        let dependents = Dependents::of(&base, &self.calls);
        let elements: Vec<Element> = elements
            .into_iter()
            .filter(|element| self.is_open(&base, &contexts, &dependents, element))
            .collect();
        if elements.is_empty() {
            return Ok(false);
        }
        self.observer.event(&Event::PassStarted {
            name: self.pass,
            lists: 1,
            elements: elements.len(),
        });
        let prior = |element: &Element| match element {
            _ if self.pass == UNUSED => memory::UNMENTIONED,
            _ if [ahead::ALL, varying::NAME].contains(&self.pass) => memory::GOES_ALONE,
            one if self.refusals.had(&base, one) => memory::REFUSED_BEFORE,
            one if contexts.unmentioned(&base, one) => memory::UNMENTIONED,
            one => self.priors.in_a_list(self.pass, one.kind, elements.len()),
        };
        let items: Vec<Item> = elements
            .iter()
            .map(|element| Item {
                weight: u32::try_from(self.saves(&dependents, element)).unwrap_or(u32::MAX),
                prior: Some(prior(element)),
            })
            .collect();
        let mut settings = self.settings.clone();
        settings.one_minimal &= self.proves;
        settings.try_all_first &= self.priors.all_at_once(self.pass, elements.len());
        let mut minimizer = minimize::minimizer(&items, &settings);
        let mut singles = memory::Singles::new(&base, &elements);
        let mut contexts = contexts;
        let patience = self.patience(elements.len());
        let mut in_vain = 0;
        while in_vain < patience {
            let known = (&mut singles, &contexts);
            self.look_ahead(&*minimizer, &base, &elements, known)?;
            let Some(trial) = minimizer.propose() else {
                break;
            };
            let mut gone = minimizer.removed();
            if let [single] = trial.remove[..]
                && singles.stands(&base, &elements, single, &gone, &contexts)
            {
                minimizer.record(false);
                continue;
            }
            let before = gone.len();
            gone.extend(&trial.remove);
            let candidate = base.without(gone.iter().map(|at| &elements[*at]));
            let known = (&singles, &contexts);
            self.begin_with(&candidate, &*minimizer, &base, &elements, known)?;
            let interesting = self.trial(candidate)?;
            minimizer.record(interesting);
            in_vain = if interesting { 0 } else { in_vain + 1 };
            self.ahead.learn(interesting);
            if trial.remove.len() == elements.len() && elements.len() > 1 {
                self.priors.learn_all_at_once(self.pass, interesting);
            }
            if interesting {
                contexts = memory::Contexts::of(&self.best);
            } else if let [single] = trial.remove[..] {
                singles.add(&base, &elements, single, &gone[..before], &contexts);
            }
        }
        let removed = minimizer.removed();
        let mut is_gone = vec![false; elements.len()];
        removed.iter().for_each(|at| is_gone[*at] = true);
        let fate = |(element, gone): (&Element, &bool)| Fate {
            kind: element.kind,
            weight: element.weight(),
            gone: *gone,
        };
        let fates: Vec<Fate> = elements.iter().zip(&is_gone).map(fate).collect();
        if in_vain < patience {
            for fate in &fates {
                self.priors.learn(self.pass, fate.kind, !fate.gone);
            }
        }
        self.observer.event(&Event::ListSearched {
            pass: self.pass,
            fates: &fates,
        });
        if settings.one_minimal {
            let kept = elements
                .iter()
                .zip(&is_gone)
                .filter(|(_, gone)| !**gone)
                .map(|(element, _)| element);
            self.refusals
                .add(&base, kept, &self.best, again(&self.best));
        }
        Ok(!removed.is_empty())
    }
}
