//! Draws the accounts of the example journal.

use charts::bar;
use ledger::{Chart, Journal};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let journal: Journal = include_str!("../tests/data/january.journal").parse()?;
    let mut chart = Chart::usual();
    journal.post_to(&mut chart);
    for (account, amount) in chart.used() {
        println!("{account:<16}{}", bar(amount.cents(), 2_500));
    }
    Ok(())
}
