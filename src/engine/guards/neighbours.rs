//! What the code gives for inputs near those of the failing test, asserted in the test itself: a program that fails in the same
//! way and gives the same for them has the bug still. Knows how such values are found; not what else guards.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Failing;
use crate::build::Diagnostic;
use crate::passes::assertions::{self, Stretch};
use crate::passes::cases::Listed;
use crate::passes::expected;
use crate::passes::literals::{literals_in, near};
use crate::property::failure::{How, Place, TestFailure};
use crate::property::test::Test;
use crate::property::{Oracle, Verdict};
use crate::report::Failure;
use crate::subject::Subject;
use crate::syntax::{Edit, FileId, Origin, Text};

/// Inputs at most that are tried.
const TRIED: usize = 16;

/// As many of their values at most are asserted: each keeps code that the failure alone may not need.
const ASSERTED: usize = 3;

/// So often the test has to fail in the same way with them: what is different in each process guards nothing.
const RUNS: usize = 2;

/// Attempts to compile the questions: type errors come before those of lints.
const ROUNDS: usize = 3;

/// A value takes no more bytes to print.
const LONGEST: usize = 200;

/// What is said again for each input takes no more bytes.
const LARGEST: usize = 240;

/// What a line begins with that tells a value.
const TELLS: &str = "cargo-reduce: the value of";

/// A test with such assertions.
#[derive(Debug)]
pub struct Neighbours {
    /// The subject with them.
    pub subject: Subject,
    /// Where they count as standing: behind the end of the original file.
    pub stretch: Stretch,
    /// What they ask for with the test's own input: they would guard nothing if the test came to look at something else.
    pub own: Vec<Stretch>,
    /// What they ask for, for people.
    pub told: Vec<String>,
}

/// What the failing assertion looks at, or what should have had something in it, and what can be changed in it.
struct Looking<'s> {
    source: &'s str,
    file: FileId,
    /// The statement that fails.
    statement: Range<usize>,
    /// The value, and the `let`s in front of it that are made anew with each input.
    value: Range<usize>,
    lets: Vec<Range<usize>>,
    /// The loop around it, if what that goes through is its input.
    listed: Option<Listed>,
    /// Whether it is an assertion: then those cases of the loop guard it already that pass.
    asserts: bool,
}

/// One way to ask for the value.
#[derive(Clone)]
struct Question {
    /// What begins the loop around it, if it has one of its own.
    around: Option<String>,
    /// The case that it is of, by its place in the list of the loop.
    case: Option<usize>,
    lets: Vec<String>,
    value: String,
}

/// What was told for the questions, each as often as it was come to.
type Told = Vec<Vec<String>>;

