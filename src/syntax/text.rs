//! Text made of pieces of the original files: edits are applied to it, and every position in the
//! result can be taken back to where it stood originally. Knows nothing of Rust.

use std::ops::Range;
use std::sync::Arc;

/// A file of the subject, by its place in the subject's list of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// Replace `range` (bytes of one file's present text) by `text`; deletion is the empty text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Edit {
    /// The file.
    pub file: FileId,
    /// Bytes of the file's present text.
    pub range: Range<usize>,
    /// What stands there afterwards.
    pub text: String,
    /// It is a part of one token: what is left on both sides belongs together.
    pub within_token: bool,
}

impl Edit {
    /// The edit that removes `range`.
    pub fn delete(file: FileId, range: Range<usize>) -> Edit {
        Edit {
            file,
            range,
            text: String::new(),
            within_token: false,
        }
    }

    /// The edit that removes `range` from the token around it.
    pub fn within(file: FileId, range: Range<usize>) -> Edit {
        Edit {
            within_token: true,
            ..Edit::delete(file, range)
        }
    }

    /// The edit that puts `text` in the place of `range`.
    pub fn replace(file: FileId, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit {
            file,
            range,
            text: text.into(),
            within_token: false,
        }
    }
}

/// A part of a text that is put together.
#[derive(Debug, Clone)]
pub enum Part<'t> {
    /// A stretch of another one, which keeps its origins.
    Of(&'t Text, Range<usize>),
    /// What stands nowhere in an original.
    New(String),
}

/// Where a byte stood originally.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Origin {
    /// The original file.
    pub file: FileId,
    /// The byte's offset in it.
    pub offset: u32,
}

/// A run of bytes that came from one place, or was put in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    start: u32,
    origin: Option<Origin>,
}

/// A file's present text, and the offset map to the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: Arc<str>,
    pieces: Arc<[Piece]>,
}

impl Text {
    /// The text of an original file.
    pub fn original(file: FileId, text: impl Into<Arc<str>>) -> Text {
        Text {
            text: text.into(),
            pieces: Arc::new([Piece {
                start: 0,
                origin: Some(Origin { file, offset: 0 }),
            }]),
        }
    }

    /// Text that counts as standing at `origin`, whatever is there.
    pub fn standing_at(origin: Origin, text: impl Into<Arc<str>>) -> Text {
        Text {
            text: text.into(),
            pieces: Arc::new([Piece {
                start: 0,
                origin: Some(origin),
            }]),
        }
    }

    /// Text that stands nowhere in the original.
    pub fn inserted(text: impl Into<Arc<str>>) -> Text {
        Text {
            text: text.into(),
            pieces: Arc::new([Piece {
                start: 0,
                origin: None,
            }]),
        }
    }

    /// `text` made of runs of bytes that begin where `pieces` say, each with where it stood originally; `None` if they are not
    /// in order or do not cover it.
    pub fn of_pieces(
        text: impl Into<Arc<str>>,
        pieces: impl IntoIterator<Item = (u32, Option<Origin>)>,
    ) -> Option<Text> {
        let text = text.into();
        let pieces: Arc<[Piece]> = pieces
            .into_iter()
            .map(|(start, origin)| Piece { start, origin })
            .collect();
        let ordered = pieces.is_sorted_by_key(|piece| piece.start);
        let bounds = pieces
            .iter()
            .all(|piece| text.is_char_boundary(piece.start as usize));
        let covered = pieces.first().is_some_and(|piece| piece.start == 0);
        (ordered && bounds && covered).then_some(Text { text, pieces })
    }

    /// The runs of bytes that it is made of: where each begins, and where it stood originally.
    pub fn pieces(&self) -> impl Iterator<Item = (u32, Option<Origin>)> + '_ {
        self.pieces.iter().map(|piece| (piece.start, piece.origin))
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text itself, shared.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// Where the byte at `offset` stood originally; `None` for what was put in.
    pub fn origin(&self, offset: usize) -> Option<Origin> {
        let index = self
            .pieces
            .partition_point(|piece| piece.start as usize <= offset)
            .checked_sub(1)?;
        let piece = self.pieces[index];
        piece.origin.map(|origin| Origin {
            file: origin.file,
            offset: origin.offset + (offset as u32 - piece.start),
        })
    }

