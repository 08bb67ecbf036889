//! What ran: probes put into the text, and what is known of each block once they have reported.
//!
//! A probe is a call at the start of a function's body, of a block or of a match arm, and behind each statement that may not
//! come to its end: what stands behind an early return, or behind the call that panicked, may never have run. That of a body
//! also says who called it. Code that may be evaluated at compile time and code inside macro calls has none: of it nothing is known.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::calls::{Calls, is_call};
use super::consts::{Freed, const_modifier};
use super::stub;
use crate::subject::{Element, Elements, PROBE_CRATE as CRATE, PROBE_LATE, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Origin, Tree};

/// Which of the probed blocks, arms and statements ran, by where they stood originally.
#[derive(Debug, Clone, Default)]
pub struct Ran {
    probed: HashMap<Origin, bool>,
    /// Those that ran, in the order in which they did so for the first time.
    pub entered: Vec<Origin>,
    /// The same, in the order of the last time, as far as that is known.
    pub last: Vec<Origin>,
    /// Those that ran in the later half of the run, as far as that is known: where it does not end, what it does all the time.
    pub late: HashSet<Origin>,
    /// Who called whom.
    pub calls: Calls,
}

/// A subject with probes in it.
pub struct Probed {
    /// The text to compile and run.
    pub subject: Subject,
    /// Where each probe stands originally; the index is the probe's number.
    pub probes: Vec<Origin>,
}

impl Ran {
    /// From the probes and what they reported; of one that is reported again, the last time counts.
    pub fn of(probes: &[Origin], reported: &[u32]) -> Ran {
        let hits: HashSet<usize> = reported.iter().map(|hit| *hit as usize).collect();
        let probed = probes
            .iter()
            .enumerate()
            .map(|(at, origin)| (*origin, hits.contains(&at)));
        // What follows a caller says who was called; that it ran is said besides.
        let places = (0..reported.len()).filter(|at| *at == 0 || !is_call(reported[at - 1]));
        let hits: Vec<u32> = places.map(|at| reported[at]).collect();
        let in_order = |hits: &mut dyn Iterator<Item = &u32>| -> Vec<Origin> {
            let mut seen: HashSet<u32> = HashSet::new();
            let new = hits.filter(|hit| seen.insert(**hit));
            new.filter_map(|hit| probes.get(*hit as usize).copied())
                .collect()
        };
        let entered = in_order(&mut hits.iter());
        let mut last = in_order(&mut hits.iter().rev());
        last.reverse();
        let late = reported.iter().rposition(|hit| *hit == PROBE_LATE);
        let late = late.map_or(&[][..], |at| &reported[at..]).iter();
        Ran {
            probed: probed.collect(),
            entered,
            last,
            late: late
                .filter_map(|hit| probes.get(*hit as usize).copied())
                .collect(),
            calls: Calls::of(probes, reported),
        }
    }

    /// How many probed places ran, and how many there are.
    pub fn counts(&self) -> (usize, usize) {
        (
            self.probed.values().filter(|ran| **ran).count(),
            self.probed.len(),
        )
    }

    /// Whether it is known of what stood there originally whether it ran.
    pub fn knows(&self, origin: Origin) -> bool {
        self.probed.contains_key(&origin)
    }

    /// Whether the block, arm or statement ran; `None` if that is not known.
    pub fn block(&self, subject: &Subject, file: FileId, node: &Node) -> Option<bool> {
        let origin = subject.file(file).text()?.origin(node.range.start)?;
        self.probed.get(&origin).copied()
    }

    /// Whether anything inside `node` ran.
    pub fn within(&self, subject: &Subject, file: FileId, tree: &Tree, node: &Node) -> bool {
        let mut open: Vec<NodeId> = node.children.clone();
        while let Some(next) = open.pop() {
            let inner = tree.node(next);
            if inner.kind == Kind::Body && self.block(subject, file, inner) == Some(true) {
                return true;
            }
            open.extend(&inner.children);
        }
        false
    }
}

/// Bodies that do not compile with all probes, by where they stood originally.
#[derive(Debug, Default)]
pub struct Spared {
    /// Those that get one probe.
    pub coarse: HashSet<Origin>,
    /// Those that get none.
    pub bare: HashSet<Origin>,
}

