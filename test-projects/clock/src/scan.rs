//! From text to numbers with units.

use std::fmt;

/// Why a text is no span.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadSpan {
    NoUnit(u32),
    NoNumber(char),
    UnknownUnit(char),
}

impl fmt::Display for BadSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadSpan::NoUnit(number) => write!(f, "{number} of what?"),
            BadSpan::NoNumber(unit) => write!(f, "how many {unit}?"),
            BadSpan::UnknownUnit(unit) => write!(f, "what is {unit}?"),
        }
    }
}

impl std::error::Error for BadSpan {}

/// The numbers in `text`, each with its unit.
pub fn parts(text: &str) -> Result<Vec<(u32, char)>, BadSpan> {
    let mut found = Vec::new();
    let mut number = None;
    for c in text.chars() {
        match c {
            '0'..='9' => {
                let digit = c as u32 - '0' as u32;
                number = Some(number.unwrap_or(0) * 10 + digit);
            }
            ' ' => {}
            unit => {
                let count = number.take().ok_or(BadSpan::NoNumber(unit))?;
                found.push((count, unit));
            }
        }
    }
    match number {
        Some(number) => Err(BadSpan::NoUnit(number)),
        None => Ok(found),
    }
}

/// Minutes in one of `unit`.
pub fn worth(unit: char) -> Result<u32, BadSpan> {
    match unit {
        'm' => Ok(1),
        'h' => Ok(60),
        'd' => Ok(24 * 60),
        'w' => Ok(7 * 24 * 60),
        other => Err(BadSpan::UnknownUnit(other)),
    }
}
