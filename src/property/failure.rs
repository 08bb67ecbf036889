//! How a test failed: read from its output and from how it ended, in a form that survives edits.

use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

use crate::exec::{Ending, Outcome};
use crate::paths::normal;
use crate::subject::Subject;
use crate::syntax::{FileId, Origin};

/// Where a panic happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// In the subject: where that stood in the original text.
    Origin(Origin),
    /// In text that the original does not have: the file, and the byte of it.
    Inserted(FileId, usize),
    /// In another crate: `path:line:column`.
    Elsewhere(String),
}

/// How a test failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A panic.
    Panic(Place),
    /// Its `#[should_panic]` saw no panic.
    NoPanic,
    /// A panic, but not with the message that its `#[should_panic]` expects. Where, if the panic's own words are there:
    /// the test's hook may swallow them.
    OtherPanic(Option<Place>),
    /// It returned an `Err`.
    Error,
    /// Endless recursion, as the runtime reports it.
    Overflow,
    /// Another signal killed it.
    Signal(i32),
    /// It did not end.
    Hang,
    /// It exited with this code and said nothing that we know.
    Exit(i32),
}

/// A failure, as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFailure {
    /// How it ended.
    pub how: How,
    /// The panic's message, or what the error says.
    pub message: String,
}

static PANIC: LazyLock<Regex> = LazyLock::new(|| {
    // A literal that the tests below use.
    let pattern = r"(?m)^(thread '[^\n]*'(?: \(\d+\))?) panicked at ([^\n]+):(\d+):(\d+):$";
    Regex::new(pattern).expect("a valid pattern")
});

/// What messages hold that only say that there was another panic: what a join or `catch_unwind` gave, unwrapped, and the
/// runtime, which then aborts.
const SECOND_HAND: [&str; 4] = [
    "Any { .. }",
    "a scoped thread panicked",
    "panic in a destructor during cleanup",
    "panic in a function that cannot unwind",
];

/// What the runtime says of a thread that recurses too deep.
const OVERFLOW: &str = "has overflowed its stack";

/// How the harness's note begins if nothing panicked in a test that should. Where the test stands follows.
const NO_PANIC: &str = "note: test did not panic as expected";

/// How it begins if something panicked, but not with the message expected; the message follows, or what is there instead.
const OTHER_PANIC: [&str; 2] = [
    "note: panic did not contain expected string",
    "note: expected panic with string value",
];

/// How a run of the test ended, if it failed. `base` is the directory that paths in panic messages
/// are relative to; `root` is where the subject lies.
pub fn observed(
    outcome: &Outcome,
    subject: &Subject,
    root: &Path,
    base: &Path,
) -> Option<TestFailure> {
    let text = printed(outcome);
    let failure = |how, message| Some(TestFailure { how, message });
    let code = match outcome.ending {
        Ending::TimedOut => return failure(How::Hang, String::new()),
        Ending::Exited(0) | Ending::Cancelled => return None,
        Ending::Exited(code) => code,
        Ending::Signalled(signal) => 128 + signal,
    };
    if text.contains(OVERFLOW) {
        return failure(How::Overflow, String::new());
    }
    if noted(&text, NO_PANIC).is_some() {
        return failure(How::NoPanic, String::new());
    }
    let panics = panics(&text);
    let panic = panics.get(uncaught(&panics)).map(|panic| {
        let place = place(panic.file, panic.line, panic.column, subject, root, base);
        (place, panic.message.clone())
    });
    if let Some(message) = OTHER_PANIC.iter().find_map(|note| noted(&text, note)) {
        let silent = (None, message.to_string());
        let (place, message) = panic.map_or(silent, |(place, said)| (Some(place), said));
        return failure(How::OtherPanic(place), message);
    }
    if let Some((place, message)) = panic {
        return failure(How::Panic(place), message);
    }
    if let Some(line) = text.lines().find_map(|line| line.strip_prefix("Error: ")) {
        return failure(How::Error, line.to_string());
    }
    let by_code = || (code > 128 && code < 160).then_some(code - 128);
    match signal_by_cargo(&text).or_else(by_code) {
        Some(signal) => failure(How::Signal(signal), String::new()),
        None => failure(How::Exit(code), String::new()),
    }
}

