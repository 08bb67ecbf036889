//! What a tool shows on the original, and what follows from it for candidates.

use std::cell::RefCell;
use std::time::Duration;

use super::patience;
use crate::exec::Outcome;
use crate::property::contrast::Elsewhere;
use crate::property::crash::{How, Seen};
use crate::property::hang;
use crate::property::tool_signature::ToolSignature;
use crate::report::Failure;
use crate::request::{IceSelection, Request, Sought, Tool};
use crate::subject::Subject;

/// The failure, and how long a candidate may take to show it.
pub(super) struct Baseline {
    pub(super) signature: ToolSignature,
    pub(super) timeout: Duration,
    /// The tool does not end, and uses the processor all that time.
    pub(super) busy: bool,
}

/// How long the original may take.
pub(super) fn time_for_the_original(request: &Request, usual: Duration) -> Duration {
    request.trial_timeout.unwrap_or(usual)
}

/// What to make of `seen`; `None` if it is not what `selection` is after. `idle` says how long the tool takes for next to
/// nothing.
///
/// # Errors
///
/// Those of `idle`.
pub(super) fn baseline(
    request: &Request,
    selection: &IceSelection,
    seen: &Seen,
    outcome: &Outcome,
    idle: impl FnOnce() -> Result<Duration, Failure>,
) -> Result<Option<Baseline>, Failure> {
    let timed_out = seen
        .crash
        .as_ref()
        .is_some_and(|crash| crash.how == How::Hang);
    let hangs = match selection.sought {
        Sought::Hang => true,
        Sought::Crash => timed_out,
        _ => false,
    };
    if !hangs {
        let signature = ToolSignature::of(seen, selection);
        return Ok(signature.map(|signature| Baseline {
            signature,
            timeout: patience(request, outcome.wall),
            busy: false,
        }));
    }
    // On a machine with much to do the clock says little of a tool that uses the processor, and all of one that waits.
    let busy = outcome.cpu >= outcome.wall / 8;
    let took = match request.trial_timeout {
        None if busy => outcome.cpu,
        _ => outcome.wall,
    };
    let threshold = hang::threshold(took, idle()?, request.trial_timeout);
    Ok(threshold.map(|timeout| Baseline {
        signature: ToolSignature::hang(seen, selection),
        timeout,
        busy,
    }))
}

/// Runs the original with all other toolchains.
///
/// # Errors
///
/// When the failure shows there too, or the code does not compile there as it should.
pub(super) fn contrasted(
    elsewhere: &RefCell<Vec<Elsewhere>>,
    signature: &ToolSignature,
    original: &Subject,
) -> Result<(), Failure> {
    for other in elsewhere.borrow_mut().iter_mut() {
        let (seen, _) = other.run.observe(original, None)?;
        if let Some(objection) = other.objection(&seen, signature) {
            return Err(Failure::NoContrast {
                toolchain: other.toolchain.clone(),
                objection,
                output: seen.text,
            });
        }
    }
    Ok(())
}

/// What there is none of, when what `selection` is after does not show.
pub(super) fn absent(selection: &IceSelection) -> String {
    let tool = match selection.tool {
        Tool::Rustc => "the compiler",
        Tool::Rustdoc => "rustdoc",
        Tool::Clippy => "clippy",
        Tool::Rustfmt => "rustfmt",
        Tool::Miri => "miri",
    };
    match &selection.sought {
        Sought::Crash => format!("{tool} does not crash"),
        Sought::Hang => format!("{tool} does not take too long"),
        Sought::Error(code) => format!("{tool} does not report {code}"),
        Sought::Stderr(pattern) => format!("nothing that matches `{pattern}` is printed"),
    }
}

/// What a toolchain is called: the one in use, as rustup was told, if it is `None`.
pub(super) fn name(toolchain: Option<&str>) -> String {
    toolchain
        .map(str::to_owned)
        .or_else(|| std::env::var("RUSTUP_TOOLCHAIN").ok())
        .unwrap_or_else(|| "the default toolchain".to_owned())
}

/// The failure's title with the toolchains on which it does not show.
pub(super) fn title(signature: &ToolSignature, elsewhere: &[Elsewhere]) -> String {
    let mut title = signature.title();
    for (at, other) in elsewhere.iter().enumerate() {
        title.push_str(if at == 0 { "; not on " } else { ", not on " });
        title.push_str(&other.toolchain);
        if other.compiles {
            title.push_str(", where it compiles");
        }
    }
    title
}
