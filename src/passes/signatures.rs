//! Functions that are only there for the type that they return, by an impl of that type; in the
//! bodies of macros too, which no parser reads.

use std::ops::Range;

use super::Pass;
use super::macro_rules::{Piece, pieces};
use super::query::{At, all, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// `fn f<T>() -> S<T> { … }` → `impl<T> S<T> {}`
pub struct FunctionsToImpls;

impl Pass for FunctionsToImpls {
    fn name(&self) -> &'static str {
        "functions-to-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for file in all(subject, |kind| kind == Kind::File) {
            let all = pieces(file.source, file.range()).unwrap_or_default();
            let mut found = Vec::new();
            functions(file, &all, &mut found);
            let kind = Kind::Item(ItemKind::Fn);
            list.extend(
                found
                    .into_iter()
                    .filter_map(|edits| smaller(subject, kind, edits)),
            );
        }
        Some(list)
    }
}

/// The edits for each function without parameters that returns something.
fn functions(file: At, all: &[Piece], found: &mut Vec<Vec<Edit>>) {
    let word = |at: usize| all.get(at).map_or("", |piece| &file.source[piece.range()]);
    for (at, piece) in all.iter().enumerate() {
        if let Piece::Group { inner, .. } = piece {
            functions(file, inner, found);
        }
        let is_empty =
            |piece: &Piece| matches!(piece, Piece::Group { inner, .. } if inner.is_empty());
        // From the parameters on backwards: generics stand between them and the name.
        if !(is_empty(piece) && word(at).starts_with('(') && word(at + 1) == "->") {
            continue;
        }
        let Some(start) = (0..at)
            .rev()
            .take_while(|at| word(*at) != ";" && !word(*at).starts_with('{'))
            .find(|at| word(*at) == "fn")
        else {
            continue;
        };
        let Some(body) = all[at..].iter().find(
            |piece| matches!(piece, Piece::Group { open, .. } if &file.source[open.clone()] == "{"),
        ) else {
            continue;
        };
        let keyword = all[start].range();
        let named = start + 1 < at && matches!(all[start + 1], Piece::Token { name: true, .. });
        if !named || !is_free(file, &keyword) {
            continue;
        }
        let (name, after) = (all[start + 1].range(), all[at + 1].range().end);
        // An impl is neither public nor unsafe as a function is.
        let words = (0..start).rev().take_while(|at| is_modifier(word(*at)));
        let from = words.last().unwrap_or(start);
        found.push(vec![
            file.edit(all[from].range().start..name.end, "impl"),
            file.edit(piece.range().start..after, ""),
            file.edit(body.range(), "{}"),
        ]);
    }
}

fn is_modifier(word: &str) -> bool {
    let known = ["pub", "const", "async", "unsafe", "extern", "default"];
    known.contains(&word) || word.starts_with('"') || word.starts_with('(')
}

/// Whether the `fn` at `keyword` begins an item or stands in the rules of a macro.
fn is_free(file: At, keyword: &Range<usize>) -> bool {
    let Some(id) = file.tree.innermost(keyword) else {
        return false;
    };
    let mut outer = file
        .tree
        .ancestors(id)
        .map(|outer| file.tree.node(outer).kind);
    file.tree.node(id).kind == Kind::Item(ItemKind::Fn)
        || outer.any(|kind| kind == Kind::Item(ItemKind::MacroRules))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_function_for_its_type_becomes_an_impl() {
        assert_eq!(
            each(
                &FunctionsToImpls,
                "pub const fn f<T: A>() -> S<T> { S(1) } fn g(x: u8) -> u8 { 1 } fn h() {}"
            ),
            ["impl<T: A> S<T> {} fn g(x: u8) -> u8 { 1 } fn h() {}"]
        );
        assert_eq!(
            each(
                &FunctionsToImpls,
                "macro_rules! m { ($($t:tt)*) => { fn f() -> $($t)* {} }; }"
            ),
            ["macro_rules! m { ($($t:tt)*) => { impl $($t)* {} }; }"]
        );
    }
}
