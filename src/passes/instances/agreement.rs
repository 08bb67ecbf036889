//! Impls lean on each other: what each of them may be for alone depends on what all others are for.

use std::collections::{BTreeMap, BTreeSet};

use super::super::query::{At, all, is_lifetime, is_parameter};
use super::{Instances, Made};
use crate::syntax::{ItemKind, Kind};

impl<'s> Instances<'s> {
    /// What one impl says of a type's argument holds for all of them: in those of which nothing ran it is the same, and where it
    /// is another one somewhere, none can be for one alone, since traits lean on each other. Nor can then what the argument is
    /// handed on to.
    pub(super) fn agree(&self, types: &mut BTreeMap<Made, BTreeSet<&str>>) {
        let all = self.generics.iter().enumerate();
        let all: Vec<(Made, Place)> = all
            .flat_map(|(number, generic)| {
                let own = generic.arguments_of_self().into_iter();
                own.map(move |(parameter, place)| {
                    (generic.made(number, parameter.name, &[parameter]), place)
                })
            })
            .collect();
        let mut by_place: BTreeMap<Place, BTreeSet<&str>> = BTreeMap::new();
        for (made, place) in &all {
            let told = types.get(made).into_iter().flatten();
            by_place.entry(*place).or_default().extend(told);
        }
        let several = |names: Option<&BTreeSet<&str>>| names.is_some_and(|names| names.len() > 1);
        let places = by_place.iter().filter(|(_, told)| several(Some(told)));
        let mut open: BTreeSet<Place> = places.map(|(place, _)| *place).collect();
        for (number, generic) in self.generics.iter().enumerate() {
            let own = generic.parameters.iter().filter(|parameter| {
                let made = generic.made(number, parameter.name, &[parameter]);
                several(types.get(&made))
            });
            open.extend(own.flat_map(|parameter| handed_on(parameter.owner, parameter.name)));
        }
        let links = self.links();
        let mut generic = BTreeSet::new();
        while let Some(place) = open.pop_first() {
            if generic.insert(place) {
                let on = links.iter().filter(|(from, _)| *from == place);
                open.extend(on.flat_map(|(_, to)| to));
            }
        }
        for (made, place) in all {
            if generic.contains(&place) {
                types.remove(&made);
            } else if let Some(told) = by_place.get(&place).filter(|told| !told.is_empty()) {
                types.insert(made, told.clone());
            }
        }
    }

    /// What each argument of a type is handed on to, by the types themselves and by their impls.
    fn links(&self) -> Vec<(Place<'s>, BTreeSet<Place<'s>>)> {
        let of_impls = self.generics.iter().flat_map(|generic| {
            let own = generic.arguments_of_self().into_iter();
            own.map(|(parameter, place)| (place, handed_on(generic.item, parameter.name)))
        });
        let types = |kind| {
            use ItemKind::{Enum, Struct, TypeAlias, Union};
            matches!(kind, Kind::Item(Enum | Struct | TypeAlias | Union))
        };
        let of_types = all(self.subject, types).into_iter().flat_map(|item| {
            let own = item.children(is_parameter).into_iter();
            let own = own.filter(|at| !is_lifetime(at)).enumerate();
            own.filter_map(move |(at, parameter)| {
                Some(((item.name()?, at), handed_on(item, parameter.name()?)))
            })
        });
        of_impls.chain(of_types).collect()
    }
}

/// The argument of a type: that type's name, and the place among its arguments, lifetimes left out.
pub(super) type Place<'s> = (&'s str, usize);

/// The arguments that are nothing but a parameter of `item`.
fn handed_on<'s>(item: At<'s>, parameter: &str) -> BTreeSet<Place<'s>> {
    let lists = item.inside(|kind| kind == Kind::GenericArgs).into_iter();
    let own = lists.flat_map(|list| {
        let before = list.tree.tokens_in(&(0..list.node.range.start)).last();
        let name = before.map(|token| &list.source[token.range()]);
        let arguments = list.children(|kind| kind == Kind::GenericArg).into_iter();
        let arguments = arguments.filter(|at| !is_lifetime(at));
        let places = arguments
            .enumerate()
            .filter(|(_, argument)| argument.text() == parameter);
        places
            .filter_map(|(at, _)| Some((name?, at)))
            .collect::<Vec<_>>()
    });
    own.collect()
}
