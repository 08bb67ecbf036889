//! Roman numerals from I to MMMCMXCIX.

mod digits;
mod parse;
mod range;

use std::fmt;
use std::ops::{Add, Sub};

pub use digits::Digit;
pub use parse::ParseRomanError;
pub use range::RomanRange;

/// A number that can be written as a Roman numeral: 1 to 3999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Roman(u16);

impl Roman {
    /// I
    pub const MIN: Roman = Roman(1);
    /// MMMCMXCIX
    pub const MAX: Roman = Roman(3999);

    /// The numeral for a number, if there is one.
    pub const fn new(value: u16) -> Option<Roman> {
        if value >= Self::MIN.0 && value <= Self::MAX.0 {
            Some(Roman(value))
        } else {
            None
        }
    }

    /// The number.
    pub const fn value(self) -> u16 {
        self.0
    }

    /// The year of an inscription, as far as it can be read: `None` stands for a lost letter.
    pub fn guess(letters: &[Option<char>]) -> Vec<Roman> {
        RomanRange::all()
            .filter(|candidate| {
                let text = candidate.to_string();
                text.chars().count() == letters.len()
                    && text
                        .chars()
                        .zip(letters)
                        .all(|(letter, seen)| seen.is_none_or(|seen| seen == letter))
            })
            .collect()
    }
}

impl fmt::Display for Roman {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        digits::write(self.0, &mut text);
        f.pad(&text)
    }
}

impl Add for Roman {
    type Output = Option<Roman>;

    fn add(self, other: Roman) -> Option<Roman> {
        Roman::new(self.0 + other.0)
    }
}

impl Sub for Roman {
    type Output = Option<Roman>;

    fn sub(self, other: Roman) -> Option<Roman> {
        self.0.checked_sub(other.0).and_then(Roman::new)
    }
}

impl From<Roman> for u16 {
    fn from(roman: Roman) -> u16 {
        roman.value()
    }
}

macro_rules! try_from_integers {
    ($($integer:ty),*) => {$(
        impl TryFrom<$integer> for Roman {
            type Error = $integer;

            /// Gives the number back if it has no numeral.
            fn try_from(value: $integer) -> Result<Roman, $integer> {
                u16::try_from(value).ok().and_then(Roman::new).ok_or(value)
            }
        }
    )*};
}

try_from_integers!(i16, u32, i32, u64, i64, usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn roman(value: u16) -> Roman {
        Roman::new(value).expect("a test uses numbers that exist")
    }

    #[test]
    fn small_numbers_are_written_with_strokes() {
        assert_eq!(roman(1).to_string(), "I");
        assert_eq!(roman(3).to_string(), "III");
        assert_eq!(roman(4).to_string(), "IV");
        assert_eq!(roman(8).to_string(), "VIII");
        assert_eq!(roman(9).to_string(), "IX");
    }

    #[test]
    fn years_are_written_as_on_buildings() {
        assert_eq!(roman(1666).to_string(), "MDCLXVI");
        assert_eq!(roman(2024).to_string(), "MMXXIV");
        let years = [(1453, "MCDLIII"), (1789, "MDCCLXXXIX"), (1990, "MCMXC")];
        for (year, inscription) in years {
            assert_eq!(roman(year).to_string(), inscription);
        }
    }

    #[test]
    fn what_was_written_can_be_read() {
        for numeral in RomanRange::all().take(89) {
            assert_eq!(numeral.to_string().parse(), Ok(numeral));
        }
    }

    #[test]
    fn lost_letters_leave_a_choice() {
        let seen = [Some('V'), None];
        assert_eq!(Roman::guess(&seen), [roman(6)]);
    }

    #[test]
    fn sums_stay_in_range() {
        assert_eq!(roman(2) + roman(2), Some(roman(4)));
        assert_eq!(Roman::MAX + Roman::MIN, None);
        assert_eq!(Roman::MIN - Roman::MIN, None);
        assert_eq!(Roman::try_from(-3_i32), Err(-3));
        assert_eq!(Roman::try_from(14_u64), Ok(roman(14)));
    }

    #[test]
    fn numerals_are_padded_like_text() {
        assert_eq!(format!("[{:>4}]", roman(2)), "[  II]");
    }
}
