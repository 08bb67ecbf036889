//! What the values that decided were made of, one function further: a function that a computation calls gives what it
//! computes, not a constant; a variant that a pattern asks for is made for a reason.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::{LARGE, Place, body_around, conditions, known_to_run};
use crate::passes::assertions::makes_one_of;
use crate::passes::ends::{ends_of, returns};
use crate::passes::lets;
use crate::passes::ran::Ran;
use crate::passes::together::path_end;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, ItemKind, Kind, NodeId, Origin, PatKind, Tree};

/// The statements that make the variables in the expression `id`; with one that changes, those that mention it.
pub(super) fn made_of(tree: &Tree, source: &str, id: NodeId) -> Vec<Range<usize>> {
    let names: BTreeSet<&str> = tree.identifiers(source, &tree.node(id).range).collect();
    let mut found = Vec::new();
    for outer in std::iter::once(id).chain(tree.ancestors(id)) {
        let Some(around) = tree.parent(outer) else {
            break;
        };
        let inner = tree.node(outer).range.start;
        let siblings = around.children.iter().map(|child| tree.node(*child));
        let before: Vec<_> = siblings
            .take_while(|node| node.range.end <= inner)
            .filter(|node| matches!(node.kind, Kind::Stmt(_)))
            .collect();
        let is_let = |at: &usize| makes_one_of(tree, source, before[*at], &names);
        for at in (0..before.len()).filter(is_let) {
            found.push(before[at].range.clone());
            if !lets::may_change(tree, source, before[at]) {
                continue;
            }
            let made = lets::variables(tree, source, before[at]);
            let made: BTreeSet<&str> = made.intersection(&names).copied().collect();
            let changes = before[at + 1..].iter().filter(|node| {
                let mut words = tree.identifiers(source, &node.range);
                words.any(|word| made.contains(word))
            });
            found.extend(changes.map(|node| node.range.clone()));
        }
    }
    found
}

