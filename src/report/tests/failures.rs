//! Failures as they are told.

use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// At least one of each kind.
fn all() -> Vec<Failure> {
    let command = || "cargo test --test repro".to_owned();
    let path = |path: &str| PathBuf::from(path);
    let io = |action, at: &str, kind: io::ErrorKind| Failure::io(action, at)(kind.into());
    vec![
        Failure::NoSuchTest {
            wanted: "emtpy_input".to_owned(),
            searched: "the integration test `repro`".to_owned(),
            available: names(&["parse::empty_input", "parse::long_input"]),
        },
        Failure::NoSuchTest {
            wanted: "x".to_owned(),
            searched: "the library of semver v1.0.26".to_owned(),
            available: names(&[
                "a1", "b2", "c3", "d4", "e5", "f6", "g7", "h8", "i9", "j10", "k11", "l12",
            ]),
        },
        Failure::NoSuchTest {
            wanted: "x".to_owned(),
            searched: "semver v1.0.26".to_owned(),
            available: vec![],
        },
        Failure::SeveralTestsFail {
            searched: "the integration test `repro`".to_owned(),
            failing: names(&["empty_input", "long_input"]),
        },
        Failure::SeveralFilters {
            second: "long_input".to_owned(),
        },
        Failure::TestPasses {
            command: command(),
            runs: 1,
        },
        Failure::ProgramPasses {
            command: "cargo run --bin tool -- in.txt".to_owned(),
            runs: 3,
        },
        Failure::DocTest {
            name: "src/lib.rs - parse (line 12)".to_owned(),
            why: "it is meant not to compile, and does".to_owned(),
        },
        Failure::GuardFails {
            what: "the guard `long_input`".to_owned(),
            output: "test long_input ... FAILED\n".to_owned(),
        },
        Failure::NoGoodVersion {
            wanted: "v0.1.O".to_owned(),
            why: "fatal: not a valid object name: v0.1.O".to_owned(),
        },
        Failure::FailsSometimes {
            command: command(),
            failures: 2,
            runs: 5,
        },
        Failure::FailsDifferently {
            command: command(),
            signatures: vec![
                ("panicked at a.rs:1".to_owned(), 2),
                ("panicked at b.rs:2".to_owned(), 1),
            ],
        },
        Failure::NoCrash {
            what: "the compiler does not crash".to_owned(),
            commands: names(&["cargo check", "cargo build", "cargo test --no-run"]),
            output: "    Finished `dev` profile in 0.10s\n".to_owned(),
        },
        Failure::NoContrast {
            toolchain: "stable".to_owned(),
            objection: "it crashes: SIGSEGV".to_owned(),
            output: String::new(),
        },
        Failure::LimitTooLow {
            command: "(ulimit -v 1000; rustc a.rs)".to_owned(),
        },
        Failure::NotInteresting {
            command: "./interesting.sh a.rs".to_owned(),
            output: "not here\n".to_owned(),
        },
        Failure::BrokenScript {
            script: path("interesting.sh"),
            why: "permission denied".to_owned(),
        },
        Failure::DoesNotCompile {
            command: command(),
            output: "error[E0425]: cannot find value `x`\n\n --> tests/repro.rs:3:5\n".to_owned(),
        },
        Failure::NoSuchPackage {
            wanted: "semvr".to_owned(),
            manifest: path("/w/Cargo.toml"),
            available: names(&["semver", "tool"]),
        },
        Failure::NoPackageNamed {
            manifest: path("/w/Cargo.toml"),
            available: names(&["semver", "tool"]),
        },
        Failure::NoSuchTarget {
            kind: "binary",
            wanted: "main".to_owned(),
            package: "semver v1.0.26".to_owned(),
            available: vec![],
        },
        Failure::NoSuchFile {
            path: path("crash.rs"),
        },
        Failure::NoManifest {
            searched: path("/tmp"),
        },
        Failure::BrokenManifest {
            manifest: path("/w/Cargo.toml"),
            output: "error: failed to parse manifest\n".to_owned(),
        },
        Failure::NotUtf8 {
            path: path("src/lib.rs"),
            offset: 17,
        },
        io("reading", "src/lib.rs", io::ErrorKind::PermissionDenied),
        io("writing", "/scratch/src/lib.rs", io::ErrorKind::StorageFull),
        io("reading", "src/lib.rs", io::ErrorKind::NotFound),
        io("writing", "out/report.json", io::ErrorKind::BrokenPipe),
        Failure::NoToolchain {
            command: "rustc +nightly -vV".to_owned(),
            why: "toolchain 'nightly' is not installed".to_owned(),
        },
        Failure::CargoFailed {
            command: "cargo metadata".to_owned(),
            output: "error: no network\n".to_owned(),
        },
        Failure::OutputNotEmpty {
            path: path("out"),
            resumable: true,
        },
        Failure::OutputNotEmpty {
            path: path("out"),
            resumable: false,
        },
        Failure::CannotResume {
            path: path("out"),
            why: "it has no journal".to_owned(),
        },
        Failure::Interrupted,
        Failure::InterruptedTwice,
        Failure::NoSuchFailure {
            wanted: "does not end".to_owned(),
            seen: vec![
                ("panic at a.rs:1: no value".to_owned(), 2),
                ("stack overflow".to_owned(), 1),
            ],
        },
        Failure::NeverFailed {
            tried: vec![
                "300 runs of `t` alone".to_owned(),
                "50 with all others".to_owned(),
            ],
        },
        Failure::FailsTooRarely {
            command: "cargo test --test repro".to_owned(),
            failures: 3,
            runs: 60,
            wanted: "30 %".to_owned(),
        },
        Failure::TooCostly {
            why: "telling a rate of 0.3 from one of 0.299".to_owned(),
        },
        Failure::Bug {
            doing: "applying edits".to_owned(),
            why: "two of them overlap".to_owned(),
        },
    ]
}

#[test]
fn each_says_what_was_tried_what_happened_and_what_to_do() {
    let text: Vec<_> = all()
        .iter()
        .map(|failure| failure_text(failure, PLAIN))
        .collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn each_kind_has_a_name_of_its_own() {
    let mut kinds: Vec<_> = all().iter().map(std::mem::discriminant).collect();
    kinds.dedup();
    let mut names: Vec<_> = all().iter().map(Failure::name).collect();
    names.dedup();
    assert_eq!(names.len(), kinds.len());
    let unique: std::collections::BTreeSet<_> = names.iter().collect();
    assert_eq!(unique.len(), names.len(), "{names:?}");
}

#[test]
fn long_output_is_cut_where_the_first_errors_are_told() {
    let output: String = (1..=100).map(|line| format!("line {line}\n")).collect();
    let text = failure_text(
        &Failure::CargoFailed {
            command: "cargo build".to_owned(),
            output,
        },
        PLAIN,
    );
    assert!(
        text.contains("  line 40\n  … and 60 more lines\n"),
        "{text}"
    );
    assert!(!text.contains("line 41\n"), "{text}");
}

#[test]
fn colours_mark_the_words_and_leave_the_text_alone() {
    let coloured = failure_text(&Failure::Interrupted, Style::new(true));
    insta::assert_snapshot!(coloured.replace('\x1b', "␛"));
}
