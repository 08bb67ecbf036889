//! What can go wrong with a request, as opposed to with the program.

use std::fmt;

use crate::{Pieces, Sku};

/// The result of an operation on the stock.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Nobody ever received this article.
    UnknownSku(Sku),
    /// Fewer pieces are free than were asked for.
    NotEnough {
        /// The article.
        sku: Sku,
        /// What was asked for.
        wanted: Pieces,
        /// What could be had.
        available: Pieces,
    },
    /// The text is not of the form `AAA-000`.
    BadSku(String),
    /// A reservation that does not exist or is smaller than the request.
    NotReserved {
        /// The article.
        sku: Sku,
        /// What is reserved.
        reserved: Pieces,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownSku(sku) => write!(f, "no article {sku}"),
            Error::NotEnough {
                sku,
                wanted,
                available,
            } => write!(f, "{wanted} pieces of {sku} wanted, {available} available"),
            Error::BadSku(text) => write!(f, "`{text}` is not an article number"),
            Error::NotReserved { sku, reserved } => {
                write!(f, "only {reserved} pieces of {sku} are reserved")
            }
        }
    }
}

impl std::error::Error for Error {}
