//! Branches that hold nothing but a stub. Where a branch was stubbed because it never ran, its
//! condition decides nothing either: the whole chain of an `if` or the arms of a `match` fold together.

use std::collections::HashSet;
use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, Tree};

/// How deep in each other branches may lie: a branch is seen to be hollow when what it held has gone.
const ROUNDS: usize = 3;

/// What diverges, as an arm for everything that no other arm takes.
const ANYTHING_ELSE: &str = "_ => todo!()";

/// `if a {} else if b { e }` → `if b { e }`, `if c { e } else { todo!() }` → `{ e }`,
/// `A => todo!(), B => todo!()` → `_ => todo!()`, and a loop or an `if` around nothing → nothing.
///
/// An `if` that always left stays: what it asks may be the bug.
pub struct Hollow {
    /// What their conditions may do.
    pub purity: Purity,
}

/// How much a condition has to look as if it did nothing but decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purity {
    /// It may do anything.
    Any,
    /// It calls what changes nothing as far as its signature tells.
    Signatures,
    /// It calls only what looks, as far as names tell.
    Names,
}

/// How the names of methods begin that only look.
const LOOKS: [&str; 11] = [
    "as_",
    "contains",
    "ends_with",
    "eq",
    "get",
    "has_",
    "is_",
    "len",
    "peek",
    "starts_with",
    "to_",
];

/// The macros that only look: a stub's, and the one of patterns.
const MACROS: [&str; 2] = ["todo", "matches"];

/// What stands before a parenthesis or a `!` without being called.
const KEYWORDS: [&str; 7] = ["else", "if", "in", "match", "mut", "return", "while"];

impl Pass for Hollow {
    fn name(&self) -> &'static str {
        "hollow-branches"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= ROUNDS {
            return None;
        }
        let branching = |node: &Node| {
            matches!(
                node.kind,
                Kind::Expr(ExprKind::If | ExprKind::Match | ExprKind::For | ExprKind::While)
            )
        };
        let looking = match self.purity {
            Purity::Signatures => looking(subject),
            _ => HashSet::new(),
        };
        let found = nodes(subject, |_, _, node| branching(node));
        let folded = found.filter_map(|(file, tree, id, node)| {
            let place = Place {
                source: subject.file(file).source(),
                file,
                tree,
                looking: &looking,
            };
            let edits = match node.kind {
                Kind::Expr(ExprKind::If) => place.chain(id),
                Kind::Expr(ExprKind::Match) => place.arms(id),
                _ if place.is_hollow(place.block(id)?) => place.gone(id),
                _ => None,
            }?;
            let takes =
                self.purity == Purity::Any || edits.iter().all(|edit| place.is_pure(&edit.range));
            let element = Element::new(subject, node.kind, edits);
            (element.saves > 0 && takes).then_some(element)
        });
        Some(folded.collect())
    }
}

/// The functions of `subject` that return something and can change nothing through a parameter, by name.
fn looking(subject: &Subject) -> HashSet<&str> {
    let (mut looks, mut acts) = (HashSet::new(), HashSet::new());
    for (_, version, tree) in subject.sources() {
        let source = version.source();
        for (_, node) in tree.nodes() {
            let function = matches!(
                node.kind,
                Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn)
            );
            let Some(name) = node.name.as_ref().filter(|_| function) else {
                continue;
            };
            let children = || node.children.iter().map(|child| tree.node(*child));
            let has = |kind: Kind| children().any(|child| child.kind == kind);
            let parameters = children()
                .filter(|child| matches!(child.kind, Kind::Param | Kind::Receiver))
                .all(|child| {
                    tree.identifiers(source, &child.range)
                        .all(|word| word != "mut")
                });
            match has(Kind::ReturnType) && parameters {
                true => looks.insert(&source[name.clone()]),
                false => acts.insert(&source[name.clone()]),
            };
        }
    }
    looks.retain(|name| !acts.contains(name));
    looks
}

/// Where a branch stands.
struct Place<'s> {
    source: &'s str,
    file: FileId,
    tree: &'s Tree,
    /// Functions that only look.
    looking: &'s HashSet<&'s str>,
}

