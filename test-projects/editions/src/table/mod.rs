//! Names with lengths.

mod layout;

use order;
use units::{Length, Unit};

/// Rows of names and lengths.
#[derive(Debug, Default)]
pub struct Table {
    rows: Vec<Row>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What was measured.
    pub name: String,
    /// What came out.
    pub length: Length,
}

impl Table {
    /// No rows.
    pub fn new() -> Table {
        Table::default()
    }

    /// Adds a row.
    pub fn row(mut self, name: &str, length: Length) -> Table {
        let row = Row {
            name: name.to_string(),
            length: length,
        };
        let at = order::place(&self.rows, &row);
        self.rows.insert(at, row);
        self
    }

    /// All rows, in order.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The table as text, every number in the same unit.
    pub fn print(&self, unit: &Unit) -> String {
        let layout = layout::Layout::of(&self.rows, unit);
        let mut text = String::new();
        for row in &self.rows {
            text.push_str(&layout.line(row, unit));
            text.push('\n');
        }
        text
    }
}
