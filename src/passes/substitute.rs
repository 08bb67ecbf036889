//! Names replaced by another of the same kind, so that what they named can go: a parameter by its
//! neighbour, an associated type by the other one, a trait by another trait.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Pass;
use super::query::{
    At, all, arguments_of, is_expr, is_fn, is_impl, is_member, is_parameter, is_type, place_of,
    smaller, trait_of,
};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, PatKind};

/// Parameters of functions, by another of the same type; generic parameters, by another of the list.
pub struct OtherParameters;

/// Types, traits, functions, variants and members of traits, by another of the same shape.
pub struct OtherDefinitions;

/// Local types and traits, by one of the language that everyone knows.
pub struct KnownDefinitions;

/// How many others are tried in the place of one.
const OTHERS: usize = 2;

impl Pass for OtherParameters {
    fn name(&self) -> &'static str {
        "other-parameters"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for function in all(subject, is_fn) {
            let values = values(function);
            for (at, (name, parameter)) in values.iter().enumerate() {
                let ty = |one: At| one.child(is_type).map(|ty| ty.text().to_string());
                let others = values.iter().enumerate();
                let like = others
                    .filter(|(other, (_, one))| *other != at && ty(*one) == ty(*parameter))
                    .map(|(_, (name, _))| *name);
                // What nothing mentions goes without another.
                let mentioned = function.mentions(name, &function.range()).len() > 1;
                let Some(other) = like.into_iter().next().filter(|_| mentioned) else {
                    continue;
                };
                let mut edits = vec![parameter.cut()];
                edits.extend(renamed(function, name, other));
                edits.extend(arguments(subject, function, *parameter));
                list.extend(smaller(subject, Kind::Param, edits));
            }
        }
        for owner in all(subject, |kind| {
            matches!(kind, Kind::Item(_) | Kind::Member(_))
        }) {
            let parameters = owner.children(is_parameter);
            for (at, parameter) in parameters.iter().enumerate() {
                let sort = |one: &At| {
                    (
                        one.text().starts_with('\''),
                        one.text().starts_with("const "),
                    )
                };
                let same: Vec<At> = parameters
                    .iter()
                    .copied()
                    .filter(|one| sort(one) == sort(parameter))
                    .collect();
                let here = same
                    .iter()
                    .position(|one| one.id == parameter.id)
                    .unwrap_or(0);
                let Some(other) = nth_other(&same, here, 0) else {
                    continue;
                };
                let (Some(name), Some(other)) = (parameter.name(), other.name()) else {
                    continue;
                };
                let mut edits = vec![parameter.cut()];
                edits.extend(renamed(owner, name, other));
                let uses = owner.name().map(|name| arguments_of(subject, name));
                for (_, given) in uses.into_iter().flatten() {
                    let place = place_of(&parameters, at, &given);
                    edits.extend(place.map(|place| given[place].cut()));
                }
                list.extend(smaller(subject, Kind::GenericParam, edits));
            }
        }
        Some(list)
    }
}

/// The parameters of a function that are plain names.
fn values<'s>(function: At<'s>) -> Vec<(&'s str, At<'s>)> {
    let parameters = function.children(|kind| kind == Kind::Param).into_iter();
    parameters
        .filter_map(|parameter| {
            let pattern = parameter.child(|kind| kind == Kind::Pat(PatKind::Ident))?;
            Some((pattern.name()?, parameter))
        })
        .collect()
}

/// The `round`th of the others.
fn nth_other<T: Copy>(all: &[T], at: usize, round: usize) -> Option<T> {
    let others = all.iter().enumerate().filter(|(other, _)| *other != at);
    others.map(|(_, other)| *other).nth(round)
}

/// `name` → `other` all over `scope`.
fn renamed(scope: At, name: &str, other: &str) -> Vec<Edit> {
    let mentions = scope.mentions(name, &scope.range()).into_iter();
    mentions.map(|at| scope.edit(at, other)).collect()
}

