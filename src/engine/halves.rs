//! What does not go together goes in parts: halves, and halves of those that do not go either.

use std::collections::BTreeSet;

use super::memory::Contexts;
use super::solve::Solved;
use super::{Engine, Stop};
use crate::subject::{Element, Elements, Subject};

/// What does not go together is not asked for in parts that are less than one token in so many of what there is: a trial takes
/// as long for them as for all.
const TRIFLE: i64 = 1_000;

/// What becomes of a part.
#[derive(Debug)]
enum Part {
    /// It goes: these are gone now.
    Goes(BTreeSet<usize>),
    /// It is not asked for again.
    Stays,
    /// These of it are asked for in halves, but not a single one.
    Splits(BTreeSet<usize>),
}

impl Engine<'_> {
    /// Lets go of those that make no difference to what runs, of the `named` ones of `elements`, without all of which the failure is
    /// lost; those without any single one of which it is. Each part is solved, since they need each other, and split again only if
    /// the failure is lost without it, too.
    pub(super) fn solve_by_halves(
        &mut self,
        elements: &[Element],
        named: BTreeSet<usize>,
    ) -> Result<BTreeSet<usize>, Stop> {
        let base = self.best.clone();
        let named = self.still_open(&base, elements, named);
        let refused = by_halves(elements, named, |gone, part| {
            let before = self.best.clone();
            Ok(
                match self.solved_replacements_of(&base, elements, gone | part)? {
                    Solved::Yes { gone, .. } if self.best.tokens() < before.tokens() => {
                        Part::Goes(gone)
                    }
                    // What had gone came back for the sake of this part.
                    Solved::Yes { .. } => {
                        self.accept(before)?;
                        Part::Stays
                    }
                    Solved::No => Part::Stays,
                    Solved::CompilesWithout(all) => Part::Splits(&all - gone),
                },
            )
        })?;
        self.note_refused(&base, elements, &refused);
        Ok(refused)
    }

    /// Lets go of the `named` ones of `elements`, which do not go together, as far as they do in parts. A part that is no more than
    /// a trifle is not split again: the next sweep asks for it.
    pub(super) fn drop_by_halves(
        &mut self,
        elements: &[Element],
        named: BTreeSet<usize>,
    ) -> Result<(), Stop> {
        let base = self.best.clone();
        let named = self.still_open(&base, elements, named);
        let refused = by_halves(elements, named, |gone, part| {
            let all = gone | part;
            let without: Elements = all.iter().map(|at| elements[*at].clone()).collect();
            if self.trial(base.without(&without))? {
                return Ok(Part::Goes(all));
            }
            let saves: i64 = part.iter().map(|at| elements[*at].saves).sum();
            let is_trifle = part.len() > 1 && saves * TRIFLE < self.best.tokens() as i64;
            Ok(match is_trifle {
                true => Part::Stays,
                false => Part::Splits(part.clone()),
            })
        })?;
        self.note_refused(&base, elements, &refused);
        Ok(())
    }

    /// Those of the `named` ones of `elements`, of `base`, that may go and were not refused already.
    fn still_open(
        &self,
        base: &Subject,
        elements: &[Element],
        mut named: BTreeSet<usize>,
    ) -> BTreeSet<usize> {
        let contexts = Contexts::of(base);
        named.retain(|at| {
            let element = &elements[*at];
            self.scope.allows_element(base, element)
                && !self.refusals.stands(base, &contexts, element)
        });
        named
    }

    fn note_refused(&mut self, base: &Subject, elements: &[Element], refused: &BTreeSet<usize>) {
        let singles = refused.iter().map(|at| elements[*at].clone());
        self.refusals.add_each(base, singles.collect());
    }
}