/// Finds out what `subject`, in which the test `failing` fails as `oracle` knows, gives for inputs near the test's own, and has the
/// test assert that; `None` where that cannot be, or tells nothing new.
///
/// # Errors
///
/// When the oracle cannot run; [`Failure::Interrupted`] when it is told to end, or at the deadline.
pub fn asserted(
    oracle: &mut Test,
    subject: &Subject,
    failing: &Failing<'_>,
) -> Result<Option<Neighbours>, Failure> {
    let Some(looking) = Looking::at(subject, failing) else {
        return Ok(None);
    };
    let own = looking.question(None);
    let near = looking.near(subject);
    if near.is_empty() {
        return Ok(None);
    }
    // What it gives for its own input is asked for twice: whether asking changes it.
    let own = std::slice::from_ref(&own);
    let all = [own, &near[..], own].concat();
    let Some(values) = answers(oracle, subject, &looking, &all, failing)? else {
        return Ok(None);
    };
    let [first, between @ .., last] = &values[..] else {
        return Ok(None);
    };
    let (Some(own), true) = (first.last(), first == last) else {
        return Ok(None);
    };
    // Where it has a loop around it, it was asked for in front of each case that passes, and of the one that fails.
    let failing_case = first.len() - 1;
    let is_known = match looking.listed {
        Some(_) => failing_case == 0 || !looking.asserts,
        None => only(first).is_some(),
    };
    if !is_known || !is_told(failing.failure, own) {
        return Ok(None);
    }
    let values: Vec<Option<&str>> = near
        .iter()
        .zip(between)
        .map(|(question, told)| only(told).filter(|_| question.case != Some(failing_case)))
        .collect();
    let chosen = chosen(own, &values);
    let all = chosen.into_iter().map(|(at, value)| (&near[at], value));
    let new = |(question, value): &(&Question, &str)| !looking.says(&question.asserting(value));
    let all: Vec<(&Question, &str)> = all.filter(new).collect();
    if all.is_empty() {
        return Ok(None);
    }
    let Some(found) = looking.asserting(subject, &all, failing_case) else {
        return Ok(None);
    };
    for _ in 0..RUNS {
        let judged = oracle.judge(&found.subject, failing.deadline)?;
        if judged.verdict != Verdict::Interesting {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// What is printed for each of the questions `all`, in the test, in front of the assertion that fails: those left out that do not
/// compile, as with a number that its type has not. `None` if it is not known which these are.
fn answers(
    oracle: &mut Test,
    subject: &Subject,
    looking: &Looking<'_>,
    all: &[Question],
    failing: &Failing<'_>,
) -> Result<Option<Told>, Failure> {
    let Some(text) = subject.file(looking.file).text() else {
        return Ok(None);
    };
    let mut open: Vec<usize> = (0..all.len()).collect();
    for _ in 0..ROUNDS {
        let mut asking = String::new();
        let mut ends = Vec::new();
        for number in &open {
            asking.push_str(&all[*number].asking(*number));
            ends.push((looking.statement.start + asking.len(), *number));
        }
        let edit = Edit::replace(looking.file, looking.place(), asking);
        let asking = subject.with_text(looking.file, text.apply([&edit]));
        let seen = oracle.observe(&asking, failing.deadline)?;
        if let Some(ran) = seen.ran {
            let output = String::from_utf8_lossy(&ran.stdout);
            return Ok(Some(values(&output, all.len())));
        }
        let spans = oracle.errors().iter().flat_map(Diagnostic::primary_spans);
        let blamed: BTreeSet<usize> = spans
            .map(|span| span.outermost())
            .filter(|span| asking.find(&span.file) == Some(looking.file))
            .filter(|span| looking.statement.start <= span.byte_start)
            .filter_map(|span| ends.iter().find(|(end, _)| span.byte_start < *end))
            .map(|(_, number)| *number)
            .collect();
        if blamed.is_empty() {
            break;
        }
        open.retain(|number| !blamed.contains(number));
    }
    Ok(None)
}

/// The values that the `output` of a test tells, of `count`.
fn values(output: &str, count: usize) -> Told {
    let mut found: Told = vec![Vec::new(); count];
    for line in output.lines() {
        let told = line.strip_prefix(TELLS).and_then(|rest| {
            let (number, value) = rest.trim_start().split_once(' ')?;
            Some((number.parse::<usize>().ok()?, value))
        });
        if let Some((number, value)) = told
            && let Some(known) = found.get_mut(number)
        {
            known.push(value.to_string());
        }
    }
    found
}

/// What is told once, or as the same each time, if it is not too long.
fn only(told: &[String]) -> Option<&str> {
    let (first, rest) = told.split_first()?;
    let is_known = rest.iter().all(|other| other == first) && first.len() <= LONGEST;
    is_known.then_some(first)
}

/// Whether `failure` tells the printed `value`, if it is one that tells what was compared.
fn is_told(failure: &TestFailure, value: &str) -> bool {
    let message = &failure.message;
    let Some((_, compared)) = message.split_once("\n  left: ") else {
        return true;
    };
    let is_compared = |value: String| {
        compared.starts_with(&format!("{value}\n right: "))
            || compared.ends_with(&format!("\n right: {value}"))
    };
    unquoted(value).is_some_and(is_compared)
}

/// What the string literal `value` says.
fn unquoted(value: &str) -> Option<String> {
    let literal: syn::LitStr = syn::parse_str(value).ok()?;
    Some(literal.value())
}

/// Which of the values `all` are asserted, where the failing assertion looks at `own`: no two alike, and those that are made as it
/// is if there are such. Where it is nothing but should be something, one that is made in another way comes first.
fn chosen<'v>(own: &str, all: &[Option<&'v str>]) -> Vec<(usize, &'v str)> {
    let mut seen = BTreeSet::from([own]);
    let others = all.iter().enumerate();
    let others: Vec<(usize, &str)> = others
        .filter_map(|(at, value)| Some((at, (*value)?)))
        .filter(|(_, value)| seen.insert(value))
        .collect();
    // The name of a variant, as a rule.
    let made = |value: &str| -> String {
        let said = value.trim_start_matches('"').chars();
        said.take_while(|c| c.is_alphabetic() || *c == '_')
            .collect()
    };
    let nothing = matches!(&*made(own), "Err" | "None");
    let is_like = |(_, value): &(usize, &str)| made(value) == made(own);
    let (like, unlike): (Vec<_>, Vec<_>) = others.into_iter().partition(is_like);
    let of_unlike = usize::from(nothing || like.is_empty());
    let found = unlike.into_iter().take(of_unlike).chain(like);
    let mut found: Vec<(usize, &str)> = found.take(ASSERTED).collect();
    found.sort_unstable();
    found
}

impl<'s> Looking<'s> {
    /// What is looked at where the test `failing` panics.
    fn at(subject: &'s Subject, failing: &Failing<'_>) -> Option<Looking<'s>> {
        let How::Panic(Place::Origin(origin)) = failing.failure.how else {
            return None;
        };
        let [(file, function)] = *failing.own else {
            return None;
        };
        let version = subject.file(file);
        let place = version.text()?.find(origin)?;
        let own = &version.tree()?.node(function).range;
        if !own.contains(&place) {
            return None;
        }
        let unwrapped = expected::unwrapped(subject, file, place);
        let asserts = unwrapped.is_none();
        let (value, statement) = unwrapped.or_else(|| {
            let all = assertions::assertions(subject, file, function, &BTreeSet::new());
            let statement = all.into_iter().find(|range| range.contains(&place))?;
            Some((expected::looked_at(subject, file, &statement)?, statement))
        })?;
        let has_literals = literals_in(subject, file, &value).next().is_some();
        let mut lets = match has_literals {
            true => Vec::new(),
            false => assertions::lets_for(subject, file, 0, &value),
        };
        let source = version.source();
        let listed = Listed::around(subject, file, function, &statement);
        let listed = listed.filter(|listed| {
            let names = version.tree().map(|tree| {
                let bound: Vec<&str> = tree.identifiers(source, &listed.pattern).collect();
                let mut said = lets
                    .iter()
                    .chain([&value])
                    .flat_map(|part| tree.identifiers(source, part));
                said.any(|name| bound.contains(&name))
            });
            names == Some(true)
        });
        if let Some(listed) = &listed {
            // What is bound in front of the loop is the same in all cases.
            lets.retain(|range| listed.head.end < range.start);
        }
        let looking = Looking {
            source,
            file,
            statement,
            value,
            lets,
            listed,
            asserts,
        };
        let bytes: usize = looking.parts().map(Range::len).sum();
        (bytes <= LARGEST).then_some(looking)
    }

    /// Whether the file says `text` already, laid out in another way perhaps: the result of a reduction may be reduced again.
    fn says(&self, text: &str) -> bool {
        let laid_out = |text: &str| -> String {
            let words = text.split_whitespace();
            words.collect::<String>().replace(",)", ")")
        };
        laid_out(self.source).contains(&laid_out(text))
    }

    /// What is said again for each input, in order.
    fn parts(&self) -> impl DoubleEndedIterator<Item = &Range<usize>> {
        self.lets.iter().chain([&self.value])
    }

    /// Where questions are put.
    fn place(&self) -> Range<usize> {
        self.statement.start..self.statement.start
    }

    /// The question for the value, with one literal changed.
    fn question(&self, change: Option<(&Range<usize>, &str)>) -> Question {
        let changed = |range: &Range<usize>| match change {
            Some((at, instead)) if range.start <= at.start && at.end <= range.end => {
                let (before, behind) = (range.start..at.start, at.end..range.end);
                [&self.source[before], instead, &self.source[behind]].concat()
            }
            _ => self.source[range.clone()].to_string(),
        };
        Question {
            around: None,
            case: None,
            lets: self.lets.iter().map(changed).collect(),
            value: changed(&self.value),
        }
    }

    /// Questions for the cases of the loop around it.
    fn cases(&self, listed: &Listed) -> Vec<Question> {
        let all = listed.cases.iter().enumerate();
        let short = all.filter(|(_, case)| case.len() <= LARGEST);
        let questions = short.map(|(at, case)| Question {
            around: Some(listed.of_one(self.source, &self.source[case.clone()])),
            case: Some(at),
            ..self.question(None)
        });
        questions.take(TRIED).collect()
    }

    /// Questions for it with other inputs, as far as they are tried: each literal is changed in one way before any is in another.
    fn near(&self, subject: &Subject) -> Vec<Question> {
        let cases = self.listed.as_ref().filter(|listed| listed.cases.len() > 1);
        if let Some(listed) = cases {
            return self.cases(listed);
        }
        // The nearest first.
        let literals = self
            .parts()
            .rev()
            .flat_map(|part| literals_in(subject, self.file, part));
        let all: Vec<(Range<usize>, Vec<String>)> = literals
            .map(|range| (range.clone(), near(&self.source[range])))
            .collect();
        let ways = all.iter().map(|(_, others)| others.len()).max();
        let mut found = Vec::new();
        for way in 0..ways.unwrap_or(0) {
            for (range, others) in &all {
                let other = others.get(way);
                found.extend(other.map(|other| self.question(Some((range, other)))));
            }
        }
        found.truncate(TRIED);
        found
    }

    /// The `subject` in which the test asserts what `all` give. In a loop, it fails with the case of this number.
    fn asserting(
        &self,
        subject: &Subject,
        all: &[(&Question, &str)],
        failing_case: usize,
    ) -> Option<Neighbours> {
        let text = subject.file(self.file).text()?;
        // What is there twice has one origin.
        let end = text
            .originals(0..text.as_str().len())
            .map(|(origin, length)| match origin.file {
                file if file == self.file => origin.offset + length,
                _ => 0,
            });
        let start = end.max()?;
        let said: String = all
            .iter()
            .map(|(question, value)| question.asserting(value))
            .collect();
        let stretch = Stretch {
            file: self.file,
            range: start..start + said.len() as u32,
        };
        let origin = Origin {
            file: self.file,
            offset: start,
        };
        let text = text.splice(self.place(), &Text::standing_at(origin, said));
        Some(Neighbours {
            subject: subject.with_text(self.file, text),
            stretch,
            own: self
                .parts()
                .chain(
                    self.listed
                        .iter()
                        .filter_map(|listed| listed.cases.get(failing_case)),
                )
                .filter_map(|part| assertions::original(subject, self.file, part))
                .collect(),
            told: all.iter().map(|(question, _)| question.told()).collect(),
        })
    }
}

