//! Turns the command line into a request, refusing what makes no sense together; prints nothing.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{CommandFactory as _, Error};

use super::arguments::{Arguments, ErrorsChoice, IceMatchChoice, ToolChoice, YesNo};
use crate::minimize::{Algorithm, Settings};
use crate::request::{
    CargoSelection, Contrast, ErrorPolicy, FlakySelection, IceMatch, IceSelection, PropertyRequest,
    Request, ScriptSelection, SearchRequest, Sought, TestSelection, TestTarget, Tool,
};

/// Takes what cargo and rustup put in front of our own arguments: the subcommand's name (`cargo reduce …` runs
/// `cargo-reduce reduce …`) and `+toolchain`, which rustup takes only when it starts cargo.
///
/// Returns the arguments for clap, the program's name first, and the toolchain.
pub(super) fn without_prefix(
    args: impl IntoIterator<Item = OsString>,
) -> (Vec<OsString>, Option<String>) {
    let mut args = args.into_iter();
    let mut kept: Vec<OsString> = vec![args.next().unwrap_or_else(|| "cargo-reduce".into())];
    let mut args = args.peekable();
    let mut toolchain = None;
    let mut named = false;
    while let Some(arg) = args.peek() {
        if !named && arg == "reduce" {
            named = true;
        } else if let Some(name) = arg
            .to_str()
            .and_then(|arg| arg.strip_prefix('+'))
            .filter(|name| !name.is_empty())
        {
            toolchain = Some(name.to_owned());
        } else {
            break;
        }
        args.next();
    }
    kept.extend(args);
    (kept, toolchain)
}

/// The requests that `arguments` make: one, or one for each file.
///
/// # Errors
///
/// A usage error, when they contradict each other in a way that clap cannot see.
pub(super) fn requests(
    arguments: &Arguments,
    toolchain: Option<String>,
) -> Result<Vec<Request>, Error> {
    let files = files(arguments);
    let one = |file: Option<&PathBuf>| request(arguments, toolchain.clone(), file);
    match &files[..] {
        [] => Ok(vec![one(None)?]),
        files => files.iter().map(|file| one(Some(file))).collect(),
    }
}

/// The files to be reduced. `--ice --edition 2021 FILE.rs`: they need not follow the flag.
fn files(arguments: &Arguments) -> Vec<PathBuf> {
    if !of_a_tool(arguments) && arguments.script.is_none() {
        return Vec::new();
    }
    let after_ice = arguments.ice.iter().flatten().cloned();
    // `--compiles-on FILE.rs`: no toolchain has such a name.
    let taken = arguments.compiles_on.iter().flatten();
    let taken = taken.filter(|name| name.ends_with(".rs"));
    let others = taken.chain(&arguments.filter).map(PathBuf::from);
    after_ice.chain(others).collect()
}

/// Whether what fails is what a compiler or another tool shows.
fn of_a_tool(arguments: &Arguments) -> bool {
    arguments.ice.is_some()
        || arguments.hang
        || arguments.error.is_some()
        || arguments.stderr.is_some()
}

fn request(
    arguments: &Arguments,
    toolchain: Option<String>,
    file: Option<&PathBuf>,
) -> Result<Request, Error> {
    Ok(Request {
        property: property(arguments, file)?,
        cargo: cargo(arguments, toolchain),
        output: arguments.output.clone(),
        jobs: arguments
            .jobs
            .or_else(|| std::thread::available_parallelism().ok())
            .map_or(1, std::num::NonZero::get),
        seed: arguments.seed,
        time_limit: arguments.time_limit,
        trial_timeout: arguments.timeout,
        search: SearchRequest {
            minimizer: settings(arguments)?,
            traversal: arguments.traversal,
            passes: arguments.passes.clone(),
            flatten: !arguments.no_flatten,
            inline_deps: !arguments.no_inline_deps && !arguments.no_flatten,
            // Names of a test mean something to its author.
            rename: !arguments.no_rename && (arguments.rename || arguments.ice.is_some()),
        },
        keep: arguments.keep.clone(),
        only: arguments.only.clone(),
        resume: arguments.resume,
        broken_syntax: arguments.broken_syntax,
    })
}

