//! A file or a package of which the user's own program says what is interesting.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Facts, Search, by_cargo, file, output, patience, shell_words, summed_up, tools};
use crate::engine::package::Package;
use crate::engine::scratch::Scratch;
use crate::exec::{Cancel, Invocation, Outcome};
use crate::passes::Conditions;
use crate::property::crash::Report;
use crate::property::script::Script;
use crate::report::{Event, Failure, Kind, Observer, Summary};
use crate::request::{Request, ScriptSelection};
use crate::subject::Subject;
use crate::subject::place::Place;

/// How often the script judges the original, to see that it makes up its mind.
const RUNS: usize = 3;

pub(super) fn reduce(
    request: &Request,
    selection: &ScriptSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
    let script = found(&selection.script)?;
    match &selection.file {
        Some(file) => {
            let (name, original) = file::read(file)?;
            let scratch = Scratch::new()?;
            let root = scratch.path().join("candidate");
            let arguments = vec![OsString::from(&name)];
            let mut oracle = oracle(&script, &arguments, root.clone(), root, cancel);
            let command = shell_words([script.as_os_str(), name.as_os_str()]);
            let took = judged(&mut oracle, &original, &command)?;
            let title = told(&script, &original, took, observer);
            oracle.set_timeout(patience(request, took));
            let output = output(request, None, &file::stem(&name, "script"));
            let ended = Search {
                request,
                start: original.clone(),
                fixed: Default::default(),
                untouched: Vec::new(),
                joints: Vec::new(),
                manifest_trials: 0,
                pump: None,
                conditions: Default::default(),
                protected: Vec::new(),
                oracle: &mut oracle,
                last: None,
                cancel,
                output: output.clone(),
                scratch: scratch.path(),
                started,
                schedule: &mut |engine| engine.reduce_crash(&Report::default()),
            }
            .run(observer)?;
            let facts = Facts {
                request,
                kind: Kind::Script,
                subject: name.display().to_string(),
                command,
                directory: output.join("reduced"),
                class: title.clone(),
                signature: title,
                original: &original,
                toolchain: version(request),
                output,
                started,
            };
            summed_up(facts, ended, None)
        }
        None => {
            let package = Package::copied(request, observer, cancel)?;
            let root = package.scratch.path().join("candidate");
            let cwd = root.join(&package.package);
            let mut oracle = oracle(&script, &[], root, cwd, cancel);
            let command = shell_words([script.as_os_str()]);
            let took = judged(&mut oracle, &package.subject, &command)?;
            let title = told(&script, &package.subject, took, observer);
            oracle.set_timeout(patience(request, took));
            let check = ["check", "--all-targets"];
            let ready =
                by_cargo::trimmed(request, &package, &check, &mut oracle, observer, cancel)?;
            let output = output(request, Some(&package), &package.name);
            let ended = Search {
                request,
                start: ready.trimmed.subject,
                // The script sees what becomes of any file.
                fixed: Default::default(),
                untouched: Vec::new(),
                joints: Vec::new(),
                manifest_trials: 0,
                pump: None,
                // It may build what it likes, under conditions of which nothing is known.
                conditions: Conditions::default(),
                protected: Vec::new(),
                oracle: &mut oracle,
                last: None,
                cancel,
                output: output.clone(),
                scratch: package.scratch.path(),
                started,
                schedule: &mut |engine| engine.reduce_crash(&Report::default()),
            }
            .run(observer)?;
            let facts = Facts {
                request,
                kind: Kind::Script,
                subject: package.title.clone(),
                command,
                directory: output.join("reduced").join(&package.package),
                class: title.clone(),
                signature: title,
                original: &package.subject,
                toolchain: version(request),
                output,
                started,
            };
            summed_up(facts, ended, None)
        }
    }
}

/// Where the script lies: as a shell would find it, but in the current directory without a slash too.
fn found(script: &Path) -> Result<PathBuf, Failure> {
    script.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoSuchFile {
            path: script.to_path_buf(),
        },
        _ => Failure::io("finding", script)(error),
    })
}

fn oracle(
    script: &Path,
    arguments: &[OsString],
    root: PathBuf,
    cwd: PathBuf,
    cancel: &Cancel,
) -> Script {
    let invocation = Invocation {
        program: script.to_path_buf(),
        args: arguments.to_vec(),
        env: Vec::new(),
        cwd,
    };
    let limits = by_cargo::for_a_build();
    Script::new(Place::new(root), invocation, limits, cancel.clone())
}

/// Runs the script on the original; how long it takes.
///
/// # Errors
///
/// When it says that the original is not interesting, or says it only sometimes.
fn judged(oracle: &mut Script, original: &Subject, command: &str) -> Result<Duration, Failure> {
    let outcomes: Vec<Outcome> = (0..RUNS)
        .map(|_| oracle.observe(original, None))
        .collect::<Result<_, _>>()?;
    let good = outcomes.iter().filter(|outcome| outcome.success()).count();
    let last = &outcomes[RUNS - 1];
    if good == RUNS {
        // What is built is built the first time.
        return Ok(last.wall);
    }
    let output = [&last.stdout[..], &last.stderr[..]].concat();
    Err(if good == 0 {
        Failure::NotInteresting {
            command: command.to_owned(),
            output: String::from_utf8_lossy(&output).into_owned(),
        }
    } else {
        Failure::FailsSometimes {
            command: command.to_owned(),
            failures: good,
            runs: RUNS,
        }
    })
}

/// Tells of the original; what is said of it.
fn told(script: &Path, original: &Subject, took: Duration, observer: &mut dyn Observer) -> String {
    let name = script.file_name().unwrap_or(script.as_os_str());
    let title = format!("{} ends with 0", name.to_string_lossy());
    observer.event(&Event::Baseline {
        runs: RUNS,
        signature: &title,
        tokens: original.tokens(),
        files: original.source_files(),
        wall: took,
    });
    title
}

/// What `rustc -vV` says; nothing where there is none, for a script may do without.
fn version(request: &Request) -> String {
    tools::toolchain(request.cargo.toolchain.as_deref())
        .map(|toolchain| toolchain.verbose_version)
        .unwrap_or_default()
}