/// The arguments for `parameter` of all calls by the name of `function`.
fn arguments(subject: &Subject, function: At, parameter: At) -> Vec<Edit> {
    let all_parameters = function.children(|kind| matches!(kind, Kind::Param | Kind::Receiver));
    let method = all_parameters
        .first()
        .is_some_and(|first| first.kind() == Kind::Receiver);
    let Some(at) = all_parameters.iter().position(|one| one.id == parameter.id) else {
        return Vec::new();
    };
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
    let calls = all(subject, is_call).into_iter();
    calls
        .filter(|call| call.name() == function.name())
        .filter_map(|call| {
            let by_dot = call.kind() == Kind::Expr(ExprKind::MethodCall);
            // In front of the arguments stands what is called, or the receiver.
            let place = at + 1 - usize::from(by_dot && method);
            Some(call.children(is_expr).get(place)?.cut())
        })
        .collect()
}

/// What makes two definitions alike: the one can stand where the other stood.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
struct Shape {
    kind: Kind,
    generics: usize,
    parts: usize,
    /// For members and variants, what they belong to.
    owner: Option<String>,
}

fn shape(at: At) -> Option<Shape> {
    let parameters = |kind| matches!(kind, Kind::Param | Kind::Receiver | Kind::Field);
    let shape = |owner: Option<String>, parts| Shape {
        kind: at.kind(),
        generics: at.children(is_parameter).len(),
        parts,
        owner,
    };
    match at.kind() {
        // What kind of type it is does not matter where only its name stands.
        Kind::Item(ItemKind::Struct | ItemKind::Enum | ItemKind::Union | ItemKind::TypeAlias) => {
            Some(Shape {
                kind: Kind::Item(ItemKind::Struct),
                ..shape(None, 0)
            })
        }
        Kind::Item(ItemKind::Trait | ItemKind::Const | ItemKind::Static) => Some(shape(None, 0)),
        Kind::Item(ItemKind::Fn) => Some(shape(None, at.children(parameters).len())),
        Kind::Member(ItemKind::TypeAlias | ItemKind::Const) => Some(shape(owner_of(at), 0)),
        Kind::Member(ItemKind::Fn) => Some(shape(owner_of(at), at.children(parameters).len())),
        Kind::Variant => Some(shape(
            at.parent()?.name().map(String::from),
            at.children(parameters).len(),
        )),
        _ => None,
    }
}

/// The trait that a member is declared in; impls of it follow.
fn owner_of(member: At) -> Option<String> {
    let outer = member.parent()?;
    match outer.kind() {
        Kind::Item(ItemKind::Trait) => outer.name().map(String::from),
        _ => None,
    }
}

impl Pass for OtherDefinitions {
    fn name(&self) -> &'static str {
        "other-definitions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= OTHERS {
            return None;
        }
        let is_definition = |kind| matches!(kind, Kind::Item(_) | Kind::Member(_) | Kind::Variant);
        let mut alike: BTreeMap<Shape, Vec<(&str, At)>> = BTreeMap::new();
        for at in all(subject, is_definition) {
            let is_free = !matches!(at.kind(), Kind::Member(_)) || owner_of(at).is_some();
            if let (Some(shape), Some(name), true) = (shape(at), at.name(), is_free) {
                alike.entry(shape).or_default().push((name, at));
            }
        }
        let mut list = Vec::new();
        for same in alike.values() {
            for (at, (name, definition)) in same.iter().enumerate() {
                let Some((other, _)) = nth_other(same, at, round) else {
                    continue;
                };
                if other == *name || *name == "main" {
                    continue;
                }
                let uses = uses(subject, name, *definition);
                if uses.is_empty() {
                    continue;
                }
                let mut edits = vec![definition.cut()];
                edits.extend(belongings(subject, *definition));
                edits.extend(
                    uses.into_iter()
                        .map(|(file, range)| Edit::replace(file, range, other)),
                );
                list.extend(smaller(subject, definition.kind(), edits));
            }
        }
        Some(list)
    }
}

/// Where `name` stands outside of its definition.
fn uses(subject: &Subject, name: &str, definition: At) -> Vec<(FileId, Range<usize>)> {
    let files = all(subject, |kind| kind == Kind::File).into_iter();
    files
        .flat_map(|file| {
            let found = file.mentions(name, &file.range()).into_iter();
            found.map(move |range| (file.file, range))
        })
        .filter(|(file, range)| !(*file == definition.file && definition.holds(range)))
        .collect()
}

