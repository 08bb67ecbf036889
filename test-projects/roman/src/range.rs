//! Counting in numerals.

use crate::Roman;

/// Numerals one after the other, from both ends.
#[derive(Debug, Clone)]
pub struct RomanRange {
    next: u16,
    // One past the last, so that an empty range can be written.
    end: u16,
}

impl RomanRange {
    /// From `first` to `last`, both included.
    pub fn new(first: Roman, last: Roman) -> RomanRange {
        RomanRange {
            next: first.value(),
            end: last.value() + 1,
        }
    }

    /// Everything that can be written.
    pub fn all() -> RomanRange {
        RomanRange::new(Roman::MIN, Roman::MAX)
    }
}

impl Iterator for RomanRange {
    type Item = Roman;

    fn next(&mut self) -> Option<Roman> {
        if self.next >= self.end {
            return None;
        }
        let roman = Roman::new(self.next);
        self.next += 1;
        roman
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = usize::from(self.end.saturating_sub(self.next));
        (left, Some(left))
    }
}

impl DoubleEndedIterator for RomanRange {
    fn next_back(&mut self) -> Option<Roman> {
        if self.next >= self.end {
            return None;
        }
        self.end -= 1;
        Roman::new(self.end)
    }
}

impl ExactSizeIterator for RomanRange {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_has_two_ends() {
        let mut range = RomanRange::all();
        assert_eq!(range.len(), 3999);
        assert_eq!(range.next(), Some(Roman::MIN));
        assert_eq!(range.next_back(), Some(Roman::MAX));
        assert_eq!(range.len(), 3997);
    }
}
