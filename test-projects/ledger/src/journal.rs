use std::fmt;
use std::str::FromStr;

use money::Amount;

use crate::{Account, Chart};

/// An amount that goes to (or, if negative, comes from) an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posting {
    /// Which account.
    pub account: Account,
    /// How much.
    pub amount: Amount,
}

/// Postings that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Day of the month.
    pub day: u8,
    /// What it was about.
    pub text: String,
    /// Add up to nothing.
    pub postings: Vec<Posting>,
}

impl Transaction {
    /// What is missing for the postings to add up to nothing.
    pub fn imbalance(&self) -> Amount {
        self.postings.iter().map(|posting| posting.amount).sum()
    }
}

/// A month of transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Journal {
    /// In the order of the file.
    pub transactions: Vec<Transaction>,
}

/// Where a journal could not be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseError {
    /// Counted from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Journal {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Journal, ParseError> {
        let mut transactions: Vec<Transaction> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let error = |message: String| ParseError {
                line: index + 1,
                message,
            };
            if line.trim().is_empty() || line.starts_with(';') {
                continue;
            }
            if line.starts_with(' ') {
                let (account, amount) = line
                    .trim()
                    .rsplit_once(' ')
                    .ok_or_else(|| error("a posting is an account and an amount".into()))?;
                let amount = amount
                    .parse()
                    .map_err(|bad| error(format!("`{amount}`: {bad}")))?;
                let transaction = transactions
                    .last_mut()
                    .ok_or_else(|| error("a posting before the first transaction".into()))?;
                transaction.postings.push(Posting {
                    account: Account::new(account),
                    amount,
                });
            } else {
                let (day, text) = line
                    .split_once(' ')
                    .ok_or_else(|| error("a transaction is a day and a text".into()))?;
                transactions.push(Transaction {
                    day: day.parse().map_err(|_| error("not a day".into()))?,
                    text: text.to_owned(),
                    postings: Vec::new(),
                });
            }
        }
        Ok(Journal { transactions })
    }
}

impl Journal {
    /// Adds everything to the accounts of a chart.
    pub fn post_to(&self, chart: &mut Chart) {
        for transaction in &self.transactions {
            for posting in &transaction.postings {
                chart.post(&posting.account, posting.amount);
            }
        }
    }

    /// The transactions that do not add up.
    pub fn unbalanced(&self) -> Vec<&Transaction> {
        self.transactions
            .iter()
            .filter(|transaction| transaction.imbalance() != Amount::ZERO)
            .collect()
    }
}
