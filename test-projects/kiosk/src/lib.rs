//! Tickets for a small railway.

mod fare;
mod timetable;

pub use fare::{Discount, Ticket, Zone};
pub use timetable::{Departure, Timetable};

/// What a ticket says when it is printed.
///
/// ```
/// use kiosk::{label, Ticket, Zone};
/// let ticket = Ticket::between(Zone(1), Zone(2));
/// assert_eq!(label(&ticket), "zone 1 to zone 2: 3.20");
/// ```
pub fn label(ticket: &Ticket) -> String {
    let price = ticket.price();
    format!(
        "zone {} to zone {}: {}.{:02}",
        ticket.from.0,
        ticket.to.0,
        price / 100,
        price % 100
    )
}
