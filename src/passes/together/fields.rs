//! Fields, with what struct expressions and patterns give for them.

use std::collections::BTreeMap;
use std::ops::Range;

use super::type_parameters::without_parameter;
use super::{children, is_expr, name, path_end, text};
use crate::passes::query::{At, is_parameter};
use crate::passes::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, Tree};

/// A field, with what struct expressions and patterns give for it; those behind it in a tuple move up.
pub struct Fields;
impl Pass for Fields {
    fn name(&self) -> &'static str {
        "fields-with-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
        for (file, _, _, node) in nodes(subject, |_, _, node| node.kind == Kind::Field) {
            if let Some(field) = name(subject, file, node) {
                *defined.entry(field).or_default() += 1;
            }
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| node.kind == Kind::Field) {
            let Some(owner) = tree.parent(id) else {
                continue;
            };
            let mut edits = vec![Edit::delete(file, node.range.clone())];
            for parameter in At::new(subject, file, id).map_or_else(Vec::new, needed_by_it_alone) {
                edits.extend(without_parameter(subject, parameter).unwrap_or_default());
            }
            match name(subject, file, node) {
                Some(field) => {
                    // Where others are called the same, it has to be said whose it is.
                    let owner = name(subject, file, owner).filter(|_| defined[field] > 1);
                    edits.extend(values_of(subject, field, owner));
                }
                None => {
                    // What a variant has cannot be asked for by its number.
                    let is_variant = owner.kind == Kind::Variant;
                    let fields = children(tree, owner, |kind| kind == Kind::Field);
                    let at = fields.iter().position(|field| field.range == node.range);
                    if let (Some(at), Some(owner)) = (at, name(subject, file, owner)) {
                        edits.extend(nth_of(subject, owner, at));
                        if !is_variant {
                            edits.extend(moved_up(subject, owner, at + 1..fields.len()));
                        }
                    }
                }
            }
            list.push(Element::new(subject, Kind::Field, edits));
        }
        Some(list)
    }
}

