//! A package on which a tool fails that rustc's command lines do not start – rustdoc, miri –, or of which cargo's own words
//! matter: cargo is run for every trial.

use std::cell::RefCell;
use std::ffi::OsString;
use std::time::{Duration, Instant};

use super::shown::{self, Baseline, baseline, contrasted, time_for_the_original};
use super::{Facts, Search, output, shell_words, summed_up, tools};
use crate::build::CargoCall;
use crate::engine::package::{Package, limits};
use crate::engine::trim::{self, Compared, Trimmed};
use crate::exec::{Cancel, Limits};
use crate::passes::Conditions;
use crate::property::Oracle;
use crate::property::by_command::ByCommand;
use crate::property::contrast::{Contrasted, Elsewhere};
use crate::report::{Event, Failure, Observer, Summary};
use crate::request::{CargoSelection, IceSelection, Request, Sought};
use crate::subject::place::Place;

/// Cargo on a copy of the package, with a place of its own.
fn cargo_at(
    package: &Package,
    cargo: &CargoSelection,
    words: &[String],
    directory: &str,
    limits: Limits,
    cancel: &Cancel,
) -> ByCommand {
    let root = package.scratch.path().join(directory);
    let mut call: CargoCall = package.cargo(cargo, &words[0]).flags(words[1..].iter());
    call.cwd = root.join(&package.package);
    call.target_dir = package.scratch.path().join(format!("{directory}-target"));
    let invocation = call.invocation(&["--color", "never"]);
    ByCommand::new(Place::new(root), invocation, limits, cancel.clone())
}

/// The command `words` of cargo with each toolchain that the failure must not show with.
pub(super) fn elsewhere(
    request: &Request,
    selection: &IceSelection,
    package: &Package,
    words: &[String],
    cancel: &Cancel,
) -> Vec<Elsewhere> {
    let contrasts = selection.contrasts.iter().enumerate();
    let of = |(at, contrast): (usize, &crate::request::Contrast)| {
        let cargo = CargoSelection {
            toolchain: contrast.toolchain.clone(),
            ..request.cargo.clone()
        };
        let directory = format!("elsewhere-{at}");
        let there = contrast.toolchain.as_deref();
        Elsewhere {
            toolchain: shown::name(there),
            run: cargo_at(
                package,
                &cargo,
                words,
                &directory,
                package.limits.clone(),
                cancel,
            ),
            compiles: contrast.compiles,
        }
    };
    contrasts.map(of).collect()
}

