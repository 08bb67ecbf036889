//! What failures of the same test have in common, and whether another is the same.

use std::sync::LazyLock;

use regex::Regex;

use super::failure::{How, TestFailure};
use crate::request::TestMatch;

/// The failure that all baseline runs have in common.
#[derive(Debug, Clone)]
pub struct Signature {
    how: How,
    /// The message's words; `None` where runs differed.
    words: Vec<Option<String>>,
    /// The message of the first run.
    message: String,
    matching: TestMatch,
}

/// `src/lib.rs:12` or `src/lib.rs:12:3`, as macros and reports of errors say where they stand.
static SOURCE_PLACE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#"[^\s"'`(\[]*\.rs:\d+(?::\d+)?"#).expect("a valid pattern"));

/// `core::panic::Location` as `{:?}` and `{:#?}` write it; older compilers say `col`.
static LOCATION: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"Location \{\s*file: "[^"]*\.rs",\s*line: \d+,\s*col(?:umn)?: \d+,?\s*\}"#;
    Regex::new(pattern).expect("a valid pattern")
});

/// How `insta` says where the assertion stands that a snapshot does not meet.
static SNAPSHOT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r"(snapshot assertion (?:from glob )?for '[^']*' failed) in line \d+";
    Regex::new(pattern).expect("a valid pattern")
});

/// Whether `message` says that a snapshot is not met.
pub fn is_about_a_snapshot(message: &str) -> bool {
    SNAPSHOT_LINE.is_match(message)
}

impl Signature {
    /// What `failures`, at least one, have in common; `None` if they are of different kinds.
    pub fn of(failures: &[TestFailure]) -> Option<Signature> {
        let first = failures.first()?;
        if failures.iter().any(|other| other.how != first.how) {
            return None;
        }
        let mut words: Vec<Option<String>> =
            words_of(&first.message).into_iter().map(Some).collect();
        for other in failures {
            let others = words_of(&other.message);
            words.truncate(others.len());
            for (word, other) in words.iter_mut().zip(others) {
                if word.as_ref() != Some(&other) {
                    *word = None;
                }
            }
        }
        Some(Signature {
            how: first.how.clone(),
            words,
            message: first.message.clone(),
            matching: TestMatch::default(),
        })
    }

    /// The same, compared as `matching` says.
    #[must_use]
    pub fn compared(mut self, matching: TestMatch) -> Signature {
        self.matching = matching;
        self
    }

    /// How it ends.
    pub fn how(&self) -> &How {
        &self.how
    }

    /// Whether `failure` is the same.
    pub fn holds(&self, failure: &TestFailure) -> bool {
        match self.matching {
            TestMatch::Any => true,
            TestMatch::Exact => self.how == failure.how && self.message == failure.message,
            TestMatch::Location => self.how == failure.how && self.says(failure),
            TestMatch::Message => {
                let alike = matches!(
                    (&self.how, &failure.how),
                    (How::Panic(_), How::Panic(_)) | (How::OtherPanic(_), How::OtherPanic(_))
                );
                (self.how == failure.how || alike) && self.says(failure)
            }
        }
    }

    /// Whether the messages are alike up to what differs from run to run.
    fn says(&self, failure: &TestFailure) -> bool {
        let mut words = words_of(&failure.message).into_iter();
        self.words
            .iter()
            .all(|expected| match (expected, words.next()) {
                (Some(expected), Some(word)) => *expected == word,
                (None, Some(_)) => true,
                (_, None) => false,
            })
    }
}

/// The words of `message` as they are compared. Where source text stands is none of them: every line that goes moves those behind
/// it, and what is left may go into another file.
fn words_of(message: &str) -> Vec<String> {
    let plain = SOURCE_PLACE.replace_all(message, "a place");
    let plain = LOCATION.replace_all(&plain, "Location");
    let plain = SNAPSHOT_LINE.replace_all(&plain, "$1");
    plain.split_whitespace().map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::property::failure::Place;

    #[test]
    fn words_that_differ_between_runs_do_not_matter() {
        let failure = |message: &str| TestFailure {
            how: How::Error,
            message: message.into(),
        };
        let signature =
            Signature::of(&[failure("took 15 ms"), failure("took 17 ms")]).expect("same kind");
        assert!(signature.holds(&failure("took 99 ms")));
        assert!(!signature.holds(&failure("took 99 s")));
        assert!(!signature.holds(&failure("took")));
    }

    #[test]
    fn where_source_text_stands_is_no_part_of_what_a_message_says() {
        let failure = |message: &str| TestFailure {
            how: How::Error,
            message: message.into(),
        };
        let same = |one: &str, other: &str| {
            let signature = Signature::of(&[failure(one)]).expect("a kind");
            signature.holds(&failure(other))
        };
        assert!(same(
            "left: 1 at src/word.rs:1129.\nminimal: s",
            "left: 1 at tests/t.rs:7.\nminimal: s"
        ));
        assert!(same("(a.rs:1:2)", "(b.rs:30:4)"));
        assert!(!same("at src/word.rs:1129.", "at src/word.rs"));
        assert!(!same("a.rs:1 has 2", "a.rs:1 has 3"));
        assert!(!same("12:30", "12:31"));
        let snapshot =
            |name: &str, line| format!("snapshot assertion for '{name}' failed in line {line}");
        assert!(same(&snapshot("ops", 647), &snapshot("ops", 9)));
        assert!(!same(&snapshot("ops", 9), &snapshot("ops-2", 9)));
        assert!(!same("invalid type in line 3", "invalid type in line 4"));
        let here = std::panic::Location::caller();
        let there = std::panic::Location::caller();
        assert!(same(&format!("{here:?}"), &format!("{there:?}")));
        assert!(same(
            &format!("E {{ {here:#?} }}"),
            &format!("E {{ {there:#?} }}")
        ));
        assert!(!same(&format!("A({here:?})"), &format!("B({there:?})")));
    }

    #[test]
    fn how_alike_failures_have_to_be_can_be_chosen() {
        let failure = |place: &str, message: &str| TestFailure {
            how: How::Panic(Place::Elsewhere(place.into())),
            message: message.into(),
        };
        let baseline = [failure("a", "took 15 ms"), failure("a", "took 17 ms")];
        let holds = |matching, place, message| {
            let signature = Signature::of(&baseline).expect("same kind");
            signature.compared(matching).holds(&failure(place, message))
        };
        assert!(holds(TestMatch::Location, "a", "took 3 ms"));
        assert!(!holds(TestMatch::Location, "b", "took 3 ms"));
        assert!(holds(TestMatch::Message, "b", "took 3 ms"));
        assert!(!holds(TestMatch::Message, "b", "no time"));
        assert!(holds(TestMatch::Exact, "a", "took 15 ms"));
        assert!(!holds(TestMatch::Exact, "a", "took 3 ms"));
        assert!(holds(TestMatch::Any, "b", "no time"));
    }
}
