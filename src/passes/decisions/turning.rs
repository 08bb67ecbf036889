//! What a failure may turn on: if one of the conditions said the opposite, or a number was one more or computed in another way,
//! the test would pass.

use std::ops::Range;

use super::heeded::{heeding, heeding_value};
use super::{
    Place, conditions, is_of_tests, known_place, known_to_run, where_they_stood, with_what_is_given,
};
use crate::passes::assertions::Stretch;
use crate::passes::query::is_fn;
use crate::passes::ran::Ran;
use crate::passes::stub;
use crate::passes::switches::{self, Switch};
use crate::subject::Subject;
use crate::syntax::{ExprKind, Kind, NodeId, Origin, Tree};

/// Functions that compare for an assertion: whatever it compares, it passes if they say so.
const COMPARE: [&str; 4] = ["cmp", "eq", "ne", "partial_cmp"];

/// The conditions that may be evaluated in the run in which `ran` ran, but for those of tests and those that the assertion itself
/// may ask; behind them, the numbers, and then the operators.
pub fn turnable(subject: &Subject, ran: &Ran) -> Vec<Switch> {
    let mut all = switches::changeable(subject);
    all.retain(|switch| {
        let version = subject.file(switch.file);
        let (Some(tree), Some(text)) = (version.tree(), version.text()) else {
            return false;
        };
        let Some(id) = tree.innermost(&switch.range) else {
            return false;
        };
        let of_tests = text
            .origin(switch.range.start)
            .is_some_and(|origin| is_of_tests(subject, switch.file, origin));
        let compares = tree.ancestors(id).any(|outer| {
            let function = Some(tree.node(outer)).filter(|outer| is_fn(outer.kind));
            let name = function.and_then(|function| function.name.clone());
            name.is_some_and(|name| COMPARE.contains(&&version.source()[name]))
        });
        !of_tests && !compares && may_run(subject, ran, switch)
    });
    all
}

/// Whether what `switch` is about may be evaluated in the run in which `ran` ran.
pub fn may_run(subject: &Subject, ran: &Ran, switch: &Switch) -> bool {
    let tree = subject.file(switch.file).tree();
    let id = tree.and_then(|tree| Some((tree, tree.innermost(&switch.range)?)));
    id.is_some_and(|(tree, id)| {
        let id = outside_of_arm(tree, id);
        known_to_run(subject, ran, switch.file, tree, id) != Some(false)
    })
}

/// The place at which what `switch` is about is evaluated, as `ran` knows it.
pub fn place(subject: &Subject, ran: &Ran, switch: &Switch) -> Option<Origin> {
    let tree = subject.file(switch.file).tree()?;
    let id = outside_of_arm(tree, tree.innermost(&switch.range)?);
    known_place(subject, ran, switch.file, tree, id)
}

/// What is around the arm that the condition `id` decides about, or else `id` itself: the arm is entered when it holds.
fn outside_of_arm(tree: &Tree, id: NodeId) -> NodeId {
    let parent = |id: NodeId| tree.node(id).parent;
    let mut around = std::iter::once(id).chain(tree.ancestors(id));
    let guard = around.find(|id| tree.node(*id).kind == Kind::Init);
    let arm = guard.and_then(parent);
    let arm = arm.filter(|arm| tree.node(*arm).kind == Kind::Arm);
    arm.and_then(parent).unwrap_or(id)
}

/// Where that stood which `switch` is about, with what a condition belongs to and with what the functions gave that are called there,
/// of which `ran` tells.
pub fn stood(subject: &Subject, ran: &Ran, switch: &Switch) -> Vec<Stretch> {
    let file = switch.file;
    let Some(tree) = subject.file(file).tree() else {
        return Vec::new();
    };
    let branch = branch_of(tree, switch).filter(|_| switch.turns());
    let heads = branch.map(|branch| conditions(tree, branch));
    let heads = heads.filter(|heads| !heads.is_empty());
    // What is decided by the condition: the value of what it is the head of, or else its own.
    let value = match &heads {
        Some(_) => branch.and_then(|branch| tree.node(branch).parent),
        None => tree.innermost(&switch.range),
    };
    let own = || {
        grows_by(subject.file(file).source(), tree, switch).unwrap_or_else(|| switch.range.clone())
    };
    let ranges = heads.unwrap_or_else(|| vec![own()]);
    let found: Vec<Place> = ranges.into_iter().map(|range| (file, range)).collect();
    // Nobody asks of a number whether it is there.
    let condition = found.iter().take(usize::from(switch.turns()));
    let mut heeds: Vec<Place> = condition
        .flat_map(|place| heeding(subject, ran, place))
        .collect();
    if let Some(value) = value.filter(|_| switch.turns()) {
        heeds.extend(heeding_value(subject, ran, file, value));
    }
    let mut found = with_what_is_given(subject, ran, found);
    found.extend(heeds);
    where_they_stood(subject, found)
}

