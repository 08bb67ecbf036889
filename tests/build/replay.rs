use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cargo_reduce::build::{
    Addition, Captured, Compiled, Emit, Extern, Fidelity, Job, Level, Replay, Step, Unit, Wanted,
};
use cargo_reduce::exec::{Ending, run};

use crate::packages::{self, Scratch, cancel, limits, unit};

/// A subject, captured and ready to be compiled again.
struct Bench {
    scratch: Scratch,
    captured: Arc<Captured>,
    replay: Replay,
}

impl Bench {
    fn new(scratch: Scratch, directory: &str, subcommand: &str, flags: &[&str]) -> Self {
        let captured = Arc::new(scratch.capture(&scratch.call(directory, subcommand, flags)));
        assert!(captured.outcome.success(), "{captured:#?}");
        let outputs = scratch.directory.path().join("re played");
        let replay = Replay::new(captured.clone(), &outputs, Fidelity::default()).unwrap();
        Bench {
            scratch,
            captured,
            replay,
        }
    }

    fn compile(&mut self, emit: Emit) -> Compiled {
        self.compile_with(emit, |_| {})
    }

    fn compile_with<'a>(&mut self, emit: Emit, change: impl FnOnce(&mut Job<'a>)) -> Compiled {
        // Never freed, so that a job can also borrow what the test has.
        let tree = Box::leak(Box::new(self.scratch.tree()));
        let (limits, cancel) = (Box::leak(Box::new(limits())), Box::leak(Box::new(cancel())));
        let mut job = Job::new(tree, emit, limits, cancel);
        change(&mut job);
        self.replay.compile(&job).unwrap()
    }

    /// The crates that were compiled, as opposed to found up to date.
    fn names(&self, compiled: &Compiled) -> Vec<&str> {
        let ran = compiled.steps.iter().filter(|step| step.outcome.is_some());
        ran.map(|step| self.captured.units[step.unit].crate_name.as_str())
            .collect()
    }

    fn incremental_directories(&self) -> Vec<PathBuf> {
        let directory = self.scratch.directory.path().join("re played/incremental");
        let mut found: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        found.sort();
        found
    }
}

fn assert_success(compiled: &Compiled) {
    assert!(compiled.failed().is_none(), "{:#?}", compiled.failed());
}

/// Runs the only executable; the exit code, and what it wrote.
fn run_only(compiled: &Compiled) -> (Ending, String) {
    assert_success(compiled);
    let [executable] = &compiled.executables[..] else {
        panic!("{:#?}", compiled.executables);
    };
    let outcome = run(
        &executable.invocation(["--test-threads=1"]),
        &limits(),
        &cancel(),
    )
    .unwrap();
    (outcome.ending, String::from_utf8(outcome.stdout).unwrap())
}

#[test]
fn an_edit_of_a_library_shows_in_how_the_test_behaves() {
    let mut bench = Bench::new(
        packages::library(),
        "",
        "test",
        &["--no-run", "--test", "outer"],
    );
    let (ending, output) = run_only(&bench.compile(Emit::Link));
    assert_eq!(ending, Ending::Exited(0), "{output}");

    bench
        .scratch
        .write("src/inner.rs", "pub const VALUE: i32 = 41;\n");
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), ["a_lib", "outer"]);
    let (ending, output) = run_only(&compiled);
    assert_eq!(ending, Ending::Exited(101));
    assert!(output.contains("left: 41"), "{output}");
}

#[test]
fn only_what_changed_and_what_depends_on_it_is_compiled() {
    let mut bench = Bench::new(
        packages::workspace(),
        "ws",
        "test",
        &["--no-run", "--lib", "-p", "high"],
    );
    let compiled = bench.compile(Emit::Link);
    assert_success(&compiled);
    assert_eq!(bench.names(&compiled), ["outside", "low", "high"]);
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), [] as [&str; 0]);

    bench.scratch.write(
        "ws/low/src/lib.rs",
        "pub fn low() -> i32 { outside::outside() + 5 }\n",
    );
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), ["low", "high"]);
    let (ending, output) = run_only(&compiled);
    assert_eq!(ending, Ending::Exited(101), "{output}");
}

