//! Several versions of a crate in one: each is a module of its own, so that one compilation decides about all of them and an
//! error says which one it is about. Knows names and paths, and no compiler.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::join::{library_paths, top_level};
use super::{Joint, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Text};

/// The directory of the versions, beside the root file of the crate.
const DIRECTORY: &str = "cargo_reduce_versions";

/// What the module of a version is called, with its number.
const MODULE: &str = "cargo_reduce_version_";

/// What there can be only one of, wherever in a crate it stands.
const ONLY_ONCE: [&str; 4] = [
    "export_name",
    "global_allocator",
    "macro_export",
    "no_mangle",
];

/// A crate that holds versions of another one.
pub struct Versions {
    /// The crate in place of the other one.
    pub subject: Subject,
    directory: PathBuf,
}

impl Versions {
    /// The number of the version that the file at `path`, relative to the root of the subject, is a part of.
    pub fn of(&self, path: &Path) -> Option<usize> {
        let inside = path.strip_prefix(&self.directory).ok()?;
        inside
            .components()
            .next()?
            .as_os_str()
            .to_str()?
            .parse()
            .ok()
    }
}

/// What a test that is called `name` is called in the version of this number.
pub fn name_in_version(number: usize, name: &str) -> String {
    format!("{MODULE}{number}::{name}")
}

impl Subject {
    /// Whether `other` differs from this subject only in what a module of the crate of the root file `root` can hold.
    pub fn has_version(&self, root: FileId, other: &Subject) -> bool {
        let both = &self.files_of(root) | &other.files_of(root);
        let inside = other.changed(self).all(|file| both.contains(&file));
        let own = head(self, root);
        inside && own.is_some() && own == head(other, root)
    }

    /// A crate of the root file `root` that holds `versions` of it, with their numbers. The paths of a crate of edition 2015
    /// begin at its root (`from_root`). `None` if one of its files is somewhere else, or holds what there can be only one of.
    pub fn with_versions<'v>(
        &self,
        root: FileId,
        from_root: bool,
        versions: impl IntoIterator<Item = (usize, &'v Subject)>,
    ) -> Option<Versions> {
        let beside = self.file(root).path.parent()?;
        let directory = beside.join(DIRECTORY);
        let name = self.file(root).path.file_name()?.to_str()?;
        let mut text = head(self, root)?;
        let mut added = Vec::new();
        for (number, version) in versions {
            text.push_str(&format!(
                "#[path = \"{DIRECTORY}/{number}/{name}\"] mod {MODULE}{number};\n"
            ));
            for file in version.files_of(root) {
                let source = version.file(file).source();
                if ONLY_ONCE.iter().any(|word| source.contains(word)) {
                    return None;
                }
                let path = version.file(file).path.strip_prefix(beside).ok()?;
                let path = directory.join(number.to_string()).join(path);
                added.push((path, as_module(version, (root, from_root), file, number)?));
            }
        }
        let first = self.files().len();
        let mut subject = self
            .with_room_for(added.iter().map(|(path, _)| path.clone()))
            .with_text(root, Text::inserted(text));
        for (at, (_, text)) in added.into_iter().enumerate() {
            subject = subject.with_text(FileId((first + at) as u32), text);
        }
        Some(Versions { subject, directory })
    }
}

/// What only the root file of a crate can say: its own attributes, and the crates that are known everywhere.
fn head(subject: &Subject, root: FileId) -> Option<String> {
    let tree = subject.file(root).tree().filter(|tree| tree.parsed)?;
    let source = subject.file(root).source();
    let mut head = String::new();
    // Attributes stand in front of all items.
    for (_, node) in top_level(tree) {
        let text = &source[node.range.clone()];
        if is_of_the_crate(text, node.kind) || node.kind == Kind::Item(ItemKind::ExternCrate) {
            head.push_str(text);
            head.push('\n');
        }
    }
    Some(head)
}

fn is_of_the_crate(text: &str, kind: Kind) -> bool {
    kind == Kind::Attribute && text.starts_with("#!")
}

