//! One purse.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Mutex;

use crate::currency::Currency;

/// Coins of several currencies, for several hands.
#[derive(Debug, Default)]
pub struct Purse {
    pub(crate) coins: Mutex<Coins>,
    owner: String,
}

/// How many of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coins {
    amounts: BTreeMap<Currency, u64>,
}

/// There is less in the purse than was asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotEnough {
    pub currency: Currency,
    pub missing: u64,
}

impl fmt::Display for NotEnough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} are missing", self.missing, self.currency)
    }
}

impl std::error::Error for NotEnough {}

impl Coins {
    pub fn amount(&self, currency: Currency) -> u64 {
        self.amounts.get(&currency).copied().unwrap_or(0)
    }

    pub fn put(&mut self, amount: u64, currency: Currency) {
        *self.amounts.entry(currency).or_insert(0) += amount;
    }

    pub fn take(&mut self, amount: u64, currency: Currency) -> Result<(), NotEnough> {
        let there = self.amounts.entry(currency).or_insert(0);
        match there.checked_sub(amount) {
            Some(left) => {
                *there = left;
                Ok(())
            }
            None => Err(NotEnough {
                currency,
                missing: amount - *there,
            }),
        }
    }
}

impl Purse {
    /// An empty purse.
    pub fn of(owner: &str) -> Purse {
        Purse {
            owner: owner.to_string(),
            ..Purse::default()
        }
    }

    /// The same with so much in it.
    pub fn with(self, amount: u64, currency: Currency) -> Purse {
        self.coins.lock().unwrap().put(amount, currency);
        self
    }

    /// Whose it is.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// How much of one currency is in it.
    pub fn amount(&self, currency: Currency) -> u64 {
        self.coins.lock().unwrap().amount(currency)
    }
}

impl fmt::Display for Purse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.owner)?;
        for currency in Currency::ALL {
            write!(f, " {} {currency}", self.amount(currency))?;
        }
        Ok(())
    }
}
