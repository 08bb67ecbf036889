//! From spans back to text.

use crate::Span;

/// `1d 2h 30m`
pub fn long(span: Span) -> String {
    let mut rest = span.minutes;
    let mut words = Vec::new();
    for (unit, worth) in [("w", 10080), ("d", 1440), ("h", 60), ("m", 1)] {
        let count = rest / worth;
        rest %= worth;
        if count > 0 {
            words.push(format!("{count}{unit}"));
        }
    }
    words.join(" ")
}

/// `26:30`
pub fn short(span: Span) -> String {
    format!("{}:{:02}", span.minutes / 60, span.minutes % 60)
}
