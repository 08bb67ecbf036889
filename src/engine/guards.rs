//! The choice of guards: other tests, and passing assertions of the failing test, that go through the
//! code that fails. Knows how they are ranked; not how a property uses them.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::probing;
use crate::passes::assertions::{self, Stretch};
use crate::passes::ran::Ran;
use crate::property::Traced;
use crate::property::guards::Guards;
use crate::property::test::{Test, Trace, all_hits};
use crate::report::Failure;
use crate::subject::{PROBE_MARK, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, ItemKind, Kind, NodeId, Origin};

/// Tests that are run to see what they cover; the test's own words choose them.
const TESTS_TRIED: usize = 32;

/// Time for each of them: a guard runs in every interesting trial, so it has to be quick.
const TIME: Duration = Duration::from_secs(2);

/// Guards of each sort at most: each keeps code that the failure alone may not need.
const ASSERTIONS: usize = 3;
const TESTS: usize = 2;

/// Blocks that a guard may run besides those that fail, and besides a tenth of all that it runs: its own body's.
const OWN_BLOCKS: usize = 2;

/// Where no guard is that cheap, one is taken that runs so much besides, of all that it runs, and is so much alike: a failure
/// without a guard may be had in any way.
const BESIDES: f64 = 1.0 / 3.0;
const ALIKE_THEN: f64 = 1.0 / 2.0;

/// How alike what a guard covers has to be to what fails: blocks in both, of blocks in either.
const ALIKE: f64 = 1.0 / 3.0;

/// The same where what ran tells nothing of what fails: names in both tests, of names in the guard.
const ALIKE_IN_WORDS: f64 = 1.0 / 2.0;

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

/// What is guarded by what stands in `lines` of the test itself, each a `thing`, for people.
fn told(thing: &str, lines: impl Iterator<Item = usize>) -> Option<String> {
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    match &lines[..] {
        [] => None,
        [line] => Some(format!("the {thing} in line {line} of the test itself")),
        _ => Some(format!(
            "the {thing}s in lines {} of the test itself",
            lines.join(", ")
        )),
    }
}

/// Where the text of the tests `names` stands, and that of what asserts for them: it has to stay as it is, or a guard could be
/// hollowed out and still pass.
pub fn stretches<'n>(
    subject: &Subject,
    names: impl IntoIterator<Item = &'n String>,
) -> Vec<Stretch> {
    let places = names
        .into_iter()
        .flat_map(|name| assertions::test_places(subject, name));
    let places: Vec<(FileId, NodeId)> = places.collect();
    let tests = places.iter().copied().filter_map(|(file, id)| {
        let tree = subject.file(file).tree()?;
        Some((file, tree.node(id).range.clone()))
    });
    let helpers = match places.is_empty() {
        true => Vec::new(),
        false => named(subject, &asserting(subject), tests.collect()),
    };
    let places = places.iter().copied().chain(helpers);
    places
        .filter_map(|(file, id)| assertions::stretch(subject, file, id))
        .collect()
}

/// Where those of the `helpers` stand that are named at the places `open`, and those that they name.
fn named(
    subject: &Subject,
    helpers: &[(&str, (FileId, NodeId))],
    mut open: Vec<(FileId, Range<usize>)>,
) -> Vec<(FileId, NodeId)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((file, range)) = open.get(at).cloned() {
        at += 1;
        let version = subject.file(file);
        let Some(tree) = version.tree() else { continue };
        let words: BTreeSet<&str> = tree.identifiers(version.source(), &range).collect();
        for (name, place) in helpers {
            if words.contains(name) && !found.contains(place) {
                found.push(*place);
                let tree = subject.file(place.0).tree();
                open.extend(tree.map(|tree| (place.0, tree.node(place.1).range.clone())));
            }
        }
    }
    found
}

