//! How each tool is called, on a file or by cargo; runs nothing but what a tool needs to be set up.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::shell_words;
use crate::build::{CargoCall, Toolchain};
use crate::engine::package::limits;
use crate::exec::{self, Cancel, Invocation};
use crate::property::replayed;
use crate::report::Failure;
use crate::request::{IceSelection, Tool};

/// A tool on a file.
pub(super) struct FileCommand {
    /// The command, but for where it runs.
    pub(super) invocation: Invocation,
    /// As a user would type it.
    pub(super) shown: String,
    /// The compiler that the tool is built on, or comes with.
    pub(super) toolchain: Toolchain,
}

/// How the tool of `selection` is called on the file `name`, in the directory that holds it. What it makes goes to `out`.
///
/// # Errors
///
/// When the toolchain is not there.
pub(super) fn on_file(
    selection: &IceSelection,
    toolchain: Option<&str>,
    name: &Path,
    out: &Path,
    cancel: &Cancel,
) -> Result<FileCommand, Failure> {
    let found = self::toolchain(toolchain)?;
    let mut given: Vec<OsString> = Vec::new();
    if let Some(edition) = &selection.edition {
        given.extend(["--edition".into(), edition.into()]);
    }
    let mut hidden: Vec<OsString> = vec!["--out-dir".into(), out.into()];
    let variable =
        |name: &str, tool: &str| std::env::var_os(name).map_or(found.tool(tool), PathBuf::from);
    let (word, program) = match selection.tool {
        Tool::Rustc => ("rustc", found.rustc.clone()),
        Tool::Rustdoc => ("rustdoc", variable("RUSTDOC", "rustdoc")),
        Tool::Clippy => ("clippy-driver", found.tool("clippy-driver")),
        Tool::Rustfmt => {
            // Otherwise it would write over the candidate.
            given.push("--check".into());
            hidden.clear();
            ("rustfmt", variable("RUSTFMT", "rustfmt"))
        }
        Tool::Miri => {
            hidden.extend(["--sysroot".into(), miri_sysroot(toolchain, cancel)?]);
            ("miri", found.tool("miri"))
        }
    };
    given.extend(selection.arguments.iter().map(OsString::from));
    given.push(name.into());
    let mut shown: Vec<OsString> = vec![word.into()];
    shown.extend(toolchain.map(|name| format!("+{name}").into()));
    shown.extend(given.iter().cloned());
    given.extend(hidden);
    let chosen = toolchain.map(|name| ("RUSTUP_TOOLCHAIN".into(), Some(name.into())));
    Ok(FileCommand {
        invocation: Invocation {
            program,
            args: given,
            env: chosen.into_iter().collect(),
            cwd: PathBuf::new(),
        },
        shown: limited(selection, shell_words(shown)),
        toolchain: found,
    })
}

/// `command` under the limit of memory that `selection` sets.
pub(super) fn limited(selection: &IceSelection, command: String) -> String {
    match selection.memory_limit {
        Some(bytes) => format!("(ulimit -v {}; {command})", bytes / 1024),
        None => command,
    }
}

/// The compiler that cargo would use here: `RUSTC` if it is set, else the toolchain's.
pub(super) fn toolchain(name: Option<&str>) -> Result<Toolchain, Failure> {
    let rustc = std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from);
    let env: Vec<(String, String)> = name
        .map(|name| ("RUSTUP_TOOLCHAIN".to_string(), name.to_string()))
        .into_iter()
        .collect();
    let here = std::env::current_dir().map_err(Failure::io("finding", "."))?;
    Toolchain::of(&rustc, &env, &here).map_err(replayed::failure)
}

