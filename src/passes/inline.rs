//! Values put where their name stood: what is bound once and used once needs no name.

use super::Pass;
use super::query::{At, all, is_expr, smaller};
use super::values::{fits, is_plain, repeats};
use crate::subject::{Elements, Subject};
use crate::syntax::{ExprKind, ItemKind, Kind, PatKind, StmtKind};

/// `let x = e; f(x)` → `f(e)`, `const X: T = e;` with one use likewise.
pub struct InlineValues {
    /// What takes more tokens keeps its name.
    pub at_most: usize,
}

impl InlineValues {
    /// Whatever it takes to say it.
    pub const ALL: InlineValues = InlineValues {
        at_most: usize::MAX,
    };

    /// What is read as easily without a name.
    pub const SHORT: InlineValues = InlineValues { at_most: 20 };
}

impl Pass for InlineValues {
    fn name(&self) -> &'static str {
        "inline-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let is_binding = |kind| {
            matches!(
                kind,
                Kind::Stmt(StmtKind::Let) | Kind::Item(ItemKind::Const | ItemKind::Static)
            )
        };
        let list = all(subject, is_binding).into_iter().filter_map(|binding| {
            let (name, value) = bound(binding)?;
            if value.tree.weight(&value.range()) > self.at_most {
                return None;
            }
            let scope = binding.parent()?;
            let mut uses = scope.mentions(name, &scope.range());
            uses.retain(|at| !binding.holds(at));
            let [only] = &uses[..] else { return None };
            let is_use = |kind| matches!(kind, Kind::FieldValue | Kind::Expr(ExprKind::Path));
            let there = scope.inside(is_use).into_iter();
            let mut there = there.filter(|at| at.range() == *only);
            let place = there.next()?;
            if !is_plain(value) && runs_again(binding, place) {
                return None;
            }
            if let Some(field) = [place].into_iter().chain(there).find(is_field) {
                let text = format!("{name}: {}", value.text());
                return smaller(subject, binding.kind(), vec![binding.cut(), field.by(text)]);
            }
            let text = match fits(value, place) {
                true => value.text().to_string(),
                false => format!("({})", value.text()),
            };
            smaller(subject, binding.kind(), vec![binding.cut(), place.by(text)])
        });
        Some(list.collect())
    }
}

/// Whether what stands there may run more than once, or later, where the binding ran once.
fn runs_again(binding: At, place: At) -> bool {
    let outer = place.ancestors();
    let mut outer = outer.take_while(|outer| Some(outer.id) != binding.node.parent);
    binding.kind() == Kind::Stmt(StmtKind::Let)
        && outer.any(|outer| {
            let given_first = outer.kind() == Kind::Expr(ExprKind::For)
                && outer
                    .child(is_expr)
                    .is_some_and(|first| first.holds(&place.range()));
            repeats(outer.kind()) && !given_first
        })
}

/// Whether it is a field that is called like what is put into it.
fn is_field(at: &At) -> bool {
    at.kind() == Kind::FieldValue
}

/// The name that a binding gives, and its value.
fn bound<'s>(binding: At<'s>) -> Option<(&'s str, At<'s>)> {
    if binding.kind() != Kind::Stmt(StmtKind::Let) {
        return Some((binding.name()?, binding.child(is_expr)?));
    }
    if binding.child(|kind| kind == Kind::Else).is_some() {
        return None;
    }
    let pattern = binding.child(|kind| kind == Kind::Pat(PatKind::Ident))?;
    let value = binding.child(|kind| kind == Kind::Init)?.child(is_expr)?;
    Some((pattern.name()?, value))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_value_used_once_stands_where_its_name_stood() {
        assert_eq!(
            each(
                &InlineValues::ALL,
                "const N: u8 = 1 + 2; fn f() { let x: u8 = g(); let y = 1; h(x, y, y); let z = |a| a; z.i(N) }"
            ),
            [
                "fn f() { let x: u8 = g(); let y = 1; h(x, y, y); let z = |a| a; z.i(1 + 2) }",
                "const N: u8 = 1 + 2; fn f() { let y = 1; h(g(), y, y); let z = |a| a; z.i(N) }",
                "const N: u8 = 1 + 2; fn f() { let x: u8 = g(); let y = 1; h(x, y, y); (|a| a).i(N) }",
            ]
        );
    }

    #[test]
    fn what_takes_many_words_keeps_its_name() {
        let text = "fn f() { let x = g(1, 2); h(x) }";
        assert_eq!(each(&InlineValues { at_most: 6 }, text).len(), 1);
        assert_eq!(each(&InlineValues { at_most: 5 }, text).len(), 0);
    }

    #[test]
    fn a_field_that_is_called_so_says_its_name() {
        assert_eq!(
            each(&InlineValues::ALL, "fn f() { let x = g(1); S { x, y: 2 } }"),
            ["fn f() { S { x: g(1), y: 2 } }"]
        );
    }

    #[test]
    fn what_runs_once_does_not_go_where_it_may_run_again() {
        let text = "fn f() { let x = g(1); for i in y { h(x) } let z = |i| k; for i in n { z } let a = |i| b; for i in a.c() { } }";
        assert_eq!(
            each(&InlineValues::ALL, text),
            [
                "fn f() { let x = g(1); for i in y { h(x) } let z = |i| k; for i in n { z } for i in (|i| b).c() { } }"
            ]
        );
    }

    #[test]
    fn what_is_matched_or_may_not_match_stays() {
        let none: [&str; 0] = [];
        let text = "fn f() { let (a, b) = g(); a; b; let Some(c) = h() else { return }; c; }";
        assert_eq!(each(&InlineValues::ALL, text), none);
    }
}
