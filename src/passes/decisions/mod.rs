//! What decided that a program fails: the condition in front of the branch that was entered last, and what was computed where it
//! failed, with what made its values; or the conditions in front of the calls that go round in a circle, or of what goes on and
//! on. A program without them fails, too, but not for the reason that somebody looks for.

mod circle;
mod computed;
mod effects;
mod endless;
mod heads;
mod heeded;
mod last;
mod passed;
mod said;
mod turning;
mod unentered;
mod values;

use std::collections::HashMap;
use std::ops::Range;

pub use self::endless::endless;
pub use self::passed::check;
pub use self::turning::{may_run, place, stood, stubs_behind, turnable};
pub use self::unentered::{closed, idle, unentered};

use self::circle::the_circle;
use self::computed::{computation, computed};
use self::heads::conditions;
use self::last::last_branch;
use super::assertions::{Stretch, is_for_tests, original};
use super::ran::Ran;
use crate::subject::Subject;
use crate::syntax::{FileId, Kind, NodeId, Origin, Tree};

/// How a program fails, as far as it matters for what decided it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// At the end of all that ran; if it is known, at this place.
    AtOnce(Option<At>),
    /// In calls that never end.
    Recursion,
    /// Not at all: a loop goes on and on.
    Endless,
}

/// Where a program fails by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    /// The place that the panic names.
    pub origin: Origin,
    /// A sum, a quotient and the like could not be computed; else something was not found in something, or not as asserted.
    pub arithmetic: bool,
}

/// A computation of more tokens holds much besides what made it fail.
const LARGE: usize = 64;

/// Text of a file.
type Place = (FileId, Range<usize>);

/// Where that stands which decided about the failure of the run in which `ran` ran, which has this `message`; nothing where nothing
/// tells.
pub fn decisions(subject: &Subject, ran: &Ran, end: End, message: &str) -> Vec<Stretch> {
    let places = places(subject);
    let mut found = match end {
        End::Recursion => the_circle(subject, ran, &places),
        _ => in_front_of_the_end(subject, ran, end, message, &places),
    };
    let asked = found
        .iter()
        .map(|place| values::asked_for_in(subject, ran, place));
    let asked: Vec<Place> = asked.flatten().collect();
    found.extend(asked);
    let found = found
        .into_iter()
        .flat_map(|place| but_for_attributes(subject, place));
    where_they_stood(subject, found)
}

/// What stands at `place` beside attributes, which decide nothing.
fn but_for_attributes(subject: &Subject, (file, range): Place) -> Vec<Place> {
    let tree = subject.file(file).tree();
    let attributes = tree.into_iter().flat_map(|tree| {
        let nodes = tree.nodes().map(|(_, node)| node);
        nodes.filter(|node| node.kind == Kind::Attribute)
    });
    let mut parts = Vec::new();
    let mut start = range.start;
    for node in attributes {
        if start <= node.range.start && node.range.end <= range.end {
            parts.push((file, start..node.range.start));
            start = node.range.end;
        }
    }
    parts.push((file, start..range.end));
    parts.retain(|(_, range)| !range.is_empty());
    parts
}

