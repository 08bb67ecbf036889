//! Structs with one field become that field. Where that is named, the compiler says: what is left of the type has no such field.

use super::solve::places;
use super::{Engine, Stop};
use crate::build::Diagnostic;
use crate::passes::{self, unwrap};
use crate::subject::Element;
use crate::syntax::{Edit, FileId};

/// Attempts to compile a subject without a struct.
const ROUNDS: usize = 4;

/// The codes of errors about a field that a type does not have, or that nothing of its kind has.
const NO_SUCH_FIELD: [&str; 2] = ["E0609", "E0610"];

impl Engine<'_> {
    /// Puts the only field of structs in their place, one after the other; whether there were any.
    pub(super) fn unwrap_newtypes(&mut self) -> Result<bool, Stop> {
        let structs = passes::newtypes();
        let [pass] = &structs;
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(pass.name(), |engine| {
            let mut refused = 0;
            while let Some(next) = engine.open_elements(&structs).into_iter().nth(refused) {
                refused += usize::from(!engine.unwrap_one(next)?);
            }
            let base = engine.best.clone();
            let left = engine.open_elements(&structs);
            engine.refusals.add_each(&base, left);
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// Does what `element` says, and takes away the fields that errors speak of; whether that shows the failure.
    fn unwrap_one(&mut self, mut element: Element) -> Result<bool, Stop> {
        let base = self.best.clone();
        for _ in 0..ROUNDS {
            let (interesting, errors) = self.trial_with_errors(base.without([&element]))?;
            if interesting {
                return Ok(true);
            }
            let edits = base.edits([&element]).into_iter().collect();
            let missing = |error: &&Diagnostic| {
                let code = error.code();
                code.is_some_and(|code| NO_SUCH_FIELD.contains(&code))
            };
            let missing = errors.iter().filter(missing);
            let named = missing.flat_map(|error| places(&base, &edits, error));
            let named: Vec<(FileId, usize)> =
                named.map(|(file, range)| (file, range.start)).collect();
            let mut more = unwrap::fields(&base, &named);
            more.retain(|edit| !element.edits.contains(edit));
            if more.is_empty() {
                return Ok(false);
            }
            let edits: Vec<Edit> = element.edits.into_iter().chain(more).collect();
            element = Element::new(&base, element.kind, edits);
        }
        Ok(false)
    }
}
