//! The loop: passes × minimizer × oracle. Decides the order of things and keeps what was found; it
//! knows no compiler and no syntax.

mod drift;
mod good;
mod guards;
mod implied;
mod manifest;
mod memory;
mod package;
mod pipeline;
mod priors;
mod schedule;
pub mod scratch;
mod screen;
mod solve;
mod store;
mod sweep;
mod traverse;
mod trim;

use std::collections::HashMap;
use std::time::{Duration, Instant};

pub use pipeline::reduce;
pub use store::Store;

use crate::exec::Cancel;
use crate::minimize::{self, Item, Settings};
use crate::passes::Pass;
use crate::passes::assertions::Stretch;
use crate::property::{Judged, Oracle, Stage, Verdict};
use crate::report::{Event, Failure, Fate, Observer, PassStatistics, TrialOutcome};
use crate::subject::{Element, Joint, Subject};
use memory::{Priors, Refusals};

/// Why the search ended before it was through.
#[derive(Debug)]
pub enum Stop {
    /// The user asked for it.
    Cancelled,
    /// The time is up.
    TimeLimit,
    /// No further verdict can be had.
    Failed(Failure),
}

/// How often what was asked.
#[derive(Debug, Clone, Default)]
pub struct Counts {
    /// Candidates put to the oracle.
    pub trials: usize,
    /// Those that were interesting.
    pub interesting: usize,
    /// Verdicts that were known already.
    pub cache_hits: usize,
    /// User and system time of all trials.
    pub cpu: Duration,
}

/// The state of one reduction.
pub struct Engine<'a> {
    oracle: &'a mut dyn Oracle,
    observer: &'a mut dyn Observer,
    cancel: Cancel,
    deadline: Option<Instant>,
    settings: Settings,
    traversal: crate::passes::Traversal,
    wanted: PassFilter,
    scope: Scope,
    best: Subject,
    store: Store,
    verdicts: HashMap<blake3::Hash, bool>,
    refusals: Refusals,
    priors: Priors,
    screen: screen::Screen,
    /// `None` where less may show what more does not.
    implied: Option<implied::Implied>,
    counts: Counts,
    passes: Vec<PassStatistics>,
    pass: &'static str,
    /// Whether modules and crates are put into one file.
    flatten: bool,
    /// Whether names become those of an example in the end.
    renames: bool,
    /// The libraries that can go into the crate that shows the failure, users before what they use; none if that is
    /// not wanted.
    joints: Vec<Joint>,
    /// What is compiled under which conditions.
    conditions: crate::passes::Conditions,
    /// Names of functions that must stay: the test.
    protected: Vec<String>,
    /// The next trial is run for its compile errors: no screen stands in for the compiler.
    wants_errors: bool,
    /// How many tokens there were when all definitions were solved last.
    solved_at: Option<usize>,
    /// Files that parse need not do so in candidates.
    may_break_syntax: bool,
    /// The compile errors of the last trial.
    errors: Vec<crate::build::Diagnostic>,
    /// The best at the end of each pass that found something, for when the final judgement steps back.
    milestones: Vec<Subject>,
    /// The last that fresh runs confirmed, or the start.
    confirmed: Subject,
    /// What became the best since then, in order.
    since: Vec<Subject>,
}

/// Which passes run: names to take, names to leave out.
#[derive(Debug, Clone, Default)]
pub struct PassFilter {
    only: Vec<String>,
    without: Vec<String>,
}

impl PassFilter {
    /// From the names of `--passes`: `NAME` takes only those named, `-NAME` leaves one out.
    pub fn new(names: &[String]) -> PassFilter {
        let (without, only): (Vec<&String>, Vec<&String>) =
            names.iter().partition(|name| name.starts_with('-'));
        PassFilter {
            only: only.into_iter().cloned().collect(),
            without: without
                .into_iter()
                .map(|name| name[1..].to_string())
                .collect(),
        }
    }

    /// Whether the pass `name` runs.
    pub fn takes(&self, name: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|other| other == name);
        (self.only.is_empty() || named(&self.only)) && !named(&self.without)
    }
}

