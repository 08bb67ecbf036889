//! Stock keeping for a small warehouse.
//!
//! Goods arrive in batches with a best-before day, customers reserve them, and pickers take the
//! oldest batch first:
//!
//! ```
//! use inventory::{sku, Batch, Warehouse};
//!
//! let mut warehouse = Warehouse::new();
//! warehouse.receive(sku!("TEA-001"), Batch::new(40, 90));
//! warehouse.reserve(&sku!("TEA-001"), 15).unwrap();
//! assert_eq!(warehouse.available(&sku!("TEA-001")), 25);
//! ```

#![warn(missing_docs)]

mod error;
pub mod pricing;
pub mod query;
pub mod report;
mod sku;
pub mod stock;

pub use error::{Error, Result};
pub use query::Query;
pub use sku::Sku;
pub use stock::{Batch, Warehouse};

/// A day, counted from the day the books were opened.
pub type Day = u32;

/// A quantity of pieces.
pub type Pieces = u32;

/// Makes a [`Sku`] from a literal that is known to be well formed.
///
/// # Panics
///
/// If the literal is not of the form `AAA-000`.
#[macro_export]
macro_rules! sku {
    ($text:literal) => {
        match $text.parse::<$crate::Sku>() {
            Ok(sku) => sku,
            Err(error) => panic!("bad literal: {error}"),
        }
    };
}

/// Implements the arithmetic that money needs, and none that it does not.
macro_rules! money_ops {
    ($($op:ident :: $method:ident => $checked:ident),* $(,)?) => {
        $(
            impl std::ops::$op for $crate::pricing::Cents {
                type Output = Self;

                fn $method(self, other: Self) -> Self {
                    Self(self.0.$checked(other.0).expect("amount out of range"))
                }
            }
        )*
    };
}
pub(crate) use money_ops;