impl Question {
    /// A statement that prints the value with the `number`, if it is come to; in front of what the harness captures.
    fn asking(&self, number: usize) -> String {
        let Question {
            around,
            lets,
            value,
            ..
        } = self;
        let lets = lets.concat();
        let mut said = format!("{lets} ::std::format!(\"{{:?}}\", {value})");
        if let Some(around) = around {
            said = format!(
                "let mut said = ::std::string::String::new(); {around} {{ said = {{ {said} }}; }} said"
            );
        }
        format!(
            "if let ::std::result::Result::Ok(said) = ::std::panic::catch_unwind(::std::panic::AssertUnwindSafe(|| {{ \
             {said} }})) {{ let _ = ::std::io::Write::write_all(\
             &mut ::std::io::stdout(), ::std::format!(\"\\n{TELLS} {number} {{:?}}\\n\", said).as_bytes()); }} "
        )
    }

    /// A statement that asserts that it prints the string literal `printed`.
    fn asserting(&self, printed: &str) -> String {
        let Question {
            around,
            lets,
            value,
            ..
        } = self;
        let asserts = format!("assert_eq!(format!(\"{{:?}}\", {value}), {printed});");
        match (around, lets.is_empty()) {
            (Some(around), _) => format!("{around} {{ {} {asserts} }} ", lets.join(" ")),
            (None, true) => format!("{asserts} "),
            (None, false) => format!("{{ {} {asserts} }} ", lets.join(" ")),
        }
    }