    /// What of `range` stood in originals, piece by piece: where, and how many bytes.
    pub fn originals(&self, range: Range<usize>) -> impl Iterator<Item = (Origin, u32)> + '_ {
        let (start, end) = (range.start as u32, range.end.min(self.text.len()) as u32);
        let first = self.pieces.partition_point(|piece| piece.start <= start);
        let first = first.saturating_sub(1);
        let ends = self.pieces[first..]
            .iter()
            .skip(1)
            .map(|next| next.start)
            .chain([self.text.len() as u32]);
        let pieces = self.pieces[first..].iter().zip(ends);
        pieces
            .take_while(move |(piece, _)| piece.start < end)
            .filter_map(move |(piece, stop)| {
                let from = piece.start.max(start);
                let to = stop.min(end);
                let origin = piece.origin?;
                let at = Origin {
                    file: origin.file,
                    offset: origin.offset + (from - piece.start),
                };
                (from < to).then_some((at, to - from))
            })
    }

    /// Where the byte that stood at `origin` stands now.
    pub fn find(&self, origin: Origin) -> Option<usize> {
        let byte = origin.offset..origin.offset + 1;
        self.surviving(origin.file, &byte).map(|range| range.start)
    }

    /// From the first to the last byte that is left of what stood in `range` of `file`.
    pub fn surviving(&self, file: FileId, range: &Range<u32>) -> Option<Range<usize>> {
        let mut found: Option<Range<usize>> = None;
        let ends = self.pieces.iter().skip(1).map(|next| next.start);
        let ends = ends.chain([self.text.len() as u32]);
        for (piece, end) in self.pieces.iter().zip(ends) {
            let Some(origin) = piece.origin.filter(|origin| origin.file == file) else {
                continue;
            };
            let from = range.start.max(origin.offset);
            let to = range.end.min(origin.offset + (end - piece.start));
            if from < to {
                let place = |offset: u32| (piece.start + (offset - origin.offset)) as usize;
                found = Some(match found {
                    Some(known) => known.start.min(place(from))..known.end.max(place(to - 1) + 1),
                    None => place(from)..place(to - 1) + 1,
                });
            }
        }
        found
    }

    /// The text after `edits`, which may stand in any order, nest and overlap: an edit inside a
    /// wider one is swallowed by it, overlapping ones are taken together.
    pub fn apply<'e>(&self, edits: impl IntoIterator<Item = &'e Edit>) -> Text {
        let splices = normalized(edits);
        if splices.is_empty() {
            return self.clone();
        }
        let mut builder = Builder::default();
        let mut at = 0;
        let mut glued = false;
        for Splice {
            range,
            text,
            within_token,
        } in splices
        {
            builder.copy(self, at..range.start, glued);
            builder.insert(&text);
            at = range.end.max(at);
            glued = within_token;
        }
        builder.copy(self, at..self.text.len(), glued);
        builder.finish()
    }

    /// Where the byte at `offset` of the text after `edits` stands in this text: its place, or the
    /// range that was replaced by the text it is in.
    pub fn before<'e>(
        &self,
        edits: impl IntoIterator<Item = &'e Edit>,
        offset: usize,
    ) -> Range<usize> {
        // How much longer the edited text is up to here; a space that keeps two words apart may be
        // missed by it, which moves the answer by a byte and never into another word's neighbour.
        let mut shift = 0_isize;
        for Splice { range, text, .. } in normalized(edits) {
            let start = (range.start as isize + shift) as usize;
            if offset < start {
                break;
            }
            if offset < start + text.len() {
                return range;
            }
            shift += text.len() as isize - range.len() as isize;
        }
        let at = (offset as isize - shift).clamp(0, self.text.len() as isize) as usize;
        at..at
    }

    /// `text` as another writing of this one: `runs` says which bytes of it (start in `text`, start
    /// here, length) stand for which bytes here, in order.
    pub fn rewritten(&self, text: &str, runs: &[(usize, usize, usize)]) -> Text {
        let mut pieces = vec![Piece {
            start: 0,
            origin: None,
        }];
        for (new, old, length) in runs {
            let origin = self.origin(*old);
            pieces.push(Piece {
                start: *new as u32,
                origin,
            });
            pieces.push(Piece {
                start: (new + length) as u32,
                origin: None,
            });
        }
        Text {
            text: text.into(),
            pieces: pieces.into(),
        }
    }

    /// What `parts` are together, and where each of them begins.
    pub fn assembled<'p>(parts: impl IntoIterator<Item = Part<'p>>) -> (Text, Vec<usize>) {
        let mut builder = Builder::default();
        let mut starts = Vec::new();
        for part in parts {
            starts.push(builder.text.len());
            match part {
                Part::Of(text, range) => builder.copy(text, range, true),
                Part::New(text) => {
                    builder.piece(None);
                    builder.text.push_str(&text);
                }
            }
        }
        (builder.finish(), starts)
    }

    /// This text with `other` put in the place of `range`, keeping the origins of both.
    pub fn splice(&self, range: Range<usize>, other: &Text) -> Text {
        let mut builder = Builder::default();
        builder.copy(self, 0..range.start, false);
        builder.copy(other, 0..other.text.len(), false);
        builder.copy(self, range.end..self.text.len(), false);
        builder.finish()
    }
}

