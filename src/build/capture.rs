//! Runs cargo once and takes down how it compiles the subject's crates; must not know what for.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::exec::{self, Cancel, Invocation, Limits, Outcome};

use super::diagnostic::{self, Diagnostic};
use super::executable::Executable;
use super::messages::{self, Artifact, CargoMessage};
use super::toolchain::Toolchain;
use super::unit::{self, Unit};
use super::wrapper::{CHAIN, RECORDS, Record};
use super::{BuildError, user_wrapper};

/// Cargo's messages have to be read whole: the artifacts come last.
const MESSAGE_BYTES: usize = 1 << 30;

/// A build by cargo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CargoCall {
    /// Cargo itself.
    pub cargo: PathBuf,
    /// `+toolchain`, without the plus; `cargo` then has to be rustup's.
    pub toolchain: Option<String>,
    /// `test`, `check`, `build`, `rustc` …
    pub subcommand: String,
    /// What follows the subcommand, except for `--message-format` and `--target-dir`. To build tests
    /// without running them takes `--no-run`. May contain `--` and what follows it.
    pub flags: Vec<OsString>,
    /// Where cargo runs.
    pub cwd: PathBuf,
    /// Changes to our own environment; `None` removes a variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Where cargo puts what it builds. If a build has filled it before, registry dependencies are not compiled again.
    pub target_dir: PathBuf,
}

impl CargoCall {
    /// A call without flags of the cargo that runs us or, without one or for another toolchain, of the one in `PATH`.
    pub fn new(
        subcommand: &str,
        toolchain: Option<&str>,
        cwd: impl Into<PathBuf>,
        target_dir: impl Into<PathBuf>,
    ) -> Self {
        let running = std::env::var_os("CARGO").filter(|_| toolchain.is_none());
        CargoCall {
            cargo: running.map_or_else(|| "cargo".into(), PathBuf::from),
            toolchain: toolchain.map(String::from),
            subcommand: subcommand.to_string(),
            flags: Vec::new(),
            cwd: cwd.into(),
            env: Vec::new(),
            target_dir: target_dir.into(),
        }
    }

    /// The same with these flags appended.
    pub fn flags<F: Into<OsString>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.flags.extend(flags.into_iter().map(Into::into));
        self
    }

    /// The call that builds what this one runs.
    pub fn building(&self) -> Self {
        let mut call = self.clone();
        match &*self.subcommand {
            "run" => call.subcommand = "build".to_string(),
            _ => call.flags.push("--no-run".into()),
        }
        call
    }

    /// The command as it is run, with `more` among cargo's own flags (before any `--`).
    pub fn invocation(&self, more: &[&str]) -> Invocation {
        let split = self.flags.iter().position(|flag| flag == "--");
        let (ours, theirs) = self.flags.split_at(split.unwrap_or(self.flags.len()));
        let toolchain = self
            .toolchain
            .iter()
            .map(|toolchain| format!("+{toolchain}").into());
        let mut args: Vec<OsString> = toolchain.collect();
        args.push(self.subcommand.clone().into());
        args.extend_from_slice(ours);
        args.push("--target-dir".into());
        args.push(self.target_dir.clone().into());
        args.extend(more.iter().map(OsString::from));
        args.extend_from_slice(theirs);
        let mut env = self.env.clone();
        // Intermediate files may be configured to go elsewhere; what a scratch build leaves belongs in one place.
        env.push((
            "CARGO_BUILD_BUILD_DIR".into(),
            Some(self.target_dir.clone().into()),
        ));
        Invocation {
            program: self.cargo.clone(),
            args,
            env,
            cwd: self.cwd.clone(),
        }
    }

    /// A variable of the environment that cargo gets.
    fn variable(&self, name: &str) -> Option<OsString> {
        match self.env.iter().rev().find(|(changed, _)| changed == name) {
            Some((_, value)) => value.clone(),
            None => std::env::var_os(name),
        }
    }
}

/// Which of the crates that cargo compiles are the subject's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// A directory that holds the subject and what its paths refer to. Replays may run in other copies of it.
    pub root: PathBuf,
    /// The directories of its crates, path dependencies outside the workspace too.
    pub own: Vec<PathBuf>,
}

