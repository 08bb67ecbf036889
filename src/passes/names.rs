//! Who mentions whom: the subject's outermost items by name, and what each of them needs. By names
//! alone, without scopes or types: a guess, and a trial decides whether it was right.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, ItemKind, Kind, NodeId, Tree};

/// An item that stands in a file or a module, not in a function.
#[derive(Debug)]
pub struct Outermost<'s> {
    /// Its file.
    pub file: FileId,
    /// Its node.
    pub id: NodeId,
    /// Where it stands.
    pub range: Range<usize>,
    /// What it is.
    pub kind: ItemKind,
    /// The names by which others mention it: its own, or those of what it declares.
    pub names: BTreeSet<&'s str>,
    /// All identifiers in it.
    pub mentions: BTreeSet<&'s str>,
    /// The identifiers in front of its braces.
    pub header: BTreeSet<&'s str>,
    /// Identifiers behind `.` or `::` in it.
    pub selected: BTreeSet<&'s str>,
    /// The names of its members, its variants and its fields.
    pub members: BTreeSet<&'s str>,
}

/// The outermost items of a subject, `use` items left out, and where each name leads.
#[derive(Debug)]
pub struct Names<'s> {
    /// The items, in the order of files and text.
    pub items: Vec<Outermost<'s>>,
    by_name: BTreeMap<&'s str, Vec<usize>>,
    by_member: BTreeMap<&'s str, Vec<usize>>,
}

impl<'s> Names<'s> {
    /// The names of `subject`.
    pub fn of(subject: &'s Subject) -> Names<'s> {
        let mut items = Vec::new();
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            for (id, kind) in outermost(tree) {
                if !matches!(kind, ItemKind::Use | ItemKind::Mod) {
                    items.push(item(file, source, tree, id, kind));
                }
            }
        }
        let mut names = Names {
            by_name: BTreeMap::new(),
            by_member: BTreeMap::new(),
            items,
        };
        for (at, item) in names.items.iter().enumerate() {
            for name in &item.names {
                names.by_name.entry(name).or_default().push(at);
            }
            if item.kind == ItemKind::Trait {
                for name in &item.members {
                    names.by_member.entry(name).or_default().push(at);
                }
            }
        }
        names.add_aliases(subject);
        names
    }

    /// `use a::B as C`: who mentions `C` needs `B`.
    fn add_aliases(&mut self, subject: &'s Subject) {
        for (_, version, tree) in subject.sources() {
            let source = version.source();
            for (id, node) in tree.nodes() {
                if node.kind != Kind::Rename {
                    continue;
                }
                let alias = tree.identifiers(source, &node.range).last();
                let Some(outer) = tree.node(id).parent else {
                    continue;
                };
                let before = tree.node(outer).range.start..node.range.start;
                let target = tree.identifiers(source, &before).last();
                if let (Some(alias), Some(target)) = (alias, target)
                    && let Some(items) = self.by_name.get(target).cloned()
                {
                    self.by_name.entry(alias).or_default().extend(items);
                }
            }
        }
    }

    /// The items that `name` may mean.
    pub fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// `chosen` with all that it mentions, and all that this mentions. An item without a name – an
    /// impl, a macro call – belongs to it when every local name of its header does.
    pub fn closure(&self, chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut closed = BTreeSet::new();
        let mut open: Vec<usize> = chosen.iter().copied().collect();
        loop {
            while let Some(at) = open.pop() {
                if !closed.insert(at) {
                    continue;
                }
                let item = &self.items[at];
                let named = item.mentions.iter().flat_map(|name| self.named(name));
                let by_member = item
                    .selected
                    .iter()
                    .filter_map(|name| self.by_member.get(name))
                    .flatten();
                open.extend(named.chain(by_member).filter(|at| !closed.contains(at)));
            }
            let joins = |item: &Outermost<'s>| match item.kind {
                ItemKind::ExternCrate => true,
                _ if item.names.is_empty() => {
                    let mut local = item
                        .header
                        .iter()
                        .map(|name| self.named(name))
                        .filter(|items| !items.is_empty())
                        .peekable();
                    local.peek().is_some()
                        && local.all(|items| items.iter().any(|at| closed.contains(at)))
                }
                _ => false,
            };
            let all = self.items.iter().enumerate();
            open.extend(
                all.filter(|(at, item)| !closed.contains(at) && joins(item))
                    .map(|(at, _)| at),
            );
            if open.is_empty() {
                return closed;
            }
        }
    }

    /// The items that mention one of `chosen`, those themselves included.
    pub fn with_users(&self, chosen: &BTreeSet<usize>) -> BTreeSet<usize> {
        let names: BTreeSet<&str> = chosen
            .iter()
            .flat_map(|at| self.items[*at].names.iter().copied())
            .collect();
        let users = self.items.iter().enumerate().filter(|(at, item)| {
            chosen.contains(at) || item.mentions.iter().any(|name| names.contains(name))
        });
        users.map(|(at, _)| at).collect()
    }
}

/// The outermost items of a file, those in modules included, modules themselves too.
pub fn outermost(tree: &Tree) -> impl Iterator<Item = (NodeId, ItemKind)> {
    tree.nodes().filter_map(|(id, node)| {
        let Kind::Item(kind) = node.kind else {
            return None;
        };
        let free = tree.ancestors(id).all(|outer| {
            matches!(
                tree.node(outer).kind,
                Kind::File | Kind::Group | Kind::Item(ItemKind::Mod)
            )
        });
        free.then_some((id, kind))
    })
}

fn item<'s>(
    file: FileId,
    source: &'s str,
    tree: &Tree,
    id: NodeId,
    kind: ItemKind,
) -> Outermost<'s> {
    let node = tree.node(id);
    let tokens = tree.tokens_in(&node.range);
    let is_brace = |token: &&crate::syntax::lexer::Token| &source[token.range()] == "{";
    let brace = tokens
        .iter()
        .find(is_brace)
        .map_or(node.range.end, |token| token.start as usize);
    let selected = tokens.windows(2).filter_map(|pair| {
        let (before, word) = (&source[pair[0].range()], &pair[1]);
        (word.kind == TokenKind::Ident && matches!(before, "." | "::"))
            .then(|| &source[word.range()])
    });
    let members: BTreeSet<&str> = node
        .children
        .iter()
        .map(|child| tree.node(*child))
        .filter(|child| matches!(child.kind, Kind::Member(_) | Kind::Variant | Kind::Field))
        .filter_map(|child| Some(&source[child.name.clone()?]))
        .collect();
    let names = match (kind, &node.name) {
        (ItemKind::ForeignMod, _) => members.clone(),
        (_, Some(name)) => BTreeSet::from([&source[name.clone()]]),
        (_, None) => BTreeSet::new(),
    };
    // A macro call at this place has no header: what it is about stands in its arguments.
    let header = match kind {
        ItemKind::MacroCall => node.range.clone(),
        _ => node.range.start..brace,
    };
    Outermost {
        file,
        id,
        range: node.range.clone(),
        kind,
        names,
        mentions: tree.identifiers(source, &node.range).collect(),
        header: tree.identifiers(source, &header).collect(),
        selected: selected.collect(),
        members,
    }
}
