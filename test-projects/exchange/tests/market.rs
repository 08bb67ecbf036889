use std::sync::Arc;
use std::thread;

use exchange::{Currency, Journal, Purse, Rates, Swap, check, once_in, swap};

const MANY: usize = 40_000;
const FEW: usize = 10;
const CROWNS: u64 = 1000;

fn trade(ada: &Purse, grace: &Purse, journal: &Journal, swaps: usize) {
    let rates = Rates::posted();
    let there = Swap { amount: 7, give: Currency::Crown, take: Currency::Florin };
    let back = Swap { amount: 4, give: Currency::Florin, take: Currency::Crown };
    for _ in 0..swaps {
        swap(ada, grace, there, &rates).unwrap();
        swap(ada, grace, back, &rates).unwrap();
    }
    journal.note(ada.owner(), grace.owner(), there, 4);
}

#[test]
fn the_books_can_be_checked_while_the_market_is_open() {
    let ada = Arc::new(Purse::of("ada").with(CROWNS, Currency::Crown).with(9, Currency::Florin));
    let grace = Arc::new(Purse::of("grace").with(CROWNS, Currency::Florin));
    let journal = Arc::new(Journal::default());
    let checked = once_in(6);
    let swaps = if checked { MANY } else { FEW };
    let market = {
        let (ada, grace, journal) = (ada.clone(), grace.clone(), journal.clone());
        thread::spawn(move || trade(&ada, &grace, &journal, swaps))
    };
    if checked {
        for _ in 0..swaps {
            assert_eq!(check(&grace, &ada, Currency::Crown), CROWNS);
        }
    }
    market.join().unwrap();
    assert!(!journal.is_empty());
}

#[test]
fn a_purse_cannot_give_what_is_not_in_it() {
    let (ada, grace) = (Purse::of("ada"), Purse::of("grace").with(10, Currency::Thaler));
    let what = Swap { amount: 1, give: Currency::Crown, take: Currency::Thaler };
    let missing = swap(&ada, &grace, what, &Rates::posted()).unwrap_err();
    assert_eq!(missing.to_string(), "1 kr are missing");
}
