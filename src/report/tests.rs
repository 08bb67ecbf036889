//! What people and programs read, as snapshots.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use indicatif::{InMemoryTerm, ProgressDrawTarget};

use super::example::{ICE_OUTPUT, ice, summary};
use super::ice_output::IceOutput;
use super::{
    Event, Failure, Human, Kind, LiveLine, Observer, Screen, Slip, Status, Style, Summary,
    TrialOutcome, Verbosity, failure_text, markdown, summary_text, write_reports,
};

const PLAIN: Style = Style::new(false);

mod failures {
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
            Failure::TestPasses {
                command: command(),
                runs: 1,
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
                commands: names(&["cargo check", "cargo build", "cargo test --no-run"]),
                output: "    Finished `dev` profile in 0.10s\n".to_owned(),
            },
            Failure::DoesNotCompile {
                command: command(),
                output: "error[E0425]: cannot find value `x`\n\n --> tests/repro.rs:3:5\n"
                    .to_owned(),
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
            Failure::NotAvailableYet {
                what: "--flaky",
                instead: "leave it out",
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
}

mod watching {
    use super::*;

    fn trial(outcome: TrialOutcome) -> Event<'static> {
        Event::Trial {
            pass: "bodies",
            outcome,
            stage: "run",
            tokens_tried: 100,
            wall: Duration::from_millis(50),
            cpu: Duration::from_millis(40),
            cached: false,
        }
    }

    fn baseline() -> Event<'static> {
        Event::Baseline {
            runs: 3,
            signature: "panicked at src/lib.rs:8:5: boom",
            tokens: 1_000,
            files: 3,
            wall: Duration::from_millis(200),
        }
    }

    fn live(terminal: &InMemoryTerm, width: usize) -> Human<'static> {
        let clock: super::super::Clock = Arc::new(|| Duration::from_millis(4_100));
        // No refresh and no limit to the rate, so that the last event is what is on the screen.
        let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
        let line = LiveLine::new(target, Arc::new(move || width), Arc::clone(&clock), None);
        Human::new(Screen::Live(line), PLAIN, Verbosity::Normal, clock)
    }

    /// The events' plain lines.
    fn lines(verbosity: Verbosity, events: &[Event<'_>]) -> String {
        let mut err = Vec::new();
        let mut human = Human::new(
            Screen::Plain(&mut err),
            PLAIN,
            verbosity,
            Arc::new(|| Duration::from_millis(4_100)),
        );
        events.iter().for_each(|event| human.event(event));
        drop(human);
        String::from_utf8(err).unwrap()
    }

    #[test]
    fn a_terminal_shows_one_line_below_what_stays() {
        let terminal = InMemoryTerm::new(20, 90);
        let mut human = live(&terminal, 90);
        human.event(&Event::Step {
            verb: "Copying",
            what: "semver v1.0.26",
        });
        human.event(&baseline());
        human.event(&Event::PassStarted {
            name: "bodies",
            lists: 1,
            elements: 20,
        });
        human.event(&trial(TrialOutcome::Uninteresting));
        human.event(&trial(TrialOutcome::Interesting));
        human.event(&Event::NewBest {
            tokens: 400,
            files: 2,
            bytes: 1_900,
        });
        human.event(&Event::Slip {
            signature: "panicked at src/other.rs:1:1: bang",
            kept_in: Path::new("out/slips/1"),
        });
        insta::assert_snapshot!("live", terminal.contents());
        drop(human);
        insta::assert_snapshot!("live_after", terminal.contents());
    }

    #[test]
    fn a_narrow_terminal_is_never_wrapped_by_the_live_line() {
        let terminal = InMemoryTerm::new(20, 40);
        let mut human = live(&terminal, 40);
        human.event(&Event::PassStarted {
            name: "bodies",
            lists: 1,
            elements: 20,
        });
        human.event(&Event::NewBest {
            tokens: 400,
            files: 2,
            bytes: 1_900,
        });
        (0..10).for_each(|_| human.event(&trial(TrialOutcome::Uninteresting)));
        let shown = terminal.contents();
        assert_eq!(shown.lines().count(), 1, "{shown}");
        assert!(shown.contains("bodies"), "{shown}");
    }

    #[test]
    fn lines_are_few_while_the_size_falls_slowly() {
        let mut events = vec![
            baseline(),
            Event::PassStarted {
                name: "items",
                lists: 1,
                elements: 1_000,
            },
        ];
        // One token at a time, down to half.
        for tokens in (500..1_000).rev() {
            events.push(trial(TrialOutcome::Interesting));
            events.push(Event::NewBest {
                tokens,
                files: 3,
                bytes: 4 * tokens,
            });
        }
        events.push(Event::PassFinished {
            name: "items",
            trials: 500,
            interesting: 500,
            tokens_removed: 500,
        });
        let text = lines(Verbosity::Normal, &events);
        insta::assert_snapshot!(text);
        assert!(lines(Verbosity::Verbose, &events).lines().count() > 500);
        assert_eq!(lines(Verbosity::Quiet, &events), "");
    }

    #[test]
    fn a_pass_that_found_nothing_is_not_worth_a_line() {
        let nothing = [Event::PassFinished {
            name: "types",
            trials: 7,
            interesting: 0,
            tokens_removed: 0,
        }];
        assert_eq!(lines(Verbosity::Normal, &nothing), "");
        assert!(lines(Verbosity::Verbose, &nothing).contains("types nothing in 7 trials"));
    }

    #[test]
    fn other_failures_and_notes_are_told() {
        let text = lines(
            Verbosity::Normal,
            &[
                Event::Slip {
                    signature: "panicked at src/other.rs:1:1: bang",
                    kept_in: Path::new("out/slips/1"),
                },
                Event::Note("cargo accepts the formatted result"),
            ],
        );
        insta::assert_snapshot!(text, @r"
        note: met another failure, kept in out/slips/1: panicked at src/other.rs:1:1: bang
        note: cargo accepts the formatted result
        ");
    }
}

mod afterwards {
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
}
