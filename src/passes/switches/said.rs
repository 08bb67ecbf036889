//! Literals that say what each run is told.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use syn::Lit;

use super::{Off, Switch};
use crate::passes::literals::literals_in;
use crate::subject::{Element, Subject};
use crate::syntax::{FileId, Kind};

/// What literals say instead, by the numbers of their switches.
pub type Values = Vec<(usize, Vec<u8>)>;

/// A switch for each literal that one of `elements` changes, if it can be another text or number at run time.
pub fn literals(subject: &Subject, elements: &[Element]) -> Vec<Switch> {
    let places = places(subject, elements).into_iter();
    let switch = |(file, range): (FileId, Range<usize>)| {
        let change = match syn::parse_str(&subject.file(file).source()[range.clone()]).ok()? {
            Lit::Str(_) => "text",
            Lit::ByteStr(_) => "bytes",
            Lit::Int(_) => "number",
            _ => return None,
        };
        Some(Switch {
            element: Element::cut(subject, Kind::Token, file, range.clone()),
            file,
            range,
            off: Off::Through(change),
        })
    };
    places.filter_map(switch).collect()
}

/// The literals of a subject that a run can be told to say something else.
pub struct Said<'b> {
    base: &'b Subject,
    /// The number of each one's switch, by its file and by how many literals come before it there.
    numbers: HashMap<FileId, HashMap<usize, usize>>,
}

impl<'b> Said<'b> {
    /// The literals of `base` that these are the switches of, with their numbers.
    pub fn of<'s>(
        base: &'b Subject,
        switches: impl IntoIterator<Item = (usize, &'s Switch)>,
    ) -> Said<'b> {
        let mut numbers: HashMap<FileId, HashMap<usize, usize>> = HashMap::new();
        for (number, switch) in switches {
            let place = literal_at(&all_literals(base, switch.file), switch.range.start);
            let own = numbers.entry(switch.file).or_default();
            own.extend(place.map(|place| (place, number)));
        }
        Said { base, numbers }
    }

    /// Whether a run can be told all that `element` changes of `subject`, which came of the base by what can be told.
    pub fn holds(&self, subject: &Subject, element: &Element) -> bool {
        element.edits.iter().all(|edit| {
            let place = literal_at(&all_literals(subject, edit.file), edit.range.start);
            let own = self.numbers.get(&edit.file);
            place.is_some_and(|place| own.is_some_and(|own| own.contains_key(&place)))
        })
    }

    /// What the literals say in `candidate`, where that is something else than in the base; `None` if it has other literals.
    pub fn values(&self, candidate: &Subject) -> Option<Values> {
        let mut values = Values::new();
        for (file, numbers) in &self.numbers {
            let before = all_literals(self.base, *file);
            let after = all_literals(candidate, *file);
            if before.len() != after.len() {
                return None;
            }
            for (place, number) in numbers {
                let text = &candidate.file(*file).source()[after[*place].clone()];
                if *text != self.base.file(*file).source()[before[*place].clone()] {
                    values.push((*number, value(text)?));
                }
            }
        }
        values.sort_unstable();
        Some(values)
    }
}

/// Where the literals of `subject` stand that `elements` change.
fn places(subject: &Subject, elements: &[Element]) -> Vec<(FileId, Range<usize>)> {
    let mut found = BTreeSet::new();
    let mut literals = HashMap::new();
    for edit in elements.iter().flat_map(|element| &element.edits) {
        let own = literals
            .entry(edit.file)
            .or_insert_with(|| all_literals(subject, edit.file));
        let place = literal_at(own, edit.range.start);
        found.extend(place.map(|place| (edit.file, place)));
    }
    let place = |(file, place): (FileId, usize)| (file, literals[&file][place].clone());
    found.into_iter().map(place).collect()
}

/// Where the literals of `file` stand.
fn all_literals(subject: &Subject, file: FileId) -> Vec<Range<usize>> {
    let all = 0..subject.file(file).source().len();
    literals_in(subject, file, &all).collect()
}

/// Which of `literals` is at `offset`.
fn literal_at(literals: &[Range<usize>], offset: usize) -> Option<usize> {
    let behind = literals.partition_point(|literal| literal.start <= offset);
    let last = behind.checked_sub(1)?;
    (offset < literals[last].end).then_some(last)
}

/// What the literal `text` says, as a run is told: the bytes of a string, or the eight of a number, the least first.
fn value(text: &str) -> Option<Vec<u8>> {
    match syn::parse_str(text).ok()? {
        Lit::Str(said) => Some(said.value().into_bytes()),
        Lit::ByteStr(said) => Some(said.value()),
        Lit::Int(said) => said
            .base10_parse::<u64>()
            .ok()
            .map(|number| number.to_le_bytes().to_vec()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::*;
    use crate::subject::PROBE_CRATE as CRATE;
    use crate::syntax::Edit;

    /// One that takes all of `text` from wherever it stands in `subject`.
    fn without(subject: &Subject, text: &str) -> Element {
        let source = subject.file(FileId(0)).source();
        let found = source.match_indices(text);
        let edit = |(at, text): (usize, &str)| Edit::within(FileId(0), at..at + text.len());
        Element::new(subject, Kind::Token, found.map(edit).collect())
    }

    #[test]
    fn strings_and_whole_numbers_are_asked_for_by_their_numbers() {
        let subject = subject(r#"fn f() { g("a", b"b", 'c', 3u8, 1.5, r"d", c"e"); }"#);
        let all = ["a", "b\"b", "c'", "3", "1", "d", "e"].map(|text| without(&subject, text));
        let all = literals(&subject, &all);
        let asked = shown(&subject, &all).replace(&format!("::{CRATE}::"), "");
        let expected =
            r#"g(text(0, "a"), bytes(1, b"b"), 'c', number(2, 3u8), 1.5, text(3, r"d"), c"e")"#;
        assert!(asked.contains(expected), "{asked}");
    }

    #[test]
    fn what_a_candidate_says_otherwise_is_told_if_it_can_be() {
        let base = subject(r#"fn f() { g("ab", 1.5, "b"); h("c"); }"#);
        let all = literals(&base, &[without(&base, "b"), without(&base, "5")]);
        assert_eq!(all.len(), 2);
        let said = Said::of(&base, (5..).zip(&all));
        let now = base.without([&without(&base, "a")]);
        assert!(said.holds(&now, &without(&now, "b")));
        assert!(!said.holds(&now, &without(&now, "c")));
        assert!(!said.holds(&now, &without(&now, "h")));
        assert_eq!(said.values(&base), Some(Values::new()));
        assert_eq!(said.values(&now), Some(vec![(5, "b".into())]));
        let shorter = now.without([&without(&now, "b")]);
        let none = || "".into();
        assert_eq!(said.values(&shorter), Some(vec![(5, none()), (6, none())]));
        let fewer = now.without([&without(&now, "h(\"c\");")]);
        assert_eq!(said.values(&fewer), None);
    }

    #[test]
    fn a_run_is_told_what_a_literal_stands_for() {
        assert_eq!(value(r#""a\n\u{e9}""#), Some("a\né".into()));
        assert_eq!(value(r#"br"\x""#), Some(b"\\x".to_vec()));
        assert_eq!(value("0x1_00u32"), Some(vec![0, 1, 0, 0, 0, 0, 0, 0]));
        assert_eq!(value("1.5"), None);
    }
}
