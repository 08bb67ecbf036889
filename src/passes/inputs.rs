//! What a test is run on, made shorter: the characters of its string literals. Less input makes less code run, which
//! then goes in a sweep.

use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ItemKind, Kind, Node};

/// The characters of the string literals in the functions of these names, and in the functions that stand beside them.
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
        if round > 0 {
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
                list.extend(characters.into_iter().map(|at| Element {
                    kind: Kind::Token,
                    edits: vec![Edit::within(
                        *file,
                        range.start + at.start..range.start + at.end,
                    )],
                    drops: Vec::new(),
                    saves: 0,
                }));
            }
        }
        Some(list)
    }
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
    use super::{Inputs, characters};
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

    #[test]
    fn inputs_of_a_test_and_its_helpers_get_shorter_and_stay_in_one_piece() {
        use crate::passes::Pass;
        let text = r##"fn help() { f("abc"); } mod lib { fn f(a: &str) { g("no"); } } #[test] fn t() { help(); f("de"); g("told"); g(r#"told"#); g(b"told"); }"##;
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let list = Inputs::of(&["t".to_string()], "told")
            .list(&subject, 0)
            .expect("a round");
        assert_eq!(list.len(), 5);
        let left = subject.without([&list[1], &list[4]]);
        let expected = text.replace("abc", "ac").replace("de", "d");
        assert_eq!(left.file(FileId(0)).source(), expected);
    }
}