/// Which files may change.
#[derive(Debug, Clone, Default)]
pub struct Scope {
    fixed: std::collections::BTreeSet<std::path::PathBuf>,
    untouched: Vec<Stretch>,
    keep: Option<globset::GlobSet>,
    only: Option<globset::GlobSet>,
}

impl Scope {
    /// From `--keep` and `--only`.
    ///
    /// # Errors
    ///
    /// When a glob is malformed.
    pub fn new(keep: &[String], only: &[String]) -> Result<Scope, globset::Error> {
        let set = |globs: &[String]| -> Result<Option<globset::GlobSet>, globset::Error> {
            if globs.is_empty() {
                return Ok(None);
            }
            let mut builder = globset::GlobSetBuilder::new();
            for glob in globs {
                builder.add(globset::Glob::new(glob)?);
            }
            builder.build().map(Some)
        };
        Ok(Scope {
            fixed: Default::default(),
            untouched: Vec::new(),
            keep: set(keep)?,
            only: set(only)?,
        })
    }

    /// The same with `fixed` files that must not change either.
    pub fn fixing(mut self, fixed: std::collections::BTreeSet<std::path::PathBuf>) -> Scope {
        self.fixed.extend(fixed);
        self
    }

    /// The same with text that must stay as it is, wherever it stands by then.
    pub fn leaving(mut self, untouched: Vec<Stretch>) -> Scope {
        self.untouched.extend(untouched);
        self
    }

    /// Whether the beginning of `file` must stay as it is: then what is around a test does.
    fn leaves_beginning_of(&self, file: crate::syntax::FileId) -> bool {
        let mut own = self.untouched.iter().filter(|stretch| stretch.file == file);
        own.any(|stretch| stretch.range.start == 0 && !stretch.range.is_empty())
    }

    /// Whether the file at `path` may change.
    pub fn allows(&self, path: &std::path::Path) -> bool {
        !self.fixed.contains(path)
            && !self.keep.as_ref().is_some_and(|keep| keep.is_match(path))
            && self.only.as_ref().is_none_or(|only| only.is_match(path))
    }

    /// Whether the user leaves it to us what becomes of `element`: files that must not change because no
    /// replay would notice may go where cargo itself judges.
    fn leaves(&self, subject: &Subject, element: &Element) -> bool {
        let scope = Scope {
            fixed: Default::default(),
            ..self.clone()
        };
        scope.allows_element(subject, element)
    }

    fn allows_element(&self, subject: &Subject, element: &Element) -> bool {
        let files = element
            .edits
            .iter()
            .map(|edit| edit.file)
            .chain(element.drops.iter().copied());
        let drops = element.drops.iter().map(|file| (*file, 0..usize::MAX));
        let ranges = element
            .edits
            .iter()
            .map(|edit| (edit.file, edit.range.clone()))
            .chain(drops);
        files
            .into_iter()
            .all(|file| self.allows(&subject.file(file).path))
            && (self.untouched.is_empty()
                || !ranges
                    .into_iter()
                    .any(|(file, range)| self.touches(subject, file, range)))
    }

    /// Whether any of `range` is text that must stay as it is.
    fn touches(
        &self,
        subject: &Subject,
        file: crate::syntax::FileId,
        range: std::ops::Range<usize>,
    ) -> bool {
        let Some(text) = subject.file(file).text() else {
            return false;
        };
        text.originals(range).any(|(origin, length)| {
            self.untouched.iter().any(|stretch| {
                stretch.file == origin.file
                    && origin.offset < stretch.range.end
                    && stretch.range.start < origin.offset + length
            })
        })
    }
}

