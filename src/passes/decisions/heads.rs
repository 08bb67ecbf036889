//! What stands in front of a branch and decides whether it is entered.

use std::ops::Range;

use crate::syntax::{ExprKind, Kind, NodeId, Tree};

/// What decides whether the branch `id` is entered: the head of its `if`, `match` or loop, and an arm's pattern; nothing if it
/// is no branch.
pub(super) fn conditions(tree: &Tree, id: NodeId) -> Vec<Range<usize>> {
    let branch = tree.node(id);
    let head = |outer: NodeId, first: usize| tree.node(outer).range.start..first;
    let Some(mut outer) = branch.parent else {
        return Vec::new();
    };
    if branch.kind == Kind::Arm {
        let body = branch.children.last().map(|child| tree.node(*child));
        let arms = tree.node(outer).children.iter();
        let mut arms = arms.filter(|child| tree.node(**child).kind == Kind::Arm);
        let first = arms.next().map(|first| tree.node(*first).range.start);
        return match (body, first) {
            (Some(body), Some(first)) => {
                vec![head(outer, first), branch.range.start..body.range.start]
            }
            _ => Vec::new(),
        };
    }
    if branch.kind != Kind::Block {
        return Vec::new();
    }
    // A block as an expression, in an `else`: the `if` is further out.
    while matches!(
        tree.node(outer).kind,
        Kind::Expr(ExprKind::Block) | Kind::Else
    ) {
        match tree.node(outer).parent {
            Some(next) if tree.node(outer).kind == Kind::Else => {
                return match tree.node(next).kind {
                    Kind::Expr(ExprKind::If) => then_of(tree, next)
                        .map(|then| head(next, then))
                        .into_iter()
                        .collect(),
                    // `let PATTERN = VALUE else { … }`
                    _ => vec![head(next, tree.node(outer).range.start)],
                };
            }
            Some(next) => outer = next,
            None => return Vec::new(),
        }
    }
    match tree.node(outer).kind {
        // An arm's block.
        Kind::Arm => conditions(tree, outer),
        Kind::Expr(ExprKind::If | ExprKind::While | ExprKind::For) => {
            vec![head(outer, branch.range.start)]
        }
        _ => Vec::new(),
    }
}

/// Where the first block of the `if` begins.
fn then_of(tree: &Tree, id: NodeId) -> Option<usize> {
    let children = tree.node(id).children.iter();
    let mut blocks = children.map(|child| tree.node(*child));
    let then = blocks.find(|child| child.kind == Kind::Block)?;
    Some(then.range.start)
}
