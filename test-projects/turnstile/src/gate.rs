//! One gate.

use std::fmt;
use std::sync::Arc;

use crate::counter::Counter;
use crate::ticket::{Ticket, TicketError};

/// Which way somebody goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    In,
    Out,
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Direction::In => "in",
            Direction::Out => "out",
        })
    }
}

/// A gate; clones are the same gate.
#[derive(Debug, Clone)]
pub struct Gate {
    name: Arc<str>,
    inside: Arc<Counter>,
    passed: Arc<Counter>,
}

impl Gate {
    pub(crate) fn new(name: &str, inside: Arc<Counter>) -> Gate {
        Gate {
            name: name.into(),
            inside,
            passed: Arc::default(),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Somebody goes through; how many are inside now.
    pub fn pass(&self, direction: Direction) -> u64 {
        self.passed.up();
        match direction {
            Direction::In => self.inside.up(),
            Direction::Out => self.inside.down(),
        }
    }

    /// Somebody shows a ticket and goes in.
    pub fn admit(&self, text: &str, today: u32) -> Result<u64, TicketError> {
        let ticket: Ticket = text.parse()?;
        ticket.check(today)?;
        Ok(self.pass(Direction::In))
    }

    /// How many went through, either way.
    pub fn passed(&self) -> u64 {
        self.passed.value()
    }
}
