//! What names and paths of a file lead to, as far as its own text tells: modules, items, imports. Knows nothing of other crates
//! and of what macros make.

use std::collections::{BTreeMap, HashMap};

use super::super::imports::{Import, imports};
use super::super::query::At;
use crate::syntax::{ItemKind, Kind, NodeId};

/// A module, or a block in which items stand.
#[derive(Debug)]
pub(super) struct Scope<'s> {
    pub at: At<'s>,
    /// The scope around it.
    pub parent: Option<usize>,
    pub is_module: bool,
    items: BTreeMap<&'s str, Vec<usize>>,
    imports: Vec<usize>,
}

/// An item that has a name.
#[derive(Debug)]
pub(super) struct Item<'s> {
    pub at: At<'s>,
    pub name: &'s str,
    /// The scope that it stands in.
    pub scope: usize,
    /// Whether it is found among types, and among values.
    pub types: bool,
    pub values: bool,
    /// The scope that it is, if it is a module.
    module: Option<usize>,
    variants: Vec<&'s str>,
}

/// One import.
#[derive(Debug)]
pub(super) struct Imported<'s> {
    /// The `use` item.
    pub at: At<'s>,
    /// The scope that it stands in.
    pub scope: usize,
    pub import: Import<'s>,
}

/// What a name leads to, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Found {
    Module(usize),
    Item(usize),
    /// What this import names, which is not an item of the file's modules.
    Import(usize),
    /// A variant, by this import of all of an enum's.
    Glob(usize),
    /// Something that stands in this module, but not in its text.
    Lost(usize),
}

/// What the first names of a path lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    pub found: Found,
    /// The number of these names; those behind them are a part of what was found.
    pub taken: usize,
}

/// The scopes of a file; the first one is the file itself.
#[derive(Debug, Default)]
pub(super) struct Scopes<'s> {
    pub all: Vec<Scope<'s>>,
    pub items: Vec<Item<'s>>,
    pub imports: Vec<Imported<'s>>,
}

/// The most that is asked for one answer: where all modules import all of each other, there are more ways than anybody can go.
const MOST_ASKED: usize = 10_000;

/// What is being asked, on the way to an answer, and how much was asked already.
#[derive(Default)]
struct Asked<'s> {
    open: Vec<(usize, &'s str, bool)>,
    count: usize,
}

