//! Functions of one expression, in the place of all their calls: what gives a field, makes a value or hands on to another one.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

mod by_type;
mod small;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

pub use by_type::{NAME as OF_TYPES, SmallMethods, with_calls};
use small::Small;

use super::Pass;
use super::query::{At, all, calls_by_name, is_expr, is_fn, owner_of, smaller, trait_of, type_of};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Origin};

/// `impl S { fn len(&self) -> usize { self.all.len } }`, `s.len()` → `s.all.len`; `fn f(x: u8) -> S { S(x) }`, `f(1)` → `S(1)`.
/// What a trait of the subject declares goes with what its impls do, if all of them do the same. Each round is for those that call
/// none of the others any more.
#[derive(Debug, Clone, Default)]
pub struct SmallFunctions {
    /// Where it fails: the function around keeps its name, and so do those that call it and do not just hand on what they are given.
    pub fails_at: Option<Origin>,
}

/// The name of the pass.
pub const NAME: &str = "inline-small-functions";

/// What calls what calls what is small, at most.
const ROUNDS: usize = 4;

impl Pass for SmallFunctions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= ROUNDS {
            return None;
        }
        let (names, traits) = (Names::of(subject), traits(subject));
        let fails = names_around(subject, self.fails_at);
        let small: Vec<Alike> = groups(subject)
            .into_values()
            .filter_map(|group| Alike::of(&group, &traits))
            .filter(|group| {
                let keeps_its_name = |one: &Small| one.keeps_its_name(&fails);
                !group.small.iter().any(keeps_its_name)
            })
            .collect();
        let called: BTreeSet<&str> = small.iter().map(|group| group.small[0].name).collect();
        let list = small.iter().filter(|group| {
            let mut inside = group.small.iter().flat_map(|one| one.body_words());
            let own = group.small[0].name;
            !inside.any(|word| word != own && called.contains(word))
        });
        Some(list.filter_map(|group| names.inlined(group)).collect())
    }
}

/// The names of the traits of `subject`.
fn traits(subject: &Subject) -> BTreeSet<&str> {
    let traits = all(subject, |kind| kind == Kind::Item(ItemKind::Trait));
    traits.into_iter().filter_map(At::name).collect()
}

/// The names of the functions around a `place`.
fn names_around(subject: &Subject, place: Option<Origin>) -> Vec<&str> {
    let places: Vec<_> = place.map_or_else(Vec::new, |place| subject.standing_for(place));
    let around = |function: &At| {
        let own = function.range();
        places.iter().any(|(file, range)| {
            *file == function.file && range.start < own.end && own.start < range.end
        })
    };
    let functions = all(subject, is_fn).into_iter().filter(around);
    functions.filter_map(At::name).collect()
}

/// All functions of `subject`.
fn groups(subject: &Subject) -> BTreeMap<Group<'_>, Vec<At<'_>>> {
    let mut groups: BTreeMap<Group, Vec<At>> = BTreeMap::new();
    for function in all(subject, is_fn) {
        if let Some(group) = Group::of(function) {
            groups.entry(group).or_default().push(function);
        }
    }
    groups
}

