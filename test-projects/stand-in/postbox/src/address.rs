use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// Where something goes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Address {
    /// Sorted by this first.
    pub code: u32,
    pub town: String,
    pub street: String,
}

/// A text that nobody could deliver to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BadAddress {
    Parts(usize),
    Code(String),
}

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadAddress::Parts(count) => write!(f, "{count} parts instead of two"),
            BadAddress::Code(code) => write!(f, "`{code}` is no postal code"),
        }
    }
}

impl Error for BadAddress {}

impl FromStr for Address {
    type Err = BadAddress;

    /// Reads `Mill Lane 3, 12345 Hilltown`.
    fn from_str(text: &str) -> Result<Self, BadAddress> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let [street, place] = parts[..] else {
            return Err(BadAddress::Parts(parts.len()));
        };
        let (code, town) = place.split_once(' ').unwrap_or((place, ""));
        Ok(Address {
            code: code
                .parse()
                .map_err(|_| BadAddress::Code(code.to_owned()))?,
            town: town.to_owned(),
            street: street.to_owned(),
        })
    }
}
