//! From request to summary: load, baseline, search, final judgement, report.

mod alone;
mod by_cargo;
mod case;
mod crash;
mod doc_tests;
mod file;
mod finding;
mod flaky;
mod guarding;
mod inlining;
mod last;
#[cfg(test)]
mod pairs;
mod scoping;
mod script;
mod shown;
#[cfg(test)]
mod stepping_back;
mod test;
mod tools;
mod versions;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::package::Package;
use super::{Counts, Engine, PassFilter, Scope, Stop, Store, memory};
use crate::exec::Cancel;
use crate::passes::assertions::Stretch;
use crate::property::Oracle;
use crate::report::{
    Event, Failure, Flakiness, Kind, Observer, PassStatistics, Slip, Status, Summary,
};
use crate::request::{IceSelection, PropertyRequest, Request, Sought};
use crate::subject::{Joint, Subject};

/// Runs the reduction that `request` asks for.
///
/// # Errors
///
/// When there is nothing to reduce, or the environment fails: see [`Failure`]. What was found
/// before that lies in the output directory.
pub fn reduce(
    request: &Request,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    // A Ctrl-C ends what is run for us as well: that it failed is no news then.
    reduced(request, observer, cancel).map_err(|failure| match cancel.is_set() {
        true => Failure::Interrupted,
        false => failure,
    })
}

fn reduced(
    request: &Request,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    if request.output.is_some() {
        Store::check(&output(request, None, ""), request.resume)?;
    }
    match &request.property {
        PropertyRequest::Ice(selection) => {
            let here = shown_by_a_tool(request, selection, observer, cancel);
            let Err(Failure::NoCrash {
                what,
                mut commands,
                output,
            }) = here
            else {
                return here;
            };
            let Some((request, selection)) = changed_places(request, selection) else {
                return Err(Failure::NoCrash {
                    what,
                    commands,
                    output,
                });
            };
            match shown_by_a_tool(&request, &selection, observer, cancel) {
                Err(Failure::NoCrash {
                    what,
                    commands: others,
                    output,
                }) => {
                    commands.extend(others);
                    Err(Failure::NoCrash {
                        what,
                        commands,
                        output,
                    })
                }
                there => there,
            }
        }
        PropertyRequest::Test(selection) => test::reduce(request, selection, observer, cancel),
        PropertyRequest::Script(selection) => script::reduce(request, selection, observer, cancel),
    }
}

fn shown_by_a_tool(
    request: &Request,
    selection: &IceSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    match &selection.file {
        Some(file) => file::reduce(request, selection, file, observer, cancel),
        None => crash::reduce(request, selection, observer, cancel),
    }
}

/// The same reduction with the toolchain in use and the one of a contrast exchanged, where either may be the one that fails.
fn changed_places(request: &Request, selection: &IceSelection) -> Option<(Request, IceSelection)> {
    let (mut request, mut selection) = (request.clone(), selection.clone());
    let contrast = selection
        .contrasts
        .iter_mut()
        .find(|contrast| contrast.either)?;
    contrast.either = false;
    std::mem::swap(&mut contrast.toolchain, &mut request.cargo.toolchain);
    request.property = PropertyRequest::Ice(selection.clone());
    Some((request, selection))
}

/// What to search, and with what.
struct Search<'a> {
    request: &'a Request,
    /// The subject that the search starts from.
    start: Subject,
    /// Files that must not change, besides those that the user keeps.
    fixed: std::collections::BTreeSet<PathBuf>,
    /// Text that must stay as it is.
    untouched: Vec<Stretch>,
    conditions: crate::passes::Conditions,
    /// The libraries that can go into the crate that shows the failure.
    joints: Vec<Joint>,
    /// Names of functions that must stay.
    protected: Vec<String>,
    oracle: &'a mut dyn Oracle,
    /// Judges the result once more, where the oracle is quicker than it is faithful.
    last: Option<&'a mut dyn Oracle>,
    cancel: &'a Cancel,
    output: PathBuf,
    /// The scratch directory.
    scratch: &'a Path,
    started: Instant,
    /// Candidates of `Cargo.toml` that cargo may be asked for in the end.
    manifest_trials: usize,
    /// What can be done about dependencies that are then still there.
    pump: Option<inlining::Pump<'a>>,
    schedule: &'a mut dyn FnMut(&mut Engine<'_>) -> Result<(), Stop>,
}

