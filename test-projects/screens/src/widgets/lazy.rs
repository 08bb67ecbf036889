use super::Widget;
use crate::Frame;

/// A widget that is built when it is first drawn, from what the frame shows then.
struct Lazy<Make, W> {
    make: Make,
    built: Option<W>,
}

impl<F, W, Make> Widget<F> for Lazy<Make, W>
where
    F: Frame,
    W: Widget<F>,
    Make: for<'f> FnMut(F::View<'f>) -> W,
{
    type Event = W::Event;

    fn draw(&mut self, frame: &F) -> Option<W::Event> {
        if self.built.is_none() {
            self.built = Some((self.make)(frame.view()));
        }
        self.built.as_mut().and_then(|widget| widget.draw(frame))
    }

    fn rows(&self) -> usize {
        self.built.as_ref().map_or(1, W::rows)
    }
}

/// Builds a widget when it is first drawn.
pub fn lazy<F, W, Make>(make: Make) -> impl Widget<F, Event = W::Event>
where
    F: Frame,
    W: Widget<F>,
    Make: for<'f> FnMut(F::View<'f>) -> W,
{
    Lazy { make, built: None }
}
