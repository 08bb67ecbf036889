//! Shells taken off: a module or a block replaced by what is in it.

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, NodeId, StmtKind, Tree};

/// `mod m { items }` → `items`, and `m::` disappears from all paths.
pub struct Modules;

/// `{ a; b }` as a statement → `a; b`, and likewise for what has a block: `unsafe`, `if`, loops.
pub struct Blocks;

impl Pass for Modules {
    fn name(&self) -> &'static str {
        "flatten-modules"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in
            nodes(subject, |_, _, node| node.kind == Kind::Item(ItemKind::Mod))
        {
            let source = subject.file(file).source();
            let Some(name) = &node.name else { continue };
            let Some((open, close)) = braces(source, tree, id) else {
                continue;
            };
            let mut edits = vec![
                Edit::delete(file, node.range.start..open),
                Edit::delete(file, close..node.range.end),
            ];
            edits.extend(without_prefix(subject, &source[name.clone()]));
            edits.extend(without_super(subject, file, open..close));
            list.push(Element::new(subject, node.kind, edits));
        }
        Some(list)
    }
}

/// Where the contents of the braced item `id` start and end.
fn braces(source: &str, tree: &Tree, id: NodeId) -> Option<(usize, usize)> {
    let node = tree.node(id);
    let open = tree
        .tokens_in(&node.range)
        .iter()
        .filter(|token| token.start as usize >= node.name.as_ref().map_or(0, |name| name.end))
        .find(|token| &source[token.range()] == "{")?;
    let close = node.range.end.checked_sub(1)?;
    (source.as_bytes().get(close) == Some(&b'}')).then_some((open.end as usize, close))
}

/// Deletions of every `name::`.
fn without_prefix(subject: &Subject, name: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (file, source, tree) in subject.sources() {
        let source = source.source();
        for pair in tree.tokens().windows(2) {
            if &source[pair[0].range()] == name && &source[pair[1].range()] == "::" {
                edits.push(Edit::delete(
                    file,
                    pair[0].start as usize..pair[1].end as usize,
                ));
            }
        }
    }
    edits
}

/// Deletions of every first `super::` of a path in `range`.
fn without_super(subject: &Subject, file: FileId, range: std::ops::Range<usize>) -> Vec<Edit> {
    let source = subject.file(file).source();
    let Some(tree) = subject.file(file).tree() else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    let mut before = "";
    for pair in tree.tokens_in(&range).windows(2) {
        let (first, second) = (&source[pair[0].range()], &source[pair[1].range()]);
        if first == "super" && second == "::" && before != "::" {
            edits.push(Edit::delete(
                file,
                pair[0].start as usize..pair[1].end as usize,
            ));
        }
        before = first;
    }
    edits
}

impl Pass for Blocks {
    fn name(&self) -> &'static str {
        "flatten-blocks"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| {
            node.kind == Kind::Stmt(StmtKind::Expr)
        }) {
            let Some(block) = only_block(tree, id) else {
                continue;
            };
            let inner = tree.node(block).range.clone();
            let edits = vec![
                Edit::delete(file, node.range.start..inner.start + 1),
                Edit::delete(file, inner.end - 1..node.range.end),
            ];
            list.push(Element::new(subject, Kind::Block, edits));
        }
        Some(list)
    }
}

/// The first block of the statement's expression.
fn only_block(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let expression = tree.node(id).children.first()?;
    let mut children = tree.node(*expression).children.iter().copied();
    children.find(|child| tree.node(*child).kind == Kind::Block)
}
