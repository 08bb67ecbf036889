//! Paths said shorter: `a::b::C` → `C`, `use a::{B, C};` → `use a::*;`, and a path in the place of the
//! only use of what a `use` item imports.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Pass;
use super::query::{At, all, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{ItemKind, Kind};

/// `a::b::C` → `C` where nothing is imported, the whole prefix in the first round and the first part
/// of it in the second.
pub struct Prefixes;

/// `use a::{B, C};` → `use a::*;`
pub struct Globs;

/// `use a::B;` goes and its only mention becomes `a::B`.
pub struct InlineUses;

impl Pass for Prefixes {
    fn name(&self) -> &'static str {
        "path-prefixes"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let known = known(subject);
        let mut list = Vec::new();
        for file in all(subject, |kind| kind == Kind::File) {
            let tokens = file.tree.tokens_in(&file.range());
            let word = |at: usize| tokens.get(at).map(|token| &file.source[token.range()]);
            let is_name = |at: usize| {
                tokens
                    .get(at)
                    .is_some_and(|token| token.kind == TokenKind::Ident)
            };
            let mut at = 0;
            while at < tokens.len() {
                let start = at;
                let mut end = at;
                while is_name(end) && word(end + 1) == Some("::") && is_name(end + 2) {
                    end += 2;
                }
                at = end + 1;
                // What an associated item is reached through is no mere prefix.
                let through =
                    word(start) == Some("Self") || start > 0 && word(start - 1) == Some("::");
                let stop = if round == 0 { end } else { start + 2 };
                let shorter = end > start && (round == 0 || end > start + 2);
                if !shorter || through || !word(stop).is_some_and(|word| known.contains(word)) {
                    continue;
                }
                let range = tokens[start].range().start..tokens[stop].range().start;
                if !inside_use(file, &range) {
                    list.extend(smaller(subject, Kind::UseTree, vec![file.edit(range, "")]));
                }
            }
        }
        Some(list)
    }
}

/// The names that a path may start with: those of the prelude, of items and of imports.
fn known(subject: &Subject) -> BTreeSet<&str> {
    let mut known: BTreeSet<&str> = PRELUDE.into_iter().collect();
    for at in all(subject, |kind| matches!(kind, Kind::Item(_) | Kind::Rename)) {
        match at.kind() {
            Kind::Item(ItemKind::Use) | Kind::Rename => {
                known.extend(at.tree.identifiers(at.source, &at.range()));
            }
            _ => known.extend(at.name()),
        }
    }
    known
}

/// What needs no import, as far as people write paths to it.
const PRELUDE: [&str; 29] = [
    "AsMut",
    "AsRef",
    "Box",
    "Clone",
    "Copy",
    "Default",
    "DoubleEndedIterator",
    "Drop",
    "Eq",
    "ExactSizeIterator",
    "Extend",
    "Fn",
    "FnMut",
    "FnOnce",
    "From",
    "FromIterator",
    "Into",
    "IntoIterator",
    "Iterator",
    "Option",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Result",
    "Send",
    "Sized",
    "String",
    "Sync",
    "Vec",
];

fn inside_use(file: At, range: &Range<usize>) -> bool {
    file.tree.innermost(range).is_some_and(|id| {
        let here = At {
            id,
            node: file.tree.node(id),
            ..file
        };
        let is_use = |at: At| {
            matches!(
                at.kind(),
                Kind::Item(ItemKind::Use) | Kind::UseTree | Kind::Visibility
            )
        };
        is_use(here) || here.ancestors().any(is_use)
    })
}

impl Pass for Globs {
    fn name(&self) -> &'static str {
        "uses-to-globs"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let uses = all(subject, |kind| kind == Kind::Item(ItemKind::Use)).into_iter();
        let list = uses.filter_map(|item| {
            let words = item.words(&item.range());
            let open = words.iter().find(|(word, _)| *word == "{")?;
            let close = words.iter().rfind(|(word, _)| *word == "}")?;
            smaller(
                subject,
                item.kind(),
                vec![item.edit(open.1.start..close.1.end, "*")],
            )
        });
        Some(list.collect())
    }
}

impl Pass for InlineUses {
    fn name(&self) -> &'static str {
        "inline-uses"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let uses = all(subject, |kind| kind == Kind::Item(ItemKind::Use)).into_iter();
        let list = uses.filter_map(|item| {
            if item
                .child(|kind| matches!(kind, Kind::UseTree | Kind::Rename))
                .is_some()
            {
                return None;
            }
            let words = item.words(&item.range());
            let from = words.iter().position(|(word, _)| *word == "use")? + 1;
            let path = &item.source[words.get(from)?.1.start..words.last()?.1.start];
            let (name, _) = words.get(words.len().checked_sub(2)?)?;
            let scope = item.ancestors().last()?;
            let mut mentions = scope.mentions(name, &scope.range());
            mentions.retain(|at| !item.holds(at));
            let [only] = &mentions[..] else { return None };
            let here = scope.tree.node(scope.tree.innermost(only)?).kind;
            let takes_a_path = matches!(
                here,
                Kind::Type(_) | Kind::Expr(_) | Kind::Pat(_) | Kind::Bound | Kind::TraitRef
            );
            if !takes_a_path {
                return None;
            }
            smaller(
                subject,
                item.kind(),
                vec![item.cut(), scope.edit(only.clone(), path.trim_end())],
            )
        });
        Some(list.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn prefixes_go_from_paths_to_what_is_known_and_not_from_imports() {
        assert_eq!(
            each(
                &Prefixes,
                "use a::b::C; mod m { struct D; } fn f(x: crate::m::D, y: std::vec::Vec<u8>, z: a::b::E) -> Self::D { a::f() }"
            ),
            [
                "use a::b::C; mod m { struct D; } fn f(x: D, y: std::vec::Vec<u8>, z: a::b::E) -> Self::D { a::f() }",
                "use a::b::C; mod m { struct D; } fn f(x: crate::m::D, y: Vec<u8>, z: a::b::E) -> Self::D { a::f() }",
                "use a::b::C; mod m { struct D; } fn f(x: crate::m::D, y: std::vec::Vec<u8>, z: a::b::E) -> Self::D { f() }",
                "use a::b::C; mod m { struct D; } fn f(x: m::D, y: std::vec::Vec<u8>, z: a::b::E) -> Self::D { a::f() }",
                "use a::b::C; mod m { struct D; } fn f(x: crate::m::D, y: std::vec::Vec<u8>, z: b::E) -> Self::D { a::f() }",
            ]
        );
    }

    #[test]
    fn groups_of_imports_become_globs() {
        assert_eq!(
            each(&Globs, "use a::{b::{C, D}, E}; use a::F;"),
            ["use a::*; use a::F;"]
        );
    }

    #[test]
    fn an_import_with_one_mention_becomes_its_path() {
        assert_eq!(
            each(
                &InlineUses,
                "pub use a::B; use c::D; use e::F as G; fn f(x: B) -> B { D }"
            ),
            ["pub use a::B; use e::F as G; fn f(x: B) -> B { c::D }"]
        );
    }
}
