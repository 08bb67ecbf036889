//! The check in front of what fails that let it through: an `if` whose block did not run, and whose condition speaks of a variable
//! of what failed behind it. Without it the program fails just the same, but what is wrong may be the check; and with another input
//! it might not let that through.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::computed::computed;
use super::last::afterwards;
use super::{End, body_around, conditions, places};
use crate::passes::assertions::{Stretch, original};
use crate::passes::ran::Ran;
use crate::passes::stub;
use crate::subject::{Element, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{ExprKind, FileId, Kind, Node, NodeId, Origin, Tree};

/// The check that let pass what then failed, in the run in which `ran` ran: what has it end in a stub, so that with another input it
/// has to let that pass, too; and where it stood.
pub fn check(subject: &Subject, ran: &Ran, end: End) -> Option<(Element, Stretch)> {
    let (file, block) = passed(subject, ran, end)?;
    let tree = subject.file(file).tree()?;
    let edit = stub::inside(file, tree, block, stub::DIVERGE);
    let closed = Element::new(subject, Kind::Block, vec![edit]);
    let whole = &tree.parent(block)?.range;
    Some((closed, original(subject, file, whole)?))
}

/// The block of that check, which did not run: of the nearest one in front of what was computed where it failed, in the same
/// function. Where that is another crate's, of the last one that a statement comes behind which may be what failed, or else of the
/// nearest in front of that.
fn passed(subject: &Subject, ran: &Ran, end: End) -> Option<(FileId, NodeId)> {
    let End::AtOnce(at) = end else { return None };
    let own = at.and_then(|at| computed(subject, at));
    let (file, id) = match at {
        Some(_) => own?,
        None => entered_last(subject, ran, &places(subject))?,
    };
    let version = subject.file(file);
    let (tree, source) = (version.tree()?, version.source());
    if own.is_some() {
        let words = variables(tree, source, &tree.node(id).range);
        return nearest(subject, ran, (file, id), &words);
    }
    let mut words = BTreeSet::new();
    for node in going_on_with(tree, id).into_iter().rev() {
        if let Some(found) = block_of(subject, ran, file, node, &words) {
            return Some(found);
        }
        words.extend(variables(tree, source, &node.range));
    }
    nearest(subject, ran, (file, id), &words)
}

/// What was entered last before the failure was there.
fn entered_last(
    subject: &Subject,
    ran: &Ran,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Option<(FileId, NodeId)> {
    let afterwards = afterwards(subject, ran, places);
    let entered = ran.last.iter().rev();
    let mut entered = entered.filter_map(|origin| places.get(origin)?.first().copied());
    entered.find(|(file, id)| {
        let body = body_around(subject, *file, *id);
        body.is_some_and(|body| !afterwards.contains(&body))
    })
}

/// The statements that a block went on with, entered at `id` or from there on.
fn going_on_with(tree: &Tree, id: NodeId) -> Vec<&Node> {
    if matches!(tree.node(id).kind, Kind::Body | Kind::Block) {
        return statements(tree, id);
    }
    let mut from = statements_around(tree, id);
    from.retain(|node| node.range.start >= tree.node(id).range.start);
    from
}

/// The block of the nearest check in front of `id` that speaks of one of the variables `words`.
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
        nearest.find_map(|node| block_of(subject, ran, file, node, words))
    })
}

/// The block of the statement `node`, if that is a check that passed and speaks of one of the variables `words`.
fn block_of(
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

#[cfg(test)]
mod tests {
    use super::passed;
    use crate::passes::decisions::End;
    use crate::passes::decisions::tests::failing_at;
    use crate::passes::ran::{Ran, probed};
    use crate::subject::Subject;

    #[test]
    fn a_check_in_front_of_it_that_let_it_pass_may_be_what_is_wrong() {
        let check = |text: &str, hits: &[u32], end| {
            let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
            let probes = probed(&subject, &Default::default(), &Default::default()).probes;
            let (file, block) = passed(&subject, &Ran::of(&probes, hits), end)?;
            let tree = subject.file(file).tree()?;
            let whole = tree.parent(block)?.range.start..tree.node(block).range.start;
            Some(text[whole].trim_end().to_string())
        };
        let text = "fn f(&self, a: u8) { if a > 9 { g(); } if a > self.len { g(); } if b > 1 { g(); } if c { d } else { e } { l[a] } if a == 2 { g(); } }";
        let at = |text: &str, hits: &[u32]| check(text, hits, failing_at(text, "l[a]", false));
        // The body, what stands behind each of three blocks, that of `else`, and the one in which it fails.
        let hits = [0, 2, 4, 6, 8, 9];
        assert_eq!(at(text, &hits).as_deref(), Some("if a > self.len"));
        // That one did not let it pass.
        let entered = [&[3], &hits[..]].concat();
        assert_eq!(at(text, &entered).as_deref(), Some("if a > 9"));
        let methods = text.replace("a > self.len", "b.a() > Self::a");
        assert_eq!(at(&methods, &hits).as_deref(), Some("if a > 9"));
        // Where it fails is not ours.
        let text = "fn f(a: u8) { if g(a) { return; } let n = h(); if a > n { k(); } if b { k(); } l(a); m(); }";
        let outside = |hits: &[u32]| check(text, hits, End::AtOnce(None));
        // The body, what stands behind the block with `return`, behind `h()`, each of the next two blocks, and `l(a)`.
        assert_eq!(outside(&[0, 2]).as_deref(), Some("if a > n"));
        assert_eq!(outside(&[0, 2, 3, 5]).as_deref(), Some("if a > n"));
        assert_eq!(outside(&[0, 2, 3, 5, 7]).as_deref(), Some("if a > n"));
        assert_eq!(outside(&[0, 2, 3, 5, 7, 8]), None);
    }
}
