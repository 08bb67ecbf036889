//! One reduction of one case: starts the program and counts. Compares nothing.

use std::collections::HashMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cases::Case;

/// The settings that are compared, as the command line has them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Configuration {
    pub algorithm: String,
    pub traversal: String,
    /// `None` for algorithms that have none.
    pub initial_probability: Option<String>,
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.algorithm, self.traversal)?;
        match &self.initial_probability {
            Some(p) => write!(f, " {p}"),
            None => Ok(()),
        }
    }
}

impl Configuration {
    fn arguments(&self) -> Vec<OsString> {
        let mut arguments = vec!["--algorithm", &self.algorithm];
        arguments.extend(["--traversal", &self.traversal]);
        if let Some(p) = &self.initial_probability {
            arguments.extend(["--initial-probability", p]);
        }
        arguments.into_iter().map(OsString::from).collect()
    }
}

/// What one reduction came to.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Row {
    pub case: String,
    pub configuration: Configuration,
    /// The original's size.
    pub before: f64,
    /// The result's size.
    pub tokens: f64,
    pub trials: f64,
    /// User and system time of the program and all it started.
    pub cpu: f64,
    /// It came to its own end, before the time limit.
    pub finished: bool,
    pub lists: Vec<List>,
}

/// One list that was searched.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct List {
    pub pass: String,
    pub fates: Vec<Fate>,
}

/// What became of one element.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Fate {
    pub kind: String,
    pub weight: u32,
    pub gone: bool,
}

/// Reduces `case`, for this many seconds at most.
pub fn run(
    case: &Case,
    configuration: &Configuration,
    seconds: u64,
) -> Result<Row, Box<dyn Error>> {
    let scratch = tempfile::tempdir()?;
    let invocation = case.invocation(scratch.path())?;
    let before = cpu_of_children();
    let mut child = Command::new(env!("CARGO_BIN_EXE_cargo-reduce"))
        .arg("reduce")
        .args(&invocation.arguments)
        .args(configuration.arguments())
        .args(["--message-format", "json", "--jobs", "1"])
        .arg("--time-limit")
        .arg(format!("{seconds}s"))
        .arg("--output")
        .arg(scratch.path().join("output"))
        .arg("--")
        .args(&invocation.trailing)
        .envs(invocation.environment)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (mut lists, mut last) = (Vec::new(), Value::Null);
    let lines = child.stdout.take().map(BufReader::new);
    for line in lines.into_iter().flat_map(BufRead::lines) {
        let event: Value = serde_json::from_str(&line?)?;
        if event["reason"] == "list-searched" {
            lists.push(List::deserialize(&event)?);
        }
        last = event;
    }
    child.wait()?;
    let number = |key: &str| {
        let found = last[key].as_f64();
        found.ok_or_else(|| format!("{}: no {key} at the end: {last}", case.name))
    };
    Ok(Row {
        case: case.name.clone(),
        configuration: configuration.clone(),
        before: number("tokens_before")?,
        tokens: number("tokens_after")?,
        trials: number("trials")?,
        cpu: cpu_of_children() - before,
        finished: last["status"] != "time-limit",
        lists,
    })
}

/// Seconds of user and system time of all processes that were started and have ended.
fn cpu_of_children() -> f64 {
    // SAFETY: all zeros is a valid `rusage`, and the call writes nothing beyond it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Rows measured before, and a file that takes the new ones.
pub struct Results {
    known: HashMap<(String, Configuration), Row>,
    file: Option<File>,
}

impl Results {
    /// With the rows of `path`, if there are any.
    pub fn open(path: Option<&Path>) -> Result<Self, Box<dyn Error>> {
        let mut known = HashMap::new();
        let Some(path) = path else {
            return Ok(Self { known, file: None });
        };
        if path.exists() {
            for line in BufReader::new(File::open(path)?).lines() {
                let row: Row = serde_json::from_str(&line?)?;
                known.insert((row.case.clone(), row.configuration.clone()), row);
            }
        }
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self {
            known,
            file: Some(file),
        })
    }

    /// The row of `case`, measured now if it was not before.
    pub fn row(
        &mut self,
        case: &Case,
        configuration: &Configuration,
        seconds: u64,
    ) -> Result<Row, Box<dyn Error>> {
        let key = (case.name.clone(), configuration.clone());
        if let Some(row) = self.known.get(&key) {
            return Ok(row.clone());
        }
        let row = run(case, configuration, seconds)?;
        if let Some(file) = &mut self.file {
            writeln!(file, "{}", serde_json::to_string(&row)?)?;
        }
        Ok(row)
    }
}
