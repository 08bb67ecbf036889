//! Switches: statements that are left out, conditions that hold or do not, expressions that give way to one in them, and
//! functions that give an answer instead, while the program runs. One compilation is enough to try any set of them; what the
//! failure does without is taken out of the text afterwards.
//!
//! Each is a condition around a statement, beside another condition or at the start of a body, that asks by its number whether
//! it is off. Every turn of a loop and every call counts as a step, so that a program that goes on for ever is known by their number.

mod in_bodies;
mod instead;
mod nudged;
mod put;
mod said;
mod swapped;
mod turned;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

pub use self::in_bodies::{in_bodies, statements_from};
pub use self::instead::{answers, expressions};
pub use self::nudged::operator;
pub use self::put::{Switched, switched, switched_counting};
pub use self::said::{Said, Values, literals};
use super::{hoist, nodes, ran};
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, Tree};

/// A part of the program that can be switched off while it runs.
#[derive(Debug, Clone)]
pub struct Switch {
    /// What takes it out of the text.
    pub element: Element,
    /// The file that it stands in.
    pub file: FileId,
    /// The bytes of the statement, the condition or the body that it is about.
    pub range: Range<usize>,
    /// What happens in its place.
    off: Off,
}

/// What a part of the program does when it is switched off.
#[derive(Debug, Clone)]
enum Off {
    /// Nothing.
    Nothing,
    /// A function returns this; where that is said.
    Returns(usize, String),
    /// A condition is so, whatever it looks at.
    Is(bool),
    /// An operand of what stands here leaves the decision to the other one.
    Leaves(bool, Range<usize>),
    /// An expression gives what the one in it gives, which stands here.
    Gives(Range<usize>),
    /// Its value goes through this function of the probe, which may give another one.
    Through(&'static str),
    /// This is computed instead, with another operator.
    Swaps(String),
}

impl Switch {
    /// Whether it is about what a function returns.
    pub fn answers(&self) -> bool {
        matches!(self.off, Off::Returns(..))
    }

    /// What happens to its value when it is off, if that is known while it runs alone.
    pub fn change(&self) -> Option<&'static str> {
        match self.off {
            Off::Through(change) => Some(change),
            Off::Swaps(_) => Some(swapped::SWAPPED),
            _ => None,
        }
    }

    /// Whether it is about a condition that says the opposite.
    pub fn turns(&self) -> bool {
        self.change() == Some(turned::TURNED)
    }

    /// Whether it is about a number that is one more or one less.
    pub fn nudges(&self) -> bool {
        self.change()
            .is_some_and(|change| nudged::CHANGES.contains(&change))
    }

    /// Whether it is about what is computed with another operator.
    pub fn swaps(&self) -> bool {
        self.change() == Some(swapped::SWAPPED)
    }

    /// Whether it is about a part of the condition that `other` is about.
    pub fn is_part_of(&self, other: &Switch) -> bool {
        self.turns()
            && other.turns()
            && self.file == other.file
            && self.range != other.range
            && other.range.start <= self.range.start
            && self.range.end <= other.range.end
    }
}

/// What takes all of `off` out of the text of `subject`. Where several are about the same place, the first is what happens.
pub fn elements<'s>(subject: &Subject, off: impl IntoIterator<Item = &'s Switch>) -> Vec<Element> {
    let mut found: Vec<Element> = Vec::new();
    let mut places = HashSet::new();
    let mut operands = HashMap::new();
    // What is in something that gave way was not asked.
    let mut given: Vec<(FileId, &Range<usize>)> = Vec::new();
    let mut off: Vec<&Switch> = off.into_iter().collect();
    let order = |switch: &&Switch| (switch.range.start, std::cmp::Reverse(switch.range.end));
    off.sort_by_key(order);
    for switch in off {
        let around = |(file, range): &(FileId, &Range<usize>)| {
            *file == switch.file
                && range.start <= switch.range.start
                && switch.range.end <= range.end
        };
        if given.iter().any(around) || !places.insert((switch.file, switch.range.clone())) {
            continue;
        }
        if let Off::Gives(_) = switch.off {
            given.push((switch.file, &switch.range));
        }
        if let Off::Leaves(is, around) = &switch.off {
            let at = found.len();
            let other = operands.insert((switch.file, around.clone()), at);
            // Neither of the two is there to decide.
            if let Some(other) = other {
                let edit = Edit::replace(switch.file, around.clone(), is.to_string());
                found[other] = Element::new(subject, switch.element.kind, vec![edit]);
                continue;
            }
        }
        found.push(switch.element.clone());
    }
    found
}

