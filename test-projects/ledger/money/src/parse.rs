use std::error::Error;
use std::fmt;
use std::str::FromStr;

use crate::Amount;

/// Why a text is not an amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParseAmountError {
    /// Not `12.34`, with or without a sign.
    Form,
    /// Too many digits.
    TooLarge,
}

impl fmt::Display for ParseAmountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ParseAmountError::Form => "an amount looks like -12.34",
            ParseAmountError::TooLarge => "nobody has that much",
        })
    }
}

impl Error for ParseAmountError {}

impl FromStr for Amount {
    type Err = ParseAmountError;

    fn from_str(text: &str) -> Result<Amount, ParseAmountError> {
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (units, cents) = digits.split_once('.').ok_or(ParseAmountError::Form)?;
        let only_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if units.is_empty() || cents.len() != 2 || !only_digits(units) || !only_digits(cents) {
            return Err(ParseAmountError::Form);
        }
        let units: i64 = units.parse().map_err(|_| ParseAmountError::TooLarge)?;
        let cents: i64 = cents.parse().map_err(|_| ParseAmountError::Form)?;
        let sum = units
            .checked_mul(100)
            .and_then(|units| units.checked_add(cents))
            .ok_or(ParseAmountError::TooLarge)?;
        Ok(Amount::new(0, if negative { -sum } else { sum }))
    }
}
