//! Modules given up, all at once: their items stand in the module around them, each under a name of its own. What one imported
//! from another is in scope then, paths to it are its name, and nothing has to be visible from outside.
//!
//! Names are looked up by text alone. What that gets wrong does not compile, and a trial says so.

mod mentions;
mod scopes;
mod uses;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::query::At;
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, ItemKind, Kind, NodeId};
use mentions::{Mention, mentions};
use scopes::{Found, Resolved, Scopes};
use uses::written;

/// The name of what does this.
pub const NAME: &str = "one-module";

/// Crates of which one hands on what another has.
const STANDARD: [&str; 3] = ["alloc", "core", "std"];

/// Modules of these from which the prelude has what it has.
const PRELUDE: [&str; 14] = [
    "borrow", "boxed", "clone", "cmp", "convert", "default", "iter", "marker", "mem", "ops",
    "option", "result", "string", "vec",
];

/// Types that have a module of their name: where the one is meant, the other is never found.
const PRIMITIVE: [&str; 17] = [
    "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "slice", "str", "u8", "u16",
    "u32", "u64", "u128", "usize",
];

/// How much of the modules is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// All of them.
    All,
    /// Those that stand in another.
    Inner,
}

/// The element that gives modules up, but not those in which functions called one of `keep` stand, by whose paths they are
/// known. `None` if there are no others, or the subject is more than one file, build scripts left out.
pub fn one_module(subject: &Subject, keep: &[String], depth: Depth) -> Option<Element> {
    let is_script = |path: &Path| path.ends_with("build.rs");
    let mut sources = subject
        .sources()
        .filter(|(_, file, tree)| !tree.tokens().is_empty() && !is_script(&file.path));
    let (file, version, tree) = sources.next()?;
    if sources.next().is_some() {
        return None;
    }
    let nodes: Vec<At> = tree
        .nodes()
        .map(|(id, node)| At {
            file,
            source: version.source(),
            tree,
            id,
            node,
        })
        .collect();
    let scopes = Scopes::of(&nodes)?;
    let plan = Plan::new(&nodes, scopes, keep, depth);
    let edits = plan.edits();
    let is_any = plan.goes.contains(&true);
    is_any.then(|| Element::new(subject, Kind::Item(ItemKind::Mod), edits))
}

/// What becomes of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Fate {
    Goes,
    Stays,
    /// It is of this path now, under this name if that is not its last.
    Becomes(String, Option<String>),
}

/// What becomes of everything.
struct Plan<'n, 's> {
    nodes: &'n [At<'s>],
    scopes: Scopes<'s>,
    mentions: Vec<Mention<'s>>,
    /// Of each scope, whether it is a module that is given up.
    goes: Vec<bool>,
    /// Of each item, what it is called.
    names: Vec<String>,
    /// Of each import, what it is called, and what becomes of it.
    imported: Vec<(String, Fate)>,
    /// Items that say once more what another says.
    needless: Vec<usize>,
}

