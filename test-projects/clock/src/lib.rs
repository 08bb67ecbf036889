//! Spans of time as people write them.

pub mod print;
mod scan;

pub use scan::BadSpan;

/// A span of time in minutes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub minutes: u32,
}

impl Span {
    /// `1d 2h 30m`, in any order, without spaces too.
    pub fn parse(text: &str) -> Result<Span, BadSpan> {
        let mut minutes = 0;
        for (number, unit) in scan::parts(text)? {
            let worth = scan::worth(unit)?;
            minutes = add(minutes, number, worth);
        }
        Ok(Span { minutes })
    }

    pub fn plus(self, other: Span) -> Span {
        Span {
            minutes: self.minutes + other.minutes,
        }
    }
}

fn add(minutes: u32, number: u32, worth: u32) -> u32 {
    // What is larger than what came before it starts anew.
    if worth > 60 {
        return number * worth;
    }
    minutes + number * worth
}
