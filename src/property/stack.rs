//! Deep recursion that ends, told from recursion that never does: with a larger stack, only the latter still overflows.
//! Knows how large stacks may be, and how a thread is given one.

use std::ffi::OsString;
use std::fmt;
use std::time::Instant;

use super::failure::overflowed;
use super::test::Test;
use crate::build::Executable;
use crate::exec::Ending;
use crate::report::Failure;
use crate::subject::Subject;

/// A stack for each thread that asks for none of a certain size: those that tests run in do so, the main thread has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stack {
    mebibytes: usize,
}

impl Stack {
    /// Those that are tried, in this order. Threads have 2 MiB otherwise.
    pub const LARGER: [Stack; 3] = [
        Stack { mebibytes: 16 },
        Stack { mebibytes: 64 },
        Stack { mebibytes: 256 },
    ];

    /// The variable that Rust's runtime reads.
    pub(super) fn variable(self) -> (OsString, Option<OsString>) {
        let bytes = (self.mebibytes << 20).to_string();
        ("RUST_MIN_STACK".into(), Some(bytes.into()))
    }
}

impl Test {
    /// The first of the larger stacks with which the test does not overflow it any more; `None` if it does with all of them,
    /// or does not compile.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe).
    pub fn stack_that_suffices(&mut self, subject: &Subject) -> Result<Option<Stack>, Failure> {
        let Some(executable) = self.build(subject, None)?.executable else {
            return Ok(None);
        };
        self.larger_stack(&executable, None)
    }

    /// The first of the larger stacks that `executable` does not overflow; `None` if it does with all of them.
    pub(super) fn larger_stack(
        &self,
        executable: &Executable,
        deadline: Option<Instant>,
    ) -> Result<Option<Stack>, Failure> {
        for stack in Stack::LARGER {
            let outcome = self.execute_with(executable, stack, deadline)?;
            // What is cut short may have been on its way down.
            if outcome.ending == Ending::TimedOut {
                return Ok(None);
            }
            if !overflowed(&outcome) {
                return Ok(Some(stack));
            }
        }
        Ok(None)
    }
}

impl fmt::Display for Stack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MiB", self.mebibytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stacks_are_given_in_bytes_and_told_in_mebibytes() {
        let told: Vec<String> = Stack::LARGER.iter().map(Stack::to_string).collect();
        assert_eq!(told, ["16 MiB", "64 MiB", "256 MiB"]);
        let (name, bytes) = Stack::LARGER[0].variable();
        assert_eq!(name, "RUST_MIN_STACK");
        assert_eq!(bytes, Some("16777216".into()));
    }
}
