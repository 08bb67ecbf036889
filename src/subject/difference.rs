//! The difference between two versions of a subject, as hunks that follow the subject through its edits.
//! Knows text; not which version is which, nor what a hunk means.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use similar::{DiffTag, TextDiff};

use super::Subject;
use crate::syntax::{Edit, FileId, Origin, Text, lexer};

/// One place where the versions differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The file.
    pub file: FileId,
    /// What of the original is replaced; `None` if the file is there in the other version only.
    pub range: Option<Range<u32>>,
    /// What stands there in the other version.
    pub text: String,
    /// What a hunk with nothing to replace hangs on: the offsets of the characters before and behind.
    anchors: [Option<u32>; 2],
}

/// What has to be done to a subject to make it the other version.
#[derive(Debug, Clone, Default)]
pub struct Difference {
    /// In the order of files and places.
    pub hunks: Vec<Hunk>,
}

impl Difference {
    /// What leads from the original file `file` with the contents `from` to `to`: hunks of whole lines,
    /// each cut down to the tokens that differ. Comments and white space make no difference.
    pub fn add_changes(&mut self, file: FileId, from: &str, to: &str) {
        let diff = TextDiff::from_lines(from, to);
        let (before, after) = (line_starts(from), line_starts(to));
        for op in diff.ops() {
            if op.tag() == DiffTag::Equal {
                continue;
            }
            let old = op.old_range();
            let new = op.new_range();
            let old = before[old.start]..before[old.end];
            let new = after[new.start]..after[new.end];
            self.hunks.extend(hunk(file, from, old, to, new));
        }
    }

    /// Makes `file`, which the original has not, one that the other version has.
    pub fn add_file(&mut self, file: FileId, text: String) {
        self.hunks.push(Hunk {
            file,
            range: None,
            text,
            anchors: [None, None],
        });
    }

    /// What of the original it replaces: the file, and where in it.
    pub fn replaced(&self) -> impl Iterator<Item = (FileId, Range<u32>)> + '_ {
        let replaced = self.hunks.iter();
        replaced.filter_map(|hunk| Some((hunk.file, hunk.range.clone()?)))
    }

    /// The same without the hunks numbered `removed`.
    pub fn without(&self, removed: &[usize]) -> Difference {
        let kept = self.hunks.iter().enumerate();
        Difference {
            hunks: kept
                .filter(|(at, _)| !removed.contains(at))
                .map(|(_, hunk)| hunk.clone())
                .collect(),
        }
    }

    /// What has to be done to `candidate`, made of the original by edits. A hunk of which nothing is
    /// left, not even what it stood between, is left out.
    pub fn edits(&self, candidate: &Subject) -> BTreeMap<FileId, Vec<Edit>> {
        let mut found: BTreeMap<FileId, Vec<Edit>> = BTreeMap::new();
        for hunk in &self.hunks {
            let Some(range) = &hunk.range else { continue };
            // The text may have moved to another file.
            let all = (0..candidate.files().len() as u32).map(FileId);
            let place = [hunk.file].into_iter().chain(all).find_map(|file| {
                let text = candidate.file(file).text()?;
                hunk.place(text, range).map(|range| (file, range))
            });
            if let Some((file, range)) = place {
                let edit = Edit::replace(file, range, hunk.text.clone());
                found.entry(file).or_default().push(edit);
            }
        }
        found
    }

    /// The other version of `candidate`.
    pub fn applied(&self, candidate: &Subject) -> Subject {
        let mut result = candidate.clone();
        for (file, edits) in self.edits(candidate) {
            if let Some(text) = candidate.file(file).text() {
                result = result.with_text(file, text.apply(&edits));
            }
        }
        for hunk in self.hunks.iter().filter(|hunk| hunk.range.is_none()) {
            if !result.file(hunk.file).exists() {
                result = result.with_text(hunk.file, Text::inserted(hunk.text.as_str()));
            }
        }
        result
    }
}

impl Hunk {
    /// Where it belongs in `text`.
    fn place(&self, text: &Text, range: &Range<u32>) -> Option<Range<usize>> {
        let at = |offset: u32| {
            text.find(Origin {
                file: self.file,
                offset,
            })
        };
        let left = text.surviving(self.file, range);
        if let Some(left) = left {
            return Some(left);
        }
        let [before, behind] = self.anchors;
        let before = before.and_then(at).map(|at| {
            let length = text.as_str()[at..].chars().next().map_or(1, char::len_utf8);
            at + length
        });
        before.or_else(|| behind.and_then(at)).map(|at| at..at)
    }
}

