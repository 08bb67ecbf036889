//! Definitions that can go as a whole, with what they are known by: what solving by the compiler's
//! errors works on.

use std::collections::BTreeSet;
use std::ops::Range;

use super::live;
use super::ran::Ran;
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, NodeId, Origin, Tree, lexer};

/// A definition that did not run; one of the names in a `derive` stands for the impl that it makes.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its removal.
    pub element: Element,
    /// Where it stands.
    pub file: FileId,
    /// Its node there.
    pub node: NodeId,
    /// Where it stands.
    pub range: Range<usize>,
    /// Where it stood originally.
    pub origin: Option<Origin>,
    /// The names that an error may know it by: its own, those of what it is in or for.
    pub keys: BTreeSet<String>,
    /// The name that it defines; of an import and of a macro call all those that it brings in.
    pub names: Vec<String>,
    /// The names of the modules that it stands in, the file's included.
    pub module: BTreeSet<String>,
    /// Of an impl and its members the trait, of a derive too; of a trait's member that trait.
    pub of_trait: Option<String>,
    /// Of an impl and its members the names in its type; those of its own parameters only where there are no others.
    pub of_type: BTreeSet<String>,
    /// Of an impl of a trait, what its type is at its head.
    pub shape: Shape,
    /// Of an impl, its header as types are [`spelled`].
    pub header: Header,
    /// Of a member, where the impl or the trait stands, of a derive its item; else where it stands itself.
    pub outer: Range<usize>,
    /// Nothing that is left mentions it by name, or it is code and did not run.
    pub unneeded: bool,
}

/// What an impl says that it is for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The type.
    pub own: String,
    /// What the trait is given, without its angle brackets.
    pub arguments: String,
}

impl Header {
    /// Whether both name the same type.
    pub fn is_for_the_type_of(&self, other: &Header) -> bool {
        self.own == other.own
    }

    /// Whether the trait is given the same. What is left out is most often the type itself, as with operators.
    pub fn is_given_what(&self, other: &Header) -> bool {
        let given = |header: &Header| match header.arguments.as_str() {
            "" => header.own.clone(),
            arguments => arguments.to_string(),
        };
        given(self) == given(other)
    }
}

/// A type in the one way in which both a program and the compiler would say it: without lifetimes, and of paths the last names.
pub fn spelled(text: &str) -> String {
    let mut words: Vec<&str> = Vec::new();
    for token in lexer::tokens(text) {
        let word = &text[token.range()];
        if word == "::" {
            words.pop();
        } else if !word.starts_with('\'') || word.ends_with('\'') {
            // No lifetime.
            words.push(word);
        }
    }
    words.join(" ")
}

/// What a type is at its head, where that is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shape {
    /// A path, or not known.
    #[default]
    Named,
    /// Of an impl, one of its own parameters: any type.
    Parameter,
    /// `()`
    Unit,
    /// `(A, B)`
    Tuple,
    /// `[A]`, `[A; 2]`
    Slice,
    /// `&A`
    Reference,
    /// `*const A`
    Pointer,
    /// `fn(A)`
    Function,
    /// `{closure@…}`, as the compiler says it.
    Closure,
}

impl Shape {
    /// That of the type that `text` is.
    pub fn of(text: &str) -> Shape {
        let text = text.trim_start();
        let first_word = text.split(|c: char| !c.is_alphanumeric()).next();
        match text.chars().next() {
            Some('(') if text[1..].trim_start().starts_with(')') => Shape::Unit,
            Some('(') => Shape::Tuple,
            Some('[') => Shape::Slice,
            Some('&') => Shape::Reference,
            Some('*') => Shape::Pointer,
            Some('{') => Shape::Closure,
            _ if matches!(first_word, Some("fn" | "extern" | "unsafe")) => Shape::Function,
            _ => Shape::Named,
        }
    }
}

