//! Syntax that the parser does not know, blanked so that it knows the rest: `use || {}` becomes a closure
//! without its modifier. Knows where the parser stopped and tokens, nothing of what they mean.

use std::ops::Range;

use super::lexer::{self, Token, TokenKind};

/// Places of one file at which something may be blanked; behind that, it is more than new syntax.
const PLACES: usize = 8;

/// Tokens of a group that may be blanked as one.
const IN_GROUP: usize = 6;

/// A file that parses without a few of its tokens.
pub(super) struct Repaired {
    /// Its syntax; ranges are those of the text with all tokens in it.
    pub(super) file: syn::File,
    /// Where it is blanked: runs of tokens, in order.
    pub(super) blanked: Vec<Range<usize>>,
}

impl Repaired {
    /// The tokens of `text`, the whole of it, that are blanked, sorted.
    pub(super) fn words(&self, text: &str) -> Vec<String> {
        let runs = self.blanked.iter();
        let mut words: Vec<String> = runs
            .flat_map(|range| {
                lexer::tokens(&text[range.clone()])
                    .into_iter()
                    .map(|token| text[range.clone()][token.range()].to_string())
            })
            .collect();
        words.sort();
        words
    }
}

/// `text` parsed without as few tokens as it takes; `None` if that are too many.
pub(super) fn repaired(text: &str) -> Option<Repaired> {
    let tokens = lexer::tokens(text);
    let mut left = text.to_string();
    let mut blanked: Vec<Range<usize>> = Vec::new();
    let mut error = syn::parse_file(&left).err()?;
    for _ in 0..PLACES {
        let at = error.span().byte_range().start;
        let mut next: Option<(usize, Range<usize>, String, syn::Error)> = None;
        for range in candidates(&left, &tokens, at) {
            let candidate = blank(&left, &range);
            match syn::parse_file(&candidate) {
                Ok(file) => {
                    blanked.push(range);
                    return Some(Repaired {
                        file,
                        blanked: joined(text, &tokens, blanked),
                    });
                }
                // Further than before: the rest is a matter of another place.
                Err(further) => {
                    let reached = further.span().byte_range().start;
                    let best = next.as_ref().map_or(at, |(best, ..)| *best);
                    if reached > best {
                        next = Some((reached, range, candidate, further));
                    }
                }
            }
        }
        let (_, range, candidate, further) = next?;
        blanked.push(range);
        (left, error) = (candidate, further);
    }
    None
}

/// `ranges` in order, those that are next to each other as one.
fn joined(text: &str, tokens: &[Token], mut ranges: Vec<Range<usize>>) -> Vec<Range<usize>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        let between = |last: &Range<usize>| {
            let gap = last.end..range.start.max(last.end);
            !tokens.iter().any(|token| {
                gap.start <= token.start as usize
                    && (token.end as usize) <= gap.end
                    && !text[token.range()].trim().is_empty()
            })
        };
        match joined.last_mut() {
            Some(last) if between(last) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// What may be blanked for an error at `at`: the token there, the one in front of it, both; a small group; what stands in
/// front of the block that the error is in.
fn candidates(left: &str, tokens: &[Token], at: usize) -> Vec<Range<usize>> {
    let still: Vec<&Token> = tokens
        .iter()
        .filter(|token| !left[token.range()].trim().is_empty())
        .collect();
    let here = still.partition_point(|token| token.end as usize <= at);
    let word = |at: Option<usize>| at.and_then(|at| still.get(at)).map(|token| token.range());
    // New syntax is made of words and signs; a value where none may stand is a mistake. Without its partner a bracket
    // breaks more than it mends.
    let may_go = |at: &usize| {
        still.get(*at).is_some_and(|token| {
            token.kind != TokenKind::Literal
                && !matches!(&left[token.range()], "(" | ")" | "[" | "]" | "{" | "}")
        })
    };
    let places = [Some(here), here.checked_sub(1)];
    let single: Vec<usize> = places.into_iter().flatten().filter(may_go).collect();
    let mut found: Vec<Range<usize>> = single.iter().filter_map(|at| word(Some(*at))).collect();
    if let [second, first] = single[..]
        && let (Some(first), Some(second)) = (word(Some(first)), word(Some(second)))
    {
        found.push(first.start..second.end);
    }
    let text_at = |at: usize| still.get(at).map_or("", |token| &left[token.range()]);
    // `method(..)`
    for open in places
        .into_iter()
        .flatten()
        .filter(|at| text_at(*at) == "(")
    {
        let close = (open..open + IN_GROUP).find(|at| text_at(*at) == ")");
        let is_sign = |at: usize| {
            still
                .get(at)
                .is_some_and(|token| token.kind == TokenKind::Punct)
        };
        let close = close.filter(|close| (open..*close).all(is_sign));
        if let (Some(from), Some(to)) = (word(Some(open)), word(close)) {
            found.push(from.start..to.end);
        }
    }
    // `gen { f() }` looks like a struct until its second token.
    let opening = (here.saturating_sub(3)..here)
        .rev()
        .find(|at| text_at(*at) == "{");
    let in_front = opening.and_then(|open| open.checked_sub(1)).filter(may_go);
    let in_front = in_front.filter(|at| text_at(*at).starts_with(char::is_lowercase));
    found.extend(word(in_front));
    found
}

fn blank(text: &str, range: &Range<usize>) -> String {
    let mut result = text.to_string();
    result.replace_range(range.clone(), &" ".repeat(range.len()));
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str) -> Option<Vec<String>> {
        repaired(text).map(|repaired| repaired.words(text))
    }

    #[test]
    fn new_syntax_is_blanked_and_the_rest_parses() {
        let text = "fn f() { let c = use || g(1); h.use; }";
        assert_eq!(
            blanked(text),
            Some(vec![".".into(), "use".into(), "use".into()])
        );
    }

    #[test]
    fn what_is_blanked_is_as_little_as_can_be() {
        for (text, words) in [
            (
                "fn f() { x.use; let z = use || g(); }",
                &[".", "use", "use"][..],
            ),
            (
                "fn f<T: A<b(..): Send>>() where T::b(..): C {}",
                &["(", "(", ")", ")", "..", ".."],
            ),
            (
                "fn f() { let x = gen { g(1) }; async gen move { g(2) }; }",
                &["async", "gen", "gen", "move"],
            ),
            (
                "fn f(x: &pin mut u8) { &pin const x; super let y = 1; }",
                &["const", "pin", "pin", "super"],
            ),
            (
                "struct S { unsafe x: u8 } impl const T for S {}",
                &["const", "unsafe"],
            ),
        ] {
            assert_eq!(
                blanked(text).as_deref(),
                Some(&words.iter().map(ToString::to_string).collect::<Vec<_>>()[..]),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_rust_at_all_is_not_repaired() {
        assert_eq!(blanked("fn f( { ] )"), None);
        assert_eq!(blanked("a b c d e f g h i j k l m n o p q r s t"), None);
    }
}
