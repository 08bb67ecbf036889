//! Definitions by place, by name and by what they implement, and what they cannot do without.

mod answering;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Words;
use super::calls::Calls;
use crate::passes::definitions::Definition;
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind};

/// As many definitions may come back for a single word.
const MOST_FOR_A_WORD: usize = 24;

/// What else has to be implemented where one of the traits is that can be derived.
const SUPERTRAITS: [(&str, &[&str]); 4] = [
    ("Copy", &["Clone"]),
    ("Eq", &["PartialEq"]),
    ("PartialOrd", &["PartialEq"]),
    ("Ord", &["Eq", "PartialOrd", "PartialEq"]),
];

/// Definitions by place and by name.
pub struct Index<'d> {
    definitions: &'d [Definition],
    by_file: HashMap<FileId, Vec<usize>>,
    by_key: HashMap<String, Vec<usize>>,
    /// Items by their own names, macro calls by those that they introduce.
    items: HashMap<&'d str, Vec<usize>>,
    members: HashMap<&'d str, Vec<usize>>,
    imports: HashMap<&'d str, Vec<usize>>,
    impls: HashMap<&'d str, Vec<usize>>,
    /// The traits that declare a member of this name.
    declaring: HashMap<&'d str, BTreeSet<&'d str>>,
    /// The `mod` items without which a file belongs to nothing.
    leading_to: HashMap<FileId, Vec<usize>>,
    calls: Calls<'d>,
    pub pinned: std::cell::RefCell<BTreeSet<usize>>,
}