/// What goes with a definition: the impls of a trait or for a type, the members that give what a
/// trait declares, the `use` items that name it alone.
fn belongings(subject: &Subject, definition: At) -> Vec<Edit> {
    let name = definition.name();
    let mut edits = Vec::new();
    for one in all(subject, is_impl) {
        let of = trait_of(one);
        let about = match definition.kind() {
            Kind::Item(ItemKind::Trait) => of == name,
            Kind::Item(_) => one.child(is_type).and_then(At::name) == name,
            _ => false,
        };
        if about {
            edits.push(one.cut());
        }
        if matches!(definition.kind(), Kind::Member(_))
            && of.map(String::from) == owner_of(definition)
        {
            let members = one.children(is_member).into_iter();
            edits.extend(members.filter(|at| at.name() == name).map(At::cut));
        }
    }
    edits
}

/// Types of the language, with a value of each.
const TYPES: [&str; 2] = ["u8", "()"];

/// Traits that need no import, by what they declare.
const TRAITS: [&str; 2] = ["Copy", "Sized"];

impl Pass for KnownDefinitions {
    fn name(&self) -> &'static str {
        "known-definitions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= OTHERS {
            return None;
        }
        let mut list = Vec::new();
        for definition in all(subject, |kind| matches!(kind, Kind::Item(_))) {
            let Some(name) = definition.name() else {
                continue;
            };
            if !definition.children(is_parameter).is_empty() {
                continue;
            }
            let members = definition.children(is_member);
            let (known, item) = match (definition.kind(), &members[..]) {
                (Kind::Item(ItemKind::Trait), []) => (TRAITS[round], None),
                (Kind::Item(ItemKind::Trait), [only])
                    if only.kind() == Kind::Member(ItemKind::TypeAlias) && round == 0 =>
                {
                    ("Iterator", only.name())
                }
                (Kind::Item(ItemKind::Struct | ItemKind::Enum | ItemKind::TypeAlias), _) => {
                    (TYPES[round], None)
                }
                _ => continue,
            };
            let mut edits = vec![definition.cut()];
            let used = uses(subject, name, definition);
            edits.extend(
                used.into_iter()
                    .map(|(file, range)| Edit::replace(file, range, known)),
            );
            if definition.kind() == Kind::Item(ItemKind::Trait) {
                edits.extend(belongings(subject, definition));
            }
            if let Some(item) = item {
                let used = uses(subject, item, definition).into_iter();
                edits.extend(used.map(|(file, range)| Edit::replace(file, range, "Item")));
            }
            list.extend(smaller(subject, definition.kind(), edits));
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_parameter_gives_its_place_to_its_neighbour() {
        assert_eq!(
            each(
                &OtherParameters,
                "fn f(a: u8, b: u8) { g(a, b); } fn h() { f(1, 2); }"
            ),
            [
                "fn f( b: u8) { g(b, b); } fn h() { f( 2); }",
                "fn f(a: u8 ) { g(a, a); } fn h() { f(1 ); }",
            ]
        );
        assert_eq!(
            each(
                &OtherParameters,
                "struct S<'a, T, U>(&'a T, U); fn f(s: S<u8, u16>) {}"
            )[1],
            "struct S<'a, T >(&'a T, T); fn f(s: S<u8 >) {}"
        );
    }

    #[test]
    fn a_definition_goes_when_another_takes_its_name() {
        assert_eq!(
            each(
                &OtherDefinitions,
                "trait A { type B; type C: D; fn f() -> Self::B; } impl A for u8 { type B = u8; type C = u16; }"
            )[0],
            "trait A { type C: D; fn f() -> Self::C; } impl A for u8 { type C = u16; }"
        );
        assert_eq!(
            each(&OtherDefinitions, "enum E { A, B(u8), C } fn f() { E::C; }"),
            ["enum E { A, B(u8) } fn f() { E::A; }"]
        );
        assert_eq!(
            each(
                &OtherDefinitions,
                "trait A {} trait B {} impl B for u8 {} impl A for u8 {} fn f(x: impl B) {}"
            )[1],
            "trait A {} impl A for u8 {} fn f(x: impl A) {}"
        );
    }

    #[test]
    fn a_local_definition_becomes_one_that_everyone_knows() {
        assert_eq!(
            each(
                &KnownDefinitions,
                "struct S; trait T { type U; } impl T for S { type U = S; } fn f<X: T<U = S>>() {}"
            ),
            [
                "trait T { type U; } impl T for u8 { type U = u8; } fn f<X: T<U = u8>>() {}",
                "struct S; fn f<X: Iterator<Item = S>>() {}",
            ]
        );
    }
}
