//! Which pass runs when. Coarse before fine, everything to a fixpoint.

use super::{Engine, Stop};
use crate::passes::{self, Pass};

impl Engine<'_> {
    /// The order for a compiler crash: comments, then whole definitions until nothing more goes,
    /// then everything until nothing more goes.
    pub(super) fn reduce_crash(&mut self) -> Result<(), Stop> {
        self.pass(&*passes::comments())?;
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
        self.pass(&*passes::comments())?;
        while self.sweep()? {}
        let (coarse, fine) = (passes::coarse(), passes::fine());
        self.all(&coarse)?;
        loop {
            self.all(&fine)?;
            while self.sweep()? {}
            if !self.all(&coarse)? {
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
