//! `macro_rules!` as text: rules, calls, and the names of variables. Knows no element.

use std::ops::Range;

use super::query::{At, all};
use crate::subject::Subject;
use crate::syntax::lexer::{self, TokenKind};
use crate::syntax::{ItemKind, Kind, StmtKind};

/// A token, or a delimited group with what is in it.
#[derive(Debug, Clone)]
pub(super) enum Piece {
    Token {
        range: Range<usize>,
        name: bool,
    },
    Group {
        open: Range<usize>,
        close: Range<usize>,
        inner: Vec<Piece>,
    },
}

impl Piece {
    pub fn range(&self) -> Range<usize> {
        match self {
            Piece::Token { range, .. } => range.clone(),
            Piece::Group { open, close, .. } => open.start..close.end,
        }
    }

    /// What stands between its brackets, if it is a group.
    pub fn between(&self) -> Option<Range<usize>> {
        match self {
            Piece::Token { .. } => None,
            Piece::Group { open, close, .. } => Some(open.end..close.start),
        }
    }

    pub fn is(&self, text: &str, wanted: &str) -> bool {
        matches!(self, Piece::Token { range, .. } if &text[range.clone()] == wanted)
    }
}

/// The pieces of `range` of `text`; `None` where brackets do not match.
pub(super) fn pieces(text: &str, range: Range<usize>) -> Option<Vec<Piece>> {
    let mut open: Vec<(Range<usize>, Vec<Piece>)> = Vec::new();
    let mut here = Vec::new();
    for token in lexer::tokens(&text[range.clone()]) {
        let at = token.range().start + range.start..token.range().end + range.start;
        match &text[at.clone()] {
            "(" | "[" | "{" => open.push((at, std::mem::take(&mut here))),
            ")" | "]" | "}" => {
                let (start, before) = open.pop()?;
                let inner = std::mem::replace(&mut here, before);
                here.push(Piece::Group {
                    open: start,
                    close: at,
                    inner,
                });
            }
            _ => here.push(Piece::Token {
                range: at,
                name: token.kind == TokenKind::Ident,
            }),
        }
    }
    open.is_empty().then_some(here)
}

/// One `(matcher) => {body}`.
#[derive(Debug)]
pub(super) struct Rule {
    pub matcher: Vec<Piece>,
    pub body: Vec<Piece>,
}

/// A `macro_rules!` item.
pub(super) struct Definition<'s> {
    pub at: At<'s>,
    pub name: &'s str,
    pub rules: Vec<Rule>,
}

/// The macros that `subject` defines.
pub(super) fn definitions(subject: &Subject) -> Vec<Definition<'_>> {
    let is_macro = |kind| {
        matches!(
            kind,
            Kind::Item(ItemKind::MacroRules) | Kind::Stmt(StmtKind::Macro)
        )
    };
    all(subject, is_macro)
        .into_iter()
        .filter_map(definition)
        .collect()
}

fn definition(at: At<'_>) -> Option<Definition<'_>> {
    let all = pieces(at.source, at.range())?;
    let start = all
        .iter()
        .position(|piece| piece.is(at.source, "macro_rules"))?;
    let [
        Piece::Token { range: name, .. },
        Piece::Group { inner, .. },
        ..,
    ] = all.get(start + 2..)?
    else {
        return None;
    };
    let mut rules = Vec::new();
    let mut rest = &inner[..];
    while let [
        Piece::Group { inner: matcher, .. },
        arrow,
        Piece::Group { inner: body, .. },
        after @ ..,
    ] = rest
    {
        if !arrow.is(at.source, "=>") {
            return None;
        }
        rules.push(Rule {
            matcher: matcher.clone(),
            body: body.clone(),
        });
        rest = match after {
            [semicolon, after @ ..] if semicolon.is(at.source, ";") => after,
            after => after,
        };
    }
    rest.is_empty().then_some(Definition {
        at,
        name: &at.source[name.clone()],
        rules,
    })
}

/// The arguments of all calls of the macro `name` in `pieces`, at any depth.
pub(super) fn calls<'p>(text: &str, pieces: &'p [Piece], name: &str) -> Vec<&'p Piece> {
    let mut found = Vec::new();
    for (at, piece) in pieces.iter().enumerate() {
        if piece.is(text, name)
            && pieces.get(at + 1).is_some_and(|bang| bang.is(text, "!"))
            && let Some(group @ Piece::Group { .. }) = pieces.get(at + 2)
        {
            found.push(group);
        }
        if let Piece::Group { inner, .. } = piece {
            found.extend(calls(text, inner, name));
        }
    }
    found
}

/// The names of the variables of a matcher.
pub(super) fn variables(text: &str, matcher: &[Piece]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = matcher;
    while let [first, after @ ..] = rest {
        rest = after;
        match first {
            Piece::Group { inner, .. } => names.extend(variables(text, inner)?),
            dollar if dollar.is(text, "$") => match after {
                // `$(…)*`, with a separator or without: no variable stands behind the brackets.
                [Piece::Group { .. }, ..] => {}
                [name, colon, _, after @ ..] if colon.is(text, ":") => {
                    names.push(text[name.range()].to_string());
                    rest = after;
                }
                _ => return None,
            },
            Piece::Token { .. } => {}
        }
    }
    Some(names)
}

/// The names behind a `$` in a body, at any depth.
pub(super) fn body_variables(text: &str, body: &[Piece]) -> Vec<String> {
    let mut names = Vec::new();
    for (at, piece) in body.iter().enumerate() {
        match piece {
            Piece::Group { inner, .. } => names.extend(body_variables(text, inner)),
            Piece::Token { range, .. } if at > 0 && body[at - 1].is(text, "$") => {
                names.push(text[range.clone()].to_string());
            }
            Piece::Token { .. } => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_found_in_brackets_and_in_repetitions() {
        let text = "a $x:ident [$y:ty] $($k:tt = $($v:expr),+);* $w:vis";
        let found = pieces(text, 0..text.len()).expect("brackets match");
        let found = variables(text, &found).expect("all have a fragment");
        assert_eq!(found, ["x", "y", "k", "v", "w"]);
        let without = pieces("$x", 0..2).expect("brackets match");
        assert_eq!(variables("$x", &without), None);
    }
}
