//! A list cut into consecutive parts: what ddmin, W_ddmin and CDD work on. Knows no property and no
//! algorithm.

use std::ops::Range;

use super::kept::Kept;

/// Parts of a list, in list order.
///
/// Cutting is done from what is kept at that time. Afterwards parts are only taken away as a whole,
/// so that a part is a range for as long as it lives, however many there are.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    list: Vec<usize>,
    ranges: Vec<Range<usize>>,
}

impl Parts {
    /// Everything kept, in one part; none if nothing is.
    pub(super) fn whole(kept: &Kept) -> Self {
        let list: Vec<usize> = kept.iter().collect();
        let ranges = if list.is_empty() {
            Vec::new()
        } else {
            std::iter::once(0..list.len()).collect()
        };
        Self { list, ranges }
    }

    /// Everything kept, in this many parts (at most one for each element) whose lengths differ by
    /// one at most, the longer ones last: Zeller and Hildebrandt's way to share out what does not
    /// divide.
    pub(super) fn even(kept: &Kept, count: usize) -> Self {
        let list: Vec<usize> = kept.iter().collect();
        let count = count.min(list.len());
        let mut start = 0;
        let ranges = (0..count)
            .map(|part| {
                let end = start + (list.len() - start) / (count - part);
                std::mem::replace(&mut start, end)..end
            })
            .collect();
        Self { list, ranges }
    }

    /// Everything kept, in parts of this length; the last may be shorter.
    pub(super) fn of_length(kept: &Kept, length: usize) -> Self {
        let list: Vec<usize> = kept.iter().collect();
        let ranges = (0..list.len())
            .step_by(length)
            .map(|start| start..list.len().min(start.saturating_add(length)))
            .collect();
        Self { list, ranges }
    }

    /// Each part of more than one element in two, where `cut` says how many go into the first;
    /// parts of one element are left out.
    pub(super) fn halves(&self, cut: impl Fn(&[usize]) -> usize) -> Self {
        let mut ranges = Vec::new();
        for range in self.ranges.iter().filter(|range| range.len() > 1) {
            let middle = range.start + cut(&self.list[range.clone()]);
            ranges.extend([range.start..middle, middle..range.end]);
        }
        Self {
            list: self.list.clone(),
            ranges,
        }
    }

    /// How many parts there are.
    pub(super) fn count(&self) -> usize {
        self.ranges.len()
    }

    /// The elements of a part, ascending.
    pub(super) fn part(&self, part: usize) -> &[usize] {
        &self.list[self.ranges[part].clone()]
    }

    /// What is kept besides a part, ascending.
    pub(super) fn others(&self, part: usize, kept: &Kept) -> Vec<usize> {
        // Parts are taken away as a whole, so that one is a gap without others in it.
        let Range { start, end } = self.ranges[part];
        let gap = self.list[start]..=self.list[end - 1];
        kept.iter()
            .filter(|element| !gap.contains(element))
            .collect()
    }

    /// Takes a part away.
    pub(super) fn take_away(&mut self, part: usize) {
        self.ranges.remove(part);
    }

    /// Takes all parts but this one away.
    pub(super) fn keep_only(&mut self, part: usize) {
        self.ranges = vec![self.ranges[part].clone()];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(parts: &Parts) -> Vec<&[usize]> {
        (0..parts.count()).map(|part| parts.part(part)).collect()
    }

    #[test]
    fn parts_cover_what_is_kept_and_nothing_else() {
        let mut kept = Kept::all(8);
        kept.remove(&[2]);
        assert_eq!(lists(&Parts::whole(&kept)), [&[0, 1, 3, 4, 5, 6, 7]]);
        assert_eq!(
            lists(&Parts::even(&kept, 3)),
            [&[0, 1][..], &[3, 4], &[5, 6, 7]]
        );
        assert_eq!(
            lists(&Parts::even(&kept, 5)),
            [&[0][..], &[1], &[3], &[4, 5], &[6, 7]]
        );
        assert_eq!(
            lists(&Parts::of_length(&kept, 3)),
            [&[0, 1, 3][..], &[4, 5, 6], &[7]]
        );
        assert_eq!(Parts::even(&kept, 100).count(), 7);
        assert_eq!(Parts::even(&Kept::all(0), 2).count(), 0);
        assert_eq!(Parts::whole(&Kept::all(0)).count(), 0);
    }

    #[test]
    fn the_others_of_a_part_are_all_that_is_kept_besides() {
        let mut kept = Kept::all(8);
        let mut parts = Parts::even(&kept, 4);
        kept.remove(&[2, 3]);
        parts.take_away(1);
        assert_eq!(lists(&parts), [[0, 1], [4, 5], [6, 7]]);
        assert_eq!(parts.others(1, &kept), [0, 1, 6, 7]);
        parts.keep_only(2);
        assert_eq!(lists(&parts), [[6, 7]]);
    }
}
