//! Where names are values, and what can stand in their place.

use std::ops::Range;

use super::query::{At, is_expr, is_fn};
use crate::syntax::{ExprKind, Kind, StmtKind};

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
    use ExprKind::{
        Array, Await, Call, Field, Index, Lit, Macro, MethodCall, Paren, Path, Repeat, Try, Tuple,
    };
    matches!(
        at.kind(),
        Kind::Expr(
            Array
                | Await
                | Call
                | Field
                | Index
                | Lit
                | Macro
                | MethodCall
                | Paren
                | Path
                | Repeat
                | Try
                | Tuple
        )
    )
}

/// Whether nothing around an expression could take a part of it.
pub(super) fn is_between_commas(at: At) -> bool {
    use ExprKind::{
        Array, Assign, Break, Call, Closure, Index, Macro, MethodCall, Paren, Return, Tuple,
    };
    let Some(outer) = at.parent() else {
        return true;
    };
    let is_first = outer.child(is_expr).is_some_and(|first| first.id == at.id);
    match outer.kind() {
        Kind::Expr(Assign | Call | Index | MethodCall) => !is_first,
        Kind::Expr(Array | Break | Macro | Paren | Return | Tuple) => true,
        // `S { x }` names the field, and what it gives stands behind a colon then.
        Kind::Expr(_) if at.kind() == Kind::FieldValue => true,
        Kind::Expr(Closure) => outer.child(|kind| kind == Kind::ReturnType).is_none(),
        Kind::Expr(_) => false,
        Kind::Init => !has_else(outer),
        // `S { }` at its beginning would be a block.
        Kind::Stmt(_) => outer.text() == at.text(),
        _ => true,
    }
}

/// Whether it is what `let` … `else` takes apart.
fn has_else(init: At) -> bool {
    let binding = init.parent();
    binding.is_some_and(|at| at.child(|kind| kind == Kind::Else).is_some())
}

/// Whether `value` can take the place of `place` without parentheses.
pub(super) fn fits(value: At, place: At) -> bool {
    use ExprKind::{Assign, Binary, Cast, For, If, Match, Reference, Struct, Unary, While};
    if begins_a_block(value) && is_in_a_head(place) {
        return false;
    }
    let outer = place.parent().map(|outer| outer.kind());
    let alone = match outer {
        Some(Kind::Expr(For | If | Match | While)) => true,
        // What is like a block ends a statement that begins with it.
        Some(Kind::Stmt(StmtKind::Expr)) => {
            let first = value.words(&value.range()).first().map(|(word, _)| *word);
            let is_one = matches!(
                value.kind(),
                Kind::Expr(Assign | Binary | Cast | Reference | Unary)
            );
            is_one && !first.is_some_and(|word| LIKE_BLOCKS.contains(&word))
        }
        _ => false,
    };
    alone || is_closed(value) || value.kind() == Kind::Expr(Struct) || is_between_commas(place)
}

/// How what is like a block begins.
const LIKE_BLOCKS: [&str; 9] = [
    "{", "async", "const", "for", "if", "loop", "match", "unsafe", "while",
];

/// Whether `S { }` stands in it where in the head of an `if` the block would begin.
fn begins_a_block(at: At) -> bool {
    use ExprKind::{
        Assign, Await, Binary, Call, Cast, Field, Index, MethodCall, Range, Reference, Struct, Try,
        Unary,
    };
    match at.kind() {
        Kind::Expr(Struct) => true,
        Kind::Expr(Await | Call | Cast | Field | Index | MethodCall | Try) => {
            at.child(is_expr).is_some_and(begins_a_block)
        }
        Kind::Expr(Assign | Binary | Range | Reference | Unary) => {
            at.children(is_expr).into_iter().any(begins_a_block)
        }
        _ => false,
    }
}

/// Whether it stands in the head of an `if`, a `match` or a loop, or in front of `else`, and in no brackets there.
fn is_in_a_head(place: At) -> bool {
    use ExprKind::{Array, Call, For, If, Index, Macro, Match, MethodCall, Paren, Tuple, While};
    let mut inner = place;
    while let Some(outer) = inner.parent() {
        let is_first = outer
            .child(is_expr)
            .is_some_and(|first| first.id == inner.id);
        match outer.kind() {
            Kind::Expr(For | If | Match | While) => return true,
            Kind::Expr(Array | Macro | Paren | Tuple) => return false,
            Kind::Expr(Call | Index | MethodCall) if !is_first => return false,
            Kind::Expr(_) => inner = outer,
            Kind::Init => return has_else(outer),
            _ => return false,
        }
    }
    false
}

