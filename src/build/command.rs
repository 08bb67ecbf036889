//! The rustc command line of a unit as it is replayed; must not run it or look at the disk.

use std::path::{Path, PathBuf};

use crate::exec::Invocation;

use super::arguments::{self, Argument};
use super::relocate::Relocation;
use super::unit::{Extern, Unit};

/// What is compiled to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Emit {
    /// Metadata only, as `cargo check` does: no code is generated, nothing is linked.
    Metadata,
    /// Libraries and executables.
    Link,
    /// Whatever it was when it was captured, `--emit=mir` as well: for crashes that need just that.
    Captured,
}

impl Emit {
    /// Whether a unit is linked.
    pub(super) fn links(self, unit: &Unit) -> bool {
        match self {
            Emit::Metadata => false,
            Emit::Link => true,
            Emit::Captured => {
                let kinds = captured_kinds(unit);
                kinds.is_empty()
                    || kinds
                        .iter()
                        .any(|kind| kind.split('=').next() == Some("link"))
            }
        }
    }

    /// The values of `--emit`. There always is dep-info, without which nobody knows what was read.
    fn kinds(self, unit: &Unit) -> Vec<String> {
        let mut kinds = match self {
            Emit::Metadata => vec!["metadata".to_string()],
            Emit::Link => vec!["link".to_string()],
            Emit::Captured => captured_kinds(unit),
        };
        if kinds.is_empty() {
            kinds.push("link".to_string());
        }
        kinds.retain(|kind| kind.split('=').next() != Some("dep-info"));
        kinds.push("dep-info".to_string());
        kinds
    }
}

fn captured_kinds(unit: &Unit) -> Vec<String> {
    let arguments = arguments::parse(&unit.args);
    let values = arguments
        .iter()
        .filter_map(|argument| argument.value_of("--emit"));
    values
        .flat_map(|list| list.split(','))
        .map(String::from)
        .collect()
}

/// What a caller adds to a unit's command line. Units with another addition are other units, with
/// outputs and incremental directories of their own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Addition {
    /// Arguments, after all others. Lints asked for by `--force-warn` are seen in spite of `--cap-lints`.
    pub args: Vec<String>,
    /// Changes to the environment; `None` removes a variable.
    pub env: Vec<(String, Option<String>)>,
    /// Further crates, or others for names that are already given.
    pub externs: Vec<Extern>,
}

/// What a replay leaves as cargo had it, where it would rather save time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Fidelity {
    /// Keep `-C debuginfo`, which otherwise is 0, and do not strip the standard library's.
    pub debug_info: bool,
    /// Keep `--cap-lints`, which otherwise is `allow`.
    pub lints: bool,
}

/// All that one command line depends on besides the unit.
pub(super) struct Plan<'a> {
    pub(super) relocation: Relocation<'a>,
    pub(super) rustc: &'a Path,
    pub(super) emit: Emit,
    pub(super) fidelity: Fidelity,
    pub(super) addition: &'a Addition,
    pub(super) out_dir: &'a Path,
    pub(super) incremental: Option<&'a Path>,
    /// By the path (without extension) that cargo gave a dependency: where it is now.
    pub(super) dependencies: &'a [(PathBuf, PathBuf)],
    /// Where else rustc has to look for what dependencies depend on.
    pub(super) search: &'a [PathBuf],
    /// Binaries of the package by their variable, `CARGO_BIN_EXE_name`.
    pub(super) binaries: &'a [(String, PathBuf)],
}

