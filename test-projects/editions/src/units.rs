//! Lengths and what they are measured in.

use std::fmt;

mod metric;
pub mod parse;

pub use self::metric::*;

/// Something to measure lengths in.
pub trait Unit: fmt::Debug {
    /// How it is written.
    fn sign(&self) -> &'static str;

    /// How many metres it is.
    fn factor(&self) -> f64;
}

/// A length, in metres whatever it was written in.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Length(pub f64);

impl Length {
    /// So many of a unit.
    pub fn of<U: Unit + ?Sized>(number: f64, unit: &U) -> Length {
        Length(number * unit.factor())
    }

    /// How many of a unit.
    pub fn to(self, unit: &Unit) -> f64 {
        self.0 / unit.factor()
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{} m", ::rounding::round(self.0, 3))
    }
}
