//! Functions that are called once go, and what they do stands in the place of the call.

use std::collections::HashSet;
use std::ops::Range;

use super::solve::at_fault;
use super::{Engine, Stop};
use crate::passes::only_calls::{OnlyCall, in_place, only_calls};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, Kind};

/// The name of the pass.
pub(super) const NAME: &str = "inline-functions";

/// What is called in a function that is called once may be called once, too: so deep at most in one go.
const DEPTH: usize = 16;

/// Attempts to compile what stands in the place of its calls together.
const ROUNDS: usize = 5;

impl Engine<'_> {
    /// Puts what functions do that are called once in the place of that call; whether there was any.
    pub(super) fn inline_only_calls(&mut self) -> Result<bool, Stop> {
        if !self.wanted.takes(NAME) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(NAME, |engine| {
            let mut refused = HashSet::new();
            for _ in 0..DEPTH {
                if !engine.inline_those_apart(&mut refused)? {
                    break;
                }
            }
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// The same for those of which none stands in another, but for the `refused` by name; whether there was any.
    fn inline_those_apart(&mut self, refused: &mut HashSet<String>) -> Result<bool, Stop> {
        let base = self.best.clone();
        let mut calls = only_calls(
            &base,
            |name| refused.contains(name),
            |file, range| self.may_go(&base, file, range),
        );
        for _ in 0..ROUNDS {
            if calls.is_empty() {
                return Ok(false);
            }
            let chosen: Vec<&OnlyCall> = calls.iter().collect();
            let (candidate, places) = in_place(&base, &chosen);
            let (interesting, errors) = self.trial_with_errors(candidate.clone())?;
            if interesting {
                return Ok(true);
            }
            let wrong = at_fault(&candidate, &errors, &places);
            let before = calls.len();
            refused.extend(wrong.iter().map(|at| calls[*at].name.clone()));
            calls.retain(|one| !refused.contains(&one.name));
            if calls.len() == before {
                break;
            }
        }
        // No error says which.
        let mut any = false;
        for one in &calls {
            refused.insert(one.name.clone());
            let best = &self.best;
            let now = only_calls(
                best,
                |name| name != one.name,
                |file, range| self.may_go(best, file, range),
            );
            if let Some(one) = now.first() {
                let (candidate, _) = in_place(&self.best, &[one]);
                any |= self.trial(candidate)?;
            }
        }
        Ok(any)
    }

    /// Whether nothing there has to stay as it is.
    fn may_go(&self, subject: &Subject, file: FileId, range: Range<usize>) -> bool {
        let element = Element::new(subject, Kind::Body, vec![Edit::delete(file, range)]);
        self.scope.allows_element(subject, &element)
    }
}
