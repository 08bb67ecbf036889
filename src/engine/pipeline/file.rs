//! One file on which a compiler, or another tool, fails.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::alone::{Alone, stands_alone};
use super::shown::{self, baseline, contrasted, time_for_the_original};
use super::tools::{self, FileCommand};
use super::{Facts, Search, output, places, summed_up_alone};
use crate::build::grouped;
use crate::engine::scratch::Scratch;
use crate::exec::{Cancel, Limits};
use crate::property::by_command::ByCommand;
use crate::property::contrast::{Contrasted, Elsewhere};
use crate::property::crash::How;
use crate::report::{Event, Failure, Observer, Status, Summary};
use crate::request::{IceSelection, Request};
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::{FileId, Text};

/// What a compiler has next to nothing to do with.
const IDLE: &str = "fn main() {}\n";

pub(super) fn reduce(
    request: &Request,
    selection: &IceSelection,
    file: &Path,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
    let (name, original) = read(file)?;
    let original = with_modules(original, file)?;
    let scratch = Scratch::new()?;
    let out = scratch.path().join("out");
    let limits = Limits {
        timeout: time_for_the_original(request, Duration::from_secs(60)),
        busy: None,
        output_bytes: 1 << 20,
        memory_bytes: selection.memory_limit,
        writable: None,
    };
    let oracle_at = |directory: &str, command: &FileCommand| {
        let root = scratch.path().join(directory);
        let mut invocation = command.invocation.clone();
        invocation.cwd.clone_from(&root);
        ByCommand::new(Place::new(root), invocation, limits.clone(), cancel.clone())
    };
    let toolchain = request.cargo.toolchain.as_deref();
    let command = tools::on_file(selection, toolchain, &name, &out, cancel)?;
    let mut here = oracle_at("candidate", &command);
    let (seen, outcome) = here.observe(&original, None)?;
    let idle = Text::inserted(IDLE.to_string());
    let idle = original.with_text(FileId(0), idle);
    let time = || Ok(here.observe(&idle, None)?.1.cpu);
    let Some(found) = baseline(request, selection, &seen, &outcome, time)? else {
        return Err(Failure::NoCrash {
            what: shown::absent(selection),
            commands: vec![command.shown],
            output: seen.text,
        });
    };
    if crashed_for_memory(&seen) && crashed_for_memory(&here.observe(&idle, None)?.0) {
        return Err(Failure::LimitTooLow {
            command: command.shown,
        });
    }
    let signature = found.signature;
    here.set_signature(signature.clone());
    here.set_timeout(found.timeout, found.busy);
    let others = places(request, selection, scratch.path()).map(|directory| {
        // What they make must not get in each other's way.
        let mut invocation = command.invocation.clone();
        for argument in invocation.args.iter_mut().filter(|own| **own == *out) {
            *argument = directory.join("out").into();
        }
        invocation.cwd = directory.join("candidate");
        here.elsewhere(Place::new(&invocation.cwd), invocation)
    });
    let others: Vec<ByCommand> = others.collect();
    let mut here = here.beside(others);

    let mut elsewhere = Vec::new();
    for (at, contrast) in selection.contrasts.iter().enumerate() {
        let there = contrast.toolchain.as_deref();
        let command = tools::on_file(selection, there, &name, &out, cancel)?;
        elsewhere.push(Elsewhere {
            toolchain: shown::name(there),
            run: oracle_at(&format!("elsewhere-{at}"), &command),
            compiles: contrast.compiles,
        });
    }
    let elsewhere = RefCell::new(elsewhere);
    contrasted(&elsewhere, &signature, &original)?;
    let title = shown::title(&signature, &elsewhere.borrow());
    observer.event(&Event::Baseline {
        runs: 1,
        signature: &title,
        tokens: original.tokens(),
        files: original.source_files(),
        wall: outcome.wall,
    });
    let output = output(request, None, &stem(&name, "ice"));
    let mut last = here.for_people(Place::new(scratch.path().join("last")));
    let mut oracle = Contrasted {
        here: &mut here,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let mut last = Contrasted {
        here: &mut last,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let mut ended = Search {
        request,
        start: original.clone(),
        fixed: Default::default(),
        untouched: Vec::new(),
        conditions: Default::default(),
        joints: Vec::new(),
        protected: Vec::new(),
        oracle: &mut oracle,
        last: Some(&mut last),
        cancel,
        output: output.clone(),
        scratch: scratch.path(),
        started,
        manifest_trials: 0,
        pump: None,
        schedule: &mut |engine| engine.reduce_crash(signature.report()),
    }
    .run(observer)?;
    let mut alone = None;
    if let Some(at) = ended.best.find(&name)
        && ended.best.source_files() == 1
        && stands_alone(selection, &signature)
        && ended.status != Status::Interrupted
    {
        let flags: Vec<String> = selection
            .edition
            .iter()
            .flat_map(|edition| ["--edition".to_string(), edition.clone()])
            .chain(selection.arguments.iter().cloned())
            .collect();
        let search = Alone {
            rustc: &command.toolchain.rustc,
            toolchain,
            flags: grouped(&flags),
            signature: &signature,
            settings: &request.search.minimizer,
            timeout: found.timeout,
            scratch: scratch.path().join("alone"),
            cancel,
        };
        let source = ended.best.file(at).source();
        // The last run was by the same command.
        let shown = ended.shown.then(|| ended.output.clone());
        let trials;
        (alone, trials) = search.search(source, &Path::new("reduced").join(&name), shown)?;
        ended.counts.trials += trials;
        // The command that was given is as short.
        alone = alone.filter(|alone| alone.fewer);
    }
    let facts = Facts {
        request,
        kind: signature.kind(),
        subject: name.display().to_string(),
        command: command.shown,
        directory: output.join("reduced"),
        signature: title,
        class: signature.class(),
        original: &original,
        toolchain: command.toolchain.verbose_version,
        output,
        started,
    };
    summed_up_alone(facts, ended, alone)
}

/// A file as a subject of its own, with its name.
///
/// # Errors
///
/// When it cannot be read, or is not UTF-8.
pub(super) fn read(file: &Path) -> Result<(PathBuf, Subject), Failure> {
    let bytes = std::fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoSuchFile { path: file.into() },
        _ => Failure::io("reading", file)(error),
    })?;
    if let Err(error) = std::str::from_utf8(&bytes) {
        return Err(Failure::NotUtf8 {
            path: file.into(),
            offset: error.valid_up_to(),
        });
    }
    let name = PathBuf::from(file.file_name().unwrap_or_default());
    let subject = Subject::new([(name.clone(), bytes)]).with_roots([FileId(0)]);
    Ok((name, subject))
}