#[test]
fn a_caller_can_declare_a_unit_changed() {
    let mut bench = Bench::new(packages::workspace(), "ws", "build", &[]);
    assert_success(&bench.compile(Emit::Metadata));
    let compiled = bench.compile_with(Emit::Metadata, |job| {
        job.changed = &|unit: &Unit| unit.crate_name == "low";
    });
    assert_eq!(bench.names(&compiled), ["low", "high"]);
}

#[test]
fn a_failing_compile_stops_there_and_says_where() {
    let mut bench = Bench::new(packages::workspace(), "ws", "build", &[]);
    bench.scratch.write(
        "ws/low/src/lib.rs",
        "pub fn low() -> i32 {\n    outside::nothing()\n}\n",
    );
    let compiled = bench.compile(Emit::Link);
    let failed = compiled.failed().unwrap();
    assert_eq!(bench.captured.units[failed.unit].crate_name, "low");
    assert_eq!(compiled.steps.len(), 2);
    assert!(compiled.executables.is_empty());
    let errors = failed
        .messages
        .diagnostics
        .iter()
        .filter(|m| m.level == Level::Error);
    let span = errors
        .flat_map(|error| error.primary_spans())
        .next()
        .unwrap();
    assert_eq!(span.file, Path::new("ws/low/src/lib.rs"));
    assert_eq!(
        (span.line, span.column, span.byte_start, span.byte_end),
        (2, 14, 35, 42)
    );
}

#[test]
fn what_failed_is_never_linked_in_its_old_form() {
    let mut bench = Bench::new(
        packages::library(),
        "",
        "test",
        &["--no-run", "--test", "outer"],
    );
    let good = "pub const VALUE: i32 = 42;\n";
    assert_success(&bench.compile(Emit::Link));
    for _ in 0..2 {
        bench
            .scratch
            .write("src/inner.rs", "pub const VALUE: i32 = broken;\n");
        let compiled = bench.compile(Emit::Link);
        assert_eq!(bench.names(&compiled), ["a_lib"]);
        assert!(compiled.failed().is_some() && compiled.executables.is_empty());
    }
    // The same text as before the failure, and the caller says that nothing has changed.
    bench.scratch.write("src/inner.rs", good);
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), ["a_lib", "outer"]);
    assert_eq!(run_only(&compiled).0, Ending::Exited(0));
}

#[test]
fn an_edit_is_seen_although_size_and_time_of_the_file_stay() {
    let mut bench = Bench::new(
        packages::library(),
        "",
        "test",
        &["--no-run", "--test", "outer"],
    );
    assert_success(&bench.compile(Emit::Link));
    let path = bench.scratch.tree().join("src/inner.rs");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    bench
        .scratch
        .write("src/inner.rs", "pub const VALUE: i32 = 43;\n");
    fs::File::options()
        .append(true)
        .open(&path)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let (ending, output) = run_only(&bench.compile(Emit::Link));
    assert_eq!(ending, Ending::Exited(101), "{output}");
}

#[test]
fn emit_kinds_and_additions_have_incremental_directories_of_their_own() {
    let mut bench = Bench::new(packages::library(), "", "build", &[]);
    assert_success(&bench.compile(Emit::Metadata));
    let metadata = bench.incremental_directories();
    assert_eq!(metadata.len(), 1);
    assert_success(&bench.compile(Emit::Link));
    assert_eq!(bench.incremental_directories().len(), 2);
    let lint = |_: &Unit| Addition {
        args: vec!["--force-warn=dead_code".into()],
        ..Addition::default()
    };
    assert_success(&bench.compile_with(Emit::Metadata, |job| job.addition = &lint));
    assert_eq!(bench.incremental_directories().len(), 3);

    let compiled = bench.compile_with(Emit::Metadata, |job| job.incremental = false);
    assert_eq!(bench.names(&compiled), ["a_lib"]);
    assert_eq!(bench.incremental_directories().len(), 3);
    let args = &compiled.steps[0].invocation.args;
    assert!(
        !args
            .iter()
            .any(|arg| arg.to_string_lossy().contains("incremental")),
        "{args:?}"
    );
}

