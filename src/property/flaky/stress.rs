//! What may make a flaky test fail more often: company on the machine, and less of the machine; must not run anything
//! itself.

use std::fmt;
use std::time::Duration;

/// Under which conditions runs are made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stress {
    /// Runs at the same time, whatever the number of jobs; 0: as many as there are jobs.
    pub copies: usize,
    /// Threads of ours that keep a core busy while the test runs.
    pub load: usize,
    /// Each run has one core only.
    pub pin: bool,
    /// `RUST_TEST_THREADS`; 0: not set.
    pub threads: usize,
    /// Calls of the test in one process, which fails if one of them does; 0 and 1: one.
    pub repeat: usize,
}

impl Stress {
    /// Whether it is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Stress::default()
    }

    /// What is tried one after the other to find out whether anything helps, on so many cores, with a test that takes
    /// `usual`.
    #[must_use]
    pub fn levers(cores: usize, usual: Duration) -> Vec<Stress> {
        /// A test that takes longer is not worth repeating: its process costs next to nothing.
        const SHORT: Duration = Duration::from_millis(100);
        let none = Stress::default;
        let mut levers = vec![
            Stress {
                pin: true,
                ..none()
            },
            Stress {
                load: cores,
                ..none()
            },
            Stress {
                copies: 4 * cores,
                ..none()
            },
        ];
        if usual < SHORT {
            levers.push(Stress {
                repeat: 20,
                ..none()
            });
        }
        levers
    }

    /// How often one call fails when a process, with all its calls, does so at `rate`; as if one call knew nothing of
    /// another.
    #[must_use]
    pub fn of_one_call(&self, rate: f64) -> f64 {
        1.0 - (1.0 - rate).powf(1.0 / self.calls())
    }

    /// How often a process fails when each of its calls does so at `rate`.
    #[must_use]
    pub fn of_all_calls(&self, rate: f64) -> f64 {
        1.0 - (1.0 - rate).powf(self.calls())
    }

    /// Those of the conditions that a command in a shell can make, calls of the test included.
    #[must_use]
    pub fn in_a_shell(&self) -> Stress {
        Stress {
            copies: 0,
            load: 0,
            ..self.clone()
        }
    }

    fn calls(&self) -> f64 {
        self.repeat.max(1) as f64
    }

    /// A shell command under the same conditions, as far as a shell can make them.
    #[must_use]
    pub fn around(&self, command: &str) -> String {
        let mut text = command.to_owned();
        if self.threads > 0 {
            text = format!("RUST_TEST_THREADS={} {text}", self.threads);
        }
        if self.pin {
            // The variable has to come before the program.
            text = format!("taskset -c 0 env {text}");
        }
        text
    }
}

impl fmt::Display for Stress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (name, number) in [
            ("copies", self.copies),
            ("load", self.load),
            ("threads", self.threads),
            ("repeat", self.repeat),
        ] {
            if number > 0 {
                parts.push(format!("{name}={number}"));
            }
        }
        if self.pin {
            parts.push("pin".to_owned());
        }
        if parts.is_empty() {
            parts.push("none".to_owned());
        }
        f.write_str(&parts.join(","))
    }
}

impl std::str::FromStr for Stress {
    type Err = String;

    /// `copies=8,load=2,threads=1,repeat=20,pin`, or `none`.
    fn from_str(text: &str) -> Result<Stress, String> {
        let mut stress = Stress::default();
        for part in text.split(',').map(str::trim) {
            let (name, value) = part
                .split_once('=')
                .map_or((part, None), |(name, value)| (name, Some(value)));
            let number = || {
                value
                    .and_then(|value| value.parse().ok())
                    .filter(|number| (1..=1000).contains(number))
                    .ok_or_else(|| format!("`{name}` needs a number from 1 to 1000: `{name}=4`"))
            };
            match name {
                "none" if value.is_none() => {}
                "pin" if value.is_none() => stress.pin = true,
                "copies" => stress.copies = number()?,
                "load" => stress.load = number()?,
                "threads" => stress.threads = number()?,
                "repeat" => stress.repeat = number()?,
                _ => {
                    return Err(format!(
                        "`{part}` is none of `auto`, `none`, `copies=N`, `load=N`, `threads=N`, `repeat=N`, `pin`"
                    ));
                }
            }
        }
        Ok(stress)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read_back() {
        for text in ["none", "pin", "copies=8,load=2,threads=1,repeat=9,pin"] {
            assert_eq!(text.parse::<Stress>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn mistakes_are_told() {
        for text in ["", "pin=1", "load", "load=0", "load=x", "heat=2"] {
            assert!(text.parse::<Stress>().is_err(), "{text}");
        }
    }

    #[test]
    fn half_the_rate_of_a_call_is_more_than_half_that_of_a_process() {
        let stress: Stress = "repeat=20".parse().unwrap();
        let one = stress.of_one_call(0.64);
        assert!((one - 0.0498).abs() < 1e-4, "{one}");
        assert!((stress.of_all_calls(one) - 0.64).abs() < 1e-9);
        assert!((stress.of_all_calls(one / 2.0) - 0.396).abs() < 1e-3);
        assert!((Stress::default().of_one_call(0.3) - 0.3).abs() < 1e-9);
    }

    #[test]
    fn only_a_short_test_is_repeated() {
        let repeats = |millis| {
            let levers = Stress::levers(2, Duration::from_millis(millis));
            levers.iter().any(|stress| stress.repeat > 0)
        };
        assert!(repeats(3) && !repeats(300));
    }

    #[test]
    fn a_shell_makes_no_company() {
        let stress: Stress = "copies=8,load=2,threads=1,repeat=9,pin".parse().unwrap();
        assert_eq!(stress.in_a_shell().to_string(), "threads=1,repeat=9,pin");
    }

    #[test]
    fn a_shell_can_pin_and_limit_threads() {
        let stress: Stress = "pin,threads=2".parse().unwrap();
        assert_eq!(
            stress.around("cargo test"),
            "taskset -c 0 env RUST_TEST_THREADS=2 cargo test"
        );
    }
}