impl<'d> Index<'d> {
    pub fn of(base: &'d Subject, definitions: &'d [Definition]) -> Index<'d> {
        let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        let mut items: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut members: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut imports: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut impls: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut leading_to: HashMap<FileId, Vec<usize>> = HashMap::new();
        for (at, definition) in definitions.iter().enumerate() {
            let kind = definition.element.kind;
            let by_name = match kind {
                Kind::Item(ItemKind::Use) | Kind::UseTree => &mut imports,
                Kind::Member(_) => &mut members,
                _ => &mut items,
            };
            for name in &definition.names {
                by_name.entry(name).or_default().push(at);
            }
            let implements = matches!(kind, Kind::Item(ItemKind::Impl) | Kind::AttributeArg);
            if let Some(of_trait) = definition.of_trait.as_deref().filter(|_| implements) {
                impls.entry(of_trait).or_default().push(at);
            }
            for file in &definition.element.drops {
                leading_to.entry(*file).or_default().push(at);
            }
            by_file.entry(definition.file).or_default().push(at);
            // Nobody misses a call for the name of its macro, and errors in what that makes say it.
            let version = base.file(definition.file);
            let called = version
                .tree()
                .filter(|_| kind.is_macro_call())
                .and_then(|tree| tree.macro_called(version.source(), &definition.range));
            for key in definition.keys.iter().filter(|key| called != Some(key)) {
                by_key.entry(key.clone()).or_default().push(at);
            }
        }
        Index {
            definitions,
            by_file,
            by_key,
            items,
            members,
            imports,
            impls,
            calls: Calls::of(base, definitions),
            leading_to,
            declaring: declaring(base),
            pinned: Default::default(),
        }
    }

    /// The smallest definition that holds `range`.
    pub fn smallest(&self, file: FileId, range: &Range<usize>) -> Option<usize> {
        let holds = |at: &&usize| {
            let own = &self.definitions[**at].range;
            own.start <= range.start && range.end <= own.end
        };
        let all = self.by_file.get(&file)?;
        all.iter()
            .filter(holds)
            .min_by_key(|at| self.definitions[**at].range.len())
            .copied()
    }

    /// `outer`, and what else of `removed` stands in it.
    fn with_what_is_in(&self, removed: &BTreeSet<usize>, outer: usize) -> Vec<usize> {
        let own = &self.definitions[outer];
        let same_file = self.by_file.get(&own.file).into_iter().flatten().copied();
        let inner = same_file.filter(|at| {
            let inner = &self.definitions[*at].range;
            removed.contains(at) && own.range.start <= inner.start && inner.end <= own.range.end
        });
        let mut found: Vec<usize> = inner.collect();
        found.push(outer);
        found
    }

    /// The derives of the items around `places`: an attribute may be one that a derive knows.
    pub fn derives_at(
        &self,
        removed: &BTreeSet<usize>,
        places: &[(FileId, Range<usize>)],
    ) -> Vec<usize> {
        let is_around = |at: &usize| {
            let own = &self.definitions[*at];
            own.element.kind == Kind::AttributeArg
                && places.iter().any(|(file, range)| {
                    own.file == *file
                        && own.outer.start <= range.start
                        && range.end <= own.outer.end
                })
        };
        removed.iter().copied().filter(is_around).collect()
    }

    /// The impls that what the derive `at` makes needs: the same of what the item is made of, and others of the item itself.
    fn needed_by_derive(&self, base: &Subject, removed: &BTreeSet<usize>, at: usize) -> Vec<usize> {
        let own = &self.definitions[at];
        let (Some(of_trait), Some(tree)) = (&own.of_trait, base.file(own.file).tree()) else {
            return Vec::new();
        };
        let source = base.file(own.file).source();
        let words: BTreeSet<&str> = tree.identifiers(source, &own.outer).collect();
        let of_parts = |at: &usize| {
            let mut names = self.definitions[*at].of_type.iter();
            names.all(|name| words.contains(name.as_str()))
        };
        let of_itself = |at: &usize| self.definitions[*at].of_type == own.of_type;
        let impls = |of_trait: &str| {
            let all = self.impls.get(of_trait).into_iter().flatten().copied();
            all.filter(|at| removed.contains(at))
        };
        let supertraits = SUPERTRAITS
            .iter()
            .filter(|(name, _)| name == of_trait)
            .flat_map(|(_, traits)| *traits);
        let of_supertraits = supertraits.flat_map(|name| impls(name).filter(of_itself));
        impls(of_trait)
            .filter(of_parts)
            .chain(of_supertraits)
            .flat_map(|at| self.with_what_is_in(removed, at))
            .collect()
    }

    /// What the definitions `from` cannot do without, as far as their text says: the imports and
    /// the items of the same file that it names, what those imports lead to, and so on.
    pub fn mentioned(
        &self,
        base: &Subject,
        removed: &BTreeSet<usize>,
        from: &[usize],
    ) -> BTreeSet<usize> {
        let mut found: BTreeSet<usize> = BTreeSet::new();
        let mut open = from.to_vec();
        while let Some(next) = open.pop() {
            let own = &self.definitions[next];
            let Some(tree) = base.file(own.file).tree() else {
                continue;
            };
            let source = base.file(own.file).source();
            let nested = |range: &Range<usize>| {
                let same_file = self.by_file.get(&own.file).into_iter().flatten();
                same_file
                    .map(|at| &self.definitions[*at].range)
                    .any(|inner| {
                        *inner != own.range
                            && own.range.start <= inner.start
                            && inner.end <= own.range.end
                            && inner.start <= range.start
                            && range.end <= inner.end
                    })
            };
            let new: Vec<usize> = match own.element.kind {
                Kind::AttributeArg => self.needed_by_derive(base, removed, next),
                Kind::Item(ItemKind::Use) | Kind::UseTree => {
                    let path: Vec<&str> = tree.identifiers(source, &own.range).collect();
                    let items = path.iter().flat_map(|word| self.items.get(*word)).flatten();
                    let leads_there = |at: &&usize| {
                        let names = &self.definitions[**at].module;
                        path.iter()
                            .any(|part| *part != "src" && names.contains(*part))
                    };
                    items.filter(leads_there).copied().collect()
                }
                _ => {
                    let tokens = tree.tokens_in(&own.range).iter();
                    let names = tokens
                        .map(|token| token.range())
                        .filter(|range| !nested(range));
                    let here = |at: &&usize| self.definitions[**at].file == own.file;
                    names
                        .flat_map(|range| {
                            let word = &source[range];
                            let items = self.items.get(word).into_iter().flatten();
                            items.chain(self.imports.get(word).into_iter().flatten())
                        })
                        .filter(here)
                        .copied()
                        .collect()
                }
            };
            for at in new {
                if removed.contains(&at) && found.insert(at) {
                    open.push(at);
                }
            }
        }
        found
    }

    /// The removed definitions that most of `words` are about.
    pub fn named(&self, removed: &BTreeSet<usize>, words: &Words) -> Vec<usize> {
        let mut scores: HashMap<usize, usize> = HashMap::new();
        // A generic parameter's name says nothing.
        for word in words.words.iter().filter(|word| word.len() > 1) {
            for at in self
                .by_key
                .get(word)
                .into_iter()
                .flatten()
                .filter(|at| removed.contains(at))
            {
                *scores.entry(*at).or_default() += 1;
            }
        }
        let best = scores.values().copied().max().unwrap_or(0);
        let mut found: Vec<usize> = scores
            .into_iter()
            .filter(|(_, score)| *score == best)
            .map(|(at, _)| at)
            .collect();
        // One word that half the subject is about names nothing.
        if best == 1 && found.len() > MOST_FOR_A_WORD {
            return Vec::new();
        }
        found.sort_unstable();
        found
    }

    /// The definitions around `at`: those that it stands in, and the modules whose files hold it.
    pub fn around(&self, at: usize) -> impl Iterator<Item = usize> + '_ {
        let inner = &self.definitions[at];
        let same_file = self.by_file.get(&inner.file).into_iter().flatten().copied();
        let outer = same_file.filter(move |other| {
            let outer = &self.definitions[*other].range;
            *other != at && outer.start <= inner.range.start && inner.range.end <= outer.end
        });
        outer.chain(
            self.leading_to
                .get(&inner.file)
                .into_iter()
                .flatten()
                .copied(),
        )
    }

    pub fn pinned(&self, at: usize) -> bool {
        self.pinned.borrow().contains(&at)
    }

    pub fn pin(&self, restored: &BTreeSet<usize>) {
        self.pinned.borrow_mut().extend(restored);
    }
}

/// The traits of `base` by the names of what they declare.
fn declaring(base: &Subject) -> HashMap<&str, BTreeSet<&str>> {
    let mut found: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (_, version, tree) in base.sources() {
        let source = version.source();
        for (id, node) in tree.nodes() {
            let (Kind::Member(_), Some(name), Some(outer)) =
                (node.kind, &node.name, tree.parent(id))
            else {
                continue;
            };
            if let (Kind::Item(ItemKind::Trait), Some(of)) = (outer.kind, &outer.name) {
                found
                    .entry(&source[name.clone()])
                    .or_default()
                    .insert(&source[of.clone()]);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
