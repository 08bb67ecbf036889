//! From letters to a number.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::{Digit, Roman};

/// Why a text is not a numeral.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParseRomanError {
    /// There is nothing to read.
    Empty,
    /// A character that is no digit.
    UnknownLetter(char),
    /// The digits are there, but nobody would write the number like this.
    Unusual {
        /// How it is usually written.
        usual: String,
    },
    /// Too large.
    Overflow,
}

impl fmt::Display for ParseRomanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseRomanError::Empty => f.write_str("there is no numeral"),
            ParseRomanError::UnknownLetter(letter) => write!(f, "`{letter}` is not a digit"),
            ParseRomanError::Unusual { usual } => write!(f, "usually written {usual}"),
            ParseRomanError::Overflow => f.write_str("larger than MMMCMXCIX"),
        }
    }
}

impl Error for ParseRomanError {}

impl FromStr for Roman {
    type Err = ParseRomanError;

    fn from_str(text: &str) -> Result<Roman, ParseRomanError> {
        let digits = text
            .chars()
            .map(|letter| Digit::from_letter(letter).ok_or(ParseRomanError::UnknownLetter(letter)))
            .collect::<Result<Vec<_>, _>>()?;
        if digits.is_empty() {
            return Err(ParseRomanError::Empty);
        }

        let mut value = 0_i32;
        for (position, digit) in digits.iter().enumerate() {
            let worth = i32::from(digit.value());
            match digits.get(position + 1) {
                Some(next) if next > digit => value -= worth,
                _ => value += worth,
            }
        }
        let roman = Roman::try_from(value).map_err(|_| ParseRomanError::Overflow)?;

        let usual = roman.to_string();
        if usual == text {
            Ok(roman)
        } else {
            Err(ParseRomanError::Unusual { usual })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_numerals_are_refused() {
        assert_eq!(
            "IIII".parse::<Roman>(),
            Err(ParseRomanError::Unusual { usual: "IV".into() })
        );
        assert_eq!("".parse::<Roman>(), Err(ParseRomanError::Empty));
        assert_eq!(
            "XIZ".parse::<Roman>(),
            Err(ParseRomanError::UnknownLetter('Z'))
        );
    }
}
