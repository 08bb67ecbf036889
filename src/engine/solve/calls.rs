//! Macro calls by what they may make, which nobody knows: the words in them, and those in the rules of the macro.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::passes::definitions::Definition;
use crate::subject::Subject;
use crate::syntax::{ItemKind, Kind};

/// Macro calls by the words that they are about.
pub struct Calls<'d> {
    by_word: HashMap<&'d str, Vec<usize>>,
}

impl<'d> Calls<'d> {
    /// Those among `definitions` of `base`, by their numbers.
    pub fn of(base: &'d Subject, definitions: &'d [Definition]) -> Calls<'d> {
        let rules = macro_words(base);
        let mut by_word: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, definition) in definitions.iter().enumerate() {
            if !definition.element.kind.is_macro_call() {
                continue;
            }
            let keys = definition.keys.iter().map(String::as_str);
            let called = keys
                .clone()
                .filter_map(|name| rules.get(name))
                .flatten()
                .copied();
            let words: BTreeSet<&str> = keys.chain(called).collect();
            for word in words {
                by_word.entry(word).or_default().push(at);
            }
        }
        Calls { by_word }
    }

    /// Those that mention most of `words`, among what is `removed`.
    pub fn about<'w>(
        &self,
        removed: &BTreeSet<usize>,
        words: impl Iterator<Item = &'w str>,
    ) -> Vec<usize> {
        let mut scores: BTreeMap<usize, usize> = BTreeMap::new();
        for word in words.filter(|word| word.len() > 1) {
            let calls = self.by_word.get(word).into_iter().flatten().copied();
            for at in calls.filter(|at| removed.contains(at)) {
                *scores.entry(at).or_default() += 1;
            }
        }
        let best = scores.values().copied().max().unwrap_or(0);
        scores
            .into_iter()
            .filter(|(_, score)| *score == best)
            .map(|(at, _)| at)
            .collect()
    }
}

/// The words that begin in upper case in each macro that is defined by rules, and in those that it calls: what it makes may
/// be an impl of them.
fn macro_words(base: &Subject) -> HashMap<&str, BTreeSet<&str>> {
    let mut found: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (_, version, tree) in base.sources() {
        let source = version.source();
        let rules = tree
            .nodes()
            .filter(|(_, node)| node.kind == Kind::Item(ItemKind::MacroRules));
        for (_, node) in rules {
            if let Some(name) = node.name.clone() {
                let words = tree.identifiers(source, &node.range);
                found.entry(&source[name]).or_default().extend(words);
            }
        }
    }
    let called = |name: &str| -> BTreeSet<&str> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&str> = found
            .get_key_value(name)
            .map(|(name, _)| *name)
            .into_iter()
            .collect();
        let mut words = BTreeSet::new();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                let own = found.get(next).into_iter().flatten().copied();
                words.extend(
                    own.clone()
                        .filter(|word| word.starts_with(char::is_uppercase)),
                );
                open.extend(own.filter(|word| found.contains_key(word)));
            }
        }
        words
    };
    found.keys().map(|name| (*name, called(name))).collect()
}
