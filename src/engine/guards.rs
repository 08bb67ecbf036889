//! The choice of guards: other tests, and passing assertions of the failing test, that go through the
//! code that fails. Knows how they are ranked; not how a property uses them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::probing;
use crate::passes::assertions::{self, Stretch};
use crate::passes::ran::Ran;
use crate::property::Traced;
use crate::property::guards::Guards;
use crate::property::test::{Test, Trace};
use crate::report::Failure;
use crate::subject::{PROBE_CALL, PROBE_MARK, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, ItemKind, Kind, NodeId};

/// Tests that are run to see what they cover; the test's own words choose them.
const TESTS_TRIED: usize = 32;

/// Time for each of them: a guard runs in every interesting trial, so it has to be quick.
const TIME: Duration = Duration::from_secs(2);

/// Guards of each sort at most: each keeps code that the failure alone may not need.
const ASSERTIONS: usize = 3;
const TESTS: usize = 2;

/// Blocks that a guard may run besides those that fail, and besides a tenth of all that it runs: its own body's.
const OWN_BLOCKS: usize = 2;

/// How alike what a guard covers has to be to what fails: blocks in both, of blocks in either.
const ALIKE: f64 = 1.0 / 3.0;

/// What was chosen.
#[derive(Debug, Default)]
pub struct Choice {
    /// Names of tests that have to pass.
    pub tests: Vec<String>,
    /// Assertions of the failing test that stay as they are, and so have to pass before it fails: the
    /// line each stood on, and where it stood.
    pub assertions: Vec<(usize, Stretch)>,
    /// What ran when the test failed and when these guards passed, if that was looked at.
    pub ran: Option<Ran>,
}

impl Choice {
    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.assertions.is_empty()
    }

    /// What was chosen, for people.
    pub fn title(&self) -> String {
        let mut parts: Vec<String> = self.tests.iter().map(|name| format!("`{name}`")).collect();
        let lines: Vec<String> = self
            .assertions
            .iter()
            .map(|(line, _)| line.to_string())
            .collect();
        match &lines[..] {
            [] => {}
            [line] => parts.push(format!("the assertion in line {line} of the test itself")),
            _ => parts.push(format!(
                "the assertions in lines {} of the test itself",
                lines.join(", ")
            )),
        }
        parts.join(", ")
    }
}

/// Where the text of the tests `names` stands: it has to stay as it is, or a guard could be hollowed
/// out and still pass.
pub fn stretches<'n>(
    subject: &Subject,
    names: impl IntoIterator<Item = &'n String>,
) -> Vec<Stretch> {
    let functions = names
        .into_iter()
        .flat_map(|name| assertions::test_functions(subject, name));
    functions
        .filter_map(|(file, id)| assertions::stretch(subject, file, id))
        .collect()
}