impl Engine<'_> {
    /// The smallest interesting subject so far.
    pub fn best(&self) -> &Subject {
        &self.best
    }

    /// Runs one pass over all its rounds; whether it removed anything.
    fn pass(&mut self, pass: &dyn Pass) -> Result<bool, Stop> {
        if !self.wanted.takes(pass.name()) {
            return Ok(false);
        }
        let before = self.best.tokens();
        let counts = self.begin(pass.name());
        let mut changed = false;
        let mut round = 0;
        let mut outcome = Ok(());
        while let Some(list) = pass.list(&self.best, round) {
            if !list.is_empty() {
                match self.list(list, |subject| {
                    pass.list(subject, round).unwrap_or_default()
                }) {
                    Ok(smaller) => changed |= smaller,
                    Err(stop) => {
                        outcome = Err(stop);
                        break;
                    }
                }
            }
            round += 1;
        }
        self.finish_pass(before, &counts);
        outcome?;
        let stepped_back = self.reconfirm()?;
        Ok(changed && (!stepped_back || self.best.tokens() < before))
    }

    /// Notes that a pass begins; what was counted until then.
    fn begin(&mut self, pass: &'static str) -> Counts {
        self.pass = pass;
        self.counts.clone()
    }

    /// Whether `range` holds something that must stay: the test itself.
    fn protects(&self, file: crate::syntax::FileId, range: &std::ops::Range<usize>) -> bool {
        let Some(tree) = self.best.file(file).tree() else {
            return true;
        };
        let source = self.best.file(file).source();
        self.protected.iter().any(|name| {
            tree.nodes().any(|(_, node)| {
                let named = node
                    .name
                    .as_ref()
                    .is_some_and(|own| &source[own.clone()] == name);
                named
                    && matches!(
                        node.kind,
                        crate::syntax::Kind::Item(crate::syntax::ItemKind::Fn)
                    )
                    && range.start <= node.range.start
                    && node.range.end <= range.end
            })
        })
    }

    fn finish_pass(&mut self, before: usize, counts: &Counts) {
        let trials = self.counts.trials - counts.trials;
        let interesting = self.counts.interesting - counts.interesting;
        let tokens_removed = before.saturating_sub(self.best.tokens());
        if tokens_removed > 0 {
            self.milestones.push(self.best.clone());
        }
        let name = self.pass;
        let at = self
            .passes
            .iter()
            .position(|known| known.name == name)
            .unwrap_or_else(|| {
                self.passes.push(PassStatistics {
                    name: name.to_string(),
                    trials: 0,
                    interesting: 0,
                    tokens_removed: 0,
                    cpu: Duration::ZERO,
                });
                self.passes.len() - 1
            });
        let statistics = &mut self.passes[at];
        statistics.trials += trials;
        statistics.interesting += interesting;
        statistics.tokens_removed += tokens_removed;
        statistics.cpu += self.counts.cpu.saturating_sub(counts.cpu);
        if trials > 0 {
            self.observer.event(&Event::PassFinished {
                name,
                trials,
                interesting,
                tokens_removed,
            });
        }
    }

    /// Searches one list; whether anything in it went. `again` makes the list anew from what is left.
    fn list(
        &mut self,
        elements: Vec<Element>,
        again: impl Fn(&Subject) -> Vec<Element>,
    ) -> Result<bool, Stop> {
        let base = self.best.clone();
        let contexts = memory::Contexts::of(&base);
        let elements: Vec<Element> = elements
            .into_iter()
            .filter(|element| self.scope.allows_element(&base, element))
            .filter(|element| !self.refusals.stands(&base, &contexts, element))
            .collect();
        if elements.is_empty() {
            return Ok(false);
        }
        self.observer.event(&Event::PassStarted {
            name: self.pass,
            lists: 1,
            elements: elements.len(),
        });
        let items: Vec<Item> = elements
            .iter()
            .map(|element| Item {
                weight: element.weight(),
                prior: Some(self.priors.of(self.pass, element.kind)),
            })
            .collect();
        let mut settings = self.settings.clone();
        settings.try_all_first &= self.priors.all_at_once(self.pass, elements.len());
        let mut minimizer = minimize::minimizer(&items, &settings);
        let mut singles = memory::Singles::new(&base, &elements);
        let mut contexts = contexts;
        while let Some(trial) = minimizer.propose() {
            let mut gone = minimizer.removed();
            if let [single] = trial.remove[..]
                && singles.stands(&base, &elements, single, &gone, &contexts)
            {
                minimizer.record(false);
                continue;
            }
            let before = gone.len();
            gone.extend(&trial.remove);
            let candidate = base.without(gone.iter().map(|at| &elements[*at]));
            let interesting = self.trial(candidate)?;
            minimizer.record(interesting);
            if trial.remove.len() == elements.len() && elements.len() > 1 {
                self.priors.learn_all_at_once(self.pass, interesting);
            }
            if interesting {
                contexts = memory::Contexts::of(&self.best);
            } else if let [single] = trial.remove[..] {
                singles.add(&base, &elements, single, &gone[..before], &contexts);
            }
        }
        let removed = minimizer.removed();
        let mut is_gone = vec![false; elements.len()];
        removed.iter().for_each(|at| is_gone[*at] = true);
        let fate = |(element, gone): (&Element, &bool)| Fate {
            kind: element.kind,
            weight: element.weight(),
            gone: *gone,
        };
        let fates: Vec<Fate> = elements.iter().zip(&is_gone).map(fate).collect();
        for fate in &fates {
            self.priors.learn(self.pass, fate.kind, !fate.gone);
        }
        self.observer.event(&Event::ListSearched {
            pass: self.pass,
            fates: &fates,
        });
        if self.settings.one_minimal {
            let kept = elements
                .iter()
                .zip(&is_gone)
                .filter(|(_, gone)| !**gone)
                .map(|(element, _)| element);
            self.refusals
                .add(&base, kept, &self.best, again(&self.best));
        }
        Ok(!removed.is_empty())
    }

    /// Puts a candidate to the oracle, unless the verdict is known; makes it the best if it is interesting.
    fn trial(&mut self, candidate: Subject) -> Result<bool, Stop> {
        let key = candidate.key();
        if key == self.best.key() {
            return Ok(true);
        }
        if let Some(known) = self.verdicts.get(&key).copied() {
            self.counts.cache_hits += 1;
            if known {
                self.accept(candidate)?;
            }
            return Ok(known);
        }
        if self.cancel.is_set() {
            return Err(Stop::Cancelled);
        }
        if self
            .deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Stop::TimeLimit);
        }
        if !self.still_parses(&candidate) {
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
        let judged = match self.oracle.judge(&candidate, self.deadline) {
            Ok(judged) => judged,
            Err(Failure::Interrupted) if !self.cancel.is_set() => return Err(Stop::TimeLimit),
            Err(Failure::Interrupted) => return Err(Stop::Cancelled),
            Err(failure) => return Err(Stop::Failed(failure)),
        };
        let judged = self.preferred(&candidate, judged);
        let interesting = judged.verdict == Verdict::Interesting;
        self.screen.learn(&complaints, interesting);
        if let Some(implied) = &mut self.implied {
            implied.learn(&candidate, &judged.verdict);
        }
        self.record(&candidate, key, &judged)
    }

    /// As [`trial`](Self::trial), with the compile errors; a verdict that is known is asked for again
    /// when it is the errors that matter.
    fn trial_with_errors(
        &mut self,
        candidate: Subject,
    ) -> Result<(bool, Vec<crate::build::Diagnostic>), Stop> {
        let key = candidate.key();
        self.errors.clear();
        if self.verdicts.get(&key) == Some(&false) {
            self.verdicts.remove(&key);
        }
        self.wants_errors = true;
        let interesting = self.trial(candidate);
        self.wants_errors = false;
        Ok((interesting?, std::mem::take(&mut self.errors)))
    }

    fn record(
        &mut self,
        candidate: &Subject,
        key: blake3::Hash,
        judged: &Judged,
    ) -> Result<bool, Stop> {
        let interesting = judged.verdict == Verdict::Interesting;
        self.counts.trials += 1;
        self.counts.cpu += judged.cpu;
        self.errors.clone_from(&judged.errors);
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
        self.store
            .record(key, &judged.verdict)
            .map_err(Stop::Failed)?;
        if let Verdict::Slipped(signature) = &judged.verdict
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

    fn accept(&mut self, candidate: Subject) -> Result<(), Stop> {
        self.best = candidate;
        self.since.push(self.best.clone());
        self.store.keep(&self.best).map_err(Stop::Failed)?;
        let event = self.new_best();
        self.observer.event(&event);
        Ok(())
    }

    fn new_best(&self) -> Event<'static> {
        Event::NewBest {
            tokens: self.best.tokens(),
            files: self.best.source_files(),
            bytes: drift::bytes(&self.best),
        }
    }

    /// Whether every file that parsed still does: rustc would only say the same, slower.
    fn still_parses(&self, candidate: &Subject) -> bool {
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
