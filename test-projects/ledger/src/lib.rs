//! Double-entry bookkeeping in plain text.
//!
//! A journal is a list of transactions; the postings of a transaction add up to nothing:
//!
//! ```text
//! 03 rent
//!   home:rent      800.00
//!   bank          -800.00
//! ```

mod accounts;
mod journal;
mod split;

pub use accounts::{Account, Chart};
pub use journal::{Journal, ParseError, Posting, Transaction};
pub use money;
pub use split::settle;

/// What is known about currencies, made by the build script.
pub mod currency {
    include!(concat!(env!("OUT_DIR"), "/currencies.rs"));
}

/// How many digits a journal shows after the point unless it says otherwise.
#[cfg(has_minor_units)]
pub const DEFAULT_DIGITS: u8 = 2;
/// How many digits a journal shows after the point unless it says otherwise.
#[cfg(not(has_minor_units))]
pub const DEFAULT_DIGITS: u8 = 0;
