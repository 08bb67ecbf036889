//! Functions of one impl that ran for different types, each in an impl with those that ran for the same: the others may be
//! concrete though one of them cannot.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::query::{At, is_fn, opening_of_plain_impl};
use super::Instances;
use super::generic::{Generic, functions};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, Part, Text};

/// What the parameters of an impl stood for in one of its functions, by name.
type Stood<'n> = BTreeMap<&'n str, BTreeSet<&'n str>>;

impl Instances<'_> {
    /// The subject with such impls taken apart, by what was `told` and in files that are `allowed`; `None` if there are none.
    pub fn apart(
        &self,
        told: &[(u32, String)],
        allowed: impl Fn(FileId) -> bool,
    ) -> Option<Subject> {
        let mut by_function: BTreeMap<(FileId, usize), Stood> = BTreeMap::new();
        for (number, name) in told {
            let Some(question) = self.questions.get(*number as usize) else {
                continue;
            };
            let made = &question.made;
            let generic = &self.generics[made.generic];
            let is_own =
                |parameter: &str| generic.parameters.iter().any(|own| own.name == parameter);
            if made.method.is_none() && is_own(&made.text) {
                let function = (question.function.file, question.function.range().start);
                let stood = by_function.entry(function).or_default();
                stood.entry(&made.text).or_default().insert(name);
            }
        }
        let mut moves: BTreeMap<FileId, Vec<Move>> = BTreeMap::new();
        for generic in &self.generics {
            if let Some(all) =
                moves_of(generic, &by_function).filter(|_| allowed(generic.item.file))
            {
                moves.entry(generic.item.file).or_default().extend(all);
            }
        }
        if moves.is_empty() {
            return None;
        }
        let mut result = self.subject.clone();
        for (file, mut own) in moves {
            let text = self.subject.file(file).text()?;
            own.sort_by_key(|one| (one.cut.start, one.cut.end));
            let mut parts = Vec::new();
            let mut from = 0;
            for one in own {
                parts.push(Part::Of(text, from..one.cut.start));
                for (header, functions) in one.impls {
                    parts.push(Part::New(format!(" {header}{{ ")));
                    for function in functions {
                        parts.extend([Part::Of(text, function), Part::New(" ".into())]);
                    }
                    parts.push(Part::New("} ".into()));
                }
                from = one.cut.end;
            }
            parts.push(Part::Of(text, from..text.as_str().len()));
            result = result.with_text(file, Text::assembled(parts).0);
        }
        Some(result)
    }
}

/// What goes from a place, and the impls that come there: what stands before their members, and those.
struct Move {
    cut: Range<usize>,
    impls: Vec<(String, Vec<Range<usize>>)>,
}

/// What takes an inherent impl apart, if its functions ran for different types.
fn moves_of(
    generic: &Generic,
    by_function: &BTreeMap<(FileId, usize), Stood>,
) -> Option<Vec<Move>> {
    let item = generic.item;
    let is_impl = item.kind() == Kind::Item(ItemKind::Impl);
    let of_trait = item.child(|kind| kind == Kind::TraitRef).is_some();
    if !is_impl || of_trait || item.ancestors().any(|outer| is_fn(outer.kind())) {
        return None;
    }
    let header = item.source[item.range().start..opening_of_plain_impl(item)?.start].to_owned();
    let mut groups: BTreeMap<Vec<&str>, Vec<At>> = BTreeMap::new();
    let mut several = false;
    for function in functions(item) {
        let Some(stood) = by_function.get(&(item.file, function.range().start)) else {
            continue;
        };
        if stood.values().any(|names| names.len() > 1) {
            several = true;
            continue;
        }
        let names = stood.values().flatten().copied().collect();
        groups.entry(names).or_default().push(function);
    }
    if groups.len() + usize::from(several) < 2 {
        return None;
    }
    let mut groups: Vec<Vec<At>> = groups.into_values().collect();
    if !several {
        // One of them may as well stay where it is.
        groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
        groups.remove(0);
    }
    let ranges = |group: &Vec<At>| group.iter().map(|function| function.range()).collect();
    let end = item.range().end;
    let new = Move {
        cut: end..end,
        impls: groups
            .iter()
            .map(|group| (header.clone(), ranges(group)))
            .collect(),
    };
    let gone = groups.iter().flatten().map(|function| Move {
        cut: function.range(),
        impls: Vec::new(),
    });
    Some(gone.chain([new]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` with its impls apart, where each function ran for types of these names.
    fn apart(text: &str, told: &[(&str, &str)]) -> Option<String> {
        let files = [("a.rs".into(), text.as_bytes().to_vec())];
        let subject = Subject::new(files).with_roots([FileId(0)]);
        let instances = Instances::of(&subject, |_| false);
        let mut answers = Vec::new();
        for (number, question) in instances.questions.iter().enumerate() {
            let own = told.iter().filter(|(function, _)| {
                question.function.name() == Some(function) && question.made.text == "N"
            });
            answers.extend(own.map(|(_, name)| (number as u32, name.to_string())));
        }
        let after = instances.apart(&answers, |_| true)?;
        let file = after.file(FileId(0));
        // What was moved stands where it stood.
        let origin = file.text()?.origin(file.source().find("fn f")?)?;
        assert_eq!(origin.offset as usize, text.find("fn f")?);
        let words = file.source().split_whitespace();
        Some(words.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn what_ran_for_one_type_leaves_what_ran_for_several() {
        let text = "struct S<N>(N); impl<N: A> S<N> { const C: u8 = 1; fn f() { g() } fn h() { g() } fn idle() { g() } }";
        assert_eq!(
            apart(text, &[("f", "u8"), ("h", "u8"), ("h", "u16")]).as_deref(),
            Some(
                "struct S<N>(N); impl<N: A> S<N> { const C: u8 = 1; fn h() { g() } fn idle() { g() } } impl<N: A> S<N> { fn f() { g() } }"
            )
        );
    }

    #[test]
    fn those_that_ran_for_one_type_each_part() {
        let text = "impl<N> S<N> { fn e() { g() } fn f() { g() } fn h() { g() } }";
        assert_eq!(
            apart(text, &[("e", "u8"), ("f", "u16"), ("h", "u8")]).as_deref(),
            Some("impl<N> S<N> { fn e() { g() } fn h() { g() } } impl<N> S<N> { fn f() { g() } }")
        );
    }

    #[test]
    fn where_all_ran_for_the_same_nothing_changes() {
        let text = "impl<N> S<N> { fn f() { g() } fn h() { g() } } impl<N> A for S<N> { fn f() { g() } fn h() { g() } }";
        assert_eq!(apart(text, &[("f", "u8"), ("h", "u8")]), None);
        let of_trait = "impl<N> A for S<N> { fn f() { g() } fn h() { g() } }";
        assert_eq!(apart(of_trait, &[("f", "u8"), ("h", "u16")]), None);
    }
}