/// What a run printed, the harness's words first.
fn printed(outcome: &Outcome) -> String {
    let out = String::from_utf8_lossy(&outcome.stdout);
    format!("{out}\n{}", String::from_utf8_lossy(&outcome.stderr))
}

/// A panic as the runtime tells of it.
struct Told<'t> {
    thread: &'t str,
    file: &'t str,
    line: usize,
    column: usize,
    message: String,
}

/// The panics that `text` tells of, those of the first test that does: what the harness caught of another one stands under a
/// heading of its own.
fn panics(text: &str) -> Vec<Told<'_>> {
    let first = PANIC.find(text).map_or(text.len(), |found| found.start());
    let end = text[first..].find("\n---- ").map(|at| first + at);
    let text = &text[..end.unwrap_or(text.len())];
    let told = PANIC.captures_iter(text).map(|found| {
        let (_, [thread, file, line, column]) = found.extract();
        let behind = found.get(0).map_or(0, |whole| whole.end());
        Told {
            thread,
            file,
            line: line.parse().unwrap_or(0),
            column: column.parse().unwrap_or(0),
            message: message(&text[behind..]),
        }
    });
    told.collect()
}

/// Which of `panics` it fails by. A thread that panics again had caught what it panicked with before, so the last is what nobody
/// caught; where that only tells what became of another, or comes from the clearing up after it, the first says more.
fn uncaught(panics: &[Told<'_>]) -> usize {
    let Some((first, others)) = panics.split_first() else {
        return 0;
    };
    let same = others
        .iter()
        .rposition(|panic| panic.thread == first.thread);
    same.map(|at| at + 1)
        .filter(|last| !is_about_another(&panics[*last].message, &panics[..*last]))
        .unwrap_or(0)
}

/// Whether a panic with this `message` is about one of the `earlier` ones: it quotes it, as who looks for small inputs does, or says
/// that there was one.
fn is_about_another(message: &str, earlier: &[Told<'_>]) -> bool {
    let quoted = |panic: &Told<'_>| {
        let line = panic.message.lines().next().unwrap_or_default();
        let as_told = [format!("\"{line}"), format!(": {line}")];
        !line.is_empty() && as_told.iter().any(|told| message.contains(told))
    };
    SECOND_HAND.iter().any(|words| message.contains(words)) || earlier.iter().any(quoted)
}

/// Which of the panics that a run told of it failed by, from 0, and of how many.
pub fn which_panic(outcome: &Outcome) -> (usize, usize) {
    let text = printed(outcome);
    let panics = panics(&text);
    (uncaught(&panics), panics.len())
}

/// The signal that ended a run, whatever had failed before, as long as it was not a stack that overflowed.
pub fn killed(outcome: &Outcome) -> Option<i32> {
    let text = String::from_utf8_lossy(&outcome.stderr);
    let signal = match outcome.ending {
        Ending::Signalled(signal) => Some(signal),
        Ending::Exited(code) if code > 128 && code < 160 => Some(code - 128),
        Ending::Exited(1..) => signal_by_cargo(&text),
        _ => None,
    };
    signal.filter(|_| !text.contains(OVERFLOW))
}

/// Whether that is how a run ended.
pub fn overflowed(outcome: &Outcome) -> bool {
    !outcome.success() && String::from_utf8_lossy(&outcome.stderr).contains(OVERFLOW)
}

/// The panic's message in the harness's note that begins with `note`, if `text` has that; it is in the line behind.
fn noted<'t>(text: &'t str, note: &str) -> Option<&'t str> {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(note));
    lines.next()?;
    let behind = lines.next().unwrap_or_default().trim_start();
    Some(behind.strip_prefix("panic message: ").unwrap_or_default())
}

/// The signal that killed a test as cargo, which ran it and exits with a code of its own, tells it.
fn signal_by_cargo(text: &str) -> Option<i32> {
    let (_, told) = text.rsplit_once("\nerror: test failed, to rerun pass ")?;
    let (_, number) = told.split_once("(signal: ")?;
    number.split(',').next()?.parse().ok()
}

