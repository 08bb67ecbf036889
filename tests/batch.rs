//! Many files on one command line: a result for each, and which of them show the same.

mod support;

use std::fs;

use serde_json::Value;
use support::toolchain::StandIn;
use support::{Outcome, Project, Reduction};

/// Four files beside each other: two with one crash, one with another, one with none.
fn project() -> Project {
    let project = Project::empty("files");
    let drains = |name: &str| {
        format!(
            "pub struct {name}<T>(Vec<T>);\nimpl<T> {name}<T> {{ pub fn all(&mut self) -> Vec<T> {{ self.0.drain(..).collect() }} }}\npub fn one() -> u8 {{ 1 }}\n"
        )
    };
    project.write("bag.rs", &drains("Bag"));
    project.write("fine.rs", "pub fn fine() {}\n");
    project.write(
        "menu.rs",
        "pub struct Menu(pub Box<Box<Box<u8>>>);\npub fn two() -> u8 { 2 }\n",
    );
    project.write("sack.rs", &drains("Sack"));
    project
}

fn reduction<'p>(project: &'p Project) -> Reduction<'p> {
    let mut reduction = Reduction::new(project).arg("--ice");
    for name in ["bag.rs", "fine.rs", "menu.rs", "sack.rs"] {
        reduction = reduction.arg(project.path().join(name));
    }
    let reduction = reduction.args(["--edition", "2021"]);
    StandIn::get().instead_of_rustc(reduction)
}

fn lines(outcome: &Outcome) -> Vec<Value> {
    let lines = outcome.stdout.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

#[test]
fn each_file_gets_a_directory_and_duplicates_are_named() {
    let project = project();
    let arguments = ["--", "--crate-type", "lib"];
    // One of them does not crash: the others are reduced all the same, and the exit code tells.
    let outcome = reduction(&project).args(arguments).run().ended_with(3);
    for (name, mark) in [
        ("bag", "drain"),
        ("menu", "Box<Box<Box<"),
        ("sack", "drain"),
    ] {
        let reduced = outcome
            .output
            .join(name)
            .join("reduced")
            .join(format!("{name}.rs"));
        let code = fs::read_to_string(reduced).expect("there is a result");
        assert!(
            code.contains(mark) && !code.contains("pub fn one"),
            "{code}"
        );
        assert!(outcome.output.join(name).join("report.md").exists());
    }
    assert!(!outcome.output.join("fine").exists());
    outcome.says("the compiler does not crash");
    let table = &outcome.stdout;
    let count = |text: &str| table.matches(text).count();
    assert!(
        table.contains("Found 2 different failures in 3 of 4 inputs"),
        "{table}"
    );
    assert_eq!(count("probe.rs:412:25"), 1, "{table}");
    let class = table.split("probe.rs:412:25").nth(1).unwrap_or_default();
    let same: Vec<_> = class.lines().skip(1).take(2).collect();
    assert!(
        same[0].ends_with("bag.rs") && same[1].ends_with("sack.rs"),
        "{table}"
    );
}

#[test]
fn programs_read_it_and_a_batch_that_was_cut_short_goes_on() {
    let project = project();
    let arguments = ["--message-format", "json", "--", "--crate-type", "lib"];
    let first = reduction(&project).args(arguments).run().ended_with(3);
    // As if it had been killed before the last file.
    fs::remove_dir_all(first.output.join("sack")).expect("there is a result");
    fs::remove_file(first.output.join("bag/report.json")).expect("there is a report");
    let before = fs::read_to_string(first.output.join("bag/journal.jsonl")).expect("a journal");

    let arguments = [
        "--resume",
        "--message-format",
        "json",
        "--",
        "--crate-type",
        "lib",
    ];
    let again = reduction(&project).args(arguments).run().ended_with(3);
    let (first, again_lines) = (lines(&first), lines(&again));
    let last = |lines: &[Value]| lines.last().cloned().expect("there are lines");
    assert_eq!(last(&again_lines)["reason"], "batch-finished");
    assert_eq!(last(&first)["results"], last(&again_lines)["results"]);
    let results = last(&first)["results"].clone();
    assert_eq!(results[3]["same_as"], results[0]["input"]);
    assert!(results[1]["failure"].is_string() && results[1]["status"].is_null());
    // What was known was not tried again.
    let after = fs::read_to_string(again.output.join("bag/journal.jsonl")).expect("a journal");
    assert!(after.starts_with(&before), "{after}");
    let trials = |lines: &[Value]| {
        let finished = lines.iter().find(|line| line["reason"] == "finished");
        finished.and_then(|line| line["trials"].as_u64())
    };
    assert!(
        trials(&again_lines) < trials(&first),
        "{:?}",
        trials(&again_lines)
    );
}