/// The functions and macros that are there for tests alone, are none, and have an assertion in them or the name of another that
/// has, with their names.
fn asserting(subject: &Subject) -> Vec<(&str, (FileId, NodeId))> {
    let mut others = Vec::new();
    let mut found = Vec::new();
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        let of_a_test_target = version.path.iter().any(|part| part == "tests");
        for (id, node) in tree.nodes() {
            let (Kind::Item(ItemKind::Fn | ItemKind::MacroRules), Some(name)) =
                (node.kind, node.name.clone())
            else {
                continue;
            };
            // One may be named like what a guard calls, the failing one too.
            if assertions::is_test(tree, source, node) {
                continue;
            }
            let origin = || version.text()?.origin(name.start);
            if of_a_test_target || origin().is_some_and(|at| assertions::is_for_tests(subject, at))
            {
                let words: BTreeSet<&str> = tree.identifiers(source, &node.range).collect();
                let asserts = words.iter().any(|word| word.starts_with("assert"));
                let helper = (&source[name], (file, id));
                match asserts {
                    true => found.push(helper),
                    false => others.push((helper, words)),
                }
            }
        }
    }
    let mut at = 0;
    while let Some((name, _)) = found.get(at).copied() {
        at += 1;
        let calls = others.extract_if(.., |(_, words)| words.contains(name));
        found.extend(calls.map(|(helper, _)| helper));
    }
    found
}

/// The test that fails.
pub struct Failing<'a> {
    /// Its name.
    pub test: &'a str,
    /// The function that it is one of.
    pub own: &'a [(FileId, NodeId)],
    /// What its executable is run with.
    pub args: &'a [String],
    /// Whether it fails by not panicking.
    pub silent: bool,
    /// Where it panics, if it does.
    pub panics: Option<Origin>,
}

/// Chooses guards for the test `failing`, which `oracle` runs, among its own assertions and the tests `others`.
///
/// # Errors
///
/// When the oracle cannot run.
pub fn chosen(
    oracle: &mut Test,
    subject: &Subject,
    failing: &Failing<'_>,
    others: &[String],
) -> Result<Choice, Failure> {
    let Failing { test, silent, .. } = *failing;
    let helpers = asserting(subject);
    let (file, ranges, body) = match *failing.own {
        [(file, id)] => {
            let helpers = helpers.iter().map(|(name, _)| *name).collect();
            (
                file,
                assertions::assertions(subject, file, id, &helpers),
                assertions::stretch(subject, file, id),
            )
        }
        _ => (FileId(0), Vec::new(), None),
    };
    let marked = assertions::marked(subject, file, &ranges);
    let others = most_alike(subject, test, others, silent);
    let mut runs = vec![(failing.args.to_vec(), oracle.timeout())];
    for (name, _) in &others {
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
    let Some((failed, passing)) = traces.split_first() else {
        return Ok(Choice::default());
    };
    let called = outside(body.as_ref(), &probes, &failed.hits);
    let passed = passing_assertions(&called);
    let mut choice = Choice {
        assertions: with_their_lets(subject, file, &ranges, &passed),
        helpers: standing_in(subject, &helpers, file, &ranges, &passed, failing.panics),
        ..Choice::default()
    };
    if let ([(file, id)], Some((at, rounds))) = (failing.own, passing_rounds(&called)) {
        let cases = assertions::cases(subject, *file, *id, &ranges[at]);
        let source = subject.file(*file).source();
        let stood = |range: &Range<usize>| {
            let line = source[..range.start].matches('\n').count() + 1;
            Some((line, assertions::original(subject, *file, range)?))
        };
        let passed = rounds.iter().filter_map(|round| cases.get(*round));
        choice.cases = passed.filter_map(stood).collect();
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
        let guard = Guards {
            names: vec![name.clone()],
            timeout: TIME,
            program: None,
        };
        let own = code(trace);
        let (alike, least) = match untold {
            true => (*share, ALIKE_IN_WORDS),
            false => (alike(&own, &fails), ALIKE),
        };
        if guard.hold(&trace.outcome) && alike >= least {
            fellows.push(Fellow {
                name,
                alike,
                own: own.len(),
                besides: own.difference(&fails).count(),
            });
        }
    }
    let has_own = !choice.assertions.is_empty() || !choice.cases.is_empty();
    choice.tests = best(fellows, has_own);
    let of_guards = others
        .iter()
        .zip(passing)
        .filter(|((name, _), _)| choice.tests.contains(name))
        .map(|(_, trace)| trace);
    let seen = std::iter::once(failed).chain(of_guards);
    choice.ran = Some(Ran::of(&probes, &all_hits(seen)));
    Ok(choice)
}

/// Another test that passes and is like the one that fails.
struct Fellow<'n> {
    name: &'n str,
    /// How alike they are, from 0 to 1.
    alike: f64,
    /// Blocks that it runs, and those of them that the failing one does not.
    own: usize,
    besides: usize,
}

