//! What a command line asks for.

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
    let after = ran("--lib -- tests::empty --exact --test-threads 1 --ignored --skip slow").test();
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
fn what_follows_the_dashes_is_for_the_program_that_fails() {
    let tool = ran("--bin tool -- --exact in out").test();
    assert_eq!(tool.target, TestTarget::Bin("tool".to_owned()));
    assert_eq!((tool.filter, tool.exact), (None, false));
    assert_eq!(tool.arguments, ["--exact", "in", "out"]);
    assert_eq!(tool.harness_arguments, [""; 0]);
    let example = ran("--example tour -- -v").test();
    assert_eq!(example.target, TestTarget::Example("tour".to_owned()));
    assert_eq!(example.arguments, ["-v"]);
    // With a filter it is a test, and the arguments are its harness's.
    let test = ran("--bin tool tests::empty -- --exact").test();
    assert_eq!(
        (test.filter.as_deref(), test.exact),
        (Some("tests::empty"), true)
    );
    // Whether there is a harness is not known yet.
    let test = ran("--test plain -- in out").test();
    assert_eq!(test.arguments, ["in", "out"]);
    assert_eq!(test.front_filter, None);
    assert_eq!(test.second_filter.as_deref(), Some("out"));
    let bench = ran("--bench fares").test();
    assert_eq!(bench.target, TestTarget::Bench("fares".to_owned()));
    let doc = ran("--doc Parser::parse").test();
    assert_eq!(doc.target, TestTarget::Doc);
    assert_eq!(doc.filter.as_deref(), Some("Parser::parse"));
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
fn a_pass_that_does_not_exist_is_told_with_those_that_do() {
    let error = ran("--test t --passes=items,-statments").err;
    assert!(
        error.contains("-statments") && error.contains("statements"),
        "{error}"
    );
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
fn rates_of_a_flaky_test_are_shares_or_per_cent() {
    let flaky = |line: &str| match ran(line).request.map(|request| request.property) {
        Some(PropertyRequest::Test(test)) => test.flaky,
        _ => None,
    };
    let given = flaky("--flaky --test t --min-rate 5% --alpha 0.01 --stress load=2,pin").unwrap();
    assert_eq!(
        (given.min_rate, given.alpha, given.beta),
        (Some(0.05), 0.01, None)
    );
    assert_eq!(given.stress.unwrap().to_string(), "load=2,pin");
    let usual = flaky("--flaky --test t").unwrap();
    assert_eq!((usual.min_rate, usual.stress), (None, None));
    assert_eq!(
        flaky("--flaky --test t --stress none").unwrap().stress,
        Some(Default::default())
    );
    assert_eq!(flaky("--test t"), None);
}

#[test]
fn rates_that_are_none_are_usage_errors() {
    for line in [
        "--flaky --test t --min-rate 0",
        "--flaky --test t --min-rate 101%",
        "--flaky --test t --alpha 0.5",
        "--flaky --test t --stress heat",
        "--test t --min-rate 5%",
    ] {
        assert_eq!(ran(line).exit, Exit::Usage, "{line}");
    }
}

#[test]
fn a_crash_gets_new_names_and_a_test_keeps_its_own_unless_told_otherwise() {
    for (line, renames) in [
        ("--ice", true),
        ("--ice --no-rename", false),
        ("--test repro", false),
        ("--test repro --rename", true),
    ] {
        assert_eq!(ran(line).request().search.rename, renames, "{line}");
    }
}

#[test]
fn what_is_small_ends_in_one_file_unless_told_otherwise() {
    for (line, flattens) in [("--ice", true), ("--test repro --no-flatten", false)] {
        assert_eq!(ran(line).request().search.flatten, flattens, "{line}");
    }
}

#[test]
fn what_a_tool_shows_may_be_a_crash_an_error_a_text_or_no_end() {
    let ice = ran("--error E0277 -p core -- build").ice();
    assert_eq!(ice.sought, Sought::Error("E0277".to_owned()));
    assert_eq!((ice.file, ice.arguments), (None, vec!["build".to_owned()]));
    let ice = ran("--stderr ^warning a.rs --edition 2024").ice();
    assert_eq!(ice.sought, Sought::Stderr("^warning".to_owned()));
    assert_eq!(ice.file, Some(PathBuf::from("a.rs")));
    for line in ["--hang a.rs", "--ice --hang a.rs", "--ice a.rs --hang"] {
        let ice = ran(line).ice();
        assert_eq!(ice.sought, Sought::Hang, "{line}");
        assert_eq!(ice.file, Some(PathBuf::from("a.rs")), "{line}");
    }
    assert_eq!(ran("--ice").ice().sought, Sought::Crash);
}

#[test]
fn the_tool_its_limit_and_the_depth_of_the_stack_can_be_chosen() {
    let ice = ran("--ice --tool clippy --memory-limit 2GiB --backtrace-match 3").ice();
    assert_eq!(ice.tool, Tool::Clippy);
    assert_eq!(ice.memory_limit, Some(2 << 30));
    assert_eq!(ice.query_depth, 3);
    let ice = ran("--ice").ice();
    assert_eq!(
        (ice.tool, ice.memory_limit, ice.query_depth),
        (Tool::Rustc, None, 0)
    );
}

#[test]
fn a_contrast_names_the_other_toolchain_and_whether_code_compiles_there() {
    let contrast = |name: &str, compiles, either| Contrast {
        toolchain: Some(name.to_owned()),
        compiles,
        either,
    };
    for (line, expected) in [
        (
            "--ice --only-on stable",
            vec![contrast("stable", false, true)],
        ),
        (
            "--ice --only-on stable --compiles-on",
            vec![contrast("stable", true, true)],
        ),
        (
            "--ice --only-on +stable --compiles-on stable",
            vec![contrast("stable", true, true)],
        ),
        (
            "--ice --compiles-on 1.80.0",
            vec![contrast("1.80.0", true, false)],
        ),
        (
            "--ice --only-on nightly --compiles-on 1.80.0",
            vec![
                contrast("nightly", false, true),
                contrast("1.80.0", true, false),
            ],
        ),
        ("--ice", vec![]),
    ] {
        assert_eq!(ran(line).ice().contrasts, expected, "{line}");
    }
    let ice = ran("--ice --only-on stable --compiles-on a.rs").ice();
    assert_eq!(ice.file, Some(PathBuf::from("a.rs")));
    assert_eq!(ice.contrasts, [contrast("stable", true, true)]);
}

#[test]
fn a_script_judges_a_file_or_a_package() {
    let script = ran("--script ./x.sh a.rs").script();
    assert_eq!(script.script, PathBuf::from("./x.sh"));
    assert_eq!(script.file, Some(PathBuf::from("a.rs")));
    assert_eq!(ran("--script ./x.sh -p core").script().file, None);
    assert!(
        ran("--script ./x.sh --broken-syntax")
            .request()
            .broken_syntax
    );
    assert!(!ran("--script ./x.sh").request().broken_syntax);
}
