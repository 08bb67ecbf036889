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

    /// A run in whose environment it is every tool but the compiler: `clippy-driver` and `miri` in `PATH`, rustdoc and
    /// rustfmt by their variables. What miri needs to be set up is there, too.
    pub fn as_tools<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        let tools = self.directory.with_extension("tools");
        std::fs::create_dir_all(&tools).expect("a directory can be made in target");
        let program = std::fs::read(&self.path).expect("the program can be read");
        // As the real one does it, whose driver is the one beside it.
        let clippy = "#!/bin/sh\nshift\nRUSTC_WORKSPACE_WRAPPER=\"${0%/*}/clippy-driver\" exec \"$CARGO\" check \"$@\"\n";
        for (name, bytes) in [
            ("clippy-driver", &program[..]),
            ("miri", &program),
            ("cargo-clippy", clippy.as_bytes()),
        ] {
            write_program(&tools, name, bytes);
        }
        let old = std::env::var_os("PATH").unwrap_or_default();
        let directories = [tools].into_iter().chain(std::env::split_paths(&old));
        let path = std::env::join_paths(directories).expect("no directory has a colon in its name");
        reduction
            .env("PATH", path)
            // As `cargo reduce` sets it; rustup's proxy would put its own tools in front.
            .env("CARGO", self.rustc.with_file_name("cargo"))
            .env("RUSTDOC", &self.path)
            .env("MIRI_SYSROOT", self.sysroot())
            .env("STAND_IN_RUSTC", &self.rustc)
    }

    /// A run in whose environment it stands in for rustdoc, and the real one is behind it.
    pub fn instead_of_rustdoc<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        reduction
            .env("RUSTDOC", &self.path)
            .env("STAND_IN_TOOL", self.rustc.with_file_name("rustdoc"))
            .env("STAND_IN_RUSTC", &self.rustc)
    }

    /// A run in whose environment it stands in for rustfmt, and the real one is behind it.
    pub fn instead_of_rustfmt<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        reduction
            .env("RUSTFMT", &self.path)
            .env("STAND_IN_TOOL", self.rustc.with_file_name("rustfmt"))
            .env("STAND_IN_RUSTC", &self.rustc)
    }

    fn sysroot(&self) -> &Path {
        let bin = self.rustc.parent().expect("it lies in bin");
        bin.parent().expect("bin lies in the sysroot")
    }

    /// As a wrapper, beside cargo's own compiler.
    pub fn around_rustc<'p>(&self, reduction: Reduction<'p>) -> Reduction<'p> {
        reduction.env("RUSTC_WRAPPER", &self.path)
    }

    /// The real cargo, not rustup's proxy, which would say which toolchain it is.
    pub fn cargo(&self) -> PathBuf {
        self.rustc.with_file_name("cargo")
    }

    /// What it prints on a file.
    pub fn compile(&self, file: &Path) -> String {
        self.compile_by(&self.path, file)
    }

    /// What the compiler behind it prints on a file.
    pub fn compile_for_real(&self, file: &Path) -> String {
        self.compile_by(&self.rustc, file)
    }

    fn compile_by(&self, compiler: &Path, file: &Path) -> String {
        let out = tempfile::tempdir().expect("a directory can be made");
        let mut command = Command::new(compiler);
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

/// An executable file. Another test may run the one of that name just now, so a new file takes the name over.
fn write_program(directory: &Path, name: &str, bytes: &[u8]) {
    use std::os::unix::fs::PermissionsExt as _;
    let new = tempfile::NamedTempFile::new_in(directory).expect("a file can be made");
    std::fs::write(new.path(), bytes).expect("the file can be written");
    let may_run = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(new.path(), may_run).expect("the file is ours");
    new.persist(directory.join(name))
        .expect("it can be renamed");
}

/// A file that crashes the stand-in at two places, with the same message. The heavier function comes first: without it
/// there is the other crash.
pub const TWO_CRASHES: &str = "
pub struct Bag<T>(Vec<T>);
impl<T: PartialEq> Bag<T> {
    pub fn all(&mut self, more: Vec<T>) -> (Vec<T>, usize, bool) {
        let taken: Vec<T> = self.0.drain(..).chain(more).collect();
        let count = taken.len() + self.0.len() + self.0.capacity();
        let none = count == 0 && taken.is_empty() && self.0.is_empty();
        (taken, count, none)
    }
    pub fn without(&mut self, thing: T) {
        self.0.retain(|it| *it != thing);
    }
}
";
