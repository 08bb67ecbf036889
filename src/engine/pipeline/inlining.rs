//! The pump: a package whose result still needs code from a registry or a repository is reduced once more, with that code as a
//! part of it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::super::inlining::Beside;
use super::super::{Engine, Stop};
use super::crash;
use crate::exec::Cancel;
use crate::property::Oracle;
use crate::report::{Event, Failure, Observer, Status, Summary};
use crate::request::{CargoSelection, IceSelection, Request, SearchRequest};
use crate::subject::Subject;

/// The name of the pass, as `--passes` takes it.
const NAME: &str = "inline-deps";

/// Reduces a package once more, with the code of its dependencies as a part of it.
pub(super) struct Pump<'a> {
    pub(super) request: &'a Request,
    pub(super) selection: &'a IceSelection,
    /// Where the package's manifest lies in the subject.
    pub(super) package: &'a Path,
    /// The target that it is compiled for, where the user names none.
    pub(super) host: Option<String>,
    /// The signature without names and numbers.
    pub(super) class: String,
    /// A directory of ours.
    pub(super) scratch: PathBuf,
    pub(super) cancel: &'a Cancel,
}

/// Tells what is being done, and not what becomes of a subject that the user has never seen.
struct Within<'a>(&'a mut dyn Observer);

impl Observer for Within<'_> {
    fn event(&mut self, event: &Event<'_>) {
        if matches!(
            event,
            Event::Step { .. } | Event::PassStarted { .. } | Event::Trial { .. }
        ) {
            self.0.event(event);
        }
    }
}

impl Pump<'_> {
    /// What `best` comes to when its dependencies are reduced with it, and what that took; `None` if it has none, or still
    /// needs one of them then.
    fn pumped(
        &self,
        best: &Subject,
        time: Option<Duration>,
        observer: &mut dyn Observer,
    ) -> Result<Option<(Subject, Summary)>, Failure> {
        let selection = &self.request.cargo;
        let host = self.host.as_deref();
        let beside = match Beside::new(best, self.package, selection, host, &self.scratch) {
            Ok(Some(beside)) => beside,
            Ok(None) => return Ok(None),
            // There is a result already, and it does not need this.
            Err(failure) => {
                observer.event(&Event::Note(&format!(
                    "what the result depends on stays where it is: {failure}"
                )));
                return Ok(None);
            }
        };
        observer.event(&Event::Step {
            verb: "Inlining",
            what: &beside.dependencies.join(", "),
        });
        let request = Request {
            cargo: CargoSelection {
                manifest_path: Some(beside.manifest),
                // The lock file has these packages from where they came.
                locked: false,
                ..selection.clone()
            },
            output: Some(self.scratch.join("output")),
            time_limit: time,
            search: SearchRequest {
                inline_deps: false,
                ..self.request.search.clone()
            },
            resume: false,
            ..self.request.clone()
        };
        match crash::reduce(&request, self.selection, &mut Within(observer), self.cancel) {
            Ok(summary) if summary.status == Status::Interrupted => Err(Failure::Interrupted),
            Ok(summary) if summary.class != self.class => Ok(None),
            Ok(summary) => {
                let reduced = summary.output.join("reduced");
                Ok(Beside::taken_in(&reduced, best).map(|taken_in| (taken_in, summary)))
            }
            Err(Failure::Interrupted) => Err(Failure::Interrupted),
            // As a path dependency it does not build, or does not crash: that tells nothing about the result there is.
            Err(_) => Ok(None),
        }
    }
}

impl Engine<'_> {
    /// Lets the code of dependencies go in by `pump`, where that leaves something smaller or nothing that depends on them;
    /// `judge` takes the best there is. What the last run on the result printed, if it is another one.
    pub(super) fn take_in_dependencies(
        &mut self,
        pump: &Pump<'_>,
        judge: &mut dyn Oracle,
    ) -> Result<Option<String>, Stop> {
        let restricted = !pump.request.keep.is_empty() || !pump.request.only.is_empty();
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if !pump.request.search.inline_deps
            || restricted
            || left.is_some_and(|left| left.is_zero())
            || !self.wanted.takes(NAME)
        {
            return Ok(None);
        }
        let (before, counts) = (self.best.tokens(), self.begin(NAME));
        let pumped =
            pump.pumped(&self.best, left, self.observer)
                .map_err(|failure| match failure {
                    Failure::Interrupted => Stop::Cancelled,
                    failure => Stop::Failed(failure),
                })?;
        let mut output = None;
        if let Some((taken_in, summary)) = pumped {
            self.counts.trials += summary.trials;
            self.counts.interesting += summary.interesting_trials;
            self.counts.cpu += summary.cpu;
            // What the time was too short for may be most of what a registry has.
            if taken_in.tokens() < before || summary.status != Status::TimeLimit {
                output = self.judged(judge, taken_in)?;
            }
        }
        self.finish_pass(before, &counts);
        Ok(output)
    }
}
