//! Small packages, written to temporary directories.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cargo_reduce::build::{Captured, CargoCall, Subject, Unit, capture};
use cargo_reduce::exec::{Cancel, Limits};
use tempfile::TempDir;

/// A subject in a directory of its own, and a target directory beside it.
pub struct Scratch {
    pub directory: TempDir,
}

pub fn limits() -> Limits {
    Limits {
        timeout: Duration::from_secs(600),
        busy: None,
        output_bytes: 1 << 20,
        memory_bytes: None,
        writable: None,
    }
}

pub fn cancel() -> Cancel {
    Cancel::new().unwrap()
}

impl Scratch {
    /// Files by their paths below the tree.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::Builder::new()
            .prefix("with some spaces ")
            .tempdir()
            .unwrap();
        let scratch = Scratch { directory };
        for (path, text) in files {
            scratch.write(path, text);
        }
        scratch
    }

    /// The subject's root, without symbolic links.
    pub fn tree(&self) -> PathBuf {
        self.directory
            .path()
            .canonicalize()
            .unwrap()
            .join("the tree")
    }

    pub fn write(&self, path: &str, text: &str) {
        write(&self.tree().join(path), text);
    }

    /// A cargo call in a directory of the tree.
    pub fn call(&self, package: &str, subcommand: &str, flags: &[&str]) -> CargoCall {
        let target_dir = self.directory.path().join("target dir");
        let mut call = CargoCall::new(subcommand, None, self.tree().join(package), target_dir)
            .flags(flags.iter().copied());
        // What our own tests were built with must not get in.
        for name in ["RUSTFLAGS", "RUSTC_WRAPPER", "CARGO_TARGET_DIR"] {
            call.env.push((name.into(), None));
        }
        call
    }

    pub fn capture(&self, call: &CargoCall) -> Captured {
        let subject = Subject {
            root: self.tree(),
            own: vec![self.tree()],
        };
        let wrapper = Path::new(env!("CARGO_BIN_EXE_cargo-reduce"));
        capture(call, &subject, wrapper, &limits(), &cancel()).unwrap()
    }
}

pub fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// The index of the unit of that crate, compiled as a test or not.
pub fn unit(captured: &Captured, crate_name: &str, is_test: bool) -> usize {
    let is = |unit: &Unit| unit.crate_name == crate_name && unit.is_test == is_test;
    let found: Vec<usize> = (0..captured.units.len())
        .filter(|&at| is(&captured.units[at]))
        .collect();
    assert_eq!(found.len(), 1, "{crate_name}: {:#?}", captured.units);
    found[0]
}

/// A library with a unit test, and an integration test.
pub fn library() -> Scratch {
    Scratch::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"a-lib\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[features]\ndefault = [\"extra\"]\nextra = []\n",
        ),
        (
            "src/lib.rs",
            "mod inner;\npub fn answer() -> i32 { inner::VALUE }\n#[test]\nfn unit() { assert_eq!(answer(), 42); }\n",
        ),
        ("src/inner.rs", "pub const VALUE: i32 = 42;\n"),
        (
            "tests/outer.rs",
            "#[test]\nfn outer() {\n    assert_eq!(a_lib::answer(), 42);\n    assert_eq!(std::env::var(\"CARGO_PKG_VERSION\").unwrap(), \"1.2.3\");\n    assert!(std::path::Path::new(\"src/lib.rs\").exists());\n}\n",
        ),
    ])
}

/// A workspace of two members, and a path dependency beside it that one of them uses.
pub fn workspace() -> Scratch {
    Scratch::new(&[
        (
            "ws/Cargo.toml",
            "[workspace]\nmembers = [\"low\", \"high\"]\nresolver = \"2\"\n",
        ),
        (
            "ws/low/Cargo.toml",
            "[package]\nname = \"low\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\noutside = { path = \"../../outside\" }\n",
        ),
        (
            "ws/low/src/lib.rs",
            "pub fn low() -> i32 { outside::outside() + 1 }\n",
        ),
        (
            "ws/high/Cargo.toml",
            "[package]\nname = \"high\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nlow = { path = \"../low\" }\n",
        ),
        (
            "ws/high/src/lib.rs",
            "pub fn high() -> i32 { low::low() + 1 }\n#[test]\nfn adds_up() { assert_eq!(high(), 3); }\n",
        ),
        (
            "outside/Cargo.toml",
            "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2018\"\n",
        ),
        ("outside/src/lib.rs", "pub fn outside() -> i32 { 1 }\n"),
    ])
}

/// A build script that writes code and sets a condition and a variable.
pub fn build_script() -> Scratch {
    Scratch::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"scripted\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "build.rs",
            "fn main() {\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    std::fs::write(format!(\"{out}/made.rs\"), \"pub const MADE: i32 = 7;\").unwrap();\n    println!(\"cargo::rustc-check-cfg=cfg(scripted_cfg)\");\n    println!(\"cargo::rustc-cfg=scripted_cfg\");\n    println!(\"cargo::rustc-env=SCRIPTED=from the script\");\n}\n",
        ),
        (
            "src/lib.rs",
            "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\"));\npub const TEXT: &str = include_str!(\"some text.txt\");\n#[cfg(scripted_cfg)]\npub fn scripted() -> (i32, &'static str) { (MADE, env!(\"SCRIPTED\")) }\n#[test]\nfn is_scripted() {\n    assert_eq!(scripted(), (7, \"from the script\"));\n    assert!(std::path::Path::new(&std::env::var(\"OUT_DIR\").unwrap()).join(\"made.rs\").exists());\n}\n",
        ),
        ("src/some text.txt", "text\n"),
    ])
}

/// A procedural macro that uses a library of its own, and a package that uses both.
pub fn proc_macro() -> Scratch {
    Scratch::new(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"user\", \"macros\", \"backend\"]\nresolver = \"2\"\n",
        ),
        (
            "user/Cargo.toml",
            "[package]\nname = \"user\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nmacros = { path = \"../macros\" }\n",
        ),
        (
            "user/src/lib.rs",
            "macros::make_number!();\n#[test]\nfn made() { assert_eq!(number(), 5); }\n",
        ),
        (
            "macros/Cargo.toml",
            "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n[dependencies]\nbackend = { path = \"../backend\" }\n",
        ),
        (
            "macros/src/lib.rs",
            "#[proc_macro]\npub fn make_number(_: proc_macro::TokenStream) -> proc_macro::TokenStream { backend::code().parse().unwrap() }\n",
        ),
        (
            "backend/Cargo.toml",
            "[package]\nname = \"backend\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "backend/src/lib.rs",
            "pub fn code() -> &'static str { \"pub fn number() -> i32 { 5 }\" }\n",
        ),
    ])
}

/// A package that depends on one from a registry, which is a directory here.
pub fn registry_dependency() -> Scratch {
    Scratch::new(&[
        (
            ".cargo/config.toml",
            "[source.crates-io]\nreplace-with = \"here\"\n[source.here]\ndirectory = \"../registry\"\n",
        ),
        (
            "../registry/far/Cargo.toml",
            "[package]\nname = \"far\"\nversion = \"1.0.0\"\nedition = \"2021\"\n",
        ),
        ("../registry/far/.cargo-checksum.json", "{\"files\":{}}"),
        ("../registry/far/src/lib.rs", "pub fn far() -> i32 { 3 }\n"),
        (
            "Cargo.toml",
            "[package]\nname = \"near\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\nfar = \"1\"\n",
        ),
        (
            "src/lib.rs",
            "pub fn near() -> i32 { far::far() }\n#[test]\nfn three() { assert_eq!(near(), 3); }\n",
        ),
    ])
}
