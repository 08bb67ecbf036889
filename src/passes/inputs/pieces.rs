//! What can go from a string literal, in pieces that look as if they belonged together: words, escapes, what brackets hold.

use std::ops::Range;

use crate::passes::strings::characters;

/// How deep brackets are looked into before single characters go.
pub(super) const DEPTHS: usize = 4;

/// What can go from the literal `text`: what belongs together at the `depth`th pair of brackets, or each character.
pub(super) fn parts(text: &str, depth: usize) -> Vec<Vec<Range<usize>>> {
    let characters = characters(text);
    if depth == DEPTHS {
        return characters.into_iter().map(|at| vec![at]).collect();
    }
    let is_raw = text
        .split('"')
        .next()
        .is_some_and(|prefix| prefix.contains('r'));
    let units = units(text, &characters, is_raw);
    let pieces = pieces(&units, 0..units.len(), depth).into_iter();
    pieces
        .map(|piece| piece.into_iter().map(|at| span(&characters, at)).collect())
        .collect()
}

/// What a character of a string is to those beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    /// One belongs to a word, or to a number.
    Word,
    /// A bracket that is open until this one.
    Open(char),
    Close(char),
    /// A backslash: in most languages it says something of what comes next.
    Backslash,
    Other,
}

/// What each of the `characters` of the literal `text` is.
fn units(text: &str, characters: &[Range<usize>], is_raw: bool) -> Vec<Unit> {
    let unit = |at: &Range<usize>| match &text[at.clone()] {
        "\\" if is_raw => Unit::Backslash,
        "\\\\" => Unit::Backslash,
        "(" => Unit::Open(')'),
        "[" => Unit::Open(']'),
        "{" => Unit::Open('}'),
        "<" => Unit::Open('>'),
        ")" => Unit::Close(')'),
        "]" => Unit::Close(']'),
        "}" => Unit::Close('}'),
        ">" => Unit::Close('>'),
        other if other.starts_with(|first: char| first.is_alphanumeric() || first == '_') => {
            Unit::Word
        }
        _ => Unit::Other,
    };
    characters.iter().map(unit).collect()
}

/// From where to where the characters `at` stand.
fn span(characters: &[Range<usize>], at: Range<usize>) -> Range<usize> {
    characters[at.start].start..characters[at.end - 1].end
}

/// What belongs together among the `units` of `within`, at the `depth`th pair of brackets around it: words, what a backslash
/// speaks of, brackets with all between them; and, where they are looked into, the two brackets alone.
fn pieces(units: &[Unit], within: Range<usize>, depth: usize) -> Vec<Vec<Range<usize>>> {
    let mut found = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let rest = &units[at..within.end];
        let length = match rest[0] {
            Unit::Word => rest.iter().take_while(|unit| **unit == Unit::Word).count(),
            Unit::Backslash => rest.len().min(2),
            Unit::Open(_) => closing(rest).map_or(1, |close| close + 1),
            Unit::Close(_) | Unit::Other => 1,
        };
        let piece = at..at + length;
        at = piece.end;
        match depth.checked_sub(1) {
            None => found.push(vec![piece]),
            Some(depth) if matches!(rest[0], Unit::Open(_)) && length > 1 => {
                if depth == 0 {
                    let (first, last) = (piece.start, piece.end - 1);
                    found.push(vec![first..first + 1, last..last + 1]);
                }
                found.extend(pieces(units, piece.start + 1..piece.end - 1, depth));
            }
            Some(_) => {}
        }
    }
    found
}

/// Where the bracket that `units` begin with is closed.
fn closing(units: &[Unit]) -> Option<usize> {
    let mut open: Vec<char> = Vec::new();
    let mut at = 0;
    while at < units.len() {
        match units[at] {
            Unit::Open(close) => open.push(close),
            // What is open inside then was no bracket, and neither is one that nothing opened.
            Unit::Close(close) => {
                let opened = open.iter().rposition(|open| *open == close);
                open.truncate(opened.unwrap_or(open.len()));
            }
            Unit::Backslash => at += 1,
            _ => {}
        }
        if open.is_empty() {
            return Some(at);
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::parts;

    /// What is left of the literal `text` without each of its pieces at `depth`.
    fn without(text: &str, depth: usize) -> Vec<String> {
        let left = parts(text, depth).into_iter().map(|part| {
            let mut left = text.to_string();
            for at in part.into_iter().rev() {
                left.replace_range(at, "");
            }
            left
        });
        left.collect()
    }

    #[test]
    fn words_escapes_and_brackets_go_as_one() {
        let text = r#"r"\b(\w+) a1""#;
        assert_eq!(
            without(text, 0),
            [
                r#"r"(\w+) a1""#,
                r#"r"\b a1""#,
                r#"r"\b(\w+)a1""#,
                r#"r"\b(\w+) ""#,
            ]
        );
        assert_eq!(
            without(text, 1),
            [r#"r"\b\w+ a1""#, r#"r"\b(+) a1""#, r#"r"\b(\w) a1""#,]
        );
        assert_eq!(without(text, 2), [""; 0]);
    }

    #[test]
    fn a_backslash_may_be_written_as_two_and_a_bracket_may_be_alone() {
        assert_eq!(
            without(r#""\\(a\n)<b""#, 0),
            [
                r#""a\n)<b""#,
                r#""\\(\n)<b""#,
                r#""\\(a)<b""#,
                r#""\\(a\n<b""#,
                r#""\\(a\n)b""#,
                r#""\\(a\n)<""#,
            ]
        );
        assert_eq!(without(r#""(a<b)c""#, 0), [r#""c""#, r#""(a<b)""#]);
    }
}
