use std::cell::Cell;

use super::Widget;
use crate::{Frame, Grid};

/// A line of text.
#[derive(Debug, Clone)]
pub struct Label(pub String);

impl Widget<Grid> for Label {
    type Event = ();

    fn draw(&mut self, grid: &Grid) -> Option<()> {
        let brush = grid.view();
        brush.grid.write(brush.row, &self.0);
        None
    }
}

/// Counts how often it is drawn.
#[derive(Debug, Default)]
pub struct Ticker {
    ticks: Cell<u32>,
}

impl Ticker {
    const LIMIT: u32 = 1 << 16;
}

impl<F: Frame> Widget<F> for Ticker {
    type Event = u32;

    fn draw(&mut self, _: &F) -> Option<u32> {
        let ticks = self.ticks.get() + 1;
        self.ticks.set(ticks % Ticker::LIMIT);
        (ticks == Ticker::LIMIT).then_some(ticks)
    }
}
