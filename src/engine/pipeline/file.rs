//! One file that crashes the compiler.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Facts, Search, output, patience, shell_words, summed_up};
use crate::build::Toolchain;
use crate::engine::scratch::Scratch;
use crate::exec::Cancel;
use crate::property::crash::How;
use crate::property::{IceFile, replayed};
use crate::report::{Event, Failure, Kind, Observer, Summary};
use crate::request::{IceSelection, Request};
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::FileId;

pub(super) fn reduce(
    request: &Request,
    selection: &IceSelection,
    file: &Path,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
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
    let original = Subject::new([(name.clone(), bytes)]).with_roots([FileId(0)]);
    let scratch = Scratch::new()?;
    let toolchain = toolchain(request)?;
    let mut args: Vec<OsString> = Vec::new();
    if let Some(edition) = &selection.edition {
        args.extend(["--edition".into(), edition.into()]);
    }
    args.extend(selection.arguments.iter().map(OsString::from));
    let mut shown: Vec<OsString> = vec!["rustc".into()];
    shown.extend(
        request
            .cargo
            .toolchain
            .iter()
            .map(|name| format!("+{name}").into()),
    );
    shown.extend(args.iter().cloned());
    shown.push(name.clone().into());
    let command = shell_words(shown);
    args.extend([
        name.clone().into(),
        "--out-dir".into(),
        scratch.path().join("out").into(),
    ]);
    let mut oracle = IceFile::new(
        Place::new(scratch.path().join("candidate")),
        toolchain.rustc,
        args,
        cancel.clone(),
        selection.matching,
        selection.errors,
        request.trial_timeout.unwrap_or(Duration::from_secs(60)),
    );
    let Some((crash, outcome)) = oracle.baseline(&original)? else {
        return Err(Failure::NoCrash {
            commands: vec![command],
            output: String::new(),
        });
    };
    oracle.set_timeout(patience(request, outcome.wall));
    let report = oracle.report();
    observer.event(&Event::Baseline {
        runs: 1,
        signature: &crash.title(),
        tokens: original.tokens(),
        files: 1,
        wall: outcome.wall,
    });
    let stem = name
        .file_stem()
        .map_or("ice".into(), |stem| stem.to_string_lossy().into_owned());
    let output = output(request, None, &stem);
    let ended = Search {
        request,
        start: original.clone(),
        fixed: Default::default(),
        conditions: Default::default(),
        protected: Vec::new(),
        oracle: &mut oracle,
        last: None,
        cancel,
        output: output.clone(),
        scratch: scratch.path(),
        started,
        schedule: &mut |engine| engine.reduce_crash(&report),
    }
    .run(observer)?;
    let facts = Facts {
        request,
        kind: Kind::Ice {
            location: match &crash.how {
                How::Panic(place) => {
                    Some(crash.delayed_at.clone().unwrap_or_else(|| place.clone()))
                }
                _ => None,
            },
        },
        subject: name.display().to_string(),
        command,
        directory: output.join("reduced"),
        signature: crash.title(),
        original: &original,
        toolchain: toolchain.verbose_version,
        output,
        started,
    };
    summed_up(facts, ended, None)
}

/// The compiler that cargo would use here: `RUSTC` if it is set, else the toolchain's.
fn toolchain(request: &Request) -> Result<Toolchain, Failure> {
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let chosen = request.cargo.toolchain.iter();
    let env: Vec<(String, String)> = chosen
        .map(|name| ("RUSTUP_TOOLCHAIN".to_string(), name.clone()))
        .collect();
    let here = std::env::current_dir().map_err(Failure::io("finding", "."))?;
    Toolchain::of(&rustc, &env, &here).map_err(replayed::failure)
}
