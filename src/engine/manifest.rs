//! The package around the result, once the Rust in it is minimal: keys, features, dependencies and settings in
//! `Cargo.toml`, configuration and data that the failure does not need. Cargo itself judges each candidate.

use std::time::Instant;

use super::{Engine, Stop};
use crate::minimize::{self, Item};
use crate::passes::manifest;
use crate::property::{Oracle, Verdict};
use crate::report::Failure;
use crate::subject::{Element, Subject};
use crate::syntax::FileId;

impl Engine<'_> {
    /// Removes from the best, which `judge` takes, what the package can do without; `Ok(None)` if
    /// nothing went, else what the last run on the result printed. No more than `trials` are run.
    pub(super) fn reduce_manifest(
        &mut self,
        judge: &mut dyn Oracle,
        trials: usize,
    ) -> Result<Option<String>, Stop> {
        if !self.wanted.takes("manifest") {
            return Ok(None);
        }
        let (before, counts) = (self.best.tokens(), self.begin("manifest"));
        let outcome = self.reduce_manifest_by(judge, trials);
        self.finish_pass(before, &counts);
        outcome
    }

    fn reduce_manifest_by(
        &mut self,
        judge: &mut dyn Oracle,
        trials: usize,
    ) -> Result<Option<String>, Stop> {
        let mut output = None;
        let end = self.counts.trials + trials;
        let bare = manifest::without_comments(&self.best);
        if self.permits(&bare) {
            output = self.judged(judge, bare)?;
        }
        for round in 0..manifest::ROUNDS {
            let base = self.best.clone();
            let list = manifest::list(&base, round);
            let scope = &self.scope;
            let (elements, items): (Vec<Element>, Vec<Item>) = list
                .into_iter()
                .filter(|(element, _)| scope.leaves(&base, element))
                .map(|(element, prior)| {
                    let item = Item {
                        weight: 1,
                        prior: Some(prior),
                    };
                    (element, item)
                })
                .unzip();
            let mut settings = self.settings.clone();
            // With something in it that likely is needed, that is a wasted trial.
            settings.try_all_first &= items.iter().all(|item| item.prior < Some(0.3));
            let mut minimizer = minimize::minimizer(&items, &settings);
            while let Some(trial) = minimizer.propose() {
                if self.counts.trials >= end {
                    return Ok(output);
                }
                let gone = minimizer.removed();
                let gone = gone.iter().chain(&trial.remove);
                let candidate = base.without(gone.map(|at| &elements[*at]).collect::<Vec<_>>());
                let printed = self.judged(judge, without_idle_lock(candidate))?;
                minimizer.record(printed.is_some());
                output = printed.or(output);
            }
        }
        Ok(output)
    }

    fn permits(&self, candidate: &Subject) -> bool {
        let mut changed = candidate.changed(&self.best);
        changed.all(|id| self.scope.allows(&self.best.file(id).path))
    }

    /// What `judge` printed for `candidate` if it is interesting; it then is the best.
    pub(super) fn judged(
        &mut self,
        judge: &mut dyn Oracle,
        candidate: Subject,
    ) -> Result<Option<String>, Stop> {
        let key = candidate.key();
        if key == self.best.key() {
            return Ok(None);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Stop::TimeLimit);
        }
        let judged = match judge.judge(&candidate, self.deadline) {
            Ok(judged) => judged,
            Err(Failure::Interrupted) if !self.cancel.is_set() => return Err(Stop::TimeLimit),
            Err(Failure::Interrupted) => return Err(Stop::Cancelled),
            Err(failure) => return Err(Stop::Failed(failure)),
        };
        self.record(&candidate, key, &judged)?;
        Ok((judged.verdict == Verdict::Interesting).then_some(judged.output))
    }
}

/// `subject` without the lock file if no manifest names dependencies any more.
fn without_idle_lock(subject: Subject) -> Subject {
    let files = subject.files().iter();
    let depends = files
        .filter(|file| file.exists() && file.path.ends_with("Cargo.toml"))
        .any(|file| file.source().contains("dependencies"));
    let lock = |path: &std::path::Path| path.ends_with("Cargo.lock");
    let locks: Vec<FileId> = (0..subject.files().len())
        .filter(|at| lock(&subject.files()[*at].path))
        .map(|at| FileId(at as u32))
        .collect();
    match depends {
        true => subject,
        false => locks
            .into_iter()
            .fold(subject, |subject, id| subject.without_file(id)),
    }
}
