//! Guards: tests of the same executable that have to go on passing, so that the bug stays in what
//! fails. Knows how they are run and when they hold; not which were chosen, or why.

use std::time::Duration;

use crate::exec::Outcome;

/// Tests that have to pass.
#[derive(Debug, Clone, Default)]
pub struct Guards {
    /// Their full names.
    pub names: Vec<String>,
    /// Time that all of them may take together.
    pub timeout: Duration,
    /// Arguments with which the executable itself, which is no test harness, has to end well instead.
    pub program: Option<Vec<String>>,
}

impl Guards {
    /// Arguments for the standard test harness that run them and no others, or those of the program.
    pub fn arguments(&self) -> Vec<String> {
        if let Some(arguments) = &self.program {
            return arguments.clone();
        }
        let names = self.names.iter().cloned();
        names
            .chain(["--exact".to_string(), "--test-threads=1".to_string()])
            .collect()
    }

    /// Whether `outcome`, of a run with [`arguments`](Self::arguments), shows that all of them are
    /// there and pass: a harness is content with tests that are gone.
    pub fn hold(&self, outcome: &Outcome) -> bool {
        outcome.success() && (self.program.is_some() || passed(outcome) == self.names.len())
    }
}

/// The tests that passed, in all summaries that `outcome` printed.
fn passed(outcome: &Outcome) -> usize {
    let text = String::from_utf8_lossy(&outcome.stdout);
    let counts = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("test result: ok. ")?;
        rest.split_once(" passed;")?.0.parse::<usize>().ok()
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Ending;

    fn holds(names: &[&str], stdout: &str, code: i32) -> bool {
        let guards = Guards {
            names: names.iter().map(|name| name.to_string()).collect(),
            timeout: Duration::from_secs(1),
            program: None,
        };
        guards.hold(&Outcome {
            ending: Ending::Exited(code),
            stdout: stdout.as_bytes().to_vec(),
            stderr: Vec::new(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        })
    }

    #[test]
    fn a_guard_that_is_gone_does_not_hold() {
        let result = |passed| {
            format!("\nrunning 2 tests\n\ntest result: ok. {passed} passed; 0 failed; 0 ignored\n")
        };
        assert!(holds(&["a", "b"], &result(2), 0));
        assert!(!holds(&["a", "b"], &result(1), 0));
        assert!(!holds(&["a", "b"], &result(2), 101));
    }

    #[test]
    fn guards_may_be_spread_over_several_executables() {
        let text = "test result: ok. 0 passed; 0 failed\ntest result: ok. 1 passed; 0 failed\n";
        assert!(holds(&["a"], text, 0));
    }
}
