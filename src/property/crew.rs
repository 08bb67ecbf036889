//! Candidates judged side by side: others beside an oracle, each in a thread and a place of its own, begin with what is likely to
//! be asked next. An answer counts when its turn comes and not before: they change what a search takes, not what it finds.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::{Judged, Oracle};
use crate::exec::Cancel;
use crate::report::Failure;
use crate::subject::Subject;

/// An oracle that can judge in the place of another one.
pub trait Colleague: Oracle + Send + 'static {
    /// What it has to know of the other one.
    type Terms: Clone + Send + 'static;

    /// Judges as the one that `terms` are of from now on, until it is cancelled.
    fn adopt(&mut self, terms: Self::Terms, cancel: Cancel);
}

/// What is done for a verdict.
type Work<W> = Box<dyn FnOnce(&mut W) -> Result<Judged, Failure> + Send>;

/// Those who judge candidates beside an oracle, each with tools of its own.
pub struct Crew<W> {
    members: Vec<JoinHandle<()>>,
    board: Arc<Board<W>>,
}

/// The questions that there are, for all to see.
struct Board<W> {
    questions: Mutex<Questions<W>>,
    changed: Condvar,
}

/// The questions, the next one first; `None` when there will be no more.
type Questions<W> = Option<Vec<Question<W>>>;

struct Question<W> {
    key: blake3::Hash,
    cancel: Cancel,
    at: At<W>,
}

/// How far somebody is with a question.
enum At<W> {
    Open(Work<W>),
    Begun,
    Answered(Result<Judged, Failure>),
    /// Who had begun with it panicked.
    Lost,
}

impl<W> Board<W> {
    fn questions(&self) -> MutexGuard<'_, Questions<W>> {
        // Nobody panics who holds it.
        self.questions
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something has changed.
    fn wait<'b>(&self, questions: MutexGuard<'b, Questions<W>>) -> MutexGuard<'b, Questions<W>> {
        self.changed
            .wait(questions)
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers questions with `tools` as long as there will be any.
    fn work(&self, mut tools: W) {
        let mut questions = self.questions();
        while let Some(all) = &mut *questions {
            let open = all.iter_mut().find_map(Question::begin);
            let Some((key, work)) = open else {
                questions = self.wait(questions);
                continue;
            };
            drop(questions);
            let answer = catch_unwind(AssertUnwindSafe(|| work(&mut tools)));
            let is_lost = answer.is_err();
            questions = self.questions();
            // It may have been left and be expected again.
            let is_own = |own: &&mut Question<W>| own.key == key && matches!(own.at, At::Begun);
            let own = questions.iter_mut().flatten().find(is_own);
            if let Some(own) = own {
                own.at = answer.map_or(At::Lost, At::Answered);
            }
            self.changed.notify_all();
            if is_lost {
                // Nobody knows in what state the tools are.
                return;
            }
        }
    }
}

impl<W> Question<W> {
    /// Takes what is to be done for it, if nobody has.
    fn begin(&mut self) -> Option<(blake3::Hash, Work<W>)> {
        match std::mem::replace(&mut self.at, At::Begun) {
            At::Open(work) => Some((self.key, work)),
            other => {
                self.at = other;
                None
            }
        }
    }
}

impl<W> Default for Crew<W> {
    fn default() -> Self {
        let board = Board {
            questions: Mutex::new(Some(Vec::new())),
            changed: Condvar::new(),
        };
        Crew {
            members: Vec::new(),
            board: Arc::new(board),
        }
    }
}