impl Fellow<'_> {
    /// All code that only a guard needs stays: it may have little of that.
    fn is_cheap(&self) -> bool {
        self.besides <= OWN_BLOCKS + self.own / 10
    }

    fn will_do(&self) -> bool {
        self.alike >= ALIKE_THEN && self.besides as f64 <= BESIDES * self.own as f64
    }
}

/// The names of the `fellows` that are to be guards, those most alike first; `besides_assertions` of the test itself, which cost
/// less: what they call is called anyway.
fn best(mut fellows: Vec<Fellow<'_>>, besides_assertions: bool) -> Vec<String> {
    fellows.sort_by(|a, b| b.alike.total_cmp(&a.alike).then(a.name.cmp(b.name)));
    let name = |fellow: &Fellow<'_>| fellow.name.to_string();
    let cheap = fellows.iter().filter(|fellow| fellow.is_cheap());
    let wanted = if besides_assertions { 1 } else { TESTS };
    let mut found: Vec<String> = cheap.take(wanted).map(name).collect();
    if found.is_empty() && !besides_assertions {
        let will_do = fellows.iter().find(|fellow| fellow.will_do());
        found.extend(will_do.map(name));
    }
    found
}

/// The marks among `hits`, and the `probes` that do not stand in the test's own `body`: that differs from assertion to
/// assertion, whatever it calls.
fn outside(body: Option<&Stretch>, probes: &[Origin], hits: &[u32]) -> Vec<u32> {
    let is_outside = |hit: &u32| {
        let probe = probes.get(*hit as usize);
        probe.is_some_and(|origin| !body.is_some_and(|body| body.holds(*origin)))
    };
    let hits = hits.iter().copied();
    hits.filter(|hit| hit & PROBE_MARK != 0 || is_outside(hit))
        .collect()
}

/// The code that ran for an assertion.
#[derive(Debug, Clone, Default)]
struct Covered {
    /// While the assertion itself did.
    itself: HashSet<u32>,
    /// Since the assertion before it, or the start of the test: what it compares may have been computed there.
    since: HashSet<u32>,
}

impl Covered {
    /// How alike they are where they are most alike: what one assertion calls, the next may have called ahead of it.
    fn alike(&self, other: &Covered) -> f64 {
        let pairs = [
            (&self.itself, &other.itself),
            (&self.itself, &other.since),
            (&self.since, &other.itself),
            (&self.since, &other.since),
        ];
        let alike = pairs.map(|(one, other)| alike(one, other));
        alike.into_iter().fold(0.0, f64::max)
    }

    /// Where nothing ran since the assertion `before`, both look at what was computed for that one.
    fn or_as(self, before: &Covered) -> Covered {
        match self.since.is_empty() {
            true => Covered {
                itself: HashSet::new(),
                since: before.since.clone(),
            },
            false => self,
        }
    }
}

/// What ran while assertions were looked at, as probes tell.
struct Seen {
    /// For each assertion that passed, each time that it did.
    passed: BTreeMap<usize, Vec<Covered>>,
    /// The one that failed, if that is one of them.
    failing: Option<usize>,
    /// For the failure.
    failed: Covered,
}

/// What ran for the assertions, as `hits` tell.
fn passed_and_failed(hits: &[u32]) -> Seen {
    let mut passed: BTreeMap<usize, Vec<Covered>> = BTreeMap::new();
    let mut open = None;
    let mut before = Covered::default();
    let mut now = Covered::default();
    for hit in hits {
        if hit & PROBE_MARK == 0 {
            now.itself.insert(*hit);
            now.since.insert(*hit);
            continue;
        }
        let mark = (hit & !PROBE_MARK) as usize;
        let at = mark / 2;
        if mark % 2 == 1 {
            before = std::mem::take(&mut now).or_as(&before);
            passed.entry(at).or_default().push(before.clone());
            open = None;
        } else {
            now.itself.clear();
            open = Some(at);
        }
    }
    Seen {
        passed,
        failing: open,
        failed: now.or_as(&before),
    }
}

