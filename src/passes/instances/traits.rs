//! The traits of a subject, by what is declared in them. Those that macros are given count too: tokens say as much.

use std::collections::{BTreeMap, BTreeSet};

use super::super::query::At;
use super::naming::{Module, Names};
use crate::subject::Subject;

/// A trait.
pub struct Trait {
    module: Module,
    name: String,
    members: BTreeSet<String>,
    /// What stands between its name and its members: among that, its supertraits.
    above: BTreeSet<String>,
}

/// All of them, by name.
pub struct Traits {
    by_name: BTreeMap<String, Vec<Trait>>,
}

impl Traits {
    /// Those of `subject`.
    pub fn of(subject: &Subject, names: &Names) -> Traits {
        let mut by_name: BTreeMap<String, Vec<Trait>> = BTreeMap::new();
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            let tokens = tree.tokens();
            let word = |at: usize| tokens.get(at).map_or("", |token| &source[token.range()]);
            for at in (0..tokens.len()).filter(|at| word(*at) == "trait") {
                let name = word(at + 1);
                let Some(id) = tree.innermost(&tokens[at].range()) else {
                    continue;
                };
                if !name.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                    continue;
                }
                let mut next = at + 2;
                let mut above = BTreeSet::new();
                while !matches!(word(next), "{" | ";" | "") {
                    above.insert(word(next).to_string());
                    next += 1;
                }
                let mut depth = 0;
                let mut members = BTreeSet::new();
                while next < tokens.len() {
                    match word(next) {
                        "{" => depth += 1,
                        "}" => depth -= 1,
                        "fn" | "type" | "const" => {
                            members.insert(word(next + 1).to_string());
                        }
                        _ => {}
                    }
                    next += 1;
                    if depth == 0 {
                        break;
                    }
                }
                let place = At {
                    file,
                    source,
                    tree,
                    id,
                    node: tree.node(id),
                };
                by_name.entry(name.to_string()).or_default().push(Trait {
                    module: names.module(place),
                    name: name.to_string(),
                    members,
                    above,
                });
            }
        }
        Traits { by_name }
    }

    /// The traits that bounds of these words are about, and those above them.
    pub fn meant<'t>(&'t self, words: impl IntoIterator<Item = &'t str>) -> Vec<&'t Trait> {
        let mut open: Vec<&str> = words.into_iter().collect();
        let mut done = BTreeSet::new();
        let mut found = Vec::new();
        while let Some(word) = open.pop() {
            if !done.insert(word) {
                continue;
            }
            for one in self.by_name.get(word).into_iter().flatten() {
                open.extend(one.above.iter().map(String::as_str));
                found.push(one);
            }
        }
        found
    }
}

impl Trait {
    /// Whether it declares something of this name.
    pub fn has(&self, member: &str) -> bool {
        self.members.contains(member)
    }

    /// How it is written in a module, and whether it is in scope there.
    pub fn written(&self, names: &Names, module: &Module) -> (String, bool) {
        names.path(&self.module, &self.name, module)
    }
}