impl Plan<'_> {
    pub(super) fn invocation(&self, unit: &Unit) -> Invocation {
        let mut args = Vec::new();
        for argument in arguments::parse(&unit.args) {
            if let Some(argument) = self.argument(unit, argument) {
                argument.push_to(&mut args);
            }
        }
        args.extend(self.own_arguments(unit));
        args.extend(self.addition.args.iter().cloned());

        let rustc = self.rustc.to_path_buf();
        let (program, first) = match &unit.workspace_wrapper {
            Some(wrapper) => (wrapper.clone(), Some(rustc)),
            None => (rustc, None),
        };
        let first = first.into_iter().map(Into::into);
        Invocation {
            program,
            args: first.chain(args.into_iter().map(Into::into)).collect(),
            env: self.env(unit),
            cwd: self.relocation.path(&unit.cwd),
        }
    }

    /// A captured argument in its new form, or `None` if it goes.
    fn argument(&self, unit: &Unit, argument: Argument) -> Option<Argument> {
        // Replaced by our own, or of use to cargo alone.
        const REPLACED: [&str; 6] = [
            "--out-dir",
            "--emit",
            "--error-format",
            "--json",
            "--color",
            "--diagnostic-width",
        ];
        let replaced = match &argument {
            Argument::Valued("--cap-lints", _) => !self.fidelity.lints,
            Argument::Valued("-C", _) => {
                argument.codegen("incremental").is_some()
                    || (argument.codegen("debuginfo").is_some() && !self.fidelity.debug_info)
            }
            Argument::Valued(name, _) => REPLACED.contains(name),
            Argument::Switch(_) | Argument::Input(_) => false,
        };
        if replaced {
            return None;
        }
        Some(match argument {
            Argument::Valued("--extern", value) => {
                let external = self.external(unit, Extern::parse(&value))?;
                Argument::Valued("--extern", external.render())
            }
            Argument::Valued(name, value) => Argument::Valued(name, self.relocation.text(&value)),
            Argument::Switch(word) => Argument::Switch(self.relocation.text(&word)),
            Argument::Input(path) => Argument::Input(self.relocation.text(&path)),
        })
    }

    /// A captured `--extern`. `None` if the caller gives another one of this name.
    fn external(&self, unit: &Unit, mut external: Extern) -> Option<Extern> {
        if self
            .addition
            .externs
            .iter()
            .any(|added| added.name == external.name)
        {
            return None;
        }
        if let Some(path) = &mut external.path {
            let stem = unit.cwd.join(&*path).with_extension("");
            if let Some((_, output)) = self.dependencies.iter().find(|(old, _)| *old == stem) {
                *path = output.clone();
            }
        }
        Some(external)
    }

    fn own_arguments(&self, unit: &Unit) -> Vec<String> {
        let kinds = self.emit.kinds(unit);
        let kinds = kinds.iter().map(|kind| self.relocation.text(kind));
        let mut args = vec![
            format!("--emit={}", kinds.collect::<Vec<_>>().join(",")),
            "--error-format=json".to_string(),
            format!("--out-dir={}", self.out_dir.display()),
        ];
        if !self.fidelity.debug_info {
            args.push("-Cdebuginfo=0".into());
            // The standard library's debug info would be linked in all the same, five sixths of a small
            // test. On macOS stripping takes a program of its own and saves nothing.
            let stripped = |argument: &Argument| argument.codegen("strip").is_some();
            if unit.is_executable()
                && cfg!(target_os = "linux")
                && !arguments::parse(&unit.args).iter().any(stripped)
            {
                args.push("-Cstrip=debuginfo".into());
            }
        }
        if !self.fidelity.lints {
            args.push("--cap-lints=allow".into());
        }
        if let Some(directory) = self.incremental {
            args.push(format!("-Cincremental={}", directory.display()));
        }
        let search = self.search.iter();
        args.extend(search.map(|directory| format!("-Ldependency={}", directory.display())));
        let externs = self.addition.externs.iter();
        args.extend(externs.map(|external| format!("--extern={}", external.render())));
        args
    }

    fn env(&self, unit: &Unit) -> Vec<(std::ffi::OsString, Option<std::ffi::OsString>)> {
        let mut env: Vec<_> = unit
            .env
            .iter()
            .map(|(name, value)| (name.clone(), Some(self.relocation.text(value))))
            .collect();
        let binaries = self.binaries.iter();
        env.extend(binaries.map(|(name, path)| (name.clone(), Some(path.display().to_string()))));
        env.extend([
            // No `rustc-ice-*.txt` in the tree, and reports that do not change with the user's settings.
            ("RUSTC_ICE".to_string(), Some("0".to_string())),
            ("RUST_BACKTRACE".to_string(), Some("0".to_string())),
            // Job servers of whoever started us have pipes that rustc does not inherit.
            ("CARGO_MAKEFLAGS".to_string(), None),
            ("MAKEFLAGS".to_string(), None),
            ("MFLAGS".to_string(), None),
        ]);
        env.extend(self.addition.env.iter().cloned());
        let pairs = env.into_iter();
        pairs
            .map(|(name, value)| (name.into(), value.map(Into::into)))
            .collect()
    }
}