/// What several edits do in one place.
struct Splice {
    range: Range<usize>,
    text: String,
    within_token: bool,
}

/// Sorted splices without overlap that do what `edits` do together.
fn normalized<'e>(edits: impl IntoIterator<Item = &'e Edit>) -> Vec<Splice> {
    let mut sorted: Vec<&Edit> = edits.into_iter().collect();
    sorted.sort_by(|a, b| {
        let widest_first = b.range.end.cmp(&a.range.end);
        // What is deleted is not replaced as well: the separators around it are gone.
        let deletion_first = a.text.len().min(1).cmp(&b.text.len().min(1));
        let start = a.range.start.cmp(&b.range.start);
        start.then(widest_first).then(deletion_first)
    });
    let mut splices: Vec<Splice> = Vec::with_capacity(sorted.len());
    for edit in sorted {
        match splices.last_mut() {
            Some(Splice { range: last, .. })
                if edit.range.end <= last.end && edit.range.start < last.end => {}
            Some(last) if edit.range.start < last.range.end => {
                last.range.end = edit.range.end;
                last.text.push_str(&edit.text);
                last.within_token &= edit.within_token;
            }
            _ => splices.push(Splice {
                range: edit.range.clone(),
                text: edit.text.clone(),
                within_token: edit.within_token,
            }),
        }
    }
    splices
}

#[derive(Default)]
struct Builder {
    text: String,
    pieces: Vec<Piece>,
}

impl Builder {
    fn insert(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.piece(None);
        if self.text.ends_with(is_word) && text.starts_with(is_word) {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn copy(&mut self, from: &Text, range: Range<usize>, within_token: bool) {
        if range.is_empty() {
            return;
        }
        // A deletion must not glue two words together.
        let glued = self.text.ends_with(is_word) && from.text[range.clone()].starts_with(is_word);
        if glued && !within_token {
            self.insert(" ");
        }
        let first = from
            .pieces
            .partition_point(|piece| piece.start as usize <= range.start)
            .saturating_sub(1);
        for (index, piece) in from.pieces.iter().enumerate().skip(first) {
            let start = (piece.start as usize).max(range.start);
            let end = from
                .pieces
                .get(index + 1)
                .map_or(from.text.len(), |next| next.start as usize)
                .min(range.end);
            if start >= range.end {
                break;
            }
            if start < end {
                self.piece(piece.origin.map(|origin| Origin {
                    file: origin.file,
                    offset: origin.offset + (start as u32 - piece.start),
                }));
                self.text.push_str(&from.text[start..end]);
            }
        }
    }

    fn piece(&mut self, origin: Option<Origin>) {
        let start = self.text.len() as u32;
        self.pieces.push(Piece { start, origin });
    }

    fn finish(self) -> Text {
        Text {
            text: self.text.into(),
            pieces: self.pieces.into(),
        }
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileId = FileId(0);

    fn edits(list: &[(Range<usize>, &str)]) -> Vec<Edit> {
        list.iter()
            .map(|(range, text)| Edit::replace(FILE, range.clone(), *text))
            .collect()
    }

    #[test]
    fn positions_after_edits_map_back_to_the_original() {
        let text = Text::original(FILE, "alpha beta gamma");
        let once = text.apply(&edits(&[(0..6, ""), (11..16, "delta")]));
        assert_eq!(once.as_str(), "beta delta");
        assert_eq!(once.origin(0).map(|o| o.offset), Some(6));
        assert_eq!(once.origin(5), None);
        let twice = once.apply(&edits(&[(0..2, "")]));
        assert_eq!(twice.as_str(), "ta delta");
        assert_eq!(twice.origin(1).map(|o| o.offset), Some(9));
    }

    #[test]
    fn an_edit_inside_a_wider_one_is_swallowed() {
        let text = Text::original(FILE, "f(a, b) + c");
        let result = text.apply(&edits(&[(2..3, "x"), (0..7, "y"), (10..11, "z")]));
        assert_eq!(result.as_str(), "y + z");
    }

    #[test]
    fn a_deletion_does_not_glue_two_words() {
        let text = Text::original(FILE, "pub(crate)fn f");
        assert_eq!(text.apply(&edits(&[(3..10, "")])).as_str(), "pub fn f");
    }

    #[test]
    fn splicing_keeps_the_origins_of_both_texts() {
        let outer = Text::original(FILE, "mod x;");
        let inner = Text::original(FileId(1), "fn f() {}");
        let result = outer.splice(5..6, &inner);
        assert_eq!(result.as_str(), "mod xfn f() {}".replace("xf", "x f"));
        let file = result
            .origin(result.as_str().find("f()").unwrap_or(0))
            .map(|o| o.file);
        assert_eq!(file, Some(FileId(1)));
    }
}
