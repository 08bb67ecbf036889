//! What becomes of what a function gives: where others decide by that, it is a part of why a program fails that they do.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Place, body_around, known_to_run};
use crate::passes::ends::{ends_of, returns};
use crate::passes::lets;
use crate::passes::query::{At, calls_by_name, is_expr};
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, Origin, StmtKind};

/// What is given on is followed through so many functions.
const FURTHER: usize = 4;

/// What holds a value as it is.
const WRAPPERS: [&str; 3] = ["Err", "Ok", "Some"];

/// What becomes of a value, as far as it is seen.
enum Fate {
    /// Something is decided by it: the words with which that begins, and what it is compared with.
    Decides(Vec<Range<usize>>),
    /// The function around gives it to those who call it.
    Given,
    Unknown,
}

/// What decides by what the function around `place` gives, in the run in which `ran` ran: the words with which it begins to, and the
/// names of the functions that are called for it.
pub(super) fn heeding(subject: &Subject, ran: &Ran, (file, range): &Place) -> Vec<Place> {
    let tree = subject.file(*file).tree();
    let innermost = tree.and_then(|tree| tree.innermost(range));
    let body = innermost.and_then(|id| body_around(subject, *file, id));
    let calls = calls_by_name(subject);
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut open: Vec<(Origin, usize)> = body.into_iter().map(|body| (body, 0)).collect();
    while let Some((body, far)) = open.pop() {
        if far == FURTHER || !seen.insert(body) {
            continue;
        }
        let callers: BTreeSet<Origin> = ran.calls.callers(body).collect();
        let named = name_of(subject, body).and_then(|name| calls.get(name));
        for call in named.into_iter().flatten() {
            let caller = body_around(subject, call.file, call.id);
            let Some(caller) = caller.filter(|caller| callers.contains(caller)) else {
                continue;
            };
            let runs = |at: At| known_to_run(subject, ran, at.file, at.tree, at.id) != Some(false);
            let words = match fate(*call, &runs) {
                _ if !runs(*call) => continue,
                Fate::Decides(words) => words,
                Fate::Given => {
                    open.push((caller, far + 1));
                    Vec::new()
                }
                Fate::Unknown => continue,
            };
            let name = call.node.name.clone();
            let words = words.into_iter().chain(name);
            found.extend(words.map(|range| (call.file, range)));
        }
    }
    found
}

/// The same for this `value`, in the function that it is in.
pub(super) fn heeding_value(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    value: NodeId,
) -> Vec<Place> {
    let runs = |at: At| known_to_run(subject, ran, at.file, at.tree, at.id) != Some(false);
    let value = At::new(subject, file, value);
    match value.map(|value| fate(value, &runs)) {
        Some(Fate::Decides(words)) => words.into_iter().map(|range| (file, range)).collect(),
        _ => Vec::new(),
    }
}

/// The name of the function whose body stood there.
fn name_of(subject: &Subject, body: Origin) -> Option<&str> {
    subject.sources().find_map(|(_, version, tree)| {
        let text = version.text()?;
        let mut bodies = tree.nodes().filter(|(_, node)| node.kind == Kind::Body);
        let (id, _) = bodies.find(|(_, node)| text.origin(node.range.start) == Some(body))?;
        Some(&version.source()[tree.parent(id)?.name.clone()?])
    })
}

/// What becomes of `value`, where that `runs`.
fn fate(value: At, runs: &dyn Fn(At) -> bool) -> Fate {
    let given = given_by_the_function_around(value);
    let mut inner = value;
    for outer in value.ancestors() {
        if given.contains(&inner.id) {
            return Fate::Given;
        }
        let first = outer
            .child(is_expr)
            .is_some_and(|first| first.id == inner.id);
        match outer.kind() {
            Kind::Expr(ExprKind::Try) => {
                let mark = inner.range().end..outer.range().end;
                return Fate::Decides(vec![mark]);
            }
            Kind::Expr(ExprKind::For | ExprKind::If | ExprKind::Match | ExprKind::While)
                if first =>
            {
                return Fate::Decides(begins(outer).chain(entered(outer, runs)).collect());
            }
            Kind::Expr(ExprKind::MethodCall) if !first => return Fate::Unknown,
            Kind::Expr(ExprKind::Call)
                if !outer.name().is_some_and(|name| WRAPPERS.contains(&name)) =>
            {
                return Fate::Unknown;
            }
            Kind::Expr(
                ExprKind::Binary
                | ExprKind::Call
                | ExprKind::Field
                | ExprKind::If
                | ExprKind::Let
                | ExprKind::MethodCall
                | ExprKind::Paren
                | ExprKind::Range
                | ExprKind::Reference
                | ExprKind::Unary,
            )
            | Kind::Else
            | Kind::Init => {}
            Kind::Stmt(StmtKind::Let) => return bound(outer, inner, &given, runs),
            _ => return Fate::Unknown,
        }
        inner = outer;
    }
    Fate::Unknown
}

/// The word with which `at` begins.
fn begins(at: At) -> impl Iterator<Item = Range<usize>> {
    let words = at.words(&at.range()).into_iter();
    words.take(1).map(|(_, range)| range)
}

/// The patterns of those arms of `at` that `runs` says are entered; where there is a block, that is seen there.
fn entered(at: At, runs: &dyn Fn(At) -> bool) -> Vec<Range<usize>> {
    let mut arms = at.children(|kind| kind == Kind::Arm);
    arms.retain(|arm| {
        let blocks = arm.inside(|kind| kind == Kind::Block);
        runs(blocks.first().copied().unwrap_or(*arm))
    });
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let arms = arms.into_iter();
    arms.filter_map(|arm| Some(arm.child(is_pattern)?.range()))
        .collect()
}

