//! Traversals: which lists of removable nodes are made from the syntax trees, and in which order
//! they are searched. Knows no minimizer and no verdict: it sees only what is left.
//!
//! [`Traversal::ByKind`] makes no lists here: the passes do ([`super::coarse`], [`super::fine`]). The
//! others are the tree wrappers of the papers around the same minimizers:
//!
//! * **HDD** (Misherghi and Su, ICSE 2006): one list for each level of the tree, from the root down.
//! * **HDDr** (Kiss, Hodován and Gyimóthy, A-TEST 2018): one list for the children of each node,
//!   breadth first or depth first.
//! * **Perses** (Sun et al., ICSE 2018; Zhou et al. 2025, section II-C): one list for each run of
//!   children that the grammar allows any number of, the heaviest first.
//!
//! They know deletion only. What replaces one thing by another (in Perses, a node by a compatible
//! one below it) is left to the passes that do just that, once a traversal finds nothing more.
//! In fixpoint mode, as the engine runs them, no single node can go at the end (1-tree-minimality,
//! Zhou et al. 2025, section II-C).
//!
//! What the papers leave open or do otherwise, and what is done here:
//!
//! * Nodes that cannot go without breaking the syntax are no elements, and are not counted in
//!   levels: their removable descendants are the children of the next removable node around. For HDD
//!   that is what Misherghi's thesis gains by minimal replacements, and what Hodován et al. call
//!   squeezing the tree.
//! * Tokens inside macro calls and in what does not parse are no nodes: deleting one there may leave a
//!   file that parses even less. The passes for tokens come after a traversal, as all others that
//!   remain.
//! * A function's body is replaced by the least that type-checks: that is its minimal replacement.
//! * A crate is a forest: every file is a root, and a file goes only with the `mod` item that leads
//!   to it.
//! * Perses keeps a queue with the weights of when a node was put in; here the heaviest of what is
//!   left by now comes next. Its runs are the children of a node that are of the same kind
//!   (statements, parameters, fields …), and its optional nodes are runs of one.
//!
//! # What the corpus says
//!
// corpus table: begin
//! `cargo bench --bench corpus -- arrayvec generics ice-file-matches mir-validate nosyn-gce opaque smallvec semver --traversals`: 40 reductions of 8 inputs, 1104 tokens before (geometric mean).
//!
//! | algorithm | traversal | tokens | p | trials | p | CPU seconds | p | ρ |
//! | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
//! | wprobdd | by-kind | 72.2 |  | 74.4 |  | 2.89 |  | −0.31 |
//! | wprobdd | hdd | 80.6 | 1.000 | 86.8 | 0.062 | 2.94 | 0.742 | −0.28 |
//! | wprobdd | hddr | 80.6 | 1.000 | 86.9 | 0.078 | 2.91 | 0.742 | −0.47 |
//! | wprobdd | hddr-depth | 80.6 | 1.000 | 86.5 | 0.086 | 2.88 | 0.383 | −0.47 |
//! | wprobdd | perses | 80.6 | 1.000 | 87.2 | 0.062 | 3.07 | 1.000 | −0.46 |
// corpus table: end

use std::collections::HashSet;
use std::fmt;
use std::mem::{Discriminant, discriminant};
use std::str::FromStr;

use super::{delete, stub};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{FileId, Kind, Node, NodeId, Origin, Text, Tree};

/// How the syntax trees are walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Traversal {
    /// One list for each kind of node, over the whole subject.
    #[default]
    ByKind,
    /// One list for each level.
    Hdd,
    /// One list for the children of each node, breadth first.
    HddrBreadth,
    /// One list for the children of each node, depth first.
    HddrDepth,
    /// One list for each run of like children, the heaviest first.
    Perses,
}

impl Traversal {
    /// Every traversal, the default first.
    pub const ALL: [Self; 5] = [
        Self::ByKind,
        Self::Hdd,
        Self::HddrBreadth,
        Self::HddrDepth,
        Self::Perses,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByKind => "by-kind",
            Self::Hdd => "hdd",
            Self::HddrBreadth => "hddr",
            Self::HddrDepth => "hddr-depth",
            Self::Perses => "perses",
        }
    }

    /// Whether this traversal does the work of the pass `name`.
    pub fn covers(self, name: &str) -> bool {
        self != Self::ByKind
            && (name == "bodies" || delete::ALL.iter().any(|pass| pass.is_called(name)))
    }
}

