//! The module tree: which file holds which module, and files put in the place of their `mod` items.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, NodeId};

/// `mod m;` → `mod m { … }`: a pump, not a deletion. The engine applies it; see [`InlineFiles::inlined`].
pub struct InlineFiles;

/// Which `mod m;` stands for which file.
#[derive(Debug, Default)]
pub struct Tree {
    /// The file of every `mod m;` that has one.
    pub files: BTreeMap<(FileId, NodeId), FileId>,
    /// All files that are reached from the roots, the roots included.
    pub reached: BTreeSet<FileId>,
}

impl Tree {
    /// Follows `mod` items from `roots` as rustc does: `m.rs`, `m/mod.rs`, `#[path]`.
    pub fn of(subject: &Subject, roots: &[FileId]) -> Tree {
        let mut result = Tree::default();
        let mut open: Vec<(FileId, PathBuf)> = Vec::new();
        for root in roots {
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

impl InlineFiles {
    /// `subject` with the files of all `mod m;` whose file has at most `limit` tokens put in their
    /// place, innermost first; `None` if there is none.
    pub fn inlined(subject: &Subject, roots: &[FileId], limit: usize) -> Option<Subject> {
        let modules = Tree::of(subject, roots);
        // Innermost first: a file that has file modules itself waits until those are in.
        let ((outer, id), inner) = modules.files.iter().find(|((outer, _), inner)| {
            let small = subject
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
        let file = subject.file(*outer);
        let (tree, text) = (file.tree()?, file.text()?);
        let node = tree.node(*id);
        let inner_text = subject.file(*inner).text()?;
        let semicolon = node.range.end - 1..node.range.end;
        let braced = crate::syntax::Text::inserted(" {\n").splice(3..3, inner_text);
        let length = braced.as_str().len();
        let braced = braced.splice(length..length, &crate::syntax::Text::inserted("\n}"));
        let mut result = subject
            .with_text(*outer, text.splice(semicolon, &braced))
            .without_file(*inner);
        // `#[path]` has done its work.
        let attributes = node.children.iter().map(|child| tree.node(*child).clone());
        let cut: Vec<_> = attributes
            .filter(|child| {
                child.kind == Kind::Attribute
                    && path_in(&file.source()[child.range.clone()]).is_some()
            })
            .map(|child| crate::syntax::Edit::delete(*outer, child.range))
            .collect();
        if !cut.is_empty() {
            let text = result.file(*outer).text()?.apply(&cut);
            result = result.with_text(*outer, text);
        }
        Some(result)
    }
}
