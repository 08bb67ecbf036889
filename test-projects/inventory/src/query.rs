//! Questions about the stock, put together from small ones.

use crate::stock::{Observer, Shelf};
use crate::{Day, Pieces, Sku, Warehouse};

/// A question that one shelf answers with yes or no.
pub trait Query {
    /// Whether the shelf belongs to the answer.
    fn matches(&self, sku: &Sku, shelf: &Shelf) -> bool;

    /// Both questions have to be answered with yes.
    fn and<Q: Query>(self, other: Q) -> And<Self, Q>
    where
        Self: Sized,
    {
        And(self, other)
    }

    /// The articles that match.
    fn run<O: Observer>(&self, warehouse: &Warehouse<O>) -> Vec<Sku> {
        warehouse
            .iter()
            .filter(|(sku, shelf)| self.matches(sku, shelf))
            .map(|(sku, _)| *sku)
            .collect()
    }
}

/// Articles of one family.
#[derive(Debug, Clone)]
pub struct InFamily(pub &'static str);

/// Articles of which fewer pieces than this can still be promised.
#[derive(Debug, Clone)]
pub struct RunningLow(pub Pieces);

/// Articles of which something goes off before this day.
#[derive(Debug, Clone)]
pub struct GoingOff(pub Day);

/// Two questions in one.
#[derive(Debug, Clone)]
pub struct And<A, B>(A, B);

impl Query for InFamily {
    fn matches(&self, sku: &Sku, _: &Shelf) -> bool {
        sku.family() == self.0
    }
}

impl Query for RunningLow {
    fn matches(&self, _: &Sku, shelf: &Shelf) -> bool {
        shelf.available() < self.0
    }
}

impl Query for GoingOff {
    fn matches(&self, _: &Sku, shelf: &Shelf) -> bool {
        shelf
            .batches()
            .first()
            .is_some_and(|batch| batch.best_before() < self.0)
    }
}

impl<A: Query, B: Query> Query for And<A, B> {
    fn matches(&self, sku: &Sku, shelf: &Shelf) -> bool {
        self.0.matches(sku, shelf) && self.1.matches(sku, shelf)
    }
}

impl<F: Fn(&Sku, &Shelf) -> bool> Query for F {
    fn matches(&self, sku: &Sku, shelf: &Shelf) -> bool {
        self(sku, shelf)
    }
}
