//! One mention of an associated type at a time, replaced by what an impl gives for it.

use super::Pass;
use super::query::{
    At, all, is_impl, is_member, is_parameter, is_type, smaller, trait_of, type_of,
};
use super::written::Written;
use crate::subject::{Elements, Subject};
use crate::syntax::{ItemKind, Kind};

/// `Self::Item` in an impl → the type that the impl gives, or another impl for the same type; `T::Item` elsewhere → that of the
/// first impl that speaks of no parameters, `<T as A>::Item` of the first of `A`.
pub struct Mentions;

/// An associated type in an impl.
struct Given<'s> {
    outer: At<'s>,
    name: &'s str,
    value: At<'s>,
}

impl<'s> Given<'s> {
    /// Of `alias`, if it stands in an impl.
    fn of(alias: At<'s>) -> Option<Given<'s>> {
        Some(Given {
            outer: alias.parent().filter(|outer| is_impl(outer.kind()))?,
            name: alias.name()?,
            value: alias.child(is_type)?,
        })
    }

    /// How well it says what `mention` is, the best first.
    fn rank(&self, mention: At<'s>) -> [bool; 4] {
        let words = mention.words(&mention.range());
        let word = |at: usize| words.get(at).map(|(word, _)| *word);
        let around = mention.ancestors().find(|outer| is_impl(outer.kind()));
        let is_near = self.outer.file == mention.file && self.outer.holds(&mention.range());
        let own = type_of(self.outer);
        let is_of_its_type = match word(0) {
            Some("Self") => around.and_then(type_of) == own,
            Some("<") => own.is_some_and(|own| words.iter().any(|(word, _)| *word == own)),
            first => first == own,
        };
        let is_of_trait =
            trait_of(self.outer).is_some_and(|name| words.iter().any(|(word, _)| *word == name));
        let parameters = self.outer.children(is_parameter);
        let is_general = self
            .value
            .words(&self.value.range())
            .iter()
            .any(|(word, _)| {
                *word == "Self" || parameters.iter().any(|at| at.name() == Some(*word))
            });
        [!is_near, !is_of_its_type, !is_of_trait, is_general]
    }
}

impl Pass for Mentions {
    fn name(&self) -> &'static str {
        "projections-once"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let is_alias = |kind| kind == Kind::Member(ItemKind::TypeAlias);
        let aliases = all(subject, is_alias).into_iter();
        let given: Vec<Given> = aliases.filter_map(Given::of).collect();
        let list = all(subject, is_type).into_iter().filter_map(|mention| {
            let words = mention.words(&mention.range());
            let through = words.iter().any(|(word, _)| *word == "::");
            let name = mention.name().filter(|_| through)?;
            let same = given.iter().filter(|one| one.name == name);
            let value = same.min_by_key(|one| one.rank(mention))?.value;
            let own = mention.ancestors().any(|outer| {
                is_member(outer.kind()) && outer.id == value.node.parent.unwrap_or(outer.id)
            });
            if own {
                return None;
            }
            // What its lifetimes are called means nothing here.
            let words = words.iter().map(|(word, _)| *word);
            let own = words.filter(|word| word.starts_with('\'')).min();
            let value = Written::of(value).with(own);
            smaller(subject, mention.kind(), vec![mention.by(value)])
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

    #[test]
    fn lifetimes_are_those_of_the_mention() {
        assert_eq!(
            each(
                &Mentions,
                "impl<'a> A for &'a S { type B = R<'a, u8>; } struct T<'t>(<&'t S as A>::B); fn f() -> <&S as A>::B {}"
            ),
            [
                "impl<'a> A for &'a S { type B = R<'a, u8>; } struct T<'t>(R <'t , u8 >); fn f() -> <&S as A>::B {}",
                "impl<'a> A for &'a S { type B = R<'a, u8>; } struct T<'t>(<&'t S as A>::B); fn f() -> R <'_ , u8 > {}",
            ]
        );
    }

    #[test]
    fn what_stands_for_a_type_of_the_subject_comes_before_what_stands_for_any() {
        assert_eq!(
            each(
                &Mentions,
                "impl<G: A> A for &G { type B = G::B; } impl A for S { type B = u8; } impl C for S { fn f() -> Self::B {} } type D = <S as A>::B; trait E: A { fn g() -> Self::B; }"
            ),
            [
                "impl<G: A> A for &G { type B = G::B; } impl A for S { type B = u8; } impl C for S { fn f() -> u8 {} } type D = <S as A>::B; trait E: A { fn g() -> Self::B; }",
                "impl<G: A> A for &G { type B = G::B; } impl A for S { type B = u8; } impl C for S { fn f() -> Self::B {} } type D = u8; trait E: A { fn g() -> Self::B; }",
                "impl<G: A> A for &G { type B = G::B; } impl A for S { type B = u8; } impl C for S { fn f() -> Self::B {} } type D = <S as A>::B; trait E: A { fn g() -> u8; }",
            ]
        );
    }
}
