//! The branch that was entered last before a program failed.

use std::collections::{BTreeSet, HashMap};

use super::{body_around, conditions};
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, Origin};

/// Functions that run once the failure is there: on its way to the test, or to have it printed.
const AFTERWARDS: [&str; 5] = ["drop", "fmt", "from", "into", "source"];

/// The branch that was entered last, by this `order`, if nothing was entered behind it that could have failed as well: but what it
/// calls itself is a part of it.
pub(super) fn last_branch(
    subject: &Subject,
    ran: &Ran,
    order: &[Origin],
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Option<(FileId, NodeId)> {
    let order = before_the_end(subject, ran, order, places);
    // The functions that have not been left, or were entered behind all that was looked at, as long as it is not known where they
    // are called.
    let mut called: Vec<&str> = Vec::new();
    for origin in order.iter().rev() {
        let at = places.get(origin)?;
        let (file, first) = *at.first()?;
        let (tree, source) = (subject.file(file).tree()?, subject.file(file).source());
        let is_branch = |id: &NodeId| !conditions(tree, *id).is_empty();
        let branch = at.iter().map(|(_, id)| *id).find(is_branch);
        let outer = tree.ancestors(first);
        let blocks = std::iter::once(first).chain(outer).filter(|id| {
            let kind = tree.node(*id).kind;
            kind == Kind::Body || is_branch(id)
        });
        let around = branch.or(blocks.into_iter().next())?;
        let behind = tree.node(first).range.start..tree.node(around).range.end;
        let is_last = called.is_empty();
        called.retain(|name| tree.identifiers(source, &behind).all(|word| word != *name));
        if tree.node(around).kind != Kind::Body {
            return called.is_empty().then_some((file, around));
        }
        if around != first && is_last {
            // It went on behind what it had entered.
            return None;
        }
        called.push(&source[tree.parent(around)?.name.clone()?]);
    }
    None
}

/// Those of this `order` that were entered before the failure was there.
fn before_the_end(
    subject: &Subject,
    ran: &Ran,
    order: &[Origin],
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Vec<Origin> {
    let afterwards = afterwards(subject, ran, places);
    let mut before = Vec::new();
    let mut calls_a_field = false;
    for origin in order {
        let at = places.get(origin).map_or(&[][..], Vec::as_slice);
        let is_in = |wanted: &dyn Fn(FileId, NodeId) -> bool| {
            at.iter().any(|(file, id)| wanted(*file, *id))
        };
        let is_afterwards = is_in(&|file, id| {
            body_around(subject, file, id).is_some_and(|body| afterwards.contains(&body))
        });
        // Who called a closure is not known: directly behind what calls one that it holds, it was that.
        let is_called = calls_a_field && is_in(&|file, id| is_in_closure(subject, file, id));
        calls_a_field =
            is_called || is_afterwards && is_in(&|file, id| calls_its_field(subject, file, id));
        if !is_afterwards && !is_called {
            before.push(*origin);
        }
    }
    before
}

/// Whether the function around `id` calls what stands in parentheses, as a function in a field must: `(self.f)()`.
fn calls_its_field(subject: &Subject, file: FileId, id: NodeId) -> bool {
    let Some(tree) = subject.file(file).tree() else {
        return false;
    };
    let kind = |id: NodeId| tree.node(id).kind;
    let mut around = std::iter::once(id).chain(tree.ancestors(id));
    let Some(body) = around.find(|id| kind(*id) == Kind::Body) else {
        return false;
    };
    tree.nodes().any(|(id, node)| {
        let called = node.children.first().copied();
        node.kind == Kind::Expr(ExprKind::Call)
            && called.is_some_and(|called| kind(called) == Kind::Expr(ExprKind::Paren))
            && tree.ancestors(id).any(|outer| outer == body)
    })
}

/// Whether `id` is in a closure.
fn is_in_closure(subject: &Subject, file: FileId, id: NodeId) -> bool {
    subject.file(file).tree().is_some_and(|tree| {
        tree.ancestors(id)
            .map(|outer| tree.node(outer).kind)
            .take_while(|kind| *kind != Kind::Body)
            .any(|kind| kind == Kind::Expr(ExprKind::Closure))
    })
}

/// The bodies of functions that run once the failure is there, and of those that run for their sake alone.
pub(super) fn afterwards(
    subject: &Subject,
    ran: &Ran,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> BTreeSet<Origin> {
    let named = places.iter().filter(|(_, at)| {
        at.iter().any(|(file, id)| {
            let version = subject.file(*file);
            let Some(tree) = version
                .tree()
                .filter(|tree| tree.node(*id).kind == Kind::Body)
            else {
                return false;
            };
            let name = tree.parent(*id).and_then(|outer| outer.name.clone());
            name.is_some_and(|name| AFTERWARDS.contains(&&version.source()[name]))
        })
    });
    ran.calls
        .only_below(named.map(|(origin, _)| *origin).collect())
}
