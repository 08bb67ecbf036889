//! What an assertion of a test expects: a value that it says itself, that something holds, or that two computations agree.

use std::ops::Range;

use super::assertions;
use super::query::{At, is_expr};
use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{ExprKind, FileId, Kind, NodeId};

/// Words in lower case that make a value of what is said rather than compute one.
const SAYING: [&str; 14] = [
    "as_bytes",
    "as_str",
    "b",
    "false",
    "from",
    "into",
    "mut",
    "new",
    "ref",
    "str",
    "to_owned",
    "to_string",
    "true",
    "vec",
];

/// Methods that panic where they stand if what they are called on has nothing in it.
const UNWRAPPING: [&str; 4] = ["expect", "expect_err", "unwrap", "unwrap_err"];

/// Where the statement at `range` of `file`, if it is an assertion, says what it expects of what: itself and, if it holds or not
/// with nothing to compare, the `let`s that it looks at. Of two values that are compared the message tells both, and they stay
/// the same; where both are computed, they follow their inputs.
pub fn places(
    subject: &Subject,
    file: FileId,
    range: &Range<usize>,
) -> Vec<(FileId, Range<usize>)> {
    let Some(statement) = assertion(subject, file, range) else {
        return Vec::new();
    };
    let compared = operands(statement);
    let mut found = match compared.is_empty() {
        true => assertions::lets_for(subject, file, 0, range),
        false if compared.into_iter().any(is_said) => Vec::new(),
        false => return Vec::new(),
    };
    found.push(range.clone());
    found.into_iter().map(|range| (file, range)).collect()
}

/// Where the statement at `range` of `file`, if it is an assertion, says what it looks at: the first of the values that it
/// compares which it does not say itself, or all that has to hold.
pub fn looked_at(subject: &Subject, file: FileId, range: &Range<usize>) -> Option<Range<usize>> {
    let statement = assertion(subject, file, range)?;
    let compared = operands(statement);
    let found = match compared.is_empty() {
        true => arguments(statement).into_iter().next(),
        false => compared.into_iter().find(|operand| !is_said(*operand)),
    };
    found.map(|at| at.range())
}

/// Where the value stands that is unwrapped by a call whose name stands at `place` of `file`, and the statement around it.
pub fn unwrapped(
    subject: &Subject,
    file: FileId,
    place: usize,
) -> Option<(Range<usize>, Range<usize>)> {
    let tree = subject.file(file).tree()?;
    let source = subject.file(file).source();
    let innermost = tree.innermost(&(place..place + 1))?;
    let around: Vec<NodeId> = std::iter::once(innermost)
        .chain(tree.ancestors(innermost))
        .collect();
    let call = around.iter().map(|id| tree.node(*id)).find(|node| {
        let name = node.name.clone().filter(|name| name.contains(&place));
        node.kind == Kind::Expr(ExprKind::MethodCall)
            && name.is_some_and(|name| UNWRAPPING.contains(&&source[name]))
    })?;
    let mut statements = around.iter().map(|id| tree.node(*id));
    let statement = statements.find(|node| matches!(node.kind, Kind::Stmt(_)))?;
    let mut inner = call.children.iter().map(|id| tree.node(*id));
    let value = inner.find(|node| is_expr(node.kind))?;
    Some((value.range.clone(), statement.range.clone()))
}

/// The statement at `range` of `file`, if it is an assertion.
fn assertion<'s>(subject: &'s Subject, file: FileId, range: &Range<usize>) -> Option<At<'s>> {
    let version = subject.file(file);
    let source = version.source();
    let tree = version
        .tree()
        .filter(|_| assertions::is_assertion(&source[range.clone()]))?;
    let mut statements = tree
        .nodes()
        .filter(|(_, node)| node.range == *range && matches!(node.kind, Kind::Stmt(_)));
    let (id, node) = statements.next_back()?;
    Some(At {
        file,
        source,
        tree,
        id,
        node,
    })
}

/// What the assertion `statement` is called with.
fn arguments(statement: At) -> Vec<At> {
    // The call stands in an expression of its own where no semicolon follows it.
    let call = statement.child(|kind| kind == Kind::Expr(ExprKind::Macro));
    call.unwrap_or(statement).children(is_expr)
}

/// What the assertion `statement` compares, if it does.
fn operands(statement: At) -> Vec<At> {
    let arguments = arguments(statement);
    let name = statement.text().split('!').next().unwrap_or_default();
    if name.ends_with("_eq") || name.ends_with("_ne") {
        return arguments.into_iter().take(2).collect();
    }
    let mut open: Vec<At> = arguments.into_iter().take(1).collect();
    let mut found = Vec::new();
    while let Some(next) = open.pop() {
        let sides = next.children(is_expr);
        match (next.kind(), &sides[..]) {
            (Kind::Expr(ExprKind::Binary), [left, right]) => {
                match next.source[left.range().end..right.range().start].trim() {
                    "==" | "!=" | "<" | "<=" | ">" | ">=" => found.extend([*left, *right]),
                    "&&" | "||" => open.extend([*left, *right]),
                    _ => {}
                }
            }
            (Kind::Expr(ExprKind::Paren), _) => open.extend(sides),
            _ => {}
        }
    }
    found
}

/// Whether `operand` computes nothing.
fn is_said(operand: At) -> bool {
    let mut tokens = operand.tree.tokens_in(&operand.range()).iter();
    tokens.all(|token| {
        let word = &operand.source[token.range()];
        let computes = word.starts_with(|first: char| first.is_lowercase() || first == '_');
        token.kind != TokenKind::Ident
            || !computes
            || SAYING.contains(&word)
            || is_number_type(word)
    })
}

fn is_number_type(word: &str) -> bool {
    let digits = word.trim_start_matches(['i', 'u', 'f']);
    matches!(digits, "8" | "16" | "32" | "64" | "128" | "size") && digits.len() + 1 == word.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
    }

    #[test]
    fn an_assertion_looks_at_what_it_does_not_say() {
        let looked_at = |assertion: &str| -> Option<String> {
            let text = format!("fn t() {{ {assertion} }}");
            let range = 9..9 + assertion.len();
            let found = looked_at(&subject(&text), FileId(0), &range)?;
            Some(text[found].to_string())
        };
        let found = |assertion| looked_at(assertion).unwrap_or_default();
        assert_eq!(found("assert_eq!(f(1), 2);"), "f(1)");
        assert_eq!(found("assert_eq!(Some(2), x.g(1), \"no\");"), "x.g(1)");
        assert_eq!(found("assert!(f(1) > 2);"), "f(1)");
        assert_eq!(found("assert!(f(\"a\"));"), "f(\"a\")");
        assert_eq!(looked_at("assert_eq!(1, 2);"), None);
        assert_eq!(looked_at("check(f(1), 2);"), None);
    }

    #[test]
    fn what_is_unwrapped_stands_in_front_of_the_call() {
        let text = "fn t() { a(); let b = f(1).g(\"x\").unwrap().h(|| i().expect(\"i\")); }";
        let found = |behind: &str| {
            let place = text.find(behind).expect("it is there");
            let (value, statement) = unwrapped(&subject(text), FileId(0), place)?;
            assert!(text[statement].starts_with("let b"));
            Some(&text[value])
        };
        assert_eq!(found("unwrap"), Some("f(1).g(\"x\")"));
        assert_eq!(found("expect"), Some("i()"));
        assert_eq!(found("g("), None);
    }
}
