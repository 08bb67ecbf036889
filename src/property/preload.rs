//! Libraries of our own that are loaded into what is run, ahead of all others. Knows how a run gets one; not what they do.

use std::path::PathBuf;

use super::own_crate;
use super::replayed::Replayed;
use crate::build::Executable;
use crate::exec::Cancel;
use crate::report::Failure;

/// Where the loader looks for libraries.
const SEARCH: &str = "LD_LIBRARY_PATH";

/// A library that takes the place of functions which others look up by name.
#[derive(Debug, Clone)]
pub struct Preload {
    directory: PathBuf,
    file: String,
}

impl Preload {
    /// Compiles the Rust text `source` to the library `name` for what `replayed` compiles; `None` where it would do nothing, or
    /// cannot be made: there is one thing less that is known then, and nothing worse.
    ///
    /// # Errors
    ///
    /// As for [`own_crate::compiled`].
    pub fn compiled(
        replayed: &Replayed,
        name: &str,
        source: &str,
        cancel: &Cancel,
    ) -> Result<Option<Preload>, Failure> {
        let elsewhere = replayed
            .last_unit()
            .is_some_and(|unit| unit.target.is_some());
        if elsewhere || !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return Ok(None);
        }
        let library = own_crate::compiled(replayed, name, "cdylib", source, cancel)?.ok();
        Ok(library.and_then(|library| {
            Some(Preload {
                directory: library.parent()?.to_path_buf(),
                file: library.file_name()?.to_str()?.to_string(),
            })
        }))
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
        around.push(("LD_PRELOAD".into(), self.file.clone()));
        loaded
    }
}
