//! What becomes of those who ask whether a call gave a value, once it always does.

use super::{EXPLAINING, Given, UNWRAPPING, Wrapper, is_try};
use crate::passes::query::{At, is_expr};
use crate::syntax::{Edit, ExprKind, Kind, PatKind};

/// Whether somebody goes on asking whether `call` gave a value when it always does.
pub(super) fn is_asked(call: At, given: &Given) -> bool {
    let edits = without_asking(call, given, false);
    edits.iter().any(|edit| edit.text.ends_with('('))
}

/// Nobody asks whether `call` gave a value; who would have to is given one in the wrapper again, unless it may be that of another
/// function.
pub(super) fn without_asking(call: At, given: &Given, mixed: bool) -> Vec<Edit> {
    let end = call.node.range.end;
    let cut_behind = |outer: At| vec![call.edit(end..outer.node.range.end, "")];
    let receives = |outer: &At| {
        outer.kind() == Kind::Expr(ExprKind::MethodCall)
            && outer
                .child(is_expr)
                .is_some_and(|first| first.id == call.id)
    };
    let around = call.parent();
    if let Some(outer) = around.filter(|outer| is_try(outer.kind())) {
        return cut_behind(outer);
    }
    if let Some(outer) = around.filter(receives) {
        let name = outer.name().unwrap_or_default();
        if UNWRAPPING.contains(&name) {
            return cut_behind(outer);
        }
        let asked = outer.parent().filter(|outer| is_try(outer.kind()));
        if let Some(asked) = asked.filter(|_| EXPLAINING.contains(&name)) {
            return cut_behind(asked);
        }
    }
    if let Some(edits) = taken_apart(call, given.wrapper) {
        return edits;
    }
    if mixed || around.is_some_and(|outer| is_given_up(call, outer)) {
        return Vec::new();
    }
    let start = call.node.range.start;
    vec![
        call.edit(start..start, format!("{}(", given.constructor())),
        call.edit(end..end, ")"),
    ]
}

/// A pattern that looks into a `wrapper`, without it.
pub(super) fn looks_into(pattern: At, wrapper: Wrapper) -> Option<[Edit; 2]> {
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let is_it =
        pattern.kind() == Kind::Pat(PatKind::TupleStruct) && pattern.name() == Some(wrapper.name());
    match pattern.children(is_pattern)[..] {
        [inner] if is_it => Some([
            pattern.edit(pattern.node.range.start..inner.node.range.start, ""),
            pattern.edit(inner.node.range.end..pattern.node.range.end, ""),
        ]),
        _ => None,
    }
}

/// Where the value of `call` is taken apart at once: what looks into the `wrapper` looks at the value, and all else goes.
fn taken_apart(call: At, wrapper: Wrapper) -> Option<Vec<Edit>> {
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let around = call.parent()?;
    match around.kind() {
        Kind::Expr(ExprKind::Match) if around.child(is_expr)?.id == call.id => {
            let (mut looks, mut edits) = (Vec::new(), Vec::new());
            for arm in around.children(|kind| kind == Kind::Arm) {
                let is_plain = arm.child(|kind| kind == Kind::Init).is_none();
                match looks_into(arm.child(is_pattern)?, wrapper).filter(|_| is_plain) {
                    Some(look) => looks.push((arm, look)),
                    None => edits.push(arm.cut()),
                }
            }
            let [(arm, [before, behind])] = &looks[..] else {
                return None;
            };
            let looked = &arm.source[before.range.end..behind.range.start];
            if arm.children(is_expr).last().map(|body| body.text()) == Some(looked) {
                let whole = around.range();
                return Some(vec![
                    around.edit(whole.start..call.node.range.start, ""),
                    around.edit(call.node.range.end..whole.end, ""),
                ]);
            }
            edits.extend([before.clone(), behind.clone()]);
            Some(edits)
        }
        Kind::Expr(ExprKind::Let) => {
            let outer = around
                .parent()
                .filter(|outer| outer.kind() == Kind::Expr(ExprKind::If))?;
            let pattern = around.child(is_pattern)?;
            let mut edits = without_if(outer, pattern, call)?.to_vec();
            edits.extend(looks_into(pattern, wrapper)?);
            Some(edits)
        }
        Kind::Init => {
            let statement = around.parent()?;
            let otherwise = statement.child(|kind| kind == Kind::Else)?;
            let mut edits = vec![otherwise.cut()];
            edits.extend(looks_into(statement.child(is_pattern)?, wrapper)?);
            Some(edits)
        }
        _ => None,
    }
}

/// `if let P = e { f() } else {…}` → `{ let P = e; f() }`.
pub(super) fn without_if(outer: At, pattern: At, value: At) -> Option<[Edit; 3]> {
    let block = outer.child(|kind| kind == Kind::Block)?.range();
    Some([
        outer.edit(outer.node.range.start..pattern.node.range.start, "{ let "),
        outer.edit(value.node.range.end..block.start + 1, ";"),
        outer.edit(block.end..outer.node.range.end, ""),
    ])
}

/// Whether nobody looks at the value of `call`, around which `outer` is.
fn is_given_up(call: At, outer: At) -> bool {
    match outer.kind() {
        Kind::Stmt(_) => call.source[outer.range()].ends_with(';'),
        Kind::Init => outer.parent().is_some_and(|statement| {
            let pattern = statement.child(|kind| matches!(kind, Kind::Pat(_)));
            pattern.is_some_and(|pattern| pattern.text() == "_")
        }),
        _ => false,
    }
}