impl<W: Send + 'static> Crew<W> {
    /// Those who work with `tools`, one with each.
    pub fn of(tools: impl IntoIterator<Item = W>) -> Crew<W> {
        let mut crew = Crew::default();
        let board = &crew.board;
        let members = tools.into_iter().map(|own| {
            let board = Arc::clone(board);
            thread::spawn(move || board.work(own))
        });
        crew.members = members.collect();
        crew
    }

    /// How many they are.
    pub fn members(&self) -> usize {
        self.members.len()
    }

    /// Has them begin with the candidates `next`, in this order, as far as they come, and leave everything else. `work` is what is
    /// done for a verdict, until it is cancelled.
    ///
    /// # Errors
    ///
    /// When there is nothing left to cancel with: too many files are open.
    pub fn expect<J>(
        &mut self,
        next: &[Subject],
        cancel: &Cancel,
        work: impl Fn(Subject, Cancel) -> J,
    ) -> Result<(), Failure>
    where
        J: FnOnce(&mut W) -> Result<Judged, Failure> + Send + 'static,
    {
        let mut questions = self.board.questions();
        let mut before = questions.take().unwrap_or_default();
        let mut all = Vec::new();
        for candidate in next {
            let key = candidate.key();
            if let Some(at) = before.iter().position(|own| own.key == key) {
                all.push(before.remove(at));
                continue;
            }
            let cancel = cancel.child().map_err(Failure::io("making", "a pipe"))?;
            let at = At::Open(Box::new(work(candidate.clone(), cancel.clone())));
            all.push(Question { key, cancel, at });
        }
        for left in before {
            left.cancel.set();
        }
        *questions = Some(all);
        self.board.changed.notify_all();
        Ok(())
    }

    /// The verdict on `candidate`, if somebody has begun with it; waits for that. What came to an end of time or was cancelled is
    /// none as long as `cancel` is not and there is time until `deadline`: it was begun when there was less.
    pub fn answer(
        &mut self,
        candidate: &Subject,
        cancel: &Cancel,
        deadline: Option<Instant>,
    ) -> Option<Result<Judged, Failure>> {
        if self.members.is_empty() {
            return None;
        }
        let key = candidate.key();
        let mut questions = self.board.questions();
        let answer = loop {
            let all = questions.as_mut()?;
            let at = all.iter().position(|own| own.key == key)?;
            if matches!(all[at].at, At::Begun) {
                questions = self.board.wait(questions);
                continue;
            }
            match all.remove(at).at {
                At::Answered(answer) => break answer,
                _ => return None,
            }
        };
        let is_over = || deadline.is_some_and(|end| Instant::now() >= end);
        let counts = !matches!(answer, Err(Failure::Interrupted)) || cancel.is_set() || is_over();
        counts.then_some(answer)
    }
}

impl<W: Colleague> Crew<W> {
    /// As [`expect`](Self::expect), for the one that `terms` are of.
    ///
    /// # Errors
    ///
    /// As for [`expect`](Self::expect).
    pub fn begin_with(
        &mut self,
        next: &[Subject],
        terms: &W::Terms,
        cancel: &Cancel,
        deadline: Option<Instant>,
    ) -> Result<(), Failure> {
        self.expect(next, cancel, |candidate, cancel| {
            let terms = terms.clone();
            move |own: &mut W| {
                own.adopt(terms, cancel);
                own.judge(&candidate, deadline)
            }
        })
    }
}