fn usage(kind: ErrorKind, message: impl std::fmt::Display) -> Error {
    Arguments::command().error(kind, message)
}

fn property(arguments: &Arguments, file: Option<&PathBuf>) -> Result<PropertyRequest, Error> {
    if of_a_tool(arguments) {
        return ice(arguments, file).map(PropertyRequest::Ice);
    }
    match &arguments.script {
        Some(script) => self::script(arguments, script, file).map(PropertyRequest::Script),
        None => test(arguments).map(PropertyRequest::Test),
    }
}

fn script(
    arguments: &Arguments,
    script: &Path,
    file: Option<&PathBuf>,
) -> Result<ScriptSelection, Error> {
    if let Some(file) = file {
        only_for_a_package(arguments, file)?;
    }
    let given = [
        (!arguments.arguments.is_empty(), "what follows `--`"),
        (arguments.test.is_some(), "`--test`"),
        (arguments.lib, "`--lib`"),
        (arguments.bin.is_some(), "`--bin`"),
        (arguments.example.is_some(), "`--example`"),
        (arguments.bench.is_some(), "`--bench`"),
        (arguments.doc, "`--doc`"),
    ];
    match given.into_iter().find(|(given, _)| *given) {
        Some((_, what)) => Err(usage(
            ErrorKind::ArgumentConflict,
            format!("{what} means nothing to a script, which runs what it likes"),
        )),
        None => Ok(ScriptSelection {
            script: script.to_path_buf(),
            file: file.cloned(),
        }),
    }
}

/// `cargo test`'s way: the filter before `--` or after it, and the test harness's own arguments after it.
fn test(arguments: &Arguments) -> Result<TestSelection, Error> {
    let target = target(arguments);
    let mut filters = arguments.filter.clone();
    let program = matches!(target, TestTarget::Bin(_) | TestTarget::Example(_));
    let mut exact = false;
    let mut harness_arguments = Vec::new();
    // Without a filter it is the program that fails, and what follows `--` is for it alone.
    let rest = match program && filters.is_empty() {
        true => &[][..],
        false => &arguments.arguments[..],
    };
    let mut rest = rest.iter();
    while let Some(argument) = rest.next() {
        if argument == "--exact" {
            exact = true;
        } else if argument.starts_with('-') {
            harness_arguments.push(argument.clone());
            if HARNESS_OPTIONS_WITH_VALUE.contains(&argument.as_str()) {
                harness_arguments.extend(rest.next().cloned());
            }
        } else {
            filters.push(argument.clone());
        }
    }
    let mut filters = filters.into_iter();
    let filter = filters.next();
    // What has no test harness may take any arguments, and which it is only cargo knows.
    let harness = !matches!(target, TestTarget::Test(_) | TestTarget::Bench(_));
    let second_filter = filters.next();
    if let Some(second) = &second_filter
        && (harness || arguments.filter.len() > 1)
    {
        return Err(usage(
            ErrorKind::TooManyValues,
            format!("one test is reduced at a time, and a second filter was given: `{second}`"),
        ));
    }
    if exact && filter.is_none() {
        return Err(usage(
            ErrorKind::MissingRequiredArgument,
            "`--exact` needs the test's full name",
        ));
    }
    Ok(TestSelection {
        target,
        filter,
        exact,
        harness_arguments,
        front_filter: arguments.filter.first().cloned(),
        arguments: arguments.arguments.clone(),
        second_filter,
        matching: arguments.same_bug.matching(),
        scope: arguments.same_bug.scope(),
        guarding: arguments.same_bug.guarding(),
        flaky: arguments.flaky.then(|| FlakySelection {
            min_rate: arguments.min_rate,
            failure: arguments.failure.clone(),
            alpha: arguments.alpha,
            beta: arguments.beta,
            stress: arguments.stress.clone().0,
        }),
    })
}

fn target(arguments: &Arguments) -> TestTarget {
    let named = [
        (&arguments.test, TestTarget::Test as fn(String) -> _),
        (&arguments.bin, TestTarget::Bin),
        (&arguments.example, TestTarget::Example),
        (&arguments.bench, TestTarget::Bench),
    ];
    let named = named
        .into_iter()
        .find_map(|(name, target)| name.clone().map(target));
    match named {
        Some(target) => target,
        None if arguments.lib => TestTarget::Lib,
        None if arguments.doc => TestTarget::Doc,
        None => TestTarget::Any,
    }
}

