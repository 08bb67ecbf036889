//! A struct with one field replaced by that field. What only carried the name goes.

use std::collections::BTreeMap;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, Tree};

/// `struct S<T>(T);` goes, `S<X>` → `X`, `S(e)` → `e`, `S { f: e }` → `e`, in patterns too.
pub struct Newtypes;

fn children<'t>(tree: &'t Tree, node: &'t Node, kind: Kind) -> Vec<&'t Node> {
    let all = node.children.iter().map(|child| tree.node(*child));
    all.filter(|child| child.kind == kind).collect()
}

fn name<'s>(source: &'s str, node: &Node) -> Option<&'s str> {
    Some(&source[node.name.clone()?])
}

impl Pass for Newtypes {
    fn name(&self) -> &'static str {
        "unwrap-newtypes"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let structs = nodes(subject, |_, _, node| {
            node.kind == Kind::Item(ItemKind::Struct)
        });
        let list = structs.filter_map(|(file, tree, _, node)| {
            let fields = children(tree, node, Kind::Field);
            let [field] = &fields[..] else { return None };
            let newtype = Newtype::of(subject.file(file).source(), tree, node, field)?;
            let mut edits = vec![Edit::delete(file, node.range.clone())];
            for (file, tree, id, other) in nodes(subject, |_, _, _| true) {
                newtype.unwrap(
                    subject.file(file).source(),
                    file,
                    tree,
                    id,
                    other,
                    &mut edits,
                );
            }
            Some(Element::new(subject, node.kind, edits))
        });
        Some(list.collect())
    }
}

/// A struct with one field.
struct Newtype<'s> {
    name: &'s str,
    field: Option<&'s str>,
    ty: &'s str,
    parameters: Vec<&'s str>,
}

impl<'s> Newtype<'s> {
    fn of(source: &'s str, tree: &Tree, node: &Node, field: &Node) -> Option<Newtype<'s>> {
        let ty = field
            .children
            .iter()
            .map(|child| tree.node(*child))
            .find(|child| matches!(child.kind, Kind::Type(_)))?;
        let parameters = children(tree, node, Kind::GenericParam);
        Some(Newtype {
            name: name(source, node)?,
            field: name(source, field),
            ty: &source[ty.range.clone()],
            parameters: parameters
                .into_iter()
                .filter_map(|parameter| name(source, parameter))
                .collect(),
        })
    }

    /// What becomes of the node `id` of a file.
    fn unwrap(
        &self,
        source: &str,
        file: FileId,
        tree: &Tree,
        id: NodeId,
        node: &Node,
        edits: &mut Vec<Edit>,
    ) {
        let mine = name(source, node) == Some(self.name);
        let of_part = |part: &Node, edits: &mut Vec<Edit>| {
            edits.push(Edit::delete(file, node.range.start..part.range.start));
            edits.push(Edit::delete(file, part.range.end..node.range.end));
        };
        match node.kind {
            Kind::Type(_) if mine => match self.argument(source, tree, node) {
                Some(argument) => of_part(argument, edits),
                None => edits.push(Edit::replace(
                    file,
                    node.range.clone(),
                    self.substituted(source, tree, node),
                )),
            },
            Kind::Expr(ExprKind::Call) | Kind::Pat(PatKind::TupleStruct) if mine => {
                let last = node.children.last().map(|child| tree.node(*child));
                if let Some(part) = last.filter(|part| part.range.end < node.range.end) {
                    of_part(part, edits);
                }
            }
            Kind::Expr(ExprKind::Struct) | Kind::Pat(PatKind::Struct) if mine => {
                let values = node.children.iter().map(|child| tree.node(*child));
                let value = values
                    .into_iter()
                    .find(|child| matches!(child.kind, Kind::FieldValue | Kind::FieldPat));
                if let Some(value) = value {
                    let part = value.children.last().map(|child| tree.node(*child));
                    of_part(part.unwrap_or(value), edits);
                }
            }
            Kind::Expr(ExprKind::Field) => {
                let selected = match self.field {
                    Some(field) => name(source, node) == Some(field),
                    None => source[node.range.clone()].replace(' ', "") == "self.0",
                };
                let value = node.children.first().map(|child| tree.node(*child));
                if let Some(value) = value.filter(|_| selected) {
                    edits.push(Edit::delete(file, value.range.end..node.range.end));
                }
            }
            Kind::UseTree | Kind::Item(ItemKind::Use) => {
                let inner = children(tree, node, Kind::UseTree);
                let last = tree.identifiers(source, &node.range).last();
                if inner.is_empty() && last == Some(self.name) && tree.parent(id).is_some() {
                    edits.push(Edit::delete(file, node.range.clone()));
                }
            }
            _ => {}
        }
    }

    /// The argument that stands for the field, where the field is of the type of a parameter.
    fn argument<'t>(&self, source: &str, tree: &'t Tree, node: &'t Node) -> Option<&'t Node> {
        let at = self.parameters.iter().position(|one| *one == self.ty)?;
        let arguments = children(tree, node, Kind::GenericArgs);
        let all = children(tree, arguments.last()?, Kind::GenericArg);
        // Lifetimes may have been left out.
        let at = at.checked_sub(self.parameters.len().checked_sub(all.len())?)?;
        all.get(at)
            .copied()
            .filter(|argument| !source[argument.range.clone()].starts_with('\''))
    }

    /// The field's type with the arguments of `node` in the place of the parameters.
    fn substituted(&self, source: &str, tree: &Tree, node: &Node) -> String {
        let arguments = children(tree, node, Kind::GenericArgs);
        let arguments: Vec<&str> = arguments
            .last()
            .map(|all| children(tree, all, Kind::GenericArg))
            .unwrap_or_default()
            .into_iter()
            .map(|argument| &source[argument.range.clone()])
            .collect();
        let given: BTreeMap<&str, &str> = self.parameters.iter().copied().zip(arguments).collect();
        let mut text = String::new();
        let mut at = 0;
        for token in crate::syntax::lexer::tokens(self.ty) {
            text.push_str(&self.ty[at..token.range().start]);
            let word = &self.ty[token.range()];
            text.push_str(given.get(word).copied().unwrap_or(word));
            at = token.range().end;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_struct_with_one_field_becomes_that_field_everywhere() {
        assert_eq!(
            each(
                &Newtypes,
                "struct W<T> { inner: T } impl<T> Tr for W<T> { fn f(self) { self.inner; } } fn g(W { inner: x }: W<u8>) -> W<u8> { W { inner: x } }"
            ),
            ["impl<T> Tr for T { fn f(self) { self; } } fn g(x: u8) -> u8 { x }"]
        );
        assert_eq!(
            each(
                &Newtypes,
                "struct W<'a, T>(&'a [T]); fn g(W(x): W<'_, u8>) { W(x); }"
            ),
            ["fn g(x: &'_ [u8]) { x; }"]
        );
        assert_eq!(
            each(&Newtypes, "struct S(u8, u8); struct U;"),
            Vec::<String>::new()
        );
    }
}
