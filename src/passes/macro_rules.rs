//! `macro_rules!` as text: rules, calls, matching and transcription. Enough of the language for macros
//! that are written by hand; what it cannot match it leaves alone. Knows no element.

use std::collections::BTreeMap;
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

    fn is(&self, text: &str, wanted: &str) -> bool {
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

/// What a variable of a matcher stands for.
#[derive(Debug, Clone)]
enum Bound {
    One(String),
    Many(Vec<Bindings>),
}

type Bindings = BTreeMap<String, Bound>;

/// One part of a matcher or a body.
enum Part<'p> {
    Variable {
        name: String,
        fragment: String,
    },
    Repeated {
        inner: &'p [Piece],
        separator: Option<&'p Piece>,
        optional: bool,
    },
    Literal(&'p Piece),
}

/// `pieces` as parts; in a body variables have no fragment.
fn parts<'p>(text: &str, pieces: &'p [Piece], matcher: bool) -> Option<Vec<Part<'p>>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < pieces.len() {
        if !pieces[at].is(text, "$") {
            parts.push(Part::Literal(&pieces[at]));
            at += 1;
            continue;
        }
        match pieces.get(at + 1)? {
            Piece::Group { inner, .. } => {
                let is_operator =
                    |piece: &Piece| ["*", "+", "?"].iter().any(|sign| piece.is(text, sign));
                let next = pieces.get(at + 2)?;
                let (separator, operator, length) = match pieces.get(at + 3) {
                    Some(operator) if !is_operator(next) && is_operator(operator) => {
                        (Some(next), operator, 4)
                    }
                    _ if is_operator(next) => (None, next, 3),
                    _ => return None,
                };
                let optional = operator.is(text, "?");
                parts.push(Part::Repeated {
                    inner,
                    separator,
                    optional,
                });
                at += length;
            }
            name => {
                let name = text[name.range()].to_string();
                let fragment = if matcher {
                    let fragment = pieces
                        .get(at + 3)
                        .filter(|_| pieces[at + 2].is(text, ":"))?;
                    text[fragment.range()].to_string()
                } else {
                    String::new()
                };
                parts.push(Part::Variable { name, fragment });
                at += if matcher { 4 } else { 2 };
            }
        }
    }
    Some(parts)
}

/// What `rules` make of the call with `arguments`, all of it as text; `None` where no rule matches as
/// far as this module can tell.
pub(super) fn expansion(text: &str, rules: &[Rule], call: &str) -> Option<String> {
    let arguments = pieces(call, 0..call.len())?;
    rules.iter().find_map(|rule| {
        let mut found = Bindings::new();
        let rest = matched(text, &rule.matcher, call, &arguments, &mut found)?;
        if !rest.is_empty() {
            return None;
        }
        let mut result = String::new();
        transcribed(text, &rule.body, &found, &mut result)?;
        Some(result)
    })
}

/// Matches the start of `given`; what is left of it.
fn matched<'g>(
    text: &str,
    matcher: &[Piece],
    call: &str,
    mut given: &'g [Piece],
    found: &mut Bindings,
) -> Option<&'g [Piece]> {
    let parts = parts(text, matcher, true)?;
    for (at, part) in parts.iter().enumerate() {
        // What follows tells where an expression or a type ends.
        let next = parts[at + 1..].iter().find_map(|part| match part {
            Part::Literal(Piece::Token { range, .. }) => Some(&text[range.clone()]),
            Part::Repeated {
                separator: Some(separator),
                ..
            } => Some(&text[separator.range()]),
            _ => None,
        });
        match part {
            Part::Literal(Piece::Token { range, .. }) => {
                let (first, rest) = given.split_first()?;
                if !first.is(call, &text[range.clone()]) {
                    return None;
                }
                given = rest;
            }
            Part::Literal(Piece::Group { open, inner, .. }) => {
                let (
                    Piece::Group {
                        open: other,
                        inner: inside,
                        ..
                    },
                    rest,
                ) = given.split_first()?
                else {
                    return None;
                };
                if text[open.clone()] != call[other.clone()]
                    || !matched(text, inner, call, inside, found)?.is_empty()
                {
                    return None;
                }
                given = rest;
            }
            Part::Variable { name, fragment } => {
                let length = fragment_length(fragment, call, given, next)?;
                let value = match (given.first(), length) {
                    (_, 0) | (None, _) => String::new(),
                    (Some(first), length) => {
                        call[first.range().start..given[length - 1].range().end].to_string()
                    }
                };
                // An expression stays one, whatever it is put beside.
                let value = if fragment == "expr" && length > 1 {
                    format!("({value})")
                } else {
                    value
                };
                found.insert(name.clone(), Bound::One(value));
                given = &given[length..];
            }
            Part::Repeated {
                inner,
                separator,
                optional,
            } => {
                let mut turns = Vec::new();
                loop {
                    let mut rest = given;
                    if let (Some(separator), false) = (separator, turns.is_empty()) {
                        match rest.split_first() {
                            Some((first, after)) if first.is(call, &text[separator.range()]) => {
                                rest = after
                            }
                            _ => break,
                        }
                    }
                    // Without a separator, what comes behind the repetition ends it.
                    let ends = separator.is_none()
                        && next.is_some_and(|next| {
                            rest.first().is_some_and(|first| first.is(call, next))
                        });
                    let mut turn = Bindings::new();
                    match matched(text, inner, call, rest, &mut turn) {
                        Some(after) if after.len() < rest.len() && !ends => given = after,
                        _ => break,
                    }
                    turns.push(turn);
                    if *optional {
                        break;
                    }
                }
                for name in variables(text, inner)? {
                    found.insert(name, Bound::Many(turns.clone()));
                }
            }
        }
    }
    Some(given)
}