/// Options of the standard test harness whose value is the next argument.
const HARNESS_OPTIONS_WITH_VALUE: [&str; 7] = [
    "--skip",
    "--test-threads",
    "--logfile",
    "--color",
    "--format",
    "--shuffle-seed",
    "-Z",
];

fn ice(arguments: &Arguments, file: Option<&PathBuf>) -> Result<IceSelection, Error> {
    match file {
        Some(file) => only_for_a_package(arguments, file)?,
        None if arguments.edition.is_some() => {
            return Err(usage(
                ErrorKind::MissingRequiredArgument,
                "`--edition` is for `--ice FILE.rs`; a package says its edition in Cargo.toml",
            ));
        }
        None if arguments.tool == ToolChoice::Rustfmt => {
            return Err(usage(
                ErrorKind::MissingRequiredArgument,
                "rustfmt works on a file: name it",
            ));
        }
        None => {}
    }
    let mut cargo_or_rustc = arguments.arguments.clone();
    // Cargo's own target selection, named before `--` as in `cargo check --lib`.
    cargo_or_rustc.extend(arguments.lib.then(|| "--lib".to_owned()));
    for (flag, name) in [
        ("--test", &arguments.test),
        ("--bin", &arguments.bin),
        ("--example", &arguments.example),
        ("--bench", &arguments.bench),
    ] {
        cargo_or_rustc.extend(name.iter().flat_map(|name| [flag.to_owned(), name.clone()]));
    }
    Ok(IceSelection {
        sought: match (arguments.hang, &arguments.error, &arguments.stderr) {
            (true, ..) => Sought::Hang,
            (_, Some(code), _) => Sought::Error(code.clone()),
            (_, _, Some(pattern)) => Sought::Stderr(pattern.clone()),
            _ => Sought::Crash,
        },
        tool: match arguments.tool {
            ToolChoice::Rustc => Tool::Rustc,
            ToolChoice::Rustdoc => Tool::Rustdoc,
            ToolChoice::Clippy => Tool::Clippy,
            ToolChoice::Rustfmt => Tool::Rustfmt,
            ToolChoice::Miri => Tool::Miri,
        },
        contrasts: contrasts(arguments)?,
        memory_limit: arguments.memory_limit,
        query_depth: arguments.backtrace_match,
        file: file.cloned(),
        edition: arguments.edition.clone(),
        arguments: cargo_or_rustc,
        matching: match arguments.ice_match {
            IceMatchChoice::Location => IceMatch::Location,
            IceMatchChoice::Message => IceMatch::Message,
            IceMatchChoice::Exact => IceMatch::Exact,
            IceMatchChoice::Any => IceMatch::Any,
        },
        errors: match arguments.errors {
            ErrorsChoice::Auto => ErrorPolicy::Auto,
            ErrorsChoice::Same => ErrorPolicy::Same,
            ErrorsChoice::Any => ErrorPolicy::Any,
            ErrorsChoice::None => ErrorPolicy::None,
        },
    })
}

/// `--only-on` and `--compiles-on`, which may be about the same toolchain or about two.
fn contrasts(arguments: &Arguments) -> Result<Vec<Contrast>, Error> {
    let compiles = arguments.compiles_on.as_ref();
    let named = compiles
        .and_then(Option::as_ref)
        .filter(|name| !name.ends_with(".rs"));
    let contrast = |name: &String, compiles: bool, either: bool| Contrast {
        toolchain: Some(name.trim_start_matches('+').to_owned()),
        compiles,
        either,
    };
    let mut found = Vec::new();
    if let Some(name) = &arguments.only_on {
        let plain = |name: &str| name.trim_start_matches('+').to_owned();
        let same = compiles.is_some() && named.is_none_or(|other| plain(other) == plain(name));
        found.push(contrast(name, same, true));
    } else if compiles.is_some() && named.is_none() {
        return Err(usage(
            ErrorKind::MissingRequiredArgument,
            "`--compiles-on` needs a toolchain, unless `--only-on` names it",
        ));
    }
    found.extend(
        named
            .filter(|_| !found.first().is_some_and(|first| first.compiles))
            .map(|name| contrast(name, true, false)),
    );
    Ok(found)
}

