//! A test beside benchmarks, which `cargo test --bench timetable` runs.

use kiosk::{Ticket, Timetable, Zone};

#[test]
fn the_first_train_is_found() {
    assert!(Timetable::every(10).after(0).is_some());
}

#[test]
fn the_last_train_goes_back() {
    assert!(Timetable::every(10).after(23 * 60).is_some());
    assert!(Ticket::between(Zone(2), Zone(1)).price() > 0);
}
