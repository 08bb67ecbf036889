//! Tells a person or a program how a reduction goes and what came of it; never decides anything.
//!
//! The engine speaks to an [`Observer`] in [`Event`]s while it works and ends with a [`Summary`] or a
//! [`Failure`].

mod event;
mod failure;
mod summary;

pub use event::{Event, Observer, TrialOutcome};
pub use failure::Failure;
pub use summary::{Kind, PassStatistics, Slip, Status, Summary};
