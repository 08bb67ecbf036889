//! A package that crashes the compiler.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Facts, Search, output, patience, shell_words, summed_up};
use crate::build::{Captured, Emit};
use crate::engine::package::{Package, limits};
use crate::engine::trim;
use crate::exec::{Cancel, Outcome};
use crate::property::by_cargo::{ByCargo, Wanted};
use crate::property::crash::{Crash, How, Seen};
use crate::property::ice_package::IcePackage;
use crate::property::replayed::{self, Replayed};
use crate::report::{Event, Failure, Kind, Observer, Summary};
use crate::request::{IceSelection, Request};
use crate::subject::Subject;
use crate::subject::place::Place;

/// A cargo command that crashes the compiler.
struct Crashing {
    subcommand: String,
    flags: Vec<OsString>,
    captured: Captured,
    crash: Crash,
}

pub(super) fn reduce(
    request: &Request,
    selection: &IceSelection,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let started = Instant::now();
    let package = Package::copied(request, observer, cancel)?;
    let found = crashing(request, selection, &package, observer, cancel)?;
    let captured = found
        .captured
        .through_users_wrapper()
        .map_err(replayed::failure)?;
    let captured = Arc::new(captured);
    let emit = match &*found.subcommand {
        "check" | "clippy" => Emit::Metadata,
        _ => Emit::Link,
    };
    let command = |toolchain: Option<&String>| {
        let mut words: Vec<OsString> = vec!["cargo".into()];
        words.extend(toolchain.map(|name| format!("+{name}").into()));
        words.push(found.subcommand.clone().into());
        words.extend(crate::engine::package::selection_flags(&request.cargo));
        words.extend(found.flags.iter().cloned());
        shell_words(words)
    };
    let shown = command(request.cargo.toolchain.as_ref());

    let own = |captured: &Captured| -> Vec<usize> {
        let own = |at: &usize| captured.units[*at].own && !captured.units[*at].host;
        (0..captured.units.len()).filter(own).collect()
    };
    let units = own(&captured);
    let patience_at_first = request.trial_timeout.unwrap_or(Duration::from_secs(600));
    let replayed_in =
        |captured: &Arc<Captured>, holding: &Subject, directory: &str, time: Duration| {
            Replayed::new(
                Place::holding(captured.root.clone(), holding.clone()),
                Arc::clone(captured),
                &package.scratch.path().join(directory),
                own(captured),
                emit,
                limits(time),
                cancel.clone(),
            )
        };
    let original = &package.subject;
    let mut oracle = IcePackage::new(
        replayed_in(&captured, original, "replay", patience_at_first)?,
        selection.matching,
        selection.errors,
    );
    let Some((crash, judged)) = oracle.baseline(&package.subject)? else {
        return Err(Failure::Bug {
            doing: format!("replaying the rustc calls of `{shown}`"),
            why: format!(
                "cargo's own run crashes ({}), the replay does not",
                found.crash.title()
            ),
        });
    };
    oracle
        .replayed()
        .set_limits(limits(patience(request, judged.wall)));
    let report = oracle.report();
    observer.event(&Event::Baseline {
        runs: 1,
        signature: &crash.title(),
        tokens: package.subject.tokens(),
        files: package.subject.source_files(),
        wall: judged.wall,
    });

    let judge_place = package.scratch.path().join("judge");
    let mut call = package
        .cargo(&request.cargo, &found.subcommand)
        .flags(found.flags.iter().cloned());
    call.cwd = judge_place.join(&package.package);
    let wanted = Wanted::Crash {
        crash: crash.clone(),
        matching: selection.matching,
    };
    let mut by_cargo = ByCargo::new(
        Place::new(&judge_place),
        call,
        wanted,
        limits(Duration::from_secs(3600)),
        cancel.clone(),
    );
    let trimmed = trim::trimmed(&package, &captured, &units, &[], &mut by_cargo, observer)?;
    if trimmed.build_changed {
        let call = package
            .cargo(&request.cargo, &found.subcommand)
            .flags(found.flags.iter().cloned());
        let again = package.recapture(&trimmed.subject, &call, observer, cancel)?;
        let again = Arc::new(again.through_users_wrapper().map_err(replayed::failure)?);
        let replayed = replayed_in(
            &again,
            &trimmed.subject,
            "replay-trimmed",
            patience(request, judged.wall),
        )?;
        let mut without = IcePackage::new(replayed, selection.matching, selection.errors);
        without.baseline(&trimmed.subject)?;
        oracle = without;
    }
    let output = output(request, Some(&package), &package.name);
    let ended = Search {
        request,
        start: trimmed.subject,
        fixed: trimmed.fixed,
        conditions: package.conditions(&captured, &units),
        protected: Vec::new(),
        oracle: &mut oracle,
        last: Some(&mut by_cargo),
        cancel,
        output: output.clone(),
        scratch: package.scratch.path(),
        started,
        schedule: &mut |engine| engine.reduce_crash(&report),
    }
    .run(observer)?;
    let facts = Facts {
        request,
        kind: Kind::Ice {
            location: match &crash.how {
                How::Panic(place) => {
                    Some(crash.delayed_at.clone().unwrap_or_else(|| place.clone()))
                }
                _ => None,
            },
        },
        subject: package.title.clone(),
        command: shown,
        directory: output.join("reduced").join(&package.package),
        signature: crash.title(),
        original: &package.subject,
        toolchain: captured
            .toolchain
            .as_ref()
            .map(|found| found.verbose_version.clone())
            .unwrap_or_default(),
        output,
        started,
    };
    summed_up(facts, ended, None)
}

