//! Our executable in the role of cargo's `RUSTC_WRAPPER`: writes a rustc call down, then becomes it; must not
//! change what the call does.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use serde::{Deserialize, Serialize};

/// The directory that records go to. That it is set is what makes our executable the wrapper.
pub(super) const RECORDS: &str = "CARGO_REDUCE_CAPTURE";

/// The user's own `RUSTC_WRAPPER`, whose place we took.
pub(super) const CHAIN: &str = "CARGO_REDUCE_CHAIN";

/// One call of rustc, as cargo made it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// The compiler, after the user's workspace wrapper if there is one.
    pub(super) programs: Vec<String>,
    /// What rustc was given, argument files expanded.
    pub(super) args: Vec<String>,
    /// The whole environment.
    pub(super) env: Vec<(String, String)>,
    /// The working directory.
    pub(super) cwd: PathBuf,
    /// Something above is not UTF-8 and is shown as far as possible.
    pub(super) lossy: bool,
}

/// Records and runs a rustc call if cargo started us for that; otherwise `None`.
///
/// Has to be called first in `main`, before arguments are parsed: in this role they are rustc's. When
/// all goes well it does not return, because the process becomes rustc.
pub fn run_as_wrapper_if_asked() -> Option<ExitCode> {
    let records = std::env::var_os(RECORDS)?;
    let command: Vec<OsString> = std::env::args_os().skip(1).collect();
    let error = match record(Path::new(&records), &command) {
        Ok(()) => become_rustc(&command),
        Err(error) => error,
    };
    eprintln!("error: recording a rustc call for cargo reduce: {error}");
    Some(ExitCode::FAILURE)
}

/// Returns only if that fails.
fn become_rustc(command: &[OsString]) -> io::Error {
    let chain = std::env::var_os(CHAIN).filter(|chain| !chain.is_empty());
    let mut words = chain.iter().chain(command);
    match words.next() {
        Some(program) => Command::new(program).args(words).exec(),
        None => io::Error::other("no compiler was given"),
    }
}

fn record(records: &Path, command: &[OsString]) -> io::Result<()> {
    let Some(record) = Record::of(command)? else {
        return Ok(());
    };
    // Written under another name first, so that a call cut short leaves no half record.
    let mut file = tempfile::Builder::new()
        .suffix(".part")
        .tempfile_in(records)?;
    serde_json::to_writer(&mut file, &record)?;
    let name = file.path().with_extension("json");
    file.persist(name)?;
    Ok(())
}

impl Record {
    /// `None` if the call does not compile a target of a package: cargo's and build scripts' probes.
    fn of(command: &[OsString]) -> io::Result<Option<Self>> {
        // Cargo's arguments for rustc always begin with an option.
        let programs = command.iter().take_while(|word| !starts_like_option(word));
        let programs: Vec<&OsString> = programs.collect();
        let args = expand(&command[programs.len()..])?;
        let is_probe = args.iter().any(|arg| starts_with(arg, "--print"))
            || !args.iter().any(|arg| starts_with(arg, "--crate-name"));
        // Set for build scripts, and for rustc only when a build script calls it.
        if is_probe || std::env::var_os("NUM_JOBS").is_some() {
            return Ok(None);
        }
        let mut lossy = false;
        let mut text = |word: &OsStr| {
            lossy |= word.to_str().is_none();
            word.to_string_lossy().into_owned()
        };
        Ok(Some(Record {
            programs: programs.into_iter().map(|word| text(word)).collect(),
            args: args.iter().map(|word| text(word)).collect(),
            env: std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, text(&value))))
                .collect(),
            cwd: std::env::current_dir()?,
            lossy,
        }))
    }
}

fn starts_like_option(word: &OsStr) -> bool {
    starts_with(word, "-") || starts_with(word, "@")
}

fn starts_with(word: &OsStr, prefix: &str) -> bool {
    word.as_encoded_bytes().starts_with(prefix.as_bytes())
}

/// Replaces `@file` by the lines of that file, which cargo uses where command lines are limited and deletes afterwards.
fn expand(args: &[OsString]) -> io::Result<Vec<OsString>> {
    let mut expanded = Vec::with_capacity(args.len());
    for arg in args {
        match arg.to_str().and_then(|arg| arg.strip_prefix('@')) {
            Some(file) => {
                let lines = std::fs::read_to_string(file)?;
                expanded.extend(lines.lines().map(OsString::from));
            }
            None => expanded.push(arg.clone()),
        }
    }
    Ok(expanded)
}
