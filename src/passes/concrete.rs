//! Generic parameters made concrete: a type or const parameter goes from its item, and what one of its
//! uses gave for it takes its place; so do the parameters that are only handed on to it.

use std::collections::{BTreeMap, BTreeSet};

use super::Pass;
use super::query::{At, all, arguments_of, is_fn, is_impl, is_lifetime, is_member, is_parameter};
use super::query::{counted, place_of};
use super::written::Written;
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, Node};

/// `trait A<const N: usize>`, `impl<const M: usize> A<M> for S`, `A<2>` → `A` with `2` for `N` and `M`.
/// Each round takes another of the values given for it; one that has lifetimes is tried with a lifetime for the parameter, too:
/// `struct S<T>(T)`, `S<&u8>` → `struct S<'t>(&'t u8)`, `S<'_>`.
#[derive(Default)]
pub struct ConcreteParameters {
    /// Up to so many tokens may be added: what the parameters were for is to go afterwards.
    pub grow: i64,
}

/// How many different values are tried for one parameter.
const VALUES: usize = 3;

/// The lifetime that types get which had none.
const NEW_LIFETIME: &str = "'t";

impl Pass for ConcreteParameters {
    fn name(&self) -> &'static str {
        "concrete-parameters"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= VALUES {
            return None;
        }
        let all_parameters: Vec<At> = all(subject, is_parameter)
            .into_iter()
            .filter(|at| !is_lifetime(at))
            .collect();
        let mut arguments: BTreeMap<&str, Vec<(At, Vec<At>)>> = BTreeMap::new();
        for parameter in &all_parameters {
            if let Some(owner) = parameter.parent().and_then(At::name) {
                arguments
                    .entry(owner)
                    .or_insert_with(|| arguments_of(subject, owner));
            }
        }
        let traits = Traits::of(subject);
        let mut done = BTreeSet::new();
        let list = all_parameters.iter().filter_map(|first| {
            let group = Group::from(*first, &all_parameters, &arguments);
            if !done.insert(group.members.clone()) {
                return None;
            }
            let needs_one = group.needs_a_lifetime(&all_parameters);
            let ways = group.values.iter().flat_map(|value| {
                let new = needs_one && value.has_lifetimes();
                [(value, false)]
                    .into_iter()
                    .chain(new.then_some((value, true)))
            });
            let (value, new) = ways.into_iter().nth(round)?;
            let edits = group.edits(&all_parameters, value, new, &traits);
            let element = counted(subject, Kind::GenericParam, edits);
            let least = if new { -self.grow } else { 1 };
            element.filter(|element| element.saves >= least)
        });
        Some(list.collect())
    }
}

/// Parameters that stand for the same thing.
struct Group<'s> {
    /// Their places among all parameters.
    members: BTreeSet<usize>,
    /// The arguments for them.
    arguments: Vec<At<'s>>,
    /// What stands for them where that is no parameter, shortest first.
    values: Vec<Written>,
}

impl<'s> Group<'s> {
    fn from(
        first: At<'s>,
        all: &[At<'s>],
        arguments: &BTreeMap<&str, Vec<(At<'s>, Vec<At<'s>>)>>,
    ) -> Group<'s> {
        let same = |a: At, b: At| (a.file, a.id) == (b.file, b.id);
        let mut group = Group {
            members: BTreeSet::new(),
            arguments: Vec::new(),
            values: Vec::new(),
        };
        let mut open: Vec<usize> = all
            .iter()
            .position(|at| same(*at, first))
            .into_iter()
            .collect();
        while let Some(next) = open.pop() {
            let Some(owner) = all[next].parent().filter(|_| group.members.insert(next)) else {
                continue;
            };
            let parameters = owner.children(is_parameter);
            let place = parameters.iter().position(|at| same(*at, all[next]));
            let uses = owner.name().and_then(|name| arguments.get(name));
            for (_, given) in uses.into_iter().flatten() {
                let Some(at) = place.and_then(|place| place_of(&parameters, place, given)) else {
                    continue;
                };
                group.arguments.push(given[at]);
                let text = given[at].text();
                let declared = all.iter().position(|at_declared| {
                    at_declared.name() == Some(text)
                        && at_declared.parent().is_some_and(|owner| {
                            owner.file == given[at].file && owner.holds(&given[at].range())
                        })
                });
                match declared {
                    Some(other) => open.push(other),
                    None if text != "_" && !is_lifetime(&given[at]) => {
                        group.values.push(Written::of(given[at]));
                    }
                    None => {}
                }
            }
        }
        group
            .values
            .sort_by_key(|value| (value.len(), value.clone()));
        group.values.dedup();
        group
    }

