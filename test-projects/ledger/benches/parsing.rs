//! How long a large journal takes to read.

use std::time::Instant;

use ledger::Journal;

fn main() {
    let month = "03 rent\n  home:rent 800.00\n  bank -800.00\n".repeat(1_000);
    let start = Instant::now();
    let journal: Journal = month.parse().expect("the text above is a journal");
    println!(
        "{} transactions in {:?}",
        journal.transactions.len(),
        start.elapsed()
    );
}
