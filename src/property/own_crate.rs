//! Crates of our own that go into what is compiled or run. Knows how they are compiled; not what they do.

use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::replayed::{Replayed, failure};
use crate::build::Toolchain;
use crate::exec::{self, Cancel, Invocation, Limits};
use crate::report::Failure;

/// Compiles the text `source` to the library `name` of this `kind`, with the compiler of what `replayed` compiles and for the same
/// target. The inner `Err` is what rustc says where it does not take it.
///
/// # Errors
///
/// When files cannot be written, rustc cannot be run, or it was cancelled.
pub(super) fn compiled(
    replayed: &Replayed,
    name: &str,
    kind: &str,
    source: &str,
    cancel: &Cancel,
) -> Result<Result<PathBuf, String>, Failure> {
    let Some(unit) = replayed.last_unit() else {
        return Ok(Err("there is nothing to compile it for".into()));
    };
    let toolchain = match &replayed.captured().toolchain {
        Some(toolchain) => toolchain.clone(),
        None => Toolchain::of_unit(unit).map_err(failure)?,
    };
    let directory = replayed.directory().join(name);
    fs::create_dir_all(&directory).map_err(Failure::io("creating", &directory))?;
    let file = directory.join(format!("{name}.rs"));
    fs::write(&file, source).map_err(Failure::io("writing", &file))?;
    let extension = if kind == "rlib" { "rlib" } else { "so" };
    let library = directory.join(format!("lib{name}.{extension}"));
    let mut args: Vec<OsString> = Vec::new();
    args.extend(["--crate-name", name, "--crate-type", kind].map(Into::into));
    args.extend(["--edition", "2021", "-O", "--cap-lints", "allow"].map(Into::into));
    if let Some(target) = &unit.target {
        args.extend(["--target".into(), target.into()]);
    }
    args.extend(["-o".into(), library.clone().into(), file.into()]);
    let invocation = Invocation {
        program: toolchain.rustc,
        args,
        env: Vec::new(),
        cwd: directory,
    };
    let limits = Limits {
        timeout: Duration::from_secs(120),
        busy: None,
        output_bytes: 1 << 16,
        memory_bytes: None,
        writable: None,
    };
    let outcome =
        exec::run(&invocation, &limits, cancel).map_err(|error| Failure::NoToolchain {
            command: "rustc".into(),
            why: error.to_string(),
        })?;
    if cancel.is_set() {
        return Err(Failure::Interrupted);
    }
    Ok(match outcome.success() {
        true => Ok(library),
        false => Err(String::from_utf8_lossy(&outcome.stderr).into_owned()),
    })
}
