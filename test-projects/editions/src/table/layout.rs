//! How wide the columns are.

use super::Row;
use rounding::round;
use units::Unit;

/// The widths of the columns.
#[derive(Debug)]
pub struct Layout {
    name: usize,
    number: usize,
}

impl Layout {
    /// Wide enough for all rows.
    pub fn of(rows: &[Row], unit: &Unit) -> Layout {
        let widest = |width: &Fn(&Row) -> usize| rows.iter().map(|row| width(row)).max();
        Layout {
            name: widest(&|row| row.name.len()).unwrap_or(0),
            number: widest(&|row| number(row, unit).len()).unwrap_or(0),
        }
    }

    /// One row.
    pub fn line(&self, row: &Row, unit: &Unit) -> String {
        let dots = self.name - row.name.chars().count();
        let name = format!("{}{}", row.name, &DOTS[..dots]);
        format!(
            "{} {:>width$} {}",
            name,
            number(row, unit),
            unit.sign(),
            width = self.number
        )
    }
}

// Long enough for the names in a workshop.
const DOTS: &'static str = "......";

fn number(row: &Row, unit: &Unit) -> String {
    round(row.length.to(unit), 2).to_string()
}
