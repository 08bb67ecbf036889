//! What was taken for interesting and turns out not to be: the search goes back, and no verdict is asked for twice. With an
//! oracle in memory that follows a script.

use std::collections::HashMap;

use super::*;
use crate::build::Diagnostic;
use crate::engine::PATIENCE;
use crate::passes;
use crate::passes::expansions;
use crate::property::{Judged, Stage, Verdict};
use crate::request::SearchRequest;
use crate::syntax::{FileId, Text};

/// `needle` is the failure; it goes on showing without `anchor`, but not for long.
const SOURCE: &str = "
fn needle() {}
fn anchor() {}
fn first() {}
fn second() {}
#[inline]
fn third() { let x = 1; }
";

/// What candidates have to mention to be interesting, by what is asked.
struct Script {
    judge: &'static [&'static str],
    confirm: Option<&'static [&'static str]>,
    /// How often each candidate was judged.
    judged: HashMap<blake3::Hash, usize>,
    /// How often fresh runs confirmed each.
    confirmed: HashMap<blake3::Hash, usize>,
    /// Of two that are as large, the one that mentions this is better; both are as good if neither is said to be.
    likes: Option<&'static str>,
    /// It is not worth confirming less than so many steps.
    confirms_after: usize,
    /// Stops the search after so many verdicts.
    patience: usize,
    /// What rustc traces of macro calls.
    expands: Vec<Diagnostic>,
    cancel: Cancel,
}

impl Script {
    fn new(judge: &'static [&'static str], confirm: Option<&'static [&'static str]>) -> Script {
        Script {
            judge,
            confirm,
            judged: HashMap::new(),
            confirmed: HashMap::new(),
            likes: None,
            confirms_after: 0,
            patience: usize::MAX,
            expands: Vec::new(),
            cancel: Cancel::new().expect("there are file descriptors left"),
        }
    }
}

fn text(subject: &Subject) -> &str {
    subject.file(FileId(0)).source()
}

fn mentions(subject: &Subject, words: &[&str]) -> bool {
    words.iter().all(|word| text(subject).contains(word))
}

impl Oracle for Script {
    fn judge(&mut self, candidate: &Subject, _: Option<Instant>) -> Result<Judged, Failure> {
        *self.judged.entry(candidate.key()).or_default() += 1;
        if self.judged.len() >= self.patience {
            self.cancel.set();
        }
        Ok(Judged {
            verdict: if mentions(candidate, self.judge) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting(Stage::Run)
            },
            cpu: Duration::ZERO,
            wall: Duration::ZERO,
            output: String::new(),
            errors: Vec::new(),
        })
    }

    fn expansions(&mut self, _: &Subject) -> Result<Vec<Diagnostic>, Failure> {
        Ok(self.expands.clone())
    }

    fn confirms_after(&self) -> usize {
        self.confirms_after
    }

    fn prefers(&self, candidate: &Subject, best: &Subject) -> bool {
        self.likes
            .is_none_or(|word| mentions(candidate, &[word]) && !mentions(best, &[word]))
    }

    fn confirm(&mut self, best: &Subject, _: Option<Instant>) -> Result<Option<bool>, Failure> {
        let confirmed = self.confirm.map(|words| mentions(best, words));
        if confirmed == Some(true) {
            *self.confirmed.entry(best.key()).or_default() += 1;
        }
        Ok(confirmed)
    }
}

/// Notes, in order.
#[derive(Default)]
struct Notes(Vec<String>);

impl Observer for Notes {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Note(note) = event {
            self.0.push(String::from(*note));
        }
    }
}

/// Deletes what can be deleted; what is left, and what was noted. The journal lies in `directory`.
fn searched(
    directory: &Path,
    oracle: &mut Script,
    last: Option<&mut Script>,
    resume: bool,
) -> (Ended, Vec<String>) {
    searched_by(directory, oracle, last, resume, &mut |engine| {
        for pass in passes::inside().into_iter().chain(passes::coarse()) {
            engine.pass(&*pass)?;
        }
        Ok(())
    })
}

