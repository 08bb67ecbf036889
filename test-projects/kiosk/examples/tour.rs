//! There and back again.

use kiosk::{label, Discount, Ticket, Timetable, Zone};

fn main() {
    let timetable = Timetable::every(20);
    if let Some(train) = timetable.after(9 * 60) {
        println!("leaving from platform {}", train.platform);
    }
    let stops = [Zone(1), Zone(2), Zone(4), Zone(1)];
    for pair in stops.windows(2) {
        let ticket = Ticket::between(pair[0], pair[1]).with(Discount::Child);
        println!("{}", label(&ticket));
    }
}
