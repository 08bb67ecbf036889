//! What came of many inputs, one line each, and which of them show the same failure; knows nothing of how they were reduced.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;

use super::wording::{count, number, time};
use super::{Failure, Status, Style, Summary};

/// What came of one input of several.
#[derive(Debug)]
pub struct BatchEntry {
    /// The input, as it was named.
    pub input: PathBuf,
    /// Its summary, or why there is none; `None` if it was not its turn before the end.
    pub came: Option<Result<Box<Summary>, Failure>>,
}

/// The same for programs.
#[derive(Debug, Serialize)]
pub(super) struct BatchResult<'a> {
    input: String,
    status: Option<Status>,
    signature: Option<&'a str>,
    class: Option<&'a str>,
    tokens_before: Option<usize>,
    tokens_after: Option<usize>,
    output: Option<String>,
    /// The first input with the same class, if this is not the first one.
    same_as: Option<String>,
    failure: Option<String>,
}

impl BatchEntry {
    fn summary(&self) -> Option<&Summary> {
        match &self.came {
            Some(Ok(summary)) => Some(summary),
            _ => None,
        }
    }

    fn name(&self) -> String {
        self.input.display().to_string()
    }
}

/// The first of `entries` that shows the same as `entry`, if that is another one.
fn same_as<'e>(entries: &'e [BatchEntry], entry: &BatchEntry) -> Option<&'e BatchEntry> {
    let class = &entry.summary()?.class;
    let first = entries.iter().find(|other| {
        other
            .summary()
            .is_some_and(|summary| summary.class == *class)
    })?;
    (!std::ptr::eq(first, entry)).then_some(first)
}

/// What came of each of `entries`.
pub(super) fn batch_results(entries: &[BatchEntry]) -> Vec<BatchResult<'_>> {
    let results = entries.iter().map(|entry| {
        let summary = entry.summary();
        BatchResult {
            input: entry.name(),
            status: summary.map(|summary| summary.status),
            signature: summary.map(|summary| &*summary.signature),
            class: summary.map(|summary| &*summary.class),
            tokens_before: summary.map(|summary| summary.tokens_before),
            tokens_after: summary.map(|summary| summary.tokens_after),
            output: summary.map(|summary| summary.output.display().to_string()),
            same_as: same_as(entries, entry).map(BatchEntry::name),
            failure: match &entry.came {
                Some(Err(failure)) => Some(failure.to_string()),
                _ => None,
            },
        }
    });
    results.collect()
}

/// The table at the end of a batch: a line for each input, then the failures, each with the inputs that show it.
#[must_use]
pub fn batch_text(entries: &[BatchEntry], style: Style) -> String {
    let header = ["input", "tokens", "trials", "time", "result"].map(str::to_owned);
    let rows = entries.iter().map(row);
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(rows).collect();
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for [input, tokens, trials, time, result] in &rows {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(
            text,
            "  {input:<0$}  {tokens:>1$}  {trials:>2$}  {time:>3$}  {result}",
            widths[0], widths[1], widths[2], widths[3]
        );
    }
    let firsts: Vec<&BatchEntry> = entries
        .iter()
        .filter(|entry| entry.summary().is_some() && same_as(entries, entry).is_none())
        .collect();
    let shown = entries.iter().filter(|entry| entry.summary().is_some());
    let _ = writeln!(
        text,
        "\n{} {} in {} of {}",
        style.status("Found"),
        count(firsts.len(), "different failure"),
        number(shown.count()),
        count(entries.len(), "input"),
    );
    for first in firsts {
        let Some(summary) = first.summary() else {
            continue;
        };
        let _ = writeln!(text, "  {}", summary.class);
        let all = entries.iter().filter(|entry| {
            let other = entry.summary();
            other.is_some_and(|other| other.class == summary.class)
        });
        for entry in all {
            let _ = writeln!(text, "    {}", entry.name());
        }
    }
    text
}

fn row(entry: &BatchEntry) -> [String; 5] {
    let nothing = || "-".to_owned();
    match &entry.came {
        Some(Ok(summary)) => {
            let cut_short = match summary.status {
                Status::Reduced | Status::AlreadyMinimal => "",
                Status::Interrupted => " (interrupted)",
                Status::TimeLimit => " (time is up)",
            };
            [
                entry.name(),
                format!(
                    "{} → {}",
                    number(summary.tokens_before),
                    number(summary.tokens_after)
                ),
                number(summary.trials),
                time(summary.wall),
                format!("{}{cut_short}", summary.directory.display()),
            ]
        }
        Some(Err(failure)) => [
            entry.name(),
            nothing(),
            nothing(),
            nothing(),
            format!("none: {failure}"),
        ],
        None => [
            entry.name(),
            nothing(),
            nothing(),
            nothing(),
            "none: not begun".to_owned(),
        ],
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::example;
    use super::*;

    fn entries() -> Vec<BatchEntry> {
        let named = |class: &str| Summary {
            class: class.to_owned(),
            ..example::ice()
        };
        let entry = |input: &str, came| BatchEntry {
            input: input.into(),
            came,
        };
        vec![
            entry("a.rs", Some(Ok(Box::new(named("x.rs:1:1: bad"))))),
            entry(
                "none.rs",
                Some(Err(Failure::NoSuchFile {
                    path: Path::new("none.rs").into(),
                })),
            ),
            entry("b.rs", Some(Ok(Box::new(named("y.rs:2:2: worse"))))),
            entry("c.rs", Some(Ok(Box::new(named("x.rs:1:1: bad"))))),
            entry("d.rs", None),
        ]
    }

    #[test]
    fn the_table_has_a_line_for_each_input_and_names_the_same_failures() {
        insta::assert_snapshot!(batch_text(&entries(), Style::new(false)));
    }

    #[test]
    fn programs_are_told_of_which_input_another_is_a_duplicate() {
        let entries = entries();
        let same: Vec<_> = batch_results(&entries)
            .into_iter()
            .map(|result| result.same_as)
            .collect();
        assert_eq!(same, [None, None, None, Some("a.rs".to_owned()), None]);
    }
}
