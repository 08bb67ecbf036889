//! What a test is run on, made shorter: its string literals, in pieces that look as if they belonged together and then by
//! characters. Less input makes less code run, which then goes in a sweep.

use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ItemKind, Kind, Node};

/// How deep brackets are looked into before single characters go.
const DEPTHS: usize = 4;

/// The string literals in the functions of these names, and in the functions that stand beside them: what stands at depth 0
/// of their brackets in the first round, and so on, then each character.
pub struct Inputs {
    tests: Vec<String>,
    message: String,
}

impl Inputs {
    /// Those of the functions `tests`, apart from literals that the failure's `message` tells.
    pub fn of(tests: &[String], message: &str) -> Inputs {
        Inputs {
            tests: tests.to_vec(),
            message: message.to_string(),
        }
    }
}

impl Pass for Inputs {
    fn name(&self) -> &'static str {
        "inputs"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > DEPTHS {
            return None;
        }
        let is_function = |node: &Node| node.kind == Kind::Item(ItemKind::Fn);
        let functions: Vec<_> = nodes(subject, |_, _, node| is_function(node)).collect();
        let beside_a_test = |file, parent| {
            functions.iter().any(|(other, _, _, node)| {
                let source = subject.file(*other).source();
                let name = node.name.clone().map(|name| &source[name]);
                let is_test = name.is_some_and(|name| self.tests.iter().any(|test| test == name));
                is_test && *other == file && node.parent == parent
            })
        };
        let own = functions
            .iter()
            .filter(|(file, _, _, node)| beside_a_test(*file, node.parent));
        let mut list = Vec::new();
        for (file, tree, _, node) in own {
            let source = subject.file(*file).source();
            let tokens = tree.tokens_in(&node.range).iter();
            for token in tokens.filter(|token| token.kind == TokenKind::Literal) {
                let (range, text) = (token.range(), &source[token.range()]);
                let characters = characters(text);
                let (Some(first), Some(last)) = (characters.first(), characters.last()) else {
                    continue;
                };
                if self.message.contains(&text[first.start..last.end]) {
                    continue;
                }
                let parts: Vec<Vec<Range<usize>>> = match round {
                    DEPTHS => characters.into_iter().map(|at| vec![at]).collect(),
                    depth => {
                        let is_raw = text[..first.start].contains('r');
                        let units = units(text, &characters, is_raw);
                        pieces(&units, 0..units.len(), depth)
                            .into_iter()
                            .map(|piece| {
                                piece.into_iter().map(|at| span(&characters, at)).collect()
                            })
                            .collect()
                    }
                };
                list.extend(parts.into_iter().map(|part| {
                    let shifted = part
                        .into_iter()
                        .map(|at| range.start + at.start..range.start + at.end);
                    Element {
                        kind: Kind::Token,
                        edits: shifted.map(|at| Edit::within(*file, at)).collect(),
                        drops: Vec::new(),
                        saves: 0,
                    }
                }));
            }
        }
        Some(list)
    }
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

/// Where the characters of the string literal `text` stand in it, an escape as one; none if it is another literal.
fn characters(text: &str) -> Vec<Range<usize>> {
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
    use super::{DEPTHS, Inputs, characters, pieces, span, units};
    use crate::subject::Subject;
    use crate::syntax::FileId;

    fn parts(text: &str) -> Vec<&str> {
        characters(text).into_iter().map(|at| &text[at]).collect()
    }

    #[test]
    fn a_string_is_made_of_characters_and_escapes() {
        assert_eq!(parts(r#""aß\n""#), ["a", "ß", r"\n"]);
        assert_eq!(parts(r#"b"\x41\\\"""#), [r"\x41", r"\\", "\\\""]);
        assert_eq!(
            parts(
                r#""\u{20ac}\
            b""#
            ),
            [r"\u{20ac}", "\\\n            ", "b"]
        );
        assert_eq!(parts(r##"r#"\n""#"##), [r"\", "n", "\""]);
        for other in ["'a'", "12", "b'a'", "\"\"", "\"\\x\"", "1.0"] {
            assert!(parts(other).len() <= 1, "{other}");
        }
    }

    /// What is left of the literal `text` without each of its pieces at `depth`.
    fn without(text: &str, depth: usize) -> Vec<String> {
        let characters = characters(text);
        let units = units(text, &characters, text.starts_with('r'));
        let pieces = pieces(&units, 0..units.len(), depth);
        let left = pieces.into_iter().map(|piece| {
            let mut left = text.to_string();
            for at in piece.into_iter().rev() {
                left.replace_range(span(&characters, at), "");
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

    #[test]
    fn inputs_of_a_test_and_its_helpers_get_shorter_and_stay_in_one_piece() {
        use crate::passes::Pass;
        let text = r##"fn help() { f("abc"); } mod lib { fn f(a: &str) { g("no"); } } #[test] fn t() { help(); f("de"); g("told"); g(r#"told"#); g(b"told"); }"##;
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let list = Inputs::of(&["t".to_string()], "told")
            .list(&subject, DEPTHS)
            .expect("a round");
        assert_eq!(list.len(), 5);
        let left = subject.without([&list[1], &list[4]]);
        let expected = text.replace("abc", "ac").replace("de", "d");
        assert_eq!(left.file(FileId(0)).source(), expected);
    }
}
