//! One file of it all: modules, libraries and members of the workspace go into the file of the target that fails.

use super::schedule::MUCH;
use super::{Engine, Stop};
use crate::passes::one_module::{self, Depth};
use crate::subject::Subject;

/// Up to so many tokens a subject goes into one file: what was public is not there, and lints see what nothing needs.
const SMALL_SUBJECT: usize = 60_000;

impl Engine<'_> {
    /// Puts a small subject into one file, and asks lints about what was public; whether that changed it.
    pub(super) fn flatten(&mut self) -> Result<bool, Stop> {
        let changed = self.put_into_one_file()?;
        if std::mem::take(&mut self.was_public) {
            if self.best.tokens() > MUCH {
                self.ask_for_everything_again();
            }
            self.ask_lints()?;
        }
        Ok(changed)
    }

    /// Puts a small subject into one file; whether that changed it.
    pub(super) fn put_into_one_file(&mut self) -> Result<bool, Stop> {
        if self.best.tokens() > SMALL_SUBJECT {
            return Ok(false);
        }
        let inlined = self.inline_files(SMALL_SUBJECT)?;
        let mut joined = self.join_crates()?;
        joined |= self.give_modules_up()?;
        self.was_public |= joined;
        Ok(joined || inlined)
    }

    /// Puts the files of small modules in the place of their `mod` items, where flattening then takes
    /// the module away, and what is included in the place of the call; whether there was any.
    pub(super) fn inline_files(&mut self, largest: usize) -> Result<bool, Stop> {
        if !self.flatten {
            return Ok(false);
        }
        let mut together = true;
        self.put_together("inline-files", |engine| {
            let next = |subject: &Subject| {
                let inlined = subject.with_file_inlined(largest);
                inlined.or_else(|| subject.with_inclusion_inlined(largest))
            };
            let one = next(&engine.best);
            let all = std::iter::successors(one.clone(), next).last();
            // One that may not be inlined stands in the way of all.
            let all = all.filter(|_| std::mem::replace(&mut together, false));
            all.into_iter().chain(one).collect()
        })
    }

    /// Puts the libraries into the crate that shows the failure; whether any went.
    pub(super) fn join_crates(&mut self) -> Result<bool, Stop> {
        let joints = self.joints.clone();
        self.put_together("join-crates", |engine| {
            let joined = joints
                .iter()
                .filter_map(|joint| engine.best.with_crate_joined(joint));
            joined.collect()
        })
    }

    /// Puts the items of all modules into the one that the test stands in, or else into the outermost; whether any went.
    fn give_modules_up(&mut self) -> Result<bool, Stop> {
        if !self.flatten {
            return Ok(false);
        }
        self.put_together(one_module::NAME, |engine| {
            let depths = [Depth::All, Depth::Inner].into_iter();
            let elements = depths
                .filter_map(|depth| one_module::one_module(&engine.best, &engine.protected, depth));
            let candidates = elements.map(|element| engine.best.without([&element]));
            candidates.collect()
        })
    }

    /// Takes the first interesting one of the candidates that `next` makes of the best, as long as there is one;
    /// whether there was any.
    fn put_together(
        &mut self,
        name: &'static str,
        mut next: impl FnMut(&Self) -> Vec<Subject>,
    ) -> Result<bool, Stop> {
        if !self.wanted.takes(name) {
            return Ok(false);
        }
        let (before, counts) = (self.best.tokens(), self.begin(name));
        let earlier = self.best.clone();
        let mut changed = false;
        let outcome = 'all: loop {
            for candidate in next(self) {
                let allowed = candidate
                    .changed(&self.best)
                    .all(|id| self.scope.allows(&self.best.file(id).path));
                match if allowed {
                    self.trial_that_changes_nothing(candidate)
                } else {
                    Ok(false)
                } {
                    Ok(true) => {
                        changed = true;
                        continue 'all;
                    }
                    Ok(false) => {}
                    Err(stop) => break 'all Err(stop),
                }
            }
            break Ok(changed);
        };
        if changed {
            // What it was before is there for the final judgement to step back to.
            self.milestones.push(earlier);
        }
        self.finish_pass(before, &counts);
        outcome
    }
}
