use crate::{Day, Pieces};

/// Pieces of one article that arrived together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Batch {
    // First, so that the derived order is the order of picking.
    best_before: Day,
    pieces: Pieces,
}

impl Batch {
    /// So many pieces, good until the day before `best_before`.
    pub fn new(pieces: Pieces, best_before: Day) -> Self {
        Batch {
            best_before,
            pieces,
        }
    }

    /// How many pieces.
    pub fn pieces(&self) -> Pieces {
        self.pieces
    }

    /// The first day on which they may no longer be sold.
    pub fn best_before(&self) -> Day {
        self.best_before
    }

    /// Whether they may still be sold.
    pub fn is_good(&self, today: Day) -> bool {
        today < self.best_before
    }

    /// Takes up to `wanted` pieces away as a batch of their own.
    pub(super) fn split(&mut self, wanted: Pieces) -> Batch {
        let pieces = wanted.min(self.pieces);
        self.pieces -= pieces;
        Batch { pieces, ..*self }
    }
}
