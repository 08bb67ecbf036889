//! What was computed, or asserted, where a program failed.

use std::ops::Range;

use super::effects::done_to;
use super::values::made_of;
use super::{At, LARGE, Place};
use crate::passes::assertions::is_assertion;
use crate::passes::ran::Ran;
use crate::passes::switches;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, StmtKind, Tree};

/// What is computed `at` a place.
pub(super) fn computed(subject: &Subject, at: At) -> Option<(FileId, NodeId)> {
    subject.sources().find_map(|(file, version, tree)| {
        let text = version.text()?;
        let named = |range: &Range<usize>| text.origin(range.start) == Some(at.origin);
        let is_it = |id: &NodeId| {
            let node = tree.node(*id);
            match node.kind {
                // Parentheses around it belong to it.
                Kind::Expr(ExprKind::Binary | ExprKind::Unary) if at.arithmetic => {
                    let outer = tree.ancestors(*id).map(|outer| tree.node(outer));
                    let outer = outer.take_while(|outer| outer.kind == Kind::Expr(ExprKind::Paren));
                    std::iter::once(node)
                        .chain(outer)
                        .any(|node| named(&node.range))
                }
                // Of a slice or an array its beginning; of another type the bracket, as of an operator.
                Kind::Expr(ExprKind::Index) if !at.arithmetic => {
                    let base = node.children.first().map(|base| tree.node(*base));
                    let bracket = base.map(|base| base.range.end..node.range.end);
                    let bracket = bracket.and_then(|rest| tree.tokens_in(&rest).first());
                    named(&node.range) || bracket.is_some_and(|token| named(&token.range()))
                }
                Kind::Expr(ExprKind::Macro) | Kind::Stmt(StmtKind::Macro) if !at.arithmetic => {
                    named(&node.range) && is_assertion(&version.source()[node.range.clone()])
                }
                // `unwrap` and its like name the place of their own name.
                Kind::Expr(ExprKind::MethodCall) => node.name.as_ref().is_some_and(named),
                _ => false,
            }
        };
        // Outer expressions come first: `a - b - c` is `(a - b) - c`.
        let id = tree.nodes().map(|(id, _)| id).find(is_it)?;
        Some((file, id))
    })
}

/// What is computed in `id`, the statements that make the variables in it, and those that did something to what it looks at.
pub(super) fn computation(subject: &Subject, ran: &Ran, file: FileId, id: NodeId) -> Vec<Place> {
    let version = subject.file(file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let mut all = made_of(tree, version.source(), id);
    all.extend(done_to(subject, ran, file, id));
    all.push(with_what_led_to(tree, version.source(), id));
    all.retain(|range| tree.weight(range) <= LARGE);
    all.into_iter().map(|range| (file, range)).collect()
}

/// `id` with the operands of `&&` and `||` in front of it, without which it would have been computed or not as well.
fn with_what_led_to(tree: &Tree, source: &str, id: NodeId) -> Range<usize> {
    let mut range = tree.node(id).range.clone();
    let mut inner = id;
    let is_part = |outer: &NodeId| {
        let kind = tree.node(*outer).kind;
        matches!(kind, Kind::Expr(_)) && kind != Kind::Expr(ExprKind::Closure)
    };
    for outer in tree.ancestors(id).take_while(is_part) {
        let node = tree.node(outer);
        let decides = matches!(switches::operator(source, tree, node), Some("&&" | "||"));
        if decides && node.children.first() != Some(&inner) {
            range.start = node.range.start;
        }
        inner = outer;
    }
    range
}
