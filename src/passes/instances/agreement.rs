//! Impls lean on each other: what each of them may be for alone depends on what all others are for.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::super::query::{At, all, is_lifetime, is_parameter};
use super::{Instances, Made};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, NodeId};

/// Which impls are for what others are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// All: where they ran for several types, none is for one alone.
    OfAll,
    /// Those of which nothing ran, with most of the others, which are for what they ran for: as far as errors let them.
    OfIdle,
}

impl<'s> Instances<'s> {
    /// Has impls for arguments of one type agree on what these are, as `agreement` says.
    pub(super) fn agree(&self, types: &mut BTreeMap<Made, BTreeSet<&str>>, agreement: Agreement) {
        let homes = Homes::of(self.subject);
        let mut all: Vec<(Made, Place)> = Vec::new();
        for (number, generic) in self.generics.iter().enumerate() {
            for (parameter, name, at) in generic.arguments_of_self() {
                let place = homes.place(generic.item, name, at);
                all.push((generic.made(number, parameter.name, &[parameter]), place));
            }
        }
        let mut votes = Votes::new();
        for (made, place) in &all {
            for name in types.get(made).into_iter().flatten() {
                let own = votes.entry(*place).or_default();
                *own.entry(name).or_default() += 1;
            }
        }
        match agreement {
            Agreement::OfAll => self.agree_all(types, &homes, all, &votes),
            Agreement::OfIdle => {
                for (made, place) in all {
                    let most = votes.get(&place).and_then(|votes| {
                        let names = votes.iter();
                        names.max_by_key(|(name, votes)| (**votes, Reverse(**name)))
                    });
                    if let Some((name, _)) = most {
                        types.entry(made).or_insert_with(|| [*name].into());
                    }
                }
            }
        }
    }

    /// What one impl says of a type's argument holds for all of them: in those of which nothing ran it is the same, and where it
    /// is another one somewhere, none can be for one alone, since traits lean on each other. Nor can then what the argument is
    /// handed on to.
    fn agree_all<'n>(
        &self,
        types: &mut BTreeMap<Made, BTreeSet<&'n str>>,
        homes: &Homes<'s>,
        all: Vec<(Made, Place<'s>)>,
        votes: &Votes<'s, 'n>,
    ) {
        let several = votes.iter().filter(|(_, names)| names.len() > 1);
        let mut open: BTreeSet<Place> = several.map(|(place, _)| *place).collect();
        for (number, generic) in self.generics.iter().enumerate() {
            let own = generic.parameters.iter().filter(|parameter| {
                let made = generic.made(number, parameter.name, &[parameter]);
                types.get(&made).is_some_and(|names| names.len() > 1)
            });
            open.extend(own.flat_map(|parameter| homes.handed_on(parameter.owner, parameter.name)));
        }
        let links = self.links(homes);
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
            } else if let Some(names) = votes.get(&place) {
                types.insert(made, names.keys().copied().collect());
            }
        }
    }

    /// What each argument of a type is handed on to, by the types themselves and by their impls.
    fn links(&self, homes: &Homes<'s>) -> Vec<(Place<'s>, BTreeSet<Place<'s>>)> {
        let of_impls = self.generics.iter().flat_map(|generic| {
            let own = generic.arguments_of_self().into_iter();
            own.map(|(parameter, name, at)| {
                let place = homes.place(generic.item, name, at);
                (place, homes.handed_on(generic.item, parameter.name))
            })
        });
        let of_types = all(self.subject, is_definition)
            .into_iter()
            .flat_map(|item| {
                let own = item.children(is_parameter).into_iter();
                let own = own.filter(|at| !is_lifetime(at)).enumerate();
                own.filter_map(move |(at, parameter)| {
                    let place = homes.place(item, item.name()?, at);
                    Some((place, homes.handed_on(item, parameter.name()?)))
                })
            });
        of_impls.chain(of_types).collect()
    }
}

/// The argument of a type: that type's name, where it is defined if that is known, and the place among its arguments, lifetimes
/// left out.
type Place<'s> = (&'s str, Option<Home>, usize);

/// For each argument of a type, what impls said it is, and how many said so.
type Votes<'s, 'n> = BTreeMap<Place<'s>, BTreeMap<&'n str, usize>>;

/// The file and the node that the definition of a type stands in.
type Home = (FileId, Option<NodeId>);

/// Where types are defined, by their names.
struct Homes<'s>(BTreeMap<&'s str, Vec<Home>>);

impl<'s> Homes<'s> {
    fn of(subject: &'s Subject) -> Homes<'s> {
        let mut homes: BTreeMap<&str, Vec<Home>> = BTreeMap::new();
        for item in all(subject, is_definition) {
            if let Some(name) = item.name() {
                homes
                    .entry(name)
                    .or_default()
                    .push((item.file, item.node.parent));
            }
        }
        Homes(homes)
    }

    /// The argument `at` of what is called `name` inside `item`: of several such types, the one around it is meant.
    fn place(&self, item: At, name: &'s str, at: usize) -> Place<'s> {
        let home = match self.0.get(name).map(Vec::as_slice) {
            Some([one]) => Some(*one),
            Some(all) => {
                let mut around = item.ancestors().map(|outer| (item.file, Some(outer.id)));
                around.find(|home| all.contains(home))
            }
            None => None,
        };
        (name, home, at)
    }

    /// The arguments that are nothing but a parameter of `item`.
    fn handed_on(&self, item: At<'s>, parameter: &str) -> BTreeSet<Place<'s>> {
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
                .filter_map(|(at, _)| Some(self.place(item, name?, at)))
                .collect::<Vec<_>>()
        });
        own.collect()
    }
}

fn is_definition(kind: Kind) -> bool {
    use ItemKind::{Enum, Struct, TypeAlias, Union};
    matches!(kind, Kind::Item(Enum | Struct | TypeAlias | Union))
}
