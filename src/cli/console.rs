//! The streams a person or a program reads, and whether they take colours and a live line; knows nothing of what is said.

use std::io::Write;
use std::time::Duration;

use indicatif::ProgressDrawTarget;

use super::arguments::ColorChoice;
use crate::report::{Style, Width};

/// Where output goes.
pub struct Console<'a> {
    /// Results: the summary, the path, JSON lines.
    pub out: Stream<'a>,
    /// What happens meanwhile, and errors.
    pub err: Stream<'a>,
    /// Makes where a live line can be drawn, if there is such a place; called once for each input.
    pub live: Option<Box<dyn Fn() -> LiveTarget>>,
    /// Columns that help may take.
    pub width: Option<usize>,
}

/// A stream.
pub struct Stream<'a> {
    /// Takes the text.
    pub writer: &'a mut dyn Write,
    /// A terminal reads it.
    pub is_terminal: bool,
}

/// A terminal that can show a line that changes.
pub struct LiveTarget {
    /// Takes the drawing.
    pub target: ProgressDrawTarget,
    /// Its width.
    pub width: Width,
    /// How often it is drawn without an event.
    pub refresh: Option<Duration>,
}

/// The environment's variables, by name.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Stream<'_> {
    /// Whether to colour what goes here: `--color`, else `CARGO_TERM_COLOR`, else no colours with `NO_COLOR` or on a dumb
    /// terminal, else colours on a terminal.
    pub(super) fn style(&self, choice: Option<ColorChoice>, variables: Variables<'_>) -> Style {
        let choice = choice.or_else(|| match variables("CARGO_TERM_COLOR").as_deref() {
            Some("always") => Some(ColorChoice::Always),
            Some("never") => Some(ColorChoice::Never),
            _ => None,
        });
        Style::new(match choice {
            Some(ColorChoice::Always) => true,
            Some(ColorChoice::Never) => false,
            Some(ColorChoice::Auto) | None => {
                // https://no-color.org: any value but the empty one.
                let refused = variables("NO_COLOR").is_some_and(|value| !value.is_empty());
                self.is_terminal && !refused && !is_dumb(variables)
            }
        })
    }

    /// Errors of writing are ignored: there is nobody left to tell.
    pub(super) fn write(&mut self, text: &str) {
        let _ = self
            .writer
            .write_all(text.as_bytes())
            .and_then(|()| self.writer.flush());
    }
}

/// Whether a live line is welcome, as cargo decides it for its progress bar.
pub(super) fn live_line_is_welcome(variables: Variables<'_>) -> bool {
    match variables("CARGO_TERM_PROGRESS_WHEN").as_deref() {
        Some("never") => false,
        Some("always") => true,
        _ => !is_dumb(variables) && variables("CI").is_none(),
    }
}

fn is_dumb(variables: Variables<'_>) -> bool {
    variables("TERM").as_deref() == Some("dumb")
}
