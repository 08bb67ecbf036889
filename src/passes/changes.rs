//! What a test does to the variables that it looks at in the end. Knows syntax alone: not what ran.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::lets;
use super::query::{self, At};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind, NodeId, StmtKind};

/// What the function `id` of `file` does, ahead of the statement at `place` in it, to the variables that this one names: the text
/// of each such thing up to where its arguments begin, as `list.push`, `&mut list` or `list =`, in order; of several that read alike
/// the last, for how often something is done is a matter of size.
///
/// A variable that cannot change is left out, and so is a method that can change nothing, if all of its name are known here.
pub fn changes(subject: &Subject, file: FileId, id: NodeId, place: usize) -> Vec<Range<usize>> {
    let statement = query::at_place(subject, file, &(place..place + 1)).and_then(statement_of);
    let Some(statement) = statement else {
        return Vec::new();
    };
    let ahead = statement.tree.node(id).range.start..statement.range().start;
    let mut variables = variables_that_change(subject, file, &ahead);
    variables.retain(|name| !statement.mentions(name, &statement.range()).is_empty());
    let code = Code(statement.words(&ahead));
    let harmless = harmless_methods(subject);
    let mut found: BTreeMap<Vec<&str>, Range<usize>> = BTreeMap::new();
    let mut behind = 0;
    for at in 0..code.0.len() {
        if !variables.contains(code.word(at)) || code.before(at) == "." {
            continue;
        }
        // A variable is borrowed within arguments as well, but what they compute with it changes nothing as a rule.
        let changed = || code.changed(at, &harmless).filter(|_| at >= behind);
        if let Some(words) = code.borrowed(at).or_else(changed) {
            behind = behind.max(code.behind_arguments(words.end));
            let range = code.0[words.start].1.start..code.0[words.end - 1].1.end;
            found.insert(words.map(|at| code.word(at)).collect(), range);
        }
    }
    let mut found: Vec<Range<usize>> = found.into_values().collect();
    found.sort_unstable_by_key(|range| range.start);
    found
}

/// The innermost statement around `place`, or that itself.
fn statement_of(place: At<'_>) -> Option<At<'_>> {
    let mut around = std::iter::once(place).chain(place.ancestors());
    around.find(|at| matches!(at.kind(), Kind::Stmt(_)))
}

/// The variables that the `let`s in `range` make so that they can change.
fn variables_that_change<'s>(
    subject: &'s Subject,
    file: FileId,
    range: &Range<usize>,
) -> BTreeSet<&'s str> {
    let is_let = |kind| kind == Kind::Stmt(StmtKind::Let);
    let lets = query::nodes_in(subject, file, range, is_let).into_iter();
    lets.filter(|at| lets::may_change(at.tree, at.source, at.node))
        .flat_map(|at| lets::variables(at.tree, at.source, at.node))
        .collect()
}

/// The names of methods that none of `subject` changes anything with.
pub(super) fn harmless_methods(subject: &Subject) -> BTreeSet<&str> {
    let is_method = |kind| kind == Kind::Member(ItemKind::Fn);
    let (mut harmless, mut others) = (BTreeSet::new(), BTreeSet::new());
    for method in query::all(subject, is_method) {
        let Some(receiver) = method.child(|kind| kind == Kind::Receiver) else {
            continue;
        };
        let words = receiver.words(&receiver.range());
        let shared = words[0].0 == "&" && words.iter().all(|(word, _)| *word != "mut");
        let names = if shared { &mut harmless } else { &mut others };
        names.extend(method.name());
    }
    harmless.retain(|name| !others.contains(name));
    harmless
}

/// The words and signs of code, and where they stand.
struct Code<'s>(Vec<(&'s str, Range<usize>)>);

impl<'s> Code<'s> {
    fn word(&self, at: usize) -> &'s str {
        self.0.get(at).map_or("", |(word, _)| word)
    }

    fn before(&self, at: usize) -> &'s str {
        at.checked_sub(1).map_or("", |before| self.word(before))
    }

    /// The words of `&mut name`, of which `at` is the last.
    fn borrowed(&self, at: usize) -> Option<Range<usize>> {
        let from = at.checked_sub(2)?;
        let is_it = self.word(from) == "&" && self.word(from + 1) == "mut";
        is_it.then_some(from..at + 1)
    }

    /// The words of `name.method`, `name.field.method`, `name =` or `name.field +=`, of which `at` is the first; a `let` is none.
    fn changed(&self, at: usize, harmless: &BTreeSet<&str>) -> Option<Range<usize>> {
        let mut last = at;
        while self.word(last + 1) == "." {
            last += 2;
        }
        let next = self.word(last + 1);
        let is_called = last > at && matches!(next, "(" | "::");
        let is_assigned = query::assigns(next) && !matches!(self.before(at), "let" | "mut");
        match is_called {
            true => (!harmless.contains(self.word(last))).then_some(at..last + 1),
            false => is_assigned.then_some(at..last + 2),
        }
    }

    /// Where the arguments of a call end that begin at `from`, which itself is it if none do.
    fn behind_arguments(&self, from: usize) -> usize {
        let mut depth = 0;
        if !matches!(self.word(from), "(" | "::") {
            return from;
        }
        for at in from..self.0.len() {
            match self.word(at) {
                "(" => depth += 1,
                ")" if depth <= 1 => return at,
                ")" => depth -= 1,
                _ => {}
            }
        }
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is changed in the test `t`, the first function of `text`, before its last assertion.
    fn changed(text: &str) -> Vec<&str> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let place = text.rfind("assert").expect("there is one");
        let found = changes(&subject, FileId(0), NodeId(1), place);
        found.into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn calls_and_borrows_of_what_is_looked_at_are_changes() {
        let text = "fn t() { let mut a = A::new(); let mut b = B; a.put(1); b.put(2); let c = a.list.cut(a.len()); \
                    fill(&mut a, &mut b); a.n = 3; a.n += a.put(4); assert_eq!(a.len(), 5); a.put(6); }";
        assert_eq!(
            changed(text),
            ["a.list.cut", "&mut a", "a.n =", "a.n +=", "a.put"]
        );
    }

    #[test]
    fn of_what_is_done_several_times_the_last_time_counts() {
        let text = "fn t() { let mut a = A; let mut b = B; a.put(1); b.put(2); a.put(3); a.put(4); b . put(5); assert!(a.has(b)); }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let place = text.find("assert").expect("there is one");
        let found = changes(&subject, FileId(0), NodeId(1), place);
        let ends: Vec<&str> = found.iter().map(|range| &text[range.end..][..3]).collect();
        assert_eq!(ends, ["(4)", "(5)"]);
    }

    #[test]
    fn what_cannot_change_is_not_changed() {
        let text = "fn t() { let a = A; let mut b = C; let mut b = A; a.put(1); let n = b.len(); b.same(2); c.b.put(3); if b == d {} \
                    for x in y { b.put(4); assert_eq!((a, b), c); } }
                    impl A { fn put(&mut self, n: u8) {} fn len(&self) {} fn same(&self) {} } impl D { fn same(self) {} }";
        assert_eq!(changed(text), ["b.same", "b.put"]);
    }
}
