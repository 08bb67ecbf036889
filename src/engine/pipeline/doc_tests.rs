//! A failing doc test: found by cargo, and made an integration test of the copy, which is then reduced as any other.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use regex::Regex;

use super::finding::{Asked, no_target};
use crate::engine::package::Package;
use crate::exec::{self, Ending, Limits, Outcome};
use crate::paths::normal;
use crate::report::{Event, Failure, Observer};
use crate::request::TestTarget;
use crate::subject::Subject;
use crate::subject::doc_test::DocTest;
use crate::syntax::{FileId, Text};

/// Time for compiling and running those that the filter names, unless the user grants each more.
const TIME: Duration = Duration::from_secs(120);

/// `src/lib.rs - Parser::parse (line 12)`, and what rustdoc adds for those that are not run.
static NAME: LazyLock<Regex> = LazyLock::new(|| {
    // A literal that the tests below use.
    Regex::new(r"^(?<file>.+?) - (?<item>.*?) ?\(line (?<line>\d+)\)").expect("a valid pattern")
});

/// The one failing doc test that is asked for.
pub(super) fn chosen(asked: &Asked<'_>, observer: &mut dyn Observer) -> Result<String, Failure> {
    observer.event(&Event::Step {
        verb: "Running",
        what: "doc tests",
    });
    let command = asked.command("test", asked.filter);
    let limit = asked.package.limits.timeout;
    let all = names(&cargo(asked, &["--list"], limit)?, asked, &command)?;
    let wanted = |name: &&String| match asked.filter {
        Some(filter) if asked.selection.exact => *name == filter,
        Some(filter) => name.contains(filter),
        None => true,
    };
    let mut failing: Vec<String> = all.iter().filter(wanted).cloned().collect();
    let searched = format!("the doc tests of `{}`", asked.package.name);
    if failing.is_empty() {
        return Err(Failure::NoSuchTest {
            wanted: asked.filter.unwrap_or("*").to_string(),
            searched,
            available: all,
        });
    }
    let patience = asked.request.trial_timeout.unwrap_or_default().max(TIME);
    // Rustdoc takes each word of a filter for one: what runs besides is not looked at.
    let filter: Vec<&str> = asked.filter.into_iter().collect();
    let outcome = cargo(asked, &filter, patience)?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let results: HashMap<&str, &str> = text
        .lines()
        .filter_map(|line| {
            let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            Some((bare(name)?, result))
        })
        .collect();
    failing.retain(|name| match results.get(name.as_str()) {
        Some(result) => result.starts_with("FAILED"),
        // It did not end.
        None => outcome.ending == Ending::TimedOut,
    });
    match &failing[..] {
        [] => Err(Failure::TestPasses { command, runs: 1 }),
        [one] => reducible(one, &text),
        _ => Err(Failure::SeveralTestsFail { searched, failing }),
    }
}

/// A name without what rustdoc adds for those that are not simply run (` - compile fail`), and not always.
fn bare(name: &str) -> Option<&str> {
    Some(NAME.find(name)?.as_str())
}

/// `name`, if it is by running that it fails, as `printed` says.
fn reducible(name: &str, printed: &str) -> Result<String, Failure> {
    let sections = printed.split("\n---- ");
    let section = sections
        .filter(|section| bare(section) == Some(name))
        .last()
        .unwrap_or_default();
    let why = if section.contains("Couldn't compile the test") {
        "it does not compile (`--error CODE` reduces an error of the compiler)"
    } else if section.contains("it's marked `compile_fail`") {
        "it is meant not to compile, and does"
    } else {
        return Ok(name.to_string());
    };
    Err(Failure::DocTest {
        name: name.to_string(),
        why: why.to_string(),
    })
}

/// `cargo test --doc` on the copy.
fn cargo(asked: &Asked<'_>, arguments: &[&str], time: Duration) -> Result<Outcome, Failure> {
    let call = asked.call("test").flags(["--"]).flags(arguments);
    let limits = Limits {
        timeout: time,
        ..asked.package.limits.clone()
    };
    let invocation = call.invocation(&["--color", "never"]);
    let outcome =
        exec::run(&invocation, &limits, asked.cancel).map_err(|error| Failure::NoToolchain {
            command: "cargo test --doc".into(),
            why: error.to_string(),
        })?;
    match outcome.ending {
        Ending::Cancelled => Err(Failure::Interrupted),
        _ => Ok(outcome),
    }
}

