//! Impls of traits that the compiler can write itself.

use super::Pass;
use super::query::{At, all, is_impl, smaller, trait_of, type_of};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// `struct S; impl Clone for S { fn clone(&self) -> S {…} }` → `#[derive(Clone)] struct S;`.
pub struct Derives;

/// The traits that can be derived.
const DERIVED: [&str; 9] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Eq",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
];

impl Pass for Derives {
    fn name(&self) -> &'static str {
        "impls-to-derives"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let is_own = |kind| {
            use ItemKind::{Enum, Struct};
            matches!(kind, Kind::Item(Enum | Struct))
        };
        let types = all(subject, is_own);
        let list = all(subject, is_impl).into_iter().filter_map(|one| {
            let of_trait = trait_of(one).filter(|name| DERIVED.contains(name))?;
            let name = type_of(one);
            let mut own = types.iter().filter(|ty| ty.name() == name);
            let (Some(ty), None) = (own.next(), own.next()) else {
                return None;
            };
            smaller(subject, one.kind(), vec![one.cut(), derive(*ty, of_trait)])
        });
        Some(list.collect())
    }
}

/// What makes `ty` derive one trait more.
fn derive(ty: At, name: &str) -> Edit {
    let attributes = ty.children(|kind| kind == Kind::Attribute).into_iter();
    let open = attributes.filter_map(|attribute| {
        let words = attribute.words(&attribute.range());
        match &words[..] {
            [("#", _), ("[", _), ("derive", _), ("(", open), next, ..] => {
                Some((open.end, next.0 == ")"))
            }
            _ => None,
        }
    });
    let start = ty.node.range.start;
    match open.into_iter().next() {
        Some((at, true)) => ty.edit(at..at, name),
        Some((at, false)) => ty.edit(at..at, format!("{name}, ")),
        None => ty.edit(start..start, format!("#[derive({name})] ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_can_be_derived_needs_no_impl() {
        assert_eq!(
            each(
                &Derives,
                "pub struct S(u8); impl Clone for S { fn clone(&self) -> S { S(self.0) } } #[derive(Debug)] enum E<T> { A(T) } impl<T: PartialEq> PartialEq for E<T> { fn eq(&self, other: &Self) -> bool { true } } impl Clone for u8 {} impl A for S {}"
            ),
            [
                "#[derive(Clone)] pub struct S(u8); #[derive(Debug)] enum E<T> { A(T) } impl<T: PartialEq> PartialEq for E<T> { fn eq(&self, other: &Self) -> bool { true } } impl Clone for u8 {} impl A for S {}",
                "pub struct S(u8); impl Clone for S { fn clone(&self) -> S { S(self.0) } } #[derive(PartialEq, Debug)] enum E<T> { A(T) } impl Clone for u8 {} impl A for S {}",
            ]
        );
    }
}
