//! A contrast: candidates show the failure with one toolchain and not with another. Knows neither the failure nor
//! how the first oracle finds it.

use std::cell::RefCell;
use std::time::Instant;

use super::by_command::ByCommand;
use super::crash::Seen;
use super::tool_signature::ToolSignature;
use super::{Judged, Oracle, Stage, Traced, Verdict};
use crate::report::Failure;
use crate::subject::Subject;

/// The command with another toolchain.
pub struct Elsewhere {
    /// The toolchain's name, for people.
    pub toolchain: String,
    /// The command.
    pub run: ByCommand,
    /// The code has to compile there.
    pub compiles: bool,
}

impl Elsewhere {
    /// What speaks against a candidate that shows this; `None` if it may stay.
    pub fn objection(&self, seen: &Seen, signature: &ToolSignature) -> Option<String> {
        match &seen.crash {
            Some(crash) => Some(format!("it crashes: {}", crash.title())),
            None if signature.shows(seen) => Some("the same shows".to_owned()),
            None if self.compiles && !seen.success => Some("it does not compile".to_owned()),
            None => None,
        }
    }
}

/// An oracle that holds only where others have no objection. These are asked last, of what is interesting alone.
pub struct Contrasted<'a> {
    /// Finds the failure.
    pub here: &'a mut dyn Oracle,
    /// Must not find it.
    pub elsewhere: &'a RefCell<Vec<Elsewhere>>,
    /// What must not show elsewhere.
    pub signature: &'a ToolSignature,
}

impl Oracle for Contrasted<'_> {
    fn judge(&mut self, candidate: &Subject, deadline: Option<Instant>) -> Result<Judged, Failure> {
        let mut judged = self.here.judge(candidate, deadline)?;
        for other in self.elsewhere.borrow_mut().iter_mut() {
            if judged.verdict != Verdict::Interesting {
                break;
            }
            let (seen, outcome) = other.run.observe(candidate, deadline)?;
            judged.cpu += outcome.cpu;
            judged.wall += outcome.wall;
            if other.objection(&seen, self.signature).is_some() {
                judged.verdict = Verdict::Uninteresting(Stage::Run);
            }
        }
        Ok(judged)
    }

    fn trace(&mut self, probed: &Subject) -> Result<Traced, Failure> {
        self.here.trace(probed)
    }

    fn side_by_side(&self) -> usize {
        self.here.side_by_side()
    }

    fn expect(&mut self, next: &[Subject], deadline: Option<Instant>) -> Result<(), Failure> {
        self.here.expect(next, deadline)
    }
}
