//! Tells a person or a program how a reduction goes and what came of it; never decides anything.
//!
//! The engine speaks to an [`Observer`] in [`Event`]s while it works and ends with a [`Summary`] or a
//! [`Failure`]. While it runs, [`Human`] shows the events to a person and [`JsonLines`] to a program; afterwards
//! [`summary_text()`] says to a person what came of it, and [`write_reports`] leaves `report.json` and `report.md` in the output
//! directory.

mod batch;
mod event;
#[cfg(test)]
pub(crate) mod example;
mod failure;
mod failure_text;
mod files;
mod flakiness;
mod human;
mod ice_output;
mod json_lines;
mod markdown;
mod progress;
mod screen;
mod style;
mod summary;
mod summary_text;
#[cfg(test)]
mod tests;
mod wording;

use std::sync::Arc;
use std::time::Duration;

pub use batch::{BatchEntry, batch_text};
pub use event::{Event, Fate, Observer, TrialOutcome};
pub use failure::Failure;
pub use failure_text::failure_text;
pub use files::{write_atomically, write_reports};
pub use flakiness::{Flakiness, Rate, SeenFailure, share};
pub use human::{Human, Verbosity};
pub use json_lines::JsonLines;
pub use markdown::markdown;
pub use screen::{LiveLine, Screen, Width};
pub use style::Style;
pub use summary::{Kind, PassStatistics, Slip, Status, Summary};
pub use summary_text::summary_text;

/// Tells the time since the start; handed in, so that what is shown can be tested.
pub type Clock = Arc<dyn Fn() -> Duration + Send + Sync>;
