//! What stands in the bodies of `macro_rules!`, taken apart like items and statements: no parser sees these, since what a
//! variable stands for is not known.

use std::ops::Range;

use super::Pass;
use super::macro_rules::{Piece, definitions};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, Kind};

/// What ends like an item or a statement in the body of a macro: at a semicolon, or at a brace behind which nothing goes on.
/// Those inside others are searched in later rounds.
pub struct MacroItems;

/// Tokens that a part has to have: a smaller one is left to the passes over tokens.
const SMALLEST: i64 = 4;

impl Pass for MacroItems {
    fn name(&self) -> &'static str {
        "macro-items"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let mut list = Vec::new();
        let mut deeper = false;
        for macro_rules in definitions(subject) {
            let at = &macro_rules.at;
            for rule in &macro_rules.rules {
                for part in parts(at.source, &rule.body, round, &mut deeper) {
                    let edit = Edit::delete(at.file, part);
                    let element = Element::new(subject, Kind::Segment, vec![edit]);
                    if element.saves >= SMALLEST {
                        list.push(element);
                    }
                }
            }
        }
        (deeper || !list.is_empty()).then_some(list)
    }
}

/// The parts of `pieces` that lie `depth` groups deep in it; `deeper` is set if there are groups at that depth.
fn parts(text: &str, pieces: &[Piece], depth: usize, deeper: &mut bool) -> Vec<Range<usize>> {
    if depth > 0 {
        let groups = pieces.iter().filter_map(|piece| match piece {
            Piece::Group { inner, .. } => Some(inner),
            Piece::Token { .. } => None,
        });
        return groups
            .flat_map(|inner| parts(text, inner, depth - 1, deeper))
            .collect();
    }
    *deeper |= pieces
        .iter()
        .any(|piece| matches!(piece, Piece::Group { .. }));
    let word = |at: usize| pieces.get(at).map_or("", |piece| &text[piece.range()]);
    let mut found = Vec::new();
    let mut start = 0;
    for at in 0..pieces.len() {
        let next = word(at + 1);
        let ends = match &pieces[at] {
            Piece::Token { .. } => word(at) == ";",
            Piece::Group { .. } if word(at).starts_with('{') => {
                !matches!(next, ";" | "else" | "." | "?" | "," | "=>" | ")")
            }
            Piece::Group { .. } => false,
        };
        // `$( … )*` is a part of its own.
        let repeats = at >= 2
            && word(at - 2) == "$"
            && matches!(word(at), "*" | "+" | "?")
            && matches!(pieces[at - 1], Piece::Group { .. });
        if ends || repeats {
            found.push(pieces[start].range().start..pieces[at].range().end);
            start = at + 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::MacroItems;
    use crate::passes::testing::each;

    #[test]
    fn items_in_a_macro_go_one_by_one_and_then_what_is_in_them() {
        let text = "macro_rules! m { ($n:ident) => { use a::{b, c}; impl $n { fn f() { g(1); } const C: u8 = 1; } $( fn $x() {} )* } }";
        let left = each(&MacroItems, text);
        let gone = |part: &str| {
            text.replace(part, "")
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(
            left,
            [
                gone("use a::{b, c};"),
                gone("impl $n { fn f() { g(1); } const C: u8 = 1; }"),
                gone("$( fn $x() {} )*"),
                gone("fn f() { g(1); }"),
                gone("const C: u8 = 1;"),
                gone("fn $x() {}"),
                gone("g(1);"),
            ]
        );
    }

    #[test]
    fn what_goes_on_behind_a_brace_is_one_part() {
        let text = "macro_rules! m { () => { if a { b } else { c } let d = E { f: 1 }; match g { H => {} }.i() } }";
        let left = each(&MacroItems, text);
        let gone = ["else", "let d", "H =>"];
        assert_eq!(left.len(), gone.len());
        for (left, gone) in left.iter().zip(gone) {
            assert!(!left.contains(gone), "{left}");
        }
    }
}
