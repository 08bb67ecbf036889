use super::Widget;
use crate::Frame;

/// Two widgets, one below the other.
#[derive(Debug)]
pub struct Column<A, B>(pub A, pub B);

impl<F, A, B> Widget<F> for Column<A, B>
where
    F: Frame,
    A: Widget<F>,
    B: Widget<F, Event = A::Event>,
{
    type Event = A::Event;

    fn draw(&mut self, frame: &F) -> Option<A::Event> {
        let first = self.0.draw(frame);
        first.or_else(|| self.1.draw(frame))
    }

    fn rows(&self) -> usize {
        self.0.rows() + self.1.rows()
    }
}
