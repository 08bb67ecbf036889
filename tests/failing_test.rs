//! Failing tests are reduced to what fails, in every way in which a test can fail.

mod support;

use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use support::reduced::COARSE;
use support::{Outcome, Project, Reduced, reduction, tokens};

/// A reduction of a test project by the coarse passes.
fn reduced<const N: usize>(name: &str, arguments: [&str; N]) -> Reduced {
    Reduced::coarsely(Project::copy_of(name), arguments)
}

static INVENTORY: LazyLock<Reduced> = LazyLock::new(|| {
    reduced(
        "inventory",
        ["--test", "restock", "what_went_off_is_reordered"],
    )
});

#[test]
fn a_panic_in_a_library_is_still_shown_when_much_of_it_is_gone() {
    INVENTORY.still_shows(
        &["test", "--test", "restock", "what_went_off_is_reordered"],
        &["attempt to subtract with overflow"],
    );
    INVENTORY.is_at_most(60);
}

#[test]
fn the_subtraction_that_panics_is_not_replaced_by_another_panic() {
    let code = INVENTORY.outcome.code_text();
    assert!(code.contains("- self.reserved"), "{code}");
}

#[test]
fn files_that_are_not_needed_are_not_in_the_result() {
    let files = INVENTORY.outcome.files();
    for gone in ["README.md", "tests/reports.rs", "src/report.rs"] {
        assert!(!files.iter().any(|file| file == gone), "{files:?}");
    }
    assert!(files.iter().any(|file| file == "Cargo.toml"), "{files:?}");
    assert!(
        files.iter().any(|file| file == "tests/restock.rs"),
        "{files:?}"
    );
}

#[test]
fn the_report_says_what_can_be_counted() {
    let Reduced { project, outcome } = &*INVENTORY;
    assert_eq!(outcome.text("status"), "reduced");
    assert_eq!(
        outcome.number("tokens_before"),
        tokens::count_path(project.path())
    );
    assert_eq!(outcome.number("tokens_after"), outcome.tokens());
    let files = outcome.files();
    assert_eq!(outcome.number("files_after"), files.len(), "{files:?}");
    let report = outcome.report();
    let listed = report["result_files"]
        .as_array()
        .expect("the files are listed");
    assert_eq!(listed.len(), files.len(), "{listed:?} and {files:?}");
    assert!(outcome.number("files_before") >= outcome.number("files_after"));
    assert!(outcome.number("trials") >= outcome.number("interesting_trials"));
    assert!(outcome.number("interesting_trials") > 0);
    assert!(outcome.report()["one_minimal"].is_boolean());
    assert!(outcome.text("toolchain").contains("rustc"));
    assert!(
        outcome
            .text("signature")
            .contains("attempt to subtract with overflow")
    );
}

#[test]
fn the_command_in_the_report_shows_the_failure() {
    let Reduced { project, outcome } = &*INVENTORY;
    let directory = PathBuf::from(outcome.text("directory"));
    // In a copy: cargo writes beside what it builds, and other tests look at the result.
    let copy = Project::empty("inventory");
    support::tree::copy(&directory, copy.path());
    let mut shell = Command::new("sh");
    reduction::without_our_cargo(&mut shell);
    let (good, text) = support::project::run(
        shell
            .arg("-c")
            .arg(outcome.text("command"))
            .current_dir(copy.path())
            .env("CARGO_TARGET_DIR", project.tmp().join("target")),
    );
    assert!(
        !good && text.contains("attempt to subtract with overflow"),
        "{text}"
    );
}

#[test]
fn the_issue_to_paste_has_the_code_and_the_failure() {
    let path = INVENTORY.outcome.output.join("report.md");
    let issue = std::fs::read_to_string(path).expect("there is an issue to paste");
    assert!(
        issue.contains("attempt to subtract with overflow"),
        "{issue}"
    );
    assert!(issue.contains("```rust"), "{issue}");
    let builds = ["warning", "Compiling", "Finished"];
    assert!(!builds.iter().any(|word| issue.contains(word)), "{issue}");
}

#[test]
fn an_assertion_in_a_unit_test_keeps_both_of_its_sides() {
    let roman = reduced("roman", ["--lib", "years_are_written_as_on_buildings"]);
    roman.still_shows(
        &["test", "--lib", "years_are_written_as_on_buildings"],
        &["left: \"MCMLXL\"", "right: \"MCMXC\""],
    );
    roman.is_at_most(60);
}

#[test]
fn a_test_that_hangs_still_does() {
    let project = Project::package(
        "hailstones",
        "pub fn halved(n: u64) -> u64 { n / 2 }\n\
         pub fn tripled(n: u64) -> u64 { n * 3 + 1 }\n\
         pub fn steps(mut n: u64) -> u64 {\n\
             let mut steps = 0;\n\
             while n != 1 {\n\
                 n = if n % 2 == 0 { halved(n) } else { tripled(n) };\n\
                 steps += 1;\n\
             }\n\
             steps\n\
         }\n\
         pub fn largest(of: &[u64]) -> Option<u64> { of.iter().copied().max() }\n\
         #[test]\n\
         fn every_number_comes_down() {\n\
             assert_eq!(largest(&[steps(6), steps(7)]), Some(16));\n\
             assert_eq!(steps(0), 0);\n\
         }\n",
    );
    let reduction = project.reduce(["--lib", "every_number_comes_down"]);
    let hangs = reduction.run().ok();
    assert_eq!(hangs.text("signature"), "does not end");
    let code = hangs.code_text();
    assert!(code.contains("steps(0)"), "{code}");
    assert!(!code.contains("largest"), "{code}");
}

#[test]
fn a_test_that_hangs_goes_on_doing_so_where_it_did() {
    let lib = "pub fn filled(n: usize) -> Vec<usize> {
    let mut rows = Vec::new();
    while rows.len() < n { rows.push(rows.len()); }
    rows
}
pub fn last_even(rows: &[usize]) -> usize {
    let mut at = rows.len() - 1;
    while rows[at] % 2 != 0 { if at > 1 { at -= 2; } }
    at
}
#[test]
fn t() { assert_eq!(last_even(&filled(4)), 2); }
";
    let project = Project::package("rows", lib);
    let hangs = project.reduce(["--lib", "t"]).run().ok();
    let code = hangs.code_text();
    // What it hangs in is called, and nothing else came to be endless.
    assert!(code.matches("last_even(").count() > 1, "{code}");
    assert!(
        !code.contains("rows.len() < n") || code.contains("rows.push"),
        "{code}"
    );
}

#[test]
fn a_workspace_is_reduced_down_to_the_crate_with_the_bug() {
    let ledger = reduced(
        "ledger",
        ["--test", "month", "refunds_are_shared_like_bills"],
    );
    ledger.still_shows(
        &["test", "--test", "month", "refunds_are_shared_like_bills"],
        &["index out of bounds: the len is 3 but the index is 3"],
    );
    ledger.is_at_most(70);
    for gone in [
        "README.md",
        "charts/Cargo.toml",
        "charts/src/lib.rs",
        "src/bin/check.rs",
        "examples/chart.rs",
        "benches/parsing.rs",
        "tests/currencies.rs",
    ] {
        let files = ledger.outcome.files();
        assert!(!files.iter().any(|file| file == gone), "{files:?}");
    }
}

#[test]
fn a_stack_overflow_stays_a_stack_overflow() {
    let parens = reduced(
        "parens",
        [
            "--test",
            "formulas",
            "a_sign_in_front_turns_the_value_round",
        ],
    );
    parens.still_shows(
        &[
            "test",
            "--test",
            "formulas",
            "a_sign_in_front_turns_the_value_round",
        ],
        &["has overflowed its stack"],
    );
    parens.is_at_most(70);
}

