//! Structs with one field become that field, `Option`s what they hold, and methods of one expression stand in the place of their
//! calls. What else that changes, the compiler says: what is left of the type has no such field, or no such method.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::memory::Contexts;
use super::solve::{every_place, touches};
use super::sweep::origin;
use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::certain::options::{Options, with_who_asks};
use crate::passes::methods::without_methods;
use crate::passes::small_functions::{SmallMethods, with_calls};
use crate::passes::{self, Complaint, Pass, function_around, unwrap};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, Origin};

/// Attempts to compile a subject after one such change.
const ROUNDS: usize = 10;

/// So many are asked for together before each is alone.
const MANY: usize = 4;

/// What an element comes to after complaints; `None` if that is not known.
type More = fn(&Subject, &Element, &[Complaint]) -> Option<Element>;

/// What became of elements that were asked for together.
enum Followed {
    Gone,
    /// They stay, for these by their numbers; none if it is not known for which.
    Blamed(BTreeSet<usize>),
}

impl Engine<'_> {
    /// Puts the only field of structs in their place, one after the other; whether there were any.
    pub(super) fn unwrap_newtypes(&mut self) -> Result<bool, Stop> {
        let structs = passes::newtypes();
        let alone = self.all_of(&structs, |engine| {
            engine.one_by_one(&structs, unwrap::with_fields)
        })?;
        Ok(alone | self.unwrap_with_methods(structs[0].name())?)
    }

    /// Makes the methods of structs with one field functions, where the type of the field cannot have them, and puts it in the
    /// place of the struct; whether there were any.
    fn unwrap_with_methods(&mut self, pass: &'static str) -> Result<bool, Stop> {
        if !self.wanted.takes(pass) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(pass, |engine| {
            let base = engine.best.clone();
            for name in unwrap::with_own_methods(&base) {
                let best = engine.best.clone();
                let Some(without) = without_methods(&best, name) else {
                    continue;
                };
                let contexts = Contexts::of(&best);
                if engine.refusals.stands(&best, &contexts, &without)
                    || !engine.is_allowed(&without)
                {
                    continue;
                }
                let functions = best.without([&without]);
                let element = match engine.still_parses(&functions) {
                    true => unwrap::newtype(&functions, name),
                    false => None,
                };
                let may_go = |one: &Element| engine.scope.allows_element(&functions, one);
                let gone = match element.filter(may_go) {
                    Some(element) => engine.following(&functions, element, unwrap::with_fields)?,
                    None => false,
                };
                if !gone {
                    engine.refusals.add_each(&best, vec![without]);
                }
            }
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// Puts what small methods do in the place of their calls, many together and then one after the other, where names do not say
    /// which these are; whether there were any. It fails `at` this place, if it is known.
    pub(super) fn inline_small_methods(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        let methods: [Box<dyn Pass>; 1] = [Box::new(SmallMethods { fails_at: at })];
        self.all_of(&methods, |engine| {
            engine.many_together(&methods, with_calls)?;
            engine.one_by_one(&methods, with_calls)
        })
    }

    /// Has `Option`s that always hold something be what they hold; whether there were any.
    pub(super) fn take_certain_options(&mut self) -> Result<bool, Stop> {
        let options: [Box<dyn Pass>; 1] = [Box::new(Options)];
        self.all_of(&options, |engine| {
            engine.one_by_one(&options, with_who_asks)
        })
    }

    /// Runs `work` as a pass if it is wanted; whether anything went.
    fn all_of(
        &mut self,
        passes: &[Box<dyn Pass>; 1],
        work: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let [pass] = passes;
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(pass.name(), work)?;
        Ok(self.best.key() != before)
    }

    /// Does what each element of a pass says, and what `more` says of that after complaints, until all that are left were refused.
    fn one_by_one(&mut self, passes: &[Box<dyn Pass>; 1], more: More) -> Result<(), Stop> {
        let mut refused: HashSet<Option<Origin>> = HashSet::new();
        loop {
            let base = self.best.clone();
            let mut open = self.open_elements(passes).into_iter();
            let Some(next) = open.find(|one| !refused.contains(&origin(&base, one))) else {
                break;
            };
            let at = origin(&base, &next);
            if !self.following(&base, next, more)? {
                refused.insert(at);
            }
        }
        let base = self.best.clone();
        let left = self.open_elements(passes);
        self.refusals.add_each(&base, left);
        Ok(())
    }

    /// Does what the elements of a pass say together, but for those that errors are about when there is no `more` to be said, as long
    /// as there are many.
    fn many_together(&mut self, passes: &[Box<dyn Pass>; 1], more: More) -> Result<(), Stop> {
        let mut group = self.open_elements(passes);
        for _ in 0..ROUNDS {
            if group.len() < MANY {
                break;
            }
            let base = self.best.clone();
            match self.following_all(&base, &group, more)? {
                Followed::Gone => group = self.open_elements(passes),
                Followed::Blamed(blamed) if blamed.is_empty() => break,
                Followed::Blamed(blamed) => {
                    let mut numbers = 0..;
                    group.retain(|_| numbers.next().is_some_and(|at| !blamed.contains(&at)));
                }
            }
        }
        Ok(())
    }

    /// Does to `base` what `first` says, and what `more` says of it after what the compiler complained of, as long as that is
    /// something else; whether it shows the failure, in no more words than the best.
    fn following(&mut self, base: &Subject, first: Element, more: More) -> Result<bool, Stop> {
        let followed = self.following_all(base, &[first], more)?;
        Ok(matches!(followed, Followed::Gone))
    }

    /// The same with all of `first` at once.
    fn following_all(
        &mut self,
        base: &Subject,
        first: &[Element],
        more: More,
    ) -> Result<Followed, Stop> {
        let most = self.best.tokens();
        let mut said: Vec<Complaint> = Vec::new();
        let mut elements = first.to_vec();
        for _ in 0..ROUNDS {
            let Some(element) = merged(&elements) else {
                break;
            };
            let candidate = base.without([&element]);
            if !self.still_parses(&candidate) || candidate.tokens() > most {
                break;
            }
            let (interesting, errors) = self.trial_with_errors(candidate)?;
            if interesting {
                return Ok(Followed::Gone);
            }
            let edits = base.edits([&element]).into_iter().collect();
            for complaint in errors
                .iter()
                .flat_map(|error| complaints(base, &edits, error))
            {
                if !said.contains(&complaint) {
                    said.push(complaint);
                }
            }
            let next = first.iter().map(|one| more(base, one, &said));
            let next: Vec<Option<Element>> = next.collect();
            let unknown = numbers(&next, |one| {
                let mut files = one.iter().flat_map(|one| &one.edits).map(|edit| edit.file);
                one.is_none() || files.any(|file| !self.scope.allows(&base.file(file).path))
            });
            if !unknown.is_empty() {
                return Ok(Followed::Blamed(unknown));
            }
            let next: Vec<Element> = next.into_iter().flatten().collect();
            let clashing = clashing(&next);
            if !clashing.is_empty() {
                return Ok(Followed::Blamed(clashing));
            }
            let is_same = |(next, last): (&Element, &Element)| next.edits == last.edits;
            if next.iter().zip(&elements).all(is_same) {
                let wrong = errors
                    .iter()
                    .flat_map(|error| every_place(base, &edits, error));
                let wrong: Vec<(FileId, Range<usize>)> = wrong.collect();
                return Ok(Followed::Blamed(at_fault(base, first, &next, &wrong)));
            }
            elements = next;
        }
        Ok(Followed::Blamed(BTreeSet::new()))
    }
}

/// The numbers of the elements that errors at the places `wrong` of `base` are about: those that are `first` of all there, or else
/// with all that they come to, or else that do something to the same function.
fn at_fault(
    base: &Subject,
    first: &[Element],
    all: &[Element],
    wrong: &[(FileId, Range<usize>)],
) -> BTreeSet<usize> {
    let around = |(file, range): &(FileId, Range<usize>)| function_around(base, *file, range);
    let functions: Vec<_> = wrong.iter().filter_map(around).collect();
    let found = [
        numbers(first, |one| touches(one, wrong)),
        numbers(all, |one| touches(one, wrong)),
        numbers(all, |one| touches(one, &functions)),
    ];
    let mut found = found.into_iter();
    found.find(|some| !some.is_empty()).unwrap_or_default()
}

/// All that `elements` do, each edit once.
fn merged(elements: &[Element]) -> Option<Element> {
    let (first, others) = elements.split_first()?;
    let mut all = first.clone();
    for edit in others.iter().flat_map(|one| &one.edits) {
        if !all.edits.contains(edit) {
            all.edits.push(edit.clone());
        }
    }
    Some(all)
}

/// The numbers of those of `elements` that put something else where one before them puts something.
fn clashing(elements: &[Element]) -> BTreeSet<usize> {
    let mut put: HashMap<(FileId, &Range<usize>), (usize, &str)> = HashMap::new();
    let mut found = BTreeSet::new();
    for (number, edit) in elements
        .iter()
        .enumerate()
        .flat_map(|(number, one)| one.edits.iter().map(move |edit| (number, edit)))
    {
        let (first, text) = *put
            .entry((edit.file, &edit.range))
            .or_insert((number, &edit.text));
        if first != number && text != edit.text {
            found.insert(number);
        }
    }
    found
}

/// The numbers of those of `all` that are so.
fn numbers<T>(all: &[T], is_so: impl Fn(&T) -> bool) -> BTreeSet<usize> {
    let all = all.iter().enumerate().filter(|(_, one)| is_so(one));
    all.map(|(number, _)| number).collect()
}

/// What an error, of `base` after `edits`, says of each place that it is about.
fn complaints(
    base: &Subject,
    edits: &HashMap<FileId, Vec<Edit>>,
    error: &Diagnostic,
) -> Vec<Complaint> {
    let Some(code) = error.code() else {
        return Vec::new();
    };
    let notes = error.children.iter();
    let about = notes.flat_map(|note| every_place(base, edits, note));
    let about: Vec<(FileId, Range<usize>)> = about.collect();
    // Where several arguments are wrong, each is told beside the call.
    let beside = error.spans.iter().any(|span| !span.is_primary);
    let by_argument = beside && error.message.starts_with("arguments to");
    let spans = error
        .spans
        .iter()
        .filter(|span| span.is_primary != by_argument);
    let found = spans.filter_map(|span| {
        let mut alone = error.clone();
        alone.spans = vec![span.clone()];
        let (file, range) = every_place(base, edits, &alone).into_iter().next()?;
        let label = span.label.as_deref().unwrap_or_default();
        Some(Complaint {
            code: code.to_string(),
            said: format!("{}: {label}", error.message),
            file,
            range,
            about: about.clone(),
        })
    });
    found.collect()
}
