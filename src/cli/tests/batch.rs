//! Several inputs on one command line.

use super::*;
use std::cell::RefCell;

/// What the engine was asked for, input by input, when the file named `bad` gives `failure`.
fn asked(line: &str, bad: &str, failure: fn() -> Failure) -> (Ran, Vec<Request>) {
    let requests = RefCell::new(Vec::new());
    let ran = ran_by(line, &[], false, &|request, _| {
        let PropertyRequest::Ice(ice) = &request.property else {
            panic!("{request:?}");
        };
        requests.borrow_mut().push(request.clone());
        if ice.file == Some(PathBuf::from(bad)) {
            Err(failure())
        } else {
            Ok(summary(Status::Reduced))
        }
    });
    (ran, requests.into_inner())
}

const fn no_crash() -> Failure {
    Failure::NoCrash {
        what: String::new(),
        commands: Vec::new(),
        output: String::new(),
    }
}

#[test]
fn each_file_is_reduced_on_its_own_to_a_directory_of_its_own() {
    let (ran, requests) = asked(
        "--ice a.rs x/b.rs y/b.rs --output out --seed 4",
        "",
        no_crash,
    );
    assert_eq!(ran.exit, Exit::Success);
    let outputs: Vec<_> = requests
        .iter()
        .map(|request| request.output.clone())
        .collect();
    let expected = ["out/a", "out/b", "out/b-2"].map(|path| Some(PathBuf::from(path)));
    assert_eq!(outputs, expected);
    assert!(requests.iter().all(|request| request.seed == 4));
    let (_, requests) = asked("--ice a.rs b.rs", "", no_crash);
    let first = requests[0].output.clone();
    assert_eq!(first, Some(PathBuf::from("target/cargo-reduce/a")));
}

#[test]
fn a_single_file_keeps_the_output_directory_to_itself() {
    let (_, requests) = asked("--ice a.rs --output out", "", no_crash);
    assert_eq!(requests[0].output, Some(PathBuf::from("out")));
}

#[test]
fn an_input_without_a_result_does_not_end_the_batch_and_gives_its_exit_code() {
    let (ran, requests) = asked("--ice a.rs b.rs c.rs", "b.rs", no_crash);
    assert_eq!(requests.len(), 3);
    assert_eq!(ran.exit, Exit::DoesNotHold);
    assert!(
        ran.err.contains("showed nothing of the kind"),
        "{}",
        ran.err
    );
    assert!(ran.out.contains("b.rs"), "{}", ran.out);
}

#[test]
fn an_interrupt_ends_the_batch() {
    let (ran, requests) = asked("--ice a.rs b.rs c.rs", "b.rs", || Failure::Interrupted);
    assert_eq!(requests.len(), 2);
    assert_eq!(ran.exit, Exit::Interrupted);
    assert!(ran.out.contains("not begun"), "{}", ran.out);
}

#[test]
fn programs_read_which_input_a_line_is_about_and_all_results_at_the_end() {
    let (ran, _) = asked("--ice a.rs b.rs --message-format json", "b.rs", no_crash);
    let lines: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let reasons: Vec<_> = lines
        .iter()
        .map(|line| line["reason"].as_str().unwrap())
        .collect();
    let expected = ["input", "finished", "input", "failed", "batch-finished"];
    assert_eq!(reasons, expected);
    assert_eq!(lines[2]["input"], "b.rs");
    assert_eq!(
        (&lines[2]["number"], &lines[2]["of"]),
        (&2.into(), &2.into())
    );
    let results = lines[4]["results"].as_array().unwrap();
    assert_eq!(results[0]["status"], "reduced");
    assert_eq!(results[0]["output"], "target/cargo-reduce/repro");
    assert!(results[1]["status"].is_null() && results[1]["failure"].is_string());
}

#[test]
fn only_what_was_begun_is_resumed() {
    let output = tempfile::tempdir().unwrap();
    std::fs::create_dir(output.path().join("a")).unwrap();
    std::fs::write(output.path().join("a/journal.jsonl"), "").unwrap();
    let line = format!(
        "--ice a.rs b.rs --resume --output {}",
        output.path().display()
    );
    let (_, requests) = asked(&line, "", no_crash);
    let resumed: Vec<_> = requests.iter().map(|request| request.resume).collect();
    assert_eq!(resumed, [true, false]);
}
