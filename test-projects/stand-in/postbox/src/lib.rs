//! Sorts letters, and parcels if they are wanted.

mod address;
mod letter;
#[cfg(feature = "parcels")]
mod parcel;
pub mod sorting;

pub use address::{Address, BadAddress};
pub use letter::{Letter, Stamp};
#[cfg(feature = "parcels")]
pub use parcel::Parcel;
pub use sorting::{Bag, Sorter};

/// Something that can be sent.
pub trait Item {
    /// Where to.
    fn address(&self) -> &Address;

    /// In grams.
    fn weight(&self) -> u32;

    /// What it costs, in cents.
    fn postage(&self) -> u32 {
        match self.weight() {
            0..=20 => 85,
            21..=50 => 100,
            heavy => 160 + heavy / 10,
        }
    }
}