/// Where the branches stood that the condition of `switch` decides about and of which a stub is all that is left. Without it, it
/// would make no difference which way the condition goes.
pub fn stubs_behind(subject: &Subject, switch: &Switch) -> Vec<Stretch> {
    let version = subject.file(switch.file);
    let (source, Some(tree)) = (version.source(), version.tree()) else {
        return Vec::new();
    };
    let kind = |id: &NodeId| tree.node(*id).kind;
    let children = |id: NodeId| tree.node(id).children.iter().copied();
    let condition = tree.innermost(&switch.range).filter(|_| switch.turns());
    let outer = condition.and_then(|id| {
        let mut around = tree.ancestors(id);
        around.find(|id| matches!(kind(id), Kind::Block | Kind::Expr(ExprKind::If)))
    });
    let branches = outer.into_iter().flat_map(children).flat_map(|id| {
        let inside = (kind(&id) == Kind::Else).then(|| children(id));
        let then = (kind(&id) == Kind::Block).then_some(id);
        inside.into_iter().flatten().chain(then)
    });
    let ranges = branches.map(|id| tree.node(id).range.clone());
    let stubs = ranges.filter(|range| {
        let all = [&source[range.clone()], stub::DIVERGE];
        let [own, stub] = all.map(|text| text.trim_matches(['{', '}']).trim());
        own == stub
    });
    where_they_stood(subject, stubs.map(|range| (switch.file, range)))
}

/// What grows or shrinks by the number of `switch`, with that.
fn grows_by(source: &str, tree: &Tree, switch: &Switch) -> Option<Range<usize>> {
    let user = tree.parent(tree.innermost(&switch.range)?)?;
    let assigns = matches!(switches::operator(source, tree, user), Some("+=" | "-="));
    assigns.then(|| user.range.clone())
}

/// The branch that the condition of `switch` decides about.
fn branch_of(tree: &Tree, switch: &Switch) -> Option<NodeId> {
    let (outer, around) = tree.nodes().find(|(_, node)| {
        let mut children = node.children.iter();
        children.any(|child| {
            tree.node(*child).range == switch.range
                && matches!(tree.node(*child).kind, Kind::Expr(_))
        })
    })?;
    match around.kind {
        Kind::Init => tree.node(outer).parent,
        Kind::Expr(ExprKind::If | ExprKind::While) => {
            let mut children = around.children.iter().copied();
            children.find(|child| tree.node(*child).kind == Kind::Block)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::ran::probed;

    #[test]
    fn what_is_left_of_a_branch_that_a_condition_decides_about_is_known() {
        let stubs = |text: &str| {
            let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
            let all = turnable(&subject, &Ran::default());
            let turning = all.iter().filter(|one| one.turns());
            let stubs = turning.flat_map(|one| stubs_behind(&subject, one));
            let text = stubs.map(|stretch| {
                let range = stretch.range.start as usize..stretch.range.end as usize;
                text[range].to_string()
            });
            text.collect::<Vec<String>>()
        };
        assert_eq!(stubs("fn f() { if a { todo!() } g(); }"), ["{ todo!() }"]);
        let other = "fn f() { if a { g() } else {\n todo!()\n} }";
        assert_eq!(stubs(other), ["{\n todo!()\n}"]);
        assert!(stubs("fn f() { if a { g() } else {} todo!() }").is_empty());
    }

    #[test]
    fn a_number_stays_with_what_grows_by_it() {
        let text = "fn f() { a += 2; g(h + 1); }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let stood: Vec<Stretch> = turnable(&subject, &Ran::default())
            .iter()
            .flat_map(|switch| stood(&subject, &Ran::default(), switch))
            .collect();
        let text = stood
            .iter()
            .map(|stretch| &text[stretch.range.start as usize..stretch.range.end as usize]);
        let text: Vec<&str> = text.collect();
        // The operators come last, and they stay as they are with their operands.
        assert_eq!(
            text,
            ["a += 2", "a += 2", "h + 1", "h + 1", "a += 2", "h + 1"]
        );
    }

    #[test]
    fn a_condition_stays_with_its_head_and_with_what_it_calls_for() {
        let text = "fn f() -> bool { if g(a) { b; } match c { D if e > 1 => 1, _ => 2 } h == 3 } fn g(a: u8) -> bool { i(); a > 1 }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let probes = probed(&subject, &Default::default(), &Default::default()).probes;
        let call = [0, crate::subject::PROBE_CALL];
        let all: Vec<u32> = (0..probes.len() as u32).collect();
        let body = |text: &str| {
            let at = subject.file(crate::syntax::FileId(0)).source().find(text);
            let place = |origin: &crate::syntax::Origin| Some(origin.offset as usize) >= at;
            probes.iter().position(place).expect("a probe") as u32
        };
        let hits: Vec<u32> = all.into_iter().chain(call).chain([body("{ i()")]).collect();
        let ran = Ran::of(&probes, &hits);
        let stood: Vec<Vec<String>> = turnable(&subject, &ran)
            .iter()
            .map(|switch| {
                let stood = stood(&subject, &ran, switch).into_iter();
                let text = |stretch: Stretch| {
                    let range = stretch.range.start as usize..stretch.range.end as usize;
                    text[range].trim().to_string()
                };
                stood.map(text).collect()
            })
            .collect();
        assert_eq!(
            stood,
            [
                vec!["if g(a)", "a > 1"],
                vec!["match c {", "D if e > 1 =>"],
                vec!["h == 3"],
                vec!["a > 1", "if", "g"],
            ]
        );
    }

    #[test]
    fn what_compares_for_the_assertion_and_what_is_for_tests_does_not_turn() {
        let text = "impl PartialEq for S { fn eq(&self, o: &S) -> bool { self.a == o.a } } #[cfg(test)] mod tests { fn f() { if a { b } } }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let ran = Ran::of(&[], &[]);
        assert!(turnable(&subject, &ran).is_empty());
    }
}
