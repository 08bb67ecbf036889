//! A failure in cargo's look: what went wrong, what the tools said, what to do; knows no exit codes.

use std::fmt::Write as _;

use super::{Failure, Style};

/// Lines of a tool's output that are shown at most; its first errors explain the later ones.
const OUTPUT_LINES: usize = 40;

/// Renders `failure` for a person, lines ended by newlines.
#[must_use]
pub fn failure_text(failure: &Failure, style: Style) -> String {
    let mut text = format!("{}: {failure}\n", style.error("error"));
    if let Some(output) = failure.output() {
        text.push('\n');
        for line in output.lines().take(OUTPUT_LINES) {
            text.push_str(if line.is_empty() { "" } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
        let lines = output.lines().count();
        if lines > OUTPUT_LINES {
            // Writing to a String cannot fail, here and below.
            let _ = writeln!(text, "  … and {} more lines", lines - OUTPUT_LINES);
        }
        text.push('\n');
    }
    let _ = writeln!(text, "{}: {}", style.help("help"), failure.help());
    text
}
