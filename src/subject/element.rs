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

    /// The element that removes one node.
    pub fn cut(
        subject: &Subject,
        kind: Kind,
        file: FileId,
        range: std::ops::Range<usize>,
    ) -> Element {
        Element::new(subject, kind, vec![Edit::delete(file, range)])
    }

    /// Tokens, at least one.
    pub fn weight(&self) -> u32 {
        self.saves.clamp(1, i64::from(u32::MAX)) as u32
    }
}

impl Subject {
    /// The candidate without `elements`: all their edits applied, separators put right.
    pub fn without<'e>(&self, elements: impl IntoIterator<Item = &'e Element>) -> Subject {
        let mut by_file: BTreeMap<FileId, Vec<&Edit>> = BTreeMap::new();
        let mut drops = Vec::new();
        for element in elements {
            drops.extend(element.drops.iter().copied());
            for edit in &element.edits {
                by_file.entry(edit.file).or_default().push(edit);
            }
        }
        let mut result = self.clone();
        for (id, edits) in by_file {
            let file = self.file(id);
            let Some(text) = file.text() else { continue };
            let cuts: Vec<_> = edits
                .iter()
                .filter(|edit| edit.text.is_empty())
                .map(|edit| edit.range.clone())
                .collect();
            let separators: Vec<Edit> = file
                .tree()
                .map(|tree| tree.separators_for(&cuts))
                .unwrap_or_default()
                .into_iter()
                .map(|range| Edit::delete(id, range))
                .collect();
            let changed = text.apply(edits.into_iter().chain(&separators));
            result = result.with_text(id, changed);
        }
        for id in drops {
            result = result.without_file(id);
        }
        result
    }
}
