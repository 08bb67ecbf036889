//! Which pass runs when. Coarse before fine, everything to a fixpoint.

use std::path::Path;
use std::time::Instant;

use super::expanding;
use super::{CONDITIONAL_MACROS, Engine, Stop};
use crate::passes::calls::Dependents;
use crate::passes::expansions::tokens_of_macros;
use crate::passes::ran::Ran;
use crate::passes::{self, End, Pass, Seed};
use crate::property::crash::Report;
use crate::property::failure::{How, Place, TestFailure};
use crate::subject::{Element, Subject};
use crate::syntax::{FileId, Kind, Origin};

/// Tokens of a file that a reader still takes in with the one that it goes into.
const SMALL_FILE: usize = 2000;

/// So often macro calls are opened that stand for a condition: no parser sees those that stand in a `cfg_if!`.
const NESTED: usize = 4;

/// So often what functions and structs are is put in the place of their names in one go: what lints name then was in the way.
const IN_PLACE: usize = 4;

/// While there is much, they are not put there again when that took less than one token in so many.
const LITTLE: usize = 32;

/// What was refused when there were more than so many times the tokens is asked for again when nothing else goes.
const MUCH_LARGER: usize = 2;

/// Switches are put into the text once more, and much is swept once more, when at most so much is left, in per cent.
const WORTH_SWITCHING: usize = 97;

/// Where there are more tokens than so many, whole definitions are asked for before what is in them.
pub(super) const MUCH: usize = 3_000;

/// Macros that are a larger part than one in so many are expanded before anything is searched: expanding builds all there is.
const MANY_MACROS: usize = 8;

/// A test that is no more than one part in so many of all there is has little in it that the code under test should have.
const SMALL_TEST: usize = 4;

/// Of the time that is left, one part in so many is for making the test itself do less while all code under test is there.
pub(super) const SHORTENING: u32 = 8;

/// What runs for the sake of expressions that wait is allowed to be so many times the least that there is.
const AS_MUCH: u64 = 2;

/// Tokens that a function, with what runs for its sake alone, has to have to be answered for.
const WORTH_AN_ANSWER: u64 = 12;