/// A search that is over.
struct Ended {
    /// As in [`Summary::one_minimal`].
    one_minimal: bool,
    status: Status,
    counts: Counts,
    best: Subject,
    passes: Vec<PassStatistics>,
    slips: Vec<Slip>,
    /// What the last run of the property on the result printed.
    output: String,
    /// Whether that run showed the property.
    shown: bool,
}

impl Search<'_> {
    fn run(mut self, observer: &mut dyn Observer) -> Result<Ended, Failure> {
        let request = self.request;
        let (mut store, verdicts) = Store::open(&self.output, self.scratch, request.resume)?;
        let property = format!("{:?}", request.property);
        store.begin(&self.start, &property, &verdicts.interesting)?;
        let scope = Scope::new(&request.keep, &request.only)
            .map_err(|error| Failure::Bug {
                doing: "reading --keep and --only".into(),
                why: error.to_string(),
            })?
            .fixing(self.fixed)
            .leaving(self.untouched);
        let start = self.start.clone();
        let mut engine = Engine {
            oracle: self.oracle,
            observer,
            cancel: self.cancel.clone(),
            deadline: request
                .time_limit
                .map(|limit| self.started + limit - kept_back(limit)),
            settings: request.search.minimizer.clone(),
            traversal: request.search.traversal,
            wanted: PassFilter::new(&request.search.passes),
            scope,
            start: start.clone(),
            best: self.start,
            store,
            verdicts: verdicts.interesting,
            compile: verdicts.compile,
            refusals: memory::Refusals::default(),
            unswitchable: memory::Refusals::default(),
            priors: match request.property {
                PropertyRequest::Test(_) => memory::Priors::unlearned(),
                _ => memory::Priors::default(),
            },
            screen: super::screen::Screen::default(),
            calls: Default::default(),
            at_least: 0,
            at_most: u64::MAX,
            unentered: Vec::new(),
            decisive: Vec::new(),
            heeds_decisive: false,
            common: HashMap::new(),
            needed: Default::default(),
            implied: removes_only(&request.property).then(super::implied::Implied::default),
            counts: Counts::default(),
            ahead: Default::default(),
            passes: Vec::new(),
            pass: "",
            joints: if request.search.flatten {
                self.joints
            } else {
                Vec::new()
            },
            flatten: request.search.flatten,
            renames: request.search.rename,
            conditions: self.conditions,
            protected: self.protected,
            wants_errors: false,
            named_in_vain: Default::default(),
            named_at: None,
            named_and_run: Default::default(),
            reached: Default::default(),
            needed_at: None,
            solved_at: None,
            thorough: false,
            proves: true,
            may_break_syntax: request.broken_syntax,
            errors: verdicts.errors,
            milestones: Vec::new(),
            was_public: false,
            confirmed: start.clone(),
            confirmed_refusals: memory::Refusals::default(),
            since: Vec::new(),
            as_now: None,
            deciding: Vec::new(),
            turning: None,
            careful: false,
            asked: Default::default(),
            projected: Default::default(),
            asked_at: None,
            uncertain: Default::default(),
            certain_at: None,
            expanded_at: None,
            compiled_at: None,
            data_refused: None,
            made: 0,
        };
        let mut ran_out = match (self.schedule)(&mut engine) {
            Ok(()) => None,
            Err(Stop::Cancelled) => Some(Status::Interrupted),
            Err(Stop::TimeLimit) => Some(Status::TimeLimit),
            Err(Stop::Failed(failure)) => return Err(failure),
        };
        if let Some(earlier) = engine.store.earlier() {
            engine.best = earlier.clone();
        }
        engine.deadline = request.time_limit.map(|limit| self.started + limit);
        let searched = engine.best.tokens();
        let (mut output, mut shown) = if ran_out == Some(Status::Interrupted) {
            engine
                .observer
                .event(&Event::Note("interrupted: the best so far is kept"));
            (String::new(), false)
        } else {
            let last: Option<&mut dyn Oracle> = match &mut self.last {
                Some(last) => Some(&mut **last),
                None => None,
            };
            match engine.finish(start.clone(), last, self.manifest_trials) {
                Ok(output) => output,
                Err(Failure::Interrupted) => {
                    ran_out = Some(Status::Interrupted);
                    (String::new(), false)
                }
                Err(failure) => return Err(failure),
            }
        };
        if let (None, true, Some(pump), Some(last)) = (ran_out, shown, &self.pump, self.last) {
            match engine.take_in_dependencies(pump, last) {
                Ok(printed) => {
                    if let Some(printed) = printed {
                        engine.settle()?;
                        (output, shown) = (printed, true);
                    }
                }
                Err(Stop::Cancelled) => ran_out = Some(Status::Interrupted),
                Err(Stop::TimeLimit) => ran_out = Some(Status::TimeLimit),
                Err(Stop::Failed(failure)) => return Err(failure),
            }
        }
        engine.store.close();
        let slips = engine.store.slips().map(|(signature, kept_in)| Slip {
            signature: signature.to_owned(),
            kept_in,
        });
        let smaller = engine.best.tokens() < start.tokens();
        // What ends by itself ends with a round in which nothing went; a printer may have added a little since, and a verdict
        // of cargo's may have led back to something larger.
        let one_minimal = ran_out.is_none()
            && shown
            && engine.settings.one_minimal
            && !engine.oracle.may_err()
            && engine.best.tokens() <= searched + searched / 50;
        Ok(Ended {
            one_minimal,
            status: ran_out.unwrap_or(if smaller {
                Status::Reduced
            } else {
                Status::AlreadyMinimal
            }),
            slips: slips.collect(),
            counts: engine.counts,
            best: engine.best,
            passes: engine.passes,
            output,
            shown,
        })
    }
}

