//! Functions that no longer return anything: `fn f() -> u8 { todo!() }` → `fn f() {}`, the function in
//! the trait together with those of its name in the impls.

use std::collections::BTreeMap;

use super::Pass;
use super::query::{At, all, is_fn, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, Kind, StmtKind};

/// The return types of all functions of one name; their bodies keep what they do in the first round
/// and are empty after the second.
pub struct ReturnTypes;

impl Pass for ReturnTypes {
    fn name(&self) -> &'static str {
        "return-types"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let mut by_name: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        for function in all(subject, is_fn) {
            if let Some(name) = function.name() {
                by_name.entry(name).or_default().push(function);
            }
        }
        let list = by_name.into_values().filter_map(|same| {
            let mut returns = false;
            let mut edits = Vec::new();
            for function in &same {
                let Some(output) = function.child(|kind| kind == Kind::ReturnType) else {
                    continue;
                };
                returns = true;
                edits.push(output.cut());
                if let Some(body) = function.child(|kind| kind == Kind::Body) {
                    edits.extend(if round == 1 {
                        Some(body.by("{}"))
                    } else {
                        valueless(body)
                    });
                }
            }
            smaller(subject, Kind::ReturnType, edits).filter(|_| returns)
        });
        Some(list.collect())
    }
}

/// What makes a body end without a value: nothing in the place of one that only diverges, a
/// semicolon behind any other.
fn valueless(body: At) -> Option<Edit> {
    let statements = body.children(|kind| matches!(kind, Kind::Stmt(_) | Kind::Item(_)));
    let last = statements.last()?;
    if let ([only], true) = (&statements[..], last.text().contains("!(")) {
        let diverges = ["todo!(", "unimplemented!(", "panic!("];
        if diverges.iter().any(|start| only.text().starts_with(start)) {
            return Some(body.by("{}"));
        }
    }
    let open = matches!(last.kind(), Kind::Stmt(StmtKind::Expr | StmtKind::Macro));
    let end = last.node.range.end;
    (open && !last.text().ends_with([';', '}'])).then(|| last.edit(end..end, ";"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn all_functions_of_a_name_stop_returning_together() {
        let text = "trait A { fn f() -> u8; } impl A for B { fn f() -> u8 { todo!() } } fn g() -> u8 { h(); 1 } fn h() {}";
        assert_eq!(
            each(&ReturnTypes, text),
            [
                "trait A { fn f() ; } impl A for B { fn f() {} } fn g() -> u8 { h(); 1 } fn h() {}",
                "trait A { fn f() -> u8; } impl A for B { fn f() -> u8 { todo!() } } fn g() { h(); 1; } fn h() {}",
                "trait A { fn f() ; } impl A for B { fn f() {} } fn g() -> u8 { h(); 1 } fn h() {}",
                "trait A { fn f() -> u8; } impl A for B { fn f() -> u8 { todo!() } } fn g() {} fn h() {}",
            ]
        );
    }
}
