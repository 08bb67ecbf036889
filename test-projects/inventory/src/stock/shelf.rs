use super::Batch;
use crate::{Day, Pieces};

/// The batches of one article, the first to go in front.
#[derive(Debug, Clone, Default)]
pub struct Shelf {
    batches: Vec<Batch>,
    reserved: Pieces,
}

impl Shelf {
    /// Adds a batch, and keeps the order of picking.
    pub fn put(&mut self, batch: Batch) {
        let at = self.batches.partition_point(|other| *other <= batch);
        self.batches.insert(at, batch);
    }

    /// Pieces that lie here, promised or not.
    pub fn on_hand(&self) -> Pieces {
        self.batches.iter().map(Batch::pieces).sum()
    }

    /// Pieces that are promised.
    pub fn reserved(&self) -> Pieces {
        self.reserved
    }

    /// Pieces that are not promised to anyone.
    pub fn available(&self) -> Pieces {
        self.on_hand() - self.reserved
    }

    /// The batches in the order of picking.
    pub fn batches(&self) -> &[Batch] {
        &self.batches
    }

    pub(super) fn reserve(&mut self, pieces: Pieces) {
        self.reserved += pieces;
    }

    pub(super) fn take(&mut self, mut wanted: Pieces) -> Vec<Batch> {
        self.reserved -= wanted;
        let mut taken = Vec::new();
        for batch in &mut self.batches {
            if wanted == 0 {
                break;
            }
            let part = batch.split(wanted);
            wanted -= part.pieces();
            taken.push(part);
        }
        self.batches.retain(|batch| batch.pieces() > 0);
        taken
    }

    /// Removes what can no longer be sold, and says how many pieces that were.
    pub(super) fn expire(&mut self, today: Day) -> Pieces {
        let before = self.on_hand();
        self.batches.retain(|batch| batch.is_good(today));
        before - self.on_hand()
    }
}

impl Extend<Batch> for Shelf {
    fn extend<I: IntoIterator<Item = Batch>>(&mut self, batches: I) {
        for batch in batches {
            self.put(batch);
        }
    }
}
