//! What answers a want of an error: what has the name, what implements the trait.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::{Index, MOST_FOR_A_WORD};
use crate::engine::solve::wanted::Want;
use crate::passes::definitions::{Header, Shape};
use crate::syntax::FileId;

/// Where something is looked for that is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// What says by itself what it is.
    Definitions,
    /// That, or else macro calls: what they make is not known.
    CallsToo,
}

impl Index<'_> {
    /// The removed definitions that `wants` ask for, of an error at `places`. Most often they are all of one thing that is missing: a
    /// call that may have made it is no answer where there is a better one, or waits for the next errors.
    pub fn wanted(
        &self,
        removed: &BTreeSet<usize>,
        wants: &[Want],
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let all = [Among::Definitions, Among::CallsToo].into_iter();
        let mut found = all.map(|among| {
            let answers = wants
                .iter()
                .flat_map(|want| self.answers(removed, want, places, among));
            answers.collect::<BTreeSet<usize>>()
        });
        let first = found.find(|found| !found.is_empty());
        first.into_iter().flatten().collect()
    }

    fn answers(
        &self,
        removed: &BTreeSet<usize>,
        want: &Want,
        places: &[(FileId, Range<usize>)],
        among: Among,
    ) -> Vec<usize> {
        match want {
            Want::Name { name, path } => self.name(removed, name, path, places, among),
            Want::Member { name, of } => self.member(removed, name, of, places, among),
            Want::Impl {
                of_trait,
                of_type,
                shape,
                header,
            } => {
                let all = self.implementation(removed, of_trait, of_type, *shape, among);
                self.the_one_for(header, all)
            }
        }
    }

    /// The removed macro calls that most of `words` are in, if they are asked for.
    fn calls_about<'w>(
        &self,
        removed: &BTreeSet<usize>,
        words: impl Iterator<Item = &'w str>,
        among: Among,
    ) -> Vec<usize> {
        match among {
            Among::Definitions => Vec::new(),
            Among::CallsToo => self.calls.about(removed, words),
        }
    }

    /// What brings `name` into the scope of `places`: an import or a definition in the same file, else
    /// whatever has that name; of several, those that stand where `path` says.
    fn name(
        &self,
        removed: &BTreeSet<usize>,
        name: &str,
        path: &[String],
        places: &[(FileId, Range<usize>)],
        among: Among,
    ) -> Vec<usize> {
        let gone = |of: &HashMap<&str, Vec<usize>>| -> Vec<usize> {
            let all = of.get(name).into_iter().flatten().copied();
            all.filter(|at| removed.contains(at)).collect()
        };
        let (items, imports) = (gone(&self.items), gone(&self.imports));
        let here = |at: &usize| {
            let own = &self.definitions[*at];
            places.iter().any(|(file, range)| {
                // An import is no answer to an error in itself.
                own.file == *file && !(own.range.start <= range.start && range.end <= own.range.end)
            })
        };
        if path.is_empty() {
            let found: Vec<usize> = items.iter().chain(&imports).copied().filter(here).collect();
            if !found.is_empty() {
                return found;
            }
        }
        let leads_there = |at: &usize| {
            let names = &self.definitions[*at].module;
            path.last().is_some_and(|last| names.contains(last))
        };
        let all = || items.iter().chain(&imports).copied();
        let exact: Vec<usize> = all().filter(leads_there).collect();
        match (exact.is_empty(), items.is_empty()) {
            (false, _) => exact,
            (true, false) => items,
            (true, true) if imports.is_empty() => {
                // Nothing has that name any more: it came in through a `*`, or out of a macro call.
                let globs = self.imports.get("*").into_iter().flatten().copied();
                let globs: Vec<usize> = globs
                    .filter(|at| removed.contains(at) && here(at))
                    .collect();
                match globs.is_empty() {
                    true => self.calls_about(removed, [name].into_iter(), among),
                    false => globs,
                }
            }
            (true, true) => imports,
        }
    }

    /// The members `name`: of what `of` is about, if there are any; of the impl at `places`, if it says nothing.
    fn member(
        &self,
        removed: &BTreeSet<usize>,
        name: &str,
        of: &BTreeSet<String>,
        places: &[(FileId, Range<usize>)],
        among: Among,
    ) -> Vec<usize> {
        let all = self.members.get(name).into_iter().flatten().copied();
        let gone: Vec<usize> = all.filter(|at| removed.contains(at)).collect();
        // Where it says nothing: those of the impl there. Else the trait's own before those of impls of it, and of what is
        // for a type those that are most about it.
        let fitting = |at: &usize| {
            let own = &self.definitions[*at];
            let there = |(file, range): &(FileId, Range<usize>)| {
                own.file == *file && own.outer.start <= range.start && range.end <= own.outer.end
            };
            let of_trait = || own.of_trait.as_ref().is_some_and(|name| of.contains(name));
            let common = own.of_type.intersection(of).count();
            match (of.is_empty(), common) {
                (true, _) if places.iter().any(there) => 1,
                (true, _) => 0,
                (false, 0) if own.of_type.is_empty() && of_trait() => 2,
                (false, 0) => usize::from(of_trait()),
                (false, common) => 1 + common,
            }
        };
        let best = gone.iter().map(fitting).max().unwrap_or(0);
        let exact = gone.iter().copied();
        let exact: Vec<usize> = exact.filter(|at| best > 0 && fitting(at) == best).collect();
        match (exact.is_empty(), gone.is_empty()) {
            (false, _) => exact,
            (true, false) => {
                // Of a type parameter or an unnamed type: what a trait declares.
                let declared = |at: &usize| {
                    let own = &self.definitions[*at];
                    own.of_trait.is_some() && own.of_type.is_empty()
                };
                let declared: Vec<usize> = gone.iter().copied().filter(declared).collect();
                match declared.is_empty() {
                    false => declared,
                    true if gone.len() <= MOST_FOR_A_WORD => gone,
                    true => Vec::new(),
                }
            }
            (true, true) => {
                // The member stands, and what it is a member of is not implemented.
                let traits = self.declaring.get(name).into_iter().flatten();
                let impls: Vec<usize> = traits
                    .flat_map(|of_trait| {
                        self.implementation(removed, of_trait, of, Shape::Named, among)
                    })
                    .collect();
                let words = [name].into_iter().chain(of.iter().map(String::as_str));
                match impls.is_empty() {
                    true => self.calls_about(removed, words, among),
                    false => impls,
                }
            }
        }
    }

    /// The impls of a trait for what most of `of_type` is about. Of what is in them, the compiler says what a trait asks for:
    /// the rest did not run.
    fn implementation(
        &self,
        removed: &BTreeSet<usize>,
        of_trait: &str,
        of_type: &BTreeSet<String>,
        shape: Shape,
        among: Among,
    ) -> Vec<usize> {
        let all = self.impls.get(of_trait).into_iter().flatten().copied();
        let mut gone: Vec<usize> = all.filter(|at| removed.contains(at)).collect();
        let words = || {
            let of_type = of_type.iter().map(String::as_str);
            [of_trait].into_iter().chain(of_type)
        };
        let is = |shape: Shape| move |at: &usize| self.definitions[*at].shape == shape;
        // For every type, or for one made of nothing but a parameter.
        let is_blanket = |at: &usize| {
            let of_type = &self.definitions[*at].of_type;
            let is_made_of_one = of_type.len() == 1 && of_type.iter().all(|name| name.len() <= 2);
            is(Shape::Parameter)(at) || is_made_of_one
        };
        // What a tuple implements is neither said by the names in it nor implemented for one of those.
        if shape != Shape::Named {
            let same = is(shape);
            match gone.iter().any(same) {
                true => gone.retain(same),
                false if gone.iter().any(is(Shape::Parameter)) => gone.retain(is(Shape::Parameter)),
                // One of another shape is an answer only if no call is.
                false if among == Among::Definitions => return Vec::new(),
                false => {
                    let calls = self.calls.about(removed, words());
                    if !calls.is_empty() {
                        return calls;
                    }
                }
            }
        }
        // Of types that have the same name, rustc says where they are defined.
        let score = |at: &usize| {
            let own = &self.definitions[*at];
            let fitting = own.of_type.intersection(of_type).count();
            let there = own.module.intersection(of_type).count();
            (fitting, if fitting > 0 { there } else { 0 })
        };
        let best = gone.iter().map(score).max().unwrap_or((0, 0));
        // What fits no name in the type is for every type, or for another one.
        let fits = |at: &usize| {
            let own_shape = shape != Shape::Named && is(shape)(at);
            score(at) == best && (best.0 > 0 || own_shape || is_blanket(at))
        };
        let chosen: Vec<usize> = gone.into_iter().filter(fits).collect();
        if chosen.is_empty() {
            return self.calls_about(removed, words(), among);
        }
        chosen
    }

    /// Of several impls of a trait, those whose header says what `header` does: where one is for exactly that, no other one can be.
    fn the_one_for(&self, header: &Header, mut impls: Vec<usize>) -> Vec<usize> {
        let of = |at: &usize| &self.definitions[*at].header;
        let tests: [fn(&Header, &Header) -> bool; 2] =
            [Header::is_for_the_type_of, Header::is_given_what];
        // Of some wants, nothing is known but names.
        let tests = tests.into_iter().filter(|_| !header.own.is_empty());
        for same in tests {
            if impls.iter().any(|at| same(of(at), header)) {
                impls.retain(|at| same(of(at), header));
            }
        }
        impls
    }
}
