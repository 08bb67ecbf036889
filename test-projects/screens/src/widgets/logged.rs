use std::collections::VecDeque;

use super::Widget;
use crate::Frame;

/// A widget whose events are kept until somebody asks for them.
#[derive(Debug)]
pub struct Logged<W, E> {
    widget: W,
    log: VecDeque<E>,
}

impl<W, E: Clone> Logged<W, E> {
    /// Keeps at most so many.
    pub fn new(widget: W, capacity: usize) -> Self {
        Logged {
            widget,
            log: VecDeque::with_capacity(capacity),
        }
    }

    /// The oldest event.
    pub fn oldest(&self) -> Option<&E> {
        self.log.front()
    }
}

impl<F: Frame, W: Widget<F>> Widget<F> for Logged<W, W::Event>
where
    W::Event: Clone,
{
    type Event = W::Event;

    fn draw(&mut self, frame: &F) -> Option<W::Event> {
        let event = self.widget.draw(frame)?;
        if self.log.len() == self.log.capacity() {
            self.log.pop_front();
        }
        self.log.push_back(event.clone());
        Some(event)
    }
}
