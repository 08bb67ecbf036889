//! Syntax that the parser does not know, blanked so that it knows the rest: `use || {}` becomes a closure
//! without its modifier. Knows where the parser stopped and tokens, nothing of what they mean.

use std::ops::Range;

use super::lexer::{self, Token, TokenKind};

/// Places of one file at which something may be blanked; behind that, it is more than new syntax.
const PLACES: usize = 8;

/// A file that parses without a few of its tokens.
pub(super) struct Repaired {
    /// Its syntax; ranges are those of the text with all tokens in it.
    pub(super) file: syn::File,
    /// The blanked tokens, sorted.
    pub(super) blanked: Vec<String>,
}

/// `text` parsed without as few tokens as it takes; `None` if that are too many.
pub(super) fn repaired(text: &str) -> Option<Repaired> {
    let tokens = lexer::tokens(text);
    let mut left = text.to_string();
    let mut blanked = Vec::new();
    let mut error = syn::parse_file(&left).err()?;
    for _ in 0..PLACES {
        let at = error.span().byte_range().start;
        let mut next = None;
        for range in candidates(&left, &tokens, at) {
            let candidate = blank(&left, &range);
            match syn::parse_file(&candidate) {
                Ok(file) => {
                    blanked.extend(words(text, &left, &tokens, &range));
                    blanked.sort();
                    return Some(Repaired { file, blanked });
                }
                // Further than before: the rest is a matter of another place.
                Err(further) if further.span().byte_range().start > at => {
                    next.get_or_insert((range, candidate, further));
                }
                Err(_) => {}
            }
        }
        let (range, candidate, further) = next?;
        blanked.extend(words(text, &left, &tokens, &range));
        (left, error) = (candidate, further);
    }
    None
}

/// What may be blanked for an error at `at`: the token there, the one in front of it, both.
fn candidates(left: &str, tokens: &[Token], at: usize) -> Vec<Range<usize>> {
    let there = |token: &&Token| !left[token.range()].trim().is_empty();
    let here = tokens.iter().find(|token| token.end as usize > at);
    let before = tokens
        .iter()
        .take_while(|token| token.end as usize <= at)
        .filter(there)
        .last();
    let is_bracket =
        |range: &Range<usize>| matches!(&left[range.clone()], "(" | ")" | "[" | "]" | "{" | "}");
    let single = [here.filter(there), before];
    // New syntax is made of words and signs; a value where none may stand is a mistake.
    let is_literal = |token: &&Token| token.kind == TokenKind::Literal;
    let single = single.into_iter().flatten();
    let mut found: Vec<Range<usize>> = single
        .filter(|token| !is_literal(token))
        .map(Token::range)
        .collect();
    // Without its partner a bracket breaks more than it mends.
    found.retain(|range| !is_bracket(range));
    if let [first, second] = &found[..] {
        found.push(second.start..first.end);
    }
    found
}

fn blank(text: &str, range: &Range<usize>) -> String {
    let mut result = text.to_string();
    result.replace_range(range.clone(), &" ".repeat(range.len()));
    result
}

/// The tokens of `text` in `range` that `left` still has.
fn words(text: &str, left: &str, tokens: &[Token], range: &Range<usize>) -> Vec<String> {
    let inside =
        |token: &&Token| range.start <= token.start as usize && token.end as usize <= range.end;
    let still = |token: &&Token| !left[token.range()].trim().is_empty();
    let found = tokens.iter().filter(inside).filter(still);
    found.map(|token| text[token.range()].to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str) -> Option<Vec<String>> {
        repaired(text).map(|repaired| repaired.blanked)
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
    fn what_is_no_rust_at_all_is_not_repaired() {
        assert_eq!(blanked("fn f( { ] )"), None);
        assert_eq!(blanked("a b c d e f g h i j k l m n o p q r s t"), None);
    }
}
