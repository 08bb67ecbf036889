//! Files of the output directory, written so that a reader finds the old one or the new one and never a part.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::{Failure, Summary, markdown};

/// Writes `report.json` and `report.md` to the summary's output directory.
///
/// # Errors
///
/// [`Failure::Io`] when the directory cannot be made or a file cannot be written.
pub fn write_reports(summary: &Summary) -> Result<(), Failure> {
    let directory = &summary.output;
    fs::create_dir_all(directory).map_err(Failure::io("creating the directory", directory))?;
    let mut json = serde_json::to_string_pretty(summary).map_err(|error| Failure::Bug {
        doing: "writing report.json".to_owned(),
        why: error.to_string(),
    })?;
    json.push('\n');
    write_atomically(&directory.join("report.json"), json.as_bytes())?;
    write_atomically(&directory.join("report.md"), markdown(summary).as_bytes())
}

/// Writes `content` to `path` by way of a file beside it that is then renamed, so that a crash leaves the old
/// content or the new.
///
/// The file beside it has a fixed name: what a killed process left is taken by the next one.
///
/// # Errors
///
/// [`Failure::Io`] when writing or renaming fails; `path` is as it was.
pub fn write_atomically(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let partial = partial_path(path);
    let written = write_through(&partial, content).and_then(|()| fs::rename(&partial, path));
    written.map_err(|error| {
        // The error that matters is the first one.
        let _ = fs::remove_file(&partial);
        Failure::io("writing", path)(error)
    })
}

fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// Content before name: without the sync, some file systems leave an empty file after a power cut.
fn write_through(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("best.rs");
        write_atomically(&path, b"fn main() {}").unwrap();
        write_atomically(&path, b"fn f() {}").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"fn f() {}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_a_killed_process_left_does_not_matter() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("best.rs");
        fs::write(partial_path(&path), "half a fi").unwrap();
        write_atomically(&path, b"whole").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole");
        assert!(!partial_path(&path).exists());
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_says_which() {
        let directory = tempfile::tempdir().unwrap();
        // A directory of that name cannot be replaced by a file.
        let path = directory.path().join("report.json");
        fs::create_dir_all(path.join("inside")).unwrap();
        let failure = write_atomically(&path, b"{}").unwrap_err();
        assert!(failure.to_string().starts_with("writing "), "{failure}");
        assert!(failure.to_string().contains("report.json"), "{failure}");
        assert!(path.join("inside").exists());
        assert!(!partial_path(&path).exists());
    }
}
