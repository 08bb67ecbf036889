//! Facts about a compiler: which one it really is, where its libraries are, what is `cfg`ed; must not compile anything.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::exec::{self, Cancel, Invocation, Limits};

use super::BuildError;
use super::arguments::{self, Argument};
use super::unit::Unit;

/// A compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// The compiler itself, not rustup's proxy for it.
    pub rustc: PathBuf,
    /// `--print sysroot`.
    pub sysroot: PathBuf,
    /// The host's target triple.
    pub host: String,
    /// The version, as in `1.95.0` or `1.97.0-nightly`.
    pub release: String,
    /// All that `rustc -vV` says.
    pub verbose_version: String,
}

/// One condition that holds: `unix`, or `feature = "std"`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cfg {
    /// Before the `=`.
    pub name: String,
    /// After the `=`, without quotes.
    pub value: Option<String>,
}

impl Toolchain {
    /// Asks `rustc`, possibly rustup's proxy, which then chooses as it would in `cwd` with these variables.
    pub fn of(rustc: &Path, env: &[(String, String)], cwd: &Path) -> Result<Self, BuildError> {
        let ask = |question, args: &[&str]| ask(rustc, question, args, env, cwd);
        let verbose_version = ask("its version", &["-vV"])?;
        let sysroot = PathBuf::from(ask("its sysroot", &["--print", "sysroot"])?.trim_end());
        let field = |name: &str| {
            verbose_version
                .lines()
                .find_map(|line| line.strip_prefix(name))
                .map(|value| value.trim().to_string())
                .ok_or_else(|| BuildError::Toolchain {
                    rustc: rustc.to_path_buf(),
                    question: "its version",
                    answer: verbose_version.clone(),
                })
        };
        let real = sysroot
            .join("bin")
            .join(format!("rustc{}", std::env::consts::EXE_SUFFIX));
        Ok(Toolchain {
            // Anything but the proxy, a script that adds flags for example, is there for a reason.
            rustc: if is_proxy(rustc) && real.is_file() {
                real
            } else {
                rustc.to_path_buf()
            },
            host: field("host:")?,
            release: field("release:")?,
            sysroot,
            verbose_version,
        })
    }

    /// The toolchain that a unit is compiled with.
    pub fn of_unit(unit: &Unit) -> Result<Self, BuildError> {
        Self::of(&unit.rustc, &unit.env, &unit.cwd)
    }

    /// The program `name` of this toolchain, or another of that name that comes first in `PATH`.
    pub fn tool(&self, name: &str) -> PathBuf {
        let program = PathBuf::from(name);
        let real = self
            .sysroot
            .join("bin")
            .join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let own = in_path(&program).is_none() || is_proxy(&program);
        if own && real.is_file() { real } else { program }
    }

    /// Whether `-Z` flags and `#![feature]` are allowed.
    pub fn is_nightly(&self) -> bool {
        self.release.contains("nightly") || self.release.contains("dev")
    }

    /// Where the standard library is for a target.
    pub fn library_dir(&self, target: Option<&str>) -> PathBuf {
        let target = target.unwrap_or(&self.host);
        self.sysroot.join("lib/rustlib").join(target).join("lib")
    }

    /// The conditions that hold in a unit, by its target and flags. `cfg(test)` is there if the unit is a test.
    pub fn cfg(&self, unit: &Unit) -> Result<Vec<Cfg>, BuildError> {
        let mut args = Vec::new();
        for argument in arguments::parse(&unit.args) {
            let decides = match &argument {
                Argument::Valued(name, _) => {
                    ["--cfg", "-C", "-Z", "--target", "--sysroot", "--edition"].contains(name)
                        && argument.codegen("incremental").is_none()
                }
                Argument::Switch(word) => word == "--test" || word == "-O",
                Argument::Input(_) => false,
            };
            if decides {
                argument.push_to(&mut args);
            }
        }
        args.extend(["--print".into(), "cfg".into()]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer = ask(
            &self.rustc,
            "the conditions that hold",
            &args,
            &unit.env,
            &unit.cwd,
        )?;
        let mut cfgs: Vec<Cfg> = answer.lines().map(Cfg::parse).collect();
        let test = Cfg::parse("test");
        if unit.is_test && !cfgs.contains(&test) {
            cfgs.push(test);
        }
        Ok(cfgs)
    }
}

impl Cfg {
    /// As `--print cfg` writes it: `unix`, `feature="std"`.
    fn parse(text: &str) -> Self {
        match text.split_once('=') {
            Some((name, value)) => Cfg {
                name: name.to_string(),
                value: Some(value.trim_matches('"').to_string()),
            },
            None => Cfg {
                name: text.to_string(),
                value: None,
            },
        }
    }
}

/// Where a program is found: with a slash in its name there, else in `PATH`.
fn in_path(program: &Path) -> Option<PathBuf> {
    match program.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => Some(program.to_path_buf()),
        _ => {
            let path = std::env::var_os("PATH")?;
            let candidates = std::env::split_paths(&path).map(|directory| directory.join(program));
            candidates.into_iter().find(|candidate| candidate.is_file())
        }
    }
}

/// rustup installs itself beside its proxies.
fn is_proxy(rustc: &Path) -> bool {
    let found = in_path(rustc);
    let rustup = format!("rustup{}", std::env::consts::EXE_SUFFIX);
    found.is_some_and(|found| found.with_file_name(rustup).exists())
}

fn ask(
    rustc: &Path,
    question: &'static str,
    args: &[&str],
    env: &[(String, String)],
    cwd: &Path,
) -> Result<String, BuildError> {
    let failed = |answer: String| BuildError::Toolchain {
        rustc: rustc.to_path_buf(),
        question,
        answer,
    };
    let invocation = Invocation {
        program: rustc.to_path_buf(),
        args: args.iter().map(OsString::from).collect(),
        env: env
            .iter()
            .map(|(name, value)| (name.into(), Some(value.into())))
            .collect(),
        cwd: cwd.to_path_buf(),
    };
    let limits = Limits {
        timeout: Duration::from_secs(60),
        busy: None,
        output_bytes: 1 << 20,
        memory_bytes: None,
        writable: None,
    };
    let cancel = Cancel::new().map_err(|error| failed(error.to_string()))?;
    let outcome = exec::run(&invocation, &limits, &cancel)?;
    if !outcome.success() {
        return Err(failed(
            String::from_utf8_lossy(&outcome.stderr).into_owned(),
        ));
    }
    String::from_utf8(outcome.stdout).map_err(|error| failed(error.to_string()))
}
