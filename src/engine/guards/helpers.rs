//! What asserts for tests and is none: functions and macros that they call. Knows syntax alone.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::passes::assertions::{self, Stretch};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, NodeId, Origin};

/// A function or macro: its name, and where it stands.
pub(super) type Helper<'s> = (&'s str, (FileId, NodeId));

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
    helpers: &[Helper<'_>],
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
pub(super) fn asserting(subject: &Subject) -> Vec<Helper<'_>> {
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

/// Where the `helpers` stood that what stands at `places` calls: what they compare has to go on being compared. The one that
/// `panics` does so for another call anyway.
pub(super) fn standing_in(
    subject: &Subject,
    helpers: &[Helper<'_>],
    places: Vec<(FileId, Range<usize>)>,
    panics: Option<Origin>,
) -> Vec<Stretch> {
    let helpers = named(subject, helpers, places).into_iter();
    helpers
        .filter_map(|(file, id)| assertions::stretch(subject, file, id))
        .filter(|helper| !panics.is_some_and(|at| helper.holds(at)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let kept = stretches(&subject, &["tests::t".into(), "tests::more".into()]);
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
            let places = vec![(file, ranges[0].clone())];
            let found = standing_in(&subject, &helpers, places, panics.map(origin));
            let range = |Stretch { range, .. }| range.start as usize..range.end as usize;
            found.into_iter().map(|found| &text[range(found)]).collect()
        };
        let check = "fn check(n: u8) { compare(n); f() }";
        let compare = "fn compare(n: u8) { assert_eq!(n, 1); }";
        assert_eq!(standing(None), [check, compare]);
        assert_eq!(standing(Some("assert_eq!")), [check]);
    }
}
