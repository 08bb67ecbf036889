//! Structs with one field become that field, and methods of one expression stand in the place of their calls. Where these are, the
//! compiler says: what is left of the type has no such field, or no such method.

use std::collections::BTreeMap;
use std::ops::Range;

use super::solve::places;
use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::small_functions::{SmallMethods, with_calls};
use crate::passes::{self, Pass, unwrap};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, Origin};

/// Attempts to compile a subject without a struct, or without a method.
const ROUNDS: usize = 4;

/// The codes of errors about a field that a type does not have, or that nothing of its kind has.
const NO_SUCH_FIELD: [&str; 2] = ["E0609", "E0610"];

/// The code of errors about a method that a type does not have.
const NO_SUCH_METHOD: [&str; 1] = ["E0599"];

impl Engine<'_> {
    /// Puts the only field of structs in their place, one after the other; whether there were any.
    pub(super) fn unwrap_newtypes(&mut self) -> Result<bool, Stop> {
        let structs = passes::newtypes();
        self.one_by_one(&structs, Self::unwrap_one)
    }

    /// Does what `element` says, and takes away the fields that errors speak of; whether that shows the failure.
    fn unwrap_one(&mut self, element: Element) -> Result<bool, Stop> {
        self.following(element, &NO_SUCH_FIELD, |base, element, named| {
            let more = unwrap::fields(base, named);
            let more = more
                .into_iter()
                .filter(|edit| !element.edits.contains(edit));
            let edits: Vec<Edit> = element.edits.iter().cloned().chain(more).collect();
            Some(Element::new(base, element.kind, edits))
        })
    }

    /// Puts what small methods do in the place of their calls, one after the other, where names do not say which these are; whether
    /// there were any. It fails `at` this place, if it is known.
    pub(super) fn inline_small_methods(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        let methods: [Box<dyn Pass>; 1] = [Box::new(SmallMethods { fails_at: at })];
        self.one_by_one(&methods, |engine, element| {
            engine.following(element, &NO_SUCH_METHOD, with_calls)
        })
    }

    /// Does with each element of a pass what `attempt` does, until all that are left were refused; whether any went.
    fn one_by_one(
        &mut self,
        passes: &[Box<dyn Pass>; 1],
        mut attempt: impl FnMut(&mut Self, Element) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        let [pass] = passes;
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(pass.name(), |engine| {
            let mut refused = 0;
            while let Some(next) = engine.open_elements(passes).into_iter().nth(refused) {
                refused += usize::from(!attempt(engine, next)?);
            }
            let base = engine.best.clone();
            let left = engine.open_elements(passes);
            engine.refusals.add_each(&base, left);
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// Does what `element` says, and `more` for the places at which errors of these `codes` stand then, and what they say, as long as
    /// that is something else; whether it shows the failure.
    fn following(
        &mut self,
        first: Element,
        codes: &[&str],
        more: impl Fn(&Subject, &Element, &BTreeMap<(FileId, usize), String>) -> Option<Element>,
    ) -> Result<bool, Stop> {
        let base = self.best.clone();
        let mut named: BTreeMap<(FileId, usize), String> = BTreeMap::new();
        let mut element = first.clone();
        for _ in 0..ROUNDS {
            let (interesting, errors) = self.trial_with_errors(base.without([&element]))?;
            if interesting {
                return Ok(true);
            }
            let edits = base.edits([&element]).into_iter().collect();
            let of_code = |error: &&Diagnostic| {
                let code = error.code();
                code.is_some_and(|code| codes.contains(&code))
            };
            for error in errors.iter().filter(of_code) {
                let at = places(&base, &edits, error).into_iter();
                let said = |(file, range): (FileId, Range<usize>)| {
                    ((file, range.start), error.message.clone())
                };
                named.extend(at.map(said));
            }
            match more(&base, &first, &named) {
                Some(next) if next.edits != element.edits => element = next,
                _ => return Ok(false),
            }
        }
        Ok(false)
    }
}
