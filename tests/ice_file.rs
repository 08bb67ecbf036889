//! Crashes of rustc are reduced to what crashes it in the same way. Each test needs a toolchain that has the crash, and says
//! so when there is none.

mod support;

use support::toolchain::Crash;
use support::{Outcome, Project, tokens};

/// Reduces a file, and fails if the result does not crash in the same way or is larger than it has to be.
#[track_caller]
fn reduced(crash: &Crash, file: &str, largest: usize) -> Outcome {
    let project = Project::copy_of(file);
    let outcome = project
        .reduce_crash(["--edition", "2024", "--", "--crate-type", "lib"])
        .toolchain(&crash.toolchain)
        .run()
        .ok();
    crash.check(&outcome.only_file());
    assert!(
        outcome.tokens() <= largest,
        "{} tokens:\n{}",
        outcome.tokens(),
        outcome.code_text()
    );
    assert_eq!(
        outcome.number("tokens_before"),
        tokens::count_path(project.path())
    );
    assert_eq!(outcome.number("tokens_after"), outcome.tokens());
    outcome
}

/// Lines that say that something is wrong with the program, not with the compiler.
fn compile_errors(text: &str) -> Vec<&str> {
    text.lines()
        .filter(|line| line.starts_with("error[E"))
        .collect()
}

#[test]
fn a_delayed_bug_is_known_by_where_it_was_delayed() {
    let mark = "rustc_borrowck/src/type_check/relate_tys.rs:39";
    let Some(crash) = Crash::of("ice/lazy_screen.rs", &["stable", "nightly"], mark) else {
        return;
    };
    let outcome = reduced(&crash, "ice/lazy_screen.rs", 200);
    let text = crash.check(&outcome.only_file());
    assert_eq!(compile_errors(&text), [""; 0], "the original has no errors");
    assert!(outcome.text("signature").contains("relate_tys.rs"));
}

#[test]
fn a_delayed_bug_without_a_query_is_reduced() {
    let mark = "rustc_trait_selection/src/traits/query/type_op/custom.rs";
    if let Some(crash) = Crash::of("ice/codec.rs", &["stable", "nightly"], mark) {
        reduced(&crash, "ice/codec.rs", 220);
    }
}

#[test]
fn errors_beside_the_crash_do_not_hide_it() {
    let mark = "rustc_middle/src/ty/generics.rs:247";
    let Some(crash) = Crash::of("ice/cache.rs", &["stable", "nightly"], mark) else {
        return;
    };
    let outcome = reduced(&crash, "ice/cache.rs", 160);
    assert!(
        !outcome.code_text().contains("missed"),
        "an error of its own is still there"
    );
}

#[test]
fn a_compiler_killed_by_a_signal_stays_killed_by_it() {
    let mark = "rustc unexpectedly overflowed its stack";
    let Some(crash) = Crash::of("ice/deep.rs", &["stable", "nightly"], mark) else {
        return;
    };
    // A stack that overflows takes its time: the best of some seconds will do.
    let project = Project::copy_of("ice/deep.rs");
    let outcome = project
        .reduce_crash(["--edition", "2024", "--time-limit", "45s"])
        .args(["--", "--crate-type", "lib"])
        .toolchain(&crash.toolchain)
        .run()
        .ok();
    crash.check(&outcome.only_file());
    assert!(outcome.tokens() < tokens::count_path(project.path()));
    let signature = outcome.text("signature");
    assert!(
        signature.contains("SIGSEGV") || signature.contains("signal 11"),
        "{signature}"
    );
}

#[test]
fn a_panic_behind_a_feature_gate_is_reduced_on_nightly() {
    let mark = "rustc_borrowck/src/type_check/relate_tys.rs:3";
    let Some(crash) = Crash::of("ice/streams.rs", &["nightly"], mark) else {
        return;
    };
    let outcome = reduced(&crash, "ice/streams.rs", 90);
    let text = crash.check(&outcome.only_file());
    assert_eq!(compile_errors(&text), [""; 0], "the original has no errors");
}

#[test]
fn a_file_that_syn_cannot_parse_is_reduced_all_the_same() {
    let mark = "rustc_borrowck/src/lib.rs:1";
    if let Some(crash) = Crash::of("ice/playlist.rs", &["nightly"], mark) {
        reduced(&crash, "ice/playlist.rs", 200);
    }
}

#[test]
fn a_package_that_crashes_the_compiler_is_reduced() {
    let mark = "rustc_borrowck/src/type_check/relate_tys.rs:39";
    // The package is the file in several modules.
    let Some(crash) = Crash::of("ice/lazy_screen.rs", &["stable", "nightly"], mark) else {
        return;
    };
    let screens = Project::copy_of("screens");
    let outcome = screens
        .reduce(["--ice"])
        .toolchain(&crash.toolchain)
        .run()
        .ok();
    let (good, text) = screens.cargo(
        &outcome.reduced(),
        &[&format!("+{}", crash.toolchain), "build"],
    );
    assert!(!good && text.contains(mark), "{text}");
    assert!(outcome.tokens() <= 250, "{}", outcome.code_text());
    assert!(!outcome.files().iter().any(|file| file == "src/main.rs"));
}
