//! What goods cost.

mod policy;

use std::fmt;

pub use policy::{Clearance, Flat, PricePolicy, Tiered};

/// An amount of money.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Cents(pub u64);

crate::money_ops! {
    Add::add => checked_add,
    Sub::sub => checked_sub,
}

impl std::ops::Mul<u32> for Cents {
    type Output = Cents;

    fn mul(self, pieces: u32) -> Cents {
        Cents(self.0 * u64::from(pieces))
    }
}

impl std::iter::Sum for Cents {
    fn sum<I: Iterator<Item = Cents>>(amounts: I) -> Cents {
        amounts.fold(Cents::default(), |sum, amount| sum + amount)
    }
}

impl fmt::Display for Cents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}
