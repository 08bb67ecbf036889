//! From request to summary: load, baseline, search, final judgement, report.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::scratch::Scratch;
use super::{Counts, Engine, PassFilter, Scope, Stop, Store, memory};
use crate::exec::{self, Cancel, Invocation, Limits};
use crate::property::crash::How;
use crate::property::{IceFile, Oracle, Verdict};
use crate::report::{Event, Failure, Kind, Observer, Slip, Status, Summary};
use crate::request::{IceSelection, PropertyRequest, Request};
use crate::subject::Subject;
use crate::subject::place::Place;
use crate::syntax::{self, FileId, Text};

/// Runs the reduction that `request` asks for.
///
/// # Errors
///
/// When there is nothing to reduce, or the environment fails: see [`Failure`]. What was found
/// before that lies in the output directory.
pub fn reduce(
    request: &Request,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    match &request.property {
        PropertyRequest::Ice(IceSelection {
            file: Some(file), ..
        }) => ice_file(request, file, observer, cancel),
        _ => Err(Failure::NotAvailableYet {
            what: "this property",
            instead: "use `--ice FILE.rs`",
        }),
    }
}

/// A search that is over, and what it needs to be summed up.
struct Ended {
    status: Status,
    counts: Counts,
    best: Subject,
    one_minimal: bool,
    passes: Vec<crate::report::PassStatistics>,
    slips: Vec<Slip>,
    /// What the last run of the property on the result printed.
    output: String,
}

struct Search<'a> {
    request: &'a Request,
    original: Subject,
    oracle: &'a mut dyn Oracle,
    cancel: &'a Cancel,
    output: PathBuf,
    started: Instant,
    schedule: fn(&mut Engine<'_>) -> Result<(), Stop>,
}

impl Search<'_> {
    fn run(self, observer: &mut dyn Observer) -> Result<Ended, Failure> {
        let request = self.request;
        let (mut store, verdicts) = Store::open(&self.output, request.resume)?;
        store.keep(&self.original)?;
        let scope = Scope::new(&request.keep, &request.only).map_err(|error| Failure::Bug {
            doing: "reading --keep and --only".into(),
            why: error.to_string(),
        })?;
        let before = self.original.tokens();
        let mut engine = Engine {
            oracle: self.oracle,
            observer,
            cancel: self.cancel.clone(),
            deadline: request.time_limit.map(|limit| self.started + limit),
            settings: request.search.minimizer.clone(),
            wanted: PassFilter::new(&request.search.passes),
            scope,
            best: self.original,
            store,
            verdicts,
            refusals: memory::Refusals::default(),
            priors: memory::Priors::default(),
            counts: Counts::default(),
            passes: Vec::new(),
            pass: "",
        };
        let outcome = (self.schedule)(&mut engine);
        let ran_out = match outcome {
            Ok(()) => None,
            Err(Stop::Cancelled) => Some(Status::Interrupted),
            Err(Stop::TimeLimit) => Some(Status::TimeLimit),
            Err(Stop::Failed(failure)) => return Err(failure),
        };
        let output = if ran_out == Some(Status::Interrupted) {
            String::new()
        } else {
            engine.finish()?
        };
        engine.store.close();
        let slips = engine.store.slips().iter().enumerate();
        Ok(Ended {
            status: ran_out.unwrap_or(if engine.best.tokens() < before {
                Status::Reduced
            } else {
                Status::AlreadyMinimal
            }),
            one_minimal: false,
            slips: slips
                .map(|(at, signature)| Slip {
                    signature: signature.clone(),
                    kept_in: PathBuf::from(format!("slips/{:02}", at + 1)),
                })
                .collect(),
            counts: engine.counts,
            best: engine.best,
            passes: engine.passes,
            output,
        })
    }
}

impl Engine<'_> {
    /// The last candidates: each file formatted, if it then still shows the failure. What the final
    /// run printed.
    fn finish(&mut self) -> Result<String, Failure> {
        self.deadline = None;
        self.pass = "format";
        let mut formatted = self.best.clone();
        for (id, file, tree) in self.best.sources() {
            if let Some(text) = tree
                .parsed
                .then(|| syntax::formatted(file.source()))
                .flatten()
            {
                formatted = formatted.with_text(id, Text::original(id, text));
            } else {
                formatted = formatted.with_text(id, Text::original(id, tidied(file.source())));
            }
        }
        let judged = self.oracle.judge(&formatted, None)?;
        if judged.verdict == Verdict::Interesting
            && formatted.tokens() <= self.best.tokens() + formatted.source_files()
        {
            self.best = formatted;
            self.store.keep(&self.best)?;
            return Ok(judged.output);
        }
        Ok(self.oracle.judge(&self.best, None)?.output)
    }
}

