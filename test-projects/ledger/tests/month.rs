//! A whole month, from the file to the settlement.

use std::fs;
use std::path::Path;

use ledger::money::Amount;
use ledger::{settle, Account, Chart, Journal};

fn january() -> Journal {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/january.journal");
    let text = fs::read_to_string(path).expect("the journal lies beside the test");
    text.parse().expect("the journal can be read")
}

fn flat(weights: [u32; 3]) -> Vec<(Account, u32)> {
    ["friends:ada", "friends:ben", "friends:cyd"]
        .iter()
        .map(|name| Account::new(name))
        .zip(weights)
        .collect()
}

#[test]
fn january_adds_up() {
    assert!(january().unbalanced().is_empty());
}

#[test]
fn parents_sum_up_their_children() {
    let mut chart = Chart::usual();
    january().post_to(&mut chart);
    assert_eq!(chart.balance(&Account::new("home")), Amount::new(760, 0));
    assert_eq!(chart.balance(&Account::new("bank")).to_string(), "1266.90");
}

#[test]
fn dinner_is_shared_to_the_last_cent() {
    let mut chart = Chart::usual();
    january().post_to(&mut chart);
    let friends = Account::new("friends");

    let settlement = settle(&chart, &friends, &flat([1, 1, 1]));
    assert_eq!(settlement.imbalance(), Amount::ZERO);
    assert_eq!(settlement.postings[0].amount, Amount::new(24, 37));
}

#[test]
fn refunds_are_shared_like_bills() {
    let mut chart = Chart::usual();
    january().post_to(&mut chart);
    let power = Account::new("home:power");
    assert!(chart.contains(&power));

    let settlement = settle(&chart, &power, &flat([2, 1, 3]));
    assert_eq!(settlement.imbalance(), Amount::ZERO);
    assert_eq!(settlement.postings.len(), 4);
}