/// A build, taken down.
#[derive(Debug, Clone)]
pub struct Captured {
    /// [`Subject::root`] without symbolic links: what [`Replay`](super::Replay) takes paths to be in.
    pub root: PathBuf,
    /// [`CargoCall::target_dir`] without symbolic links.
    pub target_dir: PathBuf,
    /// How the own crates, and all that depend on them, are compiled. What is depended on comes first;
    /// the order is the same in every run. If the build failed, what cargo had not come to is missing.
    pub units: Vec<Unit>,
    /// What they are compiled with; `None` if there are none.
    pub toolchain: Option<Toolchain>,
    /// The own executables that were built, sorted by package, kind and name.
    pub executables: Vec<Executable>,
    /// How cargo ended. Its standard output has been read into the other fields.
    pub outcome: Outcome,
    /// What rustc said about own crates.
    pub diagnostics: Vec<Diagnostic>,
}

impl Captured {
    /// The same with the wrapper around rustc that the user has configured, if there is one, in the
    /// replayed calls too: for what the wrapper itself may be the reason of. Otherwise replays leave it out.
    pub fn through_users_wrapper(mut self) -> Result<Self, BuildError> {
        let configured = user_wrapper::configured(&self.root, |name| std::env::var_os(name))?;
        if let Some(wrapper) = configured {
            for unit in &mut self.units {
                unit.workspace_wrapper
                    .get_or_insert_with(|| PathBuf::from(&wrapper));
            }
        }
        Ok(self)
    }

    /// The compiler of a unit: the real one, if cargo called rustup's proxy.
    pub(super) fn rustc<'a>(&'a self, unit: &'a Unit) -> &'a Path {
        let first = self.units.first();
        match &self.toolchain {
            Some(toolchain) if first.is_some_and(|first| first.rustc == unit.rustc) => {
                &toolchain.rustc
            }
            _ => &unit.rustc,
        }
    }
}

