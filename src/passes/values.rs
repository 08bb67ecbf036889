//! Where names are values, and what can stand in their place.

use std::ops::Range;

use super::query::{At, is_expr};
use crate::syntax::{ExprKind, Kind};

/// Whether what stands in it may run more than once, or later.
pub(super) fn repeats(kind: Kind) -> bool {
    use ExprKind::{Async, Closure, For, Loop, While};
    matches!(kind, Kind::Expr(Async | Closure | For | Loop | While))
}

/// Whether an expression is the same wherever it is mentioned, and does nothing: a name, a field, a literal.
pub(super) fn is_steady(at: At) -> bool {
    match at.kind() {
        Kind::Expr(ExprKind::Path | ExprKind::Lit) => true,
        Kind::Expr(ExprKind::Field) => at.child(is_expr).is_some_and(is_steady),
        _ => false,
    }
}

/// Whether an expression is one operand, whatever stands around it.
pub(super) fn is_closed(at: At) -> bool {
    use ExprKind::{Array, Call, Field, Index, Lit, Macro, MethodCall, Paren, Path, Repeat, Tuple};
    matches!(
        at.kind(),
        Kind::Expr(
            Array | Call | Field | Index | Lit | Macro | MethodCall | Paren | Path | Repeat | Tuple
        )
    )
}

/// Whether nothing around an expression could take a part of it.
pub(super) fn is_between_commas(at: At) -> bool {
    use ExprKind::{Array, Call, Macro, MethodCall, Paren, Return, Tuple};
    let Some(outer) = at.parent() else {
        return true;
    };
    let is_first = outer.child(is_expr).is_some_and(|first| first.id == at.id);
    match outer.kind() {
        Kind::Expr(Call | MethodCall) => !is_first,
        Kind::Expr(Array | Macro | Paren | Return | Tuple) => true,
        Kind::Expr(_) => false,
        // `S { }` at its beginning would be a block.
        Kind::Stmt(_) => outer.text() == at.text(),
        _ => true,
    }
}

/// Whether it does nothing, and can be said again: what is steady, or a reference to that.
pub(super) fn is_plain(at: At) -> bool {
    match at.kind() {
        Kind::Expr(ExprKind::Paren | ExprKind::Reference) => {
            at.children(is_expr).into_iter().all(is_plain)
        }
        _ => is_steady(at),
    }
}

/// What a field is called, and where that stands.
pub(super) fn label(field: At<'_>) -> Option<(&str, Range<usize>)> {
    let attributes = field.children(|kind| kind == Kind::Attribute);
    let start = attributes
        .last()
        .map_or(field.range().start, |at| at.range().end);
    let mut words = field.words(&(start..field.range().end)).into_iter();
    words.next()
}

/// Where `name` is a value in a `range` of `scope`; `None` if it may be anything else there, or be bound anew.
pub(super) fn mentions_of_values(
    scope: At,
    range: Range<usize>,
    name: &str,
) -> Option<Vec<Range<usize>>> {
    let is_use = |kind| matches!(kind, Kind::FieldValue | Kind::Expr(ExprKind::Path));
    let mut uses: Vec<At> = scope.inside(is_use);
    if is_use(scope.kind()) {
        uses.push(scope);
    }
    uses.retain(|at| at.text() == name && range.start <= at.range().start);
    let mut places: Vec<Range<usize>> = uses.iter().map(|at| at.range()).collect();
    places.sort_by_key(|range| range.start);
    places.dedup();
    let known = |place: &Range<usize>| {
        let before = scope.tree.tokens_in(&(0..place.start)).last();
        let behind_dot = before.is_some_and(|token| &scope.source[token.range()] == ".");
        let fields = scope.inside(|kind| kind == Kind::FieldValue);
        let mut labels = fields.into_iter().filter_map(label);
        places.contains(place) || behind_dot || labels.any(|(_, label)| label == *place)
    };
    let all = scope.mentions(name, &range);
    all.iter().all(known).then_some(places)
}

/// What says `value` at a `place` of `scope` where a name stands.
pub(super) fn said_at(scope: At, place: &Range<usize>, value: At) -> Option<String> {
    let fields = scope.inside(|kind| kind == Kind::FieldValue);
    if fields.iter().any(|field| field.range() == *place) {
        return Some(format!(
            "{}: {}",
            &scope.source[place.clone()],
            value.text()
        ));
    }
    let paths = scope.inside(|kind| kind == Kind::Expr(ExprKind::Path));
    let mention = paths
        .into_iter()
        .chain([scope])
        .find(|at| at.range() == *place)?;
    Some(match is_between_commas(mention) || is_closed(value) {
        true => value.text().to_string(),
        false => format!("({})", value.text()),
    })
}
