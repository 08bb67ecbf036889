//! Currencies and what they are worth.

use std::collections::BTreeMap;
use std::fmt;

/// A currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Currency {
    Crown,
    Florin,
    Thaler,
}

impl Currency {
    pub const ALL: [Currency; 3] = [Currency::Crown, Currency::Florin, Currency::Thaler];

    /// What is printed behind an amount.
    pub fn symbol(self) -> &'static str {
        match self {
            Currency::Crown => "kr",
            Currency::Florin => "fl",
            Currency::Thaler => "tl",
        }
    }
}

impl fmt::Display for Currency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// What a unit of each currency is worth, in hundredths of a crown.
#[derive(Debug, Clone, Default)]
pub struct Rates {
    worth: BTreeMap<Currency, u64>,
}

impl Rates {
    /// Rates as they were posted this morning.
    pub fn posted() -> Rates {
        let worth = [(Currency::Crown, 100), (Currency::Florin, 175), (Currency::Thaler, 320)];
        Rates {
            worth: worth.into_iter().collect(),
        }
    }

    /// `amount` of `from` in `to`, rounded down.
    pub fn convert(&self, amount: u64, from: Currency, to: Currency) -> Option<u64> {
        let (from, to) = (self.worth.get(&from)?, self.worth.get(&to)?);
        Some(amount * from / to)
    }
}
