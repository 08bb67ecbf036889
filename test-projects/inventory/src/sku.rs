//! Article numbers.

use std::fmt;
use std::str::FromStr;

use crate::Error;

/// An article number such as `TEA-001`: three capital letters, a dash, three digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sku {
    family: [u8; 3],
    number: u16,
}

impl Sku {
    /// The product family: the three letters.
    pub fn family(&self) -> &str {
        // Only ASCII letters ever get in, see `from_str`.
        std::str::from_utf8(&self.family).expect("letters are ASCII")
    }

    /// The number within the family.
    pub fn number(&self) -> u16 {
        self.number
    }
}

impl FromStr for Sku {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let bad = || Error::BadSku(text.to_owned());
        let (letters, digits) = text.split_once('-').ok_or_else(bad)?;
        let family: [u8; 3] = letters.as_bytes().try_into().map_err(|_| bad())?;
        if !family.iter().all(u8::is_ascii_uppercase) || digits.len() != 3 {
            return Err(bad());
        }
        let number = digits.parse().map_err(|_| bad())?;
        Ok(Sku { family, number })
    }
}

impl fmt::Display for Sku {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.family(), self.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_what_it_read() {
        let sku: Sku = "TEA-007".parse().unwrap();
        assert_eq!(sku.to_string(), "TEA-007");
        assert_eq!(sku.family(), "TEA");
        assert_eq!(sku.number(), 7);
    }

    #[test]
    fn refuses_lower_case() {
        assert_eq!(
            "tea-007".parse::<Sku>(),
            Err(Error::BadSku("tea-007".to_owned()))
        );
    }
}