/// All definitions of `subject` in which nothing ran and nothing is protected. Definitions inside
/// others are listed too. Without `ran` nothing is run at all, and what is not protected may go.
pub fn definitions(
    subject: &Subject,
    ran: Option<&Ran>,
    protected: &dyn Fn(FileId, &Range<usize>) -> bool,
) -> Vec<Definition> {
    let nothing = Ran::default();
    let (runs, ran) = (ran.is_some(), ran.unwrap_or(&nothing));
    let mut found = Vec::new();
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        for (id, node) in tree.nodes() {
            let is_definition = match node.kind {
                Kind::Item(ItemKind::ExternCrate) => false,
                Kind::Item(_) | Kind::Member(_) => true,
                Kind::UseTree => true,
                Kind::AttributeArg => derived_for(source, tree, id).is_some(),
                _ => false,
            };
            if !is_definition
                || protected(file, &node.range)
                || ran.within(subject, file, tree, node)
                || inside_macro(tree, id)
            {
                continue;
            }
            let module = node.kind == Kind::Item(ItemKind::Mod);
            let mut element = Element::cut(subject, node.kind, file, node.range.clone());
            if module && drops_what_ran(subject, ran, &element, protected) {
                continue;
            }
            let around = match node.kind {
                Kind::Member(_) => tree.parent(id).unwrap_or(node),
                Kind::AttributeArg => derived_for(source, tree, id).unwrap_or(node),
                _ => node,
            };
            let (of_trait, of_type) = match node.kind {
                Kind::AttributeArg => derives(source, tree, node, around),
                _ => implements(source, tree, around),
            };
            if node.kind == Kind::AttributeArg && of_trait.as_deref() == Some("Default") {
                element = element.and(default_variant(subject, file, tree, &around.range));
            }
            found.push(Definition {
                element,
                file,
                node: id,
                range: node.range.clone(),
                origin: version
                    .text()
                    .and_then(|text| text.origin(node.range.start)),
                keys: keys(source, tree, id, node),
                names: names(source, tree, id, node),
                module: modules(&version.path, source, tree, id),
                of_trait,
                of_type,
                shape: shape(source, tree, around),
                header: header(source, tree, around),
                outer: around.range.clone(),
                unneeded: false,
            });
        }
    }
    live::mark(subject, ran, runs, &mut found);
    found
}

/// What the impl `node` says that it is for.
fn header(source: &str, tree: &Tree, node: &Node) -> Header {
    let mut header = Header::default();
    if node.kind != Kind::Item(ItemKind::Impl) {
        return header;
    }
    for child in node.children.iter().map(|child| tree.node(*child)) {
        let text = &source[child.range.clone()];
        match child.kind {
            Kind::TraitRef => header.arguments = arguments(text).map_or_else(String::new, spelled),
            Kind::Type(_) if header.own.is_empty() => header.own = spelled(text),
            _ => {}
        }
    }
    if header.arguments == "Self" {
        header.arguments.clone_from(&header.own);
    }
    header
}

/// What stands in the angle brackets of a path.
pub fn arguments(path: &str) -> Option<&str> {
    let (_, given) = path.split_once('<')?;
    Some(given.rsplit_once('>')?.0)
}

/// What the type at the head of the impl `node` is.
fn shape(source: &str, tree: &Tree, node: &Node) -> Shape {
    let mut children = node.children.iter().map(|child| tree.node(*child));
    let own = children.find(|child| matches!(child.kind, Kind::Type(_)));
    let own = own.filter(|_| node.kind == Kind::Item(ItemKind::Impl));
    let text = own.map_or("", |own| &source[own.range.clone()]);
    let mut parameters = node.children.iter().map(|child| tree.node(*child));
    let is_own = |name: Option<Range<usize>>| name.is_some_and(|name| source[name] == *text);
    match parameters.any(|child| child.kind == Kind::GenericParam && is_own(child.name.clone())) {
        true => Shape::Parameter,
        false => Shape::of(text),
    }
}

fn drops_what_ran(
    subject: &Subject,
    ran: &Ran,
    element: &Element,
    protected: &dyn Fn(FileId, &Range<usize>) -> bool,
) -> bool {
    element.drops.iter().any(|file| {
        let Some(tree) = subject.file(*file).tree() else {
            return false;
        };
        let root = tree.nodes().next().map(|(_, root)| root);
        root.is_some_and(|root| {
            ran.within(subject, *file, tree, root) || protected(*file, &root.range)
        })
    })
}

