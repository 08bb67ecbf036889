//! A queue of fixed size that forgets what is oldest, for the last so many measurements.

#![forbid(unsafe_code)]

mod iter;
mod stats;

use std::ops::Index;

pub use iter::{Every, Iter};
pub use stats::Stats;

/// The last `N` things that were pushed, the oldest first.
#[derive(Debug, Clone)]
pub struct Recent<T, const N: usize> {
    // A ring with one slot more than there are items, so that a full ring and an empty one differ.
    slots: Vec<Option<T>>,
    start: usize,
    end: usize,
}

impl<T, const N: usize> Recent<T, N> {
    const SLOTS: usize = N + 1;

    /// Remembers nothing yet.
    pub fn new() -> Self {
        Recent {
            slots: std::iter::repeat_with(|| None).take(Self::SLOTS).collect(),
            start: 0,
            end: 0,
        }
    }

    /// How many are remembered.
    pub fn len(&self) -> usize {
        (self.end + Self::SLOTS - self.start) % Self::SLOTS
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.start == self.end
    }

    /// Whether the next push makes it forget something.
    pub fn is_full(&self) -> bool {
        self.len() == N
    }

    /// Remembers one more; gives back what is forgotten for it.
    pub fn push(&mut self, item: T) -> Option<T> {
        let forgotten = if self.is_full() { self.pop() } else { None };
        self.slots[self.end] = Some(item);
        self.end = (self.end + 1) % Self::SLOTS;
        forgotten
    }

    /// Takes the oldest.
    pub fn pop(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let oldest = self.slots[self.start].take();
        self.start = (self.start + 1) % Self::SLOTS;
        oldest
    }

    /// The oldest.
    pub fn first(&self) -> Option<&T> {
        self.slots[self.start].as_ref()
    }

    /// The newest.
    pub fn last(&self) -> Option<&T> {
        let before = (self.end + Self::SLOTS - 1) % Self::SLOTS;
        self.slots[before].as_ref().filter(|_| !self.is_empty())
    }

    /// All of them, the oldest first.
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(&self.slots, self.start, self.len())
    }

    /// The oldest, and from there on every `step`th.
    ///
    /// # Panics
    ///
    /// If `step` is zero.
    pub fn every(&self, step: usize) -> Every<'_, T> {
        assert!(step > 0, "a step leads somewhere");
        Every::new(&self.slots, self.start, self.end, step)
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        while self.pop().is_some() {}
    }
}

impl<T, const N: usize> Default for Recent<T, N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T, const N: usize> Index<usize> for Recent<T, N> {
    type Output = T;

    fn index(&self, index: usize) -> &T {
        self.iter()
            .nth(index)
            .unwrap_or_else(|| panic!("{index} of {}", self.len()))
    }
}

impl<T, const N: usize> Extend<T> for Recent<T, N> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.push(item);
        }
    }
}

impl<T, const N: usize> FromIterator<T> for Recent<T, N> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut recent = Self::new();
        recent.extend(items);
        recent
    }
}

impl<'a, T, const N: usize> IntoIterator for &'a Recent<T, N> {
    type Item = &'a T;
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<T: PartialEq, const N: usize> PartialEq for Recent<T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other)
    }
}
