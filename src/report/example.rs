//! Summaries for tests of what is made from them.

use std::path::PathBuf;
use std::time::Duration;

use super::{Kind, PassStatistics, Status, Summary};

/// A failing test, reduced.
pub(crate) fn summary(status: Status) -> Summary {
    Summary {
        status,
        kind: Kind::Test { test: Some("empty_input".to_owned()) },
        subject: "semver v1.0.26".to_owned(),
        command: "cargo test --test repro empty_input".to_owned(),
        directory: PathBuf::from("target/cargo-reduce/repro/reduced"),
        file_command: None,
        signature: "panicked at src/identifier.rs:81:9: attempt to subtract with overflow".to_owned(),
        class: "panicked at src/identifier.rs:81:9: attempt to subtract with overflow".to_owned(),
        tokens_before: 13_641,
        tokens_after: 412,
        files_before: 12,
        files_after: 2,
        lines_before: 2_431,
        lines_after: 4,
        trials: 97,
        interesting_trials: 12,
        cache_hits: 3,
        wall: Duration::from_millis(31_416),
        cpu: Duration::from_millis(41_000),
        one_minimal: true,
        algorithm: "wprobdd".to_owned(),
        seed: 0,
        toolchain: "rustc 1.95.0 (0123456789 2026-04-14)\nbinary: rustc".to_owned(),
        output: PathBuf::from("target/cargo-reduce/repro"),
        passes: vec![PassStatistics {
            name: "bodies".to_owned(),
            trials: 31,
            interesting: 4,
            tokens_removed: 9_120,
            cpu: Duration::from_millis(12_500),
        }],
        slips: Vec::new(),
        flakiness: None,
        failure_output: "thread 'empty_input' panicked at src/identifier.rs:81:9:\nattempt to subtract with overflow".to_owned(),
        result: vec![(PathBuf::from("tests/repro.rs"), "#[test]\nfn empty_input() {\n    semver::parse(\"\");\n}\n".to_owned())],
        result_files: vec![PathBuf::from("Cargo.toml"), PathBuf::from("tests/repro.rs")],
    }
}

/// A compiler crash, reduced.
pub(crate) fn ice() -> Summary {
    Summary {
        kind: Kind::Ice {
            location: Some(
                "/rustc/0123abc/compiler/rustc_middle/src/ty/generics.rs:247:17".to_owned(),
            ),
        },
        subject: "crash.rs".to_owned(),
        command: "rustc +nightly --edition 2021 --crate-type lib crash.rs".to_owned(),
        directory: PathBuf::from("target/cargo-reduce/crash/reduced"),
        signature: "compiler/rustc_middle/src/ty/generics.rs:247:17: index out of bounds -- `_`"
            .to_owned(),
        files_before: 1,
        files_after: 1,
        output: PathBuf::from("target/cargo-reduce/crash"),
        failure_output: ICE_OUTPUT.to_owned(),
        result: vec![(
            PathBuf::from("crash.rs"),
            "fn f<T>() -> impl Sized {}\n".to_owned(),
        )],
        result_files: vec![PathBuf::from("crash.rs")],
        ..summary(Status::Reduced)
    }
}

/// What a crashing compiler prints, in the order of rustc 1.97.
pub(crate) const ICE_OUTPUT: &str = "\
error[E0282]: type annotations needed
 --> crash.rs:1:1

thread 'rustc' (4711) panicked at /rustc/0123abc/compiler/rustc_middle/src/ty/generics.rs:247:17:
index out of bounds
stack backtrace:
   0: __rustc::rust_begin_unwind
   1: core::panicking::panic_fmt
      [... omitted 2 frames ...]
   2: rustc_middle::ty::generics::param_at
note: Some details are omitted, run with `RUST_BACKTRACE=full` for a verbose backtrace.

error: the compiler unexpectedly panicked. This is a bug

note: compiler flags: --crate-type lib

query stack during panic:
#0 [type_of] computing type of `f`
#1 [analysis] running analysis passes on crate `crash`
end of query stack
error: aborting due to 1 previous error
";
