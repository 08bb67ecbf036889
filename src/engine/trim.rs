//! What a package has besides what the property needs: other targets, other members, files that no
//! unit reads. They go first, and cargo itself is asked whether it still works without them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::package::Package;
use crate::build::Captured;
use crate::property::{Oracle, Verdict};
use crate::report::{Event, Failure, Observer};
use crate::subject::{File, Subject, manifest};
use crate::syntax::{Edit, FileId};

/// A package without what the property does not need.
pub struct Trimmed {
    /// What is left, with the roots of its crates named.
    pub subject: Subject,
    /// Rust files that the replayed units do not read: build scripts, procedural macros. The oracle
    /// would not notice what becomes of them.
    pub fixed: BTreeSet<PathBuf>,
    /// A build script is gone and what it set with it, or a crate that others were given: the build must be
    /// taken down anew.
    pub build_changed: bool,
}

/// The package's subject without what `units` do not need. `targets` are the names of the targets
/// that the user's command names.
///
/// # Errors
///
/// When cargo cannot be run.
pub fn trimmed(
    package: &Package,
    captured: &Captured,
    units: &[usize],
    targets: &[String],
    judge: &mut dyn Oracle,
    observer: &mut dyn Observer,
) -> Result<Trimmed, Failure> {
    observer.event(&Event::Step {
        verb: "Trimming",
        what: "targets, members and files that are not needed",
    });
    let subject = &package.subject;
    let roots: Vec<FileId> = units
        .iter()
        .filter_map(|at| captured.units[*at].source.strip_prefix(&captured.root).ok())
        .filter_map(|source| subject.find(source))
        .collect();
    let whole = subject.clone().with_roots(roots);
    let is_host = |at: &usize| captured.units[*at].own && captured.units[*at].host;
    let hosts: Vec<usize> = (0..captured.units.len()).filter(is_host).collect();
    let read = package.needed(captured, units);
    let done = |subject: Subject, build_changed| {
        let rust = subject
            .files()
            .iter()
            .filter(|file| file.is_rust() && file.exists());
        let fixed = rust
            .map(|file| file.path.clone())
            .filter(|path| !read.contains(path))
            .collect();
        Ok(Trimmed {
            subject,
            fixed,
            build_changed,
        })
    };
    let mentioned = mentioned(&whole, package, captured, units);
    let fewer = mentioned.len() < units.len();
    // Data files may be read at run time or by a build script: first without, then with them.
    let stages = [
        (false, Spared::Nothing),
        (true, Spared::Nothing),
        (true, Spared::Data),
        (true, Spared::AllButRust),
    ];
    for crates in fewer.then_some(&mentioned[..]).into_iter().chain([units]) {
        for (with_hosts, spared) in stages {
            if !with_hosts && hosts.is_empty() {
                continue;
            }
            let involved: Vec<usize> = match with_hosts {
                true => crates.iter().chain(&hosts).copied().collect(),
                false => crates.to_vec(),
            };
            let manifests =
                with_manifests(&whole, package, targets, captured, &involved, with_hosts);
            let needed = package.needed(captured, &involved);
            let candidate = without_files(&manifests, &needed, spared);
            if judge.judge(&candidate, None)?.verdict == Verdict::Interesting {
                return done(candidate, !with_hosts || crates.len() < units.len());
            }
        }
    }
    let involved: Vec<usize> = units.iter().chain(&hosts).copied().collect();
    let candidate = without_files(
        &whole,
        &package.needed(captured, &involved),
        Spared::AllButRust,
    );
    if judge.judge(&candidate, None)?.verdict == Verdict::Interesting {
        return done(candidate, false);
    }
    observer.event(&Event::Note(
        "nothing that other targets consist of can go: cargo needs it to read the manifest",
    ));
    done(whole, false)
}

/// Those of `units` that are named where they can be used, starting from those that no other uses. Cargo gives
/// every test all dev-dependencies, whichever it needs.
fn mentioned(
    subject: &Subject,
    package: &Package,
    captured: &Captured,
    units: &[usize],
) -> Vec<usize> {
    let used = |at: &usize| {
        let mut others = units.iter().map(|other| &captured.units[*other]);
        others.any(|other| other.dependencies.contains(at))
    };
    let mut open: Vec<usize> = units.iter().copied().filter(|at| !used(at)).collect();
    let mut found: BTreeSet<usize> = open.iter().copied().collect();
    while let Some(at) = open.pop() {
        let unit = &captured.units[at];
        let read = package.needed(captured, &[at]);
        let sources = read
            .iter()
            .filter_map(|path| Some(subject.file(subject.find(path)?)))
            .filter(|file| file.is_rust());
        let words: BTreeSet<&str> = sources
            .flat_map(|file| {
                file.source()
                    .split(|c: char| !c.is_alphanumeric() && c != '_')
            })
            .collect();
        for on in &unit.dependencies {
            let dependency = &captured.units[*on];
            let stem = format!("lib{}{}", dependency.crate_name, dependency.extra_filename);
            let named = unit.externs.iter().any(|given| {
                let path = given.path.as_ref().and_then(|path| path.file_stem());
                path.is_some_and(|path| path == &*stem) && words.contains(&*given.name)
            });
            if named && units.contains(on) && found.insert(*on) {
                open.push(*on);
            }
        }
    }
    units
        .iter()
        .copied()
        .filter(|at| found.contains(at))
        .collect()
}

/// Which files stay though no unit is known to read them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Spared {
    Nothing,
    /// What is neither Rust nor for people or for cargo to read.
    Data,
    AllButRust,
}

