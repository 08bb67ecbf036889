//! Which pass runs when. Coarse before fine, everything to a fixpoint.

use super::{Engine, Stop};
use crate::passes::{self, Pass};

impl Engine<'_> {
    /// The order for a compiler crash: comments, then whole definitions until nothing more goes,
    /// then everything until nothing more goes.
    pub(super) fn reduce_crash(&mut self) -> Result<(), Stop> {
        self.all(&passes::comments())?;
        let (coarse, fine) = (passes::coarse(), passes::fine());
        loop {
            self.fixpoint(&coarse)?;
            if !self.all(&fine)? {
                return Ok(());
            }
        }
    }

    /// The order for a failing test.
    pub(super) fn reduce_test(&mut self) -> Result<(), Stop> {
        self.all(&passes::comments())?;
        while self.sweep()? {}
        let (search, rest) = (passes::inside(), passes::coarse());
        loop {
            let mut changed = false;
            for pass in &search {
                changed |= self.pass(&**pass)?;
                // What a statement alone needed goes with it, far cheaper than by trying.
                if pass.name() == "statements" {
                    changed |= self.sweep()?;
                }
            }
            changed |= self.sweep()?;
            // After a sweep nearly every definition is needed: these are mostly proof.
            if !changed && !self.all(&rest)? {
                return Ok(());
            }
        }
    }

    /// Runs `passes` in order, again and again, until a whole round removes nothing.
    fn fixpoint(&mut self, passes: &[Box<dyn Pass>]) -> Result<(), Stop> {
        while self.all(passes)? {}
        Ok(())
    }

    /// Runs `passes` once, in order; whether any of them removed something.
    fn all(&mut self, passes: &[Box<dyn Pass>]) -> Result<bool, Stop> {
        let mut changed = false;
        for pass in passes {
            changed |= self.pass(&**pass)?;
        }
        Ok(changed)
    }
}
