//! The sweep of a crash: all that the compiler's report does not name goes at once, as far as the compiler's errors allow. Where the
//! crash goes with it, though all compiles, smaller and smaller parts of that are asked for.

use std::collections::{BTreeSet, HashSet, VecDeque};
use std::ops::Range;

use super::solve::Solved;
use super::{Engine, Stop};
use crate::minimize::{self, Item};
use crate::passes::definitions::{Definition, definitions};
use crate::passes::{self, Seed};
use crate::subject::Element;
use crate::syntax::{FileId, ItemKind, Kind, NodeId, Origin};

/// What is less than one part in so many of all tokens is left to the passes.
const SMALL_PART: usize = 40;

/// Where there are more tokens, what brings the crash back is looked for.
const LARGE: usize = 4_000;

type Place = (FileId, Range<usize>);

impl Engine<'_> {
    /// Takes away what stands around the places of `seed`, as far as the compiler says that it can; whether anything went.
    pub(super) fn sweep_around(&mut self, seed: &Seed) -> Result<bool, Stop> {
        if !self.wanted.takes("solve") {
            return Ok(false);
        }
        let before = self.best.tokens();
        self.part("solve", |engine| engine.solve_around(seed))?;
        Ok(self.best.tokens() < before)
    }

    fn solve_around(&mut self, seed: &Seed) -> Result<(), Stop> {
        let hot = seed.places(&self.best);
        let bodies = passes::bodies(&self.best).into_iter().filter(|element| {
            let mut edits = element.edits.iter();
            edits.all(|edit| !overlaps(&hot, edit.file, &edit.range))
        });
        let bodies: Vec<Element> = bodies.collect();
        if !bodies.is_empty()
            && let Solved::CompilesWithout(all) = self.solved_replacements(&bodies)?
        {
            let all: Vec<Element> = all.into_iter().map(|at| bodies[at].clone()).collect();
            self.most_of(&all)?;
        }
        // Where the crash goes with what no error asks for, it goes by something that resolves to something else: what stands
        // beside the places of the report is likely to be it.
        for (with_impls, with_modules) in [(false, false), (true, false), (false, true)] {
            let mut hot = seed.places(&self.best);
            if with_modules {
                hot = self.modules_around(hot);
            }
            if hot.is_empty() {
                break;
            }
            let all = self.definitions_but(&hot);
            let is_impl = |at: &usize| all[*at].element.kind == Kind::Item(ItemKind::Impl);
            let first: BTreeSet<usize> = (0..all.len())
                .filter(|at| all[*at].unneeded && !(with_impls && is_impl(at)))
                .collect();
            if !first.is_empty() && self.solve_definitions(&all, first, &mut HashSet::new())? {
                return Ok(());
            }
        }
        match self.best.tokens() > LARGE {
            true => self.solve_in_parts(seed),
            false => Ok(()),
        }
    }

    /// Lets go of most of `elements`, which compile together, and of which the crash needs a few: until what is left of them is
    /// not worth more trials yet.
    fn most_of(&mut self, elements: &[Element]) -> Result<(), Stop> {
        let base = self.best.clone();
        let items: Vec<Item> = elements
            .iter()
            .map(|element| {
                let prior = self
                    .priors
                    .in_a_list(self.pass, element.kind, elements.len());
                Item {
                    weight: element.weight(),
                    prior: Some(prior),
                }
            })
            .collect();
        let mut settings = self.settings.clone();
        (settings.try_all_first, settings.one_minimal) = (false, false);
        let mut minimizer = minimize::minimizer(&items, &settings);
        let mut left: usize = elements.iter().map(|one| one.weight() as usize).sum();
        while let Some(trial) = minimizer.propose() {
            if left < self.best.tokens() / SMALL_PART {
                break;
            }
            let mut gone = minimizer.removed();
            gone.extend(&trial.remove);
            let interesting = self.trial(base.without(gone.iter().map(|at| &elements[*at])))?;
            minimizer.record(interesting);
            if interesting {
                let weights = trial.remove.iter().map(|at| items[*at].weight as usize);
                left -= weights.sum::<usize>();
            }
        }
        Ok(())
    }

    /// Solves all that nothing needs by halves of it, by halves of those that cannot go, and so on.
    fn solve_in_parts(&mut self, seed: &Seed) -> Result<(), Stop> {
        let all = self.definitions_but(&seed.places(&self.best));
        let mut open = VecDeque::from(halves(&unneeded(&all)));
        while let Some(part) = open.pop_front() {
            let all = self.definitions_but(&seed.places(&self.best));
            let here: Vec<(usize, Origin, usize)> = unneeded(&all)
                .into_iter()
                .filter(|(_, origin, _)| part.contains(origin))
                .collect();
            let tokens: usize = here.iter().map(|(_, _, tokens)| tokens).sum();
            if tokens < self.best.tokens() / SMALL_PART {
                continue;
            }
            let first = here.iter().map(|(at, ..)| *at).collect();
            if !self.solve_definitions(&all, first, &mut HashSet::new())? {
                open.extend(halves(&here));
            }
        }
        Ok(())
    }

    /// All definitions apart from those that hold one of the places `hot`.
    fn definitions_but(&self, hot: &[Place]) -> Vec<Definition> {
        let holds_hot = |file: FileId, range: &Range<usize>| overlaps(hot, file, range);
        definitions(&self.best, None, &holds_hot)
    }

    /// The innermost modules around `places`, or their files; none if that is all there is.
    fn modules_around(&self, places: Vec<Place>) -> Vec<Place> {
        let whole = |file: FileId| 0..self.best.file(file).source().len();
        let around = |(file, range): Place| {
            let module = self.best.file(file).tree().and_then(|tree| {
                let is_module = |id: &NodeId| tree.node(*id).kind == Kind::Item(ItemKind::Mod);
                let module = tree.ancestors(tree.innermost(&range)?).find(is_module)?;
                Some(tree.node(module).range.clone())
            });
            (file, module.unwrap_or_else(|| whole(file)))
        };
        let modules: Vec<Place> = places.into_iter().map(around).collect();
        let is_all =
            |(file, range): &Place| self.best.source_files() == 1 && *range == whole(*file);
        match modules.iter().any(is_all) {
            true => Vec::new(),
            false => modules,
        }
    }
}

