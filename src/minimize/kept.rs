//! Which elements are still kept, and which sets of them were refused. Knows no algorithm.

use std::collections::HashSet;

use super::splitmix::mix;

/// The elements still kept.
///
/// The set has a 128-bit hash that is changed in constant time per element, so that whole
/// candidates can be remembered for 16 bytes each. Two different candidates of one run share a hash
/// with a probability of about t²/2¹²⁹ for t trials.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    present: Vec<bool>,
    count: usize,
    hash: u128,
}

impl Kept {
    /// All of `length` elements.
    pub(super) fn all(length: usize) -> Self {
        Self {
            present: vec![true; length],
            count: length,
            hash: hash_of(0..length),
        }
    }

    /// How many elements the list had at first.
    pub(super) fn length(&self) -> usize {
        self.present.len()
    }

    /// How many elements are left.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    pub(super) fn contains(&self, element: usize) -> bool {
        self.present[element]
    }

    /// The elements left, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> {
        (0..self.length()).filter(|&element| self.present[element])
    }

    /// The elements gone, ascending.
    pub(super) fn removed(&self) -> Vec<usize> {
        (0..self.length())
            .filter(|&element| !self.present[element])
            .collect()
    }

    /// Takes elements out, each of them present.
    pub(super) fn remove(&mut self, elements: &[usize]) {
        for &element in elements {
            self.present[element] = false;
        }
        self.count -= elements.len();
        self.hash ^= hash_of(elements.iter().copied());
    }

    /// The hash that the set would have without these elements, each of them present.
    fn hash_without(&self, elements: &[usize]) -> u128 {
        self.hash ^ hash_of(elements.iter().copied())
    }
}

/// Candidates that were refused within one run. A candidate is the set of elements it keeps.
#[derive(Debug, Clone, Default)]
pub(super) struct Refused(HashSet<u128>);

impl Refused {
    /// Remembers that `kept` without `elements` was refused.
    pub(super) fn insert(&mut self, kept: &Kept, elements: &[usize]) {
        self.0.insert(kept.hash_without(elements));
    }

    /// Whether `kept` without `elements` was refused before.
    pub(super) fn contains(&self, kept: &Kept, elements: &[usize]) -> bool {
        self.0.contains(&kept.hash_without(elements))
    }
}

/// The hash of a set: the exclusive or of its elements' hashes, so that order does not count and
/// removing is as cheap as adding.
fn hash_of(elements: impl Iterator<Item = usize>) -> u128 {
    elements.fold(0, |hash, element| {
        let element = element as u64;
        let high = mix(element);
        let low = mix(high ^ !element);
        hash ^ (u128::from(high) << 64 | u128::from(low))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_set_is_known_again_however_it_is_reached() {
        let mut kept = Kept::all(5);
        let mut refused = Refused::default();
        refused.insert(&kept, &[1, 2, 4]);
        kept.remove(&[2]);
        assert!(refused.contains(&kept, &[1, 4]));
        assert!(!refused.contains(&kept, &[1]));
        assert!(!refused.contains(&kept, &[0, 4]));
        kept.remove(&[1]);
        assert!(refused.contains(&kept, &[4]));
        assert_eq!(kept.iter().collect::<Vec<_>>(), [0, 3, 4]);
        assert_eq!(kept.removed(), [1, 2]);
    }

    #[test]
    fn small_sets_have_different_hashes() {
        let mut hashes: Vec<u128> = Vec::new();
        for set in 0_u32..1 << 12 {
            hashes.push(hash_of((0..12).filter(|bit| set >> bit & 1 == 1)));
        }
        hashes.sort_unstable();
        hashes.dedup();
        assert_eq!(hashes.len(), 1 << 12);
    }
}
