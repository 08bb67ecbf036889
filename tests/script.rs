//! The user's own script says what is interesting, of a file or of a package, of Rust or of what is none any more.

mod support;

use std::fs;
use std::path::PathBuf;

use support::{Project, Reduction};

/// A script beside the project, out of the way of what is checked to be as it was.
fn script(project: &Project, text: &str) -> PathBuf {
    let path = project.scratch().path().join("interesting.sh");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("the script can be written");
    let mut mode = fs::metadata(&path).expect("it is there").permissions();
    std::os::unix::fs::PermissionsExt::set_mode(&mut mode, 0o755);
    fs::set_permissions(&path, mode).expect("it is ours");
    path
}

fn judged_by<'p>(project: &'p Project, script: &PathBuf) -> Reduction<'p> {
    Reduction::new(project).arg("--script").arg(script)
}

const SHAPES: &str = "
pub struct Square { pub side: u32 }

impl Square {
    pub fn area(&self) -> u32 { self.side * self.side }
    pub fn doubled(&self) -> Square { Square { side: self.side * 2 } }
}

pub fn answer() -> u32 {
    let square = Square { side: 6 };
    square.area() + square.doubled().side - 6
}
";

#[test]
fn a_file_is_the_script_s_argument_and_stays_rust() {
    let project = Project::file("shapes.rs", SHAPES);
    let script = script(&project, "grep -qF 'self.side * self.side' \"$1\"");
    let outcome = judged_by(&project, &script).arg(project.path()).run().ok();
    let code = outcome.code_text();
    assert!(code.contains("self.side * self.side"), "{code}");
    assert!(outcome.tokens() <= 20, "{code}");
    // Expression, body, function: what holds it is still there.
    assert!(code.contains("fn ") && !code.contains("answer"), "{code}");
    assert_eq!(outcome.text("kind"), "script");
    let command = outcome.text("command");
    assert!(command.ends_with("interesting.sh' shapes.rs"), "{command}");
}

#[test]
fn syntax_may_break_if_the_user_says_so() {
    let project = Project::file("shapes.rs", SHAPES);
    let script = script(&project, "grep -qF 'self.side * self.side' \"$1\"");
    let outcome = judged_by(&project, &script)
        .arg(project.path())
        .arg("--broken-syntax")
        .run()
        .ok();
    let code = outcome.code_text();
    assert_eq!(code.trim(), "self.side * self.side");
}

#[test]
fn a_script_works_in_the_copy_of_a_package_and_may_call_cargo() {
    let project = Project::package("shapes", SHAPES);
    project.write("README.md", "nothing to see\n");
    let script = script(
        &project,
        "cargo check -q 2>/dev/null && test -f src/lib.rs && grep -q 'fn doubled' src/lib.rs",
    );
    let outcome = judged_by(&project, &script)
        .arg("--manifest-path")
        .arg(project.manifest())
        .run()
        .ok();
    let (good, text) = project.cargo(&outcome.reduced(), &["check"]);
    assert!(good, "{text}");
    let code = outcome.code_text();
    assert!(
        code.contains("fn doubled") && !code.contains("answer"),
        "{code}"
    );
    assert!(outcome.tokens() <= 20, "{code}");
    assert!(!outcome.files().contains(&"README.md".to_owned()));
}

#[test]
fn what_the_script_does_not_find_interesting_is_refused() {
    let project = Project::file("shapes.rs", SHAPES);
    let script = script(&project, "echo 'nothing here'; exit 1");
    let ended = judged_by(&project, &script).arg(project.path()).run();
    ended.ended_with(3).says("nothing here");
}

#[test]
fn a_script_that_cannot_make_up_its_mind_is_refused() {
    let project = Project::file("shapes.rs", SHAPES);
    let state = project.scratch().path().join("state");
    let text = format!("test -e '{0}' && exit 1; touch '{0}'", state.display());
    let script = script(&project, &text);
    let ended = judged_by(&project, &script).arg(project.path()).run();
    ended.ended_with(4).says("only sometimes");
}

#[test]
fn a_script_that_may_not_run_is_an_error_that_says_so() {
    let project = Project::file("shapes.rs", SHAPES);
    let path = project.scratch().path().join("notes.txt");
    fs::write(&path, "not a program").expect("it can be written");
    let ended = judged_by(&project, &path).arg(project.path()).run();
    ended.ended_with(1).says("cannot be run");
}
