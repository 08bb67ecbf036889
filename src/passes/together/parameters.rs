//! Parameters of functions, with the arguments in the calls of them.

use std::collections::BTreeMap;

use super::{calls, children, is_expr, name, text};
use crate::passes::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Tree};

/// A parameter of functions of one name, with the argument in the calls of them.
pub struct Parameters;

fn is_parameter(kind: Kind) -> bool {
    matches!(kind, Kind::Param | Kind::Receiver)
}

impl Pass for Parameters {
    fn name(&self) -> &'static str {
        "parameters-with-arguments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for callees in callees(subject) {
            for at in 0..callees.longest() {
                list.push(Element::new(subject, Kind::Param, callees.without(at)));
            }
        }
        Some(list)
    }
}

/// Functions that have their parameters in common as far as names tell, and the calls of them.
#[derive(Default)]
pub struct Callees<'s> {
    /// The parameters of each.
    pub parameters: Vec<(FileId, Vec<&'s Node>)>,
    calls: Vec<(FileId, &'s Tree, &'s Node)>,
}

impl Callees<'_> {
    /// The number of parameters of the one that has most.
    pub fn longest(&self) -> usize {
        let numbers = self.parameters.iter().map(|(_, own)| own.len());
        numbers.max().unwrap_or(0)
    }

    /// Deletions of the parameter `at` and of what the calls give for it.
    pub fn without(&self, at: usize) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (file, parameters) in &self.parameters {
            if let Some(parameter) = parameters.get(at) {
                edits.push(Edit::delete(*file, parameter.range.clone()));
            }
        }
        let method = self.parameters.iter().any(|(_, own)| has_receiver(own));
        for (file, tree, call) in &self.calls {
            let arguments = given(tree, call);
            let place = match is_by_dot(call) && method {
                true => at.checked_sub(1),
                false => Some(at),
            };
            if let Some(argument) = place.and_then(|place| arguments.get(place)) {
                edits.push(Edit::delete(*file, argument.range.clone()));
            }
        }
        edits
    }

    /// Whether `call` gives as much as they ask for.
    fn fit(&self, tree: &Tree, call: &Node) -> bool {
        let arguments = given(tree, call).len();
        self.parameters.iter().any(|(_, own)| {
            let receiver = usize::from(is_by_dot(call) && has_receiver(own));
            arguments + receiver == own.len()
        })
    }
}

fn has_receiver(parameters: &[&Node]) -> bool {
    let first = parameters.first();
    first.is_some_and(|first| first.kind == Kind::Receiver)
}

fn is_by_dot(call: &Node) -> bool {
    call.kind == Kind::Expr(ExprKind::MethodCall)
}

fn given<'t>(tree: &'t Tree, call: &'t Node) -> Vec<&'t Node> {
    children(tree, call, is_expr).into_iter().skip(1).collect()
}

/// Whose function it is, or else how many parameters it has.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Whose<'s> {
    Of(&'s str),
    Anyones(usize),
}

/// The functions of a subject, by name. Of several that are called the same, one that is called by its type's name has calls of its
/// own; of the others, those that ask for as much have theirs.
pub fn callees(subject: &Subject) -> Vec<Callees<'_>> {
    type Definition<'s> = (FileId, &'s Tree, NodeId, &'s Node);
    let mut defined: BTreeMap<&str, Vec<Definition>> = BTreeMap::new();
    let is_fn = |kind| matches!(kind, Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn));
    for (file, tree, id, node) in nodes(subject, move |_, _, node| is_fn(node.kind)) {
        if let Some(name) = name(subject, file, node) {
            defined
                .entry(name)
                .or_default()
                .push((file, tree, id, node));
        }
    }
    let mut calls = calls(subject);
    let mut all = Vec::new();
    for (name, same_name) in defined {
        let alone = same_name.len() == 1;
        let mut groups: BTreeMap<Whose, Callees> = BTreeMap::new();
        for (file, tree, id, node) in same_name {
            let parameters = children(tree, node, is_parameter);
            let owner = owner(subject, file, tree, id).filter(|_| !has_receiver(&parameters));
            let whose = owner.map_or(Whose::Anyones(parameters.len()), Whose::Of);
            let group = groups.entry(whose).or_default();
            group.parameters.push((file, parameters));
        }
        for (file, tree, call) in calls.remove(name).into_iter().flatten() {
            let of = qualifier(subject, file, tree, call).map(Whose::Of);
            if let Some(group) = of.and_then(|of| groups.get_mut(&of)) {
                group.calls.push((file, tree, call));
                continue;
            }
            for (whose, group) in &mut groups {
                if alone || matches!(whose, Whose::Anyones(_)) && group.fit(tree, call) {
                    group.calls.push((file, tree, call));
                }
            }
        }
        all.extend(groups.into_values());
    }
    all
}

