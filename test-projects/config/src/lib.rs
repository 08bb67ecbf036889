//! Settings from files, with sections and variables.
//!
//! ```text
//! # where things lie
//! [paths]
//! root = /srv/app
//! log = ${paths.root}/log
//! title = "quoted; so that a # may stand in it"
//! ```

mod error;
mod expand;
mod line;
mod value;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

pub use error::{ConfigError, Reason};
pub use value::FromValue;

use line::Line;

/// All settings, by `section.key`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<String, String>,
}

impl Config {
    /// Reads a file.
    pub fn load(path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let text = fs::read_to_string(path).map_err(|error| ConfigError {
            line: 0,
            reason: Reason::Unreadable(error.kind()),
        })?;
        text.parse()
    }

    /// What a setting is, as text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// What a setting is.
    pub fn get<T: FromValue>(&self, key: &str) -> Result<T, ConfigError> {
        let fail = |reason| ConfigError { line: 0, reason };
        let text = self
            .text(key)
            .ok_or_else(|| fail(Reason::Missing(key.to_owned())))?;
        T::from_value(text).ok_or_else(|| {
            fail(Reason::NotA {
                kind: T::KIND,
                text: text.to_owned(),
            })
        })
    }

    /// Settings of another file go first.
    pub fn overlaid_by(mut self, other: Config) -> Config {
        self.values.extend(other.values);
        self
    }

    /// The names of all settings, in order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.values.keys().map(String::as_str)
    }
}

impl std::str::FromStr for Config {
    type Err = ConfigError;

    fn from_str(text: &str) -> Result<Config, ConfigError> {
        let mut config = Config::default();
        let mut section = String::new();
        for (index, line) in text.lines().enumerate() {
            let at = |reason| ConfigError {
                line: index + 1,
                reason,
            };
            match Line::parse(line).map_err(at)? {
                Line::Empty => {}
                Line::Section(name) => section = name.to_owned(),
                Line::Setting { key, value } => {
                    let value = expand::expand(&value, &config).map_err(at)?;
                    let key = if section.is_empty() {
                        key.to_owned()
                    } else {
                        format!("{section}.{key}")
                    };
                    config.values.insert(key, value);
                }
            }
        }
        Ok(config)
    }
}
