//! Generic parameters made concrete: a type or const parameter goes from its item, and what one of its
//! uses gave for it takes its place; so do the parameters that are only handed on to it.

use std::collections::{BTreeMap, BTreeSet};

use super::Pass;
use super::query::{At, all, arguments_of, is_fn, is_lifetime, is_parameter, place_of, smaller};
use super::written::Written;
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind};

/// `trait A<const N: usize>`, `impl<const M: usize> A<M> for S`, `A<2>` → `A` with `2` for `N` and `M`.
/// Each round takes another of the values given for it.
pub struct ConcreteParameters;

/// How many different values are tried for one parameter.
const VALUES: usize = 2;

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
        let mut done = BTreeSet::new();
        let list = all_parameters.iter().filter_map(|first| {
            let group = Group::from(*first, &all_parameters, &arguments);
            if !done.insert(group.members.clone()) {
                return None;
            }
            let value = group.values.get(round)?;
            smaller(
                subject,
                Kind::GenericParam,
                group.edits(&all_parameters, value),
            )
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

    fn edits(&self, all: &[At<'s>], value: &Written) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.arguments.iter().map(|at| at.cut()).collect();
        for parameter in self.members.iter().map(|at| all[*at]) {
            let (Some(owner), Some(name)) = (parameter.parent(), parameter.name()) else {
                continue;
            };
            let lifetimes = owner.children(is_parameter).into_iter();
            let own = lifetimes.filter(is_lifetime).find_map(At::name);
            let value = match own {
                None if is_fn(owner.kind()) => value.with(None),
                own => value.with(Some(own.unwrap_or("'static"))),
            };
            edits.push(parameter.cut());
            for predicate in owner.inside(|kind| kind == Kind::Predicate) {
                let words = predicate.words(&predicate.range());
                if matches!(&words[..], [(first, _), (":", _), ..] if *first == name) {
                    edits.push(predicate.cut());
                }
            }
            let is_path = |kind| matches!(kind, Kind::Type(_) | Kind::Expr(ExprKind::Path));
            for mention in owner.inside(is_path) {
                let words = mention.words(&mention.range());
                match &words[..] {
                    [(word, _)] if *word == name => edits.push(mention.by(value.clone())),
                    [(word, at), ("::", _), ..] if *word == name => {
                        edits.push(mention.edit(at.clone(), format!("<{value}>")));
                    }
                    _ => {}
                }
            }
        }
        edits
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
            each(&ConcreteParameters, text)[0],
            "trait A { fn f() -> [u8; 2]; } impl< U> A for S<U> { fn f() -> [u8; 2] { 2 } } fn g<T: A>() {}"
        );
    }

    #[test]
    fn lifetimes_are_those_of_the_place() {
        let text = "struct S<'a, T>(&'a T); struct R<'b, T>(S<'b, T>, &'static T); impl<'g> R<'g, &'g u8> {} fn f(r: R<&u8>) {}";
        assert_eq!(
            each(&ConcreteParameters, text),
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
                &ConcreteParameters,
                "struct S<T: A>(T::B, T); fn f(s: S<u8>) {}"
            ),
            ["struct S(<u8>::B, u8); fn f(s: S) {}"]
        );
    }
}
