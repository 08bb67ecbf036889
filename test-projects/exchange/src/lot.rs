//! What is left to chance.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

/// True once in so many times.
pub fn once_in(times: u64) -> bool {
    RandomState::new().build_hasher().finish() % times == 0
}
