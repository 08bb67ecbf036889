use std::collections::BTreeMap;
use std::fmt;

use money::Amount;

/// The accounts that every household has.
const USUAL: &str = include_str!("usual_accounts.txt");

/// The name of an account: words with colons between them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Account(String);

impl Account {
    /// An account by its name.
    pub fn new(name: &str) -> Account {
        Account(name.trim().to_lowercase())
    }

    /// The account that this one is a part of.
    pub fn parent(&self) -> Option<Account> {
        self.0
            .rsplit_once(':')
            .map(|(parent, _)| Account(parent.to_owned()))
    }
}

impl fmt::Display for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// All accounts with what is on them.
#[derive(Debug, Clone)]
pub struct Chart {
    balances: BTreeMap<Account, Amount>,
}

impl Chart {
    /// The usual accounts, all of them empty.
    pub fn usual() -> Chart {
        let balances = USUAL
            .lines()
            .filter(|line| !line.is_empty())
            .map(|line| (Account::new(line), Amount::ZERO))
            .collect();
        Chart { balances }
    }

    /// Whether there is such an account.
    pub fn contains(&self, account: &Account) -> bool {
        self.balances.contains_key(account)
    }

    /// Adds to an account and to all that it is a part of.
    pub fn post(&mut self, account: &Account, amount: Amount) {
        let mut next = Some(account.clone());
        while let Some(account) = next {
            next = account.parent();
            *self.balances.entry(account).or_default() += amount;
        }
    }

    /// What is on an account.
    pub fn balance(&self, account: &Account) -> Amount {
        self.balances.get(account).copied().unwrap_or_default()
    }

    /// Accounts on which something is, with it.
    pub fn used(&self) -> impl Iterator<Item = (&Account, Amount)> {
        self.balances
            .iter()
            .filter(|(_, amount)| **amount != Amount::ZERO)
            .map(|(account, amount)| (account, *amount))
    }
}
