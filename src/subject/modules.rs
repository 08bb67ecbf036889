//! The module tree: which file holds which module, and files put in the place of their `mod` items.
//! Follows files as rustc does; knows no passes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Subject;
use crate::syntax::{Edit, FileId, ItemKind, Kind, NodeId, Text};

/// Which `mod m;` stands for which file.
#[derive(Debug, Default)]
pub struct ModuleTree {
    /// The file of every `mod m;` that has one.
    pub files: BTreeMap<(FileId, NodeId), FileId>,
    /// All files that are reached from the roots, the roots included.
    pub reached: BTreeSet<FileId>,
    /// Where files of modules would be looked for that have none in the subject.
    pub absent: BTreeSet<PathBuf>,
}

impl ModuleTree {
    /// Follows `mod` items from `roots` as rustc does: `m.rs`, `m/mod.rs`, `#[path]`.
    pub(super) fn of(subject: &Subject) -> ModuleTree {
        let mut result = ModuleTree::default();
        let mut open: Vec<(FileId, PathBuf)> = Vec::new();
        for root in subject.roots() {
            let directory = parent(&subject.file(*root).path);
            open.push((*root, directory));
        }
        while let Some((file, directory)) = open.pop() {
            if !result.reached.insert(file) {
                continue;
            }
            let Some(tree) = subject.file(file).tree() else {
                continue;
            };
            let source = subject.file(file).source();
            for (id, node) in tree.nodes() {
                if node.kind != Kind::Item(ItemKind::Mod)
                    || source[node.range.clone()].ends_with('}')
                {
                    continue;
                }
                let Some(name) = &node.name else { continue };
                let name = source[name.clone()].trim_start_matches("r#");
                let mut within = directory.clone();
                let mut outer: Vec<&str> = tree
                    .ancestors(id)
                    .map(|outer| tree.node(outer))
                    .filter(|outer| outer.kind == Kind::Item(ItemKind::Mod))
                    .filter_map(|outer| Some(&source[outer.name.clone()?]))
                    .collect();
                outer.reverse();
                within.extend(&outer);
                let mut candidates = Vec::new();
                let attributes = node.children.iter().map(|child| tree.node(*child));
                for attribute in attributes.filter(|child| child.kind == Kind::Attribute) {
                    let words = &source[attribute.range.clone()];
                    if let Some(path) = path_in(words) {
                        let base = if outer.is_empty() {
                            parent(&subject.file(file).path)
                        } else {
                            within.clone()
                        };
                        candidates.push((normal(&base.join(&path)), true));
                    }
                }
                candidates.push((within.join(format!("{name}.rs")), false));
                candidates.push((within.join(name).join("mod.rs"), true));
                for (path, owns_directory) in candidates {
                    let Some(found) = subject.find(&path).filter(|id| subject.file(*id).exists())
                    else {
                        result.absent.insert(path);
                        continue;
                    };
                    result.files.insert((file, id), found);
                    let inner = if owns_directory {
                        parent(&path)
                    } else {
                        within.join(name)
                    };
                    open.push((found, inner));
                }
            }
        }
        result
    }
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The value of `path = "…"` in an attribute, `cfg_attr` too.
fn path_in(attribute: &str) -> Option<String> {
    let at = attribute.find("path")?;
    let rest = attribute[at + 4..].trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_string())
}

/// `path` without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::ParentDir => {
                result.pop();
            }
            std::path::Component::CurDir => {}
            other => result.push(other),
        }
    }
    result
}

impl ModuleTree {
    /// The files of the `mod` items of `file` that lie in `range`, and the files of their modules.
    pub fn below(
        &self,
        subject: &Subject,
        file: FileId,
        range: &std::ops::Range<usize>,
    ) -> BTreeSet<FileId> {
        let mut found = BTreeSet::new();
        let Some(tree) = subject.file(file).tree() else {
            return found;
        };
        let inside = |id: &NodeId| {
            let node = tree.node(*id);
            range.start <= node.range.start && node.range.end <= range.end
        };
        let first = self
            .files
            .range((file, NodeId(0))..=(file, NodeId(u32::MAX)));
        let mut open: Vec<FileId> = first
            .filter(|((_, id), _)| inside(id))
            .map(|(_, inner)| *inner)
            .collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                let inner = self
                    .files
                    .range((next, NodeId(0))..=(next, NodeId(u32::MAX)));
                open.extend(inner.map(|(_, file)| *file));
            }
        }
        // A file that a `mod` item elsewhere names too stays, with those of its own modules.
        loop {
            let elsewhere: BTreeSet<FileId> = self
                .files
                .iter()
                .filter(|((outer, id), _)| !(found.contains(outer) || *outer == file && inside(id)))
                .map(|(_, inner)| *inner)
                .collect();
            let before = found.len();
            found.retain(|candidate| !elsewhere.contains(candidate));
            if found.len() == before {
                break;
            }
        }
        found
    }
}

