//! Functions that are called once go, and what they do stands in the place of the call.

use std::collections::HashSet;

use super::solve::at_fault;
use super::{Engine, Stop};
use crate::passes::SmallFunctions;
use crate::passes::only_calls::{Limits, OnlyCall, in_place, only_calls};
use crate::subject::{Element, File, Subject};
use crate::syntax::{Edit, FileId, Kind, Origin, Tree};

/// The name of the pass.
pub(super) const NAME: &str = "inline-functions";

/// What is called in a function that is called once may be called once, too: so deep at most in one go.
const DEPTH: usize = 16;

/// Attempts to compile what stands in the place of its calls together.
const ROUNDS: usize = 5;

impl Engine<'_> {
    /// Puts what functions do that are called once in the place of that call; whether there was any. It fails `at` this place,
    /// if it is known.
    pub(super) fn inline_only_calls(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        if !self.wanted.takes(NAME) {
            return Ok(false);
        }
        let before = self.best.key();
        self.part(NAME, |engine| {
            let mut refused = HashSet::new();
            for _ in 0..DEPTH {
                if !engine.inline_those_apart(&mut refused, at)? {
                    break;
                }
            }
            Ok(())
        })?;
        Ok(self.best.key() != before)
    }

    /// Puts what functions of one expression do in the place of all their calls; whether there were any. It fails `at` this place,
    /// if it is known.
    pub(super) fn inline_small_functions(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        let before = self.best.key();
        let small = SmallFunctions { fails_at: at };
        self.take_all_of(&[Box::new(small.clone())])?;
        self.pass(&small)?;
        Ok(self.best.key() != before)
    }

    /// Does so with those functions called once of which none stands in another, but for the `refused` by name; whether there was any.
    fn inline_those_apart(
        &mut self,
        refused: &mut HashSet<String>,
        at: Option<Origin>,
    ) -> Result<bool, Stop> {
        let base = self.best.clone();
        let mut calls = self.only_calls(&base, at, &|name| refused.contains(name));
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
        let names: Vec<String> = calls.into_iter().map(|one| one.name).collect();
        refused.extend(names.iter().cloned());
        let mut any = false;
        let mut parts = vec![&names[..]];
        while let Some(part) = parts.pop() {
            let now = self.only_calls(&self.best, at, &|name| !part.iter().any(|own| own == name));
            let chosen: Vec<&OnlyCall> = now.iter().collect();
            if chosen.is_empty() {
                continue;
            }
            let (candidate, _) = in_place(&self.best, &chosen);
            if self.trial(candidate)? {
                any = true;
            } else if part.len() > 1 {
                let (first, second) = part.split_at(part.len() / 2);
                parts.extend([second, first]);
            }
        }
        Ok(any)
    }

    /// The functions of `subject` that are called once, but for those that are `left`, for what has to stay as it is, and for
    /// who calls what fails.
    fn only_calls(
        &self,
        subject: &Subject,
        at: Option<Origin>,
        left: &dyn Fn(&str) -> bool,
    ) -> Vec<OnlyCall> {
        let place = |(file, version, _): (FileId, &File, &Tree)| {
            let offset = version.text()?.find(at?)?;
            Some((file, offset))
        };
        let limits = Limits {
            left,
            may_go: &|file, range| {
                let element = Element::new(subject, Kind::Body, vec![Edit::delete(file, range)]);
                self.scope.allows_element(subject, &element)
            },
            fails_at: subject.sources().find_map(place),
        };
        only_calls(subject, &limits)
    }
}