/// `subject` with a probe in every body and in every block and arm and behind every statement that may leave, as far as they
/// are not `spared`; those of `freed` are no `const fn` in it.
pub fn probed(subject: &Subject, spared: &Spared, freed: &Freed) -> Probed {
    let mut probes = Vec::new();
    let mut result = subject.clone();
    for (file, version, tree) in subject.sources() {
        let Some(text) = version.text() else { continue };
        let source = version.source();
        let own = freed.edits.iter().filter(|edit| edit.file == file);
        let mut edits: Vec<Edit> = own.cloned().collect();
        let at_run_time = |source: &str, tree: &Tree, id: NodeId| {
            runs(source, tree, id, |function| freed.contains(file, function))
        };
        for (id, node) in tree.nodes() {
            let Some(origin) = text.origin(node.range.start) else {
                continue;
            };
            let fine = || {
                body_of(tree, id)
                    .and_then(|body| text.origin(tree.node(body).range.start))
                    .is_some_and(|body| !spared.coarse.contains(&body))
            };
            let number = probes.len();
            let call = format!(" ::{CRATE}::hit({number}); ");
            match node.kind {
                Kind::Body | Kind::Block if !at_run_time(source, tree, id) => continue,
                // Where a condition holds for a statement, a probe in front of it would be left without it, as the last of its
                // block.
                Kind::Stmt(_)
                    if at_run_time(source, tree, id)
                        && !source[node.range.clone()].starts_with('#')
                        && is_behind_a_leave(source, tree, id)
                        && fine() =>
                {
                    edits.push(insertion(file, node.range.start, &call));
                }
                Kind::Body if spared.bare.contains(&origin) => continue,
                Kind::Body => {
                    let call = format!(" let _call = ::{CRATE}::enter({number}); ");
                    edits.push(insertion(file, behind_inner_attributes(tree, node), &call))
                }
                Kind::Block if fine() => {
                    edits.push(insertion(file, behind_inner_attributes(tree, node), &call))
                }
                Kind::Arm if at_run_time(source, tree, id) && fine() => {
                    let Some(body) = arm_body(tree, node) else {
                        continue;
                    };
                    if matches!(tree.node(body).kind, Kind::Expr(ExprKind::Block)) {
                        continue;
                    }
                    let range = &tree.node(body).range;
                    edits.push(insertion(file, range.start, &format!("{{{call}")));
                    edits.push(insertion(file, range.end, " }"));
                }
                _ => continue,
            }
            probes.push(origin);
        }
        edits.extend(names_the_crate(subject, file, tree));
        if !edits.is_empty() {
            result = result.with_text(file, text.apply(&edits));
        }
    }
    Probed {
        subject: result,
        probes,
    }
}

/// What stands for statements that do not run.
const STUB_STATEMENT: &str = "todo!()";

/// What names the crate of the probes in `file` if that is the root of a crate.
pub(super) fn names_the_crate(subject: &Subject, file: FileId, tree: &Tree) -> Option<Edit> {
    if !subject.roots().contains(&file) {
        return None;
    }
    let mut items = tree.nodes().map(|(_, node)| node);
    let first = items.find(|node| matches!(node.kind, Kind::Item(_)));
    let end = subject.file(file).source().len();
    let at = first.map_or(end, |node| node.range.start);
    // Lints that the package denies may count it as unused where paths need no such item.
    let text = format!(" #[allow(unused_extern_crates)] extern crate {CRATE}; ");
    Some(insertion(file, at, &text))
}

fn insertion(file: FileId, at: usize, text: &str) -> Edit {
    Edit::replace(file, at..at, text)
}

pub(super) fn behind_inner_attributes(tree: &Tree, block: &Node) -> usize {
    let attributes = block.children.iter().map(|child| tree.node(*child));
    let inner = attributes.take_while(|child| matches!(child.kind, Kind::Attribute | Kind::Doc));
    inner
        .last()
        .map_or(block.range.start + 1, |last| last.range.end)
}

/// What a statement has that may not come to its end.
const MAY_LEAVE: [&str; 13] = [
    "(", "[", "{", "!", "?", "+", "-", "*", "/", "%", "return", "break", "continue",
];

