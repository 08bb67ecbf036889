//! The sweep: find out what ran, stub everything else, delete the definitions that nothing needs.
//! It removes nine tenths of a big crate before any search begins.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::memory::Contexts;
use super::probing;
use super::solve::Solved;
use super::trial::stop;
use super::{Engine, Stop};
use crate::passes::assertions::Stretch;
use crate::passes::definitions::{Definition, definitions};
use crate::passes::ran::{self, Ran};
use crate::passes::{self, End, Pass};
use crate::property::Traced;
use crate::report::Event;
use crate::subject::{Element, Subject};
use crate::syntax::{FileId, ItemKind, Kind, Origin};

/// Where there are more, most of what live text mentions is needed, and asking for the rest brings thousands of errors, which
/// rustc takes long to explain.
const FEW_TOKENS: usize = 10_000;

/// Unless so much of all tokens, in per cent, is in definitions in which nothing ran.
const MUCH_IDLE: usize = 40;

/// All definitions, and what lints name, are solved once more when at most so much is left, in per cent.
pub(super) const WORTH_ANOTHER: usize = 97;

/// So many places of what stays are told.
const SHOWN_DECISIONS: usize = 4;

/// How often a list is solved again when that removed something.
const SOLVING_ROUNDS: usize = 3;

impl Engine<'_> {
    /// What ran at first; it is found out unless it is `known`.
    pub(super) fn first_run(&mut self, known: Option<Ran>) -> Result<Option<Ran>, Stop> {
        if !self.wanted.takes("sweep") && !self.wanted.takes("solve") {
            return Ok(None);
        }
        match known {
            Some(ran) => {
                self.tell_what(&ran);
                Ok(Some(ran))
            }
            None => self.part("sweep", Self::ran),
        }
    }

    /// Leaves what decided that the program fails as it is: without it, it would fail for no reason.
    pub(super) fn keep_decisions(
        &mut self,
        ran: &Ran,
        end: Option<End>,
        message: &str,
    ) -> Result<(), Stop> {
        let Some(end) = end else {
            return self.keep_unentered(ran);
        };
        let mut stretches = passes::decisions(&self.best, ran, end, message);
        if let Some((closed, stretch)) = passes::check(&self.best, ran, end)
            && self.wanted.takes("sweep")
            && self.scope.allows_element(&self.best, &closed)
        {
            let candidate = self.best.without([&closed]);
            let trial = |engine: &mut Self| engine.trial_that_changes_nothing(candidate);
            if self.part("sweep", trial)? {
                stretches.push(stretch);
            }
        }
        if end == End::Endless {
            self.turning = passes::endless(&self.best, ran);
        }
        self.leave(stretches, "what decided that it fails stays as it is");
        Ok(())
    }

    /// Has the branches that stood at these places be left, of which no test enters any.
    pub(super) fn leave_unentered(&mut self, places: Vec<Origin>) {
        self.unentered = places;
    }

    /// Has it be known how many tests that pass come to a place.
    pub(super) fn know_common(&mut self, common: HashMap<Origin, usize>) {
        self.common = common;
    }

    /// Leaves what decides that branches are not entered which no test enters: where the test compares values, that may be what is
    /// wrong.
    fn keep_unentered(&mut self, ran: &Ran) -> Result<(), Stop> {
        let mut stretches = Vec::new();
        for origin in std::mem::take(&mut self.unentered) {
            let Some((closed, stood)) = passes::closed(&self.best, ran, origin) else {
                continue;
            };
            if !self.wanted.takes("sweep") || !self.scope.allows_element(&self.best, &closed) {
                continue;
            }
            // What one run does not enter, another one may.
            let candidate = self.best.without([&closed]);
            let trial = |engine: &mut Self| engine.trial_that_changes_nothing(candidate);
            if self.part("sweep", trial)? {
                stretches.extend(stood);
            }
        }
        self.deciding.extend_from_slice(&stretches);
        self.leave(
            stretches,
            "branches that no test enters stay, with what decides so",
        );
        Ok(())
    }

    /// Leaves what decides that branches are not entered, and what heeds a condition, no longer where the run in which `ran` ran does
    /// not come to it: as long as it is known by something else what the failure is about, that is of no matter to it.
    fn release_what_decides_nothing(&mut self, ran: &Ran) {
        if !self.decisive.is_empty() {
            let idle = passes::idle(&self.best, ran, &self.deciding);
            self.deciding.retain(|stretch| !idle.contains(stretch));
            self.scope = std::mem::take(&mut self.scope).releasing(&idle);
        }
    }

    /// Leaves the stubs that what is decisive keeps from being entered: it would decide nothing without them.
    fn leave_stubs_behind_what_is_decisive(&mut self) {
        let decisive = self.decisive_in(&self.best);
        let stubs = decisive
            .iter()
            .flat_map(|one| passes::stubs_behind(&self.best, one));
        let new: Vec<Stretch> = stubs.filter(|one| !self.deciding.contains(one)).collect();
        self.deciding.extend_from_slice(&new);
        self.scope = std::mem::take(&mut self.scope).leaving(new);
    }

    /// Leaves the `stretches` as they are, and says `why`.
    pub(super) fn leave(&mut self, stretches: Vec<Stretch>, why: &str) {
        let lines: BTreeSet<(FileId, usize)> = stretches
            .iter()
            .map(|stretch| {
                let source = self.start.file(stretch.file).source();
                let before = source.bytes().take(stretch.range.start as usize);
                let line = before.filter(|byte| *byte == b'\n').count() + 1;
                (stretch.file, line)
            })
            .collect();
        if !lines.is_empty() {
            let shown = lines.iter().take(SHOWN_DECISIONS).map(|(file, line)| {
                let path = self.start.file(*file).path.display();
                format!("{path}:{line}")
            });
            let shown: Vec<String> = shown.collect();
            let more = lines.len() - shown.len();
            let more = (more > 0).then(|| format!(" and {more} more"));
            self.observer.event(&Event::Note(&format!(
                "{why}: {}{}",
                shown.join(", "),
                more.unwrap_or_default()
            )));
        }
        self.scope = std::mem::take(&mut self.scope).leaving(stretches);
    }

    /// Takes away at once what surely is of no matter: comments, what no condition holds for, and what is not in `ran`.
    pub(super) fn strip(&mut self, ran: &Ran) -> Result<(), Stop> {
        let (comments, conditions) = (self.comments(), self.conditions.clone());
        if !["sweep", comments.name(), conditions.name()]
            .iter()
            .all(|name| self.wanted.takes(name))
        {
            return Ok(());
        }
        self.part("sweep", |engine| {
            let mut all = comments.list(&engine.best, 0).unwrap_or_default();
            all.extend(conditions.list(&engine.best, 0).unwrap_or_default());
            let advice = passes::advice(&engine.best).into_iter();
            all.extend(advice.filter_map(|all| engine.scope.besides(&engine.best, all)));
            all.extend(ran::stubs(&engine.best, ran));
            engine.solve_replacements(&all).map(|_| ())
        })
    }

    /// Runs the sweep until it removes nothing more; whether it removed anything.
    pub(super) fn sweep(&mut self) -> Result<bool, Stop> {
        self.sweep_knowing(None)
    }

    /// The same; what `ran` in the first place may be known.
    pub(super) fn sweep_knowing(&mut self, mut known: Option<Ran>) -> Result<bool, Stop> {
        let before = self.best.tokens();
        let (sweeps, solves) = (self.wanted.takes("sweep"), self.wanted.takes("solve"));
        if !sweeps && !solves {
            return Ok(false);
        }
        loop {
            let ran = match known.take() {
                Some(ran) => Some(ran),
                None => self.part("sweep", Self::ran)?,
            };
            let Some(ran) = ran else {
                return Ok(false);
            };
            let best = self.best.clone();
            if self.is_the_same(&best, &ran) && self.decides(&best)? != Some(false) {
                self.trust(&best);
            } else if self.reconfirm_now()? {
                continue;
            }
            self.release_what_decides_nothing(&ran);
            self.calls = ran.calls.clone();
            if sweeps {
                self.part("sweep", |engine| engine.stub_what_did_not_run(&ran))?;
                self.leave_stubs_behind_what_is_decisive();
                self.part("hollow-branches", Self::fold_what_holds_nothing)?;
            }
            if solves {
                self.part("solve", |engine| engine.solve_what_did_not_run(&ran))?;
                self.drop_what_nothing_mentions()?;
            }
            self.drop_unused()?;
            if !self.reconfirm()? {
                return Ok(self.best.tokens() < before);
            }
        }
    }

    /// Does `part` of the work under a pass's name.
    pub(super) fn part<T>(
        &mut self,
        name: &'static str,
        part: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let (before, counts) = (self.best.tokens(), self.begin(name));
        self.observer.event(&Event::PassStarted {
            name,
            lists: 1,
            elements: 0,
        });
        let outcome = part(self);
        self.finish_pass(before, &counts);
        outcome
    }

    fn tell_what(&mut self, ran: &Ran) {
        let (hit, all) = ran.counts();
        self.observer
            .event(&Event::Note(&format!("{hit} of {all} places ran")));
    }

    fn stub_what_did_not_run(&mut self, ran: &Ran) -> Result<(), Stop> {
        let stubs = ran::stubs(&self.best, ran);
        let left = match self.solved_replacements(&stubs)? {
            Solved::Yes { .. } => return Ok(()),
            // Errors that do not tell which of them it is.
            Solved::No => (0..stubs.len()).collect(),
            // Something ran that had no probe.
            Solved::CompilesWithout(gone) => gone,
        };
        self.drop_by_halves(&stubs, left)
    }

    /// What is a part of a definition, and nowhere mentioned, goes all at once.
    fn drop_what_nothing_mentions(&mut self) -> Result<(), Stop> {
        for pass in passes::named() {
            if !self.wanted.takes(pass.name()) {
                continue;
            }
            let contexts = Contexts::of(&self.best);
            let list = pass.list(&self.best, 0).unwrap_or_default().into_iter();
            let list: Vec<Element> = list
                .filter(|element| contexts.unmentioned(&self.best, element))
                .filter(|element| !self.refusals.stands(&self.best, &contexts, element))
                .collect();
            if !list.is_empty() {
                self.part(pass.name(), |engine| engine.solve_replacements(&list))?;
            }
        }
        Ok(())
    }

    /// Where a branch never ran, nobody needs what decides about it.
    fn fold_what_holds_nothing(&mut self) -> Result<(), Stop> {
        let degrees = passes::hollow();
        if !self.wanted.takes(degrees[0].name()) {
            return Ok(());
        }
        for round in 0.. {
            for hollow in &degrees {
                let Some(list) = hollow.list(&self.best, round) else {
                    return Ok(());
                };
                // A condition may do something in spite of what it looks like: to find out which is for the search.
                if list.is_empty() || self.solve_replacements(&list)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Deletes what no live text mentions first, as far as names tell; then all that did not run, so
    /// that only what an error asks for comes back.
    fn solve_what_did_not_run(&mut self, ran: &Ran) -> Result<(), Stop> {
        let unneeded: fn(&Definition) -> bool = |one| one.unneeded;
        // What a `*` brings in is not to be seen.
        let any: fn(&Definition) -> bool = |one| one.names.iter().all(|name| name != "*");
        let tokens = self.best.tokens();
        let shrunk = |then: Option<usize>| then.is_none_or(|then| is_much_less(tokens, then));
        // What the compiler asked for stays until much of what may have needed it is gone.
        let mut needed = match shrunk(self.needed_at) {
            true => {
                self.needed_at = Some(tokens);
                self.named_in_vain.clear();
                HashSet::new()
            }
            false => std::mem::take(&mut self.needed),
        };
        self.drop_what_nothing_reaches(ran)?;
        self.solve_rounds(ran, unneeded, SOLVING_ROUNDS, &mut needed)?;
        self.needed.clone_from(&needed);
        self.drop_what_nothing_reaches(ran)?;
        let idle = self.idle(ran) * 100 > MUCH_IDLE * self.best.tokens();
        if shrunk(self.solved_at) && (tokens <= FEW_TOKENS || idle || self.thorough) {
            loop {
                let before = self.best.tokens();
                self.solve_rounds(ran, any, 1, &mut needed)?;
                let after = self.best.tokens();
                if after * 100 > before * WORTH_ANOTHER {
                    break;
                }
                // Much of what errors asked back was for the sake of what has gone since.
                needed.clear();
            }
            self.solved_at = Some(self.best.tokens());
        }
        Ok(())
    }

    /// What nothing leads to from what ran goes: what errors asked back may have been for the sake of each other.
    fn drop_what_nothing_reaches(&mut self, ran: &Ran) -> Result<(), Stop> {
        let mut needed = HashSet::new();
        for _ in 0..SOLVING_ROUNDS {
            let all = self.definitions(ran);
            let dead = passes::unreachable(&self.best, &all).into_iter();
            let first: BTreeSet<usize> = dead
                .filter(|at| !self.reached.contains(&all[*at].origin))
                .collect();
            if first.is_empty() {
                break;
            }
            let asked: Vec<Option<Origin>> = first.iter().map(|at| all[*at].origin).collect();
            let solved = self.solve_definitions(&all, first, &mut needed)?;
            self.reached.extend(needed.iter().copied());
            if !solved {
                self.reached.extend(asked);
                break;
            }
        }
        Ok(())
    }

    /// The tokens of the definitions in which nothing ran.
    fn idle(&self, ran: &Ran) -> usize {
        let mut ends: HashMap<FileId, usize> = HashMap::new();
        let mut tokens = 0;
        // In order of their text: what stands in another one comes behind it.
        for definition in self.definitions(ran) {
            let end = ends.entry(definition.file).or_default();
            if definition.range.start >= *end {
                *end = definition.range.end;
                tokens += definition.element.weight() as usize;
            }
        }
        tokens
    }

    /// Has the next sweep ask for all definitions as if none had been asked for yet: what was needed may not be any more.
    pub(super) fn ask_for_everything_again(&mut self) {
        self.solved_at = None;
        self.needed_at = None;
        self.reached.clear();
        self.named_in_vain.clear();
    }

    /// Has the next sweep solve all definitions, however many there are, unless that was done; whether anything went.
    pub(super) fn solve_anything(&mut self) -> Result<bool, Stop> {
        if self.solved_at.is_some() || std::mem::replace(&mut self.thorough, true) {
            return Ok(false);
        }
        self.sweep()
    }

    /// Solves the list of those definitions that `chosen` takes and that were not `needed` so far, up to `rounds` times.
    fn solve_rounds(
        &mut self,
        ran: &Ran,
        chosen: fn(&Definition) -> bool,
        rounds: usize,
        needed: &mut HashSet<Option<Origin>>,
    ) -> Result<(), Stop> {
        for _ in 0..rounds {
            let all = self.definitions(ran);
            let contexts = Contexts::of(&self.best);
            // What was asked back for a name that nothing mentions any more is asked for again.
            let done = |one: &Definition| {
                let idle = one.element.kind == Kind::Item(ItemKind::Fn)
                    && contexts.unmentioned(&self.best, &one.element);
                needed.contains(&one.origin) && !idle
            };
            let open = |at: &usize| chosen(&all[*at]) && !done(&all[*at]);
            let first: BTreeSet<usize> = (0..all.len()).filter(open).collect();
            if first.is_empty() || !self.solve_definitions(&all, first, needed)? {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn definitions(&self, ran: &Ran) -> Vec<Definition> {
        let protected = self.protected_tests(ran);
        definitions(&self.best, Some(ran), &|file, range: &Range<usize>| {
            let is_in = |(its, own): &(FileId, Range<usize>)| {
                *its == file && range.start <= own.start && own.end <= range.end
            };
            protected.iter().any(is_in)
        })
    }

    /// What must stay: tests, by their names, or the macro calls that make them. Where as many functions of a name `ran` as have
    /// to stay, those are meant.
    fn protected_tests(&self, ran: &Ran) -> Vec<(FileId, Range<usize>)> {
        let mut protected = Vec::new();
        let names: BTreeSet<&String> = self.protected.iter().collect();
        for name in names {
            let (mut running, mut idle) = (Vec::new(), Vec::new());
            for (file, version, tree) in self.best.sources() {
                let is_named = |own: &Range<usize>| version.source()[own.clone()] == **name;
                for (_, node) in tree.nodes() {
                    if node.kind != Kind::Item(ItemKind::Fn)
                        || !node.name.as_ref().is_some_and(is_named)
                    {
                        continue;
                    }
                    let place = (file, node.range.clone());
                    match ran.within(&self.best, file, tree, node) {
                        true => running.push(place),
                        false => idle.push(place),
                    }
                }
            }
            let wanted = self.protected.iter().filter(|own| *own == name).count();
            if running.len() + idle.len() < wanted {
                // What makes them has no probe.
                protected.extend(passes::calls_that_make(&self.best, name));
            }
            if running.len() < wanted {
                protected.append(&mut idle);
            }
            protected.append(&mut running);
        }
        protected
    }

    /// Whether there is something by which a run can be told from one that fails in the same way for another reason.
    pub(super) fn knows_why(&self) -> bool {
        self.turning.is_some() || !self.decisive.is_empty()
    }

    /// Whether `subject` fails for the reason that it failed for at first, as far as it is known: what went on and on still does,
    /// and what is decisive is evaluated and decides something.
    pub(super) fn is_still_the_same(&mut self, subject: &Subject) -> Result<bool, Stop> {
        if !self.knows_why() {
            return Ok(true);
        }
        if self.turning.is_none()
            && let Some(decides) = self.decides(subject)?
        {
            return Ok(decides);
        }
        Ok(match self.traced(subject)? {
            Traced::Ran(ran) => self.is_the_same(subject, &ran),
            _ => true,
        })
    }

    /// The same, by the run of it in which `ran` ran.
    fn is_the_same(&self, subject: &Subject, ran: &Ran) -> bool {
        self.turns(ran) && self.evaluates_what_is_decisive(subject, ran)
    }

    /// Whether what went on and on when the failure showed at first still does in the run in which `ran` ran.
    fn turns(&self, ran: &Ran) -> bool {
        self.turning.is_none_or(|turning| {
            ran.late.is_empty() || !ran.knows(turning) || ran.late.contains(&turning)
        })
    }

    pub(super) fn traced(&mut self, subject: &Subject) -> Result<Traced<Ran>, Stop> {
        self.may_go_on()?;
        let probing = probing::probed(subject, |probed| {
            self.oracle.trace(probed).map_err(stop(&self.cancel))
        })?;
        Ok(probing.map(|(hits, probes)| Ran::of(&probes, &hits)))
    }

    /// What ran, as far as it can be found out.
    fn ran(&mut self) -> Result<Option<Ran>, Stop> {
        let subject = self.best.clone();
        match self.traced(&subject)? {
            Traced::Ran(ran) => {
                self.tell_what(&ran);
                return Ok(Some(ran));
            }
            Traced::Nothing => return Ok(None),
            Traced::Errors(_) => {}
        }
        self.observer.event(&Event::Note(
            "what ran cannot be found out: the crate does not compile with probes in it",
        ));
        Ok(None)
    }
}

/// Whether so many tokens are few enough to ask once more for all that was refused when there were as many as `then`: the fewer
/// there are, the less it takes.
pub(super) fn is_much_less(tokens: usize, then: usize) -> bool {
    match tokens <= FEW_TOKENS {
        true => tokens * 8 < then * 7,
        false => tokens * 4 < then * 3,
    }
}

/// Where `element`, of `subject`, stood originally.
pub(super) fn origin(subject: &Subject, element: &Element) -> Option<Origin> {
    let edit = element.edits.first()?;
    subject.file(edit.file).text()?.origin(edit.range.start)
}
