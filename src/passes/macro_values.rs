//! Macro calls that are only there for a value in them: `dbg!(f(x));` → `f(x);`.

use super::Pass;
use super::query::{all, is_expr, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{Kind, StmtKind};

/// A macro call in the place of a statement → its first argument, its second in the second round.
pub struct MacroValues;

impl Pass for MacroValues {
    fn name(&self) -> &'static str {
        "macros-to-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let calls = all(subject, |kind| kind == Kind::Stmt(StmtKind::Macro)).into_iter();
        let list = calls.filter_map(|call| {
            let value = call.children(is_expr).into_iter().nth(round)?;
            let end = if call.text().ends_with(';') { ";" } else { "" };
            let edits = vec![
                call.edit(call.node.range.start..value.node.range.start, ""),
                call.edit(value.node.range.end..call.node.range.end, end),
            ];
            smaller(subject, call.kind(), edits)
        });
        Some(list.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_call_for_show_becomes_what_it_shows() {
        assert_eq!(
            each(
                &MacroValues,
                "fn f() { dbg!(g(1)); println!(\"{}\", h()); }"
            ),
            [
                "fn f() { g(1); println!(\"{}\", h()); }",
                "fn f() { dbg!(g(1)); \"{}\"; }",
                "fn f() { dbg!(g(1)); h(); }",
            ]
        );
    }
}
