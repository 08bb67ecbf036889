//! An executable that a build made, and how cargo would run it; must not run it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::exec::Invocation;

use super::messages::{Artifact, CargoMessage, parse};
use super::relocate::Relocation;
use super::toolchain::Toolchain;
use super::unit::Unit;

/// Where programs look for dynamic libraries.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") {
    "DYLD_FALLBACK_LIBRARY_PATH"
} else {
    "LD_LIBRARY_PATH"
};

/// What an executable is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExecutableKind {
    /// The unit tests of a library.
    LibTest,
    /// An integration test.
    Test,
    /// The unit tests of a binary.
    BinTest,
    /// The tests in an example or a benchmark.
    OtherTest,
    /// A binary.
    Bin,
    /// An example or a benchmark.
    Other,
}

/// An executable of the subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// The file.
    pub path: PathBuf,
    /// The target's name in `Cargo.toml`.
    pub name: String,
    /// What it is made from.
    pub kind: ExecutableKind,
    /// The package's name.
    pub package: String,
    /// The package's id, as cargo writes it.
    pub package_id: String,
    /// The index of the unit that it is linked by.
    pub unit: usize,
    /// Where cargo runs it: the package's directory.
    pub cwd: PathBuf,
    /// What cargo adds to the environment to run it.
    pub env: Vec<(String, String)>,
}

impl Executable {
    /// `None` if it is no executable, or none that a unit is known for.
    pub(super) fn captured(
        artifact: &Artifact,
        units: &[Unit],
        toolchain: Option<&Toolchain>,
    ) -> Option<Self> {
        let path = artifact.executable.clone()?;
        let at = units.iter().position(|unit| {
            unit.source == artifact.target.src_path
                && unit.is_for_tests() == artifact.profile.test
                && unit.is_executable()
                && unit.crate_name == artifact.target.name.replace('-', "_")
        })?;
        let unit = &units[at];
        Some(Executable {
            kind: kind(artifact),
            name: artifact.target.name.clone(),
            package: unit.package.clone(),
            package_id: artifact.package_id.clone(),
            unit: at,
            cwd: unit.manifest_dir.clone(),
            env: run_env(unit, toolchain),
            path,
        })
    }

    /// The same made by a replay, in another tree and another place. `binaries` are variables that name programs,
    /// `libraries` further places to find dynamic libraries in.
    pub(super) fn replayed(
        &self,
        path: PathBuf,
        relocation: &Relocation<'_>,
        binaries: Vec<(String, PathBuf)>,
        libraries: Vec<PathBuf>,
    ) -> Self {
        let mut replayed = self.clone();
        for (name, value) in &mut replayed.env {
            *value = relocation.text(value);
            if name == LIBRARY_PATH {
                let given = std::env::split_paths(value);
                *value = join(libraries.iter().cloned().chain(given));
            }
        }
        let binaries = binaries.into_iter();
        let binaries = binaries.map(|(name, path)| (name, path.display().to_string()));
        replayed.env.extend(binaries);
        replayed.cwd = relocation.path(&self.cwd);
        replayed.path = path;
        replayed
    }

    /// The same at `path`, built from a copy in `to` of what lay in `from`.
    pub fn moved(&self, path: PathBuf, from: &Path, to: &Path) -> Self {
        let relocation = Relocation {
            from,
            to,
            fixed: &path,
        };
        let mut moved = self.clone();
        for (_, value) in &mut moved.env {
            *value = relocation.text(value);
        }
        moved.cwd = relocation.path(&self.cwd);
        moved.path = path;
        moved
    }

    /// How cargo would run it, with these arguments.
    pub fn invocation<A: Into<OsString>>(&self, args: impl IntoIterator<Item = A>) -> Invocation {
        let set = |(name, value): &(String, String)| (name.into(), Some(value.into()));
        Invocation {
            program: self.path.clone(),
            args: args.into_iter().map(Into::into).collect(),
            env: self.env.iter().map(set).collect(),
            cwd: self.cwd.clone(),
        }
    }
}

/// Where cargo, which printed `stdout` with `--message-format=json`, put the executable of the same target as `like`.
pub fn built_executable(stdout: &[u8], like: &Executable) -> Option<PathBuf> {
    let messages = parse(stdout).into_iter();
    messages
        .filter_map(|message| match message {
            CargoMessage::CompilerArtifact(artifact) => Some(artifact),
            _ => None,
        })
        .filter(|artifact| artifact.target.name == like.name && kind(artifact) == like.kind)
        .filter(|artifact| artifact.package_id.contains(&like.package))
        .find_map(|artifact| artifact.executable)
}

fn kind(artifact: &Artifact) -> ExecutableKind {
    let is = |kind: &str| artifact.target.kind.iter().any(|own| own == kind);
    match (is("test"), is("bin"), is("example") || is("bench")) {
        (true, ..) => ExecutableKind::Test,
        (_, true, _) if artifact.profile.test => ExecutableKind::BinTest,
        (_, true, _) => ExecutableKind::Bin,
        (.., true) if artifact.profile.test => ExecutableKind::OtherTest,
        (.., true) => ExecutableKind::Other,
        _ => ExecutableKind::LibTest,
    }
}

/// Cargo runs a program with most of what it compiles it with; what the compiler alone gets to see is left out.
fn run_env(unit: &Unit, toolchain: Option<&Toolchain>) -> Vec<(String, String)> {
    const COMPILE_ONLY: [&str; 5] = [
        "CARGO_BIN_NAME",
        "CARGO_CRATE_NAME",
        "CARGO_PRIMARY_PACKAGE",
        "CARGO_TARGET_TMPDIR",
        LIBRARY_PATH,
    ];
    let kept = unit
        .env
        .iter()
        .filter(|(name, _)| !COMPILE_ONLY.contains(&name.as_str()));
    let mut env: Vec<_> = kept.cloned().collect();
    env.push((LIBRARY_PATH.to_string(), library_path(unit, toolchain)));
    env
}

/// The libraries that build scripts made, cargo's outputs, the standard library, and what rustc itself was given.
fn library_path(unit: &Unit, toolchain: Option<&Toolchain>) -> String {
    let native = unit.native_directories();
    let outputs = [unit.out_dir.as_path()]
        .into_iter()
        .chain(unit.out_dir.parent());
    let outputs = outputs.map(Path::to_path_buf);
    let given = unit.env.iter().find(|(name, _)| name == LIBRARY_PATH);
    let given = given
        .map(|(_, value)| value.clone())
        .or_else(|| std::env::var(LIBRARY_PATH).ok());
    let given: Vec<PathBuf> = given.iter().flat_map(std::env::split_paths).collect();
    let sysroot = toolchain.map(|toolchain| toolchain.library_dir(unit.target.as_deref()));
    join(
        native
            .into_iter()
            .chain(outputs)
            .chain(sysroot)
            .chain(given),
    )
}

fn join(directories: impl Iterator<Item = PathBuf>) -> String {
    // A directory whose name has a colon in it cannot be in such a list.
    let directories = directories.filter(|path| !path.to_string_lossy().contains(':'));
    std::env::join_paths(directories)
        .ok()
        .and_then(|list| list.into_string().ok())
        .unwrap_or_default()
}
