//! What was swapped, for the books.

use std::fmt;
use std::sync::Mutex;

use crate::swap::Swap;

/// One swap that took place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub giver: String,
    pub payer: String,
    pub what: Swap,
    pub price: u64,
}

/// All swaps, in order.
#[derive(Debug, Default)]
pub struct Journal {
    entries: Mutex<Vec<Entry>>,
}

impl Journal {
    pub fn note(&self, giver: &str, payer: &str, what: Swap, price: u64) {
        self.entries.lock().unwrap().push(Entry {
            giver: giver.to_string(),
            payer: payer.to_string(),
            what,
            price,
        });
    }

    pub fn len(&self) -> usize {
        self.entries.lock().unwrap().len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Display for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for entry in self.entries.lock().unwrap().iter() {
            let Swap { amount, give, take } = entry.what;
            writeln!(
                f,
                "{} gives {amount} {give} to {} for {} {take}",
                entry.giver, entry.payer, entry.price
            )?;
        }
        Ok(())
    }
}
