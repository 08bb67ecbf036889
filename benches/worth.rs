//! What each pass is worth: every case of a corpus is reduced with all passes, then without each pass that
//! had a success in it. One line per pass: how many tokens more the results have without it, and how
//! many trials more it takes to get there.
//!
//! ```text
//! cargo bench --bench worth                             every pass, every crash of the corpus
//! cargo bench --bench worth -- ice-file semver          cases with one of these in their names
//! cargo bench --bench worth -- --passes arms,parts      these passes alone
//! ```
//!
//! The corpus is the one of `benches/corpus`, with each case's own edition, crate type and flags.
//!
//! | option | |
//! | --- | --- |
//! | `--cases DIR` | the corpus |
//! | `--passes A,B` | which passes |
//! | `--time-limit SECONDS` | of each reduction; 300 |
//! | `--results FILE` | keeps every reduction, and takes from it what was measured before |
//! | `--write FILE` | puts the table between the marked lines of FILE |

#[path = "corpus/cases.rs"]
mod cases;
#[path = "corpus/marked.rs"]
mod marked;

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use cases::Case;

/// One reduction of one case.
#[derive(Clone, Serialize, Deserialize)]
struct Outcome {
    case: String,
    /// The pass that was left out.
    without: Option<String>,
    tokens: i64,
    trials: i64,
    /// It came to its own end, before the time limit.
    finished: bool,
    passes: Vec<Pass>,
}

/// What one pass did in a reduction.
#[derive(Clone, Serialize, Deserialize)]
struct Pass {
    name: String,
    trials: i64,
    interesting: i64,
}

/// Sums over all cases.
#[derive(Default)]
struct Worth {
    /// Tokens more in the results without it.
    tokens: i64,
    /// Trials more without it.
    trials: i64,
    /// Its own trials.
    own: i64,
    /// Cases that it had a success in.
    cases: usize,
}

struct Options {
    corpus: PathBuf,
    wanted: Vec<String>,
    passes: Vec<String>,
    seconds: u64,
    results: Option<PathBuf>,
    write: Option<PathBuf>,
    command: String,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        corpus: cases::corpus(),
        wanted: Vec::new(),
        passes: Vec::new(),
        seconds: 300,
        results: None,
        write: None,
        command: "cargo bench --bench worth --".into(),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        // Cargo adds it to every bench.
        if argument == "--bench" {
            continue;
        }
        let mut value = || {
            let value = arguments.next();
            value.ok_or_else(|| format!("{argument} takes a value"))
        };
        match &*argument {
            "--cases" => options.corpus = value()?.into(),
            "--results" => options.results = Some(value()?.into()),
            "--write" => options.write = Some(value()?.into()),
            "--time-limit" => options.seconds = value()?.parse()?,
            "--passes" => {
                let names = value()?;
                options.passes = names.split(',').map(str::to_owned).collect();
                options.command += &format!(" --passes {names}");
            }
            other if other.starts_with('-') => {
                return Err(format!("unknown argument `{other}`: see benches/worth.rs").into());
            }
            word => {
                options.wanted.push(word.to_owned());
                options.command += &format!(" {word}");
            }
        }
    }
    let command = options.command.trim_end_matches(" --");
    options.command = command.to_owned();
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut cases = cases::cases(&options.corpus, &options.wanted, false)?;
    cases.retain(|case| !case.name.starts_with("test-") && !case.name.starts_with("flaky-"));
    let mut known = Vec::new();
    if let Some(file) = options.results.as_ref().filter(|file| file.exists()) {
        for line in std::fs::read_to_string(file)?.lines() {
            known.push(serde_json::from_str::<Outcome>(line)?);
        }
    }
    let mut reduced = |case: &Case, without: Option<&str>| -> Result<Outcome, Box<dyn Error>> {
        let same = |one: &&Outcome| one.case == case.name && one.without.as_deref() == without;
        if let Some(outcome) = known.iter().find(same) {
            return Ok(outcome.clone());
        }
        let outcome = reduced(case, without, options.seconds)?;
        eprintln!(
            "{} without {}: {} tokens, {} trials",
            case.name,
            without.unwrap_or("nothing"),
            outcome.tokens,
            outcome.trials
        );
        if let Some(path) = &options.results {
            let mut file = OpenOptions::new().create(true).append(true).open(path)?;
            writeln!(file, "{}", serde_json::to_string(&outcome)?)?;
        }
        known.push(outcome.clone());
        Ok(outcome)
    };
    let mut worth: BTreeMap<String, Worth> = BTreeMap::new();
    let (mut counted, mut unfinished) = (0, Vec::new());
    'cases: for case in &cases {
        let full = reduced(case, None)?;
        let mut rows = Vec::new();
        for pass in &full.passes {
            if !options.passes.is_empty() && !options.passes.contains(&pass.name) {
                continue;
            }
            let mut row = Worth {
                // Without a success it only cost: without it the rest goes the same way.
                trials: -pass.trials,
                own: pass.trials,
                ..Worth::default()
            };
            if pass.interesting > 0 && full.finished {
                let without = reduced(case, Some(&pass.name))?;
                if without.finished {
                    row.tokens = without.tokens - full.tokens;
                    row.trials = without.trials - full.trials;
                    row.cases = 1;
                }
            }
            rows.push((pass.name.clone(), row));
        }
        if !full.finished {
            unfinished.push(case.name.clone());
            continue 'cases;
        }
        counted += 1;
        for (name, row) in rows {
            let sum = worth.entry(name).or_default();
            sum.tokens += row.tokens;
            sum.trials += row.trials;
            sum.own += row.own;
            sum.cases += row.cases;
        }
    }
    let text = table(&options.command, counted, &unfinished, worth);
    println!("{text}");
    if let Some(file) = &options.write {
        marked::write(file, "worth table", &text)?;
    }
    Ok(())
}

