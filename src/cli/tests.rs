//! The command line without a process: a fake in place of the engine, streams in memory.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Console, Exit, Stream, run_by};
use crate::minimize::{Algorithm, ComplementOrder, InitialProbability, SplitFactor};
use crate::report::example::summary;
use crate::report::{Event, Failure, Observer, Status, Summary, TrialOutcome};
use crate::request::{
    ErrorPolicy, IceMatch, IceSelection, PropertyRequest, Request, TestSelection, TestTarget,
};

/// What one run of the program did.
struct Ran {
    exit: Exit,
    out: String,
    err: String,
    /// What the engine was asked for, if it was.
    request: Option<Request>,
}

impl Ran {
    fn request(self) -> Request {
        match self.request {
            Some(request) => request,
            None => panic!("not a valid command line:\n{}", self.err),
        }
    }

    fn test(self) -> TestSelection {
        match self.request().property {
            PropertyRequest::Test(test) => test,
            other => panic!("not a test: {other:?}"),
        }
    }

    fn ice(self) -> IceSelection {
        match self.request().property {
            PropertyRequest::Ice(ice) => ice,
            other => panic!("not an ICE: {other:?}"),
        }
    }
}

type Reduction<'a> = &'a dyn Fn(&mut dyn Observer) -> Result<Summary, Failure>;

