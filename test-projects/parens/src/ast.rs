//! Formulas as trees.

use std::fmt;

/// What stands between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operator {
    /// The higher, the tighter it binds.
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Add | Operator::Subtract => 1,
            Operator::Multiply | Operator::Divide => 2,
            Operator::Power => 3,
        }
    }

    /// Whether `a ^ b ^ c` means `a ^ (b ^ c)`.
    pub fn groups_right(self) -> bool {
        self == Operator::Power
    }

    fn sign(self) -> char {
        match self {
            Operator::Add => '+',
            Operator::Subtract => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
            Operator::Power => '^',
        }
    }
}

/// A formula.
#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    Number(f64),
    Name(String),
    Negative(Box<Expr>),
    Binary(Box<Expr>, Operator, Box<Expr>),
    Call(String, Vec<Expr>),
}

impl Expr {
    /// How many operations are nested in each other at most.
    pub fn depth(&self) -> usize {
        match self {
            Expr::Number(_) | Expr::Name(_) => 0,
            Expr::Negative(inner) => 1 + inner.depth(),
            Expr::Binary(left, _, right) => 1 + left.depth().max(right.depth()),
            Expr::Call(_, arguments) => 1 + arguments.iter().map(Expr::depth).max().unwrap_or(0),
        }
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expr::Number(number) => write!(f, "{number}"),
            Expr::Name(name) => f.write_str(name),
            Expr::Negative(inner) => write!(f, "-{inner}"),
            Expr::Binary(left, operator, right) => {
                write!(f, "({left} {} {right})", operator.sign())
            }
            Expr::Call(name, arguments) => {
                write!(f, "{name}(")?;
                for (index, argument) in arguments.iter().enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}
