//! What deciding one run after the other saves, as a table; exact, not simulated.
//!
//! Runs on average per decision, and the share saved, where a candidate has to fail at least half as often as the original
//! (both errors at 5 %). `cargo run --release --example runs_per_decision` prints it.
//!
//! | original fails | fixed n | bound | candidate: never | at half the rate | three quarters | at the same rate |
//! | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
//! | 50 % | 42 | 50 | 6.0 (86 %) | 25.8 (38 %) | 32.7 (22 %) | 20.5 (51 %) |
//! | 20 % | 135 | 177 | 17.0 (87 %) | 92.3 (32 %) | 111.1 (18 %) | 65.8 (51 %) |
//! | 10 % | 298 | 393 | 36.0 (88 %) | 204.7 (31 %) | 243.0 (18 %) | 141.0 (53 %) |
//! | 5 % | 624 | 847 | 72.0 (88 %) | 435.3 (30 %) | 514.2 (18 %) | 292.3 (53 %) |
//! | 2 % | 1567 | 2117 | 183.0 (88 %) | 1109.9 (29 %) | 1297.9 (17 %) | 742.5 (53 %) |
//! | 1 % | 3137 | 4402 | 368.0 (88 %) | 2294.6 (27 %) | 2674.6 (15 %) | 1502.8 (52 %) |

use super::{Plan, PlanError, fixed};

/// A table in Markdown of the runs that a decision takes on average, with both errors at `alpha` and `beta`: for each of
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
        let table = runs_per_decision(&RATES, 0.05, 0.05).expect("they can be told apart");
        let own = include_str!("table.rs").lines();
        let above: Vec<&str> = own.filter_map(|line| line.strip_prefix("//! |")).collect();
        let computed: Vec<&str> = table.lines().map(|line| &line[1..]).collect();
        assert_eq!(above, computed, "\n{table}");
    }
}
