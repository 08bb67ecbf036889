//! Which `rustc-wrapper` the user has configured, so that taking its place does not lose it; knows nothing of rustc.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::BuildError;

/// The wrapper that cargo would use in `cwd` if we did not ask for another one. `variable` looks up the
/// environment that cargo is going to have.
///
/// Cargo's order: `RUSTC_WRAPPER`, `CARGO_BUILD_RUSTC_WRAPPER`, then `build.rustc-wrapper` in the
/// `.cargo/config.toml` of `cwd` and of each directory above it, and last in cargo's home. An empty value means no wrapper.
pub(super) fn configured(
    cwd: &Path,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<OsString>, BuildError> {
    for name in ["RUSTC_WRAPPER", "CARGO_BUILD_RUSTC_WRAPPER"] {
        if let Some(wrapper) = variable(name) {
            return Ok(Some(wrapper).filter(|wrapper| !wrapper.is_empty()));
        }
    }
    let above = cwd.ancestors().map(|directory| directory.join(".cargo"));
    let home = variable("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(variable("HOME")?).join(".cargo")));
    for directory in above.chain(home) {
        if let Some(wrapper) = in_directory(&directory)? {
            return Ok(Some(wrapper).filter(|wrapper| !wrapper.is_empty()));
        }
    }
    Ok(None)
}

/// What the configuration in this `.cargo` directory says, if anything.
fn in_directory(directory: &Path) -> Result<Option<OsString>, BuildError> {
    // When there are both, cargo reads the one without an extension.
    for name in ["config", "config.toml"] {
        let path = directory.join(name);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(source) => {
                return Err(BuildError::File {
                    doing: "reading cargo's configuration",
                    path,
                    source,
                });
            }
        };
        let document: toml_edit::DocumentMut =
            text.parse().map_err(|error| BuildError::Config {
                path: path.clone(),
                reason: format!("{error}"),
            })?;
        let wrapper = document
            .get("build")
            .and_then(|build| build.get("rustc-wrapper"))
            .and_then(|wrapper| wrapper.as_str());
        return Ok(wrapper.map(|wrapper| resolve(wrapper, directory)));
    }
    Ok(None)
}

/// A path with a slash is relative to the directory that holds `.cargo`; a plain name is searched in `PATH`.
fn resolve(wrapper: &str, config_directory: &Path) -> OsString {
    match config_directory.parent() {
        Some(base) if wrapper.contains('/') => base.join(wrapper).into(),
        _ => OsStr::new(wrapper).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::configured;

    #[test]
    fn the_nearest_configuration_wins_and_the_environment_beats_it() {
        let top = tempfile::tempdir().unwrap();
        let inner = top.path().join("a/b");
        fs::create_dir_all(inner.join(".cargo")).unwrap();
        fs::create_dir_all(top.path().join(".cargo")).unwrap();
        let outer_config = top.path().join(".cargo/config.toml");
        fs::write(outer_config, "build.rustc-wrapper = 'outer'").unwrap();
        let home = |name: &str| (name == "HOME").then(|| "/nowhere".into());
        assert_eq!(configured(&inner, home).unwrap(), Some("outer".into()));

        let inner_config = inner.join(".cargo/config.toml");
        fs::write(inner_config, "[build]\nrustc-wrapper = 'tools/wrap'").unwrap();
        let relative = inner.join("tools/wrap").into_os_string();
        assert_eq!(configured(&inner, home).unwrap(), Some(relative));

        let set = |name: &str| (name == "RUSTC_WRAPPER").then(|| "from-env".into());
        assert_eq!(configured(&inner, set).unwrap(), Some("from-env".into()));
        let emptied = |name: &str| (name == "RUSTC_WRAPPER").then(|| "".into());
        assert_eq!(configured(&inner, emptied).unwrap(), None);
    }
}