impl fmt::Display for Traversal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no traversal has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown traversal `{0}`: expected by-kind, hdd, hddr, hddr-depth or perses")]
pub struct UnknownTraversal(String);

impl FromStr for Traversal {
    type Err = UnknownTraversal;

    fn from_str(text: &str) -> Result<Self, UnknownTraversal> {
        Self::ALL
            .into_iter()
            .find(|traversal| traversal.name() == text)
            .ok_or_else(|| UnknownTraversal(text.to_owned()))
    }
}

/// One walk over the trees of a subject that gets smaller on the way.
#[derive(Debug)]
pub struct Walk {
    traversal: Traversal,
    /// HDD: the next level.
    level: usize,
    /// The others: the lists that were made.
    seen: HashSet<Place>,
}

/// Which nodes make up a list; still good when other nodes have gone.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// All removable nodes with so many removable ones around them.
    Level(usize),
    /// The children of a node.
    Children(Identity),
    /// Those children of a node that are of one kind.
    Run(Identity, Discriminant<Kind>),
}

/// What makes a node the same one after others have gone: what it is and where its name, or else
/// its first byte, and its last byte stood originally.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Identity {
    file: FileId,
    kind: Kind,
    first: Position,
    last: Position,
}

/// Where a byte stood originally; for what was put in, the nearest such byte in front of it and how
/// far that is.
type Position = (Option<Origin>, usize);

impl Walk {
    /// A new walk from the top; [`Traversal::ByKind`] has no lists in it.
    pub fn new(traversal: Traversal) -> Self {
        Self {
            traversal,
            level: 0,
            seen: HashSet::new(),
        }
    }

    /// The list to search next in what is left now; `None` at the end.
    pub fn next(&mut self, subject: &Subject) -> Option<Place> {
        match self.traversal {
            Traversal::ByKind => None,
            Traversal::Hdd => {
                let level = self.level;
                self.level += 1;
                let families = families(subject);
                let deep = families.iter().any(|family| family.depth >= level);
                deep.then_some(Place::Level(level))
            }
            Traversal::HddrBreadth => self.first(subject, |family| (family.depth, 0)),
            // Parents come before their children, in source order: that is depth first.
            Traversal::HddrDepth => self.first(subject, |_| (0, 0)),
            Traversal::Perses => {
                self.first(subject, |family| (usize::MAX - family.weight, family.depth))
            }
        }
    }

    /// The first list not made yet, in the order of `key` and then of the source.
    fn first(
        &mut self,
        subject: &Subject,
        key: impl Fn(&Family<'_>) -> (usize, usize),
    ) -> Option<Place> {
        let mut families = families(subject);
        if self.traversal == Traversal::Perses {
            families = families.into_iter().flat_map(Family::runs).collect();
        }
        families.sort_by_key(|family| key(family));
        let places = families.iter().map(|family| family.place(subject));
        let next = places
            .into_iter()
            .find(|place| !self.seen.contains(place))?;
        self.seen.insert(next.clone());
        Some(next)
    }
}

impl Place {
    /// The list, made from what is left of `subject`.
    pub fn list(&self, subject: &Subject) -> Elements {
        let mut families = families(subject).into_iter();
        match self {
            Place::Level(level) => families
                .filter(|family| family.depth == *level)
                .flat_map(|family| family.elements(subject))
                .collect(),
            Place::Children(parent) => families
                .find(|family| family.identity(subject) == *parent)
                .map_or_else(Vec::new, |family| family.elements(subject)),
            Place::Run(parent, _) => families
                .filter(|family| family.identity(subject) == *parent)
                .flat_map(Family::runs)
                .find(|run| run.place(subject) == *self)
                .map_or_else(Vec::new, |run| run.elements(subject)),
        }
    }
}

/// A node and the removable nodes that are next below it.
#[derive(Debug)]
struct Family<'s> {
    file: FileId,
    tree: &'s Tree,
    parent: NodeId,
    /// Removable nodes around the children, the parent included.
    depth: usize,
    /// In source order, at least one.
    children: Vec<NodeId>,
    /// The children's tokens.
    weight: usize,
    /// All children are of this kind, and others of the parent's children are not in here.
    run: Option<Discriminant<Kind>>,
}

