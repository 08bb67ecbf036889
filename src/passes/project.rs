//! One mention of an associated type at a time, replaced by what an impl gives for it.

use super::Pass;
use super::query::{At, all, is_impl, is_member, is_type, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{ItemKind, Kind};

/// `Self::Item` in an impl → the type that the impl gives, `T::Item` elsewhere → that of the first impl.
pub struct Mentions;

impl Pass for Mentions {
    fn name(&self) -> &'static str {
        "projections-once"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let is_alias = |kind| kind == Kind::Member(ItemKind::TypeAlias);
        let given: Vec<(At, &str, At)> = all(subject, is_alias)
            .into_iter()
            .filter_map(|alias| {
                let outer = alias.parent().filter(|outer| is_impl(outer.kind()))?;
                Some((outer, alias.name()?, alias.child(is_type)?))
            })
            .collect();
        let list = all(subject, is_type).into_iter().filter_map(|mention| {
            let words = mention.words(&mention.range());
            let through = words.iter().any(|(word, _)| *word == "::");
            let name = mention.name().filter(|_| through)?;
            let same = given.iter().filter(|(_, alias, _)| *alias == name);
            let near = same
                .clone()
                .find(|(outer, _, _)| outer.file == mention.file && outer.holds(&mention.range()));
            let (_, _, value) = near.or_else(|| same.clone().next())?;
            let own = mention.ancestors().any(|outer| {
                is_member(outer.kind()) && outer.id == value.node.parent.unwrap_or(outer.id)
            });
            if own {
                return None;
            }
            smaller(subject, mention.kind(), vec![mention.by(value.text())])
        });
        Some(list.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn each_mention_alone_becomes_what_its_impl_gives() {
        assert_eq!(
            each(
                &Mentions,
                "impl A for u8 { type B = u8; fn f(a: Self::B) -> Self::B {} } impl A for S { type B = S; fn f(a: <Self as A>::B) {} }"
            ),
            [
                "impl A for u8 { type B = u8; fn f(a: u8) -> Self::B {} } impl A for S { type B = S; fn f(a: <Self as A>::B) {} }",
                "impl A for u8 { type B = u8; fn f(a: Self::B) -> u8 {} } impl A for S { type B = S; fn f(a: <Self as A>::B) {} }",
                "impl A for u8 { type B = u8; fn f(a: Self::B) -> Self::B {} } impl A for S { type B = S; fn f(a: S) {} }",
            ]
        );
    }
}
