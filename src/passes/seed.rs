//! The seed: what the compiler's own report names, who uses that, and what all of it mentions; the
//! rest goes in one trial. Knows the report's words and places, not how they were come by.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Pass;
use super::names::{Names, outermost};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, FileId, ItemKind, Kind, NodeId, Origin, Tree};

/// Removes what lies outside of ring `n` around the items that a report names. Ring 0 is those
/// items with the closure of what they mention; every further ring adds the users of the one
/// before. One round, and one element, for each ring.
pub struct Seed {
    words: BTreeSet<String>,
    places: Vec<Origin>,
}

/// How many rings are tried: further out lies nearly everything.
const RINGS: usize = 5;

impl Seed {
    /// The seed of a report that holds `words` and points to `places` of the original files.
    pub fn new(words: BTreeSet<String>, places: Vec<Origin>) -> Seed {
        Seed { words, places }
    }

    /// The items that the report names or points to.
    fn hot(&self, subject: &Subject, names: &Names) -> BTreeSet<usize> {
        let hot = names.items.iter().enumerate().filter(|(_, item)| {
            let named = item.names.iter().any(|name| self.words.contains(*name));
            // A method is known by its impl.
            let member = item.kind == ItemKind::Impl
                && item.members.iter().any(|name| self.words.contains(*name))
                && item.header.iter().any(|name| self.words.contains(*name));
            named || member || self.points_into(subject, item.file, &item.range)
        });
        hot.map(|(at, _)| at).collect()
    }

    /// Where the items stand that the report names or points to.
    pub fn places(&self, subject: &Subject) -> Vec<(FileId, Range<usize>)> {
        let names = Names::of(subject);
        let hot = self.hot(subject, &names);
        let items = hot.into_iter().map(|at| &names.items[at]);
        items.map(|item| (item.file, item.range.clone())).collect()
    }

    fn points_into(&self, subject: &Subject, file: FileId, range: &Range<usize>) -> bool {
        let Some(text) = subject.file(file).text() else {
            return false;
        };
        let ends = (text.origin(range.start), text.origin(range.end - 1));
        let (Some(first), Some(last)) = ends else {
            return false;
        };
        self.places.iter().any(|place| {
            place.file == first.file && (first.offset..=last.offset).contains(&place.offset)
        })
    }
}

impl Pass for Seed {
    fn name(&self) -> &'static str {
        "seed"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= RINGS {
            return None;
        }
        let names = Names::of(subject);
        let mut ring = self.hot(subject, &names);
        if ring.is_empty() {
            return None;
        }
        for _ in 0..round {
            ring = names.with_users(&ring);
        }
        let kept = names.closure(&ring);
        if kept.len() == names.items.len() {
            return (round == 0).then(Vec::new);
        }
        let edits = without(subject, &names, &kept);
        Some(vec![Element::new(subject, Kind::File, edits)])
    }
}

/// Deletions of all outermost items but `kept`, and of what would be left hanging: emptied modules,
/// `use` trees that lead nowhere.
fn without(subject: &Subject, names: &Names, kept: &BTreeSet<usize>) -> Vec<Edit> {
    let stays: BTreeSet<(FileId, NodeId)> = kept
        .iter()
        .map(|at| (names.items[*at].file, names.items[*at].id))
        .collect();
    let lost = Lost::of(subject, names, kept, &stays);
    let mut edits = Vec::new();
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        for (id, kind) in outermost(tree) {
            let range = tree.node(id).range.clone();
            let gone = match kind {
                ItemKind::Mod => lost.modules.contains(&(file, id)),
                ItemKind::Use => {
                    let (all, dead) = lost.trees(source, tree, id);
                    if !all {
                        edits.extend(dead.into_iter().map(|range| Edit::delete(file, range)));
                    }
                    all
                }
                _ => !stays.contains(&(file, id)),
            };
            if gone {
                edits.push(Edit::delete(file, range));
            }
        }
    }
    edits
}

/// Names that nothing stands behind any more.
struct Lost<'s> {
    names: BTreeSet<&'s str>,
    modules: BTreeSet<(FileId, NodeId)>,
}

