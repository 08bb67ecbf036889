//! What is compiled as cargo does it, with debug information and from scratch. What code without `unsafe` does is the same
//! either way; what reads memory that nobody wrote finds something else there.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::Test;
use crate::property::Verdict;
use crate::report::Failure;
use crate::subject::Subject;

/// So many subjects have to have become the best before the last is compiled so.
const AFTER: usize = 8;

/// What is larger is left for later: it takes as long as many trials.
const MOST_TOKENS: usize = 20_000;

/// What is known of candidates that are compiled as cargo does it.
#[derive(Debug, Default)]
pub(super) struct Faithful {
    /// It is worth asking for: the failure is to be one of every run.
    wanted: bool,
    /// Candidates that showed the failure as they are compiled in trials.
    shown: HashSet<blake3::Hash>,
    /// What was judged last is small enough.
    is_small: bool,
    /// One of those that had shown it did not: all that do are asked at once from now on.
    strict: bool,
}

impl Test {
    /// Has those that become the best compiled as cargo does it, now and then; once one does not show the failure so, all that
    /// do otherwise.
    pub fn confirm_faithfully(&mut self) {
        self.faithful.wanted = true;
    }

    /// After how many steps it is worth asking how the last is compiled by cargo.
    pub(super) fn faithful_after(&self) -> usize {
        match (self.faithful.wanted, self.faithful.is_small) {
            (false, _) => 0,
            (true, true) => AFTER,
            (true, false) => usize::MAX,
        }
    }

    /// Takes note of the `verdict` on `candidate`; what it is if cargo does not see the same, where that matters.
    pub(super) fn faithfully(
        &mut self,
        candidate: &Subject,
        verdict: Verdict,
        cpu: &mut Duration,
        deadline: Option<Instant>,
    ) -> Result<Verdict, Failure> {
        if !self.faithful.wanted || verdict != Verdict::Interesting {
            return Ok(verdict);
        }
        self.faithful.is_small = candidate.tokens() <= MOST_TOKENS;
        if self.faithful.strict && is_unsafe(candidate) {
            let (verdict, more) = self.verdict_by_cargo(candidate, deadline)?;
            *cpu += more;
            return Ok(verdict);
        }
        self.faithful.shown.insert(candidate.key());
        Ok(verdict)
    }

    /// Whether `best` shows the failure if it is compiled as cargo does it; `None` where that makes no difference.
    pub(super) fn confirmed_faithfully(
        &mut self,
        best: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<bool>, Failure> {
        if !self.faithful.shown.contains(&best.key()) || !is_unsafe(best) {
            return Ok(None);
        }
        let (verdict, _) = self.verdict_by_cargo(best, deadline)?;
        let shows = verdict == Verdict::Interesting;
        self.faithful.strict |= !shows;
        Ok(Some(shows))
    }

    fn verdict_by_cargo(
        &mut self,
        candidate: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Verdict, Duration), Failure> {
        let started = Instant::now();
        let compiled = self.replayed.compile_faithfully(candidate, deadline)?;
        let built = self.built(&compiled);
        let mut seen = self.observe_built(built, started, candidate, deadline)?;
        let verdict = self.verdict(&mut seen, candidate, deadline)?;
        Ok((verdict, seen.cpu))
    }
}

/// Whether `subject` says `unsafe` anywhere.
fn is_unsafe(subject: &Subject) -> bool {
    subject.sources().any(|(_, file, tree)| {
        let source = file.source();
        tree.identifiers(source, &(0..source.len()))
            .any(|word| word == "unsafe")
    })
}