/// Runs `cargo-reduce` with `line` split at spaces, under `variables`, terminals or not.
fn ran_with(
    line: &str,
    variables: &[(&str, &str)],
    terminal: bool,
    reduction: Reduction<'_>,
) -> Ran {
    let args = std::iter::once("cargo-reduce")
        .chain(line.split_whitespace())
        .map(OsString::from);
    let (mut out, mut err, mut request) = (Vec::new(), Vec::new(), None);
    let mut console = Console {
        out: Stream {
            writer: &mut out,
            is_terminal: terminal,
        },
        err: Stream {
            writer: &mut err,
            is_terminal: terminal,
        },
        live: None,
        width: Some(100),
    };
    let lookup = |name: &str| {
        variables
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let clock = Arc::new(|| Duration::from_millis(12_300));
    let exit = run_by(clock, args, &lookup, &mut console, |asked, observer| {
        request = Some(asked.clone());
        reduction(observer)
    });
    // Everything that is written is UTF-8, or the test fails here.
    Ran {
        exit,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
        request,
    }
}

fn ran(line: &str) -> Ran {
    ran_with(line, &[], false, &|_| Ok(summary(Status::Reduced)))
}

mod parsing {
    use super::*;

    #[test]
    fn cargo_puts_the_subcommand_in_front_and_it_means_the_same_without() {
        for line in ["reduce --test repro empty", "--test repro empty"] {
            let test = ran(line).test();
            assert_eq!(test.target, TestTarget::Test("repro".to_owned()));
            assert_eq!(test.filter.as_deref(), Some("empty"));
        }
        // Only the first one is cargo's: a test may have this name.
        assert_eq!(
            ran("reduce reduce").test().filter.as_deref(),
            Some("reduce")
        );
    }

    #[test]
    fn a_toolchain_is_taken_where_rustup_would_not_take_it() {
        for line in [
            "+nightly --ice",
            "reduce +nightly --ice",
            "+nightly reduce --ice",
        ] {
            assert_eq!(
                ran(line).request().cargo.toolchain.as_deref(),
                Some("nightly"),
                "{line}"
            );
        }
        assert_eq!(ran("--ice").request().cargo.toolchain, None);
    }

    #[test]
    fn a_bare_name_is_a_test_function_anywhere() {
        let test = ran("empty_input").test();
        assert_eq!(test.target, TestTarget::Any);
        assert_eq!(test.filter.as_deref(), Some("empty_input"));
        assert!(!test.exact);
    }

    #[test]
    fn tests_are_selected_as_cargo_test_does() {
        assert_eq!(ran("--lib").test().target, TestTarget::Lib);
        assert_eq!(
            ran("--bin tool").test().target,
            TestTarget::Bin("tool".to_owned())
        );
        let after =
            ran("--lib -- tests::empty --exact --test-threads 1 --ignored --skip slow").test();
        assert_eq!(after.filter.as_deref(), Some("tests::empty"));
        assert!(after.exact);
        assert_eq!(
            after.harness_arguments,
            ["--test-threads", "1", "--ignored", "--skip", "slow"]
        );
        let before = ran("--lib tests::empty -- --exact").test();
        assert_eq!(
            (before.filter.as_deref(), before.exact),
            (Some("tests::empty"), true)
        );
    }

    #[test]
    fn cargos_own_flags_keep_their_meaning() {
        let cargo = ran(
            "--test t -p a -p b --manifest-path x/Cargo.toml -F a,b --features c --no-default-features --release \
             --target wasm32-unknown-unknown --frozen",
        )
        .request()
        .cargo;
        assert_eq!(cargo.packages, ["a", "b"]);
        assert_eq!(cargo.manifest_path, Some(PathBuf::from("x/Cargo.toml")));
        assert_eq!(cargo.features, ["a", "b", "c"]);
        assert!(cargo.no_default_features && !cargo.all_features);
        assert_eq!(cargo.profile.as_deref(), Some("release"));
        assert_eq!(cargo.target.as_deref(), Some("wasm32-unknown-unknown"));
        assert!(cargo.offline && cargo.locked);
    }

    #[test]
    fn features_may_be_separated_by_spaces_too() {
        let args = ["cargo-reduce", "--lib", "--features", "a b"].map(OsString::from);
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let console = Console {
            out: Stream {
                writer: &mut out,
                is_terminal: false,
            },
            err: Stream {
                writer: &mut err,
                is_terminal: false,
            },
            live: None,
            width: None,
        };
        let mut features = Vec::new();
        super::super::run(args, &|_| None, console, |request, _| {
            features.clone_from(&request.cargo.features);
            Err(Failure::Interrupted)
        });
        assert_eq!(features, ["a", "b"]);
    }

    #[test]
    fn the_file_of_an_ice_may_follow_the_flag_or_stand_alone() {
        for line in [
            "--ice crash.rs --edition 2021 -- --crate-type lib",
            "--ice --edition 2021 crash.rs -- --crate-type lib",
            "crash.rs --edition 2021 --ice -- --crate-type lib",
        ] {
            let ice = ran(line).ice();
            assert_eq!(ice.file, Some(PathBuf::from("crash.rs")), "{line}");
            assert_eq!(ice.edition.as_deref(), Some("2021"));
            assert_eq!(ice.arguments, ["--crate-type", "lib"]);
        }
    }

    #[test]
    fn an_ice_of_a_package_takes_cargos_arguments_and_target_selection() {
        let ice = ran("--ice -p core --lib -- build --release").ice();
        assert_eq!(ice.file, None);
        assert_eq!(ice.arguments, ["build", "--release", "--lib"]);
        let ice = ran("--ice --test it").ice();
        assert_eq!(ice.arguments, ["--test", "it"]);
    }

    #[test]
    fn how_alike_crashes_must_be_and_which_errors_they_may_have_can_be_chosen() {
        let ice = ran("--ice").ice();
        assert_eq!(
            (ice.matching, ice.errors),
            (IceMatch::Location, ErrorPolicy::Auto)
        );
        let ice = ran("--ice --ice-match message --errors none").ice();
        assert_eq!(
            (ice.matching, ice.errors),
            (IceMatch::Message, ErrorPolicy::None)
        );
        let ice = ran("--ice --ice-match exact --errors same").ice();
        assert_eq!(
            (ice.matching, ice.errors),
            (IceMatch::Exact, ErrorPolicy::Same)
        );
        let ice = ran("--ice --ice-match any --errors any").ice();
        assert_eq!(
            (ice.matching, ice.errors),
            (IceMatch::Any, ErrorPolicy::Any)
        );
    }

    #[test]
    fn limits_and_scope_reach_the_request() {
        let request = ran(
            "--test t --output out --jobs 3 --seed 7 --time-limit 120s --timeout 1m --keep src/generated/** --only src/** \
             --passes bodies,-items --resume",
        )
        .request();
        assert_eq!(request.output, Some(PathBuf::from("out")));
        assert_eq!((request.jobs, request.seed), (3, 7));
        assert_eq!(request.time_limit, Some(Duration::from_secs(120)));
        assert_eq!(request.trial_timeout, Some(Duration::from_secs(60)));
        assert_eq!(request.keep, ["src/generated/**"]);
        assert_eq!(request.only, ["src/**"]);
        assert_eq!(request.search.passes, ["bodies", "-items"]);
        assert!(request.resume);
        let request = ran("--test t --passes -items").request();
        assert_eq!(request.search.passes, ["-items"]);
    }

    #[test]
    fn the_minimizer_is_w_probdd_with_the_one_minimal_pass_unless_said_otherwise() {
        let settings = ran("--lib").request().search.minimizer;
        assert_eq!(settings, crate::minimize::Settings::default());
        assert_eq!(settings.algorithm.name(), "wprobdd");
        assert!(settings.one_minimal);
        let settings = ran("--lib --no-one-minimal --initial-probability 0.25")
            .request()
            .search
            .minimizer;
        assert!(!settings.one_minimal);
        assert_eq!(settings.initial_probability, InitialProbability::Same(0.25));
    }

    #[test]
    fn each_algorithm_can_be_chosen_and_takes_its_own_settings() {
        let settings = |line: &str| ran(line).request().search.minimizer;
        for algorithm in Algorithm::ALL {
            assert_eq!(
                settings(&format!("--lib --algorithm {algorithm}")).algorithm,
                algorithm
            );
        }
        let ddmin = settings(
            "--lib --algorithm ddmin --split-factor inf --subset-tests no --complement-order backward",
        );
        assert_eq!(ddmin.split_factor, SplitFactor::Infinite);
        assert!(!ddmin.subset_tests);
        assert_eq!(ddmin.complement_order, ComplementOrder::Backward);
        assert_eq!(settings("--lib --algorithm probdd --seed 5").shuffle, None);
        assert_eq!(
            settings("--lib --algorithm probdd --seed 5 --shuffle").shuffle,
            Some(5)
        );
        assert_eq!(
            settings("--lib --algorithm activecoarsen --seed 5").shuffle,
            Some(5)
        );
    }

    #[test]
    fn a_setting_of_another_algorithm_is_refused() {
        for line in [
            "--lib --split-factor 3",
            "--lib --algorithm onemin --subset-tests yes",
            "--lib --algorithm cdd --complement-order forward",
            "--lib --algorithm wddmin --initial-probability 0.2",
            "--lib --algorithm cdd --shuffle",
        ] {
            assert_eq!(ran(line).exit, Exit::Usage, "{line}");
        }
    }

    #[test]
    fn a_flaky_test_is_asked_for_but_not_available_yet() {
        let ran = ran("--flaky --test t");
        assert_eq!(ran.exit, Exit::Error);
        assert!(ran.request.is_none());
        insta::assert_snapshot!(ran.err, @r"
        error: --flaky is not available yet
        help: a test that fails in every run is reduced without it
        ");
    }
}

mod usage {
    use super::*;

    #[test]
    fn help_goes_to_standard_output_and_is_a_success() {
        let ran = ran("--help");
        assert_eq!(ran.exit, Exit::Success);
        assert_eq!(ran.err, "");
        insta::assert_snapshot!(ran.out);
    }

    #[test]
    fn without_arguments_the_help_is_what_went_wrong() {
        let ran = ran("");
        assert_eq!(ran.exit, Exit::Usage);
        assert!(ran.err.contains("Examples:"), "{}", ran.err);
        assert_eq!(ran.out, "");
    }

    #[test]
    fn short_help_fits_the_width() {
        let ran = ran("-h");
        assert!(
            ran.out.lines().all(|line| line.chars().count() <= 100),
            "{}",
            ran.out
        );
        insta::assert_snapshot!(ran.out);
    }

    #[test]
    fn the_version_is_the_packages() {
        assert_eq!(
            ran("--version").out,
            format!("cargo-reduce {}\n", env!("CARGO_PKG_VERSION"))
        );
    }

    #[test]
    fn what_makes_no_sense_is_a_usage_error_and_nothing_is_run() {
        let lines = [
            "--release",
            "--lib --test t",
            "--lib a -- b",
            "--lib -- --exact",
            "--ice a.rs b.rs",
            "--ice a.rs b.rs c.rs",
            "--ice a.rs --release",
            "--ice --edition 2021",
            "--test t --edition 2021",
            "--test t --errors any",
            "--flaky --ice",
            "--test t -q -v",
            "--test t --time-limit 120",
            "--test t --timeout 0s",
            "--test t --jobs 0",
            "--test t --keep [",
            "--test t --algorithm ddmim",
            "--test t --split-factor 3",
            "--ice --doc x",
            "--test t --release --profile bench",
        ];
        let mut text = String::new();
        for line in lines {
            let ran = ran(line);
            assert_eq!(ran.exit, Exit::Usage, "{line}");
            assert!(ran.request.is_none(), "{line}");
            assert_eq!(ran.out, "", "{line}");
            let message = ran.err.split("\n\nUsage:").next().unwrap_or_default();
            text.push_str(&format!("$ cargo reduce {line}\n{message}\n\n"));
        }
        insta::assert_snapshot!(text);
    }
}

mod telling {
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
        let last: serde_json::Value =
            serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
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
}
