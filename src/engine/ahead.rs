//! Looking ahead: where one candidate after the other is refused, the next ones are put to the oracle at once, as if all of them
//! were refused too. What turns out to be interesting is asked for again when its turn comes, alone, so that looking ahead
//! changes what a search costs and not what it finds. Where several can judge side by side, they begin with what comes next,
//! for the same reason. `at-once` does it with the elements of all passes before they are searched one list after the other:
//! there those that are interesting alone go together as far as they can.

use std::collections::HashSet;
use std::time::Instant;

use super::memory::{Contexts, Singles};
use super::trial::stop;
use super::{Engine, Stop};
use crate::minimize::Minimizer;
use crate::passes::Pass;
use crate::property::Verdict;
use crate::subject::{Element, Subject};

/// As many candidates at once.
const MOST: usize = 32;

/// As many tokens at once: of what is large, starting the compiler is the smaller part of the costs.
const MOST_TOKENS: usize = 60_000;

/// As long as much goes, it is worth asking for each element alone if so many can be asked for at once.
const MANY: usize = 16;

/// Fewer than so many are asked for one by one.
const LEAST: usize = 3;

/// Where it could not be done it is tried again when at most so much is left, in per cent.
const ANOTHER_TRY: usize = 90;

/// As many trials to come are looked at for each that is begun with.
const LOOKS: usize = 4;

/// As many candidates wait for each that is judged, where making them costs little.
const WAITING: usize = 4;

/// Bytes of a token and of what stands around it, as the compiler prints what macros expand to.
const BYTES_OF_A_TOKEN: usize = 5;

/// What macros make is asked for again when at most so much is left, in per cent.
const ANOTHER_LOOK: usize = 75;

/// The name of what asks for the elements of all passes.
pub const ALL: &str = "at-once";

/// How far the engine looks ahead.
#[derive(Debug, Default)]
pub struct Ahead {
    /// Candidates that were refused one after the other, and half of those before the last success.
    refused: usize,
    /// How many tokens there were when it could not be done.
    failed_at: Option<usize>,
    /// How many tokens there were when it was asked what macros make of them, and how many that were.
    made: Option<(usize, usize)>,
    /// Those that can only be asked about alone, or were interesting beside others.
    alone: HashSet<blake3::Hash>,
}

impl Ahead {
    /// Takes note of a verdict.
    pub fn learn(&mut self, interesting: bool) {
        self.refused = if interesting {
            self.refused / 2
        } else {
            self.refused + 1
        };
    }

    /// How many candidates are worth being asked for at once, of about `tokens` each, which macros make more of. What is refused
    /// alone is known to be refused for longer.
    fn candidates(&self, tokens: usize, alone: bool) -> usize {
        let failed = |at| tokens * 100 > at * ANOTHER_TRY;
        let made = self.made_of(tokens).unwrap_or(0);
        let most = MOST.min(MOST_TOKENS / (tokens + made).max(1));
        match self.failed_at.is_some_and(failed) {
            true => 0,
            false if alone => most,
            false => self.refused.min(most),
        }
    }

    /// How many more macros make of about so many `tokens`, if that is known.
    fn made_of(&self, tokens: usize) -> Option<usize> {
        let (then, made) = self.made?;
        (tokens * 100 > then * ANOTHER_LOOK).then_some(made)
    }
}

/// A trial to come.
struct Proposed {
    candidate: Subject,
    /// The only element that it is about.
    single: Option<usize>,
    /// What comes of it, if that is known already.
    verdict: Option<bool>,
}

