//! Traits that only hold methods: where each impl is for a type of the subject, the methods are that type's own as well.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::{BTreeMap, BTreeSet};

use super::Pass;
use super::query::{
    At, all, at_place, is_fn, is_impl, is_member, is_parameter, is_type, name_of_type, referent,
    smaller, trait_of, type_of,
};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// `trait A { type T; fn f(&self) -> Self::T; } impl A for S { type T = u8; fn f(&self) -> Self::T { 0 } }` →
/// `impl S { pub fn f(&self) -> u8 { 0 } }`, for a trait that is mentioned nowhere else but in imports, above other traits and in
/// impls that need another one of it.
pub struct TraitsToInherent;

impl Pass for TraitsToInherent {
    fn name(&self) -> &'static str {
        "traits-to-inherent"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let own = Own::of(subject);
        let traits = all(subject, |kind| kind == Kind::Item(ItemKind::Trait));
        let mut by_name: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        for at in traits {
            by_name.entry(at.name()?).or_default().push(at);
        }
        let list = by_name.into_iter().filter_map(|(name, items)| {
            let [item] = items[..] else { return None };
            let generic = item.child(is_parameter).is_some();
            let edits = (!generic).then(|| own.without(name, item)).flatten()?;
            smaller(subject, item.kind(), edits)
        });
        Some(list.collect())
    }
}

/// What is known of a subject's types and impls.
struct Own<'s> {
    subject: &'s Subject,
    types: BTreeSet<&'s str>,
    impls: Vec<At<'s>>,
    /// The functions that types have without a trait, each with its type's name.
    functions: BTreeSet<(&'s str, &'s str)>,
}

impl<'s> Own<'s> {
    fn of(subject: &'s Subject) -> Own<'s> {
        let types = all(subject, |kind| {
            use ItemKind::{Enum, Struct, Union};
            matches!(kind, Kind::Item(Enum | Struct | Union))
        });
        let impls = all(subject, is_impl);
        let inherent = impls
            .iter()
            .filter(|at| at.child(|kind| kind == Kind::TraitRef).is_none());
        let functions = inherent.flat_map(|at| {
            let ty = type_of(*at);
            let own = at.children(is_fn).into_iter();
            own.filter_map(move |function| Some((ty?, function.name()?)))
        });
        Own {
            subject,
            types: types.iter().filter_map(|at| at.name()).collect(),
            functions: functions.collect(),
            impls,
        }
    }

    /// What makes the trait `name` go; `None` if it is needed by its name.
    fn without(&self, name: &str, item: At<'s>) -> Option<Vec<Edit>> {
        let mut edits = vec![item.cut()];
        let mut inherent = 0;
        for at in &self.impls {
            let of_trait = at.child(|kind| kind == Kind::TraitRef);
            let is_of_it = trait_of(*at) == Some(name);
            // Where another type has to have it, that one's does.
            if asks_for(*at, name) {
                edits.push(at.cut());
            } else if is_of_it {
                edits.extend(self.inherent(*at, of_trait?)?);
                inherent += 1;
            }
        }
        for (file, version, tree) in self.subject.sources() {
            let source = version.source();
            for token in tree.tokens().iter().map(|token| token.range()) {
                let is_gone = |edit: &Edit| {
                    let (own, range) = (edit.file, &edit.range);
                    own == file && range.start <= token.start && token.end <= range.end
                };
                if &source[token.clone()] != name || edits.iter().any(is_gone) {
                    continue;
                }
                let at = at_place(self.subject, file, &token)?;
                edits.push(mention(at)?);
            }
        }
        (inherent > 0).then_some(edits)
    }

    /// What makes an impl of the trait `of_trait` one of its type's own.
    fn inherent(&self, at: At<'s>, of_trait: At<'s>) -> Option<Vec<Edit>> {
        let ty = at.child(is_type)?;
        let name = name_of_type(ty).filter(|name| self.types.contains(name))?;
        let stays = |member: &At<'s>| {
            let known = member.name().map(|own| (name, own));
            let twice = known.is_some_and(|function| self.functions.contains(&function));
            member.kind() != Kind::Member(ItemKind::TypeAlias) && !twice
        };
        if !at.children(is_member).iter().any(stays) {
            return Some(vec![at.cut()]);
        }
        let mut edits = vec![of_trait.cut()];
        let unsafe_ = at.children(|kind| kind == Kind::Modifier).into_iter();
        edits.extend(unsafe_.map(At::cut));
        let inner = referent(ty);
        let reference = &ty.source[ty.node.range.start..inner.node.range.start];
        if !reference.is_empty() {
            edits.push(ty.edit(ty.node.range.start..inner.node.range.start, ""));
        }
        let aliases: BTreeMap<&str, &str> = at
            .children(|kind| kind == Kind::Member(ItemKind::TypeAlias))
            .into_iter()
            .filter_map(|alias| Some((alias.name()?, alias.child(is_type)?.text())))
            .collect();
        for member in at.children(is_member) {
            if !stays(&member) {
                edits.push(member.cut());
                continue;
            }
            let start = visibility_of(member);
            edits.push(member.edit(start..start, "pub "));
            let receiver = member.inside(|kind| kind == Kind::Receiver);
            if let Some(receiver) = receiver.first().filter(|_| !reference.is_empty())
                && receiver.text() == "self"
            {
                let text = format!("{}self", reference.replace("'_ ", ""));
                edits.push(receiver.by(text));
            }
            edits.extend(of_self(member, &aliases));
        }
        Some(edits)
    }
}

