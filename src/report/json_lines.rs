//! Events as JSON, one object a line, for programs; decides nothing and leaves nothing out.

use std::io::Write;
use std::time::Duration;

use serde::Serialize;

use super::batch::{BatchResult, batch_results};
use super::{BatchEntry, Clock, Event, Failure, Fate, Observer, Summary, TrialOutcome};

/// Writes events as lines of JSON.
///
/// Every line has `reason`, which says what the other fields are (as in cargo's `--message-format json`), and
/// `elapsed_seconds` since the start. Fields may be added in later versions; none changes its meaning.
///
/// | `reason` | fields |
/// | --- | --- |
/// | `step` | `verb`, `what` |
/// | `baseline` | `runs`, `signature`, `tokens`, `files`, `wall_seconds` |
/// | `pass-started` | `pass`, `lists`, `elements` |
/// | `list-searched` | `pass`, `fates` (of each element: `kind`, `weight`, `gone`) |
/// | `trial` | `pass`, `outcome` (`interesting`, `uninteresting`, `slipped`), `stage`, `tokens_tried`, `wall_seconds`, `cpu_seconds`, `cached` |
/// | `new-best` | `tokens`, `files`, `bytes` |
/// | `pass-finished` | `pass`, `trials`, `interesting`, `tokens_removed` |
/// | `slip` | `signature`, `kept_in` |
/// | `note` | `text` |
/// | `finished` | what `report.json` holds |
/// | `failed` | `name`, `exit_code`, `message`, `help`, `output` (what a tool printed, or null) |
///
/// | `input` | of several inputs the next: `input`, `number` (from 1), `of` |
/// | `batch-finished` | `results`: for each input `input`, `status`, `signature`, `class`, `tokens_before`, `tokens_after`, `output`, `same_as` (the first input with the same class), `failure`; null where there is none |
///
/// The last line is `finished` or `failed`; of several inputs each has one of these, and the last line is `batch-finished`.
///
/// Errors of writing are ignored: that a reader has gone away is no reason to end a reduction.
pub struct JsonLines<'a> {
    out: &'a mut dyn Write,
    clock: Clock,
}

impl<'a> JsonLines<'a> {
    /// Writes to `out`; `clock` tells the time since the start.
    pub fn new(out: &'a mut dyn Write, clock: Clock) -> Self {
        JsonLines { out, clock }
    }

    /// Writes the last line of a reduction that gave no result.
    pub fn failed(&mut self, failure: &Failure, exit_code: u8) {
        self.write(Message::Failed {
            name: failure.name(),
            exit_code,
            message: failure.to_string(),
            help: failure.help(),
            output: failure.output(),
        });
    }

    /// Says which of several inputs what follows is about.
    pub fn input(&mut self, input: &std::path::Path, number: usize, of: usize) {
        self.write(Message::Input {
            input: input.display().to_string(),
            number,
            of,
        });
    }

    /// Writes the last line of several reductions.
    pub fn batch_finished(&mut self, entries: &[BatchEntry]) {
        self.write(Message::BatchFinished {
            results: batch_results(entries),
        });
    }

    fn write(&mut self, message: Message<'_>) {
        let line = Line {
            message,
            elapsed_seconds: seconds((self.clock)()),
        };
        // Only a map whose keys are not strings fails here, and there is none.
        if let Ok(text) = serde_json::to_string(&line) {
            let _ = writeln!(self.out, "{text}").and_then(|()| self.out.flush());
        }
    }
}

impl Observer for JsonLines<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.write(match *event {
            Event::Step { verb, what } => Message::Step { verb, what },
            Event::Baseline {
                runs,
                signature,
                tokens,
                files,
                wall,
            } => Message::Baseline {
                runs,
                signature,
                tokens,
                files,
                wall_seconds: seconds(wall),
            },
            Event::PassStarted {
                name,
                lists,
                elements,
            } => Message::PassStarted {
                pass: name,
                lists,
                elements,
            },
            Event::ListSearched { pass, fates } => Message::ListSearched { pass, fates },
            Event::Trial {
                pass,
                outcome,
                stage,
                tokens_tried,
                wall,
                cpu,
                cached,
            } => Message::Trial {
                pass,
                outcome,
                stage,
                tokens_tried,
                wall_seconds: seconds(wall),
                cpu_seconds: seconds(cpu),
                cached,
            },
            Event::NewBest {
                tokens,
                files,
                bytes,
            } => Message::NewBest {
                tokens,
                files,
                bytes,
            },
            Event::PassFinished {
                name,
                trials,
                interesting,
                tokens_removed,
            } => Message::PassFinished {
                pass: name,
                trials,
                interesting,
                tokens_removed,
            },
            Event::Slip { signature, kept_in } => Message::Slip {
                signature,
                kept_in: kept_in.display().to_string(),
            },
            Event::Note(text) => Message::Note { text },
            Event::Finished(summary) => Message::Finished(summary),
        });
    }
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(flatten)]
    message: Message<'a>,
    elapsed_seconds: f64,
}

#[derive(Serialize)]
#[serde(tag = "reason", rename_all = "kebab-case")]
enum Message<'a> {
    Step {
        verb: &'a str,
        what: &'a str,
    },
    Baseline {
        runs: usize,
        signature: &'a str,
        tokens: usize,
        files: usize,
        wall_seconds: f64,
    },
    PassStarted {
        pass: &'a str,
        lists: usize,
        elements: usize,
    },
    ListSearched {
        pass: &'a str,
        fates: &'a [Fate],
    },
    Trial {
        pass: &'a str,
        outcome: TrialOutcome,
        stage: &'a str,
        tokens_tried: usize,
        wall_seconds: f64,
        cpu_seconds: f64,
        cached: bool,
    },
    NewBest {
        tokens: usize,
        files: usize,
        bytes: usize,
    },
    PassFinished {
        pass: &'a str,
        trials: usize,
        interesting: usize,
        tokens_removed: usize,
    },
    Slip {
        signature: &'a str,
        kept_in: String,
    },
    Note {
        text: &'a str,
    },
    Finished(&'a Summary),
    Input {
        input: String,
        number: usize,
        of: usize,
    },
    BatchFinished {
        results: Vec<BatchResult<'a>>,
    },
    Failed {
        name: &'static str,
        exit_code: u8,
        message: String,
        help: String,
        output: Option<&'a str>,
    },
}

/// To the millisecond: finer digits are noise.
fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}
