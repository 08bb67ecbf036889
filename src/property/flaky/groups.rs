//! Which failures of a test are one and the same, and which of several is to be kept; knows no runs and no rates.

use regex::Regex;

use super::super::failure::TestFailure;
use super::super::signature::Signature;
use crate::request::TestMatch;
use crate::subject::Subject;

/// Which failures count as one, and which one is to be kept.
#[derive(Debug, Clone, Default)]
pub struct Sought {
    matching: TestMatch,
    pattern: Option<Regex>,
}

/// Failures that are alike.
#[derive(Debug)]
pub struct Group {
    /// What they have in common.
    pub signature: Signature,
    /// One of them.
    pub failure: TestFailure,
    /// What that run printed.
    pub output: String,
    /// How many there were.
    pub count: u32,
    /// It may be the one that is kept.
    pub sought: bool,
    /// They all end in the same way at the same place.
    pub steady: bool,
}

impl Sought {
    /// Failures that are as alike as `matching` says; of several, the most frequent one whose title the regular expression
    /// `pattern` finds.
    ///
    /// # Errors
    ///
    /// When `pattern` is none.
    pub fn new(matching: TestMatch, pattern: Option<&str>) -> Result<Sought, regex::Error> {
        let pattern = pattern.map(Regex::new).transpose()?;
        Ok(Sought { matching, pattern })
    }

    /// Whether `failure`, one of `original`, may be kept.
    #[must_use]
    pub fn takes(&self, failure: &TestFailure, original: &Subject) -> bool {
        let found = |pattern: &Regex| pattern.is_match(&failure.title(original));
        self.pattern.as_ref().is_none_or(found)
    }

    /// `failures`, each with what the run printed, by which are alike: those that may be kept first, the most frequent of
    /// them before others.
    pub(super) fn groups(
        &self,
        failures: Vec<(TestFailure, String)>,
        original: &Subject,
    ) -> Vec<Group> {
        let same = |a: &TestFailure, b: &TestFailure| {
            a.how == b.how && (self.matching != TestMatch::Exact || a.message == b.message)
        };
        let mut alike: Vec<(Vec<TestFailure>, String)> = Vec::new();
        for (failure, output) in failures {
            match alike
                .iter_mut()
                .find(|(group, _)| same(&group[0], &failure))
            {
                Some((group, _)) => group.push(failure),
                None => alike.push((vec![failure], output)),
            }
        }
        let order = |group: &[TestFailure]| {
            let sought = self.takes(&group[0], original);
            (!sought, std::cmp::Reverse(group.len()))
        };
        alike.sort_by_key(|(group, _)| order(group));
        let mut groups: Vec<Group> = Vec::new();
        for (group, output) in alike {
            let count = u32::try_from(group.len()).unwrap_or(u32::MAX);
            // What differs at one place shows what may differ at another.
            let known = groups
                .iter_mut()
                .find(|known| group.iter().all(|failure| known.signature.holds(failure)));
            if let Some(known) = known {
                known.count += count;
                known.steady = false;
            } else if let Some(signature) = Signature::of(&group) {
                let sought = self.takes(&group[0], original);
                groups.extend(group.into_iter().next().map(|failure| Group {
                    signature: signature.compared(self.matching),
                    failure,
                    output,
                    count,
                    sought,
                    steady: true,
                }));
            }
        }
        groups.sort_by_key(|group| (!group.sought, std::cmp::Reverse(group.count)));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::failure::{How, Place};
    use super::*;

    fn panic(place: &str, message: &str) -> (TestFailure, String) {
        let failure = TestFailure {
            how: How::Panic(Place::Elsewhere(place.into())),
            message: message.into(),
        };
        (failure, String::new())
    }

    fn hang() -> (TestFailure, String) {
        let failure = TestFailure {
            how: How::Hang,
            message: String::new(),
        };
        (failure, String::new())
    }

    /// Titles without the message, and counts.
    fn grouped(
        matching: TestMatch,
        pattern: Option<&str>,
        failures: Vec<(TestFailure, String)>,
    ) -> Vec<(String, u32)> {
        let subject = Subject::new([]);
        let sought = Sought::new(matching, pattern).expect("a valid pattern");
        let groups = sought.groups(failures, &subject);
        let title = |group: &Group| (group.failure.title(&subject), group.count);
        groups.iter().map(title).collect()
    }

    fn some() -> Vec<(TestFailure, String)> {
        vec![
            panic("a.rs:1:1", "left: 3"),
            panic("b.rs:2:2", "left: 8"),
            hang(),
            panic("b.rs:2:2", "left: 9"),
            panic("b.rs:2:2", "left: 9"),
        ]
    }

    fn named(list: &[(&str, u32)]) -> Vec<(String, u32)> {
        list.iter()
            .map(|(title, count)| (String::from(*title), *count))
            .collect()
    }

    #[test]
    fn failures_are_one_by_place_and_the_most_frequent_comes_first() {
        assert_eq!(
            grouped(TestMatch::Location, None, some()),
            named(&[
                ("panic at b.rs:2:2: left: 8", 3),
                ("panic at a.rs:1:1: left: 3", 1),
                ("does not end", 1)
            ])
        );
    }

    #[test]
    fn what_is_sought_comes_before_what_is_frequent() {
        assert_eq!(
            grouped(TestMatch::Location, Some("not end"), some()),
            named(&[
                ("does not end", 1),
                ("panic at b.rs:2:2: left: 8", 3),
                ("panic at a.rs:1:1: left: 3", 1),
            ])
        );
    }

    #[test]
    fn by_message_the_place_does_not_matter() {
        assert_eq!(
            grouped(TestMatch::Message, None, some()),
            named(&[("panic at b.rs:2:2: left: 8", 4), ("does not end", 1)])
        );
    }

    #[test]
    fn exactly_alike_are_the_same_messages_only() {
        assert_eq!(
            grouped(TestMatch::Exact, Some("b.rs"), some()),
            named(&[
                ("panic at b.rs:2:2: left: 9", 2),
                ("panic at b.rs:2:2: left: 8", 1),
                ("panic at a.rs:1:1: left: 3", 1),
                ("does not end", 1)
            ])
        );
    }

    #[test]
    fn any_failure_is_as_good_as_another() {
        assert_eq!(
            grouped(TestMatch::Any, None, some()),
            named(&[("panic at b.rs:2:2: left: 8", 5)])
        );
    }

    #[test]
    fn a_signature_holds_for_what_differs_between_its_failures_only() {
        let sought = Sought::default();
        let groups = sought.groups(some(), &Subject::new([]));
        assert!(groups[0].signature.holds(&panic("b.rs:2:2", "left: 7").0));
        assert!(!groups[0].signature.holds(&panic("a.rs:1:1", "left: 7").0));
        assert!(groups.iter().all(|group| group.steady));
    }
}
