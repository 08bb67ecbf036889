//! Tickets as they are printed: `day:120:ada`, `season:90-180:grace`.

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// How long a ticket is good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Day(u32),
    Season(RangeInclusive<u32>),
}

/// A ticket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket {
    kind: Kind,
    holder: String,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TicketError {
    Unreadable(String),
    WrongDay { today: u32 },
}

impl fmt::Display for TicketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TicketError::Unreadable(text) => write!(f, "cannot read `{text}`"),
            TicketError::WrongDay { today } => write!(f, "not good on day {today}"),
        }
    }
}

impl std::error::Error for TicketError {}

impl Ticket {
    /// Whose it is.
    pub fn holder(&self) -> &str {
        &self.holder
    }

    /// Whether it is good today.
    pub fn check(&self, today: u32) -> Result<(), TicketError> {
        let good = match &self.kind {
            Kind::Day(day) => *day == today,
            Kind::Season(days) => days.contains(&today),
        };
        if good {
            Ok(())
        } else {
            Err(TicketError::WrongDay { today })
        }
    }
}

impl FromStr for Ticket {
    type Err = TicketError;

    fn from_str(text: &str) -> Result<Ticket, TicketError> {
        let unreadable = || TicketError::Unreadable(text.to_string());
        let mut parts = text.splitn(3, ':');
        let (Some(kind), Some(days), Some(holder)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(unreadable());
        };
        let day = |text: &str| text.parse::<u32>().map_err(|_| unreadable());
        let kind = match kind {
            "day" => Kind::Day(day(days)?),
            "season" => {
                let (first, last) = days.split_once('-').ok_or_else(unreadable)?;
                Kind::Season(day(first)?..=day(last)?)
            }
            _ => return Err(unreadable()),
        };
        Ok(Ticket {
            kind,
            holder: holder.to_string(),
        })
    }
}
