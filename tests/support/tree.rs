//! What lies in a directory, to the byte.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file, a link or a directory as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Entry {
    Directory,
    Link(PathBuf),
    File {
        bytes: Vec<u8>,
        modified: SystemTime,
        read_only: bool,
    },
}

/// Everything below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    entries: BTreeMap<PathBuf, Entry>,
}

impl Tree {
    /// Reads the whole directory, but for what lies below `except`.
    pub fn of(root: &Path, except: Option<&Path>) -> Tree {
        let mut entries = BTreeMap::new();
        let mut open = vec![root.to_path_buf()];
        while let Some(directory) = open.pop() {
            for entry in fs::read_dir(&directory).expect("a directory of ours can be read") {
                let path = entry.expect("its entries can be read").path();
                if Some(path.as_path()) == except {
                    continue;
                }
                let meta = fs::symlink_metadata(&path).expect("what is listed is there");
                let found = if meta.is_symlink() {
                    Entry::Link(fs::read_link(&path).expect("a link leads somewhere"))
                } else if meta.is_dir() {
                    open.push(path.clone());
                    Entry::Directory
                } else {
                    Entry::File {
                        bytes: fs::read(&path).expect("a file of ours can be read"),
                        modified: meta.modified().expect("files have a time"),
                        read_only: meta.permissions().readonly(),
                    }
                };
                let name = path.strip_prefix(root).expect("it lies below the root");
                entries.insert(name.to_path_buf(), found);
            }
        }
        Tree { entries }
    }

    /// The files in it, in order.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.entries
            .iter()
            .filter(|(_, entry)| !matches!(entry, Entry::Directory))
            .map(|(path, _)| path.as_path())
    }

    /// What `later` has, lacks or has otherwise, one line each.
    pub fn differences(&self, later: &Tree) -> Vec<String> {
        let gone = self.entries.iter().filter_map(|(path, entry)| {
            let what = match later.entries.get(path) {
                None => "is gone",
                Some(other) if other != entry => "changed",
                Some(_) => return None,
            };
            Some(format!("{} {what}", path.display()))
        });
        let new = later.entries.keys().filter_map(|path| {
            let known = self.entries.contains_key(path);
            (!known).then(|| format!("{} is new", path.display()))
        });
        gone.chain(new).collect()
    }
}

/// Copies a directory with everything in it but what cargo built there and locked.
pub fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the copy's directory can be made");
    for entry in fs::read_dir(from).expect("the directory can be read") {
        let entry = entry.expect("its entries can be read");
        let (source, name) = (entry.path(), entry.file_name());
        if name == "target" {
            continue;
        }
        let goal = to.join(&name);
        if source.is_dir() {
            copy(&source, &goal);
        } else {
            fs::copy(&source, &goal).expect("the file can be copied");
        }
    }
}
