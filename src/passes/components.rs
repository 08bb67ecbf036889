//! Components of a tuple that is made to be taken apart at once.

use super::Pass;
use super::query::{At, all, is_expr, is_fn, is_type};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, PatKind, StmtKind, TypeKind};

/// `let (a, b): (A, B) = match c { d => (e, f), _ => (g, h) };` → `let (a,): (A,) = match c { d => (e,), _ => (g,) };`, where
/// nothing mentions `b`; and where a function makes the tuple that is called there alone, the same in that function.
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
            let elements = without_each(subject, statement)
                .unwrap_or_default()
                .into_iter();
            elements.map(|edits| Element::new(subject, Kind::Field, edits))
        });
        Some(list.collect())
    }
}

/// What takes each component away that is not needed behind a statement.
fn without_each(subject: &Subject, statement: At) -> Option<Vec<Vec<Edit>>> {
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let pattern = statement.child(is_pattern)?;
    let names = pattern.children(is_pattern);
    if !pattern.text().starts_with('(') || names.len() < 2 {
        return None;
    }
    let value = statement.child(|kind| kind == Kind::Init)?.child(is_expr)?;
    let mut tuples = Vec::new();
    let ascription = statement.child(|kind| kind == Kind::Ascription);
    let mut types: Vec<At> = ascription
        .and_then(|at| at.child(is_type))
        .into_iter()
        .collect();
    match value.kind() {
        Kind::Expr(ExprKind::Call) => types.push(made_by(subject, value, &mut tuples)?),
        _ => ends(value, &mut tuples)?,
    }
    let mut all = vec![(pattern, names.clone())];
    all.extend(tuples.iter().map(|tuple| (*tuple, tuple.children(is_expr))));
    all.extend(types.iter().map(|ty| (*ty, ty.children(is_type))));
    let has_rest = names
        .iter()
        .any(|name| name.kind() == Kind::Pat(PatKind::Rest));
    if has_rest || all.iter().any(|(_, parts)| parts.len() != names.len()) {
        return None;
    }
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
        let edits = all.iter().flat_map(|(whole, parts)| match parts[..] {
            // One alone is no tuple.
            [first, second] => {
                let other = if place == 0 { second } else { first };
                let (whole, other) = (whole.range(), other.range());
                let around = [whole.start..other.start, other.end..whole.end];
                around.map(|range| parts[0].edit(range, "")).to_vec()
            }
            _ => vec![parts[place].cut()],
        });
        let edits = edits.collect();
        found.push(edits);
        if names.len() == 2 {
            // The other one is left alone.
            break;
        }
    }
    Some(found)
}

/// Adds the tuples that a function may give back which is called there alone; its type.
fn made_by<'s>(subject: &'s Subject, call: At<'s>, found: &mut Vec<At<'s>>) -> Option<At<'s>> {
    let callee = call.child(is_expr)?;
    let name = callee.text();
    let is_free = |kind| kind == Kind::Item(ItemKind::Fn);
    let functions = all(subject, is_free).into_iter();
    let mut functions = functions.filter(|at| at.name() == Some(name));
    let function = functions.next().filter(|_| functions.next().is_none())?;
    let mentions = all(subject, |kind| kind == Kind::File).into_iter();
    let mentions = mentions.map(|file| file.mentions(name, &file.range()).len());
    if mentions.sum::<usize>() > 2 {
        return None;
    }
    let body = function.child(|kind| kind == Kind::Body)?;
    let last = body.children(|kind| matches!(kind, Kind::Stmt(_))).pop()?;
    ends(last.child(is_expr)?, found)?;
    let leaves = body.inside(|kind| matches!(kind, Kind::Expr(ExprKind::Return | ExprKind::Try)));
    let own = |at: &At| {
        let mut outer = at.ancestors();
        let around = outer
            .find(|outer| is_fn(outer.kind()) || outer.kind() == Kind::Expr(ExprKind::Closure));
        around.is_some_and(|around| around.id == function.id)
    };
    for leaving in leaves.into_iter().filter(own) {
        if leaving.kind() == Kind::Expr(ExprKind::Try) {
            return None;
        }
        ends(leaving.child(is_expr)?, found)?;
    }
    let ty = function
        .child(|kind| kind == Kind::ReturnType)?
        .child(is_type)?;
    (ty.kind() == Kind::Type(TypeKind::Tuple)).then_some(ty)
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
    fn a_function_that_is_called_once_makes_one_component_less() {
        assert_eq!(
            each(
                &Components,
                "fn f() { let (_, x) = g(1); x; } fn g(n: u8) -> (A<u8>, B) { if n { return (h(), 2); } k(|| return); (A, 1) }"
            ),
            ["fn f() { let x = g(1); x; } fn g(n: u8) -> B { if n { return 2; } k(|| return); 1 }"]
        );
    }

    #[test]
    fn what_may_be_made_elsewhere_stays() {
        let text =
            "fn f() { let (a, b) = if c { (1, 2) } else { g() }; let (d, e) = (3, 4); d + e; }";
        assert_eq!(each(&Components, text), Vec::<String>::new());
        let text = "fn f() { let (a, ..) = (1, 2); let (_, x) = g(); x; } fn g() -> (A, B) { (A, h()?) } fn k() { let (_, x) = l(); x; l(); } fn l() -> (A, B) { (A, B) }";
        assert_eq!(each(&Components, text), Vec::<String>::new());
    }
}