/// Whether nothing but `()` can be the value of what stands there.
pub(super) fn is_for_nothing(at: At) -> bool {
    use ExprKind::{Block, For, If, Loop, Match, Paren, Unsafe, While};
    let Some(outer) = at.parent() else {
        return false;
    };
    let is_end = || outer.node.children.last() == Some(&at.id);
    match outer.kind() {
        Kind::Stmt(StmtKind::Expr) if outer.text().ends_with(';') => false,
        // Without a semicolon, only at the end there can be a value.
        Kind::Stmt(StmtKind::Expr) => outer.parent().is_some_and(|block| {
            block.node.children.last() != Some(&outer.id) || is_for_nothing(block)
        }),
        kind if is_fn(kind) => outer.child(|kind| kind == Kind::ReturnType).is_none(),
        Kind::Expr(Loop | While | For) => at.kind() == Kind::Block,
        Kind::Expr(If) if at.kind() == Kind::Block => {
            outer.child(|kind| kind == Kind::Else).is_none() || is_for_nothing(outer)
        }
        Kind::Arm => is_end() && is_for_nothing(outer),
        Kind::Expr(If) => at.kind() == Kind::Else && is_for_nothing(outer),
        Kind::Expr(Match) => at.kind() == Kind::Arm && is_for_nothing(outer),
        Kind::Else | Kind::Expr(Block | Paren | Unsafe) => is_for_nothing(outer),
        _ => false,
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

#[cfg(test)]
mod tests {
    use super::super::query::all;
    use super::*;
    use crate::subject::Subject;

    /// Whether nothing but `()` can be the value of the call `m()` in `text`.
    fn is_nothing(text: &str) -> bool {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let calls = all(&subject, |kind| kind == Kind::Expr(ExprKind::Call));
        let found = calls.into_iter().find(|at| at.text() == "m()");
        is_for_nothing(found.expect("it is called"))
    }

    #[test]
    fn parentheses_are_needed_where_something_could_be_taken_apart() {
        let values =
            "fn v() { S { a: 1 }; S { a: 1 }.b(); a + b; &c; match d { _ => e }; |x| x; g.h()?; }";
        let subject = |text: &str| Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let values = subject(values);
        let statements = all(&values, |kind| kind == Kind::Stmt(StmtKind::Expr));
        let values: Vec<At> = statements
            .iter()
            .filter_map(|at| at.child(is_expr))
            .collect();
        let fitting = |text: &str| -> Vec<&str> {
            let subject = subject(text);
            let places = all(&subject, |kind| kind == Kind::Expr(ExprKind::Call));
            let place = places.into_iter().find(|at| at.text() == "m()");
            let place = place.expect("it is there");
            let mut fitting: Vec<&str> = values.iter().map(|at| at.text()).collect();
            let mut fits = values.iter().map(|value| fits(*value, place));
            fitting.retain(|_| fits.next() == Some(true));
            fitting
        };
        let all: Vec<&str> = values.iter().map(|at| at.text()).collect();
        for text in [
            "fn f() { g(m()); }",
            "fn f() { g[m()]; }",
            "fn f() { let x = m(); }",
            "fn f() { x = m(); }",
            "fn f() { g(|x| m()); }",
            "fn f() -> u8 { return m() }",
            "fn f() { g(if true { m() } else { x }); }",
            "fn f() { match x { _ => m() } }",
            "fn f() { S { a: m() } }",
        ] {
            assert_eq!(fitting(text), all, "{text}");
        }
        let (value, called, sum, reference) = (all[0], all[1], all[2], all[3]);
        let (choice, closure, tried) = (all[4], all[5], all[6]);
        let operands = [value, called, tried];
        assert_eq!(fitting("fn f() { m() * 2; }"), operands);
        assert_eq!(fitting("fn f() { &m(); }"), operands);
        assert_eq!(fitting("fn f() { m().g(); }"), operands);
        let plain = [sum, reference, choice, closure, tried];
        assert_eq!(fitting("fn f() { if m() { } }"), plain);
        assert_eq!(fitting("fn f() { for x in m() { } }"), plain);
        assert_eq!(fitting("fn f() { if x == m().g() { } }"), [tried]);
        assert_eq!(
            fitting("fn f() { let Some(x) = m() else { return }; }"),
            [tried]
        );
        assert_eq!(fitting("fn f() { if g(m()) { } }"), all);
        assert_eq!(
            fitting("fn f() { m(); }"),
            [value, called, sum, reference, tried]
        );
    }

    #[test]
    fn what_surely_gives_nothing_is_known() {
        for text in [
            "fn f() { m() }",
            "fn f() -> u8 { loop { m() } }",
            "fn f() -> u8 { if c { m() } 1 }",
            "fn f() { if c { 1 } else { m() } }",
            "fn f() { match x { A => m(), B => { } } }",
            "fn f() -> u8 { match x { A => unsafe { m() }, } 1 }",
            "fn f() -> u8 { for x in y { if c { m() } } 1 }",
        ] {
            assert!(is_nothing(text), "{text}");
        }
        for text in [
            "fn f() -> u8 { m() }",
            "fn f() { m(); }",
            "fn f() { let x = m(); }",
            "fn f() { g(m()) }",
            "fn f() { if m() { } }",
            "fn f() { match m() { _ => {} } }",
            "fn f() { g(|| m()) }",
            "fn f() { let x = loop { break m() }; }",
            "fn f() { (match x { A => m(), B => { } }); }",
            "fn f() -> u8 { 1; if c { m() } else { 2 } }",
        ] {
            assert!(!is_nothing(text), "{text}");
        }
    }
}
