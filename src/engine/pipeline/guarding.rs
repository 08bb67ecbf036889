//! Which guards a failing test gets: those that the user names, and automatic ones where the failure
//! is in test code and so could be had without the bug.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::engine::guards::{self, neighbours::Neighbours};
use crate::exec::Cancel;
use crate::passes::assertions::{self, Stretch};
use crate::passes::changes::changes;
use crate::passes::ran::Ran;
use crate::passes::{Answers, At, End};
use crate::property::failure::{How, Place, TestFailure};
use crate::property::guards::Guards;
use crate::property::test::Test;
use crate::report::{Event, Failure, Observer};
use crate::request::Guarding;
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, Node, NodeId, Origin};

/// The guards of one reduction.
#[derive(Debug)]
pub(super) struct Guarded {
    /// Tests that have to pass.
    pub guards: Guards,
    /// The text of those tests, and of assertions of the failing one.
    pub untouched: Vec<Stretch>,
    /// The subject, with assertions that were put into the failing test.
    pub subject: Subject,
    /// Where branches stood that the failing test comes to, and that no test enters which was looked at.
    pub unentered: Vec<Origin>,
    /// Where that stands which was put into the test, for it to assert what is so now.
    pub as_now: Option<Stretch>,
    /// How many tests that pass come to a place.
    pub common: HashMap<Origin, usize>,
    /// What ran when the test failed and when they passed, if it is known already.
    pub ran: Option<Ran>,
}

impl Guarded {
    /// How the program ends, where it is not the test that decides so by what it compares: guards may go other ways.
    pub(super) fn end(
        failure: &TestFailure,
        in_test_code: bool,
        selection: &Guarding,
    ) -> Option<End> {
        if selection.good.is_some() || selection.automatic == Some(false) {
            return None;
        }
        match failure.how {
            How::Overflow => Some(End::Recursion),
            How::Hang => Some(End::Endless),
            // The test compares what it got, whatever branch that came from.
            How::Panic(_) if in_test_code => None,
            // Nothing decided that: what is to be seen is that nothing did.
            How::NoPanic => None,
            How::Panic(Place::Origin(origin)) | How::OtherPanic(Some(Place::Origin(origin))) => {
                let arithmetic = failure.message.starts_with("attempt to ");
                Some(End::AtOnce(Some(At { origin, arithmetic })))
            }
            _ => Some(End::AtOnce(None)),
        }
    }

    /// What `failure` is measured by where the test `name` should panic and does not do so as expected: the attribute that says
    /// so. A test that does nothing does not panic either: if nothing panicked, all that the test did stays, too.
    pub(super) fn expected(
        &self,
        failure: &TestFailure,
        name: &str,
        selection: &Guarding,
    ) -> Vec<Stretch> {
        let subject = &self.subject;
        let silent = match failure.how {
            // In a version in which the test passes, it panics.
            How::NoPanic => selection.good.is_none(),
            How::OtherPanic(_) => false,
            _ => return Vec::new(),
        };
        let mut found = Vec::new();
        for (file, id) in assertions::test_functions(subject, name) {
            found.extend(assertions::expectations(subject, file, id));
            let mut done = match silent {
                true => assertions::statements(subject, file, id),
                false => Vec::new(),
            };
            done.retain(|node| self.may_have_run(subject, file, node));
            let done = done.into_iter();
            found.extend(done.filter_map(|node| assertions::original(subject, file, &node.range)));
        }
        found
    }

    /// Whether it is not known of `node` of `file` that it did not run.
    fn may_have_run(&self, subject: &Subject, file: FileId, node: &Node) -> bool {
        let ran = self.ran.as_ref();
        ran.and_then(|ran| ran.block(subject, file, node)) != Some(false)
    }

