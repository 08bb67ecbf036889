//! Spans of whole hours.

use crate::Span;

/// Down to whole hours.
pub fn down(span: Span) -> Span {
    Span {
        minutes: span.minutes / 60 * 60,
    }
}
