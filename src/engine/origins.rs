//! Where each byte of a result stood in the original, kept beside the result: a resumed run tells by it whether what the
//! result shows is the failure of the original, at its place.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::subject::Subject;
use crate::syntax::{FileId, Origin, Text};

/// A run of bytes: where it begins, and where it stood, as a file's number and an offset.
type Piece = (u32, Option<(u32, u32)>);

/// The origins of the texts of one subject.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
pub(super) struct Origins {
    /// The key of the subject, in hexadecimal digits.
    subject: String,
    /// The runs of each file that is text, by the file's number.
    files: HashMap<u32, Vec<Piece>>,
}

impl Origins {
    /// Those of `subject`.
    pub(super) fn of(subject: &Subject) -> Origins {
        let texts = subject.files().iter().zip(0..).filter_map(|(file, id)| {
            let pieces = file.text()?.pieces();
            let pieces =
                pieces.map(|(start, origin)| (start, origin.map(|of| (of.file.0, of.offset))));
            Some((id, pieces.collect()))
        });
        Origins {
            subject: subject.key().to_hex().to_string(),
            files: texts.collect(),
        }
    }

    /// Those that the file at `path` has, if there is one.
    pub(super) fn read(path: &Path) -> Option<Origins> {
        serde_json::from_slice(&std::fs::read(path).ok()?).ok()
    }

    /// Writes them to the file at `path`.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        std::fs::write(path, serde_json::to_vec(self)?)
    }

    /// `subject` with these origins, if they are its own; as it is, if not.
    pub(super) fn given_to(&self, subject: Subject) -> Subject {
        if self.subject != subject.key().to_hex().as_str() {
            return subject;
        }
        let mut given = subject.clone();
        for (at, pieces) in &self.files {
            let Some(text) = subject
                .files()
                .get(*at as usize)
                .and_then(|file| file.text())
            else {
                return subject;
            };
            let pieces = pieces.iter().map(|(start, origin)| {
                let origin = origin.map(|(file, offset)| Origin {
                    file: FileId(file),
                    offset,
                });
                (*start, origin)
            });
            match Text::of_pieces(text.shared(), pieces) {
                Some(text) => given = given.with_text(FileId(*at), text),
                None => return subject,
            }
        }
        given
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::Edit;

    const MAIN: FileId = FileId(0);

    fn whole() -> Subject {
        Subject::new([("main.rs".into(), "fn a() {}\nfn b() {}\n".into())])
    }

    fn text(subject: &Subject) -> &Text {
        subject.file(MAIN).text().expect("it is text")
    }

    fn without_a() -> Subject {
        let whole = whole();
        let left = text(&whole).apply(&[Edit::delete(MAIN, 0..10)]);
        whole.with_text(MAIN, left)
    }

    fn read_again(origins: &Origins) -> Origins {
        let directory = tempfile::tempdir().expect("a directory can be made");
        let path = directory.path().join("origins.json");
        origins.write(&path).expect("it can be written");
        Origins::read(&path).expect("it can be read")
    }

    #[test]
    fn what_is_read_from_disk_stands_where_it_stood() {
        let left = without_a();
        let found = whole().with_text(MAIN, Text::inserted(text(&left).shared()));
        let at = |subject: &Subject| text(subject).origin(3);
        assert_eq!(at(&found), None);
        let given = read_again(&Origins::of(&left)).given_to(found);
        let origin = Origin {
            file: MAIN,
            offset: 13,
        };
        assert_eq!(at(&given), Some(origin));
    }

    #[test]
    fn origins_of_another_subject_are_not_taken() {
        let other = whole().with_text(MAIN, Text::inserted("fn b() { 1 }\n"));
        let given = read_again(&Origins::of(&without_a())).given_to(other.clone());
        assert_eq!(text(&given), text(&other));
    }
}
