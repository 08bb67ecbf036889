use crate::{Address, Item};

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parcel {
    pub address: Address,
    pub grams: u32,
    pub fragile: bool,
}

impl Item for Parcel {
    fn address(&self) -> &Address {
        &self.address
    }

    fn weight(&self) -> u32 {
        self.grams
    }

    fn postage(&self) -> u32 {
        let surcharge = if self.fragile { 250 } else { 0 };
        499 + surcharge + self.grams / 20
    }
}