    /// Whether one of the parameters is that of a type without lifetimes.
    fn needs_a_lifetime(&self, all: &[At<'s>]) -> bool {
        let owners = self.members.iter().filter_map(|at| all[*at].parent());
        let mut types = owners.filter(|owner| takes_a_lifetime(*owner));
        types.any(|owner| !is_impl(owner.kind()))
    }

    /// `value` in the place of the parameters, and a `new` lifetime in theirs if the types have none.
    fn edits(&self, all: &[At<'s>], value: &Written, new: bool, traits: &Traits) -> Vec<Edit> {
        let takers = self.members.iter().filter_map(|at| all[*at].parent());
        let takers: Vec<At> = takers
            .filter(|owner| new && takes_a_lifetime(*owner))
            .collect();
        let mut edits: Vec<Edit> = Vec::new();
        for argument in &self.arguments {
            let of_type = argument.parent().is_some_and(|list| {
                let before = list.tree.tokens_in(&(0..list.node.range.start)).last();
                let owner = before.map(|token| &list.source[token.range()]);
                let mut types = takers.iter().filter(|taker| !is_impl(taker.kind()));
                types.any(|taker| taker.name() == owner)
            });
            let mut around = takers.iter().filter(|taker| taker.file == argument.file);
            let lifetime = match around.any(|taker| taker.holds(&argument.range())) {
                true => NEW_LIFETIME,
                false => "'_",
            };
            edits.extend(match of_type {
                true => in_front(*argument, lifetime),
                false => vec![argument.cut()],
            });
        }
        for parameter in self.members.iter().map(|at| all[*at]) {
            let (Some(owner), Some(name)) = (parameter.parent(), parameter.name()) else {
                continue;
            };
            let is_owner = |taker: &At| (taker.file, taker.id) == (owner.file, owner.id);
            let takes = takers.iter().any(is_owner);
            let lifetimes = owner.children(is_parameter).into_iter();
            let own = lifetimes.filter(is_lifetime).find_map(At::name);
            let value = match own.or(takes.then_some(NEW_LIFETIME)) {
                None if is_fn(owner.kind()) => value.with(None),
                own => value.with(Some(own.unwrap_or("'static"))),
            };
            edits.extend(match takes {
                true => in_front(parameter, NEW_LIFETIME),
                false => vec![parameter.cut()],
            });
            let mut bounds = vec![parameter.range()];
            for predicate in owner.inside(|kind| kind == Kind::Predicate) {
                let words = predicate.words(&predicate.range());
                if matches!(&words[..], [(first, _), (":", _), ..] if *first == name) {
                    edits.push(predicate.cut());
                    bounds.push(predicate.range());
                }
            }
            let is_path = |kind| matches!(kind, Kind::Type(_) | Kind::Expr(ExprKind::Path));
            for mention in owner.inside(is_path) {
                let words = mention.words(&mention.range());
                match &words[..] {
                    [(word, _)] if *word == name => edits.push(mention.by(value.clone())),
                    [(word, at), ("::", _), (of_it, _), ..] if *word == name => {
                        let bounds = bounds.iter().flat_map(|range| owner.words(range));
                        let one = traits.with(of_it, bounds.map(|(word, _)| word).collect());
                        let ty = match one {
                            Some(one) => format!("<{value} as {one}>"),
                            None => format!("<{value}>"),
                        };
                        edits.push(mention.edit(at.clone(), ty));
                    }
                    _ => {}
                }
            }
        }
        edits
    }
}

/// Whether `owner` is a type or an impl, and has no lifetime.
fn takes_a_lifetime(owner: At) -> bool {
    let is_type = matches!(
        owner.kind(),
        Kind::Item(ItemKind::Enum | ItemKind::Struct | ItemKind::Union)
    );
    let parameters = owner.children(is_parameter);
    (is_type || is_impl(owner.kind())) && !parameters.iter().any(is_lifetime)
}

/// Deletes a parameter or an argument; a `lifetime` stands in front of the others instead.
fn in_front(one: At, lifetime: &str) -> Vec<Edit> {
    let others = one.parent().map(|outer| {
        let alike = outer.node.children.iter().map(|id| outer.tree.node(*id));
        alike.filter(|child| child.kind == one.kind()).collect()
    });
    let others: Vec<&Node> = others.unwrap_or_default();
    match others.first() {
        Some(first) if first.range != one.range() => {
            let start = first.range.start;
            vec![one.edit(start..start, format!("{lifetime}, ")), one.cut()]
        }
        _ => vec![one.by(lifetime)],
    }
}

/// The traits of a subject by name: the types that each declares, and all that it names in front of them.
struct Traits<'s>(BTreeMap<&'s str, (BTreeSet<&'s str>, Vec<&'s str>)>);

impl<'s> Traits<'s> {
    fn of(subject: &'s Subject) -> Traits<'s> {
        let traits = all(subject, |kind| kind == Kind::Item(ItemKind::Trait));
        let named = traits.into_iter().filter_map(|one| {
            let members = one.children(is_member);
            let first = members
                .first()
                .map_or(one.node.range.end, |member| member.node.range.start);
            let types = members
                .into_iter()
                .filter(|member| member.kind() == Kind::Member(ItemKind::TypeAlias));
            let header = one.words(&(one.node.range.start..first));
            let header = header.into_iter().map(|(word, _)| word).collect();
            Some((one.name()?, (types.filter_map(At::name).collect(), header)))
        });
        Traits(named.collect())
    }

    /// The trait that declares a type of this `name`, among those that `bounds` name and what these ask for.
    fn with(&self, name: &str, bounds: Vec<&'s str>) -> Option<&'s str> {
        let mut open = bounds;
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            let Some((types, header)) = self.0.get(next).filter(|_| seen.insert(next)) else {
                continue;
            };
            if types.contains(name) {
                return Some(next);
            }
            open.extend(header);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_a_use_gives_takes_the_place_of_all_parameters_that_are_handed_on() {
        let text = "trait A<const N: usize> { fn f() -> [u8; N]; } impl<const M: usize, U> A<M> for S<U> where M: B { fn f() -> [u8; M] { M } } fn g<T: A<2>>() {}";
        assert_eq!(
            each(&ConcreteParameters::default(), text)[0],
            "trait A { fn f() -> [u8; 2]; } impl< U> A for S<U> { fn f() -> [u8; 2] { 2 } } fn g<T: A>() {}"
        );
    }

    #[test]
    fn lifetimes_are_those_of_the_place() {
        let text = "struct S<'a, T>(&'a T); struct R<'b, T>(S<'b, T>, &'static T); impl<'g> R<'g, &'g u8> {} fn f(r: R<&u8>) {}";
        assert_eq!(
            each(&ConcreteParameters::default(), text),
            [
                "struct S<'a >(&'a &'a u8); struct R<'b >(S<'b >, &'static &'b u8); impl<'g> R<'g > {} fn f(r: R) {}",
                "struct S<'a, T>(&'a T); struct R<'b >(S<'b, &'b u8>, &'static &'b u8); impl<'g> R<'g > {} fn f(r: R) {}",
            ]
        );
    }

    #[test]
    fn paths_through_a_parameter_go_through_the_type() {
        assert_eq!(
            each(
                &ConcreteParameters::default(),
                "struct S<T: A>(T::B, T); fn f(s: S<u8>) {}"
            ),
            ["struct S(<u8>::B, u8); fn f(s: S) {}"]
        );
    }

    #[test]
    fn what_closes_a_list_is_no_part_of_its_last_argument() {
        assert_eq!(
            each(
                &ConcreteParameters { grow: 20 },
                "struct S<T>(T, T); fn f(s: S<&R<u8>>) {}"
            ),
            ["struct S<'t>(&'t R <u8 >, &'t R <u8 >); fn f(s: S<'_>) {}"]
        );
    }

    #[test]
    fn a_type_without_lifetimes_gets_one_for_references() {
        let text = "trait A { type B; } trait C: A {} struct S<U, T: C>(T, Option<T::B>, U); impl<V, W: C> S<V, W> { fn f(w: W) -> S<u8, &R> { w } }";
        assert_eq!(
            each(&ConcreteParameters { grow: 20 }, text)
                .last()
                .map(String::as_str),
            Some(
                "trait A { type B; } trait C: A {} struct S<'t, U >(&'t R, Option<<&'t R as A>::B>, U); impl<'t, V > S<'t, V > { fn f(w: &'t R) -> S<'t, u8 > { w } }"
            )
        );
    }
}
