//! Definitions together with their uses: a parameter with its arguments, a field with its values,
//! a generic parameter with its mentions, a trait's item with those of its impls.
//!
//! Uses are found by name. A wrong guess costs a trial, never a wrong result.

mod fields;
mod parameters;
mod trait_items;
mod type_parameters;

use std::collections::BTreeMap;
use std::ops::Range;

use super::nodes;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, Node, Tree};

pub use fields::{Fields, values_of};
pub use parameters::{Parameters, callees};
pub use trait_items::{TraitItems, traits};
pub use type_parameters::TypeParameters;

fn text<'s>(subject: &'s Subject, file: FileId, range: &Range<usize>) -> &'s str {
    &subject.file(file).source()[range.clone()]
}

pub(super) fn name<'s>(subject: &'s Subject, file: FileId, node: &Node) -> Option<&'s str> {
    Some(text(subject, file, node.name.as_ref()?))
}

fn children<'t>(tree: &'t Tree, node: &'t Node, wanted: fn(Kind) -> bool) -> Vec<&'t Node> {
    let nodes = node.children.iter().map(|child| tree.node(*child));
    nodes.filter(|child| wanted(child.kind)).collect()
}
fn is_expr(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(_))
}

/// All calls in the subject by the name that they call.
pub(super) fn calls(subject: &Subject) -> BTreeMap<&str, Vec<(FileId, &Tree, &Node)>> {
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
    for (file, tree, _, node) in nodes(subject, move |_, _, node| is_call(node.kind)) {
        if let Some(name) = name(subject, file, node) {
            found.entry(name).or_default().push((file, tree, node));
        }
    }
    found
}
/// The last name of the path that `node` begins with.
pub(super) fn path_end<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    node: &Node,
) -> Option<&'s str> {
    let source = subject.file(file).source();
    let tokens = tree.tokens_in(&node.range);
    let words = tokens.iter().map(|token| &source[token.range()]);
    let path = words.take_while(|word| !matches!(*word, "(" | "{" | "<"));
    path.filter(|word| !word.starts_with(':')).last()
}
