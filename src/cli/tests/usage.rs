//! Help, and command lines that make no sense.

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
        "--example a --doc",
        "--bin a b c -- d",
        "--ice a.rs --example b",
        "--ice a.rs --release",
        "--ice --tool rustfmt",
        "--ice --compiles-on",
        "--ice --error E0277",
        "--error unused_variables",
        "--error E0277 --stderr x",
        "--stderr [",
        "--hang --script ./x",
        "--script ./x a.rs --release",
        "--script ./x -- a",
        "--ice --memory-limit much",
        "--test t --tool clippy",
        "--test t --only-on stable",
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
