//! Visitors of a hall: gates count them, the house knows how many are in.

mod counter;
mod gate;
mod lot;
mod report;
mod ticket;

pub use counter::Counter;
pub use gate::{Direction, Gate};
pub use report::{Line, Report};
pub use ticket::{Kind, Ticket, TicketError};

use std::sync::Arc;

/// A hall with its gates.
#[derive(Debug, Default)]
pub struct Hall {
    inside: Arc<Counter>,
    gates: Vec<Gate>,
    capacity: Option<u64>,
}

impl Hall {
    /// A hall without gates, for any number of visitors.
    pub fn new() -> Hall {
        Hall::default()
    }

    /// Lets no more than `capacity` in.
    pub fn with_capacity(mut self, capacity: u64) -> Hall {
        self.capacity = Some(capacity);
        self
    }

    /// Whether both gates have to be open: one day in a dozen there is a match.
    pub fn is_busy_day(&self) -> bool {
        lot::once_in(12)
    }

    /// Adds a gate; all gates count the same visitors.
    pub fn open_gate(&mut self, name: &str) -> Gate {
        let gate = Gate::new(name, Arc::clone(&self.inside));
        self.gates.push(gate.clone());
        gate
    }

    /// How many are inside.
    pub fn inside(&self) -> u64 {
        self.inside.value()
    }

    /// Whether one more may go in.
    pub fn has_room(&self) -> bool {
        self.capacity.is_none_or(|capacity| self.inside() < capacity)
    }

    /// What each gate has seen.
    pub fn report(&self) -> Report {
        let mut report = Report::new("gates");
        for gate in &self.gates {
            report.add(gate.name(), gate.passed());
        }
        report
    }
}
