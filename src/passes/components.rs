//! Components of a tuple that is made to be taken apart at once.

use super::Pass;
use super::query::{At, all, is_expr, is_type};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind, StmtKind};

/// `let (a, b): (A, B) = match c { d => (e, f), _ => (g, h) };` → `let (a,): (A,) = match c { d => (e,), _ => (g,) };`, where
/// nothing mentions `b`.
pub struct Components;

impl Pass for Components {
    fn name(&self) -> &'static str {
        "components"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let lets = all(subject, |kind| kind == Kind::Stmt(StmtKind::Let)).into_iter();
        let list = lets.flat_map(|statement| {
            let elements = without_each(statement).unwrap_or_default().into_iter();
            elements.map(|edits| Element::new(subject, Kind::Field, edits))
        });
        Some(list.collect())
    }
}

/// What takes each component away that is not needed behind a statement.
fn without_each(statement: At) -> Option<Vec<Vec<Edit>>> {
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let pattern = statement.child(is_pattern)?;
    let names = pattern.children(is_pattern);
    if !pattern.text().starts_with('(') || names.len() < 2 {
        return None;
    }
    let value = statement.child(|kind| kind == Kind::Init)?.child(is_expr)?;
    let mut tuples = Vec::new();
    ends(value, &mut tuples)?;
    let ascription = statement.child(|kind| kind == Kind::Ascription);
    let types = ascription.and_then(|at| at.child(is_type));
    let types = types.map(|ty| ty.children(is_type));
    let scope = statement.parent()?;
    let behind = statement.node.range.end..scope.node.range.end;
    let mut found = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let text = name.text().trim_start_matches("mut ");
        let is_needed = text != "_" && !scope.mentions(text, &behind).is_empty();
        let is_name = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_needed || !is_name {
            continue;
        }
        let mut edits = vec![name.cut()];
        if let Some(types) = &types {
            edits.push(types.get(place)?.cut());
        }
        for tuple in &tuples {
            edits.push(tuple.children(is_expr).get(place)?.cut());
        }
        found.push(edits);
    }
    Some(found)
}

/// Adds the tuples that an expression may end with; `None` if it may end with something else.
fn ends<'s>(at: At<'s>, found: &mut Vec<At<'s>>) -> Option<()> {
    match at.kind() {
        Kind::Expr(ExprKind::Tuple) => found.push(at),
        Kind::Expr(ExprKind::Macro | ExprKind::Return | ExprKind::Break) => {}
        Kind::Expr(ExprKind::Match) => {
            for arm in at.children(|kind| kind == Kind::Arm) {
                ends(arm.children(is_expr).pop()?, found)?;
            }
        }
        Kind::Expr(ExprKind::If) => {
            ends(at.child(|kind| kind == Kind::Block)?, found)?;
            ends(at.child(|kind| kind == Kind::Else)?.child(is_expr)?, found)?;
        }
        Kind::Expr(ExprKind::Block | ExprKind::Unsafe) => {
            ends(at.child(|kind| kind == Kind::Block)?, found)?;
        }
        Kind::Expr(ExprKind::Paren) => ends(at.child(is_expr)?, found)?,
        Kind::Block => {
            let last = at.children(|kind| matches!(kind, Kind::Stmt(_))).pop()?;
            match last.child(is_expr) {
                Some(value) => ends(value, found)?,
                // A macro in the place of a statement does not end.
                None if last.kind() == Kind::Stmt(StmtKind::Macro) => {}
                None => return None,
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::Components;

    #[test]
    fn a_component_that_nothing_mentions_goes_from_all_tuples() {
        assert_eq!(
            each(
                &Components,
                "fn f() { let (a, b, _): (A, B, C) = match d { 1 => (2, g(3), 4), 5 => if e { (6, 7, 8) } else { todo!() }, _ => return }; h(a); }"
            ),
            [
                "fn f() { let (a, _): (A, C) = match d { 1 => (2, 4), 5 => if e { (6, 8) } else { todo!() }, _ => return }; h(a); }",
                "fn f() { let (a, b ): (A, B ) = match d { 1 => (2, g(3) ), 5 => if e { (6, 7 ) } else { todo!() }, _ => return }; h(a); }",
            ]
        );
    }

    #[test]
    fn what_may_be_made_elsewhere_stays() {
        let text =
            "fn f() { let (a, b) = if c { (1, 2) } else { g() }; let (d, e) = (3, 4); d + e; }";
        assert_eq!(each(&Components, text), Vec::<String>::new());
    }
}
