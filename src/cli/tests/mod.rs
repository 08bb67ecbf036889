//! The command line without a process: a fake in place of the engine, streams in memory.

mod batch;
mod parsing;
mod telling;
mod usage;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::{Console, Exit, Stream, run_by};
use crate::minimize::{Algorithm, ComplementOrder, InitialProbability, SplitFactor};
use crate::report::example::summary;
use crate::report::{Event, Failure, Observer, Status, Summary, TrialOutcome};
use crate::request::{
    Contrast, ErrorPolicy, IceMatch, IceSelection, PropertyRequest, Request, ScriptSelection,
    Sought, TestSelection, TestTarget, Tool,
};

/// What one run of the program did.
struct Ran {
    exit: Exit,
    out: String,
    err: String,
    /// What the engine was asked for, if it was.
    request: Option<Request>,
}

impl Ran {
    fn request(self) -> Request {
        match self.request {
            Some(request) => request,
            None => panic!("not a valid command line:\n{}", self.err),
        }
    }

    fn test(self) -> TestSelection {
        match self.request().property {
            PropertyRequest::Test(test) => test,
            other => panic!("not a test: {other:?}"),
        }
    }

    fn script(self) -> ScriptSelection {
        match self.request().property {
            PropertyRequest::Script(script) => script,
            other => panic!("not a script: {other:?}"),
        }
    }

    fn ice(self) -> IceSelection {
        match self.request().property {
            PropertyRequest::Ice(ice) => ice,
            other => panic!("not an ICE: {other:?}"),
        }
    }
}

type Reduction<'a> = &'a dyn Fn(&mut dyn Observer) -> Result<Summary, Failure>;
type Engine<'a> = &'a dyn Fn(&Request, &mut dyn Observer) -> Result<Summary, Failure>;

/// Runs `cargo-reduce` with `line` split at spaces, under `variables`, terminals or not.
fn ran_with(
    line: &str,
    variables: &[(&str, &str)],
    terminal: bool,
    reduction: Reduction<'_>,
) -> Ran {
    ran_by(line, variables, terminal, &|_, observer| {
        reduction(observer)
    })
}

/// The same with an engine that is told what to do.
fn ran_by(line: &str, variables: &[(&str, &str)], terminal: bool, engine: Engine<'_>) -> Ran {
    let args = std::iter::once("cargo-reduce")
        .chain(line.split_whitespace())
        .map(OsString::from);
    let (mut out, mut err, mut request) = (Vec::new(), Vec::new(), None);
    let mut console = Console {
        out: Stream {
            writer: &mut out,
            is_terminal: terminal,
        },
        err: Stream {
            writer: &mut err,
            is_terminal: terminal,
        },
        live: None,
        width: Some(100),
    };
    let lookup = |name: &str| {
        variables
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| (*value).to_owned())
    };
    let clock = Arc::new(|| Duration::from_millis(12_300));
    let exit = run_by(clock, args, &lookup, &mut console, |asked, observer| {
        request = Some(asked.clone());
        engine(asked, observer)
    });
    // Everything that is written is UTF-8, or the test fails here.
    Ran {
        exit,
        out: String::from_utf8(out).unwrap(),
        err: String::from_utf8(err).unwrap(),
        request,
    }
}

fn ran(line: &str) -> Ran {
    ran_with(line, &[], false, &|_| Ok(summary(Status::Reduced)))
}