/// One `if` of a chain of them.
struct Link<'t> {
    node: &'t Node,
    block: &'t Node,
    /// Whether its condition binds names that its block may mention.
    binds: bool,
}

impl<'s> Place<'s> {
    fn children(&self, id: NodeId) -> impl Iterator<Item = (NodeId, &'s Node)> + use<'s> {
        let tree = self.tree;
        let ids = tree.node(id).children.iter().copied();
        ids.map(move |child| (child, tree.node(child)))
    }

    fn child(&self, id: NodeId, kind: Kind) -> Option<(NodeId, &'s Node)> {
        self.children(id).find(|(_, child)| child.kind == kind)
    }

    /// The block of an `if` or of a loop.
    fn block(&self, id: NodeId) -> Option<&'s Node> {
        self.child(id, Kind::Block).map(|(_, node)| node)
    }

    fn words(&self, range: &Range<usize>) -> impl Iterator<Item = &'s str> + use<'s> {
        let source = self.source;
        let tokens = self.tree.tokens_in(range).iter();
        tokens.map(move |token| &source[token.range()])
    }

    /// Whether what stands at `range` looks as if it changed nothing when it is evaluated.
    fn is_pure(&self, range: &Range<usize>) -> bool {
        let is_name =
            |word: &str| word.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let words: Vec<&str> = self.words(range).collect();
        words.windows(2).all(|pair| match pair {
            [name, "(" | "!"] if KEYWORDS.contains(name) => true,
            [name, "!"] => !is_name(name) || MACROS.contains(name),
            // What is written large is a variant's name.
            [name, "("] if is_name(name) => {
                name.starts_with(char::is_uppercase)
                    || self.looking.contains(name)
                    || LOOKS.iter().any(|look| name.starts_with(look))
            }
            _ => true,
        })
    }

    fn is_empty(&self, node: &Node) -> bool {
        self.words(&node.range).eq(["{", "}"])
    }

    fn diverges(&self, node: &Node) -> bool {
        let words = self.words(&node.range);
        let inner = words.filter(|word| !matches!(*word, "{" | "}" | ";" | "," | "(" | ")"));
        inner.eq(["todo", "!"])
    }

    /// Whether a block or the body of an arm holds nothing, or a stub.
    fn is_hollow(&self, node: &Node) -> bool {
        self.is_empty(node) || self.diverges(node)
    }

    fn delete(&self, range: Range<usize>) -> Edit {
        Edit::delete(self.file, range)
    }

    /// The edits that take the whole expression away, if it is a statement.
    fn gone(&self, id: NodeId) -> Option<Vec<Edit>> {
        let outer = self.tree.parent(id)?;
        matches!(outer.kind, Kind::Stmt(_)).then(|| vec![self.delete(outer.range.clone())])
    }

    /// The links of the chain that `first` begins, and the block of its last `else`.
    fn links(&self, first: NodeId) -> Option<(Vec<Link<'s>>, Option<&'s Node>)> {
        let (mut links, mut next) = (Vec::new(), first);
        loop {
            let condition = self
                .children(next)
                .find(|(_, child)| matches!(child.kind, Kind::Expr(_)))?;
            let block = self.block(next)?;
            let head = condition.1.range.start..block.range.start;
            links.push(Link {
                node: self.tree.node(next),
                block,
                binds: self.words(&head).any(|word| word == "let"),
            });
            let Some((otherwise, _)) = self.child(next, Kind::Else) else {
                return Some((links, None));
            };
            let (id, branch) = self.children(otherwise).next()?;
            if branch.kind != Kind::Expr(ExprKind::If) {
                return Some((links, Some(branch)));
            }
            next = id;
        }
    }

