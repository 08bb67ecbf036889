//! A table of measures, written as in 2015: no `edition` in the manifest, `extern crate`, paths from the crate root,
//! `try!`, trait objects without `dyn`, and every way to say where a module lies.

#![allow(bare_trait_objects, deprecated)]

#[macro_use]
mod macros;

/// In one of two files.
#[cfg_attr(feature = "unsorted", path = "order_unsorted.rs")]
#[cfg_attr(not(feature = "unsorted"), path = "order_sorted.rs")]
mod order;
/// Somewhere else altogether.
#[path = "odd/place.rs"]
pub mod rounding;
/// In `table/mod.rs`, with modules in `table/`.
pub mod table;
/// In `units.rs`, with modules in `units/`.
pub mod units;

/// Written out by a script long ago.
pub mod constants {
    include!("constants.in");

    /// Modules in a block have a directory of their own too.
    #[path = "imperial.rs"]
    pub mod imperial;
}

pub use table::Table;
pub use units::{Length, Unit};
