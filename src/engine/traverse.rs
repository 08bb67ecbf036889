//! Runs the traversal that was chosen instead of the deletions by kind.

use super::{Engine, Stop};
use crate::passes::{Pass, Walk};

impl Engine<'_> {
    /// Walks the trees again and again until a whole walk removes nothing (the fixpoint mode of
    /// Zhou et al. 2025, section II-C); whether anything went. Does nothing by kind.
    pub(super) fn traverse(&mut self) -> Result<bool, Stop> {
        let name = self.traversal.name();
        if !self.wanted.takes(name) {
            return Ok(false);
        }
        let (before, counts) = (self.best.tokens(), self.begin(name));
        let mut changed = false;
        let outcome = loop {
            match self.walk() {
                Ok(true) => changed = true,
                Ok(false) => break Ok(changed),
                Err(stop) => break Err(stop),
            }
        };
        self.finish_pass(before, &counts);
        outcome
    }

    /// One walk; whether anything went.
    fn walk(&mut self) -> Result<bool, Stop> {
        let mut walk = Walk::new(self.traversal);
        let mut changed = false;
        while let Some(place) = walk.next(&self.best) {
            let list = place.list(&self.best);
            if !list.is_empty() {
                changed |= self.list(list, |subject| place.list(subject))?;
            }
        }
        Ok(changed)
    }

    /// Those of `passes` whose work no traversal does.
    pub(super) fn besides_traversal(&self, passes: Vec<Box<dyn Pass>>) -> Vec<Box<dyn Pass>> {
        let mut passes = passes;
        passes.retain(|pass| !self.traversal.covers(pass.name()));
        passes
    }
}
