//! Large tables, and files with data: whatever else is tried, the compiler, or the test, reads them all.

use super::schedule::SHORTENING;
use super::{Engine, Stop};
use crate::passes::{self, Pass};
use crate::subject::Element;

/// Of the time that is left, one part in so many is for data while the code goes on getting smaller: what is no code counts no
/// tokens, and of what has a grammar of its own hardly a line may go.
const DATA: u32 = 32;

impl Engine<'_> {
    /// Takes rows out of large tables, and lines out of files with data, for a part of the time that is left. Whether any went.
    pub(super) fn shorten_tables(&mut self) -> Result<bool, Stop> {
        let tables = passes::Tables;
        if !self.wanted.takes(tables.name()) {
            return Ok(false);
        }
        self.for_a_part(SHORTENING, |engine| {
            let counts = engine.begin(tables.name());
            let before = engine.best.tokens();
            let outcome = engine.forget_lengths();
            engine.finish_pass(before, &counts);
            outcome?;
            engine.pass(&tables)?;
            // What a test compares with may be among it, and with less of either it fails all the same.
            if !engine.holds_values_back() {
                engine.shorten_data()?;
            }
            Ok(())
        })
    }

    /// Takes lines out of files with data, unless nothing of what they hold now could go before, which is asked for again when
    /// nothing else goes.
    fn shorten_data(&mut self) -> Result<(), Stop> {
        let texts = passes::data::key(&self.best);
        if self.data_refused == Some(texts) && !self.proves {
            return Ok(());
        }
        let parts = if self.proves { 1 } else { DATA };
        let earlier = self.best.clone();
        if self.for_a_part(parts, |engine| engine.pass(&passes::Data).map(|_| ()))? {
            // A macro may have read it at compile time and not have told.
            self.milestones.push(earlier);
        } else {
            self.data_refused = Some(texts);
        }
        Ok(())
    }

    /// Has large tables say nothing of their lengths: all of them, or else those that may.
    fn forget_lengths(&mut self) -> Result<(), Stop> {
        let all = passes::uncounted(&self.best);
        let all: Vec<Element> = all.into_iter().filter(|one| self.is_allowed(one)).collect();
        if all.is_empty() || self.trial_that_changes_nothing(self.best.without(&all))? {
            return Ok(());
        }
        let mut counted = 0;
        while let Some(one) = passes::uncounted(&self.best).get(counted) {
            if !self.is_allowed(one)
                || !self.trial_that_changes_nothing(self.best.without([one]))?
            {
                counted += 1;
            }
        }
        Ok(())
    }
}