/// All families, by file and then in source order of their parents.
fn families(subject: &Subject) -> Vec<Family<'_>> {
    let mut result = Vec::new();
    for (file, _, tree) in subject.sources() {
        let mut by_parent: Vec<Option<Family<'_>>> = Vec::new();
        // By node: the removable node or file that it belongs to as a parent, and the depth of what is right below.
        let mut around: Vec<(NodeId, usize)> = Vec::new();
        for (id, node) in tree.nodes() {
            by_parent.push(None);
            let outer = node.parent.map(|parent| around[parent.0 as usize]);
            let Some((parent, depth)) = outer else {
                around.push((id, 0));
                continue;
            };
            if !removable(tree, id, node) {
                around.push((parent, depth));
                continue;
            }
            around.push((id, depth + 1));
            let family = by_parent[parent.0 as usize].get_or_insert_with(|| Family {
                file,
                tree,
                parent,
                depth,
                children: Vec::new(),
                weight: 0,
                run: None,
            });
            family.weight += tree.weight(&node.range);
            family.children.push(id);
        }
        result.extend(by_parent.into_iter().flatten());
    }
    result
}

/// Whether the node can go, or be replaced by less, and the syntax stays right.
fn removable(tree: &Tree, id: NodeId, node: &Node) -> bool {
    node.kind == Kind::Body || delete::ALL.iter().any(|pass| pass.wants(tree, id, node))
}

impl<'s> Family<'s> {
    /// This family by the kinds of its children.
    fn runs(self) -> Vec<Family<'s>> {
        let mut runs: Vec<Family<'s>> = Vec::new();
        for child in self.children {
            let node = self.tree.node(child);
            let run = Some(discriminant(&node.kind));
            let at = runs.iter().position(|known| known.run == run);
            let at = at.unwrap_or_else(|| {
                runs.push(Family {
                    children: Vec::new(),
                    weight: 0,
                    run,
                    ..self
                });
                runs.len() - 1
            });
            runs[at].weight += self.tree.weight(&node.range);
            runs[at].children.push(child);
        }
        runs
    }

    fn identity(&self, subject: &Subject) -> Identity {
        let node = self.tree.node(self.parent);
        let text = subject.file(self.file).text();
        let position = |at: usize| text.map_or((None, at), |text| position(text, at));
        let start = node.name.as_ref().map_or(node.range.start, |n| n.start);
        let (first, last) = match node.kind {
            // Whatever goes from either end of a file, it is the same file.
            Kind::File => ((None, 0), (None, 0)),
            _ => (position(start), position(node.range.end.saturating_sub(1))),
        };
        Identity {
            file: self.file,
            kind: node.kind,
            first,
            last,
        }
    }

    fn place(&self, subject: &Subject) -> Place {
        match self.run {
            None => Place::Children(self.identity(subject)),
            Some(kind) => Place::Run(self.identity(subject), kind),
        }
    }

    fn elements(&self, subject: &Subject) -> Elements {
        self.children
            .iter()
            .filter_map(|&child| {
                let node = self.tree.node(child);
                match node.kind {
                    Kind::Body => stub::smaller(subject, self.file, self.tree, child),
                    kind => Some(Element::cut(subject, kind, self.file, node.range.clone())),
                }
            })
            .collect()
    }
}

