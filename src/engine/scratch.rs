//! The scratch directory: where candidates are written and compiled; gone when we are, whatever way that is.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::report::Failure;

/// Scratch directories that exist now.
static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A directory that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new one, below the system's directory for temporary files.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new() -> Result<Scratch, Failure> {
        let temporary = std::env::temp_dir();
        let directory = tempfile::Builder::new()
            .prefix("cargo-reduce-")
            .tempdir_in(&temporary)
            .map_err(Failure::io("creating a scratch directory in", temporary))?;
        // Links in its path would make rustc's and our names for a file differ.
        let kept = directory.keep();
        let path = kept.canonicalize().unwrap_or(kept);
        present().push(path.clone());
        Ok(Scratch { path })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What cannot be removed is left to the system's own cleaning of its temporary files.
        let _ = std::fs::remove_dir_all(&self.path);
        present().retain(|other| *other != self.path);
    }
}

/// Removes all scratch directories: for a process that is about to end without unwinding.
pub fn remove_all() {
    for path in present().drain(..) {
        let _ = std::fs::remove_dir_all(path);
    }
}

fn present() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    // A panic while the list was held leaves a list that is still right.
    PRESENT
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