/// The Markdown table, what is worth most first.
fn table(
    command: &str,
    counted: usize,
    unfinished: &[String],
    worth: BTreeMap<String, Worth>,
) -> String {
    let mut text = format!("`{command}`: {counted} inputs.\n");
    if !unfinished.is_empty() {
        let _ = writeln!(
            text,
            "Cut short by the time limit: {}.",
            unfinished.join(", ")
        );
    }
    text += "\n| without | tokens more | trials more | its trials | inputs |\n";
    text += "| --- | ---: | ---: | ---: | ---: |\n";
    let mut rows: Vec<_> = worth.into_iter().collect();
    rows.sort_by_key(|(name, row)| (-row.tokens, -row.trials, name.clone()));
    for (name, row) in rows {
        let line = format!(
            "| {name} | {} | {} | {} | {} |",
            row.tokens, row.trials, row.own, row.cases
        );
        let _ = writeln!(text, "{}", line.replace(" -", " −"));
    }
    text
}

/// Reduces `case`, for this many seconds at most, with all passes or without one.
fn reduced(case: &Case, without: Option<&str>, seconds: u64) -> Result<Outcome, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let output = scratch.path().join("output");
    let invocation = case.invocation(scratch.path())?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-reduce"));
    command
        .arg("reduce")
        .args(&invocation.arguments)
        .args(without.map(|pass| format!("--passes=-{pass}")))
        .arg("--time-limit")
        .arg(format!("{seconds}s"))
        .arg("--output")
        .arg(&output)
        .arg("--")
        .args(&invocation.trailing)
        .envs(invocation.environment);
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status()?;
    let text = std::fs::read_to_string(output.join("report.json"))
        .map_err(|error| format!("{} was not reduced: {error}", case.name))?;
    let report: serde_json::Value = serde_json::from_str(&text)?;
    let number = |key: &str| {
        let number = report[key].as_i64();
        number.ok_or_else(|| format!("{}: the report has no {key}", case.name))
    };
    Ok(Outcome {
        case: case.name.clone(),
        without: without.map(str::to_owned),
        tokens: number("tokens_after")?,
        trials: number("trials")?,
        finished: report["status"] != "time-limit",
        passes: Vec::deserialize(&report["passes"])?,
    })
}
