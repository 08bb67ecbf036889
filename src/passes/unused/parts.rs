//! What has to change besides where a part goes that nothing needs, so that what is left compiles.

use std::ops::Range;

use crate::passes::imports::{Import, imports};
use crate::passes::query::{At, all, is_expr, owner_of};
use crate::subject::Subject;
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, PatKind};

fn is_pattern(kind: Kind) -> bool {
    matches!(kind, Kind::Pat(_))
}

/// A variant that nothing makes, with its imports, and the arms and the alternatives that ask for it.
pub(super) fn variant(subject: &Subject, variant: At) -> Vec<Edit> {
    let mut edits = vec![variant.cut()];
    let of = variant.parent().and_then(At::name);
    let (Some(name), Some(of)) = (variant.name(), of) else {
        return edits;
    };
    let uses = all(subject, |kind| kind == Kind::Item(ItemKind::Use));
    edits.extend(uses.into_iter().flat_map(|at| imports_of(at, of, name)));
    let asks = |pattern: &At| {
        let words = pattern.words(&pattern.range());
        let path = words
            .iter()
            .map(|(word, _)| *word)
            .take_while(|word| !matches!(*word, "(" | "{"));
        let path: Vec<&str> = path.filter(|word| *word != "::").collect();
        match path[..] {
            [.., "Self", own] => own == name && owner_of(*pattern) == Some(of),
            [.., whose, own] => own == name && whose == of,
            [own] => is_known_as(*pattern, own, of, name),
            [] => false,
        }
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

/// Whether an import is of the variant `name` of the enum `of` alone.
fn is_of(import: &Import, of: &str, name: &str) -> bool {
    import.name.is_some()
        && matches!(import.path[..], [.., whose, own] if whose == of && own == name)
}

/// What imports the variant `name` of the enum `of` in one `use` item, and nothing else.
fn imports_of(at: At, of: &str, name: &str) -> Vec<Edit> {
    let all = imports(at);
    if let [import] = &all[..] {
        let whole = is_of(import, of, name).then(|| at.cut());
        return whole.into_iter().collect();
    }
    let is_tree = |kind| kind == Kind::UseTree;
    let mut ends = at.inside(is_tree);
    ends.retain(|tree| tree.child(is_tree).is_none());
    if ends.len() != all.len() {
        return Vec::new();
    }
    let ends = ends.into_iter().zip(&all);
    let its = ends.filter(|(_, import)| is_of(import, of, name));
    its.map(|(tree, _)| tree.cut()).collect()
}

/// Whether `own` means the variant `name` of the enum `of` where `at` stands: a `use` has it known by that name, or all variants
/// by theirs.
fn is_known_as(at: At, own: &str, of: &str, name: &str) -> bool {
    let knows = |item: At| {
        imports(item).iter().any(|import| match import.name {
            None => own == name && import.path.last() == Some(&of),
            Some(alias) => own == alias && is_of(import, of, name),
        })
    };
    let is_use = |kind| kind == Kind::Item(ItemKind::Use);
    // No further than the module.
    let module = |outer: At| outer.kind() == Kind::Item(ItemKind::Mod);
    let blocks = at
        .ancestors()
        .position(module)
        .map_or(usize::MAX, |at| at + 1);
    let mut around = at.ancestors().take(blocks);
    around.any(|outer| outer.children(is_use).into_iter().any(knows))
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