#[test]
fn a_test_that_never_ends_stays_one() {
    let queue = Project::copy_of("queue");
    let test = ["--test", "recent", "a_sample_is_close_to_the_whole"];
    let outcome = queue
        .reduce(test)
        .args(["--timeout", "1s", "--passes", COARSE])
        .run()
        .ok();
    let before = tokens::count_path(queue.path());
    let code = outcome.code_text();
    assert!(outcome.tokens() * 100 <= before * 80, "{code}");
    let still_runs = queue.cargo_still_runs_after(
        &outcome.reduced(),
        &["test", "--test", "recent", "a_sample_is_close_to_the_whole"],
        Duration::from_secs(5),
    );
    assert!(still_runs, "{code}");
}

#[test]
fn a_test_that_returns_an_error_returns_the_same_error() {
    let config = reduced("config", ["--test", "server", "the_server_is_set_up"]);
    config.still_shows(
        &["test", "--test", "server", "the_server_is_set_up"],
        &["Error: ConfigError { line: 12, reason: OpenQuote }"],
    );
    config.is_at_most(80);
}

#[test]
fn modules_of_edition_2015_are_found_wherever_they_lie() {
    let editions = reduced("editions", ["--test", "tables", "long_names_are_filled_up"]);
    editions.still_shows(
        &["test", "--test", "tables", "long_names_are_filled_up"],
        &["end byte index 8 is out of bounds of `......`"],
    );
    editions.is_at_most(85);
}

#[test]
fn a_test_is_found_by_its_name_alone() {
    let ledger = Project::copy_of("ledger");
    let outcome = ledger
        .reduce(["refunds_are_shared_like_bills", "--passes", "comments"])
        .run()
        .ok();
    assert!(outcome.text("signature").contains("index out of bounds"));
    assert!(
        outcome
            .text("command")
            .contains("refunds_are_shared_like_bills")
    );
}

#[test]
fn what_is_to_be_kept_is_kept_to_the_byte() {
    let inventory = Project::copy_of("inventory");
    let outcome = inventory
        .reduce(["--test", "restock", "what_went_off_is_reordered"])
        .args(["--keep", "src/sku.rs", "--passes", COARSE])
        .run()
        .ok();
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("it is there");
    assert_eq!(
        read(outcome.reduced().join("src/sku.rs")),
        read(inventory.path().join("src/sku.rs"))
    );
}

#[test]
fn only_what_is_named_is_reduced() {
    let inventory = Project::copy_of("inventory");
    let outcome = inventory
        .reduce(["--test", "restock", "what_went_off_is_reordered"])
        .args(["--only", "tests/restock.rs", "--passes", "items,statements"])
        .run()
        .ok();
    let read = |path: std::path::PathBuf| std::fs::read_to_string(path).expect("it is there");
    for same in [
        "src/lib.rs",
        "src/sku.rs",
        "src/stock/mod.rs",
        "src/stock/shelf.rs",
    ] {
        assert_eq!(
            read(outcome.reduced().join(same)),
            read(inventory.path().join(same)),
            "{same}"
        );
    }
    assert!(outcome.tokens() < tokens::count_path(inventory.path()));
}

#[test]
fn without_an_output_directory_the_result_is_in_target() {
    let roman = Project::copy_of("roman");
    let outcome = roman
        .reduce([
            "--lib",
            "years_are_written_as_on_buildings",
            "--passes",
            "comments",
        ])
        .default_output()
        .run()
        .ok();
    let results = std::fs::read_dir(&outcome.output).expect("there is a directory of results");
    let names: Vec<_> = results
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    let [result] = &names[..] else {
        panic!("{names:?}")
    };
    assert!(result.join("report.json").is_file());
    assert!(result.join("reduced/Cargo.toml").is_file());
}

#[test]
fn programs_are_told_in_json_what_happens() {
    let roman = Project::copy_of("roman");
    let outcome = roman
        .reduce(["--lib", "years_are_written_as_on_buildings"])
        .args(["--message-format", "json", "--passes", "comments"])
        .run()
        .ok();
    let mut reasons = Vec::new();
    for line in outcome.stdout.lines() {
        let message: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        reasons.push(
            message["reason"]
                .as_str()
                .expect("it has a reason")
                .to_owned(),
        );
    }
    assert!(reasons.len() > 3, "{reasons:?}");
}

#[test]
fn the_number_of_jobs_does_not_change_the_result() {
    let run = |jobs: &str| {
        let roman = Project::copy_of("roman");
        let outcome = roman
            .reduce(["--lib", "years_are_written_as_on_buildings"])
            .args(["--jobs", jobs, "--passes", "bodies,items"])
            .run()
            .ok();
        (outcome.code_text(), outcome.files())
    };
    assert_eq!(run("1"), run("3"));
}

/// Reduces by what brings a subject into one file, and little else.
#[track_caller]
fn in_one_file<const N: usize>(name: &str, test: [&str; N]) -> Reduced {
    let project = Project::copy_of(name);
    let passes = "comments,conditions,sweep,solve,files,inline-files,join-crates,manifest";
    let outcome = project.reduce(test).args(["--passes", passes]).run().ok();
    Reduced { project, outcome }
}

#[test]
fn a_library_ends_in_the_file_of_the_test() {
    let test = [
        "--test",
        "formulas",
        "a_sign_in_front_turns_the_value_round",
    ];
    let parens = in_one_file("parens", test);
    parens.still_shows(
        &[
            "test",
            "--test",
            "formulas",
            "a_sign_in_front_turns_the_value_round",
        ],
        &["has overflowed its stack"],
    );
    assert_eq!(parens.outcome.files(), ["Cargo.toml", "tests/formulas.rs"]);
    let manifest = parens.outcome.manifest();
    for gone in ["description", "license"] {
        assert!(!manifest.contains(gone), "{manifest}");
    }
}

#[test]
fn a_path_dependency_ends_in_the_file_of_the_test() {
    let test = ["--test", "month", "refunds_are_shared_like_bills"];
    let ledger = in_one_file("ledger", test);
    ledger.still_shows(
        &["test", "--test", "month", "refunds_are_shared_like_bills"],
        &["index out of bounds: the len is 3 but the index is 3"],
    );
    let files = ledger.outcome.files();
    let rust: Vec<&String> = files.iter().filter(|file| file.ends_with(".rs")).collect();
    assert_eq!(rust, ["tests/month.rs"], "{files:?}");
    assert!(
        !files.iter().any(|file| file.starts_with("money")),
        "{files:?}"
    );
    // The place of the panic is the one that it had in its own package.
    assert!(
        ledger
            .outcome
            .text("signature")
            .contains("money/src/lib.rs")
    );
}

#[test]
fn modules_are_given_up_and_what_stood_in_them_has_a_name_of_its_own() {
    let test = ["--test", "month", "refunds_are_shared_like_bills"];
    let project = Project::copy_of("ledger");
    let passes = "comments,conditions,sweep,solve,files,inline-files,join-crates,one-module";
    let outcome = project.reduce(test).args(["--passes", passes]).run().ok();
    let ledger = Reduced { project, outcome };
    ledger.still_shows(
        &["test", "--test", "month", "refunds_are_shared_like_bills"],
        &["index out of bounds: the len is 3 but the index is 3"],
    );
    let code = std::fs::read_to_string(ledger.outcome.reduced().join("tests/month.rs"));
    let code = code.expect("the test is there");
    for gone in ["mod ", "pub ", "crate::", "use ledger"] {
        assert!(!code.contains(gone), "{code}");
    }
}

#[test]
fn a_test_that_dies_without_a_word_is_judged_by_its_signal_in_the_end_too() {
    let package = Project::package(
        "silent",
        "pub fn f(x: u32) { if x > 2 { std::process::abort() } }
        pub fn unused() -> u32 { 5 }
        #[test] fn dies() { f(3); }
        #[test] fn lives() { assert_eq!(unused(), 5); }\n",
    );
    let reduced = Reduced::coarsely(package, ["--lib", "dies"]);
    assert_eq!(reduced.outcome.text("signature"), "SIGABRT");
    assert!(!reduced.outcome.stderr.contains("does not show the failure"));
    reduced.still_shows(&["test", "--lib", "dies"], &["SIGABRT"]);
    assert!(!reduced.outcome.code_text().contains("unused"));
}

