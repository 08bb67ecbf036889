//! What a compiler, or a tool built on it, showed on the original and has to show again; runs nothing.

use std::collections::BTreeSet;

use regex::{Regex, RegexBuilder};

use super::crash::{Crash, How, Report, Seen, errors_allowed, wildcarded};
use super::{Stage, Verdict};
use crate::report::Kind;
use crate::request::{ErrorPolicy, IceMatch, IceSelection, Sought};

/// The signature of a failure that a tool shows.
#[derive(Debug, Clone)]
pub struct ToolSignature {
    shown: Shown,
    matching: IceMatch,
    query_depth: usize,
    errors: ErrorPolicy,
    original_errors: BTreeSet<String>,
    report: Report,
}

/// What is shown.
#[derive(Debug, Clone)]
enum Shown {
    Crash(Crash),
    /// An error: its code, its message as it was, and with wildcards.
    Error {
        code: String,
        message: String,
        pattern: String,
    },
    Text(Regex),
}

/// An error among what a compiler printed: its message, and the paragraph that it is part of.
struct Found<'t> {
    message: &'t str,
    paragraph: &'t str,
}

/// The errors with this code.
fn errors_with<'t>(text: &'t str, code: &str) -> Vec<Found<'t>> {
    let start = format!("error[{code}]: ");
    let paragraphs = text.split("\n\n");
    paragraphs
        .filter_map(|paragraph| {
            // Warnings of cargo and lines of its progress may stand right in front.
            let at = match paragraph.find(&start)? {
                0 => 0,
                at if paragraph[..at].ends_with('\n') => at,
                _ => return None,
            };
            let paragraph = &paragraph[at..];
            let message = paragraph[start.len()..].lines().next()?;
            Some(Found { message, paragraph })
        })
        .collect()
}

impl ToolSignature {
    /// What `seen` shows of what `selection` is after; `None` if it does not.
    pub fn of(seen: &Seen, selection: &IceSelection) -> Option<ToolSignature> {
        let mut report = seen.report.clone();
        let shown = match &selection.sought {
            Sought::Crash => Shown::Crash(seen.crash.clone()?),
            Sought::Hang => {
                Shown::Crash(seen.crash.clone().filter(|crash| crash.how == How::Hang)?)
            }
            Sought::Error(code) => {
                let errors = errors_with(&seen.text, code);
                let first = errors.first()?;
                report = Report::of_error(first.message, first.paragraph);
                Shown::Error {
                    code: code.clone(),
                    message: first.message.to_string(),
                    pattern: wildcarded(first.message),
                }
            }
            Sought::Stderr(pattern) => {
                // It was compiled when the command line was read.
                let pattern = RegexBuilder::new(pattern).multi_line(true).build().ok()?;
                pattern.is_match(&seen.text).then_some(())?;
                Shown::Text(pattern)
            }
        };
        let errors = match (selection.errors, &shown) {
            (policy, Shown::Crash(_)) => policy,
            // With any errors allowed, what the error is about would go, and other errors would be left in its place.
            (ErrorPolicy::Auto, _) => ErrorPolicy::Same,
            (policy, _) => policy,
        };
        Some(ToolSignature {
            shown,
            matching: selection.matching,
            query_depth: selection.query_depth,
            errors,
            original_errors: seen.errors.clone(),
            report,
        })
    }

    /// Of a tool that takes so long that this alone is the failure.
    pub fn hang(seen: &Seen, selection: &IceSelection) -> ToolSignature {
        ToolSignature {
            shown: Shown::Crash(Crash::hang()),
            matching: selection.matching,
            query_depth: 0,
            errors: selection.errors,
            original_errors: seen.errors.clone(),
            report: Report::default(),
        }
    }

    /// The verdict on what a candidate shows.
    pub fn verdict(&self, seen: &Seen) -> Verdict {
        if self.shows(seen) {
            if errors_allowed(self.errors, &self.original_errors, &seen.errors) {
                Verdict::Interesting
            } else {
                Verdict::Uninteresting(Stage::Compile)
            }
        } else {
            match &seen.crash {
                Some(crash) => Verdict::Slipped(crash.class()),
                _ if seen.errors.is_empty() => Verdict::Uninteresting(Stage::Run),
                _ => Verdict::Uninteresting(Stage::Compile),
            }
        }
    }

    /// Whether a candidate shows it, whatever other errors it has.
    pub fn shows(&self, seen: &Seen) -> bool {
        match &self.shown {
            Shown::Crash(original) => seen.crash.as_ref().is_some_and(|crash| {
                original.same(crash, self.matching)
                    && original.same_queries(crash, self.query_depth)
            }),
            Shown::Error { code, pattern, .. } => errors_with(&seen.text, code)
                .iter()
                .any(|found| wildcarded(found.message) == *pattern),
            Shown::Text(pattern) => pattern.is_match(&seen.text),
        }
    }

    /// One line that names it.
    pub fn title(&self) -> String {
        match &self.shown {
            Shown::Crash(crash) => crash.title(),
            Shown::Error { code, message, .. } => format!("error[{code}]: {message}"),
            Shown::Text(pattern) => format!("prints what matches `{pattern}`"),
        }
    }

    /// The same for all inputs that show the same: names and numbers are left out of it.
    pub fn class(&self) -> String {
        match &self.shown {
            Shown::Crash(crash) => crash.class(),
            Shown::Error { code, pattern, .. } => format!("error[{code}]: {pattern}"),
            Shown::Text(_) => self.title(),
        }
    }

    /// As reports differ by it.
    pub fn kind(&self) -> Kind {
        match &self.shown {
            Shown::Crash(crash) => Kind::Ice {
                location: crash.location(),
            },
            Shown::Error { .. } | Shown::Text(_) => Kind::Output,
        }
    }

    /// Whether it is that the tool does not end in time.
    pub fn is_hang(&self) -> bool {
        matches!(&self.shown, Shown::Crash(crash) if crash.how == How::Hang)
    }

    /// What it names and points to.
    pub fn report(&self) -> &Report {
        &self.report
    }
}
