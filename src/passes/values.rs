//! Where names are values, and what can stand in their place.

use std::ops::Range;

use super::query::{At, is_expr};
use crate::syntax::{ExprKind, Kind};

/// Whether an operator, or a dot, may stand beside it.
pub(super) fn binds(at: At) -> bool {
    use ExprKind::{Array, Call, Macro, Return, Struct, Tuple};
    let outer = at.parent();
    let first = outer.and_then(|outer| outer.child(is_expr));
    let outer = outer.map(At::kind);
    match outer {
        Some(Kind::Expr(Call)) => first.is_some_and(|first| first.id == at.id),
        Some(Kind::Expr(Array | Macro | Return | Struct | Tuple)) => false,
        Some(Kind::Expr(_)) => true,
        // A statement must not begin with everything.
        Some(Kind::Stmt(_)) => false,
        _ => false,
    }
}

/// Whether an expression can stand in any place as it is.
pub(super) fn is_closed(value: At) -> bool {
    use ExprKind::{Array, Call, Field, Index, Lit, Macro, MethodCall, Paren, Path, Tuple};
    matches!(
        value.kind(),
        Kind::Expr(Array | Call | Field | Index | Lit | Macro | MethodCall | Paren | Path | Tuple)
    )
}

/// Whether it does nothing, and gives what it did a moment ago.
pub(super) fn is_plain(at: At) -> bool {
    match at.kind() {
        Kind::Expr(ExprKind::Path | ExprKind::Lit) => true,
        Kind::Expr(ExprKind::Field | ExprKind::Paren | ExprKind::Reference) => {
            at.children(is_expr).into_iter().all(is_plain)
        }
        _ => false,
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
    let id = scope.tree.innermost(place)?;
    let outer = scope.tree.parent(id)?;
    use ExprKind::{Array, Call, Macro, Return, Struct, Tuple};
    let is_apart = match outer.kind {
        Kind::Expr(Array | Macro | Return | Struct | Tuple) => true,
        Kind::Expr(Call) => outer.children.first() != Some(&id),
        Kind::Expr(_) => false,
        _ => true,
    };
    Some(match is_apart || is_closed(value) {
        true => value.text().to_string(),
        false => format!("({})", value.text()),
    })
}
