//! The cases of a test that goes through a list of them in a loop. Knows syntax alone: not which of them pass.

use std::collections::BTreeSet;
use std::ops::Range;

use super::assertions::{is_named, makes_one_of};
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, ItemKind, Kind, Node, NodeId, StmtKind, Tree};

/// What a loop goes through a list by, one by one and from the start.
const ONE_BY_ONE: [&str; 6] = [
    "cloned",
    "copied",
    "enumerate",
    "into_iter",
    "iter",
    "iter_mut",
];

/// Where the values stand that the loop around the statement at `range` of the function `id` goes through, if there is one loop
/// around it and its body has the statement: those of a list in its head, or in what makes the variable or constant that is named
/// there.
pub fn cases(
    subject: &Subject,
    file: FileId,
    id: NodeId,
    range: &Range<usize>,
) -> Vec<Range<usize>> {
    let version = subject.file(file);
    version
        .tree()
        .and_then(|tree| listed(tree, version.source(), id, range))
        .unwrap_or_default()
}

fn listed(
    tree: &Tree,
    source: &str,
    function: NodeId,
    range: &Range<usize>,
) -> Option<Vec<Range<usize>>> {
    let around = tree.ancestors(tree.innermost(range)?);
    let around: Vec<NodeId> = around.take_while(|outer| *outer != function).collect();
    let kind = |id: &NodeId| tree.node(*id).kind;
    let mut loops = around.iter().filter(|outer| {
        use ExprKind::{Closure, For, Loop, While};
        matches!(kind(outer), Kind::Expr(For | While | Loop | Closure))
    });
    let (through, None) = (loops.next()?, loops.next()) else {
        return None;
    };
    let block = around.iter().find(|outer| kind(outer) == Kind::Block)?;
    if kind(through) != Kind::Expr(ExprKind::For) || tree.node(*block).parent != Some(*through) {
        return None;
    }
    let mut parts = tree.node(*through).children.iter();
    let head = tree.node(*parts.find(|part| matches!(kind(part), Kind::Expr(_)))?);
    let inside = |outer: &Range<usize>, inner: &Range<usize>| {
        outer.start <= inner.start && inner.end <= outer.end
    };
    let list_in = |outer: &Range<usize>| {
        let mut nodes = tree.nodes().map(|(_, node)| node);
        nodes.find(|node| {
            inside(outer, &node.range)
                && match node.kind {
                    Kind::Expr(ExprKind::Array) => true,
                    Kind::Expr(ExprKind::Macro) => source[node.range.clone()].starts_with("vec!"),
                    _ => false,
                }
        })
    };
    let list = list_in(&head.range).or_else(|| {
        let names: BTreeSet<&str> = tree.identifiers(source, &head.range).collect();
        let makes_it = |node: &&Node| match node.kind {
            Kind::Stmt(StmtKind::Let) => {
                inside(&tree.node(function).range, &node.range)
                    && node.range.end <= head.range.start
                    && makes_one_of(tree, source, node, &names)
            }
            Kind::Item(ItemKind::Const | ItemKind::Static) => {
                names.iter().any(|name| is_named(source, node, name))
            }
            _ => false,
        };
        let mut made = tree.nodes().map(|(_, node)| node).filter(makes_it);
        list_in(&made.next_back()?.range)
    })?;
    let tokens: Vec<_> = tree
        .tokens_in(&head.range)
        .iter()
        .map(|token| token.range())
        .filter(|token| !inside(&list.range, token))
        .map(|token| &source[token])
        .collect();
    let one_by_one = tokens
        .windows(2)
        .all(|pair| pair[0] != "." || ONE_BY_ONE.contains(&pair[1]));
    let values = list.children.iter().map(|child| tree.node(*child));
    let values = values.filter(|value| matches!(value.kind, Kind::Expr(_)));
    one_by_one.then(|| values.map(|value| value.range.clone()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_what_the_loop_around_an_assertion_goes_through() {
        let cases_of = |before: &str, head: &str, around: &str| -> Vec<String> {
            let body = around.replace("@", "assert_eq!(f(n), m);");
            let text = format!(
                "const K: [u8; 2] = [7, 8]; fn t() {{ {before} for (n, m) in {head} {{ {body} }} }}"
            );
            let subject = Subject::new([("src/lib.rs".into(), text.as_bytes().to_vec())]);
            let at = text.find("assert_eq!").expect("it is there");
            let mut nodes = subject.file(FileId(0)).tree().expect("parses").nodes();
            let function = nodes.find(|(_, node)| node.kind == Kind::Item(ItemKind::Fn));
            let function = function.expect("a function").0;
            let found = cases(
                &subject,
                FileId(0),
                function,
                &(at..at + "assert_eq!(f(n), m);".len()),
            );
            found
                .into_iter()
                .map(|range| text[range].to_owned())
                .collect()
        };
        let two = ["(1, 2)", "(f([3]), 4)"];
        assert_eq!(cases_of("", "[(1, 2), (f([3]), 4)]", "@"), two);
        assert_eq!(
            cases_of(
                "",
                "vec![(1, 2), (f([3]), 4)].iter()",
                "let n = n + 1; @ g(n)"
            ),
            two
        );
        let list = "let cases = &[(0, 0)]; let cases = &[(1, 2), (f([3]), 4)]; let far = [5];";
        assert_eq!(cases_of(list, "cases.iter().enumerate()", "@"), two);
        assert_eq!(cases_of("", "K", "@"), ["7", "8"]);
        let none: [&str; 0] = [];
        assert_eq!(
            cases_of(list, "cases.iter().rev()", "@"),
            none,
            "not from the start"
        );
        assert_eq!(cases_of(list, "cases", "if n { @ }"), none, "not for each");
        assert_eq!(
            cases_of(list, "cases", "for i in x { @ }"),
            none,
            "many times for each"
        );
        assert_eq!(cases_of("", "1..3", "@"), none);
    }
}
