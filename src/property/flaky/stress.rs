//! What may make a flaky test fail more often: company on the machine, and less of the machine; must not run anything
//! itself.

use std::fmt;

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
}

impl Stress {
    /// Whether it is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Stress::default()
    }

    /// What is tried one after the other to find out whether anything helps, on so many cores.
    #[must_use]
    pub fn levers(cores: usize) -> Vec<Stress> {
        let none = Stress::default;
        vec![
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
        ]
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

    /// `copies=8,load=2,threads=1,pin`, or `none`.
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
                _ => {
                    return Err(format!(
                        "`{part}` is none of `auto`, `none`, `copies=N`, `load=N`, `threads=N`, `pin`"
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
        for text in ["none", "pin", "copies=8,load=2,threads=1,pin"] {
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
    fn a_shell_can_pin_and_limit_threads() {
        let stress: Stress = "pin,threads=2".parse().unwrap();
        assert_eq!(
            stress.around("cargo test"),
            "taskset -c 0 env RUST_TEST_THREADS=2 cargo test"
        );
    }
}
