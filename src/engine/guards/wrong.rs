//! What the failing assertion got and should not have, and who expects just that: a guard that does is passed by a program that
//! gives nothing else. Knows words alone.

use std::collections::BTreeSet;

use super::words_of;
use crate::passes::assertions;
use crate::subject::Subject;

/// What is wrong, as far as it is known.
pub(super) enum Wrong<'t> {
    /// These words say it, of which there is one at least.
    Words(BTreeSet<String>),
    /// Somebody else than who asks in this way expects it, it may be.
    NotAskedFor(Asked<'t>),
    /// Nothing tells.
    Unknown,
}

/// By which macro or function an assertion asks, and whether for the opposite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Asked<'t> {
    by: &'t str,
    opposite: bool,
}

impl<'t> Asked<'t> {
    fn of(assertion: &'t str) -> Option<Asked<'t>> {
        let (callee, given) = assertion.split_once(['(', '[', '{'])?;
        let callee = callee.trim_end().trim_end_matches('!');
        let by = callee.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let opposite = given.trim_start().starts_with('!');
        Some(Asked {
            by: by.into_iter().next()?,
            opposite,
        })
    }
}

impl<'t> Wrong<'t> {
    /// The failure says `message`, the test has the words `said`; the assertion that failed is `asked`, if that is known.
    pub(super) fn of(message: &str, said: &BTreeSet<String>, asked: Option<&'t str>) -> Wrong<'t> {
        let values = ["left: ", "right: "].map(|side| {
            let mut lines = message.lines().map(str::trim_start);
            let value = lines.find_map(|line| line.strip_prefix(side));
            value.map(|value| words(value).collect::<BTreeSet<_>>())
        });
        match values {
            // Of two values, the one that the test does not say.
            [Some(left), Some(right)] => match (left.is_subset(said), right.is_subset(said)) {
                (true, false) => Wrong::Words(right),
                (false, true) => Wrong::Words(left),
                _ => Wrong::Unknown,
            },
            _ => match asked.and_then(Asked::of) {
                Some(asked) => Wrong::NotAskedFor(asked),
                None => Wrong::Unknown,
            },
        }
    }

    /// Whether an `assertion` that passes may expect it.
    pub(super) fn is_expected_by(&self, assertion: &str) -> bool {
        match self {
            Wrong::Words(wrong) => {
                let said: BTreeSet<String> = words(assertion).collect();
                wrong.is_subset(&said)
            }
            Wrong::NotAskedFor(asked) => Asked::of(assertion) != Some(*asked),
            Wrong::Unknown => false,
        }
    }

    /// Whether all that the test `name` asserts may; what calls one of the `helpers` asserts something, too.
    pub(super) fn is_expected_by_all_of(
        &self,
        subject: &Subject,
        name: &str,
        helpers: &BTreeSet<&str>,
    ) -> bool {
        match self {
            Wrong::Words(wrong) => wrong.is_subset(&words_of(subject, name)),
            Wrong::NotAskedFor(_) => {
                let functions = assertions::test_functions(subject, name).into_iter();
                let mut all = functions.flat_map(|(file, id)| {
                    let source = subject.file(file).source();
                    let found = assertions::assertions(subject, file, id, helpers).into_iter();
                    found.map(|range| &source[range])
                });
                all.all(|assertion| self.is_expected_by(assertion))
            }
            Wrong::Unknown => false,
        }
    }
}

/// Names and numbers.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    let parts = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    parts.filter(|word| !word.is_empty()).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_values_what_the_test_does_not_say_is_wrong() {
        let wrong =
            |message: &str, test: &str| match Wrong::of(message, &words(test).collect(), None) {
                Wrong::Words(words) => words.into_iter().collect::<Vec<_>>().join(" "),
                _ => String::new(),
            };
        let message =
            "assertion `left == right` failed\n  left: Err(HeaderName)\n right: Ok(Complete(77))";
        let test = "fn t() { assert_eq!(parse(b\"x\"), Ok(Status::Complete(77))) }";
        assert_eq!(wrong(message, test), "Err HeaderName");
        assert_eq!(wrong(message, &test.replace("77", "N")), "");
        assert_eq!(wrong("assertion failed: f()", test), "");
        assert_eq!(
            wrong(
                "assertion `left == right` failed\n  left: 1\n right: 2",
                "1"
            ),
            "2"
        );
    }

    #[test]
    fn who_does_not_ask_in_the_same_way_may_expect_what_is_wrong() {
        let expected = |failed: &str, other: &str| {
            let wrong = Wrong::of("assertion failed: f(x)", &BTreeSet::new(), Some(failed));
            wrong.is_expected_by(other)
        };
        assert!(!expected("assert!(f(x));", "assert!(f(y));"));
        assert!(expected("assert!(f(x));", "assert!(!f(y));"));
        assert!(expected("assert!(f(x));", "assert_eq!(f(y), z);"));
        assert!(expected("all(r, &[1]);", "none(r, &[1]);"));
        assert!(!expected("all(r, &[1]);", "super::all(q, &[2]);"));
        let text = "#[test] fn t() { all(1); none(2); } #[test] fn n() { none(3); } fn all(n: u8) { assert!(n) } fn none(n: u8) { assert!(!n) }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let helpers = BTreeSet::from(["all", "none"]);
        let wrong = Wrong::of("", &BTreeSet::new(), Some("all(0);"));
        assert!(!wrong.is_expected_by_all_of(&subject, "t", &helpers));
        assert!(wrong.is_expected_by_all_of(&subject, "n", &helpers));
        let unknown = Wrong::of("", &BTreeSet::new(), None);
        assert!(!unknown.is_expected_by_all_of(&subject, "n", &helpers));
    }
}
