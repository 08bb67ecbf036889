//! The check in front of what fails that let it through: an `if` whose block did not run, and whose condition speaks of a variable
//! of what failed behind it. Without it the program fails just the same, but what is wrong may be the check; and with another input
//! it might not let that through.

use std::collections::BTreeSet;
use std::ops::Range;

use super::conditions;
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{ExprKind, FileId, Kind, Node, NodeId, Tree};

/// The block of the nearest check in front of what is computed in `id`, in the same function.
pub(super) fn in_front_of(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    id: NodeId,
) -> Option<(FileId, NodeId)> {
    let version = subject.file(file);
    let tree = version.tree()?;
    let words = variables(tree, version.source(), &tree.node(id).range);
    nearest(subject, ran, (file, id), &words)
}

/// That of the last check that a statement comes behind which may be what failed; the block went on with `id`, as far as is known. Else the
/// nearest in front of that.
pub(super) fn behind(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    id: NodeId,
) -> Option<(FileId, NodeId)> {
    let version = subject.file(file);
    let (tree, source) = (version.tree()?, version.source());
    let statements = match tree.node(id).kind {
        Kind::Body | Kind::Block => statements(tree, id),
        _ => {
            let mut from = statements_around(tree, id);
            from.retain(|node| node.range.start >= tree.node(id).range.start);
            from
        }
    };
    let mut words = BTreeSet::new();
    for node in statements.into_iter().rev() {
        if let Some(found) = check(subject, ran, file, node, &words) {
            return Some(found);
        }
        words.extend(variables(tree, source, &node.range));
    }
    nearest(subject, ran, (file, id), &words)
}

/// That of the nearest check in front of `id` that speaks of one of the variables `words`.
fn nearest(
    subject: &Subject,
    ran: &Ran,
    (file, id): (FileId, NodeId),
    words: &BTreeSet<&str>,
) -> Option<(FileId, NodeId)> {
    let tree = subject.file(file).tree()?;
    let is_inside = |outer: &NodeId| tree.node(*outer).kind != Kind::Body;
    let outer = tree.ancestors(id).take_while(is_inside);
    let mut inner = std::iter::once(id).chain(outer);
    inner.find_map(|inner| {
        let end = tree.node(inner).range.start;
        let mut before = statements_around(tree, inner);
        before.retain(|node| node.range.end <= end);
        let mut nearest = before.into_iter().rev();
        nearest.find_map(|node| check(subject, ran, file, node, words))
    })
}

/// The block of the statement `node`, if that is a check that passed and speaks of one of the variables `words`.
fn check(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    node: &Node,
    words: &BTreeSet<&str>,
) -> Option<(FileId, NodeId)> {
    let tree = subject.file(file).tree()?;
    let is_if = |id: &&NodeId| tree.node(**id).kind == Kind::Expr(ExprKind::If);
    let children = &tree.node(*node.children.iter().find(is_if)?).children;
    let has_else = children.iter().any(|id| tree.node(*id).kind == Kind::Else);
    let block = children
        .iter()
        .find(|id| tree.node(**id).kind == Kind::Block)?;
    if has_else || ran.block(subject, file, tree.node(*block)) != Some(false) {
        return None;
    }
    let condition = conditions(tree, *block).pop()?;
    let said = variables(tree, subject.file(file).source(), &condition);
    (!said.is_disjoint(words)).then_some((file, *block))
}

/// The statements of the block `id`.
fn statements(tree: &Tree, id: NodeId) -> Vec<&Node> {
    let children = tree.node(id).children.iter();
    let nodes = children.map(|child| tree.node(*child));
    nodes
        .filter(|node| matches!(node.kind, Kind::Stmt(_)))
        .collect()
}

/// The statements of the block that `id` stands in itself.
fn statements_around(tree: &Tree, id: NodeId) -> Vec<&Node> {
    let outer = tree.node(id).parent;
    outer.map_or_else(Vec::new, |outer| statements(tree, outer))
}

/// The names in `range` that may be variables or fields: not those of types, of what is called, and of whom it is called on.
fn variables<'t>(tree: &Tree, source: &'t str, range: &Range<usize>) -> BTreeSet<&'t str> {
    let tokens = tree.tokens_in(range);
    let mut found = BTreeSet::new();
    for (at, token) in tokens.iter().enumerate() {
        let text = &source[token.range()];
        let beside = |at: Option<usize>| {
            at.and_then(|at| tokens.get(at))
                .map(|token| &source[token.range()])
        };
        let is_called = matches!(beside(Some(at + 1)), Some("(" | "!" | "::"));
        let is_path = is_called || beside(at.checked_sub(1)) == Some("::");
        let is_name = token.kind == TokenKind::Ident && text.starts_with(char::is_lowercase);
        if is_name && !is_path && !KEYWORDS.contains(&text) {
            found.insert(text);
        }
    }
    found
}

/// Words that are no names.
const KEYWORDS: [&str; 12] = [
    "as", "else", "false", "for", "if", "in", "let", "match", "mut", "ref", "return", "self",
];
