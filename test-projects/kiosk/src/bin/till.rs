//! `till FROM TO`: what a ticket costs.

use kiosk::{label, Ticket, Zone};

fn zone(word: Option<String>) -> Option<Zone> {
    word?.parse().ok().map(Zone)
}

fn main() {
    let mut words = std::env::args().skip(1);
    let (Some(from), Some(to)) = (zone(words.next()), zone(words.next())) else {
        eprintln!("usage: till FROM TO");
        std::process::exit(2);
    };
    println!("{}", label(&Ticket::between(from, to)));
}

#[test]
fn zones_are_numbers() {
    assert_eq!(zone(Some("2".to_string())), Some(Zone(2)));
    assert_eq!(zone(Some("two".to_string())), None);
}