/// Reduces by the first of `commands` that shows the failure.
pub(super) fn reduce(
    request: &Request,
    selection: &IceSelection,
    package: &Package,
    commands: &[Vec<String>],
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
    let original = &package.subject;
    let (words, mut here, base, wall) =
        found(request, selection, package, commands, observer, cancel)?;
    let signature = base.signature.clone();
    here.set_signature(signature.clone());
    here.set_timeout(base.timeout, base.busy);
    let elsewhere = RefCell::new(elsewhere(request, selection, package, &words, cancel));
    contrasted(&elsewhere, &signature, original)?;
    let title = shown::title(&signature, &elsewhere.borrow());
    observer.event(&Event::Baseline {
        runs: 2,
        signature: &title,
        tokens: original.tokens(),
        files: original.source_files(),
        wall,
    });
    let ready = trimmed(request, package, &["check"], &mut here, observer, cancel)?;
    let output = output(request, Some(package), &package.name);
    let mut last = here.for_people(Place::new(package.scratch.path().join("last")));
    let mut oracle = Contrasted {
        here: &mut here,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let mut last = Contrasted {
        here: &mut last,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let ended = Search {
        request,
        start: ready.trimmed.subject,
        fixed: ready.trimmed.fixed,
        untouched: Vec::new(),
        joints: Vec::new(),
        manifest_trials: 0,
        pump: None,
        conditions: ready.conditions,
        protected: Vec::new(),
        oracle: &mut oracle,
        last: Some(&mut last),
        cancel,
        output: output.clone(),
        scratch: package.scratch.path(),
        started,
        schedule: &mut |engine| engine.reduce_crash(signature.report()),
    }
    .run(observer)?;
    let toolchain = tools::toolchain(request.cargo.toolchain.as_deref())?;
    let facts = Facts {
        request,
        kind: signature.kind(),
        subject: package.title.clone(),
        command: shown_command(request, selection, &words),
        directory: output.join("reduced").join(&package.package),
        signature: title,
        class: signature.class(),
        original,
        toolchain: toolchain.verbose_version,
        output,
        started,
    };
    summed_up(facts, ended, None)
}

/// The first command that shows what `selection` is after, an oracle that runs it, and how long it took.
fn found(
    request: &Request,
    selection: &IceSelection,
    package: &Package,
    commands: &[Vec<String>],
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<(Vec<String>, ByCommand, Baseline, Duration), Failure> {
    let mut printed = String::new();
    for words in commands {
        observer.event(&Event::Step {
            verb: "Running",
            what: &shown_command(request, selection, words),
        });
        let limits = package.limits.clone();
        let mut here = cargo_at(package, &request.cargo, words, "by-cargo", limits, cancel);
        // Dependencies are built the first time: what it takes is seen the second time.
        let (first, _) = here.observe(&package.subject, None)?;
        let may = match selection.sought {
            Sought::Hang => first.crash.is_some(),
            _ => crate::property::tool_signature::ToolSignature::of(&first, selection).is_some(),
        };
        if may {
            let time = time_for_the_original(request, Duration::from_secs(600));
            here.set_timeout(time, false);
            let (seen, outcome) = here.observe(&package.subject, None)?;
            let idle = || Ok(Duration::ZERO);
            if let Some(base) = baseline(request, selection, &seen, &outcome, idle)? {
                return Ok((words.clone(), here, base, outcome.wall));
            }
        }
        printed = first.text;
    }
    Err(Failure::NoCrash {
        what: shown::absent(selection),
        commands: commands
            .iter()
            .map(|words| shown_command(request, selection, words))
            .collect(),
        output: printed,
    })
}

/// A command as a user would type it.
fn shown_command(request: &Request, selection: &IceSelection, words: &[String]) -> String {
    let mut shown: Vec<OsString> = vec!["cargo".into()];
    let toolchain = request.cargo.toolchain.iter();
    shown.extend(toolchain.map(|name| format!("+{name}").into()));
    shown.push(words[0].clone().into());
    shown.extend(crate::engine::package::selection_flags(&request.cargo));
    shown.extend(words[1..].iter().map(OsString::from));
    tools::limited(selection, shell_words(shown))
}

/// A package without what is not needed, and what is known of the rest.
pub(super) struct Ready {
    pub(super) trimmed: Trimmed,
    pub(super) conditions: Conditions,
}

/// What the package has besides what `judge` needs goes, where a build by `command` tells what that is.
///
/// # Errors
///
/// When cargo cannot be run.
pub(super) fn trimmed(
    request: &Request,
    package: &Package,
    command: &[&str],
    judge: &mut dyn Oracle,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Ready, Failure> {
    let call = package
        .cargo(&request.cargo, command[0])
        .flags(&command[1..]);
    let captured = package.capture(&call, observer, cancel)?;
    let own = |at: &usize| captured.units[*at].own && !captured.units[*at].host;
    let units: Vec<usize> = (0..captured.units.len()).filter(own).collect();
    if units.is_empty() {
        return Ok(Ready {
            trimmed: Trimmed {
                subject: package.subject.clone(),
                fixed: Default::default(),
                build_changed: false,
            },
            conditions: Conditions::default(),
        });
    }
    let conditions = package.conditions(&captured, &units);
    let trimmed = trim::trimmed(
        package,
        &captured,
        &units,
        Compared::NoFile,
        judge,
        observer,
    )?;
    Ok(Ready {
        trimmed,
        conditions,
    })
}

/// What a run of a script may take that builds a package: all of its dependencies, the first time.
pub(super) fn for_a_build() -> Limits {
    limits(Duration::from_secs(3600))
}