    /// The edits that leave only those links of a chain that hold something.
    fn chain(&self, id: NodeId) -> Option<Vec<Edit>> {
        let outer = self.tree.parent(id).map(|outer| outer.kind);
        if outer == Some(Kind::Else) {
            return None;
        }
        let (links, last) = self.links(id)?;
        let end = self.tree.node(id).range.end;
        let full: Vec<usize> = (0..links.len())
            .filter(|at| !self.is_hollow(links[*at].block))
            .collect();
        let last_full = last.is_some_and(|last| !self.is_hollow(last));
        if full.is_empty() && !last_full {
            return self.gone(id);
        }
        // Up to the last branch that holds something, each hollow one goes up to the next.
        let hollow_up_to = |end: usize| -> Vec<Range<usize>> {
            let hollow = (0..end).filter(|at| !full.contains(at));
            let next = |at: usize| links.get(at + 1).map(|next| next.node).or(last);
            let up_to_next = |at: usize| Some(links[at].node.range.start..next(at)?.range.start);
            hollow.filter_map(up_to_next).collect()
        };
        let ranges: Vec<Range<usize>> = match (full.last(), last) {
            (Some(at), last) if !last_full => {
                let link = &links[*at];
                let behind = link.block.range.end..end;
                match last {
                    Some(last) if self.diverges(last) && link.binds => hollow_up_to(links.len()),
                    Some(last) if self.diverges(last) => {
                        let head = link.node.range.start..link.block.range.start;
                        [hollow_up_to(*at), vec![head, behind]].concat()
                    }
                    _ => [hollow_up_to(*at), vec![behind]].concat(),
                }
            }
            _ => hollow_up_to(links.len()),
        };
        let ranges = ranges.into_iter().filter(|range| !range.is_empty());
        let edits: Vec<Edit> = ranges.map(|range| self.delete(range)).collect();
        (!edits.is_empty()).then_some(edits)
    }

    /// The edits that leave one arm in the place of all that hold a stub.
    fn arms(&self, id: NodeId) -> Option<Vec<Edit>> {
        let arms: Vec<(NodeId, &Node)> = self
            .children(id)
            .filter(|(_, child)| child.kind == Kind::Arm)
            .collect();
        let hollow: Vec<bool> = arms
            .iter()
            .map(|(arm, _)| {
                self.children(*arm)
                    .last()
                    .is_some_and(|(_, body)| self.is_hollow(body))
            })
            .collect();
        if hollow.iter().all(|hollow| *hollow) {
            return self.gone(id);
        }
        let takes_all = |at: &usize| self.takes_all(arms[*at].0);
        let full_takes_all = (0..arms.len())
            .filter(|at| !hollow[*at])
            .any(|at| takes_all(&at));
        let stubs = (0..arms.len()).filter(|at| hollow[*at] && self.diverges_at(arms[*at].0));
        let stubs: Vec<usize> = stubs.collect();
        let (last, (_, at_last)) = (arms.len() - 1, arms.last()?);
        let mut edits: Vec<Edit> = stubs
            .iter()
            .filter(|at| full_takes_all || **at != last)
            .map(|at| self.delete(arms[*at].1.range.clone()))
            .collect();
        if !full_takes_all && !stubs.is_empty() {
            let range = &at_last.range;
            edits.push(if stubs.contains(&last) {
                Edit::replace(self.file, range.clone(), ANYTHING_ELSE)
            } else {
                let text = &self.source[range.clone()];
                let comma = if text.ends_with([',', '}']) { "" } else { "," };
                let end = range.end..range.end;
                Edit::replace(self.file, end, format!("{comma} {ANYTHING_ELSE}"))
            });
        }
        Some(edits)
    }

    fn diverges_at(&self, arm: NodeId) -> bool {
        self.children(arm)
            .last()
            .is_some_and(|(_, body)| self.diverges(body))
    }

    /// Whether an arm takes every value.
    fn takes_all(&self, arm: NodeId) -> bool {
        let mut parts = self
            .children(arm)
            .filter(|(_, part)| !matches!(part.kind, Kind::Attribute | Kind::Doc));
        let pattern = parts.next().map(|(_, part)| part.kind);
        pattern == Some(Kind::Pat(PatKind::Wild)) && parts.count() == 1
    }
}

#[cfg(test)]
mod tests {
    use super::{Hollow, Purity};
    use crate::passes::testing::each;

    /// The statement `text` in a function, with each element of the first round alone.
    fn folded(text: &str) -> Vec<String> {
        folded_by(
            &Hollow {
                purity: Purity::Any,
            },
            text,
        )
    }