/// Runs cargo and takes down how it compiles the subject.
///
/// `wrapper` is an executable that calls [`run_as_wrapper_if_asked`](super::run_as_wrapper_if_asked), usually our
/// own. Of `limits`, `output_bytes` holds for standard error only. When the build fails, that is a
/// result like any other.
///
/// Own targets that cargo finds up to date are touched – the files in [`Subject::own`] get a new
/// modification time, so this must be a scratch copy – and cargo is run again; nothing else is rebuilt.
pub fn capture(
    call: &CargoCall,
    subject: &Subject,
    wrapper: &Path,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Captured, BuildError> {
    std::fs::create_dir_all(&call.target_dir)
        .map_err(BuildError::file("creating", &call.target_dir))?;
    let canonical = |path: &Path| {
        path.canonicalize()
            .map_err(BuildError::file("finding", path))
    };
    let call = CargoCall {
        cwd: canonical(&call.cwd)?,
        target_dir: canonical(&call.target_dir)?,
        ..call.clone()
    };
    let own: Vec<PathBuf> = subject
        .own
        .iter()
        .map(|own| canonical(own))
        .collect::<Result<_, _>>()?;
    let owned = Owned {
        own,
        target_dir: call.target_dir.clone(),
    };
    // Where cargo's own temporary files go, so that after a kill ours are found with them.
    let temporary = call
        .variable("TMPDIR")
        .map_or_else(std::env::temp_dir, PathBuf::from);
    let records = tempfile::tempdir_in(&temporary)
        .map_err(BuildError::file("creating a directory in", &temporary))?;

    let mut build = run(&call, records.path(), wrapper, limits, cancel)?;
    let fresh = owned.fresh(&build.artifacts);
    if !fresh.is_empty() && build.outcome.ending != exec::Ending::Cancelled {
        touch(&fresh)?;
        build = run(&call, records.path(), wrapper, limits, cancel)?;
    }
    let root = canonical(&subject.root)?;
    let units = units(records.path(), &owned)?;
    if let Some(missing) = fresh
        .iter()
        .find(|source| !units.iter().any(|unit| &unit.source == *source))
    {
        return Err(BuildError::StillFresh {
            source_file: missing.clone(),
        });
    }
    let toolchain = units.first().map(Toolchain::of_unit).transpose()?;
    let mut executables: Vec<Executable> = build
        .artifacts
        .iter()
        .filter(|artifact| owned.contains(&artifact.target.src_path))
        .filter_map(|artifact| Executable::captured(artifact, &units, toolchain.as_ref()))
        .collect();
    executables.sort_by(|a, b| (&a.package, a.kind, &a.name).cmp(&(&b.package, b.kind, &b.name)));
    let diagnostics = build
        .messages
        .into_iter()
        .filter(|message| owned.contains(&message.target.src_path));
    let diagnostics = diagnostics
        .filter_map(|message| {
            let unit = units
                .iter()
                .find(|unit| unit.source == message.target.src_path)?;
            diagnostic::diagnostic(message.message, &unit.cwd, &root)
        })
        .collect();
    Ok(Captured {
        root,
        target_dir: call.target_dir,
        units,
        toolchain,
        executables,
        outcome: build.outcome,
        diagnostics,
    })
}

/// Which source files are the subject's.
struct Owned {
    own: Vec<PathBuf>,
    target_dir: PathBuf,
}

impl Owned {
    fn contains(&self, source: &Path) -> bool {
        self.own.iter().any(|own| source.starts_with(own)) && !source.starts_with(&self.target_dir)
    }

    /// The source files of own targets that cargo did not compile.
    fn fresh(&self, artifacts: &[Artifact]) -> Vec<PathBuf> {
        let fresh: HashSet<PathBuf> = artifacts
            .iter()
            .filter(|artifact| artifact.fresh && self.contains(&artifact.target.src_path))
            .map(|artifact| artifact.target.src_path.clone())
            .collect();
        let mut fresh: Vec<PathBuf> = fresh.into_iter().collect();
        fresh.sort();
        fresh
    }
}

/// Makes cargo think that the files have changed.
fn touch(files: &[PathBuf]) -> Result<(), BuildError> {
    for path in files {
        std::fs::File::options()
            .append(true)
            .open(path)
            .and_then(|file| file.set_modified(SystemTime::now()))
            .map_err(BuildError::file("touching", path))?;
    }
    Ok(())
}

struct Build {
    outcome: Outcome,
    artifacts: Vec<Artifact>,
    messages: Vec<messages::CompilerMessage>,
}

fn run(
    call: &CargoCall,
    records: &Path,
    wrapper: &Path,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Build, BuildError> {
    let mut invocation = call.invocation(&["--message-format=json"]);
    let chain = user_wrapper::configured(&call.cwd, |name| call.variable(name))?;
    invocation.env.extend([
        ("RUSTC_WRAPPER".into(), Some(wrapper.into())),
        (RECORDS.into(), Some(records.into())),
        (CHAIN.into(), chain),
    ]);
    let limits = Limits {
        output_bytes: limits.output_bytes.max(MESSAGE_BYTES),
        ..limits.clone()
    };
    let mut outcome = exec::run(&invocation, &limits, cancel)?;
    let (mut artifacts, mut messages) = (Vec::new(), Vec::new());
    for message in messages::parse(&std::mem::take(&mut outcome.stdout)) {
        match message {
            CargoMessage::CompilerArtifact(artifact) => artifacts.push(artifact),
            CargoMessage::CompilerMessage(message) => messages.push(message),
            CargoMessage::Other => {}
        }
    }
    Ok(Build {
        outcome,
        artifacts,
        messages,
    })
}

/// Reads all records.
fn units(records: &Path, owned: &Owned) -> Result<Vec<Unit>, BuildError> {
    let base: BTreeMap<String, String> = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    let reading = || BuildError::file("reading", records);
    let mut found: HashMap<PathBuf, (SystemTime, Unit)> = HashMap::new();
    for entry in std::fs::read_dir(records).map_err(reading())? {
        let path = entry.map_err(reading())?.path();
        // A call that was cut short leaves a record under another name.
        if path.extension() != Some(OsStr::new("json")) {
            continue;
        }
        let text = std::fs::read(&path).map_err(BuildError::file("reading", &path))?;
        let record: Record = serde_json::from_slice(&text).map_err(|error| BuildError::Record {
            path: path.clone(),
            reason: error.to_string(),
        })?;
        let Some(mut unit) = Unit::of(&record, &base) else {
            continue;
        };
        unit.own = owned.contains(&unit.source);
        if record.lossy && unit.own {
            return Err(BuildError::NotUtf8 {
                source_file: unit.source.display().to_string(),
            });
        }
        // The same unit comes twice if cargo was run twice; the later one is right.
        let written = path.metadata().and_then(|metadata| metadata.modified());
        let written = written.map_err(BuildError::file("reading", &path))?;
        let key = unit.captured_output();
        match found.get(&key) {
            Some((earlier, _)) if *earlier > written => {}
            _ => {
                found.insert(key, (written, unit));
            }
        }
    }
    let units = found.into_values().map(|(_, unit)| unit).collect();
    Ok(unit::arrange(units))
}
