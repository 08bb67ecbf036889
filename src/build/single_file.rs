//! A single source file that rustc compiles without cargo, in the shape of a captured build; knows nothing of
//! what it is compiled for.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::exec::{self, Cancel, Limits};

use super::BuildError;
use super::capture::Captured;
use super::command::{Addition, Emit, Fidelity, Plan};
use super::diagnostic::Messages;
use super::relocate::Relocation;
use super::toolchain::Toolchain;
use super::unit::Unit;
use super::wrapper::Record;

/// A file and how rustc is to compile it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileCall {
    /// The file. What it refers to (modules, `include!`) has to lie in its directory, which is taken for the tree.
    pub file: PathBuf,
    /// `+toolchain`, without the plus; `rustc` then has to be rustup's.
    pub toolchain: Option<String>,
    /// `--edition`.
    pub edition: Option<String>,
    /// rustc's other arguments.
    pub args: Vec<String>,
    /// Where rustc puts what it makes.
    pub target_dir: PathBuf,
}

/// Compiles the file once, with rustc as the user would call it, and takes that down as the only unit of a build.
///
/// The compiler is the one named by `RUSTC`, else the `rustc` in `PATH`. When compiling fails, that is a result like any other.
pub fn capture_file(
    call: &FileCall,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Captured, BuildError> {
    std::fs::create_dir_all(&call.target_dir)
        .map_err(BuildError::file("creating", &call.target_dir))?;
    let canonical = |path: &Path| {
        path.canonicalize()
            .map_err(BuildError::file("finding", path))
    };
    let (file, target_dir) = (canonical(&call.file)?, canonical(&call.target_dir)?);
    let not_utf8 = || BuildError::NotUtf8 {
        source_file: file.display().to_string(),
    };
    // A file that exists has a directory and a name.
    let (Some(root), Some(name)) = (file.parent(), file.file_name()) else {
        return Err(not_utf8());
    };
    let out_dir = target_dir.to_str().ok_or_else(not_utf8)?;
    let record = Record {
        programs: vec![std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into())],
        args: arguments(call, name.to_str().ok_or_else(not_utf8)?, out_dir),
        env: environment(call),
        cwd: root.to_path_buf(),
        lossy: false,
    };
    let Some(mut unit) = Unit::of(&record, &BTreeMap::new()) else {
        return Err(BuildError::Record {
            path: file,
            reason: "the arguments name no crate".into(),
        });
    };
    unit.own = true;
    if unit.crate_types.is_empty() && !unit.is_test {
        unit.crate_types.push("bin".into());
    }
    let toolchain = Toolchain::of_unit(&unit)?;
    let plan = Plan {
        relocation: Relocation {
            from: root,
            to: root,
            fixed: &target_dir,
        },
        rustc: &toolchain.rustc,
        emit: Emit::Captured,
        fidelity: Fidelity {
            debug_info: true,
            lints: true,
        },
        addition: &Addition::default(),
        out_dir: &target_dir,
        incremental: None,
        dependencies: &[],
        search: &[],
        binaries: &[],
    };
    let mut outcome = exec::run(&plan.invocation(&unit), limits, cancel)?;
    let messages = Messages::parse(&outcome.stderr, &unit.cwd, root);
    outcome.stderr = messages.text.into_bytes();
    Ok(Captured {
        root: root.to_path_buf(),
        target_dir,
        units: vec![unit],
        toolchain: Some(toolchain),
        executables: Vec::new(),
        outcome,
        diagnostics: messages.diagnostics,
    })
}

/// rustup's proxy chooses by this.
fn environment(call: &FileCall) -> Vec<(String, String)> {
    let toolchain = call.toolchain.iter().cloned();
    toolchain
        .map(|toolchain| ("RUSTUP_TOOLCHAIN".into(), toolchain))
        .collect()
}

/// What the user gave, after what a unit needs to have; where both say something, the user's comes last and wins.
fn arguments(call: &FileCall, file: &str, out_dir: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let is_identifier = |c: char| c.is_alphanumeric() || c == '_';
    let mut args = Vec::new();
    // rustc takes the name from the file's, and refuses only some of what cannot be a name.
    if !call.args.iter().any(|arg| arg.starts_with("--crate-name")) {
        args.push(format!(
            "--crate-name={}",
            stem.replace(|c| !is_identifier(c), "_")
        ));
    }
    args.push(format!("--out-dir={out_dir}"));
    if let Some(edition) = &call.edition {
        args.push(format!("--edition={edition}"));
    }
    args.push(file.to_string());
    args.extend(call.args.iter().cloned());
    args
}
