//! The screen: candidates that the compiler would refuse for what names alone show are not run. Which
//! complaints mean a refusal is learned in the run: a crash may come before the error, or with it.

mod complaints;
mod facts;

use std::collections::{BTreeSet, HashMap};

pub use complaints::Class;
use complaints::Complaints;
use facts::LocalNames;

use crate::subject::Subject;

/// Refusals that a class of complaints needs, with no success against it, to be trusted.
const CONFIRMATIONS: u32 = 3;

/// How many refusals there have to be for each success against a class: macros and other crates make names that nobody sees.
const REFUSALS_FOR_A_SUCCESS: u32 = 24;

/// One in so many candidates that a trusted class would refuse is run all the same: what confirmed
/// the class may have been refused for another reason.
const PROBE: u32 = 16;

/// Above this many tokens looking costs more than it saves.
const TOO_LARGE: usize = 60_000;

/// What is known of the best subject, and how far each class of complaints can be trusted.
#[derive(Debug, Default)]
pub struct Screen {
    best: Option<(blake3::Hash, Complaints)>,
    trust: HashMap<Class, Trust>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Trust {
    refused: u32,
    passed_over: u32,
    interesting: u32,
}

impl Trust {
    fn refuses(&self) -> bool {
        self.refused >= CONFIRMATIONS && self.refused >= self.interesting * REFUSALS_FOR_A_SUCCESS
    }
}

impl Screen {
    /// The classes of the complaints about `candidate` that `best` does not give cause for.
    pub fn look(&mut self, best: &Subject, candidate: &Subject) -> BTreeSet<Class> {
        if best.tokens() > TOO_LARGE {
            return BTreeSet::new();
        }
        let key = best.key();
        if self.best.as_ref().is_none_or(|(known, _)| *known != key) {
            let local = Complaints::of(best, &LocalNames::default());
            // What it is wrongly accused of itself says nothing about candidates.
            self.best = Some((key, Complaints::of(best, local.local_names())));
        }
        let Some((_, before)) = &self.best else {
            return BTreeSet::new();
        };
        let now = Complaints::of(candidate, before.local_names());
        now.beyond(before)
    }

    /// Whether a candidate need not be run, since one of `classes` is known to mean a refusal.
    pub fn refuses(&mut self, classes: &BTreeSet<Class>) -> bool {
        let mut refuses = false;
        for class in classes {
            if let Some(trust) = self.trust.get_mut(class)
                && trust.refuses()
            {
                trust.passed_over += 1;
                refuses |= !trust.passed_over.is_multiple_of(PROBE);
            }
        }
        refuses
    }

    /// Whether one of `classes` is known to mean a refusal.
    pub fn distrusts(&self, classes: &BTreeSet<Class>) -> bool {
        classes
            .iter()
            .any(|class| self.trust.get(class).is_some_and(|trust| trust.refuses()))
    }

    /// Takes note of the verdict on a candidate about which there were complaints of `classes`.
    pub fn learn(&mut self, classes: &BTreeSet<Class>, interesting: bool) {
        for class in classes {
            let trust = self.trust.entry(*class).or_default();
            trust.interesting += u32::from(interesting);
            // With several complaints it is not known which of them was the reason.
            trust.refused += u32::from(!interesting && classes.len() == 1);
        }
    }
}

#[cfg(test)]
mod tests;
