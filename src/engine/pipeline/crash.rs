//! A package that crashes the compiler, or shows an error, by rustc calls that are replayed.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::alone::{Alone, NAME, stands_alone, write};
use super::by_cargo;
use super::inlining::Pump;
use super::shown::{self, baseline, contrasted};
use super::tools;
use super::{Facts, Search, output, places, shell_words, summed_up_alone};
use crate::build::{Captured, Emit};
use crate::engine::package::{Package, limits};
use crate::engine::taken_in::What;
use crate::engine::trim::{self, Compared};
use crate::exec::{Cancel, Limits, Outcome};
use crate::property::by_cargo::{ByCargo, Wanted};
use crate::property::contrast::Contrasted;
use crate::property::crash::Seen;
use crate::property::ice_package::IcePackage;
use crate::property::replayed::{self, Replayed};
use crate::property::tool_signature::ToolSignature;
use crate::report::{Event, Failure, Observer, Status, Summary};
use crate::request::{IceSelection, Request, Sought, Tool};
use crate::subject::Subject;
use crate::subject::place::Place;

/// A cargo command that crashes the compiler.
struct Crashing {
    words: Vec<String>,
    captured: Captured,
}

pub(super) fn reduce(
    request: &Request,
    selection: &IceSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
    let mut package = Package::copied(request, observer, cancel)?;
    package.limits.memory_bytes = selection.memory_limit;
    if selection.sought == Sought::Hang {
        // Dependencies are built in this time, too.
        package.limits.timeout = request
            .trial_timeout
            .map_or(Duration::from_secs(600), |time| {
                time * 2 + Duration::from_secs(120)
            });
    }
    let commands = tools::of_cargo(selection);
    let printed = matches!(selection.sought, Sought::Stderr(_));
    if printed
        || !commands
            .iter()
            .all(|words| tools::is_compilation(&words[0]))
    {
        return by_cargo::reduce(request, selection, &package, &commands, observer, cancel);
    }
    let mut found = crashing(request, selection, &package, commands, observer, cancel)?;
    let again = |package: &Package, observer: &mut dyn Observer| {
        let commands = vec![found.words.clone()];
        crashing(request, selection, package, commands, observer, cancel)
    };
    let built = (&found.captured, &[][..]);
    let taken = package.taking_in(What::Generated, request, built, observer, again)?;
    found = taken.unwrap_or(found);
    let package = package;
    let (subcommand, rest) = (&found.words[0], &found.words[1..]);
    let flags: Vec<OsString> = rest.iter().map(OsString::from).collect();
    let captured = found
        .captured
        .through_users_wrapper()
        .map_err(replayed::failure)?;
    let captured = Arc::new(captured);
    let emit = match &**subcommand {
        "check" | "c" | "clippy" => Emit::Metadata,
        _ => Emit::Link,
    };
    let command = |toolchain: Option<&String>| {
        let mut words: Vec<OsString> = vec!["cargo".into()];
        words.extend(toolchain.map(|name| format!("+{name}").into()));
        words.push(subcommand.clone().into());
        words.extend(crate::engine::package::selection_flags(&request.cargo));
        words.extend(flags.iter().cloned());
        tools::limited(selection, shell_words(words))
    };
    let shown = command(request.cargo.toolchain.as_ref());

    let own = |captured: &Captured| -> Vec<usize> {
        let own = |at: &usize| captured.units[*at].own && !captured.units[*at].host;
        (0..captured.units.len()).filter(own).collect()
    };
    let units = own(&captured);
    let usual = match selection.sought {
        Sought::Hang => Duration::from_secs(60),
        _ => Duration::from_secs(600),
    };
    let limits_of = |time: Duration| Limits {
        memory_bytes: selection.memory_limit,
        ..limits(time)
    };
    let replayed_in = |captured: &Arc<Captured>, place: Place, directory: &Path, time: Duration| {
        let replayed = Replayed::new(
            place,
            Arc::clone(captured),
            &package.scratch.path().join(directory),
            own(captured),
            emit,
            limits_of(time),
            cancel.clone(),
        );
        replayed.map(|replayed| match selection.tool {
            // Its lints are warnings, and what is allowed is not looked for.
            Tool::Clippy => replayed.with_warnings(),
            _ => replayed,
        })
    };
    let holding = |captured: &Captured, subject: &Subject| {
        Place::holding(captured.root.clone(), subject.clone())
    };
    let original = &package.subject;
    let time = shown::time_for_the_original(request, usual);
    let place = holding(&captured, original);
    let mut oracle = IcePackage::new(replayed_in(&captured, place, Path::new("replay"), time)?);
    let (seen, judged) = oracle.observe(original, None)?;
    let outcome = Outcome {
        cpu: judged.cpu,
        wall: judged.wall,
        ..captured.outcome.clone()
    };
    let idle = || Ok(Duration::ZERO);
    let Some(base) = baseline(request, selection, &seen, &outcome, idle)? else {
        if selection.sought == Sought::Hang {
            return Err(Failure::NoCrash {
                what: shown::absent(selection),
                commands: vec![shown],
                output: seen.text,
            });
        }
        observer.event(&Event::Note(
            "rustc alone does not show the failure: cargo is run for every trial, which takes longer",
        ));
        let commands = [found.words.clone()];
        return by_cargo::reduce(request, selection, &package, &commands, observer, cancel);
    };
    let signature = base.signature;
    oracle.set_signature(signature.clone());
    oracle.set_limits(limits_of(base.timeout), base.busy);
    let elsewhere = by_cargo::elsewhere(request, selection, &package, &found.words, cancel);
    let elsewhere = RefCell::new(elsewhere);
    contrasted(&elsewhere, &signature, original)?;
    let title = shown::title(&signature, &elsewhere.borrow());
    observer.event(&Event::Baseline {
        runs: 1,
        signature: &title,
        tokens: package.subject.tokens(),
        files: package.subject.source_files(),
        wall: judged.wall,
    });

    let judge_place = package.scratch.path().join("judge");
    let mut call = package
        .cargo(&request.cargo, subcommand)
        .flags(flags.iter().cloned());
    call.cwd = judge_place.join(&package.package);
    let build_time = match signature.is_hang() {
        // Everything else is built by now, or nearly so.
        true => base.timeout * 2 + Duration::from_secs(10),
        false => Duration::from_secs(3600),
    };
    let mut by_cargo = ByCargo::new(
        Place::new(&judge_place),
        call,
        Wanted::Shown(Box::new(signature.clone())),
        limits_of(build_time),
        cancel.clone(),
    );
    let trimmed = trim::trimmed(
        &package,
        &captured,
        &units,
        Compared::NoFile,
        &mut by_cargo,
        observer,
    )?;
    if trimmed.build_changed {
        let call = package
            .cargo(&request.cargo, subcommand)
            .flags(flags.iter().cloned());
        let again = package.recapture(&trimmed.subject, &call, observer, cancel)?;
        let again = Arc::new(again.through_users_wrapper().map_err(replayed::failure)?);
        let place = holding(&again, &trimmed.subject);
        let replayed = replayed_in(&again, place, Path::new("replay-trimmed"), base.timeout)?;
        let mut without = IcePackage::new(replayed);
        without.set_signature(signature.clone());
        without.set_limits(limits_of(base.timeout), base.busy);
        oracle = without;
    }
    let shared = oracle.replayed().shared();
    let others = places(request, selection, package.scratch.path()).map(|directory| {
        let place = Place::new(directory.join(shared.root.file_name().unwrap_or_default()));
        let replayed = replayed_in(&shared, place, &directory.join("replay"), base.timeout);
        replayed.map(IcePackage::new)
    });
    let others = others.collect::<Result<Vec<IcePackage>, Failure>>()?;
    let mut oracle = oracle.beside(others);
    let joints = {
        let replayed = oracle.replayed();
        package.joints(replayed.captured(), replayed.units())
    };
    let unit = oracle.last_unit().cloned();
    let mut oracle = Contrasted {
        here: &mut oracle,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let mut last = Contrasted {
        here: &mut by_cargo,
        elsewhere: &elsewhere,
        signature: &signature,
    };
    let output = output(request, Some(&package), &package.name);
    let mut ended = Search {
        request,
        start: trimmed.subject,
        fixed: trimmed.fixed,
        untouched: Vec::new(),
        conditions: package.conditions(&captured, &units),
        joints,
        protected: Vec::new(),
        oracle: &mut oracle,
        last: Some(&mut last),
        cancel,
        output: output.clone(),
        scratch: package.scratch.path(),
        started,
        manifest_trials: 60,
        pump: Some(Pump {
            request,
            selection,
            package: &package.package,
            host: captured.toolchain.as_ref().map(|found| found.host.clone()),
            class: signature.class(),
            scratch: package.scratch.path().join("inlining"),
            cancel,
        }),
        schedule: &mut |engine| engine.reduce_crash(signature.report()),
    }
    .run(observer)?;
    let mut alone = None;
    if let Some(source) = only_source(&ended.best)
        && let (Some(unit), Some(toolchain)) = (&unit, &captured.toolchain)
        && stands_alone(selection, &signature)
        // What is no rustc takes other flags.
        && unit.workspace_wrapper.is_none()
        && ended.status != Status::Interrupted
    {
        let search = Alone {
            rustc: &toolchain.rustc,
            toolchain: request.cargo.toolchain.as_deref(),
            flags: unit.flags(),
            signature: &signature,
            settings: &request.search.minimizer,
            timeout: base.timeout,
            scratch: package.scratch.path().join("alone"),
            cancel,
        };
        let trials;
        (alone, trials) = search.search(source, Path::new(NAME), None)?;
        ended.counts.trials += trials;
        if alone.is_some() {
            write(&output, source)?;
        }
    }
    let facts = Facts {
        request,
        kind: signature.kind(),
        subject: package.title.clone(),
        command: shown,
        directory: output.join("reduced").join(&package.package),
        signature: title,
        class: signature.class(),
        original: &package.subject,
        toolchain: captured
            .toolchain
            .as_ref()
            .map(|found| found.verbose_version.clone())
            .unwrap_or_default(),
        output,
        started,
    };
    summed_up_alone(facts, ended, alone)
}

/// The text of the only Rust file there is.
fn only_source(subject: &Subject) -> Option<&str> {
    let mut sources = subject
        .sources()
        .filter(|(_, file, _)| !file.source().trim().is_empty());
    let (_, file, _) = sources.next()?;
    sources.next().is_none().then(|| file.source())
}

/// The cargo command that the user gave, or the first of those worth trying that crashes.
fn crashing(
    request: &Request,
    selection: &IceSelection,
    package: &Package,
    commands: Vec<Vec<String>>,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Crashing, Failure> {
    let mut tried = Vec::new();
    let mut printed = String::new();
    for words in commands {
        let flags: Vec<OsString> = words[1..].iter().map(OsString::from).collect();
        let call = package
            .cargo(&request.cargo, &words[0])
            .flags(flags.iter().cloned());
        let captured = package.capture(&call, observer, cancel)?;
        // How long it takes is seen when what needs that time is compiled alone.
        let hangs = selection.sought == Sought::Hang;
        let seen = seen(&captured);
        if hangs || ToolSignature::of(&seen, selection).is_some() {
            return Ok(Crashing { words, captured });
        }
        tried.push(format!("cargo {}", shell_words(&words)));
        printed = seen.text;
    }
    Err(Failure::NoCrash {
        what: shown::absent(selection),
        commands: tried,
        output: printed,
    })
}

/// What a build by cargo showed.
fn seen(captured: &Captured) -> Seen {
    let rendered = captured
        .diagnostics
        .iter()
        .filter_map(|found| found.rendered.as_deref());
    let mut text: String = rendered.collect();
    text.push_str(&String::from_utf8_lossy(&captured.outcome.stderr));
    Seen::of(&Outcome {
        stderr: text.into_bytes(),
        ..captured.outcome.clone()
    })
}
