//! Generic code becomes what it was in the run: the types that its parameters stood for take their place.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::solve::{Words, enclosing, every_place, places};
use super::sweep::is_much_less;
use super::trial::stop;
use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::definitions::Definition;
use crate::passes::instances::{Agreement, Asking, Concrete, Instances, one_number_for_another};
use crate::passes::{self, Pass};
use crate::property::Traced;
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind};

/// The name of the pass.
pub(super) const NAME: &str = "concrete-types";

/// Attempts to compile a subject with questions in it.
const ROUNDS: usize = 5;

/// Values that are put together for parameters, one after the other, at most.
const WAYS: usize = 2;

/// How the note ends that tells where the function stands whose arguments are wrong.
const DEFINED_HERE: &str = "defined here";

/// Pairs of types of numbers of which one is tried for the other.
const PAIRS: usize = 4;

/// Attempts to find what can be concrete together.
const ROUNDS_TO_AGREE: usize = 20;

impl Engine<'_> {
    /// Puts types in the place of parameters that stood for nothing else, and lets go of what only these needed; whether any
    /// went.
    pub(super) fn make_concrete(&mut self) -> Result<bool, Stop> {
        let tokens = self.best.tokens();
        if !self.wanted.takes(NAME) {
            return Ok(false);
        }
        let again = self.asked_at.is_none_or(|then| is_much_less(tokens, then));
        if again {
            // Much that stood in the way may have gone.
            self.asked.clear();
            self.projected.clear();
            self.asked_at = Some(tokens);
        }
        let earlier = self.best.clone();
        self.part(NAME, |engine| {
            engine.put_types_for_parameters()?;
            engine.say_what_projections_are()
        })?;
        let concrete = self.best.key() != earlier.key();
        if concrete || again {
            // Bounds ask for each other: those of a type for those of what is made of it.
            self.take_all_of(&passes::said_of_parameters())?;
            self.take_all_of(&passes::concrete_parameters())?;
            // One that errors say nothing about takes the others with it.
            for pass in passes::concrete_parameters() {
                self.pass(&*pass)?;
            }
            self.take_all_of(&passes::projections())?;
            self.take_all_of(&passes::traits())?;
        }
        if self.best.key() == earlier.key() {
            return Ok(false);
        }
        // It may be larger for now.
        self.milestones.push(earlier.clone());
        // What bounds asked for is asked for again.
        self.ask_for_everything_again();
        self.ask_lints()?;
        self.sweep()?;
        if self.best.tokens() > tokens || (concrete && self.best.tokens() == tokens) {
            // What is concrete changes only together with what it is used for.
            self.accept(earlier)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Applies as many of the elements of `passes` as go together.
    pub(super) fn take_all_of(&mut self, passes: &[Box<dyn Pass>]) -> Result<(), Stop> {
        let wanted = passes.iter().filter(|pass| self.wanted.takes(pass.name()));
        let wanted: Vec<&Box<dyn Pass>> = wanted.collect();
        let Some(first) = wanted.first() else {
            return Ok(());
        };
        self.part(first.name(), |engine| {
            // What may be written in two ways is in scope in one of them.
            for round in 0..WAYS {
                let mut list: Vec<Element> = Vec::new();
                let all = wanted
                    .iter()
                    .filter_map(|pass| pass.list(&engine.best, round));
                // What two of them do to one place may not be Rust.
                for element in all.flatten() {
                    list.push(element);
                    if !engine.still_parses(&engine.best.without(&list)) {
                        list.pop();
                    }
                }
                if list.is_empty() {
                    break;
                }
                // What is of matter when it runs is for the search.
                engine.solve_replacements(&list)?;
            }
            Ok(())
        })
    }

    fn put_types_for_parameters(&mut self) -> Result<(), Stop> {
        let mut base = self.best.clone();
        let (mut instances, mut told) = self.ask(&base)?;
        let numbers = instances.numbers_too_many(&told);
        if self.have_one_number(&numbers)? {
            base = self.best.clone();
            (instances, told) = self.ask(&base)?;
        }
        let allowed = |file| self.scope.allows(&base.file(file).path);
        let apart = instances.apart(&told, allowed);
        if let Some(apart) = apart
            && self.trial_that_changes_nothing(apart)?
        {
            base = self.best.clone();
            (instances, told) = self.ask(&base)?;
        }
        if told.is_empty() {
            return Ok(());
        }
        self.asked.extend(instances.origins());
        let Traced::Ran(ran) = self.traced(&base)? else {
            return Ok(());
        };
        let mut idle = self.definitions(&ran);
        idle.retain(|one| self.scope.allows_element(&base, &one.element));
        let mut of_all = instances.concrete(&told, Agreement::OfAll);
        let mut of_idle = instances.concrete(&told, Agreement::OfIdle);
        if of_idle.len() > of_all.len() && self.agree(&base, &mut of_idle, &idle)? {
            return Ok(());
        }
        self.agree(&base, &mut of_all, &idle).map(|_| ())
    }

    /// Has bounds say what is made of parameters that nothing can be put in the place of.
    fn say_what_projections_are(&mut self) -> Result<(), Stop> {
        let base = self.best.clone();
        let instances = Instances::of(&base, |item| self.projected.contains(&item));
        if !instances.speak_of_projections() {
            return Ok(());
        }
        self.projected.extend(instances.origins());
        let told = self.told(&base, &instances)?;
        let elements = instances.known_projections(&told);
        if !elements.is_empty() {
            self.solve_replacements(&elements)?;
        }
        Ok(())
    }

    /// What can be asked of `base` and was not before, and what its functions say.
    fn ask<'s>(&mut self, base: &'s Subject) -> Result<(Instances<'s>, Vec<(u32, String)>), Stop> {
        let instances = Instances::of(base, |item| self.asked.contains(&item));
        let told = self.told(base, &instances)?;
        Ok((instances, told))
    }

    /// Puts one type of numbers in the place of another, for the first of the `pairs` that can be; whether there is any.
    fn have_one_number(&mut self, pairs: &[(&'static str, &'static str)]) -> Result<bool, Stop> {
        for pair in pairs.iter().take(PAIRS) {
            let element = one_number_for_another(&self.best, *pair);
            if !self.scope.allows_element(&self.best, &element) {
                continue;
            }
            if self.trial_that_changes_nothing(self.best.without([&element]))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes as much of `concrete` of it as goes together: what stays generic and did not run may have to go, where it is for
    /// what is concrete now. Whether any of it is.
    fn agree(
        &mut self,
        base: &Subject,
        concrete: &mut [Concrete],
        idle: &[Definition],
    ) -> Result<bool, Stop> {
        let key = self.best.key();
        let mut sides = Sides {
            base,
            taken: (0..concrete.len()).collect(),
            concrete,
            idle,
            dropped: BTreeSet::new(),
            kept: BTreeSet::new(),
            less: BTreeSet::new(),
            back: BTreeSet::new(),
            dropped_now: BTreeSet::new(),
            settled: Vec::new(),
        };
        sides.taken.retain(|at| {
            self.scope
                .allows_element(base, &sides.concrete[*at].element)
        });
        for _ in 0..ROUNDS_TO_AGREE {
            if sides.taken.is_empty() {
                break;
            }
            for at in std::mem::take(&mut sides.less) {
                if let Some(less) = sides.concrete[at].instead.take() {
                    sides.concrete[at] = *less;
                }
            }
            let taken = sides.taken.iter().map(|at| &sides.concrete[*at].element);
            let dropped = sides.dropped.iter().map(|at| &idle[*at].element);
            let all: Vec<&Element> = taken.chain(dropped).collect();
            let candidate = base.without(all.iter().copied());
            let (interesting, mut errors) = self.trial_with_errors(candidate)?;
            if interesting {
                break;
            }
            if errors.is_empty() {
                // It compiles, and which of two functions of a name is called may be another one.
                let elements = all.into_iter().cloned().collect();
                self.list(elements, |_| Vec::new())?;
                break;
            }
            // A summary stands nowhere and says nothing.
            errors.retain(|error| !error.spans.is_empty());
            let edits = base.edits(all).into_iter().collect();
            if !sides.settle_all(&edits, &errors) {
                break;
            }
        }
        Ok(self.best.key() != key)
    }

    /// What functions of `base` say to as many questions as it compiles with.
    fn told(&mut self, base: &Subject, instances: &Instances) -> Result<Vec<(u32, String)>, Stop> {
        let mut questions = instances.questions();
        for _ in 0..ROUNDS {
            if questions.is_empty() {
                break;
            }
            self.may_go_on()?;
            let asking = instances.asking(&questions);
            let told = self.oracle.types(&asking.subject);
            match told.map_err(stop(&self.cancel))? {
                Traced::Ran(told) => return Ok(told),
                Traced::Nothing => break,
                Traced::Errors(errors) => {
                    let wrong = wrong(base, &asking, &errors);
                    if wrong.is_empty() {
                        break;
                    }
                    questions.retain(|question| !wrong.contains(question));
                }
            }
        }
        Ok(Vec::new())
    }
}

/// What is concrete, what goes for its sake, and what errors have to say about it.
struct Sides<'a> {
    base: &'a Subject,
    concrete: &'a mut [Concrete],
    idle: &'a [Definition],
    taken: BTreeSet<usize>,
    dropped: BTreeSet<usize>,
    /// Those of the idle that errors asked back.
    kept: BTreeSet<usize>,
    /// Those that give way to what is less concrete before the next attempt.
    less: BTreeSet<usize>,
    /// Those that errors of the same attempt made generic again.
    back: BTreeSet<usize>,
    /// Those of the idle that they made go.
    dropped_now: BTreeSet<usize>,
    /// Items and members that they were about.
    settled: Vec<(FileId, Range<usize>)>,
}

impl Sides<'_> {
    /// Does what `errors`, of the text after `edits`, ask for; whether that is anything.
    fn settle_all(&mut self, edits: &HashMap<FileId, Vec<Edit>>, errors: &[Diagnostic]) -> bool {
        self.back.clear();
        self.dropped_now.clear();
        self.settled.clear();
        let mut changed = false;
        for error in errors {
            changed |= self.settle(edits, error);
        }
        changed
    }

    /// The same for one of them.
    fn settle(&mut self, edits: &HashMap<FileId, Vec<Edit>>, error: &Diagnostic) -> bool {
        let words = Words::in_message(error);
        let missed = |at: &usize| {
            let one = &self.idle[*at];
            let named = one.names.iter().chain(&one.of_trait);
            let mut named = named.filter(|name| words.contains(*name));
            named.next().is_some()
        };
        let missed: Vec<usize> = self.dropped.iter().copied().filter(missed).collect();
        if !missed.is_empty() {
            self.dropped.retain(|at| !missed.contains(at));
            self.kept.extend(missed);
            return true;
        }
        let at = places(self.base, edits, error);
        // Where one type is wrong, others are wrong for its sake.
        let function = |kind| matches!(kind, Kind::Item(_) | Kind::Member(_));
        let around = enclosing(self.base, &at, function);
        let known = |place: &(FileId, Range<usize>)| self.settled.contains(place);
        if !around.is_empty() && around.iter().all(known) {
            return false;
        }
        self.settled.extend(around);
        let every = every_place(self.base, edits, error);
        let concerns = |number: &usize| {
            let one = &self.concrete[*number];
            let named = one.of_type.as_ref();
            named.is_some_and(|name| words.contains(name)) || is_in(&every, &one.item)
        };
        let gone = |number: &usize| {
            let one = &self.idle[*number];
            is_in(&at, &(one.file, one.range.clone()))
        };
        // What another error said may have settled this one, too.
        if self.back.iter().any(concerns) || self.dropped_now.iter().any(gone) {
            return false;
        }
        let taken = || self.taken.iter().copied();
        let idle = (0..self.idle.len()).find(|number| {
            let one = &self.idle[*number];
            let is_own = taken().any(|at| {
                let (file, range) = &self.concrete[at].item;
                (one.file, &one.range) == (*file, range)
            });
            let is_item = matches!(one.element.kind, Kind::Item(kind) if kind != ItemKind::Mod);
            is_item && !is_own && !self.kept.contains(number) && gone(number)
        });
        if let Some(idle) = idle {
            self.dropped.insert(idle);
            self.dropped_now.insert(idle);
            return true;
        }
        // A guess is the first to be wrong.
        let guessed: Vec<usize> = taken()
            .filter(|number| self.concrete[*number].guessed && concerns(number))
            .collect();
        if !guessed.is_empty() {
            return self.take_back(guessed);
        }
        let there = |places: &[(FileId, Range<usize>)]| -> Vec<usize> {
            let all = taken();
            all.filter(|number| is_in(places, &self.concrete[*number].item))
                .collect()
        };
        // What is called there comes before who calls it.
        let called = error
            .children
            .iter()
            .filter(|note| note.message.ends_with(DEFINED_HERE));
        let called = called.flat_map(|note| places(self.base, edits, note));
        let called: Vec<(FileId, Range<usize>)> = called.collect();
        // What has the bound that is not met is told by a note.
        let notes = error.children.iter();
        let notes = notes.flat_map(|note| every_place(self.base, edits, note));
        let notes: Vec<(FileId, Range<usize>)> = notes.collect();
        let mut blamed = there(&called);
        for places in [&at, &every, &notes] {
            if blamed.is_empty() {
                blamed = there(places);
            }
        }
        if blamed.is_empty() {
            blamed = taken().filter(concerns).collect();
        }
        self.take_back(blamed)
    }

    /// Has these be generic again, or less concrete if that is known how; whether there were any.
    fn take_back(&mut self, blamed: Vec<usize>) -> bool {
        let any = !blamed.is_empty();
        let (less, gone): (Vec<usize>, Vec<usize>) = blamed
            .iter()
            .partition(|at| self.concrete[**at].instead.is_some());
        self.less.extend(less);
        self.taken.retain(|at| !gone.contains(at));
        self.back.extend(blamed);
        any
    }
}

/// Whether one of `places` lies in an item.
fn is_in(places: &[(FileId, Range<usize>)], (file, item): &(FileId, Range<usize>)) -> bool {
    places
        .iter()
        .any(|(own, range)| own == file && item.start <= range.start && range.end <= item.end)
}

/// The questions that `errors` are about.
fn wrong(base: &Subject, asking: &Asking, errors: &[Diagnostic]) -> BTreeSet<usize> {
    let spans = errors.iter().flat_map(|error| &error.spans);
    let questions = spans.filter_map(|span| {
        let span = span.outermost();
        asking.question_at(base.find(&span.file)?, span.byte_start)
    });
    questions.collect()
}
