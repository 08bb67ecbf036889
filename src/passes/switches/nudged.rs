//! Numbers that are one more or one less.

use std::ops::Range;

use super::{Off, Switch, nodes, ran};
use crate::subject::{Element, Subject};
use crate::syntax::{ExprKind, Kind, Node, NodeId, Tree};

/// What happens to them.
pub(super) const CHANGES: [&str; 2] = ["more", "less"];

/// What makes a number of two.
const COMPUTE: [&str; 10] = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"];

/// Two switches for every number that is computed at run time, that a range ends at, or that is given to somebody: one makes it
/// larger by one, the other one smaller. Of a sum, that is the same for each of its parts.
pub fn numbers(subject: &Subject) -> Vec<Switch> {
    let mut found = Vec::new();
    for (file, tree, id, _) in nodes(subject, |_, _, node| matches!(node.kind, Kind::Expr(_))) {
        let source = subject.file(file).source();
        if is_number(source, tree, id) && ran::at_run_time(source, tree, id) {
            let node = tree.node(id);
            found.extend(CHANGES.map(|change| Switch {
                element: Element::cut(subject, node.kind, file, node.range.clone()),
                file,
                range: node.range.clone(),
                off: Off::Through(change),
            }));
        }
    }
    found
}

/// Whether `id` is computed from other numbers, the end of a range, or a number that somebody is given, and no part of a sum.
fn is_number(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let outside = |outer: &NodeId| tree.node(*outer).kind != Kind::Expr(ExprKind::Paren);
    let Some(user) = tree.ancestors(id).find(outside) else {
        return false;
    };
    let user = tree.node(user);
    let used = operator(source, tree, user);
    let is_last = user.children.last() == Some(&id);
    match used {
        Some("+" | "-") => false,
        // What a number grows by, or shrinks.
        Some("+=" | "-=") if is_last => true,
        _ => {
            operator(source, tree, node).is_some_and(|own| COMPUTE.contains(&own))
                || user.kind == Kind::Expr(ExprKind::Range)
                    && node.kind != Kind::Expr(ExprKind::Paren)
                || is_integer(source, node) && is_given(user, id)
        }
    }
}

fn is_integer(source: &str, node: &Node) -> bool {
    let text = &source[node.range.clone()];
    node.kind == Kind::Expr(ExprKind::Lit) && syn::parse_str::<syn::LitInt>(text).is_ok()
}

/// Whether `user` takes `id` for itself: a function, a variable, a field, who wants an element.
fn is_given(user: &Node, id: NodeId) -> bool {
    let is_first = user.children.first() == Some(&id);
    match user.kind {
        Kind::Expr(ExprKind::Assign | ExprKind::Call | ExprKind::Index | ExprKind::MethodCall) => {
            !is_first
        }
        Kind::Expr(ExprKind::Return) | Kind::FieldValue | Kind::Init => true,
        _ => false,
    }
}

/// What stands between the two operands of `node`.
pub fn operator<'s>(source: &'s str, tree: &Tree, node: &Node) -> Option<&'s str> {
    let ([left, right], Kind::Expr(ExprKind::Binary)) = (&node.children[..], node.kind) else {
        return None;
    };
    let between: Range<usize> = tree.node(*left).range.end..tree.node(*right).range.start;
    Some(source[between].trim())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::*;

    fn nudged(text: &str) -> String {
        let subject = subject(text);
        shown(&subject, &numbers(&subject))
    }

    #[test]
    fn sums_are_changed_as_a_whole() {
        assert_eq!(
            nudged("fn f() -> u8 { g(a + 1 - b, c * (d - 2), e == h) }"),
            "fn f() -> u8 { . g(0+(1-(a + 1 - b)), 2+(3-(c * (4+(5-(d - 2))))), e == h) }"
        );
    }

    #[test]
    fn what_is_added_and_where_a_range_ends_are_numbers() {
        assert_eq!(
            nudged("fn f() { a += 2; for b in 1..c { d[e..]; } match g { 1..=2 => {} } }"),
            "fn f() { . a += 0+(1-(2)); for b in 2+(3-(1))..4+(5-(c)) { . d[6+(7-(e))..]; } match g { 1..=2 => {} } }"
        );
        assert_eq!(nudged("const fn f() { a + 1 }"), "const fn f() { a + 1 }");
    }

    #[test]
    fn what_somebody_is_given_is_a_number() {
        assert_eq!(
            nudged("fn f() -> u8 { let a = 0; g(1, \"b\", 2.0); c[3].d(4, [5; 6]); H { i: 7 } }"),
            "fn f() -> u8 { . let a = 0+(1-(0)); g(2+(3-(1)), \"b\", 2.0); c[4+(5-(3))].d(6+(7-(4)), [5; 6]); H { i: 8+(9-(7)) } }"
        );
    }
}