/// The hunk for `old` of `from` and `new` of `to`, cut down to the tokens that differ; `None` if none do.
fn hunk(file: FileId, from: &str, old: Range<usize>, to: &str, new: Range<usize>) -> Option<Hunk> {
    let tokens = |text: &str, range: &Range<usize>| -> Vec<Range<usize>> {
        let found = lexer::tokens(&text[range.clone()]);
        let ranges = found.iter().map(|token| token.range());
        ranges
            .map(|token| range.start + token.start..range.start + token.end)
            .collect()
    };
    let (own, others) = (tokens(from, &old), tokens(to, &new));
    let (own_text, other_text) = (
        |at: &Range<usize>| &from[at.clone()],
        |at: &Range<usize>| &to[at.clone()],
    );
    let same = |(a, b): &(&Range<usize>, &Range<usize>)| own_text(a) == other_text(b);
    let prefix = own.iter().zip(&others).take_while(same).count();
    let (own, others) = (&own[prefix..], &others[prefix..]);
    let suffix = own
        .iter()
        .rev()
        .zip(others.iter().rev())
        .take_while(same)
        .count();
    let own = &own[..own.len() - suffix];
    let others = &others[..others.len() - suffix];
    if own.is_empty() && others.is_empty() {
        return None;
    }
    let start = match (own.first(), prefix) {
        (Some(first), _) => first.start,
        (None, 0) => old.start,
        // Behind the last token that both have.
        (None, _) => tokens(from, &old)[prefix - 1].end,
    };
    let end = own.last().map_or(start, |last| last.end);
    let mut text = match (others.first(), others.last()) {
        (Some(first), Some(last)) => to[first.start..last.end].to_string(),
        _ => String::new(),
    };
    if start == end {
        text = format!(" {text} ");
    }
    let visible = |found: Option<(usize, char)>| found.map(|(at, _)| at as u32);
    let before = from[..start].char_indices().rev();
    let behind = from[end..].char_indices().map(|(at, c)| (end + at, c));
    Some(Hunk {
        file,
        range: Some(start as u32..end as u32),
        text,
        anchors: [
            visible(before.clone().find(|(_, c)| !c.is_whitespace())),
            visible(behind.clone().find(|(_, c)| !c.is_whitespace())),
        ],
    })
}

fn line_starts(text: &str) -> Vec<usize> {
    let mut at = 0;
    let ends = text.split_inclusive('\n').map(|line| {
        at += line.len();
        at
    });
    std::iter::once(0).chain(ends).collect()
}

/// The edits that lead from the tokens of `from` to those of `to`, each as small as can be.
pub fn token_edits(file: FileId, from: &str, to: &str) -> Vec<Edit> {
    let (own, others) = (lexer::tokens(from), lexer::tokens(to));
    let words = |text: &'_ str, found: &[lexer::Token]| -> Vec<String> {
        let ranges = found.iter().map(lexer::Token::range);
        ranges.map(|range| text[range].to_string()).collect()
    };
    let (a, b) = (words(from, &own), words(to, &others));
    let mut edits = Vec::new();
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, &a, &b) {
        if op.tag() == DiffTag::Equal {
            continue;
        }
        let (old, new) = (op.old_range(), op.new_range());
        let start = match old.start.checked_sub(1) {
            _ if !old.is_empty() => own[old.start].range().start,
            Some(before) => own[before].range().end,
            None => 0,
        };
        let end = match old.is_empty() {
            true => start,
            false => own[old.end - 1].range().end,
        };
        let text = match new.is_empty() {
            true => String::new(),
            false => format!(
                " {} ",
                &to[others[new.start].range().start..others[new.end - 1].range().end]
            ),
        };
        edits.push(Edit::replace(file, start..end, text));
    }
    edits
}

