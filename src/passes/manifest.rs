//! What a package has besides Rust, as elements: tables and keys of `Cargo.toml`, configuration, data. Only cargo
//! itself can judge them.

use std::path::{Component, Path, PathBuf};

use crate::subject::{Element, Elements, File, Subject, manifest};
use crate::syntax::{Edit, FileId, Kind};

/// Rounds of [`list`].
pub const ROUNDS: usize = 3;

/// Keys of `[package]` that only tell people something.
const TOLD: [&str; 14] = [
    "authors",
    "autobenches",
    "autobins",
    "autoexamples",
    "autotests",
    "categories",
    "description",
    "documentation",
    "homepage",
    "keywords",
    "license",
    "publish",
    "repository",
    "rust-version",
];

/// The list of round `round` – whole packages, tables and files, then keys, then what stands in lists – and how
/// likely each element is needed.
///
/// The workspace's own table stays: without it, cargo would look for one further up where the result lies.
pub fn list(subject: &Subject, round: usize) -> Vec<(Element, f64)> {
    let mut found = Vec::new();
    if round == 0 {
        found.extend(
            idle_packages(subject)
                .into_iter()
                .map(|element| (element, 0.1)),
        );
        found.extend(
            build_scripts(subject)
                .into_iter()
                .map(|element| (element, 0.4)),
        );
    }
    for (at, file) in subject.files().iter().enumerate() {
        let id = FileId(at as u32);
        let name = file.path.file_name().unwrap_or_default();
        let decides = |name: &str| name == "Cargo.lock" || name.starts_with("rust-toolchain");
        let has_code = file.is_rust() && !is_empty(file);
        if !file.exists() || has_code || name.to_str().is_none_or(decides) {
            continue;
        }
        if name != "Cargo.toml" {
            let prior = if file.is_rust() { 0.1 } else { 0.4 };
            if round == 0 {
                let element = Element {
                    kind: Kind::File,
                    edits: Vec::new(),
                    drops: vec![id],
                    saves: 1,
                };
                found.push((element, prior));
            }
            continue;
        }
        for section in manifest::sections(file.source()) {
            let of_package = section.header == "package";
            let stays = of_package || section.header == "workspace";
            let ranges = match round {
                0 if stays => Vec::new(),
                0 => vec![(section.range.clone(), 0.2)],
                1 => {
                    let told = |key: &str| {
                        of_package && TOLD.contains(&key.split('.').next().unwrap_or(key))
                    };
                    let prior = |key: &str| if told(key) { 0.02 } else { 0.4 };
                    let needed = |key: &str| of_package && key == "name";
                    let entries = section.entries.iter();
                    let entries = entries.filter(|entry| !needed(&entry.key));
                    entries
                        .map(|entry| (entry.range.clone(), prior(&entry.key)))
                        .collect()
                }
                _ => {
                    let entries = section.entries.iter();
                    let all = entries.flat_map(|entry| strings(file.source(), entry));
                    all.map(|range| (range, 0.5)).collect()
                }
            };
            let element = |range| Element::new(subject, Kind::Line, vec![Edit::delete(id, range)]);
            found.extend(
                ranges
                    .into_iter()
                    .map(|(range, prior)| (element(range), prior)),
            );
        }
    }
    found
}

/// Build scripts, each with what the manifest says of it.
fn build_scripts(subject: &Subject) -> Elements {
    let mut found = Vec::new();
    for (at, file) in subject.files().iter().enumerate() {
        if !file.exists() || !file.path.ends_with("Cargo.toml") {
            continue;
        }
        let id = FileId(at as u32);
        let sections = manifest::sections(file.source());
        let package = sections.iter().find(|section| section.header == "package");
        let named = package.and_then(|section| section.value("build"));
        let directory = file.path.parent().unwrap_or(Path::new(""));
        let script = directory.join(named.unwrap_or("build.rs"));
        let script = subject
            .find(&script)
            .filter(|id| subject.file(*id).exists());
        let Some(script) = script else { continue };
        let entries = package.into_iter().flat_map(|section| &section.entries);
        let about = entries.filter(|entry| matches!(&*entry.key, "build" | "links"));
        let mut edits: Vec<Edit> = about
            .map(|entry| Edit::delete(id, entry.range.clone()))
            .collect();
        let dependencies = sections
            .iter()
            .filter(|section| section.header.starts_with("build-dependencies"));
        edits.extend(dependencies.map(|section| Edit::delete(id, section.range.clone())));
        found.push(Element {
            kind: Kind::File,
            edits,
            drops: vec![script],
            saves: 1,
        });
    }
    found
}

