use super::Cents;
use crate::{Batch, Day};

/// How the price of a batch is found.
pub trait PricePolicy {
    /// The price of one piece of this batch on this day.
    fn piece(&self, batch: &Batch, today: Day) -> Cents;

    /// The price of the whole batch.
    fn batch(&self, batch: &Batch, today: Day) -> Cents {
        self.piece(batch, today) * batch.pieces()
    }

    /// The price of several batches.
    fn total<'a, I>(&self, batches: I, today: Day) -> Cents
    where
        I: IntoIterator<Item = &'a Batch>,
        Self: Sized,
    {
        batches
            .into_iter()
            .map(|batch| self.batch(batch, today))
            .sum()
    }
}

/// The same price for everything, always.
#[derive(Debug, Clone, Copy)]
pub struct Flat(pub Cents);

impl PricePolicy for Flat {
    fn piece(&self, _: &Batch, _: Day) -> Cents {
        self.0
    }
}

/// Cheaper by the piece the larger the batch.
#[derive(Debug, Clone)]
pub struct Tiered {
    /// From how many pieces on, and the price of one; in ascending order.
    pub tiers: Vec<(u32, Cents)>,
}

impl PricePolicy for Tiered {
    fn piece(&self, batch: &Batch, _: Day) -> Cents {
        self.tiers
            .iter()
            .take_while(|(from, _)| *from <= batch.pieces())
            .last()
            .map_or(Cents(0), |(_, price)| *price)
    }
}

/// Another policy at half price during the last days of a batch.
#[derive(Debug, Clone)]
pub struct Clearance<P> {
    /// The policy for goods that keep.
    pub regular: P,
    /// How many days before the best-before day the price drops.
    pub days: Day,
}

impl<P: PricePolicy> PricePolicy for Clearance<P> {
    fn piece(&self, batch: &Batch, today: Day) -> Cents {
        let regular = self.regular.piece(batch, today);
        if today + self.days >= batch.best_before() {
            Cents(regular.0 / 2)
        } else {
            regular
        }
    }
}

impl<P: PricePolicy + ?Sized> PricePolicy for &P {
    fn piece(&self, batch: &Batch, today: Day) -> Cents {
        (**self).piece(batch, today)
    }
}