/// Which assertions passed each time they were come to, as `hits` tell, and are most like what failed, in order.
fn passing_assertions(hits: &[u32]) -> Vec<usize> {
    let seen = passed_and_failed(hits);
    let others = seen
        .passed
        .iter()
        .filter(|(at, _)| Some(**at) != seen.failing);
    let all = others.map(|(at, times)| {
        let itself = times
            .iter()
            .flat_map(|covered| &covered.itself)
            .copied()
            .collect();
        let since = times
            .iter()
            .flat_map(|covered| &covered.since)
            .copied()
            .collect();
        (Covered { itself, since }, *at)
    });
    most_like(&seen.failed, all)
}

/// The assertion that failed, and at which times before that it passed and is most like what failed, in order.
fn passing_rounds(hits: &[u32]) -> Option<(usize, Vec<usize>)> {
    let mut seen = passed_and_failed(hits);
    let failing = seen.failing?;
    let times = seen.passed.remove(&failing)?.into_iter().enumerate();
    let times = times.map(|(time, covered)| (covered, time));
    Some((failing, most_like(&seen.failed, times)))
}

/// The numbers of those that covered what is most like what `failed` covered, in order.
fn most_like(failed: &Covered, all: impl Iterator<Item = (Covered, usize)>) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> = all
        .map(|(covered, at)| (covered.alike(failed), at))
        // Where nothing ran at all that is known, nothing tells them apart.
        .filter(|(alike, _)| failed.since.is_empty() || *alike >= ALIKE)
        .collect();
    // The nearest to the failure first among equals.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    ranked.truncate(ASSERTIONS);
    let mut found: Vec<usize> = ranked.into_iter().map(|(_, at)| at).collect();
    found.sort_unstable();
    found
}

/// For those of the assertions at `ranges` of `file` that are `chosen`, the line of each, and where it and the `let`s stood that
/// it uses: they are part of what passes.
fn with_their_lets(
    subject: &Subject,
    file: FileId,
    ranges: &[Range<usize>],
    chosen: &[usize],
) -> Vec<(usize, Vec<Stretch>)> {
    let version = subject.file(file);
    let found = chosen.iter().filter_map(|&at| {
        let range = ranges.get(at)?;
        let line = version.source()[..range.start].matches('\n').count() + 1;
        let before = at.checked_sub(1).and_then(|before| ranges.get(before));
        let from = before.map_or(0, |before| before.end);
        let lets = assertions::lets_for(subject, file, from, range);
        let mut stretches: Vec<Stretch> = lets
            .iter()
            .filter_map(|range| assertions::original(subject, file, range))
            .collect();
        stretches.push(assertions::original(subject, file, range)?);
        Some((line, stretches))
    });
    found.collect()
}