/// Whether the statement right in front of the statement `id` may not come to its end.
fn is_behind_a_leave(source: &str, tree: &Tree, id: NodeId) -> bool {
    let Some(outer) = tree.parent(id) else {
        return false;
    };
    let before = outer.children.iter().take_while(|child| **child != id);
    let before = before.map(|child| tree.node(*child));
    let last = before
        .filter(|child| matches!(child.kind, Kind::Stmt(_)))
        .last();
    last.is_some_and(|last| {
        let mut tokens = tree.tokens_in(&last.range).iter();
        tokens.any(|token| MAY_LEAVE.contains(&&source[token.range()]))
    })
}

fn arm_body(tree: &Tree, arm: &Node) -> Option<NodeId> {
    arm.children
        .last()
        .copied()
        .filter(|child| matches!(tree.node(*child).kind, Kind::Expr(_)))
}

/// The body of the function around `id`.
pub fn body_of(tree: &Tree, id: NodeId) -> Option<NodeId> {
    tree.ancestors(id)
        .find(|outer| tree.node(*outer).kind == Kind::Body)
}

/// Whether code at `id` is known to be evaluated at run time only, and stands outside macro calls.
pub(super) fn at_run_time(source: &str, tree: &Tree, id: NodeId) -> bool {
    runs(source, tree, id, |_| false)
}

/// The same, where the functions that are `freed` are no `const fn`.
fn runs(source: &str, tree: &Tree, id: NodeId, freed: impl Fn(NodeId) -> bool) -> bool {
    for outer in tree.ancestors(id) {
        let node = tree.node(outer);
        match node.kind {
            Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn) => {
                let is_const = const_modifier(source, tree, node).is_some() && !freed(outer);
                return !is_const && outside_macros(tree, outer);
            }
            Kind::Item(_)
            | Kind::Member(_)
            | Kind::Type(_)
            | Kind::GenericArg
            | Kind::Discriminant
            | Kind::Pat(_) => return false,
            Kind::Expr(ExprKind::Const | ExprKind::Macro)
            | Kind::Stmt(crate::syntax::StmtKind::Macro) => return false,
            Kind::Expr(ExprKind::Repeat) => return false,
            _ => {}
        }
    }
    false
}

fn outside_macros(tree: &Tree, id: NodeId) -> bool {
    tree.ancestors(id).all(|outer| {
        !matches!(
            tree.node(outer).kind,
            Kind::Item(ItemKind::MacroCall | ItemKind::MacroRules)
                | Kind::Member(ItemKind::MacroCall)
                | Kind::Expr(ExprKind::Macro)
        )
    })
}

/// What did not run, replaced by the least that compiles: bodies, blocks, arms and the statements that end a block, each as
/// one element, none inside another.
pub fn stubs(subject: &Subject, ran: &Ran) -> Elements {
    let mut list = Vec::new();
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        let mut covered = 0;
        for (id, node) in tree.nodes() {
            if node.range.start < covered {
                continue;
            }
            let text = match node.kind {
                Kind::Body
                    if ran.block(subject, file, node) == Some(false) && !returns_impl(tree, id) =>
                {
                    stub::stub_text(tree, id)
                }
                Kind::Block if ran.block(subject, file, node) == Some(false) => {
                    block_stub(tree, id)
                }
                Kind::Arm if ran.block(subject, file, node) == Some(false) => {
                    let Some(body) = arm_body(tree, node) else {
                        continue;
                    };
                    let range = tree.node(body).range.clone();
                    let is_stub = starts_as_stub(source, tree, &range);
                    let edit = Edit::replace(file, range, STUB_STATEMENT);
                    let element = Element::new(subject, Kind::Arm, vec![edit]);
                    // Also where it is no shorter: what it names may go.
                    if element.saves > 0 || !is_stub {
                        list.push(element);
                    }
                    covered = node.range.end;
                    continue;
                }
                Kind::Stmt(_) if ran.block(subject, file, node) == Some(false) => {
                    if let Some((end, edits)) = rest_of_block(file, tree, id) {
                        push(&mut list, Element::new(subject, node.kind, edits));
                        covered = end;
                    }
                    continue;
                }
                _ => continue,
            };
            push(
                &mut list,
                Element::new(subject, node.kind, vec![stub::inside(file, tree, id, text)]),
            );
            covered = node.range.end;
        }
    }
    list
}

