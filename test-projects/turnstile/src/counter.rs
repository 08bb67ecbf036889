//! A number that many threads change.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts up and down, and remembers the most there ever were.
#[derive(Debug, Default)]
pub struct Counter {
    value: AtomicU64,
    most: Mutex<u64>,
}

impl Counter {
    /// Counts one more; how many there are now.
    pub fn up(&self) -> u64 {
        let before = self.value.load(Ordering::SeqCst);
        let now = before + 1;
        let mut most = self.most.lock().unwrap();
        *most = now.max(*most);
        drop(most);
        self.value.store(now, Ordering::SeqCst);
        now
    }

    /// Counts one less; never below zero.
    pub fn down(&self) -> u64 {
        let step = |value: u64| value.checked_sub(1);
        match self.value.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step) {
            Ok(before) => before - 1,
            Err(zero) => zero,
        }
    }

    /// How many there are.
    pub fn value(&self) -> u64 {
        self.value.load(Ordering::SeqCst)
    }

    /// The most there ever were.
    pub fn most(&self) -> u64 {
        *self.most.lock().unwrap()
    }
}
