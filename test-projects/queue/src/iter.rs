//! Walks round the ring.

use std::iter::FusedIterator;

/// See [`Recent::iter`](crate::Recent::iter).
#[derive(Debug, Clone)]
pub struct Iter<'a, T> {
    slots: &'a [Option<T>],
    at: usize,
    left: usize,
}

impl<'a, T> Iter<'a, T> {
    pub(crate) fn new(slots: &'a [Option<T>], at: usize, left: usize) -> Self {
        Iter { slots, at, left }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        self.left = self.left.checked_sub(1)?;
        let item = self.slots[self.at].as_ref();
        self.at = (self.at + 1) % self.slots.len();
        item
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}
impl<T> FusedIterator for Iter<'_, T> {}

/// See [`Recent::every`](crate::Recent::every).
#[derive(Debug, Clone)]
pub struct Every<'a, T> {
    slots: &'a [Option<T>],
    at: usize,
    end: usize,
    step: usize,
}

impl<'a, T> Every<'a, T> {
    pub(crate) fn new(slots: &'a [Option<T>], at: usize, end: usize, step: usize) -> Self {
        Every {
            slots,
            at,
            end,
            step,
        }
    }
}

impl<'a, T> Iterator for Every<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        while self.at != self.end {
            let slot = &self.slots[self.at];
            self.at = (self.at + self.step) % self.slots.len();
            if let Some(item) = slot {
                return Some(item);
            }
        }
        None
    }
}