#[test]
fn a_lint_run_names_dead_code_that_other_runs_are_silent_about() {
    let mut bench = Bench::new(packages::library(), "", "build", &[]);
    bench.scratch.write(
        "src/inner.rs",
        "pub const VALUE: i32 = 42;\nfn unused() {}\n",
    );
    let silent = bench.compile(Emit::Metadata);
    assert_success(&silent);
    assert_eq!(silent.steps[0].messages.diagnostics, []);

    let lint = |_: &Unit| Addition {
        args: vec!["--force-warn=dead_code".into()],
        ..Addition::default()
    };
    let lints = bench.compile_with(Emit::Metadata, |job| job.addition = &lint);
    assert_success(&lints);
    let found = lints.steps[0]
        .messages
        .diagnostics
        .iter()
        .find(|m| m.code() == Some("dead_code"));
    let span = found.unwrap().primary_spans().next().unwrap();
    assert_eq!(
        (span.file.as_path(), span.line, span.column),
        (Path::new("src/inner.rs"), 2, 4)
    );

    let again = bench.compile_with(Emit::Metadata, |job| job.addition = &lint);
    assert!(again.steps[0].outcome.is_none());
    assert_eq!(again.steps[0].messages, lints.steps[0].messages);
}

#[test]
fn another_copy_of_the_tree_is_compiled_from_that_copy() {
    let mut bench = Bench::new(
        packages::library(),
        "",
        "test",
        &["--no-run", "--test", "outer"],
    );
    let copy = bench.scratch.directory.path().join("another copy");
    for (path, text) in [
        ("src/lib.rs", "pub fn answer() -> i32 { 7 }\n"),
        (
            "tests/outer.rs",
            "#[test]\nfn outer() {\n    println!(\"{}\", env!(\"CARGO_MANIFEST_DIR\"));\n    println!(\"{:?}\", std::env::current_dir().unwrap());\n    assert_eq!(a_lib::answer(), 42)\n}\n",
        ),
    ] {
        packages::write(&copy.join(path), text);
    }
    let compiled = bench.compile_with(Emit::Link, |job| job.tree = &copy);
    let read: Vec<_> = compiled
        .steps
        .iter()
        .flat_map(|step| &step.read.as_ref().unwrap().files)
        .collect();
    assert_eq!(read, [Path::new("src/lib.rs"), Path::new("tests/outer.rs")]);
    let (ending, output) = run_only(&compiled);
    assert_eq!(ending, Ending::Exited(101));
    assert!(output.contains("left: 7"), "{output}");
    let copy = copy.canonicalize().unwrap();
    assert!(
        output.contains(&format!("{}\n{copy:?}\n", copy.display())),
        "{output}"
    );
}

#[test]
fn what_build_scripts_made_is_used_as_it_is() {
    let mut bench = Bench::new(packages::build_script(), "", "test", &["--no-run", "--lib"]);
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), ["scripted"]);
    assert_eq!(run_only(&compiled).0, Ending::Exited(0));
    let read = compiled.steps[0].read.as_ref().unwrap();
    assert!(
        read.files.contains(&PathBuf::from("src/some text.txt")),
        "{read:?}"
    );
}

#[test]
fn an_included_file_counts_as_input() {
    let mut bench = Bench::new(packages::build_script(), "", "build", &[]);
    assert_success(&bench.compile(Emit::Metadata));
    bench.scratch.write("src/some text.txt", "changed\n");
    let compiled = bench.compile(Emit::Metadata);
    assert_eq!(bench.names(&compiled), ["scripted"]);
}