/// Asks for the `named` ones of `elements` in halves, of each of which `attempt` says what becomes, given those that are gone
/// already; those that had to be split and are single ones.
fn by_halves<E>(
    elements: &[Element],
    named: BTreeSet<usize>,
    mut attempt: impl FnMut(&BTreeSet<usize>, &BTreeSet<usize>) -> Result<Part, E>,
) -> Result<BTreeSet<usize>, E> {
    let mut gone = BTreeSet::new();
    let mut refused = BTreeSet::new();
    let mut parts: Vec<BTreeSet<usize>> = halves(elements, named).into_iter().rev().collect();
    while let Some(part) = parts.pop() {
        match attempt(&gone, &part)? {
            Part::Goes(now) => gone = now,
            Part::Stays => {}
            Part::Splits(left) if left.len() == 1 => refused.extend(left),
            Part::Splits(left) => parts.extend(halves(elements, left).into_iter().rev()),
        }
    }
    Ok(refused)
}

/// The `named` ones of `elements` in two parts: what goes from one place only, as no value goes with it, and the rest, or else one
/// half and the other. A single one is a part by itself.
fn halves(elements: &[Element], named: BTreeSet<usize>) -> Vec<BTreeSet<usize>> {
    let is_in_one_place = |at: &usize| elements[*at].edits.len() == 1;
    let (mut first, mut last): (Vec<usize>, Vec<usize>) =
        named.into_iter().partition(is_in_one_place);
    if first.is_empty() || last.is_empty() {
        first.append(&mut last);
        last = first.split_off(first.len().div_ceil(2));
    }
    let parts = [first, last].into_iter().filter(|part| !part.is_empty());
    parts.map(BTreeSet::from_iter).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Part, by_halves, halves};
    use crate::subject::{Element, Subject};
    use crate::syntax::{Edit, FileId, Kind};

    #[test]
    fn what_no_value_goes_with_is_asked_for_first_and_then_half_of_it() {
        let subject = Subject::new([("a.rs".into(), "a b c d e f g".into())]);
        let edit = |at: usize| Edit::delete(FileId(0), at..at + 1);
        let one = |places: &[usize]| {
            let edits = places.iter().map(|at| edit(*at));
            Element::new(&subject, Kind::Field, edits.collect())
        };
        let elements = [
            one(&[0, 2]),
            one(&[4]),
            one(&[6, 8]),
            one(&[10]),
            one(&[12]),
        ];
        let of = |all: &[usize]| BTreeSet::from_iter(all.iter().copied());
        let parts = |named: &[usize]| halves(&elements, of(named));
        assert_eq!(parts(&[0, 1, 2, 3, 4]), [of(&[1, 3, 4]), of(&[0, 2])]);
        assert_eq!(parts(&[1, 3, 4]), [of(&[1, 3]), of(&[4])]);
        assert_eq!(parts(&[0, 2]), [of(&[0]), of(&[2])]);
        assert_eq!(parts(&[2]), [of(&[2])]);
        assert!(parts(&[]).is_empty());
    }

    #[test]
    fn a_part_is_split_until_it_goes_or_is_a_single_one() {
        let subject = Subject::new([("a.rs".into(), "abcdefgh".into())]);
        let one = |at: usize| {
            let edit = Edit::delete(FileId(0), at..at + 1);
            Element::new(&subject, Kind::Field, vec![edit])
        };
        let elements: Vec<Element> = (0..8).map(one).collect();
        let mut asked = Vec::new();
        let refused = by_halves(&elements, (0..8).collect(), |gone, part| {
            asked.push(part.len());
            let all: BTreeSet<usize> = gone | part;
            Ok::<Part, ()>(match (part.contains(&5), part.len()) {
                (false, _) => Part::Goes(all),
                // What is known to go is not asked for again.
                (true, 4) => Part::Splits(BTreeSet::from([5, 6, 7])),
                (true, _) => Part::Splits(part.clone()),
            })
        });
        assert_eq!(refused, Ok(BTreeSet::from([5])));
        assert_eq!(asked, [4, 4, 2, 1, 1, 1]);
        let stays = by_halves(&elements, (0..8).collect(), |gone, _| {
            assert!(gone.is_empty());
            Ok::<Part, ()>(Part::Stays)
        });
        assert_eq!(stays, Ok(BTreeSet::new()));
    }
}
