use std::path::Path;
use std::sync::Arc;

use cargo_reduce::build::{Captured, Emit, Fidelity, FileCall, Job, Level, Replay, capture_file};
use cargo_reduce::exec::Ending;

use crate::packages::{Scratch, cancel, limits};

fn capture(scratch: &Scratch, edition: &str, args: &[&str]) -> Captured {
    let call = FileCall {
        file: scratch.tree().join("a crash-1.rs"),
        toolchain: None,
        edition: Some(edition.into()),
        args: args.iter().map(|arg| arg.to_string()).collect(),
        target_dir: scratch.directory.path().join("made here"),
    };
    capture_file(&call, &limits(), &cancel()).unwrap()
}

#[test]
fn a_file_is_one_unit_that_is_compiled_again_when_it_changes() {
    let scratch = Scratch::new(&[("a crash-1.rs", "pub fn f() { let async = 1; }\n")]);
    let captured = Arc::new(capture(&scratch, "2015", &["--crate-type=lib"]));
    assert_eq!(captured.outcome.ending, Ending::Exited(0), "{captured:#?}");
    let [unit] = &captured.units[..] else {
        panic!("{captured:#?}");
    };
    assert_eq!((unit.edition.as_str(), unit.own), ("2015", true));
    assert!(
        scratch
            .directory
            .path()
            .join("made here/liba_crash_1.rlib")
            .exists()
    );

    let outputs = scratch.directory.path().join("out");
    let mut replay = Replay::new(captured, &outputs, Fidelity::default()).unwrap();
    let (tree, limits, cancel) = (scratch.tree(), limits(), cancel());
    let job = Job::new(&tree, Emit::Captured, &limits, &cancel);
    assert!(replay.compile(&job).unwrap().failed().is_none());
    assert!(replay.compile(&job).unwrap().steps[0].outcome.is_none());
    scratch.write("a crash-1.rs", "pub fn f() -> u8 { \"\" }\n");
    let compiled = replay.compile(&job).unwrap();
    let error = &compiled.failed().unwrap().messages.diagnostics[0];
    assert_eq!((error.level, error.code()), (Level::Error, Some("E0308")));
    assert_eq!(error.spans[0].file, Path::new("a crash-1.rs"));
}

#[test]
fn errors_of_a_file_are_those_of_its_edition() {
    let scratch = Scratch::new(&[("a crash-1.rs", "fn main() { let async = 1; }\n")]);
    let captured = capture(&scratch, "2021", &[]);
    assert_eq!(captured.outcome.ending, Ending::Exited(1));
    assert!(
        captured
            .diagnostics
            .iter()
            .any(|message| message.message.contains("async"))
    );
}

#[test]
fn what_the_user_had_emitted_is_emitted_again() {
    let scratch = Scratch::new(&[("a crash-1.rs", "fn main() {}\n")]);
    let captured = Arc::new(capture(&scratch, "2021", &["--emit=mir"]));
    let outputs = scratch.directory.path().join("out");
    let mut replay = Replay::new(captured, &outputs, Fidelity::default()).unwrap();
    let (tree, limits, cancel) = (scratch.tree(), limits(), cancel());
    let made = |compiled: cargo_reduce::build::Compiled| {
        let args = compiled.steps[0].invocation.args.iter();
        let out_dir = args
            .filter_map(|arg| arg.to_str()?.strip_prefix("--out-dir="))
            .next()
            .unwrap();
        let entries = std::fs::read_dir(out_dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = entries.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    let captured = Job::new(&tree, Emit::Captured, &limits, &cancel);
    assert_eq!(
        made(replay.compile(&captured).unwrap()),
        ["a_crash_1.d", "a_crash_1.mir"]
    );
    let metadata = Job::new(&tree, Emit::Metadata, &limits, &cancel);
    assert_eq!(
        made(replay.compile(&metadata).unwrap()),
        ["a_crash_1.d", "liba_crash_1.rmeta"]
    );
}
