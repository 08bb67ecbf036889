//! Numbers that are one more or one less.

use std::ops::Range;

use super::{Off, Switch, nodes, ran};
use crate::subject::{Element, Subject};
use crate::syntax::{ExprKind, Kind, Node, NodeId, Tree};

/// What makes a number of two.
const COMPUTE: [&str; 10] = ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"];

/// Two switches for every number that is computed at run time, or that a range ends at: one makes it larger by one, the other one
/// smaller. Of a sum, that is the same for each of its parts.
pub fn numbers(subject: &Subject) -> Vec<Switch> {
    let mut found = Vec::new();
    for (file, tree, id, _) in nodes(subject, |_, _, node| matches!(node.kind, Kind::Expr(_))) {
        let source = subject.file(file).source();
        if is_number(source, tree, id) && ran::at_run_time(source, tree, id) {
            let node = tree.node(id);
            found.extend(["more", "less"].map(|change| Switch {
                element: Element::cut(subject, node.kind, file, node.range.clone()),
                file,
                range: node.range.clone(),
                off: Off::Through(change),
            }));
        }
    }
    found
}

/// Whether `id` is computed from other numbers or the end of a range, and no part of a sum.
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
        }
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
}
