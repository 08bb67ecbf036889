//! What `let`s make.

use std::collections::BTreeSet;

use crate::syntax::{Kind, Node, Tree};

/// The variables that `statement` makes, if it is a `let`.
pub(super) fn variables<'s>(tree: &Tree, source: &'s str, statement: &Node) -> BTreeSet<&'s str> {
    let is_variable = |word: &&str| {
        !matches!(*word, "mut" | "ref" | "_")
            && !word.starts_with(|first: char| first.is_uppercase())
    };
    words(tree, source, statement).filter(is_variable).collect()
}

/// Whether any of them can change.
pub(super) fn may_change(tree: &Tree, source: &str, statement: &Node) -> bool {
    words(tree, source, statement).any(|word| word == "mut")
}

/// The words of its pattern.
fn words<'s>(tree: &Tree, source: &'s str, statement: &Node) -> impl Iterator<Item = &'s str> {
    let children = statement.children.iter().map(|child| tree.node(*child));
    let patterns = children.filter(|child| matches!(child.kind, Kind::Pat(_)));
    patterns.flat_map(|pattern| tree.identifiers(source, &pattern.range))
}