/// A patch in the unified format that leads from `from` to `to`, empty if they are the same; the paths
/// in it begin with `names`.
pub fn patch(names: [&str; 2], from: &Subject, to: &Subject) -> String {
    let mut result = String::new();
    let paths: BTreeMap<&Path, ()> = from
        .files()
        .iter()
        .chain(to.files())
        .map(|file| (file.path.as_path(), ()))
        .collect();
    for path in paths.keys() {
        let text = |subject: &Subject| {
            let file = subject.find(path).map(|id| subject.file(id).clone());
            file.filter(super::File::exists)
                .map(|file| file.source().to_string())
        };
        let (before, after) = (text(from), text(to));
        if before == after {
            continue;
        }
        let name = |side: usize, there: bool| match there {
            true => format!("{}/{}", names[side], path.display()),
            false => "/dev/null".to_string(),
        };
        let header = (name(0, before.is_some()), name(1, after.is_some()));
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        let diff = TextDiff::from_lines(&before, &after);
        let mut unified = diff.unified_diff();
        let shown = unified.context_radius(3).header(&header.0, &header.1);
        result.push_str(&shown.to_string());
    }
    result
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    const BAD: &str =
        "fn f(a: u8) -> u8 {\n    // old\n    let b = a + 1;\n    b - 1\n}\nfn g() {}\n";
    const GOOD: &str = "fn f(a: u8) -> u8 {\n    // new\n    let b = a + 2;\n    check(b);\n    b - 1\n}\nfn g() {}\n";

    fn subject() -> Subject {
        Subject::new([(PathBuf::from("src/lib.rs"), BAD.as_bytes().to_vec())])
    }

    fn difference() -> Difference {
        let mut difference = Difference::default();
        difference.add_changes(FileId(0), BAD, GOOD);
        difference
    }

    fn edited(edits: &[(&str, &str)]) -> Subject {
        let subject = subject();
        let edits: Vec<Edit> = edits
            .iter()
            .map(|(from, to)| {
                let at = BAD.find(from).expect("it is there");
                Edit::replace(FileId(0), at..at + from.len(), *to)
            })
            .collect();
        let text = subject.file(FileId(0)).text().expect("text").apply(&edits);
        subject.with_text(FileId(0), text)
    }

    fn words(subject: &Subject) -> String {
        let source = subject.file(FileId(0)).source();
        let tokens = lexer::tokens(source);
        let words: Vec<&str> = tokens.iter().map(|token| &source[token.range()]).collect();
        words.join(" ")
    }

    #[test]
    fn hunks_are_as_small_as_the_tokens_that_differ() {
        let difference = difference();
        assert_eq!(difference.hunks.len(), 1, "{difference:?}");
        assert_eq!(difference.hunks[0].text, "2;\n    check(b)");
        assert_eq!(
            words(&difference.applied(&subject())),
            words(&Subject::new([(PathBuf::new(), GOOD.as_bytes().to_vec())]))
        );
    }

    #[test]
    fn comments_alone_make_no_difference() {
        let mut difference = Difference::default();
        difference.add_changes(FileId(0), BAD, &BAD.replace("// old", "// new\n  "));
        assert!(difference.hunks.is_empty());
    }

    #[test]
    fn a_hunk_follows_the_text_around_it() {
        let shorter = edited(&[("(a: u8)", "()"), ("b - 1", "b")]);
        let text = words(&difference().applied(&shorter));
        assert!(text.contains("let b = a + 2 ; check ( b ) ; b }"), "{text}");
    }

    #[test]
    fn a_hunk_whose_text_is_gone_stands_where_that_stood() {
        let text = words(&difference().applied(&edited(&[("1;", "")])));
        assert!(text.contains("let b = a + 2 ; check ( b )"), "{text}");
    }

    #[test]
    fn a_hunk_goes_with_all_that_is_around_it() {
        let gone = edited(&[(&BAD[..BAD.find("fn g").expect("g")], "")]);
        assert_eq!(words(&difference().applied(&gone)), "fn g ( ) { }");
    }

    #[test]
    fn token_edits_lead_from_one_text_to_the_other() {
        let good = GOOD.replace("b - 1", "b - 2");
        let edits = token_edits(FileId(0), BAD, &good);
        assert!(edits.len() >= 2, "{edits:?}");
        let text = Text::original(FileId(0), BAD).apply(&edits);
        let subject = Subject::new([(PathBuf::new(), text.as_str().as_bytes().to_vec())]);
        let good = Subject::new([(PathBuf::new(), good.into_bytes())]);
        assert_eq!(words(&subject), words(&good));
    }

    #[test]
    fn a_patch_names_what_is_new_and_what_is_gone() {
        let good = Subject::new([(PathBuf::from("src/lib.rs"), GOOD.as_bytes().to_vec())]);
        let text = patch(["good", "reduced"], &good, &subject());
        assert!(
            text.starts_with("--- good/src/lib.rs\n+++ reduced/src/lib.rs\n"),
            "{text}"
        );
        assert!(text.contains("\n-    check(b);\n"), "{text}");
        assert_eq!(patch(["a", "b"], &good, &good), "");
    }
}