    /// What the test `name` does, ahead of its assertion that fails, to what this one looks at: without it the assertion may fail
    /// just the same, and rightly so.
    fn changes(&self, failure: &TestFailure, name: &str) -> Vec<Stretch> {
        let subject = &self.subject;
        let How::Panic(Place::Origin(origin)) = failure.how else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for (file, id) in assertions::test_functions(subject, name) {
            let version = subject.file(file);
            let place = version.text().and_then(|text| text.find(origin));
            let (Some(tree), Some(place)) = (version.tree(), place) else {
                continue;
            };
            if !tree.node(id).range.contains(&place) {
                continue;
            }
            let did_run = |id| self.may_have_run(subject, file, tree.node(id));
            let mut changed = changes(subject, file, id, place);
            changed.retain(|range| {
                let innermost = tree.innermost(range);
                innermost.is_some_and(|id| did_run(id) && tree.ancestors(id).all(did_run))
            });
            let changed = changed.into_iter();
            found.extend(changed.filter_map(|range| assertions::original(subject, file, &range)));
        }
        found
    }
}

/// What guards are chosen for.
pub(super) struct Choosing<'a> {
    pub selection: &'a Guarding,
    pub subject: &'a Subject,
    /// The failing test's full name, and the arguments that it is run with.
    pub test: &'a str,
    pub args: &'a [String],
    /// All tests of its executable, and what that is called.
    pub tests: &'a [String],
    pub executable: &'a str,
    /// Whether its failure could be had without the bug.
    pub in_test_code: bool,
    /// The first file of the program that fails, if it is no test.
    pub program: Option<FileId>,
    /// How it fails.
    pub failure: &'a TestFailure,
    /// When the time for all is up.
    pub deadline: Option<Instant>,
    pub cancel: &'a Cancel,
}

/// Whether `failure` is one that the test itself decides on: it panics in a file that belongs to the
/// test alone – of which `root` is the first, if the code under test is another crate – or below
/// `#[cfg(test)]`, does not panic as it should, or returns an error.
pub(super) fn in_test_code(failure: &TestFailure, subject: &Subject, root: Option<FileId>) -> bool {
    match &failure.how {
        How::Error | How::NoPanic | How::OtherPanic(_) => true,
        How::Panic(Place::Origin(origin)) => is_test_code(subject, root, *origin),
        _ => false,
    }
}

/// Whether `failure` is a panic of another crate that test code had assert something: the function `innermost` called it.
pub(super) fn asserted_elsewhere(
    failure: &TestFailure,
    innermost: Option<&str>,
    subject: &Subject,
    root: Option<FileId>,
) -> bool {
    let (How::Panic(Place::Elsewhere(_)), Some(name)) = (&failure.how, innermost) else {
        return false;
    };
    let is_fn = |kind| matches!(kind, Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn));
    let named = subject.sources().flat_map(|(_, version, tree)| {
        let functions = tree.nodes().filter(move |(_, node)| is_fn(node.kind));
        let names = functions.filter_map(|(_, node)| node.name.clone());
        let own = names.filter(|own| &version.source()[own.clone()] == name);
        own.filter_map(|own| version.text()?.origin(own.start))
    });
    // Of several, it may be any.
    let mut named = named.peekable();
    named.peek().is_some() && named.all(|origin| is_test_code(subject, root, origin))
}

/// Whether what stood at `origin` is in a test, or there for tests alone; those in `root` are.
fn is_test_code(subject: &Subject, root: Option<FileId>, origin: Origin) -> bool {
    let own = root.map(|root| subject.clone().with_roots([root]));
    own.is_some_and(|own| own.modules().reached.contains(&origin.file))
        || assertions::is_for_tests(subject, origin)
}

/// What functions may answer so that `failure` is still to be had, which is `in_test_code` or not.
pub(super) fn answers(failure: &TestFailure, in_test_code: bool) -> Option<Answers> {
    // Any endless loop would do for a test that hangs, and answers make them.
    (failure.how != How::Hang).then(|| match in_test_code {
        true => Answers::beside(&failure.message),
        false => Answers::default(),
    })
}