fn position(text: &Text, at: usize) -> Position {
    let back = (0..=at).find(|back| text.origin(at - back).is_some());
    match back {
        Some(back) => (text.origin(at - back), back),
        None => (None, at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "fn f(a: u8) { g(); if a { h([1, 2]); } }\npub mod m { fn k() {} }";

    fn subject(source: &str) -> Subject {
        Subject::new([("a.rs".into(), source.into())])
    }

    fn texts(subject: &Subject, list: &Elements) -> Vec<String> {
        let text = |element: &Element| {
            let edit = &element.edits[0];
            subject.file(edit.file).source()[edit.range.clone()].to_string()
        };
        list.iter().map(text).collect()
    }

    /// All lists, where everything is refused.
    fn lists(traversal: Traversal) -> Vec<Vec<String>> {
        let subject = subject(SOURCE);
        let mut walk = Walk::new(traversal);
        std::iter::from_fn(|| walk.next(&subject))
            .map(|place| texts(&subject, &place.list(&subject)))
            .filter(|list| !list.is_empty())
            .collect()
    }

    const F: &str = "fn f(a: u8) { g(); if a { h([1, 2]); } }";
    const M: &str = "pub mod m { fn k() {} }";
    const BODY: &str = "{ g(); if a { h([1, 2]); } }";
    const IF: &str = "if a { h([1, 2]); }";

    #[test]
    fn hdd_takes_one_level_after_the_other() {
        assert_eq!(
            lists(Traversal::Hdd),
            [
                vec![F, M],
                vec!["a: u8", BODY, "pub", "fn k() {}"],
                vec!["g();", IF],
                vec!["h([1, 2]);"],
                vec!["1", "2"],
            ]
        );
    }

    #[test]
    fn hddr_takes_the_children_of_one_node_after_the_other() {
        let (root, f, m) = (vec![F, M], vec!["a: u8", BODY], vec!["pub", "fn k() {}"]);
        let (body, block, call) = (vec!["g();", IF], vec!["h([1, 2]);"], vec!["1", "2"]);
        let breadth = [&root, &f, &m, &body, &block, &call].map(Clone::clone);
        assert_eq!(lists(Traversal::HddrBreadth), breadth);
        let depth = [&root, &f, &body, &block, &call, &m].map(Clone::clone);
        assert_eq!(lists(Traversal::HddrDepth), depth);
    }

    #[test]
    fn perses_takes_the_heaviest_run_of_like_children_first() {
        assert_eq!(
            lists(Traversal::Perses),
            [
                vec![F, M],
                vec![BODY],
                vec!["g();", IF],
                vec!["h([1, 2]);"],
                vec!["fn k() {}"],
                vec!["a: u8"],
                vec!["1", "2"],
                vec!["pub"],
            ]
        );
    }

    #[test]
    fn what_is_gone_is_not_walked_into_and_what_stays_is_walked_into_once() {
        let mut now = subject(SOURCE);
        let mut walk = Walk::new(Traversal::HddrBreadth);
        let mut seen = Vec::new();
        while let Some(place) = walk.next(&now) {
            let list = place.list(&now);
            seen.extend(texts(&now, &list));
            // The first of each list goes.
            now = now.without(list.first());
        }
        assert_eq!(seen, [F, M, "pub", "fn k() {}"]);
    }

    #[test]
    fn a_file_goes_with_the_module_item_that_leads_to_it_and_is_a_root_until_then() {
        let files = [("lib.rs", "mod a;\nfn f() {}"), ("a.rs", "fn g(x: u8) {}")];
        let files = files.map(|(path, text)| (path.into(), text.into()));
        let subject = Subject::new(files).with_roots([FileId(0)]);
        let list = Place::Level(0).list(&subject);
        assert_eq!(
            texts(&subject, &list),
            ["mod a;", "fn f() {}", "fn g(x: u8) {}"]
        );
        let without = subject.without(list.first());
        assert_eq!(Place::Level(0).list(&without).len(), 1);
    }

    #[test]
    fn names_parse_back_and_a_wrong_one_is_refused_with_all_of_them() {
        for traversal in Traversal::ALL {
            assert_eq!(traversal.to_string().parse(), Ok(traversal));
        }
        let error = "dfs".parse::<Traversal>().unwrap_err().to_string();
        for traversal in Traversal::ALL {
            assert!(error.contains(traversal.name()), "{error}");
        }
    }
}
