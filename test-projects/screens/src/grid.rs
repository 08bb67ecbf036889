use std::cell::RefCell;
use std::fmt;

use crate::Frame;

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
    pub(crate) grid: &'f Grid,
    pub(crate) row: usize,
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
