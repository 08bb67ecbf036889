//! Deep recursion that ends, told from recursion that never does: with a larger stack, only the latter still overflows.
//! Knows how large stacks may be, how a thread is given one, and how deep a recursion should go.

use std::ffi::OsString;
use std::fmt;
use std::ops::RangeInclusive;
use std::time::Instant;

use super::failure::overflowed;
use super::test::Test;
use crate::build::Executable;
use crate::exec::Ending;
use crate::report::Failure;
use crate::subject::Subject;

/// A stack for each thread that asks for none of a certain size: those that tests run in do so, the main thread has its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stack {
    mebibytes: usize,
}

impl Stack {
    /// Those that are tried, from the smallest to the largest. Threads have 2 MiB otherwise.
    const LARGER: [Stack; 7] = [
        Stack { mebibytes: 4 },
        Stack { mebibytes: 8 },
        Stack { mebibytes: 16 },
        Stack { mebibytes: 32 },
        Stack { mebibytes: 64 },
        Stack { mebibytes: 128 },
        Stack::LARGEST,
    ];

    /// The one that no recursion may overflow which comes to its end.
    pub const LARGEST: Stack = Stack { mebibytes: 256 };

    /// The variable that Rust's runtime reads.
    pub(super) fn variable(self) -> (OsString, Option<OsString>) {
        let bytes = (self.mebibytes << 20).to_string();
        ("RUST_MIN_STACK".into(), Some(bytes.into()))
    }
}

/// How deep a recursion goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// This is the smallest of the larger stacks that it does not overflow.
    Needs(Stack),
    /// It overflows all of them, or does not end in its time.
    Beyond,
}

impl Depth {
    /// What leaves room on both sides. A recursion that needs less comes to its end as soon as its frames are a few times smaller,
    /// and what never ran may be gone there; one that needs more overflows the largest stack when its frames get a little larger.
    pub const WANTED: RangeInclusive<Depth> =
        Depth::Needs(Stack { mebibytes: 32 })..=Depth::Needs(Stack { mebibytes: 64 });
}

impl Test {
    /// Whether the test compiles and, with the largest stack, does not overflow it any more.
    ///
    /// # Errors
    ///
    /// As for [`observe`](Self::observe).
    pub fn ends_with_the_largest_stack(&mut self, subject: &Subject) -> Result<bool, Failure> {
        match self.build(subject, None)?.executable {
            Some(executable) => self.suffices(&executable, Stack::LARGEST, None),
            None => Ok(false),
        }
    }

    /// How deep `executable` goes.
    pub(super) fn depth_of(
        &self,
        executable: &Executable,
        deadline: Option<Instant>,
    ) -> Result<Depth, Failure> {
        let (mut smaller, mut found) = (0, Stack::LARGER.len());
        // What never ends is asked once.
        let mut at = found - 1;
        while smaller < found {
            match self.suffices(executable, Stack::LARGER[at], deadline)? {
                true => found = at,
                false => smaller = at + 1,
            }
            at = usize::midpoint(smaller, found);
        }
        let stack = Stack::LARGER.get(found).copied();
        Ok(stack.map_or(Depth::Beyond, Depth::Needs))
    }

    /// Whether `executable` comes to its end with this stack.
    pub(super) fn suffices(
        &self,
        executable: &Executable,
        stack: Stack,
        deadline: Option<Instant>,
    ) -> Result<bool, Failure> {
        let outcome = self.execute_with(executable, stack, deadline)?;
        // What is cut short may have been on its way down.
        Ok(outcome.ending != Ending::TimedOut && !overflowed(&outcome))
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
        assert_eq!(Stack::LARGEST.to_string(), "256 MiB");
        let (name, bytes) = Stack::LARGER[2].variable();
        assert_eq!(name, "RUST_MIN_STACK");
        assert_eq!(bytes, Some("16777216".into()));
    }

    #[test]
    fn the_larger_ones_are_sorted_and_some_are_wanted() {
        assert!(Stack::LARGER.is_sorted());
        let depths = Stack::LARGER.map(Depth::Needs);
        let wanted = depths.iter().filter(|depth| Depth::WANTED.contains(depth));
        assert_eq!(wanted.count(), 2);
        assert!(depths.iter().all(|depth| *depth < Depth::Beyond));
    }
}
