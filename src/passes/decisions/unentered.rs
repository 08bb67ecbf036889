//! Branches that nothing enters, whatever runs: in front of each something decides so, and where values are compared that turn out
//! wrong, that may be what is wrong.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::{conditions, is_of_tests, known_place, places, where_they_stood, with_what_is_given};
use crate::passes::assertions::Stretch;
use crate::passes::ran::Ran;
use crate::passes::stub;
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, NodeId, Origin, Tree};

/// Macros of which a branch is that is not entered as long as all is well.
const NEVER: [&str; 4] = ["panic", "todo", "unimplemented", "unreachable"];

/// The branches that the run in which `ran` ran comes to, and that neither it nor one of the `others` enters: what it comes to last
/// first, and of those what fewest of the others come to. Of each, where it stood.
pub fn unentered(subject: &Subject, ran: &Ran, others: &[HashSet<Origin>]) -> Vec<Origin> {
    let entered = |origin: &Origin| others.iter().any(|other| other.contains(origin));
    let last: HashMap<Origin, usize> = ran.last.iter().copied().zip(0..).collect();
    let mut found: Vec<(Reverse<Option<usize>>, usize, Origin)> = Vec::new();
    for (origin, at) in places(subject) {
        let Some((file, id)) = branch(subject, &at) else {
            continue;
        };
        let version = subject.file(file);
        let Some(tree) = version.tree() else { continue };
        let node = tree.node(id);
        let never = ran.block(subject, file, node) == Some(false) && !entered(&origin);
        if !never || is_of_tests(subject, file, origin) || says_so(tree, version.source(), id) {
            continue;
        }
        let outer = node
            .parent
            .and_then(|outer| known_place(subject, ran, file, tree, outer));
        let Some(around) = outer else { continue };
        let came = others.iter().filter(|other| other.contains(&around));
        let late = Reverse(last.get(&around).copied());
        found.push((late, came.count(), origin));
    }
    found.sort_unstable();
    found.into_iter().map(|(.., origin)| origin).collect()
}

/// Those of `stretches` that stand in functions of which the run in which `ran` ran comes to none: what decides there decides nothing
/// any more.
pub fn idle(subject: &Subject, ran: &Ran, stretches: &[Stretch]) -> Vec<Stretch> {
    let mut idle = Vec::new();
    for (file, version, tree) in subject.sources() {
        let Some(text) = version.text() else { continue };
        for (_, body) in tree.nodes().filter(|(_, node)| node.kind == Kind::Body) {
            if ran.block(subject, file, body) == Some(false) {
                idle.extend(text.originals(body.range.clone()));
            }
        }
    }
    let is_idle = |stretch: &&Stretch| {
        let mut idle = idle.iter();
        idle.any(|(origin, length)| stretch.meets(*origin, *length))
    };
    stretches.iter().filter(is_idle).cloned().collect()
}

/// What has the branch that stood at `origin` end in a stub, so that it has to go on not being entered; and where that stood, and
/// what decides so, of which `ran` tells what the functions gave that it calls.
pub fn closed(subject: &Subject, ran: &Ran, origin: Origin) -> Option<(Element, Vec<Stretch>)> {
    let (file, id) = branch(subject, places(subject).get(&origin)?)?;
    let tree = subject.file(file).tree()?;
    let edit = match tree.node(id).kind {
        Kind::Arm => {
            let body = &tree.node(*tree.node(id).children.last()?).range;
            // Behind a block there need not be a comma.
            let is_block = subject.file(file).source()[body.clone()].starts_with('{');
            let text = if is_block { stub::DIVERGE } else { "todo!()" };
            Edit::replace(file, body.clone(), text)
        }
        _ => stub::inside(file, tree, id, stub::DIVERGE),
    };
    let heads = conditions(tree, id).into_iter().map(|range| (file, range));
    let mut found = with_what_is_given(subject, ran, heads.collect());
    found.push((file, tree.node(id).range.clone()));
    let stood = where_they_stood(subject, found);
    Some((Element::new(subject, Kind::Block, vec![edit]), stood))
}

/// The branch among what stands `at` one place.
fn branch(subject: &Subject, at: &[(FileId, NodeId)]) -> Option<(FileId, NodeId)> {
    let mut at = at.iter().copied();
    at.find(|(file, id)| {
        let tree = subject.file(*file).tree();
        tree.is_some_and(|tree| !conditions(tree, *id).is_empty())
    })
}

