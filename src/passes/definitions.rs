//! Definitions that can go as a whole, with what they are known by: what solving by the compiler's
//! errors works on.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::ran::Ran;
use crate::subject::{Element, Subject};
use crate::syntax::{FileId, ItemKind, Kind, Node, NodeId, Origin, Tree};

/// A definition that did not run.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its removal.
    pub element: Element,
    /// Where it stands.
    pub file: FileId,
    /// Where it stands.
    pub range: Range<usize>,
    /// Where it stood originally.
    pub origin: Option<Origin>,
    /// The names that an error may know it by: its own, those of what it is in or for.
    pub keys: BTreeSet<String>,
    /// Nothing that is left mentions it by name, or it is code and did not run.
    pub unneeded: bool,
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
                // What a macro call makes is not known, and so neither is whether it ran.
                Kind::Item(ItemKind::ExternCrate) => false,
                Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall) if runs => {
                    false
                }
                Kind::Item(_) | Kind::Member(_) => true,
                Kind::UseTree => true,
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
            let element = Element::cut(subject, node.kind, file, node.range.clone());
            if module && drops_what_ran(subject, ran, &element, protected) {
                continue;
            }
            found.push(Definition {
                element,
                file,
                range: node.range.clone(),
                origin: version
                    .text()
                    .and_then(|text| text.origin(node.range.start)),
                keys: keys(source, tree, id, node),
                unneeded: false,
            });
        }
    }
    mark(subject, ran, runs, &mut found);
    found
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

/// Decides which definitions are unneeded at first sight: functions that did not run, impls with
/// functions of which none ran, and what no live text mentions by name.
fn mark(subject: &Subject, ran: &Ran, runs: bool, definitions: &mut [Definition]) {
    let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
    let mut live = vec![false; definitions.len()];
    let mut code = vec![false; definitions.len()];
    for (at, definition) in definitions.iter().enumerate() {
        let Some(tree) = subject.file(definition.file).tree() else {
            continue;
        };
        let node = tree.innermost(&definition.range).map(|id| tree.node(id));
        let kind = definition.element.kind;
        let is_const = |node: &Node| ran.block(subject, definition.file, node).is_none();
        code[at] = match kind {
            Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn) => node.is_some_and(|node| {
                let body = node
                    .children
                    .iter()
                    .map(|child| tree.node(*child))
                    .find(|child| child.kind == Kind::Body);
                body.is_some_and(|body| !runs || !is_const(body))
            }),
            Kind::Item(ItemKind::Impl) => node.is_some_and(|node| {
                let member_fn =
                    |child: &&NodeId| tree.node(**child).kind == Kind::Member(ItemKind::Fn);
                node.children.iter().filter(member_fn).count() > 0
            }),
            Kind::Item(ItemKind::MacroCall) => !runs,
            _ => false,
        };
        let own: Vec<String> = match kind {
            // An impl without code is live when what it is about is; see below.
            Kind::Item(ItemKind::Impl) => Vec::new(),
            Kind::Item(ItemKind::Use) | Kind::UseTree => definition.keys.iter().cloned().collect(),
            _ => {
                let source = subject.file(definition.file).source();
                let name = node
                    .and_then(|node| node.name.clone())
                    .map(|name| source[name].trim_start_matches("r#").to_string());
                name.into_iter().collect()
            }
        };
        for name in own {
            by_name.entry(name).or_default().push(at);
        }
    }
    // The words of all text that is in no definition of the list.
    let mut words: HashSet<String> = HashSet::new();
    let mut open: Vec<String> = Vec::new();
    let mut inside: HashMap<FileId, Vec<Range<usize>>> = HashMap::new();
    for definition in definitions.iter() {
        inside
            .entry(definition.file)
            .or_default()
            .push(definition.range.clone());
    }
    for (file, version, tree) in subject.sources() {
        let ranges = inside.get(&file).map_or(&[][..], Vec::as_slice);
        let whole = 0..version.source().len();
        own_words(
            version.source(),
            tree,
            &whole,
            ranges,
            &mut words,
            &mut open,
        );
    }
    while let Some(word) = open.pop() {
        for at in by_name.get(&word).into_iter().flatten().copied() {
            if live[at] || code[at] {
                continue;
            }
            live[at] = true;
            let definition = &definitions[at];
            let (version, tree) = match subject.file(definition.file).tree() {
                Some(tree) => (subject.file(definition.file), tree),
                None => continue,
            };
            let nested: Vec<Range<usize>> = inside
                .get(&definition.file)
                .into_iter()
                .flatten()
                .filter(|other| {
                    definition.range.start <= other.start
                        && other.end <= definition.range.end
                        && **other != definition.range
                })
                .cloned()
                .collect();
            own_words(
                version.source(),
                tree,
                &definition.range,
                &nested,
                &mut words,
                &mut open,
            );
        }
    }
    for (at, definition) in definitions.iter_mut().enumerate() {
        let kind = definition.element.kind;
        let impl_without_code = kind == Kind::Item(ItemKind::Impl) && !code[at];
        let member_of_live = matches!(kind, Kind::Member(_)) && !code[at];
        definition.unneeded = code[at]
            || !(live[at]
                || impl_without_code
                || member_of_live
                || kind == Kind::Item(ItemKind::MacroCall)
                || kind == Kind::Item(ItemKind::Mod));
    }
}

/// Adds the identifiers in `range` outside of `without` to `words`, and to `open` if they are new.
fn own_words(
    source: &str,
    tree: &Tree,
    range: &Range<usize>,
    without: &[Range<usize>],
    words: &mut HashSet<String>,
    open: &mut Vec<String>,
) {
    let mut outer: Vec<&Range<usize>> = without.iter().collect();
    outer.sort_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    let mut at = range.start;
    let mut take = |part: Range<usize>| {
        if part.is_empty() {
            return;
        }
        for word in tree.identifiers(source, &part) {
            let word = word.trim_start_matches("r#");
            if !words.contains(word) {
                words.insert(word.to_string());
                open.push(word.to_string());
            }
        }
    };
    for hole in outer {
        if hole.start >= at {
            take(at..hole.start);
            at = hole.end;
        }
    }
    take(at..range.end);
}
