//! What guards against drift: the failure stays the same, and so does its reason.

mod support;

use support::{Outcome, Project, Reduction};

/// Enough passes to lose the bug where nothing guards it.
const PASSES: &str = "comments,sweep,solve,hoist-expressions";

const BUG: &str = "if worth > 60";

fn with<'p>(reduction: Reduction<'p>, more: &[&str]) -> Reduction<'p> {
    more.iter().fold(reduction, |all, one| all.arg(one))
}

/// What is left of a library and of the test in `tests/NAME.rs`, with `more` arguments.
fn reduced(name: &str, lib: &str, test: &str, more: &[&str]) -> Outcome {
    let project = Project::package(name, lib);
    project.write(&format!("tests/{name}.rs"), test);
    with(project.reduce(["--test", name]), more).run().ok()
}

fn clock(test: &str, more: &[&str]) -> (Project, Outcome) {
    let project = Project::copy_of("clock");
    let arguments = ["--test", "spans", test, "--passes", PASSES];
    let outcome = with(project.reduce(arguments), more).run();
    (project, outcome)
}

#[test]
fn without_guards_an_assertion_may_fail_for_another_reason() {
    let (_project, outcome) = clock("units_come_in_any_order", &["--guards", "none"]);
    let code = outcome.ok().code_text();
    assert!(
        !code.contains(BUG),
        "nothing drifts here, so nothing is guarded against: {code}"
    );
}

#[test]
fn other_tests_that_pass_keep_the_bug_in_an_assertion_that_fails() {
    let (project, outcome) = clock("units_come_in_any_order", &[]);
    let outcome = outcome.ok();
    let code = outcome.code_text();
    assert!(code.contains(BUG), "{code}");
    let said = outcome.stderr.clone();
    assert!(
        said.contains("guards that have to go on passing: `"),
        "{said}"
    );
    let guard = said
        .split("passing: `")
        .nth(1)
        .and_then(|rest| rest.split('`').next());
    let guard = guard.expect("its name is told");
    let (good, text) = project.cargo(&outcome.reduced(), &["test", "--test", "spans", guard]);
    assert!(good && text.contains("1 passed"), "{guard}: {text}");
}

#[test]
fn guards_are_found_where_warnings_are_denied() {
    let project = Project::copy_of("clock");
    for file in ["src/lib.rs", "tests/spans.rs"] {
        let text = std::fs::read_to_string(project.path().join(file)).expect("it is there");
        // What is said of the file itself comes first.
        let (said, text) = text.split_once("\n\n").expect("it begins with a comment");
        project.write(file, &format!("{said}\n#![deny(warnings)]\n\n{text}"));
    }
    let arguments = ["--test", "spans", "each_unit_counts", "--passes=comments"];
    let said = project.reduce(arguments).run().ok().stderr;
    assert!(said.contains("the assertions in lines"), "{said}");
}

#[test]
fn guards_are_looked_for_as_long_as_there_is_time() {
    let (_, outcome) = clock("each_unit_counts", &["--time-limit", "1ms"]);
    let said = outcome.ok().stderr;
    assert!(said.contains("no guards: the time was up"), "{said}");
    assert!(!said.contains("places ran"), "nor for what ran: {said}");
}

#[test]
fn earlier_assertions_of_the_test_itself_stay_as_they_are() {
    let (project, outcome) = clock("each_unit_counts", &[]);
    let outcome = outcome.ok();
    let code = outcome.code_text();
    assert!(code.contains(BUG), "{code}");
    assert!(
        code.contains(r#"assert_eq!(minutes("2d 5m"), 2885);"#),
        "{code}"
    );
    // One that goes through other code is none.
    let said = &outcome.stderr;
    let source =
        std::fs::read_to_string(project.path().join("tests/spans.rs")).expect("it is there");
    let line = |text: &str| {
        let at = source.lines().position(|line| line.contains(text));
        (at.expect("it is there") + 1).to_string()
    };
    let lines = said
        .split("in lines ")
        .nth(1)
        .and_then(|rest| rest.split(" of").next());
    let lines: Vec<&str> = lines.expect("they are told").split(", ").collect();
    assert!(lines.contains(&&*line("\"2d 5m\"")), "{lines:?}");
    assert!(!lines.contains(&&*line("1:30")), "{lines:?}");
}

/// Half of `n`, rounded up; wrong for 3.
const HALVES: &str = "pub fn half_up(n: u32) -> u32 {
    #![allow(clippy::manual_div_ceil)]
    let half = n / 2;
    if n % 2 == 1 && n > 3 { half + 1 } else { half }
}
";

