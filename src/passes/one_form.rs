//! Enums that have one variant left: what a struct says in fewer words.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::ops::Range;

use super::query::{At, all, at_place, owner_of, smaller};
use super::{Pass, fields_open};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// `enum E { A(T) }` → `struct E(T);`, `E::A(x)` → `E(x)`, and so with named fields and without fields.
pub struct EnumsToStructs;

impl Pass for EnumsToStructs {
    fn name(&self) -> &'static str {
        "enums-to-structs"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let enums = all(subject, |kind| kind == Kind::Item(ItemKind::Enum)).into_iter();
        let list = enums.filter_map(|definition| {
            let variants = definition.children(|kind| kind == Kind::Variant);
            let [variant] = variants[..] else { return None };
            let names = Names {
                of_enum: definition.name()?,
                of_variant: variant.name()?,
            };
            let mut edits = as_struct(definition, variant)?;
            edits.extend(names.mentions(subject)?);
            smaller(subject, definition.kind(), edits)
        });
        Some(list.collect())
    }
}

/// What makes a struct of an enum of which this is the only variant.
fn as_struct(definition: At, variant: At) -> Option<Vec<Edit>> {
    if variant.child(|kind| kind == Kind::Discriminant).is_some() {
        return None;
    }
    let name = definition.node.name.clone()?;
    let keyword = definition.words(&(definition.node.range.start..name.start));
    let (_, keyword) = keyword.into_iter().rfind(|(word, _)| *word == "enum")?;
    let open = behind_parameters(definition)?.start;
    let end = definition.node.range.end;
    let fields = fields_open(variant.source, variant.tree, variant.node);
    let mut edits = vec![definition.edit(keyword, "struct")];
    match fields {
        None => edits.push(definition.edit(open..end, ";")),
        Some(fields) => {
            let is_named = variant.source[fields..].starts_with('{');
            // A condition would have to stand behind these fields.
            if !is_named && definition.child(|kind| kind == Kind::Predicate).is_some() {
                return None;
            }
            edits.push(definition.edit(open..fields, ""));
            let close = if is_named { "" } else { ";" };
            edits.push(definition.edit(variant.node.range.end..end, close));
        }
    }
    Some(edits)
}

/// The brace in front of an enum's variants.
fn behind_parameters(definition: At) -> Option<Range<usize>> {
    let is_bound = |kind| matches!(kind, Kind::GenericParam | Kind::Predicate);
    let bounds = definition.children(is_bound);
    let name = definition.node.name.clone()?;
    let words = definition.words(&(name.end..definition.node.range.end));
    let mut behind = words
        .into_iter()
        .skip_while(|(_, at)| bounds.iter().any(|bound| at.start < bound.node.range.end));
    behind.find(|(word, _)| *word == "{").map(|(_, at)| at)
}

/// An enum and its only variant.
struct Names<'s> {
    of_enum: &'s str,
    of_variant: &'s str,
}

impl Names<'_> {
    /// What makes mentions of the variant those of the enum; `None` if it is imported, and so has another name.
    fn mentions(&self, subject: &Subject) -> Option<Vec<Edit>> {
        let imports = all(subject, |kind| kind == Kind::Item(ItemKind::Use));
        let opens = |import: &At| {
            let words = import.words(&import.range());
            let mut pairs = words.windows(2);
            pairs.any(|pair| pair[0].0 == self.of_enum && pair[1].0 == "::")
        };
        if imports.iter().any(opens) {
            return None;
        }
        let mut edits = Vec::new();
        for (file, version, tree) in subject.sources() {
            let places: Vec<Range<usize>> = tree.tokens().iter().map(|at| at.range()).collect();
            for path in places.windows(3) {
                let [owner, between, variant] = [0, 1, 2].map(|at| &path[at]);
                let words = [owner, between, variant].map(|at| &version.source()[at.clone()]);
                if words[1..] != ["::", self.of_variant] {
                    continue;
                }
                let is_own = words[0] == self.of_enum
                    || words[0] == "Self"
                        && at_place(subject, file, owner).and_then(owner_of) == Some(self.of_enum);
                if is_own {
                    edits.push(Edit::delete(file, between.start..variant.end));
                }
            }
        }
        Some(edits)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(each(&EnumsToStructs, text), expected, "{text}");
    }

    #[test]
    fn what_has_one_form_is_a_struct() {
        check(
            "pub enum E<'a> { A(&'a T), } fn f(e: E) -> E { match e { E::A(t) => E::A(t), } } impl E<'_> { fn g() { h(Self::A); m!(E::A); F::A; } }",
            &[
                "pub struct E<'a> (&'a T); fn f(e: E) -> E { match e { E(t) => E(t), } } impl E<'_> { fn g() { h(Self); m!(E); F::A; } }",
            ],
        );
        check(
            "enum E<T> where T: B { A { x: T } } fn f() { E::A { x: 1 } }",
            &["struct E<T> where T: B { x: T } fn f() { E { x: 1 } }"],
        );
        check(
            "#[derive(Default)] enum E { #[default] A } fn f() { E::A }",
            &["#[derive(Default)] struct E ; fn f() { E }"],
        );
    }

    #[test]
    fn what_has_more_than_a_struct_could_have_is_none() {
        check("enum E { A, B }", &[]);
        check("enum E { A = 3 }", &[]);
        check("enum E where T: B { A(T) }", &[]);
        check("enum E { A } use E::*; fn f() { A }", &[]);
    }
}