fn overlaps(places: &[Place], file: FileId, range: &Range<usize>) -> bool {
    places
        .iter()
        .any(|(other, inner)| *other == file && range.start < inner.end && inner.start < range.end)
}

/// Those of `all` that nothing needs, in the order in which they stood originally: the place in `all`, the original place, and
/// the tokens that go with them.
fn unneeded(all: &[Definition]) -> Vec<(usize, Origin, usize)> {
    let mut found: Vec<_> = all
        .iter()
        .enumerate()
        .filter(|(_, one)| one.unneeded)
        .filter_map(|(at, one)| Some((at, one.origin?, one.element.weight() as usize)))
        .collect();
    found.sort_by_key(|(_, origin, _)| *origin);
    found
}

/// What stands in front of and behind the middle of `part`, by tokens; nothing if there is only one.
fn halves(part: &[(usize, Origin, usize)]) -> Vec<HashSet<Origin>> {
    if part.len() < 2 {
        return Vec::new();
    }
    let all: usize = part.iter().map(|(_, _, tokens)| tokens).sum();
    let mut before = 0;
    let middle = part.iter().position(|(_, _, tokens)| {
        before += tokens;
        before * 2 >= all
    });
    let middle = middle.map_or(1, |at| at + 1).min(part.len() - 1);
    let origins =
        |half: &[(usize, Origin, usize)]| half.iter().map(|(_, origin, _)| *origin).collect();
    vec![origins(&part[..middle]), origins(&part[middle..])]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(tokens: &[usize]) -> Vec<(usize, Origin, usize)> {
        let origin = |offset| Origin {
            file: FileId(0),
            offset,
        };
        let one = |(at, tokens): (usize, &usize)| (at, origin(at as u32), *tokens);
        tokens.iter().enumerate().map(one).collect()
    }

    fn sizes(tokens: &[usize]) -> Vec<usize> {
        halves(&part(tokens)).iter().map(HashSet::len).collect()
    }

    #[test]
    fn halves_are_of_tokens() {
        assert_eq!(sizes(&[10, 1, 1, 1]), [1, 3]);
        assert_eq!(sizes(&[1, 1, 1, 10]), [3, 1]);
        assert_eq!(sizes(&[1, 1, 1, 1]), [2, 2]);
    }

    #[test]
    fn one_has_no_halves() {
        assert!(sizes(&[10]).is_empty());
        assert!(sizes(&[]).is_empty());
    }
}
