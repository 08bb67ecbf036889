use crate::{Address, Item};

/// What was paid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(pub u32);

/// Paper in an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letter {
    address: Address,
    pages: u32,
    stamps: Vec<Stamp>,
}

impl Letter {
    pub fn to(address: Address, pages: u32) -> Self {
        Letter {
            address,
            pages,
            stamps: Vec::new(),
        }
    }

    pub fn stamped(mut self, stamp: Stamp) -> Self {
        self.stamps.push(stamp);
        self
    }

    /// Whether the stamps are enough.
    pub fn is_paid(&self) -> bool {
        let paid: u32 = self.stamps.iter().map(|stamp| stamp.0).sum();
        paid >= self.postage()
    }
}

impl Item for Letter {
    fn address(&self) -> &Address {
        &self.address
    }

    fn weight(&self) -> u32 {
        5 + 5 * self.pages
    }
}
