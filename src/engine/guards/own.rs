//! What the failing test itself passes before it fails: assertions, and the cases of one. Knows what ran for them; not what else
//! there is to guard it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::wrong::Wrong;
use super::{ALIKE, alike};
use crate::passes::assertions::{self, Stretch};
use crate::passes::cases::Listed;
use crate::subject::{PROBE_MARK, Subject};
use crate::syntax::{FileId, NodeId, Origin};

/// Assertions at most: each keeps code that the failure alone may not need.
const ASSERTIONS: usize = 3;

/// The function of the failing test, and its assertions.
pub(super) struct Own<'s> {
    subject: &'s Subject,
    file: FileId,
    function: NodeId,
    /// Where they stand, in order.
    assertions: Vec<Range<usize>>,
}

impl<'s> Own<'s> {
    /// The `function` of `file`; what calls one of the `helpers` asserts something, too. What stands in `guards` does already.
    pub(super) fn of(
        subject: &'s Subject,
        file: FileId,
        function: NodeId,
        helpers: &BTreeSet<&str>,
        guards: Option<&Stretch>,
    ) -> Own<'s> {
        let mut found = assertions::assertions(subject, file, function, helpers);
        let origin = |range: &Range<usize>| subject.file(file).text()?.origin(range.start);
        found.retain(|range| {
            !guards.is_some_and(|own| origin(range).is_some_and(|origin| own.holds(origin)))
        });
        Own {
            subject,
            file,
            function,
            assertions: found,
        }
    }

    /// The subject with a mark before and behind each assertion.
    pub(super) fn marked(&self) -> Subject {
        assertions::marked(self.subject, self.file, &self.assertions)
    }

    /// Where the function stood.
    pub(super) fn body(&self) -> Option<Stretch> {
        assertions::stretch(self.subject, self.file, self.function)
    }

    /// Where those of the assertions stand that are `chosen`.
    pub(super) fn places(&self, chosen: &[usize]) -> Vec<(FileId, Range<usize>)> {
        let chosen = chosen
            .iter()
            .map(|at| (self.file, self.assertions[*at].clone()));
        chosen.collect()
    }

    /// For those of the assertions that are `chosen`, the line of each, and where it and the `let`s stood that it uses: they are
    /// part of what passes.
    pub(super) fn with_their_lets(&self, chosen: &[usize]) -> Vec<(usize, Vec<Stretch>)> {
        let found = chosen.iter().filter_map(|&at| {
            let range = &self.assertions[at];
            let before = at.checked_sub(1).map(|before| &self.assertions[before]);
            let from = before.map_or(0, |before| before.end);
            let lets = assertions::lets_for(self.subject, self.file, from, range);
            let mut stretches: Vec<Stretch> =
                lets.iter().filter_map(|range| self.stood(range)).collect();
            stretches.push(self.stood(range)?);
            Some((self.line(range), stretches))
        });
        found.collect()
    }

    /// Which of the assertions are chosen, as `hits` tell, and whether one of them does not agree with what is `wrong`.
    pub(super) fn chosen(&self, hits: &[u32], wrong: &Wrong<'_>) -> (Vec<usize>, bool) {
        let agrees = |at: usize| wrong.is_expected_by(self.text(at));
        let chosen = passing_assertions(hits, agrees);
        let differs = chosen.iter().any(|at| !agrees(*at));
        (chosen, differs)
    }

    /// The assertion that failed, as `hits` tell.
    pub(super) fn failing(&self, hits: &[u32]) -> Option<&'s str> {
        passed_and_failed(hits).failing.map(|at| self.text(at))
    }

    fn text(&self, at: usize) -> &'s str {
        &self.subject.file(self.file).source()[self.assertions[at].clone()]
    }

    /// Of the cases that a loop puts to the assertion that failed, those that passed and are most like it: the line of each, and
    /// where it stood.
    pub(super) fn passing_cases(&self, hits: &[u32]) -> Vec<(usize, Stretch)> {
        let Some((at, rounds)) = passing_rounds(hits) else {
            return Vec::new();
        };
        let failed = &self.assertions[at];
        let listed = Listed::around(self.subject, self.file, self.function, failed);
        let all = listed.map_or_else(Vec::new, |listed| listed.cases);
        let passed = rounds.iter().filter_map(|round| all.get(*round));
        passed
            .filter_map(|case| Some((self.line(case), self.stood(case)?)))
            .collect()
    }

    fn line(&self, range: &Range<usize>) -> usize {
        let source = self.subject.file(self.file).source();
        source[..range.start].matches('\n').count() + 1
    }

    fn stood(&self, range: &Range<usize>) -> Option<Stretch> {
        assertions::original(self.subject, self.file, range)
    }
}

