//! `--stress` makes the conditions that it names, and tells what was tried.

#![cfg(target_os = "linux")]

mod support;

use support::{Outcome, Project};

/// Reduces a test of `surroundings` by nothing but its comments: enough to see whether it fails.
fn under(stress: &str, test: &str, more: &[&str]) -> Outcome {
    let project = Project::copy_of("surroundings");
    let mut reduction = project.reduce([
        "--flaky", "--jobs", "2", "--passes", "comments", "--test", "runs", "--stress", stress,
        test,
    ]);
    for argument in more {
        reduction = reduction.arg(argument);
    }
    reduction.run()
}

/// The test fails about half the time under the lever, which the reports name.
#[track_caller]
fn fails_under(stress: &str, test: &str) -> Outcome {
    let outcome = under(stress, test, &["--time-limit", "90s"]).ok();
    let report = outcome.report();
    let rate = |side: &str| report["flakiness"][side]["rate"].as_f64();
    let before = rate("before").expect("it was measured");
    assert!((0.25..0.85).contains(&before), "{before}");
    assert!(rate("after").is_some_and(|after| after > 0.1), "{report:#}");
    assert_eq!(report["flakiness"]["stress"], stress);
    let issue = std::fs::read_to_string(outcome.output.join("report.md")).expect("there is one");
    assert!(issue.contains(&format!("`--stress {stress}`")), "{issue}");
    outcome
}

fn loop_of(outcome: &Outcome) -> String {
    let command = outcome.report()["flakiness"]["loop_command"].clone();
    command.as_str().expect("there is a loop").to_owned()
}

#[test]
fn threads_are_those_of_the_test_harness() {
    let outcome = fails_under("threads=3", "three_threads_are_not_asked_for");
    let command = loop_of(&outcome);
    assert!(command.contains("RUST_TEST_THREADS=3 cargo"), "{command}");
}

#[test]
fn pinned_is_to_one_core() {
    let outcome = fails_under("pin", "there_is_more_than_one_core");
    let command = loop_of(&outcome);
    assert!(command.contains("taskset -c 0"), "{command}");
}

#[test]
fn copies_run_at_the_same_time() {
    let outcome = fails_under("copies=8", "few_others_run_at_the_same_time");
    // A loop in a shell runs one after the other: what it promises is what was seen of that.
    outcome.says("Without anybody who makes it fail more often, the result fails in 0 %");
    let command = loop_of(&outcome);
    assert!(command.starts_with("while "), "{command}");
}

#[test]
fn load_keeps_threads_busy() {
    fails_under("load=6", "whoever_started_this_has_little_to_do");
}

#[test]
fn repeated_is_the_call_and_not_the_process() {
    let outcome = fails_under("repeat=5", "there_is_no_third_call");
    // Calls of one process fail: the result is the test as it was, without the one that repeats it.
    let code = outcome.code_text();
    assert!(!code.contains("cargo_reduce"), "{code}");
}

#[test]
fn what_cannot_be_repeated_is_told() {
    let lib = "
macro_rules! tests { ($($name:ident)*) => { $(#[test] fn $name() {
    use std::hash::{BuildHasher, Hasher};
    let number = std::collections::hash_map::RandomState::new().build_hasher().finish();
    assert!(number % 2 == 0);
})* } }
tests! { t }
";
    let project = Project::package("made", lib);
    let arguments = [
        "--flaky", "--lib", "t", "--stress", "repeat=5", "--passes", "comments",
    ];
    let outcome = project.reduce(arguments).run().ok();
    outcome.says("`t` is run once in each process");
    assert_eq!(outcome.report()["flakiness"]["stress"], "none");
}

#[test]
fn of_all_levers_the_one_that_helps_is_found() {
    let project = Project::copy_of("surroundings");
    let arguments = [
        "--flaky",
        "--jobs",
        "1",
        "--passes",
        "comments",
        "--test",
        "runs",
        "--time-limit",
        "60s",
        "there_is_more_than_one_core",
    ];
    let outcome = project.reduce(arguments).run().ok();
    assert_eq!(outcome.report()["flakiness"]["stress"], "pin");
    // The cores of the machine count, and not the jobs.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (load, copies) = (format!("load={cores}: "), format!("copies={}: ", 4 * cores));
    for lever in ["pin: ", &load, &copies, "repeat=20: "] {
        outcome.says(lever);
    }
}

#[test]
fn where_none_helps_all_are_told() {
    let project = Project::package("never", "#[test]\nfn t() {}\n");
    let arguments = [
        "--flaky",
        "--jobs",
        "2",
        "--lib",
        "t",
        "--stress",
        "auto",
        "--time-limit",
        "20s",
    ];
    let outcome = project.reduce(arguments).run().ended_with(3);
    for part in ["alone", "pin`", "load=", "copies=", "repeat=20`"] {
        outcome.says(part);
    }
}
