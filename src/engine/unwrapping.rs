//! Structs with one field become that field, `Option`s what they hold, and methods of one expression stand in the place of their
//! calls. What else that changes, the compiler says: what is left of the type has no such field, or no such method.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::memory::Contexts;
use super::solve::every_place;
use super::sweep::origin;
use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::certain::options::{Options, with_who_asks};
use crate::passes::methods::without_methods;
use crate::passes::small_functions::{SmallMethods, with_calls};
use crate::passes::{self, Complaint, Pass, unwrap};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, Origin};

/// Attempts to compile a subject after one such change.
const ROUNDS: usize = 10;

impl Engine<'_> {
    /// Puts the only field of structs in their place, one after the other; whether there were any.
    pub(super) fn unwrap_newtypes(&mut self) -> Result<bool, Stop> {
        let structs = passes::newtypes();
        let alone = self.one_by_one(&structs, unwrap::with_fields)?;
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

    /// Puts what small methods do in the place of their calls, one after the other, where names do not say which these are; whether
    /// there were any. It fails `at` this place, if it is known.
    pub(super) fn inline_small_methods(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        let methods: [Box<dyn Pass>; 1] = [Box::new(SmallMethods { fails_at: at })];
        self.one_by_one(&methods, with_calls)
    }

    /// Has `Option`s that always hold something be what they hold; whether there were any.
    pub(super) fn take_certain_options(&mut self) -> Result<bool, Stop> {
        let options: [Box<dyn Pass>; 1] = [Box::new(Options)];
        self.one_by_one(&options, with_who_asks)
    }

    /// Does what each element of a pass says, and what `more` says of that after complaints, until all that are left were refused;
    /// whether any went.
    fn one_by_one(
        &mut self,
        passes: &[Box<dyn Pass>; 1],
        more: fn(&Subject, &Element, &[Complaint]) -> Option<Element>,
    ) -> Result<bool, Stop> {
        let [pass] = passes;
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(pass.name(), |engine| {
            let mut refused: HashSet<Option<Origin>> = HashSet::new();
            loop {
                let base = engine.best.clone();
                let mut open = engine.open_elements(passes).into_iter();
                let Some(next) = open.find(|one| !refused.contains(&origin(&base, one))) else {
                    break;
                };
                let at = origin(&base, &next);
                if !engine.following(&base, next, more)? {
                    refused.insert(at);
                }
            }
            let base = engine.best.clone();
            let left = engine.open_elements(passes);
            engine.refusals.add_each(&base, left);
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// Does to `base` what `first` says, and what `more` says of it after what the compiler complained of, as long as that is
    /// something else; whether it shows the failure, in no more words than the best.
    fn following(
        &mut self,
        base: &Subject,
        first: Element,
        more: fn(&Subject, &Element, &[Complaint]) -> Option<Element>,
    ) -> Result<bool, Stop> {
        let most = self.best.tokens();
        let mut said: Vec<Complaint> = Vec::new();
        let mut element = first.clone();
        for _ in 0..ROUNDS {
            let candidate = base.without([&element]);
            if !self.still_parses(&candidate) || candidate.tokens() > most {
                return Ok(false);
            }
            let (interesting, errors) = self.trial_with_errors(candidate)?;
            if interesting {
                return Ok(true);
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
            match more(base, &first, &said) {
                Some(next) if next.edits != element.edits => element = next,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }
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