/// The marks among `hits`, and the `probes` that do not stand in the test's own `body`: that differs from assertion to
/// assertion, whatever it calls.
pub(super) fn outside(body: Option<&Stretch>, probes: &[Origin], hits: &[u32]) -> Vec<u32> {
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

/// Which assertions passed each time they were come to, as `hits` tell, and are most like what failed, in order. If one of them
/// does not agree with what is wrong, so does one of those chosen.
fn passing_assertions(hits: &[u32], agrees: impl Fn(usize) -> bool) -> Vec<usize> {
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
    let mut ranked = ranked(&seen.failed, all);
    if let Some(at) = ranked.iter().position(|at| !agrees(*at))
        && at >= ASSERTIONS
    {
        ranked.swap(ASSERTIONS - 1, at);
    }
    first(ranked)
}

/// The assertion that failed, and at which times before that it passed and is most like what failed, in order.
fn passing_rounds(hits: &[u32]) -> Option<(usize, Vec<usize>)> {
    let mut seen = passed_and_failed(hits);
    let failing = seen.failing?;
    let times = seen.passed.remove(&failing)?.into_iter().enumerate();
    let times = times.map(|(time, covered)| (covered, time));
    Some((failing, first(ranked(&seen.failed, times))))
}

/// The numbers of those that covered what is like what `failed` covered, those most like it first.
fn ranked(failed: &Covered, all: impl Iterator<Item = (Covered, usize)>) -> Vec<usize> {
    let mut ranked: Vec<(f64, usize)> = all
        .map(|(covered, at)| (covered.alike(failed), at))
        // Where nothing ran at all that is known, nothing tells them apart.
        .filter(|(alike, _)| failed.since.is_empty() || *alike >= ALIKE)
        .collect();
    // The nearest to the failure first among equals.
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)));
    ranked.into_iter().map(|(_, at)| at).collect()
}

/// The first of those that are `ranked`, in the order in which they stand.
fn first(mut ranked: Vec<usize>) -> Vec<usize> {
    ranked.truncate(ASSERTIONS);
    ranked.sort_unstable();
    ranked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::PROBE_CALL;
    use crate::syntax::{ItemKind, Kind};

    /// The text that stays of the test `text` for the sake of assertions that pass, where `hits` ran: `(` and `)` with a
    /// number begin and end an assertion, a number alone is a probe in what is called.
    fn kept<'t>(text: &'t str, hits: &str) -> Vec<&'t str> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let tree = subject.file(FileId(0)).tree().expect("parses");
        let mut nodes = tree.nodes();
        let test = nodes.find(|(_, node)| node.kind == Kind::Item(ItemKind::Fn));
        let test = test.expect("a test").0;
        let own = Own::of(&subject, FileId(0), test, &BTreeSet::new(), None);
        let number = |text: &str| text.parse::<u32>().expect("a number");
        let hits: Vec<u32> = hits
            .split(' ')
            .map(|hit| match (hit.strip_prefix('('), hit.strip_prefix(')')) {
                (Some(at), _) => PROBE_MARK | (2 * number(at)),
                (_, Some(at)) => PROBE_MARK | (2 * number(at) + 1),
                _ => number(hit),
            })
            .collect();
        let found = own.with_their_lets(&passing_assertions(&hits, |_| false));
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
    fn one_that_does_not_agree_with_what_is_wrong_is_among_them() {
        let mark = |at: u32, behind: bool| PROBE_MARK | (2 * at + u32::from(behind));
        let times = (0..5).flat_map(|at| [mark(at, false), 1, 2, mark(at, true)]);
        let hits: Vec<u32> = times.chain([mark(5, false), 1, 2]).collect();
        assert_eq!(passing_assertions(&hits, |_| true), [2, 3, 4]);
        assert_eq!(passing_assertions(&hits, |at| at != 3), [2, 3, 4]);
        assert_eq!(passing_assertions(&hits, |at| at != 0), [0, 3, 4]);
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