/// Refuses cargo's flags for a single file, which rustc alone compiles: they would change nothing.
fn only_for_a_package(arguments: &Arguments, file: &Path) -> Result<(), Error> {
    let given = [
        ("--package", !arguments.package.is_empty()),
        ("--manifest-path", arguments.manifest_path.is_some()),
        ("--features", !arguments.features.is_empty()),
        ("--all-features", arguments.all_features),
        ("--no-default-features", arguments.no_default_features),
        ("--release", arguments.release),
        ("--profile", arguments.profile.is_some()),
        ("--locked", arguments.locked),
        ("--frozen", arguments.frozen),
        ("--offline", arguments.offline),
        ("--lib", arguments.lib),
        ("--test", arguments.test.is_some()),
        ("--bin", arguments.bin.is_some()),
        ("--example", arguments.example.is_some()),
        ("--bench", arguments.bench.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(usage(
            ErrorKind::ArgumentConflict,
            format!(
                "`{flag}` is for packages, and {} is compiled by rustc alone; rustc's own flags go after `--`",
                file.display()
            ),
        )),
        None => Ok(()),
    }
}

fn cargo(arguments: &Arguments, toolchain: Option<String>) -> CargoSelection {
    let separators = [',', ' '];
    let features = arguments
        .features
        .iter()
        .flat_map(|list| list.split(separators));
    CargoSelection {
        toolchain,
        manifest_path: arguments.manifest_path.clone(),
        packages: arguments.package.clone(),
        features: features
            .filter(|feature| !feature.is_empty())
            .map(str::to_owned)
            .collect(),
        no_default_features: arguments.no_default_features,
        all_features: arguments.all_features,
        profile: if arguments.release {
            Some("release".to_owned())
        } else {
            arguments.profile.clone()
        },
        target: arguments.target.clone(),
        offline: arguments.offline || arguments.frozen,
        locked: arguments.locked || arguments.frozen,
    }
}

/// The minimizer's settings; a setting that the algorithm would not look at is refused, not ignored.
fn settings(arguments: &Arguments) -> Result<Settings, Error> {
    use Algorithm::{ActiveCoarsen, Cdd, Ddmin, OneMin, ProbDd, WProbDd};
    let algorithm = arguments.algorithm;
    let given: [(&str, bool, &[Algorithm]); 5] = [
        ("--split-factor", arguments.split_factor.is_some(), &[Ddmin]),
        ("--subset-tests", arguments.subset_tests.is_some(), &[Ddmin]),
        (
            "--complement-order",
            arguments.complement_order.is_some(),
            &[Ddmin, OneMin],
        ),
        (
            "--initial-probability",
            arguments.initial_probability.is_some(),
            &[WProbDd, ProbDd, Cdd],
        ),
        ("--shuffle", arguments.shuffle, &[ProbDd]),
    ];
    for (flag, given, users) in given {
        if given && !users.contains(&algorithm) {
            let users: Vec<_> = users.iter().map(|user| user.name()).collect();
            return Err(usage(
                ErrorKind::ArgumentConflict,
                format!(
                    "`{flag}` means nothing to {algorithm}; it is a setting of {}",
                    users.join(", ")
                ),
            ));
        }
    }
    let default = Settings::default();
    // ActiveCoarsen is random by nature.
    let random = arguments.shuffle || algorithm == ActiveCoarsen;
    Ok(Settings {
        algorithm,
        split_factor: arguments.split_factor.unwrap_or(default.split_factor),
        subset_tests: arguments
            .subset_tests
            .map_or(default.subset_tests, |choice| choice == YesNo::Yes),
        complement_order: arguments
            .complement_order
            .unwrap_or(default.complement_order),
        initial_probability: arguments
            .initial_probability
            .unwrap_or(default.initial_probability),
        one_minimal: !arguments.no_one_minimal,
        shuffle: random.then_some(arguments.seed),
        ..default
    })
}