/// The standard library that miri can run: `MIRI_SYSROOT` if it is set, else the one that `cargo miri setup` makes.
fn miri_sysroot(toolchain: Option<&str>, cancel: &Cancel) -> Result<OsString, Failure> {
    if let Some(sysroot) = std::env::var_os("MIRI_SYSROOT") {
        return Ok(sysroot);
    }
    let here = std::env::current_dir().map_err(Failure::io("finding", "."))?;
    let call = CargoCall::new("miri", toolchain, &here, &here);
    let mut args: Vec<OsString> = Vec::new();
    args.extend(toolchain.map(|name| format!("+{name}").into()));
    args.extend(["miri", "setup", "--print-sysroot"].map(OsString::from));
    let invocation = Invocation {
        program: call.cargo,
        args,
        env: Vec::new(),
        cwd: here,
    };
    let no_miri = |why: String| Failure::NoToolchain {
        command: "cargo miri setup".into(),
        why,
    };
    // It compiles the standard library.
    let outcome = exec::run(&invocation, &limits(Duration::from_secs(1800)), cancel)
        .map_err(|error| no_miri(error.to_string()))?;
    if !outcome.success() {
        return Err(no_miri(
            String::from_utf8_lossy(&outcome.stderr).trim().to_string(),
        ));
    }
    let printed = String::from_utf8_lossy(&outcome.stdout).trim().to_string();
    Ok(printed.into())
}

/// Cargo's subcommand with its arguments, for each command that may show what `selection` is after; the first that
/// does is taken.
pub(super) fn of_cargo(selection: &IceSelection) -> Vec<Vec<String>> {
    let given = &selection.arguments;
    let named = given.first().is_some_and(|first| !first.starts_with('-'));
    let defaults: &[&[&str]] = match (selection.tool, named) {
        (Tool::Rustc, true) => &[&[]],
        (Tool::Rustc, false) => &[&["check"], &["build"], &["test", "--no-run"]],
        (Tool::Rustdoc, _) => &[&["doc", "--no-deps"]],
        (Tool::Clippy, _) => &[&["clippy"]],
        (Tool::Miri, true) => &[&["miri"]],
        (Tool::Miri, false) => &[&["miri", "test"]],
        (Tool::Rustfmt, _) => &[&["fmt", "--check"]],
    };
    let commands = defaults.iter().map(|words| {
        let words = words.iter().map(ToString::to_string);
        // `--tool clippy -- clippy --tests`: once is enough.
        let given = given.iter().enumerate();
        let repeated = |(at, word): (usize, &String)| at == 0 && is_of(selection.tool, word);
        words
            .chain(
                given
                    .filter(|found| !repeated(*found))
                    .map(|(_, word)| word.clone()),
            )
            .collect()
    });
    commands.collect()
}

/// Whether `word` is the subcommand that `tool` stands for anyway.
fn is_of(tool: Tool, word: &str) -> bool {
    matches!(
        (tool, word),
        (Tool::Rustdoc, "doc" | "rustdoc") | (Tool::Clippy, "clippy") | (Tool::Miri, "miri")
    )
}

/// Whether what a subcommand of cargo starts is rustc alone, or goes by rustc's command line: then its calls can be replayed.
pub(super) fn is_compilation(subcommand: &str) -> bool {
    let known = [
        "check", "c", "build", "b", "test", "t", "bench", "run", "r", "rustc", "clippy",
    ];
    known.contains(&subcommand)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(tool: Tool, arguments: &[&str]) -> Vec<String> {
        let selection = IceSelection {
            tool,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            ..IceSelection::default()
        };
        let found = of_cargo(&selection).into_iter();
        found.map(|words| words.join(" ")).collect()
    }

    #[test]
    fn without_a_command_rustc_is_tried_by_three() {
        let expected = ["check --lib", "build --lib", "test --no-run --lib"];
        assert_eq!(commands(Tool::Rustc, &["--lib"]), expected);
        assert_eq!(commands(Tool::Rustc, &["doc", "--lib"]), ["doc --lib"]);
    }

    #[test]
    fn a_tool_stands_for_its_command_and_takes_its_arguments() {
        assert_eq!(commands(Tool::Clippy, &["--tests"]), ["clippy --tests"]);
        assert_eq!(
            commands(Tool::Clippy, &["clippy", "--lib"]),
            ["clippy --lib"]
        );
        assert_eq!(commands(Tool::Rustdoc, &[]), ["doc --no-deps"]);
        assert_eq!(commands(Tool::Miri, &[]), ["miri test"]);
        assert_eq!(
            commands(Tool::Miri, &["run", "--release"]),
            ["miri run --release"]
        );
    }
}
