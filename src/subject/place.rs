//! Subjects on disk: a directory that holds one candidate after another, written by difference.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Subject;

/// The name of the directory for temporary files beside a place.
pub const TEMPORARY: &str = "tmp";

/// A directory that holds a subject; putting the next one writes only what differs.
#[derive(Debug)]
pub struct Place {
    root: PathBuf,
    present: Option<Subject>,
}

impl Place {
    /// An empty place at `root`, which need not exist yet.
    pub fn new(root: impl Into<PathBuf>) -> Place {
        Place {
            root: root.into(),
            present: None,
        }
    }

    /// A place at `root` that holds `subject` already.
    pub fn holding(root: impl Into<PathBuf>, subject: Subject) -> Place {
        Place {
            root: root.into(),
            present: Some(subject),
        }
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What lies there now.
    pub fn present(&self) -> Option<&Subject> {
        self.present.as_ref()
    }

    /// The directory for temporary files (`TMPDIR`) of what works on the subject, beside the place; those that
    /// lie side by side share it. It is emptied: what was killed has left its files there.
    ///
    /// # Errors
    ///
    /// When it cannot be made or emptied.
    pub fn temporary(&self) -> io::Result<PathBuf> {
        let directory = self.root.with_file_name(TEMPORARY);
        match fs::remove_dir_all(&directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// Says that the directory has been moved.
    pub fn moved_to(&mut self, root: PathBuf) {
        self.root = root;
    }

    /// Makes the directory hold `subject`.
    ///
    /// # Errors
    ///
    /// When a file cannot be written or removed; the place is then put anew at the next call.
    pub fn put(&mut self, subject: &Subject) -> io::Result<()> {
        let before = self.present.take();
        fs::create_dir_all(&self.root)?;
        let before = before.as_ref().map_or(&[][..], Subject::files);
        for (at, known) in before.iter().enumerate() {
            let now = subject.files().get(at);
            if known.exists() && now.is_none_or(|now| now.path != known.path) {
                let path = self.root.join(&known.path);
                removed(&path)?;
                // Directories that hold nothing any more go too.
                let around = path.ancestors().skip(1);
                let own = around.take_while(|outer| *outer != self.root);
                own.take_while(|outer| fs::remove_dir(outer).is_ok())
                    .for_each(drop);
            }
        }
        for (at, file) in subject.files().iter().enumerate() {
            let known = before.get(at);
            if known.is_some_and(|known| known.path == file.path && known.same_as(file)) {
                continue;
            }
            let path = self.root.join(&file.path);
            match file.bytes() {
                Some(bytes) => {
                    if let Some(parent) = path.parent() {
                        fs::create_dir_all(parent)?;
                    }
                    fs::write(&path, bytes)?;
                }
                None => removed(&path)?,
            }
        }
        self.present = Some(subject.clone());
        Ok(())
    }
}

/// Removes the file at `path`, if there is one.
///
/// # Errors
///
/// When it is there and cannot be removed.
pub fn removed(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
