//! What was done to a place before something was computed with it: `self.items.push(1)` in front of `self.items[at]`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::known_to_run;
use crate::passes::changes::harmless_methods;
use crate::passes::query::{At, assigns, is_expr};
use crate::passes::ran::Ran;
use crate::passes::switches;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, StmtKind};

/// The statements that did something last, in the run in which `ran` ran, to what the expression `id` looks at, as far as they stand
/// in the function around it.
pub(super) fn done_to(subject: &Subject, ran: &Ran, file: FileId, id: NodeId) -> Vec<Range<usize>> {
    let Some(computed) = At::new(subject, file, id) else {
        return Vec::new();
    };
    let runs = |at: &At| known_to_run(subject, ran, file, at.tree, at.id) != Some(false);
    let harmless = harmless_methods(subject);
    let mut last: BTreeMap<Vec<&str>, Range<usize>> = BTreeMap::new();
    let around = std::iter::once(computed).chain(computed.ancestors());
    // What stands nearest in front of it comes first.
    for outer in around.take_while(|outer| outer.kind() != Kind::Body) {
        let Some(block) = outer.parent() else { break };
        let mut before = block.children(|kind| matches!(kind, Kind::Stmt(_)));
        before.retain(|other| other.range().end <= outer.range().start);
        for statement in before.into_iter().rev() {
            for place in changed_in(statement, &runs, &harmless) {
                last.entry(place).or_insert_with(|| statement.range());
            }
        }
    }
    let looked_at: Vec<Vec<&str>> = std::iter::once(computed)
        .chain(computed.inside(is_expr))
        .filter(is_place)
        .map(words)
        .collect();
    // What is done to the whole is done to its parts.
    let concerns = |place: &[&str]| {
        looked_at
            .iter()
            .any(|looked_at| looked_at.starts_with(place))
    };
    let concerned = last.into_iter().filter(|(place, _)| concerns(place));
    concerned.map(|(_, range)| range).collect()
}

/// The variables and fields to which something is done in `statement`, where that `runs`: what is assigned to, what is borrowed to be
/// changed, and what a method is called of whose value is of no use, unless it is a `harmless` one.
fn changed_in<'s>(
    statement: At<'s>,
    runs: &dyn Fn(&At) -> bool,
    harmless: &BTreeSet<&str>,
) -> Vec<Vec<&'s str>> {
    let mut found = Vec::new();
    for at in std::iter::once(statement).chain(statement.inside(|_| true)) {
        if !runs(&at) {
            continue;
        }
        let first = at.child(is_expr);
        let place = match at.kind() {
            Kind::Expr(ExprKind::Assign) => first,
            Kind::Expr(ExprKind::Binary)
                if switches::operator(at.source, at.tree, at.node).is_some_and(assigns) =>
            {
                first
            }
            Kind::Expr(ExprKind::Reference) if is_mutable(at) => first,
            Kind::Stmt(StmtKind::Expr) if at.text().ends_with(';') => first
                .filter(|call| call.kind() == Kind::Expr(ExprKind::MethodCall))
                .filter(|call| !call.name().is_some_and(|name| harmless.contains(name)))
                .and_then(|call| call.child(is_expr)),
            _ => None,
        };
        found.extend(place.and_then(whole).filter(is_place).map(words));
    }
    found
}

/// What `place` is an element of, or is come to by; else itself.
fn whole(mut place: At) -> Option<At> {
    let is_part = |kind| {
        matches!(
            kind,
            Kind::Expr(ExprKind::Index | ExprKind::Paren | ExprKind::Unary)
        )
    };
    while is_part(place.kind()) {
        place = place.child(is_expr)?;
    }
    Some(place)
}

fn is_mutable(reference: At) -> bool {
    let words = reference.words(&reference.range());
    words.get(1).is_some_and(|(word, _)| *word == "mut")
}

fn is_place(at: &At) -> bool {
    matches!(at.kind(), Kind::Expr(ExprKind::Field | ExprKind::Path))
}

fn words(at: At<'_>) -> Vec<&str> {
    at.words(&at.range())
        .into_iter()
        .map(|(word, _)| word)
        .collect()
}
