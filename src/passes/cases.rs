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

/// A loop that goes through a list.
#[derive(Debug, Clone)]
pub struct Listed {
    /// Where its values stand: in its head, or in what makes the variable or constant that is named there.
    pub cases: Vec<Range<usize>>,
    /// What is bound to each.
    pub pattern: Range<usize>,
    /// What it goes through.
    pub head: Range<usize>,
    /// In the head: the list or its name.
    pub mention: Range<usize>,
    /// What has the name, with the list in it.
    pub made: Range<usize>,
    /// The list.
    pub list: Range<usize>,
}

impl Listed {
    /// The loop around the statement at `range` of the function `id`, if there is one loop around it and its body has the statement.
    pub fn around(
        subject: &Subject,
        file: FileId,
        id: NodeId,
        range: &Range<usize>,
    ) -> Option<Listed> {
        let version = subject.file(file);
        listed(version.tree()?, version.source(), id, range)
    }

    /// What begins a loop through the `case` alone, as text of `source`.
    pub fn of_one(&self, source: &str, case: &str) -> String {
        let said = |range: Range<usize>| &source[range];
        let open = match source[self.list.clone()].starts_with("vec!") {
            true => "vec!",
            false => "",
        };
        let (before, behind) = (
            self.made.start..self.list.start,
            self.list.end..self.made.end,
        );
        let made = format!("{}{open}[{case}]{}", said(before), said(behind));
        let is_closed = self.made == self.list || self.mention.end == self.head.end;
        let (open, close) = if is_closed { ("", "") } else { ("(", ")") };
        let (before, behind) = (
            self.head.start..self.mention.start,
            self.mention.end..self.head.end,
        );
        let head = format!("{}{open}{made}{close}{}", said(before), said(behind));
        format!("for {} in {head}", said(self.pattern.clone()))
    }
}

fn listed(tree: &Tree, source: &str, function: NodeId, range: &Range<usize>) -> Option<Listed> {
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
    let pattern = tree.node(*parts.find(|part| matches!(kind(part), Kind::Pat(_)))?);
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
    let in_head = list_in(&head.range).map(|list| (list, list.range.clone(), list.range.clone()));
    let (list, mention, made) = in_head.or_else(|| {
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
        let made = made.next_back()?;
        let list = list_in(&made.range)?;
        let is_made = |token: &Range<usize>| {
            let name = BTreeSet::from([&source[token.clone()]]);
            makes_one_of(tree, source, made, &name)
                || is_named(source, made, &source[token.clone()])
        };
        let mut tokens = tree
            .tokens_in(&head.range)
            .iter()
            .map(|token| token.range());
        let mention = tokens.find(is_made)?;
        let mut parts = made.children.iter().rev().map(|child| tree.node(*child));
        let value = parts.find(|part| inside(&part.range, &list.range))?;
        let value = match value.kind {
            Kind::Init => value.children.first().map(|inner| tree.node(*inner))?,
            _ => value,
        };
        Some((list, mention, value.range.clone()))
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
    one_by_one.then(|| Listed {
        cases: values.map(|value| value.range.clone()).collect(),
        pattern: pattern.range.clone(),
        head: head.range.clone(),
        mention,
        made,
        list: list.range.clone(),
    })
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
            let range = at..at + "assert_eq!(f(n), m);".len();
            let Some(found) = Listed::around(&subject, FileId(0), function, &range) else {
                return Vec::new();
            };
            let cases = found
                .cases
                .iter()
                .map(|range| text[range.clone()].to_owned());
            let last = found.of_one(&text, "9");
            cases.chain([last]).collect()
        };
        let two = |then: &'static str| ["(1, 2)", "(f([3]), 4)", then];
        assert_eq!(
            cases_of("", "[(1, 2), (f([3]), 4)]", "@"),
            two("for (n, m) in [9]")
        );
        assert_eq!(
            cases_of(
                "",
                "vec![(1, 2), (f([3]), 4)].iter()",
                "let n = n + 1; @ g(n)"
            ),
            two("for (n, m) in vec![9].iter()")
        );
        let list = "let cases = &[(0, 0)]; let cases = &[(1, 2), (f([3]), 4)]; let far = [5];";
        assert_eq!(
            cases_of(list, "cases.iter().enumerate()", "@"),
            two("for (n, m) in (&[9]).iter().enumerate()")
        );
        assert_eq!(cases_of("", "&K", "@"), ["7", "8", "for (n, m) in &[9]"]);
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