impl Spared {
    fn spares(self, file: &File) -> bool {
        let name = file.path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().to_lowercase();
        let document = name.ends_with(".md")
            || name.starts_with('.')
            || ["license", "copying", "readme", "changelog"]
                .iter()
                .any(|start| name.starts_with(start));
        match self {
            Spared::Nothing => false,
            Spared::Data => !file.is_rust() && !document && name != "cargo.toml",
            Spared::AllButRust => !file.is_rust(),
        }
    }
}

fn without_files(subject: &Subject, needed: &BTreeSet<PathBuf>, spared: Spared) -> Subject {
    let mut result = subject.clone();
    for (at, file) in subject.files().iter().enumerate() {
        if file.exists() && !needed.contains(&file.path) && !spared.spares(file) {
            result = result.without_file(FileId(at as u32));
        }
    }
    result
}

/// `subject` with manifests that name only what `units` need.
fn with_manifests(
    subject: &Subject,
    package: &Package,
    targets: &[String],
    captured: &Captured,
    units: &[usize],
    with_build_scripts: bool,
) -> Subject {
    let packages: BTreeSet<PathBuf> = units
        .iter()
        .filter_map(|at| {
            captured.units[*at]
                .manifest_dir
                .strip_prefix(&captured.root)
                .ok()
        })
        .map(Path::to_path_buf)
        .chain([package.package.clone()])
        .collect();
    let mut result = subject.clone();
    let mut directories = packages.clone();
    directories.insert(package.workspace.clone());
    for directory in directories {
        let Some(id) = subject.find(&directory.join("Cargo.toml")) else {
            continue;
        };
        let source = subject.file(id).source();
        let sources: Vec<&Path> = units
            .iter()
            .map(|at| &captured.units[*at])
            .filter(|unit| unit.manifest_dir == captured.root.join(&directory))
            .filter_map(|unit| unit.source.strip_prefix(&unit.manifest_dir).ok())
            .collect();
        let outline = Outline {
            directory: &directory,
            package,
            packages: &packages,
            targets,
            sources: &sources,
            with_build_scripts,
        };
        let edits = outline.edits(source, id);
        if let (Some(text), false) = (subject.file(id).text(), edits.is_empty()) {
            result = result.with_text(id, text.apply(&edits));
        }
    }
    result
}

/// What of a manifest is needed.
struct Outline<'a> {
    directory: &'a Path,
    package: &'a Package,
    packages: &'a BTreeSet<PathBuf>,
    targets: &'a [String],
    sources: &'a [&'a Path],
    with_build_scripts: bool,
}

impl Outline<'_> {
    fn edits(&self, source: &str, id: FileId) -> Vec<Edit> {
        let Outline {
            directory,
            package,
            packages,
            targets,
            sources,
            with_build_scripts,
        } = *self;
        let mut edits = Vec::new();
        for section in manifest::sections(source) {
            let is_target = matches!(
                &*section.header,
                "[bin]" | "[test]" | "[bench]" | "[example]"
            );
            if is_target {
                let by_name = section
                    .value("name")
                    .is_some_and(|name| targets.iter().any(|target| target == name));
                let by_path = section
                    .value("path")
                    .is_some_and(|path| sources.contains(&Path::new(path)));
                if !by_name && !by_path {
                    edits.push(Edit::delete(id, section.range.clone()));
                }
            }
            // What names files that are not there any more, or packages that are not.
            for entry in &section.entries {
                let gone = match (&*section.header, &*entry.key) {
                    (
                        "package",
                        "default-run" | "exclude" | "include" | "readme" | "license-file",
                    ) => true,
                    // Cargo refuses a package that names a build script that is not there, and links to nothing without one.
                    ("package", "build" | "links") => !with_build_scripts,
                    ("workspace", "default-members" | "exclude") => true,
                    (header, _) if header.ends_with("dependencies") => {
                        manifest::path_of(&entry.value)
                            .is_some_and(|path| !is_there(directory, path, packages))
                    }
                    _ => false,
                };
                if gone {
                    edits.push(Edit::delete(id, entry.range.clone()));
                } else if section.header == "workspace" && entry.key == "members" {
                    let members: Vec<String> = packages
                        .iter()
                        .filter(|member| **member != package.workspace)
                        .filter_map(|member| member.strip_prefix(&package.workspace).ok())
                        .map(|member| format!("{:?}", member.display().to_string()))
                        .collect();
                    edits.push(Edit::replace(
                        id,
                        entry.range.clone(),
                        format!("members = [{}]\n", members.join(", ")),
                    ));
                }
            }
            // Lints of the manifest deny what a half-deleted program has.
            if section.header == "lints"
                || section.header.starts_with("lints.")
                || section.header.starts_with("workspace.lints")
            {
                edits.push(Edit::delete(id, section.range.clone()));
            }
            let is_dependency = section.header.contains("dependencies.");
            if is_dependency
                && section
                    .value("path")
                    .is_some_and(|path| !is_there(directory, path, packages))
            {
                edits.push(Edit::delete(id, section.range.clone()));
            }
        }
        edits
    }
}

fn is_there(directory: &Path, path: &str, packages: &BTreeSet<PathBuf>) -> bool {
    let mut found = PathBuf::new();
    for part in directory.join(path).components() {
        match part {
            std::path::Component::ParentDir => {
                found.pop();
            }
            std::path::Component::CurDir => {}
            other => found.push(other),
        }
    }
    packages.contains(&found)
}