impl Choosing<'_> {
    /// Chooses guards and checks that they pass.
    pub(super) fn guarded(
        &self,
        oracle: &mut Test,
        observer: &mut dyn Observer,
    ) -> Result<Guarded, Failure> {
        let named = self
            .selection
            .named
            .iter()
            .map(|wanted| self.resolved(wanted))
            .collect::<Result<Vec<String>, Failure>>()?;
        for name in &named {
            let (holds, guards, output) = passes(oracle, self.subject, name)?;
            if !holds {
                return Err(Failure::GuardFails {
                    what: format!("the guard `{}`", guards.names.join("`, `")),
                    output,
                });
            }
        }
        // A version in which the test passes keeps the bug in by itself.
        let needed = self.in_test_code && self.selection.good.is_none();
        let automatic = self.selection.automatic.unwrap_or(needed);
        let mut choice = guards::Choice::default();
        let mut subject = self.subject.clone();
        let mut neighbours = None;
        if automatic {
            observer.event(&Event::Step {
                verb: "Choosing",
                what: "guards: what passes and goes through the code that fails",
            });
            let others: Vec<String> = self
                .tests
                .iter()
                .filter(|name| !named.contains(name))
                .cloned()
                .collect();
            let found = self.found(oracle, &others);
            let in_time = !matches!(found, Err(Failure::Interrupted)) || self.cancel.is_set();
            if in_time {
                (choice, neighbours) = found?;
            }
            let mut good = Vec::new();
            for name in std::mem::take(&mut choice.tests) {
                if passes(oracle, self.subject, &name)?.0 {
                    good.push(name);
                }
            }
            choice.tests = good;
            let mut told: Vec<String> = Vec::new();
            told.extend((!choice.is_empty()).then(|| choice.title()));
            if let Some(found) = &neighbours {
                let give = if found.told.len() > 1 {
                    "give"
                } else {
                    "gives"
                };
                told.push(format!("what `{}` {give} now", found.told.join("`, `")));
                subject = found.subject.clone();
            }
            let note = match told.is_empty() {
                _ if !in_time => {
                    let none = if named.is_empty() { "no" } else { "no further" };
                    format!("{none} guards: the time was up before it was known what else goes through the code that fails")
                }
                true if named.is_empty() => {
                    "no guards: nothing else here passes and goes through the code that fails. The same failure may be \
                     had without the bug; `--guard NAME` or `--good VERSION` keeps it in"
                        .to_string()
                }
                true => "no further guards were found".to_string(),
                false => format!("guards that have to go on passing: {}", told.join("; ")),
            };
            observer.event(&Event::Note(&note));
        }
        // What only a guard of the user's runs was not looked at.
        let ran = choice.ran.filter(|_| named.is_empty());
        let mut tests = named;
        tests.extend(choice.tests);
        let mut untouched = guards::stretches(&subject, &tests);
        let as_now = neighbours.map(|found| {
            untouched.push(found.stretch.clone());
            untouched.extend(found.own);
            found.stretch
        });
        let assertions = choice.assertions.into_iter();
        untouched.extend(assertions.flat_map(|(_, stretches)| stretches));
        untouched.extend(choice.cases.into_iter().map(|(_, case)| case));
        untouched.extend(choice.helpers);
        let mut guards = Guards {
            names: tests,
            timeout: GUARD_TIME,
            program: None,
        };
        if !guards.names.is_empty() {
            let outcome = oracle.guards_run(&subject, &guards)?.1;
            guards.timeout = outcome.wall * 10 + Duration::from_secs(5);
        }
        oracle.set_guards(guards.clone());
        let mut guarded = Guarded {
            guards,
            untouched,
            subject,
            unentered: choice.unentered,
            as_now,
            common: choice.common,
            ran,
        };
        if automatic {
            let changes = guarded.changes(self.failure, self.test);
            guarded.untouched.extend(changes);
        }
        Ok(guarded)
    }

    /// Guards among what the test itself asserts and among `others`, and what it comes to assert besides.
    fn found(
        &self,
        oracle: &mut Test,
        others: &[String],
    ) -> Result<(guards::Choice, Option<Neighbours>), Failure> {
        let own = self.own(self.subject);
        let failing = guards::Failing {
            test: self.test,
            own: &own,
            args: self.args,
            failure: self.failure,
            guards: None,
            deadline: self.deadline,
        };
        // In a version in which the test passes, they need not be the same.
        let neighbours = match self.selection.good {
            None => guards::neighbours::asserted(oracle, self.subject, &failing)?,
            Some(_) => None,
        };
        let Some(found) = neighbours else {
            let choice = guards::chosen(oracle, self.subject, &failing, others)?;
            return Ok((choice, None));
        };
        let own = self.own(&found.subject);
        let failing = guards::Failing {
            own: &own,
            guards: Some(&found.stretch),
            ..failing
        };
        let choice = guards::chosen(oracle, &found.subject, &failing, others)?;
        Ok((choice, Some(found)))
    }

    /// The functions of `subject` that the test may be.
    fn own(&self, subject: &Subject) -> Vec<(FileId, NodeId)> {
        match self.program {
            Some(root) => assertions::main_function(subject, root)
                .into_iter()
                .collect(),
            None => assertions::test_functions(subject, self.test),
        }
    }

    /// The full name of the guard `wanted`.
    fn resolved(&self, wanted: &str) -> Result<String, Failure> {
        let exact = self.tests.iter().find(|name| *name == wanted);
        let suffix = format!("::{wanted}");
        let mut ending = self.tests.iter().filter(|name| name.ends_with(&suffix));
        let found = exact.or_else(|| ending.next().filter(|_| ending.next().is_none()));
        match found {
            Some(name) if name != self.test => Ok(name.clone()),
            _ => Err(Failure::NoSuchTest {
                wanted: wanted.to_string(),
                searched: format!("`{}`, where a guard has to be", self.executable),
                available: self
                    .tests
                    .iter()
                    .filter(|name| *name != self.test)
                    .cloned()
                    .collect(),
            }),
        }
    }
}

