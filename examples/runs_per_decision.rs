//! How many runs it takes to decide whether a flaky test still fails often enough, one after the other against a
//! fixed number of runs.
//!
//! ```text
//! cargo run --release --example runs_per_decision
//! ```

use cargo_reduce::statistics::{PlanError, RATES, runs_per_decision};

const ALPHA: f64 = 0.2;
const BETA: f64 = 0.05;

fn main() -> Result<(), PlanError> {
    println!(
        "Expected runs per decision (alpha {ALPHA}, beta {BETA}), and the share saved against fixed n"
    );
    println!();
    println!("{}", runs_per_decision(&RATES, ALPHA, BETA)?);
    Ok(())
}