/// The text of `file`, a part of a crate, as a part of the module that holds version `number` of it.
fn as_module(
    subject: &Subject,
    (root, from_root): (FileId, bool),
    file: FileId,
    number: usize,
) -> Option<Text> {
    let version = subject.file(file);
    let (source, tree) = (version.source(), version.tree()?);
    let mut edits: Vec<Edit> = Vec::new();
    if file == root {
        let own = top_level(tree).filter(|(_, node)| {
            let text = &source[node.range.clone()];
            let is_crate = node.kind == Kind::Item(ItemKind::ExternCrate);
            // Macros of another crate are for all modules, and only its root can say so.
            is_of_the_crate(text, node.kind) || is_crate && text.contains("macro_use")
        });
        edits.extend(own.map(|(_, node)| Edit::delete(file, node.range.clone())));
    }
    let name = format!("{MODULE}{number}");
    let joint = Joint {
        library: file,
        names: vec![name.clone()],
        from_root,
        into: file,
        into_from_root: from_root,
        cfgs: Vec::new(),
    };
    edits.extend(library_paths(subject, &joint, &name, &BTreeSet::new())?);
    Some(version.text()?.apply(&edits))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
        Subject::new(files).with_roots([FileId(0)])
    }

    fn without(subject: &Subject, file: FileId, gone: &str) -> Subject {
        let version = subject.file(file);
        let at = version.source().find(gone).expect("it is there");
        let edit = Edit::delete(file, at..at + gone.len());
        subject.with_text(file, version.text().expect("it is text").apply([&edit]))
    }

    #[test]
    fn each_version_is_a_module_with_the_files_of_the_crate() {
        let base = subject(&[
            (
                "src/lib.rs",
                "#![feature(x)]\nextern crate alloc;\nmod a;\nuse crate::a::B;\npub(crate) fn f() {}",
            ),
            ("src/a.rs", "pub struct B; fn g() { crate::f(); }"),
        ]);
        let other = without(&base, FileId(1), "crate::f();");
        let versions = base
            .with_versions(FileId(0), false, [(0, &base), (3, &other)])
            .expect("they differ in the crate alone");
        let text = |path: &str| {
            let file = versions.subject.find(Path::new(path)).expect("it is there");
            versions.subject.file(file).source().trim().to_string()
        };
        assert_eq!(
            text("src/lib.rs"),
            "#![feature(x)]\nextern crate alloc;\n\
             #[path = \"cargo_reduce_versions/0/lib.rs\"] mod cargo_reduce_version_0;\n\
             #[path = \"cargo_reduce_versions/3/lib.rs\"] mod cargo_reduce_version_3;"
        );
        assert_eq!(
            text("src/cargo_reduce_versions/3/lib.rs"),
            "extern crate alloc;\nmod a;\nuse crate::cargo_reduce_version_3::a::B;\npub(crate) fn f() {}"
        );
        assert_eq!(
            text("src/cargo_reduce_versions/0/a.rs"),
            "pub struct B; fn g() { crate::cargo_reduce_version_0::f(); }"
        );
        let inside = Path::new("src/cargo_reduce_versions/3/a.rs");
        assert_eq!(versions.of(inside), Some(3));
        assert_eq!(versions.of(Path::new("src/a.rs")), None);
    }

    #[test]
    fn where_something_can_be_there_only_once_there_are_no_versions() {
        let base = subject(&[("a.rs", "#[macro_export] macro_rules! m { () => {} }")]);
        assert!(base.with_versions(FileId(0), false, [(0, &base)]).is_none());
    }

    #[test]
    fn paths_from_the_root_lead_into_the_version() {
        let base = subject(&[(
            "a.rs",
            "extern crate json; use json::V; use b::C; mod b { pub struct C; use ::b::C as D; }",
        )]);
        let versions = base
            .with_versions(FileId(0), true, [(7, &base)])
            .expect("one");
        let file = Path::new("cargo_reduce_versions/7/a.rs");
        let file = versions.subject.find(file).expect("it is there");
        assert_eq!(
            versions.subject.file(file).source(),
            "extern crate json; use json::V; use cargo_reduce_version_7::b::C; \
             mod b { pub struct C; use cargo_reduce_version_7::b::C as D; }"
        );
    }

    #[test]
    fn where_the_head_or_another_crate_differs_it_is_no_version() {
        let base = subject(&[("a.rs", "#![no_std]\nfn f() {}"), ("b.rs", "fn g() {}")]);
        let is_version = |other: &Subject| base.has_version(FileId(0), other);
        assert!(!is_version(&without(&base, FileId(0), "#![no_std]")));
        assert!(!is_version(&without(&base, FileId(1), "fn g() {}")));
        assert!(is_version(&without(&base, FileId(0), "fn f() {}")));
    }

    #[test]
    fn a_place_in_a_version_is_where_it_stood_originally() {
        let base = subject(&[("a.rs", "use crate::b; fn f() { panic!() }")]);
        let versions = base
            .with_versions(FileId(0), false, [(1, &base)])
            .expect("one");
        let file = versions
            .subject
            .find(Path::new("cargo_reduce_versions/1/a.rs"))
            .expect("it is there");
        let text = versions.subject.file(file).text().expect("it is text");
        let at = text.as_str().find("panic").expect("it is there");
        let original = base.file(FileId(0)).source().find("panic");
        assert_eq!(
            text.origin(at).map(|origin| origin.offset as usize),
            original
        );
    }
}
