//! A `match` that has one arm left: what its pattern binds is bound by a `let`, or stands where it is mentioned.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use super::Pass;
use super::query::{At, all, is_expr, smaller};
use super::values::{fits, mentions_of_values, repeats, said_at};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind, PatKind, StmtKind};

/// `match e { P => { s; t } }` → `let P = e; s; t` where it is a statement, `f(match e { x => g(x) })` → `f(g(e))`.
pub struct OneArm;

impl Pass for OneArm {
    fn name(&self) -> &'static str {
        "match-to-let"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let matches = all(subject, |kind| kind == Kind::Expr(ExprKind::Match)).into_iter();
        let list = matches.filter_map(|at| {
            let arm = Arm::only_of(at)?;
            let edits = arm.as_statements(at).or_else(|| arm.in_place(at))?;
            smaller(subject, at.kind(), edits)
        });
        Some(list.collect())
    }
}

/// The only arm of a match.
struct Arm<'s> {
    /// What is matched.
    value: At<'s>,
    pattern: At<'s>,
    body: At<'s>,
}

impl<'s> Arm<'s> {
    fn only_of(at: At<'s>) -> Option<Arm<'s>> {
        let arms = at.children(|kind| kind == Kind::Arm);
        let [arm] = arms[..] else { return None };
        let parts = arm.children(|kind| matches!(kind, Kind::Pat(_) | Kind::Expr(_)));
        let is_condition = |kind| kind == Kind::Init;
        let [pattern, body] = parts[..] else {
            return None;
        };
        if arm.child(is_condition).is_some() || pattern.kind() == Kind::Pat(PatKind::Or) {
            return None;
        }
        let value = at.child(is_expr)?;
        Some(Arm {
            value,
            pattern,
            body,
        })
    }

    /// What stands in the place of a match that is a statement.
    fn as_statements(&self, at: At) -> Option<Vec<Edit>> {
        let statement = at.parent()?;
        let is_alone = statement.text().trim_end_matches(';').trim_end() == at.text();
        if statement.kind() != Kind::Stmt(StmtKind::Expr) || !is_alone {
            return None;
        }
        let block = statement.parent()?;
        let is_last = block.node.children.last() == Some(&statement.id);
        let has_value = is_last && !statement.text().ends_with(';');
        let inside = self.body.child(|kind| kind == Kind::Block);
        let is_block = self.body.kind() == Kind::Expr(ExprKind::Block);
        let inside = inside.filter(|inside| is_block && inside.range() == self.body.range());
        let (body, ends) = match inside {
            Some(block) => {
                let last = block
                    .node
                    .children
                    .last()
                    .map(|last| block.tree.node(*last));
                let inner = block.node.range.start + 1..block.node.range.end - 1;
                let ends = last.is_none_or(|last| {
                    last.kind != Kind::Stmt(StmtKind::Expr)
                        || block.source[last.range.clone()].ends_with([';', '}'])
                });
                (inner, ends)
            }
            None => (self.body.range(), false),
        };
        let is_anything = self.pattern.kind() == Kind::Pat(PatKind::Wild);
        let pattern = match is_anything {
            true => String::new(),
            false => format!("let {} = ", self.pattern.text()),
        };
        let start = statement.node.range.start..self.value.node.range.start;
        let between = self.value.node.range.end..body.start;
        let close = if has_value || ends { "" } else { ";" };
        Some(vec![
            at.edit(start, pattern),
            at.edit(between, "; "),
            at.edit(body.end..statement.node.range.end, close),
        ])
    }

    /// The arm's body in the place of the match, if it mentions what is matched once.
    fn in_place(&self, at: At) -> Option<Vec<Edit>> {
        let name = self.pattern.name();
        let name = name.filter(|name| *name == self.pattern.text())?;
        let places = mentions_of_values(self.body, self.body.range(), name)?;
        let [place] = &places[..] else { return None };
        let mut around = self.body.inside(is_expr).into_iter().chain([self.body]);
        if around.any(|at| repeats(at.kind()) && at.holds(place)) {
            return None;
        }
        let said = said_at(self.body, place, self.value)?;
        let body = self.body.range();
        let (open, close) = match fits(self.body, at) {
            true => ("", ""),
            false => ("(", ")"),
        };
        Some(vec![
            at.edit(at.node.range.start..body.start, open),
            at.edit(place.clone(), said),
            at.edit(body.end..at.node.range.end, close),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(each(&OneArm, text), expected, "{text}");
    }

    #[test]
    fn a_statement_becomes_a_let() {
        check(
            "fn f() { match g() { S(x) => { h(x); k(x) } } }",
            &["fn f() { let S(x) = g(); h(x); k(x) }"],
        );
        check(
            "fn f() { match g() { x => h(x, x), }; 1 }",
            &["fn f() { let x = g(); h(x, x); 1 }"],
        );
        check(
            "fn f() { match g() { x => { h(x, x) } } 1 }",
            &["fn f() { let x = g(); h(x, x) ; 1 }"],
        );
        check(
            "fn f() { match g()? { _ => todo!() } }",
            &["fn f() { g()?; todo!() }"],
        );
        check(
            "fn f() { match g() { x => { if x { } } } 1 }",
            &["fn f() { let x = g(); if x { } 1 }"],
        );
    }

    #[test]
    fn what_is_mentioned_once_stands_there() {
        check(
            "fn f() { let a = match g() { x => x.h(1) }; }",
            &["fn f() { let a = g().h(1); }"],
        );
        check(
            "fn f() { k(match -a { x => S { x } }) }",
            &["fn f() { k(S { x: -a }) }"],
        );
    }

    #[test]
    fn operands_stay_together() {
        check(
            "fn f() { let a = -match g() { x => x + 1 }; }",
            &["fn f() { let a = -(g() + 1); }"],
        );
    }

    #[test]
    fn what_may_be_something_else_stays() {
        for text in [
            "fn f() { match g() { A => 1, B => 2 } }",
            "fn f() { match g() { x if x => 1 } }",
            "fn f() { match g() { A(x) | B(x) => 1 } }",
            "fn f() { let a = match g() { x => x + x }; }",
            "fn f() { let a = match g() { x => loop { x } }; }",
        ] {
            check(text, &[]);
        }
    }
}