/// The doc tests that `outcome`, of a call with `--list`, names.
fn names(outcome: &Outcome, asked: &Asked<'_>, command: &str) -> Result<Vec<String>, Failure> {
    if !outcome.success() {
        let printed = String::from_utf8_lossy(&outcome.stderr).into_owned();
        let failure = no_target(&printed, asked.target, asked.package);
        return Err(failure.unwrap_or(Failure::DoesNotCompile {
            command: command.to_string(),
            output: printed,
        }));
    }
    let text = String::from_utf8_lossy(&outcome.stdout);
    let mut names: Vec<String> = text
        .lines()
        .filter_map(|line| bare(line.strip_suffix(": test")?))
        .map(String::from)
        .collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Makes an integration test of the doc test `name` in the copy.
///
/// # Errors
///
/// When its code does not stand where rustdoc says, and when the copy cannot be written.
pub(super) fn as_integration_test(
    package: &mut Package,
    name: &str,
    observer: &mut dyn Observer,
) -> Result<TestTarget, Failure> {
    let known = NAME.captures(name);
    let place = known.as_ref().and_then(|known| {
        let line = known["line"].parse::<usize>().ok()?;
        let file = Path::new(&known["file"]);
        // Rustdoc names files as seen from the workspace, or from the package.
        let directories = [&package.workspace, &package.package];
        let files = directories
            .into_iter()
            .map(|directory| normal(&directory.join(file)));
        files
            .filter_map(|path| package.subject.find(&path))
            .find_map(|file| code(&package.subject, file, line, &known["item"]))
    });
    let Some((test, known)) = place.zip(known) else {
        return Err(Failure::DocTest {
            name: name.to_string(),
            why: "its code stands in no comment: an attribute or a macro makes it".to_string(),
        });
    };
    let target = free_name(package, &known["item"], &known["line"]);
    let file = package.package.join("tests").join(format!("{target}.rs"));
    let cargos = package.metadata.packages.iter();
    let own = cargos
        .clone()
        .find(|found| found.name.as_str() == package.name);
    let edition = test.edition().map(String::from);
    let edition_2015 = match &edition {
        Some(edition) => edition == "2015",
        None => own.is_some_and(|own| own.edition == cargo_metadata::Edition::E2015),
    };
    let library = own
        .and_then(|own| {
            own.targets
                .iter()
                .find(|target| target.is_lib() || target.is_proc_macro())
        })
        .map(|target| target.name.replace('-', "_"));
    let text = test.as_integration_test(&target, library.as_deref().filter(|_| edition_2015));
    let mut subject = package.subject.with_file(file, text.into_bytes());
    let manifest = package.package.join("Cargo.toml");
    if let Some(manifest) = subject.find(&manifest) {
        let silent = subject.file(manifest).source().contains("autotests");
        if let Some(text) = subject.file(manifest).text()
            && (silent || edition.is_some())
        {
            let edition =
                edition.map_or(String::new(), |edition| format!("edition = {edition:?}\n"));
            let entry =
                format!("\n[[test]]\nname = {target:?}\npath = \"tests/{target}.rs\"\n{edition}");
            let end = text.as_str().len();
            let text = text.splice(end..end, &Text::inserted(entry));
            subject = subject.with_text(manifest, text);
        }
    }
    package.change_to(subject)?;
    observer.event(&Event::Note(&format!(
        "the doc test `{name}` is reduced as an integration test with its code, tests/{target}.rs: `cargo test --test {target}`"
    )));
    Ok(TestTarget::Test(target))
}

/// The doc test of `item`, empty for the crate itself, that rustdoc has seen on `line` of `file`.
fn code(subject: &Subject, file: FileId, line: usize, item: &str) -> Option<DocTest> {
    let version = subject.file(file);
    let directory = version.path.parent()?;
    let texts = |path: &str| {
        let found = subject.find(&normal(&directory.join(path)))?;
        Some(subject.file(found).source().to_string())
    };
    DocTest::at(version.source(), line)
        .filter(|test| !(test.of_item && item.is_empty()))
        .or_else(|| DocTest::included(version.source(), line, &texts))
}

/// A name for the integration test that no other has.
fn free_name(package: &Package, item: &str, line: &str) -> String {
    let words = item.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<String> = ["doc"]
        .into_iter()
        .chain(words)
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let name = words.join("_");
    let taken = |name: &str| {
        let path: PathBuf = package.package.join("tests").join(name);
        let file = package.subject.find(&path.with_extension("rs"));
        let main = package.subject.find(&path.join("main.rs"));
        file.or(main).is_some()
    };
    match words.len() {
        1 => format!("{name}_line_{line}"),
        _ if taken(&name) => format!("{name}_line_{line}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_where_the_code_stands() {
        for (name, expected) in [
            ("src/lib.rs - add (line 5)", ("src/lib.rs", "add", "5")),
            ("README.md - (line 12)", ("README.md", "", "12")),
            (
                "src/a.rs - A<T>::f (line 7) - compile fail",
                ("src/a.rs", "A<T>::f", "7"),
            ),
        ] {
            let found = NAME.captures(name).expect("a name");
            assert_eq!((&found["file"], &found["item"], &found["line"]), expected);
        }
    }

    #[test]
    fn what_fails_to_compile_is_told_from_what_fails_to_run() {
        let name = "src/lib.rs - f (line 1)";
        let printed = |says: &str| {
            format!("failures:\n\n---- {name} stdout ----\n{says}\n\n---- other stdout ----\n")
        };
        assert!(reducible(name, &printed("Test executable failed (exit status: 101).")).is_ok());
        assert!(reducible(name, &printed("Couldn't compile the test.")).is_err());
        assert!(
            reducible(
                name,
                &printed("Test compiled successfully, but it's marked `compile_fail`.")
            )
            .is_err()
        );
    }
}
