//! Crashes are reduced on every toolchain: here a compiler that crashes on request stands in for rustc.

mod support;

use std::sync::LazyLock;

use support::toolchain::{self, StandIn};
use support::{Outcome, Project};

const ARGUMENTS: [&str; 5] = ["--edition", "2021", "--", "--crate-type", "lib"];

/// Reduces a file under the stand-in.
#[track_caller]
fn reduced(project: &Project) -> Outcome {
    let stand_in = StandIn::get();
    stand_in
        .instead_of_rustc(project.reduce_crash(ARGUMENTS))
        .run()
        .ok()
}

/// The mailbox, reduced once for the tests that look at it.
static MAILBOX: LazyLock<Outcome> =
    LazyLock::new(|| reduced(&Project::copy_of("stand-in/mailbox.rs")));

#[test]
fn a_panic_is_known_by_its_place_though_another_has_the_same_message() {
    let outcome = &*MAILBOX;
    let text = StandIn::get().compile(&outcome.only_file());
    assert!(
        text.contains("rustc_hir_typeck/src/method/probe.rs:412:25"),
        "{text}"
    );
    assert!(!text.contains("error[E"), "{text}");
    // `impl<M> A<M> { fn f(..) { ..drain(..) } }`, a type to do it for, and something to drain.
    assert!(outcome.tokens() <= 70, "{}", outcome.code_text());
}

#[test]
fn other_crashes_met_on_the_way_are_kept_as_slips() {
    let outcome = reduced(&Project::file("bag.rs", toolchain::TWO_CRASHES));
    let report = outcome.report();
    let slips = report["slips"].as_array().expect("the report lists slips");
    let known: Vec<_> = slips
        .iter()
        .map(|slip| slip["signature"].to_string())
        .collect();
    assert!(
        known.iter().any(|it| it.contains("confirm.rs:533:9")),
        "{known:?}"
    );
    let index = outcome.output.join("slips/index.jsonl");
    let index = std::fs::read_to_string(index).expect("there is an index");
    assert_eq!(index.lines().count(), slips.len(), "{index}");
    for (slip, line) in slips.iter().zip(index.lines()) {
        let kept_in = slip["kept_in"].as_str().expect("a slip lies somewhere");
        assert!(outcome.output.join(kept_in).exists(), "{kept_in}");
        let line: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
        assert_eq!(line["signature"], slip["signature"]);
        let listed = line["kept_in"].as_str().expect("a slip lies somewhere");
        assert_eq!(kept_in, format!("slips/{listed}"));
    }
    let issue = std::fs::read_to_string(outcome.output.join("report.md")).expect("an issue");
    assert!(issue.contains("confirm.rs:533:9"), "{issue}");
    let text = StandIn::get().compile(&outcome.only_file());
    assert!(text.contains("probe.rs:412:25"), "{text}");
}

#[test]
fn numbers_in_a_message_may_change() {
    let project = Project::file(
        "arms.rs",
        "pub fn name(number: u32) -> &'static str {
            let name = |it: u32| match it {
                0 => \"none\",
                few if few < 4 => \"few\",
                4 | 5 => \"some\",
                6..=20 => \"many\",
                _ => \"too many\",
            };
            name(number)
        }
        pub fn other(number: u32) -> u32 { number + 1 }",
    );
    let outcome = reduced(&project);
    let text = StandIn::get().compile(&outcome.only_file());
    assert!(text.contains("guards.rs:87:20"), "{text}");
    assert!(
        !text.contains("the len is 5"),
        "all five arms are still there:\n{text}"
    );
}

#[test]
fn what_stands_in_comments_is_not_what_crashes() {
    let code = MAILBOX.code_text();
    assert!(!code.contains("//"), "{code}");
}

#[test]
fn a_signal_is_reduced_to_what_raises_it() {
    let outcome = reduced(&Project::copy_of("stand-in/menu.rs"));
    let text = StandIn::get().compile(&outcome.only_file());
    assert!(text.contains("SIGSEGV"), "{text}");
    assert!(outcome.tokens() <= 30, "{}", outcome.code_text());
}

