//! The module tree: which file holds which module, and files put in the place of their `mod` items.
//! Follows files as rustc does; knows no passes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::PathBuf;

use super::Subject;
use crate::paths::{normal, parent};
use crate::syntax::brought::Brings;
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
    /// The Rust file of every `include!("…")` that names one: by file and the call's first byte.
    pub included: BTreeMap<(FileId, usize), Included>,
}

/// What an `include!` is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Included {
    /// The call.
    pub call: Range<usize>,
    /// The file whose code is put there.
    pub file: FileId,
}

impl ModuleTree {
    /// Follows `mod` items from `roots` as rustc does: `m.rs`, `m/mod.rs`, `#[path]`; and `include!`.
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
            for (call, inner) in subject.brought_in(file) {
                if call.what == Brings::Code && subject.file(inner).is_rust() {
                    open.push((inner, parent(&subject.file(inner).path)));
                    let call = call.range;
                    let included = Included { call, file: inner };
                    result
                        .included
                        .insert((file, included.call.start), included);
                }
            }
        }
        result
    }
}

/// The value of `path = "…"` in an attribute, `cfg_attr` too.
fn path_in(attribute: &str) -> Option<String> {
    let at = attribute.find("path")?;
    let rest = attribute[at + 4..].trim_start().strip_prefix('=')?;
    let rest = rest.trim_start().strip_prefix('"')?;
    Some(rest[..rest.find('"')?].to_string())
}

impl ModuleTree {
    /// The files of the `mod` items of `file` that lie in `range`, and the files of their modules.
    pub fn below(&self, subject: &Subject, file: FileId, range: &Range<usize>) -> BTreeSet<FileId> {
        let mut found = BTreeSet::new();
        let Some(tree) = subject.file(file).tree() else {
            return found;
        };
        let inside = |id: &NodeId| {
            let node = tree.node(*id);
            range.start <= node.range.start && node.range.end <= range.end
        };
        let mut open: Vec<FileId> = self
            .of_modules(file)
            .filter(|(id, _)| inside(id))
            .map(|(_, inner)| inner)
            .collect();
        let holds = |call: &Range<usize>| range.start <= call.start && call.end <= range.end;
        let included = self.included_in(file);
        open.extend(included.filter(|one| holds(&one.call)).map(|one| one.file));
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(self.of_modules(next).map(|(_, file)| file));
                open.extend(self.included_in(next).map(|one| one.file));
            }
        }
        // A file that is named elsewhere, too, stays, with those of its own modules.
        loop {
            let modules = self
                .files
                .iter()
                .filter(|((outer, id), _)| !(found.contains(outer) || *outer == file && inside(id)))
                .map(|(_, inner)| *inner);
            let included = self
                .included
                .iter()
                .filter(|((outer, _), one)| {
                    !(found.contains(outer) || *outer == file && holds(&one.call))
                })
                .map(|(_, one)| one.file);
            let elsewhere: BTreeSet<FileId> = modules.chain(included).collect();
            let before = found.len();
            found.retain(|candidate| !elsewhere.contains(candidate));
            if found.len() == before {
                break;
            }
        }
        found
    }

    /// The `mod` items of `file` that have files, and these.
    fn of_modules(&self, file: FileId) -> impl Iterator<Item = (NodeId, FileId)> + '_ {
        let own = (file, NodeId(0))..=(file, NodeId(u32::MAX));
        self.files.range(own).map(|((_, id), inner)| (*id, *inner))
    }

    /// How often `file` is named, as a module and as what is included.
    pub(super) fn mentions(&self, file: FileId) -> usize {
        let modules = self.files.values().filter(|inner| **inner == file);
        let included = self.included.values().filter(|one| one.file == file);
        modules.count() + included.count()
    }

    /// What `file` includes.
    fn included_in(&self, file: FileId) -> impl Iterator<Item = &Included> + '_ {
        let own = (file, 0)..=(file, usize::MAX);
        self.included.range(own).map(|(_, included)| included)
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
            let leaf = modules.of_modules(**inner).next().is_none();
            outer != *inner && small && leaf && modules.mentions(**inner) == 1
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
