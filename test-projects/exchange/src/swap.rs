//! Swaps: so much of one currency against its worth in another.

use crate::currency::{Currency, Rates};
use crate::purse::{NotEnough, Purse};

/// What is swapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swap {
    pub amount: u64,
    pub give: Currency,
    pub take: Currency,
}

/// What both purses hold together of one currency; whoever pays counts first.
pub fn check(payer: &Purse, giver: &Purse, currency: Currency) -> u64 {
    let first = payer.coins.lock().unwrap();
    let second = giver.coins.lock().unwrap();
    first.amount(currency) + second.amount(currency)
}

/// `from` gives, `to` pays. Either both happens or nothing.
pub fn swap(from: &Purse, to: &Purse, what: Swap, rates: &Rates) -> Result<u64, NotEnough> {
    let mut giver = from.coins.lock().unwrap();
    giver.take(what.amount, what.give)?;
    let price = rates.convert(what.amount, what.give, what.take).unwrap_or(0);
    let mut payer = to.coins.lock().unwrap();
    if let Err(error) = payer.take(price, what.take) {
        giver.put(what.amount, what.give);
        return Err(error);
    }
    payer.put(what.amount, what.give);
    giver.put(price, what.take);
    Ok(price)
}
