//! What came of a reduction, for a person at a terminal; decides only what is short enough to be shown.

use std::fmt::Write as _;

use super::wording::{count, number, percent, time};
use super::{Status, Style, Summary, Verbosity};

/// The reduced code is shown when it has at most this many lines: one screen.
const SHOWN_LINES: usize = 60;

/// Renders `summary` for a person, lines ended by newlines. Quiet: where the result lies, and nothing else.
#[must_use]
pub fn summary_text(summary: &Summary, style: Style, verbosity: Verbosity) -> String {
    if verbosity == Verbosity::Quiet {
        return format!("{}\n", summary.directory.display());
    }
    let mut text = String::new();
    let mut line = |word: &str, rest: &str| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{} {rest}", style.status(word));
    };
    line(word(summary.status), &sizes(summary));
    line("", &effort(summary));
    line("Failure", &summary.signature);
    if let Some(flakiness) = &summary.flakiness {
        line("Rate", &flakiness.in_short());
    }
    if !summary.slips.is_empty() {
        let place = summary.output.join("slips");
        line(
            "Slips",
            &format!(
                "{} met on the way, in {}",
                count(summary.slips.len(), "other failure"),
                place.display()
            ),
        );
    }
    line("Result", &summary.directory.display().to_string());
    line(
        "Report",
        &summary.output.join("report.md").display().to_string(),
    );
    line("See it with", &command_line(summary));
    if let Some(command) = &summary.file_command {
        line(
            "Or with",
            &format!("{command} in {}", summary.output.display()),
        );
    }
    if summary.status == Status::Interrupted || summary.status == Status::TimeLimit {
        let _ = writeln!(
            text,
            "{}: this is the best so far; the same command with `--resume` goes on",
            style.help("help")
        );
    }
    if verbosity == Verbosity::Verbose && !summary.passes.is_empty() {
        text.push('\n');
        text.push_str(&pass_table(summary));
    }
    if let Some(code) = short_code(summary, style) {
        text.push('\n');
        text.push_str(&code);
    }
    text
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Reduced => "Reduced",
        Status::AlreadyMinimal => "Minimal",
        Status::Interrupted => "Interrupted",
        Status::TimeLimit => "Time is up",
    }
}

/// `semver v1.0.26: 13,641 → 412 tokens (3.0 %), 12 → 2 files, 2,431 → 48 lines`
fn sizes(summary: &Summary) -> String {
    let Summary {
        subject,
        tokens_before,
        tokens_after,
        ..
    } = summary;
    if summary.status == Status::AlreadyMinimal {
        return format!(
            "{subject}: nothing can go from its {}",
            count(*tokens_after, "token")
        );
    }
    format!(
        "{subject}: {} ({}), {}, {}",
        change(*tokens_before, *tokens_after, "token"),
        percent(*tokens_after, *tokens_before),
        change(summary.files_before, summary.files_after, "file"),
        change(summary.lines_before, summary.lines_after, "line"),
    )
}

/// `12 → 2 files`, or `2 files` when nothing changed.
fn change(before: usize, after: usize, noun: &str) -> String {
    if before == after {
        count(after, noun)
    } else {
        format!("{} → {}", number(before), count(after, noun))
    }
}

/// `97 trials (12 % interesting, 3 known already) in 31 s; no single element can go`
fn effort(summary: &Summary) -> String {
    let Summary {
        trials,
        interesting_trials,
        cache_hits,
        ..
    } = summary;
    let mut text = count(*trials, "trial");
    if *trials > 0 {
        let _ = write!(
            text,
            " ({} interesting",
            percent(*interesting_trials, *trials)
        );
        if *cache_hits > 0 {
            let _ = write!(text, ", {} known already", number(*cache_hits));
        }
        text.push(')');
    }
    let _ = write!(text, " in {}; ", time(summary.wall));
    text.push_str(if summary.one_minimal {
        "no single element can go (1-minimal)"
    } else {
        "not checked for single elements that could still go"
    });
    text
}

/// The command that shows the failure again, from where the user is.
pub(super) fn command_line(summary: &Summary) -> String {
    format!(
        "cd {} && {}",
        quoted(&summary.directory.display().to_string()),
        summary.command
    )
}

/// `text` as one word of a shell.
fn quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn pass_table(summary: &Summary) -> String {
    let header = ["pass", "trials", "interesting", "tokens", "CPU"].map(str::to_owned);
    let rows = summary.passes.iter().map(|pass| {
        [
            pass.name.clone(),
            number(pass.trials),
            number(pass.interesting),
            if pass.tokens_removed == 0 {
                "0".to_owned()
            } else {
                format!("-{}", number(pass.tokens_removed))
            },
            time(pass.cpu),
        ]
    });
    let rows: Vec<[String; 5]> = std::iter::once(header).chain(rows).collect();
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: [usize; 5] = std::array::from_fn(width);
    let mut text = String::new();
    for [name, numbers @ ..] in &rows {
        let _ = write!(text, "  {name:<0$}", widths[0]);
        for (cell, width) in numbers.iter().zip(&widths[1..]) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text
}

/// All files of the result, each below its name, if they fit one screen.
fn short_code(summary: &Summary, style: Style) -> Option<String> {
    let lines: usize = summary
        .result
        .iter()
        .map(|(_, content)| content.lines().count())
        .sum();
    if summary.result.is_empty() || lines > SHOWN_LINES {
        return None;
    }
    let mut text = String::new();
    for (index, (path, content)) in summary.result.iter().enumerate() {
        if index > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}", style.faint(&format!("// {}", path.display())));
        text.push_str(content.trim_end());
        text.push('\n');
    }
    Some(text)
}
