//! Libraries of our own that are loaded into what is run, ahead of all others. Knows how they are made and how a run gets one;
//! not what they do.

use std::fs;
use std::path::PathBuf;

use super::replayed::Replayed;
use crate::build::{Executable, Toolchain};
use crate::exec::{self, Cancel, Invocation, Limits};
use crate::report::Failure;

/// Where the loader looks for libraries.
const SEARCH: &str = "LD_LIBRARY_PATH";

/// A library that takes the place of functions which others look up by name.
#[derive(Debug, Clone)]
pub struct Preload {
    directory: PathBuf,
    name: &'static str,
}

impl Preload {
    /// Compiles the Rust text `source` to the library `name` for what `replayed` compiles; `None` where it would do nothing, or
    /// cannot be made.
    ///
    /// # Errors
    ///
    /// When its files cannot be written.
    pub fn compiled(
        replayed: &Replayed,
        name: &'static str,
        source: &str,
        cancel: &Cancel,
    ) -> Result<Option<Preload>, Failure> {
        let toolchain: Option<&Toolchain> = replayed.captured().toolchain.as_ref();
        let (Some(toolchain), Some(unit)) = (toolchain, replayed.last_unit()) else {
            return Ok(None);
        };
        if unit.target.is_some() || !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return Ok(None);
        }
        let directory = replayed.directory().join(name);
        fs::create_dir_all(&directory).map_err(Failure::io("creating", &directory))?;
        let file = directory.join(format!("{name}.rs"));
        fs::write(&file, source).map_err(Failure::io("writing", &file))?;
        let preload = Preload { directory, name };
        let mut args: Vec<std::ffi::OsString> = Vec::new();
        args.extend(["--crate-name", name, "--crate-type", "cdylib"].map(Into::into));
        args.extend(["--edition", "2021", "-O", "--cap-lints", "allow", "-o"].map(Into::into));
        args.extend([preload.directory.join(preload.file()).into(), file.into()]);
        let invocation = Invocation {
            program: toolchain.rustc.clone(),
            args,
            env: Vec::new(),
            cwd: preload.directory.clone(),
        };
        let limits = Limits {
            timeout: std::time::Duration::from_secs(120),
            busy: None,
            output_bytes: 1 << 16,
            memory_bytes: None,
            writable: None,
        };
        let made = exec::run(&invocation, &limits, cancel);
        Ok(made.ok().filter(exec::Outcome::success).map(|_| preload))
    }

    /// `executable`, run with the library.
    pub fn loaded_by(&self, executable: &Executable) -> Executable {
        let mut loaded = executable.clone();
        // A path could have a space in it, which would make it two; a list of directories may have some.
        let around = &mut loaded.env;
        let search = around.iter().rev().find(|(name, _)| name == SEARCH);
        let given = search.map_or(String::new(), |(_, value)| format!(":{value}"));
        around.push((
            SEARCH.into(),
            format!("{}{given}", self.directory.display()),
        ));
        around.push(("LD_PRELOAD".into(), self.file()));
        loaded
    }

    fn file(&self) -> String {
        format!("lib{}.so", self.name)
    }
}