/// As `schedule` has it.
fn searched_by(
    directory: &Path,
    oracle: &mut Script,
    last: Option<&mut Script>,
    resume: bool,
    schedule: &mut dyn FnMut(&mut Engine<'_>) -> Result<(), Stop>,
) -> (Ended, Vec<String>) {
    searched_from(SOURCE, directory, oracle, last, resume, schedule)
}

/// From another source on.
fn searched_from(
    source: &str,
    directory: &Path,
    oracle: &mut Script,
    last: Option<&mut Script>,
    resume: bool,
    schedule: &mut dyn FnMut(&mut Engine<'_>) -> Result<(), Stop>,
) -> (Ended, Vec<String>) {
    let request = Request {
        resume,
        ..Request::of_an_ice(SearchRequest::default())
    };
    let cancel = oracle.cancel.clone();
    let mut notes = Notes::default();
    let ended = Search {
        request: &request,
        start: Subject::new([("main.rs".into(), source.into())]).with_roots([FileId(0)]),
        fixed: Default::default(),
        untouched: Vec::new(),
        conditions: Default::default(),
        joints: Vec::new(),
        manifest_trials: 0,
        pump: None,
        protected: Vec::new(),
        oracle,
        last: last.map(|last| last as &mut dyn Oracle),
        cancel: &cancel,
        output: directory.join("output"),
        scratch: directory,
        started: Instant::now(),
        schedule,
    }
    .run(&mut notes)
    .expect("nothing fails in memory");
    (ended, notes.0)
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory can be made")
}

/// The verdicts of the journal in `directory`, by candidate; the last one where there are several.
fn journal(directory: &Path) -> HashMap<String, String> {
    let path = directory.join("output/journal.jsonl");
    let text = std::fs::read_to_string(path).expect("there is a journal");
    let lines = text.lines().map(|line| {
        let line: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        let word = |name: &str| Some(line.get(name)?.as_str()?.to_owned());
        Some((word("candidate")?, word("verdict")?))
    });
    lines.flatten().collect()
}

fn shown(directory: &Path) -> String {
    let path = directory.join("output/reduced/main.rs");
    std::fs::read_to_string(path).expect("there is a result")
}

/// Checks that the result has what the search had lost, and that a note says so.
#[track_caller]
fn stepped_back(directory: &Path, ended: &Ended, notes: &[String], said: &str) {
    let left = text(&ended.best);
    assert!(mentions(&ended.best, &["anchor", "needle"]), "{left}");
    // What went before the step that lost it stays gone.
    for gone in ["let x", "inline"] {
        assert!(!left.contains(gone), "{left}");
    }
    assert!(notes.iter().any(|note| note.contains(said)), "{notes:?}");
    assert_eq!(shown(directory), left);
}

#[test]
fn without_any_doubt_all_goes_that_can_go() {
    let directory = directory();
    let mut oracle = Script::new(&["needle"], Some(&["needle"]));
    let (ended, notes) = searched(directory.path(), &mut oracle, None, false);
    assert_eq!(text(&ended.best).trim(), "fn needle() {}");
    assert_eq!(notes, [""; 0]);
    assert!(!oracle.confirmed.is_empty());
}

#[test]
fn what_fresh_runs_do_not_confirm_is_given_up_for_the_last_that_they_do() {
    let directory = directory();
    let mut oracle = Script::new(&["needle"], Some(&["needle", "anchor"]));
    let (ended, notes) = searched(directory.path(), &mut oracle, None, false);
    stepped_back(directory.path(), &ended, &notes, "back by");
    // Each verdict that was taken back is known as what it is now.
    let verdicts = journal(directory.path());
    assert_eq!(verdicts[ended.best.key().to_hex().as_str()], "interesting");
    assert!(verdicts.values().any(|verdict| verdict == "run"));
}

#[test]
fn what_the_last_judge_refuses_gives_way_to_the_latest_that_it_takes() {
    let directory = directory();
    let mut oracle = Script::new(&["needle"], None);
    let mut last = Script::new(&["needle", "anchor"], None);
    let (ended, notes) = searched(directory.path(), &mut oracle, Some(&mut last), false);
    stepped_back(directory.path(), &ended, &notes, "an earlier one");
    assert!(
        last.judged.values().all(|times| *times == 1),
        "judged twice: {:?}",
        last.judged
    );
}

#[test]
fn steps_that_are_too_few_to_be_confirmed_are_left_to_the_last_judge() {
    let directory = directory();
    let words: &[&str] = &["needle", "anchor"];
    let mut oracle = Script::new(&["needle"], Some(words));
    oracle.confirms_after = usize::MAX;
    let mut last = Script::new(words, None);
    let (ended, notes) = searched(directory.path(), &mut oracle, Some(&mut last), false);
    stepped_back(directory.path(), &ended, &notes, "an earlier one");
    assert!(oracle.confirmed.is_empty());
}

#[test]
fn what_the_last_judge_refuses_is_not_taken_again_when_resumed() {
    let directory = directory();
    let mut last = Script::new(&["needle", "anchor"], None);
    let mut oracle = Script::new(&["needle"], None);
    let (first, _) = searched(directory.path(), &mut oracle, Some(&mut last), false);
    let refused = last.judged.keys().filter(|key| **key != first.best.key());
    let verdicts = journal(directory.path());
    for key in refused {
        let verdict = verdicts.get(key.to_hex().as_str());
        assert_ne!(verdict.map(String::as_str), Some("interesting"));
    }
    let mut oracle = Script::new(&["needle"], None);
    let mut last = Script::new(&["needle", "anchor"], None);
    let (again, _) = searched(directory.path(), &mut oracle, Some(&mut last), true);
    assert!(again.best.tokens() <= first.best.tokens());
    assert!(mentions(&again.best, &["needle", "anchor"]));
}

#[test]
fn what_changes_nothing_is_refused_by_fresh_runs_alone() {
    let left = |confirm| {
        let directory = directory();
        // By chance it refuses what has no `second`.
        let mut oracle = Script::new(&["second"], Some(confirm));
        let mut last = Script::new(&["needle"], None);
        let last = Some(&mut last);
        let (ended, _) = searched_by(directory.path(), &mut oracle, last, false, &mut |engine| {
            let shorter = SOURCE.replace("fn second() {}", "");
            let same = engine.best().with_text(FileId(0), Text::inserted(shorter));
            engine.trial_that_changes_nothing(same).map(|_| ())
        });
        text(&ended.best).to_owned()
    };
    assert!(!left(&["needle"]).contains("second"));
    assert!(left(&["second"]).contains("second"));
}

#[test]
fn of_two_that_are_as_large_the_one_that_the_oracle_prefers_stays() {
    let taken = |likes| {
        let directory = directory();
        let mut oracle = Script::new(&["needle"], None);
        oracle.likes = Some(likes);
        let mut taken = false;
        searched_by(directory.path(), &mut oracle, None, false, &mut |engine| {
            let other = Text::inserted(SOURCE.replace("first", "early"));
            let other = engine.best().with_text(FileId(0), other);
            taken = engine.trial_with_errors(other)?.0;
            Ok(())
        });
        taken
    };
    assert!(taken("early"));
    assert!(!taken("first"));
    // Neither is better.
    assert!(!taken("needle"));
}

#[test]
fn a_start_that_the_last_judge_refuses_is_told() {
    let directory = directory();
    let mut oracle = Script::new(&["needle"], None);
    let mut last = Script::new(&["needle", "nowhere"], None);
    let (_, notes) = searched(directory.path(), &mut oracle, Some(&mut last), false);
    assert!(
        notes
            .iter()
            .any(|note| note.contains("does not show the failure: see")),
        "{notes:?}"
    );
}

#[test]
fn a_resumed_search_repeats_no_trial_and_no_confirmation() {
    let words: Option<&'static [&'static str]> = Some(&["needle", "anchor"]);
    let (whole, trials) = {
        let directory = directory();
        let mut oracle = Script::new(&["needle"], words);
        let best = searched(directory.path(), &mut oracle, None, false).0.best;
        (text(&best).to_owned(), oracle.judged.len())
    };
    for patience in 1..trials {
        let directory = directory();
        let mut first = Script::new(&["needle"], words);
        first.patience = patience;
        searched(directory.path(), &mut first, None, false);
        let mut second = Script::new(&["needle"], words);
        let (ended, _) = searched(directory.path(), &mut second, None, true);
        assert_eq!(text(&ended.best), whole, "after {patience}");
        let result = ended.best.key();
        // Only the result is judged once more, in the end.
        for (key, times) in second.judged.iter().filter(|(key, _)| **key != result) {
            let before = first.judged.get(key).copied().unwrap_or(0);
            assert_eq!(times + before, 1, "after {patience}");
        }
        for (key, times) in &second.confirmed {
            let before = first.confirmed.get(key).copied().unwrap_or(0);
            assert_eq!(times + before, 1, "after {patience}");
        }
    }
}

/// Many functions of which none can go, and all of which are a little code.
fn much() -> String {
    let body = "n + 1; ".repeat(10);
    let functions = (0..PATIENCE * 6).map(|at| format!("fn f{at}(n: u8) {{ {body} }}\n"));
    functions.collect()
}

#[test]
fn a_list_that_is_refused_again_and_again_is_for_later_as_long_as_there_is_much() {
    let trials = |proves: bool| {
        let mut trials = 0;
        let mut schedule = |engine: &mut Engine<'_>| {
            engine.proves = proves;
            engine.pass(&*passes::items())?;
            trials = engine.counts.trials;
            Ok(())
        };
        let (directory, mut oracle) = (directory(), Script::new(&["what is nowhere"], None));
        searched_from(
            &much(),
            directory.path(),
            &mut oracle,
            None,
            false,
            &mut schedule,
        );
        trials
    };
    assert_eq!(trials(false), PATIENCE);
    assert!(trials(true) >= PATIENCE * 6);
}

