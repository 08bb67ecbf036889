//! No slow drift: what was taken for interesting by a few runs has to prove so in fresh ones, or the search steps back. Knows
//! neither runs nor rates.

use super::trial::stop;
use super::{Engine, Stop};
use crate::property::{Judged, Stage, Verdict};
use crate::report::Event;
use crate::subject::{Element, Subject};

/// After so many steps it is looked at what the best evaluates, if that says why it fails.
const LOOKED_AT_AFTER: usize = 32;

impl Engine<'_> {
    /// Has the best confirmed if it is not the one confirmed last. If it is not confirmed, the latest of those before it that
    /// is becomes the best again, by halving; whether that happened.
    pub(super) fn reconfirm(&mut self) -> Result<bool, Stop> {
        let (steps, knows) = (self.since.len(), !self.decisive.is_empty());
        if knows && steps >= LOOKED_AT_AFTER {
            return self.reconfirm_now();
        }
        if steps < self.oracle.confirms_after() {
            return Ok(false);
        }
        // Where fresh runs tell nothing, it is too early to look at what they evaluate.
        let best = self.best.clone();
        match knows && self.confirm(&best)?.is_none() {
            true => Ok(false),
            false => self.reconfirm_now(),
        }
    }

    /// The same, however few steps it is since the last time.
    pub(super) fn reconfirm_now(&mut self) -> Result<bool, Stop> {
        let chain = std::mem::take(&mut self.since);
        if chain.is_empty() || self.best.key() == self.confirmed.key() {
            return Ok(false);
        }
        let best = self.best.clone();
        match self.holds(&best)? {
            None => return Ok(false),
            Some(true) => {
                self.confirmed = best;
                self.confirmed_refusals.clone_from(&self.refusals);
                return Ok(false);
            }
            Some(false) => {}
        }
        // Each was made of the one before it: from the one that lost the failure on, none is to be trusted.
        let (mut good, mut bad) = (0, chain.len() - 1);
        while good < bad {
            let middle = (good + bad) / 2;
            if self.holds(&chain[middle])? == Some(true) {
                self.confirmed = chain[middle].clone();
                good = middle + 1;
            } else {
                bad = middle;
            }
        }
        for subject in &chain[bad..] {
            self.verdicts.insert(subject.key(), false);
            self.compile.insert(subject.key());
            let lost = Verdict::Uninteresting(Stage::Run);
            self.store
                .record(subject.key(), &lost)
                .map_err(Stop::Failed)?;
        }
        // What is lost once would be lost again.
        self.careful |= self.knows_why();
        let lost: Vec<blake3::Hash> = chain[bad..].iter().map(Subject::key).collect();
        self.milestones
            .retain(|milestone| !lost.contains(&milestone.key()));
        self.refusals.clone_from(&self.confirmed_refusals);
        self.best = self.confirmed.clone();
        self.store.settle(&self.best).map_err(Stop::Failed)?;
        let steps = chain.len() - bad;
        self.observer.event(&Event::Note(&format!(
            "the smallest so far does not hold on a second look: back by {steps} to one that does"
        )));
        let event = self.new_best();
        self.observer.event(&event);
        Ok(true)
    }

    /// Takes `best`, which is the best, for one that holds, where fresh runs have no say in that.
    pub(super) fn trust(&mut self, best: &Subject) {
        if !self.decisive.is_empty() && self.oracle.confirms_after() == 0 {
            self.since.clear();
            self.confirmed = best.clone();
            self.confirmed_refusals.clone_from(&self.refusals);
        }
    }

    /// Takes note that each of `elements`, of `base`, was refused alone: for good, if `base` is what the search would step back to.
    pub(super) fn refuse_each(&mut self, base: &Subject, elements: Vec<Element>) {
        if base.key() == self.confirmed.key() {
            let confirmed = &mut self.confirmed_refusals;
            confirmed.add_each(base, elements.clone());
        }
        self.refusals.add_each(base, elements);
    }

    /// As [`trial`](Self::trial), for a candidate that does the same as the best: that it is refused may well be chance, and
    /// fresh runs have the last word.
    pub(super) fn trial_that_changes_nothing(&mut self, candidate: Subject) -> Result<bool, Stop> {
        let key = candidate.key();
        let known = self.verdicts.contains_key(&key);
        if self.trial(candidate.clone())? {
            return Ok(true);
        }
        let again = !known && self.compile.contains(&key);
        if !again || self.confirm(&candidate)? != Some(true) {
            return Ok(false);
        }
        self.compile.remove(&key);
        self.verdicts.insert(key, true);
        self.store
            .record(key, &Verdict::Interesting)
            .map_err(Stop::Failed)?;
        self.accept(candidate)?;
        Ok(true)
    }

    fn confirm(&mut self, subject: &Subject) -> Result<Option<bool>, Stop> {
        let key = subject.key();
        if self.store.is_confirmed(&key) {
            return Ok(Some(true));
        }
        let confirmed = self.oracle.confirm(subject, self.deadline);
        let confirmed = confirmed.map_err(stop(&self.cancel))?;
        if confirmed == Some(true) {
            if !self.is_still_the_same(subject)? {
                return Ok(Some(false));
            }
            self.store.confirm(key).map_err(Stop::Failed)?;
        }
        Ok(confirmed)
    }

    /// The same of what has become the best: where fresh runs tell nothing, what they evaluate may.
    fn holds(&mut self, subject: &Subject) -> Result<Option<bool>, Stop> {
        match self.confirm(subject)? {
            None if !self.decisive.is_empty() => self.is_still_the_same(subject).map(Some),
            confirmed => Ok(confirmed),
        }
    }

    /// `judged`, but not interesting if it is known that others may fail for another reason and `candidate` does, or if what is right
    /// would fail there as well.
    pub(super) fn carefully(
        &mut self,
        candidate: &Subject,
        judged: Judged,
    ) -> Result<Judged, Stop> {
        let interesting = judged.verdict == Verdict::Interesting;
        let is_another = interesting
            && (self.careful && !self.is_still_the_same(candidate)?
                || self.heeds_decisive && !self.is_still_decisive(candidate)?);
        Ok(match is_another {
            true => Judged {
                verdict: Verdict::Uninteresting(Stage::Run),
                ..judged
            },
            false => judged,
        })
    }

    /// `judged`, but not interesting if `candidate` is as large as the best and no better. One that is larger is so on purpose.
    pub(super) fn preferred(&self, candidate: &Subject, judged: Judged) -> Judged {
        let interesting = judged.verdict == Verdict::Interesting;
        // Comments are no tokens, and go for their bytes.
        let size = |subject: &Subject| (subject.tokens(), bytes(subject));
        if interesting
            && size(candidate) == size(&self.best)
            && !self.oracle.prefers(candidate, &self.best)
        {
            return Judged {
                verdict: Verdict::Uninteresting(Stage::Run),
                ..judged
            };
        }
        judged
    }
}

/// Bytes of all files.
pub(super) fn bytes(subject: &Subject) -> usize {
    let files = subject.files().iter().filter_map(|file| file.bytes());
    files.map(<[u8]>::len).sum()
}
