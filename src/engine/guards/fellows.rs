//! Other tests that pass: which of them are like the one that fails, and cheap. Knows what ran for each; not what they say.

use std::collections::HashSet;

/// Tests at most that are chosen for being most like the one that fails: each keeps code that the failure alone may not need.
const TESTS: usize = 2;

/// Blocks that a guard may run besides those that fail, and besides a tenth of all that it runs: its own body's.
const OWN_BLOCKS: usize = 2;

/// Where no guard is that cheap, one is taken that runs so much besides, of all that it runs, and is so much alike: a failure
/// without a guard may be had in any way.
const BESIDES: f64 = 1.0 / 3.0;
const ALIKE_THEN: f64 = 1.0 / 2.0;

/// So much of what the failing test calls may be run by no guard. Where it is more, a further one is taken that runs half of it
/// or more.
const UNGUARDED: f64 = 1.0 / 3.0;

/// Another test that passes and is like the one that fails.
pub(super) struct Fellow<'n> {
    pub name: &'n str,
    /// How alike they are, from 0 to 1.
    pub alike: f64,
    /// The blocks that it runs.
    pub code: HashSet<u32>,
    /// Whether it may expect just what the failing one gets and should not.
    pub agrees: bool,
}

impl Fellow<'_> {
    /// How much it runs that is not among `fails`, what the failing one runs.
    fn besides(&self, fails: &HashSet<u32>) -> usize {
        self.code.difference(fails).count()
    }

    /// All code that only a guard needs stays: it may have little of that.
    fn is_cheap(&self, fails: &HashSet<u32>) -> bool {
        self.besides(fails) <= OWN_BLOCKS + self.code.len() / 10
    }

    fn is_affordable(&self, fails: &HashSet<u32>) -> bool {
        let besides = self.besides(fails).saturating_sub(OWN_BLOCKS);
        besides as f64 <= BESIDES * self.code.len() as f64
    }

    fn will_do(&self, fails: &HashSet<u32>) -> bool {
        self.alike >= ALIKE_THEN && self.is_affordable(fails)
    }
}

/// The names of the `fellows` that are to be guards, those most alike first. The failing test runs `fails`, and of that `called`
/// is not its own body. There are `own` guards in the test itself, which cost less: what they call is called anyway. But a single
/// one may go the very way that fails, and rightly so.
pub(super) fn best(
    mut fellows: Vec<Fellow<'_>>,
    fails: &HashSet<u32>,
    called: &HashSet<u32>,
    own: usize,
) -> Vec<String> {
    fellows.sort_by(|a, b| b.alike.total_cmp(&a.alike).then(a.name.cmp(b.name)));
    let cheap = fellows.iter().filter(|fellow| fellow.is_cheap(fails));
    let wanted = if own > 0 { 1 } else { TESTS };
    let mut found: Vec<&Fellow<'_>> = cheap.take(wanted).collect();
    if found.is_empty() && own <= 1 {
        found.extend(fellows.iter().find(|fellow| fellow.will_do(fails)));
    }
    if own == 0 {
        found.extend(for_the_rest(&fellows, &found, fails, called));
    }
    if !found.is_empty() && found.iter().all(|fellow| fellow.agrees) {
        // What all of them expect could be given without a look at anything.
        let is_other = |fellow: &&Fellow<'_>| !fellow.agrees && fellow.is_affordable(fails);
        if let Some(other) = fellows.iter().find(is_other) {
            found.truncate(TESTS - 1);
            found.push(other);
        }
    }
    found.iter().map(|fellow| fellow.name.to_string()).collect()
}

/// One of the `fellows` that runs most of what is `called` and run by none of those `found`, if that is much: it could be
/// hollowed out.
fn for_the_rest<'f, 'n>(
    fellows: &'f [Fellow<'n>],
    found: &[&Fellow<'n>],
    fails: &HashSet<u32>,
    called: &HashSet<u32>,
) -> Option<&'f Fellow<'n>> {
    let mut rest = called.clone();
    rest.retain(|block| !found.iter().any(|fellow| fellow.code.contains(block)));
    if found.is_empty() || rest.len() as f64 <= UNGUARDED * called.len() as f64 {
        return None;
    }
    let runs = |fellow: &Fellow<'_>| fellow.code.intersection(&rest).count();
    let able = fellows
        .iter()
        .filter(|fellow| fellow.is_affordable(fails) && 2 * runs(fellow) >= rest.len());
    // The first of equals.
    able.rev().max_by_key(|fellow| runs(fellow))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One that runs `own` blocks, of which `besides` are none of those that fail.
    fn fellow(name: &'static str, alike: f64, own: u32, besides: u32) -> Fellow<'static> {
        let code = (0..own - besides).chain(1000..1000 + besides).collect();
        Fellow {
            name,
            alike,
            code,
            agrees: false,
        }
    }

    fn blocks(range: std::ops::Range<u32>) -> HashSet<u32> {
        range.collect()
    }

    #[test]
    fn where_no_guard_is_cheap_one_is_taken_that_is_not() {
        // As they are in csv-core's tests of its writer.
        let costly = || {
            vec![
                fellow("two_fields", 0.40, 50, 28),
                fellow("one_field_stream", 0.58, 33, 11),
                fellow("one_field", 0.59, 32, 10),
                fellow("empty_field", 0.48, 41, 19),
            ]
        };
        let (fails, called) = (blocks(0..40), blocks(0..30));
        assert_eq!(best(costly(), &fails, &called, 0), ["one_field"]);
        assert_eq!(best(costly(), &fails, &called, 1), ["one_field"]);
        assert!(best(costly(), &fails, &called, 2).is_empty());
        let mut fellows = costly();
        fellows.push(fellow("cheap", 0.34, 40, 6));
        assert_eq!(best(fellows, &fails, &called, 0), ["cheap"]);
    }

    #[test]
    fn one_guard_expects_something_else_than_what_is_wrong() {
        let agreeing = |name, alike| Fellow {
            agrees: true,
            ..fellow(name, alike, 20, 0)
        };
        // As they are in httparse's tests of headers.
        let mut all = vec![agreeing("forbid", 0.9), agreeing("nul", 0.8)];
        let (fails, called) = (blocks(0..23), blocks(0..18));
        let chosen = |all: &[Fellow<'static>]| {
            let all = all.iter().map(|one| Fellow {
                code: one.code.clone(),
                ..*one
            });
            best(all.collect(), &fails, &called, 0)
        };
        assert_eq!(chosen(&all), ["forbid", "nul"]);
        all.push(fellow("simple", 0.4, 24, 9));
        assert_eq!(chosen(&all), ["forbid", "simple"]);
        all.push(fellow("costly", 0.5, 24, 12));
        assert_eq!(chosen(&all), ["forbid", "simple"]);
    }

    #[test]
    fn what_no_guard_runs_gets_one_of_its_own() {
        // As they are in bytes's tests of what is split off and put together again.
        let all = || {
            vec![
                fellow("split_off", 0.58, 62, 6),
                fellow("unsplit_empty", 0.45, 80, 13),
                fellow("unsplit", 0.72, 115, 29),
                fellow("unsplit_much", 0.59, 140, 54),
            ]
        };
        let fails = blocks(0..91);
        let chosen = |called| best(all(), &fails, &blocks(called), 0);
        assert_eq!(chosen(0..88), ["split_off", "unsplit"]);
        assert_eq!(chosen(0..70), ["split_off"]);
    }
}
