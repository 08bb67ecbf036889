//! A text with switches in it.

use std::collections::HashMap;
use std::ops::Range;

use super::{Off, Switch, ran};
use crate::subject::{PROBE_CRATE as CRATE, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, NodeId, Tree};

/// A subject with switches in it.
pub struct Switched {
    /// The text to compile and run.
    pub subject: Subject,
    /// What was put into it.
    pub edits: HashMap<FileId, Vec<Edit>>,
    /// Where in it stands what happens instead, by number.
    instead: Vec<(FileId, Range<usize>, usize)>,
}

impl Switched {
    /// The number of the switch that what stands at `offset` of `file` happens for when that is off.
    pub fn instead_at(&self, file: FileId, offset: usize) -> Option<usize> {
        let mut all = self.instead.iter();
        let there = all.find(|(own, range, _)| *own == file && range.contains(&offset));
        there.map(|(_, _, number)| *number)
    }
}

/// What is put at one place, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Closes,
    Step,
    Returns,
    Opens,
}

/// What is put at one place, and where in it stands what happens instead, with its number.
struct Put {
    text: String,
    instead: Option<(Range<usize>, usize)>,
}

impl Put {
    fn always(text: impl Into<String>) -> Put {
        Put {
            text: text.into(),
            instead: None,
        }
    }

    fn instead(before: &str, value: &str, after: &str, number: usize) -> Put {
        Put {
            text: format!("{before}{value}{after}"),
            instead: Some((before.len()..before.len() + value.len(), number)),
        }
    }
}

/// `subject` with the switches of these numbers, and with steps in all its code.
pub fn switched<'s>(
    subject: &Subject,
    switches: impl IntoIterator<Item = (usize, &'s Switch)>,
) -> Switched {
    switched_counting(subject, switches, |_| true)
}

/// The same with steps in those files alone that are `counted`.
pub fn switched_counting<'s>(
    subject: &Subject,
    switches: impl IntoIterator<Item = (usize, &'s Switch)>,
    counted: impl Fn(FileId) -> bool,
) -> Switched {
    // What ends at a place comes before what begins there.
    let mut parts: HashMap<FileId, Vec<(usize, Part, Put)>> = HashMap::new();
    for (number, switch) in switches {
        let (file, range) = (switch.file, &switch.range);
        let own = parts.entry(file).or_default();
        let mut around = |before: String, after: &str| {
            own.push((range.start, Part::Opens, Put::always(before)));
            own.push((range.end, Part::Closes, Put::always(after)));
        };
        match &switch.off {
            Off::Nothing => around(format!("if ::{CRATE}::is_on({number}) {{ "), " }"),
            Off::Is(true) | Off::Leaves(true, _) => {
                around(format!("(::{CRATE}::is_off({number}) || ("), "))")
            }
            Off::Is(false) | Off::Leaves(false, _) => {
                around(format!("(::{CRATE}::is_on({number}) && ("), "))")
            }
            Off::Through(change) => around(format!("::{CRATE}::{change}({number}, "), ")"),
            Off::Returns(at, value) => {
                let before = format!(" if ::{CRATE}::is_off({number}) {{ return ");
                let put = Put::instead(&before, value, "; } ", number);
                own.push((*at, Part::Returns, put));
            }
            Off::Gives(inner) => {
                let inner = &subject.file(file).source()[inner.clone()];
                let before = format!("(if ::{CRATE}::is_on({number}) {{ ");
                let put = Put::instead(" } else { ", inner, " })", number);
                own.push((range.start, Part::Opens, Put::always(before)));
                own.push((range.end, Part::Closes, put));
            }
            Off::Swaps(text) => {
                let before = format!("(if ::{CRATE}::turned({number}, true) {{ ");
                let put = Put::instead(" } else { ", text, " })", number);
                own.push((range.start, Part::Opens, Put::always(before)));
                own.push((range.end, Part::Closes, put));
            }
        }
    }
    let mut result = subject.clone();
    let mut edits = HashMap::new();
    let mut instead = Vec::new();
    for (file, version, tree) in subject.sources() {
        let Some(text) = version.text() else { continue };
        let mut own = parts.remove(&file).unwrap_or_default();
        let steps = tree
            .nodes()
            .filter(|(id, node)| counted(file) && is_counted(version.source(), tree, *id, node));
        let step = format!(" ::{CRATE}::step(); ");
        own.extend(steps.map(|(_, node)| {
            let at = ran::behind_inner_attributes(tree, node);
            (at, Part::Step, Put::always(&step))
        }));
        // What begins last ends first.
        let mut own: Vec<_> = own.into_iter().enumerate().collect();
        own.sort_by_key(|(order, (at, part, _))| {
            let order = *order as isize;
            let order = if *part == Part::Closes { -order } else { order };
            (*at, *part, order)
        });
        let first = ran::names_the_crate(subject, file, tree);
        let mut ahead: usize = first.iter().map(|edit| edit.text.len()).sum();
        let mut all: Vec<Edit> = first.into_iter().collect();
        for (_, (at, _, put)) in own {
            instead.extend(put.instead.map(|(range, number)| {
                let begin = at + ahead;
                (file, begin + range.start..begin + range.end, number)
            }));
            ahead += put.text.len();
            all.push(Edit::replace(file, at..at, put.text));
        }
        let own = all;
        if !own.is_empty() {
            result = result.with_text(file, text.apply(&own));
            edits.insert(file, own);
        }
    }
    Switched {
        subject: result,
        edits,
        instead,
    }
}

