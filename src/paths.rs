//! Paths as text: without a look at what is there.

use std::path::{Component, Path, PathBuf};

/// The directory that `path` lies in.
pub fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// `path` without `.` and `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                result.pop();
            }
            Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

/// How `to` is named from the directory `from`; both are relative to the same.
pub fn relative(from: &Path, to: &Path) -> String {
    let pairs = from.components().zip(to.components());
    let common = pairs.take_while(|(a, b)| a == b).count();
    let up = from.components().skip(common).map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to.components().skip(common)).collect();
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_as_seen_from_a_directory() {
        for (from, to, expected) in [
            ("src", "src/b.txt", "b.txt"),
            ("", "src/b.txt", "src/b.txt"),
            ("src/a", "tests/b.txt", "../../tests/b.txt"),
            ("a/src", "a/generated/x.rs", "../generated/x.rs"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), expected);
        }
        assert_eq!(normal(Path::new("a/./b/../c")), Path::new("a/c"));
    }
}
