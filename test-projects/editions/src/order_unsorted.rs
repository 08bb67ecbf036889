//! Rows as they come.

use table::Row;

/// Where a row belongs.
pub fn place(rows: &[Row], _: &Row) -> usize {
    rows.len()
}
