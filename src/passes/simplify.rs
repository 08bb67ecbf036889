//! Replacement by something simpler that was not there before: values, types, patterns, shapes.

use super::{Pass, fields_open, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, NodeId, PatKind, Tree, TypeKind};

/// Expressions → `0`, `()`, a diverging call: one round for each.
pub struct Values;

/// Types → `u8`, `_` where types are inferred: one round for each.
pub struct Types;

/// Patterns → `_`.
pub struct Patterns;

/// Structs and variants with named fields → none; bodies of structs → `;`.
pub struct Shapes;

// What saves most comes first: where it succeeds, the others have nothing left to save.
const VALUES: [&str; 3] = ["0", "()", "todo!()"];
const TYPES: [&str; 2] = ["u8", "_"];

fn replace(subject: &Subject, wanted: fn(Kind) -> bool, text: &str) -> Elements {
    nodes(subject, move |_, _, node| wanted(node.kind))
        .map(|(file, _, _, node)| {
            Element::new(
                subject,
                node.kind,
                vec![Edit::replace(file, node.range.clone(), text)],
            )
        })
        .filter(|element| element.saves > 0)
        .collect()
}

impl Pass for Values {
    fn name(&self) -> &'static str {
        "simplify-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let text = VALUES.get(round)?;
        let list = nodes(subject, |tree, id, node| {
            matches!(node.kind, Kind::Expr(kind) if kind != ExprKind::Let) && !is_called(tree, id)
        });
        let list = list.map(|(file, _, _, node)| {
            let edit = Edit::replace(file, node.range.clone(), *text);
            Element::new(subject, node.kind, vec![edit])
        });
        Some(list.filter(|element| element.saves > 0).collect())
    }
}

/// Whether the expression `id` is what a call calls: no value can be called.
fn is_called(tree: &Tree, id: NodeId) -> bool {
    tree.parent(id).is_some_and(|outer| {
        outer.kind == Kind::Expr(ExprKind::Call) && outer.children.first() == Some(&id)
    })
}

impl Pass for Types {
    fn name(&self) -> &'static str {
        "simplify-types"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let text = TYPES.get(round)?;
        let ty = |kind| matches!(kind, Kind::Type(kind) if kind != TypeKind::Infer);
        let inferred = |tree: &Tree, id| {
            let mut outer = tree.ancestors(id).map(|outer| tree.node(outer).kind);
            outer.any(|kind| matches!(kind, Kind::Body | Kind::Block | Kind::Expr(_)))
        };
        let list = nodes(subject, move |tree, id, node| {
            ty(node.kind) && (*text != "_" || inferred(tree, id))
        });
        let list = list.map(|(file, _, _, node)| {
            let edit = Edit::replace(file, node.range.clone(), *text);
            Element::new(subject, node.kind, vec![edit])
        });
        Some(list.filter(|element| element.saves > 0).collect())
    }
}

impl Pass for Patterns {
    fn name(&self) -> &'static str {
        "simplify-patterns"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let pattern = |kind| matches!(kind, Kind::Pat(kind) if kind != PatKind::Wild && kind != PatKind::Ident);
        Some(replace(subject, pattern, "_"))
    }
}

impl Pass for Shapes {
    fn name(&self) -> &'static str {
        "shapes"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        let wanted = |kind| matches!(kind, Kind::Item(ItemKind::Struct) | Kind::Variant);
        for (file, tree, _, node) in nodes(subject, move |_, _, node| wanted(node.kind)) {
            let source = subject.file(file).source();
            let Some(open) = fields_open(source, tree, node) else {
                continue;
            };
            let text = if node.kind == Kind::Variant { "" } else { ";" };
            let range = open..node.range.end;
            list.push(Element::new(
                subject,
                node.kind,
                vec![Edit::replace(file, range, text)],
            ));
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn the_brackets_of_a_structs_bounds_are_not_those_of_its_fields() {
        assert_eq!(
            each(
                &Shapes,
                "struct S<F: Fn(u8)>(F); struct T<X> where [(); 1]: A, X: Fn(u8) { x: X }"
            ),
            [
                "struct S<F: Fn(u8)>; struct T<X> where [(); 1]: A, X: Fn(u8) { x: X }",
                "struct S<F: Fn(u8)>(F); struct T<X> where [(); 1]: A, X: Fn(u8) ;"
            ]
        );
    }

    #[test]
    fn a_value_becomes_nothing_much_and_what_is_called_stays() {
        assert_eq!(
            each(&Values, "fn f() { g(a.b); }"),
            [
                "fn f() { 0; }",
                "fn f() { g(0); }",
                "fn f() { (); }",
                "fn f() { g(()); }",
                "fn f() { todo!(); }"
            ]
        );
    }

    #[test]
    fn a_type_is_left_to_be_inferred_only_where_it_can_be() {
        assert_eq!(
            each(&Types, "type T = Vec<A>; fn f() { let x: Vec<A>; }"),
            [
                "type T = u8; fn f() { let x: Vec<A>; }",
                "type T = Vec<A>; fn f() { let x: u8; }",
                "type T = Vec<A>; fn f() { let x: _; }"
            ]
        );
    }

    #[test]
    fn a_pattern_takes_anything() {
        assert_eq!(
            each(&Patterns, "fn f(Some(p): X, q: Y) {}"),
            ["fn f(_: X, q: Y) {}"]
        );
    }

    #[test]
    fn a_struct_loses_all_its_fields_at_once() {
        assert_eq!(
            each(
                &Shapes,
                "struct S { a: u8 } struct T(u8); enum E { A(u8), B }"
            ),
            [
                "struct S ; struct T(u8); enum E { A(u8), B }",
                "struct S { a: u8 } struct T; enum E { A(u8), B }",
                "struct S { a: u8 } struct T(u8); enum E { A, B }"
            ]
        );
    }
}
