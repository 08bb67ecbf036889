//! The version in which the test passes: where its files come from, what makes it differ, and how
//! little of the difference is enough.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::package::{Package, limits};
use crate::exec::{self, Cancel, Invocation};
use crate::minimize::{self, Item, Settings};
use crate::passes::assertions;
use crate::property::guards::Guards;
use crate::property::twin::Passing;
use crate::report::Failure;
use crate::subject::difference::{self, Difference};
use crate::subject::{Subject, copy};
use crate::syntax::{FileId, Origin};

/// Time for git, or for cargo to download a package.
const FETCH_TIME: Duration = Duration::from_secs(600);

/// A directory with the files of the good version, and where it belongs in the subject.
struct Tree {
    root: PathBuf,
    at: PathBuf,
}

/// The subject with room for the files of the good version, and what makes it that version. Manifests,
/// build scripts and tests are those of the subject.
///
/// # Errors
///
/// When there is no such version, or it cannot be read or does not differ.
pub fn difference(
    subject: &Subject,
    package: &Package,
    wanted: &str,
    tests: &[FileId],
    cancel: &Cancel,
) -> Result<(Subject, Difference), Failure> {
    let tree = located(package, wanted, cancel)?;
    let unreadable = |(path, error)| Failure::io("reading", path)(error);
    let paths = copy::list(&tree.root, &[]).map_err(unreadable)?;
    let good = copy::read(&tree.root, &paths).map_err(unreadable)?;
    let is_source = |path: &Path| {
        let rust = path.extension().is_some_and(|end| end == "rs");
        let first = path.components().next();
        let apart = ["tests", "benches", "examples"];
        let apart = first.is_some_and(|part| apart.iter().any(|name| part.as_os_str() == *name));
        rust && !apart && !path.ends_with("build.rs")
    };
    let sources: Vec<(PathBuf, &str)> = good
        .files()
        .iter()
        .filter(|file| is_source(&file.path) && file.text().is_some())
        .map(|file| (tree.at.join(&file.path), file.source()))
        .collect();
    let there = |path: &PathBuf| {
        let id = subject.find(path);
        id.filter(|id| subject.file(*id).exists())
    };
    let new = sources
        .iter()
        .filter(|(path, _)| subject.find(path).is_none());
    let roomy = subject.with_room_for(new.map(|(path, _)| path.clone()));
    let mut difference = Difference::default();
    for (path, text) in &sources {
        match there(path) {
            Some(id) if tests.contains(&id) => {}
            Some(id) => {
                // The search for the difference has to start from the text that offsets are of.
                difference.add_changes(id, subject.file(id).source(), text);
            }
            None => {
                if let Some(id) = roomy.find(path) {
                    difference.add_file(id, text.to_string());
                }
            }
        }
    }
    difference.hunks.retain(|hunk| {
        hunk.range.as_ref().is_none_or(|range| {
            let origin = Origin {
                file: hunk.file,
                offset: range.start,
            };
            !assertions::is_for_tests(subject, origin)
        })
    });
    if difference.hunks.iter().all(|hunk| hunk.range.is_none()) {
        return Err(Failure::NoGoodVersion {
            wanted: wanted.to_string(),
            why: "its sources are the same".to_string(),
        });
    }
    Ok((roomy, difference))
}

/// As few hunks of `difference` as make `guards` pass in `subject`; all of them do. Ends early at
/// `deadline`.
///
/// # Errors
///
/// When `passing` cannot run.
pub fn fewest(
    difference: Difference,
    subject: &Subject,
    guards: &Guards,
    passing: &mut dyn Passing,
    settings: &Settings,
    deadline: Option<Instant>,
) -> Result<Difference, Failure> {
    let removed = least(difference.hunks.len(), settings, deadline, |removed| {
        let candidate = difference.without(removed).applied(subject);
        Ok(passing.passes(&candidate, guards, deadline)?.all)
    })?;
    Ok(difference.without(&removed))
}

/// The smallest version near `good` in which `guards` pass, made of `subject` by changing as few tokens
/// as can be.
///
/// # Errors
///
/// When `passing` cannot run.
pub fn nearest(
    subject: &Subject,
    good: &Subject,
    guards: &Guards,
    passing: &mut dyn Passing,
    settings: &Settings,
    deadline: Option<Instant>,
) -> Result<Subject, Failure> {
    let mut edits = Vec::new();
    for file in good.changed(subject) {
        if subject.file(file).exists() && good.file(file).exists() {
            let (from, to) = (subject.file(file).source(), good.file(file).source());
            edits.extend(difference::token_edits(file, from, to));
        }
    }
    let version = |removed: &[usize]| {
        let mut version = good.clone();
        for file in good.changed(subject) {
            let kept = edits.iter().enumerate();
            let kept: Vec<_> = kept
                .filter(|(at, edit)| edit.file == file && !removed.contains(at))
                .map(|(_, edit)| edit)
                .collect();
            if let Some(text) = subject.file(file).text() {
                version = version.with_text(file, text.apply(kept));
            }
        }
        version
    };
    let removed = least(edits.len(), settings, deadline, |removed| {
        Ok(passing.passes(&version(removed), guards, deadline)?.all)
    })?;
    Ok(match removed.is_empty() {
        true => good.clone(),
        false => version(&removed),
    })
}