#[test]
fn every_traversal_ends_at_the_same_size() {
    let stand_in = StandIn::get();
    for traversal in ["hdd", "hddr", "hddr-depth", "perses"] {
        let project = Project::copy_of("stand-in/menu.rs");
        let reduction = project.reduce_crash(["--traversal", traversal]);
        let outcome = stand_in
            .instead_of_rustc(reduction.args(ARGUMENTS))
            .run()
            .ok();
        let passes = &outcome.report()["passes"];
        let mut names = passes.as_array().into_iter().flatten();
        assert!(
            names.any(|pass| pass["name"] == traversal),
            "{traversal}: {passes}"
        );
        assert!(outcome.tokens() <= 30, "{}", outcome.code_text());
    }
}

#[test]
fn a_compiler_that_never_ends_is_reduced_to_what_keeps_it() {
    let project = Project::copy_of("stand-in/table.rs");
    let stand_in = StandIn::get();
    let reduction = project.reduce_crash(["--timeout", "1s"]).args(ARGUMENTS);
    let outcome = stand_in.instead_of_rustc(reduction).run().ok();
    let code = outcome.code_text();
    assert!(
        code.contains("const fn") && code.contains("while"),
        "{code}"
    );
    assert!(outcome.tokens() <= 40, "{code}");
}

#[test]
fn delayed_bugs_in_a_package_are_told_apart() {
    let stand_in = StandIn::get();
    let project = Project::copy_of("stand-in/postbox");
    let outcome = stand_in
        .instead_of_rustc(project.reduce(["--ice"]))
        .run()
        .ok();
    assert!(outcome.text("signature").contains("opaque_types.rs:141:33"));
    let code = outcome.code_text();
    assert!(code.contains("trait") && code.contains("-> impl"), "{code}");
    assert!(!code.contains("impl Fn"), "{code}");
    assert!(outcome.tokens() <= 40, "{code}");
}

#[test]
fn the_number_of_jobs_does_not_change_what_is_found() {
    let stand_in = StandIn::get();
    let found = |reduction: support::Reduction, jobs: &str| {
        let reduction = reduction.flag(&format!("--jobs={jobs}"));
        let outcome = stand_in.instead_of_rustc(reduction).run().ok();
        let trials = ["trials", "interesting_trials"].map(|key| outcome.number(key));
        (outcome.code_text(), outcome.files(), trials)
    };
    let (file, package) = (
        Project::copy_of("stand-in/mailbox.rs"),
        Project::copy_of("stand-in/postbox"),
    );
    let mut seen = Vec::new();
    for jobs in ["1", "3"] {
        let directory = |what: &str| file.scratch().path().join(format!("{what}-{jobs}"));
        let of_file = file.reduce_crash(ARGUMENTS).output(directory("file"));
        let of_package = package.reduce(["--ice"]).output(directory("package"));
        seen.push([found(of_file, jobs), found(of_package, jobs)]);
    }
    assert_eq!(seen[0], seen[1]);
}

#[test]
fn a_wrapper_around_rustc_is_respected() {
    let stand_in = StandIn::get();
    let project = Project::copy_of("stand-in/postbox");
    let outcome = stand_in
        .around_rustc(project.reduce(["--ice", "--time-limit", "20s"]))
        .run()
        .ok();
    assert!(outcome.text("signature").contains("opaque_types.rs:141:33"));
}

#[test]
fn a_package_ends_as_one_file_with_the_shortest_rustc_command() {
    let stand_in = StandIn::get();
    let project = Project::copy_of("stand-in/postbox");
    let outcome = stand_in
        .instead_of_rustc(project.reduce(["--ice"]))
        .run()
        .ok();
    let file = outcome.output.join("reduced.rs");
    let text = std::fs::read_to_string(&file).expect("one file shows the crash alone");
    assert_eq!(text, outcome.code_text());
    let printed = stand_in.compile(&file);
    assert!(printed.contains("opaque_types.rs:141:33"), "{printed}");
    // The stand-in looks at words: the edition does not matter to it.
    assert_eq!(
        outcome.text("file_command"),
        "rustc --crate-type lib reduced.rs"
    );
    let report = std::fs::read_to_string(outcome.output.join("report.md")).expect("a report");
    assert!(report.contains(&outcome.text("file_command")), "{report}");
    let manifest = outcome.manifest();
    assert_eq!(manifest, "[package]\nname = \"postbox\"\n[workspace]\n");
}

