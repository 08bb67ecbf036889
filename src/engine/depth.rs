//! How deep a recursion goes that overflows the stack. Deep enough by far, and not too deep: one that is just too deep needs all that
//! makes its frames large, and without that comes to its end, where what never ran is gone. Knows no run: how deep it goes is for the oracle to say.

use super::trial::stop;
use super::{Engine, Stop};
use crate::passes::{Inputs, Pass};
use crate::property::stack::Depth;
use crate::subject::{Elements, Subject};

/// How much deeper a recursion is made to go at a time.
const DEEPER: [u64; 2] = [4, 2];

/// How much less deep. One that never comes to its end says so however much that is.
const LESS_DEEP: [u64; 6] = [2, 4, 8, 16, 64, 256];

/// So often one after the other.
const STEPS: usize = 4;

/// So many numbers are asked for each of these.
const NUMBERS: usize = 4;

impl Engine<'_> {
    /// Has the recursion go as deep as is wanted, by the numbers of the test. Whether there is anything to be had from asking again,
    /// when frames are smaller.
    pub(super) fn settle_depth(&mut self, inputs: &Inputs) -> Result<bool, Stop> {
        match self.wanted.takes(inputs.name()) {
            true => self.part(inputs.name(), |engine| engine.step_to_depth(inputs)),
            false => Ok(false),
        }
    }

    fn step_to_depth(&mut self, inputs: &Inputs) -> Result<bool, Stop> {
        for _ in 0..STEPS {
            let Some(depth) = self.depth(&self.best.clone())? else {
                return Ok(false);
            };
            let (least, most) = (*Depth::WANTED.start(), *Depth::WANTED.end());
            let went = if depth < least {
                let lists = DEEPER.map(|factor| inputs.multiplied(&self.best, factor));
                self.go(&lists, |other| depth < other && other <= most, |_| false)?
            } else if depth > most {
                let lists = LESS_DEEP.map(|divisor| inputs.divided(&self.best, divisor));
                // What takes too long on the way down is not seen to end; what then ends is the better for it, if it is not as deep.
                let ends = |other| depth == Depth::Beyond && other < depth;
                self.go(&lists, |other| least <= other && other < depth, ends)?
            } else {
                return Ok(true);
            };
            if !went {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Accepts the first of `lists` that takes the recursion as deep as is `wanted`, or else the first that `will_do`; whether there
    /// is one.
    fn go(
        &mut self,
        lists: &[Elements],
        wanted: impl Fn(Depth) -> bool,
        will_do: impl Fn(Depth) -> bool,
    ) -> Result<bool, Stop> {
        let mut others = Vec::new();
        for list in lists {
            for element in list.iter().take(NUMBERS) {
                if !self.scope.allows_element(&self.best, element) {
                    continue;
                }
                let candidate = self.best.without([element]);
                let Some(depth) = self.depth(&candidate)? else {
                    continue;
                };
                if wanted(depth) {
                    if self.trial_that_changes_nothing(candidate)? {
                        return Ok(true);
                    }
                } else if will_do(depth) {
                    others.push(candidate);
                }
            }
        }
        for candidate in others {
            if self.trial_that_changes_nothing(candidate)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn depth(&mut self, subject: &Subject) -> Result<Option<Depth>, Stop> {
        self.may_go_on()?;
        let depth = self.oracle.depth(subject, self.deadline);
        depth.map_err(stop(&self.cancel))
    }
}
