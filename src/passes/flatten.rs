//! Shells taken off: a module or a block replaced by what is in it.

use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, NodeId, StmtKind, Tree};

/// `mod m { items }` → `items`, and `m::` disappears from all paths.
pub struct Modules;

/// `{ a; b }` as a statement → `a; b`, and likewise for what has a block: `unsafe`, `if`, loops.
pub struct Blocks;

impl Pass for Modules {
    fn name(&self) -> &'static str {
        "flatten-modules"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in
            nodes(subject, |_, _, node| node.kind == Kind::Item(ItemKind::Mod))
        {
            let source = subject.file(file).source();
            let Some(name) = &node.name else { continue };
            let Some((open, close)) = braces(source, tree, id) else {
                continue;
            };
            let mut edits = vec![
                Edit::delete(file, node.range.start..open),
                Edit::delete(file, close..node.range.end),
            ];
            let way = way_from_root(subject, file, tree, id);
            let needless = needless_uses(source, tree, id, way.as_deref());
            edits.extend(needless.map(|gone| Edit::delete(file, gone)));
            edits.extend(inner_attributes(source, tree, id).map(|gone| Edit::delete(file, gone)));
            let whole: Vec<_> = edits.iter().map(|edit| edit.range.clone()).collect();
            let mut paths = without_prefix(subject, &source[name.clone()]);
            paths.extend(without_first(subject, file, open..close, "super"));
            if way.is_some_and(|way| way.is_empty()) {
                paths.extend(without_first(subject, file, open..close, "crate"));
            }
            // What is in something that goes is counted with it.
            let inside = |edit: &Edit| {
                let holds = |gone: &Range<usize>| {
                    gone.start <= edit.range.start && edit.range.end <= gone.end
                };
                edit.file == file && whole.iter().any(holds)
            };
            edits.extend(paths.into_iter().filter(|edit| !inside(edit)));
            list.push(Element::new(subject, node.kind, edits));
        }
        Some(list)
    }
}

/// The names of the modules from the crate's root to the parent of the module `id`; `None` where the root is
/// in another file.
fn way_from_root<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    id: NodeId,
) -> Option<Vec<&'s str>> {
    let roots = subject.roots();
    if !roots.is_empty() && !roots.contains(&file) {
        return None;
    }
    let source = subject.file(file).source();
    let outer = tree.ancestors(id).map(|outer| tree.node(outer));
    let modules = outer.filter(|outer| outer.kind == Kind::Item(ItemKind::Mod));
    let mut names: Vec<&str> = modules
        .map(|module| module.name.clone().map(|name| &source[name]))
        .collect::<Option<_>>()?;
    names.reverse();
    Some(names)
}

/// Where the contents of the braced item `id` start and end.
fn braces(source: &str, tree: &Tree, id: NodeId) -> Option<(usize, usize)> {
    let node = tree.node(id);
    let open = tree
        .tokens_in(&node.range)
        .iter()
        .filter(|token| token.start as usize >= node.name.as_ref().map_or(0, |name| name.end))
        .find(|token| &source[token.range()] == "{")?;
    let close = node.range.end.checked_sub(1)?;
    (source.as_bytes().get(close) == Some(&b'}')).then_some((open.end as usize, close))
}

/// The words of a `use` item, from `use` to `;`.
fn words<'s>(source: &'s str, tree: &Tree, node: &Node) -> Vec<&'s str> {
    let tokens = tree.tokens_in(&node.range).iter();
    let words = tokens.map(|token| &source[token.range()]);
    words.skip_while(|word| *word != "use").skip(1).collect()
}

/// The `use` items that would import what stands beside them once the module `id` is gone: of its items
/// by its parent, of its parent's items by itself, and what both import.
fn needless_uses(
    source: &str,
    tree: &Tree,
    id: NodeId,
    way: Option<&[&str]>,
) -> impl Iterator<Item = Range<usize>> {
    let name = tree.node(id).name.clone().map_or("", |name| &source[name]);
    let is_use = |node: &&Node| node.kind == Kind::Item(ItemKind::Use);
    let uses = |scope: NodeId| -> Vec<&Node> {
        let children = tree.node(scope).children.iter();
        children
            .map(|child| tree.node(*child))
            .filter(is_use)
            .collect()
    };
    let beside = tree.node(id).parent.map(uses).unwrap_or_default();
    let imported: Vec<Vec<&str>> = beside
        .iter()
        .map(|node| words(source, tree, node))
        .collect();
    let of_module = |words: &[&str]| {
        let rest = match words {
            ["self" | "crate" | "super", "::", rest @ ..] => rest,
            rest => rest,
        };
        matches!(rest, [first, "::", rest @ ..] if *first == name && is_leaf(rest))
            || matches!(rest, [first, ";"] if *first == name && rest.len() < words.len())
    };
    let from_root: Option<Vec<&str>> = way.map(|way| {
        let names = std::iter::once(&"crate").chain(way);
        names.flat_map(|name| [*name, "::"]).collect()
    });
    let of_parent = |words: &[&str]| {
        let from_root = from_root
            .as_ref()
            .and_then(|way| words.strip_prefix(&way[..]));
        let rest = words.strip_prefix(&["super", "::"]).or(from_root);
        rest.is_some_and(is_leaf)
    };
    let mut found: Vec<Range<usize>> = beside
        .iter()
        .zip(&imported)
        .filter(|(_, words)| of_module(words))
        .map(|(node, _)| node.range.clone())
        .collect();
    for node in uses(id) {
        let own = words(source, tree, node);
        if of_parent(&own) || imported.contains(&own) {
            found.push(node.range.clone());
        }
    }
    found.into_iter()
}