/// Whether running through the block `id` again and again may take for ever.
fn is_counted(source: &str, tree: &Tree, id: NodeId, node: &Node) -> bool {
    let repeats = |outer: &Node| {
        matches!(
            outer.kind,
            Kind::Expr(ExprKind::For | ExprKind::While | ExprKind::Loop)
        )
    };
    let counts = match node.kind {
        Kind::Body => true,
        Kind::Block => tree.parent(id).is_some_and(repeats),
        _ => false,
    };
    counts && ran::at_run_time(source, tree, id)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::super::{answers, in_bodies};
    use super::*;

    #[test]
    fn what_begins_last_ends_first() {
        let subject = subject("fn f() { if c { self.ok = a && b } }");
        let all = in_bodies(&subject);
        assert_eq!(
            shown(&subject, &all),
            "fn f() { . ?0 { if (1|(c)) { ?2 { self.ok = (3|(a)) && (4|(b)) } } } }"
        );
        let switched = switched(&subject, all.iter().enumerate());
        let tree = switched.subject.file(FileId(0)).tree();
        assert!(tree.is_some_and(|tree| tree.parsed));
    }

    #[test]
    fn an_error_in_an_answer_is_about_that_answer() {
        let subject = subject("enum K { A, B } fn f() -> K { g(1, 2, 3, 4, 5, 6, 7); h(K::B) }");
        let all = answers(&subject, &crate::passes::Answers::default());
        let switched = switched(&subject, all.iter().enumerate());
        let file = FileId(0);
        let source = switched.subject.file(file).source();
        let at = |text: &str| source.find(text).expect("it is there");
        assert_eq!(switched.instead_at(file, at("Default::")), Some(1));
        assert_eq!(switched.instead_at(file, at("return Default")), None);
        assert_eq!(switched.instead_at(file, at("K::A;")), Some(0));
        assert_eq!(switched.instead_at(file, at("g(1")), None);
        assert_eq!(switched.instead_at(file, at("enum")), None);
    }

    #[test]
    fn every_turn_of_a_loop_counts() {
        let subject = subject("fn f() { for a in b {} while c { break; } loop {c();} }");
        assert_eq!(
            shown(&subject, &[]),
            "fn f() { . for a in b { . } while c { . break; } loop { . c();} }"
        );
        assert_eq!(
            shown(&subject, &in_bodies(&subject)),
            "fn f() { . ?0 { for a in b { . } } ?1 { while c { . break; } } ?2 { loop { . ?3 { c(); }} } }"
        );
    }
}