impl Engine<'_> {
    /// Puts what `minimizer` would propose next to the oracle if everything is refused: parts of `elements`, a list of `base`.
    pub(super) fn look_ahead(
        &mut self,
        minimizer: &dyn Minimizer,
        base: &Subject,
        elements: &[Element],
        (singles, contexts): (&mut Singles, &Contexts),
    ) -> Result<(), Stop> {
        let most = self.ahead.candidates(self.best.tokens(), false);
        if most < LEAST || self.wants_errors || !self.wanted.takes(ALL) {
            return Ok(());
        }
        self.look_at_expansions()?;
        let mut most = self.ahead.candidates(self.best.tokens(), false);
        let now = minimizer.removed();
        let mut minimizer = minimizer.clone_box();
        let mut candidates: Vec<Subject> = Vec::new();
        let mut alone: Vec<Option<usize>> = Vec::new();
        while candidates.len() < most {
            let known = (&*singles, contexts);
            let Some(Proposed {
                candidate,
                single,
                verdict,
            }) = self.proposed(&mut *minimizer, base, elements, known)
            else {
                break;
            };
            let single = single.filter(|_| minimizer.removed() == now);
            if single.is_some() && candidates.is_empty() {
                most = self.ahead.candidates(self.best.tokens(), true);
            }
            if verdict.is_none() && !self.ahead.alone.contains(&candidate.key()) {
                candidates.push(candidate);
                alone.push(single);
            } else if candidates.is_empty() {
                // What comes next is known, or is to be asked about alone.
                return Ok(());
            }
            minimizer.record(verdict == Some(true));
        }
        if candidates.len() < LEAST {
            return Ok(());
        }
        let (refused, _) = self.ask_at_once(&candidates)?;
        // What is refused now need not be asked for again after one of the others has gone.
        for single in refused.into_iter().filter_map(|at| alone[at]) {
            singles.add(base, elements, single, &now, contexts);
        }
        Ok(())
    }

    /// Has the oracle begin with `candidate`, the trial that `minimizer` waits for, and with what comes next if everything is refused.
    pub(super) fn begin_with(
        &mut self,
        candidate: &Subject,
        minimizer: &dyn Minimizer,
        base: &Subject,
        elements: &[Element],
        known: (&Singles, &Contexts),
    ) -> Result<(), Stop> {
        let at_once = self.oracle.side_by_side();
        if at_once == 0 || self.verdicts.contains_key(&candidate.key()) {
            return Ok(());
        }
        // One of them may take long.
        let cheap = (MOST_TOKENS / self.best.tokens().max(1)).min(at_once * WAITING);
        let most = cheap.max(at_once).min(self.ahead.refused + 2);
        let mut minimizer = minimizer.clone_box();
        minimizer.record(false);
        let mut next = Vec::new();
        if !self.foreseen(candidate) {
            next.push(candidate.clone());
        }
        for _ in 0..most * LOOKS {
            if next.len() == most {
                break;
            }
            let Some(proposed) = self.proposed(&mut *minimizer, base, elements, known) else {
                break;
            };
            minimizer.record(proposed.verdict == Some(true));
            if proposed.verdict.is_none() {
                next.push(proposed.candidate);
            }
        }
        let begun = self.oracle.expect(&next, self.deadline);
        begun.map_err(stop(&self.cancel))
    }

    /// What `minimizer` asks about next, those elements left out that are refused alone for a reason that still stands.
    fn proposed(
        &mut self,
        minimizer: &mut dyn Minimizer,
        base: &Subject,
        elements: &[Element],
        (singles, contexts): (&Singles, &Contexts),
    ) -> Option<Proposed> {
        loop {
            let trial = minimizer.propose()?;
            let mut gone = minimizer.removed();
            let single = match trial.remove[..] {
                [single] => Some(single),
                _ => None,
            };
            let stands = |single| singles.stands(base, elements, single, &gone, contexts);
            if single.is_some_and(stands) {
                minimizer.record(false);
                continue;
            }
            gone.extend(&trial.remove);
            let candidate = base.without(gone.iter().map(|at| &elements[*at]));
            let key = candidate.key();
            let verdict = match self.verdicts.get(&key) {
                Some(known) => Some(*known),
                None if key == self.best.key() => Some(true),
                None => self.foreseen(&candidate).then_some(false),
            };
            return Some(Proposed {
                candidate,
                single,
                verdict,
            });
        }
    }

    /// Puts every element of `passes` to the oracle alone, many at once: what is refused is not asked for again as long as what
    /// it depends on stays as it is, and of the others as many go as can go together. Whether any went.
    pub(super) fn ask_for_all(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        match self.most_at_once()? {
            None => Ok(false),
            Some(most) => self.while_confirmed(ALL, |engine| engine.ask_for_each_of(passes, most)),
        }
    }

    /// How many candidates one build holds, if these are enough for all elements there are to be asked for so.
    pub(super) fn most_at_once(&mut self) -> Result<Option<usize>, Stop> {
        let enough = if self.proves { LEAST } else { MANY };
        if self.ahead.candidates(self.best.tokens(), true) >= enough {
            self.look_at_expansions()?;
        }
        let most = self.ahead.candidates(self.best.tokens(), true);
        Ok((most >= enough).then_some(most))
    }

    /// Finds out how much macros make of the best, unless that is known of what was about as large: one line may stand for a
    /// parser.
    fn look_at_expansions(&mut self) -> Result<(), Stop> {
        let tokens = self.best.tokens();
        if self.ahead.made_of(tokens).is_some() {
            return Ok(());
        }
        self.may_go_on()?;
        let expanded = self.oracle.expanded(&self.best);
        let expanded = expanded.map_err(stop(&self.cancel))?;
        let made = expanded.map_or(0, |bytes| (bytes / BYTES_OF_A_TOKEN).saturating_sub(tokens));
        self.ahead.made = Some((tokens, made));
        Ok(())
    }

    fn ask_for_each_of(&mut self, passes: &[Box<dyn Pass>], most: usize) -> Result<bool, Stop> {
        let base = self.best.clone();
        let mut keys = HashSet::from([base.key()]);
        let (mut refused, mut promising) = (Vec::new(), Vec::new());
        let end = self.end_of_a_share();
        let mut open = self.open_elements(passes).into_iter();
        // Made as they are asked for: each is a whole subject.
        while end.is_none_or(|end| Instant::now() < end) {
            let (mut elements, mut candidates) = (Vec::new(), Vec::new());
            while candidates.len() < most
                && let Some(element) = open.next()
            {
                self.may_go_on()?;
                let candidate = base.without([&element]);
                let key = candidate.key();
                let new = keys.insert(key)
                    && !self.verdicts.contains_key(&key)
                    && !self.ahead.alone.contains(&key);
                if new && !self.foreseen(&candidate) {
                    elements.push(element);
                    candidates.push(candidate);
                }
            }
            if candidates.len() < LEAST {
                break;
            }
            let (no, yes) = self.ask_at_once(&candidates)?;
            refused.extend(no.into_iter().map(|at| elements[at].clone()));
            promising.extend(yes.into_iter().map(|at| elements[at].clone()));
            if self.ahead.candidates(base.tokens(), true) == 0 {
                break;
            }
        }
        self.refuse_each(&base, refused);
        self.list(promising, |_| Vec::new())
    }

    /// Whether `candidate` is refused by what is known without running anything.
    fn foreseen(&mut self, candidate: &Subject) -> bool {
        let implied = self.implied.as_ref();
        !self.still_parses(candidate)
            || implied.is_some_and(|implied| implied.refuses(candidate))
            || {
                let complaints = self.screen.look(&self.best, candidate);
                self.screen.distrusts(&complaints)
            }
    }

    /// Which of `candidates` are refused, and which are interesting.
    fn ask_at_once(&mut self, candidates: &[Subject]) -> Result<(Vec<usize>, Vec<usize>), Stop> {
        self.may_go_on()?;
        let best = self.best.clone();
        let judged = self
            .oracle
            .judge_at_once(&best, candidates, self.deadline)
            .map_err(stop(&self.cancel))?;
        let (mut refused, mut interesting) = (Vec::new(), Vec::new());
        let Some(judged) = judged else {
            self.ahead.failed_at = Some(best.tokens());
            return Ok((refused, interesting));
        };
        for (at, (candidate, judged)) in candidates.iter().zip(judged).enumerate() {
            match judged {
                Some(judged) if judged.verdict != Verdict::Interesting => {
                    self.refuse(candidate, &judged)?;
                    refused.push(at);
                    continue;
                }
                Some(judged) => {
                    self.counts.trials += 1;
                    self.counts.cpu += judged.cpu;
                    interesting.push(at);
                }
                None => {}
            }
            self.ahead.alone.insert(candidate.key());
        }
        Ok((refused, interesting))
    }
}