#[test]
fn what_macros_expand_to_is_given_back_if_the_time_ends_while_it_is_larger() {
    let source = "macro_rules! m { ($n:ident) => { fn $n() { 1; 2; 3; 4; 5; 6; 7; 8; } } }
m!(a);
m!(b);
fn needle() {}
";
    let note = |name: &str| {
        let made = format!("fn {name}() {{ 1; 2; 3; 4; 5; 6; 7; 8; }}");
        expansions::note(&[(&format!("m! {{ {name} }}"), &made)])
    };
    let directory = directory();
    let mut oracle = Script::new(&["needle"], Some(&["needle"]));
    oracle.expands = vec![note("a"), note("b")];
    oracle.patience = 1;
    let mut schedule = |engine: &mut Engine<'_>| {
        let outcome = engine.expand_macros().map(|_| ());
        assert!(matches!(outcome, Err(Stop::Cancelled)));
        outcome
    };
    let (ended, _) = searched_from(
        source,
        directory.path(),
        &mut oracle,
        None,
        false,
        &mut schedule,
    );
    assert_eq!(oracle.judged.len(), 1, "it was expanded");
    assert_eq!(text(&ended.best), source);
    assert_eq!(shown(directory.path()), source);
}

#[test]
fn data_of_which_nothing_goes_is_asked_for_again_when_nothing_else_goes() {
    let with_data = |source: &str| {
        let files = [("main.rs", source), ("words.txt", "one\ntwo\nthree\n")];
        Subject::new(files.map(|(path, text)| (path.into(), text.into()))).with_roots([FileId(0)])
    };
    let shorter = SOURCE.replace("fn first() {}", "");
    let mut asked = Vec::new();
    let mut schedule = |engine: &mut Engine<'_>| {
        for (source, proves) in [(SOURCE, false), (&shorter, false), (&shorter, true)] {
            engine.best = with_data(source);
            engine.proves = proves;
            let before = engine.counts.trials;
            engine.shorten_tables()?;
            asked.push(engine.counts.trials > before);
        }
        Ok(())
    };
    let (directory, mut oracle) = (directory(), Script::new(&["what is nowhere"], None));
    searched_by(directory.path(), &mut oracle, None, false, &mut schedule);
    assert_eq!(asked, [true, false, true]);
}
