//! Text that no longer has to be Rust: lines and tokens of files that parse, whatever they are part of. For bugs of parsers and
//! formatters, when the user says that syntax may break.

use super::Pass;
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, Kind, lexer};

/// Lines with something on them.
pub struct Lines;

/// Single tokens.
pub struct Tokens;

impl Pass for Lines {
    fn name(&self) -> &'static str {
        "raw-lines"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        (round == 0).then(|| {
            of_parsed(subject, |source| {
                let mut end = 0;
                let lines = source.split_inclusive('\n').map(|line| {
                    end += line.len();
                    (line, end - line.len()..end)
                });
                let full = lines.filter(|(line, _)| !line.trim().is_empty());
                full.map(|(_, range)| (Kind::Line, range)).collect()
            })
        })
    }
}

impl Pass for Tokens {
    fn name(&self) -> &'static str {
        "raw-tokens"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        (round == 0).then(|| {
            of_parsed(subject, |source| {
                let tokens = lexer::tokens(source).into_iter();
                tokens.map(|token| (Kind::Token, token.range())).collect()
            })
        })
    }
}

/// The elements that cut what `ranges` finds in each file that parses: in others the passes for tokens do that.
fn of_parsed(
    subject: &Subject,
    ranges: impl Fn(&str) -> Vec<(Kind, std::ops::Range<usize>)>,
) -> Elements {
    let parsed = subject.sources().filter(|(_, _, tree)| tree.parsed);
    let element =
        |file: FileId, (kind, range)| Element::new(subject, kind, vec![Edit::delete(file, range)]);
    parsed
        .flat_map(|(file, text, _)| {
            let found = ranges(text.source()).into_iter();
            found.map(move |cut| element(file, cut)).collect::<Vec<_>>()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cuts(pass: &dyn Pass, text: &str) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let list = pass.list(&subject, 0).unwrap();
        let edits = list.into_iter().flat_map(|element| element.edits);
        edits.map(|edit| text[edit.range].to_string()).collect()
    }

    #[test]
    fn lines_and_tokens_go_whatever_they_are_part_of() {
        let text = "fn f() {\n\n    g(1);\n}\n";
        assert_eq!(cuts(&Lines, text), ["fn f() {\n", "    g(1);\n", "}\n"]);
        let tokens = ["fn", "f", "(", ")", "{", "g", "(", "1", ")", ";", "}"];
        assert_eq!(cuts(&Tokens, text), tokens);
    }

    #[test]
    fn files_that_do_not_parse_are_left_to_the_passes_for_tokens() {
        assert!(cuts(&Lines, "fn f( {\n").is_empty());
        assert!(cuts(&Tokens, "fn f( {\n").is_empty());
    }
}
