//! What the definitions of a subject say: names and where they hold, members of traits, numbers of
//! arguments, fields. By names alone.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, Node, NodeId, PatKind, Tree};

/// Names that every file knows without any definition.
pub const KNOWN: [&str; 44] = [
    "bool",
    "char",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "Option",
    "Some",
    "None",
    "Result",
    "Ok",
    "Err",
    "Vec",
    "String",
    "Box",
    "Clone",
    "Copy",
    "Send",
    "Sync",
    "Sized",
    "Drop",
    "Fn",
    "FnMut",
    "FnOnce",
    "Iterator",
    "Default",
    "PartialEq",
    "Eq",
    "drop",
    "size_of",
    "align_of",
    "Self",
    "self",
];

/// The names that a subject defines, as hashes.
#[derive(Debug, Default, Clone)]
pub struct LocalNames {
    /// By items, members, parameters, variables.
    pub defined: HashSet<u64>,
    /// By modules alone: no field and no method is called so.
    pub modules: HashSet<u64>,
    /// By `use`.
    pub used: HashSet<u64>,
}

/// A trait's member: whether every impl must have it, and its parameters and generic parameters.
#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub required: bool,
    pub parameters: usize,
    pub generics: usize,
}

/// What the definitions of a subject say.
#[derive(Debug, Default)]
pub struct Facts<'s> {
    /// Definitions that hold everywhere.
    pub everywhere: HashSet<&'s str>,
    pub modules: HashSet<&'s str>,
    /// What macros are made of: it may define anything, or be defined elsewhere.
    pub made: HashSet<&'s str>,
    pub by_use: HashSet<&'s str>,
    /// Definitions that hold in a range.
    pub within: HashMap<(FileId, &'s str), Vec<Range<usize>>>,
    pub traits: BTreeMap<&'s str, Vec<BTreeMap<&'s str, Member>>>,
    /// Numbers of arguments that calls of a name may have.
    pub calls: HashMap<&'s str, BTreeSet<usize>>,
    pub methods: HashMap<&'s str, BTreeSet<usize>>,
    /// Least and highest number of generic arguments that are no lifetimes.
    pub generics: HashMap<&'s str, Vec<(usize, usize)>>,
    /// Named fields of structs and variants.
    pub fields: HashMap<&'s str, Vec<BTreeSet<&'s str>>>,
    /// Members of impls of traits that are not defined here: others may define them too.
    pub foreign: HashSet<&'s str>,
}

pub fn named<'s>(source: &'s str, node: &Node) -> Option<&'s str> {
    Some(&source[node.name.clone()?])
}

pub fn children<'t>(tree: &'t Tree, node: &'t Node) -> impl Iterator<Item = &'t Node> {
    node.children.iter().map(|child| tree.node(*child))
}

pub fn count(tree: &Tree, node: &Node, wanted: fn(Kind) -> bool) -> usize {
    children(tree, node)
        .filter(|child| wanted(child.kind))
        .count()
}

pub fn is_generic(kind: Kind) -> bool {
    kind == Kind::GenericParam
}

pub fn is_parameter(kind: Kind) -> bool {
    matches!(kind, Kind::Param | Kind::Receiver)
}

/// The trait of an impl, by the last name of its path.
pub fn trait_of<'s>(source: &'s str, tree: &Tree, node: &Node) -> Option<&'s str> {
    let reference = children(tree, node).find(|child| child.kind == Kind::TraitRef)?;
    let words = tree.tokens_in(&reference.range).iter();
    let words = words.map(|token| &source[token.range()]);
    words
        .take_while(|word| !matches!(*word, "<" | "for"))
        .filter(|word| *word != "::")
        .last()
}

/// Whether `id` stands in what the compiler may leave out, or in what a macro is made of.
pub fn is_opaque(tree: &Tree, source: &str, id: NodeId) -> bool {
    std::iter::once(id).chain(tree.ancestors(id)).any(|id| {
        let node = tree.node(id);
        matches!(
            node.kind,
            Kind::Attribute | Kind::Doc | Kind::Token | Kind::Group | Kind::Segment | Kind::Line
        ) || matches!(node.kind, Kind::Item(ItemKind::MacroRules))
            || node.kind != Kind::File
                && children(tree, node).any(|child| {
                    child.kind == Kind::Attribute && source[child.range.clone()].contains("cfg")
                })
    })
}

impl<'s> Facts<'s> {
    pub fn of(subject: &'s Subject) -> Facts<'s> {
        let mut facts = Facts::default();
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            for (id, node) in tree.nodes() {
                facts.add(file, source, tree, id, node);
            }
        }
        facts
    }

