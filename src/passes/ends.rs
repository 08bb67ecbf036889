//! Where a function's value comes from: the expressions at its end, and those that it returns before.

use crate::syntax::{ExprKind, Kind, NodeId, StmtKind, Tree};

/// The expressions whose values are the value of the block, arm or expression `id`.
pub(super) fn ends_of(tree: &Tree, source: &str, id: NodeId, ends: &mut Vec<NodeId>) {
    let node = tree.node(id);
    match node.kind {
        Kind::Body | Kind::Block => {
            let last = node.children.last().filter(|last| {
                let node = tree.node(**last);
                node.kind == Kind::Stmt(StmtKind::Expr)
                    && !source[node.range.clone()].ends_with(';')
            });
            let value = last.and_then(|last| tree.node(*last).children.last());
            if let Some(value) = value {
                ends_of(tree, source, *value, ends);
            }
        }
        Kind::Arm => {
            if let Some(body) = node.children.last() {
                ends_of(tree, source, *body, ends);
            }
        }
        Kind::Else
        | Kind::Expr(ExprKind::If | ExprKind::Match | ExprKind::Block | ExprKind::Unsafe) => {
            let inner = node.children.iter().filter(|child| {
                matches!(
                    tree.node(**child).kind,
                    Kind::Block | Kind::Arm | Kind::Else
                ) || node.kind == Kind::Else && matches!(tree.node(**child).kind, Kind::Expr(_))
            });
            for child in inner {
                ends_of(tree, source, *child, ends);
            }
        }
        Kind::Expr(ExprKind::Return) => {}
        Kind::Expr(_) => ends.push(id),
        _ => {}
    }
}

/// The values that are returned before the end of what stands at `id`.
pub(super) fn returns(tree: &Tree, id: NodeId, found: &mut Vec<NodeId>) {
    for child in &tree.node(id).children {
        match tree.node(*child).kind {
            // These return to somebody else.
            Kind::Item(_) | Kind::Expr(ExprKind::Closure | ExprKind::Async) => {}
            Kind::Expr(ExprKind::Return) => found.extend(tree.node(*child).children.last()),
            _ => returns(tree, *child, found),
        }
    }
}
