//! Switches of what does something and gives no value, and of the parts of conditions.

use super::{Off, Switch, binds, nodes, ran};
use crate::passes::assertions::Stretch;
use crate::subject::{Element, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, NodeId, StmtKind, Tree};

/// What a statement begins with that never comes to its end: where it is the last one, the type of what is around it may hang
/// on that.
const LEAVES: [&str; 7] = [
    "return",
    "break",
    "continue",
    "panic",
    "todo",
    "unreachable",
    "unimplemented",
];

/// A switch for every statement that does something and gives no value, for every condition whose branches are there for both
/// cases, and for every part of a condition.
pub fn in_bodies(subject: &Subject) -> Vec<Switch> {
    let all = nodes(subject, |_, _, node| {
        matches!(
            node.kind,
            Kind::Stmt(_) | Kind::Expr(ExprKind::If | ExprKind::Binary)
        )
    });
    let all =
        all.filter(|(file, tree, id, _)| ran::at_run_time(subject.file(*file).source(), tree, *id));
    all.flat_map(|(file, tree, id, node)| match node.kind {
        Kind::Stmt(kind) => statement(subject, file, tree, id, kind)
            .into_iter()
            .collect(),
        Kind::Expr(ExprKind::If) => condition(subject, file, tree, node),
        Kind::Expr(ExprKind::Binary) => operands(subject, file, tree, node),
        _ => Vec::new(),
    })
    .collect()
}

/// A switch for each statement that stood in `stretch`.
pub fn statements_from(subject: &Subject, stretch: &Stretch) -> Vec<Switch> {
    let mut all = in_bodies(subject);
    all.retain(|switch| {
        let text = subject.file(switch.file).text();
        let origin = text.and_then(|text| text.origin(switch.range.start));
        matches!(switch.off, Off::Nothing) && origin.is_some_and(|origin| stretch.holds(origin))
    });
    all
}

fn statement(
    subject: &Subject,
    file: FileId,
    tree: &Tree,
    id: NodeId,
    kind: StmtKind,
) -> Option<Switch> {
    let source = subject.file(file).source();
    let node = tree.node(id);
    let optional = match kind {
        StmtKind::Let => names_nothing(source, tree, id),
        StmtKind::Expr | StmtKind::Macro => is_optional(source, tree, id),
    };
    optional.then(|| Switch {
        element: Element::cut(subject, node.kind, file, node.range.clone()),
        file,
        range: node.range.clone(),
        off: Off::Nothing,
    })
}

/// Whether nothing in the function mentions what the `let` statement `id` names.
fn names_nothing(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let mut children = node.children.iter().map(|child| tree.node(*child));
    let pattern = children.find(|child| matches!(child.kind, Kind::Pat(_)));
    let (Some(pattern), Some(body)) = (pattern, ran::body_of(tree, id)) else {
        return false;
    };
    let names = tree.identifiers(source, &pattern.range);
    let names: Vec<&str> = names.filter(|name| *name != "_").collect();
    // What is bound under such a name is there to be dropped later.
    if names.iter().any(|name| name.starts_with('_')) {
        return false;
    }
    let around = &tree.node(body).range;
    let outside = [around.start..node.range.start, node.range.end..around.end];
    let mut outside = outside.iter().flat_map(|range| tree.tokens_in(range));
    !outside.any(|token| {
        let text = &source[token.range()];
        match token.kind {
            // A format string may take it.
            TokenKind::Literal => names.iter().any(|name| text.contains(name)),
            _ => names.contains(&text),
        }
    })
}

/// Whether the statement `id` may be left out as far as its looks tell: it gives no value to what is around it.
fn is_optional(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let Some(outer) = tree.parent(id) else {
        return false;
    };
    let is_last = outer.children.last() == Some(&id);
    if !is_last {
        return true;
    }
    if source[node.range.clone()].ends_with(';') {
        let first = tree.identifiers(source, &node.range).next();
        return !first.is_some_and(|first| LEAVES.contains(&first));
    }
    let around = outer
        .parent
        .map(|around| tree.node(around))
        .filter(|_| matches!(outer.kind, Kind::Body | Kind::Block));
    let has = |around: &Node, kind: Kind| {
        let mut children = around.children.iter();
        children.any(|child| tree.node(*child).kind == kind)
    };
    around.is_some_and(|around| match (outer.kind, around.kind) {
        (Kind::Body, _) => !has(around, Kind::ReturnType),
        (_, Kind::Expr(ExprKind::For | ExprKind::While | ExprKind::Loop)) => true,
        (_, Kind::Expr(ExprKind::If)) => !has(around, Kind::Else),
        _ => false,
    })
}

