//! What fails and is no test of the standard harness: programs with arguments, test targets without a harness, doc tests.

mod support;

use support::{Outcome, Project, Reduced};

/// What all of `kiosk` ends with.
const OVERFLOW: &str = "attempt to subtract with overflow";

/// Reduces a copy of `kiosk` by the coarse passes; the command in the report has to be `command`, and to show the failure.
#[track_caller]
fn reduced<const N: usize>(arguments: [&str; N], command: &str, marks: &[&str]) -> Outcome {
    let reduced = Reduced::coarsely(Project::copy_of("kiosk"), arguments);
    assert_eq!(reduced.outcome.text("command"), command);
    let words: Vec<&str> = command.split(' ').skip(1).collect();
    reduced.still_shows(&words, marks);
    reduced.is_at_most(60);
    reduced.outcome
}

/// The result has these targets of its own, and no other files of code beside the library's.
#[track_caller]
fn has_only(outcome: &Outcome, target: &str) {
    let files = outcome.files();
    let others = ["src/bin", "tests", "examples", "benches"];
    let left: Vec<&String> = files
        .iter()
        .filter(|file| others.iter().any(|folder| file.starts_with(folder)))
        .collect();
    assert_eq!(left, [target], "{files:?}");
}

#[test]
fn an_example_that_panics_is_reduced_as_a_program() {
    let outcome = reduced(
        ["--example", "tour"],
        "cargo run --example tour",
        &[OVERFLOW],
    );
    has_only(&outcome, "examples/tour.rs");
    let code = outcome.code_text();
    assert!(code.contains("other.0 - self.0"), "{code}");
    assert!(!code.contains("clock"), "{code}");
    assert_eq!(outcome.report()["kind"], "program");
}

#[test]
fn a_binary_is_run_with_its_arguments() {
    let outcome = reduced(
        ["--bin", "till", "--", "3", "1"],
        "cargo run --bin till -- 3 1",
        &[OVERFLOW],
    );
    has_only(&outcome, "src/bin/till.rs");
    assert!(
        outcome.text("signature").contains("src/fare.rs:10"),
        "{outcome:?}"
    );
}

#[test]
fn a_program_that_only_exits_is_known_by_its_code_and_what_it_says_last() {
    let reduced = Reduced::coarsely(Project::copy_of("kiosk"), ["--bin", "till"]);
    assert_eq!(
        reduced.outcome.text("signature"),
        "exit code 2: usage: till FROM TO"
    );
    reduced.still_shows(&["run", "--bin", "till"], &["usage: till FROM TO"]);
}

#[test]
fn of_a_binary_alone_a_failing_unit_test_is_reduced_and_so_is_one_that_is_named() {
    let kiosk = Project::copy_of("kiosk");
    kiosk.replace(
        "src/bin/till.rs",
        "(\"two\".to_string())), None)",
        "(\"two\".to_string())), Some(Zone(2)))",
    );
    let alone = kiosk
        .reduce(["--bin", "till", "--passes", "comments"])
        .run()
        .ok();
    assert_eq!(alone.text("command"), "cargo test --bin till");
    assert_eq!(alone.text("test"), "zones_are_numbers");
    let elsewhere = kiosk.around().with_file_name("other");
    let named = kiosk
        .reduce(["--bin", "till", "zones", "--passes", "comments"])
        .output(elsewhere);
    assert_eq!(
        named.run().ok().text("command"),
        "cargo test --bin till zones"
    );
}

#[test]
fn a_test_target_without_a_harness_gets_what_follows_the_dashes() {
    let outcome = reduced(
        ["--test", "plain", "--", "child", "back"],
        "cargo test --test plain -- child back",
        &[OVERFLOW],
    );
    has_only(&outcome, "tests/plain.rs");
    assert!(!outcome.code_text().contains("440, 440"));
    let filtered = reduced(
        ["--test", "plain", "back"],
        "cargo test --test plain back",
        &[OVERFLOW],
    );
    let code = filtered.code_text();
    assert!(!code.contains("Discount::Child)"), "{code}");
}

#[test]
fn benchmarks_are_run_as_tests() {
    let outcome = reduced(
        ["--bench", "fares"],
        "cargo test --bench fares",
        &[OVERFLOW],
    );
    has_only(&outcome, "benches/fares.rs");
    let tests = reduced(
        ["--bench", "timetable", "last"],
        "cargo test --bench timetable last",
        &[OVERFLOW, "the_last_train_goes_back"],
    );
    has_only(&tests, "benches/timetable.rs");
}