/// The generic parameters that its type alone mentions of all that a `field`'s struct or enum has.
fn needed_by_it_alone(field: At<'_>) -> Vec<At<'_>> {
    let has_fields = |kind| matches!(kind, Kind::Item(ItemKind::Struct | ItemKind::Enum));
    let Some(owner) = field.ancestors().find(|outer| has_fields(outer.kind())) else {
        return Vec::new();
    };
    let mut parameters = owner.children(is_parameter);
    parameters.retain(|parameter| {
        let Some(name) = parameter.name() else {
            return false;
        };
        let mentions = |at: &At| !at.mentions(name, &at.range()).is_empty();
        let fields = owner.inside(|kind| kind == Kind::Field);
        let mut others = fields.iter().filter(|other| other.id != field.id);
        mentions(&field) && !others.any(mentions)
    });
    parameters
}

/// Deletions of `field: …` in all struct expressions and patterns, or in those of an `owner` alone.
pub fn values_of(subject: &Subject, field: &str, owner: Option<&str>) -> Vec<Edit> {
    let is_value = |kind| matches!(kind, Kind::FieldValue | Kind::FieldPat);
    let values = nodes(subject, move |_, _, node| is_value(node.kind));
    let named = values.filter(|(file, tree, id, node)| {
        let source = subject.file(*file).source();
        let attributes = children(tree, node, |kind| kind == Kind::Attribute);
        let start = attributes
            .last()
            .map_or(node.range.start, |last| last.range.end);
        let first = tree
            .identifiers(source, &(start..node.range.end))
            .find(|word| !matches!(*word, "ref" | "mut"));
        first == Some(field) && owner.is_none_or(|owner| belongs(subject, *file, tree, *id, owner))
    });
    named
        .map(|(file, _, _, node)| Edit::delete(file, node.range.clone()))
        .collect()
}

/// Whether the struct expression or pattern around `id` is of an `owner`, as far as its path says.
fn belongs(subject: &Subject, file: FileId, tree: &Tree, id: NodeId, owner: &str) -> bool {
    let Some(around) = tree.parent(id) else {
        return false;
    };
    match path_end(subject, file, tree, around) {
        Some("Self") => {
            let mut outer = tree.ancestors(id).map(|outer| tree.node(outer));
            let around = outer.find(|outer| outer.kind == Kind::Item(ItemKind::Impl));
            around.is_some_and(|around| is_of(subject, file, tree, around, owner))
        }
        last => last == Some(owner),
    }
}

/// Whether one of the types that the impl `around` is about is called `owner`.
fn is_of(subject: &Subject, file: FileId, tree: &Tree, around: &Node, owner: &str) -> bool {
    let types = children(tree, around, |kind| matches!(kind, Kind::Type(_)));
    let mut types = types.into_iter();
    types.any(|ty| name(subject, file, ty) == Some(owner))
}

/// Deletions of the `at`th argument or sub-pattern of all `owner(…)`.
fn nth_of(subject: &Subject, owner: &str, at: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let is_use = |kind| {
        matches!(
            kind,
            Kind::Expr(ExprKind::Call) | Kind::Pat(PatKind::TupleStruct)
        )
    };
    for (file, tree, _, node) in nodes(subject, move |_, _, node| is_use(node.kind)) {
        if name(subject, file, node) != Some(owner) {
            continue;
        }
        let parts = children(tree, node, |kind| {
            matches!(kind, Kind::Expr(_) | Kind::Pat(_))
        });
        let skip = usize::from(is_expr(node.kind));
        if let Some(part) = parts.get(at + skip) {
            edits.push(Edit::delete(file, part.range.clone()));
        }
    }
    edits
}

/// `.n` → `.n-1` for the `later` fields of an `owner`, where it may be one that is asked: on `self` in the impl of another type it
/// is not.
fn moved_up(subject: &Subject, owner: &str, later: Range<usize>) -> Vec<Edit> {
    if later.is_empty() {
        return Vec::new();
    }
    let is_selection = |kind| kind == Kind::Expr(ExprKind::Field);
    let selections = nodes(subject, move |_, _, node| is_selection(node.kind));
    let moved = selections.filter_map(|(file, tree, id, node)| {
        let (of, number) = text(subject, file, &node.range).rsplit_once('.')?;
        let number = number.trim();
        let place = number.parse().ok().filter(|place| later.contains(place))?;
        let mut outer = tree.ancestors(id).map(|outer| tree.node(outer));
        let around = outer.find(|outer| outer.kind == Kind::Item(ItemKind::Impl));
        let of_another = around.is_some_and(|around| !is_of(subject, file, tree, around, owner));
        let range = node.range.end - number.len()..node.range.end;
        let edit = Edit::replace(file, range, (place - 1).to_string());
        (of.trim() != "self" || !of_another).then_some(edit)
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;

    #[test]
    fn what_stands_behind_a_field_of_a_tuple_moves_up_with_its_selections() {
        assert_eq!(
            each(
                &Fields,
                "struct S(u8, u16); impl S { fn f(&self) { self.1; } } impl T { fn g(&self, s: S) { self.1; s.0.1; S(2, 3).1; } }"
            ),
            [
                "struct S( u16); impl S { fn f(&self) { self.0; } } impl T { fn g(&self, s: S) { self.1; s.0.0; S( 3).0; } }",
                "struct S(u8 ); impl S { fn f(&self) { self.1; } } impl T { fn g(&self, s: S) { self.1; s.0.1; S(2 ).1; } }",
            ]
        );
    }

    #[test]
    fn a_field_goes_with_the_parameters_that_it_alone_needs() {
        assert_eq!(
            each(
                &Fields,
                "struct S<'a, T, U> { a: &'a T, b: U } impl<'a, T, U> S<'a, T, U> { fn f(s: S<'a, T, U>) { S { a: 1, b: 2 } } }"
            ),
            [
                "struct S< U> { b: U } impl< U> S< U> { fn f(s: S< U>) { S { b: 2 } } }",
                "struct S<'a, T > { a: &'a T } impl<'a, T > S<'a, T > { fn f(s: S<'a, T >) { S { a: 1 } } }",
            ]
        );
    }

    #[test]
    fn only_what_stands_behind_a_field_of_a_tuple_moves_up() {
        assert_eq!(
            each(
                &Fields,
                "struct N(u8); enum E { V(u8, u16) } fn f(p: (u8, u8)) { p.1; N(1); E::V(2, 3); }"
            ),
            [
                "struct N(); enum E { V(u8, u16) } fn f(p: (u8, u8)) { p.1; N(); E::V(2, 3); }",
                "struct N(u8); enum E { V( u16) } fn f(p: (u8, u8)) { p.1; N(1); E::V( 3); }",
                "struct N(u8); enum E { V(u8 ) } fn f(p: (u8, u8)) { p.1; N(1); E::V(2 ); }",
            ]
        );
    }
}
