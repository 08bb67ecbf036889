//! The same said in fewer words: what nobody would write at length who wrote it anew. These take nothing
//! away, so no deletion comes to them.

use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::Token;
use crate::syntax::{
    Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, StmtKind, Tree,
};

/// `match e { P => {…} _ => … }` → `if let P = e {…}`, and in another round `matches!(e, P)`.
pub struct Matches;

/// `{ let _: T = e; }` → `-> T { e }`: a type that only says what a value has to be.
pub struct Returns;

/// `Iterator<Item = T>` → `FnOnce() -> T`, and with it `x.next()` → `x()` and `Option<T>` → `T`: the
/// shortest trait of the prelude that has an associated type.
pub struct Iterators;

fn children(tree: &Tree, id: NodeId) -> impl Iterator<Item = (NodeId, &Node)> {
    let ids = tree.node(id).children.iter().copied();
    ids.map(|child| (child, tree.node(child)))
}

/// The pattern and the body of an arm without a guard.
fn arm<'t>(source: &str, tree: &'t Tree, arm: &Node) -> Option<(&'t Node, &'t Node)> {
    let mut parts = arm
        .children
        .iter()
        .map(|child| tree.node(*child))
        .filter(|child| matches!(child.kind, Kind::Pat(_) | Kind::Expr(_) | Kind::Block));
    let (pattern, body) = (parts.next()?, parts.next()?);
    let guarded = tree
        .identifiers(source, &(pattern.range.start..body.range.start))
        .any(|word| word == "if");
    (!guarded).then_some((pattern, body))
}

fn arms(tree: &Tree, id: NodeId) -> Vec<&Node> {
    children(tree, id)
        .map(|(_, child)| child)
        .filter(|child| child.kind == Kind::Arm)
        .collect()
}

impl Pass for Matches {
    fn name(&self) -> &'static str {
        "match-to-if-let"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let mut list = Vec::new();
        let is_match = |node: &Node| node.kind == Kind::Expr(ExprKind::Match);
        for (file, tree, id, node) in nodes(subject, |_, _, node| is_match(node)) {
            let source = subject.file(file).source();
            let [first, second] = arms(tree, id)[..] else {
                continue;
            };
            let (Some((pattern, body)), Some((rest, _))) =
                (arm(source, tree, first), arm(source, tree, second))
            else {
                continue;
            };
            let value = children(tree, id).find(|(_, child)| matches!(child.kind, Kind::Expr(_)));
            let Some((_, value)) = value.filter(|_| rest.kind == Kind::Pat(PatKind::Wild)) else {
                continue;
            };
            let (value, pattern) = (&source[value.range.clone()], &source[pattern.range.clone()]);
            let text = if round == 0 {
                let body = &source[body.range.clone()];
                let block = body.starts_with('{');
                let (open, close) = if block { ("", "") } else { ("{ ", " }") };
                format!("if let {pattern} = {value} {open}{body}{close}")
            } else {
                format!("matches!({value}, {pattern})")
            };
            let edit = Edit::replace(file, node.range.clone(), text);
            list.push(Element::new(subject, node.kind, vec![edit]));
        }
        Some(list)
    }
}

impl Pass for Returns {
    fn name(&self) -> &'static str {
        "lets-to-returns"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        let is_fn =
            |kind: Kind| matches!(kind, Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn));
        for (file, tree, id, node) in nodes(subject, |_, _, node| is_fn(node.kind)) {
            let returns = children(tree, id).any(|(_, child)| child.kind == Kind::ReturnType);
            let body = children(tree, id).find(|(_, child)| child.kind == Kind::Body);
            let Some((body, _)) = body.filter(|_| !returns) else {
                continue;
            };
            let last = children(tree, body).last();
            let Some((last, statement)) =
                last.filter(|(_, last)| last.kind == Kind::Stmt(StmtKind::Let))
            else {
                continue;
            };
            let part = |kind: Kind| {
                let found = children(tree, last).find(|(_, child)| child.kind == kind);
                let (found, _) = found?;
                children(tree, found).next().map(|(_, inner)| inner)
            };
            let has_else = children(tree, last).any(|(_, child)| child.kind == Kind::Else);
            let (Some(ty), Some(value)) = (part(Kind::Ascription), part(Kind::Init)) else {
                continue;
            };
            if has_else {
                continue;
            }
            let source = subject.file(file).source();
            let header = node.range.start..tree.node(body).range.start;
            let clause = tree
                .tokens_in(&header)
                .iter()
                .find(|token| &source[token.range()] == "where");
            let at = clause.map_or(header.end, |token| token.start as usize);
            let edits = vec![
                Edit::replace(file, at..at, format!("-> {} ", &source[ty.range.clone()])),
                Edit::delete(file, statement.range.start..value.range.start),
                Edit::delete(file, value.range.end..statement.range.end),
            ];
            list.push(Element::new(subject, statement.kind, edits));
        }
        Some(list)
    }
}

