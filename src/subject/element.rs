//! Elements: sets of edits that belong together, with a weight.

use std::collections::BTreeMap;

use super::Subject;
use crate::syntax::{Edit, FileId, Kind};

/// What a minimizer removes or keeps: a set of edits that belong together.
#[derive(Debug, Clone)]
pub struct Element {
    /// What kind of thing it is about: priors are kept by kind.
    pub kind: Kind,
    /// What applying it does to the text.
    pub edits: Vec<Edit>,
    /// Files that go with it.
    pub drops: Vec<FileId>,
    /// Tokens that its edits save; negative when the text grows.
    pub saves: i64,
}

/// A list of elements that a minimizer treats as siblings.
pub type Elements = Vec<Element>;

impl Element {
    /// The element that applies `edits` to `subject`.
    pub fn new(subject: &Subject, kind: Kind, edits: Vec<Edit>) -> Element {
        let saves = edits
            .iter()
            .map(|edit| {
                let tree = subject.file(edit.file).tree();
                let before = tree.map_or(0, |tree| tree.weight(&edit.range));
                before as i64 - crate::syntax::lexer::count(&edit.text) as i64
            })
            .sum();
        Element {
            kind,
            edits,
            drops: Vec::new(),
            saves,
        }
    }

    /// The element that removes one node, with the files of the modules in it.
    pub fn cut(
        subject: &Subject,
        kind: Kind,
        file: FileId,
        range: std::ops::Range<usize>,
    ) -> Element {
        let below = match kind {
            Kind::Item(_) if !subject.roots().is_empty() => {
                subject.modules().below(subject, file, &range)
            }
            _ => Default::default(),
        };
        let mut element = Element::new(subject, kind, vec![Edit::delete(file, range)]);
        let tokens = |file: &FileId| {
            subject
                .file(*file)
                .tree()
                .map_or(0, |tree| tree.tokens().len() as i64)
        };
        element.saves += below.iter().map(tokens).sum::<i64>();
        element.drops = below.into_iter().collect();
        element
    }

    /// Both elements as one.
    pub fn and(mut self, other: Element) -> Element {
        self.edits.extend(other.edits);
        self.drops.extend(other.drops);
        self.saves += other.saves;
        self
    }

    /// Tokens, at least one.
    pub fn weight(&self) -> u32 {
        self.saves.clamp(1, i64::from(u32::MAX)) as u32
    }
}

impl Subject {
    /// All edits of `elements` by file, with those that put separators right.
    pub fn edits<'e>(
        &self,
        elements: impl IntoIterator<Item = &'e Element>,
    ) -> BTreeMap<FileId, Vec<Edit>> {
        let mut by_file: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
        for edit in elements.into_iter().flat_map(|element| &element.edits) {
            by_file.entry(edit.file).or_default().push(edit.clone());
        }
        for (id, edits) in &mut by_file {
            let Some(tree) = self.file(*id).tree() else {
                continue;
            };
            let deletions = edits.iter().filter(|edit| edit.text.is_empty());
            let cuts: Vec<_> = deletions.map(|edit| edit.range.clone()).collect();
            let separators = tree.separators_for(&cuts);
            edits.extend(separators.into_iter().map(|range| Edit::delete(*id, range)));
        }
        by_file
    }

    /// The candidate without `elements`: all their edits applied, separators put right.
    pub fn without<'e>(&self, elements: impl IntoIterator<Item = &'e Element> + Clone) -> Subject {
        let mut result = self.clone();
        for (id, edits) in self.edits(elements.clone()) {
            if let Some(text) = self.file(id).text() {
                result = result.with_text(id, text.apply(&edits));
            }
        }
        for id in elements
            .into_iter()
            .flat_map(|element| element.drops.iter().copied())
        {
            result = result.without_file(id);
        }
        result
    }
}