#[test]
fn a_doc_test_becomes_an_integration_test_with_its_code() {
    let outcome = reduced(
        ["--doc", "between"],
        "cargo test --test doc_fare_ticket_between",
        &[OVERFLOW, "doc_fare_ticket_between"],
    );
    has_only(&outcome, "tests/doc_fare_ticket_between.rs");
    outcome.says("src/fare.rs - fare::Ticket::between (line 46)");
    let code = outcome.code_text();
    assert!(code.contains("Ticket::between(Zone(3), Zone(1))"), "{code}");
}

#[test]
fn a_program_ends_as_one_file() {
    let kiosk = Project::copy_of("kiosk");
    let passes = "comments,sweep,solve,inline-files,join-crates,flatten-modules,manifest";
    let outcome = kiosk
        .reduce(["--example", "tour", "--passes", passes])
        .run()
        .ok();
    assert!(outcome.only_file().ends_with("examples/tour.rs"));
    let (good, text) = kiosk.cargo(&outcome.reduced(), &["run", "--example", "tour"]);
    assert!(!good && text.contains(OVERFLOW), "{text}");
}

#[test]
fn an_assertion_of_a_program_keeps_the_ones_before_it() {
    let kiosk = Project::copy_of("kiosk");
    kiosk.replace(
        "src/fare.rs",
        "other.0 - self.0",
        "other.0.saturating_sub(self.0)",
    );
    let reduced = Reduced::coarsely(kiosk, ["--doc"]);
    reduced.outcome.says("guards that have to go on passing");
    let code = reduced.outcome.code_text();
    assert!(code.contains("assert_eq!(out.price(), 440)"), "{code}");
    let main = "use kiosk::{Ticket, Zone};
fn main() {
    assert_eq!(Ticket::between(Zone(1), Zone(3)).price(), 440);
    assert_eq!(Ticket::between(Zone(3), Zone(1)).price(), 440);
}\n";
    let kiosk = Project::copy_of("kiosk");
    kiosk.replace(
        "src/fare.rs",
        "other.0 - self.0",
        "other.0.saturating_sub(self.0)",
    );
    kiosk.write("examples/tour.rs", main);
    let reduced = Reduced::coarsely(kiosk, ["--example", "tour"]);
    reduced
        .outcome
        .says("the assertion in line 3 of the test itself");
    let code = reduced.outcome.code_text();
    assert!(code.contains("Zone(3)).price(), 440"), "{code}");
}

#[test]
fn a_version_in_which_the_program_ends_well_is_reduced_with_it() {
    let kiosk = Project::copy_of("kiosk");
    let mended = Project::copy_of("kiosk");
    mended.replace(
        "src/fare.rs",
        "other.0 - self.0",
        "other.0.abs_diff(self.0)",
    );
    let good = mended.path().display().to_string();
    let outcome = kiosk
        .reduce([
            "--example",
            "tour",
            "--passes",
            "comments,sweep,solve",
            "--good",
            &good,
        ])
        .run()
        .ok();
    let patch = std::fs::read_to_string(outcome.output.join("regression.patch"));
    let patch = patch.expect("there is a patch");
    assert!(patch.contains("+        other.0 - self.0"), "{patch}");
    let (good, text) = kiosk.cargo(&outcome.output.join("good"), &["run", "--example", "tour"]);
    assert!(good, "{text}");
}

#[test]
fn a_program_that_fails_only_sometimes_is_reduced_too() {
    let lottery = Project::package("lottery", "");
    lottery.write(
        "src/bin/draw.rs",
        "fn unused() -> u32 { 7 }
fn main() {
    use std::hash::{BuildHasher, Hasher};
    let drawn = std::collections::hash_map::RandomState::new().build_hasher().finish() % 3;
    if drawn > 5 { println!(\"{}\", unused()); }
    assert_eq!(drawn, 0, \"no luck\");
}\n",
    );
    let outcome = lottery
        .reduce([
            "--flaky",
            "--bin",
            "draw",
            "--passes",
            "comments,sweep,solve",
            // As good as never may chance keep something.
            "--beta",
            "0.0001",
        ])
        .run()
        .ok();
    assert_eq!(outcome.text("command"), "cargo run --bin draw");
    let code = outcome.code_text();
    assert!(
        code.contains("no luck") && !code.contains("unused"),
        "{code}"
    );
}