impl<'s> Lost<'s> {
    fn of(
        subject: &'s Subject,
        names: &Names<'s>,
        kept: &BTreeSet<usize>,
        stays: &BTreeSet<(FileId, NodeId)>,
    ) -> Lost<'s> {
        let mut alive: BTreeMap<&str, bool> = BTreeMap::new();
        for (at, item) in names.items.iter().enumerate() {
            for name in &item.names {
                *alive.entry(name).or_default() |= kept.contains(&at);
            }
        }
        let mut modules = BTreeSet::new();
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            for (id, kind) in outermost(tree) {
                let node = tree.node(id);
                if kind != ItemKind::Mod || !source[node.range.clone()].ends_with('}') {
                    continue;
                }
                let inner = outermost(tree)
                    .filter(|(inner, _)| tree.ancestors(*inner).any(|outer| outer == id));
                let holds = inner
                    .into_iter()
                    .any(|(inner, _)| stays.contains(&(file, inner)));
                if !holds {
                    modules.insert((file, id));
                }
                if let Some(name) = &node.name {
                    *alive.entry(&source[name.clone()]).or_default() |= holds;
                }
            }
        }
        Lost {
            names: alive
                .into_iter()
                .filter(|(_, alive)| !alive)
                .map(|(name, _)| name)
                .collect(),
            modules,
        }
    }

    /// Whether all of the `use` item `id` leads nowhere, and the trees of its groups that do.
    fn trees(&self, source: &str, tree: &Tree, id: NodeId) -> (bool, Vec<Range<usize>>) {
        let node = tree.node(id);
        let words: Vec<&str> = tree.identifiers(source, &node.range).collect();
        // Paths into other crates lead where they led.
        if words
            .iter()
            .any(|word| matches!(*word, "std" | "core" | "alloc"))
            && !words.contains(&"crate")
        {
            return (false, Vec::new());
        }
        let mut dead = Vec::new();
        let all = self.dead(source, tree, id, &mut dead);
        (all, dead)
    }

    /// Whether the whole tree `id` leads nowhere; collects the inner ones that do.
    fn dead(&self, source: &str, tree: &Tree, id: NodeId, found: &mut Vec<Range<usize>>) -> bool {
        let node = tree.node(id);
        let inner: Vec<NodeId> = node
            .children
            .iter()
            .copied()
            .filter(|child| tree.node(*child).kind == Kind::UseTree)
            .collect();
        let group = inner
            .first()
            .map_or(node.range.end, |child| tree.node(*child).range.start);
        let own = tree.tokens_in(&(node.range.start..group)).iter();
        let path = own
            .filter(|token| token.kind == TokenKind::Ident)
            .map(|token| &source[token.range()])
            .take_while(|word| *word != "as");
        if path.into_iter().any(|word| self.names.contains(word)) {
            return true;
        }
        let mut all = !inner.is_empty();
        for child in inner {
            if self.dead(source, tree, child, found) {
                found.push(tree.node(child).range.clone());
            } else {
                all = false;
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left of `text` after ring `ring` of a report with these words, white space evened out.
    fn ring(text: &str, words: &[&str], ring: usize) -> String {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let words = words.iter().map(ToString::to_string).collect();
        let list = Seed::new(words, Vec::new()).list(&subject, ring);
        let left = subject.without(list.iter().flatten());
        let words: Vec<&str> = left.file(FileId(0)).source().split_whitespace().collect();
        words.join(" ")
    }

    const TEXT: &str = "
        extern crate alloc;
        mod shapes { pub trait Area { fn area(&self) -> f64; } pub struct Disc; pub struct Rod; }
        use shapes::{Area, Disc, Rod};
        use std::fmt::Debug;
        mod rods { use crate::shapes::Rod; pub fn length(_: &Rod) {} }
        impl Area for Disc { fn area(&self) -> f64 { 0.0 } }
        impl Area for Rod { fn area(&self) -> f64 { 0.0 } }
        fn paint(disc: Disc) { disc.area(); }
        fn main() { paint(Disc); }";

    #[test]
    fn the_first_ring_is_what_the_report_names_with_what_that_needs() {
        assert_eq!(
            ring(TEXT, &["Disc"], 0),
            "extern crate alloc; mod shapes { pub struct Disc; } use shapes::{ Disc }; use std::fmt::Debug;"
        );
        assert_eq!(
            ring(TEXT, &["Disc", "Area"], 0),
            "extern crate alloc; mod shapes { pub trait Area { fn area(&self) -> f64; } pub struct Disc; } \
             use shapes::{Area, Disc }; use std::fmt::Debug; \
             impl Area for Disc { fn area(&self) -> f64 { 0.0 } }"
        );
    }

    #[test]
    fn every_further_ring_adds_the_users_of_the_one_before() {
        assert!(!ring(TEXT, &["Disc"], 0).contains("paint"));
        let first = ring(TEXT, &["Disc"], 1);
        assert!(first.contains("fn paint") && first.contains("impl Area for Disc"));
        assert!(!first.contains("Rod"), "{first}");
        assert!(first.contains("fn main"), "main names the disc itself");
    }

    #[test]
    fn a_use_that_leads_nowhere_any_more_goes_as_a_whole() {
        let left = ring(TEXT, &["main"], 0);
        assert!(!left.contains("use crate::shapes"), "{left}");
        let text = "mod a { pub struct A; pub struct B; } use a::{A, B}; fn f() {}";
        assert_eq!(ring(text, &["f"], 0), "fn f() {}");
    }

    #[test]
    fn a_place_in_the_report_makes_the_item_around_it_hot() {
        let text = "fn f() {} fn g() { 1; } fn h() {}";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let place = Origin {
            file: FileId(0),
            offset: 19,
        };
        let list = Seed::new(BTreeSet::new(), vec![place]).list(&subject, 0);
        let left = subject.without(list.iter().flatten());
        assert_eq!(left.file(FileId(0)).source().trim(), "fn g() { 1; }");
    }

    #[test]
    fn a_report_that_names_nothing_of_the_subject_gives_no_seed() {
        let subject = Subject::new([("a.rs".into(), TEXT.as_bytes().to_vec())]);
        let words = BTreeSet::from(["nothing".to_string()]);
        assert!(Seed::new(words, Vec::new()).list(&subject, 0).is_none());
    }
}