/// What of a time limit is for cargo's own judgement: whether the result holds, and what of the manifest it does without.
fn kept_back(limit: Duration) -> Duration {
    (limit / 40).min(Duration::from_secs(10))
}

/// What a summary is made from besides the search.
struct Facts<'a> {
    request: &'a Request,
    kind: Kind,
    subject: String,
    command: String,
    directory: PathBuf,
    signature: String,
    /// The signature without names and numbers.
    class: String,
    original: &'a Subject,
    toolchain: String,
    output: PathBuf,
    started: Instant,
}

fn summed_up(
    facts: Facts<'_>,
    ended: Ended,
    flakiness: Option<Flakiness>,
) -> Result<Summary, Failure> {
    let summary = Summary {
        flakiness,
        ..summary(facts, ended)
    };
    crate::report::write_reports(&summary)?;
    Ok(summary)
}

fn summary(facts: Facts<'_>, ended: Ended) -> Summary {
    let lines = |subject: &Subject| {
        subject
            .sources()
            .map(|(_, file, _)| file.source().lines().count())
            .sum()
    };
    let files = |subject: &Subject| subject.files().iter().filter(|file| file.exists()).count();
    let mut result: Vec<(PathBuf, String)> = ended
        .best
        .sources()
        .map(|(_, file, _)| (file.path.clone(), file.source().to_string()))
        .collect();
    result.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    Summary {
        // What was trimmed before the search counts too.
        status: match ended.status {
            Status::AlreadyMinimal if ended.best.tokens() < facts.original.tokens() => {
                Status::Reduced
            }
            status => status,
        },
        kind: facts.kind,
        subject: facts.subject,
        command: facts.command,
        file_command: None,
        directory: facts.directory,
        signature: facts.signature,
        class: facts.class,
        tokens_before: facts.original.tokens(),
        tokens_after: ended.best.tokens(),
        files_before: files(facts.original),
        files_after: files(&ended.best),
        lines_before: lines(facts.original),
        lines_after: lines(&ended.best),
        trials: ended.counts.trials,
        interesting_trials: ended.counts.interesting,
        cache_hits: ended.counts.cache_hits,
        wall: facts.started.elapsed(),
        cpu: ended.counts.cpu,
        one_minimal: ended.one_minimal,
        algorithm: facts.request.search.minimizer.algorithm.to_string(),
        seed: facts.request.seed,
        toolchain: facts.toolchain,
        output: facts.output,
        passes: ended.passes,
        slips: ended.slips,
        flakiness: None,
        failure_output: ended.output,
        result,
        result_files: ended
            .best
            .files()
            .iter()
            .filter(|file| file.exists())
            .map(|file| file.path.clone())
            .collect(),
    }
}

