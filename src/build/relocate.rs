//! Paths as text: normal forms, and the same path in another copy of the tree; knows nothing of what they are for.

use std::path::{Path, PathBuf};

/// Takes paths in the captured tree to the same place in another tree.
#[derive(Debug, Clone)]
pub(super) struct Relocation<'a> {
    /// The captured tree, absolute.
    pub(super) from: &'a Path,
    /// The other one, absolute.
    pub(super) to: &'a Path,
    /// What stays where it is although it may lie in the captured tree: what cargo built.
    pub(super) fixed: &'a Path,
}

impl Relocation<'_> {
    /// A path that is in the tree moves; any other stays.
    pub(super) fn path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix(self.from) {
            Ok(inside) if !path.starts_with(self.fixed) => {
                if inside.as_os_str().is_empty() {
                    self.to.to_path_buf()
                } else {
                    self.to.join(inside)
                }
            }
            _ => path.to_path_buf(),
        }
    }

    /// Moves every path of the tree that occurs in a text such as `native=/tree/lib` or `/tree=/src`.
    pub(super) fn text(&self, text: &str) -> String {
        // Captured trees have UTF-8 paths, or the command lines would have been refused.
        let (Some(from), Some(to), Some(fixed)) =
            (self.from.to_str(), self.to.to_str(), self.fixed.to_str())
        else {
            return text.to_string();
        };
        let mut moved = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(from) {
            let here = &rest[at..];
            let before = rest[..at].chars().next_back().or(moved.chars().next_back());
            let is_path = !before.is_some_and(|before| before != ' ' && is_path_character(before))
                && ends_component(here, from)
                && !(here.starts_with(fixed) && ends_component(here, fixed));
            moved.push_str(&rest[..at]);
            moved.push_str(if is_path { to } else { from });
            rest = &here[from.len()..];
        }
        moved.push_str(rest);
        moved
    }
}

/// Whether `path`, with which `text` begins, is a whole path or the parent of one there.
fn ends_component(text: &str, path: &str) -> bool {
    let next = text[path.len()..].chars().next();
    !next.is_some_and(|next| next != '/' && is_path_character(next))
}

/// Characters that carry a path on. Separators of lists and options (`:`, `=`, `,`, `;`) and quotes do not.
fn is_path_character(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '~' | '@' | ' ')
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Relocation;

    fn relocation() -> Relocation<'static> {
        Relocation {
            from: Path::new("/a/tree"),
            to: Path::new("/b/copy"),
            fixed: Path::new("/a/tree/target"),
        }
    }

    #[test]
    fn paths_in_the_tree_move_and_what_cargo_built_stays() {
        for (before, after) in [
            ("/a/tree", "/b/copy"),
            ("/a/tree/src/lib.rs", "/b/copy/src/lib.rs"),
            ("/a/tree/target/debug/x", "/a/tree/target/debug/x"),
            ("/a/tree/targets", "/b/copy/targets"),
            ("/a/tree2/src", "/a/tree2/src"),
            ("src/lib.rs", "src/lib.rs"),
        ] {
            assert_eq!(relocation().path(Path::new(before)), Path::new(after));
            assert_eq!(relocation().text(before), after);
        }
    }

    #[test]
    fn paths_inside_an_argument_move_too() {
        for (before, after) in [
            ("native=/a/tree/lib", "native=/b/copy/lib"),
            (
                "/a/tree/x:/a/tree/target:/a/tree",
                "/b/copy/x:/a/tree/target:/b/copy",
            ),
            ("/a/tree=/a/tree", "/b/copy=/b/copy"),
            ("/x/a/tree/y", "/x/a/tree/y"),
            ("feature=\"a\"", "feature=\"a\""),
        ] {
            assert_eq!(relocation().text(before), after);
        }
    }
}
