//! Nothing found is ever lost: after Ctrl-C, after `kill -9`, and at the end of the time that was given.

#![cfg(unix)]

mod support;

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};

use serde_json::Value;

use support::{Outcome, Project, Reduction};

fn reduction(project: &Project) -> Reduction<'_> {
    project.reduce(["--lib", "years_are_written_as_on_buildings"])
}

/// What a run that nobody disturbs comes to.
fn undisturbed() -> Outcome {
    reduction(&Project::copy_of("roman")).run().ok()
}

/// Lines of a journal after which to interrupt: different ones in every run of the tests.
fn moments(count: usize, largest: usize) -> Vec<usize> {
    let chance = RandomState::new();
    let moments: Vec<usize> = (0..count)
        .map(|index| {
            1 + usize::try_from(chance.hash_one(index) % 4096).expect("it is small") % largest
        })
        .collect();
    // Seen when the test fails.
    eprintln!("interrupted after {moments:?} lines of the journal");
    moments
}

fn journal(project: &Project) -> Vec<Value> {
    let text =
        fs::read_to_string(project.output().join("journal.jsonl")).expect("there is a journal");
    let lines = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"));
    lines.collect()
}

#[track_caller]
fn best_so_far_fails(project: &Project, outcome: &Outcome) {
    let (good, text) = project.cargo(
        &outcome.reduced(),
        &["test", "--lib", "years_are_written_as_on_buildings"],
    );
    assert!(!good && text.contains("left: \"MCMLXL\""), "{text}");
}

#[test]
fn ctrl_c_ends_with_the_best_so_far_and_its_report() {
    for moment in moments(3, 40) {
        let roman = Project::copy_of("roman");
        let mut running = reduction(&roman).start();
        assert!(
            running.until_journal_has(moment),
            "the run was over too soon"
        );
        running.interrupt();
        let outcome = running.wait().ended_with(130);
        assert_eq!(outcome.text("status"), "interrupted");
        assert_eq!(outcome.report()["one_minimal"], false);
        assert_eq!(outcome.number("tokens_after"), outcome.tokens());
        best_so_far_fails(&roman, &outcome);
    }
}

#[test]
fn ctrl_c_before_there_is_anything_leaves_nothing() {
    let roman = Project::copy_of("roman");
    let running = reduction(&roman).start();
    running.interrupt();
    let outcome = running.wait();
    // Before the program listens the signal ends it, as it ends any.
    assert!(matches!(outcome.code, None | Some(130)), "{outcome:?}");
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let whole = undisturbed();
    for moment in moments(2, 40) {
        let roman = Project::copy_of("roman");
        let mut running = reduction(&roman).start();
        assert!(
            running.until_journal_has(moment),
            "the run was over too soon"
        );
        running.interrupt();
        running.wait().ended_with(130);
        let resumed = reduction(&roman).arg("--resume").run().ok();
        assert_eq!(resumed.code_text(), whole.code_text());
        assert_eq!(resumed.files(), whole.files());
        assert_eq!(resumed.text("status"), "reduced");
    }
}

#[test]
fn a_killed_run_goes_on_where_it_was_and_repeats_no_trial() {
    let whole = undisturbed();
    let roman = Project::copy_of("roman");
    for moment in moments(3, 25) {
        let had = roman.output().join("journal.jsonl");
        let lines = fs::read_to_string(had).map_or(0, |text| text.lines().count());
        let next = reduction(&roman);
        let next = if lines > 0 {
            next.arg("--resume")
        } else {
            next
        };
        let mut running = next.start();
        assert!(
            running.until_journal_has(lines + moment),
            "the run was over too soon"
        );
        running.kill();
        assert!(
            roman.output().join("reduced").is_dir(),
            "the best so far is not on disk"
        );
    }
    let resumed = reduction(&roman).arg("--resume").run().ok();
    assert_eq!(resumed.code_text(), whole.code_text());
    assert_eq!(resumed.files(), whole.files());

    let trials: Vec<Value> = journal(&roman)
        .into_iter()
        .filter(|line| line.get("verdict").is_some())
        .collect();
    assert!(!trials.is_empty(), "the journal has no verdicts");
    let candidates: HashSet<String> = trials
        .iter()
        .map(|line| line["candidate"].to_string())
        .collect();
    assert_eq!(
        candidates.len(),
        trials.len(),
        "a candidate was tried twice"
    );
}

#[test]
fn the_journal_survives_half_a_line() {
    let roman = Project::copy_of("roman");
    let mut running = reduction(&roman).start();
    assert!(running.until_journal_has(10), "the run was over too soon");
    running.kill();
    let path = roman.output().join("journal.jsonl");
    let mut text = fs::read_to_string(&path).expect("there is a journal");
    text.push_str("{\"verdict\":\"inter");
    fs::write(&path, text).expect("it can be written");
    let resumed = reduction(&roman).arg("--resume").run().ok();
    best_so_far_fails(&roman, &resumed);
}

#[test]
fn the_time_that_was_given_ends_with_the_best_so_far() {
    let inventory = Project::copy_of("inventory");
    let outcome = inventory
        .reduce([
            "--test",
            "restock",
            "what_went_off_is_reordered",
            "--time-limit",
            "3s",
        ])
        .run()
        .ok();
    assert!(["time-limit", "reduced"].contains(&outcome.text("status").as_str()));
    let (good, text) = inventory.cargo(
        &outcome.reduced(),
        &["test", "--test", "restock", "what_went_off_is_reordered"],
    );
    assert!(
        !good && text.contains("attempt to subtract with overflow"),
        "{text}"
    );
}

#[test]
fn a_second_ctrl_c_ends_at_once_and_kills_what_runs() {
    // The test sleeps longer than anybody waits, so that there is something to kill.
    let package = Project::package(
        "sleeper",
        "#[test] fn sleeps() { std::thread::sleep(std::time::Duration::from_secs(3600)); }\n",
    );
    let running = package.reduce(["--lib", "sleeps"]).start();
    std::thread::sleep(std::time::Duration::from_secs(2));
    running.interrupt();
    std::thread::sleep(std::time::Duration::from_millis(50));
    running.interrupt();
    let outcome = running.wait();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
}
