//! What cannot be reduced is refused with one message that says what to do, and an exit code that says which kind it is.

mod support;

use std::fs;

use support::{Outcome, Project, Reduction};

/// Fails if it is not one error with a way out, or if anything was written.
#[track_caller]
fn refused(reduction: Reduction<'_>, code: i32, parts: &[&str]) -> Outcome {
    let outcome = reduction.run().ended_with(code);
    let errors = outcome
        .stderr
        .lines()
        .filter(|line| line.starts_with("error"))
        .count();
    assert_eq!(errors, 1, "{}", outcome.stderr);
    for part in parts {
        outcome.says(part);
    }
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.stderr);
    assert!(
        !outcome.output.join("reduced").exists(),
        "there is a result"
    );
    outcome
}

/// … and says how to go on.
#[track_caller]
fn refused_with_help(reduction: Reduction<'_>, code: i32, parts: &[&str]) {
    refused(reduction, code, parts).says("help: ");
}

#[test]
fn a_test_that_is_not_there_is_named_with_its_neighbours() {
    let roman = Project::copy_of("roman");
    refused_with_help(
        roman.reduce(["--lib", "years_are_written_as_on_bildings"]),
        1,
        &[
            "years_are_written_as_on_bildings",
            "years_are_written_as_on_buildings",
        ],
    );
}

#[test]
fn a_test_target_that_is_not_there_is_named_with_its_neighbours() {
    let inventory = Project::copy_of("inventory");
    refused_with_help(
        inventory.reduce(["--test", "restok"]),
        1,
        &["restok", "restock"],
    );
}

#[test]
fn a_target_that_is_not_there_is_named_with_its_neighbours() {
    let kiosk = Project::copy_of("kiosk");
    for (flag, wanted, there) in [
        ("--example", "tours", "tour"),
        ("--bin", "tills", "till"),
        ("--bench", "fare", "fares"),
        ("--bench", "prices", "`timetable`"),
    ] {
        refused_with_help(kiosk.reduce([flag, wanted]), 1, &[wanted, there]);
    }
}

#[test]
fn a_doc_test_that_is_not_there_or_not_run_is_refused() {
    let kiosk = Project::copy_of("kiosk");
    refused_with_help(
        kiosk.reduce(["--doc", "betwixt"]),
        1,
        &["no test matches `betwixt`", "fare::Ticket::between"],
    );
    refused_with_help(kiosk.reduce(["--doc", "label"]), 3, &["the test passes"]);
    kiosk.replace("src/lib.rs", "let ticket =", "let tickets =");
    refused_with_help(
        kiosk.reduce(["--doc", "label"]),
        1,
        &["does not compile", "--error CODE"],
    );
    let program = Project::empty("program");
    program.write(
        "Cargo.toml",
        "[package]\nname = \"program\"\nedition = \"2021\"\n[workspace]\n",
    );
    program.write("src/main.rs", "fn main() {}\n");
    refused_with_help(program.reduce(["--doc"]), 1, &["no library"]);
}

#[test]
fn a_program_that_ends_well_is_refused() {
    let kiosk = Project::copy_of("kiosk");
    refused_with_help(
        kiosk.reduce(["--bin", "till", "--", "1", "3"]),
        3,
        &["the program does not fail", "cargo run --bin till -- 1 3"],
    );
}

#[test]
fn a_harness_takes_one_filter() {
    let kiosk = Project::copy_of("kiosk");
    refused_with_help(
        kiosk.reduce(["--bench", "timetable", "--", "first", "last"]),
        2,
        &["a second filter was given: `last`"],
    );
}

#[test]
fn a_test_that_passes_is_refused() {
    let roman = Project::copy_of("roman");
    refused_with_help(
        roman.reduce(["--lib", "sums_stay_in_range"]),
        3,
        &["passes", "sums_stay_in_range"],
    );
}

#[test]
fn of_several_failing_tests_one_has_to_be_named() {
    let package = Project::package(
        "several",
        "#[test] fn first() { panic!() }\n#[test] fn second() { panic!() }\n",
    );
    refused_with_help(package.reduce(["--lib"]), 1, &["first", "second"]);
}

#[test]
fn a_test_that_does_not_compile_is_refused_with_what_the_compiler_says() {
    let roman = Project::copy_of("roman");
    roman.replace("src/range.rs", "self.next += 1;", "self.next += \"1\";");
    refused_with_help(
        roman.reduce(["--lib", "years_are_written_as_on_buildings"]),
        3,
        &["does not compile", "E0277"],
    );
}