/// What of `count` elements can go while `holds`.
fn least(
    count: usize,
    settings: &Settings,
    deadline: Option<Instant>,
    mut holds: impl FnMut(&[usize]) -> Result<bool, Failure>,
) -> Result<Vec<usize>, Failure> {
    let item = Item {
        weight: 1,
        prior: None,
    };
    // Without any difference the test fails: that is what is being reduced.
    let settings = Settings {
        try_all_first: false,
        ..settings.clone()
    };
    let mut minimizer = minimize::minimizer(&vec![item; count], &settings);
    while let Some(trial) = minimizer.propose() {
        let mut removed = minimizer.removed();
        removed.extend(&trial.remove);
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break;
        }
        let held = match removed.len() < count {
            true => match holds(&removed) {
                // The time is up; what is left of the difference is not the least.
                Err(Failure::Interrupted) if deadline.is_some_and(|end| Instant::now() >= end) => {
                    break;
                }
                other => other?,
            },
            false => false,
        };
        minimizer.record(held);
    }
    Ok(minimizer.removed())
}

/// Finds the files of the version `wanted`: a directory, a version in the registry, or a git revision.
fn located(package: &Package, wanted: &str, cancel: &Cancel) -> Result<Tree, Failure> {
    let directory = Path::new(wanted);
    if directory.is_dir() {
        let inner = package
            .package
            .strip_prefix(&package.workspace)
            .unwrap_or(Path::new(""));
        let workspace =
            !inner.as_os_str().is_empty() && directory.join(inner).join("Cargo.toml").is_file();
        return Ok(Tree {
            root: directory
                .canonicalize()
                .map_err(Failure::io("finding", directory))?,
            at: match workspace {
                true => package.workspace.clone(),
                false => package.package.clone(),
            },
        });
    }
    let is_version =
        wanted.split('.').count() >= 3 && wanted.starts_with(|c: char| c.is_ascii_digit());
    match is_version {
        true => registered(package, wanted, cancel),
        false => revision(package, wanted, cancel),
    }
}

/// The package's version `version`, from cargo's cache or the registry.
fn registered(package: &Package, version: &str, cancel: &Cancel) -> Result<Tree, Failure> {
    let directory = package.scratch.path().join("good-version");
    let source = directory.join("src");
    std::fs::create_dir_all(&source).map_err(Failure::io("creating", &source))?;
    let manifest = format!(
        "[package]\nname = \"good-version\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n\
         good = {{ package = {:?}, version = \"={version}\", default-features = false }}\n",
        package.name
    );
    for (name, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", "")] {
        let path = directory.join(name);
        std::fs::write(&path, text).map_err(Failure::io("writing", &path))?;
    }
    let mut last = String::new();
    for offline in [true, false] {
        let mut args: Vec<OsString> = ["metadata", "--format-version", "1"].map(Into::into).into();
        args.extend(offline.then(|| "--offline".into()));
        let outcome = run("cargo", args, &directory, cancel)?;
        if !outcome.success() {
            last = String::from_utf8_lossy(&outcome.stderr).trim().to_string();
            continue;
        }
        let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let metadata = cargo_metadata::MetadataCommand::parse(text);
        let found = metadata.ok().and_then(|metadata| {
            let named = |found: &&cargo_metadata::Package| {
                found.name.as_str() == package.name && found.version.to_string() == version
            };
            let found = metadata.packages.iter().find(named)?;
            Some(found.manifest_path.parent()?.as_std_path().to_path_buf())
        });
        if let Some(root) = found {
            return Ok(Tree {
                root,
                at: package.package.clone(),
            });
        }
    }
    Err(Failure::NoGoodVersion {
        wanted: version.to_string(),
        why: last,
    })
}

/// The workspace at the git revision `revision`, as git archives it; the repository is only read.
fn revision(package: &Package, revision: &str, cancel: &Cancel) -> Result<Tree, Failure> {
    let root = package.scratch.path().join("good-revision");
    std::fs::create_dir_all(&root).map_err(Failure::io("creating", &root))?;
    let archive = package.scratch.path().join("good-revision.tar");
    let users = package.users_root.join(&package.workspace);
    let to_archive: Vec<OsString> = vec![
        "archive".into(),
        "--format=tar".into(),
        "-o".into(),
        archive.clone().into(),
        revision.into(),
    ];
    let to_unpack: Vec<OsString> = vec!["-xf".into(), archive.into()];
    for (program, args, directory) in [("git", to_archive, &users), ("tar", to_unpack, &root)] {
        let outcome = run(program, args, directory, cancel)?;
        if !outcome.success() {
            return Err(Failure::NoGoodVersion {
                wanted: revision.to_string(),
                why: String::from_utf8_lossy(&outcome.stderr).trim().to_string(),
            });
        }
    }
    Ok(Tree {
        root,
        at: package.workspace.clone(),
    })
}

fn run(
    program: &str,
    args: Vec<OsString>,
    directory: &Path,
    cancel: &Cancel,
) -> Result<exec::Outcome, Failure> {
    let invocation = Invocation {
        program: program.into(),
        args,
        env: Vec::new(),
        cwd: directory.to_path_buf(),
    };
    let mut limits = limits(FETCH_TIME);
    // Metadata of a package with many dependencies is long, and half of it is of no use.
    limits.output_bytes = 1 << 26;
    let outcome =
        exec::run(&invocation, &limits, cancel).map_err(|error| Failure::NoToolchain {
            command: program.into(),
            why: error.to_string(),
        })?;
    match outcome.ending {
        exec::Ending::Cancelled => Err(Failure::Interrupted),
        _ => Ok(outcome),
    }
}