    pub fn local_names(&self) -> LocalNames {
        let hashed = |names: &mut dyn Iterator<Item = &'s str>| {
            names
                .filter(|name| !KNOWN.contains(name) && !self.foreign.contains(name))
                .map(|name| hash(&name))
                .collect()
        };
        let within = self.within.keys().map(|(_, name)| *name);
        let besides = self.everywhere.iter().copied().chain(within);
        let besides: HashSet<&str> = besides.collect();
        LocalNames {
            defined: hashed(&mut besides.union(&self.modules).copied()),
            modules: hashed(&mut self.modules.difference(&besides).copied()),
            used: hashed(&mut self.by_use.iter().copied()),
        }
    }

    fn add(&mut self, file: FileId, source: &'s str, tree: &Tree, id: NodeId, node: &Node) {
        let name = named(source, node);
        match node.kind {
            Kind::Item(ItemKind::Use) | Kind::UseTree => {
                self.by_use.extend(leaf(source, tree, node));
            }
            Kind::Token | Kind::Item(ItemKind::MacroRules) => {
                self.made.extend(tree.identifiers(source, &node.range));
            }
            Kind::GenericParam | Kind::Label => {
                let around = tree
                    .parent(id)
                    .filter(|outer| outer.kind == Kind::ForLifetimes);
                let outer = match around {
                    Some(lifetimes) => lifetimes.parent.map(|outer| tree.node(outer)),
                    None => tree.parent(id),
                };
                let first = tree.tokens_in(&node.range).first();
                let label = first.map(|token| &source[token.range()]);
                if let (Some(outer), Some(name)) = (outer, name.or(label)) {
                    self.hold(file, name, &outer.range);
                }
            }
            Kind::Pat(PatKind::Ident) | Kind::FieldPat => {
                let local = name.or_else(|| tree.identifiers(source, &node.range).last());
                let function = tree
                    .ancestors(id)
                    .map(|outer| tree.node(outer))
                    .find(|outer| matches!(outer.kind, Kind::Item(_) | Kind::Member(_)));
                if let (Some(local), Some(function)) = (local, function)
                    && !local.starts_with(char::is_uppercase)
                {
                    self.hold(file, local, &function.range);
                }
            }
            Kind::Item(kind) | Kind::Member(kind) => {
                match kind {
                    ItemKind::Mod => self.modules.extend(name),
                    _ => self.everywhere.extend(name),
                }
                self.item(source, tree, node, kind, name);
            }
            Kind::Variant | Kind::Field => {
                self.everywhere.extend(name);
                if let (Kind::Variant, Some(name)) = (node.kind, name) {
                    self.shape(source, tree, node, name);
                }
            }
            Kind::Rename => self
                .by_use
                .extend(tree.identifiers(source, &node.range).last()),
            _ => {}
        }
    }

    fn hold(&mut self, file: FileId, name: &'s str, range: &Range<usize>) {
        let known = self.within.entry((file, name)).or_default();
        known.push(range.clone());
    }

    fn item(
        &mut self,
        source: &'s str,
        tree: &Tree,
        node: &Node,
        kind: ItemKind,
        name: Option<&'s str>,
    ) {
        if let Some(name) = name {
            let generic = children(tree, node).filter(|child| is_generic(child.kind));
            let generic: Vec<&Node> = generic
                .filter(|child| !source[child.range.clone()].starts_with('\''))
                .collect();
            let defaults = generic
                .iter()
                .filter(|child| count(tree, child, |kind| kind == Kind::GenericDefault) > 0)
                .count();
            self.generics
                .entry(name)
                .or_default()
                .push((generic.len() - defaults, generic.len()));
        }
        match (kind, name) {
            (ItemKind::Fn, Some(name)) => {
                let parameters = count(tree, node, is_parameter);
                self.calls.entry(name).or_default().insert(parameters);
                if count(tree, node, |kind| kind == Kind::Receiver) > 0 {
                    self.methods.entry(name).or_default().insert(parameters - 1);
                }
            }
            (ItemKind::Struct, Some(name)) => self.shape(source, tree, node, name),
            (ItemKind::Trait, Some(name)) => {
                let members = children(tree, node).filter_map(|child| {
                    let Kind::Member(kind) = child.kind else {
                        return None;
                    };
                    let given = count(tree, child, |kind| {
                        matches!(kind, Kind::Body | Kind::GenericDefault | Kind::Init)
                    });
                    let member = Member {
                        required: given == 0 && kind != ItemKind::MacroCall,
                        parameters: count(tree, child, is_parameter),
                        generics: count(tree, child, is_generic),
                    };
                    Some((named(source, child)?, member))
                });
                self.traits.entry(name).or_default().push(members.collect());
            }
            (ItemKind::Impl, _) => {
                if let Some(name) = trait_of(source, tree, node)
                    && !self.everywhere.contains(name)
                {
                    let members = children(tree, node).filter_map(|child| named(source, child));
                    self.foreign.extend(members);
                }
            }
            _ => {}
        }
    }

    fn shape(&mut self, source: &'s str, tree: &Tree, node: &Node, name: &'s str) {
        let fields: Vec<&Node> = children(tree, node)
            .filter(|child| child.kind == Kind::Field)
            .collect();
        let names: BTreeSet<&str> = fields
            .iter()
            .filter_map(|field| named(source, field))
            .collect();
        if names.is_empty() {
            self.calls.entry(name).or_default().insert(fields.len());
        }
        self.fields.entry(name).or_default().push(names);
    }

    pub fn knows(&self, file: FileId, name: &str, at: usize, in_use: bool) -> bool {
        self.everywhere.contains(name)
            || self.modules.contains(name)
            || self.made.contains(name)
            || !in_use && self.by_use.contains(name)
            || self
                .within
                .get(&(file, name))
                .is_some_and(|ranges| ranges.iter().any(|range| range.contains(&at)))
    }
}

/// The name that a `use` tree without a group makes known.
pub fn leaf<'s>(source: &'s str, tree: &Tree, node: &Node) -> Option<&'s str> {
    let grouped = children(tree, node).any(|child| child.kind == Kind::UseTree);
    let last = tree.identifiers(source, &node.range).last();
    last.filter(|_| !grouped)
}

pub fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
