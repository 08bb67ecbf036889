//! How many runs it takes to decide whether a flaky test still fails often enough, one after the other against a
//! fixed number of runs.
//!
//! ```text
//! cargo run --release --example runs_per_decision
//! ```
//!
//! The candidate is to fail at least half as often as the original. All numbers are exact, not simulated.

use cargo_reduce::statistics::{Plan, PlanError, fixed};

const ALPHA: f64 = 0.05;
const BETA: f64 = 0.05;

fn main() -> Result<(), PlanError> {
    println!(
        "Expected runs per decision (alpha {ALPHA}, beta {BETA}), and the share saved against fixed n"
    );
    println!();
    println!(
        "| original fails | fixed n | bound | candidate: never | at half the rate | three quarters | at the same rate |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for rate in [0.5, 0.2, 0.1, 0.05, 0.02, 0.01] {
        let (low, high) = (rate / 2.0, rate);
        let plan = Plan::new(low, high, ALPHA, BETA)?;
        let fixed = fixed(low, high, ALPHA, BETA)?;
        let at = |part: f64| {
            let runs = plan.operation(rate * part).runs;
            let saved = 100.0 * (1.0 - runs / f64::from(fixed));
            format!("{runs:.1} ({saved:.0} %)")
        };
        println!(
            "| {:.0} % | {fixed} | {} | {} | {} | {} | {} |",
            rate * 100.0,
            plan.bound(),
            at(0.0),
            at(0.5),
            at(0.75),
            at(1.0)
        );
    }
    Ok(())
}
