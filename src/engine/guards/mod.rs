//! The choice of guards: other tests, and passing assertions of the failing test, that go through the
//! code that fails. Knows how they are ranked; not how a property uses them.

mod fellows;
mod helpers;
pub mod neighbours;
mod own;
mod wrong;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

use fellows::Fellow;
use wrong::{Wrong, words};

use super::probing;
use crate::passes;
use crate::passes::assertions::{self, Stretch};
use crate::passes::ran::Ran;
use crate::property::Traced;
use crate::property::failure::{How, Place, TestFailure};
use crate::property::guards::Guards;
use crate::property::test::{Test, Trace, all_hits};
use crate::report::Failure;
use crate::subject::{PROBE_MARK, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, NodeId, Origin};
pub use helpers::stretches;

/// Tests that are run to see what they cover; the test's own words choose them.
const TESTS_TRIED: usize = 32;

/// Time for each of them: a guard runs in every interesting trial, so it has to be quick.
const TIME: Duration = Duration::from_secs(2);

/// How alike what a guard covers has to be to what fails: blocks in both, of blocks in either.
const ALIKE: f64 = 1.0 / 3.0;

/// The same where what ran tells nothing of what fails: names in both tests, of names in the guard.
const ALIKE_IN_WORDS: f64 = 1.0 / 2.0;

/// Branches at most that stay for being entered by nothing: what decides so may be what is wrong.
const UNENTERED: usize = 3;

/// Words that say nothing of what a test is about.
const OF_ANY_TEST: [&str; 8] = [
    "assert",
    "assert_eq",
    "fn",
    "for",
    "in",
    "let",
    "mut",
    "test",
];

/// What was chosen.
#[derive(Debug, Default)]
pub struct Choice {
    /// Names of tests that have to pass.
    pub tests: Vec<String>,
    /// Assertions of the failing test that stay as they are, and so have to pass before it fails: the
    /// line each stood on, and where it and the `let`s that it uses stood.
    pub assertions: Vec<(usize, Vec<Stretch>)>,
    /// Of the values that a loop puts to the assertion that fails, those that it passes: the line of each, and where it stood.
    pub cases: Vec<(usize, Stretch)>,
    /// Where the functions stand that assert in their place, if they do not themselves.
    pub helpers: Vec<Stretch>,
    /// Where branches stood that the failing test comes to, and that no test enters which was looked at.
    pub unentered: Vec<Origin>,
    /// How many of the tests that were looked at, and pass, come to each place that they come to.
    pub common: HashMap<Origin, usize>,
    /// What ran when the test failed and when these guards passed, if that was looked at.
    pub ran: Option<Ran>,
}

impl Choice {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.assertions.is_empty() && self.cases.is_empty()
    }

    /// What was chosen, for people.
    pub fn title(&self) -> String {
        let mut parts: Vec<String> = self.tests.iter().map(|name| format!("`{name}`")).collect();
        let assertions = self.assertions.iter().map(|(line, _)| *line);
        let cases = self.cases.iter().map(|(line, _)| *line);
        parts.extend(told("assertion", assertions));
        parts.extend(told("case", cases));
        parts.join(", ")
    }
}

/// What stands in `lines` of the test itself, each a `thing`, for people.
fn told(thing: &str, lines: impl Iterator<Item = usize>) -> Option<String> {
    let all: Vec<usize> = lines.collect();
    let lines: BTreeSet<usize> = all.iter().copied().collect();
    let plural = |count: usize| if count > 1 { "s" } else { "" };
    let (things, places) = (plural(all.len()), plural(lines.len()));
    let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
    let lines = lines.join(", ");
    let told = format!("the {thing}{things} in line{places} {lines} of the test itself");
    (!all.is_empty()).then_some(told)
}

/// The test that fails.
pub struct Failing<'a> {
    /// Its name.
    pub test: &'a str,
    /// The function that it is one of.
    pub own: &'a [(FileId, NodeId)],
    /// What its executable is run with.
    pub args: &'a [String],
    /// How it fails.
    pub failure: &'a TestFailure,
    /// What of the subject was put in to guard it already.
    pub guards: Option<&'a Stretch>,
    /// Until when guards are looked for.
    pub deadline: Option<Instant>,
}

