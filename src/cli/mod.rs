//! The command line: arguments in, exit code out, and everything printed in between; knows nothing of how to reduce.

mod arguments;
mod console;
mod exit;
mod interpret;
mod signals;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{CommandFactory as _, FromArgMatches as _};
use indicatif::ProgressDrawTarget;

pub use console::{Console, LiveTarget, Stream, Variables};
pub use exit::Exit;

use crate::exec::Cancel;
use crate::report::{
    Clock, Event, Failure, Human, JsonLines, LiveLine, Observer, Screen, Summary, Verbosity,
    failure_text, summary_text,
};
use crate::request::Request;
use arguments::{Arguments, ColorChoice, MessageFormat};

/// The program.
pub fn main() -> ExitCode {
    // As cargo's wrapper around rustc nothing else of this program matters.
    if let Some(code) = crate::build::run_as_wrapper_if_asked() {
        return code;
    }
    let cancel = match Cancel::new() {
        Ok(cancel) => cancel,
        Err(error) => {
            eprintln!("error: preparing to be interrupted: {error}");
            return ExitCode::from(1);
        }
    };
    let first = cancel.clone();
    // Deeply nested source is parsed by recursion: a main thread's stack may be too small for it.
    let work = move || {
        main_with(
            move || first.set(),
            crate::engine::scratch::remove_all,
            move |request, observer| crate::engine::reduce(request, observer, &cancel),
        )
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work);
    match thread.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        // Its panic has been reported already.
        Ok(Err(_)) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: starting a thread: {error}");
            ExitCode::from(1)
        }
    }
}

/// Bytes of address space for the thread that does the work; only what is used is taken.
const STACK: usize = 1 << 30;

