//! The scratch directory: where candidates are written and compiled; gone when we are, or, after a kill, when
//! the next reduction starts.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::report::Failure;
use crate::subject::place::TEMPORARY;

/// Scratch directories that exist now.
static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What its name begins with; our process number follows.
const PREFIX: &str = "cargo-reduce-";

/// A file in it that we keep locked: a process of the same number in another container does not.
const LOCK: &str = ".lock";

/// A directory that is removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    _lock: File,
}

impl Scratch {
    /// A new one, below the system's directory for temporary files. Those that killed runs of the same
    /// user left there are removed.
    ///
    /// # Errors
    ///
    /// When it cannot be made.
    pub fn new() -> Result<Scratch, Failure> {
        let temporary = std::env::temp_dir();
        for entry in fs::read_dir(&temporary).into_iter().flatten().flatten() {
            remove_abandoned(&entry.path());
        }
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{}-", std::process::id()))
            .tempdir_in(&temporary)
            .map_err(Failure::io("creating a scratch directory in", temporary))?;
        // Links in its path would make rustc's and our names for a file differ.
        let kept = directory.keep();
        let path = kept.canonicalize().unwrap_or(kept);
        present().push(path.clone());
        let temporary = path.join(TEMPORARY);
        fs::create_dir(&temporary).map_err(Failure::io("creating", &temporary))?;
        let lock = File::create(path.join(LOCK))
            .and_then(|file| file.lock().map(|()| file))
            .map_err(Failure::io("locking", path.join(LOCK)))?;
        Ok(Scratch { path, _lock: lock })
    }

    /// The directory in it for the temporary files (`TMPDIR`) of what we start.
    pub fn temporary(&self) -> PathBuf {
        self.path.join(TEMPORARY)
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

/// Removes `path` if it is a scratch directory of this user that no living process works in.
pub fn remove_abandoned(path: &Path) {
    if is_abandoned(path).unwrap_or(false) {
        // What the run started is being killed with it, and may write for another moment.
        for _ in 0..3 {
            if fs::remove_dir_all(path).is_ok() {
                return;
            }
        }
    }
}

/// `None` if it is not known whose it is.
fn is_abandoned(path: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt;
    let rest = path.file_name()?.to_str()?.strip_prefix(PREFIX)?;
    let process: i32 = rest.split_once('-')?.0.parse().ok()?;
    let metadata = path.symlink_metadata().ok()?;
    if !metadata.is_dir() || metadata.uid() != rustix::process::geteuid().as_raw() {
        return Some(false);
    }
    let process = rustix::process::Pid::from_raw(process)?;
    let alive = rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH);
    let locked = File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_err());
    Some(!alive && !locked)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A number that no process has: one that had it is gone and waited for.
    fn dead() -> u32 {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        child.wait().unwrap();
        child.id()
    }

    fn named(parent: &Path, process: u32) -> PathBuf {
        let path = parent.join(format!("{PREFIX}{process}-x"));
        fs::create_dir_all(path.join("tree")).unwrap();
        path
    }

    #[test]
    fn what_a_dead_process_left_is_removed() {
        let parent = tempfile::tempdir().unwrap();
        let path = named(parent.path(), dead());
        remove_abandoned(&path);
        assert!(!path.exists());
    }

    #[test]
    fn what_a_process_works_in_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = named(parent.path(), std::process::id());
        remove_abandoned(&path);
        assert!(path.exists());
    }

    #[test]
    fn what_is_locked_stays_though_no_process_has_the_number_here() {
        let parent = tempfile::tempdir().unwrap();
        let path = named(parent.path(), dead());
        let lock = File::create(path.join(LOCK)).unwrap();
        lock.lock().unwrap();
        remove_abandoned(&path);
        assert!(path.exists());
    }

    #[test]
    fn what_has_another_name_stays() {
        let parent = tempfile::tempdir().unwrap();
        for name in ["cargo-reduce-", "cargo-reduce-results", "cargo-reduce-x-1"] {
            let path = parent.path().join(name);
            fs::create_dir(&path).unwrap();
            remove_abandoned(&path);
            assert!(path.exists(), "{name}");
        }
    }
}