/// Chooses guards for the test `failing`, which `oracle` runs, among its own assertions and the tests `others`.
///
/// # Errors
///
/// When the oracle cannot run; [`Failure::Interrupted`] when it is told to end, or at the deadline.
pub fn chosen(
    oracle: &mut Test,
    subject: &Subject,
    failing: &Failing<'_>,
    others: &[String],
) -> Result<Choice, Failure> {
    // What did not run in a test that fails by not panicking cannot tell which others are like it.
    let silent = failing.failure.how == How::NoPanic;
    let panics = match failing.failure.how {
        How::Panic(Place::Origin(origin)) => Some(origin),
        _ => None,
    };
    let helpers = helpers::asserting(subject);
    let names: BTreeSet<&str> = helpers.iter().map(|(name, _)| *name).collect();
    let own = match *failing.own {
        [(file, id)] => Some(own::Own::of(subject, file, id, &names, failing.guards)),
        _ => None,
    };
    let marked = own
        .as_ref()
        .map_or_else(|| subject.clone(), own::Own::marked);
    let others = most_alike(subject, failing.test, others, silent);
    let guard = |name: &String| Guards {
        names: vec![name.clone()],
        timeout: TIME,
        program: None,
    };
    let mut runs = vec![(failing.args.to_vec(), oracle.timeout())];
    runs.extend(
        others
            .iter()
            .map(|(name, _)| (guard(name).arguments(), TIME)),
    );
    let probing = probing::probed(&marked, |probed| {
        oracle.traces(probed, &runs, failing.deadline)
    })?;
    let Traced::Ran((traces, probes)) = probing else {
        return Ok(Choice::default());
    };
    let Some((failed, passing)) = traces.split_first() else {
        return Ok(Choice::default());
    };
    let body = own.as_ref().and_then(own::Own::body);
    let called = own::outside(body.as_ref(), &probes, &failed.hits);
    let mut choice = Choice::default();
    let failed_at = own.as_ref().and_then(|own| own.failing(&called));
    let said = words_of(subject, failing.test);
    let wrong = Wrong::of(&failing.failure.message, &said, failed_at);
    let mut differs = false;
    if let Some(own) = own {
        let passed;
        (passed, differs) = own.chosen(&called, &wrong);
        choice.assertions = own.with_their_lets(&passed);
        choice.cases = own.passing_cases(&called);
        choice.helpers = helpers::standing_in(subject, &helpers, own.places(&passed), panics);
    }
    // What tests of different shape share is the code under test; each has a body of its own besides.
    let code = |trace: &Trace| -> HashSet<u32> {
        let numbers = trace.hits.iter().copied();
        numbers
            .filter(|hit| hit & PROBE_MARK == 0 && (*hit as usize) < probes.len())
            .collect()
    };
    let fails = code(failed);
    // What may be evaluated at compile time cannot be asked, and of what should have panicked and did not the very code that
    // matters did not run: then the tests' own words have to tell.
    let is_asked = |hit: &u32| hit & PROBE_MARK == 0;
    let untold = silent || !called.iter().any(is_asked);
    let mut fellows = Vec::new();
    for ((name, share), trace) in others.iter().zip(passing) {
        let own = code(trace);
        let (alike, least) = match untold {
            true => (*share, ALIKE_IN_WORDS),
            false => (alike(&own, &fails), ALIKE),
        };
        if guard(name).hold(&trace.outcome) && alike >= least {
            fellows.push(Fellow {
                name,
                alike,
                code: own,
                agrees: wrong.is_expected_by_all_of(subject, name, &names),
            });
        }
    }
    // What was put in to guard it asks for what fails with other values: besides an assertion it is another.
    let own = match choice.assertions.len() + choice.cases.len() {
        0 => 0,
        // All of them could be passed without a look at anything.
        _ if !differs && choice.cases.is_empty() => 0,
        own => own + usize::from(failing.guards.is_some()),
    };
    let called: HashSet<u32> = called.into_iter().filter(is_asked).collect();
    choice.tests = fellows::best(fellows, &fails, &called, own);
    // What passes in the test itself has gone other ways as well as another test.
    let passes = choice.assertions.len() + choice.cases.len() + passing.len() > 0;
    let come_to: Vec<HashSet<Origin>> =
        passing.iter().map(|trace| places(&probes, trace)).collect();
    if passes || failing.guards.is_some() {
        let ran = Ran::of(&probes, &all_hits([failed]));
        choice.unentered = passes::unentered(subject, &ran, &come_to);
        choice.unentered.truncate(UNENTERED);
    }
    for place in come_to.into_iter().flatten() {
        *choice.common.entry(place).or_default() += 1;
    }
    let of_guards = others
        .iter()
        .zip(passing)
        .filter(|((name, _), _)| choice.tests.contains(name))
        .map(|(_, trace)| trace);
    let seen = std::iter::once(failed).chain(of_guards);
    choice.ran = Some(Ran::of(&probes, &all_hits(seen)));
    Ok(choice)
}