/// A package that crashes for a method of a crate from a registry, which needs another one.
fn desk() -> Project {
    let project = Project::package(
        "desk",
        "use tray::Tray;

        /// Where letters are read.
        pub struct Desk<M> {
            tray: Tray<M>,
            number: u32,
        }

        impl<M> Desk<M> {
            pub fn number(&self) -> u32 {
                self.number
            }

            pub fn clear(&mut self) -> usize {
                self.tray.drain(..)
            }
        }",
    );
    let manifest = std::fs::read_to_string(project.manifest()).expect("there is a manifest");
    project.write(
        "Cargo.toml",
        &format!("{manifest}[dependencies]\ntray = \"1\"\n"),
    );
    let registry = project.around().with_file_name("registry");
    let publish = |name: &str, lib: &str, dependencies: &str| {
        let directory = registry.join(name);
        std::fs::create_dir_all(directory.join("src")).expect("a directory can be made");
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"1.2.0\"\nedition = \"2021\"\n{dependencies}"
        );
        for (file, text) in [
            ("Cargo.toml", &*manifest),
            ("src/lib.rs", lib),
            (".cargo-checksum.json", "{\"files\":{}}"),
        ] {
            std::fs::write(directory.join(file), text).expect("a file can be written");
        }
    };
    publish(
        "tray",
        "//! Trays.
        use stack::{Ordered, Stack};

        pub struct Tray<T> { letters: Stack<T> }

        impl<T> Tray<T> {
            pub fn put(&mut self, letter: T) { self.letters.push(letter) }
            pub fn drain<R: Ordered>(&mut self, range: R) -> usize { self.letters.take(range) }
        }",
        "[dependencies.stack]\nversion = \"1.0\"\n",
    );
    publish(
        "stack",
        "use std::ops::RangeFull;
        pub trait Ordered { fn order(self) -> bool; }
        impl Ordered for RangeFull { fn order(self) -> bool { true } }
        pub struct Stack<T> { all: Vec<T> }
        impl<T> Stack<T> {
            pub fn push(&mut self, new: T) { self.all.push(new) }
            pub fn take(&mut self, range: impl Ordered) -> usize {
                if range.order() { self.all.clear() }
                self.all.len()
            }
        }",
        "",
    );
    project.write(
        ".cargo/config.toml",
        &format!(
            "[source.crates-io]\nreplace-with = \"shelf\"\n[source.shelf]\ndirectory = '{}'\n",
            registry.display()
        ),
    );
    project
}

#[test]
fn code_from_a_registry_goes_into_the_file_that_crashes() {
    let project = desk();
    let reduction = project.reduce(["--ice", "--no-rename"]);
    let outcome = StandIn::get().instead_of_rustc(reduction).run().ok();
    let manifest = outcome.manifest();
    assert_eq!(outcome.files(), ["Cargo.toml", "src/lib.rs"]);
    assert!(!manifest.contains("tray"), "{manifest}");
    let printed = StandIn::get().compile(&outcome.output.join("reduced.rs"));
    assert!(printed.contains("probe.rs:412:25"), "{printed}");
    assert!(!printed.contains("error[E"), "{printed}");
    let passes = &outcome.report()["passes"];
    let mut names = passes.as_array().into_iter().flatten();
    assert!(names.any(|pass| pass["name"] == "inline-deps"), "{passes}");
}

#[test]
fn code_from_a_registry_stays_there_on_request() {
    let project = desk();
    let reduction = project.reduce(["--ice", "--no-inline-deps"]);
    let outcome = StandIn::get().instead_of_rustc(reduction).run().ok();
    let manifest = outcome.manifest();
    assert!(manifest.contains("tray"), "{manifest}");
    assert!(outcome.code_text().contains("tray::Tray"));
}