/// Where the block around the statement `from` ends, and the edits that put a stub in the place of all statements from there on.
/// The items among them stay: what is in front may name them.
fn rest_of_block(file: FileId, tree: &Tree, from: NodeId) -> Option<(usize, Vec<Edit>)> {
    let id = tree.node(from).parent?;
    let block = tree.node(id);
    if block.kind == Kind::Body && returns_impl(tree, id) {
        return None;
    }
    let rest = block.children.iter().skip_while(|child| **child != from);
    let rest: Vec<&Node> = rest.map(|child| tree.node(*child)).collect();
    let last = rest.last()?.range.end;
    let is_item = |node: &&Node| !matches!(node.kind, Kind::Stmt(_));
    let edits = match rest.iter().any(is_item) {
        false => vec![Edit::replace(
            file,
            tree.node(from).range.start..last,
            STUB_STATEMENT,
        )],
        true => {
            let statements = rest.iter().filter(|node| !is_item(node));
            let ranges: Vec<Range<usize>> = statements.map(|node| node.range.clone()).collect();
            let (end, others) = ranges.split_last()?;
            if end.end != last {
                return None;
            }
            let mut edits: Vec<Edit> = others
                .iter()
                .map(|range| Edit::delete(file, range.clone()))
                .collect();
            edits.push(Edit::replace(file, end.clone(), STUB_STATEMENT));
            edits
        }
    };
    Some((block.range.end, edits))
}

/// Whether what stands at `range` begins like a stub.
fn starts_as_stub(source: &str, tree: &Tree, range: &Range<usize>) -> bool {
    let mut words = tree.identifiers(source, range);
    matches!(
        words.next(),
        Some("todo" | "unimplemented" | "unreachable" | "panic")
    )
}

/// Adds `element` if it makes the text shorter: a stub may be no smaller than what it stands for.
fn push(list: &mut Elements, element: Element) {
    if element.saves > 0 {
        list.push(element);
    }
}

/// A function that returns `impl Trait` cannot diverge instead: the type would be unknown.
fn returns_impl(tree: &Tree, body: NodeId) -> bool {
    let Some(function) = tree.parent(body) else {
        return false;
    };
    let mut open: Vec<NodeId> = function
        .children
        .iter()
        .copied()
        .filter(|child| tree.node(*child).kind == Kind::ReturnType)
        .collect();
    while let Some(next) = open.pop() {
        let node = tree.node(next);
        if node.kind == Kind::Type(crate::syntax::TypeKind::ImplTrait) {
            return true;
        }
        open.extend(&node.children);
    }
    false
}

