//! Copies of the user's files in the scratch directory. Reads the user's tree and never writes there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::Subject;

/// What is never part of a package's source.
fn is_foreign(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();
    matches!(name, ".git" | ".hg" | ".svn" | ".jj" | "node_modules")
        || path.join("CACHEDIR.TAG").exists()
}

/// The files below `from`, relative to it, sorted; target directories, what is named in `without` and
/// version control left out.
///
/// # Errors
///
/// When a directory cannot be read; the error names it.
pub fn list(from: &Path, without: &[PathBuf]) -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let mut found = Vec::new();
    let mut open = vec![from.to_path_buf()];
    while let Some(directory) = open.pop() {
        let fail = |error| (directory.clone(), error);
        for entry in fs::read_dir(&directory).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            // Links are followed: the copy has to stand on its own.
            let Ok(kind) = fs::metadata(&path) else {
                continue;
            };
            if kind.is_dir() {
                let target = directory == from && path.ends_with("target");
                if !is_foreign(&path) && !target && !without.contains(&path) {
                    open.push(path);
                }
            } else if kind.is_file()
                && let Ok(relative) = path.strip_prefix(from)
            {
                found.push(relative.to_path_buf());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The subject made of the files `paths` below `root`.
///
/// # Errors
///
/// When a file cannot be read; the error names it.
pub fn read(root: &Path, paths: &[PathBuf]) -> Result<Subject, (PathBuf, io::Error)> {
    let mut files = Vec::with_capacity(paths.len());
    for path in paths {
        let bytes = fs::read(root.join(path)).map_err(|error| (root.join(path), error))?;
        files.push((path.clone(), bytes));
    }
    Ok(Subject::new(files))
}

/// Copies what cargo has built for crates that are not named in `own` (crate names with `_`) from
/// one target directory to another, modification times included, so that it need not be built again.
/// What cannot be copied is left out: cargo then builds it.
pub fn built_dependencies(from: &Path, to: &Path, own: &[String]) {
    let is_own = |name: &str| {
        let name = name.strip_prefix("lib").unwrap_or(name).replace('-', "_");
        own.iter().any(|own| {
            let rest = name.strip_prefix(own.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '.']))
        })
    };
    let mut open = vec![PathBuf::new()];
    while let Some(relative) = open.pop() {
        let Ok(entries) = fs::read_dir(from.join(&relative)) else {
            continue;
        };
        for entry in entries.flatten() {
            let (name, path) = (entry.file_name(), relative.join(entry.file_name()));
            let name = name.to_string_lossy();
            let depth = relative.components().count();
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let skipped = matches!(
                &*name,
                "incremental" | "examples" | "tmp" | "doc" | "package" | "cargo-reduce"
            ) || depth >= 1 && is_own(&name);
            if skipped {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && (depth > 1 || name.starts_with('.')) {
                // Best effort: see above.
                let _ = copy_with_times(&from.join(&path), &to.join(&path));
            }
        }
    }
}

fn copy_with_times(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to)?;
    let modified = fs::metadata(from)?.modified()?;
    let file = fs::OpenOptions::new().write(true).open(to)?;
    file.set_times(fs::FileTimes::new().set_modified(modified))
}