/// The program, with the process's own arguments, environment and streams.
///
/// `cancel` is called on the first Ctrl-C or SIGTERM, `kill` on the second, right before the process ends.
pub fn main_with(
    cancel: impl FnOnce() + Send + 'static,
    kill: impl FnOnce() + Send + 'static,
    reduce: impl FnOnce(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> ExitCode {
    let (mut out, mut err) = (io::stdout(), io::stderr());
    // Without handlers a signal ends the process as it always would: worse, but no reason not to reduce.
    if let Err(error) = signals::watch(cancel, kill) {
        eprintln!("warning: Ctrl-C will lose the report, since signals cannot be handled: {error}");
    }
    let out_is_terminal = out.is_terminal();
    let err_is_terminal = err.is_terminal();
    let terminal = ::console::Term::stderr();
    let console = Console {
        width: ::console::Term::stdout()
            .size_checked()
            .map(|(_, columns)| usize::from(columns)),
        out: Stream {
            writer: &mut out,
            is_terminal: out_is_terminal,
        },
        err: Stream {
            writer: &mut err,
            is_terminal: err_is_terminal,
        },
        live: err_is_terminal.then(|| LiveTarget {
            target: ProgressDrawTarget::stderr_with_hz(10),
            width: Arc::new(move || usize::from(terminal.size().1)),
            refresh: Some(Duration::from_millis(200)),
        }),
    };
    run(
        std::env::args_os(),
        &|name| std::env::var(name).ok(),
        console,
        reduce,
    )
    .into()
}

/// The program, with everything that it takes from outside handed in.
///
/// `args` begins with the program's name. `reduce` does the work; whatever it returns is told to the user here, a panic
/// in it included.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    variables: Variables<'_>,
    mut console: Console<'_>,
    reduce: impl FnOnce(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> Exit {
    let start = Instant::now();
    let clock: Clock = Arc::new(move || start.elapsed());
    run_by(clock, args, variables, &mut console, reduce)
}

fn run_by(
    clock: Clock,
    args: impl IntoIterator<Item = OsString>,
    variables: Variables<'_>,
    console: &mut Console<'_>,
    reduce: impl FnOnce(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> Exit {
    let (args, toolchain) = interpret::without_prefix(args);
    let color = color_of(&args);
    let parsed = parse(args, console.width).and_then(|arguments| {
        let request = interpret::request(&arguments, toolchain)?;
        Ok((arguments, request))
    });
    match parsed {
        Ok((arguments, request)) => {
            reduce_and_tell(&clock, &arguments, &request, variables, console, reduce)
        }
        Err(error) => tell_usage(&error, color, variables, console),
    }
}

fn parse(args: Vec<OsString>, width: Option<usize>) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    if let Some(width) = width {
        command = command.term_width(width.min(100));
    }
    Arguments::from_arg_matches(&command.try_get_matches_from(args)?)
}

/// `--color` as far as it can be told before, or without, parsing: for errors of parsing itself.
fn color_of(args: &[OsString]) -> Option<ColorChoice> {
    let mut args = args
        .iter()
        .filter_map(|arg| arg.to_str())
        .take_while(|arg| *arg != "--");
    let mut value = None;
    while let Some(arg) = args.next() {
        value = match arg.strip_prefix("--color") {
            Some("") => args.next(),
            Some(rest) => rest.strip_prefix('='),
            None => value,
        };
    }
    clap::ValueEnum::from_str(value?, false).ok()
}

/// Help and version go to standard output, mistakes to standard error.
fn tell_usage(
    error: &clap::Error,
    color: Option<ColorChoice>,
    variables: Variables<'_>,
    console: &mut Console<'_>,
) -> Exit {
    let stream = if error.use_stderr() {
        &mut console.err
    } else {
        &mut console.out
    };
    let rendered = error.render();
    let text = if stream.style(color, variables).is_coloured() {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    stream.write(&text);
    if error.use_stderr() {
        Exit::Usage
    } else {
        Exit::Success
    }
}

fn reduce_and_tell(
    clock: &Clock,
    arguments: &Arguments,
    request: &Request,
    variables: Variables<'_>,
    console: &mut Console<'_>,
    reduce: impl FnOnce(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> Exit {
    let err_style = console.err.style(arguments.color, variables);
    let out_style = console.out.style(arguments.color, variables);
    let verbosity = match (arguments.quiet, arguments.verbose) {
        (true, _) => Verbosity::Quiet,
        (_, true) => Verbosity::Verbose,
        _ => Verbosity::Normal,
    };
    let reduce = |observer: &mut dyn Observer| without_panic(|| reduce(request, observer));
    let outcome = match arguments.message_format {
        MessageFormat::Json => {
            let mut lines = JsonLines::new(console.out.writer, Arc::clone(clock));
            let outcome = reduce(&mut lines);
            match &outcome {
                Ok(summary) => lines.event(&Event::Finished(summary)),
                Err(failure) => lines.failed(failure, Exit::from(failure).code()),
            }
            outcome
        }
        MessageFormat::Human => {
            let live = console.live.take().filter(|_| {
                verbosity > Verbosity::Quiet && console::live_line_is_welcome(variables)
            });
            let screen = match live {
                Some(LiveTarget {
                    target,
                    width,
                    refresh,
                }) => Screen::Live(LiveLine::new(target, width, Arc::clone(clock), refresh)),
                None => Screen::Plain(console.err.writer),
            };
            let mut human = Human::new(screen, err_style, verbosity, Arc::clone(clock));
            let outcome = reduce(&mut human);
            if let Ok(summary) = &outcome {
                human.event(&Event::Finished(summary));
            }
            // Takes the live line away before anything else is said.
            drop(human);
            if let Ok(summary) = &outcome {
                console
                    .out
                    .write(&summary_text(summary, out_style, verbosity));
            }
            outcome
        }
    };
    match outcome {
        Ok(summary) => summary.status.into(),
        Err(failure) => {
            console.err.write(&failure_text(&failure, err_style));
            Exit::from(&failure)
        }
    }
}

/// A panic is a bug that is told like one, with the exit code of an error.
fn without_panic<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // Nothing that the panic may have left half done is looked at again but the output streams.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
        Err(Failure::Bug {
            doing: "reducing".to_owned(),
            why: panic_message(payload.as_ref()),
        })
    })
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked").to_owned()
}
