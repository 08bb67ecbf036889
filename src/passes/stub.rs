//! Bodies of functions, replaced by the least that still type-checks.

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, NodeId, Tree};

/// What diverges and is no endless loop, so that evaluating it at compile time ends too.
pub const DIVERGE: &str = "{ todo!() }";

/// Function bodies: `{}` where nothing is returned, a diverging call elsewhere; in a trait, none at all.
pub struct Bodies;

impl Pass for Bodies {
    fn name(&self) -> &'static str {
        "bodies"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| node.kind == Kind::Body) {
            let text = match round {
                0 => stub_text(tree, id),
                1 if in_trait(tree, id) => ";",
                _ => "{}",
            };
            if subject.file(file).source()[node.range.clone()] != *text {
                let element = Element::new(subject, Kind::Body, vec![edit(file, tree, id, text)]);
                if element.saves > 0 {
                    list.push(element);
                }
            }
        }
        Some(list)
    }
}

/// The body `id` as the least that type-checks or, if it is that already, as nothing.
pub fn smaller(subject: &Subject, file: FileId, tree: &Tree, id: NodeId) -> Option<Element> {
    let nothing = if in_trait(tree, id) { ";" } else { "{}" };
    [stub_text(tree, id), nothing]
        .into_iter()
        .map(|text| Element::new(subject, Kind::Body, vec![edit(file, tree, id, text)]))
        .find(|element| element.saves > 0)
}

/// The edit that replaces the body `id` by `text`.
pub fn edit(file: FileId, tree: &Tree, id: NodeId, text: &str) -> Edit {
    Edit::replace(file, tree.node(id).range.clone(), text)
}

/// The same for a body or block that is known by where its brace stood, and has to be known again: its braces stay.
pub fn inside(file: FileId, tree: &Tree, id: NodeId, text: &str) -> Edit {
    let range = &tree.node(id).range;
    let inner = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'));
    match inner {
        Some(inner) => Edit::replace(file, range.start + 1..range.end - 1, inner),
        None => edit(file, tree, id, text),
    }
}

/// The least body that type-checks in the place of `id`.
pub fn stub_text(tree: &Tree, id: NodeId) -> &'static str {
    let returns = tree.parent(id).is_some_and(|function| {
        let children = function.children.iter();
        children
            .copied()
            .any(|child| tree.node(child).kind == Kind::ReturnType)
    });
    if returns { DIVERGE } else { "{}" }
}

fn in_trait(tree: &Tree, id: NodeId) -> bool {
    tree.ancestors(id)
        .nth(1)
        .is_some_and(|outer| tree.node(outer).kind == Kind::Item(ItemKind::Trait))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_body_that_does_something_becomes_a_stub() {
        assert_eq!(
            each(
                &Bodies,
                "fn f() -> u8 { g(); 1 } fn e() {} impl T { fn m(&self) { self.x() } } trait U { fn n(); fn p() { q() } }"
            ),
            [
                "fn f() -> u8 { todo!() } fn e() {} impl T { fn m(&self) { self.x() } } trait U { fn n(); fn p() { q() } }",
                "fn f() -> u8 { g(); 1 } fn e() {} impl T { fn m(&self) {} } trait U { fn n(); fn p() { q() } }",
                "fn f() -> u8 { g(); 1 } fn e() {} impl T { fn m(&self) { self.x() } } trait U { fn n(); fn p() {} }",
                "fn f() -> u8 {} fn e() {} impl T { fn m(&self) { self.x() } } trait U { fn n(); fn p() { q() } }",
                "fn f() -> u8 { g(); 1 } fn e() {} impl T { fn m(&self) {} } trait U { fn n(); fn p() { q() } }",
                "fn f() -> u8 { g(); 1 } fn e() {} impl T { fn m(&self) { self.x() } } trait U { fn n(); fn p() ; }"
            ]
        );
    }
}
