//! Nothing found is ever lost: after Ctrl-C, after `kill -9`, and at the end of the time that was given.

#![cfg(unix)]

mod support;

use std::collections::HashSet;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

use serde_json::Value;

use support::toolchain::StandIn;
use support::{Outcome, Project, Reduction, tokens};

/// Something to be reduced, interrupted and reduced further.
struct Job {
    project: Project,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    /// A failing unit test of a package.
    Test,
    /// A file that crashes the compiler.
    Crash,
}

impl Job {
    fn new(kind: Kind) -> Job {
        let project = Project::copy_of(match kind {
            Kind::Test => "roman",
            Kind::Crash => "stand-in/mailbox.rs",
        });
        Job { project, kind }
    }

    fn reduction(&self) -> Reduction<'_> {
        match self.kind {
            Kind::Test => self.project.reduce(["--lib", TEST, "--passes", PASSES]),
            Kind::Crash => {
                let reduction = self.project.reduce_crash(["--edition", "2021"]);
                let reduction = reduction.args(["--passes", PASSES, "--", "--crate-type", "lib"]);
                StandIn::get().instead_of_rustc(reduction)
            }
        }
    }

    fn resumption(&self) -> Reduction<'_> {
        self.reduction().flag("--resume")
    }

    #[track_caller]
    fn still_fails(&self, outcome: &Outcome) {
        let (text, mark) = match self.kind {
            Kind::Test => {
                let arguments = ["test", "--lib", TEST];
                let (_, text) = self.project.cargo(&outcome.reduced(), &arguments);
                (text, "left: \"MCMLXL\"")
            }
            Kind::Crash => {
                let text = StandIn::get().compile(&outcome.only_file());
                (text, "probe.rs:412:25")
            }
        };
        assert!(text.contains(mark), "{text}");
    }

    /// Where a line is cut short in the middle of a character, that is another one.
    fn journal(&self) -> String {
        let bytes = fs::read(self.project.output().join("journal.jsonl")).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

/// All passes would find more, but nothing that these tests ask about.
const PASSES: &str = "comments,sweep,solve,bodies,items,members,uses";

const TEST: &str = "years_are_written_as_on_buildings";

/// What a run that nobody disturbs comes to.
fn undisturbed(kind: Kind) -> Outcome {
    Job::new(kind).reduction().run().ok()
}

/// Lines of a journal after which to interrupt: different ones in every run of the tests.
fn moments(count: usize, largest: usize) -> Vec<usize> {
    let chance = RandomState::new();
    let number = |index| usize::try_from(chance.hash_one(index) % 4096).expect("it is small");
    let moments: Vec<usize> = (0..count)
        .map(|index| 1 + number(index) % largest)
        .collect();
    // Seen when the test fails.
    eprintln!("interrupted after {moments:?} lines of the journal");
    moments
}

fn ctrl_c(kind: Kind) {
    for moment in moments(2, 20) {
        let job = Job::new(kind);
        let mut running = job.reduction().start();
        assert!(
            running.until_journal_has(moment),
            "the run was over too soon"
        );
        running.interrupt();
        let outcome = running.wait().ended_with(130);
        assert_eq!(outcome.text("status"), "interrupted");
        assert_eq!(outcome.report()["one_minimal"], false);
        assert_eq!(outcome.number("tokens_after"), outcome.tokens());
        job.still_fails(&outcome);
    }
}

#[test]
fn ctrl_c_ends_with_the_best_of_a_test_so_far() {
    ctrl_c(Kind::Test);
}

#[test]
fn ctrl_c_ends_with_the_best_of_a_crash_so_far() {
    ctrl_c(Kind::Crash);
}

#[test]
fn ctrl_c_before_there_is_anything_leaves_nothing() {
    let job = Job::new(Kind::Test);
    let running = job.reduction().start();
    running.interrupt();
    let outcome = running.wait();
    // Before the program listens the signal ends it, as it ends any.
    assert!(matches!(outcome.code, None | Some(130)), "{outcome:?}");
}

#[test]
fn what_was_found_stands_when_there_is_no_time_to_find_it_again() {
    let job = Job::new(Kind::Test);
    let whole = job.reduction().run().ok();
    let again = job.resumption().args(["--time-limit", "1ms"]).run();
    let again = again.ended_with(0);
    assert_eq!(again.text("status"), "time-limit");
    assert_eq!(again.code_text(), whole.code_text());
    assert!(!job.project.output().join("unshown").exists());
    job.still_fails(&again);
}

fn interrupted_and_resumed(kind: Kind) {
    let whole = undisturbed(kind);
    for moment in moments(2, 20) {
        let job = Job::new(kind);
        let mut running = job.reduction().start();
        assert!(
            running.until_journal_has(moment),
            "the run was over too soon"
        );
        running.interrupt();
        running.wait().ended_with(130);
        let resumed = job.resumption().run().ok();
        assert_eq!(resumed.code_text(), whole.code_text());
        assert_eq!(resumed.files(), whole.files());
        assert_eq!(resumed.text("status"), "reduced");
    }
}

#[test]
fn an_interrupted_reduction_of_a_test_goes_on_where_it_was() {
    interrupted_and_resumed(Kind::Test);
}

#[test]
fn an_interrupted_reduction_of_a_crash_goes_on_where_it_was() {
    interrupted_and_resumed(Kind::Crash);
}

fn killed_and_resumed(kind: Kind) {
    let whole = undisturbed(kind);
    let job = Job::new(kind);
    eprintln!("undisturbed, it has {} trials", whole.number("trials"));
    const KILLS: usize = 3;
    for moment in moments(KILLS, 10) {
        let lines = job.journal().lines().count();
        let next = if lines > 0 {
            job.resumption()
        } else {
            job.reduction()
        };
        let mut running = next.start();
        assert!(
            running.until_journal_has(lines + moment),
            "the run was over too soon"
        );
        running.kill();
        assert!(
            job.project.output().join("reduced").is_dir(),
            "the best so far is not on disk"
        );
    }
    let resumed = job.resumption().run().ok();
    assert_eq!(resumed.code_text(), whole.code_text());
    assert_eq!(resumed.files(), whole.files());

    let mut trials = 0;
    let mut candidates = HashSet::new();
    let mut torn = 0;
    for line in job.journal().lines() {
        // A kill in the middle of a long line leaves a part of it, and that trial is run again.
        let Ok(line) = serde_json::from_str::<Value>(line) else {
            torn += 1;
            continue;
        };
        // The verdict alone and what the compiler says are two questions: the second line has the errors.
        if line.get("verdict").is_some() {
            trials += 1;
            candidates.insert(line.to_string());
        }
    }
    assert!(trials > 0, "the journal has no verdicts");
    assert!(torn <= KILLS, "{torn} lines are no JSON");
    assert_eq!(candidates.len(), trials, "a candidate was tried twice");
}

#[test]
fn a_killed_reduction_of_a_test_goes_on_and_repeats_no_trial() {
    killed_and_resumed(Kind::Test);
}

#[test]
fn a_killed_reduction_of_a_crash_goes_on_and_repeats_no_trial() {
    killed_and_resumed(Kind::Crash);
}

#[test]
fn the_best_so_far_is_never_lost_to_a_kill() {
    let job = Job::new(Kind::Crash);
    let mut running = job.reduction().start();
    assert!(running.until_journal_has(40), "the run was over too soon");
    running.kill();
    let reduced = job.project.output().join("reduced");
    let before = tokens::count_path(&reduced);
    // Killed again and again before there is time to find anything new.
    for milliseconds in [10, 30, 60, 90, 120, 160, 220, 300] {
        let running = job.resumption().start();
        std::thread::sleep(Duration::from_millis(milliseconds));
        running.kill();
        assert!(reduced.is_dir(), "nothing is left after {milliseconds} ms");
        let now = tokens::count_path(&reduced);
        assert!(
            now <= before,
            "{now} tokens instead of {before} after {milliseconds} ms"
        );
    }
}

#[test]
fn the_journal_survives_half_a_line() {
    let job = Job::new(Kind::Crash);
    let mut running = job.reduction().start();
    assert!(running.until_journal_has(10), "the run was over too soon");
    running.kill();
    // The last character is cut short, too.
    let half = b"{\"verdict\":\"inter\xc3";
    let text = [job.journal().as_bytes(), half].concat();
    fs::write(job.project.output().join("journal.jsonl"), text).expect("it can be written");
    let resumed = job.resumption().run().ok();
    job.still_fails(&resumed);
    // The next line is one of its own.
    let half = String::from_utf8_lossy(half);
    assert!(job.journal().lines().any(|line| line == half));
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
    std::thread::sleep(Duration::from_secs(2));
    running.interrupt();
    std::thread::sleep(Duration::from_millis(50));
    running.interrupt();
    let outcome = running.wait();
    assert_eq!(outcome.code, Some(130), "{outcome:?}");
}
