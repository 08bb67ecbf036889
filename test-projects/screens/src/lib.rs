//! Screens of a small terminal program, put together from widgets that are built when they are first drawn.

mod frame;
mod grid;
pub mod screens;
pub mod widgets;

pub use frame::Frame;
pub use grid::{Brush, Grid};
pub use widgets::Widget;

/// Draws a widget so many times, and collects what it tells.
pub fn run<F: Frame, W: Widget<F>>(frame: &F, mut widget: W, times: usize) -> Vec<W::Event> {
    (0..times).filter_map(|_| widget.draw(frame)).collect()
}
