//! In which order the parts of a list have their turn, until each was refused since the last
//! success. Knows only how many parts there are.

use super::settings::ComplementOrder;

/// What ddmin and W_ddmin do after the list without one part has turned out interesting.
///
/// Both find a 1-minimal list. What weighting saves depends on it: see the table of `cargo bench
/// --bench simulation`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AfterSuccess {
    /// Try the next part: the implementation of Kiss 2020.
    GoOn,
    /// Try the first part again: Zhou et al. 2025, Algorithm 1, lines 17 and 34.
    StartOver,
}

/// One round, or as many as there are successes.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    order: ComplementOrder,
    after_success: AfterSuccess,
    count: usize,
    turn: usize,
    /// Parts that were not refused yet since the last success.
    left: usize,
}

impl Walk {
    /// Over this many parts.
    pub(super) fn over(count: usize, order: ComplementOrder, after_success: AfterSuccess) -> Self {
        let mut walk = Self {
            order,
            after_success,
            count,
            turn: 0,
            left: count,
        };
        walk.start_over();
        walk
    }

    fn start_over(&mut self) {
        self.turn = match self.order {
            ComplementOrder::Forward => 0,
            ComplementOrder::Backward => self.count.saturating_sub(1),
        };
    }

    /// The part whose turn it is; `None` when every one was refused.
    pub(super) fn turn(&self) -> Option<usize> {
        (self.left > 0).then_some(self.turn)
    }

    /// Leaving out the part whose turn it is was refused.
    pub(super) fn refused(&mut self) {
        self.left -= 1;
        self.turn = match self.order {
            ComplementOrder::Forward => (self.turn + 1) % self.count,
            ComplementOrder::Backward => (self.turn + self.count - 1) % self.count,
        };
    }

    /// The part whose turn it is was taken away: those after it move up.
    pub(super) fn taken_away(&mut self) {
        self.count -= 1;
        self.left = self.count;
        match (self.after_success, self.order) {
            (AfterSuccess::StartOver, _) => self.start_over(),
            (AfterSuccess::GoOn, _) if self.count == 0 => self.turn = 0,
            (AfterSuccess::GoOn, ComplementOrder::Forward) => self.turn %= self.count,
            (AfterSuccess::GoOn, ComplementOrder::Backward) => {
                self.turn = (self.turn + self.count - 1) % self.count;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the parts tried, where the part named `gone` succeeds.
    fn names(order: ComplementOrder, after_success: AfterSuccess, gone: char) -> String {
        let mut parts: Vec<char> = "abcd".chars().collect();
        let mut walk = Walk::over(parts.len(), order, after_success);
        let mut names = String::new();
        while let Some(turn) = walk.turn() {
            names.push(parts[turn]);
            if parts[turn] == gone {
                parts.remove(turn);
                walk.taken_away();
            } else {
                walk.refused();
            }
        }
        names
    }

    #[test]
    fn every_part_has_its_turn_again_after_a_success() {
        use AfterSuccess::{GoOn, StartOver};
        use ComplementOrder::{Backward, Forward};
        assert_eq!(names(Forward, GoOn, '-'), "abcd");
        assert_eq!(names(Forward, GoOn, 'b'), "abcda");
        assert_eq!(names(Forward, GoOn, 'd'), "abcdabc");
        assert_eq!(names(Forward, StartOver, 'b'), "abacd");
        assert_eq!(names(Backward, GoOn, 'b'), "dcbadc");
        assert_eq!(names(Backward, GoOn, 'a'), "dcbadcb");
        assert_eq!(names(Backward, StartOver, 'b'), "dcbdca");
        let mut last = Walk::over(1, Backward, GoOn);
        last.taken_away();
        assert_eq!(last.turn(), None);
        assert_eq!(Walk::over(0, Backward, GoOn).turn(), None);
    }
}
