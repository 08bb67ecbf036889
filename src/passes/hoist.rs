//! Hoisting: an expression, a type or a pattern replaced by one that stands inside it.

use super::query::{all, smaller};
use super::values::is_for_nothing;
use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, NodeId, StmtKind, Tree};

/// `f(a, b)` → `a`, `x.g()` → `x`, `if c { a } else { b }` → `{ a }`, and so on: round `n` puts
/// the `n`th expression inside in the place of the whole. Where nothing may have a value, these are tried once more as statements.
pub struct Expressions;

/// `Box<T>` → `T`, `&T` → `T`, `(A, B)` → `A`.
pub struct Types;

/// `let p = e;` → `e;`
pub struct Initials;

/// `Some(p)` → `p`, `&p` → `p`, `a | b` → `a`.
pub struct Patterns;

/// How many inner ones are tried.
const CANDIDATES: usize = 4;

impl Pass for Expressions {
    fn name(&self) -> &'static str {
        "hoist-expressions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        match round.checked_sub(CANDIDATES) {
            None => hoist(subject, round, is_expression, gives_a_value),
            Some(round) => as_statements(subject, round),
        }
    }
}

impl Pass for Initials {
    fn name(&self) -> &'static str {
        "lets-to-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, _, node) in
            nodes(subject, |_, _, node| node.kind == Kind::Stmt(StmtKind::Let))
        {
            let value = node
                .children
                .iter()
                .map(|child| tree.node(*child))
                .find(|child| child.kind == Kind::Init)
                .and_then(|init| init.children.first());
            if let Some(value) = value {
                let before = node.range.start..tree.node(*value).range.start;
                list.push(Element::cut(subject, node.kind, file, before));
            }
        }
        Some(list)
    }
}

impl Pass for Types {
    fn name(&self) -> &'static str {
        "hoist-types"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let ty = |kind| matches!(kind, Kind::Type(_));
        hoist(subject, round, ty, ty)
    }
}

impl Pass for Patterns {
    fn name(&self) -> &'static str {
        "hoist-patterns"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let pattern = |kind| matches!(kind, Kind::Pat(_));
        hoist(subject, round, pattern, pattern)
    }
}

fn hoist(
    subject: &Subject,
    round: usize,
    outer: fn(Kind) -> bool,
    inner: fn(Kind) -> bool,
) -> Option<Elements> {
    if round >= CANDIDATES {
        return None;
    }
    let all = pairs(subject, round, outer, inner);
    Some(all.map(|(.., element)| element).collect())
}

/// `if c { f(g()) }` → `if c { g(); }`, where the value of what is called is none.
fn as_statements(subject: &Subject, round: usize) -> Option<Elements> {
    if round >= CANDIDATES {
        return None;
    }
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
    let calls = all(subject, is_call).into_iter();
    let list = calls.filter(|at| is_for_nothing(*at)).filter_map(|at| {
        let inner = nth_inside(at.tree, at.id, round, has_a_value)?;
        let within = at.tree.node(inner).range.clone();
        let is_arm = at.parent().is_some_and(|outer| outer.kind() == Kind::Arm);
        let (open, close) = if is_arm { ("{ ", "; }") } else { ("", ";") };
        let edits = vec![
            at.edit(at.node.range.start..within.start, open),
            at.edit(within.end..at.node.range.end, close),
        ];
        smaller(subject, at.kind(), edits)
    });
    Some(list.collect())
}

/// Whether it does something as a statement that may have a value.
fn has_a_value(kind: Kind) -> bool {
    use ExprKind::{Call, Macro, MethodCall, Try};
    matches!(kind, Kind::Expr(Call | Macro | MethodCall | Try))
}

/// The expressions that each expression of `subject` may give way to, with what does so, round by round.
pub(super) fn expressions(
    subject: &Subject,
) -> impl Iterator<Item = (FileId, &Tree, NodeId, NodeId, Element)> {
    let all = move |round| pairs(subject, round, is_expression, gives_a_value);
    (0..CANDIDATES).flat_map(all)
}

/// Every `outer` of `subject` with the `round`th `inner` that stands in it, and what puts this in its place.
fn pairs(
    subject: &Subject,
    round: usize,
    outer: fn(Kind) -> bool,
    inner: fn(Kind) -> bool,
) -> impl Iterator<Item = (FileId, &Tree, NodeId, NodeId, Element)> {
    let all = nodes(subject, move |_, _, node| outer(node.kind));
    all.filter_map(move |(file, tree, id, _)| {
        let inner = nth_inside(tree, id, round, inner)?;
        let element = hoisted(subject, file, tree, id, inner)?;
        Some((file, tree, id, inner, element))
    })
}

