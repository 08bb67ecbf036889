//! What string literals are made of.

use std::ops::Range;

/// Where the characters of the string literal `text` stand in it, an escape as one; none if it is another literal.
pub(super) fn characters(text: &str) -> Vec<Range<usize>> {
    let Some(open) = text.find('"') else {
        return Vec::new();
    };
    let prefix = text[..open].trim_end_matches('#');
    let hashes = open - prefix.len();
    let close = text.len().checked_sub(1 + hashes);
    let is_string = matches!(prefix, "" | "b" | "c" | "r" | "br" | "cr");
    let Some(close) = close.filter(|close| is_string && *close > open) else {
        return Vec::new();
    };
    let raw = prefix.ends_with('r');
    let mut found = Vec::new();
    let mut at = open + 1;
    while let Some(first) = text[at..close].chars().next() {
        let length = match first {
            '\\' if !raw => escape(&text[at..close]),
            other => other.len_utf8(),
        };
        found.push(at..at + length);
        at += length;
    }
    found
}

/// How long the escape is that `text` begins with.
fn escape(text: &str) -> usize {
    let second = text[1..].chars().next();
    let length = match second {
        Some('x') => 4,
        Some('u') => text.find('}').map_or(2, |close| close + 1),
        Some('\n') => text.len() - text[1..].trim_start().len(),
        Some(other) => 1 + other.len_utf8(),
        None => 1,
    };
    match text.is_char_boundary(length) {
        true => length,
        false => text.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters_of(text: &str) -> Vec<&str> {
        characters(text).into_iter().map(|at| &text[at]).collect()
    }

    #[test]
    fn a_string_is_made_of_characters_and_escapes() {
        assert_eq!(characters_of(r#""aß\n""#), ["a", "ß", r"\n"]);
        assert_eq!(characters_of(r#"b"\x41\\\"""#), [r"\x41", r"\\", "\\\""]);
        assert_eq!(
            characters_of(
                r#""\u{20ac}\
            b""#
            ),
            [r"\u{20ac}", "\\\n            ", "b"]
        );
        assert_eq!(characters_of(r##"r#"\n""#"##), [r"\", "n", "\""]);
        for other in ["'a'", "12", "b'a'", "\"\"", "\"\\x\"", "1.0"] {
            assert!(characters_of(other).len() <= 1, "{other}");
        }
    }
}
