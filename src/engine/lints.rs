//! Lints of the compiler: what it says that nothing needs goes, and what only that needed after it.

use std::collections::BTreeSet;

use super::schedule::MUCH;
use super::solve::Solved;
use super::sweep::{WORTH_ANOTHER, origin};
use super::trial::stop;
use super::{Engine, Stop, UNUSED, varying};
use crate::build::Diagnostic;
use crate::passes::{self, Unused};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Kind, Origin};

/// Up to so many tokens the compiler's lints are asked: more of what nothing needs goes by names alone, far cheaper.
const LINTED: usize = 20_000;

/// While there is much, and other passes still take more, lints are not followed any further when they took less than one token
/// in so many.
const LITTLE: usize = 200;

/// So many times lints are asked again before what they name is put to the oracle.
const MOST_STEPS: usize = 16;

impl Engine<'_> {
    /// Asks the compiler's lints for what nothing needs, if that is wanted and there is not too much left to be asked about.
    pub(super) fn drop_unused(&mut self) -> Result<(), Stop> {
        match self.best.tokens() <= LINTED {
            true => self.ask_lints(),
            false => Ok(()),
        }
    }

    /// Asks them however much is left, if that is wanted.
    pub(super) fn ask_lints(&mut self) -> Result<(), Stop> {
        match self.wanted.takes(UNUSED) {
            true => self.part(UNUSED, Self::drop_what_lints_name),
            false => Ok(()),
        }
    }

    /// What the compiler says that nothing needs goes, and what only that needed after it.
    fn drop_what_lints_name(&mut self) -> Result<(), Stop> {
        let mut before = self.best.tokens();
        if self
            .named_at
            .is_none_or(|then| before * 100 <= then * WORTH_ANOTHER)
        {
            self.named_in_vain.clear();
            self.named_at = Some(before);
        }
        let mut known = None;
        loop {
            let tokens = self.best.tokens();
            let said = match known.take() {
                Some(said) => said,
                None => self.lints_of(&self.best.clone())?,
            };
            // What is only declared first: then more of the rest may go.
            let lists = self.named_by(&said, &self.best);
            let Some(list) = lists.into_iter().find(|list| !list.is_empty()) else {
                let after = self.best.tokens();
                if after * 100 > before * WORTH_ANOTHER {
                    return Ok(());
                }
                // Much of what came back was for the sake of what has gone since.
                before = after;
                self.named_in_vain.clear();
                continue;
            };
            let origins: Vec<Option<Origin>> =
                list.iter().map(|one| origin(&self.best, one)).collect();
            let origins_of = |all: BTreeSet<usize>| -> BTreeSet<Origin> {
                all.into_iter().filter_map(|at| origins[at]).collect()
            };
            self.named_in_vain.extend(origins.iter().flatten());
            // What the compiler wants back is needed; of what it does without, something may matter when it runs.
            match self.solved_replacements(&list)? {
                Solved::Yes { guessed, .. } => {
                    let guessed = origins_of(guessed);
                    self.named_in_vain.retain(|one| !guessed.contains(one));
                    known = self.follow_lints()?;
                }
                Solved::No => {}
                Solved::CompilesWithout(gone) => {
                    let all: Elements = gone.iter().map(|at| list[*at].clone()).collect();
                    let is_inside =
                        |one: &Element| matches!(one.kind, Kind::Stmt(_) | Kind::Pat(_));
                    let in_bodies = self.wanted.takes(varying::NAME);
                    let in_bodies = in_bodies && all.iter().all(is_inside);
                    let refused = match in_bodies && self.try_alone(all)? {
                        true => gone,
                        false => self.solve_by_halves(&list, gone)?,
                    };
                    self.named_and_run.extend(origins_of(refused));
                }
            }
            let after = self.best.tokens();
            if !self.proves && after > MUCH && tokens.saturating_sub(after) * LITTLE < tokens {
                return Ok(());
            }
        }
    }

    /// Lets go of what the lints name once that is gone which they named before, and so on, in one trial: what is only declared makes
    /// no difference to what runs. What they say of the best then, as far as that is known.
    fn follow_lints(&mut self) -> Result<Option<Vec<Diagnostic>>, Stop> {
        let mut steps = vec![self.best.clone()];
        let (said, ended) = loop {
            let last = &steps[steps.len() - 1];
            let said = self.lints_of(&last.clone())?;
            let [declared, _] = self.named_by(&said, last);
            let allowed = |one: &Element| self.scope.allows_element(last, one);
            let declared: Elements = declared.into_iter().filter(allowed).collect();
            if declared.is_empty() || steps.len() > MOST_STEPS {
                break (said, declared.is_empty());
            }
            steps.push(last.without(&declared));
        };
        let all = steps.len() - 1;
        let mut taken = all;
        while taken > 0 && !self.trial(steps[taken].clone())? {
            taken /= 2;
        }
        Ok((ended && taken == all).then_some(said))
    }

    fn lints_of(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Stop> {
        self.may_go_on()?;
        self.oracle.unused(subject).map_err(stop(&self.cancel))
    }

    /// What lints have `said` of `subject` that nothing needs and that was not asked for so far: what is only declared, and
    /// statements.
    fn named_by(&self, said: &[Diagnostic], subject: &Subject) -> [Elements; 2] {
        let places: Vec<Unused> = said
            .iter()
            .flat_map(|found| places(subject, found))
            .collect();
        let new = |element: &Element| {
            let known = [&self.named_in_vain, &self.named_and_run];
            origin(subject, element)
                .is_some_and(|origin| !known.iter().any(|known| known.contains(&origin)))
        };
        passes::unused(subject, &places).map(|list| list.into_iter().filter(new).collect())
    }
}

/// The places that a lint names in `subject`, of which it was said; none that a macro made.
fn places<'l>(subject: &Subject, said: &'l Diagnostic) -> Vec<Unused<'l>> {
    let Some(lint) = said.code() else {
        return Vec::new();
    };
    let spans = said.primary_spans().filter(|span| span.expansion.is_none());
    let places = spans.filter_map(|span| {
        Some(Unused {
            lint,
            file: subject.find(&span.file)?,
            range: span.byte_start..span.byte_end,
        })
    });
    places.collect()
}
