//! Traits and their items, with those of their impls.

use std::collections::BTreeMap;

use super::name;
use crate::passes::query::{all, is_member, trait_of};
use crate::passes::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// An item of a trait, with the items of that name in impls.
pub struct TraitItems;
impl Pass for TraitItems {
    fn name(&self) -> &'static str {
        "trait-items-with-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        // By the name of the trait and their own.
        let mut members: BTreeMap<(&str, &str), (bool, Vec<Edit>)> = BTreeMap::new();
        for member in all(subject, is_member) {
            let Some(outer) = member.parent() else {
                continue;
            };
            let in_trait = outer.kind() == Kind::Item(ItemKind::Trait);
            let of = if in_trait {
                outer.name()
            } else {
                trait_of(outer)
            };
            if let (Some(of), Some(name)) = (of, member.name()) {
                let entry = members.entry((of, name)).or_default();
                entry.0 |= in_trait;
                entry.1.push(member.cut());
            }
        }
        // `T<Item = u8>`
        for argument in all(subject, |kind| kind == Kind::GenericArg) {
            let words = argument.words(&argument.range());
            if let [(name, _), ("=", _), ..] = words[..] {
                for ((_, own), (_, edits)) in &mut members {
                    if *own == name {
                        edits.push(argument.cut());
                    }
                }
            }
        }
        let with_impls = members
            .into_values()
            .filter(|(in_trait, edits)| *in_trait && edits.len() > 1);
        Some(
            with_impls
                .map(|(_, edits)| Element::new(subject, Kind::Member(ItemKind::Trait), edits))
                .collect(),
        )
    }
}

/// Every trait with its impls and with all bounds by it; what nothing needs goes so, and no search asks for it.
pub fn traits(subject: &Subject) -> Elements {
    let mut list = Vec::new();
    let traits = nodes(subject, |_, _, node| {
        node.kind == Kind::Item(ItemKind::Trait)
    });
    for (file, _, _, item) in traits {
        let Some(of) = name(subject, file, item) else {
            continue;
        };
        let mut edits = vec![Edit::delete(file, item.range.clone())];
        let mentions = nodes(subject, |_, _, node| {
            matches!(node.kind, Kind::Bound | Kind::TraitRef)
        });
        for (file, tree, id, node) in mentions {
            let source = subject.file(file).source();
            let mut words = tree.tokens_in(&node.range).iter();
            let about = words
                .by_ref()
                .map(|token| &source[token.range()])
                .take_while(|word| !matches!(*word, "<" | "(" | "for"))
                .last();
            if about != Some(of) {
                continue;
            }
            let range = match (node.kind, tree.parent(id)) {
                (Kind::TraitRef, Some(implementation)) => implementation.range.clone(),
                _ => node.range.clone(),
            };
            edits.push(Edit::delete(file, range));
        }
        if edits.len() > 1 {
            list.push(Element::new(subject, item.kind, edits));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;

    #[test]
    fn an_item_of_a_trait_goes_with_those_of_its_impls() {
        assert_eq!(
            each(
                &TraitItems,
                "trait T { fn a(); type B; } impl T for X { fn a() {} type B = (); } impl Y { fn a() {} }"
            ),
            [
                "trait T { fn a(); } impl T for X { fn a() {} } impl Y { fn a() {} }",
                "trait T { type B; } impl T for X { type B = (); } impl Y { fn a() {} }"
            ]
        );
    }
}