impl<'n, 's> Plan<'n, 's> {
    fn new(nodes: &'n [At<'s>], scopes: Scopes<'s>, keep: &[String], depth: Depth) -> Plan<'n, 's> {
        let mut goes = Vec::new();
        for scope in &scopes.all {
            let is_kept = |at: At| {
                at.name()
                    .is_some_and(|name| keep.iter().any(|kept| kept == name))
            };
            let inner = || scope.at.inside(|kind| kind == Kind::Item(ItemKind::Fn));
            let in_block = scope
                .parent
                .is_none_or(|outer| !scopes.all[outer].is_module);
            let outermost = depth == Depth::Inner && scope.parent == Some(0);
            goes.push(
                scope.is_module && !in_block && !outermost && !inner().into_iter().any(is_kept),
            );
        }
        let mut plan = Plan {
            nodes,
            mentions: mentions(nodes, &scopes),
            names: scopes
                .items
                .iter()
                .map(|item| item.name.to_owned())
                .collect(),
            imported: Vec::new(),
            needless: Vec::new(),
            scopes,
            goes,
        };
        plan.name();
        plan
    }

    /// The module in which the contents of `scope` are found in the end.
    fn home(&self, scope: usize) -> usize {
        let mut module = self.scopes.module_of(scope);
        while self.goes[module] {
            let around = self.scopes.all[module].parent;
            module = self.scopes.module_of(around.expect("the file stays"));
        }
        module
    }

    /// Gives each item and each import a name that nothing else has where it stands in the end.
    fn name(&mut self) {
        // What is called by these names from outside, the prelude's above all, has to go on being found; so has a variant that is
        // imported with all others.
        let mut outside: BTreeSet<(usize, &str)> = BTreeSet::new();
        for mention in &self.mentions {
            let is_outside = match mention.resolved {
                None => !mention.is_local,
                Some(Resolved { found, taken }) => taken == 1 && matches!(found, Found::Glob(_)),
            };
            if is_outside {
                outside.insert((self.home(mention.scope), mention.path[0]));
            }
        }
        let words: BTreeSet<&str> = self.words();
        let mut taken: BTreeSet<(usize, bool, String)> = BTreeSet::new();
        let in_module = |scope: usize| self.scopes.all[scope].is_module;
        let items = self.scopes.items.iter().enumerate();
        let mut order: Vec<usize> = items
            .filter(|(_, item)| in_module(item.scope))
            .map(|(number, _)| number)
            .collect();
        // What stands there already keeps its name.
        order.sort_by_key(|number| {
            self.home(self.scopes.items[*number].scope) != self.scopes.items[*number].scope
        });
        let mut names = self.names.clone();
        let mut needless = Vec::new();
        // What has one name in one place is one thing, under other conditions.
        let mut given: HashMap<(usize, &str, bool), String> = HashMap::new();
        for number in order {
            let item = &self.scopes.items[number];
            let home = self.home(item.scope);
            let is_there = |taken: &BTreeSet<(usize, bool, String)>, name: &str| {
                [item.types.then_some(false), item.values.then_some(true)]
                    .into_iter()
                    .flatten()
                    .any(|kind| taken.contains(&(home, kind, name.to_owned())))
            };
            if self.is_module_that_goes(number) {
                continue;
            }
            let key = (item.scope, item.name, item.types);
            if let Some(name) = given.get(&key) {
                names[number] = name.clone();
                continue;
            }
            let mut name = item.name.to_owned();
            if item.at.kind() == Kind::Item(ItemKind::ExternCrate) {
                // It is the crate that is meant where no item is.
                match is_there(&taken, &name) {
                    true => needless.push(number),
                    false => taken.extend([(home, false, name)]),
                }
                continue;
            }
            if outside.contains(&(home, item.name)) || is_there(&taken, &name) {
                let module = self.scopes.all[item.scope].at.name().unwrap_or("root");
                let mut others = others(module, item.name);
                name = others
                    .find(|name| !is_there(&taken, name) && !words.contains(name.as_str()))
                    .expect("there is no end of names");
            }
            for kind in [item.types.then_some(false), item.values.then_some(true)] {
                taken.extend(kind.map(|kind| (home, kind, name.clone())));
            }
            given.insert(key, name.clone());
            names[number] = name;
        }
        self.names = names;
        self.needless = needless;
        let mut known: HashMap<(usize, String), String> = HashMap::new();
        for number in 0..self.scopes.imports.len() {
            let (path, fate) = self.fate(number);
            let imported = &self.scopes.imports[number];
            let name = imported.import.name.unwrap_or("*");
            if fate == Fate::Goes || !in_module_of(&self.scopes, imported.scope) {
                self.imported.push((name.to_owned(), fate));
                continue;
            }
            let home = self.home(imported.scope);
            let whole = alike(&path);
            let key = match name {
                "_" | "*" => format!("{name} {whole}"),
                name => name.to_owned(),
            };
            match known.get(&(home, key.clone())) {
                Some(same) if *same == whole => {
                    self.imported.push((name.to_owned(), Fate::Goes));
                    continue;
                }
                Some(_) => {}
                None => {
                    let is_there = [false, true]
                        .iter()
                        .any(|kind| taken.contains(&(home, *kind, name.to_owned())));
                    let means_another = outside.contains(&(home, name)) && !is_always_there(&whole);
                    if matches!(name, "_" | "*") || !is_there && !means_another {
                        known.insert((home, key), whole);
                        self.imported.push((name.to_owned(), fate));
                        continue;
                    }
                }
            }
            let parent = path.rsplit("::").nth(1).unwrap_or("other").to_owned();
            let mut others = others(&parent, name);
            let other = others
                .find(|name| {
                    !words.contains(name.as_str()) && !known.contains_key(&(home, name.clone()))
                })
                .expect("there is no end of names");
            known.insert((home, other.clone()), whole);
            let fate = Fate::Becomes(path, Some(other.clone()));
            self.imported.push((other, fate));
        }
    }

    fn is_module_that_goes(&self, item: usize) -> bool {
        let item = &self.scopes.items[item];
        let mut scopes = self.scopes.all.iter().zip(&self.goes);
        scopes.any(|(scope, goes)| *goes && scope.at.id == item.at.id)
    }

    /// All words of the text.
    fn words(&self) -> BTreeSet<&'s str> {
        let Some(root) = self.nodes.first() else {
            return BTreeSet::new();
        };
        root.words(&root.range())
            .into_iter()
            .map(|(word, _)| word)
            .collect()
    }

    /// The path from the root to what is in the module `home`.
    fn way_to(&self, home: usize) -> String {
        let mut names = Vec::new();
        let mut scope = Some(home);
        while let Some(module) = scope.filter(|module| *module > 0) {
            if !self.goes[module] {
                names.push(self.scopes.all[module].at.name().unwrap_or_default());
            }
            scope = self.scopes.all[module].parent;
        }
        let names = names.iter().rev().map(|name| format!("{name}::"));
        format!("crate::{}", names.collect::<String>())
    }

    /// What has to stand in the module `from` in front of a name in the module `to`.
    fn way_between(&self, from: usize, to: usize) -> String {
        match from == to {
            true => String::new(),
            false => self.way_to(to),
        }
    }

    /// How `item` is called in the module `home`.
    fn called(&self, item: usize, home: usize) -> String {
        let of = self.home(self.scopes.items[item].scope);
        format!("{}{}", self.way_between(home, of), self.names[item])
    }

    /// The path of an import as it has to be, and what becomes of the import if it gets in nobody's way.
    fn fate(&self, import: usize) -> (String, Fate) {
        self.fate_behind(import, &mut Vec::new())
    }

    /// The same where the imports `open` lead to it: those that lead to each other stay.
    fn fate_behind(&self, import: usize, open: &mut Vec<usize>) -> (String, Fate) {
        open.push(import);
        let imported = &self.scopes.imports[import];
        let path = &imported.import.path;
        let star = if imported.import.name.is_none() {
            "::*"
        } else {
            ""
        };
        let text = |from: usize| path[from..].join("::");
        let home = self.home(imported.scope);
        let stays = || (format!("{}{star}", text(0)), Fate::Stays);
        let becomes = |path: String| {
            let path = format!("{path}{star}");
            let last = path.rsplit("::").next().unwrap_or_default();
            let name = imported.import.name.filter(|name| *name != last);
            let fate = Fate::Becomes(path.clone(), name.map(str::to_owned));
            (path, fate)
        };
        let Some(Resolved { found, taken }) = self.scopes.imported(import) else {
            return stays();
        };
        let is_whole = taken == path.len();
        let rest = |first: String| match is_whole {
            true => first,
            false => format!("{first}::{}", text(taken)),
        };
        match found {
            Found::Module(module) if star.is_empty() || self.home(module) == home => {
                (String::new(), Fate::Goes)
            }
            Found::Module(module) => {
                let way = self.way_to(self.home(module));
                becomes(way.trim_end_matches("::").to_owned())
            }
            Found::Item(item) => {
                let is_here = self.home(self.scopes.items[item].scope) == home;
                let called = self.called(item, home);
                match is_whole && star.is_empty() && is_here {
                    true => (String::new(), Fate::Goes),
                    false => becomes(rest(called)),
                }
            }
            Found::Import(other) if open.contains(&other) => stays(),
            Found::Import(other) => {
                let of = &self.scopes.imports[other];
                let is_here = self.home(of.scope) == home;
                match is_whole && star.is_empty() && is_here {
                    true => (String::new(), Fate::Goes),
                    false => becomes(rest(self.fate_behind(other, open).0)),
                }
            }
            Found::Glob(_) => stays(),
            Found::Lost(module) => {
                let is_all = taken + 1 == path.len();
                let is_here = self.home(module) == home;
                match is_all && is_here && imported.import.name == path.last().copied() {
                    true => (String::new(), Fate::Goes),
                    false => {
                        let way = self.way_between(home, self.home(module));
                        becomes(format!("{way}{}", text(taken.min(path.len() - 1))))
                    }
                }
            }
        }
    }

    fn edits(&self) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (number, scope) in self.scopes.all.iter().enumerate() {
            if self.goes[number] {
                edits.extend(without_frame(scope.at));
            }
        }
        edits.extend(self.edits_of_uses());
        let needless = self.needless.iter();
        edits.extend(needless.map(|number| self.scopes.items[*number].at.cut()));
        for (number, item) in self.scopes.items.iter().enumerate() {
            if self.names[number] != item.name
                && let Some(name) = item.at.node.name.clone()
            {
                edits.push(item.at.edit(name, self.names[number].clone()));
            }
        }
        edits.extend(
            self.mentions
                .iter()
                .filter_map(|mention| self.edit_of(mention)),
        );
        edits.extend(self.edits_of_visibilities());
        // What is in something that goes goes with it.
        edits.sort_by_key(|edit| (edit.range.start, std::cmp::Reverse(edit.range.end)));
        let mut end = 0;
        edits.retain(|edit| {
            let is_inside = edit.range.end <= end;
            end = end.max(edit.range.end);
            !is_inside
        });
        edits
    }

    fn edits_of_uses(&self) -> Vec<Edit> {
        let mut by_item: BTreeMap<NodeId, (At, Vec<usize>)> = BTreeMap::new();
        for (number, imported) in self.scopes.imports.iter().enumerate() {
            let entry = by_item.entry(imported.at.id);
            entry
                .or_insert_with(|| (imported.at, Vec::new()))
                .1
                .push(number);
        }
        let mut edits = Vec::new();
        for (at, numbers) in by_item.into_values() {
            let fates = numbers.iter().map(|number| &self.imported[*number].1);
            if fates.clone().all(|fate| *fate == Fate::Stays) {
                continue;
            }
            let left: Vec<(String, Option<String>)> = numbers
                .iter()
                .filter_map(|number| match &self.imported[*number].1 {
                    Fate::Goes => None,
                    Fate::Becomes(path, name) => Some((path.clone(), name.clone())),
                    Fate::Stays => {
                        let import = &self.scopes.imports[*number].import;
                        let star = if import.name.is_none() { "::*" } else { "" };
                        let last = import.path.last().copied();
                        let name = import.name.filter(|name| Some(*name) != last);
                        let path = format!("{}{star}", import.path.join("::"));
                        Some((path, name.map(str::to_owned)))
                    }
                })
                .collect();
            if left.is_empty() {
                edits.push(at.cut());
                continue;
            }
            let words = at.words(&at.range());
            let visibility = at.child(|kind| kind == Kind::Visibility);
            let start = visibility.map(|visibility| visibility.node.range.start);
            let start = start.or(words
                .iter()
                .find(|word| word.0 == "use")
                .map(|word| word.1.start));
            let start = start.unwrap_or(at.node.range.start);
            edits.push(at.edit(start..at.node.range.end, written(&left)));
        }
        edits
    }

    fn edit_of(&self, mention: &Mention) -> Option<Edit> {
        let Resolved { found, taken } = mention.resolved?;
        let at = self.nodes.first()?;
        let home = self.home(mention.scope);
        let (first, last) = (
            mention.places.first()?,
            mention.places.get(taken.checked_sub(1)?)?,
        );
        let by_path = taken > 1;
        let name = match found {
            Found::Item(item) => {
                let of = &self.scopes.items[item];
                let is_here = self.home(of.scope) == home;
                match self.scopes.all[of.scope].is_module {
                    // An import of it is there, too.
                    true if !is_here && !by_path => return None,
                    true if mention.of_macro => self.names[item].clone(),
                    true => self.called(item, home),
                    false => return None,
                }
            }
            Found::Import(import) => {
                let of = &self.scopes.imports[import];
                match self.home(of.scope) == home {
                    true => self.imported[import].0.clone(),
                    false if by_path => self.fate(import).0,
                    false => return None,
                }
            }
            Found::Glob(_) if by_path => mention.path[taken - 1].to_owned(),
            Found::Lost(module) => {
                let first = mention.places.get(usize::from(mention.of_macro))?;
                let behind = mention.places.get(taken)?;
                // A macro's own path begins with its crate.
                let way = match mention.of_macro {
                    true => self.way_to(self.home(module)).replacen("crate::", "", 1),
                    false => self.way_between(home, self.home(module)),
                };
                let range = first.start..behind.start;
                return (at.source[range.clone()] != way).then(|| at.edit(range, way));
            }
            Found::Glob(_) | Found::Module(_) => return None,
        };
        let from = match mention.of_macro {
            true => mention.places.get(1)?.start,
            false => first.start,
        };
        let range = from..last.end;
        let is_said = at.source[range.clone()] == name;
        let is_other = !by_path && mention.is_local;
        (!is_said && !is_other).then(|| at.edit(range, name))
    }

    fn edits_of_visibilities(&self) -> impl Iterator<Item = Edit> {
        let all = self.nodes.iter().filter(|at| at.kind() == Kind::Visibility);
        let of_module: HashMap<NodeId, usize> = self
            .scopes
            .all
            .iter()
            .enumerate()
            .filter(|(_, scope)| scope.is_module)
            .map(|(number, scope)| (scope.at.id, number))
            .collect();
        // What says it of a module stands in the one around it.
        let around = move |at: At| {
            let mut outer = at.ancestors().filter_map(|outer| of_module.get(&outer.id));
            outer.next().map(|module| self.home(*module))
        };
        // What is visible may not tell of what is not.
        let is_seen = |at: &At| !at.text().is_empty() && around(*at).is_some_and(|home| home != 0);
        let others_tell = all.clone().any(is_seen);
        all.filter_map(move |at| match (around(*at)?, at.text()) {
            (_, "") => None,
            (0, _) if !others_tell => Some(at.cut()),
            (_, "pub") => None,
            _ => Some(at.by("pub")),
        })
    }
}