/// The names of the variables of a matcher.
pub(super) fn variables(text: &str, matcher: &[Piece]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for part in parts(text, matcher, true)? {
        match part {
            Part::Variable { name, .. } => names.push(name),
            Part::Repeated { inner, .. } => names.extend(variables(text, inner)?),
            Part::Literal(Piece::Group { inner, .. }) => names.extend(variables(text, inner)?),
            Part::Literal(_) => {}
        }
    }
    Some(names)
}

/// How many pieces at the start of `given` a fragment takes.
fn fragment_length(
    fragment: &str,
    call: &str,
    given: &[Piece],
    next: Option<&str>,
) -> Option<usize> {
    let parses = |length: usize| {
        let range = given[0].range().start..given[length - 1].range().end;
        is_fragment(fragment, &call[range])
    };
    match fragment {
        "tt" => given.first().map(|_| 1),
        "ident" => given
            .first()
            .filter(|piece| matches!(piece, Piece::Token { name: true, .. }))
            .map(|_| 1),
        "lifetime" => given
            .first()
            .filter(|piece| call[piece.range()].starts_with('\''))
            .map(|_| 1),
        "vis" => Some(
            (1..=given.len().min(2))
                .rev()
                .find(|length| parses(*length))
                .unwrap_or(0),
        ),
        _ => {
            // The longest that parses and after which what has to follow does follow.
            let fits = |length: &usize| {
                let follows = match (given.get(*length), next) {
                    (Some(piece), Some(next)) => piece.is(call, next),
                    _ => true,
                };
                follows && parses(*length)
            };
            (1..=given.len()).rev().find(fits)
        }
    }
}

fn is_fragment(fragment: &str, text: &str) -> bool {
    let found = match fragment {
        "expr" | "expr_2021" => syn::parse_str::<syn::Expr>(text).is_ok(),
        "ty" => syn::parse_str::<syn::Type>(text).is_ok(),
        "path" => syn::parse_str::<syn::Path>(text).is_ok(),
        "literal" => syn::parse_str::<syn::Lit>(text).is_ok(),
        "item" => syn::parse_str::<syn::Item>(text).is_ok(),
        "block" => syn::parse_str::<syn::Block>(text).is_ok(),
        "meta" => syn::parse_str::<syn::Meta>(text).is_ok(),
        "vis" => syn::parse_str::<syn::Visibility>(text).is_ok(),
        "pat" | "pat_param" => {
            use syn::parse::Parser;
            syn::Pat::parse_multi.parse_str(text).is_ok()
        }
        "stmt" => {
            use syn::parse::Parser;
            syn::Block::parse_within
                .parse_str(text)
                .is_ok_and(|found| found.len() == 1)
        }
        _ => false,
    };
    proc_macro2::extra::invalidate_current_thread_spans();
    found
}

/// Writes a body with the values of its variables.
fn transcribed(text: &str, body: &[Piece], found: &Bindings, result: &mut String) -> Option<()> {
    let mut written = |word: &str| {
        if !word.is_empty() {
            result.push_str(word);
            result.push(' ');
        }
    };
    for part in parts(text, body, false)? {
        let mut inner_text = String::new();
        match part {
            Part::Variable { name, .. } if name == "crate" => written("crate"),
            Part::Variable { name, .. } => match found.get(&name)? {
                Bound::One(value) => written(value),
                Bound::Many(_) => return None,
            },
            Part::Literal(Piece::Token { range, .. }) => written(&text[range.clone()]),
            Part::Literal(Piece::Group { open, close, inner }) => {
                transcribed(text, inner, found, &mut inner_text)?;
                written(&text[open.clone()]);
                written(inner_text.trim_end());
                written(&text[close.clone()]);
            }
            Part::Repeated {
                inner, separator, ..
            } => {
                let turns = body_variables(text, inner)
                    .into_iter()
                    .find_map(|name| match found.get(&name) {
                        Some(Bound::Many(turns)) => Some(turns),
                        _ => None,
                    })?;
                for (at, turn) in turns.iter().enumerate() {
                    if let (Some(separator), true) = (separator, at > 0) {
                        inner_text.push_str(&text[separator.range()]);
                        inner_text.push(' ');
                    }
                    let mut all = found.clone();
                    all.extend(turn.clone());
                    transcribed(text, inner, &all, &mut inner_text)?;
                }
                written(inner_text.trim_end());
            }
        }
    }
    Some(())
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

    fn expanded(rules: &str, call: &str) -> Option<String> {
        let source = format!("macro_rules! m {{ {rules} }}");
        let subject = Subject::new([("a.rs".into(), source.into_bytes())]);
        let all = definitions(&subject);
        let found = all.first().expect("a macro");
        expansion(found.at.source, &found.rules, call)
    }

    #[test]
    fn the_first_rule_that_matches_is_written_out() {
        let rules = "(a $x:ident) => { fn $x() {} }; ($x:expr, $t:ty) => { $x as $t };";
        assert_eq!(expanded(rules, "a f").as_deref(), Some("fn f ( ) { } "));
        assert_eq!(
            expanded(rules, "1 + 2, Vec<(u8, u16)>").as_deref(),
            Some("(1 + 2) as Vec<(u8, u16)> ")
        );
        assert_eq!(expanded(rules, "b"), None);
    }

    #[test]
    fn repetitions_are_written_as_often_as_they_matched() {
        let rules = "($($k:ident = $v:expr),* $(,)?; [$($t:tt)*]) => { $(let $k = $v;)* f($($k),*) $($t)* };";
        assert_eq!(
            expanded(rules, "a = 1, b = g(2),; [x . y]").as_deref(),
            Some("let a = 1 ; let b = (g(2)) ; f ( a , b ) x . y ")
        );
    }
}
