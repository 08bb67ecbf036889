//! What is reduced: the cases of a corpus or, without one, crashes of the stand-in compiler among the
//! test projects. Knows no algorithm.

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use toml_edit::DocumentMut;

/// One input, and how to reduce it.
pub struct Case {
    /// Its directory's name, or the file's.
    pub name: String,
    source: Source,
}

enum Source {
    /// A directory with a `case.toml`.
    Corpus(PathBuf),
    /// A file or a package that crashes the stand-in.
    StandIn(PathBuf),
}

/// Arguments in front of and behind the bench's own, and the environment.
pub struct Invocation {
    pub arguments: Vec<OsString>,
    pub trailing: Vec<OsString>,
    pub environment: Vec<(String, OsString)>,
}

/// The directory in `CARGO_REDUCE_CORPUS`; if there is none, the one that lies beside the package.
pub fn corpus() -> PathBuf {
    std::env::var_os("CARGO_REDUCE_CORPUS").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/bench/cases"),
        PathBuf::from,
    )
}

/// The cases in `corpus` that crash the compiler and whose names contain one of `wanted` (all of them,
/// if there are none), by name; those of the stand-in too if they are asked for or there is no corpus.
pub fn cases(
    corpus: &Path,
    wanted: &[String],
    with_stand_in: bool,
) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases = Vec::new();
    if corpus.is_dir() {
        let entries = std::fs::read_dir(corpus)?.collect::<Result<Vec<_>, _>>()?;
        let directories = entries.into_iter().map(|entry| entry.path());
        let directories = directories.filter(|path| path.join("case.toml").is_file());
        cases.extend(directories.map(|path| case(&path, Source::Corpus(path.clone()))));
    } else {
        eprintln!(
            "no corpus at {}: crashes of the stand-in compiler are reduced instead",
            corpus.display()
        );
    }
    cases.retain(|case| {
        // Tests are reduced by sweeps first: hardly any algorithm in it, and minutes each.
        let by_default = wanted.is_empty() && !case.name.starts_with("test-");
        let by_default = by_default && !case.name.starts_with("flaky-");
        by_default || wanted.iter().any(|part| case.name.contains(part))
    });
    if with_stand_in || !corpus.is_dir() {
        let directory = stand_in();
        let paths = ["mailbox.rs", "menu.rs", "postbox"].map(|name| directory.join(name));
        cases.extend(paths.map(|path| case(&path, Source::StandIn(path.clone()))));
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn case(path: &Path, source: Source) -> Case {
    let name = path.file_name().unwrap_or_default();
    Case {
        name: name.to_string_lossy().into_owned(),
        source,
    }
}

fn stand_in() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects/stand-in")
}

impl Case {
    /// How to reduce it, once it is laid out below `scratch`.
    pub fn invocation(&self, scratch: &Path) -> Result<Invocation, Box<dyn Error>> {
        match &self.source {
            Source::Corpus(directory) => corpus_invocation(&self.name, directory, scratch),
            Source::StandIn(path) => stand_in_invocation(path, scratch),
        }
    }
}

fn corpus_invocation(
    name: &str,
    directory: &Path,
    scratch: &Path,
) -> Result<Invocation, Box<dyn Error>> {
    let manifest = std::fs::read_to_string(directory.join("case.toml"))?;
    let manifest: DocumentMut = manifest.parse()?;
    let text = |key: &str| manifest.get(key).and_then(|value| value.as_str());
    let mut environment = Vec::new();
    if let Some(toolchain) = text("toolchain") {
        environment.push(("RUSTUP_TOOLCHAIN".to_string(), toolchain.into()));
    }
    let (mut arguments, mut trailing): (Vec<OsString>, Vec<OsString>) = Default::default();
    let kind = text("kind").unwrap_or("test");
    if kind == "ice-file" {
        let file = text("file").unwrap_or("input.rs");
        let edition = text("edition").unwrap_or("2021");
        arguments.extend(["--ice".into(), directory.join(file).into()]);
        arguments.extend(["--edition".into(), edition.into()]);
        let crate_type = text("crate_type").unwrap_or("lib");
        trailing.extend(["--crate-type", crate_type, "--cap-lints", "allow"].map(OsString::from));
        let flags = manifest.get("flags").and_then(|flags| flags.as_array());
        let flags = flags.into_iter().flatten().filter_map(|flag| flag.as_str());
        trailing.extend(flags.map(OsString::from));
    } else {
        let package = scratch.join("input");
        // The corpus knows how its packages are laid out.
        let script = directory.join("../../bench.py");
        let prepared = Command::new(script)
            .args(["prepare", name])
            .arg(&package)
            .output()?;
        if !prepared.status.success() {
            return Err(String::from_utf8_lossy(&prepared.stderr).into());
        }
        let manifest_path = package.join("Cargo.toml");
        if kind == "ice-package" {
            arguments.push("--ice".into());
        } else {
            let command = text("run").ok_or("a test's case.toml says how it is run")?;
            // Behind `cargo test`.
            arguments.extend(command.split_whitespace().skip(2).map(OsString::from));
            if kind.starts_with("flaky") {
                arguments.push("--flaky".into());
            }
        }
        arguments.extend(["--manifest-path".into(), manifest_path.into()]);
    }
    Ok(Invocation {
        arguments,
        trailing,
        environment,
    })
}

fn stand_in_invocation(path: &Path, scratch: &Path) -> Result<Invocation, Box<dyn Error>> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stand-in");
    std::fs::create_dir_all(&directory)?;
    let compiler = directory
        .join("rustc")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let built = Command::new(&rustc)
        .args(["--edition", "2024", "-O", "-o"])
        .arg(&compiler)
        .arg(stand_in().join("rustc.rs"))
        .status()?;
    if !built.success() {
        return Err("the stand-in compiler does not compile".into());
    }
    // By its path, for `rustc` will be the stand-in.
    let sysroot = Command::new(&rustc).args(["--print", "sysroot"]).output()?;
    let sysroot = PathBuf::from(String::from_utf8(sysroot.stdout)?.trim());
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(directory).chain(std::env::split_paths(&old));
    let environment = vec![
        ("RUSTC".to_string(), compiler.into()),
        ("PATH".to_string(), std::env::join_paths(all)?),
        (
            "STAND_IN_RUSTC".to_string(),
            sysroot.join("bin/rustc").into(),
        ),
    ];
    let mut arguments: Vec<OsString> = vec!["--ice".into()];
    let mut trailing: Vec<OsString> = Vec::new();
    if path.is_dir() {
        let package = scratch.join("input");
        copy(path, &package)?;
        arguments.extend(["--manifest-path".into(), package.join("Cargo.toml").into()]);
    } else {
        arguments.extend([path.into(), "--edition".into(), "2021".into()]);
        trailing.extend(["--crate-type", "lib"].map(OsString::from));
    }
    Ok(Invocation {
        arguments,
        trailing,
        environment,
    })
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let (from, to) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if from.is_dir() {
            copy(&from, &to)?;
        } else {
            std::fs::copy(&from, &to)?;
        }
    }
    Ok(())
}
