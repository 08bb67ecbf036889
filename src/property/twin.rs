//! Two versions judged together: the test fails in the candidate, and passes in the candidate with the
//! difference applied. Knows neither where the other version comes from nor who asks.

use std::time::{Duration, Instant};

use super::guards::Guards;
use super::stack::Depth;
use super::{Judged, Oracle, Stage, Traced, Verdict};
use crate::build::Diagnostic;
use crate::exec::Outcome;
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::difference::Difference;

/// Whether tests passed, and what it cost to find out.
#[derive(Debug, Default)]
pub struct Passed {
    /// All of them did.
    pub all: bool,
    /// The errors, if it does not compile.
    pub errors: Vec<Diagnostic>,
    /// What was printed.
    pub output: String,
    /// User and system time.
    pub cpu: Duration,
    /// Wall time.
    pub wall: Duration,
}

impl Passed {
    /// Takes down how the tests ended.
    pub fn ran(&mut self, outcome: &Outcome, guards: &Guards) {
        self.all = guards.hold(outcome);
        let output = [&outcome.stdout[..], &outcome.stderr[..]].concat();
        self.output = String::from_utf8_lossy(&output).into_owned();
    }
}

/// Runs tests that have to pass.
pub trait Passing {
    /// Whether `guards` pass in `subject`.
    ///
    /// # Errors
    ///
    /// As for [`Oracle::judge`].
    fn passes(
        &mut self,
        subject: &Subject,
        guards: &Guards,
        deadline: Option<Instant>,
    ) -> Result<Passed, Failure>;
}

/// An oracle and its counterpart for the other version.
pub struct Twin<'a, O> {
    /// Judges the candidate itself.
    pub fails: &'a mut O,
    /// Runs the other version, in a place of its own.
    pub passes: &'a mut O,
    /// What makes the other version of a candidate.
    pub difference: &'a Difference,
    /// The test that has to pass there.
    pub guards: Guards,
}

impl<O: Oracle + Passing> Oracle for Twin<'_, O> {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let mut judged = self.fails.judge(candidate, deadline)?;
        if judged.verdict != Verdict::Interesting {
            return Ok(judged);
        }
        let other = self.difference.applied(candidate);
        let passed = self.passes.passes(&other, &self.guards, deadline)?;
        judged.cpu += passed.cpu;
        judged.wall += passed.wall;
        if !passed.all {
            judged.verdict = Verdict::Uninteresting(Stage::Guard);
            judged.errors = back(passed.errors, self.difference, candidate);
        }
        Ok(judged)
    }

    fn remember(&mut self, candidate: &Subject) -> Result<(), Failure> {
        self.fails.remember(candidate)
    }

    fn depth(
        &mut self,
        subject: &Subject,
        deadline: Option<Instant>,
    ) -> Result<Option<Depth>, Failure> {
        self.fails.depth(subject, deadline)
    }

    fn unused(&mut self, subject: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        self.fails.unused(subject)
    }

    fn trace(&mut self, probed: &Subject) -> Result<Traced, Failure> {
        let mut hits = match self.fails.trace(probed)? {
            Traced::Ran(hits) => hits,
            other => return Ok(other),
        };
        // What only the other version runs is needed too; probes keep their numbers in it.
        Ok(match self.passes.trace(&self.difference.applied(probed))? {
            Traced::Errors(errors) => Traced::Errors(back(errors, self.difference, probed)),
            other => other.map(|more| {
                hits.extend(more);
                hits
            }),
        })
    }
}

/// `errors` of the other version with the places that they have in `candidate`.
fn back(
    mut errors: Vec<Diagnostic>,
    difference: &Difference,
    candidate: &Subject,
) -> Vec<Diagnostic> {
    let edits = difference.edits(candidate);
    for span in errors.iter_mut().flat_map(|error| &mut error.spans) {
        span.for_each(&mut |span| {
            let Some(file) = candidate.find(&span.file) else {
                return;
            };
            let (Some(text), Some(own)) = (candidate.file(file).text(), edits.get(&file)) else {
                return;
            };
            let last = span.byte_end.saturating_sub(1).max(span.byte_start);
            let start = text.before(own, span.byte_start).start;
            span.byte_end = text.before(own, last).end.max(start);
            span.byte_start = start;
        });
    }
    errors
}