/// `HALVES` with the test `rounds_up`, which is `text`, reduced.
fn rounds_up(text: &str, more: &[&str]) -> Outcome {
    let project = Project::package("halves", HALVES);
    project.write("tests/rounding.rs", text);
    let reduction = project.reduce(["--test", "rounding", "rounds_up"]);
    with(reduction, more).run().ok()
}

/// Sees that `outcome` says that it is guarded by `guard`, and has all of `kept`.
fn is_guarded(outcome: &Outcome, guard: &str, kept: &[&str]) {
    let (said, code) = (&outcome.stderr, outcome.code_text());
    assert!(
        said.contains(&format!("{guard} of the test itself")),
        "{said}"
    );
    assert!(
        !said.contains("does not compile with probes"),
        "an attribute may stand first in a body: {said}"
    );
    for kept in kept {
        assert!(code.contains(kept), "{code}");
    }
}

#[test]
fn calls_of_what_asserts_for_the_test_guard_it_too() {
    let test = "fn same(a: u32, b: u32) {
    assert_eq!(a, b);
}
fn check(n: u32, up: u32) {
    same(halves::half_up(n), up);
    same(halves::half_up(2 * n), n);
}
#[test]
fn rounds_up() {
    check(5, 3);
    check(3, 2);
}
";
    // What calls the assertion stays, the one that panics does so anyway.
    let kept = ["same(halves::half_up(2 * n), n);", "check(5, 3);", "n > 3"];
    let outcome = rounds_up(test, &["--passes", PASSES]);
    is_guarded(&outcome, "the assertion in line 10", &kept);
}

#[test]
fn what_an_assertion_looks_at_stays_with_it() {
    let test = "#[test]
fn rounds_up() {
    let a = halves::half_up(5);
    assert_eq!(a, 3);
    let b = halves::half_up(3);
    assert_eq!(b, 2);
}
";
    let kept = ["let a = halves::half_up(5);", "assert_eq!(a, 3);", "n > 3"];
    let outcome = rounds_up(test, &["--passes", PASSES]);
    is_guarded(&outcome, "the assertion in line 4", &kept);
}

/// As much of a text as there is room for, where a quote takes the room of two; wrong where the last of it is as wide as what is left.
const QUOTED: &str = "pub fn quoted(text: &str, mut room: usize) -> (bool, usize) {
    let mut read = none();
    for letter in letters(text) {
        let wide = wide(letter);
        if wide >= room {
            return given(false, read);
        }
        room -= wide;
        read += 1;
    }
    given(true, read)
}
fn none() -> usize { 0 }
fn letters(text: &str) -> Vec<char> { text.chars().collect() }
fn wide(letter: char) -> usize { if is_quote(letter) { 2 } else { 1 } }
fn is_quote(letter: char) -> bool { letter == '\"' }
fn given(all: bool, read: usize) -> (bool, usize) { (all, read) }
";

#[test]
fn a_single_assertion_that_goes_the_way_that_fails_is_not_enough() {
    let test = "macro_rules! quoted {
    ($text:expr, $room:expr, $fits:expr, $read:expr) => {{
        let (fits, read) = text::quoted($text, $room);
        assert_eq!($fits, fits);
        assert_eq!($read, read);
    }};
}
#[test]
fn in_parts() {
    let text = \"\\\"\";
    quoted!(text, 1, false, 0);
    quoted!(text, 2, true, 1);
}
#[test]
fn in_one() {
    let text = \"a \\\"b\\\"\";
    quoted!(text, 80, true, 5);
}
";
    let reduce = |more: &[&str]| {
        let project = Project::package("text", QUOTED);
        project.write("tests/quoting.rs", test);
        let reduction = project.reduce(["--test", "quoting", "in_parts"]);
        with(reduction, more).run().ok()
    };
    let outcome = reduce(&[]);
    let said = &outcome.stderr;
    assert!(said.contains("passing: `in_one`, the assertion"), "{said}");
    let code = outcome.code_text();
    assert!(code.contains(">= room"), "{code}");
    let code = reduce(&["--guards", "none"]).code_text();
    assert!(
        !code.contains(">= room"),
        "nothing is guarded against: {code}"
    );
}

#[test]
fn cases_that_pass_guard_the_one_that_fails() {
    let test = "#[test]
fn rounds_up() {
    let cases = [
        (5, 3), (4, 2),
        (3, 2), (1, 1),
    ];
    for (n, up) in cases {
        assert_eq!(halves::half_up(n), up);
    }
}
";
    let outcome = rounds_up(test, &[]);
    is_guarded(
        &outcome,
        "the cases in line 4",
        &["(5, 3)", "(4, 2)", "n > 3"],
    );
    let code = outcome.code_text();
    assert!(!code.contains("(1, 1)"), "nobody comes to it: {code}");
    let code = rounds_up(test, &["--guards", "none"]).code_text();
    assert!(
        !code.contains("(5, 3)"),
        "nothing is guarded against: {code}"
    );
}