/// Chooses guards for the failing test `test`, which `oracle` runs with `args` and which is one of the functions
/// `own`, among its own assertions and the tests `others`.
///
/// # Errors
///
/// When the oracle cannot run.
pub fn chosen(
    oracle: &mut Test,
    subject: &Subject,
    test: &str,
    own: &[(FileId, NodeId)],
    args: &[String],
    others: &[String],
) -> Result<Choice, Failure> {
    let (file, ranges) = match *own {
        [(file, id)] => (file, assertions::assertions(subject, file, id)),
        _ => (FileId(0), Vec::new()),
    };
    let marked = assertions::marked(subject, file, &ranges);
    let others = most_alike(subject, test, others);
    let mut runs = vec![(args.to_vec(), oracle.timeout())];
    for name in &others {
        let guard = Guards {
            names: vec![name.clone()],
            timeout: TIME,
            program: None,
        };
        runs.push((guard.arguments(), TIME));
    }
    let probing = probing::probed(&marked, |probed| oracle.traces(probed, &runs))?;
    let Traced::Ran((traces, probes)) = probing else {
        return Ok(Choice::default());
    };
    let Some((failing, passing)) = traces.split_first() else {
        return Ok(Choice::default());
    };
    let mut choice = Choice {
        assertions: passing_assertions(subject, file, &ranges, &failing.hits),
        ..Choice::default()
    };
    // What tests of different shape share is the code under test; each has a body of its own besides.
    let code = |trace: &Trace| -> HashSet<u32> {
        let numbers = trace.hits.iter().copied();
        numbers
            .filter(|hit| hit & PROBE_MARK == 0 && (*hit as usize) < probes.len())
            .collect()
    };
    let fails = code(failing);
    let mut ranked: Vec<(f64, &String)> = Vec::new();
    for (name, trace) in others.iter().zip(passing) {
        let guard = Guards {
            names: vec![name.clone()],
            timeout: TIME,
            program: None,
        };
        let own = code(trace);
        let alike = alike(&own, &fails);
        // All code that only a guard needs stays: it may have little of that.
        let besides = own.difference(&fails).count();
        let cheap = besides <= OWN_BLOCKS + own.len() / 10;
        if guard.hold(&trace.outcome) && alike >= ALIKE && cheap {
            ranked.push((alike, name));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    // Assertions of the test itself cost less: what they call is called anyway.
    let wanted = if choice.assertions.is_empty() {
        TESTS
    } else {
        1
    };
    choice.tests = ranked
        .into_iter()
        .take(wanted)
        .map(|(_, name)| name.clone())
        .collect();
    let of_guards = others
        .iter()
        .zip(passing)
        .filter(|(name, _)| choice.tests.contains(name))
        .map(|(_, trace)| trace);
    let seen = std::iter::once(failing).chain(of_guards);
    let hits: Vec<u32> = seen.flat_map(|trace| trace.hits.iter().copied()).collect();
    choice.ran = Some(Ran::of(&probes, &hits));
    Ok(choice)
}

/// The assertions at `ranges` that passed each time they were come to, those most like what failed
/// first.
fn passing_assertions(
    subject: &Subject,
    file: FileId,
    ranges: &[Range<usize>],
    hits: &[u32],
) -> Vec<(usize, Stretch)> {
    let mut covered: HashMap<usize, HashSet<u32>> = HashMap::new();
    let mut passed: BTreeSet<usize> = BTreeSet::new();
    let mut open = None;
    let mut since: HashSet<u32> = HashSet::new();
    for hit in hits {
        if hit & PROBE_CALL != 0 && hit & PROBE_MARK == 0 {
            continue;
        }
        if hit & PROBE_MARK == 0 {
            since.insert(*hit);
            continue;
        }
        let mark = (hit & !PROBE_MARK) as usize;
        let at = mark / 2;
        if mark % 2 == 1 {
            covered.entry(at).or_default().extend(since.drain());
            passed.insert(at);
            open = None;
        } else {
            since.clear();
            open = Some(at);
        }
    }
    if let Some(failed) = open {
        passed.remove(&failed);
    }
    let nothing = HashSet::new();
    let mut ranked: Vec<(f64, usize)> = passed
        .into_iter()
        .map(|at| (alike(covered.get(&at).unwrap_or(&nothing), &since), at))
        // Where neither calls any code, what they compare was computed before, by the same code.
        .filter(|(alike, _)| since.is_empty() || *alike >= ALIKE)
        .collect();
    // The nearest to the failure first among equals.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    ranked.truncate(ASSERTIONS);
    ranked.sort_by_key(|(_, at)| *at);
    let version = subject.file(file);
    let found = ranked.into_iter().filter_map(|(_, at)| {
        let line = version.source()[..ranges[at].start].matches('\n').count() + 1;
        let stretch = assertions::original(subject, file, &ranges[at])?;
        Some((line, stretch))
    });
    found.collect()
}

/// What is in both, of what is in either.
fn alike(one: &HashSet<u32>, other: &HashSet<u32>) -> f64 {
    let both = one.intersection(other).count();
    let either = one.len() + other.len() - both;
    both as f64 / either.max(1) as f64
}

/// The tests among `others` that speak of what `test` speaks of: most shared identifiers first, those
/// that few tests have counting more.
fn most_alike(subject: &Subject, test: &str, others: &[String]) -> Vec<String> {
    let words = |name: &str| -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (file, id) in assertions::test_functions(subject, name) {
            let Some(tree) = subject.file(file).tree() else {
                continue;
            };
            let source = subject.file(file).source();
            let node = tree.node(id);
            debug_assert!(node.kind == Kind::Item(ItemKind::Fn));
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
    let mut ranked: Vec<(f64, &String)> = all
        .iter()
        .map(|(name, words)| {
            let shared = words.intersection(&own);
            let weights = shared.map(|word| 1.0 / frequency[word.as_str()] as f64);
            (weights.sum(), *name)
        })
        .collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    let names = ranked.into_iter().take(TESTS_TRIED);
    names.map(|(_, name)| name.clone()).collect()
}
