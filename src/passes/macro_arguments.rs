//! Macros and their calls together: an argument goes from all matchers, with its variables from the
//! bodies, and from all calls; or it loses the brackets around it everywhere.

use std::ops::Range;

use super::Pass;
use super::macro_rules::{Piece, calls, definitions, pieces, variables};
use super::query::{At, all, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ItemKind, Kind};

/// The `n`th argument of a macro: gone in the first round, without its brackets in the second.
pub struct MacroArguments;

impl Pass for MacroArguments {
    fn name(&self) -> &'static str {
        "macro-arguments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let files: Vec<(At, Vec<Piece>)> = all(subject, |kind| kind == Kind::File)
            .into_iter()
            .filter_map(|file| Some((file, pieces(file.source, file.range())?)))
            .collect();
        let mut list = Vec::new();
        for definition in definitions(subject) {
            let here = definition.at;
            let matchers: Vec<Vec<Range<usize>>> = definition
                .rules
                .iter()
                .map(|rule| arguments(here.source, &rule.matcher))
                .collect();
            let most = matchers.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..most {
                let mut places: Vec<(At, Range<usize>)> = Vec::new();
                places.extend(
                    matchers
                        .iter()
                        .filter_map(|all| Some((here, all.get(at)?.clone()))),
                );
                for (file, all) in &files {
                    for call in calls(file.source, all, definition.name) {
                        if let Piece::Group { inner, .. } = call
                            && let Some(range) = arguments(file.source, inner).get(at)
                        {
                            places.push((*file, range.clone()));
                        }
                    }
                }
                let mut edits = Vec::new();
                if round == 1 {
                    let brackets = |(file, range): &(At, Range<usize>)| {
                        let text = &file.source[range.clone()];
                        let is_group =
                            text.starts_with(['[', '(', '{']) && text.ends_with([']', ')', '}']);
                        is_group.then(|| {
                            [
                                file.edit(range.start..range.start + 1, ""),
                                file.edit(range.end - 1..range.end, ""),
                            ]
                        })
                    };
                    let Some(all) = places.iter().map(brackets).collect::<Option<Vec<_>>>() else {
                        continue;
                    };
                    edits.extend(all.into_iter().flatten());
                } else {
                    edits.extend(
                        places
                            .iter()
                            .map(|(file, range)| file.edit(range.clone(), "")),
                    );
                    for (rule, all) in definition.rules.iter().zip(&matchers) {
                        let Some(gone) = all.get(at) else { continue };
                        let matcher = pieces(here.source, gone.clone()).unwrap_or_default();
                        let names = variables(here.source, &matcher).unwrap_or_default();
                        without(here, &rule.body, &names, &mut edits);
                    }
                }
                list.extend(smaller(subject, Kind::Item(ItemKind::MacroRules), edits));
            }
        }
        Some(list)
    }
}

/// The arguments of a matcher or a call: what stands between its commas or semicolons, with them; where
/// there are none, piece by piece, a variable or a repetition as one.
fn arguments(text: &str, all: &[Piece]) -> Vec<Range<usize>> {
    let word = |at: usize| all.get(at).map(|piece| &text[piece.range()]);
    let mut ranges: Vec<Range<usize>> = Vec::new();
    if (0..all.len()).any(|at| matches!(word(at), Some("," | ";"))) {
        let mut start = None;
        for (at, piece) in all.iter().enumerate() {
            let from = *start.get_or_insert(piece.range().start);
            if matches!(word(at), Some("," | ";")) || at + 1 == all.len() {
                ranges.push(from..piece.range().end);
                start = None;
            }
        }
        return ranges;
    }
    let mut at = 0;
    while at < all.len() {
        let length = match (word(at), all.get(at + 1)) {
            (Some("$"), Some(Piece::Group { .. })) => {
                let ends = |at: usize| matches!(word(at), Some("*" | "+" | "?"));
                if ends(at + 2) { 3 } else { 4 }
            }
            (Some("$"), Some(_)) => 4,
            _ => 1,
        };
        let end = (at + length).min(all.len());
        ranges.push(all[at].range().start..all[end - 1].range().end);
        at = end;
    }
    ranges
}

/// Deletions of the mentions of `names` in a body, and of the repetitions that were about them alone.
fn without(here: At, body: &[Piece], names: &[String], edits: &mut Vec<Edit>) {
    let text = here.source;
    let word = |at: usize| body.get(at).map(|piece| &text[piece.range()]);
    for (at, piece) in body.iter().enumerate() {
        let behind_dollar = at > 0 && word(at - 1) == Some("$");
        let from = body[at.saturating_sub(1)].range().start;
        match piece {
            Piece::Token { range, .. }
                if behind_dollar && names.iter().any(|name| *name == text[range.clone()]) =>
            {
                edits.push(here.edit(from..range.end, ""));
            }
            Piece::Group { inner, close, .. } => {
                let inside = super::macro_rules::body_variables(text, inner);
                let alone = !inside.is_empty() && inside.iter().all(|name| names.contains(name));
                if behind_dollar && alone {
                    let ends = |at: usize| matches!(word(at), Some("*" | "+" | "?"));
                    let last = if ends(at + 1) { at + 1 } else { at + 2 };
                    let end = body.get(last).map_or(close.end, |piece| piece.range().end);
                    edits.push(here.edit(from..end, ""));
                } else {
                    without(here, inner, names, edits);
                }
            }
            Piece::Token { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn an_argument_goes_with_its_variables_and_from_all_calls() {
        assert_eq!(
            each(
                &MacroArguments,
                "macro_rules! m { ($a:ident, $($b:ty),*) => { fn $a() -> ($($b,)*) {} }; } m!(f, u8);"
            )[0],
            "macro_rules! m { ( $($b:ty),*) => { fn () -> ($($b,)*) {} }; } m!( u8);"
        );
    }

    #[test]
    fn brackets_go_from_matchers_and_calls_together() {
        let all = each(
            &MacroArguments,
            "macro_rules! m { ([a $($t:tt)*] [$($o:tt)*]) => { m! { [$($t)*] [$($o)*] } }; ([] [$($o:tt)*]) => { $($o)* }; } m! { [a a] [u8] }",
        );
        assert_eq!(
            all.last().map(String::as_str),
            Some(
                "macro_rules! m { ([a $($t:tt)*] $($o:tt)*) => { m! { [$($t)*] $($o)* } }; ([] $($o:tt)*) => { $($o)* }; } m! { [a a] u8 }"
            )
        );
    }
}