/// `source` without the blank lines and line ends that deletions left.
fn tidied(source: &str) -> String {
    let lines = source
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let mut text: String = lines.flat_map(|line| [line, "\n"]).collect();
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

fn ice_file(
    request: &Request,
    file: &Path,
    observer: &mut dyn Observer,
    cancel: &Cancel,
) -> Result<Summary, Failure> {
    let PropertyRequest::Ice(selection) = &request.property else {
        unreachable!("called for an ICE only");
    };
    let started = Instant::now();
    let bytes = std::fs::read(file).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::NoSuchFile { path: file.into() },
        _ => Failure::io("reading", file)(error),
    })?;
    if let Err(error) = std::str::from_utf8(&bytes) {
        return Err(Failure::NotUtf8 {
            path: file.into(),
            offset: error.valid_up_to(),
        });
    }
    let name = PathBuf::from(file.file_name().unwrap_or_default());
    let original = Subject::new([(name.clone(), bytes)]);
    let scratch = Scratch::new()?;
    let rustc = rustc(request, cancel)?;
    let mut args: Vec<OsString> = Vec::new();
    if let Some(edition) = &selection.edition {
        args.extend(["--edition".into(), edition.into()]);
    }
    args.extend(selection.arguments.iter().map(OsString::from));
    let shown: Vec<String> = args
        .iter()
        .map(|arg| quoted(&arg.to_string_lossy()))
        .collect();
    let out = scratch.path().join("out");
    args.extend([
        name.clone().into_os_string(),
        "--out-dir".into(),
        out.into_os_string(),
    ]);
    let toolchain_word = request
        .cargo
        .toolchain
        .as_ref()
        .map(|name| format!("+{name} "))
        .unwrap_or_default();
    let command = format!(
        "rustc {toolchain_word}{} {}",
        shown.join(" "),
        quoted(&name.to_string_lossy())
    );
    let mut oracle = IceFile::new(
        Place::new(scratch.path().join("candidate")),
        rustc.program.clone(),
        args,
        cancel.clone(),
        selection.matching,
        selection.errors,
        request.trial_timeout.unwrap_or(Duration::from_secs(60)),
    );
    let Some((crash, outcome)) = oracle.baseline(&original)? else {
        return Err(Failure::NoCrash {
            commands: vec![command],
            output: String::new(),
        });
    };
    if request.trial_timeout.is_none() {
        oracle.set_timeout(outcome.wall * 10 + Duration::from_secs(5));
    }
    observer.event(&Event::Baseline {
        runs: 1,
        signature: &crash.title(),
        tokens: original.tokens(),
        files: 1,
        wall: outcome.wall,
    });
    let stem = name
        .file_stem()
        .map_or("ice".into(), |stem| stem.to_string_lossy().into_owned());
    let output = request
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from("target/cargo-reduce").join(&stem));
    let ended = Search {
        request,
        original: original.clone(),
        oracle: &mut oracle,
        cancel,
        output: output.clone(),
        started,
        schedule: |engine| engine.reduce_crash(),
    }
    .run(observer)?;
    let result = ended.best.file(FileId(0)).source().to_string();
    let summary = Summary {
        status: ended.status,
        kind: Kind::Ice {
            location: match &crash.how {
                How::Panic(place) => {
                    Some(crash.delayed_at.clone().unwrap_or_else(|| place.clone()))
                }
                _ => None,
            },
        },
        subject: name.display().to_string(),
        command,
        directory: output.join("reduced"),
        signature: crash.title(),
        tokens_before: original.tokens(),
        tokens_after: ended.best.tokens(),
        files_before: 1,
        files_after: 1,
        lines_before: original.file(FileId(0)).source().lines().count(),
        lines_after: result.lines().count(),
        trials: ended.counts.trials,
        interesting_trials: ended.counts.interesting,
        cache_hits: ended.counts.cache_hits,
        wall: started.elapsed(),
        cpu: ended.counts.cpu,
        one_minimal: ended.one_minimal,
        algorithm: request.search.minimizer.algorithm.to_string(),
        seed: request.seed,
        toolchain: rustc.version,
        output,
        passes: ended.passes,
        slips: ended.slips,
        failure_output: ended.output,
        result: vec![(name.clone(), result)],
        result_files: vec![name],
    };
    crate::report::write_reports(&summary)?;
    Ok(summary)
}

fn quoted(word: &str) -> String {
    if word
        .chars()
        .all(|c| c.is_alphanumeric() || "-_=./+:,@".contains(c))
        && !word.is_empty()
    {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A compiler, past the proxy that chooses the toolchain.
struct Rustc {
    program: PathBuf,
    version: String,
}

/// The compiler that cargo would use here: `RUSTC` if it is set, else that of the toolchain's sysroot.
fn rustc(request: &Request, cancel: &Cancel) -> Result<Rustc, Failure> {
    let ask = |program: &Path, args: &[&str]| -> Result<String, Failure> {
        let mut env: Vec<(OsString, Option<OsString>)> = Vec::new();
        if let Some(toolchain) = &request.cargo.toolchain {
            env.push(("RUSTUP_TOOLCHAIN".into(), Some(toolchain.into())));
        }
        let invocation = Invocation {
            program: program.to_path_buf(),
            args: args.iter().map(OsString::from).collect(),
            env,
            cwd: std::env::current_dir().map_err(Failure::io("finding", "."))?,
        };
        let limits = Limits {
            timeout: Duration::from_secs(60),
            output_bytes: 1 << 16,
            memory_bytes: None,
            writable: None,
        };
        let failed = |why: String| Failure::NoToolchain {
            command: format!("{} {}", program.display(), args.join(" ")),
            why,
        };
        let outcome =
            exec::run(&invocation, &limits, cancel).map_err(|error| failed(error.to_string()))?;
        if !outcome.success() {
            return Err(failed(
                String::from_utf8_lossy(&outcome.stderr).trim().to_string(),
            ));
        }
        Ok(String::from_utf8_lossy(&outcome.stdout).trim().to_string())
    };
    let program = match std::env::var_os("RUSTC") {
        Some(program) => PathBuf::from(program),
        None => {
            let sysroot = ask(Path::new("rustc"), &["--print", "sysroot"])?;
            let real = Path::new(&sysroot).join("bin/rustc");
            if real.exists() {
                real
            } else {
                PathBuf::from("rustc")
            }
        }
    };
    let version = ask(&program, &["-vV"])?;
    Ok(Rustc { program, version })
}
