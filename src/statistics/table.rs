//! What deciding one run after the other saves, as a table; exact, not simulated.
//!
//! Runs on average per decision, and the share saved, where a candidate has to fail at least half as often as the original
//! (errors of 20 % and 5 %, the defaults). `cargo run --release --example runs_per_decision` prints it.
//!
//! | original fails | fixed n | bound | candidate: never | at half the rate | three quarters | at the same rate |
//! | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
//! | 50 % | 23 | 28 | 6.0 (74 %) | 17.9 (22 %) | 16.9 (27 %) | 11.0 (52 %) |
//! | 20 % | 82 | 111 | 17.0 (79 %) | 67.8 (17 %) | 60.0 (27 %) | 35.9 (56 %) |
//! | 10 % | 179 | 238 | 36.0 (80 %) | 147.2 (18 %) | 127.9 (29 %) | 76.3 (57 %) |
//! | 5 % | 361 | 505 | 72.0 (80 %) | 313.3 (13 %) | 267.8 (26 %) | 157.5 (56 %) |
//! | 2 % | 969 | 1340 | 183.0 (81 %) | 814.5 (16 %) | 695.6 (28 %) | 403.7 (58 %) |
//! | 1 % | 1941 | 2674 | 368.0 (81 %) | 1635.6 (16 %) | 1393.5 (28 %) | 810.7 (58 %) |

use super::{Plan, PlanError, fixed};

/// A table in Markdown of the runs that a decision takes on average, with errors of `alpha` and `beta`: for each of
/// `rates`, at which the original fails, against the fixed number of runs that would do.
///
/// # Errors
///
/// When half a rate cannot be told from the whole in reasonable time.
pub fn runs_per_decision(rates: &[f64], alpha: f64, beta: f64) -> Result<String, PlanError> {
    let mut lines = vec![
        "| original fails | fixed n | bound | candidate: never | at half the rate | three quarters | at the same rate |"
            .to_owned(),
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |".to_owned(),
    ];
    for rate in rates {
        let plan = Plan::new(rate / 2.0, *rate, alpha, beta)?;
        let fixed = fixed(rate / 2.0, *rate, alpha, beta)?;
        let at = |part: f64| {
            let runs = plan.operation(rate * part).runs;
            let saved = 100.0 * (1.0 - runs / f64::from(fixed));
            format!("{runs:.1} ({saved:.0} %)")
        };
        lines.push(format!(
            "| {:.0} % | {fixed} | {} | {} | {} | {} | {} |",
            rate * 100.0,
            plan.bound(),
            at(0.0),
            at(0.5),
            at(0.75),
            at(1.0)
        ));
    }
    Ok(lines.join("\n"))
}

/// The rates of the table above.
pub const RATES: [f64; 6] = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_above_is_the_one_that_is_computed() {
        let table = runs_per_decision(&RATES, 0.2, 0.05).expect("they can be told apart");
        let own = include_str!("table.rs").lines();
        let above: Vec<&str> = own.filter_map(|line| line.strip_prefix("//! |")).collect();
        let computed: Vec<&str> = table.lines().map(|line| &line[1..]).collect();
        assert_eq!(above, computed, "\n{table}");
    }
}
