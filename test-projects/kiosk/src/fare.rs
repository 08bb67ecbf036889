//! What a journey costs.

/// A ring around the centre, which is zone 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Zone(pub u32);

impl Zone {
    /// How many borders lie between two zones.
    fn apart(self, other: Zone) -> u32 {
        other.0 - self.0
    }
}

/// Who pays less.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Discount {
    None,
    Child,
    Group(u32),
}

impl Discount {
    fn of(self, price: u32) -> u32 {
        match self {
            Discount::None => price,
            Discount::Child => price / 2,
            Discount::Group(heads) if heads >= 10 => price * heads * 7 / 10,
            Discount::Group(heads) => price * heads,
        }
    }
}

/// The right to one journey.
#[derive(Debug, Clone)]
pub struct Ticket {
    pub from: Zone,
    pub to: Zone,
    discount: Discount,
}

impl Ticket {
    /// A ticket for a journey.
    ///
    /// The way back costs the same:
    ///
    /// ```
    /// # use kiosk::{Ticket, Zone};
    /// let out = Ticket::between(Zone(1), Zone(3));
    /// assert_eq!(out.price(), 440);
    /// let back = Ticket::between(Zone(3), Zone(1));
    /// assert_eq!(back.price(), out.price());
    /// ```
    pub fn between(from: Zone, to: Zone) -> Ticket {
        Ticket {
            from,
            to,
            discount: Discount::None,
        }
    }

    /// The same ticket at a lower price.
    pub fn with(self, discount: Discount) -> Ticket {
        Ticket { discount, ..self }
    }

    /// Its price in cents.
    pub fn price(&self) -> u32 {
        let full = 200 + 120 * self.from.apart(self.to);
        self.discount.of(full)
    }
}