/// Whether a path ends here: `X;`, `*;`, `{X, Y};`.
fn is_leaf(rest: &[&str]) -> bool {
    match rest {
        [_, ";"] => true,
        ["{", inner @ .., "}", ";"] => inner
            .iter()
            .all(|word| !matches!(*word, "::" | "as" | "self")),
        _ => false,
    }
}

/// `#![…]` right inside `id`, and what says that something is visible in its parent.
fn inner_attributes(source: &str, tree: &Tree, id: NodeId) -> impl Iterator<Item = Range<usize>> {
    let children = tree.node(id).children.iter().map(|child| tree.node(*child));
    let attributes = children.filter(|child| {
        child.kind == Kind::Attribute && source[child.range.clone()].starts_with("#!")
    });
    let inside = tree.node(id).range.clone();
    let visible = tree.tokens_in(&inside).windows(4).filter_map(|window| {
        let words = window.iter().map(|token| &source[token.range()]);
        words
            .eq(["pub", "(", "super", ")"])
            .then(|| window[1].start as usize..window[3].end as usize)
    });
    let found: Vec<_> = attributes
        .map(|child| child.range.clone())
        .chain(visible)
        .collect();
    found.into_iter()
}

/// Deletions of every `name::`.
fn without_prefix(subject: &Subject, name: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (file, source, tree) in subject.sources() {
        let source = source.source();
        for pair in tree.tokens().windows(2) {
            if &source[pair[0].range()] == name && &source[pair[1].range()] == "::" {
                edits.push(Edit::delete(
                    file,
                    pair[0].start as usize..pair[1].end as usize,
                ));
            }
        }
    }
    edits
}

/// Deletions of every `word::` that a path in `range` starts with.
fn without_first(subject: &Subject, file: FileId, range: Range<usize>, word: &str) -> Vec<Edit> {
    let source = subject.file(file).source();
    let Some(tree) = subject.file(file).tree() else {
        return Vec::new();
    };
    let mut edits = Vec::new();
    let mut before = "";
    for pair in tree.tokens_in(&range).windows(2) {
        let (first, second) = (&source[pair[0].range()], &source[pair[1].range()]);
        if first == word && second == "::" && before != "::" && before != "$" {
            edits.push(Edit::delete(
                file,
                pair[0].start as usize..pair[1].end as usize,
            ));
        }
        before = first;
    }
    edits
}

impl Pass for Blocks {
    fn name(&self) -> &'static str {
        "flatten-blocks"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| {
            node.kind == Kind::Stmt(StmtKind::Expr)
        }) {
            let Some(block) = only_block(tree, id) else {
                continue;
            };
            let inner = tree.node(block).range.clone();
            let edits = vec![
                Edit::delete(file, node.range.start..inner.start + 1),
                Edit::delete(file, inner.end - 1..node.range.end),
            ];
            list.push(Element::new(subject, Kind::Block, edits));
        }
        Some(list)
    }
}

/// The first block of the statement's expression.
fn only_block(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let expression = tree.node(id).children.first()?;
    let mut children = tree.node(*expression).children.iter().copied();
    children.find(|child| tree.node(*child).kind == Kind::Block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn flattened(source: &str) -> String {
        let subject = Subject::new([(PathBuf::from("a.rs"), source.as_bytes().to_vec())]);
        let list = Modules.list(&subject, 0).expect("one round");
        let flat = subject.without(&list[..1]);
        let words = flat.file(FileId(0)).source().split_whitespace();
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn imports_between_a_module_and_its_parent_go_with_the_module() {
        assert_eq!(
            flattened(
                "use m::{A, B}; use self::m::n::C; mod m { use super::*; struct A; } fn f(x: m::A) {}"
            ),
            "use self::n::C; struct A; fn f(x: A) {}"
        );
    }

    #[test]
    fn what_a_module_of_the_root_calls_by_the_crate_stands_beside_it() {
        assert_eq!(
            flattened(
                "mod m { use crate::*; use crate::n::B; macro_rules! o { () => { $crate::A } } fn f(x: crate::A) {} } struct A;"
            ),
            "use n::B; macro_rules! o { () => { $crate::A } } fn f(x: A) {} struct A;"
        );
    }

    #[test]
    fn what_both_import_is_imported_once() {
        assert_eq!(
            flattened(
                "use std::fmt; mod m { #![allow(unused)] use std::fmt; pub(super) struct A; }"
            ),
            "use std::fmt; pub struct A;"
        );
    }
}
