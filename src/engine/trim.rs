//! What a package has besides what the property needs: other targets, other members, files that no
//! unit reads. They go first, and cargo itself is asked whether it still works without them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::package::Package;
use crate::build::Captured;
use crate::paths::normal;
use crate::property::signature::is_about_a_snapshot;
use crate::property::{Oracle, Verdict};
use crate::report::{Event, Failure, Observer};
use crate::subject::manifest::{self, Section};
use crate::subject::{File, Subject};
use crate::syntax::{Edit, FileId};

/// A package without what the property does not need.
pub struct Trimmed {
    /// What is left, with the roots of its crates named.
    pub subject: Subject,
    /// Rust files that the replayed units do not read: build scripts, procedural macros. The oracle
    /// would not notice what becomes of them.
    pub fixed: BTreeSet<PathBuf>,
    /// A build script is gone and what it set with it, a crate that others were given, or link-time optimization: the
    /// build must be taken down anew.
    pub build_changed: bool,
}

/// The package's subject without what `units` do not need; what the failing assertion is `compared` with stays.
///
/// # Errors
///
/// When cargo cannot be run.
pub fn trimmed(
    package: &Package,
    captured: &Captured,
    units: &[usize],
    compared: Compared,
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
    // To optimize what is linked takes many times as long as to compile what is left in the end.
    let quick = without_link_time_optimization(&whole, &package.workspace);
    for whole in quick.iter().chain([&whole]) {
        for crates in fewer.then_some(&mentioned[..]).into_iter().chain([units]) {
            for (with_hosts, spared) in stages {
                if !with_hosts && hosts.is_empty() {
                    continue;
                }
                let involved: Vec<usize> = match with_hosts {
                    true => crates.iter().chain(&hosts).copied().collect(),
                    false => crates.to_vec(),
                };
                let manifests = with_manifests(whole, package, captured, &involved, with_hosts);
                let needed = package.needed(captured, &involved);
                let candidate = without_files(&manifests, &needed, spared, compared);
                if judge.judge(&candidate, None)?.verdict == Verdict::Interesting {
                    let same = with_hosts && crates.len() == units.len() && quick.is_none();
                    return done(candidate, !same);
                }
            }
        }
    }
    let involved: Vec<usize> = units.iter().chain(&hosts).copied().collect();
    let candidate = without_files(
        &whole,
        &package.needed(captured, &involved),
        Spared::AllButRust,
        compared,
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

/// What a failing assertion compares values with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compared {
    /// Something else than a file.
    NoFile,
    /// A snapshot: one that is not there is not met either, by whatever code.
    Snapshot,
}

impl Compared {
    /// What is compared where a failure says this `message`.
    pub fn by(message: &str) -> Compared {
        match is_about_a_snapshot(message) {
            true => Compared::Snapshot,
            false => Compared::NoFile,
        }
    }

    fn with(self, file: &File) -> bool {
        let is_snapshot = file
            .path
            .extension()
            .is_some_and(|extension| extension == "snap");
        self == Compared::Snapshot && is_snapshot
    }
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

fn without_files(
    subject: &Subject,
    needed: &BTreeSet<PathBuf>,
    spared: Spared,
    compared: Compared,
) -> Subject {
    let mut result = subject.clone();
    for (at, file) in subject.files().iter().enumerate() {
        let spared = spared.spares(file) || compared.with(file);
        if file.exists() && !needed.contains(&file.path) && !spared {
            result = result.without_file(FileId(at as u32));
        }
    }
    result
}

/// `subject` with manifests that name only what `units` need.
fn with_manifests(
    subject: &Subject,
    package: &Package,
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

/// `subject` without `lto` in the profiles of its `workspace`; `None` if there is none.
fn without_link_time_optimization(subject: &Subject, workspace: &Path) -> Option<Subject> {
    let id = subject.find(&workspace.join("Cargo.toml"))?;
    let sections = manifest::sections(subject.file(id).source());
    let profiles = sections
        .iter()
        .filter(|section| section.header.starts_with("profile."));
    let edits: Vec<Edit> = profiles
        .flat_map(|profile| &profile.entries)
        .filter(|entry| entry.key == "lto")
        .map(|entry| Edit::delete(id, entry.range.clone()))
        .collect();
    let text = subject.file(id).text().filter(|_| !edits.is_empty())?;
    Some(subject.clone().with_text(id, text.apply(&edits)))
}

/// What of a manifest is needed.
struct Outline<'a> {
    directory: &'a Path,
    package: &'a Package,
    packages: &'a BTreeSet<PathBuf>,
    sources: &'a [&'a Path],
    with_build_scripts: bool,
}

impl Outline<'_> {
    fn edits(&self, source: &str, id: FileId) -> Vec<Edit> {
        let Outline {
            directory,
            package,
            packages,
            sources,
            with_build_scripts,
        } = *self;
        let mut edits = Vec::new();
        for section in manifest::sections(source) {
            let of = sources_of(&section);
            let exists = |of: &&PathBuf| package.subject.find(&directory.join(of)).is_some();
            let root = of.iter().find(exists);
            let is_needed = root.is_some_and(|root| sources.contains(&root.as_path()));
            if !of.is_empty() && !is_needed {
                edits.push(Edit::delete(id, section.range.clone()));
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

/// Where the root of the target may be that `section` describes: it is the first that is there. Nothing if it describes none.
fn sources_of(section: &Section) -> Vec<PathBuf> {
    let directory = match &*section.header {
        "[bin]" => "src/bin",
        "[test]" => "tests",
        "[bench]" => "benches",
        "[example]" => "examples",
        _ => return Vec::new(),
    };
    if let Some(path) = section.value("path") {
        return vec![normal(Path::new(path))];
    }
    let name = section.value("name").unwrap_or_default();
    let file = format!("{name}.rs");
    let directory = Path::new(directory);
    let mut sources = vec![directory.join(&file), directory.join(name).join("main.rs")];
    if section.header == "[bin]" {
        // The last two in edition 2015 alone, and there the first under any name.
        let others = ["src/main.rs", &format!("src/{file}"), "src/bin/main.rs"];
        sources.extend(others.map(PathBuf::from));
    }
    sources
}

fn is_there(directory: &Path, path: &str, packages: &BTreeSet<PathBuf>) -> bool {
    packages.contains(&normal(&directory.join(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_assertion_compares_with_stays() {
        let paths = ["src/lib.rs", "src/snapshots/a.snap", "src/b.txt"];
        let subject = Subject::new(paths.map(|path| (path.into(), Vec::new())));
        let left = |message: &str| -> Vec<bool> {
            let compared = Compared::by(message);
            let left = without_files(&subject, &BTreeSet::new(), Spared::Nothing, compared);
            left.files().iter().map(|file| file.exists()).collect()
        };
        assert_eq!(
            left("snapshot assertion for 'a' failed in line 3"),
            [false, true, false]
        );
        assert_eq!(left("assertion failed: a"), [false, false, false]);
    }

    #[test]
    fn a_target_is_told_by_its_file_and_not_by_its_name() {
        let text = "[package]\nname = \"p\"\n[[bench]]\nname = \"n\"\n[[test]]\nname = \"n\"\n[[bin]]\nname = \"p\"\n[[bin]]\nname = \"q\"\npath = \"./a/../q.rs\"\n";
        let sources = manifest::sections(text)
            .iter()
            .map(sources_of)
            .collect::<Vec<_>>();
        let paths = |paths: &[&str]| paths.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(
            sources[sources.len() - 4..],
            [
                paths(&["benches/n.rs", "benches/n/main.rs"]),
                paths(&["tests/n.rs", "tests/n/main.rs"]),
                paths(&[
                    "src/bin/p.rs",
                    "src/bin/p/main.rs",
                    "src/main.rs",
                    "src/p.rs",
                    "src/bin/main.rs",
                ]),
                paths(&["q.rs"]),
            ]
        );
    }

    #[test]
    fn link_time_optimization_goes_from_all_profiles() {
        let subject = |text: &str| {
            let files = [("w/Cargo.toml".into(), text.as_bytes().to_vec())];
            Subject::new(files)
        };
        let text = "[profile.dev]\nlto = \"thin\"\ndebug = 0\n[profile.release]\nlto = true\n[features]\nlto = []\n";
        let quick = without_link_time_optimization(&subject(text), Path::new("w")).unwrap();
        assert_eq!(
            quick.file(FileId(0)).source(),
            "[profile.dev]\ndebug = 0\n[profile.release]\n[features]\nlto = []\n"
        );
        let without = subject("[profile.dev]\ndebug = 0\n");
        assert!(without_link_time_optimization(&without, Path::new("w")).is_none());
    }
}