impl Subject {
    /// This subject with one file that has at most `limit` tokens and no file modules of its own put
    /// in the place of its `mod` item; `None` if there is none.
    pub fn with_file_inlined(&self, limit: usize) -> Option<Subject> {
        let modules = self.modules();
        let ((outer, id), inner) = modules.files.iter().find(|((outer, _), inner)| {
            let small = self
                .file(**inner)
                .tree()
                .is_some_and(|tree| tree.tokens().len() <= limit);
            let leaf = !modules.files.keys().any(|(file, _)| file == *inner);
            let once = modules
                .files
                .values()
                .filter(|other| other == inner)
                .count()
                == 1;
            outer != *inner && small && leaf && once
        })?;
        let file = self.file(*outer);
        let (tree, text) = (file.tree()?, file.text()?);
        let node = tree.node(*id);
        let inner_text = self.file(*inner).text()?;
        let inner_text = inner_text.apply(&self.includes_from(*inner, *outer));
        let braced = Text::inserted(" {\n").splice(3..3, &inner_text);
        let length = braced.as_str().len();
        let braced = braced.splice(length..length, &Text::inserted("\n}"));
        let mut result = text.splice(node.range.end - 1..node.range.end, &braced);
        // `#[path]` has done its work; it stands before the place that has changed.
        let attributes = node.children.iter().map(|child| tree.node(*child));
        let cut: Vec<Edit> = attributes
            .filter(|child| {
                child.kind == Kind::Attribute
                    && path_in(&file.source()[child.range.clone()]).is_some()
            })
            .map(|child| Edit::delete(*outer, child.range.clone()))
            .collect();
        result = result.apply(&cut);
        Some(self.with_text(*outer, result).without_file(*inner))
    }

    /// The edits that let every `include!("…")` and the like in `from` find its file when it stands in `to`.
    pub(super) fn includes_from(&self, from: FileId, to: FileId) -> Vec<Edit> {
        let (here, there) = (parent(&self.file(from).path), parent(&self.file(to).path));
        let Some(tree) = self.file(from).tree().filter(|_| here != there) else {
            return Vec::new();
        };
        let source = self.file(from).source();
        let mut edits = Vec::new();
        for window in tree.tokens().windows(4) {
            let [name, mark, open, path] = [0, 1, 2, 3].map(|at| &source[window[at].range()]);
            let includes = matches!(name, "include" | "include_str" | "include_bytes");
            let relative = path
                .strip_prefix('"')
                .and_then(|path| path.strip_suffix('"'))
                .filter(|path| !path.starts_with('/') && !path.contains('\\'));
            if let (true, "!", Some(path)) =
                (includes && matches!(open, "(" | "[" | "{"), mark, relative)
            {
                let up = there.components().map(|_| Path::new("..").to_path_buf());
                let whole = up.collect::<PathBuf>().join(normal(&here.join(path)));
                let text = format!("{:?}", whole.display().to_string());
                edits.push(Edit::replace(from, window[3].range(), text));
            }
        }
        edits
    }

    /// The Rust files that rustc would not come to from the roots.
    pub fn orphans(&self) -> Vec<FileId> {
        let reached = &self.modules().reached;
        let all = self.sources().map(|(id, _, _)| id);
        all.filter(|id| !reached.contains(id)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        Subject::new(files).with_roots([FileId(0)])
    }

    #[test]
    fn files_are_found_as_rustc_finds_them() {
        let subject = subject(&[
            (
                "src/lib.rs",
                "mod a;\nmod b { mod c; }\n#[path = \"odd.rs\"] mod d;\nmod gone;",
            ),
            ("src/a.rs", "mod e;"),
            ("src/a/e.rs", ""),
            ("src/b/c/mod.rs", "mod f;"),
            ("src/b/c/f.rs", ""),
            ("src/odd.rs", ""),
            ("src/unused.rs", ""),
        ]);
        assert_eq!(subject.orphans(), [FileId(6)]);
    }

    #[test]
    fn removing_a_module_removes_its_files() {
        let subject = subject(&[
            ("src/lib.rs", "mod a;\nmod b;"),
            ("src/a.rs", "mod c;"),
            ("src/a/c.rs", "fn f() {}"),
            ("src/b.rs", ""),
        ]);
        let element =
            crate::subject::Element::cut(&subject, Kind::Item(ItemKind::Mod), FileId(0), 0..6);
        assert_eq!(element.drops, [FileId(1), FileId(2)]);
        assert_eq!(element.saves, 3 + 3 + 6);
    }

    #[test]
    fn a_module_that_is_declared_twice_keeps_all_its_files() {
        let subject = subject(&[
            ("src/lib.rs", "mod a;\nmod a;"),
            ("src/a.rs", "mod b;"),
            ("src/a/b.rs", "mod c;"),
            ("src/a/b/c.rs", ""),
        ]);
        let one =
            crate::subject::Element::cut(&subject, Kind::Item(ItemKind::Mod), FileId(0), 0..6);
        assert_eq!(one.drops, []);
    }

    #[test]
    fn what_a_file_includes_is_found_from_where_it_goes() {
        let subject = subject(&[
            ("src/lib.rs", "mod a;"),
            (
                "src/a/mod.rs",
                "const A: &str = include_str!(\"../b.txt\");",
            ),
        ]);
        let inlined = subject.with_file_inlined(100).expect("one file");
        let source = inlined.file(FileId(0)).source();
        assert!(
            source.contains("include_str!(\"../src/b.txt\")"),
            "{source}"
        );
    }

    #[test]
    fn a_small_file_goes_into_the_place_of_its_mod_item() {
        let subject = subject(&[
            ("src/lib.rs", "pub mod a;\nfn g() {}"),
            ("src/a.rs", "fn f() {}\n"),
        ]);
        let inlined = subject.with_file_inlined(100).expect("one file");
        assert_eq!(
            inlined.file(FileId(0)).source(),
            "pub mod a {\nfn f() {}\n\n}\nfn g() {}"
        );
        assert!(!inlined.file(FileId(1)).exists());
    }
}