/// Time for guards before it is known how long they take.
const GUARD_TIME: Duration = Duration::from_secs(60);

/// Whether the test `name` passes on `subject`, as a guard, and what it printed.
fn passes(
    oracle: &mut Test,
    subject: &Subject,
    name: &str,
) -> Result<(bool, Guards, String), Failure> {
    let guards = Guards {
        names: vec![name.to_string()],
        timeout: GUARD_TIME,
        program: None,
    };
    let (holds, outcome) = oracle.guards_run(subject, &guards)?;
    let output = [&outcome.stdout[..], &outcome.stderr[..]].concat();
    let output = String::from_utf8_lossy(&output).into_owned();
    Ok((holds, guards, output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_another_crate_asserts_for_a_test_is_the_tests_assertion() {
        let lib = "fn f() {} fn help() {} #[cfg(test)] mod tests { fn t() {} fn help() {} }";
        let files = [("src/lib.rs", lib), ("tests/u.rs", "fn u() {} fn f() {}")];
        let files = files.map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
        let subject = Subject::new(files);
        let failure = |place| TestFailure {
            how: How::Panic(place),
            message: String::new(),
        };
        let elsewhere = failure(Place::Elsewhere("insta.rs:1:1".into()));
        let is = |failure, name| asserted_elsewhere(failure, name, &subject, Some(FileId(1)));
        assert!(is(&elsewhere, Some("t")));
        assert!(is(&elsewhere, Some("u")));
        // It may be the one under test.
        assert!(!is(&elsewhere, Some("help")));
        assert!(!is(&elsewhere, Some("f")));
        assert!(!is(&elsewhere, Some("g")));
        assert!(!is(&elsewhere, None));
        let here = failure(Place::Origin(Origin {
            file: FileId(0),
            offset: 0,
        }));
        assert!(!is(&here, Some("t")));
    }
}
