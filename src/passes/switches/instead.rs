//! Switches of what gives another value instead: functions and expressions.

use super::{Off, Switch, binds, hoist, ran};
use crate::passes::{Answers, Pass};
use crate::subject::Subject;
use crate::syntax::{ExprKind, Kind, Node, NodeId, StmtKind, Tree};

/// What an expression may give way to has at most so many tokens: it is there twice.
const LONGEST_INSTEAD: usize = 40;

/// A switch for every function that `answers` has a value for, one for each value.
pub fn answers(subject: &Subject, answers: &Answers) -> Vec<Switch> {
    let lists = (0..).map_while(|round| answers.list(subject, round));
    lists
        .flatten()
        .filter_map(|element| {
            let [edit] = &element.edits[..] else {
                return None;
            };
            let version = subject.file(edit.file);
            let (source, tree) = (version.source(), version.tree()?);
            let inner = tree.innermost(&edit.range)?;
            let mut around = std::iter::once(inner).chain(tree.ancestors(inner));
            let body = around.find(|id| tree.node(*id).kind == Kind::Body)?;
            let node = tree.node(body);
            let at = ran::behind_inner_attributes(tree, node);
            ran::at_run_time(source, tree, body).then(|| Switch {
                file: edit.file,
                range: node.range.clone(),
                off: Off::Returns(at, edit.text.trim().to_string()),
                element: element.clone(),
            })
        })
        .collect()
}

/// A switch for every expression that gives a value and may give way to one that stands in it.
pub fn expressions(subject: &Subject) -> Vec<Switch> {
    let all = hoist::expressions(subject).filter(|(file, tree, outer, inner, _)| {
        let source = subject.file(*file).source();
        tree.tokens_in(&tree.node(*inner).range).len() <= LONGEST_INSTEAD
            && gives_a_value(source, tree, *outer)
            && ran::at_run_time(source, tree, *outer)
    });
    all.map(|(file, tree, outer, inner, element)| Switch {
        element,
        file,
        range: tree.node(outer).range.clone(),
        off: Off::Gives(tree.node(inner).range.clone()),
    })
    .collect()
}

/// Whether `id` is an expression that is evaluated to a value which something makes use of: no place, and no statement.
fn gives_a_value(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let Kind::Expr(kind) = node.kind else {
        return false;
    };
    let Some(user) = tree.parent(id) else {
        return false;
    };
    let dropped =
        user.kind == Kind::Stmt(StmtKind::Expr) && source[user.range.clone()].ends_with(';');
    let gives = match kind {
        ExprKind::Binary => !assigns(source, tree, node) && !binds(tree, node),
        // Where one of these ends, a statement or an arm may as well.
        ExprKind::If | ExprKind::Match => {
            !matches!(user.kind, Kind::Stmt(_) | Kind::Arm | Kind::Else)
        }
        // Where a place is wanted, a copy of what is there would take the changes.
        ExprKind::Field | ExprKind::Index | ExprKind::Unary => match user.kind {
            Kind::Init => true,
            Kind::Expr(ExprKind::Binary) => !assigns(source, tree, user),
            Kind::Expr(user) => matches!(
                user,
                ExprKind::Array
                    | ExprKind::Call
                    | ExprKind::Cast
                    | ExprKind::Return
                    | ExprKind::Struct
                    | ExprKind::Tuple
            ),
            _ => false,
        },
        _ => matches!(
            kind,
            ExprKind::Array
                | ExprKind::Await
                | ExprKind::Call
                | ExprKind::Cast
                | ExprKind::MethodCall
                | ExprKind::Reference
                | ExprKind::Struct
                | ExprKind::Try
                | ExprKind::Tuple
        ),
    };
    gives && !dropped
}

/// Whether the binary expression `node` changes its left side.
fn assigns(source: &str, tree: &Tree, node: &Node) -> bool {
    let [left, right] = node.children[..] else {
        return true;
    };
    let operator = source[tree.node(left).range.end..tree.node(right).range.start].trim();
    operator.ends_with('=') && !["==", "!=", "<=", ">="].contains(&operator)
}

#[cfg(test)]
mod tests {
    use super::super::switched;
    use super::super::tests::{shown, subject};
    use super::*;
    use crate::syntax::FileId;

    #[test]
    fn an_expression_gives_way_to_what_stands_in_it() {
        let subject = subject("fn f() { let a = g(h(1), b.c()); a.d = 2; *e() = 3; i(j); &k.l }");
        let all = expressions(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . let a = (0? { (5? { (7? { g((1? { (6? { h(1) } else { 1 }) } else { h }), (2? { b.c() } else { b })) } else { b.c() }) } else { h(1) }) } else { g }); a.d = 2; *(3? { e() } else { e }) = 3; i(j); (4? { &k.l } else { k.l }) }"
        );
    }

    #[test]
    fn with_expressions_that_give_way_it_still_parses() {
        let subject = subject(
            "fn f() { if a(b) { c(d); } else if e(f) { g(h); } match i(j) { K => match l(m) { _ => n(o) } _ => p(q), } if r(s) && let T = u(v) {} w(x); }",
        );
        let all = expressions(&subject);
        assert!(all.len() > 8);
        let switched = switched(&subject, all.iter().enumerate());
        let tree = switched.subject.file(FileId(0)).tree();
        assert!(tree.is_some_and(|tree| tree.parsed));
    }

    #[test]
    fn a_function_answers_in_place_of_all_that_is_in_it() {
        let subject = subject("fn f(a: u8) -> Option<u8> { g(a); h() } fn i() { g(1); }");
        let all = answers(&subject, &Answers::default());
        let shown = shown(&subject, &all);
        assert!(shown.contains("-> Option<u8> { . ?0= { None; }"), "{shown}");
        assert!(shown.contains("fn i() { . ?1= { ; } g(1); }"), "{shown}");
        let after = subject.without([&all[0].element]);
        let after = after.file(FileId(0)).source();
        assert!(
            after.contains("{None}") || after.contains("{ None }"),
            "{after}"
        );
    }
}
