//! Copies of the user's files in the scratch directory. Reads the user's tree and never writes there.

use std::collections::BTreeSet;
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

/// Copies what cargo has built for packages that are not named in `own` from one target directory to
/// another, modification times included, so that it need not be built again.
/// What cannot be copied is left out: cargo then builds it.
pub fn built_dependencies(from: &Path, to: &Path, own: &BTreeSet<&str>) {
    let own = hashes_of(from, own);
    let mut open = vec![PathBuf::new()];
    while let Some(relative) = open.pop() {
        let all = entries(&from.join(&relative));
        // What comes out of a build lies beside the units that it is made of.
        let holds_results =
            relative == Path::new("") || all.iter().any(|(name, _)| name == ".fingerprint");
        for (name, kind) in all {
            let path = relative.join(&name);
            let skipped = matches!(
                &*name,
                "incremental" | "examples" | "tmp" | "doc" | "package" | "cargo-reduce"
            ) || hashed(&name).is_some_and(|(_, hash)| own.contains(hash));
            if skipped {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && (!holds_results || name.starts_with('.')) {
                // Best effort: see above.
                let _ = copy_with_times(&from.join(&path), &to.join(&path));
            }
        }
    }
}

/// The hashes by which cargo tells apart the units of the packages named in `own`. All that a unit leaves has its hash in the
/// name, and its fingerprint the package's name, too: a build script of a dependency is called like the package's own, and a
/// test can be called like a dependency.
fn hashes_of(target: &Path, own: &BTreeSet<&str>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    // `debug`, or `x86_64-unknown-linux-gnu/debug`.
    let mut open = vec![(target.to_path_buf(), 0)];
    while let Some((directory, depth)) = open.pop() {
        for (name, kind) in entries(&directory) {
            if name == ".fingerprint" {
                let units = entries(&directory.join(name)).into_iter();
                found.extend(units.filter_map(|(unit, _)| {
                    let (package, hash) = hashed(&unit)?;
                    own.contains(package).then(|| hash.to_string())
                }));
            } else if kind.is_dir() && depth < 2 {
                open.push((directory.join(name), depth + 1));
            }
        }
    }
    found
}

/// `serde` and `0bb60792ee24aca7` of `serde-0bb60792ee24aca7.d`.
fn hashed(name: &str) -> Option<(&str, &str)> {
    let stem = name.split('.').next()?;
    let (name, hash) = stem.rsplit_once('-')?;
    let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hash.then_some((name, hash))
}

/// What is in a directory, by name; nothing if it cannot be read.
fn entries(directory: &Path) -> Vec<(String, fs::FileType)> {
    let all = fs::read_dir(directory).into_iter().flatten().flatten();
    all.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some((name, entry.file_type().ok()?))
    })
    .collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What `cargo test` leaves of a package `near` that has a build script and a test called `far`, and of its dependency `far`,
    /// which has a build script as well.
    const BUILT: [&str; 10] = [
        "debug/.fingerprint/far-00000000000000a0/lib-far",
        "debug/.fingerprint/far-00000000000000a1/build-script-build-script-build",
        "debug/.fingerprint/near-00000000000000b0/test-integration-test-far",
        "debug/.fingerprint/near-00000000000000b1/build-script-build-script-build",
        "debug/build/far-00000000000000a1/build_script_build-00000000000000a1",
        "debug/build/near-00000000000000b1/build_script_build-00000000000000b1",
        "debug/deps/libfar-00000000000000a0.rlib",
        "debug/deps/far-00000000000000a0.d",
        "debug/deps/far-00000000000000b0",
        "debug/near",
    ];

    fn copied(below: &str) -> Vec<String> {
        let directory = tempfile::tempdir().unwrap();
        let (from, to) = (directory.path().join("from"), directory.path().join("to"));
        for file in BUILT {
            let path = from.join(below).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        built_dependencies(&from, &to, &BTreeSet::from(["near"]));
        let copied = list(&to.join(below), &[]).unwrap();
        let shown = |path: &PathBuf| path.display().to_string();
        copied.iter().map(shown).collect()
    }

    #[test]
    fn what_is_built_for_a_dependency_is_copied_also_if_it_is_called_like_something_of_the_package()
    {
        let of_the_dependency = [
            "debug/.fingerprint/far-00000000000000a0/lib-far",
            "debug/.fingerprint/far-00000000000000a1/build-script-build-script-build",
            "debug/build/far-00000000000000a1/build_script_build-00000000000000a1",
            "debug/deps/far-00000000000000a0.d",
            "debug/deps/libfar-00000000000000a0.rlib",
        ];
        assert_eq!(copied(""), of_the_dependency);
        assert_eq!(copied("x86_64-unknown-linux-gnu"), of_the_dependency);
    }
}