/// Every `name<…>` in `tokens`: the whole, and what is between the brackets.
fn applied<'t>(
    source: &'t str,
    tokens: &'t [Token],
    name: &'t str,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    tokens.windows(2).enumerate().filter_map(move |(at, pair)| {
        if &source[pair[0].range()] != name || &source[pair[1].range()] != "<" {
            return None;
        }
        let mut depth = 0_i32;
        let behind = tokens[at + 1..].iter().position(|token| {
            depth += match &source[token.range()] {
                "<" => 1,
                ">" => -1,
                ">>" => -2,
                _ => 0,
            };
            depth <= 0
        })?;
        let close = tokens[at + 1 + behind].range();
        // Of `>>` it may be the first or the second that closes this pair.
        let second = depth == 0 && &source[close.clone()] == ">>";
        let close = close.start + usize::from(second);
        Some((
            pair[0].start as usize..close + 1,
            pair[1].end as usize..close,
        ))
    })
}

impl Pass for Iterators {
    fn name(&self) -> &'static str {
        "iterators-to-functions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        // Without `Option` around it, and then with it.
        if round > 1 {
            return None;
        }
        let mut edits = Vec::new();
        let mut bounds = 0;
        for (file, version, tree) in subject.sources() {
            let (source, tokens) = (version.source(), tree.tokens());
            for (whole, inside) in applied(source, tokens, "Iterator") {
                let [item, equals, ty, ..] = tree.tokens_in(&inside) else {
                    continue;
                };
                if &source[item.range()] == "Item" && &source[equals.range()] == "=" {
                    bounds += 1;
                    let before = whole.start..ty.start as usize;
                    edits.push(Edit::replace(file, before, "FnOnce() -> "));
                    edits.push(Edit::delete(file, inside.end..whole.end));
                }
            }
            edits.extend(calls(file, source, tree));
            if round == 0 {
                for (whole, inside) in applied(source, tokens, "Option") {
                    edits.push(Edit::delete(file, whole.start..inside.start));
                    edits.push(Edit::delete(file, inside.end..whole.end));
                }
            }
        }
        if bounds == 0 {
            return Some(Vec::new());
        }
        Some(vec![Element::new(subject, Kind::Bound, edits)])
    }
}

/// `.next()` → `()`.
fn calls(file: FileId, source: &str, tree: &Tree) -> Vec<Edit> {
    let call = [".", "next", "(", ")"];
    let windows = tree.tokens().windows(call.len());
    let is_call = |window: &&[Token]| {
        window
            .iter()
            .zip(call)
            .all(|(token, word)| &source[token.range()] == word)
    };
    windows
        .filter(is_call)
        .map(|window| Edit::delete(file, window[0].start as usize..window[1].end as usize))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// What each element alone makes of `source`.
    fn each(pass: &dyn Pass, round: usize, source: &str) -> Vec<String> {
        let subject = Subject::new([(PathBuf::from("a.rs"), source.as_bytes().to_vec())]);
        let list = pass.list(&subject, round).expect("a round");
        list.iter()
            .map(|element| {
                let without = subject.without([element]);
                without.file(FileId(0)).source().to_string()
            })
            .collect()
    }

    #[test]
    fn a_match_with_one_case_becomes_if_let_or_a_macro() {
        let source = "fn f() { match x { Some(a) => g(a), _ => {} } }";
        assert_eq!(
            each(&Matches, 0, source),
            ["fn f() { if let Some(a) = x { g(a) } }"]
        );
        assert_eq!(
            each(&Matches, 1, source),
            ["fn f() { matches!(x, Some(a)) }"]
        );
        let two = "fn f() { match x { A => 1, B => 2 } }";
        assert_eq!(each(&Matches, 0, two), [""; 0]);
    }

    #[test]
    fn a_type_that_is_asked_of_a_value_is_returned() {
        assert_eq!(
            each(
                &Returns,
                0,
                "fn f<T>(x: T) where T: A { g(); let _: Option<u8> = x.next(); }"
            ),
            [
                "fn f<T>(x: T) where T: A { g(); let _: Option<u8> = x.next(); }"
                    .replace("where", "-> Option<u8> where")
                    .replace("let _: Option<u8> = x.next();", "x.next()")
            ]
        );
        assert_eq!(
            each(&Returns, 0, "fn f() -> u8 { let _: u8 = 1; }"),
            [""; 0]
        );
    }

    #[test]
    fn an_iterator_becomes_a_function() {
        let source = "fn f(x: impl Iterator<Item = Option<u8>>) -> Option<Option<u8>> { x.next() }";
        assert_eq!(
            each(&Iterators, 0, source),
            ["fn f(x: impl FnOnce() -> u8) -> u8 { x() }"]
        );
        assert_eq!(
            each(&Iterators, 1, source),
            ["fn f(x: impl FnOnce() -> Option<u8>) -> Option<Option<u8>> { x() }"]
        );
    }
}