/// The conditions of the branch that decided, what was computed where it failed, and what the functions called there gave.
fn in_front_of_the_end(
    subject: &Subject,
    ran: &Ran,
    end: End,
    message: &str,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Vec<Place> {
    let branches: Vec<(FileId, NodeId)> = if end == End::Endless {
        // What goes on and on was entered last as well as anything else in it.
        let late = |origin: &&Origin| ran.late.is_empty() || ran.late.contains(origin);
        let order: Vec<Origin> = ran.entered.iter().filter(late).copied().collect();
        let turning = endless::going_on(subject, ran, places).map(|(_, at)| at);
        let last = last_branch(subject, ran, &order, places);
        last.into_iter().chain(turning).collect()
    } else {
        let last = last_branch(subject, ran, &ran.last, places);
        let last = match end {
            End::AtOnce(None) => said::branch_that_says(subject, ran, places, message, last),
            _ => last,
        };
        last.into_iter().collect()
    };
    let mut found: Vec<Place> = Vec::new();
    for (file, id) in branches {
        let tree = subject.file(file).tree();
        let ranges = tree.map(|tree| conditions(tree, id)).unwrap_or_default();
        found.extend(ranges.into_iter().map(|range| (file, range)));
    }
    if let End::AtOnce(Some(at)) = end
        && let Some((file, id)) = computed(subject, at)
    {
        found.extend(computation(subject, ran, file, id));
    }
    with_what_is_given(subject, ran, found)
}

/// The `found` places, what the functions that they call gave, of which `ran` tells, and what the constants are that they name.
fn with_what_is_given(subject: &Subject, ran: &Ran, mut found: Vec<Place>) -> Vec<Place> {
    let given = found.iter().flat_map(|place| {
        let constants = values::constants_in(subject, place);
        values::given_to(subject, ran, place)
            .into_iter()
            .chain(constants)
    });
    let given: Vec<Place> = given.collect();
    found.extend(given);
    found
}

/// Where the `found` places stood originally.
fn where_they_stood(subject: &Subject, found: impl IntoIterator<Item = Place>) -> Vec<Stretch> {
    let found = found.into_iter();
    found
        .filter_map(|(file, range)| original(subject, file, &range))
        .collect()
}

/// Whether what stands in `file`, and stood at `origin`, is a test or there for tests alone.
fn is_of_tests(subject: &Subject, file: FileId, origin: Origin) -> bool {
    let path = &subject.file(file).path;
    path.iter().any(|part| part == "tests") || is_for_tests(subject, origin)
}

/// All that gets a probe, by where it stood originally.
fn places(subject: &Subject) -> HashMap<Origin, Vec<(FileId, NodeId)>> {
    let mut places: HashMap<Origin, Vec<(FileId, NodeId)>> = HashMap::new();
    for (file, version, tree) in subject.sources() {
        let Some(text) = version.text() else { continue };
        for (id, node) in tree.nodes() {
            let probed = matches!(
                node.kind,
                Kind::Body | Kind::Block | Kind::Arm | Kind::Stmt(_)
            );
            if let Some(origin) = text.origin(node.range.start).filter(|_| probed) {
                places.entry(origin).or_default().push((file, id));
            }
        }
    }
    places
}

/// The body around `id`, or itself if it is one, by where it stood originally.
fn body_around(subject: &Subject, file: FileId, id: NodeId) -> Option<Origin> {
    let (tree, text) = (subject.file(file).tree()?, subject.file(file).text()?);
    let mut around = std::iter::once(id).chain(tree.ancestors(id));
    let body = around.find(|id| tree.node(*id).kind == Kind::Body)?;
    text.origin(tree.node(body).range.start)
}

/// Whether the innermost place around `id` of which that is known has run.
fn known_to_run(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    tree: &Tree,
    id: NodeId,
) -> Option<bool> {
    let mut around = std::iter::once(id).chain(tree.ancestors(id));
    around.find_map(|id| ran.block(subject, file, tree.node(id)))
}

/// Where the innermost place around `id` stands of which it is known that it ran.
fn known_place(
    subject: &Subject,
    ran: &Ran,
    file: FileId,
    tree: &Tree,
    id: NodeId,
) -> Option<Origin> {
    if known_to_run(subject, ran, file, tree, id) != Some(true) {
        return None;
    }
    let text = subject.file(file).text()?;
    let mut around = std::iter::once(id).chain(tree.ancestors(id));
    around.find_map(|id| {
        let node = tree.node(id);
        ran.block(subject, file, node)?;
        text.origin(node.range.start)
    })
}

#[cfg(test)]
mod tests {
    use super::{At, End, decisions, endless};
    use crate::passes::ran::{Ran, probed};
    use crate::subject::{PROBE_CALL, PROBE_LATE, Subject};
    use crate::syntax::{FileId, Origin};

    /// What stays of `text` if its probes reported `hits`.
    fn kept(text: &str, hits: &[u32], end: End) -> Vec<String> {
        kept_for(text, hits, end, "")
    }

    /// The same, where the failure says `message`.
    fn kept_for(text: &str, hits: &[u32], end: End, message: &str) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let probes = probed(&subject, &Default::default(), &Default::default()).probes;
        let stretches = decisions(&subject, &Ran::of(&probes, hits), end, message);
        let source = subject.file(FileId(0)).source();
        let texts = stretches.iter().map(|stretch| {
            let range = stretch.range.start as usize..stretch.range.end as usize;
            source[range].trim().to_string()
        });
        texts.collect()
    }

    /// A failure at the `place` in `text`.
    pub(super) fn failing_at(text: &str, place: &str, arithmetic: bool) -> End {
        let origin = Origin {
            file: FileId(0),
            offset: text.find(place).expect("a place") as u32,
        };
        End::AtOnce(Some(At { origin, arithmetic }))
    }

    #[test]
    fn the_condition_of_the_branch_that_was_entered_last_decided() {
        let text = "fn f(a: u8) { g(); if a > 7 { return Err(E); } h() } impl From<E> for F { fn from(e: E) -> F { F(e) } }";
        // The body, what stands behind `g()`, the block, what stands behind it, and `from`.
        assert_eq!(kept(text, &[0, 1, 2], End::AtOnce(None)), ["if a > 7"]);
        let advised = text.replace("a > 7", "b(#[inline] |x| x > a)");
        assert_eq!(
            kept(&advised, &[0, 1, 2], End::AtOnce(None))[..2],
            ["if b(", "|x| x > a)"]
        );
        assert_eq!(kept(text, &[0, 1, 2, 4], End::AtOnce(None)), ["if a > 7"]);
        // It went on behind the block.
        assert_eq!(kept(text, &[0, 1, 2, 3], End::AtOnce(None)), [""; 0]);
    }

    #[test]
    fn what_runs_for_the_sake_of_showing_the_failure_alone_decides_nothing() {
        let text = "fn f(a: u8) { if a > 7 { panic!() } } impl D for E { fn fmt(&self) { self.g() } } impl E { fn g(&self) { if self.h { k } } }";
        let call = |from: u32, to: u32| [from | PROBE_CALL, to];
        // f, its block; fmt; g, its block.
        let entered = [vec![0, 1, 2], call(2, 3).to_vec(), vec![3, 4]].concat();
        assert_eq!(kept(text, &entered, End::AtOnce(None)), ["if a > 7"]);
        let called_besides = [call(0, 3).to_vec(), entered].concat();
        assert_eq!(
            kept(text, &called_besides, End::AtOnce(None)),
            ["if self.h"]
        );
    }

    #[test]
    fn what_a_destructor_calls_without_a_name_decides_nothing() {
        let text = "fn f(a: u8) { let g = G(|| { h(); k }); if a > 7 { panic!() } } impl Drop for G { fn drop(&mut self) { (self.0)() } } fn h() {}";
        // f; its closure, and what stands behind `h()` in it; what stands behind the `let`; the block; drop.
        let (f, closure, behind, next, block, drop) = (0, 1, 2, 3, 4, 5);
        let end = End::AtOnce(None);
        assert_eq!(
            kept(text, &[f, next, block, drop, closure, behind], end),
            ["if a > 7"]
        );
        // It went on there.
        assert_eq!(kept(text, &[f, next, block, closure, behind], end), [""; 0]);
        let calls_none = text.replace("(self.0)()", "0");
        assert_eq!(
            kept(&calls_none, &[f, next, block, drop, closure, behind], end),
            [""; 0]
        );
    }

    #[test]
    fn where_more_runs_behind_it_the_words_of_the_failure_tell_which_branch_it_was() {
        let text = "fn f(a: u8) -> R { if a > 7 { return Err(made(E::TooLong)); } if a > 8 { return Err(E::Wrong) } Ok(a) } fn made(e: E) -> E { e } fn g() { f(8) }";
        // f, its block, what stands behind it, the second block, what stands behind that; made; g.
        let hits = [6, 0, 1, 5];
        let said = "Error { kind: TooLong, at: 3 }";
        assert_eq!(kept_for(text, &hits, End::AtOnce(None), said), ["if a > 7"]);
        assert_eq!(
            kept_for(
                &text.replace("made(E", "E(E"),
                &hits,
                End::AtOnce(None),
                "Error"
            ),
            [""; 0]
        );
        // Where it happened was found out afterwards.
        let text = "fn f(a: u8) -> R { if a > 7 { return Err(E::TooLong); } Ok(a) } fn line() -> u8 { for line in lines { if line > 3 { return 2; } } 1 } fn g() { f(8) }";
        // f, its block, what stands behind it; line, the blocks of its loop and in that; g.
        let hits = [7, 0, 1, 3, 4, 5];
        let end = End::AtOnce(None);
        assert_eq!(kept_for(text, &hits, end, ""), ["if line > 3"]);
        assert_eq!(kept_for(text, &hits, end, said), ["if a > 7"]);
    }

    #[test]
    fn what_a_branch_calls_is_a_part_of_it() {
        let text = "fn f(a: u8) { if a > 7 { g(); return Err(h(i(E))); } } fn g() {} fn h(e: E) -> E { k(e) } fn i(e: E) -> E { e } fn k(e: E) -> E { e }";
        // f, its block, what stands behind `g()` in it; g; h; i; k.
        let (g, h, i, k) = (3, 4, 5, 6);
        let end = End::AtOnce(None);
        assert_eq!(kept(text, &[0, 1, g, 2], end), ["if a > 7"]);
        assert_eq!(kept(text, &[0, 1, g, 2, i, h, k], end), ["if a > 7"]);
        // Somebody else has called it.
        assert_eq!(kept(text, &[0, 1, g, 2, k], end), [""; 0]);
        // The branch had been left when the last function was called.
        let text = "fn f() { if a { g(); } } fn g() {} fn h() { f()?; k(); } fn k() {}";
        // h; f, its block; g; what stands behind `f()?` in h; k.
        assert_eq!(kept(text, &[3, 0, 1, 2, 4, 5], end), [""; 0]);
    }

    #[test]
    fn arms_else_and_let_else_are_decided_by_what_they_belong_to() {
        let arm = "fn f() { match a { B(c) if c > 1 => panic!(), _ => d } }";
        assert_eq!(
            kept(arm, &[0, 1], End::AtOnce(None)),
            ["match a {", "B(c) if c > 1 =>"]
        );
        let other = "fn f() { if a { b } else { panic!() } }";
        assert_eq!(kept(other, &[0, 2], End::AtOnce(None)), ["if a"]);
        let bound = "fn f() { let Some(a) = b else { panic!() }; }";
        assert_eq!(kept(bound, &[0, 1], End::AtOnce(None)), ["let Some(a) = b"]);
    }

    #[test]
    fn what_was_computed_where_it_failed_stays_with_what_made_its_variables() {
        let text = "fn f(a: u8) { let b = g(a); let (c, d) = h(b); { if d > 1 { i(a - b - c) } k(&l[d]); m(d).unwrap(); } }";
        let at = |place, arithmetic| kept(text, &[0], failing_at(text, place, arithmetic));
        assert_eq!(
            at("a - b", true),
            ["let b = g(a);", "let (c, d) = h(b);", "a - b - c"]
        );
        assert_eq!(at("l[d]", false), ["let (c, d) = h(b);", "l[d]"]);
        assert_eq!(at("[d]", false), ["let (c, d) = h(b);", "l[d]"]);
        // What rustc names is where the parentheses begin.
        let text = "fn f() { let x = ((a + b)) / 2; }";
        let end = failing_at(text, "((", true);
        assert_eq!(kept(text, &[0], end), ["((a + b)) / 2"]);
        assert_eq!(at("unwrap", false), ["let (c, d) = h(b);", "m(d).unwrap()"]);
        assert_eq!(at("h(b)", true), [""; 0]);
    }

    #[test]
    fn what_was_done_to_it_last_stays_with_it() {
        let but = |unentered: &str, before: &str| {
            let text = format!("fn f(&mut self, k: usize) {{ {before} self.v[k]; }}");
            let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
            let probes = probed(&subject, &Default::default(), &Default::default()).probes;
            let hits = (0u32..).zip(&probes).filter(|(_, origin)| {
                unentered.is_empty() || !text[origin.offset as usize..].starts_with(unentered)
            });
            let hits: Vec<u32> = hits.map(|(number, _)| number).collect();
            let mut kept = kept(&text, &hits, failing_at(&text, "self.v[k]", false));
            assert_eq!(kept.pop().as_deref(), Some("self.v[k]"));
            kept
        };
        let at = |before: &str| but("", before);
        let both = "self.v.clear(); self.v.push(1); self.n += 1;";
        assert_eq!(at(both), ["self.v.push(1);"]);
        let element = "self.v[0] = 1; let n = self.v.len(); self.w.push(2);";
        assert_eq!(at(element), ["self.v[0] = 1;"]);
        let whole = "self.grow(k); self.w.grow(k); h(&self.v);";
        assert_eq!(at(whole), ["self.grow(k);"]);
        assert_eq!(at("h(&mut self.v);"), ["h(&mut self.v);"]);
        assert_eq!(at("*k += 1; n += 1;"), ["*k += 1;"]);
        let methods = "struct S; impl S { fn see(&self) {} fn grow(&mut self) {} }";
        let seen = format!("{methods} self.grow(); self.see();");
        assert_eq!(at(&seen), ["self.grow();"]);
        let grows = "self.v.clear(); if g { self.v.push(k - 1); }";
        assert_eq!(at(grows), ["if g { self.v.push(k - 1); }"]);
        assert_eq!(but("{ self.v.push", grows), ["self.v.clear();"]);
    }

    #[test]
    fn what_let_it_be_computed_stays_with_it() {
        let text =
            "fn f(a: &A) -> bool { g(|| h) && (a.b.is_some() || a.b.unwrap() > 0 && i) && j }";
        let end = failing_at(text, "unwrap", false);
        let expected = "g(|| h) && (a.b.is_some() || a.b.unwrap()";
        assert_eq!(kept(text, &[0], end), [expected]);
        let text = "fn f() { a || b.map(|c| c.d()[0]).e() }";
        let end = failing_at(text, "c.d", false);
        assert_eq!(kept(text, &[0], end), ["c.d()[0]"]);
    }

    #[test]
    fn what_is_asserted_stays_with_what_made_its_values() {
        let text = "fn f(a: u8) { let b = g(a); let c = h(); debug_assert!(b == 1 || b == a, \"{b}\"); assert_eq!(c, 2); k!(b); }";
        let at = |place| kept(text, &[0], failing_at(text, place, false));
        assert_eq!(
            at("debug_assert"),
            ["let b = g(a);", "debug_assert!(b == 1 || b == a, \"{b}\");"]
        );
        assert_eq!(at("assert_eq"), ["let c = h();", "assert_eq!(c, 2);"]);
        assert_eq!(at("k!"), [""; 0]);
    }

    #[test]
    fn a_constant_that_decides_stays_what_it_is() {
        let text = "const A: u8 = 2; trait T { const A: u8; } impl T for S { const A: u8 = B - 1; fn f(a: u8) { debug_assert!(a < Self::A); } } mod m { const A: u8 = 4; } fn g(a: u8) { if a > A { panic!() } }";
        let end = failing_at(text, "debug_assert", false);
        let at = |hits: &[u32], end| kept(text, hits, end);
        assert_eq!(at(&[0], end), ["debug_assert!(a < Self::A);", "B - 1"]);
        assert_eq!(at(&[1, 2], End::AtOnce(None)), ["if a > A", "2"]);
    }

    #[test]
    fn what_does_not_end_is_a_loop_or_is_called_again_and_again() {
        let endless_of = |text: &str, hits: &[u32]| {
            let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
            let probes = probed(&subject, &Default::default(), &Default::default()).probes;
            let ran = Ran::of(&probes, hits);
            let at = endless(&subject, &ran).map(|origin| origin.offset as usize);
            at.map(|at| {
                text[at..]
                    .split_whitespace()
                    .take(3)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
        };
        // f, the block of its loop, that in it; g, the block of its loop.
        let text = "fn f() { while a { if b { c } } } fn g() { for x in y { z } }";
        let hits = [0, 3, 4, 1, 2, PROBE_LATE, 1, 2];
        assert_eq!(endless_of(text, &hits).as_deref(), Some("{ if b"));
        assert_eq!(kept(text, &hits, End::Endless), ["if b", "while a"]);
        assert_eq!(endless_of(text, &[0, 1, 2]), None);
        // What calls it is not ours.
        let text = "fn f() { s.count() } fn next() { if done { r } }";
        let hits = [0, PROBE_CALL, 1, 1, 2, PROBE_LATE, 2, 1];
        assert_eq!(endless_of(text, &hits).as_deref(), Some("{ if done"));
        assert_eq!(kept(text, &hits, End::Endless), ["if done"]);
    }

    #[test]
    fn calls_that_go_round_are_decided_by_the_conditions_in_front_of_each() {
        let text = "fn f(a: u8) { if a > 1 { g(a - 1) } if a > 2 { f(3) } } fn g(a: u8) { if a < 9 { h(); } while a > 0 { f(a) } } fn h() { if x { y } }";
        // f, its block, what stands behind it and holds one that did not run; g, its block, what stands behind it, its loop;
        // h.
        let (f, g) = (0, 4);
        let call = |from: u32, to: u32| [from | PROBE_CALL, to];
        let mut hits = Vec::new();
        hits.extend(call(PROBE_CALL - 1, f));
        hits.extend([f, 1, 2]);
        hits.extend(call(f, g));
        hits.extend([g, 5, 6, 7]);
        hits.extend(call(g, f));
        assert_eq!(
            kept(text, &hits, End::Recursion),
            ["if a > 1", "g(a - 1)", "while a > 0", "f(a)"]
        );
    }

    #[test]
    fn what_called_functions_give_is_computed_and_no_constant() {
        let text = "fn f(a: u8) { let b = g(a); a - b } fn g(x: u8) -> u8 { if x > 9 { return 0; } let mut n = 1; n += x; k(); h(n) } fn h(n: u8) -> u8 { n } fn k() { 7 }";
        let end = failing_at(text, "a - b", true);
        // f, what stands behind the call; g, its block, what stands behind it and behind the call; h; k.
        let (f, g, h, k) = (0, 2, 6, 7);
        let call = |from: u32, to: u32| [from | PROBE_CALL, to];
        let mut hits = vec![f];
        hits.extend(call(f, g));
        hits.extend([g, 4]);
        hits.extend(call(g, k));
        hits.extend([k, 5]);
        hits.extend(call(g, h));
        hits.extend([h, 1]);
        let found = kept(text, &hits, end);
        assert_eq!(
            found,
            [
                "let b = g(a);",
                "a - b",
                "let mut n = 1;",
                "n += x;",
                "h(n)"
            ]
        );
        // Nobody says that it was called here.
        let found = kept(text, &[f, g, 4, 5, 1], end);
        assert_eq!(found, ["let b = g(a);", "a - b"]);
        // It cannot say so.
        let found = kept(&text.replace("fn g", "const fn g"), &[f, 1], end);
        assert_eq!(
            found,
            [
                "let b = g(a);",
                "a - b",
                "let mut n = 1;",
                "n += x;",
                "h(n)",
                "0"
            ]
        );
    }

    #[test]
    fn what_is_returned_early_is_so_for_a_reason() {
        let text = "fn f() { g().unwrap() } fn g() -> R { if a { return Err(1); } for b in c { if b < 0 { return Err(2); } } Ok(3) }";
        let end = failing_at(text, "unwrap", false);
        // f; g, its block, what stands behind it, the block of its loop, that in it, what stands behind the loop.
        let call = [PROBE_CALL, 1];
        let hits = [&[0][..], &call, &[1, 3, 4, 5]].concat();
        assert_eq!(
            kept(text, &hits, end),
            ["if b < 0", "g().unwrap()", "if b < 0", "Err(2)"]
        );
        let twice = [&[0][..], &call, &[1, 2, 3, 4, 5]].concat();
        let found = kept(text, &twice, end);
        assert_eq!(
            found,
            ["if b < 0", "g().unwrap()", "if b < 0", "Err(1)", "Err(2)"]
        );
    }

    #[test]
    fn what_is_much_or_has_branches_is_known_by_where_it_begins_or_by_their_ends() {
        let much = format!("v{}", ".w(1, 2, 3)".repeat(20));
        let text = format!(
            "fn f() {{ g().unwrap() }} fn g() -> O {{ match a {{ 1 => {{ {much} }} 2 => b, _ => if c {{ d }} else {{ e }} }} }}"
        );
        let end = failing_at(&text, "unwrap", false);
        // g and its arms and blocks, all but the second arm and `e`.
        let mut hits = vec![0, PROBE_CALL, 1];
        hits.extend([1, 2, 4, 5]);
        let found = kept(&text, &hits, end);
        assert_eq!(found, ["if c", "g().unwrap()", "v", "d"]);
    }

    #[test]
    fn a_variant_that_a_pattern_asks_for_is_made_for_a_reason() {
        let text = "enum E { A(u8), B } fn f(e: E) { match e { E::A(n) => { panic!() } _ => {} } } fn g(c: u8) -> E { if c == 1 { return E::A(2); } E::A(3); E::B }";
        // f, its arms; g, its block, what stands behind it.
        let found = kept(text, &[3, 4, 0, 1], End::AtOnce(None));
        assert_eq!(found, ["match e {", "E::A(n) =>", "if c == 1", "E::A"]);
    }
}