/// The condition of an `if` that goes on with one of its branches in any case.
fn condition(subject: &Subject, file: FileId, tree: &Tree, node: &Node) -> Vec<Switch> {
    let child = |wanted: fn(Kind) -> bool| {
        let mut children = node.children.iter().map(|child| tree.node(*child));
        children.find(|child| wanted(child.kind))
    };
    let condition = child(|kind| matches!(kind, Kind::Expr(_)));
    let (Some(condition), Some(then)) = (condition, child(|kind| kind == Kind::Block)) else {
        return Vec::new();
    };
    if binds(tree, condition) {
        return Vec::new();
    }
    let otherwise = child(|kind| kind == Kind::Else);
    let otherwise = otherwise.and_then(|other| Some(tree.node(*other.children.first()?)));
    let branches = [(true, Some(then)), (false, otherwise)];
    let switches = branches.into_iter().filter_map(|(is, branch)| {
        let branch = &branch?.range;
        let rest = [node.range.start..branch.start, branch.end..node.range.end];
        let rest = rest.into_iter().filter(|range| !range.is_empty());
        let edits = rest.map(|range| Edit::delete(file, range)).collect();
        Some(Switch {
            element: Element::new(subject, node.kind, edits),
            file,
            range: condition.range.clone(),
            off: Off::Is(is),
        })
    });
    switches.collect()
}

/// The operands of `&&` and `||` without which the other one decides.
fn operands(subject: &Subject, file: FileId, tree: &Tree, node: &Node) -> Vec<Switch> {
    let [left, right] = node.children[..] else {
        return Vec::new();
    };
    let (left, right) = (tree.node(left), tree.node(right));
    let between = subject.file(file).source()[left.range.end..right.range.start].trim();
    let is = match between {
        "&&" => true,
        "||" => false,
        _ => return Vec::new(),
    };
    let operands = [
        (left, node.range.start..right.range.start),
        (right, left.range.end..node.range.end),
    ];
    let operands = operands
        .into_iter()
        .filter(|(operand, _)| !binds(tree, operand));
    operands
        .map(|(operand, gone)| Switch {
            element: Element::new(subject, node.kind, vec![Edit::delete(file, gone)]),
            file,
            range: operand.range.clone(),
            off: Off::Leaves(is, node.range.clone()),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::*;

    #[test]
    fn a_statement_that_gives_no_value_has_a_switch() {
        let subject = subject("fn f() -> u8 { let a = 1; g(a); m!{} if a { h(); } b }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() -> u8 { . let a = 1; ?0 { g(a); } ?1 { m!{} } ?2 { if (3|(a)) { ?4 { h(); } } } b }"
        );
    }

    #[test]
    fn what_a_value_or_a_type_hangs_on_has_none() {
        let subject = subject(
            "fn f() -> u8 { if a { return b; } if c { d } else { e } } fn g() { if a { h() } }",
        );
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() -> u8 { . ?0 { if (1|(a)) { return b; } } if (2|((3&(c)))) { d } else { e } } fn g() { . ?4 { if (5|(a)) { ?6 { h() } } } }"
        );
    }

    #[test]
    fn a_let_statement_whose_name_is_mentioned_has_none() {
        let subject = subject("fn f() { let a = g(); let b = h(a); let _ = i(); }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . let a = g(); ?0 { let b = h(a); } ?1 { let _ = i(); } }"
        );
    }

    #[test]
    fn what_a_string_may_mention_or_is_there_to_be_dropped_has_none() {
        let subject =
            subject("fn f() { let n = g(); println!(\"{n:?}\"); let _guard = h(); let m = i(); }");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . let n = g(); ?0 { println!(\"{n:?}\"); } let _guard = h(); ?1 { let m = i(); } }"
        );
    }

    #[test]
    fn a_condition_may_go_either_way_and_lose_its_parts() {
        let subject =
            subject("fn f() { let a = if b && c { 1 } else if let D = d { 2 } else { 3 }; a }");
        let all = in_bodies(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . let a = if (0|((1&((2|(b)) && (3|(c)))))) { 1 } else if let D = d { 2 } else { 3 }; ?4 { a } }"
        );
        let after = |at: usize| {
            let after = subject.without([&all[at].element]);
            let source = after.file(FileId(0)).source().to_string();
            source.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(after(0), "fn f() { let a = { 1 }; a }");
        assert_eq!(
            after(1),
            "fn f() { let a = if let D = d { 2 } else { 3 }; a }"
        );
        assert_eq!(
            after(2),
            "fn f() { let a = if c { 1 } else if let D = d { 2 } else { 3 }; a }"
        );
        assert_eq!(
            after(3),
            "fn f() { let a = if b { 1 } else if let D = d { 2 } else { 3 }; a }"
        );
    }

    #[test]
    fn code_that_may_run_at_compile_time_has_none() {
        let subject = subject("const fn f() { g(); } const A: u8 = { g(); 1 };");
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "const fn f() { g(); } const A: u8 = { g(); 1 };"
        );
    }
}