impl<'s> Scopes<'s> {
    /// The scopes of the file whose nodes are `nodes`, parents first. `None` where a module's text is somewhere else.
    pub fn of(nodes: &[At<'s>]) -> Option<Scopes<'s>> {
        let mut scopes = Scopes::default();
        let mut of_node: HashMap<NodeId, usize> = HashMap::new();
        for at in nodes {
            let parent = at.node.parent.map(|parent| of_node[&parent]);
            let mut own = parent;
            match (at.kind(), parent) {
                (Kind::File, None) => own = Some(scopes.open(*at, None, true)),
                (Kind::Body | Kind::Block, Some(_))
                    if at.child(|kind| matches!(kind, Kind::Item(_))).is_some() =>
                {
                    own = Some(scopes.open(*at, parent, false));
                }
                (Kind::Item(ItemKind::Use), Some(scope)) => {
                    for import in imports(*at) {
                        scopes.all[scope].imports.push(scopes.imports.len());
                        let at = *at;
                        scopes.imports.push(Imported { at, scope, import });
                    }
                }
                (Kind::Item(kind), Some(scope)) => {
                    let mut module = None;
                    if kind == ItemKind::Mod {
                        if !at.text().ends_with('}') {
                            return None;
                        }
                        module = Some(scopes.open(*at, parent, true));
                        own = module;
                    }
                    scopes.define(*at, kind, scope, module);
                }
                _ => {}
            }
            of_node.insert(at.id, own?);
        }
        (!scopes.all.is_empty()).then_some(scopes)
    }

    fn open(&mut self, at: At<'s>, parent: Option<usize>, is_module: bool) -> usize {
        self.all.push(Scope {
            at,
            parent,
            is_module,
            items: BTreeMap::new(),
            imports: Vec::new(),
        });
        self.all.len() - 1
    }

    fn define(&mut self, at: At<'s>, kind: ItemKind, scope: usize, module: Option<usize>) {
        let (types, values) = match kind {
            ItemKind::Fn | ItemKind::Const | ItemKind::Static => (false, true),
            ItemKind::Struct => (true, !at.text().ends_with('}')),
            ItemKind::Enum
            | ItemKind::Union
            | ItemKind::Trait
            | ItemKind::TraitAlias
            | ItemKind::TypeAlias
            | ItemKind::ExternCrate
            | ItemKind::Mod => (true, false),
            _ => return,
        };
        let words = at.words(&at.range());
        let alias = words.windows(2).find(|pair| pair[0].0 == "as");
        let alias = alias.filter(|_| kind == ItemKind::ExternCrate);
        let Some(name) = alias.map(|pair| pair[1].0).or(at.name()) else {
            return;
        };
        let variants = at.children(|kind| kind == Kind::Variant).into_iter();
        let number = self.items.len();
        self.items.push(Item {
            at,
            name,
            scope,
            types,
            values,
            module,
            variants: variants.filter_map(At::name).collect(),
        });
        self.all[scope].items.entry(name).or_default().push(number);
    }

    /// The module that a scope is or stands in.
    pub fn module_of(&self, scope: usize) -> usize {
        let mut scope = scope;
        while !self.all[scope].is_module {
            scope = self.all[scope].parent.expect("the file is a module");
        }
        scope
    }

    /// What `path` leads to where it stands in `scope`; `is_value` says of what kind the last name is where both are there.
    /// `None` if it leads out of the file.
    pub fn resolve(&self, scope: usize, path: &[&'s str], is_value: bool) -> Option<Resolved> {
        self.follow(scope, path, is_value, &mut Asked::default())
    }

    /// What an import leads to.
    pub fn imported(&self, import: usize) -> Option<Resolved> {
        self.import(import, false, &mut Asked::default())
    }

    fn import(&self, import: usize, is_value: bool, asked: &mut Asked<'s>) -> Option<Resolved> {
        let Imported { scope, import, .. } = &self.imports[import];
        let found = self.follow(*scope, &import.path, is_value, asked);
        // In the edition of 2015, they all start at the root.
        let first = import.path.first().filter(|first| !first.is_empty());
        found.or_else(|| match self.lookup(0, first?, false, asked)? {
            Found::Module(_) => self.follow(0, &import.path, is_value, asked),
            _ => None,
        })
    }

    fn follow(
        &self,
        scope: usize,
        path: &[&'s str],
        is_value: bool,
        asked: &mut Asked<'s>,
    ) -> Option<Resolved> {
        let mut module = None;
        let mut taken = 0;
        for name in path {
            module = Some(match (*name, module) {
                ("crate", None) => 0,
                ("self", None) => self.module_of(scope),
                ("super", _)
                    if taken == 0
                        || path[..taken].iter().all(|one| *one == "super")
                        || path[..taken] == ["self"] =>
                {
                    let inner = module.unwrap_or_else(|| self.module_of(scope));
                    self.module_of(self.all[inner].parent?)
                }
                _ => break,
            });
            taken += 1;
        }
        for name in &path[taken..] {
            let is_last = taken + 1 == path.len();
            let is_value = is_last && is_value;
            let found = match module {
                Some(module) => self.lookup(module, name, is_value, asked),
                None => self.lexical(scope, name, is_value, asked),
            };
            // Of `use a::a`, and of what else begins with `a`, the first name is that of a crate, whatever is brought in.
            if taken == 0
                && !is_last
                && let Some(Found::Import(import)) = found
                && self.imports[import].import.path.first() == Some(name)
            {
                return None;
            }
            taken += 1;
            match found {
                Some(Found::Module(next)) => module = Some(next),
                Some(found) => return Some(Resolved { found, taken }),
                None => {
                    let found = Found::Lost(module?);
                    let taken = taken - 1;
                    return (taken > 0).then_some(Resolved { found, taken });
                }
            }
        }
        let found = Found::Module(module?);
        Some(Resolved { found, taken })
    }

    /// What `name` is in `scope` and the blocks around it, up to the module.
    fn lexical(
        &self,
        scope: usize,
        name: &'s str,
        is_value: bool,
        asked: &mut Asked<'s>,
    ) -> Option<Found> {
        let mut scope = scope;
        loop {
            let found = self.lookup(scope, name, is_value, asked);
            if found.is_some() || self.all[scope].is_module {
                return found;
            }
            scope = self.all[scope].parent?;
        }
    }

    /// Whether what `name` was found to be in `module` is there for `scope`, too: all that the module imports is its own affair,
    /// unless it says otherwise.
    fn sees(&self, scope: usize, module: usize, found: Found, name: &str) -> bool {
        let mut around = Some(scope);
        while let Some(outer) = around {
            if outer == module {
                return true;
            }
            around = self.all[outer].parent;
        }
        let stands_in = match found {
            Found::Item(item) => Some(self.items[item].scope),
            // One that is called like a crate is most often private.
            Found::Module(inner) if is_visible(self.all[inner].at) => self.all[inner].parent,
            _ => None,
        };
        if stands_in == Some(module) {
            return true;
        }
        let mut imports = self.all[module].imports.iter();
        let named = imports.clone().find(|import| {
            let name_of = self.imports[**import].import.name;
            name_of == Some(name)
        });
        let is_public = |import: &usize| is_visible(self.imports[*import].at);
        match named {
            Some(named) => is_public(named),
            None => imports.any(is_public),
        }
    }

    /// What `name` is in `scope` itself: an item, what is imported by this name, what stands in a place of which all is imported.
    fn lookup(
        &self,
        scope: usize,
        name: &'s str,
        is_value: bool,
        asked: &mut Asked<'s>,
    ) -> Option<Found> {
        let question = (scope, name, is_value);
        if asked.open.contains(&question) || asked.count >= MOST_ASKED {
            return None;
        }
        asked.count += 1;
        asked.open.push(question);
        let found = self.found(scope, name, is_value, asked);
        asked.open.pop();
        found
    }

    fn found(
        &self,
        scope: usize,
        name: &'s str,
        is_value: bool,
        asked: &mut Asked<'s>,
    ) -> Option<Found> {
        let here = &self.all[scope];
        let items = here.items.get(name).into_iter().flatten();
        let fits = |item: &&usize| {
            let item = &self.items[**item];
            if is_value { item.values } else { item.types }
        };
        let of_item = |item: &usize| match self.items[*item].module {
            Some(module) => Found::Module(module),
            None => Found::Item(*item),
        };
        if let Some(item) = items.clone().find(fits) {
            return Some(of_item(item));
        }
        let imported = self.by_import(scope, name, is_value, asked);
        imported.or_else(|| items.clone().next().map(of_item))
    }

    /// What `name` is in `scope` by what is imported there.
    fn by_import(
        &self,
        scope: usize,
        name: &'s str,
        is_value: bool,
        asked: &mut Asked<'s>,
    ) -> Option<Found> {
        let here = &self.all[scope];
        let named = |import: &&usize| self.imports[**import].import.name == Some(name);
        if let Some(import) = here.imports.iter().find(named) {
            let whole = self.imports[*import].import.path.len();
            let found = self.import(*import, is_value, asked);
            return Some(match found.filter(|found| found.taken == whole) {
                None => Found::Import(*import),
                Some(Resolved {
                    found: Found::Glob(_) | Found::Lost(_),
                    ..
                }) => Found::Import(*import),
                Some(resolved) => resolved.found,
            });
        }
        let is_glob = |import: &&usize| self.imports[**import].import.name.is_none();
        here.imports.iter().filter(is_glob).find_map(|import| {
            let whole = self.imports[*import].import.path.len();
            let found = self.import(*import, false, asked)?;
            match found.found {
                Found::Module(module) => {
                    let found = self.lookup(module, name, is_value, asked)?;
                    self.sees(scope, module, found, name).then_some(found)
                }
                Found::Item(item) if found.taken == whole => {
                    let is_variant = self.items[item].variants.contains(&name);
                    is_variant.then_some(Found::Glob(*import))
                }
                _ => None,
            }
        })
    }
}

/// Whether an item says that it is visible outside its module.
fn is_visible(item: At) -> bool {
    item.child(|kind| kind == Kind::Visibility)
        .is_some_and(|said| !said.text().is_empty())
}