#[test]
fn what_ran_is_found_out_in_spite_of_lints_that_the_package_denies() {
    let package = Project::package(
        "strict",
        "pub fn f(x: u32) -> u32 { if x > 2 { panic!(\"three\") } else { let more = unneeded(x); more * 2 + x } }
        fn unneeded(x: u32) -> u32 { x + 1 }
        #[test] fn three() { f(3); }\n",
    );
    package.replace(
        "Cargo.toml",
        "[workspace]",
        "[lints.rust.rust-2018-idioms]\nlevel = \"deny\"\npriority = -1\n[workspace]",
    );
    let reduced = Reduced::coarsely(package, ["--lib", "three"]);
    reduced.outcome.says("places ran");
    let code = reduced.outcome.code_text();
    assert!(!code.contains("unneeded"), "{code}");
}

#[test]
fn what_cargo_itself_does_not_show_gives_way_to_the_latest_that_it_does() {
    // From scratch, cargo is called without incremental compilation: then the failure needs more than it does in trials.
    let lib = "
pub fn unneeded() -> &'static str { \"unneeded\" }

fn anchor() -> bool { true }

#[test]
fn t() {
    let incremental = option_env!(\"CARGO_INCREMENTAL\") != Some(\"0\");
    let shown = anchor();
    assert!(!(incremental || shown), \"shown\");
}
";
    let project = Project::package("scratch", lib);
    let outcome = project
        // The name of a variable is no input that may get shorter here.
        .reduce(["--lib", "t", "--passes=-inputs"])
        .env("CARGO_INCREMENTAL", "1")
        .run()
        .ok();
    outcome.says("this is an earlier one that does");
    let code = outcome.code_text();
    assert!(!code.contains("unneeded"), "{code}");
    let unshown = outcome.reduced().with_file_name("unshown");
    outcome.says(&format!("the smallest is kept in {}", unshown.display()));
    let read = |name: &str| std::fs::read_to_string(unshown.join(name)).unwrap();
    let smallest = read("src/lib.rs");
    assert!(smallest.len() < code.len(), "{smallest}");
    let printed = read("output.txt");
    assert!(printed.contains("test result: ok"), "{printed}");
    let (good, text) = project.cargo(&outcome.reduced(), &["test", "--lib", "t"]);
    assert!(!good && text.contains("shown"), "{text}");
    let again = Project::empty("again");
    support::tree::copy(&outcome.reduced(), again.path());
    again.write(".cargo/config.toml", "env.CARGO_INCREMENTAL = \"0\"\n");
    let (good, text) = project.cargo(again.path(), &["test", "--lib", "t"]);
    assert!(!good && text.contains("shown"), "{text}\n{code}");
}

/// The `length` of what is only said to be there would be whatever lay in its place before.
const HELD: &str = "
use std::mem::MaybeUninit;

pub struct Held { cells: [MaybeUninit<u64>; 4], length: usize }

impl Held {
    pub fn new() -> Held {
        Held { cells: unsafe { MaybeUninit::uninit().assume_init() }, length: 0 }
    }
    pub fn push(&mut self, value: u64) {
        self.cells[self.length] = MaybeUninit::new(value);
        self.length += 1;
    }
    pub fn last(&self) -> u64 {
        assert!(self.length < 2, \"{}, which is too many\", self.length);
        unsafe { self.cells[self.length - 1].assume_init() }
    }
}

#[test]
fn the_last_of_two() {
    let mut held = Held::new();
    held.push(1);
    held.push(2);
    assert_eq!(held.last(), 2);
}
";

#[test]
fn what_the_compiler_knows_to_be_undefined_is_no_result() {
    let project = Project::package("held", HELD);
    let outcome = project.reduce(["--lib", "the_last_of_two"]).run().ok();
    let test = ["test", "--lib", "the_last_of_two"];
    let (good, text) = project.cargo(&outcome.reduced(), &test);
    assert!(!good && text.contains("2, which is too many"), "{text}");
    assert!(!text.contains("undefined behavior"), "{text}");
    let code = outcome.code_text();
    assert!(code.contains("length: 0"), "{code}");
}

#[test]
fn targets_that_are_called_like_the_test_or_built_with_it_go() {
    let lib = "pub fn half(n: u32) -> u32 { n / 2 }\npub fn other() -> u32 { 7 }\n";
    let project = Project::package("sides", lib);
    project.replace(
        "Cargo.toml",
        "[workspace]",
        "[features]\ndefault = [\"tool\"]\ntool = []\n[[bin]]\nname = \"sides\"\nrequired-features = [\"tool\"]\n[[bench]]\nname = \"odd\"\n[workspace]",
    );
    project.write(
        "src/main.rs",
        "fn main() { println!(\"{}\", sides::other()); }\n",
    );
    project.write("benches/odd.rs", "fn main() {}\n");
    project.write(
        "tests/odd.rs",
        "#[test]\nfn t() { assert_eq!(sides::half(7) * 2, 7); }\n",
    );
    let outcome = project.reduce(["--test", "odd", "t"]).run().ok();
    let (good, text) = project.cargo(&outcome.reduced(), &["test", "--test", "odd"]);
    assert!(!good && text.contains("right: 7"), "{text}");
    for gone in ["src/main.rs", "benches/odd.rs", "src/lib.rs"] {
        assert!(!outcome.reduced().join(gone).exists(), "{gone} is there");
    }
}

#[test]
fn another_test_of_the_same_name_does_not_stay_for_it() {
    let lib = "
mod first {
    fn check(count: u32) { assert!(count > 3, \"too few\"); }
    #[test]
    fn counts() { check(2); }
}
mod second {
    fn check(count: u32) { assert!(count > 1, \"one\"); }
    #[test]
    fn counts() { check(2); }
}
";
    let project = Project::package("twice", lib);
    let outcome = project
        .reduce(["--lib", "first::counts", "--passes", "sweep,solve"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("too few"), "{code}");
    assert!(!code.contains("second"), "{code}");
}

#[test]
fn unsafe_code_is_compiled_as_cargo_does_it_now_and_then() {
    // Trials are compiled without debug information, which tells where a function stands.
    let lib = "
use std::backtrace::Backtrace;
use std::ffi::{c_char, CString};

unsafe extern \"C\" {
    fn strstr(text: *const c_char, part: *const c_char) -> *const c_char;
}

fn check(level: u32) {
    let trace = CString::new(Backtrace::force_capture().to_string()).unwrap();
    if unsafe { strstr(trace.as_ptr(), c\"lib.rs\".as_ptr()) }.is_null() { panic!(\"shown\"); }
    let levels = [level, 3];
    if levels[0] == 3 { panic!(\"shown\"); }
}

#[test]
fn t() {
    let level = 3;
    check(level);
}
";
    let project = Project::package("debugged", lib);
    let reduction = project.reduce(["--lib", "t", "--match", "message"]);
    let outcome = reduction.run().ok();
    outcome.says("does not hold on a second look");
    assert!(
        !outcome.stderr.contains("earlier one"),
        "{}",
        outcome.stderr
    );
    let code = outcome.code_text();
    assert!(!code.contains("level"), "{code}");
    let (good, text) = project.cargo(&outcome.reduced(), &["test", "--lib", "t"]);
    assert!(!good && text.contains("shown"), "{text}");
}

#[test]
fn what_is_undefined_in_the_original_is_no_reason_not_to_reduce_it() {
    let lib = format!(
        "{HELD}\npub fn old() -> u64 {{ unsafe {{ MaybeUninit::uninit().assume_init() }} }}\n"
    );
    let package = Project::package("held", &lib);
    let reduced = Reduced::coarsely(package, ["--lib", "the_last_of_two"]);
    let code = reduced.outcome.code_text();
    assert!(!code.contains("old"), "{code}");
}

#[test]
fn what_decided_that_it_fails_stays_where_there_are_no_guards() {
    let lib = "pub fn number(digits: &str) -> Result<u32, String> {
    let mut zeros = 0;
    for digit in digits.chars() { zeros += u32::from(digit == '0'); }
    if digits.len() > 7 { return Err(\"too long\".to_string()); }
    digits.parse().map_err(|_| format!(\"no number after {zeros} zeros\"))
}
#[test]
fn t() -> Result<(), String> {
    assert_eq!(number(\"0000000065\")?, 65);
    Ok(())
}
";
    let outcome = Project::package("padded", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    outcome.says("what decided that it fails stays as it is: src/lib.rs:4");
    assert_eq!(outcome.report()["one_minimal"], true);
    let code = outcome.code_text();
    assert!(code.contains("if digits.len() > 7 {"), "{code}");
    assert!(!code.contains("zeros"), "{code}");
}

#[test]
fn what_was_entered_last_decided_though_it_was_entered_before() {
    let lib = "pub fn walk(numbers: &[u32], strict: bool) -> u32 {
    let mut larger = 0;
    for n in numbers {
        if strict { larger = *numbers.iter().find(|m| *m > n).expect(\"a larger one\"); }
        if *n == 2 { larger += 1; }
    }
    larger
}
#[test]
fn t() { assert_eq!(walk(&[1, 2, 3], true), 4); }
";
    let outcome = Project::package("walked", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("if strict {"), "{code}");
    assert!(!code.contains("*n == 2"), "{code}");
}

#[test]
fn what_ran_of_a_const_fn_is_known_where_it_is_called_at_run_time() {
    let lib = "const LENGTH: usize = length(2);
const fn length(n: usize) -> usize { if n > 1 { n } else { 1 } }
pub const fn pick(n: usize) -> usize {
    if n > 5 { return n + LENGTH; }
    n
}
#[test]
fn t() { assert_eq!(pick(2), 3); }
";
    let outcome = Project::package("picked", lib)
        .reduce(["--lib", "t", "--guards", "none"])
        .run()
        .ok();
    // All but the branch of `pick`.
    outcome.says("3 of 4 places ran");
    assert!(!outcome.code_text().contains("LENGTH"));
}

#[test]
fn tests_of_the_same_words_are_guards_where_code_cannot_be_asked_whether_it_ran() {
    let lib = "pub const FIXED: u32 = checked(\"abc\");
pub const fn checked(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let mut at = 0;
    while at + 1 < bytes.len() {
        if bytes[at] == b' ' { panic!(\"a space\"); }
        at += 1;
    }
    1
}
#[test]
#[should_panic]
fn leading() { checked(\" a\"); }
#[test]
#[should_panic]
fn trailing() { checked(\"a \"); }
#[test]
fn other() { assert!(2 > 1); }
";
    let outcome = Project::package("spaces", lib)
        .reduce(["--lib", "trailing"])
        .run()
        .ok();
    outcome.says("guards that have to go on passing: `leading`");
    let code = outcome.code_text();
    assert!(code.contains("panic!"), "{code}");
    assert!(code.contains("checked(\"a \")"), "{code}");
}

#[test]
fn an_endless_recursion_keeps_what_it_depends_on() {
    let lib = "fn even(n: i64) -> bool { if n == 0 { true } else { odd(n - 1) } }
fn odd(n: i64) -> bool { if n == 0 { false } else { even(n - 1) } }
pub fn unneeded() -> bool { even(4) }
#[test]
fn t() { assert!(even(-2)); }
";
    let outcome = Project::package("parity", lib)
        .reduce(["--lib", "t", "--no-one-minimal"])
        .run()
        .ok();
    assert_eq!(outcome.report()["one_minimal"], false);
    let code = outcome.code_text();
    for kept in ["odd(n - 1)", "even(n - 1)"] {
        assert!(code.contains(kept), "{kept}\n{code}");
    }
    assert_eq!(code.matches("if n == 0").count(), 2, "{code}");
    assert!(!code.contains("unneeded"), "{code}");
}

#[test]
fn a_test_that_should_panic_and_does_not_still_calls_what_should() {
    let lib = "pub fn check(n: u32) -> u32 {
    if n >= 10 { panic!(\"too large: {n}\"); }
    unneeded();
    n
}
pub fn unneeded() -> u32 { 5 }
#[test]
#[should_panic(expected = \"too large\")]
fn t() {
    let n = check(3) * 3;
    check(n);
}
";
    let project = Project::package("limit", lib);
    let outcome = project.reduce(["--lib", "t"]).run().ok();
    let reduced = Reduced { project, outcome };
    let outcome = &reduced.outcome;
    assert_eq!(outcome.text("signature"), "test did not panic as expected");
    outcome.says("no guards: nothing else here passes");
    let code = outcome.code_text();
    for kept in [
        "#[should_panic(expected = \"too large\")]",
        "let n = check(3) * 3;",
        "check(n)",
    ] {
        assert!(code.contains(kept), "{kept}\n{code}");
    }
    assert!(!code.contains("unneeded"), "{code}");
    reduced.still_shows(&["test", "--lib", "t"], &["did not panic as expected"]);
}

#[test]
fn a_panic_with_another_message_than_expected_stays_one() {
    let lib = "pub fn check(n: u32) -> u32 {
    if n > 10 { panic!(\"too small: {n}\"); }
    unneeded(n)
}
fn unneeded(n: u32) -> u32 { n + 1 }
#[test]
#[should_panic(expected = \"too large\")]
fn t() { check(12); }
";
    let project = Project::package("limits", lib);
    let outcome = project.reduce(["--lib", "t"]).run().ok();
    let reduced = Reduced { project, outcome };
    assert_eq!(
        reduced.outcome.text("signature"),
        "panic at src/lib.rs:2, with another message than expected: too small: 12"
    );
    let code = reduced.outcome.code_text();
    for kept in ["#[should_panic(expected = \"too large\")]", "if n > 10"] {
        assert!(code.contains(kept), "{kept}\n{code}");
    }
    assert!(!code.contains("unneeded"), "{code}");
    reduced.still_shows(
        &["test", "--lib", "t"],
        &["panic did not contain expected string", "too small: 12"],
    );
}

#[test]
fn a_check_that_let_pass_what_failed_goes_on_doing_so() {
    let lib = "pub fn insert(bits: &mut [bool], at: usize) {
    let len = bits.len();
    if at > len {
        println!(\"there is no {at}\");
        return;
    }
    bits[at] = true;
}
";
    let reduced = |more: &[&str]| {
        let project = Project::package("bits", lib);
        let test = "#[test]\nfn inserts() { bits::insert(&mut [], 0); }\n";
        project.write("tests/bits.rs", test);
        let reduction = project.reduce(["--test", "bits", "inserts"]);
        let reduction = more.iter().fold(reduction, |all, one| all.arg(one));
        reduction.run().ok()
    };
    let code = reduced(&[]).code_text();
    assert!(
        code.contains(" > len {") && !code.contains("println"),
        "{code}"
    );
    // Another place is named for a `Vec`.
    let grown = lib.replace("&mut [bool]", "&mut Vec<bool>");
    let project = Project::package("grown", &grown);
    let test = "#[test]\nfn inserts() { grown::insert(&mut Vec::new(), 0); }\n";
    project.write("tests/grown.rs", test);
    let outcome = project.reduce(["--test", "grown", "inserts"]).run().ok();
    let code = outcome.code_text();
    assert!(code.contains(" > len {"), "{code}");
    // What is kept is kept to the byte.
    let outcome = reduced(&["--keep", "src/lib.rs"]);
    let same = std::fs::read_to_string(outcome.reduced().join("src/lib.rs"));
    assert_eq!(same.expect("it is there"), lib);
}

#[test]
fn recursion_that_is_too_deep_does_not_become_endless() {
    let lib = "pub struct Parser { pub text: Vec<u8>, pub at: usize }
impl Parser {
    pub fn list(&mut self) -> usize {
        let kept = std::hint::black_box([1u8; 256]);
        if self.text.get(self.at) != Some(&b'[') { return 0; }
        self.at += 1;
        self.list() + usize::from(kept[7])
    }
}
#[test]
fn t() { assert_eq!(Parser { text: vec![b'['; 12_000], at: 0 }.list(), 12_000); }
";
    let outcome = Project::package("nested", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    assert_eq!(outcome.text("signature"), "stack overflow");
    outcome.says("a stack of 256 MiB is large enough");
    let code = outcome.code_text();
    // The original overflows 2 MiB, and not 16.
    assert!(overflows(&outcome, 16), "{code}");
    assert!(!overflows(&outcome, 256), "{code}");
}

#[test]
fn recursion_that_takes_too_long_to_be_seen_to_end_does_not_become_endless() {
    let lib = "pub struct Parser { pub text: Vec<u8>, pub open: Vec<usize> }
impl Parser {
    pub fn list(&mut self) -> usize {
        let kept = std::hint::black_box([1u8; 256]);
        let at = self.open.iter().filter(|at| **at < 1_000_000).count();
        if self.text.get(at) != Some(&b'[') { return 0; }
        self.open.push(at);
        self.list() + usize::from(kept[7])
    }
}
#[test]
fn t() { assert_eq!(Parser { text: vec![b'['; 120_000], open: Vec::new() }.list(), 120_000); }
";
    let outcome = Project::package("nested", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    assert_eq!(outcome.text("signature"), "stack overflow");
    let code = outcome.code_text();
    assert!(overflows(&outcome, 2), "{code}");
    assert!(!overflows(&outcome, 256), "{code}");
}

/// Whether the test `t` that is left overflows a stack of so many mebibytes.
fn overflows(outcome: &Outcome, mebibytes: usize) -> bool {
    let copy = Project::empty("nested");
    support::tree::copy(&outcome.reduced(), copy.path());
    let config = format!("env.RUST_MIN_STACK = \"{}\"\n", mebibytes << 20);
    copy.write(".cargo/config.toml", &config);
    let (_, text) = copy.cargo(copy.path(), &["test", "--lib", "t"]);
    text.contains("has overflowed its stack")
}

#[test]
fn a_stub_that_is_reached_all_the_same_comes_back_at_once() {
    let idle: String = (0..40)
        .map(|at| format!("pub fn idle_{at}(n: usize) -> usize {{ if n > {at} {{ n * 2 }} else {{ n + {at} }} }}\n"))
        .collect();
    // Probes in front of it make it stand further to the right, so that they see the other branch run.
    let lib = format!(
        "fn is_plain() -> bool {{ column!() == 25 }}
fn place(n: usize) -> usize {{ if is_plain() {{ let m = n + 3; m + 2 + 2 }} else {{ let m = 3 + n; 2 + 2 + m }} }}
#[test]
fn t() {{
    let list = [1, 2, 3];
    assert!(list[place(1)] > 0);
}}
{idle}"
    );
    let reduced = |lib: &str| {
        let project = Project::package("plain", lib);
        let outcome = project
            .reduce(["--lib", "t", "--guards=none", "--passes=sweep,solve"])
            .run()
            .ok();
        let journal = std::fs::read_to_string(project.output().join("journal.jsonl"));
        let slipped = journal.expect("there is one").matches("slipped: ").count();
        let report = outcome.report();
        // It is a failure of another kind, but nobody's bug.
        assert_eq!(report["slips"].as_array().map_or(0, Vec::len), 0);
        (report["trials"].as_u64().expect("a number"), slipped)
    };
    let foreseen = reduced(&lib.replace("== 25", "> 0"));
    let reached = reduced(&lib);
    // What is reached is told by the run: nothing has to be searched.
    assert!(
        foreseen.1 == 0 && reached.1 > 0,
        "{reached:?}, {foreseen:?}"
    );
    assert!(reached.0 <= foreseen.0 + 2, "{reached:?}, {foreseen:?}");
}

#[test]
fn what_macros_compile_under_conditions_is_swept_like_anything_else() {
    let lib = "macro_rules! cfg_net {
    ($($item:item)*) => { $( #[cfg(feature = \"net\")] #[cfg_attr(docsrs, doc(cfg(feature = \"net\")))] $item )* }
}
macro_rules! cfg_not_net {
    ($($item:item)*) => { $( #[cfg(not(feature = \"net\"))] $item )* }
}
cfg_net! {
    pub fn port(text: &str) -> u16 { if text.is_empty() { other::port(text, 80) } else { text.parse().expect(\"a port\") } }
    mod other {
        pub fn port(text: &str, port: u16) -> u16 { let all = [port, text.len() as u16]; all.iter().sum() }
    }
}
cfg_not_net! {
    pub fn port(text: &str) -> u16 { text.len() as u16 }
}
#[test]
fn t() { assert_ne!(port(\"x\"), 80); }
";
    let project = Project::package("ports", lib);
    let manifest = std::fs::read_to_string(project.path().join("Cargo.toml")).expect("a manifest");
    let features = format!("{manifest}\n[features]\ndefault = [\"net\"]\nnet = []\n");
    project.write("Cargo.toml", &features);
    let outcome = project
        .reduce(["--lib", "t", "--passes=conditional-macros,sweep,solve"])
        .run()
        .ok();
    let code = outcome.code_text();
    for gone in ["cfg_net", "cfg_not_net", "other", "len()"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    assert!(code.contains("text.parse().expect(\"a port\")"), "{code}");
}

#[test]
fn what_runs_and_is_of_no_matter_goes_after_runs_of_one_build() {
    let lib = "pub struct Log(Vec<String>);

impl Log {
    fn note(&mut self, what: &str) { self.0.push(what.to_owned()); }
    fn is_full(&self) -> bool { self.0.len() > 100 }
}

fn next(number: u32, log: &mut Log) -> u32 {
    log.note(\"next\");
    let half = number / 2;
    if half < 100 && !log.is_full() { number + 1 } else { number }
}

#[test]
fn t() {
    let mut log = Log(Vec::new());
    let mut number = 2;
    while number < 4 {
        number = next(number, &mut log);
    }
    let found = [1, 2, 3].get(number as usize).copied();
    found.expect(\"there are four\");
}
";
    let outcome = Project::package("logged", lib)
        .reduce(["--lib", "t", "--guards=none", "--passes=sweep,skips"])
        .run()
        .ok();
    outcome.says("places that can be switched off may be");
    let code = outcome.code_text();
    for gone in ["log.note", "else", "is_full()"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    // Without it the loop would not end.
    assert!(code.contains("number = next(number, &mut log);"), "{code}");
}

#[test]
fn candidates_that_are_judged_at_once_are_judged_as_they_are_alone() {
    let lib = "macro_rules! twice { ($e:expr) => { $crate::math::double($e) }; }

mod math {
    pub fn double(number: u32) -> u32 { crate::noted(number); number * 2 }
    pub fn half(number: u32) -> u32 { number / 2 }
}

fn noted(number: u32) -> u32 { number + 1 }

struct Scale { factor: u32, offset: u32, name: &'static str }

impl Scale {
    fn new(factor: u32) -> Scale { Scale { factor, offset: 0, name: \"scale\" } }
    fn apply(&self, number: u32) -> u32 { twice!(number) * self.factor + self.offset }
}

#[test]
fn t() {
    let scale = Scale::new(3);
    let found = [1, 2].get(scale.apply(7) as usize).copied();
    assert!(!scale.name.is_empty());
    let _: u32 = found.expect(\"there are two\");
}

#[test]
fn doubled() {
    assert_eq!(Scale::new(1).apply(2), 4);
}
";
    let reduced = |passes: &str| {
        let outcome = Project::package("scales", lib)
            .reduce(["--lib", "t", "--guard=doubled", passes])
            .run()
            .ok();
        let report = outcome.report();
        assert_eq!(report["one_minimal"], true, "{passes}");
        let passes = report["passes"].as_array().cloned().unwrap_or_default();
        let at_once = passes.iter().find(|pass| pass["name"] == "at-once");
        let trials = at_once.and_then(|pass| pass["trials"].as_u64());
        (outcome.code_text(), trials)
    };
    let (alone, none) = reduced("--passes=-at-once");
    let (at_once, trials) = reduced("--passes=-macro-arguments");
    assert_eq!(none, None);
    assert!(trials.is_some_and(|trials| trials > 20), "{trials:?}");
    assert_eq!(at_once, alone);
}

#[test]
fn where_macros_make_much_of_a_line_candidates_are_not_judged_at_once() {
    let lib = |many: &str| {
        format!(
            "mod many {{
    macro_rules! twice {{ ($e:expr) => {{ ($e, $e) }} }}
    macro_rules! often {{ ($e:expr) => {{ twice!(twice!(twice!(twice!(twice!($e))))) }} }}
    pub fn size() -> usize {{ size_of_val(&{many}) }}
}}

struct Scale {{ factor: usize, offset: usize, name: &'static str }}

impl Scale {{
    fn new(factor: usize) -> Scale {{ Scale {{ factor, offset: 0, name: \"scale\" }} }}
    fn apply(&self, number: usize) -> usize {{ number * self.factor + self.offset }}
}}

#[test]
fn t() {{
    let scale = Scale::new(3);
    assert!(!scale.name.is_empty());
    let _: u32 = [1, 2].get(scale.apply(7) + many::size()).copied().unwrap();
}}
"
        )
    };
    let trials = |many: &str| {
        let outcome = Project::package("scales", &lib(many))
            .reduce(["--lib", "t", "--passes=statements,elements,fields,at-once"])
            .run()
            .ok();
        let report = outcome.report();
        let passes = report["passes"].as_array().cloned().unwrap_or_default();
        let at_once = passes.iter().find(|pass| pass["name"] == "at-once");
        at_once.and_then(|pass| pass["trials"].as_u64())
    };
    let text = format!("\"{}\"", "much ".repeat(40));
    assert!(trials(&format!("twice!({text})")).is_some_and(|trials| trials > 0));
    // 2^10 times the same.
    assert_eq!(trials(&format!("often!(often!({text}))")).unwrap_or(0), 0);
}

#[test]
fn what_generic_code_stood_for_takes_the_place_of_its_parameters() {
    let lib = "pub trait Shape { type Side: Copy + Into<u32>; fn sides(&self) -> Vec<Self::Side>; }
pub trait Named: Shape { fn name(&self) -> String; }
pub struct Square<S> { side: S }
impl<S: Copy + Into<u32>> Shape for Square<S> {
    type Side = S;
    fn sides(&self) -> Vec<S> { vec![self.side; 3] }
}
impl<S: Copy + Into<u32>> Named for Square<S> { fn name(&self) -> String { String::new() } }
pub fn around<T: Named>(shape: T) -> u32 where T::Side: Ord {
    let sides: Vec<T::Side> = shape.sides();
    sides.into_iter().map(|side| { let side: u32 = side.into(); side }).sum()
}
#[test]
fn t() { assert_eq!(around(Square { side: 2u16 }), 8); }
";
    let outcome = Project::package("shapes", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    outcome.says("concrete-types");
    let code = outcome.code_text();
    assert!(code.contains("; 3]"), "{code}");
    assert!(!code.contains("Named"), "{code}");
    assert!(!code.contains("T::Side"), "{code}");
}

#[test]
fn what_is_to_be_kept_stays_generic_with_what_it_needs() {
    let lib = "mod kept;
pub struct Pair<T>(pub T, pub T);
impl<T: Copy> Pair<T> { pub fn first(&self) -> T { self.0 } }
#[test]
fn t() { assert_eq!(Pair(2u8, 3).first(), 3); }
";
    let kept = "pub fn any<T: Copy>(pair: crate::Pair<T>) -> T { pair.first() }\n";
    let project = Project::package("pairs", lib);
    project.write("src/kept.rs", kept);
    let outcome = project
        .reduce(["--lib", "t"])
        .args(["--keep", "src/kept.rs", "--passes", "concrete-types"])
        .run()
        .ok();
    let read = std::fs::read_to_string(outcome.reduced().join("src/kept.rs"));
    assert_eq!(read.expect("it is there"), kept);
}

#[test]
fn items_that_macros_make_are_reduced_like_others() {
    let lib = "macro_rules! shapes {
    ($($name:ident $sides:expr;)*) => { $(
        pub struct $name;
        shapes! { @impl $name $sides }
    )* };
    (@impl $name:ident $sides:expr) => {
        impl $name {
            pub fn sides(&self) -> usize { let sides = $sides; check(); sides }
            pub fn name(&self) -> &'static str { stringify!($name) }
        }
    };
}
shapes! { Triangle 3; Square 5; }
fn check() { std::hint::black_box(1); }
#[test]
fn t() { assert_eq!(Square.sides(), 4); }
";
    let outcome = Project::package("shapes", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("5"), "{code}");
    for gone in ["macro_rules", "Triangle", "name", "check"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
}

#[test]
fn a_panic_that_is_come_to_through_other_functions_is_another_failure() {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        eprintln!("skipped: where panics come from is seen on Linux alone");
        return;
    }
    let lib = "pub struct Numbers { numbers: Vec<u32> }
impl Numbers {
    pub fn new(text: &str) -> Numbers {
        let mut numbers = Numbers { numbers: text.split(' ').filter_map(|word| word.parse().ok()).collect() };
        numbers.first();
        numbers
    }
    fn at(&mut self, at: usize) -> u32 { assert!(at < self.numbers.len(), \"no such number\"); self.numbers[at] }
    pub fn first(&mut self) -> u32 { self.at(0) }
    pub fn behind(&mut self, number: u32) -> u32 {
        let known = self.numbers.iter().position(|known| *known == number);
        self.at(known.unwrap_or(0) + 1)
    }
}
";
    let test = "#[test]
fn behind() {
    let mut numbers = numbers::Numbers::new(\"1 2 3\");
    assert_eq!(numbers.behind(1), 2);
    assert_eq!(numbers.behind(3), 3);
}
";
    let code = |matching: &str| {
        let project = Project::package("numbers", lib);
        project.write("tests/behind.rs", test);
        // What the failure turns on would stay in both.
        let reduction = project.reduce(["--test", "behind", "--guards=none", matching]);
        reduction.run().ok().code_text()
    };
    // Besides the test, which is called so, too: as a method, or as a function of the numbers.
    let is_behind = |code: &str| {
        ["fn behind(&", "fn numbers_behind("]
            .iter()
            .any(|it| code.contains(it))
    };
    let same = code("--match=location");
    assert!(is_behind(&same), "{same}");
    assert!(!same.contains("first"), "{same}");
    // The message alone is had for less.
    let alike = code("--match=message");
    assert!(!is_behind(&alike), "{alike}");
}

#[test]
fn of_what_a_macro_asserts_in_a_test_one_assertion_is_left() {
    let lib = "macro_rules! next { ($($ty:ident $by:expr;)*) => { $(
    pub mod $ty { pub fn next(n: $ty) -> $ty { n + $by } }
)* } }
next! { u8 1; u16 1; u32 2; u64 1; }
";
    let test = "macro_rules! assert_next { ($n:ident: $($ty:ident)*) => { $(
    assert_eq!(steps::$ty::next($n as $ty), $n as $ty + 1);
)* } }
macro_rules! cases { ($($name:ident $n:expr;)*) => { $(
    #[test]
    fn $name() { let n = $n; assert_next!(n: u8 u16 u32 u64); }
)* } }
cases! { three 3; four 4; }
";
    let project = Project::package("steps", lib);
    project.write("tests/next.rs", test);
    let outcome = project
        .reduce(["--test", "next", "four", "--guards=none"])
        .run()
        .ok();
    let code = outcome.code_text();
    // Only one of the types is passed by 2.
    assert!(code.contains("+ 2"), "{code}");
    assert_eq!(code.matches("assert").count(), 1, "{code}");
    for gone in ["macro_rules", "three", "u8", "u16", "u64"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
}

#[test]
fn calls_that_make_other_tests_go_in_the_sweep() {
    let lib = "pub struct Pair { pub one: u32, pub other: u32 }
impl Pair { pub fn sum(&self) -> u32 { self.one + self.other * 2 } }
#[cfg(test)]
mod tests {
    use super::*;
    const ZERO: u32 = 0;
    const UNIT: u32 = 1;
    macro_rules! sums {
        ($name:ident, $one:expr, $other:expr, $sum:expr) => { sums!($name, $one, $other, $sum, ZERO); };
        ($name:ident, $one:expr, $other:expr, $sum:expr, $more:expr) => {
            #[test]
            fn $name() { assert_eq!(Pair { one: $one, other: $other }.sum() + $more, $sum); }
        };
    }
"
    .to_string();
    let other = |at: usize| format!("    sums!(no{at}, {at}, 0, {}, UNIT);\n", at + 1);
    let others: String = (0..30).map(other).collect();
    let lib = format!("{lib}{others}    sums!(pairs, 2, 3, 5);\n}}\n");
    let outcome = Project::package("sums", &lib)
        .reduce(["--lib", "pairs", "--guards=none", "--passes=sweep,solve"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("pairs"), "{code}");
    assert_eq!(code.matches("sums!(").count(), 2, "{code}");
}

#[test]
fn lines_that_a_message_names_may_move() {
    let lib = "pub fn unused(n: u32) -> u32 {
    if n > 9 {
        return n;
    }
    n + 1
}
pub fn checked(n: u32) -> Result<u32, String> {
    if n % 2 == 0 {
        return Ok(n);
    }
    Err(format!(\"{n} is odd at {}:{}\", file!(), line!()))
}
";
    let test = "fn helper() -> u32 {
    odd::unused(3)
}

#[test]
fn t() {
    odd::checked(3).unwrap();
}
#[test]
fn other() {
    assert_eq!(helper(), 4);
}
";
    let project = Project::package("odd", lib);
    project.write("tests/odd.rs", test);
    let arguments = [
        "--test",
        "odd",
        "t",
        "--guards=none",
        "--passes=sweep,solve",
    ];
    let outcome = project.reduce(arguments).run().ok();
    let code = outcome.code_text();
    for gone in ["unused", "helper", "other"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    assert!(outcome.stderr.contains("odd at"), "{}", outcome.stderr);
}

#[test]
fn functions_that_are_called_once_are_where_they_are_called() {
    let lib = "pub struct Cart { items: Vec<u32> }
impl Cart {
    pub fn total(&self) -> u32 { self.reduced(self.whole()) }
    fn whole(&self) -> u32 { self.items.iter().sum() }
    fn reduced(&self, all: u32) -> u32 { discounted(all) }
}
fn discounted(total: u32) -> u32 { let discount = total / std::hint::black_box(0); total - discount }
#[test]
fn t() { assert_eq!(Cart { items: vec![9] }.total(), 8); }
";
    let outcome = Project::package("cart", lib)
        .reduce(["--lib", "t", "--match=message"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("/ "), "{code}");
    assert!(!code.contains("whole()"), "{code}");
    // It fails in the one, and the other just hands on what it is given.
    assert!(code.contains("discounted"), "{code}");
    assert!(!code.contains("reduced"), "{code}");
}

#[test]
fn rows_of_tables_that_nothing_looks_at_go() {
    let rows: Vec<String> = (0..600).map(|at| format!("({at}, {})", at % 7)).collect();
    let words = "many words, and no end of them; ".repeat(50);
    let lib = format!(
        "static KINDS: [(u16, u8); 600] = [{}];
static WORDS: &str = \"{words}\";
pub fn kind(of: u16) -> usize {{
    let at = KINDS.binary_search_by_key(&of, |row| row.0).expect(\"a row\");
    WORDS.len() / 10_000 + 100 / usize::from(KINDS[at].1)
}}
#[test]
fn t() {{ assert_eq!(kind(512) + kind(14), 100); }}
",
        rows.join(", ")
    );
    let outcome = Project::package("kinds", &lib)
        .reduce(["--lib", "t", "--passes=sweep,tables"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("static KINDS: &[(u16, u8)]"), "{code}");
    assert!(code.contains("(14, 0)"), "{code}");
    assert!(code.matches(", ").count() < 30, "{code}");
    assert!(!code.contains("many"), "{code}");
}

#[test]
fn what_lints_name_goes_though_one_of_it_is_missed_elsewhere() {
    // Nobody reads what is in a `Kept`, but it is called to make one: the error is about its definition and stands at the call.
    let types: String = (0..20)
        .map(|at| {
            format!(
                "struct S{at} {{ used: usize, idle: usize }}
fn f{at}(n: usize) -> usize {{ let s = S{at} {{ used: n, idle: n + {at} }}; s.used }}\n"
            )
        })
        .collect();
    let calls: Vec<String> = (0..20).map(|at| format!("f{at}(0)")).collect();
    let lib = format!(
        "struct Kept(usize);
fn made(n: usize) -> Option<Kept> {{ Some(n).map(Kept) }}
{types}
#[test]
fn t() {{
    let list = [1, 2, 3];
    let at = made(1).map_or(0, |_| 3);
    assert!(list[at + {}] > 0);
}}",
        calls.join(" + ")
    );
    let outcome = Project::package("plain", &lib)
        .reduce(["--lib", "t", "--passes=sweep,unused"])
        .run()
        .ok();
    let text = outcome.code_text();
    assert!(text.contains("map(Kept)"), "{text}");
    assert!(!text.contains("idle"), "{text}");
    let trials = outcome.number("trials");
    assert!(trials <= 4, "{trials} trials");
}

#[test]
fn what_is_handed_on_and_on_goes_in_one_trial() {
    let steps: String = (0..12)
        .map(|at| {
            let next = at + 1;
            format!("fn f{at}(n: usize, idle: usize) -> usize {{ f{next}(n + 1, idle) }}\n")
        })
        .collect();
    let lib = format!(
        "{steps}fn f12(n: usize, idle: usize) -> usize {{ n }}
#[test]
fn t() {{ let list = [1, 2, 3]; assert!(list[f0(3, 4)] > 0); }}"
    );
    let outcome = Project::package("plain", &lib)
        .reduce(["--lib", "t", "--passes=sweep,unused"])
        .run()
        .ok();
    let text = outcome.code_text();
    assert!(text.contains("f12") && !text.contains("idle"), "{text}");
    let trials = outcome.number("trials");
    assert!(trials <= 4, "{trials} trials");
}

#[test]
fn what_is_always_there_is_not_asked_for() {
    let lib = "struct Wrong;
struct Worse;
impl From<Wrong> for Worse { fn from(_: Wrong) -> Worse { Worse } }
fn first(n: usize) -> Result<usize, Wrong> { Ok(n + 1) }
fn second(n: usize) -> Result<usize, Worse> { let m = first(n)?; match first(m) { Ok(m) => Ok(m + 1), Err(_) => Err(Worse) } }
fn third(n: usize) -> Option<usize> { if n > 100 { return None; } let m = second(n).ok()?; Some(m) }
#[test]
fn t() {
    let list = [1, 2, 3];
    assert!(list[third(0).unwrap()] > 0);
}
";
    let outcome = Project::package("plain", lib)
        .reduce(["--lib", "t", "--passes=sweep,solve,unused,certain-values"])
        .run()
        .ok();
    let code = outcome.code_text();
    for gone in ["Result", "Option", "Ok(", "Some(", "unwrap"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    assert!(code.contains("first(n)"), "{code}");
}

#[test]
fn who_is_asked_in_a_file_that_stays_is_alone_in_that() {
    let project = Project::package(
        "plain",
        "mod kept;
fn asked() -> Option<usize> { Some(1) }
fn first(n: usize) -> Result<usize, String> { Ok(n + 1) }
fn second(n: usize) -> Result<usize, String> { Ok(first(n)? + 1) }
#[test]
fn t() {
    let list = [1, 2, 3];
    assert!(list[kept::sum() + second(3).unwrap()] > 0);
}
",
    );
    project.write(
        "src/kept.rs",
        "use super::asked;
fn sure(n: Option<usize>) -> usize { n.unwrap() }
pub fn sum() -> usize { sure(asked()) + sure(asked()) + sure(asked()) }
",
    );
    let outcome = project
        .reduce(["--lib", "t", "--passes=certain-values"])
        .args(["--keep", "src/kept.rs"])
        .run()
        .ok();
    let code = outcome.code_text();
    assert!(code.contains("asked() -> Option"), "{code}");
    assert!(!code.contains("Result"), "{code}");
}

#[test]
fn a_method_that_a_file_that_stays_calls_stays() {
    let project = Project::package(
        "plain",
        "mod kept;
pub struct Two(usize, u8);
impl Two { pub fn n(&self) -> usize { self.0 } }
struct One(u8);
impl One { fn n(&self) -> usize { self.0 as usize } }
#[test]
fn t() {
    let list = [1, 2, 3];
    assert!(list[kept::sum(Two(5, 1)) + One(3).n()] > 0);
}
",
    );
    let kept = "pub fn sum(two: super::Two) -> usize { two.n() }\n";
    project.write("src/kept.rs", kept);
    let outcome = project
        .reduce(["--lib", "t", "--passes=inline-small-methods"])
        .args(["--keep", "src/kept.rs"])
        .run()
        .ok();
    let read = std::fs::read_to_string(outcome.reduced().join("src/kept.rs"));
    assert_eq!(read.expect("it is there"), kept);
    let code = outcome.code_text();
    assert_eq!(code.matches("fn n").count(), 1, "{code}");
}

#[test]
fn small_methods_whose_names_others_have_go_together() {
    let methods: String = ["a", "b", "c", "d", "e", "f"]
        .map(|name| {
            format!(
                "impl One {{ fn {name}(&self) -> usize {{ self.0 }} }}
impl Two {{ fn {name}(&self) -> usize {{ self.1 as usize }} }}
"
            )
        })
        .concat();
    let lib = format!(
        "struct One(usize);
struct Two(u8, u8);
{methods}#[test]
fn t() {{
    let (list, one, two) = ([1, 2, 3], One(3), Two(1, 2));
    let sum = one.a() + one.b() + one.c() + one.d() + one.e() + one.f();
    assert!(list[sum + two.a() + two.b() + two.c() + two.d() + two.e() + two.f()] > 0);
}}
"
    );
    let outcome = Project::package("plain", &lib)
        .reduce([
            "--lib",
            "t",
            "--passes=inline-small-functions,inline-small-methods",
        ])
        .run()
        .ok();
    let code = outcome.code_text();
    assert_eq!(code.matches("fn").count(), 1, "{code}");
    let trials = outcome.number("trials");
    assert!(trials <= 8, "{trials} trials");
}

#[test]
fn functions_of_one_expression_and_structs_of_one_field_are_said_in_place() {
    let lib = "type Places = Vec<Place>;
#[derive(Clone, Copy)]
struct Place(usize);
impl Place {
    fn new(at: usize) -> Self { Place(at) }
    fn index(self) -> usize { self.0 }
}
impl From<usize> for Place { fn from(at: usize) -> Place { Place(at) } }
struct Pair(usize, Place);
impl Pair { fn second(&self) -> Place { self.1 } }
fn pairs(places: &Places) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for place in places { pairs.push(Pair(place.index() + 1, Place::new(place.index() * 2))); }
    pairs
}
#[test]
fn t() {
    let places: Places = [1usize, 2, 3].map(Place::from).to_vec();
    let list = [1, 2, 3];
    for pair in pairs(&places) { assert!(list[pair.second().index()] > pair.0); }
}
";
    let passes = "--passes=inline-small-functions,unwrap-newtypes,inline-aliases";
    let outcome = Project::package("plain", lib)
        .reduce(["--lib", "t", passes, "--guards", "none"])
        .run()
        .ok();
    let code = outcome.code_text();
    for gone in [
        "Place(",
        "struct Place",
        "Places",
        "second",
        "index",
        "fn new",
    ] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    assert!(code.contains("list[pair.1]"), "{code}");
}

#[test]
fn what_errors_tell_of_methods_and_options_is_said_in_fewer_words() {
    let lib = "struct Near { at: usize, last: Option<usize> }
impl Near { fn place(&self) -> usize { self.at } }
impl Clone for Near { fn clone(&self) -> Near { Near { at: self.at, last: self.last } } }
struct Far(usize, usize);
impl Far { fn place(&self) -> usize { self.1 } }
fn reach(near: &Near, far: &Far) -> usize {
    if let Some(last) = near.last { last + near.place() + far.place() } else { 0 }
}
#[test]
fn t() {
    let near = Near { at: 1, last: Some(2) };
    let list = [1, 2, 3];
    assert!(list[reach(&near.clone(), &Far(0, 4))] > 0);
}
";
    // Once one of a name has gone, names tell which calls are of the other one.
    let passes =
        "--passes=inline-small-functions,inline-small-methods,certain-options,impls-to-derives";
    let outcome = Project::package("plain", lib)
        .reduce(["--lib", "t", passes, "--guards", "none"])
        .run()
        .ok();
    let code = outcome.code_text();
    for gone in ["fn place", "Option", "Some(", "impl Clone"] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    for there in ["near.at", "far.1", "derive(Clone)"] {
        assert!(code.contains(there), "{there}: {code}");
    }
}

#[test]
fn what_is_said_twice_and_what_bounds_can_say_is_said_in_fewer_words() {
    let lib = "struct Pair { low: usize, high: usize }
trait Weighted { type Id; fn parts(self) -> (Self::Id, usize); }
impl<T> Weighted for (T, usize) { type Id = T; fn parts(self) -> (T, usize) { self } }
fn total<I: IntoIterator>(all: I, start: usize) -> usize
where I::Item: Weighted, <I::Item as Weighted>::Id: Into<usize> {
    let mut sum = start;
    for one in all { let (id, n) = one.parts(); sum += id.into() + n; }
    sum
}
fn reach(n: usize) -> usize {
    let twice = |x: usize| x * 2;
    let m = n;
    Some(Pair { low: m, high: 1 }.low).unwrap() + twice(n)
}
#[test]
fn t() {
    let list = [1, 2, 3];
    let up = 1;
    assert!(list[total([1usize, 2].iter().map(|x| (*x + up, 3)), 0) + reach(up)] > 0);
}
";
    let passes = "--passes=taken-apart,other-names,constant-parameters,concrete-types,inline-small-functions";
    let outcome = Project::package("plain", lib)
        .reduce(["--lib", "t", passes, "--guards", "none"])
        .run()
        .ok();
    let code = outcome.code_text();
    for gone in ["I::Item", ".parts()", "twice", "Some(", "start", "let m ="] {
        assert!(!code.contains(gone), "{gone}: {code}");
    }
    for there in ["Item = (usize, usize)", "let mut sum = 0"] {
        assert!(code.contains(there), "{there}: {code}");
    }
}

#[test]
fn a_panic_that_the_test_catches_is_not_its_failure() {
    let lib = "pub struct Slab { pub all: Vec<u32>, pub len: usize }
impl Slab {
    pub fn drain(&mut self, mut each: impl FnMut(u32)) {
        struct Guard<'a>(&'a mut Slab);
        impl Drop for Guard<'_> { fn drop(&mut self) { self.0.len += 1; } }
        while let Some(one) = self.all.pop() { let guard = Guard(self); each(one); guard.0.len -= 1; }
    }
}
#[test]
fn t() {
    let mut slab = Slab { all: vec![7, 8, 9], len: 3 };
    let seen = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        slab.drain(|one| if one == 8 { panic!(\"caught\") });
    }));
    assert!(seen.is_err());
    assert_eq!(slab.len, 2);
}
";
    let outcome = Project::package("slab", lib)
        .reduce(["--lib", "t"])
        .run()
        .ok();
    let signature = outcome.text("signature");
    assert!(
        signature.ends_with("assertion `left == right` failed"),
        "{signature}"
    );
    let code = outcome.code_text();
    for there in ["self.0.len += 1", "assert_eq!"] {
        assert!(code.contains(there), "{there}: {code}");
    }
}