#[test]
fn a_procedural_macro_stays_as_cargo_built_it_unless_it_is_wanted() {
    let mut bench = Bench::new(
        packages::proc_macro(),
        "",
        "test",
        &["--no-run", "-p", "user", "--lib"],
    );
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), ["user"]);
    assert_eq!(run_only(&compiled).0, Ending::Exited(0));

    bench.scratch.write(
        "backend/src/lib.rs",
        "pub fn code() -> &'static str { \"pub fn number() -> i32 { 6 }\" }\n",
    );
    let compiled = bench.compile(Emit::Link);
    assert_eq!(bench.names(&compiled), [] as [&str; 0]);
    let all: Vec<usize> = (0..bench.captured.units.len()).collect();
    let compiled = bench.compile_with(Emit::Link, |job| job.wanted = Wanted::Units(&all));
    assert_eq!(bench.names(&compiled), ["backend", "macros", "user"]);
    assert_eq!(run_only(&compiled).0, Ending::Exited(101));
}

#[test]
fn a_wanted_unit_brings_what_it_depends_on_and_no_more() {
    let mut bench = Bench::new(packages::library(), "", "test", &["--no-run"]);
    let outer = [unit(&bench.captured, "outer", true)];
    let compiled = bench.compile_with(Emit::Link, |job| job.wanted = Wanted::Units(&outer));
    assert_eq!(bench.names(&compiled), ["a_lib", "outer"]);
    assert_eq!(run_only(&compiled).0, Ending::Exited(0));
}

#[test]
fn a_test_starts_the_binary_of_the_same_compilation() {
    let scratch = Scratch::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"tool\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        ("src/main.rs", "fn main() { println!(\"first\"); }\n"),
        (
            "tests/runs.rs",
            "#[test]\nfn runs() {\n    let out = std::process::Command::new(env!(\"CARGO_BIN_EXE_tool\")).output().unwrap();\n    assert_eq!(String::from_utf8_lossy(&out.stdout), \"second\\n\");\n}\n",
        ),
    ]);
    let mut bench = Bench::new(scratch, "", "test", &["--no-run", "--test", "runs"]);
    bench
        .scratch
        .write("src/main.rs", "fn main() { println!(\"second\"); }\n");
    let compiled = bench.compile(Emit::Link);
    assert_success(&compiled);
    let test = compiled
        .executables
        .iter()
        .find(|executable| executable.name == "runs")
        .unwrap();
    let outcome = run(&test.invocation([] as [&str; 0]), &limits(), &cancel()).unwrap();
    assert_eq!(
        outcome.ending,
        Ending::Exited(0),
        "{}",
        String::from_utf8_lossy(&outcome.stdout)
    );
}

#[test]
fn additions_reach_rustc_and_given_crates_count_as_inputs() {
    let mut bench = Bench::new(packages::library(), "", "build", &[]);
    bench.scratch.write("src/lib.rs", "#[cfg(added)]\npub fn f() -> &'static str { given::TEXT }\n#[cfg(added)]\npub const V: &str = env!(\"ADDED\");\n#[cfg(not(added))]\ncompile_error!(\"not added\");\n");
    assert!(bench.compile(Emit::Link).failed().is_some());

    let given = bench.scratch.directory.path().join("libgiven.rlib");
    let make = |text: &str| {
        let source = given.with_extension("rs");
        fs::write(&source, text).unwrap();
        let rustc = &bench.captured.toolchain.as_ref().unwrap().rustc;
        let status = std::process::Command::new(rustc)
            .args(["--crate-type=lib", "--crate-name=given", "-o"])
            .arg(&given)
            .arg(&source)
            .status();
        assert!(status.unwrap().success());
    };
    make("pub const TEXT: &str = \"one\";");
    let addition = |_: &Unit| Addition {
        args: vec!["--cfg=added".into()],
        env: vec![("ADDED".into(), Some("x".into()))],
        externs: vec![Extern {
            options: None,
            name: "given".into(),
            path: Some(given.clone()),
        }],
    };
    let (tree, limits, cancel) = (bench.scratch.tree(), limits(), cancel());
    let job = Job {
        addition: &addition,
        ..Job::new(&tree, Emit::Link, &limits, &cancel)
    };
    assert_success(&bench.replay.compile(&job).unwrap());
    let up_to_date = |step: &Step| step.outcome.is_none();
    assert!(
        bench
            .replay
            .compile(&job)
            .unwrap()
            .steps
            .iter()
            .all(up_to_date)
    );
    make("pub const TEXT: &str = \"two\";");
    assert!(
        !bench
            .replay
            .compile(&job)
            .unwrap()
            .steps
            .iter()
            .any(up_to_date)
    );
}

