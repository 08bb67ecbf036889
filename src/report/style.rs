//! Colours in cargo's manner, or none; knows nothing of terminals.

use std::fmt;

use anstyle::{AnsiColor, Effects};

/// Whether text is coloured, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    colour: bool,
}

impl Style {
    /// With colours or without.
    #[must_use]
    pub const fn new(colour: bool) -> Self {
        Style { colour }
    }

    /// There are colours.
    pub(crate) const fn is_coloured(self) -> bool {
        self.colour
    }

    /// A status word, right-aligned in cargo's twelve columns.
    pub(super) fn status(self, word: &str) -> String {
        self.bold(AnsiColor::BrightGreen, format_args!("{word:>12}"))
    }

    /// A pass's name in the column of status words.
    pub(super) fn pass(self, name: &str) -> String {
        self.bold(AnsiColor::BrightCyan, format_args!("{name:>12}"))
    }

    pub(super) fn error(self, word: &str) -> String {
        self.bold(AnsiColor::BrightRed, format_args!("{word}"))
    }

    pub(super) fn help(self, word: &str) -> String {
        self.bold(AnsiColor::BrightCyan, format_args!("{word}"))
    }

    /// Less important than what stands beside it.
    pub(super) fn faint(self, text: &str) -> String {
        self.paint(
            anstyle::Style::new().effects(Effects::DIMMED),
            format_args!("{text}"),
        )
    }

    fn bold(self, colour: AnsiColor, text: fmt::Arguments<'_>) -> String {
        self.paint(colour.on_default().effects(Effects::BOLD), text)
    }

    fn paint(self, style: anstyle::Style, text: fmt::Arguments<'_>) -> String {
        if self.colour {
            format!("{style}{text}{style:#}")
        } else {
            text.to_string()
        }
    }
}
