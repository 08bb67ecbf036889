//! Rows by length.

use table::Row;

/// Where a row belongs.
pub fn place(rows: &[Row], row: &Row) -> usize {
    rows.iter()
        .position(|other| other.length > row.length)
        .unwrap_or(rows.len())
}