fn block_stub(tree: &Tree, id: NodeId) -> &'static str {
    let Some(outer) = tree.parent(id) else {
        return stub::DIVERGE;
    };
    let has_else = outer
        .children
        .iter()
        .any(|child| tree.node(*child).kind == Kind::Else);
    match outer.kind {
        Kind::Expr(ExprKind::For | ExprKind::While) => "{}",
        Kind::Expr(ExprKind::If) if !has_else => "{}",
        _ => stub::DIVERGE,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{CRATE, Freed, Ran, Spared, probed, stubs};
    use crate::subject::{PROBE_LATE, Subject};
    use crate::syntax::{FileId, Origin};

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
    }

    /// `text` with each probe as `@`, white space evened out.
    fn with_probes(text: &str) -> String {
        with_fewer_probes(text, &Spared::default())
    }

    /// The same, where bodies are `spared`.
    fn with_fewer_probes(text: &str, spared: &Spared) -> String {
        let probed = probed(&subject(text), spared, &Freed::default());
        let mut shown = probed.subject.file(FileId(0)).source().to_string();
        for number in 0..probed.probes.len() {
            let calls = [
                format!("::{CRATE}::hit({number});"),
                format!("let _call = ::{CRATE}::enter({number});"),
            ];
            for call in calls {
                shown = shown.replace(&call, "@");
            }
        }
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_there_under_a_condition_has_no_probe_in_front() {
        assert!(
            with_probes("fn f() -> u8 { #[cfg(a)] { g() } #[cfg(not(a))] { 1 } } fn g() { h()?; 2 }").ends_with(
                "fn f() -> u8 { @ #[cfg(a)] { @ g() } #[cfg(not(a))] { @ 1 } } fn g() { @ h()?; @ 2 }"
            )
        );
    }

    #[test]
    fn a_body_may_get_one_probe_or_none() {
        let text = "fn f() { #![a] { #![b] 1 } } fn g() { { 2 } } fn h() { { 3 } }";
        let body = |part| Origin {
            file: FileId(0),
            offset: text.find(part).expect("it is there") as u32,
        };
        let spared = Spared {
            coarse: HashSet::from([body("{ { 2"), body("{ { 3")]),
            bare: HashSet::from([body("{ { 3")]),
        };
        assert!(
            with_fewer_probes(text, &spared)
                .ends_with("fn f() { #![a] @ { #![b] @ 1 } } fn g() { @ { 2 } } fn h() { { 3 } }")
        );
    }

    /// `text` with all stubs, where only the probes `hits` reported.
    fn stubbed(text: &str, hits: &[u32]) -> String {
        let subject = subject(text);
        let probes = probed(&subject, &Spared::default(), &Freed::default()).probes;
        let list = stubs(&subject, &Ran::of(&probes, hits));
        let after = subject.without(&list);
        let source = after.file(FileId(0)).source().to_string();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn bodies_blocks_arms_and_what_stands_behind_a_leave_get_probes() {
        assert_eq!(
            with_probes("fn f(a: u8) { if a > 1 { g(); } h }"),
            "fn f(a: u8) { @ if a > 1 { @ g(); } @ h }"
        );
        assert_eq!(
            with_probes("fn f() { match a { 1 => b, _ => { c } } }"),
            "fn f() { @ match a { 1 => { @ b }, _ => { @ c } } }"
        );
        // `let a = b;` always comes to its end.
        assert_eq!(
            with_probes("fn f() { let a = b; c; d?; e }"),
            "fn f() { @ let a = b; c; d?; @ e }"
        );
    }

    #[test]
    fn what_ran_is_in_order_of_the_first_time_and_of_the_last() {
        let subject = subject("fn f() { g(); h(); k() }");
        let probes = probed(&subject, &Spared::default(), &Freed::default()).probes;
        assert_eq!(probes.len(), 3);
        let ran = Ran::of(&probes, &[0, 1, 2, 0, PROBE_LATE, 2, 1]);
        assert_eq!(ran.entered, probes);
        assert_eq!(ran.last, [probes[0], probes[2], probes[1]]);
        assert_eq!(ran.late, HashSet::from([probes[2], probes[1]]));
    }

    #[test]
    fn what_is_evaluated_at_compile_time_or_made_by_a_macro_gets_none() {
        for text in [
            "const fn f() { g(); h() }",
            "const C: u8 = { 1 };",
            "m! { fn f() { g() } }",
        ] {
            let shown = with_probes(text);
            assert!(!shown.contains('@'), "{shown}");
        }
        assert_eq!(
            with_probes("async fn f() { g() }"),
            "async fn f() { @ g() }"
        );
        assert_eq!(
            with_probes("fn f() -> [u8; { 1 }] {}"),
            "fn f() -> [u8; { 1 }] { @ }"
        );
    }

    #[test]
    fn what_did_not_run_is_stubbed_once_and_as_a_whole() {
        // Probes: the body, the block, and what stands behind the `if`.
        let text = "fn f(a: u8) -> u8 { if a > 1 { g(); h(1, 2, 3); } let b = k(a); b + 1 }";
        assert_eq!(stubbed(text, &[]), "fn f(a: u8) -> u8 { todo!() }");
        assert_eq!(
            stubbed(text, &[0, 2, 3]),
            "fn f(a: u8) -> u8 { if a > 1 {} let b = k(a); b + 1 }"
        );
        assert_eq!(
            stubbed(text, &[0, 1]),
            "fn f(a: u8) -> u8 { if a > 1 { g(); todo!() } todo!() }"
        );
    }

    #[test]
    fn items_stay_when_the_statements_around_them_are_stubbed() {
        let text = "fn f() -> u8 { g(); h(); struct S; k(1); l(2) }";
        assert_eq!(
            stubbed(text, &[0]),
            "fn f() -> u8 { g(); struct S; todo!() }"
        );
    }

    #[test]
    fn an_arm_that_is_a_stub_already_is_stubbed_only_where_that_is_shorter() {
        let text =
            "fn f() { match a { 1 => b(c, d, e), 2 => panic!(\"{} {}\", c, d), _ => todo!() } }";
        assert_eq!(
            stubbed(text, &[0]),
            "fn f() { match a { 1 => todo!(), 2 => todo!(), _ => todo!() } }"
        );
    }
}