#[test]
fn a_test_that_fails_only_sometimes_is_refused_with_how_often() {
    // Every second run, as far as a directory remembers it.
    let package = Project::package(
        "sometimes",
        "#[test]
        fn turns() {
            let mark = std::path::PathBuf::from(std::env::var_os(\"SOMETIMES\").unwrap());
            if std::fs::create_dir(&mark).is_err() {
                std::fs::remove_dir(&mark).unwrap();
                panic!(\"this time\");
            }
        }\n",
    );
    let memory = tempfile::tempdir().expect("a directory can be made");
    refused_with_help(
        package
            .reduce(["--lib", "turns"])
            .env("SOMETIMES", memory.path().join("mark")),
        4,
        &["turns", "sometimes", "--flaky"],
    );
}

#[test]
fn a_package_that_is_not_there_is_named_with_its_neighbours() {
    let ledger = Project::copy_of("ledger");
    refused_with_help(
        ledger.reduce(["-p", "mony", "--lib", "shares_add_up"]),
        1,
        &["mony", "money"],
    );
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let project = Project::file("other.rs", "");
    let reduction = Reduction::new(&project).args(["--ice", "crash.rs"]);
    refused_with_help(reduction, 1, &["crash.rs"]);
}

#[test]
fn a_directory_without_a_package_is_refused() {
    let project = Project::file("lonely.rs", "");
    // The project itself lies somewhere below the package that these tests belong to.
    let nowhere = tempfile::tempdir().expect("a directory can be made");
    let reduction = Reduction::new(&project)
        .args(["some_test"])
        .in_directory(nowhere.path());
    refused_with_help(reduction, 1, &["Cargo.toml"]);
}

#[test]
fn a_manifest_that_is_not_there_is_refused() {
    let project = Project::file("lonely.rs", "");
    let reduction =
        Reduction::new(&project).args(["--manifest-path", "no/Cargo.toml", "some_test"]);
    refused_with_help(reduction, 1, &["no/Cargo.toml"]);
}

#[test]
fn a_broken_manifest_is_refused_with_what_cargo_says() {
    let roman = Project::copy_of("roman");
    roman.replace("Cargo.toml", "version = \"0.1.0\"", "version = ");
    refused_with_help(
        roman.reduce(["--lib", "years_are_written_as_on_buildings"]),
        1,
        &["Cargo.toml"],
    );
}

#[test]
fn a_file_that_does_not_crash_the_compiler_is_refused() {
    let project = Project::file("fine.rs", "pub fn fine() {}\n");
    refused_with_help(project.reduce_crash([]), 3, &["does not crash"]);
}

#[test]
fn a_package_that_does_not_crash_the_compiler_is_refused() {
    let inventory = Project::copy_of("inventory");
    refused_with_help(inventory.reduce(["--ice"]), 3, &["does not crash"]);
}

#[test]
fn a_file_that_is_not_utf_8_is_refused() {
    let project = Project::file("latin.rs", "");
    fs::write(project.path(), b"fn f() {}\n// caf\xe9\n").expect("it can be written");
    refused_with_help(project.reduce_crash([]), 1, &["latin.rs", "UTF-8"]);
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_be_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let project = Project::file("secret.rs", "fn f() {}\n");
    let secret = project.around().join("locked");
    fs::create_dir(&secret).expect("it can be made");
    // A link in a circle cannot be read by anybody, not even by root.
    std::os::unix::fs::symlink("circle.rs", secret.join("circle.rs")).expect("it can be made");
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let reduction = Reduction::new(&project).args(["--ice", "locked/circle.rs"]);
    refused_with_help(reduction, 1, &["circle.rs"]);
}

#[test]
fn a_toolchain_that_is_not_installed_is_refused() {
    let roman = Project::copy_of("roman");
    refused_with_help(
        roman
            .reduce(["--lib", "years_are_written_as_on_buildings"])
            .toolchain("there-is-none-of-this-name"),
        1,
        &["there-is-none-of-this-name"],
    );
}

#[test]
fn without_cargo_nothing_goes() {
    let roman = Project::copy_of("roman");
    let nothing = tempfile::tempdir().expect("a directory can be made");
    refused_with_help(
        roman
            .reduce(["--lib", "years_are_written_as_on_buildings"])
            .env("PATH", nothing.path()),
        1,
        &["cargo"],
    );
}

#[test]
fn a_full_output_directory_is_left_alone() {
    let roman = Project::copy_of("roman");
    fs::create_dir(roman.output()).expect("it can be made");
    fs::write(roman.output().join("thesis.txt"), "mine").expect("it can be written");
    // It is said before anything is built.
    roman.write("src/lib.rs", "fn");
    refused_with_help(
        roman.reduce(["--lib", "years_are_written_as_on_buildings"]),
        1,
        &["not empty"],
    );
    let text = fs::read_to_string(roman.output().join("thesis.txt")).expect("it is there");
    assert_eq!(text, "mine");
    assert_eq!(
        fs::read_dir(roman.output()).expect("it is there").count(),
        1
    );
}

#[test]
fn an_output_directory_that_cannot_be_made_is_refused() {
    let roman = Project::copy_of("roman");
    // A file is in the way: as good as a full disk, and works for root too.
    let file = roman.output();
    fs::write(&file, "in the way").expect("it can be written");
    refused_with_help(
        roman
            .reduce(["--lib", "years_are_written_as_on_buildings"])
            .output(file.join("result")),
        1,
        &["result"],
    );
}

#[test]
fn nothing_can_be_resumed_where_nothing_was_begun() {
    let roman = Project::copy_of("roman");
    refused_with_help(
        roman.reduce(["--lib", "years_are_written_as_on_buildings", "--resume"]),
        1,
        &["resume"],
    );
}

#[test]
fn a_journal_of_something_else_is_not_resumed() {
    let roman = Project::copy_of("roman");
    roman
        .reduce([
            "--lib",
            "years_are_written_as_on_buildings",
            "--passes",
            "comments",
        ])
        .run()
        .ok();
    let inventory = Project::copy_of("inventory");
    let outcome = inventory
        .reduce([
            "--test",
            "restock",
            "what_went_off_is_reordered",
            "--resume",
        ])
        .output(roman.output())
        .run()
        .ended_with(1);
    outcome.says("resume");
}

#[test]
fn usage_errors_end_with_two() {
    let roman = Project::copy_of("roman");
    for arguments in [
        ["--no-such-option", "", ""],
        ["--lib", "--test", "both"],
        ["--time-limit", "soon", "some_test"],
        ["--time-limit", "0s", "some_test"],
        ["--jobs", "0", "some_test"],
        ["--algorithm", "guessing", "some_test"],
        ["--keep", "[", "some_test"],
    ] {
        let outcome = Reduction::new(&roman).args(arguments).run();
        assert_eq!(outcome.code, Some(2), "{arguments:?}: {}", outcome.stderr);
        assert!(outcome.stderr.starts_with("error: "), "{}", outcome.stderr);
    }
}

#[test]
fn help_names_every_exit_code() {
    let roman = Project::copy_of("roman");
    let outcome = Reduction::new(&roman).arg("--help").run().ok();
    for code in ["0 ", "1 ", "2 ", "3 ", "4 ", "130 "] {
        assert!(outcome.stdout.contains(code), "{}", outcome.stdout);
    }
}

/// Runs the program with a disk of `size` at `disk`, in a name space of its own; `None` where that is
/// not allowed.
#[cfg(target_os = "linux")]
fn on_a_small_disk(
    size: &str,
    disk: &std::path::Path,
    arguments: &[&std::ffi::OsStr],
) -> Option<std::process::Output> {
    use std::process::Command;
    let mounted = "mount -t tmpfs -o size=\"$1\" tmpfs \"$2\" && shift 2 && exec \"$@\"";
    let with = |program: &[&std::ffi::OsStr]| {
        let mut command = Command::new("unshare");
        command
            .args([
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                mounted,
                "sh",
                size,
            ])
            .arg(disk)
            .args(program);
        support::without_our_cargo(&mut command);
        command
    };
    let allowed = with(&["true".as_ref()]).output();
    if !allowed.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: no disk can be mounted here");
        return None;
    }
    Some(with(arguments).output().expect("unshare can be run"))
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named_with_a_way_out() {
    let roman = Project::copy_of("roman");
    let disk = roman.around().join("disk");
    fs::create_dir(&disk).expect("it can be made");
    let manifest = roman.path().join("Cargo.toml");
    let elsewhere = roman.output();
    for (output, temporary) in [(disk.join("out"), None), (elsewhere, Some(&disk))] {
        let variable = temporary.map_or("NONE=".into(), |at| format!("TMPDIR={}", at.display()));
        let arguments: [&std::ffi::OsStr; 9] = [
            "env".as_ref(),
            variable.as_ref(),
            env!("CARGO_BIN_EXE_cargo-reduce").as_ref(),
            "reduce".as_ref(),
            "--manifest-path".as_ref(),
            manifest.as_ref(),
            "--lib".as_ref(),
            "--output".as_ref(),
            output.as_ref(),
        ];
        let Some(told) = on_a_small_disk("8k", &disk, &arguments) else {
            return;
        };
        let told = String::from_utf8_lossy(&told.stderr).into_owned();
        assert_eq!(told.matches("error: ").count(), 1, "{told}");
        assert!(told.contains("No space left on device"), "{told}");
        assert!(told.contains("help: make room there"), "{told}");
        assert!(!told.contains("panicked"), "{told}");
    }
}