/// The cargo command that the user gave, or the first of those worth trying that crashes.
fn crashing(
    request: &Request,
    selection: &IceSelection,
    package: &Package,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Crashing, Failure> {
    let given = &selection.arguments;
    let words: Vec<Vec<String>> = match given.first() {
        Some(first) if !first.starts_with('-') => vec![given.clone()],
        _ => [&["check"][..], &["build"], &["test", "--no-run"]]
            .iter()
            .map(|words| {
                words
                    .iter()
                    .map(ToString::to_string)
                    .chain(given.iter().cloned())
                    .collect()
            })
            .collect(),
    };
    let mut tried = Vec::new();
    let mut printed = String::new();
    for words in words {
        let flags: Vec<OsString> = words[1..].iter().map(OsString::from).collect();
        let call = package
            .cargo(&request.cargo, &words[0])
            .flags(flags.iter().cloned());
        let captured = package.capture(&call, observer, cancel)?;
        if let Some(crash) = crash_of(&captured) {
            return Ok(Crashing {
                subcommand: words[0].clone(),
                flags,
                captured,
                crash,
            });
        }
        tried.push(format!("cargo {}", shell_words(&words)));
        printed = String::from_utf8_lossy(&captured.outcome.stderr).into_owned();
    }
    Err(Failure::NoCrash {
        commands: tried,
        output: printed,
    })
}

/// The crash that a build by cargo showed.
fn crash_of(captured: &Captured) -> Option<Crash> {
    let rendered = captured
        .diagnostics
        .iter()
        .filter_map(|found| found.rendered.as_deref());
    let mut text: String = rendered.collect();
    text.push_str(&String::from_utf8_lossy(&captured.outcome.stderr));
    let seen = Seen::of(&Outcome {
        stderr: text.clone().into_bytes(),
        ..captured.outcome.clone()
    });
    // Cargo exits normally when a signal killed rustc.
    seen.crash.or_else(|| {
        let signal = text.split("signal: ").nth(1)?;
        let number: String = signal.chars().take_while(char::is_ascii_digit).collect();
        Some(Crash {
            how: How::Signal(number.parse().ok()?),
            message: String::new(),
            delayed_at: None,
            queries: Vec::new(),
        })
    })
}