/// What becomes of the variables that the `statement` binds to `value`.
fn bound(statement: At, value: At, given: &[NodeId], runs: &dyn Fn(At) -> bool) -> Fate {
    let names = lets::variables(statement.tree, statement.source, statement.node);
    let Some(body) = statement
        .ancestors()
        .find(|outer| outer.kind() == Kind::Body)
    else {
        return Fate::Unknown;
    };
    let mentions = |at: &At| at.name().is_some_and(|name| names.contains(name));
    let paths = body.inside(|kind| kind == Kind::Expr(ExprKind::Path));
    let behind = paths
        .into_iter()
        .filter(|path| path.range().start >= statement.range().end);
    let head = statement.range().start..value.range().start;
    for mention in behind.filter(mentions) {
        if given.contains(&mention.id) {
            return Fate::Given;
        }
        if let Fate::Decides(mut words) = fate(mention, runs) {
            words.extend([head, mention.range()]);
            return Fate::Decides(words);
        }
    }
    Fate::Unknown
}

/// What the function around `at` gives.
fn given_by_the_function_around(at: At) -> Vec<NodeId> {
    let mut given = Vec::new();
    let mut around = at.ancestors();
    if let Some(body) = around.find(|outer| outer.kind() == Kind::Body) {
        ends_of(at.tree, at.source, body.id, &mut given);
        returns(at.tree, body.id, &mut given);
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::ran::probed;
    use crate::subject::PROBE_CALL;

    /// What heeds what `f` gives in `text`, of which all ran, with `calls` from the functions of these names.
    fn heeded(text: &str, calls: &[(&str, &str)]) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let file = FileId(0);
        let probes = probed(&subject, &Default::default(), &Default::default()).probes;
        let body = |name: &str| {
            let at = text.find(&format!("fn {name}(")).expect("a function");
            let at = at + text[at..].find('{').expect("a body");
            let is_it = |origin: &Origin| origin.offset as usize == at;
            probes.iter().position(is_it).expect("a probe") as u32
        };
        let all = 0..probes.len() as u32;
        let calls = calls
            .iter()
            .flat_map(|(caller, callee)| [PROBE_CALL | body(caller), body(callee)]);
        let hits: Vec<u32> = all.chain(calls).collect();
        let ran = Ran::of(&probes, &hits);
        let at = text.find("HERE").expect("a place");
        let found = heeding(&subject, &ran, &(file, at..at + 4));
        found
            .into_iter()
            .map(|(_, range)| text[range].to_string())
            .collect()
    }

    #[test]
    fn who_decides_by_what_is_given_does_so_at_a_word() {
        let f = "fn f() -> u8 { if HERE { return 1; } 2 }";
        let words = |g: &str| heeded(&format!("{f} {g}"), &[("g", "f")]).join(" ");
        assert_eq!(
            words("fn g() { match f() { 1 => a(), _ => b() } }"),
            "match 1 _ f"
        );
        assert_eq!(words("fn g() { if f() == 1 { a() } }"), "if f");
        assert_eq!(words("fn g() { if let Some(1) = f().h() { a() } }"), "if f");
        assert_eq!(words("fn g() -> Option<u8> { f()?; None }"), "? f");
        assert_eq!(
            words("fn g() { let x = f(); a(); if x > 1 { a() } }"),
            "if let x  x f"
        );
        assert_eq!(words("fn g() { f(); h(f()); }"), "");
    }

    /// What heeds, in `text`, the value that `value` is the text of.
    fn heeded_value(text: &str, value: &str) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let file = FileId(0);
        let tree = subject.file(file).tree().expect("it is code");
        let at = text.find(value).expect("a value");
        let id = tree.innermost(&(at..at + value.len())).expect("a node");
        let found = heeding_value(&subject, &Ran::default(), file, id);
        let found = found.into_iter();
        found.map(|(_, range)| text[range].to_string()).collect()
    }

    #[test]
    fn what_branches_give_is_heeded_too() {
        let text = "fn f() { let last = if a { 1 } else if b { 2 } else { 3 }; g(last); for i in 0..last { h() } }";
        for branches in [
            "if a { 1 } else if b { 2 } else { 3 }",
            "if b { 2 } else { 3 }",
        ] {
            assert_eq!(heeded_value(text, branches), ["for", "let last ", "last"]);
        }
    }

    #[test]
    fn a_condition_that_has_a_name_is_heeded_by_that() {
        let text = "fn f() { let same = a == b; c(); if !d || !same { e() } }";
        assert_eq!(heeded_value(text, "a == b"), ["if", "let same ", "same"]);
        let text = "fn f() { let same = a == b; c(same); }";
        assert_eq!(heeded_value(text, "a == b"), [""; 0]);
    }

    #[test]
    fn what_is_given_on_is_heeded_further_out() {
        let text = "fn f() -> u8 { HERE } fn g() -> Option<u8> { Some(f()) } fn h() { let y = g(); while y.is_some() {} }";
        assert_eq!(
            heeded(text, &[("g", "f"), ("h", "g")]),
            ["f", "while", "let y ", "y", "g"]
        );
        assert_eq!(heeded(text, &[("h", "g")]), [""; 0], "g did not call it");
    }
}
