//! Imports said shorter: `use a::{B, C};` → `use a::*;`, and a path in the place of the only use of what
//! a `use` item imports. And paths, where what they lead to is in scope without them, or in a crate that need not be declared.

use super::Pass;
use super::query::{At, all, smaller};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, TypeKind};

/// `use a::{B, C};` → `use a::*;`
pub struct Globs;

/// `use a::B;` goes and its only mention becomes `a::B`.
pub struct InlineUses;

/// `crate::a::B::c` → `B::c`
pub struct ShortPaths;

/// `extern crate alloc;` goes, and `alloc::rc::Rc` becomes `std::rc::Rc`: `std` has all that `core` and `alloc` have.
pub struct Standard;

/// The crates that `std` stands for as well.
const BELOW_STD: [&str; 2] = ["alloc", "core"];

impl Pass for Standard {
    fn name(&self) -> &'static str {
        "paths-to-std"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let items = all(subject, |kind| {
            matches!(kind, Kind::Item(ItemKind::ExternCrate | ItemKind::Use))
        });
        let list = BELOW_STD.into_iter().filter_map(|name| {
            let brings = |at: &&At, words: &[&str]| {
                let own = at.words(&at.range());
                let own: Vec<&str> = own.into_iter().map(|(word, _)| word).collect();
                own.ends_with(words)
            };
            let declares = |at: &&At| brings(at, &["extern", "crate", name, ";"]);
            let imports = |at: &&At| brings(at, &["use", name, ";"]);
            if !items.iter().any(|at| declares(&at)) {
                return None;
            }
            let gone = items.iter().filter(|at| declares(at) || imports(at));
            let mut edits: Vec<Edit> = gone.map(|at| at.cut()).collect();
            edits.extend(beginnings(subject, name));
            smaller(subject, Kind::Item(ItemKind::ExternCrate), edits)
        });
        Some(list.collect())
    }
}

/// `std` in the place of `name` where a path begins with it.
fn beginnings(subject: &Subject, name: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (file, version, tree) in subject.sources() {
        let (source, tokens) = (version.source(), tree.tokens());
        let word = |at: usize| tokens.get(at).map_or("", |token| &source[token.range()]);
        for (at, token) in tokens.iter().enumerate() {
            if word(at) == name
                && word(at + 1) == "::"
                && (at == 0 || word(at - 1) != ".")
                && !tree.goes_on_with_a_path(source, at)
            {
                edits.push(Edit::replace(file, token.range(), "std"));
            }
        }
    }
    edits
}

impl Pass for ShortPaths {
    fn name(&self) -> &'static str {
        "short-paths"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let paths = |kind| {
            matches!(
                kind,
                Kind::Type(TypeKind::Path)
                    | Kind::Expr(ExprKind::Path)
                    | Kind::Bound
                    | Kind::TraitRef
            )
        };
        let list = all(subject, paths).into_iter().filter_map(|at| {
            let words = at.words(&at.range());
            let (first, start) = words.first()?;
            if !matches!(*first, "crate" | "self" | "super") {
                return None;
            }
            let segments = words.chunks(2).map_while(|pair| match pair {
                [name, (sign, _)] if *sign == "::" => Some((name, true)),
                [name, ..] => Some((name, false)),
                [] => None,
            });
            let mut last = None;
            for (name, goes_on) in segments {
                last = Some(&name.1);
                // What is behind a type is a part of it.
                if !goes_on || name.0.starts_with(char::is_uppercase) {
                    break;
                }
            }
            let before = start.start..last?.start;
            (!before.is_empty())
                .then(|| Element::new(subject, Kind::Segment, vec![at.edit(before, "")]))
        });
        Some(list.collect())
    }
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
    fn what_std_has_need_not_be_declared() {
        assert_eq!(
            each(
                &Standard,
                "#[macro_use] extern crate alloc; extern crate core as c; use alloc::vec; \
                 mod m { use alloc; pub use ::alloc::rc::{self, Rc}; type A<T> = (T, m::alloc::B, alloc::C); impl A for ::alloc::D {} } \
                 fn f() { alloc(x.alloc::<u8>(), <T>::alloc::D); core::mem::take(y) }",
            ),
            ["extern crate core as c; use std::vec; \
                 mod m { pub use ::std::rc::{self, Rc}; type A<T> = (T, m::alloc::B, std::C); impl A for ::std::D {} } \
                 fn f() { alloc(x.alloc::<u8>(), <T>::alloc::D); core::mem::take(y) }",]
        );
        // What is in scope without being declared costs no more than `std` does.
        assert!(each(&Standard, "use core::mem; fn f() { core::mem::take(y) }").is_empty());
        assert!(each(&Standard, "mod alloc { pub fn f() {} } use alloc::f;").is_empty());
    }

    #[test]
    fn paths_begin_with_what_they_lead_to() {
        let text = "impl crate::a::T for super::S<crate::B> { fn f(x: a::C) { self::g(); crate::a::D::<u8>::new(); self.h } }";
        assert_eq!(
            each(&ShortPaths, text),
            [
                "impl T for super::S<crate::B> { fn f(x: a::C) { self::g(); crate::a::D::<u8>::new(); self.h } }",
                "impl crate::a::T for S<crate::B> { fn f(x: a::C) { self::g(); crate::a::D::<u8>::new(); self.h } }",
                "impl crate::a::T for super::S<B> { fn f(x: a::C) { self::g(); crate::a::D::<u8>::new(); self.h } }",
                "impl crate::a::T for super::S<crate::B> { fn f(x: a::C) { g(); crate::a::D::<u8>::new(); self.h } }",
                "impl crate::a::T for super::S<crate::B> { fn f(x: a::C) { self::g(); D::<u8>::new(); self.h } }",
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
