//! What is being reduced: a set of files in memory, and what it becomes without some elements.
//! Knows no cargo and no processes; `load` and `write` alone touch the disk.

pub mod copy;
pub mod difference;
pub mod doc_test;
mod element;
mod inclusion;
mod join;
pub mod manifest;
mod modules;
pub mod place;
pub mod versions;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

pub use element::{Element, Elements};
pub use join::Joint;
pub use modules::ModuleTree;

use crate::syntax::{self, FileId, Origin, Text, Tree};

/// The crate that probes in a subject call.
pub const PROBE_CRATE: &str = "cargo_reduce_probe";

/// Set in what a mark writes among the numbers of probes.
pub const PROBE_MARK: u32 = 1 << 31;

/// Set in the number of a body's probe where it says who called the body whose number comes next.
pub const PROBE_CALL: u32 = 1 << 30;

/// Stands in front of the probes that were hit in the later half of a run, in what tells when each was hit last.
pub const PROBE_LATE: u32 = u32::MAX;

/// A file's contents.
#[derive(Debug, Clone)]
pub enum Content {
    /// UTF-8, with its offset map.
    Text(Text),
    /// Anything else; it can only stay or go.
    Bytes(Arc<[u8]>),
}

impl Content {
    /// What stands in the file `id` from the start.
    fn original(id: FileId, bytes: Vec<u8>) -> Content {
        match String::from_utf8(bytes) {
            Ok(text) => Content::Text(Text::original(id, text)),
            Err(error) => Content::Bytes(error.into_bytes().into()),
        }
    }
}

/// One file of the subject in one of its versions.
#[derive(Debug)]
struct Version {
    content: Content,
    tree: OnceLock<Tree>,
    hash: OnceLock<blake3::Hash>,
}

/// One file of the subject.
#[derive(Debug, Clone)]
pub struct File {
    /// Where it lies, relative to the subject's root.
    pub path: PathBuf,
    /// Its present version; `None` when it is gone.
    version: Option<Arc<Version>>,
}

/// A set of files; cheap to clone, files that did not change are shared.
#[derive(Debug, Clone)]
pub struct Subject {
    files: Arc<Vec<File>>,
    roots: Arc<[FileId]>,
    modules: Arc<OnceLock<ModuleTree>>,
    /// What macros made, and where the calls stood.
    made: Arc<Vec<Made>>,
}

/// Text that a macro made.
#[derive(Debug, Clone)]
struct Made {
    /// Where it counts as standing.
    file: FileId,
    range: Range<u32>,
    /// Where a failure in it does.
    call: Origin,
}

impl File {
    /// Whether the file is still there.
    pub fn exists(&self) -> bool {
        self.version.is_some()
    }

    /// Its text, if it is there and is text.
    pub fn text(&self) -> Option<&Text> {
        match &self.version.as_ref()?.content {
            Content::Text(text) => Some(text),
            Content::Bytes(_) => None,
        }
    }

    /// Its text, empty if there is none.
    pub fn source(&self) -> &str {
        self.text().map_or("", Text::as_str)
    }

    /// Its syntax, if it is a Rust file that is there.
    pub fn tree(&self) -> Option<&Tree> {
        let version = self.version.as_ref()?;
        match &version.content {
            Content::Text(text) if self.is_rust() => {
                Some(version.tree.get_or_init(|| syntax::parse(text.as_str())))
            }
            _ => None,
        }
    }

    /// Whether its name says that it is Rust.
    pub fn is_rust(&self) -> bool {
        self.path
            .extension()
            .is_some_and(|extension| extension == "rs")
    }

    /// Its bytes, if it is there.
    pub fn bytes(&self) -> Option<&[u8]> {
        Some(match &self.version.as_ref()?.content {
            Content::Text(text) => text.as_str().as_bytes(),
            Content::Bytes(bytes) => bytes,
        })
    }

    fn hash(&self) -> Option<blake3::Hash> {
        let version = self.version.as_ref()?;
        let bytes = self.bytes()?;
        Some(*version.hash.get_or_init(|| blake3::hash(bytes)))
    }