#[test]
fn two_replays_of_one_capture_do_not_share_outputs() {
    let mut bench = Bench::new(
        packages::library(),
        "",
        "test",
        &["--no-run", "--test", "outer"],
    );
    let first = bench.compile(Emit::Link);
    let mut other = bench
        .replay
        .fork(&bench.scratch.directory.path().join("other"))
        .unwrap();
    bench
        .scratch
        .write("src/inner.rs", "pub const VALUE: i32 = 1;\n");
    let (tree, limits, cancel) = (bench.scratch.tree(), limits(), cancel());
    let second = other
        .compile(&Job::new(&tree, Emit::Link, &limits, &cancel))
        .unwrap();
    assert_eq!(run_only(&second).0, Ending::Exited(101));
    assert_eq!(run_only(&first).0, Ending::Exited(0));
}

#[test]
fn a_cancelled_job_ends_as_cancelled() {
    let mut bench = Bench::new(packages::library(), "", "build", &[]);
    let (tree, limits, cancel) = (bench.scratch.tree(), limits(), cancel());
    cancel.set();
    let compiled = bench
        .replay
        .compile(&Job::new(&tree, Emit::Link, &limits, &cancel))
        .unwrap();
    let ending = compiled.failed().unwrap().outcome.as_ref().unwrap().ending;
    assert_eq!(ending, Ending::Cancelled);
}

#[test]
fn a_compiler_crash_is_a_failed_step_with_its_report_as_text() {
    let mut bench = Bench::new(packages::library(), "", "build", &[]);
    bench
        .scratch
        .write("src/lib.rs", "pub fn f() -> i32 {\n    unknown\n}\n");
    // Makes the first error a crash; a stable compiler has to be told that it may know the flag.
    let crash = |_: &Unit| Addition {
        args: vec!["-Ztreat-err-as-bug=1".into()],
        env: vec![("RUSTC_BOOTSTRAP".into(), Some("1".into()))],
        ..Addition::default()
    };
    let compiled = bench.compile_with(Emit::Metadata, |job| job.addition = &crash);
    let step = compiled.failed().unwrap();
    assert_eq!(step.outcome.as_ref().unwrap().ending, Ending::Exited(101));
    let messages = &step.messages;
    assert!(
        messages
            .diagnostics
            .iter()
            .any(|message| message.level == Level::Bug),
        "{messages:?}"
    );
    assert!(messages.text.contains("panicked at"), "{}", messages.text);
    assert!(
        messages.text.contains("query stack during panic"),
        "{}",
        messages.text
    );
    let left: Vec<_> = fs::read_dir(bench.scratch.tree())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert!(
        !left
            .iter()
            .any(|name| name.to_string_lossy().contains("rustc-ice")),
        "{left:?}"
    );
}

#[test]
fn debug_info_is_kept_only_if_asked_for() {
    let scratch = packages::library();
    let captured = Arc::new(scratch.capture(&scratch.call("", "test", &["--no-run", "--lib"])));
    let (tree, limits, cancel) = (scratch.tree(), limits(), cancel());
    let size = |name: &str, fidelity: Fidelity| {
        let directory = scratch.directory.path().join(name);
        let mut replay = Replay::new(captured.clone(), &directory, fidelity).unwrap();
        let compiled = replay
            .compile(&Job::new(&tree, Emit::Link, &limits, &cancel))
            .unwrap();
        assert_eq!(run_only(&compiled).0, Ending::Exited(0));
        fs::metadata(&compiled.executables[0].path).unwrap().len()
    };
    let with = Fidelity {
        debug_info: true,
        ..Fidelity::default()
    };
    let (with, without) = (size("with", with), size("without", Fidelity::default()));
    assert!(without < with, "{without} {with}");
}