#[test]
fn the_modules_of_a_single_file_are_reduced_with_it() {
    let project = Project::file("menu.rs", "mod dishes;\nmod far { pub mod away; }\n");
    let write = |name: &str, text: &str| {
        let path = project.around().join(name);
        std::fs::create_dir_all(path.parent().expect("it has one")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    };
    write("dishes.rs", "pub mod soup;\npub fn price() -> u32 { 3 }\n");
    write("dishes/soup.rs", "pub fn deep(_: Box<Box<Box<u8>>>) {}\n");
    write("far/away.rs", "pub fn never() {}\n");
    let outcome = reduced(&project);
    let code = outcome.code_text();
    assert_eq!(outcome.files(), ["menu.rs"], "{code}");
    assert!(code.contains("Box<Box<Box<"), "{code}");
    assert!(!code.contains("mod "), "{code}");
}

#[test]
fn the_report_names_only_the_flags_that_a_crash_needs() {
    let project = Project::copy_of("stand-in/menu.rs");
    let reduction = project.reduce_crash(["--no-rename"]).args(ARGUMENTS);
    let flags = ["-Copt-level=2", "--cap-lints", "allow"];
    let outcome = StandIn::get()
        .instead_of_rustc(reduction.args(flags))
        .run()
        .ok();
    assert!(outcome.text("command").contains("-Copt-level=2"));
    let shortest = outcome.text("file_command");
    assert!(shortest.starts_with("rustc "), "{shortest}");
    assert!(shortest.ends_with(" reduced/menu.rs"), "{shortest}");
    for needless in ["opt-level", "cap-lints"] {
        assert!(!shortest.contains(needless), "{shortest}");
    }
}

#[test]
fn slips_of_an_earlier_run_keep_their_places_when_it_is_resumed() {
    let project = Project::file("bag.rs", toolchain::TWO_CRASHES);
    let first = reduced(&project);
    let index = first.output.join("slips/index.jsonl");
    let before = std::fs::read_to_string(&index).expect("there is an index");
    let kept = std::fs::read_to_string(first.output.join("slips/01/bag.rs")).expect("a slip");
    // Its journal forgets all but what it is about: every trial is run again, and slips are met again.
    let journal = first.output.join("journal.jsonl");
    let text = std::fs::read_to_string(&journal).expect("a journal");
    let heading = text.lines().next().expect("a heading");
    std::fs::write(&journal, format!("{heading}\n")).expect("it can be written");

    let reduction = project.reduce_crash(["--resume"]).args(ARGUMENTS);
    let second = StandIn::get().instead_of_rustc(reduction).run().ok();
    assert_eq!(std::fs::read_to_string(&index).expect("an index"), before);
    let still = std::fs::read_to_string(second.output.join("slips/01/bag.rs")).expect("a slip");
    assert_eq!(still, kept);
    assert_eq!(first.report()["slips"], second.report()["slips"]);
}

#[test]
fn the_issue_says_all_that_the_template_asks_for() {
    let outcome = reduced(&Project::file("bag.rs", toolchain::TWO_CRASHES));
    let issue = std::fs::read_to_string(outcome.output.join("report.md")).expect("an issue");
    let mut rest = &issue[..];
    for part in [
        "probe.rs:412:25",
        "### Code\n\n```rust\n",
        "drain(..)",
        "### Meta\n\n`rustc --version --verbose`:\n```\nrustc ",
        "commit-hash: ",
        // The edition does not matter to this crash.
        "rustc --crate-type lib reduced/bag.rs",
        "### Error output\n\n```\n",
        "called `Option::unwrap()` on a `None` value",
        "<summary><strong>Query stack</strong></summary>",
        "#0 [typeck] type-checking",
        "Reduced from bag.rs (",
    ] {
        let at = rest.find(part);
        let at = at.unwrap_or_else(|| panic!("`{part}` is not where it belongs in:\n{issue}"));
        rest = &rest[at..];
    }
    assert!(!issue.contains("/candidate"), "{issue}");
}
