//! What the sources bring in from elsewhere is reduced with them: code that a build script makes, what it sets, data.

mod support;

use support::{Outcome, Project};

/// A build script that writes a table with a function to look things up in it, a number, and sets a condition and a variable.
const SCRIPT: &str = r##"
use std::fmt::Write;

fn main() {
    let mut text = String::from("pub static STOPS: &[(&str, u32)] = &[\n");
    for number in 0..60 {
        writeln!(text, "    (\"stop{number}\", {number}),").unwrap();
    }
    text.push_str("];\n
pub fn distance(from: &str, to: &str) -> u32 {
    let at = |name: &str| STOPS.iter().find(|(known, _)| *known == name).unwrap().1;
    at(to) - at(from)
}

pub fn unused() -> usize {
    STOPS.len()
}
");
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap());
    std::fs::write(out.join("stops.rs"), text).unwrap();
    std::fs::write(out.join("fare.in"), "3 * 100").unwrap();
    println!("cargo:rustc-env=CITY=Ghent");
    println!("cargo:rustc-cfg=zones");
}
"##;

const LIB: &str = r#"
pub mod stops {
    include!(concat!(env!("OUT_DIR"), "/stops.rs"));
}

const FARE: u32 = include!(concat!(
    env!("OUT_DIR"),
    "/fare.in"
));

#[cfg(zones)]
pub fn fare(from: &str, to: &str) -> u32 {
    FARE * stops::distance(from, to) / 10
}

pub fn city() -> &'static str {
    env!("CITY")
}
"#;

fn tram() -> Project {
    let project = Project::package("tram", LIB);
    project.write("build.rs", SCRIPT);
    project.write(
        "tests/fares.rs",
        "
#[test]
fn back() {
    assert_eq!(tram::fare(\"stop3\", \"stop5\"), 60);
    tram::fare(\"stop5\", \"stop3\");
}

#[test]
fn city() {
    assert_eq!(tram::city(), \"Bruges\");
}
",
    );
    project
}

/// The result still shows `mark` in `test`.
#[track_caller]
fn shows(project: &Project, outcome: &Outcome, target: &str, test: &str, mark: &str) {
    let arguments = ["test", "--test", target, test];
    let (good, text) = project.cargo(&outcome.reduced(), &arguments);
    assert!(!good && text.contains(mark), "{text}");
}

#[test]
fn code_that_a_build_script_makes_is_code_like_any_other() {
    let project = tram();
    let outcome = project.reduce(["--test", "fares", "back"]).run().ok();
    outcome.says("what build scripts made is taken for source: generated/stops.rs");
    let overflow = "attempt to subtract with overflow";
    shows(&project, &outcome, "fares", "back", overflow);
    assert!(outcome.text("signature").contains("generated/stops.rs:"));
    let code = outcome.code_text();
    assert_eq!(outcome.files(), ["Cargo.toml", "tests/fares.rs"]);
    assert!(code.contains(" - "), "{code}");
    for gone in ["stop7", "OUT_DIR", "include", "unused"] {
        assert!(!code.contains(gone), "{gone} is there: {code}");
    }
}

#[test]
fn what_a_build_script_sets_is_there_without_it() {
    let project = tram();
    let outcome = project.reduce(["--test", "fares", "city"]).run().ok();
    shows(&project, &outcome, "fares", "city", "right: \"Bruges\"");
    let code = outcome.code_text();
    assert!(code.contains("\"Ghent\""), "{code}");
    assert!(!outcome.reduced().join("build.rs").exists());
}

#[test]
fn what_is_to_be_kept_includes_what_it_did() {
    let project = tram();
    let arguments = ["--test", "fares", "back", "--keep", "src/lib.rs"];
    let outcome = project.reduce(arguments).run().ok();
    let overflow = "attempt to subtract with overflow";
    shows(&project, &outcome, "fares", "back", overflow);
    let lib = outcome.reduced().join("src/lib.rs");
    assert_eq!(std::fs::read_to_string(lib).expect("it is there"), LIB);
    assert!(outcome.reduced().join("build.rs").exists());
}

const LEDGER: &str = "
pub fn total(text: &str) -> u32 {
    text.lines().map(|line| line.split(' ').nth(1).map_or(0, |n| n.parse::<u32>().unwrap())).sum()
}
";

/// Many lines, one of which is not as it should be.
fn entries() -> String {
    let entry = |number: u32| match number {
        77 => "coal 5x\n".to_string(),
        _ => format!("peat {number}\n"),
    };
    (0..200).map(entry).collect()
}

/// A test that adds up what is in `text`, an expression, reduced to what still fails there.
#[track_caller]
fn summed(text: &str) -> Outcome {
    let project = Project::package("ledger", LEDGER);
    project.write("data/entries.txt", &entries());
    let test = format!("\n#[test]\nfn sums() {{\n    ledger::total({text});\n}}\n");
    project.write("tests/sums.rs", &test);
    let outcome = project.reduce(["--test", "sums", "sums"]).run().ok();
    shows(&project, &outcome, "sums", "sums", "InvalidDigit");
    outcome
}

#[test]
fn data_that_a_test_reads_is_made_smaller() {
    let outcome = summed("&std::fs::read_to_string(\"data/entries.txt\").unwrap()");
    let left = outcome.reduced().join("data/entries.txt");
    let left = std::fs::read_to_string(left).expect("it is still read");
    assert!(left.len() <= 4, "{left:?}");
}

#[test]
fn data_that_a_test_includes_ends_in_the_test() {
    let outcome = summed("include_str!(\"../data/entries.txt\")");
    let code = outcome.code_text();
    assert!(
        !code.contains("include_str") && !code.contains("peat"),
        "{code}"
    );
    assert!(!outcome.reduced().join("data").exists());
}