/// As [`observed`] for a program without a test harness: where its exit code is all that is known, what it says last tells
/// its failures apart.
pub fn observed_of_program(
    outcome: &Outcome,
    subject: &Subject,
    root: &Path,
    base: &Path,
) -> Option<TestFailure> {
    let mut failure = observed(outcome, subject, root, base)?;
    if let How::Exit(_) = failure.how {
        let last = |bytes: &[u8]| {
            let text = super::without_scratch(&String::from_utf8_lossy(bytes), root);
            let line = text.lines().rfind(|line| !line.trim().is_empty());
            line.map(str::to_string)
        };
        let said = last(&outcome.stderr).or_else(|| last(&outcome.stdout));
        failure.message = said.unwrap_or_default();
    }
    Some(failure)
}

/// The lines of a panic's message: up to a blank line or what the runtime adds.
fn message(rest: &str) -> String {
    let ends = |line: &&str| {
        !(line.starts_with("note: ")
            || line.starts_with("stack backtrace:")
            || line.starts_with("thread '")
            || line.starts_with("test ")
            || line.starts_with("----")
            || line.is_empty())
    };
    let lines: Vec<&str> = rest.lines().skip(1).take_while(ends).collect();
    lines.join("\n")
}

fn place(
    file: &str,
    line: usize,
    column: usize,
    subject: &Subject,
    root: &Path,
    base: &Path,
) -> Place {
    let elsewhere = || Place::Elsewhere(format!("{file}:{line}:{column}"));
    // A file that is included is called by the way to it from where that is done.
    let absolute = normal(&base.join(file));
    let Ok(relative) = absolute.strip_prefix(root) else {
        return elsewhere();
    };
    let Some(id) = subject.find(relative) else {
        return elsewhere();
    };
    let Some(text) = subject.file(id).text() else {
        return elsewhere();
    };
    let Some(at) = offset(text.as_str(), line, column) else {
        return elsewhere();
    };
    match subject.place(id, at) {
        Some(origin) => Place::Origin(origin),
        None => Place::Inserted(id, at),
    }
}

/// The byte at `line` and `column`, both from 1, columns in characters.
fn offset(text: &str, line: usize, column: usize) -> Option<usize> {
    let start: usize = text
        .split_inclusive('\n')
        .take(line.checked_sub(1)?)
        .map(str::len)
        .sum();
    let within = text[start..].char_indices().nth(column.checked_sub(1)?)?;
    Some(start + within.0)
}

impl Place {
    /// What names a panic there.
    fn title(&self, subject: &Subject) -> String {
        match self {
            Place::Origin(origin) => {
                let now = subject.files().iter().find_map(|file| {
                    let at = file.text()?.find(*origin)?;
                    let line = file.source()[..at].matches('\n').count() + 1;
                    Some(format!("panic at {}:{line}", file.path.display()))
                });
                // A call that was expanded stands nowhere any more.
                now.unwrap_or_else(|| {
                    format!("panic in {}", subject.file(origin.file).path.display())
                })
            }
            Place::Inserted(..) => "panic".to_string(),
            Place::Elsewhere(place) => format!("panic at {place}"),
        }
    }
}

impl TestFailure {
    /// Where it came to a stub, if it ended there.
    pub fn stub(&self) -> Option<(FileId, usize)> {
        match self.how {
            How::Panic(Place::Inserted(file, at))
            | How::OtherPanic(Some(Place::Inserted(file, at))) => Some((file, at)),
            _ => None,
        }
    }

