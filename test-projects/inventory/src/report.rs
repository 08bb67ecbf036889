//! The stock as text.

use std::fmt::Write;

use crate::stock::Observer;
use crate::Warehouse;

/// A way to write down the stock.
pub trait Format {
    /// The whole report.
    fn render<O: Observer>(&self, warehouse: &Warehouse<O>) -> String;
}

/// For people: aligned columns.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// Width of the columns of numbers.
    pub width: usize,
}

impl Format for Table {
    fn render<O: Observer>(&self, warehouse: &Warehouse<O>) -> String {
        let width = self.width;
        let mut text = format!("{:<8}{:>width$}{:>width$}\n", "article", "hand", "free");
        for (sku, shelf) in warehouse.iter() {
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{:<8}{:>width$}{:>width$}",
                sku.to_string(),
                shelf.on_hand(),
                shelf.available()
            );
        }
        text
    }
}

/// For spreadsheets.
#[cfg(feature = "csv")]
#[derive(Debug, Clone, Copy)]
pub struct Csv {
    /// What stands between two fields.
    pub separator: char,
}

#[cfg(feature = "csv")]
impl Format for Csv {
    fn render<O: Observer>(&self, warehouse: &Warehouse<O>) -> String {
        let mut text = String::new();
        for (sku, shelf) in warehouse.iter() {
            for batch in shelf.batches() {
                let _ = writeln!(
                    text,
                    "{sku}{s}{}{s}{}",
                    batch.pieces(),
                    batch.best_before(),
                    s = self.separator
                );
            }
        }
        text
    }
}

/// For other programs.
#[cfg(feature = "json")]
#[derive(Debug, Clone, Copy)]
pub struct Json;

#[cfg(feature = "json")]
impl Format for Json {
    fn render<O: Observer>(&self, warehouse: &Warehouse<O>) -> String {
        let rows: Vec<String> = warehouse
            .iter()
            .map(|(sku, shelf)| format!(r#"{{"sku":"{sku}","on_hand":{}}}"#, shelf.on_hand()))
            .collect();
        format!("[{}]", rows.join(","))
    }
}