#[test]
fn inputs_near_the_failing_one_guard_it() {
    let test = "#[test]
fn rounds_up() {
    assert_eq!(2, halves::half_up(3));
}
";
    let outcome = rounds_up(test, &[]);
    let said = &outcome.stderr;
    assert!(
        said.contains("passing: what `halves::half_up(4)`, `halves::half_up(5)`"),
        "{said}"
    );
    let code = outcome.code_text();
    for kept in ["n > 3", r#"assert_eq!(format!("{:?}", half_up(5)), "3");"#] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
    let code = rounds_up(test, &["--guards", "none"]).code_text();
    assert!(
        !code.contains("n > 3"),
        "nothing is guarded against: {code}"
    );
}

#[test]
fn cases_that_come_after_the_failing_one_guard_it() {
    let test = "#[test]
fn rounds_up() {
    let cases = [(3, 2), (4, 2), (5, 3)];
    for &(n, half) in &cases {
        assert_eq!(halves::half_up(n), half);
    }
}
";
    let outcome = rounds_up(test, &[]);
    let said = &outcome.stderr;
    let guards =
        "what `for &(n, half) in &[(4, 2)] halves::half_up(n)`, `for &(n, half) in &[(5, 3)] ";
    assert!(said.contains(guards), "{said}");
    let code = outcome.code_text();
    for kept in ["n > 3", "in &[(5, 3)]", "(3, 2)"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
    let code = rounds_up(test, &["--guards", "none"]).code_text();
    assert!(
        !code.contains("n > 3"),
        "nothing is guarded against: {code}"
    );
}

#[test]
fn cases_that_are_unwrapped_guard_the_one_that_is_not() {
    let test = "#[test]
fn rounds_up() {
    for (n, half) in [(5, 3), (3, 2), (4, 1)] {
        halves::half_up(n).checked_sub(half).unwrap();
    }
}
";
    let outcome = rounds_up(test, &[]);
    let said = &outcome.stderr;
    let first = "what `for (n, half) in [(5, 3)] halves::half_up(n).checked_sub(half)` gives now";
    assert!(said.contains(first), "{said}");
    let code = outcome.code_text();
    for kept in ["n > 3", "(3, 2)"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
    let code = rounds_up(test, &["--guards", "none"]).code_text();
    assert!(
        !code.contains("n > 3"),
        "nothing is guarded against: {code}"
    );
}

#[test]
fn inputs_that_do_not_compile_are_left_out() {
    let test = "#[test]
fn rounds_up() {
    assert_eq!(halves::half_up(3) + u32::from(255u8) - 255, 2);
}
";
    let said = rounds_up(test, &["--passes=comments"]).stderr;
    assert!(said.contains("what `halves::half_up(4) + "), "{said}");
}

#[test]
fn what_is_asserted_of_neighbours_already_is_not_asserted_again() {
    let test = "#[test]
fn rounds_up() {
    assert_eq!(
        format!(\"{:?}\", halves::half_up(4)),
        \"2\",
    );
    assert_eq!(format!(\"{:?}\", halves::half_up(5)), \"3\");
    assert_eq!(halves::half_up(3), 2);
}
";
    let said = rounds_up(test, &["--passes=comments"]).stderr;
    let guards =
        "the assertions in lines 3, 7 of the test itself; what `halves::half_up(1)` gives now";
    assert!(said.contains(guards), "{said}");
}

#[test]
fn inputs_that_are_said_ahead_have_neighbours_too() {
    let test = "#[test]
fn rounds_up() {
    let n = 1;
    let all = [7, n + 2].map(halves::half_up);
    let more: Vec<u32> = all.iter().skip(1).copied().collect();
    assert!(more == [2], \"{n}\");
}
";
    let outcome = rounds_up(test, &["--passes", PASSES]);
    let code = outcome.code_text();
    let kept = "assert_eq!(format!(\"{:?}\", more), \"[3]\");";
    for kept in ["[7, n + 4].map", "[7, n + 2].map", kept, "n > 3"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
}

#[test]
fn what_should_have_had_something_in_it_has_neighbours() {
    let lib = "pub fn digit(text: &str) -> Result<u32, String> {
    if text.len() > 1 { return Err(format!(\"{text} is long\")); }
    match text.chars().next() {
        Some(c) if c.is_ascii_digit() && c > '0' => Ok(c as u32 - 48),
        Some(c) => Err(format!(\"{c} is none\")),
        None => Err(String::new()),
    }
}
";
    let test =
        "#[test]\nfn reads() { let text = \"0\"; assert_eq!(digits::digit(text).unwrap(), 0); }\n";
    let code = |guards: &str| {
        let project = Project::package("digits", lib);
        project.write("tests/reading.rs", test);
        let reduction = project.reduce(["--test", "reading", "--guards", guards]);
        reduction.run().ok().code_text()
    };
    let automatic = code("auto");
    for kept in ["c > '0'", r#""Ok(1)""#, "let text = \"0\";"] {
        assert!(automatic.contains(kept), "{kept}: {automatic}");
    }
    let none = code("none");
    assert!(
        !none.contains("c > '0'"),
        "nothing is guarded against: {none}"
    );
}

#[test]
fn what_changes_when_it_is_asked_for_has_no_neighbours() {
    let test = "#[test]
fn rounds_up() {
    let mut next = 0;
    let mut half = |step: u32| { next += step; halves::half_up(next) };
    assert_eq!(half(3), 2);
}
";
    let said = rounds_up(test, &["--passes=comments"]).stderr;
    assert!(said.contains("no guards: nothing else"), "{said}");
}

#[test]
fn what_is_done_to_what_the_assertion_looks_at_stays() {
    let lib = "pub struct Count(u32);
impl Count {
    pub fn new() -> Count { Count(0) }
    pub fn add(&mut self, n: u32) { if n > 3 { self.0 += n } }
    pub fn get(&self) -> u32 { self.0 }
}
";
    let test = "#[test]
fn counts() {
    let mut count = count::Count::new();
    count.add(3);
    assert_eq!(count.get(), 3);
}
";
    let code = |guards: &str| {
        let project = Project::package("count", lib);
        project.write("tests/counting.rs", test);
        let reduction = project.reduce(["--test", "counting", "--guards", guards]);
        reduction.run().ok().code_text()
    };
    let automatic = code("auto");
    assert!(automatic.contains("count.add("), "{automatic}");
    let none = code("none");
    assert!(!none.contains("count.add("), "it counts nothing: {none}");
}

#[test]
fn tests_that_macros_make_are_guards_too() {
    let test = "macro_rules! halves {
    ($name:ident, $n:expr, $half:expr) => {
        #[test]
        fn $name() { assert_eq!(halves::half_up($n), $half); }
    };
}
halves!(of_five, 5, 3);
halves!(of_three, 3, 2);
";
    let project = Project::package("halves", HALVES);
    project.write("tests/rounding.rs", test);
    let outcome = project
        .reduce(["--test", "rounding", "of_three"])
        .run()
        .ok();
    let said = &outcome.stderr;
    assert!(said.contains("go on passing: `of_five`"), "{said}");
    let code = outcome.code_text();
    for kept in ["halves!(of_five, 5, 3);", "n > 3"] {
        assert!(code.contains(kept), "{kept}: {code}");
    }
}

#[test]
fn what_is_put_in_is_asked_for_by_the_same_name() {
    let lib = "pub struct Names(Vec<String>);\nimpl Names {\n    pub fn of(names: &[&str]) -> Names {\n        \
               assert!(names.iter().all(|name| !name.is_empty()));\n        Names(names.iter().map(|name| \
               name.to_string()).collect())\n    }\n    pub fn find(&self, name: &str) -> Option<usize> {\n        \
               self.0.iter().skip(1).position(|own| own == name)\n    }\n}\n";
    let test = "#[test]\nfn finds() {\n    let names = names::Names::of(&[\"first one\"]);\n    \
                assert_eq!(names.find(\"first one\"), Some(0));\n}\n";
    let project = Project::package("names", lib);
    project.write("tests/finding.rs", test);
    let arguments = ["--test", "finding", "finds", "--passes", "inputs"];
    let code = project.reduce(arguments).run().ok().code_text();
    let behind = |call: &str| {
        let rest = code.split(call).nth(1);
        rest.and_then(|rest| rest.split('"').nth(1))
    };
    let (put_in, asked_for) = (behind("::of("), behind(".find("));
    assert!(put_in.is_some() && put_in == asked_for, "{code}");
    assert!(!code.contains("first one"), "nothing got shorter: {code}");
}

#[test]
fn a_named_guard_stays_as_it_is_and_goes_on_passing() {
    let (project, outcome) = clock(
        "units_come_in_any_order",
        &["--guards", "none", "--guard", "mistakes_are_told"],
    );
    let outcome = outcome.ok();
    let code = outcome.code_text();
    for kept in [
        "Err(BadSpan::UnknownUnit('x'))",
        "Err(BadSpan::NoNumber('h'))",
    ] {
        assert!(code.contains(kept), "{code}");
    }
    let arguments = ["test", "--test", "spans", "mistakes_are_told"];
    let (good, text) = project.cargo(&outcome.reduced(), &arguments);
    assert!(good && text.contains("1 passed"), "{text}");
}

#[test]
fn a_guard_that_is_not_there_or_fails_is_refused() {
    let (_project, outcome) = clock("units_come_in_any_order", &["--guard", "mistakes_are_tld"]);
    let said = outcome.ended_with(1).stderr;
    assert!(said.contains("did you mean `mistakes_are_told`?"), "{said}");
    let (_project, outcome) = clock("units_come_in_any_order", &["--guard", "each_unit_counts"]);
    let said = outcome.ended_with(3).stderr;
    assert!(
        said.contains("the guard `each_unit_counts` has to pass"),
        "{said}"
    );
}

#[test]
fn a_panic_in_the_code_under_test_needs_no_guard() {
    let project = Project::copy_of("inventory");
    let arguments = [
        "--test",
        "restock",
        "what_went_off_is_reordered",
        "--passes",
        "comments",
    ];
    let said = project.reduce(arguments).run().ok().stderr;
    assert!(
        !said.contains("Choosing") && !said.contains("note: "),
        "{said}"
    );
}

/// `clock` against its mended version.
fn against_mended(good: impl AsRef<std::ffi::OsStr>, project: &Project) -> Outcome {
    let arguments = [
        "--test",
        "spans",
        "units_come_in_any_order",
        "--passes",
        PASSES,
    ];
    let reduction = project.reduce(arguments).arg("--good").arg(good);
    reduction.run()
}

#[test]
fn two_versions_are_reduced_together_to_the_regression() {
    let project = Project::copy_of("clock");
    let mended = Project::copy_of("clock-mended");
    let outcome = against_mended(mended.path(), &project).ok();
    let code = outcome.code_text();
    assert!(code.contains(BUG), "{code}");
    let good = outcome.output.join("good");
    let test = ["test", "--test", "spans", "units_come_in_any_order"];
    let (passes, text) = project.cargo(&good, &test);
    assert!(passes && text.contains("1 passed"), "{text}");
    let (passes, text) = project.cargo(&outcome.reduced(), &test);
    assert!(!passes && text.contains("right: 1500"), "{text}");
    let patch = std::fs::read_to_string(outcome.output.join("regression.patch")).expect("a patch");
    assert!(
        patch.starts_with("--- good/src/lib.rs\n+++ reduced/src/lib.rs\n"),
        "{patch}"
    );
    assert!(patch.contains("\n+    if worth > 60 {\n"), "{patch}");
    for unrelated in ["other.minutes + self.minutes", "round"] {
        assert!(!patch.contains(unrelated), "{patch}");
    }
}

#[test]
fn a_version_that_is_not_there_or_fails_too_is_refused() {
    let project = Project::copy_of("clock");
    let same = Project::copy_of("clock");
    let said = against_mended(same.path(), &project).ended_with(1).stderr;
    assert!(said.contains("its sources are the same"), "{said}");
    let said = against_mended("no-such-revision", &project)
        .ended_with(1)
        .stderr;
    assert!(said.contains("`no-such-revision` is no version"), "{said}");
    same.replace("src/lib.rs", "return number * worth", "return 7");
    let said = against_mended(same.path(), &project).ended_with(3).stderr;
    assert!(
        said.contains("has to pass before anything is removed"),
        "{said}"
    );
}

#[test]
fn a_revision_of_the_repository_is_a_version_too() {
    let project = Project::copy_of("clock");
    let git = |arguments: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@b"]);
        let done = git.args(arguments).current_dir(project.path()).output();
        assert!(done.expect("git runs").status.success(), "{arguments:?}");
    };
    let buggy = std::fs::read_to_string(project.path().join("src/lib.rs")).expect("it is there");
    project.replace("src/lib.rs", "if worth > 60", "if worth > 60_000");
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "mended"]);
    project.write("src/lib.rs", &buggy);
    let outcome = against_mended("HEAD", &project).ok();
    let patch = std::fs::read_to_string(outcome.output.join("regression.patch")).expect("a patch");
    assert!(
        patch.contains("-    if worth > 60_000 {\n+    if worth > 60 {\n"),
        "{patch}"
    );
}

#[test]
fn the_test_alone_is_reduced_and_the_library_stays_as_it_is() {
    let project = Project::copy_of("clock");
    let arguments = ["--test", "spans", "each_unit_counts", "--scope", "test"];
    let passes = [
        "--passes",
        "comments,sweep,solve,statements",
        "--guards",
        "none",
    ];
    let outcome = project.reduce(arguments).args(passes).run().ok();
    let read = |root: &std::path::Path, name: &str| std::fs::read_to_string(root.join(name));
    for name in ["src/lib.rs", "src/scan.rs", "src/print.rs"] {
        let (before, after) = (read(project.path(), name), read(&outcome.reduced(), name));
        assert_eq!(before.expect("it is there"), after.expect(name), "{name}");
    }
    let test = read(&outcome.reduced(), "tests/spans.rs").expect("the test is there");
    assert!(
        test.contains(r#"minutes("5m 2d")"#) && !test.contains("spans_are_printed"),
        "{test}"
    );
}

#[test]
fn a_unit_test_alone_is_reduced_within_its_file() {
    let lib = "//! Kept.\npub fn two() -> u8 { let unused = 5; 3 }\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn \
               t() {\n        let gone = 7;\n        assert_eq!(super::two(), 2);\n    }\n    fn helper() {}\n}\n";
    let project = Project::package("units", lib);
    let arguments = ["--lib", "tests::t", "--scope", "test", "--guards", "none"];
    let passes = ["--passes", "comments,sweep,solve,statements"];
    let code = project
        .reduce(arguments)
        .args(passes)
        .run()
        .ok()
        .code_text();
    assert!(
        code.contains("//! Kept.") && code.contains("let unused = 5;"),
        "{code}"
    );
    assert!(
        !code.contains("let gone") && !code.contains("helper"),
        "{code}"
    );
}

#[test]
fn what_decides_that_a_branch_is_never_entered_stays() {
    let lib = "pub fn size(n: u32) -> &'static str {
    let mut found = \"small\";
    for limit in [10, 100] {
        if n > limit && is_even(limit / 5) && n < limit {
            found = \"large\";
        }
        if limit == 7 { unreachable!() }
    }
    found
}
fn is_even(n: u32) -> bool { n % 2 == 0 }
";
    let test = "#[test]
fn sizes() {
    assert_eq!(sizes::size(3), \"small\");
    assert_eq!(sizes::size(200), \"large\");
}
";
    let reduced = |more: &[&str]| reduced("sizes", lib, test, more);
    let outcome = reduced(&[]);
    outcome.says("branches that no test enters stay, with what decides so: src/lib.rs:4");
    let code = outcome.code_text();
    let decides = "if n > limit && is_even(limit / 5) && n < limit {";
    assert!(code.contains(decides) && code.contains("todo!()"), "{code}");
    assert!(!code.contains("limit == 7"), "{code}");
    let code = reduced(&["--guards", "none"]).code_text();
    assert!(!code.contains(decides), "what nothing guards stays: {code}");
}

#[test]
fn a_condition_that_always_says_the_same_stays_if_the_test_would_pass_without() {
    let lib = "pub fn days(month: u32, year: u32) -> u32 {
    if year > 9999 { panic!(\"too late\") }
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        _ => 31,
    }
}
fn is_leap(year: u32) -> bool {
    let past = year / 100;
    year % 4 == 0 || (year - past * 100 != 0 || year % 400 == 0)
}
";
    let test = "#[test]
fn february() {
    assert_eq!(leap::days(2, 2024), 29);
    assert_eq!(leap::days(2, 2023), 28);
}
";
    let reduced = |more: &[&str]| reduced("leap", lib, test, more);
    let outcome = reduced(&[]);
    outcome.says("conditions stay that would let the test pass if they said the opposite");
    let code = outcome.code_text();
    let decides = "year % 4 == 0 || (year - past * 100 != 0 || year % 400 == 0)";
    assert!(code.contains(decides), "{code}");
    assert!(!code.contains("9999"), "{code}");
    let code = reduced(&["--guards", "none"]).code_text();
    assert!(!code.contains(decides), "what nothing guards stays: {code}");
}

#[test]
fn what_is_left_behind_a_decisive_condition_stays() {
    let lib = "pub fn total(items: &[u32]) -> u32 {
    if items.len() != 1 { return items.iter().sum(); } else { println!(\"one\"); }
    if items.len() > 5 { return 5; }
    if items.len() > 6 { return 6; }
    if items.len() > 7 { return 7; }
    items[0] + 1
}
";
    let test = "#[test]
fn one_is_its_own_total() {
    assert_eq!(totals::total(&[3]), 3);
}
";
    let outcome = reduced("totals", lib, test, &[]);
    outcome.says("branches that no test enters stay, with what decides so: src/lib.rs:3");
    let code = outcome.code_text();
    let words: Vec<&str> = code.split_whitespace().collect();
    let code = words.join(" ");
    assert!(code.contains("if items.len() != 1 { todo!() }"), "{code}");
}

#[test]
fn a_number_that_is_always_the_same_stays_if_the_test_would_pass_with_another() {
    let lib = "pub struct Log { end: usize, lines: Vec<String> }
impl Log {
    pub fn new() -> Log { Log { end: 0, lines: Vec::new() } }
    pub fn push(&mut self, line: &str) -> usize {
        self.lines.push(line.to_string());
        self.end = self.end + 2;
        self.end
    }
}
";
    let test = "#[test]
fn lines_are_counted() {
    let mut log = log::Log::new();
    let lines = log.push(\"first\");
    assert_eq!(lines, 1);
}
";
    let outcome = reduced("log", lib, test, &[]);
    outcome.says("numbers stay that would let the test pass if they were one more or one less");
    let code = outcome.code_text();
    assert!(code.contains("self.end + 2"), "{code}");
    assert!(!code.contains("first"), "{code}");
    let code = reduced("log", lib, test, &["--guards", "none"]).code_text();
    assert!(!code.contains("+ 2"), "what nothing guards stays: {code}");
}

#[test]
fn an_operator_stays_if_the_test_would_pass_with_another() {
    let lib = "pub fn bits(bytes: &[u8], tail: usize) -> usize {
    let whole = bytes.len() / 8;
    println!(\"{whole} and {tail}\");
    whole + tail
}
";
    let test = "#[test]
fn a_byte_has_eight() {
    assert_eq!(sizes::bits(&[1, 2, 3], 2), 26);
}
";
    let outcome = reduced("sizes", lib, test, &[]);
    outcome.says("operators stay that would let the test pass if they were others: src/lib.rs:2");
    let code = outcome.code_text();
    assert!(code.contains(".len() / 8"), "{code}");
    assert!(!code.contains("println"), "{code}");
    let code = reduced("sizes", lib, test, &["--guards", "none"]).code_text();
    assert!(!code.contains("/ 8"), "what nothing guards stays: {code}");
}

#[test]
fn what_is_decisive_goes_on_making_a_difference() {
    let lib = "pub struct Bits { blocks: Vec<u32>, spare: u32 }
impl Bits {
    pub fn full(spare: u32) -> Bits {
        let mut bits = Bits { blocks: vec![!0; spare as usize / 8 + 1], spare };
        if let Some((last, mask)) = bits.last_mut() { *last = *last & mask; }
        bits
    }
    fn last(&self) -> Option<(u32, u32)> {
        let mask = u32::MAX.checked_shr(self.spare)?;
        Some((*self.blocks.last()?, mask))
    }
    fn last_mut(&mut self) -> Option<(&mut u32, u32)> {
        let mask = u32::MAX << self.spare;
        Some((self.blocks.last_mut()?, mask))
    }
    pub fn all(&self) -> bool {
        if let Some((last, mask)) = self.last() {
            assert!(last & !mask == 0, \"there is something behind the last\");
        }
        true
    }
}
";
    let test = "#[test]
fn all_are_set() {
    assert!(bits::Bits::full(24).all());
}
";
    let outcome = reduced("bits", lib, test, &[]);
    outcome.says("operators stay that would let the test pass if they were others: src/lib.rs:13");
    let code = outcome.code_text();
    assert!(code.contains("u32::MAX << "), "{code}");
    let used = code.contains("= *last & mask") || code.contains("*last = mask");
    assert!(used, "{code}");
}

#[test]
fn what_a_failure_of_the_code_under_test_turns_on_stays() {
    let lib = |needed: &str| {
        format!(
            "pub struct Bits {{ count: usize, blocks: Vec<u32> }}
impl Bits {{
    pub fn new(count: usize) -> Bits {{
        let needed = {needed};
        Bits {{ count, blocks: vec![0; needed] }}
    }}
    pub fn is_set(&self, at: usize) -> bool {{
        assert!(at < self.count, \"there is no bit {{at}}\");
        self.blocks[at / 32] >> (at % 32) & 1 == 1
    }}
}}
"
        )
    };
    let test = "#[test]
fn none_is_set() {
    let bits = bits::Bits::new(65);
    assert!(!bits.is_set(3));
    assert!(!bits.is_set(64));
}
";
    let number = "(count + 30) / 32";
    let outcome = reduced("bits", &lib(number), test, &[]);
    outcome.says("numbers stay that would let the test pass if they were one more or one less");
    let code = outcome.code_text();
    assert!(code.contains(number), "{code}");
    assert!(!code.contains("there is no bit"), "{code}");
    let condition = "if count % 32 == 0 { count / 32 + 1 } else { count / 32 }";
    let outcome = reduced("bits", &lib(condition), test, &[]);
    outcome.says("conditions stay that would let the test pass if they said the opposite");
    let code = outcome.code_text();
    assert!(code.contains("count % 32 == 0"), "{code}");
}

#[test]
fn what_is_decisive_goes_on_being_evaluated_and_heeded() {
    let lib = "#[derive(Clone, Copy)]
pub struct Style { pub bold: bool, pub italic: bool }
enum Change { Reset, Nothing }
fn between(first: Style, next: Style) -> Change {
    if first.bold || !next.bold { return Change::Reset; }
    Change::Nothing
}
pub fn infix(first: Style, next: Style) -> String {
    match between(first, next) {
        Change::Reset => format!(\"<{}>\", name(next)),
        Change::Nothing => name(next),
    }
}
fn name(style: Style) -> String {
    if style.italic { \"italic\".to_string() } else { \"plain\".to_string() }
}
";
    let test = "use styles::*;
#[test]
fn what_stays_is_not_reset() {
    let plain = Style { bold: false, italic: false };
    assert_eq!(infix(plain, plain), \"plain\");
}
";
    let outcome = reduced("styles", lib, test, &[]);
    outcome.says("conditions stay that would let the test pass if they said the opposite");
    let code = outcome.code_text();
    let decides = code.contains(".bold || !") && code.contains("match between(");
    assert!(decides && code.contains("Change::Reset =>"), "{code}");
    let code = reduced("styles", lib, test, &["--guards", "none"]).code_text();
    assert!(
        !code.contains("match between"),
        "what nothing guards stays: {code}"
    );
}

#[test]
fn a_test_that_fails_at_once_may_take_long_when_it_passes() {
    let lib = "pub fn is_ready(step: u32) -> bool {
    let mut ready = true;
    if step != 0 { ready = false; }
    ready
}
";
    let test = "#[test]
fn all_is_ready() {
    assert!(steps::is_ready(3));
    let mut sum = 0u64;
    for step in 0..6_000_000 { sum += step % 3; }
    assert_eq!(sum, 6_000_000);
}
";
    let outcome = reduced("steps", lib, test, &[]);
    outcome.says("conditions stay that would let the test pass if they said the opposite");
    let code = outcome.code_text();
    assert!(code.contains("if step != 0"), "{code}");
}

#[test]
fn what_changes_for_others_alone_is_not_decisive() {
    let lib = "pub fn price(count: u32) -> u32 {
    let unit = if count > 1 { 7 } else { 8 };
    if count < 40 { return count * unit; }
    count * 10
}
";
    let test = "#[test]
fn few_are_not_cheaper() {
    assert_eq!(prices::price(12), 120);
}
";
    let outcome = reduced("prices", lib, test, &[]);
    outcome.says("give now");
    // What is asserted of others is wrong then as well.
    outcome.says("if they said the opposite: src/lib.rs:3\n");
    let code = outcome.code_text();
    assert!(code.contains("count < 40"), "{code}");
}

#[test]
fn inputs_get_no_shorter_than_what_is_right_needs() {
    let lib = "pub fn letters(word: &str) -> usize {
    if word.len() > 2 { return 0; }
    word.chars().filter(|letter| letter.is_alphabetic()).count()
}
pub fn total(values: &[u32]) -> u32 {
    let mut sum: u32 = values.iter().sum();
    if values.len() > 2 { sum *= 10; }
    sum
}
";
    let test = "use sums::*;
#[test]
fn words() {
    assert_eq!(letters(\"a\"), 1);
    let word = \"b-c\";
    println!(\"{word}\");
    assert_eq!(letters(word), 2);
}
#[test]
fn numbers() {
    assert_eq!(total(&[7]), 7);
    let values = vec![1, 2, 3];
    println!(\"{values:?}\");
    assert!(total(&values) == 6);
}
";
    for (name, input) in [("words", "\"b-c\""), ("numbers", "[1, 2, 3]")] {
        let reduced = |more: &[&str]| {
            let project = Project::package("sums", lib);
            project.write("tests/sums.rs", test);
            let reduction = with(project.reduce(["--test", "sums", name]), more);
            reduction.run().ok().code_text()
        };
        let code = reduced(&[]);
        assert!(code.contains(input), "{code}");
        assert!(!code.contains("println"), "{code}");
        let code = reduced(&["--guards", "none"]);
        assert!(!code.contains(input), "what nothing guards stays: {code}");
    }
}

#[test]
fn one_guard_asks_as_the_assertion_that_fails_does() {
    let lib = "pub fn matches(wanted: u32, given: u32) -> bool {
    let (wanted, given) = (wanted / 10, given / 10);
    given > wanted
}
";
    let project = Project::package("matching", lib);
    let test = "use matching::matches;
fn all(wanted: u32, given: &[u32]) {
    for one in given { assert!(matches(wanted, *one)); }
}
fn none(wanted: u32, given: &[u32]) {
    for one in given { assert!(!matches(wanted, *one)); }
}
#[test]
fn t() {
    all(10, &[20, 35]);
    none(20, &[10]);
    none(30, &[10]);
    none(30, &[20]);
    none(40, &[30]);
    all(20, &[25]);
}
";
    project.write("tests/matching.rs", test);
    let outcome = project.reduce(["--test", "matching"]).run().ok();
    outcome.says("the assertions in lines 10, ");
    let code = outcome.code_text();
    assert!(code.contains("all(10, &[20, 35]);"), "{code}");
    assert!(code.contains("given > wanted"), "{code}");
}