/// What each `Self::Name` stands for, in the place of that.
fn of_self(member: At, aliases: &BTreeMap<&str, &str>) -> Vec<Edit> {
    let words = member.words(&member.range());
    let mentions = words.windows(3).filter_map(|words| match words {
        [("Self", start), ("::", _), (name, end)] => {
            let text = resolved(name, aliases)?;
            Some(member.edit(start.start..end.end, text))
        }
        _ => None,
    });
    mentions.collect()
}

/// What a name stands for, where that speaks of others as well.
fn resolved(name: &str, aliases: &BTreeMap<&str, &str>) -> Option<String> {
    let mut text = aliases.get(name)?.to_string();
    // Those of a trait cannot go round.
    for _ in 0..aliases.len() {
        for (other, of_other) in aliases {
            text = text.replace(&format!("Self::{other}"), of_other);
        }
    }
    Some(text)
}

/// Where a member's visibility stands, or would.
fn visibility_of(member: At) -> usize {
    let ahead = member.children(|kind| matches!(kind, Kind::Attribute | Kind::Doc));
    let end = ahead
        .last()
        .map_or(member.node.range.start, |at| at.node.range.end);
    let behind = end..member.node.range.end;
    let first = member.tree.tokens_in(&behind).first();
    first.map_or(end, |token| token.range().start)
}

/// Whether an impl is for types that have the trait `name`.
fn asks_for(at: At, name: &str) -> bool {
    let said = at.children(|kind| matches!(kind, Kind::GenericParam | Kind::Predicate));
    said.iter()
        .any(|said| !said.mentions(name, &said.range()).is_empty())
}

/// What makes a mention of a trait go: an import, what stands above another trait, or the name of the trait in front of a
/// member's.
fn mention(at: At) -> Option<Edit> {
    let around = [at].into_iter().chain(at.ancestors());
    for at in around {
        match at.kind() {
            Kind::UseTree | Kind::Item(ItemKind::Use) => return Some(at.cut()),
            Kind::Bound => {
                let outer = at.parent()?.kind();
                return (outer == Kind::Item(ItemKind::Trait)).then(|| at.cut());
            }
            Kind::Item(_) | Kind::Member(_) | Kind::Body => return None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn methods_of_a_trait_become_the_type_s_own() {
        let text = "mod a { pub trait A: B { type T; fn f(&self) -> Self::T; } } use a::{A, C}; struct S; \
                    impl A for S { type T = u8; fn f(&self) -> Self::T { 0 } } trait D: A + B {}";
        assert_eq!(
            each(&TraitsToInherent, text),
            [
                "mod a { } use a::{ C}; struct S; impl S { pub fn f(&self) -> u8 { 0 } } trait D: B {}"
            ]
        );
    }

    #[test]
    fn what_is_for_a_reference_takes_one() {
        let text = "trait A { type T; fn f(self) -> Self::T; } struct S<T>(T); \
                    impl<'a, T> A for &'a S<T> { type T = &'a T; #[inline] fn f(self) -> Self::T { &self.0 } } \
                    impl<G: A> A for Box<G> { type T = G::T; fn f(self) -> Self::T { (*self).f() } }";
        assert_eq!(
            each(&TraitsToInherent, text),
            [
                "struct S<T>(T); impl<'a, T> S<T> { #[inline] pub fn f(&'a self) -> &'a T { &self.0 } }"
            ]
        );
    }

    #[test]
    fn what_hands_on_to_a_function_of_the_same_name_goes() {
        let text = "trait A { fn f(&self); } struct S; impl S { fn f(&self) {} } impl A for S { fn f(&self) { self.f() } }";
        assert_eq!(
            each(&TraitsToInherent, text),
            ["struct S; impl S { fn f(&self) {} }"]
        );
    }

    #[test]
    fn a_trait_that_is_asked_for_or_of_another_s_type_stays() {
        for text in [
            "trait A {} struct S; impl A for S {} fn f<T: A>() {}",
            "trait A {} struct S; impl A for S {} fn f(x: &dyn A) {}",
            "trait A {} impl A for u8 {}",
            "trait A<T> {} struct S; impl A<u8> for S {}",
        ] {
            assert_eq!(
                each(&TraitsToInherent, text),
                Vec::<String>::new(),
                "{text}"
            );
        }
    }
}
