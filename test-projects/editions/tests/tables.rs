//! Tables of measures.

extern crate editions;

use editions::units::{Kilometre, Metre, Yard};
use editions::{Length, Table, Unit};

fn length(text: &str) -> Length {
    text.parse().unwrap()
}

#[test]
fn lengths_are_read_in_any_unit() {
    assert_eq!(length("2 km"), Length(2000.0));
    assert_eq!(length("5 yd"), Length::of(5.0, &Yard));
    assert_eq!(length("12cm").to_string(), "0.12 m");
    assert!("12".parse::<Length>().is_err());
    assert_eq!(Kilometre.factor(), 1000.0);
}

#[cfg(not(feature = "unsorted"))]
#[test]
fn numbers_stand_below_each_other() {
    let table = Table::new()
        .row("table", length("180 cm"))
        .row("pen", length("140 mm"));
    let unit = editions::units::Centimetre;
    assert_eq!(table.print(&unit), "pen..  14 cm\ntable 180 cm\n");
    assert_eq!(table.rows().len(), 2);
}

#[test]
fn long_names_are_filled_up() {
    let table = Table::new()
        .row("rug", length("2 m"))
        .row("garden path", length("31 m"))
        .row("Nu\u{df}baum", length("12.5 m"));
    let text = table.print(&Metre);
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn umlauts_are_one_letter_wide() {
    let table = Table::new().row("T\u{fc}r", length("2 m"));
    assert!(table.print(&Metre).contains(" 2 m"));
}
