//! What is always there is not asked for: functions whose `Result` is never an error give back what is in it.

use std::collections::{BTreeSet, HashMap};

use super::solve::{Words, every_place, places};
use super::sweep::is_much_less;
use super::{Engine, Stop};
use crate::passes::certain::{asking, bare, certain, concerned, unwrapped};
use crate::subject::Subject;
use crate::syntax::{Edit, FileId};

/// The name of the pass.
pub(super) const NAME: &str = "certain-values";

/// Attempts to find the functions that can give back values together.
const ROUNDS: usize = 12;

impl Engine<'_> {
    /// Has functions that come to an end with `Ok(…)` or `Some(…)` alone give back what is in it; whether any does.
    pub(super) fn take_certain_values(&mut self) -> Result<bool, Stop> {
        if !self.wanted.takes(NAME) {
            return Ok(false);
        }
        let tokens = self.best.tokens();
        if self
            .certain_at
            .is_none_or(|then| is_much_less(tokens, then))
        {
            // Much that stood in the way may have gone.
            self.uncertain.clear();
            self.certain_at = Some(tokens);
        }
        let earlier = self.best.clone();
        self.part(NAME, Self::put_values_for_results)?;
        if self.best.key() == earlier.key() {
            return Ok(false);
        }
        self.milestones.push(earlier);
        // The types of errors are of no use any more.
        self.ask_for_everything_again();
        self.ask_lints()?;
        Ok(true)
    }

    fn put_values_for_results(&mut self) -> Result<(), Stop> {
        let base = self.best.clone();
        for _ in 0..ROUNDS {
            let names = self.certain_in_scope(&base);
            let Some(element) = unwrapped(&base, &names).filter(|element| element.saves > 0) else {
                return Ok(());
            };
            let candidate = base.without([&element]);
            if !self.still_parses(&candidate) {
                return Ok(());
            }
            let (interesting, errors) = self.trial_with_errors(candidate)?;
            if interesting {
                return Ok(());
            }
            let edits: HashMap<FileId, Vec<Edit>> = base.edits([&element]).into_iter().collect();
            let mut blamed = BTreeSet::new();
            for error in &errors {
                let about = |found: Vec<(FileId, std::ops::Range<usize>)>| {
                    let all = found.into_iter();
                    all.flat_map(|(file, range)| concerned(&base, &names, file, &range))
                        .collect::<BTreeSet<String>>()
                };
                let mut found = about(places(&base, &edits, error));
                if found.is_empty() {
                    found = about(every_place(&base, &edits, error));
                }
                if found.is_empty() {
                    let words = Words::in_message(error);
                    let named = names.iter().filter(|name| words.contains(bare(name)));
                    found = named.cloned().collect();
                }
                blamed.extend(found);
            }
            if blamed.is_empty() && errors.iter().all(|error| error.spans.is_empty()) {
                // It compiles: somebody who was asked did not have a value.
                blamed = asking(&base, &names);
            }
            if blamed.is_empty() {
                self.uncertain.extend(names);
                return Ok(());
            }
            self.uncertain.extend(blamed);
        }
        Ok(())
    }

    /// The names of the functions of `base` that can give back values without a change to what has to stay. Who hands on what one
    /// of the others gives back is one of the others.
    fn certain_in_scope(&self, base: &Subject) -> BTreeSet<String> {
        let mut refused = BTreeSet::new();
        loop {
            let stays = |name: &str| self.uncertain.contains(name) || refused.contains(name);
            let mut names = certain(base, &self.protected, stays);
            let allowed = |names: &BTreeSet<String>| {
                let element = unwrapped(base, names);
                element.is_none_or(|element| self.scope.allows_element(base, &element))
            };
            let alone = |name: &&String| !allowed(&BTreeSet::from([(*name).clone()]));
            let known = refused.len();
            refused.extend(names.iter().filter(alone).cloned());
            if refused.len() > known {
                continue;
            }
            if !allowed(&names) {
                // What only two of them change together is left to the first.
                let mut together = BTreeSet::new();
                for name in std::mem::take(&mut names) {
                    together.insert(name.clone());
                    if !allowed(&together) {
                        together.remove(&name);
                        refused.insert(name);
                    }
                }
                continue;
            }
            return names;
        }
    }
}