/// As [`summed_up`], with what came of the search for a file that shows the crash alone.
fn summed_up_alone(
    facts: Facts<'_>,
    mut ended: Ended,
    alone: Option<alone::Shown>,
) -> Result<Summary, Failure> {
    let (command, output) = alone.map(|shown| (shown.command, shown.output)).unzip();
    ended.output = output.unwrap_or(ended.output);
    let summary = Summary {
        file_command: command,
        ..summary(facts, ended)
    };
    crate::report::write_reports(&summary)?;
    Ok(summary)
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    if word
        .chars()
        .all(|c| c.is_alphanumeric() || "-_=./+:,@".contains(c))
        && !word.is_empty()
    {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn shell_words<W: AsRef<std::ffi::OsStr>>(words: impl IntoIterator<Item = W>) -> String {
    let words: Vec<String> = words
        .into_iter()
        .map(|word| quoted(&word.as_ref().to_string_lossy()))
        .collect();
    words.join(" ")
}

/// Directories for those who judge candidates side by side, beside an oracle; none if there is to be one job at a time. What may
/// use so much memory is one job.
fn places(
    request: &Request,
    selection: &IceSelection,
    scratch: &Path,
) -> impl Iterator<Item = PathBuf> {
    let several = request.jobs > 1 && selection.memory_limit.is_none();
    let jobs = if several { request.jobs } else { 0 };
    let around = scratch.join("beside");
    (0..jobs).map(move |number| around.join(number.to_string()))
}

/// The output directory: as asked for, or below the user's target directory; absolute.
fn output(request: &Request, package: Option<&Package>, name: &str) -> PathBuf {
    let output = request.output.clone().unwrap_or_else(|| {
        let target = package.map_or_else(|| PathBuf::from("target"), Package::users_target);
        target.join("cargo-reduce").join(name)
    });
    // It fails only for an empty path, or where the current directory is gone.
    std::path::absolute(&output).unwrap_or(output)
}

/// What a trial may take, from what the original took.
fn patience(request: &Request, took: Duration) -> Duration {
    request
        .trial_timeout
        .unwrap_or(took * 10 + Duration::from_secs(5))
}

/// Time that one rustc may take when to compile all of the original, which is more than any candidate has, `took` so long.
fn patience_with_rustc(took: Duration) -> Duration {
    took * 4 + Duration::from_secs(10)
}

/// What a run of a test may take, from what the original's took: it has nothing to compile.
fn patience_with_a_test(request: &Request, took: Duration) -> Duration {
    request
        .trial_timeout
        .unwrap_or(took * 10 + Duration::from_millis(500))
}

/// Whether what shows `property` does so by what is in it, and not by what is missing: an error may.
fn removes_only(property: &PropertyRequest) -> bool {
    match property {
        PropertyRequest::Ice(selection) => {
            selection.sought == Sought::Crash && selection.contrasts.is_empty()
        }
        PropertyRequest::Test(_) | PropertyRequest::Script(_) => false,
    }
}
