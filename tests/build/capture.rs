use std::fs;
use std::path::Path;

use cargo_reduce::build::{Cfg, ExecutableKind, Level, Toolchain, dep_info};
use cargo_reduce::exec::{Ending, run};

use crate::packages::{self, Scratch, cancel, limits, unit};

#[test]
fn a_library_with_an_integration_test_has_three_units() {
    let scratch = packages::library();
    let captured = scratch.capture(&scratch.call("", "test", &["--no-run"]));
    assert!(captured.outcome.success(), "{captured:#?}");
    assert_eq!(captured.units.len(), 3);

    let library = &captured.units[unit(&captured, "a_lib", false)];
    assert_eq!(library.package, "a-lib");
    assert_eq!(library.version, "1.2.3");
    assert_eq!(library.edition, "2021");
    assert_eq!(library.crate_types, ["lib"]);
    assert_eq!(library.source, scratch.tree().join("src/lib.rs"));
    assert_eq!(library.manifest_dir, scratch.tree());
    assert!(library.cfgs.contains(&"feature=\"extra\"".to_string()));
    assert!(library.own && !library.host);

    let outer = &captured.units[unit(&captured, "outer", true)];
    assert_eq!(outer.dependencies, [unit(&captured, "a_lib", false)]);
    let names: Vec<_> = captured
        .executables
        .iter()
        .map(|e| (e.name.as_str(), e.kind))
        .collect();
    let expected = [
        ("a_lib", ExecutableKind::LibTest),
        ("outer", ExecutableKind::Test),
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_captured_test_runs_as_cargo_would_run_it() {
    let scratch = packages::library();
    let captured = scratch.capture(&scratch.call("", "test", &["--no-run", "--test", "outer"]));
    let [test] = &captured.executables[..] else {
        panic!("{captured:#?}");
    };
    let outcome = run(&test.invocation(["--exact", "outer"]), &limits(), &cancel()).unwrap();
    let stdout = String::from_utf8_lossy(&outcome.stdout);
    assert_eq!(outcome.ending, Ending::Exited(0), "{stdout}");
    assert!(stdout.contains("1 passed"), "{stdout}");
}

#[test]
fn capturing_again_gives_the_same_units_although_nothing_changed() {
    let scratch = packages::workspace();
    let call = scratch.call("ws", "test", &["--no-run"]);
    let first = scratch.capture(&call);
    let second = scratch.capture(&call);
    assert_eq!(first.units, second.units);
    assert_eq!(first.executables, second.executables);
    assert_eq!(first.units.len(), 5);
}

#[test]
fn what_another_command_has_built_is_captured_too() {
    let scratch = packages::workspace();
    scratch.capture(&scratch.call("ws", "build", &["-p", "low"]));
    let captured =
        scratch.capture(&scratch.call("ws", "test", &["--no-run", "--lib", "-p", "high"]));
    let names: Vec<_> = captured
        .units
        .iter()
        .map(|unit| unit.crate_name.as_str())
        .collect();
    assert_eq!(names, ["outside", "low", "high"]);
}

#[test]
fn path_dependencies_outside_the_workspace_are_own() {
    let scratch = packages::workspace();
    let captured = scratch.capture(&scratch.call("ws", "build", &[]));
    let outside = &captured.units[unit(&captured, "outside", false)];
    assert!(outside.own);
    assert_eq!(outside.edition, "2018");
    assert_eq!(outside.source, scratch.tree().join("outside/src/lib.rs"));
    let order: Vec<_> = captured
        .units
        .iter()
        .map(|unit| unit.crate_name.as_str())
        .collect();
    assert_eq!(order, ["outside", "low", "high"]);
}

#[test]
fn build_scripts_and_macros_and_what_they_need_are_host_units() {
    let scratch = packages::proc_macro();
    let captured = scratch.capture(&scratch.call("", "test", &["--no-run", "-p", "user"]));
    assert!(captured.outcome.success(), "{captured:#?}");
    let host = |name, is_test| captured.units[unit(&captured, name, is_test)].host;
    assert!(host("macros", false) && host("backend", false));
    assert!(!host("user", true));

    let scratch = packages::build_script();
    let captured = scratch.capture(&scratch.call("", "build", &[]));
    assert!(captured.units[unit(&captured, "build_script_build", false)].host);
    assert!(!captured.units[unit(&captured, "scripted", false)].host);
}

#[test]
fn what_a_build_script_sets_is_in_the_unit() {
    let scratch = packages::build_script();
    let captured = scratch.capture(&scratch.call("", "test", &["--no-run", "--lib"]));
    let scripted = &captured.units[unit(&captured, "scripted", true)];
    let variable = |name| {
        scripted
            .env
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value.as_str())
    };
    assert_eq!(variable("SCRIPTED"), Some("from the script"));
    assert!(
        Path::new(variable("OUT_DIR").unwrap())
            .join("made.rs")
            .exists()
    );
    assert_eq!(variable("CARGO_MAKEFLAGS"), None);
    assert!(scripted.cfgs.contains(&"scripted_cfg".to_string()));
    let outcome = run(
        &captured.executables[0].invocation([] as [&str; 0]),
        &limits(),
        &cancel(),
    );
    assert_eq!(outcome.unwrap().ending, Ending::Exited(0));
}

#[test]
fn dep_info_names_modules_and_included_files() {
    let scratch = packages::build_script();
    let captured = scratch.capture(&scratch.call("", "build", &[]));
    let scripted = &captured.units[unit(&captured, "scripted", false)];
    let read = dep_info(&scripted.dep_info_path(), &scripted.cwd).unwrap();
    assert!(read.files.contains(&scratch.tree().join("src/lib.rs")));
    assert!(
        read.files
            .contains(&scratch.tree().join("src/some text.txt")),
        "{read:?}"
    );
    assert!(read.files.iter().any(|file| file.ends_with("made.rs")));
    assert!(
        read.env
            .contains(&("SCRIPTED".into(), Some("from the script".into())))
    );
}

#[test]
fn the_conditions_of_a_unit_come_from_its_own_flags() {
    let scratch = packages::library();
    let captured = scratch.capture(&scratch.call("", "test", &["--no-run", "--release"]));
    let library = &captured.units[unit(&captured, "a_lib", false)];
    let test = &captured.units[unit(&captured, "a_lib", true)];
    let toolchain = Toolchain::of_unit(library).unwrap();
    assert!(toolchain.verbose_version.contains(&toolchain.release));
    assert!(toolchain.library_dir(None).is_dir(), "{toolchain:?}");

    let cfg = |name: &str, value: Option<&str>| Cfg {
        name: name.into(),
        value: value.map(String::from),
    };
    let of_library = toolchain.cfg(library).unwrap();
    assert!(of_library.contains(&cfg("feature", Some("extra"))));
    assert!(of_library.contains(&cfg("target_os", Some(std::env::consts::OS))));
    assert!(!of_library.contains(&cfg("debug_assertions", None)));
    assert!(!of_library.contains(&cfg("test", None)));
    assert!(toolchain.cfg(test).unwrap().contains(&cfg("test", None)));
}

#[test]
fn a_build_that_fails_is_a_result_with_places_in_the_source() {
    let scratch = packages::workspace();
    scratch.write(
        "outside/src/lib.rs",
        "pub fn outside() -> i32 {\n    unknown\n}\n",
    );
    let captured = scratch.capture(&scratch.call("ws", "build", &[]));
    assert!(!captured.outcome.success());
    let error = captured
        .diagnostics
        .iter()
        .find(|message| message.level == Level::Error)
        .unwrap();
    assert_eq!(error.code(), Some("E0425"));
    let span = error.primary_spans().next().unwrap();
    assert_eq!(span.file, Path::new("outside/src/lib.rs"));
    assert_eq!((span.line, span.column), (2, 5));
    assert_eq!((span.byte_start, span.byte_end), (30, 37));
    assert_eq!(captured.units.len(), 1);
}

#[test]
fn the_users_own_wrapper_still_runs() {
    let scratch = packages::library();
    let log = scratch.directory.path().join("log");
    let wrapper = scratch.directory.path().join("wrap.sh");
    let script = format!(
        "#!/bin/sh\necho \"$@\" >> '{}'\nexec \"$@\"\n",
        log.display()
    );
    fs::write(&wrapper, script).unwrap();
    fs::set_permissions(
        &wrapper,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let config = format!("build.rustc-wrapper = '{}'", wrapper.display());
    scratch.write(".cargo/config.toml", &config);
    let captured = scratch.capture(&scratch.call("", "build", &[]));
    assert!(captured.outcome.success());
    assert_eq!(captured.units.len(), 1);
    let log = fs::read_to_string(&log).unwrap();
    assert!(log.contains("--crate-name a_lib"), "{log}");
}

#[test]
fn a_workspace_wrapper_runs_and_is_told_from_the_compiler() {
    let scratch = packages::library();
    let wrapper = scratch.directory.path().join("wrap.sh");
    fs::write(&wrapper, "#!/bin/sh\nexec \"$@\"\n").unwrap();
    fs::set_permissions(
        &wrapper,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let mut call = scratch.call("", "build", &[]);
    call.env.push((
        "RUSTC_WORKSPACE_WRAPPER".into(),
        Some(wrapper.clone().into()),
    ));
    let captured = scratch.capture(&call);
    let library = &captured.units[unit(&captured, "a_lib", false)];
    assert_eq!(
        library.workspace_wrapper.as_deref(),
        Some(wrapper.as_path())
    );
    assert_eq!(library.rustc.file_stem().unwrap(), "rustc");
}

#[test]
fn a_build_script_that_compiles_probes_adds_no_units() {
    let scratch = Scratch::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"probing\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        ),
        (
            "build.rs",
            "use std::process::Command;\nfn main() {\n    let wrapper = std::env::var(\"RUSTC_WRAPPER\").unwrap();\n    let out = std::env::var(\"OUT_DIR\").unwrap();\n    let status = Command::new(wrapper).arg(std::env::var(\"RUSTC\").unwrap())\n        .args([\"--crate-name\", \"probe\", \"--crate-type=lib\", \"-C\", \"metadata=x\", \"--out-dir\", &out, \"probe.rs\"])\n        .status().unwrap();\n    assert!(status.success());\n    println!(\"cargo::rustc-env=PROBED={}\", std::path::Path::new(&out).join(\"libprobe.rlib\").exists());\n}\n",
        ),
        ("probe.rs", "pub fn probe() {}\n"),
        ("src/lib.rs", "pub const PROBED: &str = env!(\"PROBED\");\n"),
    ]);
    let captured = scratch.capture(&scratch.call("", "build", &[]));
    assert!(captured.outcome.success(), "{captured:#?}");
    let mut names: Vec<_> = captured
        .units
        .iter()
        .map(|unit| unit.crate_name.as_str())
        .collect();
    names.sort();
    assert_eq!(names, ["build_script_build", "probing"]);
    let probing = &captured.units[unit(&captured, "probing", false)];
    assert!(probing.env.contains(&("PROBED".into(), "true".into())));
}

#[test]
fn registry_dependencies_are_neither_units_nor_built_again() {
    let scratch = packages::registry_dependency();
    let call = scratch.call("", "test", &["--no-run", "--lib"]);
    let built = || {
        let directory = scratch.directory.path().join("target dir/debug/deps");
        let files = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap());
        let far = files.filter(|file| file.file_name().to_string_lossy().starts_with("libfar"));
        let times = far.map(|file| {
            (
                file.file_name(),
                file.metadata().unwrap().modified().unwrap(),
            )
        });
        times.collect::<std::collections::BTreeMap<_, _>>()
    };
    let first = scratch.capture(&call);
    let before = built();
    assert!(!before.is_empty());
    let second = scratch.capture(&call);
    assert_eq!(built(), before);
    for captured in [first, second] {
        let names: Vec<_> = captured
            .units
            .iter()
            .map(|unit| unit.crate_name.as_str())
            .collect();
        assert_eq!(names, ["near"]);
    }
}