/// The places that `trace` comes to.
fn places(probes: &[Origin], trace: &Trace) -> HashSet<Origin> {
    let numbers = trace.hits.iter().filter(|hit| **hit & PROBE_MARK == 0);
    numbers
        .filter_map(|hit| probes.get(*hit as usize).copied())
        .collect()
}

/// All words of the test `name`.
fn words_of(subject: &Subject, name: &str) -> BTreeSet<String> {
    let places = assertions::test_places(subject, name).into_iter();
    let texts = places.filter_map(|(file, id)| {
        let version = subject.file(file);
        Some(&version.source()[version.tree()?.node(id).range.clone()])
    });
    texts.flat_map(words).collect()
}

/// What is in both, of what is in either.
fn alike(one: &HashSet<u32>, other: &HashSet<u32>) -> f64 {
    let both = one.intersection(other).count();
    let either = one.len() + other.len() - both;
    both as f64 / either.max(1) as f64
}

/// The tests among `others` that speak of what `test` speaks of: most shared identifiers first, those
/// that few tests have counting more. With each, how many of its own those are, which is all that counts where the failing one
/// is `silent`: what did not run in it cannot tell which of them are like it.
fn most_alike(
    subject: &Subject,
    test: &str,
    others: &[String],
    silent: bool,
) -> Vec<(String, f64)> {
    let words = |name: &str| -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (file, id) in assertions::test_places(subject, name) {
            let Some(tree) = subject.file(file).tree() else {
                continue;
            };
            let source = subject.file(file).source();
            let node = tree.node(id);
            let body = tree.tokens_in(&node.range).iter();
            let words = body.filter(|token| token.kind == TokenKind::Ident);
            found.extend(words.map(|token| source[token.range()].to_string()));
        }
        found
    };
    let own = words(test);
    let all: Vec<(&String, BTreeSet<String>)> = others
        .iter()
        .filter(|name| *name != test)
        .map(|name| (name, words(name)))
        .collect();
    let mut frequency: HashMap<&str, usize> = HashMap::new();
    for word in all.iter().flat_map(|(_, words)| words) {
        *frequency.entry(word).or_default() += 1;
    }
    let mut ranked: Vec<(f64, &String, f64)> = all
        .iter()
        .map(|(name, words)| {
            let shared: Vec<&String> = words.intersection(&own).collect();
            let weights = shared
                .iter()
                .map(|word| 1.0 / frequency[word.as_str()] as f64);
            let telling = |words: &mut dyn Iterator<Item = &String>| {
                words
                    .filter(|word| !OF_ANY_TEST.contains(&word.as_str()))
                    .count()
            };
            let all = telling(&mut words.iter()).max(1);
            let share = telling(&mut shared.iter().copied()) as f64 / all as f64;
            (weights.sum(), *name, share)
        })
        .collect();
    let by_share = |one: &(f64, &String, f64)| if silent { one.2 } else { 0.0 };
    ranked.sort_by(|a, b| {
        let share = by_share(b).total_cmp(&by_share(a));
        share.then(b.0.total_cmp(&a.0)).then(a.1.cmp(b.1))
    });
    let ranked = ranked.into_iter().take(TESTS_TRIED);
    ranked
        .map(|(_, name, share)| (name.clone(), share))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::most_alike;
    use crate::subject::Subject;

    #[test]
    fn where_nothing_tells_what_runs_the_share_of_words_does() {
        let text = "#[test] fn t() { parse(special) } #[test] fn same() { parse(other) }
                    #[test] fn large() { parse(special); open(); close(); read(); write() }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let others = ["large".to_string(), "same".to_string()];
        let first = |silent| most_alike(&subject, "t", &others, silent)[0].0.clone();
        assert_eq!(first(false), "large");
        assert_eq!(first(true), "same");
    }
}