fn is_empty(file: &File) -> bool {
    file.source().trim().is_empty()
}

/// Packages that have no code any more, each with what others say of it.
fn idle_packages(subject: &Subject) -> Elements {
    let there = || subject.files().iter().filter(|file| file.exists());
    let manifests: Vec<&Path> = there()
        .filter(|file| file.path.ends_with("Cargo.toml"))
        .filter_map(|file| file.path.parent())
        .collect();
    let is_idle = |directory: &Path| {
        let mut code = there().filter(|file| file.is_rust() && file.path.starts_with(directory));
        code.all(is_empty)
    };
    let idle = manifests.iter().filter(|directory| is_idle(directory));
    let element = |directory: &&Path| {
        let files = subject.files().iter().enumerate();
        let inside = files.filter(|(_, file)| file.exists() && file.path.starts_with(directory));
        Element {
            kind: Kind::File,
            edits: mentions(subject, directory),
            drops: inside.map(|(at, _)| FileId(at as u32)).collect(),
            saves: 1,
        }
    };
    idle.map(element).collect()
}

/// Where manifests name the package in `directory`.
fn mentions(subject: &Subject, directory: &Path) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, file) in subject.files().iter().enumerate() {
        let Some(own) = file.path.parent() else {
            continue;
        };
        if !file.exists() || !file.path.ends_with("Cargo.toml") || own == directory {
            continue;
        }
        let id = FileId(at as u32);
        let is_it = |path: &str| lies_at(own, path, directory);
        for section in manifest::sections(file.source()) {
            let of_one = section.header.contains("dependencies.");
            if of_one && section.value("path").is_some_and(is_it) {
                edits.push(Edit::delete(id, section.range.clone()));
                continue;
            }
            for entry in &section.entries {
                let inline = section.header.ends_with("dependencies")
                    && manifest::path_of(&entry.value).is_some_and(is_it);
                // `name.path = "…"`
                let dotted = entry.key.ends_with(".path")
                    && is_it(entry.value.trim().trim_matches(['"', '\'']));
                if inline || dotted {
                    edits.push(Edit::delete(id, entry.range.clone()));
                } else if section.header == "workspace" && entry.key == "members" {
                    let named = strings(file.source(), entry).into_iter().filter(|range| {
                        let text = file.source()[range.clone()].trim_end_matches(',').trim();
                        is_it(text.trim_matches(['"', '\'']))
                    });
                    edits.extend(named.map(|range| Edit::delete(id, range)));
                }
            }
        }
    }
    edits
}

/// Whether `path`, seen from `from`, is `directory`.
fn lies_at(from: &Path, path: &str, directory: &Path) -> bool {
    let mut found = PathBuf::new();
    for part in from.join(path).components() {
        match part {
            Component::ParentDir => {
                found.pop();
            }
            Component::CurDir => {}
            other => found.push(other),
        }
    }
    found == directory
}

/// `subject` without the comments and blank lines of its manifests.
pub fn without_comments(subject: &Subject) -> Subject {
    let mut result = subject.clone();
    for (at, file) in subject.files().iter().enumerate() {
        let id = FileId(at as u32);
        let (Some(text), true) = (file.text(), file.path.ends_with("Cargo.toml")) else {
            continue;
        };
        let values: Vec<_> = manifest::sections(file.source())
            .into_iter()
            .flat_map(|section| section.entries)
            .map(|entry| entry.range)
            .collect();
        let mut edits = Vec::new();
        let mut start = 0;
        for line in file.source().split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            let of_value = values.iter().any(|value| value.contains(&range.start));
            let trimmed = line.trim();
            if !of_value && (trimmed.is_empty() || trimmed.starts_with('#')) {
                edits.push(Edit::delete(id, range));
            }
        }
        result = result.with_text(id, text.apply(&edits));
    }
    result
}