/// `subject`, which is the file `root`, with the files of its modules that lie below the directory of `root`.
fn with_modules(subject: Subject, root: &Path) -> Result<Subject, Failure> {
    let directory = root.parent().unwrap_or(Path::new(""));
    let mut files: Vec<(PathBuf, Vec<u8>)> = subject
        .files()
        .iter()
        .filter_map(|file| Some((file.path.clone(), file.bytes()?.to_vec())))
        .collect();
    let mut subject = subject;
    loop {
        let wanted = subject.modules().absent.iter();
        let mut new = Vec::new();
        for path in wanted.filter(|path| path.is_relative()) {
            let found = directory.join(path);
            if found.is_file() {
                let bytes = std::fs::read(&found).map_err(Failure::io("reading", &found))?;
                new.push((path.clone(), bytes));
            }
        }
        if new.is_empty() {
            return Ok(subject);
        }
        files.extend(new);
        subject = Subject::new(files.clone()).with_roots([FileId(0)]);
    }
}

/// The name that a file's result gets; `otherwise` for a file without one.
pub(super) fn stem(name: &Path, otherwise: &str) -> String {
    name.file_stem()
        .map_or(otherwise.into(), |stem| stem.to_string_lossy().into_owned())
}

fn crashed_for_memory(seen: &crate::property::crash::Seen) -> bool {
    let crash = seen.crash.as_ref();
    crash.is_some_and(|crash| crash.how == How::Memory)
}
