//! What is printed where, in which colours, and how it ends.

use super::*;

/// A short reduction, event by event.
fn reduction(observer: &mut dyn Observer) -> Result<Summary, Failure> {
    for event in [
        Event::Step {
            verb: "Copying",
            what: "semver v1.0.26 (12 files)",
        },
        Event::Baseline {
            runs: 3,
            signature: "panicked at src/identifier.rs:81:9: attempt to subtract with overflow",
            tokens: 13_641,
            files: 12,
            wall: Duration::from_millis(210),
        },
        Event::PassStarted {
            name: "bodies",
            lists: 1,
            elements: 212,
        },
        Event::Trial {
            pass: "bodies",
            outcome: TrialOutcome::Uninteresting,
            stage: "library",
            tokens_tried: 9_800,
            wall: Duration::from_millis(340),
            cpu: Duration::from_millis(320),
            cached: false,
        },
        Event::Trial {
            pass: "bodies",
            outcome: TrialOutcome::Interesting,
            stage: "run",
            tokens_tried: 9_120,
            wall: Duration::from_millis(360),
            cpu: Duration::from_millis(330),
            cached: false,
        },
        Event::NewBest {
            tokens: 4_521,
            files: 12,
            bytes: 21_400,
        },
        Event::PassFinished {
            name: "bodies",
            trials: 2,
            interesting: 1,
            tokens_removed: 9_120,
        },
    ] {
        observer.event(&event);
    }
    Ok(summary(Status::Reduced))
}

#[test]
fn a_person_reads_lines_and_a_summary() {
    let ran = ran_with("--test repro", &[], false, &reduction);
    assert_eq!(ran.exit, Exit::Success);
    insta::assert_snapshot!("lines", ran.err);
    insta::assert_snapshot!("summary", ran.out);
}

#[test]
fn verbose_adds_every_trial_and_what_each_pass_did() {
    let ran = ran_with("--test repro -v", &[], false, &reduction);
    insta::assert_snapshot!("verbose_lines", ran.err);
    insta::assert_snapshot!("verbose_summary", ran.out);
    let twice = ran_with("--test repro -vv", &[], false, &reduction);
    assert_eq!((twice.err, twice.out), (ran.err, ran.out));
}

#[test]
fn quiet_says_where_the_result_lies_and_nothing_else() {
    let ran = ran_with("--test repro -q", &[], false, &reduction);
    assert_eq!(
        (ran.out.as_str(), ran.err.as_str()),
        ("target/cargo-reduce/repro/reduced\n", "")
    );
}

#[test]
fn quiet_still_says_what_went_wrong() {
    let ran = ran_with("--test repro -q", &[], false, &|_| {
        Err(Failure::Interrupted)
    });
    assert!(ran.err.starts_with("error: interrupted"), "{}", ran.err);
}

#[test]
fn a_program_reads_json_lines_that_end_with_the_report() {
    let ran = ran_with("--test repro --message-format json", &[], false, &reduction);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(ran.out);
    let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["reason"], "finished");
    assert_eq!(last["tokens_after"], 412);
    assert_eq!(last["status"], "reduced");
}

#[test]
fn a_program_reads_a_failure_as_json_and_a_person_reads_it_beside() {
    let ran = ran_with("--test repro --message-format json", &[], false, &|_| {
        Err(Failure::TestPasses {
            command: "cargo test --test repro".to_owned(),
            runs: 3,
        })
    });
    assert_eq!(ran.exit, Exit::DoesNotHold);
    assert!(ran.err.starts_with("error: the test passes"), "{}", ran.err);
    insta::assert_snapshot!("failed_as_json", ran.out);
}

#[test]
fn colours_follow_the_flag_then_cargo_then_no_color_then_the_terminal() {
    let coloured = |line: &str, variables: &[(&str, &str)], terminal: bool| {
        let ran = ran_with(line, variables, terminal, &|_| Err(Failure::Interrupted));
        ran.err.contains('\x1b')
    };
    assert!(coloured("--lib", &[], true));
    assert!(!coloured("--lib", &[], false));
    assert!(!coloured("--lib", &[("NO_COLOR", "1")], true));
    assert!(coloured("--lib", &[("NO_COLOR", "")], true));
    assert!(!coloured("--lib", &[("TERM", "dumb")], true));
    assert!(coloured(
        "--lib",
        &[("NO_COLOR", "1"), ("CARGO_TERM_COLOR", "always")],
        false
    ));
    assert!(!coloured("--lib", &[("CARGO_TERM_COLOR", "never")], true));
    assert!(coloured(
        "--lib --color always",
        &[("CARGO_TERM_COLOR", "never")],
        false
    ));
    assert!(!coloured(
        "--lib --color=never",
        &[("CARGO_TERM_COLOR", "always")],
        true
    ));
    // Usage errors too, although nothing could be parsed.
    assert!(coloured("--nonsense --color always", &[], false));
    assert!(!coloured("--nonsense --color never", &[], true));
    assert!(!coloured("--nonsense -- --color always", &[], false));
}

#[test]
fn the_status_decides_the_exit_code() {
    for (status, exit) in [
        (Status::Reduced, 0),
        (Status::AlreadyMinimal, 0),
        (Status::TimeLimit, 0),
        (Status::Interrupted, 130),
    ] {
        let ran = ran_with("--lib", &[], false, &|_| Ok(summary(status)));
        assert_eq!(ran.exit.code(), exit);
    }
}

#[test]
fn a_panic_is_told_as_a_bug_and_not_left_as_an_abort() {
    let ran = ran_with("--lib --message-format json", &[], false, &|_| {
        panic!("no element 7")
    });
    assert_eq!(ran.exit, Exit::Error);
    assert!(
        ran.err
            .contains("this is a bug in cargo-reduce: reducing: no element 7"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains(r#""name":"bug""#), "{}", ran.out);
}