fn inside_macro(tree: &Tree, id: NodeId) -> bool {
    let is_macro = |kind| {
        matches!(
            kind,
            Kind::Item(ItemKind::MacroCall | ItemKind::MacroRules)
                | Kind::Member(ItemKind::MacroCall)
                | Kind::Expr(_)
                | Kind::Stmt(crate::syntax::StmtKind::Macro)
        )
    };
    tree.ancestors(id)
        .any(|outer| is_macro(tree.node(outer).kind))
}

fn keys(source: &str, tree: &Tree, id: NodeId, node: &Node) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    if let Some(name) = &node.name {
        keys.insert(source[name.clone()].trim_start_matches("r#").to_string());
    }
    match node.kind {
        Kind::Item(ItemKind::Impl) => header_keys(source, tree, node, &mut keys),
        Kind::Item(ItemKind::Use) | Kind::UseTree => {
            // Every leaf's last name; the words on the way to it do no harm.
            let words = tree.identifiers(source, &node.range);
            keys.extend(words.map(|word| word.trim_start_matches("r#").to_string()));
            // `self` in a group stands for what is in front of the group.
            if keys.remove("self")
                && let Some(item) = tree
                    .ancestors(id)
                    .find(|outer| tree.node(*outer).kind == Kind::Item(ItemKind::Use))
            {
                let before = tree.node(item).range.start..node.range.start;
                keys.extend(tree.identifiers(source, &before).map(str::to_string));
            }
        }
        Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall) => {
            let words = tree.identifiers(source, &node.range);
            keys.extend(words.map(|word| word.trim_start_matches("r#").to_string()));
        }
        Kind::AttributeArg => {
            keys.extend(tree.identifiers(source, &node.range).map(str::to_string));
            let item = derived_for(source, tree, id).and_then(|item| item.name.clone());
            keys.extend(item.map(|name| source[name].to_string()));
        }
        Kind::Member(_) => {
            if let Some(outer) = tree.parent(id) {
                if let Some(name) = &outer.name {
                    keys.insert(source[name.clone()].to_string());
                }
                header_keys(source, tree, outer, &mut keys);
            }
        }
        _ => {}
    }
    keys
}

/// The names that a definition brings in.
fn names(source: &str, tree: &Tree, id: NodeId, node: &Node) -> Vec<String> {
    match node.kind {
        Kind::Item(ItemKind::Use) | Kind::UseTree => {
            live::bindings(source, tree, &node.range, outer_path(source, tree, id))
        }
        Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall) => {
            live::introduced(source, tree, &node.range)
        }
        _ => {
            let name = node.name.iter().map(|name| &source[name.clone()]);
            name.map(|name| name.trim_start_matches("r#").to_string())
                .collect()
        }
    }
}

/// The name right in front of the group that a part of a `use` stands in.
fn outer_path<'s>(source: &'s str, tree: &Tree, id: NodeId) -> Option<&'s str> {
    let node = tree.node(id);
    let outer = tree.parent(id).filter(|_| node.kind == Kind::UseTree)?;
    let before = outer.range.start..node.range.start;
    let tokens = tree.tokens_in(&before);
    // Behind the group's brace only siblings stand in between.
    let mut depth = 0;
    let open = tokens.iter().rposition(|token| {
        match &source[token.range()] {
            "}" => depth += 1,
            "{" if depth == 0 => return true,
            "{" => depth -= 1,
            _ => {}
        }
        false
    })?;
    tokens
        .get(open.checked_sub(2)?)
        .map(|token| &source[token.range()])
}

/// The names of the modules around a node: those of inline ones, and what the file's path says.
fn modules(path: &std::path::Path, source: &str, tree: &Tree, id: NodeId) -> BTreeSet<String> {
    let parts = path.with_extension("");
    let mut found: BTreeSet<String> = parts
        .components()
        .filter_map(|part| part.as_os_str().to_str().map(String::from))
        .collect();
    for outer in tree.ancestors(id).map(|outer| tree.node(outer)) {
        if let (Kind::Item(ItemKind::Mod), Some(name)) = (outer.kind, &outer.name) {
            found.insert(source[name.clone()].to_string());
        }
    }
    found
}

