//! What the engine remembers of earlier lists: how often each kind of element was needed, and which
//! refusals still stand.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, Kind, NodeId, Tree};

/// How likely an element is needed, by kind: learned during the run.
#[derive(Debug, Default)]
pub struct Priors {
    seen: HashMap<Kind, (f64, f64)>,
}

impl Priors {
    /// What an element of `kind` starts from.
    pub fn of(&self, kind: Kind) -> f64 {
        // Two pseudo-observations of the flat prior keep the first lists from being taken for all.
        let (kept, all) = self.seen.get(&kind).copied().unwrap_or_default();
        ((kept + 0.5) / (all + 2.0)).clamp(0.02, 0.9)
    }

    /// Takes note of one element's fate.
    pub fn learn(&mut self, kind: Kind, kept: bool) {
        let entry = self.seen.entry(kind).or_default();
        // Older lists were about a larger subject: they fade.
        entry.0 = entry.0 * 0.98 + f64::from(u8::from(kept));
        entry.1 = entry.1 * 0.98 + 1.0;
    }
}

/// What the text around each element depends on: the top-level item it stands in, and the items
/// that this one names or that name it.
#[derive(Debug)]
pub struct Contexts {
    /// Per file: the ranges of its outermost items and the hash of each one's surroundings.
    files: HashMap<FileId, Vec<(std::ops::Range<usize>, u64)>>,
}

impl Contexts {
    /// The contexts of all items of `subject`.
    pub fn of(subject: &Subject) -> Contexts {
        struct Place<'s> {
            file: FileId,
            range: std::ops::Range<usize>,
            text: u64,
            defines: BTreeSet<&'s str>,
            mentions: BTreeSet<&'s str>,
        }
        let mut places = Vec::new();
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            for id in outermost(tree) {
                let range = tree.node(id).range.clone();
                let inside = tree.nodes().filter(|(_, node)| {
                    range.start <= node.range.start && node.range.end <= range.end
                });
                let defines = inside
                    .filter(|(_, node)| defines(node.kind))
                    .filter_map(|(_, node)| Some(&source[node.name.clone()?]))
                    .collect();
                places.push(Place {
                    file,
                    text: hash(&source[range.clone()]),
                    mentions: tree.identifiers(source, &range).collect(),
                    defines,
                    range,
                });
            }
        }
        let mut by_name: HashMap<&str, (Vec<usize>, Vec<usize>)> = HashMap::new();
        for (at, place) in places.iter().enumerate() {
            for name in &place.defines {
                by_name.entry(name).or_default().0.push(at);
            }
            for name in &place.mentions {
                by_name.entry(name).or_default().1.push(at);
            }
        }
        let mut files: HashMap<FileId, Vec<(std::ops::Range<usize>, u64)>> = HashMap::new();
        for (at, place) in places.iter().enumerate() {
            let mut around: BTreeSet<usize> = BTreeSet::from([at]);
            for name in &place.mentions {
                if let Some((definitions, _)) = by_name.get(name) {
                    around.extend(definitions);
                }
            }
            for name in &place.defines {
                if let Some((_, mentions)) = by_name.get(name) {
                    around.extend(mentions);
                }
            }
            let mut hasher = DefaultHasher::new();
            for other in around {
                places[other].text.hash(&mut hasher);
            }
            files
                .entry(place.file)
                .or_default()
                .push((place.range.clone(), hasher.finish()));
        }
        Contexts { files }
    }

    fn around(&self, edit: &Edit) -> u64 {
        let places = self.files.get(&edit.file).map_or(&[][..], Vec::as_slice);
        let at = places.partition_point(|(range, _)| range.end < edit.range.end);
        places
            .get(at)
            .filter(|(range, _)| range.start <= edit.range.start)
            .map_or(0, |(_, hash)| *hash)
    }
}

fn defines(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Item(_) | Kind::Member(_) | Kind::Variant | Kind::Field
    )
}

/// The outermost items of a file, looking into modules.
fn outermost(tree: &Tree) -> Vec<NodeId> {
    use crate::syntax::ItemKind;
    tree.nodes()
        .filter(|(id, node)| {
            let is_item = matches!(node.kind, Kind::Item(kind) if kind != ItemKind::Mod);
            is_item
                && tree.ancestors(*id).all(|outer| {
                    matches!(
                        tree.node(outer).kind,
                        Kind::File | Kind::Item(ItemKind::Mod)
                    )
                })
        })
        .map(|(id, _)| id)
        .collect()
}

/// Refusals: elements that the oracle would not let go, as long as nothing around them has changed.
#[derive(Debug, Default)]
pub struct Refusals {
    standing: HashMap<u64, u64>,
}

impl Refusals {
    /// Whether `element` was refused in just these surroundings.
    pub fn stands(&self, subject: &Subject, contexts: &Contexts, element: &Element) -> bool {
        self.standing.get(&identity(subject, element)) == Some(&context(contexts, element))
    }

    /// Takes note that the elements `kept` of `base` were refused, with `now` around them; `again`
    /// is the same list made from `now`.
    pub fn add<'e>(
        &mut self,
        base: &Subject,
        kept: impl Iterator<Item = &'e Element>,
        now: &Subject,
        again: Vec<Element>,
    ) {
        let kept: BTreeSet<u64> = kept.map(|element| identity(base, element)).collect();
        let contexts = Contexts::of(now);
        for element in &again {
            let identity = identity(now, element);
            if kept.contains(&identity) {
                self.standing.insert(identity, context(&contexts, element));
            }
        }
    }
}

/// What an element is, whatever happened elsewhere: where its edits stood originally and what they put there.
fn identity(subject: &Subject, element: &Element) -> u64 {
    let mut hasher = DefaultHasher::new();
    element.kind.hash(&mut hasher);
    for edit in &element.edits {
        let text = subject.file(edit.file).text();
        text.and_then(|text| text.origin(edit.range.start))
            .hash(&mut hasher);
        let last = edit.range.end.saturating_sub(1);
        text.and_then(|text| text.origin(last)).hash(&mut hasher);
        edit.text.hash(&mut hasher);
    }
    element.drops.hash(&mut hasher);
    hasher.finish()
}

fn context(contexts: &Contexts, element: &Element) -> u64 {
    let mut hasher = DefaultHasher::new();
    for edit in &element.edits {
        contexts.around(edit).hash(&mut hasher);
    }
    hasher.finish()
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
