//! Functions that call each other without end.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::conditions;
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, Origin, Tree};

/// The calls by which functions call each other in a circle, with all that they are given, and the conditions under which they
/// are made.
pub(super) fn the_circle(
    subject: &Subject,
    ran: &Ran,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Vec<(FileId, Range<usize>)> {
    let circles = ran.entered.iter().rev().map(|body| ran.calls.circle(body));
    let circle: BTreeSet<Origin> = circles
        .into_iter()
        .find(|circle| !circle.is_empty())
        .unwrap_or_default();
    let bodies = circle.iter().filter_map(|origin| {
        let mut at = places.get(origin)?.iter().copied();
        at.find(|(file, id)| {
            let tree = subject.file(*file).tree();
            tree.is_some_and(|tree| tree.node(*id).kind == Kind::Body)
        })
    });
    let bodies: Vec<(FileId, NodeId)> = bodies.collect();
    let names: BTreeSet<&str> = bodies
        .iter()
        .filter_map(|(file, id)| {
            let version = subject.file(*file);
            let name = version.tree()?.parent(*id)?.name.clone()?;
            Some(&version.source()[name])
        })
        .collect();
    let mut found = Vec::new();
    for (file, body) in bodies {
        let version = subject.file(file);
        let Some(tree) = version.tree() else { continue };
        let named = tree
            .tokens_in(&tree.node(body).range)
            .iter()
            .map(|token| token.range());
        for name in named.filter(|name| names.contains(&version.source()[name.clone()])) {
            let Some(call) = call_around(tree, &name) else {
                continue;
            };
            let around: Vec<NodeId> = tree
                .ancestors(call)
                .take_while(|outer| *outer != body)
                .collect();
            let has_run = |id: &NodeId| ran.block(subject, file, tree.node(*id)) != Some(false);
            if around.iter().all(has_run) {
                let conditions = around.iter().flat_map(|outer| conditions(tree, *outer));
                let ranges = conditions.chain([tree.node(call).range.clone()]);
                found.extend(ranges.map(|range| (file, range)));
            }
        }
    }
    found
}

/// The call whose function is what stands at `name`.
fn call_around(tree: &Tree, name: &Range<usize>) -> Option<NodeId> {
    let calls = tree.nodes().filter(|(_, node)| {
        matches!(node.kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall))
            && node.range.start <= name.start
            && name.end <= node.range.end
    });
    calls
        .min_by_key(|(_, node)| node.range.len())
        .map(|(id, _)| id)
}