/// Functions that no name tells apart.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group<'s> {
    Free(&'s str),
    /// By its type's name and its own.
    OfType(&'s str, &'s str),
    /// By its trait's name and its own.
    OfTrait(&'s str, &'s str),
    Method(&'s str),
}

impl<'s> Group<'s> {
    fn of(function: At<'s>) -> Option<Group<'s>> {
        let name = function.name()?;
        if function.kind() == Kind::Item(ItemKind::Fn) {
            return Some(Group::Free(name));
        }
        if function.child(|kind| kind == Kind::Receiver).is_some() {
            return Some(Group::Method(name));
        }
        let outer = function.parent()?;
        if let Some(declared) = trait_around(outer) {
            return Some(Group::OfTrait(declared, name));
        }
        let owner = type_of(outer)?;
        Some(Group::OfType(owner, name))
    }
}

/// The name of the trait that `outer` is, or is an impl of.
fn trait_around(outer: At<'_>) -> Option<&str> {
    match outer.kind() {
        Kind::Item(ItemKind::Trait) => outer.name(),
        _ => trait_of(outer),
    }
}

/// Whether a trait only says that there is such a function.
fn is_declared(function: At) -> bool {
    let outer = function.parent().map(|outer| outer.kind());
    outer == Some(Kind::Item(ItemKind::Trait))
        && function.child(|kind| kind == Kind::Body).is_none()
}

/// The functions of a group, of which each could take the place of the others.
struct Alike<'s> {
    small: Vec<Small<'s>>,
    /// Where traits say that there are such functions.
    declared: Vec<At<'s>>,
}

impl<'s> Alike<'s> {
    /// `None` if they are not alike. `traits` are those of the subject.
    fn of(group: &[At<'s>], traits: &BTreeSet<&str>) -> Option<Alike<'s>> {
        let (declared, defined): (Vec<At>, Vec<At>) =
            group.iter().copied().partition(|at| is_declared(*at));
        let small: Vec<Small> = defined
            .into_iter()
            .map(|function| Small::of(function, traits))
            .collect::<Option<_>>()?;
        let what = |one: &Small<'s>| (one.parameters(), one.body_words().collect::<Vec<_>>());
        let first = small.first().map(&what)?;
        let speaks_of_type = first.1.contains(&"Self");
        let alike = small.iter().all(|one| what(one) == first);
        let alike = alike && (small.len() == 1 || !speaks_of_type);
        alike.then_some(Alike { small, declared })
    }

    fn defines(&self, file: FileId, name: &Range<usize>) -> bool {
        let functions = self.small.iter().map(|one| &one.function);
        let mut functions = functions.chain(&self.declared);
        functions.any(|at| at.file == file && at.node.name.as_ref() == Some(name))
    }
}

/// Where names stand in a subject.
struct Names<'s> {
    subject: &'s Subject,
    calls: BTreeMap<&'s str, Vec<At<'s>>>,
    /// What other names there are for types.
    aliases: BTreeMap<&'s str, &'s str>,
    /// The functions without a receiver, by the names of their types.
    of_types: BTreeSet<(&'s str, &'s str)>,
    /// Where all functions have their names.
    defined: BTreeSet<(FileId, usize)>,
}

impl<'s> Names<'s> {
    fn of(subject: &'s Subject) -> Names<'s> {
        let calls = calls_by_name(subject);
        let aliases = all(subject, |kind| kind == Kind::Item(ItemKind::TypeAlias));
        let aliases = aliases.into_iter().filter_map(|alias| {
            let of = type_of(alias)?;
            Some((alias.name()?, of))
        });
        let functions = all(subject, is_fn).into_iter();
        let defined = functions.filter_map(|at| Some((at.file, at.node.name.as_ref()?.start)));
        let of_types = groups(subject).into_keys().filter_map(|group| match group {
            Group::OfType(owner, name) => Some((owner, name)),
            _ => None,
        });
        Names {
            subject,
            calls,
            aliases: aliases.collect(),
            of_types: of_types.collect(),
            defined: defined.collect(),
        }
    }

    /// All calls of functions that are alike with what they do in their place; `None` if one is mentioned in another way.
    fn inlined(&self, group: &Alike<'s>) -> Option<Element> {
        let first = group.small[0];
        let of = Group::of(first.function)?;
        let mut edits: Vec<Edit> = group.small.iter().map(Small::gone).collect();
        edits.extend(group.declared.iter().map(|at| at.cut()));
        let mut called: BTreeSet<(FileId, usize)> = BTreeSet::new();
        for call in self.calls.get(first.name).into_iter().flatten() {
            let by_dot = call.kind() == Kind::Expr(ExprKind::MethodCall);
            let callee = call.child(is_expr)?;
            let of_it = match by_dot {
                true => matches!(of, Group::Method(_)),
                false => self.is_path_to(callee, &of),
            };
            if of_it {
                let name = call.node.name.clone()?;
                called.insert((call.file, name.start));
                edits.extend(first.in_place_of(*call)?);
            }
        }
        for (file, version, tree) in self.subject.sources() {
            let source = version.source();
            let tokens = tree.tokens();
            for (at, token) in tokens.iter().enumerate() {
                let place = token.range();
                let known = group.defines(file, &place) || called.contains(&(file, place.start));
                if token.kind != TokenKind::Ident || &source[place.clone()] != first.name || known {
                    continue;
                }
                let before = |back: usize| {
                    let token = tokens.get(at.checked_sub(back)?)?;
                    Some(&source[token.range()])
                };
                let after = tokens.get(at + 1).map(|token| &source[token.range()]);
                let may_be_it = match of {
                    // What imports it alone goes with it.
                    Group::Free(_) => {
                        let id = tree.innermost(&place)?;
                        let node = tree.node(id);
                        let around = tree.ancestors(id).map(|outer| tree.node(outer));
                        let mut around = std::iter::once(node).chain(around);
                        let import = around.find(|node| {
                            matches!(node.kind, Kind::UseTree | Kind::Item(ItemKind::Use))
                        });
                        if let Some(import) = import.filter(|_| after != Some("::")) {
                            edits.push(Edit::delete(file, import.range.clone()));
                            continue;
                        }
                        before(1) != Some(".")
                    }
                    Group::OfType(owner, _) => {
                        before(1) == Some("::")
                            && before(2).is_some_and(|ty| self.is_name_of(ty, owner))
                    }
                    Group::OfTrait(name, _) => {
                        before(1) == Some("::") && before(2) == Some(">") && before(3) == Some(name)
                    }
                    Group::Method(name) => match before(1) {
                        Some("::") => !before(2).is_some_and(|owner| self.has_own(owner, name)),
                        Some(".") => matches!(after, Some("(" | "::")),
                        // In what a macro is given, it may be another one.
                        before => {
                            before == Some("fn") && !self.defined.contains(&(file, place.start))
                        }
                    },
                };
                if may_be_it {
                    return None;
                }
            }
        }
        (!called.is_empty())
            .then(|| smaller(self.subject, first.function.kind(), edits))
            .flatten()
    }

    /// Whether `ty` is `owner`, or another name for it.
    fn is_name_of(&self, ty: &str, owner: &str) -> bool {
        ty == owner || self.aliases.get(ty) == Some(&owner)
    }

    /// Whether the type `owner` has a function of this name that is no method.
    fn has_own(&self, owner: &str, name: &str) -> bool {
        self.of_types.contains(&(owner, name))
    }

    /// Whether a path may lead to a function of the group `of`.
    fn is_path_to(&self, callee: At<'s>, of: &Group<'s>) -> bool {
        let words = callee.words(&callee.range());
        let behind = |at: usize| {
            let at = words.len().checked_sub(at)?;
            words.get(at).map(|(word, _)| *word)
        };
        match *of {
            Group::Free(_) => behind(2).is_none_or(|sign| sign == "::"),
            Group::OfType(owner, _) => match behind(3) {
                Some("Self") => owner_of(callee) == Some(owner),
                Some(ty) => self.is_name_of(ty, owner),
                None => false,
            },
            // `A::f()`, `<S as A>::f()`
            Group::OfTrait(name, _) => {
                behind(2) == Some("::")
                    && (behind(3) == Some(name)
                        || (behind(3) == Some(">") && behind(4) == Some(name)))
            }
            Group::Method(name) => {
                behind(2) == Some("::") && !behind(3).is_some_and(|owner| self.has_own(owner, name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    fn inlined(text: &str) -> Vec<String> {
        let fails_at = text.find("FAILS").map(|at| Origin {
            file: FileId(0),
            offset: at as u32,
        });
        // What is made from the same text is the same in every round.
        let mut found = each(&SmallFunctions { fails_at }, text);
        assert_eq!(found.len() % ROUNDS, 0);
        found.truncate(found.len() / ROUNDS);
        found
    }

    #[test]
    fn what_gives_a_field_is_that_field() {
        assert_eq!(
            inlined(
                "struct S(u8); impl S { fn n(&self) -> u8 { self.0 } fn m(&self) -> u8 { self.n() + 1 } } fn f(s: S) { s.n(); g(s.a().n()); S::n(s) }"
            )[0],
            "struct S(u8); impl S { fn m(&self) -> u8 { self.0 + 1 } } fn f(s: S) { s.0; g(s.a().0); s.0 }"
        );
    }

    #[test]
    fn what_a_trait_does_itself_goes_too() {
        assert_eq!(
            inlined(
                "trait A { fn g(self) -> S where Self: Sized { g(self) } unsafe fn h(&self) { self.k } } impl<T> A for T {} fn f() { x.g(); unsafe { y.h() } }"
            ),
            [
                "trait A { unsafe fn h(&self) { self.k } } impl<T> A for T {} fn f() { g(x); unsafe { y.h() } }",
                "trait A { fn g(self) -> S where Self: Sized { g(self) } } impl<T> A for T {} fn f() { x.g(); unsafe { y.k } }",
            ]
        );
        assert_eq!(
            inlined("trait A { fn g(self) -> Self { Self::h(self) } } fn f() { x.g(); }"),
            [""; 0]
        );
    }

    #[test]
    fn what_hands_on_to_what_fails_says_nothing_of_it() {
        assert_eq!(
            inlined(
                "fn f() { g(1, 2); } fn g(x: u8, y: u8) { h(x, y) } fn h(x: u8, y: u8) { 1; FAILS(x) }"
            ),
            ["fn f() { h(1, 2); } fn h(x: u8, y: u8) { 1; FAILS(x) }"]
        );
    }

    #[test]
    fn a_field_may_have_its_name() {
        assert_eq!(
            inlined(
                "struct S { n: u8 } impl S { fn n(&self) -> u8 { self.n } fn m(&self) -> u8 { self.k.m() } } fn f(s: S) { s.n() + s.m() }"
            ),
            [
                "struct S { n: u8 } impl S { fn m(&self) -> u8 { self.k.m() } } fn f(s: S) { s.n + s.m() }"
            ]
        );
    }

    #[test]
    fn what_is_given_for_a_field_needs_no_parentheses() {
        assert_eq!(
            inlined(
                "struct S { x: u8 } fn make(x: u8) -> S { S { x } } fn f(n: u8) { g(make(n + 1)) }"
            ),
            ["struct S { x: u8 } fn f(n: u8) { g(S { x: n + 1 }) }"]
        );
    }

    #[test]
    fn what_gives_itself_is_not_called() {
        assert_eq!(
            inlined(
                "impl S { fn g(&mut self) -> &mut S { self } } fn f() { S::new().g().k(1); h.g().l; }"
            ),
            ["fn f() { S::new().k(1); h.l; }"]
        );
        let none: [&str; 0] = [];
        let text = "impl S { fn g(&mut self) -> &mut S { self } } fn f() { k(s.g()); }";
        assert_eq!(inlined(text), none);
    }

    #[test]
    fn what_makes_a_value_is_that_value() {
        assert_eq!(
            inlined(
                "struct S { a: u8, b: u8 } type T = S; impl S { fn new(a: u8, c: u8) -> Self { Self { a, b: c } } } fn f() { let s = S::new(1, 2 + 3); T::new(g(), S::new(4, 5).b).h(); Vec::new(); }"
            ),
            [
                "struct S { a: u8, b: u8 } type T = S; fn f() { let s = S { a: 1, b: 2 + 3 }; S { a: g(), b: S { a: 4, b: 5 }.b }.h(); Vec::new(); }"
            ]
        );
    }

    #[test]
    fn operands_stay_together() {
        assert_eq!(
            inlined(
                "mod m { pub fn twice(x: u8) -> u8 { x * 2 } } use m::twice; fn f() { -twice(1 + 2); twice(a.b) + m::twice(c) }"
            ),
            ["mod m { } fn f() { -((1 + 2) * 2); (a.b * 2) + (c * 2) }"]
        );
    }

    #[test]
    fn what_only_does_something_is_a_statement() {
        assert_eq!(
            inlined("fn f() { g(1); if c { g(2); } } fn g(x: u8) { h(x); }"),
            ["fn f() { h(1); if c { h(2); } }"]
        );
        assert_eq!(inlined("fn f() { k(g(1)) } fn g(x: u8) { h(x); }"), [""; 0]);
    }

    #[test]
    fn functions_of_types_and_methods_may_have_one_name() {
        assert_eq!(
            inlined(
                "impl S { fn p(x: u8) -> T { T::p(x) } } impl T { fn p(x: u8) -> T { V(x).p() } } impl V { fn p(self) -> T { self.q(1) } } fn f() { S::p(2); }"
            ),
            [
                "impl T { fn p(x: u8) -> T { V(x).p() } } impl V { fn p(self) -> T { self.q(1) } } fn f() { T::p(2); }",
                "impl S { fn p(x: u8) -> T { V(x).p() } } impl V { fn p(self) -> T { self.q(1) } } fn f() { S::p(2); }",
                "impl S { fn p(x: u8) -> T { T::p(x) } } impl T { fn p(x: u8) -> T { V(x).q(1) } } fn f() { S::p(2); }",
            ]
        );
        assert_eq!(
            inlined(
                "impl S { fn p(x: u8) -> u8 { S::p(x) } fn q(x: u8) -> u8 { Self::q(x) } } fn f() { S::p(2); S::q(1); }"
            ),
            [""; 0]
        );
    }

    #[test]
    fn methods_that_do_the_same_go_together() {
        assert_eq!(
            inlined(
                "impl S { fn n(&self) -> u8 { self.0.k } } impl T { fn n(&self) -> u16 { self.0.k } } fn f() { s.n(); t.n(); s.n() }"
            ),
            ["fn f() { s.0.k; t.0.k; s.0.k }"]
        );
    }

    #[test]
    fn what_a_trait_declares_goes_with_its_impls() {
        assert_eq!(
            inlined(
                "trait A { fn n(&self) -> u8; fn m() -> Self; } impl A for (u8, u8) { fn n(&self) -> u8 { self.0 } } impl A for u8 { fn m() -> u8 { u8::MAX } } fn f(t: (u8, u8)) { t.n() + A::n(&t); <u8 as A>::m(); Vec::m() }"
            ),
            [
                "trait A { fn n(&self) -> u8; } impl A for (u8, u8) { fn n(&self) -> u8 { self.0 } } impl A for u8 { } fn f(t: (u8, u8)) { t.n() + A::n(&t); u8::MAX; Vec::m() }",
                "trait A { fn m() -> Self; } impl A for (u8, u8) { } impl A for u8 { fn m() -> u8 { u8::MAX } } fn f(t: (u8, u8)) { t.0 + (&t).0; <u8 as A>::m(); Vec::m() }",
            ]
        );
    }

    #[test]
    fn what_a_trait_has_may_be_what_its_type_has() {
        assert_eq!(
            inlined(
                "trait A { fn m(k: u8) -> Self; } impl A for S<u8> { fn m(k: u8) -> Self { Self::m(k) } } impl S<u8> { fn m(k: u8) -> S<u8> { g(); S(k) } } fn f() { <S<u8> as A>::m(1); }"
            ),
            [
                "trait A { } impl A for S<u8> { } impl S<u8> { fn m(k: u8) -> S<u8> { g(); S(k) } } fn f() { S::m(1); }"
            ]
        );
    }

    #[test]
    fn what_is_called_by_another_goes_first() {
        assert_eq!(
            inlined("fn f() { g(1); g(2); g(3); } fn g(x: u8) { h(x) } fn h(x: u8) { i(x, 1, 2) }"),
            ["fn f() { g(1); g(2); g(3); } fn g(x: u8) { i(x, 1, 2) }"]
        );
    }

    #[test]
    fn what_fails_and_what_is_not_the_same_elsewhere_stays() {
        for text in [
            "fn f() { g(1); g(2); } fn g(x: u8) { FAILS(x) }",
            "fn f() { g(1); g(2); } fn g(x: u8) { h(x, 0) } fn h(x: u8, y: u8) { 1; FAILS(x) }",
            "fn f() { g(1); g(2); h(g); } fn g(x: u8) { k(x) }",
            "fn f() { g(k()); g(k()); } fn g(x: u8) { x + x }",
            "fn f() { g(k(), l()); g(k(), l()); } fn g(x: u8, y: u8) { m(y, x) }",
            "fn f() { g(k()); } fn g(x: u8) { h(|| x) }",
            "fn f() { g(); g(); } fn g() -> Option<u8> { h()?.i() }",
            "fn f() { g::<u8>(); g::<u8>(); } fn g<T>() { h() }",
            "fn f() { s.g(); s.g(); } impl S { fn g(&self) { h(self) } }",
            "fn f() { s.g(); s.g(); } impl S { fn g(&self) { self.h } } impl T for U { fn g(&self) {} }",
            "fn f(y: u8) { g(y); g(y); } fn g(x: u8) { match h() { y => x } }",
            "fn f() { s.g(); s.g(); } trait A { fn g(&self) { self.h } } impl A for U { fn g(&self) { self.i } }",
            "fn f() { T::g(); } trait A { fn g(); } impl A for U { fn g() { h() } } impl A for V { fn g() { i() } }",
        ] {
            assert_eq!(inlined(text), Vec::<String>::new(), "{text}");
        }
    }
}
