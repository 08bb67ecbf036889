//! The last judgement: what the search found is built from scratch, by cargo itself, and where it does not show the failure
//! then, the latest before it that does is the result.

use std::collections::HashSet;

use super::super::{Engine, Stop};
use crate::property::{Judged, Oracle, Stage, Verdict};
use crate::report::{Event, Failure};
use crate::subject::Subject;
use crate::syntax::{self, Text};

/// Who has the last word.
struct Last<'o> {
    /// `None`: the search's own oracle.
    oracle: Option<&'o mut dyn Oracle>,
    /// What was refused.
    refused: Vec<blake3::Hash>,
}

impl Last<'_> {
    /// The verdict on `candidate`; a refusal is one for the search as well.
    fn judge(&mut self, engine: &mut Engine<'_>, candidate: &Subject) -> Result<Judged, Failure> {
        let judged = match &mut self.oracle {
            Some(last) => last.judge(candidate, None),
            None => engine.oracle.judge(candidate, None),
        }?;
        if judged.verdict != Verdict::Interesting {
            let key = candidate.key();
            self.refused.push(key);
            engine.compile.insert(key);
            if engine.verdicts.insert(key, false) == Some(true) {
                let lost = Verdict::Uninteresting(Stage::Run);
                engine.store.record(key, &lost)?;
            }
        }
        Ok(judged)
    }
}

impl Engine<'_> {
    /// The last candidates: formatted if it then still shows the failure, and as cargo itself sees
    /// it. If that does not show the failure, the latest of those before that does; the first of them is
    /// `start`. What the final run printed, and whether it showed the failure.
    pub(super) fn finish(
        &mut self,
        start: Subject,
        last: Option<&mut dyn Oracle>,
        manifest_trials: usize,
    ) -> Result<(String, bool), Failure> {
        let mut last = Last {
            oracle: last,
            refused: Vec::new(),
        };
        // A printer may put brackets around something: more tokens for the sake of form are not worth it.
        let tokens = self.best.tokens();
        let most = tokens + tokens / 50;
        let mut candidates = vec![
            self.rewritten(syntax::formatted),
            self.rewritten(|text| syntax::formatted(text).map(syntax::without_added_commas)),
            self.rewritten(|_| None),
        ];
        candidates.retain(|candidate| candidate.tokens() <= most);
        candidates.dedup_by_key(|candidate| candidate.key());
        let mut output = None;
        for candidate in candidates.into_iter().chain([self.best.clone()]) {
            if last.refused.contains(&candidate.key()) {
                continue;
            }
            let judged = last.judge(self, &candidate)?;
            if judged.verdict == Verdict::Interesting {
                self.best = candidate;
                self.settle()?;
                let Some(last) = last.oracle.filter(|_| manifest_trials > 0) else {
                    return Ok((judged.output, true));
                };
                let smaller = match self.reduce_manifest(last, manifest_trials) {
                    Ok(printed) => printed,
                    Err(Stop::Cancelled) => return Err(Failure::Interrupted),
                    Err(Stop::TimeLimit) => None,
                    Err(Stop::Failed(failure)) => return Err(failure),
                };
                self.settle()?;
                return Ok((smaller.unwrap_or(judged.output), true));
            }
            output = Some(judged.output);
        }
        if let Some((earlier, printed)) = self.latest_shown(start, &mut last)? {
            let smallest = std::mem::replace(&mut self.best, earlier);
            self.settle()?;
            let kept = self.store.unshown(&smallest, &output.unwrap_or_default())?;
            self.observer.event(&Event::Note(&format!(
                "the smallest result does not show the failure when it is built from scratch: this is an earlier one that does; \
                 the smallest is kept in {}",
                kept.display()
            )));
            return Ok((printed, true));
        }
        self.observer.event(&Event::Note(
            "the last run, from scratch, does not show the failure: see `failure_output` in report.json",
        ));
        Ok((output.unwrap_or_default(), false))
    }

    /// The latest of the milestones, `start` among them, that shows the failure, and what its run printed. What broke the
    /// property may lie long ago, and each is built from scratch: twice as far back each time, then by halving.
    fn latest_shown(
        &mut self,
        start: Subject,
        last: &mut Last<'_>,
    ) -> Result<Option<(Subject, String)>, Failure> {
        let mut milestones = vec![start];
        milestones.append(&mut self.milestones);
        // Each step since something was confirmed last is one.
        let steps: HashSet<blake3::Hash> = self.since.iter().map(Subject::key).collect();
        milestones.retain(|milestone| !steps.contains(&milestone.key()));
        milestones.append(&mut self.since);
        milestones.dedup_by_key(|milestone| milestone.key());
        milestones.retain(|milestone| !last.refused.contains(&milestone.key()));
        // From `bad` on, none is to be trusted.
        let mut bad = milestones.len();
        let mut good = None;
        let mut distance = 1;
        while good.is_none() && bad > 0 {
            let at = milestones.len().saturating_sub(distance);
            let judged = last.judge(self, &milestones[at])?;
            match judged.verdict {
                Verdict::Interesting => good = Some((at, judged.output)),
                _ => bad = at,
            }
            distance *= 2;
        }
        let Some((mut good, mut output)) = good else {
            return Ok(None);
        };
        while good + 1 < bad {
            let middle = (good + bad) / 2;
            let judged = last.judge(self, &milestones[middle])?;
            match judged.verdict {
                Verdict::Interesting => (good, output) = (middle, judged.output),
                _ => bad = middle,
            }
        }
        Ok(Some((milestones.swap_remove(good), output)))
    }

    /// The best with each file as `written` says, where it parses and `written` says anything; the others without blank
    /// lines.
    fn rewritten(&self, written: impl Fn(&Text) -> Option<Text>) -> Subject {
        let mut rewritten = self.best.clone();
        for (id, file, _) in self.best.sources() {
            // A printer would change what must stay as it is, too.
            if !self.scope.allows(&file.path) || self.scope.leaves_beginning_of(id) {
                continue;
            }
            let Some(text) = file.text() else { continue };
            let new = written(text).unwrap_or_else(|| tidied(text));
            rewritten = rewritten.with_text(id, new);
        }
        rewritten
    }

    /// Keeps the best as the result. Into the journal with it: a later `--resume` knows it by that.
    pub(super) fn settle(&mut self) -> Result<(), Failure> {
        self.store.settle(&self.best)?;
        let key = self.best.key();
        if self.verdicts.insert(key, true) != Some(true) {
            self.store.record(key, &Verdict::Interesting)?;
        }
        Ok(())
    }
}

/// `text` without the blank lines and line ends that deletions left.
pub(super) fn tidied(text: &Text) -> Text {
    let source = text.as_str();
    let mut edits = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let content = line.trim_end();
        let cut = if content.is_empty() {
            at..at + line.len()
        } else {
            at + content.len()..at + line.trim_end_matches('\n').len()
        };
        if !cut.is_empty() {
            edits.push(syntax::Edit::delete(syntax::FileId(0), cut));
        }
        at += line.len();
    }
    text.apply(&edits)
}
