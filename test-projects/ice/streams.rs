//! Streams of anything, for programs that do not care what of.
#![feature(non_lifetime_binders)]
#![allow(incomplete_features)]

use std::collections::BTreeMap;
use std::iter::Peekable;

/// A stream of items of one type.
pub trait Stream<T>: Iterator<Item = T> {
    /// The item after the next.
    fn second(&mut self) -> Option<T> {
        self.next()?;
        self.next()
    }
}

impl<I: Iterator> Stream<I::Item> for I {}

/// Repeats a value for a while.
#[derive(Debug, Clone)]
pub struct Repeat<T> {
    value: T,
    left: usize,
}

impl<T: Clone> Repeat<T> {
    pub fn new(value: T, times: usize) -> Self {
        Repeat { value, left: times }
    }
}

impl<T: Clone> Iterator for Repeat<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.left = self.left.checked_sub(1)?;
        Some(self.value.clone())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

/// Two sorted streams as one.
pub struct Merge<A: Iterator, B: Iterator> {
    left: Peekable<A>,
    right: Peekable<B>,
}

impl<A, B> Merge<A, B>
where
    A: Stream<u32>,
    B: Stream<u32>,
{
    pub fn new(left: A, right: B) -> Self {
        Merge {
            left: left.peekable(),
            right: right.peekable(),
        }
    }
}

impl<T, A, B> Iterator for Merge<A, B>
where
    T: Ord,
    A: Iterator<Item = T>,
    B: Iterator<Item = T>,
{
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match (self.left.peek(), self.right.peek()) {
            (Some(left), Some(right)) if right < left => self.right.next(),
            (Some(_), _) => self.left.next(),
            (None, _) => self.right.next(),
        }
    }
}

/// How often each item comes.
pub fn counts<T: Ord>(items: impl Stream<T>) -> BTreeMap<T, usize> {
    let mut counts = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_insert(0) += 1;
    }
    counts
}

/// The most frequent item; of several the smallest.
pub fn mode<T: Ord>(items: impl Stream<T>) -> Option<T> {
    let mut best: Option<(T, usize)> = None;
    for (item, count) in counts(items) {
        if best.as_ref().is_none_or(|(_, most)| count > *most) {
            best = Some((item, count));
        }
    }
    best.map(|(item, _)| item)
}

/// Takes one item of a stream of anything.
pub fn sample(stream: &mut impl for<T> Stream<T>) -> bool {
    let item: Option<u32> = stream.next();
    item.is_some_and(|item| item > 0)
}

/// Every other item.
pub fn alternate<T>(items: impl Stream<T>) -> impl Stream<T> {
    items.step_by(2)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weather {
    Sun,
    Rain,
    Snow,
}

pub fn usual_weather(days: &[Weather]) -> Option<Weather> {
    mode(days.iter().copied())
}