impl<W> Drop for Crew<W> {
    fn drop(&mut self) {
        for left in self.board.questions().take().unwrap_or_default() {
            left.cancel.set();
        }
        self.board.changed.notify_all();
        for member in self.members.drain(..) {
            // A panic has been printed.
            let _ = member.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::property::Verdict;

    type Own = Crew<usize>;

    fn subjects(all: &[&str]) -> Vec<Subject> {
        let files = all
            .iter()
            .map(|text| [("a.rs".into(), text.as_bytes().to_vec())]);
        files.map(Subject::new).collect()
    }

    /// Tells the text and who read it, and takes note that it has; `wait` does so once it is cancelled.
    fn read(
        candidate: Subject,
        cancel: Cancel,
    ) -> impl FnOnce(&mut usize) -> Result<Judged, Failure> {
        move |who| {
            let text = candidate.files()[0].source();
            while text == "wait" && !cancel.is_set() {
                thread::sleep(Duration::from_millis(1));
            }
            *who += 10;
            if cancel.is_set() {
                return Err(Failure::Interrupted);
            }
            Ok(Judged {
                verdict: Verdict::Interesting,
                cpu: Duration::ZERO,
                wall: Duration::ZERO,
                output: format!("{text} by {who}"),
                errors: Vec::new(),
            })
        }
    }

    fn expect(crew: &mut Own, all: &[&str], cancel: &Cancel) {
        crew.expect(&subjects(all), cancel, read).unwrap();
    }

    fn answer(crew: &mut Own, text: &str, cancel: &Cancel) -> Option<String> {
        let answer = crew.answer(&subjects(&[text])[0], cancel, None)?;
        Some(answer.unwrap().output)
    }

    /// Waits until it is so with the questions.
    fn until(crew: &Own, is_so: impl Fn(&[Question<usize>]) -> bool) {
        while !is_so(crew.board.questions().as_deref().unwrap()) {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// The last question has an answer.
    fn answered(questions: &[Question<usize>]) -> bool {
        matches!(questions.last().unwrap().at, At::Answered(_))
    }

    #[test]
    fn what_was_begun_is_answered_once_and_by_whom_it_was_given_to() {
        let cancel = Cancel::new().unwrap();
        let mut crew = Crew::of([1, 2]);
        expect(&mut crew, &["wait", "a", "b"], &cancel);
        until(&crew, answered);
        // One of them waits.
        let by = answer(&mut crew, "a", &cancel).unwrap();
        assert!(["a by 11", "a by 12"].contains(&&*by), "{by}");
        assert_eq!(answer(&mut crew, "a", &cancel), None);
        let by = answer(&mut crew, "b", &cancel).unwrap();
        assert!(["b by 21", "b by 22"].contains(&&*by), "{by}");
    }

    #[test]
    fn what_nobody_has_begun_with_is_for_who_asks() {
        let cancel = Cancel::new().unwrap();
        let mut crew = Crew::of([0]);
        expect(&mut crew, &["wait", "a"], &cancel);
        until(&crew, |questions| matches!(questions[0].at, At::Begun));
        assert_eq!(answer(&mut crew, "a", &cancel), None);
    }

    #[test]
    fn what_is_not_expected_any_more_is_left() {
        let cancel = Cancel::new().unwrap();
        let mut crew = Crew::of([0]);
        expect(&mut crew, &["wait"], &cancel);
        until(&crew, |questions| matches!(questions[0].at, At::Begun));
        // It stays with what is expected still.
        expect(&mut crew, &["b", "wait"], &cancel);
        expect(&mut crew, &["b"], &cancel);
        assert_eq!(answer(&mut crew, "wait", &cancel), None);
        until(&crew, answered);
        assert_eq!(answer(&mut crew, "b", &cancel).unwrap(), "b by 20");
    }

    #[test]
    fn who_cancels_all_gets_what_is_expected_back() {
        let cancel = Cancel::new().unwrap();
        let mut crew: Own = Crew::of([0, 0]);
        expect(&mut crew, &["wait"], &cancel);
        until(&crew, |questions| matches!(questions[0].at, At::Begun));
        cancel.set();
        let answer = crew.answer(&subjects(&["wait"])[0], &cancel, None).unwrap();
        assert!(matches!(answer, Err(Failure::Interrupted)));
    }

    #[test]
    fn what_had_less_time_than_there_is_has_no_answer() {
        let cancel = Cancel::new().unwrap();
        let mut crew: Own = Crew::of([0]);
        let ends = |_, _| |_: &mut usize| Err(Failure::Interrupted);
        for (deadline, counts) in [(None, false), (Some(Instant::now()), true)] {
            crew.expect(&subjects(&["a"]), &cancel, ends).unwrap();
            until(&crew, answered);
            let answer = crew.answer(&subjects(&["a"])[0], &cancel, deadline);
            assert_eq!(answer.is_some(), counts);
        }
    }

    #[test]
    fn who_panics_has_no_answer_and_does_nothing_any_more() {
        let cancel = Cancel::new().unwrap();
        let mut crew: Own = Crew::of([0]);
        let fails = |_, _| |_: &mut usize| -> Result<Judged, Failure> { panic!("on purpose") };
        crew.expect(&subjects(&["a"]), &cancel, fails).unwrap();
        until(&crew, |questions| matches!(questions[0].at, At::Lost));
        assert_eq!(answer(&mut crew, "a", &cancel), None);
        expect(&mut crew, &["a"], &cancel);
        assert_eq!(answer(&mut crew, "a", &cancel), None);
    }
}
