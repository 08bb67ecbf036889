//! What can be seen on a screen.

mod basic;
mod column;
mod lazy;
mod logged;

pub use basic::{Label, Ticker};
pub use column::Column;
pub use lazy::lazy;
pub use logged::Logged;

use crate::Frame;

/// Something to look at.
pub trait Widget<F: Frame> {
    /// What it tells the program.
    type Event;

    /// Shows itself, and tells what happened since the last time.
    fn draw(&mut self, frame: &F) -> Option<Self::Event>;

    /// How many rows it takes.
    fn rows(&self) -> usize {
        1
    }
}

/// Nothing to look at.
impl<F: Frame> Widget<F> for () {
    type Event = ();

    fn draw(&mut self, _: &F) -> Option<()> {
        None
    }

    fn rows(&self) -> usize {
        0
    }
}