    /// Whether both are the same version of a file.
    pub fn same_as(&self, other: &File) -> bool {
        match (&self.version, &other.version) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b) || self.hash() == other.hash(),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Subject {
    /// A subject made of files: path relative to the subject's root, and contents.
    pub fn new(files: impl IntoIterator<Item = (PathBuf, Vec<u8>)>) -> Subject {
        let files = files
            .into_iter()
            .enumerate()
            .map(|(at, (path, bytes))| {
                let content = Content::original(FileId(at as u32), bytes);
                File {
                    path,
                    version: Some(Arc::new(Version::new(content))),
                }
            })
            .collect();
        Subject {
            files: Arc::new(files),
            roots: Arc::new([]),
            modules: Arc::default(),
            made: Arc::default(),
        }
    }

    /// This subject with its crates' root files named: from these the others are reached by `mod`.
    pub fn with_roots(mut self, roots: impl Into<Arc<[FileId]>>) -> Subject {
        self.roots = roots.into();
        self.modules = Arc::default();
        self
    }

    /// The root files of the crates.
    pub fn roots(&self) -> &[FileId] {
        &self.roots
    }

    /// Which file holds which module.
    pub fn modules(&self) -> &ModuleTree {
        self.modules.get_or_init(|| ModuleTree::of(self))
    }

    /// All files, those that are gone included, so that a [`FileId`] is an index.
    pub fn files(&self) -> &[File] {
        &self.files
    }

    /// The file `id`.
    pub fn file(&self, id: FileId) -> &File {
        &self.files[id.0 as usize]
    }

    /// The file at `path`, relative to the root.
    pub fn find(&self, path: &Path) -> Option<FileId> {
        let at = self.files.iter().position(|file| file.path == path)?;
        Some(FileId(at as u32))
    }

    /// Ids and files of the Rust files that are there, with their syntax.
    pub fn sources(&self) -> impl Iterator<Item = (FileId, &File, &Tree)> {
        self.files
            .iter()
            .enumerate()
            .filter_map(|(at, file)| Some((FileId(at as u32), file, file.tree()?)))
    }

    /// Tokens in all Rust files.
    pub fn tokens(&self) -> usize {
        self.sources().map(|(_, _, tree)| tree.tokens().len()).sum()
    }

    /// The number of Rust files that are there.
    pub fn source_files(&self) -> usize {
        self.sources().count()
    }

    /// This subject with room for files that it does not have yet: each is gone until it is given a text.
    pub fn with_room_for(&self, paths: impl IntoIterator<Item = PathBuf>) -> Subject {
        let mut files = (*self.files).clone();
        files.extend(paths.into_iter().map(|path| File {
            path,
            version: None,
        }));
        Subject {
            files: Arc::new(files),
            roots: Arc::clone(&self.roots),
            modules: Arc::default(),
            made: Arc::clone(&self.made),
        }
    }

    /// This subject with one file's text replaced.
    pub fn with_text(&self, id: FileId, text: Text) -> Subject {
        self.with_version(id, Some(Content::Text(text)))
    }

    /// This subject with one file more, whose contents count as original.
    pub fn with_file(&self, path: PathBuf, bytes: Vec<u8>) -> Subject {
        let id = FileId(self.files.len() as u32);
        self.with_room_for([path]).with_bytes(id, bytes)
    }

    /// This subject with one file's contents replaced; they count as original.
    pub fn with_bytes(&self, id: FileId, bytes: Vec<u8>) -> Subject {
        self.with_version(id, Some(Content::original(id, bytes)))
    }

    /// This subject without the file `id`.
    pub fn without_file(&self, id: FileId) -> Subject {
        self.with_version(id, None)
    }

    fn with_version(&self, id: FileId, content: Option<Content>) -> Subject {
        let mut files = (*self.files).clone();
        files[id.0 as usize].version = content.map(|content| Arc::new(Version::new(content)));
        Subject {
            files: Arc::new(files),
            roots: Arc::clone(&self.roots),
            modules: Arc::default(),
            made: Arc::clone(&self.made),
        }
    }

    /// This subject where what fails in the `length` bytes that stood at `origin` fails at `call`. Panics in what macros make are
    /// said to be where the outermost macro is called, and nobody would find them again once the call has been expanded.
    #[must_use]
    pub fn counting(mut self, origin: Origin, length: usize, call: Origin) -> Subject {
        Arc::make_mut(&mut self.made).push(Made {
            file: origin.file,
            range: origin.offset..origin.offset + length as u32,
            call,
        });
        self
    }

    /// Where a failure at `offset` of the file `id` counts as being, in terms of the original; `None` in what was put in.
    pub fn place(&self, id: FileId, offset: usize) -> Option<Origin> {
        let origin = self.file(id).text()?.origin(offset)?;
        let around = self
            .made
            .iter()
            .find(|made| made.file == origin.file && made.range.contains(&origin.offset));
        Some(around.map_or(origin, |made| made.call))
    }

    /// What stands now where failures count as being at `place`: the byte itself, or what is left of what a macro made there.
    pub fn standing_for(&self, place: Origin) -> Vec<(FileId, Range<usize>)> {
        let own = (place.file, place.offset..place.offset + 1);
        let made = self.made.iter().filter(|made| made.call == place);
        let made = made.map(|made| (made.file, made.range.clone()));
        let all: Vec<(FileId, Range<u32>)> = std::iter::once(own).chain(made).collect();
        let texts = self
            .sources()
            .filter_map(|(id, file, _)| Some((id, file.text()?)));
        texts
            .flat_map(|(id, text)| {
                let found = all.iter();
                let found = found.filter_map(|(file, range)| text.surviving(*file, range));
                found.map(move |range| (id, range)).collect::<Vec<_>>()
            })
            .collect()
    }

    /// A hash of everything: equal subjects have equal keys.
    pub fn key(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        for (at, file) in self.files.iter().enumerate() {
            if let Some(hash) = file.hash() {
                hasher.update(&(at as u64).to_le_bytes());
                hasher.update(hash.as_bytes());
            }
        }
        hasher.finalize()
    }

    /// The files that differ between `self` and `other`, which have the same list of files.
    pub fn changed<'a>(&'a self, other: &'a Subject) -> impl Iterator<Item = FileId> + 'a {
        let pairs = self.files.iter().zip(other.files.iter()).enumerate();
        pairs
            .filter(|(_, (a, b))| !a.same_as(b))
            .map(|(at, _)| FileId(at as u32))
    }
}

impl Version {
    fn new(content: Content) -> Version {
        Version {
            content,
            tree: OnceLock::new(),
            hash: OnceLock::new(),
        }
    }
}
