//! From trees to numbers.

use std::collections::HashMap;

use crate::Error;
use crate::ast::{Expr, Operator};

/// What names stand for.
#[derive(Debug, Clone)]
pub struct Scope {
    names: HashMap<String, f64>,
}

impl Default for Scope {
    fn default() -> Self {
        let constants = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];
        Scope {
            names: constants
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
        }
    }
}

impl Scope {
    /// Gives a value a name.
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.names.insert(name.to_owned(), value);
        self
    }

    /// The value of a formula.
    pub fn evaluate(&self, expr: &Expr) -> Result<f64, Error> {
        Ok(match expr {
            Expr::Number(number) => *number,
            Expr::Name(name) => *self
                .names
                .get(name)
                .ok_or_else(|| Error::Unknown(name.clone()))?,
            Expr::Negative(inner) => -self.evaluate(inner)?,
            Expr::Binary(left, operator, right) => {
                let (left, right) = (self.evaluate(left)?, self.evaluate(right)?);
                match operator {
                    Operator::Add => left + right,
                    Operator::Subtract => left - right,
                    Operator::Multiply => left * right,
                    Operator::Divide => left / right,
                    Operator::Power => left.powf(right),
                }
            }
            Expr::Call(name, arguments) => {
                let values = arguments
                    .iter()
                    .map(|argument| self.evaluate(argument))
                    .collect::<Result<Vec<_>, _>>()?;
                call(name, &values)?
            }
        })
    }
}

fn call(name: &str, values: &[f64]) -> Result<f64, Error> {
    match (name, values) {
        ("sqrt", [value]) => Ok(value.sqrt()),
        ("abs", [value]) => Ok(value.abs()),
        ("max", [first, rest @ ..]) => Ok(rest.iter().copied().fold(*first, f64::max)),
        ("min", [first, rest @ ..]) => Ok(rest.iter().copied().fold(*first, f64::min)),
        ("sqrt" | "abs" | "max" | "min", _) => Err(Error::Arguments(name.to_owned(), values.len())),
        _ => Err(Error::Unknown(name.to_owned())),
    }
}
