use std::error::Error;
use std::fmt;
use std::io;

/// What is wrong with a file or a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// Counted from one; zero if it is no single line.
    pub line: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a configuration was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The file could not be read.
    Unreadable(io::ErrorKind),
    /// Neither a section nor a setting.
    Form,
    /// A quote that never ends.
    OpenQuote,
    /// A backslash before something that needs none.
    Escape(char),
    /// `${` without `}`.
    OpenVariable,
    /// There is no such setting (yet).
    Missing(String),
    /// The setting has another type.
    NotA {
        /// What was asked for.
        kind: &'static str,
        /// What is there.
        text: String,
    },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        match &self.reason {
            Reason::Unreadable(kind) => write!(f, "the file cannot be read: {kind}"),
            Reason::Form => f.write_str("neither `[section]` nor `key = value`"),
            Reason::OpenQuote => f.write_str("the quote does not end"),
            Reason::Escape(character) => write!(f, "`\\{character}` means nothing"),
            Reason::OpenVariable => f.write_str("the variable does not end"),
            Reason::Missing(key) => write!(f, "there is no {key}"),
            Reason::NotA { kind, text } => write!(f, "`{text}` is not a {kind}"),
        }
    }
}

impl Error for ConfigError {}
