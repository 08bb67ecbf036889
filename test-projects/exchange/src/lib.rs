//! Purses and what is swapped between them.

mod currency;
mod journal;
mod lot;
mod purse;
mod swap;

pub use currency::{Currency, Rates};
pub use lot::once_in;
pub use journal::{Entry, Journal};
pub use purse::{NotEnough, Purse};
pub use swap::{Swap, check, swap};