fn in_module_of(scopes: &Scopes, scope: usize) -> bool {
    scopes.all[scope].is_module
}

/// A path, the same for the crates that have the same.
fn alike(path: &str) -> String {
    match path.split_once("::") {
        Some((first, rest)) if STANDARD.contains(&first) => format!("std::{rest}"),
        _ => path.to_owned(),
    }
}

/// Whether it is, by its path, what the prelude has under its name, or a module called like a type that is always there.
fn is_always_there(path: &str) -> bool {
    let names: Vec<&str> = path.split("::").collect();
    match names[..] {
        ["std", module, _] => PRELUDE.contains(&module),
        ["std", module] => PRIMITIVE.contains(&module),
        _ => false,
    }
}

/// Names for what is called `name` in a module called `module`, where that name is something else's.
fn others(module: &str, name: &str) -> impl Iterator<Item = String> {
    let module = module.trim_start_matches("r#");
    let is_type = name.starts_with(char::is_uppercase);
    let is_constant = is_type && name.len() > 1 && !name.contains(char::is_lowercase);
    let first = match (is_type, is_constant) {
        (_, true) => format!("{}_{name}", module.to_uppercase()),
        (true, false) => {
            let parts = module.split('_').map(|part| {
                let mut letters = part.chars();
                let first = letters.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(letters).collect::<String>()
            });
            format!("{}{name}", parts.collect::<String>())
        }
        _ => format!("{module}_{name}"),
    };
    let numbered = (2..).map({
        let first = first.clone();
        move |number| format!("{first}{number}")
    });
    std::iter::once(first).chain(numbered)
}

/// What takes the frame of a module away, with what is said of the module inside.
fn without_frame(at: At) -> Vec<Edit> {
    let words = at.words(&at.range());
    let name = at
        .node
        .name
        .clone()
        .map_or(at.node.range.start, |name| name.end);
    let open = words
        .iter()
        .find(|(word, place)| *word == "{" && place.start >= name);
    let Some((_, open)) = open else {
        return Vec::new();
    };
    let mut edits = vec![
        at.edit(at.node.range.start..open.end, ""),
        at.edit(at.node.range.end - 1..at.node.range.end, ""),
    ];
    let inner = at.children(|kind| matches!(kind, Kind::Attribute | Kind::Doc));
    let inner = inner
        .into_iter()
        .filter(|said| said.node.range.start > open.end);
    edits.extend(inner.map(At::cut));
    edits
}

#[cfg(test)]
mod tests;
