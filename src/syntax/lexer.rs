//! Splits text into Rust tokens: the yardstick for every size. Never fails, whatever the text.
//!
//! Comments (doc comments too) and white space are no tokens; a literal, an identifier, a lifetime
//! and a multi-character operator count one each; so does any character that is nothing else.

use std::ops::Range;

/// What a token is, as far as counting and naming need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword, raw or not.
    Ident,
    /// `'a`, a loop label too.
    Lifetime,
    /// A string, character, byte or number literal.
    Literal,
    /// An operator, a delimiter or an unknown character.
    Punct,
}

/// One token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Token {
    /// The token's bytes.
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Operators of more than one character, longest first.
const OPERATORS: [&str; 26] = [
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "<<", ">>", "..", "\r\n", "\u{feff}",
];

/// All tokens of `text`, in order.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if let Some(length) = trivia(rest) {
            at += length;
            continue;
        }
        let (kind, length) = token(rest);
        found.push(Token {
            kind,
            start: at as u32,
            end: (at + length) as u32,
        });
        at += length;
    }
    found
}

/// The number of tokens in `text`.
pub fn count(text: &str) -> usize {
    tokens(text).len()
}

/// The comments of `text`, doc comments included.
pub fn comments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match trivia(rest) {
            Some(length) => {
                if rest.starts_with('/') {
                    found.push(at..at + length);
                }
                at += length;
            }
            None => at += token(rest).1,
        }
    }
    found
}

/// The length of the white space or comment that `text` starts with.
fn trivia(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    if first.is_whitespace() {
        return Some(text.len() - text.trim_start().len());
    }
    if text.starts_with("//") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    if !text.starts_with("/*") {
        return None;
    }
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (1, 2);
    while at < bytes.len() && depth > 0 {
        if bytes[at..].starts_with(b"/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if bytes[at..].starts_with(b"*/") {
            (depth, at) = (depth - 1, at + 2);
        } else {
            at += 1;
        }
    }
    Some(at)
}

/// Kind and length of the token that `text`, which is not empty, starts with.
fn token(text: &str) -> (TokenKind, usize) {
    if let Some(length) = string(text) {
        return (TokenKind::Literal, length);
    }
    if let Some(length) = character(text) {
        return (TokenKind::Literal, length);
    }
    let bytes = text.as_bytes();
    if bytes[0] == b'\'' {
        let name = word(&text[1..]);
        if name > 0 && !bytes[1].is_ascii_digit() {
            return (TokenKind::Lifetime, 1 + name);
        }
    }
    if bytes[0].is_ascii_digit() {
        return (TokenKind::Literal, number(text));
    }
    if let Some(raw) = text.strip_prefix("r#") {
        let name = word(raw);
        if name > 0 {
            return (TokenKind::Ident, 2 + name);
        }
    }
    let name = word(text);
    if name > 0 {
        return (TokenKind::Ident, name);
    }
    let length = OPERATORS
        .iter()
        .find(|operator| text.starts_with(**operator))
        .map(|operator| operator.len())
        .or_else(|| text.chars().next().map(char::len_utf8));
    (TokenKind::Punct, length.unwrap_or(text.len()))
}

/// The length of the run of identifier characters at the start of `text`.
fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// The length of the string literal (raw, byte and C strings too) at the start of `text`.
fn string(text: &str) -> Option<usize> {
    let prefix = usize::from(text.starts_with(['b', 'c']));
    let rest = &text[prefix..];
    if let Some(raw) = rest.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        if raw[hashes..].starts_with('"') {
            let body = prefix + 1 + hashes + 1;
            let closing = format!("\"{}", "#".repeat(hashes));
            return Some(
                text[body..]
                    .find(&closing)
                    .map_or(text.len(), |at| body + at + closing.len()),
            );
        }
    }
    if !rest.starts_with('"') {
        return None;
    }
    let bytes = rest.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return Some(prefix + at + 1),
            _ => at += 1,
        }
    }
    // An unterminated string: only its quote is a token, so that the rest still counts.
    None
}

/// The length of the character or byte literal at the start of `text`.
fn character(text: &str) -> Option<usize> {
    let prefix = usize::from(text.starts_with('b'));
    let rest = text[prefix..].strip_prefix('\'')?;
    let mut characters = rest.char_indices();
    let (_, first) = characters.next()?;
    if first == '\\' {
        let end = rest.get(2..)?.find('\'').map(|at| at + 2)?;
        let escape = &rest[1..end];
        let known = escape.chars().count() == 1
            || escape.starts_with('x') && escape.len() <= 3
            || escape.starts_with("u{");
        return known.then_some(prefix + 1 + end + 1);
    }
    if first == '\'' || first == '\n' {
        return None;
    }
    let (at, second) = characters.next()?;
    (second == '\'').then_some(prefix + 1 + at + 1)
}

/// The length of the number at the start of `text`, which starts with a digit.
fn number(text: &str) -> usize {
    let mut end = word(text);
    let fraction = text[end..].strip_prefix('.').map_or(0, |fraction| {
        if fraction.starts_with(|c: char| c.is_ascii_digit()) {
            1 + word(fraction)
        } else {
            0
        }
    });
    end += fraction;
    // `1e-5`: the word ends at the sign.
    if text[..end].ends_with(['e', 'E'])
        && !text.starts_with("0x")
        && text[end..].starts_with(['+', '-'])
    {
        let digits = text[end + 1..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len() - end - 1);
        if digits > 0 {
            end += 1 + digits;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|t| &text[t.range()]).collect()
    }

    #[test]
    fn literals_lifetimes_and_operators_are_one_token_each() {
        assert_eq!(
            words(
                "let x: &'a [u8] = b\"\\\"x\"; r#\"a\"b\"# 'c' '\\'' 'life 1..=2 1.5e-3 r#fn a>>=b"
            ),
            [
                "let",
                "x",
                ":",
                "&",
                "'a",
                "[",
                "u8",
                "]",
                "=",
                "b\"\\\"x\"",
                ";",
                "r#\"a\"b\"#",
                "'c'",
                "'\\''",
                "'life",
                "1",
                "..=",
                "2",
                "1.5e-3",
                "r#fn",
                "a",
                ">>=",
                "b"
            ]
        );
    }

    #[test]
    fn comments_count_nothing_and_nest() {
        assert_eq!(
            words("a /* x /* y */ z */ b // c\n/// d\ne"),
            ["a", "b", "e"]
        );
        assert_eq!(comments("a /* x */ // c\n"), [2..9, 10..14]);
    }

    #[test]
    fn an_unterminated_string_or_comment_does_not_swallow_the_file() {
        assert_eq!(words("a \"b c"), ["a", "\"", "b", "c"]);
        assert_eq!(words("a /* b"), ["a"]);
    }
}