/// What the functions that `range` calls give back, as far as they ran: what stands at their ends, and what it is made of.
pub(super) fn given_to(subject: &Subject, ran: &Ran, (file, range): &Place) -> Vec<Place> {
    let version = subject.file(*file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let caller = tree
        .innermost(range)
        .and_then(|id| body_around(subject, *file, id));
    let Some(caller) = caller else {
        return Vec::new();
    };
    let called = ran.calls.called_by(caller);
    let names: BTreeSet<&str> = tree.identifiers(version.source(), range).collect();
    let mut bodies: Vec<(FileId, NodeId, &str, Option<Origin>)> = Vec::new();
    for (file, version, tree) in subject.sources() {
        for (id, _) in tree.nodes().filter(|(_, node)| node.kind == Kind::Body) {
            let name = tree.parent(id).and_then(|outer| outer.name.clone());
            let name = name.map(|name| &version.source()[name]);
            let at = body_around(subject, file, id);
            if let Some(name) = name.filter(|name| names.contains(name)) {
                bodies.push((file, id, name, at));
            }
        }
    }
    let given = bodies.iter().filter(|(_, _, name, at)| {
        let is_called = at.is_some_and(|at| called.contains(&at));
        // What may be evaluated at compile time has no probe.
        let is_known = at.is_some_and(|at| ran.knows(at));
        let alone = || {
            bodies
                .iter()
                .filter(|(_, _, other, _)| other == name)
                .count()
                == 1
        };
        is_called || !is_known && alone()
    });
    given
        .flat_map(|(file, id, ..)| {
            let given = given_by(subject, ran, *file, *id).into_iter();
            given.map(|range| (*file, range))
        })
        .collect()
}

/// What the constants are that `place` names: of several, those that stand nearest to it.
pub(super) fn constants_in(subject: &Subject, (file, range): &Place) -> Vec<Place> {
    let version = subject.file(*file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let around = tree.innermost(range).into_iter();
    let around: Vec<NodeId> = around.flat_map(|id| tree.ancestors(id)).collect();
    let names: BTreeSet<&str> = tree.identifiers(version.source(), range).collect();
    let mut nearest: BTreeMap<&str, (usize, Vec<Place>)> = BTreeMap::new();
    for (own, version, tree) in subject.sources() {
        for (id, node) in tree.nodes().filter(|(_, node)| is_constant(node.kind)) {
            let name = node.name.clone().map(|name| &version.source()[name]);
            let Some(name) = name.and_then(|name| names.get(name)) else {
                continue;
            };
            let mut children = node.children.iter().map(|child| tree.node(*child));
            let Some(value) = children.rfind(|child| matches!(child.kind, Kind::Expr(_))) else {
                continue;
            };
            let beside = around
                .iter()
                .position(|outer| tree.node(id).parent == Some(*outer));
            let distance = match own == *file {
                true => beside.unwrap_or(around.len()),
                false => around.len() + 1,
            };
            let (least, values) = nearest.entry(name).or_insert((distance, Vec::new()));
            if distance < *least {
                (*least, *values) = (distance, Vec::new());
            }
            if distance == *least && tree.weight(&value.range) <= LARGE {
                values.push((own, value.range.clone()));
            }
        }
    }
    nearest
        .into_values()
        .flat_map(|(_, values)| values)
        .collect()
}

fn is_constant(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Item(ItemKind::Const | ItemKind::Static) | Kind::Member(ItemKind::Const)
    )
}

/// What the function with the body `id` gives back, and what made that.
fn given_by(subject: &Subject, ran: &Ran, file: FileId, id: NodeId) -> Vec<Range<usize>> {
    let version = subject.file(file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let source = version.source();
    let has_run = |end: &NodeId| known_to_run(subject, ran, file, tree, *end) != Some(false);
    let mut early = Vec::new();
    returns(tree, id, &mut early);
    early.retain(has_run);
    let reasons = early.iter().filter_map(|end| {
        let outer = tree.ancestors(*end).take_while(|outer| *outer != id);
        let mut branches = outer.map(|outer| (outer, conditions(tree, outer)));
        let (branch, reason) = branches.find(|(_, conditions)| !conditions.is_empty())?;
        let origin = version.text()?.origin(tree.node(branch).range.start);
        let entered = ran.last.iter().rposition(|at| Some(*at) == origin)?;
        Some((entered, reason))
    });
    // Of several, the last one is what it came to.
    let reason = reasons.max_by_key(|(entered, _)| *entered);
    let reason = reason.map(|(_, reason)| reason).unwrap_or_default();
    let mut ends = Vec::new();
    ends_of(tree, source, id, &mut ends);
    ends.retain(has_run);
    ends.extend(early);
    let given = ends.into_iter().flat_map(|end| {
        let range = &tree.node(end).range;
        let mut all = match tree.weight(range) {
            0..=LARGE => made_of(tree, source, end),
            _ => Vec::new(),
        };
        all.retain(|range| tree.weight(range) <= LARGE);
        all.push(short(tree, range));
        all
    });
    reason.into_iter().chain(given).collect()
}

/// `range`, or where it begins if that is much: what is put in its place does not begin so.
fn short(tree: &Tree, range: &Range<usize>) -> Range<usize> {
    match tree.tokens_in(range) {
        [first, ..] if tree.weight(range) > LARGE => first.range(),
        _ => range.clone(),
    }
}

/// What decided that the variants are made which the patterns in `range` ask for.
pub(super) fn asked_for_in(subject: &Subject, ran: &Ran, (file, range): &Place) -> Vec<Place> {
    let version = subject.file(*file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let asked: BTreeSet<&str> = tree
        .nodes()
        .filter(|(_, node)| range.start <= node.range.start && node.range.end <= range.end)
        .filter_map(|(_, node)| match node.kind {
            Kind::Pat(PatKind::Path | PatKind::Struct | PatKind::TupleStruct | PatKind::Ident) => {
                path_end(subject, *file, tree, node)
            }
            _ => None,
        })
        .collect();
    if asked.is_empty() {
        return Vec::new();
    }
    let mut variants: BTreeSet<&str> = BTreeSet::new();
    for (_, version, tree) in subject.sources() {
        let own = tree.nodes().filter(|(_, node)| node.kind == Kind::Variant);
        let names = own.filter_map(|(_, node)| Some(&version.source()[node.name.clone()?]));
        variants.extend(names.filter(|name| asked.contains(name)));
    }
    let mut found = Vec::new();
    for (file, _, tree) in subject.sources() {
        for (id, node) in tree.nodes() {
            let makes = matches!(node.kind, Kind::Expr(ExprKind::Path | ExprKind::Struct))
                && path_end(subject, file, tree, tree.node(id))
                    .is_some_and(|name| variants.contains(name));
            if !makes || known_to_run(subject, ran, file, tree, id) != Some(true) {
                continue;
            }
            let mut around = tree.ancestors(id).map(|outer| conditions(tree, outer));
            let reason = around.find(|conditions| !conditions.is_empty());
            let all = reason.into_iter().flatten().chain([node.range.clone()]);
            found.extend(all.map(|range| (file, range)));
        }
    }
    found
}