/// Whether what the branch does says that it should not be entered.
fn says_so(tree: &Tree, source: &str, id: NodeId) -> bool {
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        let node = tree.node(next);
        if matches!(node.kind, Kind::Expr(ExprKind::Macro) | Kind::Stmt(_)) {
            let name = tree.macro_called(source, &node.range);
            if name.is_some_and(|name| NEVER.contains(&name)) {
                return true;
            }
        }
        open.extend(&node.children);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::ran::probed;
    use crate::subject::PROBE_CALL;

    /// The branches of `text` that nothing enters, as they stand there, where the failing run hits `failed` and others hit `others`.
    fn found(text: &str, failed: &[u32], others: &[&[u32]]) -> Vec<String> {
        let (subject, probes) = subject(text);
        let others: Vec<HashSet<Origin>> = others
            .iter()
            .map(|hits| hits.iter().map(|hit| probes[*hit as usize]).collect())
            .collect();
        let found = unentered(&subject, &Ran::of(&probes, failed), &others);
        let places = found.iter().map(|origin| origin.offset as usize);
        let branch = |at: usize| text[at..].split_inclusive('}').next().unwrap_or_default();
        places.map(|at| branch(at).to_string()).collect()
    }

    fn subject(text: &str) -> (Subject, Vec<Origin>) {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let probes = probed(&subject, &Default::default(), &Default::default()).probes;
        (subject, probes)
    }

    #[test]
    fn what_is_come_to_last_and_entered_by_nothing_is_first() {
        let text = "fn f() { if a { b } while c { d } if e { panic!() } } fn g() { if h { i } } fn k() { if l { m } }";
        let numbers = subject(text).1.len() as u32;
        // f, its first block, what stands behind it, the loop's, behind that, the last; g, its block; k, its block.
        assert_eq!(numbers, 10);
        assert_eq!(
            found(text, &[0, 2, 4, 6], &[&[0]]),
            ["{ i }", "{ d }", "{ b }"]
        );
        assert_eq!(found(text, &[0, 2, 4, 6], &[&[0, 3], &[7]]), ["{ b }"]);
        assert_eq!(found(text, &[6, 0, 2, 4], &[&[0]])[2..], ["{ i }"]);
    }

    #[test]
    fn tests_are_not_what_is_wrong() {
        let text = "#[cfg(test)] mod tests { #[test] fn t() { if a { b } } }";
        assert_eq!(found(text, &[0], &[&[]]), [""; 0]);
    }

    #[test]
    fn what_is_not_entered_ends_in_a_stub_and_what_decides_so_stays() {
        let closed = |text: &str, at: &str, hits: &[u32]| {
            let (subject, probes) = subject(text);
            let origin = Origin {
                file: FileId(0),
                offset: text.find(at).expect("a place") as u32,
            };
            let ran = Ran::of(&probes, hits);
            let (element, stood) = closed(&subject, &ran, origin).expect("a branch");
            let after = subject.without([&element]);
            let stood = stood.iter().map(|Stretch { range, .. }| {
                text[range.start as usize..range.end as usize]
                    .trim()
                    .to_string()
            });
            let stood: Vec<String> = stood.collect();
            (after.file(FileId(0)).source().to_string(), stood)
        };
        let text = "fn f() { if g(a) { b; } } fn g(a: u8) -> bool { h(); a > 1 }";
        // f; g, what stands behind `h()`.
        let hits = [0, PROBE_CALL, 2, 2, 3];
        let (after, stood) = closed(text, "{ b", &hits);
        assert_eq!(
            after,
            "fn f() { if g(a) { todo!() } } fn g(a: u8) -> bool { h(); a > 1 }"
        );
        assert_eq!(stood, ["if g(a)", "a > 1", "{ b; }"]);
        let text = "fn f() { match a { B if c => d, _ => e } }";
        let (after, stood) = closed(text, "B if", &[0, 2]);
        assert_eq!(after, "fn f() { match a { B if c => todo!(), _ => e } }");
        assert_eq!(stood, ["match a {", "B if c =>", "B if c => d,"]);
        let text = text.replace("d,", "{ d; }");
        let (after, _) = closed(&text, "B if", &[0, 2]);
        assert_eq!(after, "fn f() { match a { B if c => { todo!() } _ => e } }");
    }

    #[test]
    fn what_stands_in_functions_that_do_not_run_is_idle() {
        let text = "fn f() { if a { b } } fn g() { if c { d } }";
        let (subject, probes) = subject(text);
        let stretch = |part: &str| {
            let start = text.find(part).expect("it is there") as u32;
            Stretch {
                file: FileId(0),
                range: start..start + part.len() as u32,
            }
        };
        let both = [stretch("if a"), stretch("if c")];
        let idle_where = |hits: &[u32]| idle(&subject, &Ran::of(&probes, hits), &both);
        // f, its branch; g, its branch.
        assert_eq!(probes.len(), 4);
        assert_eq!(idle_where(&[0]), both[1..]);
        assert_eq!(idle_where(&[0, 2]), [], "what is not entered need not run");
        assert_eq!(
            idle(&subject, &Ran::default(), &both),
            [],
            "that is not known"
        );
    }
}
