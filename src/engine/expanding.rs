//! Items that macros make stand for themselves: no pass sees into them before, and no error names a part of them.

use super::solve::at_fault;
use super::trial::stop;
use super::{Engine, Stop};
use crate::passes;
use crate::passes::expansions::{Expansions, calls_any, calls_any_within, expanded, is_within};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Origin};

/// The name of the pass.
pub(super) const NAME: &str = "expand-macros";

/// What macros made counts as standing from here on: no file is as long.
const BEHIND_ALL: u32 = 1 << 30;

/// Macros that others defined are called by others again, but not deeper than so.
const LEVELS: usize = 12;

/// Macros stay where more than so much is left without them, in per cent: what they made is searched from then on.
const WORTH_IT: usize = 102;

/// Attempts to compile what is expanded together.
const ROUNDS: usize = 5;

/// One call expands to no more than one part in so many of all that is there, or to so many tokens.
const SHARE: usize = 8;

/// Tokens that any call may expand to.
const FEW: usize = 1_000;

impl Engine<'_> {
    /// Expands what the subject's own macros stand for in the place of items; whether there was any.
    pub(super) fn expand_macros(&mut self) -> Result<bool, Stop> {
        if !self.wanted.takes(NAME) {
            return Ok(false);
        }
        let earlier = self.best.clone();
        let before = earlier.tokens();
        // What cannot be expanded, or is not worth it, is left alone until there is much less.
        if self.expanded_at.is_some_and(|then| before * 4 >= then * 3) {
            return Ok(false);
        }
        self.expanded_at = Some(before);
        // The time may be over while it is larger.
        let outcome = self.expand_and_sweep(&earlier);
        if self.best.key() != earlier.key() && !is_worth_it(&self.best, &earlier) {
            self.accept(earlier)?;
            return outcome.map(|_| false);
        }
        outcome
    }

    fn expand_and_sweep(&mut self, earlier: &Subject) -> Result<bool, Stop> {
        self.part(NAME, Self::expand_all)?;
        if self.best.key() == earlier.key() {
            return Ok(false);
        }
        // It is larger for now.
        self.milestones.push(earlier.clone());
        self.ask_for_everything_again();
        self.ask_lints()?;
        self.sweep()?;
        Ok(true)
    }

    /// Expands what the tests call of the subject's own macros, each for itself: what one call stands for may be many statements
    /// or many cases, and one is enough. Whether there was any.
    pub(super) fn expand_tests(&mut self) -> Result<bool, Stop> {
        let key = self.best.key();
        let places = passes::tests(&self.best, &self.protected);
        if self.wanted.takes(NAME) && calls_any_within(&self.best, &places) {
            self.part(NAME, |engine| engine.expand(true))?;
        }
        Ok(self.best.key() != key)
    }

    fn expand_all(&mut self) -> Result<(), Stop> {
        match calls_any(&self.best) {
            true => self.expand(false),
            false => Ok(()),
        }
    }

    /// Expands macros, or those alone that the tests call.
    fn expand(&mut self, in_tests: bool) -> Result<(), Stop> {
        self.may_go_on()?;
        let said = self.oracle.expansions(&self.best);
        let expansions = Expansions::of(&said.map_err(stop(&self.cancel))?);
        for _ in 0..LEVELS {
            if !self.expand_level(&expansions, in_tests)? {
                break;
            }
        }
        Ok(())
    }

    /// Expands the calls that are there, but not those in what they expand to; whether any is.
    fn expand_level(&mut self, expansions: &Expansions, in_tests: bool) -> Result<bool, Stop> {
        let base = self.best.clone();
        let tests = passes::tests(&base, &self.protected);
        let mut calls = expansions.calls(&base, FEW.max(base.tokens() / SHARE), &tests);
        calls.retain(|call| {
            if in_tests && !is_within(call.file, &call.range, &tests) {
                return false;
            }
            let edit = Edit::replace(call.file, call.range.clone(), call.text.as_str());
            let element = Element::new(&base, Kind::Item(ItemKind::MacroCall), vec![edit]);
            self.scope.allows_element(&base, &element)
        });
        for _ in 0..ROUNDS {
            if calls.is_empty() {
                break;
            }
            let chosen: Vec<_> = calls.iter().collect();
            let made = &mut self.made;
            let origin = |file: FileId, length: usize| {
                let offset = BEHIND_ALL + *made;
                *made += length as u32 + 1;
                Origin { file, offset }
            };
            let (candidate, places) = expanded(&base, &chosen, origin);
            if !self.still_parses(&candidate) {
                return Ok(false);
            }
            let (interesting, errors) = self.trial_with_errors(candidate.clone())?;
            if interesting {
                return Ok(true);
            }
            let wrong = at_fault(&candidate, &errors, &places);
            let before = calls.len();
            let mut numbers = 0..;
            calls.retain(|_| {
                numbers
                    .next()
                    .is_some_and(|number| !wrong.contains(&number))
            });
            if calls.len() == before {
                break;
            }
        }
        Ok(false)
    }
}

/// Whether macros had better be expanded as in `expanded` than stay as in `earlier`.
pub(super) fn is_worth_it(expanded: &Subject, earlier: &Subject) -> bool {
    expanded.tokens() * 100 <= earlier.tokens() * WORTH_IT
}
