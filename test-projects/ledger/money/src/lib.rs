//! Amounts of money that add up to the cent.

mod parse;

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

pub use parse::ParseAmountError;

/// An amount, possibly negative, in hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Amount {
    cents: i64,
}

impl Amount {
    /// Nothing.
    pub const ZERO: Amount = Amount { cents: 0 };

    /// So many units and cents; both count in the same direction.
    pub const fn new(units: i64, cents: i64) -> Amount {
        Amount {
            cents: units * 100 + cents,
        }
    }

    /// In hundredths.
    pub const fn cents(self) -> i64 {
        self.cents
    }

    /// Shares the amount by weights, so that the shares add up to it; what cannot be shared goes to the first ones,
    /// a cent each.
    ///
    /// # Panics
    ///
    /// If there are no weights, or all of them are zero.
    pub fn allocate(self, weights: &[u32]) -> Vec<Amount> {
        let total: i64 = weights.iter().copied().map(i64::from).sum();
        assert!(total > 0, "there is nobody to share with");

        let mut shares: Vec<Amount> = weights
            .iter()
            .map(|weight| Amount {
                cents: self.cents * i64::from(*weight) / total,
            })
            .collect();
        let shared: Amount = shares.iter().copied().sum();
        let rest = self - shared;
        for index in 0..rest.cents as usize {
            shares[index].cents += 1;
        }
        shares
    }

    /// The amount in another currency, rounded half away from zero; `rate` is in millionths.
    pub fn convert(self, rate: u64) -> Amount {
        let exact = i128::from(self.cents) * i128::from(rate);
        let half = 500_000 * exact.signum();
        // An amount of cents times a rate of a few thousand fits, and more is not paid anywhere.
        let cents = i64::try_from((exact + half) / 1_000_000).expect("the amount is payable");
        Amount { cents }
    }
}

impl Add for Amount {
    type Output = Amount;

    fn add(self, other: Amount) -> Amount {
        Amount {
            cents: self.cents + other.cents,
        }
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        *self = *self + other;
    }
}

impl Sub for Amount {
    type Output = Amount;

    fn sub(self, other: Amount) -> Amount {
        Amount {
            cents: self.cents - other.cents,
        }
    }
}

impl Sum for Amount {
    fn sum<I: Iterator<Item = Amount>>(amounts: I) -> Amount {
        amounts.fold(Amount::ZERO, Add::add)
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.cents < 0 { "-" } else { "" };
        let cents = self.cents.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", cents / 100, cents % 100))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        let shares = Amount::new(1, 0).allocate(&[1, 1, 1]);
        assert_eq!(shares.iter().copied().sum::<Amount>(), Amount::new(1, 0));
        assert_eq!(shares[0], Amount::new(0, 34));
    }

    #[test]
    fn debts_keep_their_sign() {
        assert_eq!(Amount::new(0, -5).to_string(), "-0.05");
        assert_eq!(Amount::new(0, -5).convert(1_100_000), Amount::new(0, -6));
    }
}