fn is_expression(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(_))
}

fn gives_a_value(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(_) | Kind::Block)
}

fn nth_inside(tree: &Tree, id: NodeId, n: usize, wanted: fn(Kind) -> bool) -> Option<NodeId> {
    nearest(tree, id, wanted).into_iter().nth(n)
}

/// What puts `inner` in the place of `outer`, around it; `None` where that would change nothing.
fn hoisted(
    subject: &Subject,
    file: FileId,
    tree: &Tree,
    outer: NodeId,
    inner: NodeId,
) -> Option<Element> {
    let (node, within) = (tree.node(outer), &tree.node(inner).range);
    let mut edits = vec![
        Edit::delete(file, node.range.start..within.start),
        Edit::delete(file, within.end..node.range.end),
    ];
    edits.retain(|edit| !edit.range.is_empty());
    if edits.is_empty() {
        return None;
    }
    // An arm's body may stand without a comma only while it is a block.
    let is_body = tree
        .parent(outer)
        .is_some_and(|around| around.kind == Kind::Arm);
    let behind = subject.file(file).source()[node.range.end..].trim_start();
    if is_body && !behind.starts_with(',') {
        edits.push(Edit::replace(file, node.range.end..node.range.end, ","));
    }
    Some(Element::new(subject, node.kind, edits))
}

/// The nodes inside `id` that `wanted` takes and that no other such node inside `id` holds.
fn nearest(tree: &Tree, id: NodeId, wanted: fn(Kind) -> bool) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open: Vec<NodeId> = tree.node(id).children.iter().rev().copied().collect();
    while let Some(next) = open.pop() {
        let node = tree.node(next);
        if wanted(node.kind) {
            found.push(next);
            // A block counts, and so does the value in it; a loop may give way to what it is left with.
            if !matches!(node.kind, Kind::Block | Kind::Expr(ExprKind::Break)) {
                continue;
            }
        }
        // The function that is called is no value worth keeping, its arguments are.
        if node.kind != Kind::Expr(ExprKind::Closure) {
            open.extend(node.children.iter().rev());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn an_expression_gives_way_to_each_that_stands_directly_in_it() {
        assert_eq!(
            each(&Expressions, "fn f() { g(a, b); }"),
            ["fn f() { g; }", "fn f() { a; }", "fn f() { b; }"]
        );
        assert_eq!(
            each(&Expressions, "fn f() { match x { A => { h(1) } } }"),
            [
                "fn f() { x }",
                "fn f() { match x { A => { h } } }",
                "fn f() { { h(1) } }",
                "fn f() { match x { A => h(1), } }",
                "fn f() { match x { A => { 1 } } }"
            ]
        );
    }

    #[test]
    fn a_loop_gives_way_to_what_it_is_left_with() {
        assert_eq!(
            each(&Expressions, "fn f() -> u8 { loop { break a; } }"),
            [
                "fn f() -> u8 { { break a; } }",
                "fn f() -> u8 { loop { a; } }",
                "fn f() -> u8 { break a }",
                "fn f() -> u8 { a }",
            ]
        );
    }

    #[test]
    fn where_nothing_may_have_a_value_it_is_a_statement() {
        let each = each(
            &Expressions,
            "fn f() { match x { A => s.g(&h()?), B => {} } }",
        );
        assert_eq!(
            each[each.len() - 1],
            "fn f() { match x { A => { h()?; }, B => {} } }"
        );
        assert!(!each.iter().any(|text| text == "fn f() { h()?; }"));
    }

    #[test]
    fn a_branch_stands_for_its_if() {
        assert_eq!(
            each(&Expressions, "fn f() { if c { a } else { b } }"),
            [
                "fn f() { c }",
                "fn f() { { a } }",
                "fn f() { if c { a } else b }",
                "fn f() { a }",
                "fn f() { { b } }"
            ]
        );
    }

    #[test]
    fn a_type_gives_way_to_one_in_it() {
        assert_eq!(
            each(&Types, "type T = Box<(A, &B)>;"),
            [
                "type T = (A, &B);",
                "type T = Box<A>;",
                "type T = Box<(A, B)>;",
                "type T = Box<&B>;"
            ]
        );
    }

    #[test]
    fn a_pattern_gives_way_to_one_in_it() {
        assert_eq!(
            each(&Patterns, "fn f(Some(&p): X) {}"),
            ["fn f(&p: X) {}", "fn f(Some(p): X) {}"]
        );
    }

    #[test]
    fn a_let_leaves_its_value() {
        assert_eq!(
            each(&Initials, "fn f() { let p: T = e; let q; }"),
            ["fn f() { e; let q; }"]
        );
    }
}
