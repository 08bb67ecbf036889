//! Compilers: which are installed, what crashes them, and the one that crashes on request.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use super::Reduction;
use super::project::{run, test_projects};
use super::reduction::without_our_cargo;

/// A crash that some toolchains have.
#[derive(Debug, Clone)]
pub struct Crash {
    pub toolchain: String,
    /// What tells it from other crashes: a part of what rustc prints.
    pub mark: String,
}

impl Crash {
    /// The crash of a file on the first of these toolchains that has it; `None`, with a word on standard error, if none does.
    pub fn of(file: &str, toolchains: &[&str], mark: &str) -> Option<Crash> {
        let path = test_projects().join(file);
        let found = toolchains.iter().find(|toolchain| {
            let (_, text) = Self::compile(toolchain, &path);
            text.contains(mark)
        });
        if found.is_none() {
            eprintln!(
                "skipped: none of the toolchains {toolchains:?} crashes on {file} (any more)"
            );
        }
        found.map(|toolchain| Crash {
            toolchain: (*toolchain).to_owned(),
            mark: mark.to_owned(),
        })
    }

    fn compile(toolchain: &str, file: &Path) -> (bool, String) {
        let out = tempfile::tempdir().expect("a directory can be made");
        let mut command = Command::new("rustc");
        without_our_cargo(&mut command);
        run(command
            .arg(format!("+{toolchain}"))
            .args(["--edition", "2024", "--crate-type", "lib", "--out-dir"])
            .arg(out.path())
            .arg(file)
            .current_dir(out.path())
            .env("RUSTC_ICE", "0"))
    }

    /// What rustc prints on a file, if it is this crash.
    #[track_caller]
    pub fn check(&self, file: &Path) -> String {
        let (good, text) = Self::compile(&self.toolchain, file);
        assert!(!good && text.contains(&self.mark), "no crash, but:\n{text}");
        text
    }
}

/// The compiler in `test-projects/stand-in`.
#[derive(Debug)]
pub struct StandIn {
    /// The program.
    path: PathBuf,
    /// What it is built in; there its name is `rustc`.
    directory: PathBuf,
    /// The compiler behind it.
    rustc: PathBuf,
}

static STAND_IN: LazyLock<StandIn> = LazyLock::new(|| {
    let source = test_projects().join("stand-in/rustc.rs");
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("{}-stand-in", env!("CARGO_CRATE_NAME")));
    std::fs::create_dir_all(&directory).expect("a directory can be made in target");
    let path = directory
        .join("rustc")
        .with_extension(std::env::consts::EXE_EXTENSION);
    let mut command = Command::new("rustc");
    without_our_cargo(&mut command);
    let (good, text) = run(command
        .args(["--edition", "2024", "-O", "-o"])
        .arg(&path)
        .arg(source));
    assert!(good, "the stand-in compiler does not compile:\n{text}");

    // By its path, for "rustc" will be the stand-in.
    let mut command = Command::new("rustc");
    without_our_cargo(&mut command);
    let (_, sysroot) = run(command.args(["--print", "sysroot"]));
    let rustc = Path::new(sysroot.trim()).join("bin/rustc");
    StandIn {
        path,
        directory,
        rustc,
    }
});

impl StandIn {
    /// Built once.
    pub fn get() -> &'static StandIn {
        &STAND_IN
    }

    /// A run in whose environment it is the compiler, whichever way the compiler is looked for.
    pub fn instead_of_rustc<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        let old = std::env::var_os("PATH").unwrap_or_default();
        let directories = [self.directory.clone()]
            .into_iter()
            .chain(std::env::split_paths(&old));
        let path = std::env::join_paths(directories).expect("no directory has a colon in its name");
        reduction
            .env("RUSTC", &self.path)
            .env("PATH", path)
            .env("STAND_IN_RUSTC", &self.rustc)
    }

    /// As a wrapper, beside cargo's own compiler.
    pub fn around_rustc<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        reduction.env("RUSTC_WRAPPER", &self.path)
    }

    /// What it prints on a file.
    pub fn compile(&self, file: &Path) -> String {
        let out = tempfile::tempdir().expect("a directory can be made");
        let mut command = Command::new(&self.path);
        without_our_cargo(&mut command);
        let (_, text) = run(command
            .args([
                "--edition",
                "2021",
                "--crate-type",
                "lib",
                "--emit=metadata",
                "--out-dir",
            ])
            .arg(out.path())
            .arg(file)
            .current_dir(out.path())
            .env("STAND_IN_RUSTC", &self.rustc)
            .env("RUSTC_ICE", "0"));
        text
    }
}