    /// One line that names the failure.
    pub fn title(&self, subject: &Subject) -> String {
        let how = match &self.how {
            How::Panic(place) => place.title(subject),
            How::NoPanic => "test did not panic as expected".to_string(),
            How::OtherPanic(place) => {
                let place = place.as_ref().map(|place| place.title(subject));
                let panic = place.unwrap_or_else(|| "panic".to_string());
                format!("{panic}, with another message than expected")
            }
            How::Error => "returned an error".to_string(),
            How::Overflow => "stack overflow".to_string(),
            How::Signal(signal) => super::signal_name(*signal),
            How::Hang => "does not end".to_string(),
            How::Exit(code) => format!("exit code {code}"),
        };
        let first = self.message.lines().next().unwrap_or_default();
        if first.is_empty() {
            how
        } else {
            format!("{how}: {first}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::property::signature::Signature;
    use crate::request::TestMatch;
    use crate::syntax::{Edit, FileId};

    const TEXT: &str = "fn f() {}\nfn g() { äh().unwrap() }\n";

    fn run(stderr: &str, ending: Ending, subject: &Subject) -> Option<TestFailure> {
        let outcome = Outcome {
            ending,
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        observed(&outcome, subject, Path::new("/tree"), Path::new("/tree/a"))
    }

    fn subject() -> Subject {
        Subject::new([("a/src/lib.rs".into(), TEXT.as_bytes().to_vec())])
    }

    fn panicked(line: usize, message: &str) -> String {
        format!("\nthread 't' (3) panicked at src/lib.rs:{line}:15:\n{message}\nnote: run with\n")
    }

    #[test]
    fn a_panic_is_known_by_where_it_stood_originally() {
        let original = subject();
        let before = run(&panicked(2, "no value"), Ending::Exited(101), &original).expect("fails");
        assert_eq!(before.message, "no value");
        let text = original
            .file(FileId(0))
            .text()
            .expect("text")
            .apply(&[Edit::delete(FileId(0), 0..10)]);
        let edited = original.with_text(FileId(0), text);
        let after = run(&panicked(1, "no value"), Ending::Exited(101), &edited).expect("fails");
        assert_eq!(before, after);
        let elsewhere =
            run(&panicked(1, "no value"), Ending::Exited(101), &original).expect("fails");
        assert_ne!(before, elsewhere);
    }

    #[test]
    fn of_several_panics_it_fails_by_the_one_that_nobody_caught() {
        let of = |stderr: &str| {
            let failure = run(stderr, Ending::Exited(101), &subject());
            failure.expect("fails").message
        };
        let caught = panicked(1, "caught");
        assert_eq!(of(&format!("{caught}{}", panicked(2, "left"))), "left");
        assert_eq!(
            of(&format!("{caught}{caught}{}", panicked(2, "not caught"))),
            "not caught"
        );
        // What only tells of the first says less than it.
        let any = "called `Result::unwrap()` on an `Err` value: Any { .. }";
        let quoting = "it fails: \"caught\"";
        let clearing = "panic in a destructor during cleanup";
        for later in [
            any,
            quoting,
            clearing,
            "Test failed: caught; minimal input: 3",
        ] {
            assert_eq!(
                of(&format!("{caught}{}", panicked(2, later))),
                "caught",
                "{later}"
            );
        }
        // Those of other threads, and of other tests.
        let other = panicked(2, "left").replace("'t' (3)", "'u' (4)");
        assert_eq!(of(&format!("{caught}{other}")), "caught");
        let listed = format!(
            "---- t stdout ----\n{caught}\n---- u stdout ----\n{}",
            panicked(2, "left")
        );
        assert_eq!(of(&listed), "caught");
    }

    #[test]
    fn a_panic_that_was_expected_and_is_not_there_is_a_failure_of_its_own() {
        let of = |stderr: &str| run(stderr, Ending::Exited(101), &subject()).expect("fails");
        let note = |at: &str| {
            of(&format!(
                "---- t stdout ----\nnote: test did not panic as expected{at}\n"
            ))
        };
        assert_eq!(note(" at src/lib.rs:2:4").how, How::NoPanic);
        assert_eq!(note(" at src/lib.rs:2:4"), note(""));
        assert_ne!(note(""), of("nothing that we know\n"));
        // A panic of a thread that the test does not ask about is not what was expected.
        let other = format!("{}{NO_PANIC}\n", panicked(2, "no value"));
        assert_eq!(of(&other).how, How::NoPanic);
        assert_eq!(note("").title(&subject()), "test did not panic as expected");
    }

    #[test]
    fn a_panic_with_another_message_than_expected_is_none_that_nobody_expected() {
        let of = |stderr: &str| run(stderr, Ending::Exited(101), &subject()).expect("fails");
        let note = "note: panic did not contain expected string\n      panic message: \"no value\"\n expected substring: \"none\"\n";
        let plain = of(&panicked(2, "no value"));
        let other = of(&format!("{}{note}", panicked(2, "no value")));
        assert!(matches!(&plain.how, How::Panic(Place::Origin(_))));
        assert!(matches!(
            &other.how,
            How::OtherPanic(Some(Place::Origin(_)))
        ));
        assert_eq!(other.message, plain.message);
        let signature = Signature::of(std::slice::from_ref(&other)).expect("one kind");
        let by_message = signature.clone().compared(TestMatch::Message);
        assert!(signature.holds(&other) && !signature.holds(&plain) && !by_message.holds(&plain));
        let elsewhere = of(&format!("{}{note}", panicked(1, "no value")));
        assert!(!signature.holds(&elsewhere) && by_message.holds(&elsewhere));
        let silent = of(note);
        assert_eq!(silent.how, How::OtherPanic(None));
        assert_eq!(silent.message, "\"no value\"");
        assert_eq!(
            other.title(&subject()),
            "panic at a/src/lib.rs:2, with another message than expected: no value"
        );
    }

    #[test]
    fn a_title_says_where_it_is_now() {
        let original = subject();
        let failure = run(&panicked(2, "no value"), Ending::Exited(101), &original).expect("fails");
        assert_eq!(
            failure.title(&original),
            "panic at a/src/lib.rs:2: no value"
        );
        let text = original.file(FileId(0)).text().expect("text");
        let edited = text.apply(&[Edit::delete(FileId(0), 0..10)]);
        let edited = original.with_text(FileId(0), edited);
        assert_eq!(failure.title(&edited), "panic at a/src/lib.rs:1: no value");
        let without = text.apply(&[Edit::delete(FileId(0), 10..text.as_str().len())]);
        let without = original.with_text(FileId(0), without);
        assert_eq!(failure.title(&without), "panic in a/src/lib.rs: no value");
    }

    #[test]
    fn a_signal_after_a_panic_kills_all_the_same() {
        let of = |stderr: &str, ending| {
            killed(&Outcome {
                ending,
                stdout: Vec::new(),
                stderr: stderr.as_bytes().to_vec(),
                wall: Duration::ZERO,
                cpu: Duration::ZERO,
            })
        };
        let panic = "thread 't' panicked at a.rs:1:1:\nno\n";
        assert_eq!(of(panic, Ending::Signalled(6)), Some(6));
        assert_eq!(of(panic, Ending::Exited(134)), Some(6));
        assert_eq!(of(panic, Ending::Exited(101)), None);
        let overflow = "thread 't' has overflowed its stack\n";
        assert_eq!(of(overflow, Ending::Signalled(6)), None);
    }

    #[test]
    fn other_ways_to_fail_are_told_apart() {
        let of = |stderr: &str, ending| run(stderr, ending, &subject()).map(|failure| failure.how);
        assert_eq!(of("", Ending::Exited(0)), None);
        assert_eq!(of("", Ending::TimedOut), Some(How::Hang));
        assert_eq!(
            of(
                "thread 't' has overflowed its stack\n",
                Ending::Signalled(6)
            ),
            Some(How::Overflow)
        );
        assert_eq!(of("", Ending::Signalled(11)), Some(How::Signal(11)));
        assert_eq!(of("Error: Bad(3)\n", Ending::Exited(101)), Some(How::Error));
        let by_cargo = "error: test failed, to rerun pass `--test t`\n\nCaused by:\n  process didn't exit successfully: `t` (signal: 6, SIGABRT: process abort signal)\n";
        assert_eq!(of(by_cargo, Ending::Exited(101)), Some(How::Signal(6)));
        let by_code =
            by_cargo.replace("signal: 6, SIGABRT: process abort signal", "exit status: 3");
        assert_eq!(of(&by_code, Ending::Exited(3)), Some(How::Exit(3)));
    }

    #[test]
    fn a_program_that_only_exits_is_told_by_what_it_says_last() {
        let outcome = |stdout: &str, stderr: &str, code| Outcome {
            ending: Ending::Exited(code),
            stdout: stdout.as_bytes().to_vec(),
            stderr: stderr.as_bytes().to_vec(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        let seen = |outcome: Outcome| {
            let (root, base) = (Path::new("/tree"), Path::new("/tree/a"));
            observed_of_program(&outcome, &subject(), root, base)
        };
        let failure = seen(outcome(
            "so\n",
            "reading\nno such file: /tree/a/in.txt\n\n",
            2,
        ));
        let failure = failure.expect("it fails");
        assert_eq!(failure.how, How::Exit(2));
        assert_eq!(failure.message, "no such file: a/in.txt");
        let silent = seen(outcome("so\n", "", 2)).expect("it fails");
        assert_eq!(silent.message, "so");
        assert_eq!(seen(outcome("so\n", "", 0)), None);
        let panicked = seen(outcome("", &panicked(2, "no value"), 101)).expect("it fails");
        assert_eq!(panicked.message, "no value");
    }
}