/// The item that `id` makes an impl for, if it is one of the names in a `derive`.
pub fn derived_for<'t>(source: &str, tree: &'t Tree, id: NodeId) -> Option<&'t Node> {
    let mut around = tree.ancestors(id).map(|outer| tree.node(outer));
    let attribute = around.next()?;
    let mut words = tree.identifiers(source, &attribute.range);
    if attribute.kind != Kind::Attribute || words.next() != Some("derive") {
        return None;
    }
    around.next()
}

/// The `#[default]` in `range`, which means something to a derive alone.
fn default_variant(subject: &Subject, file: FileId, tree: &Tree, range: &Range<usize>) -> Element {
    let source = subject.file(file).source();
    let attributes = tree.nodes().filter(|(id, node)| {
        let of_variant = tree
            .parent(*id)
            .is_some_and(|outer| outer.kind == Kind::Variant);
        node.kind == Kind::Attribute
            && of_variant
            && range.start <= node.range.start
            && node.range.end <= range.end
            && tree.identifiers(source, &node.range).eq(["default"])
    });
    let edits = attributes.map(|(_, node)| Edit::delete(file, node.range.clone()));
    Element::new(subject, Kind::AttributeArg, edits.collect())
}

/// The trait that `derive` stands for, and the name of the `item` that it is implemented for.
fn derives(
    source: &str,
    tree: &Tree,
    derive: &Node,
    item: &Node,
) -> (Option<String>, BTreeSet<String>) {
    let of_trait = tree.identifiers(source, &derive.range).last();
    let of_type = item
        .name
        .iter()
        .map(|name| source[name.clone()].to_string());
    (of_trait.map(String::from), of_type.collect())
}

/// The trait that an impl is of, or that a trait is, and the names in the type that an impl is for.
fn implements(source: &str, tree: &Tree, node: &Node) -> (Option<String>, BTreeSet<String>) {
    if let (Kind::Item(ItemKind::Trait), Some(name)) = (node.kind, &node.name) {
        return (Some(source[name.clone()].to_string()), BTreeSet::new());
    }
    let (mut of_trait, mut of_type) = (None, BTreeSet::new());
    if node.kind != Kind::Item(ItemKind::Impl) {
        return (of_trait, of_type);
    }
    for child in node.children.iter().map(|child| tree.node(*child)) {
        match child.kind {
            // The last name of the path in front of its arguments, and of the `for`.
            Kind::TraitRef => {
                let tokens = tree.tokens_in(&child.range).iter();
                let texts = tokens.map(|token| &source[token.range()]);
                of_trait = texts
                    .take_while(|text| !matches!(*text, "<" | "for"))
                    .filter(|text| text.starts_with(|c: char| c.is_alphabetic() || c == '_'))
                    .last()
                    .map(String::from);
            }
            Kind::Type(_) => {
                of_type.extend(tree.identifiers(source, &child.range).map(str::to_string));
            }
            _ => {}
        }
    }
    // What is the same in nearly every impl tells none from another.
    let children = node.children.iter().map(|child| tree.node(*child));
    let parameters: BTreeSet<&str> = children
        .filter(|child| child.kind == Kind::GenericParam)
        .filter_map(|child| child.name.clone())
        .map(|name| &source[name])
        .collect();
    if of_type
        .iter()
        .any(|name| !parameters.contains(name.as_str()))
    {
        of_type.retain(|name| !parameters.contains(name.as_str()));
    }
    (of_trait, of_type)
}

/// The names of the trait and the type in an impl's header.
fn header_keys(source: &str, tree: &Tree, node: &Node, keys: &mut BTreeSet<String>) {
    if node.kind != Kind::Item(ItemKind::Impl) {
        return;
    }
    for child in node.children.iter().map(|child| tree.node(*child)) {
        if matches!(child.kind, Kind::TraitRef | Kind::Type(_)) {
            keys.extend(tree.identifiers(source, &child.range).map(str::to_string));
        }
    }
}