    /// What it asks for, for people: one line.
    fn told(&self) -> String {
        let parts = self.around.iter().chain(&self.lets).chain([&self.value]);
        let words: Vec<&str> = parts.flat_map(|part| part.split_whitespace()).collect();
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_behind_what_the_harness_prints() {
        let output = format!(
            "test a ... \n{TELLS} 0 \"1\"\n\n{TELLS} 2 \"[\\\"a\\\"]\"\n{TELLS} 9 \"4\"\n\
             {TELLS} 3 \"1\"\n{TELLS} 3 \"2\"\nFAILED\n"
        );
        let found = values(&output, 4);
        let found: Vec<Option<&str>> = found.iter().map(|told| only(told)).collect();
        let known = [Some("\"1\""), None, Some("\"[\\\"a\\\"]\""), None];
        assert_eq!(found, known, "of two values none is known");
    }

    #[test]
    fn values_are_asserted_that_differ_and_are_made_as_the_own_one() {
        let all = |values: &[&str]| -> Vec<_> {
            values
                .iter()
                .map(|value| Some(format!("{value:?}")))
                .collect()
        };
        let own = format!("{:?}", "Ok(1)");
        let values = all(&[
            "Err(0)", "Ok(1)", "Ok(2)", "Ok(2)", "Ok(3)", "Ok(4)", "Ok(5)",
        ]);
        fn said(all: &[Option<String>]) -> Vec<Option<&str>> {
            all.iter().map(Option::as_deref).collect()
        }
        let numbers = |values: &[Option<String>]| -> Vec<usize> {
            let chosen = chosen(&own, &said(values)).into_iter();
            chosen.map(|(at, _)| at).collect()
        };
        assert_eq!(numbers(&values), [2, 4, 5]);
        let unlike = all(&["Ok(1)", "Err(0)", "Err(1)"]);
        assert_eq!(numbers(&unlike), [1]);
        let nothing = chosen("\"None\"", &said(&unlike));
        assert_eq!(nothing.len(), 1, "any of them is something");
        assert_eq!(numbers(&[None, values[1].clone()]), [0; 0]);
    }

    #[test]
    fn what_was_compared_has_to_be_told_by_the_failure() {
        let failure = |message: &str| TestFailure {
            how: How::Panic(Place::Elsewhere(String::new())),
            message: message.to_string(),
        };
        let compared = failure("assertion `left == right` failed\n  left: [\"a\"]\n right: []");
        assert!(is_told(&compared, r#""[\"a\"]""#));
        assert!(is_told(&compared, r#""[]""#));
        assert!(!is_told(&compared, r#""\"a\"""#));
        assert!(is_told(&failure("assertion failed: f(1)"), r#""false""#));
    }
}
