//! A pocket calculator: numbers, names, `+ - * / ^`, calls and parentheses.

pub mod ast;
mod eval;
mod lexer;
mod parser;

use std::fmt;

pub use eval::Scope;

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq)]
pub enum Error {
    /// A character that does not belong into a formula, and where it is.
    Character(char, usize),
    /// Something else should stand here.
    Expected(&'static str),
    /// A name that stands for nothing.
    Unknown(String),
    /// A function with the wrong number of arguments.
    Arguments(String, usize),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Character(character, at) => write!(f, "`{character}` at {at}"),
            Error::Expected(what) => write!(f, "{what} expected"),
            Error::Unknown(name) => write!(f, "what is {name}?"),
            Error::Arguments(name, count) => write!(f, "{name} does not take {count} arguments"),
        }
    }
}

impl std::error::Error for Error {}

/// The value of a formula without names of its own.
pub fn calculate(formula: &str) -> Result<f64, Error> {
    Scope::default().evaluate(&parse(formula)?)
}

/// The tree of a formula.
pub fn parse(formula: &str) -> Result<ast::Expr, Error> {
    let tokens = lexer::tokens(formula)?;
    parser::Parser::new(&tokens).whole()
}
