use money::Amount;

use crate::{Account, Chart, Posting, Transaction};

/// The transaction that shares the balance of one account between others by weights.
pub fn settle(chart: &Chart, shared: &Account, between: &[(Account, u32)]) -> Transaction {
    let balance = chart.balance(shared);
    let weights: Vec<u32> = between.iter().map(|(_, weight)| *weight).collect();
    let mut postings: Vec<Posting> = between
        .iter()
        .zip(balance.allocate(&weights))
        .map(|((account, _), amount)| Posting {
            account: account.clone(),
            amount,
        })
        .collect();
    postings.push(Posting {
        account: shared.clone(),
        amount: Amount::ZERO - balance,
    });
    Transaction {
        day: 31,
        text: format!("settle {shared}"),
        postings,
    }
}
