//! Screens of a small terminal program, put together from widgets that are built when they are first drawn.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;

/// Where widgets draw, and what they see of the program while they do.
pub trait Frame {
    /// What is lent to a widget for as long as it draws.
    type View<'f>
    where
        Self: 'f;

    /// Lends it.
    fn view(&self) -> Self::View<'_>;
}

/// A frame that shows nothing of the program.
impl Frame for () {
    type View<'f> = ();

    fn view(&self) -> Self::View<'_> {}
}

/// A grid of characters.
#[derive(Debug, Clone)]
pub struct Grid {
    width: usize,
    cells: RefCell<Vec<char>>,
}

impl Grid {
    /// An empty grid.
    pub fn new(width: usize, height: usize) -> Grid {
        Grid {
            width,
            cells: RefCell::new(vec![' '; width * height]),
        }
    }

    /// Writes a text into a row; what does not fit is cut off.
    pub fn write(&self, row: usize, text: &str) {
        let mut cells = self.cells.borrow_mut();
        let start = row * self.width;
        for (cell, character) in cells[start..start + self.width]
            .iter_mut()
            .zip(text.chars())
        {
            *cell = character;
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.cells.borrow().chunks(self.width) {
            let line: String = row.iter().collect();
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A brush that starts at some row.
#[derive(Debug, Clone, Copy)]
pub struct Brush<'f> {
    grid: &'f Grid,
    row: usize,
}

impl<'f> Brush<'f> {
    /// The same brush further down.
    pub fn below(self, rows: usize) -> Brush<'f> {
        Brush {
            row: self.row + rows,
            ..self
        }
    }
}

impl Frame for Grid {
    type View<'f> = Brush<'f>;

    fn view(&self) -> Brush<'_> {
        Brush { grid: self, row: 0 }
    }
}

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

/// The screen that is shown while the program starts.
pub fn splash() -> impl Widget<(), Event = ()> {
    lazy(|()| lazy(|()| ()))
}

/// The screen that is shown when something went wrong.
pub fn failure(message: &str) -> impl Widget<Grid, Event = ()> {
    let title = Label("Something went wrong".to_owned());
    Column(title, Label(format!("  {message}")))
}

/// Draws a widget so many times, and collects what it tells.
pub fn run<F: Frame, W: Widget<F>>(frame: &F, mut widget: W, times: usize) -> Vec<W::Event> {
    (0..times).filter_map(|_| widget.draw(frame)).collect()
}

pub fn main() {
    let grid = Grid::new(40, 4);
    run(&(), splash(), 2);
    run(&grid, failure("the disk is full"), 1);
    let ticks = run(&(), Logged::new(Ticker::default(), 4), 10);
    println!("{grid}{} events", ticks.len());
}
