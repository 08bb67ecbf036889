//! What is always there is not asked for: functions whose `Result` is never an error give back what is in it.

use std::collections::{BTreeSet, HashMap};

use super::solve::{Words, every_place, places};
use super::sweep::is_much_less;
use super::{Engine, Stop};
use crate::passes::certain::{asking, bare, certain, concerned, unwrapped};
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
            let mut names = certain(&base, &self.protected, |name| self.uncertain.contains(name));
            names.retain(|name| {
                let alone = unwrapped(&base, &BTreeSet::from([name.clone()]));
                alone.is_none_or(|one| self.scope.allows_element(&base, &one))
            });
            let Some(element) = unwrapped(&base, &names) else {
                return Ok(());
            };
            let candidate = base.without([&element]);
            if !self.scope.allows_element(&base, &element) || !self.still_parses(&candidate) {
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
}