    fn folded_by(pass: &Hollow, text: &str) -> Vec<String> {
        let around = |text: &str| format!("fn f() {{ {text} }}");
        let (open, close) = ("fn f() { ", " }");
        let all = each(pass, &around(text));
        all[..all.len() / super::ROUNDS]
            .iter()
            .map(|after| {
                let inner = after
                    .strip_prefix(open.trim_end())
                    .and_then(|rest| rest.strip_suffix(close.trim_start()));
                inner.expect("the function stays").trim().to_owned()
            })
            .collect()
    }

    #[test]
    fn an_if_around_nothing_goes() {
        assert_eq!(folded("g(); if a() {} h();"), ["g(); h();"]);
        assert_eq!(folded("while a() {}"), [""]);
        assert_eq!(folded("for x in a() {}"), [""]);
        assert!(folded("let x = if a() { todo!() } else { todo!() };").is_empty());
    }

    #[test]
    fn a_chain_keeps_the_links_that_hold_something() {
        assert_eq!(
            folded("if a { todo!() } else if b { e() } else { todo!() }"),
            ["{ e() }"]
        );
        assert_eq!(
            folded("let x = if a { todo!() } else if b { todo!() } else { 3 };"),
            ["let x = { 3 };"]
        );
        assert_eq!(
            folded("if a { e() } else if b {} else if c { g() }"),
            ["if a { e() } else if c { g() }"]
        );
        assert_eq!(
            folded("if a { e() } else if b {} else if c {}"),
            ["if a { e() }"]
        );
        assert_eq!(folded("if a { e() } else {}"), ["if a { e() }"]);
    }

    #[test]
    fn what_binds_a_name_stays_around_its_block() {
        assert!(folded("if let Some(x) = a { x } else { todo!() }").is_empty());
        assert_eq!(
            folded("if let Some(x) = a { todo!() } else { e() }"),
            ["{ e() }"]
        );
    }

    #[test]
    fn a_condition_that_may_do_something_is_not_pure() {
        let pure = Hollow {
            purity: Purity::Names,
        };
        for condition in [
            "a",
            "!a",
            "!(a && b.is_some())",
            "a == 3 && x.len() > (1 + y)",
            "let Some(x) = a",
            "matches!(a, B(_))",
        ] {
            let text = format!("if {condition} {{}}");
            assert_eq!(folded_by(&pure, &text), [""], "{condition}");
            let text = format!("while {condition} {{}}");
            assert_eq!(folded_by(&pure, &text), [""], "{condition}");
        }
        for condition in ["a()", "a.pop().is_some()", "let Some(x) = a.next()", "a!()"] {
            let text = format!("if {condition} {{}}");
            assert!(folded_by(&pure, &text).is_empty(), "{condition}");
            assert_eq!(folded(&text), [""], "{condition}");
        }
    }

    #[test]
    fn what_has_nothing_to_change_only_looks() {
        let around = |head: &str| format!("{head} {{ x }} fn f() {{ if g(1) {{}} }}");
        let pure = Hollow {
            purity: Purity::Signatures,
        };
        assert!(!each(&pure, &around("fn g(a: &u8) -> bool")).is_empty());
        for head in ["fn g(a: &u8)", "fn g(a: &mut u8) -> bool"] {
            assert!(each(&pure, &around(head)).is_empty(), "{head}");
        }
    }

    #[test]
    fn arms_with_stubs_become_one() {
        assert_eq!(
            folded("match a { A => todo!(), B => e(), C => { todo!() } }"),
            ["match a { B => e(), _ => todo!() }"]
        );
        assert_eq!(
            folded("match a { A => todo!(), B => e(), C => { todo!() } D => g() }"),
            ["match a { B => e(), D => g(), _ => todo!() }"]
        );
        assert_eq!(
            folded("match a { A => todo!(), _ => e() }"),
            ["match a { _ => e() }"]
        );
        // What is guarded takes nothing for sure.
        assert_eq!(
            folded("match a { A(B(_)) => todo!(), _ if b => e(), _ => todo!() }"),
            ["match a { _ if b => e(), _ => todo!() }"]
        );
    }

    #[test]
    fn an_arm_that_does_nothing_is_no_stub() {
        assert!(folded("match a { A => {} B => e() }").is_empty());
        assert_eq!(folded("match a { A => {} B => {} }"), [""]);
    }
}