/// The switches of what may be wrong though it is always the same: the conditions, behind them their parts, then the numbers, and
/// then the operators.
pub fn changeable(subject: &Subject) -> Vec<Switch> {
    let mut all = turned::conditions(subject);
    all.extend(turned::parts(subject));
    all.extend(nudged::numbers(subject));
    all.extend(swapped::operators(subject));
    all
}

/// Whether `condition` has a `let` in it, outside of functions and blocks.
fn binds(tree: &Tree, condition: &Node) -> bool {
    condition.kind == Kind::Expr(ExprKind::Let)
        || condition.kind == Kind::Expr(ExprKind::Binary)
            && condition
                .children
                .iter()
                .any(|child| binds(tree, tree.node(*child)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::PROBE_CRATE as CRATE;

    pub fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
    }

    /// `subject` with `switches`: `?0 { … }` around what number 0 leaves out, `?0=` before what it answers, `(0|(…))`
    /// and `(0&(…))` around what it makes true and false, `0!(…)` around what it turns, `0+(…)` and `0-(…)` around what it makes more or less, `(0~ { … } else { … })` around what is computed in another way, `(0? { … } else { … })` around what gives way, `.` for a step.
    pub fn shown(subject: &Subject, switches: &[Switch]) -> String {
        let switched = switched(subject, switches.iter().enumerate());
        let mut text = switched.subject.file(FileId(0)).source().to_string();
        for number in 0..switches.len() {
            let on = format!("if ::{CRATE}::is_on({number}) {{ ");
            let off = format!("if ::{CRATE}::is_off({number}) {{ return ");
            text = text.replace(&format!("({on}"), &format!("({number}? {{ "));
            text = text.replace(
                &format!("(if ::{CRATE}::turned({number}, true) {{ "),
                &format!("({number}~ {{ "),
            );
            text = text.replace(&on, &format!("?{number} {{ "));
            text = text.replace(&off, &format!("?{number}= {{ "));
            text = text.replace(
                &format!("(::{CRATE}::is_off({number}) || ("),
                &format!("({number}|("),
            );
            text = text.replace(
                &format!("(::{CRATE}::is_on({number}) && ("),
                &format!("({number}&("),
            );
            for (change, sign) in [("turned", "!"), ("more", "+"), ("less", "-")] {
                let changed = format!("::{CRATE}::{change}({number}, ");
                text = text.replace(&changed, &format!("{number}{sign}("));
            }
        }
        let text = text.replace(&format!("::{CRATE}::step();"), ".");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `subject` without what `switch` takes out of it, on one line.
    fn taken_alone(subject: &Subject, switch: &Switch) -> String {
        let after = subject.without([&switch.element]);
        let source = after.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_in_an_expression_that_gave_way_was_not_asked() {
        let subject = subject("fn f() -> u8 { g(h(1), 2) }");
        let all = expressions(&subject);
        let taken = |off: &[usize]| {
            let elements = elements(&subject, off.iter().map(|at| &all[*at]));
            let after = subject.without(&elements);
            after.file(FileId(0)).source().to_string()
        };
        let of = |text: &str| {
            all.iter()
                .position(|one| taken_alone(&subject, one) == text)
        };
        let (whole, inner) = (of("fn f() -> u8 { h(1) }"), of("fn f() -> u8 { g(1, 2) }"));
        let both = [whole.expect("it may"), inner.expect("it may")];
        assert_eq!(taken(&both), "fn f() -> u8 { h(1) }");
    }
}
