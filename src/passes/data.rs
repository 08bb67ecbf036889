//! Data: files that are no code, which a test reads, or the compiler for it. They count no tokens, but whoever looks for what is
//! wrong has to read them.

use std::ops::Range;

use super::Pass;
use crate::subject::{Element, Elements, File, Subject};
use crate::syntax::{Edit, FileId, Kind};

/// A text is taken to so many pieces at most.
const MOST_PIECES: usize = 512;

/// A text of more bytes is not looked at character by character.
const FEW_BYTES: usize = 512;

/// How deep brackets are followed.
const DEPTHS: usize = 4;

/// Files that tell cargo and its friends something.
const OF_TOOLS: [&str; 8] = [
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain",
    "rust-toolchain.toml",
    "rustfmt.toml",
    ".rustfmt.toml",
    "clippy.toml",
    ".clippy.toml",
];

/// Lines of texts, in halves in the first round, then in quarters of what is left, and so on; then what brackets hold, outermost
/// first; then the characters of short texts.
pub struct Data;

impl Pass for Data {
    fn name(&self) -> &'static str {
        "data"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let halvings = MOST_PIECES.ilog2() as usize;
        let pieces = |round: usize| 2usize << round;
        if round >= 2 * halvings + DEPTHS {
            return None;
        }
        let ranges = |text: &str| {
            if round < halvings {
                return in_pieces(lines(text), pieces(round));
            }
            match (round - halvings).checked_sub(DEPTHS) {
                None => held(text, round - halvings),
                Some(round) if text.len() <= FEW_BYTES => {
                    in_pieces(characters(text), pieces(round))
                }
                Some(_) => Vec::new(),
            }
        };
        let elements = files_of(subject).flat_map(|(id, file)| {
            let found = ranges(file.source()).into_iter();
            found.map(move |range| Element {
                kind: Kind::Line,
                edits: vec![Edit::within(id, range)],
                drops: Vec::new(),
                saves: 0,
            })
        });
        Some(elements.collect())
    }
}

/// Tells what all data of `subject` says.
pub fn key(subject: &Subject) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    for (_, file) in files_of(subject) {
        // Where one ends and the next begins is part of it.
        let text = file.source().as_bytes();
        hasher.update(&text.len().to_le_bytes()).update(text);
    }
    hasher.finalize()
}

fn files_of(subject: &Subject) -> impl Iterator<Item = (FileId, &File)> {
    let files = subject.files().iter().enumerate();
    let named = files.map(|(at, file)| (FileId(at as u32), file));
    named.filter(|(_, file)| is_data(file))
}

/// Whether it is a text that may be somebody's input. What a test compares with, and keeps by itself, is none.
fn is_data(file: &File) -> bool {
    let name = file.path.file_name().and_then(|name| name.to_str());
    let extension = file.path.extension().and_then(|name| name.to_str());
    let for_tools = name.is_none_or(|name| OF_TOOLS.contains(&name))
        || file
            .path
            .components()
            .any(|part| part.as_os_str() == ".cargo");
    let is_kept = matches!(
        extension,
        Some("snap" | "new" | "stderr" | "stdout" | "expected")
    ) || file
        .path
        .components()
        .any(|part| part.as_os_str() == "snapshots");
    file.text().is_some() && !file.is_rust() && !for_tools && !is_kept
}

/// `all`, one after the other, in `pieces` pieces of about the same length; none if there are not as many.
fn in_pieces(all: Vec<Range<usize>>, pieces: usize) -> Vec<Range<usize>> {
    // Half as many have been asked for before.
    if all.len() * 2 <= pieces {
        return Vec::new();
    }
    let chunks = all.chunks(all.len().div_ceil(pieces));
    chunks
        .map(|chunk| chunk[0].start..chunk[chunk.len() - 1].end)
        .collect()
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut end = 0;
    let lines = text.split_inclusive('\n').map(|line| {
        end += line.len();
        end - line.len()..end
    });
    lines.collect()
}

fn characters(text: &str) -> Vec<Range<usize>> {
    let all = text.char_indices();
    all.map(|(at, character)| at..at + character.len_utf8())
        .collect()
}

/// What the brackets hold that are in `depth` others, each with the comma behind it, or else the one in front.
fn held(text: &str, depth: usize) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // For each open bracket: where the first, and where what now is being read began.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut quoted = false;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        let behind = at + character.len_utf8();
        if quoted {
            quoted = escaped || character != '"';
            escaped = character == '\\' && !escaped;
            continue;
        }
        match character {
            '"' => quoted = true,
            '(' | '[' | '{' => open.push((behind, behind)),
            ',' if open.len() == depth + 1 => {
                if let Some((_, start)) = open.last_mut() {
                    found.push(*start..behind);
                    *start = behind;
                }
            }
            ')' | ']' | '}' => {
                let inner = open.len() == depth + 1;
                let Some((first, start)) = open.pop().filter(|_| inner) else {
                    continue;
                };
                let alone = start == first;
                if !text[start..at].trim().is_empty() {
                    found.push(if alone { start } else { start - 1 }..at);
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).into(), text.as_bytes().to_vec()));
        Subject::new(files)
    }

    fn cuts(text: &str, round: usize) -> Vec<String> {
        let subject = subject(&[("a.txt", text)]);
        let list = Data.list(&subject, round).expect("a list");
        let edits = list.into_iter().flat_map(|element| element.edits);
        edits.map(|edit| text[edit.range].to_string()).collect()
    }

    #[test]
    fn lines_go_in_halves_and_quarters() {
        assert_eq!(cuts("a\nb\nc\n", 0), ["a\nb\n", "c\n"]);
        assert_eq!(cuts("a\nb\nc\n", 1), ["a\n", "b\n", "c\n"]);
        assert_eq!(cuts("a\nb\nc\n", 2), [""; 0]);
    }

    #[test]
    fn what_brackets_hold_goes_with_a_comma() {
        let text = r#"{"a": [1, 2, "],"], "b": {}}"#;
        assert_eq!(cuts(text, 9), [r#""a": [1, 2, "],"],"#, r#", "b": {}"#]);
        assert_eq!(cuts(text, 10), ["1,", " 2,", r#", "],""#]);
        assert_eq!(cuts("]){(", 9), [""; 0]);
    }

    #[test]
    fn short_texts_go_by_characters() {
        assert_eq!(cuts("aß", 13), ["a", "ß"]);
        assert_eq!(cuts(&"a".repeat(600), 13), [""; 0]);
        assert!(Data.list(&subject(&[]), 22).is_none());
    }

    #[test]
    fn what_tools_read_and_what_is_expected_is_no_data() {
        let all = subject(&[
            ("Cargo.toml", "a\nb\n"),
            (".cargo/config.toml", "a\nb\n"),
            ("tests/snapshots/a.snap", "a\nb\n"),
            ("src/lib.rs", "a\nb\n"),
        ]);
        assert_eq!(Data.list(&all, 0).map(|list| list.len()), Some(0));
    }
}