impl Engine<'_> {
    /// The order for a compiler crash: what its report leads to, comments, then whole definitions
    /// until nothing more goes, then everything until nothing more goes.
    pub(super) fn reduce_crash(&mut self, report: &Report) -> Result<(), Stop> {
        let places = places(&self.best, report);
        let seed = Seed::new(report.words.clone(), places);
        let before = self.best.tokens();
        self.pass(&seed)?;
        self.pass(&self.comments())?;
        self.open_conditional_macros()?;
        let conditions = self.conditions.clone();
        self.pass(&conditions)?;
        // Where a ring alone does not compile, the errors say what it lacks.
        if self.best.tokens() * 2 > before {
            self.sweep_around(&seed)?;
        }
        let coarse = self.besides_traversal(passes::coarse());
        let fine = self.besides_traversal(passes::fine());
        loop {
            self.traverse()?;
            self.fixpoint(&coarse)?;
            self.drop_orphans()?;
            self.shorten_tables()?;
            if !self.all(&fine)?
                && !self.inline_files(SMALL_FILE)?
                && !self.join_crates()?
                && !self.break_syntax()?
                && !self.forget_old_refusals()
            {
                return self.rename();
            }
        }
    }

    /// Gives what is left the names of an example, if that is wanted.
    fn rename(&mut self) -> Result<(), Stop> {
        if !self.renames || !self.wanted.takes("rename") {
            return Ok(());
        }
        let (before, counts) = (self.best.tokens(), self.begin("rename"));
        let names = passes::rename::names(&self.best, &self.protected);
        // Names mean nothing to a compiler: one refusal among all of them is rare.
        let whole = names.iter().cloned().reduce(Element::and);
        let mut outcome = self.list(whole.into_iter().collect(), |_| Vec::new());
        if let Ok(false) = outcome {
            outcome = self.list(names, |_| Vec::new());
        }
        self.finish_pass(before, &counts);
        outcome.map(|_| ())
    }

    /// Takes text away without a look at what it is part of, if the user has said that syntax may break; whether any went.
    fn break_syntax(&mut self) -> Result<bool, Stop> {
        if self.may_break_syntax {
            self.all(&passes::raw())
        } else {
            Ok(false)
        }
    }

    /// The order for a test that fails with `failure`; `answers` are those that its functions may give, `ran` is
    /// what ran if that is known. With an `end`, what decided that the program comes to it stays. The test is `apart` when the
    /// code under test is in other crates than it is.
    pub(super) fn reduce_test(
        &mut self,
        failure: &TestFailure,
        answers: Option<&passes::Answers>,
        ran: Option<Ran>,
        end: Option<End>,
        apart: bool,
    ) -> Result<(), Stop> {
        let place = match failure.how {
            How::Panic(Place::Origin(place)) => Some(place),
            _ => None,
        };
        let inputs = passes::Inputs::of(&self.best, &self.protected, &failure.message, place);
        let overflows = failure.how == How::Overflow;
        let (inputs, mut has_depth, ran) = match overflows {
            true => {
                let inputs = inputs.without_numbers();
                let key = self.best.key();
                let settled = self.settle_depth(&inputs)?;
                (inputs, settled, ran.filter(|_| self.best.key() == key))
            }
            false => (inputs, false, ran),
        };
        // Without guards nobody was told what ran.
        let asks = ran.is_some() || matches!(end, Some(End::AtOnce(_)));
        let ran = match asks {
            true => self.first_run(ran)?,
            false => None,
        };
        let unknown = (asks && ran.is_none()).then(|| self.best.key());
        if let Some(ran) = &ran {
            // With a shorter input, or once branches are closed, the other way may lead nowhere.
            self.keep_what_it_turns_on(ran, end)?;
        }
        let key = self.best.key();
        // What it turns on cannot be seen once what nothing enters is gone.
        self.heeds_decisive = !self.decisive.is_empty();
        let shortened = (apart || self.heeds_decisive) && self.shorten_the_test(&inputs)?;
        self.leave_what_is_listed(&inputs);
        self.heeds_decisive = false;
        let ran = match shortened {
            // Once what did not run is gone, another input may need it.
            true => None,
            // What is left out now did not decide; what ran for its sake goes in a later sweep.
            false => ran.filter(|_| end.is_none() || self.best.key() == key),
        };
        self.proves = false;
        let ran = match self.open_conditional_macros()? {
            true => None,
            false => ran,
        };
        let mut ran = match ran {
            None if unknown != Some(self.best.key()) => self.first_run(None)?,
            known => known,
        };
        if let Some(ran) = &ran {
            self.keep_decisions(ran, end, &failure.message)?;
            self.strip(ran)?;
        }
        self.pass(&self.comments())?;
        let conditions = self.conditions.clone();
        self.pass(&conditions)?;
        if ran.is_none() {
            // What no condition holds for may have been in the way of the probes.
            ran = self.first_run(None)?;
            if let Some(ran) = &ran {
                self.keep_decisions(ran, end, &failure.message)?;
            }
        }
        self.sweep_knowing(ran)?;
        // All there is is compiled anew for what comes next, however many crates it is in.
        self.put_into_one_file()?;
        let tokens = self.best.tokens();
        if tokens > MUCH && tokens_of_macros(&self.best) * MANY_MACROS > tokens {
            // What a macro makes for twenty types is needed for one, and as a call it stays for that one.
            self.expand_macros()?;
        }
        self.shorten_tables()?;
        // What lints then name is taken far cheaper than what can be switched off a second time.
        self.switch_off(answers)?;
        self.sweep_while_it_is_worth_it()?;
        self.drop_orphans()?;
        let whole = self.besides_traversal(vec![passes::items()]);
        let search = self.besides_traversal(passes::inside());
        let rest = self.besides_traversal(passes::coarse());
        let types = self.besides_traversal(passes::types_in_fewer_words());
        let fewer = self.besides_traversal(passes::in_fewer_words());
        loop {
            let before = self.best.tokens();
            // Where the code under test is still a crate of its own, only the test is compiled for these.
            let mut changed = self.shorten_inputs(&inputs)?;
            changed |= self.shorten_tables()?;
            if changed {
                self.sweep_while_it_is_worth_it()?;
            }
            has_depth = has_depth && self.settle_depth(&inputs)?;
            // One crate in one file is compiled in one go, in every trial from here on, if it was not already.
            self.flatten()?;
            let expanded = self.expand_macros()?;
            changed |= expanded;
            changed |= self.make_concrete()?;
            if expanded {
                // What macros had made may have kept modules apart.
                self.flatten()?;
            }
            changed |= self.take_certain_values()?;
            changed |= self.switch_off_and_sweep(answers)?;
            changed |= self.traverse()?;
            if self.best.tokens() > MUCH {
                // What has no function of its own is cheaper to try.
                changed |= self.inline_only_calls(place)? | self.inline_small_functions(place)?;
            }
            // How deep a recursion can go depends on how large its frames are.
            let inside = !overflows && self.try_inside_bodies(&search)?;
            changed |= inside;
            // Of what errors asked back, some was for the sake of each other: nothing else is as large.
            if self.best.tokens() > MUCH {
                if inside {
                    // What that alone needed goes with it, far cheaper than item by item.
                    self.sweep()?;
                }
                // One line for a function is more than what any of its items saves.
                changed |= self.say_it_in_place(place)?;
                changed |= self.all_and_sweep(&whole)?;
                changed |= self.make_concrete()?;
            }
            loop {
                let before = self.best.tokens();
                // Who reads what a test compares looks for the words of the code under test.
                changed |= match self.holds_values_back() {
                    true => self.inline_only_calls(place)?,
                    false => self.say_it_in_place(place)?,
                };
                changed |= self.all(&types)?;
                // What one of these does is what another one waited for, and the search takes long.
                let tokens = self.best.tokens();
                if tokens <= MUCH || tokens * 100 > before * WORTH_SWITCHING {
                    break;
                }
                changed |= self.make_concrete()?;
            }
            changed |= match self.most_at_once()? {
                Some(_) => self.ask_for_all(&search)?,
                None => self.take_what_is_compiled_away()?,
            };
            for pass in &search {
                let went = self.pass(&**pass)?;
                changed |= went;
                // What a statement alone needed goes with it, far cheaper than by trying.
                if went && pass.name() == "statements" {
                    self.sweep()?;
                    self.flatten()?;
                }
            }
            if let Some(answers) = answers {
                changed |= self.worth_an_answer(|engine| engine.pass(answers))?;
            }
            changed |= self.sweep()?;
            self.drop_orphans()?;
            if !changed && self.solve_anything()? {
                continue;
            }
            if changed || !self.proves {
                // As long as much goes, asking for the same once more is for later.
                self.proves |= before.saturating_sub(self.best.tokens()) * 50 <= before;
                continue;
            }
            // After a sweep nearly every definition is needed: these are mostly proof.
            if self.ask_for_all(&rest)? | self.all(&rest)? {
                continue;
            }
            if self.all(&fewer)? | self.say_it_in_place(place)? {
                continue;
            }
            let goes_on = self.flatten()? || self.forget_old_refusals() || self.let_more_give_way();
            if !goes_on && !self.reconfirm_now()? {
                return self.rename();
            }
        }
    }

    /// Puts what functions and structs are in the place of their names, where that is shorter; whether any went. It fails `at`
    /// this place, if it is known.
    fn say_it_in_place(&mut self, at: Option<Origin>) -> Result<bool, Stop> {
        let start = self.best.key();
        for _ in 0..IN_PLACE {
            let (before, tokens) = (self.best.key(), self.best.tokens());
            self.inline_only_calls(at)?;
            self.inline_small_functions(at)?;
            self.inline_small_methods(at)?;
            self.take_all_of(&passes::of_one_form())?;
            self.unwrap_newtypes()?;
            self.take_certain_options()?;
            self.say_once()?;
            self.take_all_of(&passes::short_values_used_once())?;
            if self.best.key() == before {
                break;
            }
            // What was there for their sake may have been in the way.
            self.ask_lints()?;
            let after = self.best.tokens();
            if !self.proves && after > MUCH && tokens.saturating_sub(after) * LITTLE < tokens {
                break;
            }
        }
        Ok(self.best.key() != start)
    }

    /// Says once what is said twice.
    fn say_once(&mut self) -> Result<(), Stop> {
        for pass in passes::said_twice() {
            self.take_all_of(std::slice::from_ref(&pass))?;
            // What one error had kept from going may go alone.
            self.pass(&*pass)?;
        }
        Ok(())
    }

    /// Has expressions that computed something wait until nothing else goes: a test that compares values fails just the same with
    /// one that was not computed, and shows another bug or none.
    pub(super) fn hold_values_back(&mut self) {
        self.at_most = 0;
    }

    /// Whether expressions wait.
    pub(super) fn holds_values_back(&self) -> bool {
        self.at_most < u64::MAX
    }

    /// Lets expressions give way for whose sake more runs than was allowed until now, those first for which the least does;
    /// whether there are any.
    fn let_more_give_way(&mut self) -> bool {
        let dependents = Dependents::of(&self.best, &self.calls);
        let expressions = passes::expressions();
        let lists = (0..).map_while(|round| expressions.list(&self.best, round));
        let replaced = lists.flatten().map(|element| dependents.replaced(&element));
        let held = replaced.filter(|tokens| *tokens > self.at_most).min();
        if let Some(least) = held {
            self.at_most = least * AS_MUCH;
        }
        held.is_some()
    }

    /// Lets go together of what the compiler alone has a say in, as far as it can do without, where much has gone since the last
    /// time; whether any went. The other way to find out is a build for each.
    fn take_what_is_compiled_away(&mut self) -> Result<bool, Stop> {
        let before = self.best.tokens();
        if self.compiled_at.is_some_and(|then| before * 4 >= then * 3) {
            return Ok(false);
        }
        self.compiled_at = Some(before);
        for pass in passes::compiled_away() {
            self.take_all_of(&[pass])?;
        }
        Ok(self.best.tokens() < before)
    }

    /// Runs `passes`, and sweeps once more if what went may have needed much else; whether anything went.
    fn all_and_sweep(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        let before = self.best.tokens();
        let changed = self.all(passes)?;
        if self.best.tokens() * 100 <= before * WORTH_SWITCHING {
            self.sweep()?;
        }
        Ok(changed)
    }

    /// Sweeps until nothing more goes, or so little of much that other passes take more.
    fn sweep_while_it_is_worth_it(&mut self) -> Result<(), Stop> {
        loop {
            let before = self.best.tokens();
            if !self.sweep()? {
                return Ok(());
            }
            let after = self.best.tokens();
            if after > MUCH && after * 100 > before * WORTH_SWITCHING {
                return Ok(());
            }
        }
    }

    /// Has `search` ask for no function that is too small to be answered for.
    pub(super) fn worth_an_answer(
        &mut self,
        search: impl FnOnce(&mut Self) -> Result<bool, Stop>,
    ) -> Result<bool, Stop> {
        self.at_least = WORTH_AN_ANSWER;
        let outcome = search(self);
        self.at_least = 0;
        outcome
    }

    /// Switches off and sweeps as long as that is worth building all there is with switches in it; whether anything went.
    fn switch_off_and_sweep(&mut self, answers: Option<&passes::Answers>) -> Result<bool, Stop> {
        let mut changed = false;
        loop {
            let before = self.best.tokens();
            if !self.switch_off(answers)? {
                return Ok(changed);
            }
            changed = true;
            if self.best.tokens() * 100 > before * WORTH_SWITCHING {
                return Ok(changed);
            }
            self.sweep()?;
        }
    }

    /// Takes out what runs and is of no matter to the failure, as far as running one build tells; whether any went.
    fn switch_off(&mut self, answers: Option<&passes::Answers>) -> Result<bool, Stop> {
        let mut changed = self.switch_off_statements()?;
        if let Some(answers) = answers {
            changed |= self.switch_off_functions(answers)?;
        }
        changed |= self.switch_off_expressions()?;
        Ok(changed)
    }

    /// Lets go of what was refused when there was much more: that nothing it mentions has changed since need not mean that the
    /// reason still stands. Whether there was any.
    fn forget_old_refusals(&mut self) -> bool {
        let tokens = self.best.tokens() * MUCH_LARGER;
        self.unswitchable.forget_above(tokens);
        self.refusals.forget_above(tokens)
    }

    /// Makes the test itself do less while all code under test is there: each trial compiles the test alone, and less of that
    /// code runs afterwards. Whether any of what it works on has changed, other than by statements that went.
    fn shorten_the_test(&mut self, inputs: &passes::Inputs) -> Result<bool, Stop> {
        let tokens = passes::tokens_around_tests(&self.best, &self.protected);
        if tokens * SMALL_TEST > self.best.tokens() && !self.heeds_decisive {
            return Ok(false);
        }
        let around = self.besides_traversal(passes::around_tests(&self.protected));
        let mut differs = false;
        let mut shorten = |engine: &mut Self| -> Result<(), Stop> {
            loop {
                let before = engine.best.key();
                for pass in &around {
                    let key = engine.best.key();
                    let outcome = engine.pass(&**pass);
                    differs |= pass.name() == "elements" && engine.best.key() != key;
                    outcome?;
                }
                let key = engine.best.key();
                let outcome = engine.shorten_inputs(inputs);
                differs |= engine.best.key() != key;
                outcome?;
                if engine.best.key() == before {
                    return Ok(());
                }
            }
        };
        self.for_a_part(SHORTENING, |engine| {
            shorten(engine)?;
            let whole = engine.best.clone();
            // The time may be over with half of it expanded.
            let outcome = engine.expand_tests().and_then(|went| match went {
                true => shorten(engine),
                false => Ok(()),
            });
            if !expanding::is_worth_it(&engine.best, &whole) {
                engine.accept(whole)?;
            }
            outcome
        })?;
        Ok(differs)
    }

    /// Puts what is compiled of macro calls that stand for a condition in their place; whether there were any.
    fn open_conditional_macros(&mut self) -> Result<bool, Stop> {
        let key = self.best.key();
        if self.wanted.takes(CONDITIONAL_MACROS) {
            for _ in 0..NESTED {
                let list = passes::conditional_calls(&self.best, &self.conditions);
                let open = |engine: &mut Self| engine.solve_replacements(&list);
                if list.is_empty() || !self.part(CONDITIONAL_MACROS, open)? {
                    break;
                }
            }
        }
        Ok(self.best.key() != key)
    }

    pub(super) fn is_allowed(&self, element: &Element) -> bool {
        self.scope.allows_element(&self.best, element)
    }

    /// Does `work` until it is done, or one part in so many of the time that is left is over; whether anything went.
    pub(super) fn for_a_part(
        &mut self,
        parts: u32,
        work: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<bool, Stop> {
        let (start, whole, now) = (self.best.key(), self.deadline, Instant::now());
        self.deadline = whole.map(|end| now + end.saturating_duration_since(now) / parts);
        let outcome = work(self);
        self.deadline = whole;
        match outcome {
            Err(Stop::TimeLimit) if whole.is_some_and(|end| Instant::now() < end) => {}
            other => other?,
        }
        Ok(self.best.key() != start)
    }

    /// Removes the files that no module item leads to any more. Those that are
    /// included in another way turn out to be needed.
    fn drop_orphans(&mut self) -> Result<(), Stop> {
        let orphans = self.best.orphans();
        let fixed = |file: &FileId| !self.scope.allows(&self.best.file(*file).path);
        let gone: Vec<FileId> = orphans.into_iter().filter(|file| !fixed(file)).collect();
        if gone.is_empty() || self.best.roots().is_empty() {
            return Ok(());
        }
        let before = self.best.tokens();
        let counts = self.begin("files");
        let tokens = |file: FileId| {
            self.best
                .file(file)
                .tree()
                .map_or(0, |tree| tree.tokens().len())
        };
        let elements = gone.into_iter().map(|file| Element {
            kind: Kind::File,
            edits: Vec::new(),
            drops: vec![file],
            saves: tokens(file) as i64,
        });
        let outcome = self.list(elements.collect(), |_| Vec::new());
        self.finish_pass(before, &counts);
        outcome.map(|_| ())
    }

    /// Runs `passes` in order, again and again, until a whole round removes nothing.
    fn fixpoint(&mut self, passes: &[Box<dyn Pass>]) -> Result<(), Stop> {
        while self.all(passes)? {}
        Ok(())
    }

    /// Runs `passes` once, in order; whether any of them removed something.
    fn all(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        let mut changed = false;
        for pass in passes {
            changed |= self.pass(&**pass)?;
        }
        Ok(changed)
    }
}

/// The places that `report` points to, in the files of `subject`, which is still the original.
fn places(subject: &Subject, report: &Report) -> Vec<Origin> {
    let found = report.places.iter().filter_map(|(path, line, column)| {
        let path = Path::new(path);
        // rustc prints paths as it was given them, relative to where it ran.
        let file = subject
            .files()
            .iter()
            .position(|file| file.path.ends_with(path) || path.ends_with(&file.path))?;
        let file = FileId(file as u32);
        let source = subject.file(file).source();
        let start: usize = source
            .split_inclusive('\n')
            .take(line.checked_sub(1)?)
            .map(str::len)
            .sum();
        let before = source[start..].chars().take(column.checked_sub(1)?);
        let offset = start + before.map(char::len_utf8).sum::<usize>();
        subject.file(file).text()?.origin(offset)
    });
    found.collect()
}