/// Where the `helpers` stood that those of the assertions at `ranges` of `file` call that are `chosen`: what they compare has to
/// go on being compared. The one that `panics` does so for another call anyway.
fn standing_in(
    subject: &Subject,
    helpers: &[(&str, (FileId, NodeId))],
    file: FileId,
    ranges: &[Range<usize>],
    chosen: &[usize],
    panics: Option<Origin>,
) -> Vec<Stretch> {
    let chosen = chosen.iter().filter_map(|at| ranges.get(*at));
    let open = chosen.map(|range| (file, range.clone())).collect();
    let helpers = named(subject, helpers, open).into_iter();
    helpers
        .filter_map(|(file, id)| assertions::stretch(subject, file, id))
        .filter(|helper| !panics.is_some_and(|at| helper.holds(at)))
        .collect()
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
    use std::collections::BTreeSet;

    use super::{
        asserting, most_alike, outside, passing_assertions, passing_rounds, standing_in,
        with_their_lets,
    };
    use crate::passes::assertions::{self, Stretch};
    use crate::subject::{PROBE_CALL, PROBE_MARK, Subject};
    use crate::syntax::{FileId, ItemKind, Kind, Origin};

    #[test]
    fn what_asserts_for_a_guard_stays_as_it_is() {
        let text = "fn assert_length() { assert!(true) }
                    #[cfg(test)] mod tests {
                        macro_rules! check { ($e:expr) => { same!($e) } }
                        macro_rules! same { ($e:expr) => { assert_same($e) } }
                        fn assert_same(n: u8) { assert_eq!(n, 1); assert_length() }
                        fn other() { assert!(true) }
                        #[test] fn t() { same!(make()) }
                        #[test] fn make() { assert!(false) }
                        #[cfg(test)] fn assert_more() { assert!(true) }
                        #[test] fn more() { assert_more() }
                    }";
        let subject = Subject::new([("src/a.rs".into(), text.as_bytes().to_vec())]);
        let kept = super::stretches(&subject, &["tests::t".into(), "tests::more".into()]);
        let kept: Vec<&str> = kept
            .iter()
            .map(|kept| &text[kept.range.start as usize..kept.range.end as usize])
            .collect();
        assert_eq!(
            kept,
            [
                "#[test] fn t() { same!(make()) }",
                "#[test] fn more() { assert_more() }",
                "macro_rules! same { ($e:expr) => { assert_same($e) } }",
                "#[cfg(test)] fn assert_more() { assert!(true) }",
                "fn assert_same(n: u8) { assert_eq!(n, 1); assert_length() }",
            ]
        );
    }

    #[test]
    fn what_a_passing_call_asserts_by_stays_but_for_what_panics() {
        let text = "fn f() {} #[cfg(test)] mod tests {
                        fn compare(n: u8) { assert_eq!(n, 1); }
                        fn check(n: u8) { compare(n); f() }
                        fn unused() { assert!(false) }
                        fn value() -> u8 { 1 }
                        #[test] fn t() { check(value()); check(2); }
                    }";
        let subject = Subject::new([("src/a.rs".into(), text.as_bytes().to_vec())]);
        let helpers = asserting(&subject);
        let names: BTreeSet<&str> = helpers.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, BTreeSet::from(["check", "compare", "unused"]));
        let [(file, id)] = assertions::test_functions(&subject, "tests::t")[..] else {
            panic!("one test");
        };
        let ranges = assertions::assertions(&subject, file, id, &names);
        assert_eq!(ranges.len(), 2);
        let standing = |panics: Option<&str>| -> Vec<&str> {
            let origin = |part| Origin {
                file,
                offset: text.find(part).expect("it is there") as u32,
            };
            let found = standing_in(&subject, &helpers, file, &ranges, &[0], panics.map(origin));
            let range = |Stretch { range, .. }| range.start as usize..range.end as usize;
            found.into_iter().map(|found| &text[range(found)]).collect()
        };
        let check = "fn check(n: u8) { compare(n); f() }";
        let compare = "fn compare(n: u8) { assert_eq!(n, 1); }";
        assert_eq!(standing(None), [check, compare]);
        assert_eq!(standing(Some("assert_eq!")), [check]);
    }

    #[test]
    fn where_no_guard_is_cheap_one_is_taken_that_is_not() {
        let fellow = |name, alike, own, besides| super::Fellow {
            name,
            alike,
            own,
            besides,
        };
        // As they are in csv-core's tests of its writer.
        let costly = || {
            vec![
                fellow("two_fields", 0.40, 50, 28),
                fellow("one_field_stream", 0.58, 33, 11),
                fellow("one_field", 0.59, 32, 10),
                fellow("empty_field", 0.48, 41, 19),
            ]
        };
        assert_eq!(super::best(costly(), false), ["one_field"]);
        assert!(super::best(costly(), true).is_empty());
        let mut fellows = costly();
        fellows.push(fellow("cheap", 0.34, 40, 6));
        assert_eq!(super::best(fellows, false), ["cheap"]);
    }

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

    /// The text that stays of the test `text` for the sake of assertions that pass, where `hits` ran: `(` and `)` with a
    /// number begin and end an assertion, a number alone is a probe in what is called.
    fn kept<'t>(text: &'t str, hits: &str) -> Vec<&'t str> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let tree = subject.file(FileId(0)).tree().expect("parses");
        let mut nodes = tree.nodes();
        let test = nodes.find(|(_, node)| node.kind == Kind::Item(ItemKind::Fn));
        let test = test.expect("a test").0;
        let ranges = assertions::assertions(&subject, FileId(0), test, &BTreeSet::new());
        let number = |text: &str| text.parse::<u32>().expect("a number");
        let hits: Vec<u32> = hits
            .split(' ')
            .map(|hit| match (hit.strip_prefix('('), hit.strip_prefix(')')) {
                (Some(at), _) => PROBE_MARK | (2 * number(at)),
                (_, Some(at)) => PROBE_MARK | (2 * number(at) + 1),
                _ => number(hit),
            })
            .collect();
        let passed = passing_assertions(&hits);
        let found = with_their_lets(&subject, FileId(0), &ranges, &passed);
        let stretches = found.into_iter().flat_map(|(_, stretches)| stretches);
        stretches
            .map(|Stretch { range, .. }| &text[range.start as usize..range.end as usize])
            .collect()
    }

    const LETS: &str = "fn t() { let a = f(5); assert_eq!(a, 3); let o = g(); assert_eq!(o, 1); let b = f(3); assert_eq!(b, 2); }";

    #[test]
    fn what_a_let_ran_counts_for_the_assertion_behind_it() {
        assert_eq!(
            kept(LETS, "1 2 (0 )0 7 8 9 (1 )1 1 3 (2"),
            ["let a = f(5);", "assert_eq!(a, 3);"]
        );
    }

    #[test]
    fn what_an_assertion_calls_may_be_called_ahead_of_another() {
        let text = "fn t() { assert_eq!(f(5), 3); let b = f(3); assert_eq!(b, 2); }";
        assert_eq!(kept(text, "9 (0 1 2 )0 1 2 (1 9"), ["assert_eq!(f(5), 3);"]);
    }

    #[test]
    fn assertions_of_one_value_look_at_the_same_code() {
        let text = "fn t() { let o = g(); assert!(o); let a = f(); assert!(a.x); assert!(a.y); assert!(a.z); }";
        assert_eq!(
            kept(text, "7 8 9 (0 )0 1 2 (1 )1 (2 )2 (3"),
            ["let a = f();", "assert!(a.x);", "assert!(a.y);"]
        );
    }

    #[test]
    fn an_assertion_that_fails_the_second_time_does_not_pass() {
        let text = "fn t() { for i in 1..3 { assert_eq!(f(i), i); } }";
        assert_eq!(kept(text, "(0 1 )0 (0 1"), [""; 0]);
    }

    #[test]
    fn a_case_passes_as_often_as_the_assertion_did_before_it_failed() {
        let mark = |at: u32, behind: bool| PROBE_MARK | (2 * at + u32::from(behind));
        let pass = |hits: &[u32]| [hits, &[mark(1, false)], &[mark(1, true)]].concat();
        let hits = [
            pass(&[1, 2]),
            pass(&[7, 8]),
            pass(&[1, 3]),
            vec![1, 2, 3, mark(1, false)],
        ];
        assert_eq!(passing_rounds(&hits.concat()), Some((1, vec![0, 2])));
        assert_eq!(passing_rounds(&hits[..3].concat()), None, "none failed");
        assert_eq!(passing_rounds(&hits[3]), None, "none passed");
    }

    #[test]
    fn what_stands_in_the_test_itself_is_not_compared() {
        let origin = |offset| Origin {
            file: FileId(0),
            offset,
        };
        let probes = [origin(2), origin(12), origin(25)];
        let body = Stretch {
            file: FileId(0),
            range: 10..20,
        };
        let mark = PROBE_MARK | 3;
        let hits = [0, 1, mark, PROBE_CALL | 1, 2];
        assert_eq!(outside(Some(&body), &probes, &hits), [0, mark, 2]);
    }
}
