//! Summaries and reports.

use super::*;

#[test]
fn the_summary_says_how_it_ended() {
    let interrupted = Summary {
        one_minimal: false,
        result: vec![],
        ..summary(Status::Interrupted)
    };
    let time_is_up = Summary {
        one_minimal: false,
        result: vec![],
        slips: vec![Slip {
            signature: "bang".to_owned(),
            kept_in: PathBuf::from("slips/1"),
        }],
        ..summary(Status::TimeLimit)
    };
    let minimal = Summary {
        tokens_after: 13_641,
        files_after: 12,
        result: vec![],
        directory: PathBuf::from("my target/reduced"),
        ..summary(Status::AlreadyMinimal)
    };
    let text = [interrupted, time_is_up, minimal]
        .map(|summary| summary_text(&summary, PLAIN, Verbosity::Normal));
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn code_is_shown_as_long_as_it_fits_one_screen() {
    let of_lines = |lines: usize| Summary {
        result: vec![(PathBuf::from("src/lib.rs"), "fn f() {}\n".repeat(lines))],
        ..summary(Status::Reduced)
    };
    let shown = |summary: &Summary| {
        summary_text(summary, PLAIN, Verbosity::Normal)
            .matches("fn f()")
            .count()
    };
    assert_eq!(shown(&of_lines(60)), 60);
    assert_eq!(shown(&of_lines(61)), 0);
}

#[test]
fn an_ice_becomes_an_issue_in_the_order_of_the_template() {
    insta::assert_snapshot!(markdown(&ice()));
}

#[test]
fn an_ice_that_killed_the_compiler_names_no_place() {
    let killed = Summary {
        kind: Kind::Ice { location: None },
        signature: "SIGSEGV".to_owned(),
        ..ice()
    };
    let text = markdown(&killed);
    assert!(text.contains("* by its message: SIGSEGV"), "{text}");
    assert!(!text.contains("by the place"), "{text}");
}

#[test]
fn a_failing_test_becomes_an_issue() {
    insta::assert_snapshot!(markdown(&summary(Status::Reduced)));
}

#[test]
fn several_files_are_told_apart_and_too_many_lines_only_listed() {
    let files = |lines: usize| Summary {
        result: vec![
            (PathBuf::from("Cargo.toml"), "[package]\n".to_owned()),
            (PathBuf::from("tests/repro.rs"), "// x\n".repeat(lines)),
        ],
        ..summary(Status::Reduced)
    };
    let few = markdown(&files(2));
    assert!(few.contains("`Cargo.toml`:\n```toml\n[package]\n```\n\n`tests/repro.rs`:\n```rust\n// x\n// x\n```\n"), "{few}");
    let many = markdown(&files(300));
    assert!(many.contains("2 files in `target/cargo-reduce/repro/reduced`:\n\n* `Cargo.toml`\n* `tests/repro.rs`\n"), "{many}");
    assert!(!many.contains("// x"), "{many}");
}

#[test]
fn backticks_inside_do_not_end_a_block() {
    let code = "/// ```\n/// f();\n/// ```\nfn f() {}\n".to_owned();
    let text = markdown(&Summary {
        result: vec![(PathBuf::from("a.rs"), code.clone())],
        ..ice()
    });
    assert!(text.contains(&format!("````rust\n{code}````\n")), "{text}");
}

#[test]
fn output_too_long_for_an_issue_keeps_its_head_and_tail() {
    let middle = "ä".repeat(60_000);
    let output = format!("it begins\n{middle}\nit ends");
    let text = markdown(&Summary {
        failure_output: output,
        ..summary(Status::Reduced)
    });
    assert!(text.len() < 40_000);
    assert!(
        text.contains("it begins\nä")
            && text.contains("ä\nit ends")
            && text.contains("bytes left out")
    );
}

#[test]
fn a_crash_s_output_is_split_and_nothing_is_lost() {
    let parts = IceOutput::split(ICE_OUTPUT);
    assert_eq!(parts.backtrace.lines().count(), 4);
    assert_eq!(parts.query_stack.lines().count(), 2);
    let marks = [
        "stack backtrace:",
        "query stack during panic:",
        "end of query stack",
    ];
    let kept: usize = [&parts.error, &parts.backtrace, &parts.query_stack]
        .map(|part| part.lines().filter(|line| !line.is_empty()).count())
        .iter()
        .sum();
    let all = ICE_OUTPUT
        .lines()
        .filter(|line| !line.is_empty() && !marks.contains(line))
        .count();
    assert_eq!(kept, all);
    let plain = "error: no crash here\n\nwarning: x";
    assert_eq!(
        IceOutput::split(plain),
        IceOutput {
            error: plain.to_owned(),
            ..IceOutput::default()
        }
    );
}

#[test]
fn where_a_bug_was_delayed_is_folded_away_with_other_backtraces() {
    let output = "error: internal compiler error: broken\n --> a.rs:1:1\n  |\nnote: delayed at /rustc/compiler/x.rs:5:6\n         0: emit_diagnostic\n        37: start_thread\n                   at ./nptl/pthread_create.c:442:8\n      \n --> a.rs:1:1\n\nnote: rustc runs\n";
    let parts = IceOutput::split(output);
    assert_eq!(
        parts.backtrace,
        "         0: emit_diagnostic\n        37: start_thread\n                   at ./nptl/pthread_create.c:442:8\n      \n"
    );
    assert!(
        parts
            .error
            .contains("delayed at /rustc/compiler/x.rs:5:6\n --> a.rs:1:1")
    );
    let without = output.replace("delayed at", "created at");
    assert_eq!(IceOutput::split(&without).backtrace, "");
}

#[test]
fn slips_are_named_in_the_issue() {
    let text = markdown(&Summary {
        slips: vec![Slip {
            signature: "compiler/y.rs:3:4: other".to_owned(),
            kept_in: PathBuf::from("slips/01"),
        }],
        ..ice()
    });
    assert!(
        text.ends_with("\n* compiler/y.rs:3:4: other (`slips/01`)\n"),
        "{text}"
    );
}

#[test]
fn an_error_becomes_an_issue_that_says_what_shows() {
    let text = markdown(&Summary {
        kind: Kind::Output,
        signature: "error[E0277]: `A` is not `B`".to_owned(),
        ..ice()
    });
    assert!(
        text.starts_with("### What fails\n\n```\nerror[E0277]: `A` is not `B`\n```\n"),
        "{text}"
    );
    assert!(!text.contains("Before filing"), "{text}");
}

#[test]
fn both_reports_are_written_and_a_program_finds_what_it_was_promised() {
    let directory = tempfile::tempdir().unwrap();
    let summary = Summary {
        output: directory.path().join("new"),
        ..ice()
    };
    write_reports(&summary).unwrap();
    // A second time, as for every end of a resumed run.
    write_reports(&summary).unwrap();
    let json = std::fs::read_to_string(summary.output.join("report.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    for (field, value) in [
        ("status", serde_json::json!("reduced")),
        ("command", summary.command.clone().into()),
        ("tokens_before", 13_641.into()),
        ("tokens_after", 412.into()),
        ("files_before", 1.into()),
        ("files_after", 1.into()),
        ("trials", 97.into()),
        ("interesting_trials", 12.into()),
        ("cache_hits", 3.into()),
        ("wall_seconds", 31.416.into()),
        ("signature", summary.signature.clone().into()),
        ("one_minimal", true.into()),
        ("algorithm", "wprobdd".into()),
        ("seed", 0.into()),
        ("toolchain", summary.toolchain.clone().into()),
        ("kind", "ice".into()),
    ] {
        assert_eq!(json[field], value, "{field}");
    }
    let names: std::collections::BTreeSet<_> = std::fs::read_dir(&summary.output)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(
        names.into_iter().collect::<Vec<_>>(),
        ["report.json", "report.md"]
    );
    assert_eq!(
        std::fs::read_to_string(summary.output.join("report.md")).unwrap(),
        markdown(&summary)
    );
}

#[test]
fn every_status_has_the_name_that_is_documented() {
    for (status, name) in [
        (Status::Reduced, "reduced"),
        (Status::AlreadyMinimal, "already-minimal"),
        (Status::Interrupted, "interrupted"),
        (Status::TimeLimit, "time-limit"),
    ] {
        assert_eq!(serde_json::to_value(status).unwrap(), name);
    }
}

#[cfg(unix)]
#[test]
fn a_path_that_is_not_utf8_does_not_cost_the_report() {
    use std::os::unix::ffi::OsStringExt as _;
    let odd = PathBuf::from(std::ffi::OsString::from_vec(b"caf\xe9.rs".to_vec()));
    let summary = Summary {
        result_files: vec![odd.clone()],
        directory: odd,
        ..ice()
    };
    let json = serde_json::to_value(&summary).unwrap();
    assert_eq!(json["result_files"][0], "caf\u{fffd}.rs");
}
