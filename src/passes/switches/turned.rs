//! Conditions that say the opposite, as a whole or in one of their parts.

use std::ops::Range;

use super::{Off, Switch, binds, nodes, operator, ran};
use crate::subject::{Element, Subject};
use crate::syntax::{ExprKind, FileId, Kind, Node, Tree};

/// What they go through.
pub(super) const TURNED: &str = "turned";

/// What compares values or conditions.
const COMPARE: [&str; 8] = ["==", "!=", "<", "<=", ">", ">=", "&&", "||"];

/// A switch for every condition that is evaluated at run time: of an `if`, a `while` or an arm, and what compares values elsewhere.
pub fn conditions(subject: &Subject) -> Vec<Switch> {
    let all = wholes(subject).into_iter();
    all.map(|(file, _, condition)| through(subject, file, condition))
        .collect()
}

/// A switch for each part of these conditions that others are joined to by `&&` or `||`. One part that is wrong may make the whole
/// wrong here and right there.
pub fn parts(subject: &Subject) -> Vec<Switch> {
    let mut found = Vec::new();
    for (file, tree, condition) in wholes(subject) {
        let source = subject.file(file).source();
        let mut open = vec![condition];
        while let Some(node) = open.pop() {
            match operator(source, tree, node) {
                Some("&&" | "||") => {
                    let operands = node.children.iter().rev();
                    open.extend(operands.map(|child| tree.node(*child)));
                }
                _ if node.kind == Kind::Expr(ExprKind::Paren) => {
                    open.extend(node.children.iter().map(|child| tree.node(*child)));
                }
                _ if std::ptr::eq(node, condition) => {}
                _ => found.push(through(subject, file, node)),
            }
        }
    }
    found
}

/// The conditions that are no part of another.
fn wholes(subject: &Subject) -> Vec<(FileId, &Tree, &Node)> {
    let mut found: Vec<(FileId, &Tree, &Node)> = Vec::new();
    for (file, tree, id, node) in nodes(subject, |_, _, _| true) {
        let source = subject.file(file).source();
        let Some(condition) = condition(source, tree, node) else {
            continue;
        };
        let holds = |outer: FileId, range: &Range<usize>| {
            outer == file
                && range.start <= condition.range.start
                && condition.range.end <= range.end
        };
        // What is a part of a condition turns with it.
        let is_part = found
            .last()
            .is_some_and(|(file, _, last)| holds(*file, &last.range));
        if !is_part && !binds(tree, condition) && ran::at_run_time(source, tree, id) {
            found.push((file, tree, condition));
        }
    }
    found
}

fn through(subject: &Subject, file: FileId, condition: &Node) -> Switch {
    Switch {
        element: Element::cut(subject, condition.kind, file, condition.range.clone()),
        file,
        range: condition.range.clone(),
        off: Off::Through(TURNED),
    }
}

/// The condition that `node` has, or is.
fn condition<'t>(source: &str, tree: &'t Tree, node: &'t Node) -> Option<&'t Node> {
    let child = |node: &'t Node, wanted: fn(Kind) -> bool| {
        let mut children = node.children.iter().map(|child| tree.node(*child));
        children.find(|child| wanted(child.kind))
    };
    let is_expr = |kind| matches!(kind, Kind::Expr(_));
    match node.kind {
        Kind::Expr(ExprKind::If | ExprKind::While) => child(node, is_expr),
        Kind::Arm => child(child(node, |kind| kind == Kind::Init)?, is_expr),
        Kind::Expr(ExprKind::Binary) => compares(source, tree, node).then_some(node),
        _ => None,
    }
}

fn compares(source: &str, tree: &Tree, node: &Node) -> bool {
    operator(source, tree, node).is_some_and(|own| COMPARE.contains(&own))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::*;

    fn turned(text: &str) -> String {
        let subject = subject(text);
        shown(&subject, &conditions(&subject))
    }

    #[test]
    fn a_condition_turns_as_a_whole() {
        assert_eq!(
            turned("fn f() -> bool { if a == b && c { d } while e() { g } h < i }"),
            "fn f() -> bool { . if 0!(a == b && c) { d } while 1!(e()) { . g } 2!(h < i) }"
        );
        assert_eq!(
            turned("fn f() { match a { B if c => d == e, _ => g.map(|h| h > 1) } }"),
            "fn f() { . match a { B if 0!(c) => 1!(d == e), _ => g.map(|h| 2!(h > 1)) } }"
        );
    }

    #[test]
    fn parts_turn_alone() {
        let subject = subject(
            "fn f() { if a == b && (c || !d) { e } while g() { h } match i { j if k < l => {} } }",
        );
        assert_eq!(
            shown(&subject, &parts(&subject)),
            "fn f() { . if 0!(a == b) && (1!(c) || 2!(!d)) { e } while g() { . h } match i { j if k < l => {} } }"
        );
    }

    #[test]
    fn what_binds_names_or_may_run_at_compile_time_does_not_turn() {
        let text = "fn f() { . if let A = b && c == d { e + g; } } const fn h() { if i { } }";
        assert_eq!(
            turned(&text.replace(" .", "")),
            "fn f() { . if let A = b && 0!(c == d) { e + g; } } const fn h() { if i { } }"
        );
    }
}
