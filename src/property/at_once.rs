//! Verdicts on several candidates by one compilation: each is a module of one crate, an error is about the candidate in whose
//! files it stands, and those that compile are run one after the other. Starting rustc and the linker is most of what a small
//! candidate costs.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use super::replayed;
use super::test::Test;
use super::{Judged, Stage, Verdict};
use crate::build::{Compiled, Executable};
use crate::exec::Ending;
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::versions::{Versions, name_in_version};
use crate::syntax::FileId;

/// Attempts to compile what is left without those that do not.
const ROUNDS: usize = 6;

/// The number of what the candidates are made from, which has to be interesting among them as well. It is there once more behind
/// them: what goes wrong where there are several of the same is most often said of the later ones.
const BEST: usize = 0;

impl Test {
    /// As [`Oracle::judge_at_once`](super::Oracle::judge_at_once).
    pub(super) fn judged_at_once(
        &mut self,
        best: &Subject,
        candidates: &[Subject],
        deadline: Option<Instant>,
    ) -> Result<Option<Vec<Option<Judged>>>, Failure> {
        let started = Instant::now();
        let Some((root, from_root)) = self.root_file(best) else {
            return Ok(None);
        };
        let all: Vec<&Subject> = std::iter::once(best)
            .chain(candidates)
            .chain([best])
            .collect();
        let last = all.len() - 1;
        let is_version = |at: &usize| best.has_version(root, all[*at]);
        let mut live: BTreeSet<usize> = (0..all.len()).filter(is_version).collect();
        if live.len() < 3 {
            return Ok(Some(vec![None; candidates.len()]));
        }
        let mut verdicts: BTreeMap<usize, (Verdict, Duration)> = BTreeMap::new();
        let mut compiling = Duration::ZERO;
        let mut built = None;
        for _ in 0..ROUNDS {
            let versions = live.iter().map(|at| (*at, all[*at]));
            let Some(versions) = best.with_versions(root, from_root, versions) else {
                return Ok(None);
            };
            let compiled = self.compiled_at_once(&versions.subject, deadline)?;
            compiling += compiled.cpu();
            if compiled.failed().is_none() {
                built = self
                    .executable(&compiled)
                    .cloned()
                    .map(|executable| (executable, versions));
                break;
            }
            let blamed = blamed(&compiled, &versions);
            // What is wrong with all of them, or with that which surely compiles, is of our making.
            if blamed.is_empty() || blamed.contains_key(&BEST) || blamed.contains_key(&last) {
                return Ok(None);
            }
            for (at, alone) in blamed {
                live.remove(&at);
                if alone {
                    let refused = Verdict::Uninteresting(Stage::Compile);
                    verdicts.insert(at, (refused, Duration::ZERO));
                }
            }
        }
        let Some((executable, versions)) = built else {
            return Ok(None);
        };
        live.remove(&last);
        for at in live {
            let version = (at, all[at]);
            let (verdict, cpu) = self.judged_version(version, &executable, &versions, deadline)?;
            if at == BEST && verdict != Verdict::Interesting {
                return Ok(None);
            }
            verdicts.insert(at, (verdict, cpu));
        }
        let share = u32::try_from(verdicts.len()).unwrap_or(u32::MAX);
        let wall = started.elapsed() / share;
        let judged = (BEST + 1..last).map(|at| {
            let (verdict, cpu) = verdicts.remove(&at)?;
            Some(Judged {
                verdict,
                cpu: cpu + compiling / share,
                wall,
                output: String::new(),
                errors: Vec::new(),
            })
        });
        Ok(Some(judged.collect()))
    }

    /// The root file of the only crate of which there can be versions, that of a test which is known by its name; and whether
    /// its paths begin there.
    fn root_file(&self, subject: &Subject) -> Option<(FileId, bool)> {
        if self.runs_a_program() {
            return None;
        }
        let (captured, unit) = (self.captured(), self.replayed().last_unit()?);
        let is_known = self
            .args()
            .first()
            .is_some_and(|name| !name.starts_with('-'))
            && self.args().iter().any(|argument| argument == "--exact");
        if !unit.is_test || !is_known {
            return None;
        }
        let root = subject.find(unit.source.strip_prefix(&captured.root).ok()?)?;
        Some((root, unit.edition == "2015"))
    }

    /// What the version of this number, which is `candidate`, shows.
    fn judged_version(
        &mut self,
        (at, candidate): (usize, &Subject),
        executable: &Executable,
        versions: &Versions,
        deadline: Option<Instant>,
    ) -> Result<(Verdict, Duration), Failure> {
        let mut args = self.args().to_vec();
        if let Some(name) = args.first_mut() {
            *name = name_in_version(at, name);
        }
        let usual = self.set_args(args);
        let guards = self.guards().cloned();
        let own = guards.clone().map(|mut guards| {
            for name in &mut guards.names {
                *name = name_in_version(at, name);
            }
            guards
        });
        self.replace_guards(own);
        let judged = self.judged_run(executable, &versions.subject, candidate, deadline);
        self.replace_guards(guards);
        self.set_args(usual);
        judged
    }

    fn judged_run(
        &mut self,
        executable: &Executable,
        versions: &Subject,
        candidate: &Subject,
        deadline: Option<Instant>,
    ) -> Result<(Verdict, Duration), Failure> {
        let mut seen = self.in_a_hurry(|test| test.observe_run(executable, versions, deadline))?;
        // Where its panic stands tells in the text that was compiled.
        self.look_at_the_way(&mut seen, versions, deadline)?;
        let verdict = self.verdict(&mut seen, candidate, deadline)?;
        let ending = seen.ran.as_ref().map(|ran| ran.ending);
        let verdict = match ending {
            Some(Ending::TimedOut) if !self.is_to_hang() => Verdict::Uninteresting(Stage::Run),
            _ => verdict,
        };
        Ok((verdict, seen.cpu))
    }
}

/// The versions in whose files an error stands, or that one is told of, and whether each is about no other as well.
fn blamed(compiled: &Compiled, versions: &Versions) -> BTreeMap<usize, bool> {
    let errors = replayed::errors(compiled);
    let mut found: BTreeMap<usize, bool> = BTreeMap::new();
    for error in &errors {
        let at = |span: &crate::build::Span| versions.of(&span.outermost().file);
        let every: BTreeSet<usize> = error.spans.iter().filter_map(at).collect();
        let primary: BTreeSet<usize> = error.primary_spans().filter_map(at).collect();
        let own = if primary.is_empty() { &every } else { &primary };
        for number in own {
            *found.entry(*number).or_default() |= every.len() == 1;
        }
    }
    found
}
