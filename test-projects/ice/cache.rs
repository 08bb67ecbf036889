//! Stores that may have to wait, and a cache in front of them.

use std::collections::HashMap;
use std::future::Future;
use std::hash::Hash;
use std::marker::PhantomData;

/// Something with values by keys.
pub trait Store {
    /// What a value is found by.
    type Key<'k>
    where
        Self: 'k;
    /// What is found.
    type Value<'v>
    where
        Self: 'v;

    /// Finds a value, however long that takes.
    async fn fetch(self, key: Self::Key<'_>) -> Self::Value<'_>;
}

/// Values that are computed.
pub struct Computed<C, K, V> {
    compute: C,
    form: PhantomData<fn(K) -> V>,
}

impl<C, K, V> Computed<C, K, V> {
    pub fn by(compute: C) -> Self {
        Computed {
            compute,
            form: PhantomData,
        }
    }
}

impl<C, K, V> Store for Computed<C, K, V>
where
    C: AsyncFnMut(&mut K) -> V,
{
    type Key<'k> = K;
    type Value<'v> = V;

    async fn fetch(self, key: Self::Key<'_>) -> Self::Value<'_> {
        (self.compute)(key).await
    }
}

/// Remembers what was found.
#[derive(Debug)]
pub struct Cache<K, V> {
    found: HashMap<K, V>,
    hits: u64,
    misses: u64,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub fn new() -> Self {
        Cache {
            found: HashMap::new(),
            hits: 0,
            misses: 0,
        }
    }

    /// The value, from here or from `otherwise`.
    pub async fn get_or<F>(&mut self, key: K, otherwise: F) -> V
    where
        F: Future<Output = V>,
    {
        if let Some(value) = self.found.get(&key) {
            self.hits += 1;
            return value.clone();
        }
        self.misses += 1;
        let value = otherwise.await;
        self.found.insert(key, value.clone());
        value
    }

    /// Hits in a thousand.
    pub fn rate(&self) -> u64 {
        let asked = self.hits + self.misses;
        if asked == 0 {
            0
        } else {
            self.hits * 1000 / asked
        }
    }
}

impl<K, V> Drop for Cache<K, V> {
    fn drop(&mut self) {
        // Nobody wrote this yet.
        report(self.hits, self.missed);
    }
}

/// Whether keys look like paths.
pub fn is_path(key: &str) -> bool {
    key.starts_with('/') && !key.contains("//")
}

/// The parts of a path.
pub fn parts(key: &str) -> impl Iterator<Item = &str> {
    key.split('/').filter(|part| !part.is_empty())
}

/// Lengths of paths, computed.
pub fn lengths() -> Computed<impl AsyncFnMut(&mut String) -> usize, String, usize> {
    Computed::by(async |path: &mut String| parts(path).count())
}

pub struct Shared<S>(pub S);

impl<S: Store + Clone> Shared<S> {
    pub fn lend(&self) -> S {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_parts() {
        assert!(is_path("/a/b"));
        assert_eq!(parts("/a/b").count(), 2);
    }
}
