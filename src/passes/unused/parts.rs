//! What has to change besides where a part goes that nothing needs, so that what is left compiles.

use std::ops::Range;

use crate::passes::query::{At, all, is_expr, owner_of};
use crate::subject::Subject;
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, PatKind};

fn is_pattern(kind: Kind) -> bool {
    matches!(kind, Kind::Pat(_))
}

/// A variant that nothing makes, with the arms and the alternatives that ask for it.
pub(super) fn variant(subject: &Subject, variant: At) -> Vec<Edit> {
    let mut edits = vec![variant.cut()];
    let (name, of) = (variant.name(), variant.parent().and_then(At::name));
    let asks = |pattern: &At| {
        let words = pattern.words(&pattern.range());
        let path = words
            .iter()
            .map(|(word, _)| *word)
            .take_while(|word| !matches!(*word, "(" | "{"));
        let mut path = path
            .filter(|word| *word != "::")
            .collect::<Vec<_>>()
            .into_iter()
            .rev();
        let own = path.next();
        let whose = match path.next() {
            Some("Self") => owner_of(*pattern),
            word => word,
        };
        own == name && (whose == of || whose.is_none() && has_all_of(*pattern, of))
    };
    let of_one = |kind| {
        use PatKind::{Ident, Path, Struct, TupleStruct};
        matches!(kind, Kind::Pat(Ident | Path | Struct | TupleStruct))
    };
    let patterns = all(subject, of_one).into_iter().filter(asks);
    edits.extend(patterns.filter_map(|pattern| {
        let outer = pattern.parent()?;
        match outer.kind() {
            Kind::Arm => Some(outer.cut()),
            Kind::Pat(PatKind::Or) => Some(pattern.cut()),
            _ => None,
        }
    }));
    edits
}

/// Whether a `use` has all variants of the enum `of` known by their bare names where `at` stands.
fn has_all_of(at: At, of: Option<&str>) -> bool {
    let is_glob = |item: At| {
        let words = item.words(&item.range());
        let last: Vec<&str> = words.iter().rev().map(|(word, _)| *word).take(4).collect();
        matches!(last[..], [";", "*", "::", whose] if Some(whose) == of)
    };
    let is_use = |kind| kind == Kind::Item(ItemKind::Use);
    // No further than the module.
    let module = |outer: At| outer.kind() == Kind::Item(ItemKind::Mod);
    let blocks = at
        .ancestors()
        .position(module)
        .map_or(usize::MAX, |at| at + 1);
    let mut around = at.ancestors().take(blocks);
    around.any(|outer| outer.children(is_use).into_iter().any(is_glob))
}

/// Fields of one struct pattern that bind what nothing needs: it says `..` instead.
pub(super) fn bound(fields: &[At]) -> Option<Vec<Edit>> {
    let pattern = fields.first()?.parent()?;
    let mut edits: Vec<Edit> = fields.iter().map(|field| field.cut()).collect();
    if pattern.child(|kind| kind == Kind::Rest).is_some() {
        return Some(edits);
    }
    let last = pattern.children(|kind| kind == Kind::FieldPat).pop()?;
    let end = pattern.range().end - 1;
    let goes = fields.iter().any(|field| field.id == last.id);
    let rest = match goes {
        true => pattern.edit(last.range().start..end, ".. "),
        false => pattern.edit(last.range().end..end, ", .. "),
    };
    edits.retain(|edit| edit.range.start < rest.range.start);
    edits.push(rest);
    Some(edits)
}

/// One of two parts of what goes through a loop or into a closure: `for (i, x) in xs.iter().enumerate()` → `for x in xs.iter()`,
/// `xs.zip(ys).map(|(x, y)| f(y))` → `ys.map(|y| f(y))`.
pub(super) fn one_of_two(pattern: At, unused: &Range<usize>) -> Option<Vec<Edit>> {
    let [first, second] = pattern.children(is_pattern)[..] else {
        return None;
    };
    let (kept, is_first) = match (first.range() == *unused, second.range() == *unused) {
        (true, false) => (second, true),
        (false, true) => (first, false),
        _ => return None,
    };
    if pattern.kind() != Kind::Pat(PatKind::Tuple) {
        return None;
    }
    let outer = pattern.parent()?;
    let made = match outer.kind() {
        Kind::Expr(ExprKind::For) => outer.child(is_expr)?,
        // What the method is called on whose argument is the closure around.
        Kind::Param => outer.parent()?.parent()?.child(is_expr)?,
        _ => return None,
    };
    if made.kind() != Kind::Expr(ExprKind::MethodCall) || made.holds(&pattern.range()) {
        return None;
    }
    let from = match (&made.children(is_expr)[..], is_first) {
        ([of], true) | ([of, _], false) => *of,
        ([_, with], true) => *with,
        _ => return None,
    };
    Some(vec![
        pattern.edit(pattern.range().start..kept.range().start, ""),
        pattern.edit(kept.range().end..pattern.range().end, ""),
        made.edit(made.range().start..from.range().start, ""),
        made.edit(from.range().end..made.range().end, ""),
    ])
}
