//! From `12 cm` to a length.

use std::error::Error;
use std::fmt;
use std::num::ParseFloatError;
use std::str::FromStr;

use units::{by_sign, Length};

/// Why a text is not a length.
#[derive(Debug, Clone, PartialEq)]
pub enum ParseLengthError {
    /// No number in front.
    Number(ParseFloatError),
    /// No unit behind.
    Unit(String),
}

impl From<ParseFloatError> for ParseLengthError {
    fn from(error: ParseFloatError) -> ParseLengthError {
        ParseLengthError::Number(error)
    }
}

impl fmt::Display for ParseLengthError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match *self {
            ParseLengthError::Number(ref error) => write!(f, "{}", error),
            ParseLengthError::Unit(ref sign) => write!(f, "`{}` is no unit", sign),
        }
    }
}

impl Error for ParseLengthError {}

impl FromStr for Length {
    type Err = ParseLengthError;

    fn from_str(text: &str) -> Result<Length, ParseLengthError> {
        let at = text.find(char::is_alphabetic).unwrap_or(text.len());
        let (number, sign) = text.split_at(at);
        let number: f64 = try!(number.trim().parse());
        match by_sign(sign) {
            Some(unit) => Ok(Length::of(number, &*unit)),
            None => Err(ParseLengthError::Unit(sign.to_string())),
        }
    }
}