/// The strings of an array that stands alone as a value, each with the comma behind it.
fn strings(source: &str, entry: &manifest::Entry) -> Vec<std::ops::Range<usize>> {
    let text = &source[entry.range.clone()];
    let Some(open) = text.find('=').and_then(|equals| {
        let value = text[equals + 1..].trim_start();
        value.starts_with('[').then(|| text.len() - value.len() + 1)
    }) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = open;
    while let Some(quote) = text[at..].find(['"', '\'']) {
        let start = at + quote;
        let Some(length) = text[start + 1..].find(&text[start..start + 1]) else {
            break;
        };
        let mut end = start + length + 2;
        let behind = text[end..].trim_start();
        if behind.starts_with(',') {
            end = text.len() - behind.len() + 1;
        }
        found.push(entry.range.start + start..entry.range.start + end);
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn subject(text: &str) -> Subject {
        Subject::new([(PathBuf::from("Cargo.toml"), text.as_bytes().to_vec())])
    }

    fn gone(text: &str, round: usize) -> Vec<String> {
        let subject = subject(text);
        let ranges = list(&subject, round)
            .into_iter()
            .flat_map(|(element, _)| element.edits)
            .map(|edit| text[edit.range].to_string());
        ranges.collect()
    }

    #[test]
    fn tables_then_keys_then_strings_may_go_and_the_name_stays() {
        let text = "[package]\nname = \"a\"\nedition = \"2021\"\n[features]\nb = [\"c\", 'd']\n[workspace]\n";
        assert_eq!(gone(text, 0), ["[features]\nb = [\"c\", 'd']\n"]);
        assert_eq!(
            gone(text, 1),
            ["edition = \"2021\"\n", "b = [\"c\", 'd']\n"]
        );
        assert_eq!(gone(text, 2), ["\"c\",", "'d'"]);
    }

    #[test]
    fn a_package_without_code_goes_with_what_others_say_of_it() {
        let files = [
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"a\", \"b\"]\n[dependencies]\nx = { path = \"./a\" }\nb = { path = \"b\" }\n",
            ),
            (
                "a/Cargo.toml",
                "[package]\n[dependencies.b]\npath = \"../b\"\n",
            ),
            ("a/src/lib.rs", "\n"),
            ("b/Cargo.toml", "[package]\n"),
            ("b/src/lib.rs", "fn f() {}"),
        ];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let subject = Subject::new(files);
        let list = list(&subject, 0);
        let without = subject.without([&list[0].0]);
        let there = |at: u32| without.file(FileId(at)).exists();
        assert_eq!([0, 1, 2, 3, 4].map(there), [true, false, false, true, true]);
        let text = without.file(FileId(0)).source();
        assert_eq!(
            text,
            "[workspace]\nmembers = [ \"b\"]\n[dependencies]\nb = { path = \"b\" }\n"
        );
    }

    #[test]
    fn a_build_script_goes_with_its_dependencies() {
        let files = [
            (
                "Cargo.toml",
                "[package]\nbuild = \"make.rs\"\n[build-dependencies]\ncc = \"1\"\n",
            ),
            ("make.rs", "fn main() {}"),
        ];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let subject = Subject::new(files);
        let without = subject.without(&build_scripts(&subject));
        assert_eq!(without.file(FileId(0)).source(), "[package]\n");
        assert!(!without.file(FileId(1)).exists());
    }

    #[test]
    fn comments_go_but_not_those_in_values() {
        let before = "# made by\n\n[package]\ndescription = \"\"\"\n# not\n\"\"\"\n";
        let after = without_comments(&subject(before));
        assert_eq!(
            after.file(FileId(0)).source(),
            "[package]\ndescription = \"\"\"\n# not\n\"\"\"\n"
        );
    }
}
