//! Says whether the journals named on the command line add up.

use std::process::ExitCode;
use std::{env, fs};

use ledger::Journal;

fn main() -> ExitCode {
    let mut good = true;
    for path in env::args().skip(1) {
        let journal = match fs::read_to_string(&path) {
            Ok(text) => text.parse::<Journal>().map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match journal {
            Ok(journal) => {
                for transaction in journal.unbalanced() {
                    good = false;
                    println!(
                        "{path}: {} is off by {}",
                        transaction.text,
                        transaction.imbalance()
                    );
                }
            }
            Err(error) => {
                good = false;
                eprintln!("{path}: {error}");
            }
        }
    }
    if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