/// The name of the type whose inherent impl the function `id` stands in.
fn owner<'s>(subject: &'s Subject, file: FileId, tree: &'s Tree, id: NodeId) -> Option<&'s str> {
    let around = tree.parent(id)?;
    let is_inherent = around.kind == Kind::Item(ItemKind::Impl)
        && children(tree, around, |kind| kind == Kind::TraitRef).is_empty();
    let ty = children(tree, around, |kind| matches!(kind, Kind::Type(_)));
    name(subject, file, ty.first().filter(|_| is_inherent)?)
}

/// The name in front of that which `call` calls: `S` in `S::<T>::f()`, and what `Self` stands for.
fn qualifier<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &'s Tree,
    call: &'s Node,
) -> Option<&'s str> {
    let callee = children(tree, call, is_expr).first().copied()?;
    if callee.kind != Kind::Expr(ExprKind::Path) {
        return None;
    }
    let tokens = tree.tokens_in(&callee.range).iter();
    let words = tokens.map(|token| text(subject, file, &token.range()));
    let mut depth = 0;
    let mut names = words.rev().filter(|word| {
        depth += word.matches('>').count() as i32 - word.matches('<').count() as i32;
        depth == 0 && !word.contains([':', '<'])
    });
    let of = names.nth(1)?;
    if of != "Self" {
        return Some(of);
    }
    let holds = |id: &NodeId| tree.node(*id).kind == Kind::Item(ItemKind::Impl);
    let innermost = tree.innermost(&callee.range)?;
    let around = tree.ancestors(innermost).find(holds)?;
    let types = children(tree, tree.node(around), |kind| {
        matches!(kind, Kind::Type(_))
    });
    name(subject, file, types.first()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;

    #[test]
    fn a_parameter_goes_with_its_argument_in_every_call() {
        assert_eq!(
            each(
                &Parameters,
                "fn f(a: u8, b: u16) { b; } fn g() { f(1, 2); h.f(3, 4) }"
            ),
            [
                "fn f( b: u16) { b; } fn g() { f( 2); h.f( 4) }",
                "fn f(a: u8 ) { b; } fn g() { f(1 ); h.f(3 ) }"
            ]
        );
    }

    #[test]
    fn functions_that_are_called_the_same_lose_parameters_of_their_own() {
        assert_eq!(
            each(
                &Parameters,
                "impl S { fn n(a: u8) -> S { Self::n(a) } } impl<T> R<T> { fn n(b: T) {} } fn g() { S::n(1); R::<u8>::n(2); Q::n(3) }"
            ),
            [
                "impl S { fn n(a: u8) -> S { Self::n(a) } } impl<T> R<T> { fn n() {} } fn g() { S::n(1); R::<u8>::n(); Q::n(3) }",
                "impl S { fn n() -> S { Self::n() } } impl<T> R<T> { fn n(b: T) {} } fn g() { S::n(); R::<u8>::n(2); Q::n(3) }"
            ]
        );
        assert_eq!(
            each(
                &Parameters,
                "impl S { fn m(&self, a: u8) {} } impl R { fn m(&self) {} } fn g() { s.m(1); r.m() }"
            )
            .last()
            .map(String::as_str),
            Some("impl S { fn m(&self ) {} } impl R { fn m(&self) {} } fn g() { s.m(); r.m() }")
        );
    }
}
