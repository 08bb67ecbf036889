//! What is on the shelves, and who may have it.

mod batch;
mod shelf;

use std::collections::BTreeMap;

pub use batch::Batch;
pub use shelf::Shelf;

use crate::{Day, Error, Pieces, Result, Sku};

/// Something that wants to know about every movement of goods.
pub trait Observer {
    /// Called after the movement took place.
    fn moved(&mut self, sku: &Sku, movement: Movement);
}

/// One movement of goods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Movement {
    /// Goods came in.
    Received(Pieces),
    /// A customer took goods.
    Picked(Pieces),
    /// Goods were thrown away.
    Expired(Pieces),
}

/// Observes nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Observer for Silent {
    fn moved(&mut self, _: &Sku, _: Movement) {}
}

/// Keeps every movement in a list.
impl Observer for Vec<(Sku, Movement)> {
    fn moved(&mut self, sku: &Sku, movement: Movement) {
        self.push((*sku, movement));
    }
}

/// Adds up what was thrown away.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WasteCounter {
    /// Pieces thrown away so far.
    pub pieces: u64,
}

impl Observer for WasteCounter {
    fn moved(&mut self, _: &Sku, movement: Movement) {
        if let Movement::Expired(pieces) = movement {
            self.pieces += u64::from(pieces);
        }
    }
}

/// All shelves, one per article.
#[derive(Debug, Clone, Default)]
pub struct Warehouse<O = Silent> {
    shelves: BTreeMap<Sku, Shelf>,
    observer: O,
}

impl Warehouse {
    /// An empty warehouse that nobody watches.
    pub fn new() -> Self {
        Self::watched_by(Silent)
    }
}

impl<O: Observer> Warehouse<O> {
    /// An empty warehouse whose movements go to `observer`.
    pub fn watched_by(observer: O) -> Self {
        Warehouse {
            shelves: BTreeMap::new(),
            observer,
        }
    }

    /// Puts a batch on its shelf.
    pub fn receive(&mut self, sku: Sku, batch: Batch) {
        let pieces = batch.pieces();
        self.shelves.entry(sku).or_default().put(batch);
        self.observer.moved(&sku, Movement::Received(pieces));
    }

    /// Promises pieces to a customer.
    pub fn reserve(&mut self, sku: &Sku, wanted: Pieces) -> Result<()> {
        let shelf = self.shelf_mut(sku)?;
        let available = shelf.available();
        if wanted > available {
            return Err(Error::NotEnough {
                sku: *sku,
                wanted,
                available,
            });
        }
        shelf.reserve(wanted);
        Ok(())
    }

    /// Hands over pieces that were promised before, oldest first.
    pub fn pick(&mut self, sku: &Sku, wanted: Pieces) -> Result<Vec<Batch>> {
        let shelf = self.shelf_mut(sku)?;
        if shelf.reserved() < wanted {
            return Err(Error::NotReserved {
                sku: *sku,
                reserved: shelf.reserved(),
            });
        }
        let picked = shelf.take(wanted);
        self.observer.moved(sku, Movement::Picked(wanted));
        Ok(picked)
    }

    /// Throws away everything whose best-before day has come.
    pub fn close_day(&mut self, today: Day) {
        for (sku, shelf) in &mut self.shelves {
            let gone = shelf.expire(today);
            if gone > 0 {
                self.observer.moved(sku, Movement::Expired(gone));
            }
        }
    }

    /// Pieces that can still be promised.
    pub fn available(&self, sku: &Sku) -> Pieces {
        self.shelves.get(sku).map_or(0, Shelf::available)
    }

    /// All articles with their shelves, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Sku, &Shelf)> {
        self.shelves.iter()
    }

    /// Who watches.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    fn shelf_mut(&mut self, sku: &Sku) -> Result<&mut Shelf> {
        self.shelves.get_mut(sku).ok_or(Error::UnknownSku(*sku))
    }
}
