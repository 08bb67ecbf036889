//! The command line: arguments in, exit code out, and everything printed in between; knows nothing of how to reduce.

mod arguments;
mod batch;
mod console;
mod exit;
mod interpret;
mod same_bug;
mod signals;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::{CommandFactory as _, FromArgMatches as _};
use indicatif::ProgressDrawTarget;

pub use console::{Console, LiveTarget, Stream, Variables};
pub use exit::Exit;

use crate::exec::Cancel;
use crate::report::{
    BatchEntry, Clock, Event, Failure, Human, JsonLines, LiveLine, Observer, Screen, Summary,
    Verbosity, batch_text, failure_text, summary_text,
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
    reduce: impl FnMut(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> ExitCode {
    let (mut out, mut err) = (io::stdout(), io::stderr());
    // Without handlers a signal ends the process as it always would: worse, but no reason not to reduce.
    if let Err(error) = signals::watch(cancel, kill) {
        eprintln!("warning: Ctrl-C will lose the report, since signals cannot be handled: {error}");
    }
    let out_is_terminal = out.is_terminal();
    let err_is_terminal = err.is_terminal();
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
        live: err_is_terminal.then_some(Box::new(|| {
            let terminal = ::console::Term::stderr();
            LiveTarget {
                target: ProgressDrawTarget::stderr_with_hz(10),
                width: Arc::new(move || usize::from(terminal.size().1)),
                refresh: Some(Duration::from_millis(200)),
            }
        })),
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
    reduce: impl FnMut(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
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
    reduce: impl FnMut(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
) -> Exit {
    let (args, toolchain) = interpret::without_prefix(args);
    let color = color_of(&args);
    let parsed = parse(args, console.width).and_then(|arguments| {
        let requests = interpret::requests(&arguments, toolchain)?;
        Ok((arguments, requests))
    });
    match parsed {
        Ok((arguments, requests)) => {
            let mut program = Program {
                clock: &clock,
                arguments: &arguments,
                variables,
                console,
                reduce,
            };
            match <[Request; 1]>::try_from(requests) {
                Ok([request]) => program.one(&request),
                Err(requests) => program.several(requests),
            }
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

/// A command line that makes sense, and where it was given.
struct Program<'a, 'c, R> {
    clock: &'a Clock,
    arguments: &'a Arguments,
    variables: Variables<'a>,
    console: &'a mut Console<'c>,
    reduce: R,
}

impl<R> Program<'_, '_, R>
where
    R: FnMut(&Request, &mut dyn Observer) -> Result<Summary, Failure>,
{
    fn one(&mut self, request: &Request) -> Exit {
        let outcome = self.reduced(request);
        match outcome {
            Ok(summary) => {
                self.summed_up(&summary);
                summary.status.into()
            }
            Err(failure) => {
                self.failed(&failure);
                Exit::from(&failure)
            }
        }
    }

    /// One after the other. What one of them comes to changes nothing for the next, unless the user has had enough.
    fn several(&mut self, requests: Vec<Request>) -> Exit {
        let inputs = batch::apart(requests);
        let of = inputs.len();
        let mut entries: Vec<BatchEntry> = Vec::new();
        for (at, (input, request)) in inputs.into_iter().enumerate() {
            if entries.iter().any(batch::is_stopped) {
                entries.push(BatchEntry { input, came: None });
                continue;
            }
            self.next(&input, at + 1, of);
            let came = self.reduced(&request);
            match &came {
                Ok(summary) if self.verbosity() == Verbosity::Verbose => self.summed_up(summary),
                Ok(_) => {}
                Err(failure) => self.failed(failure),
            }
            entries.push(BatchEntry {
                input,
                came: Some(came.map(Box::new)),
            });
        }
        match self.arguments.message_format {
            MessageFormat::Json => {
                JsonLines::new(self.console.out.writer, Arc::clone(self.clock))
                    .batch_finished(&entries);
            }
            MessageFormat::Human => {
                let style = self.console.out.style(self.arguments.color, self.variables);
                self.console.out.write(&batch_text(&entries, style));
            }
        }
        batch::exit(&entries)
    }

    fn verbosity(&self) -> Verbosity {
        match (self.arguments.quiet, self.arguments.verbose) {
            (true, _) => Verbosity::Quiet,
            (false, 0) => Verbosity::Normal,
            (false, _) => Verbosity::Verbose,
        }
    }

    /// Says which input comes next.
    fn next(&mut self, input: &Path, number: usize, of: usize) {
        match self.arguments.message_format {
            MessageFormat::Json => {
                JsonLines::new(self.console.out.writer, Arc::clone(self.clock))
                    .input(input, number, of);
            }
            MessageFormat::Human if self.verbosity() > Verbosity::Quiet => {
                let line = format!("\n{} ({number} of {of})\n", input.display());
                self.console.err.write(&line);
            }
            MessageFormat::Human => {}
        }
    }

    /// What came of it, for people: a program has been told already.
    fn summed_up(&mut self, summary: &Summary) {
        if self.arguments.message_format == MessageFormat::Human {
            let style = self.console.out.style(self.arguments.color, self.variables);
            let text = summary_text(summary, style, self.verbosity());
            self.console.out.write(&text);
        }
    }

    fn failed(&mut self, failure: &Failure) {
        let style = self.console.err.style(self.arguments.color, self.variables);
        self.console.err.write(&failure_text(failure, style));
    }

    /// Reduces, and tells what happens meanwhile.
    fn reduced(&mut self, request: &Request) -> Result<Summary, Failure> {
        let verbosity = self.verbosity();
        let err_style = self.console.err.style(self.arguments.color, self.variables);
        let (clock, variables) = (self.clock, self.variables);
        let reduce = &mut self.reduce;
        let mut reduce = |observer: &mut dyn Observer| without_panic(|| reduce(request, observer));
        match self.arguments.message_format {
            MessageFormat::Json => {
                let mut lines = JsonLines::new(self.console.out.writer, Arc::clone(clock));
                let outcome = reduce(&mut lines);
                match &outcome {
                    Ok(summary) => lines.event(&Event::Finished(summary)),
                    Err(failure) => lines.failed(failure, Exit::from(failure).code()),
                }
                outcome
            }
            MessageFormat::Human => {
                let live = self.console.live.as_ref().filter(|_| {
                    verbosity > Verbosity::Quiet && console::live_line_is_welcome(variables)
                });
                let screen = match live.map(|make| make()) {
                    Some(LiveTarget {
                        target,
                        width,
                        refresh,
                    }) => Screen::Live(LiveLine::new(target, width, Arc::clone(clock), refresh)),
                    None => Screen::Plain(self.console.err.writer),
                };
                let mut human = Human::new(screen, err_style, verbosity, Arc::clone(clock));
                let outcome = reduce(&mut human);
                if let Ok(summary) = &outcome {
                    human.event(&Event::Finished(summary));
                }
                // Takes the live line away before anything else is said.
                drop(human);
                outcome
            }
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
