//! One trial: a candidate is put to the oracle unless the answer is known, and what was learned is kept. Decides nothing about
//! what comes next.

use std::time::Instant;

use super::{Engine, Stop, drift};
use crate::build::Diagnostic;
use crate::exec::Cancel;
use crate::property::{Judged, Stage, Verdict};
use crate::report::{Event, Failure, TrialOutcome};
use crate::subject::Subject;

/// Why the search ends when the oracle fails: what is interrupted and not cancelled came to the deadline.
pub(super) fn stop(cancel: &Cancel) -> impl Fn(Failure) -> Stop + '_ {
    |failure| match failure {
        Failure::Interrupted if cancel.is_set() => Stop::Cancelled,
        Failure::Interrupted => Stop::TimeLimit,
        failure => Stop::Failed(failure),
    }
}

impl Engine<'_> {
    /// Puts a candidate to the oracle, unless the verdict is known; makes it the best if it is interesting.
    pub(super) fn trial(&mut self, candidate: Subject) -> Result<bool, Stop> {
        let key = candidate.key();
        if key == self.best.key() {
            return Ok(true);
        }
        if let Some(known) = self.verdicts.get(&key).copied() {
            self.counts.cache_hits += 1;
            if known {
                let remembered = self.oracle.remember(&candidate);
                remembered.map_err(stop(&self.cancel))?;
                self.accept(candidate)?;
            }
            return Ok(known);
        }
        self.may_go_on()?;
        if !self.still_parses(&candidate) || !self.keeps_what_it_has_to(&candidate) {
            self.verdicts.insert(key, false);
            return Ok(false);
        }
        let complaints = self.screen.look(&self.best, &candidate);
        if !self.wants_errors && self.screen.refuses(&complaints) {
            // Not among the verdicts: the screen may turn out to be wrong.
            return Ok(false);
        }
        let implied = self.implied.as_mut();
        if implied.is_some_and(|implied| implied.refuses(&candidate)) && !self.wants_errors {
            return Ok(false);
        }
        let judged = self.oracle.judge(&candidate, self.deadline);
        let judged = judged.map_err(stop(&self.cancel))?;
        let judged = self.preferred(&candidate, judged);
        let judged = self.carefully(&candidate, judged)?;
        let interesting = judged.verdict == Verdict::Interesting;
        self.screen.learn(&complaints, interesting);
        if let Some(implied) = &mut self.implied {
            implied.learn(&candidate, &judged.verdict);
        }
        self.record(&candidate, key, &judged)
    }

    /// Takes note that `candidate` was refused, which was found out together with others.
    pub(super) fn refuse(&mut self, candidate: &Subject, judged: &Judged) -> Result<(), Stop> {
        let complaints = self.screen.look(&self.best, candidate);
        self.screen.learn(&complaints, false);
        if let Some(implied) = &mut self.implied {
            implied.learn(candidate, &judged.verdict);
        }
        self.record(candidate, candidate.key(), judged).map(|_| ())
    }

    /// As [`trial`](Self::trial), with the compile errors; a verdict that is known without them is asked for again. Where chance
    /// may have refused what compiles, there is a second trial: so much at a time is not to be left to it.
    pub(super) fn trial_with_errors(
        &mut self,
        candidate: Subject,
    ) -> Result<(bool, Vec<crate::build::Diagnostic>), Stop> {
        let key = candidate.key();
        let known = self.errors.contains_key(&key) || self.compile.contains(&key);
        let again = !known && self.oracle.may_err();
        if self.verdicts.get(&key) == Some(&false) && !known {
            self.verdicts.remove(&key);
        }
        self.wants_errors = true;
        let second = again.then(|| candidate.clone());
        let mut interesting = self.trial(candidate);
        if let Some(candidate) = second
            && matches!(interesting, Ok(false))
            && self.compile.contains(&key)
        {
            self.verdicts.remove(&key);
            interesting = self.trial(candidate);
        }
        self.wants_errors = false;
        let errors = self.errors.get(&key).cloned();
        Ok((interesting?, errors.unwrap_or_default()))
    }

    /// Whether no file changes that the user said is to be kept, whatever a pass makes of it.
    fn keeps_what_it_has_to(&self, candidate: &Subject) -> bool {
        let scope = &self.scope;
        let mut changed = candidate.changed(&self.best);
        changed.all(|file| scope.is_open(&self.best.file(file).path))
    }

    /// Whether there is time for more, and nobody wants an end.
    pub(super) fn may_go_on(&self) -> Result<(), Stop> {
        let over = |deadline| Instant::now() >= deadline;
        match self.deadline.is_some_and(over) {
            _ if self.cancel.is_set() => Err(Stop::Cancelled),
            true => Err(Stop::TimeLimit),
            false => Ok(()),
        }
    }

    pub(super) fn record(
        &mut self,
        candidate: &Subject,
        key: blake3::Hash,
        judged: &Judged,
    ) -> Result<bool, Stop> {
        let interesting = judged.verdict == Verdict::Interesting;
        self.counts.trials += 1;
        self.counts.cpu += judged.cpu;
        let (outcome, stage) = match &judged.verdict {
            Verdict::Interesting => (TrialOutcome::Interesting, "run"),
            Verdict::Slipped(_) => (TrialOutcome::Slipped, "run"),
            Verdict::Uninteresting(Stage::Parse) => (TrialOutcome::Uninteresting, "parse"),
            Verdict::Uninteresting(Stage::Compile) => (TrialOutcome::Uninteresting, "compile"),
            Verdict::Uninteresting(Stage::Run) => (TrialOutcome::Uninteresting, "run"),
            Verdict::Uninteresting(Stage::Guard) => (TrialOutcome::Uninteresting, "guard"),
        };
        self.observer.event(&Event::Trial {
            pass: self.pass,
            outcome,
            stage,
            tokens_tried: self.best.tokens().saturating_sub(candidate.tokens()),
            wall: judged.wall,
            cpu: judged.cpu,
            cached: false,
        });
        self.verdicts.insert(key, interesting);
        if !interesting && stage != "parse" && stage != "compile" {
            self.compile.insert(key);
        }
        let at_a_stub = judged.errors.iter().any(Diagnostic::is_reached);
        let known = stage == "compile" || at_a_stub;
        let errors = (self.wants_errors && known).then_some(&judged.errors[..]);
        self.store
            .record_with_errors(key, &judged.verdict, errors)
            .map_err(Stop::Failed)?;
        if let Some(errors) = errors {
            self.errors.insert(key, errors.to_vec());
        }
        // A stub that is reached is nobody's bug.
        if let Verdict::Slipped(signature) = &judged.verdict
            && !at_a_stub
            && let Some(kept_in) = self
                .store
                .slip(signature, candidate)
                .map_err(Stop::Failed)?
        {
            self.observer.event(&Event::Slip {
                signature,
                kept_in: &kept_in,
            });
        }
        if interesting {
            self.counts.interesting += 1;
            self.accept(candidate.clone())?;
        }
        Ok(interesting)
    }

    pub(super) fn accept(&mut self, candidate: Subject) -> Result<(), Stop> {
        self.best = candidate;
        self.since.push(self.best.clone());
        self.store.keep(&self.best).map_err(Stop::Failed)?;
        let event = self.new_best();
        self.observer.event(&event);
        Ok(())
    }

    pub(super) fn new_best(&self) -> Event<'static> {
        Event::NewBest {
            tokens: self.best.tokens(),
            files: self.best.source_files(),
            bytes: drift::bytes(&self.best),
        }
    }

    /// Whether every file that parsed still does: rustc would only say the same, slower.
    pub(super) fn still_parses(&self, candidate: &Subject) -> bool {
        if self.may_break_syntax {
            return true;
        }
        let changed: Vec<_> = candidate.changed(&self.best).collect();
        let trees = || changed.iter().filter_map(|id| self.best.file(*id).tree());
        // What does not parse may have gone from one file into another.
        let moved = |id: &&crate::syntax::FileId| {
            let tree = self.best.file(**id).tree();
            !candidate.file(**id).exists() && tree.is_some_and(|tree| !tree.parsed)
        };
        if changed.iter().any(|id| moved(&id)) {
            return true;
        }
        let mut blanked: Vec<String> = trees().flat_map(|tree| tree.blanked.clone()).collect();
        blanked.sort();
        changed.iter().all(|id| {
            let now = candidate.file(*id);
            let before = self.best.file(*id).tree().is_none_or(|tree| tree.parsed);
            !before
                || !now.exists()
                || !now.is_rust()
                || crate::syntax::parses_without(now.source(), &blanked)
        })
    }
}
