//! Definitions together with their uses: a parameter with its arguments, a field with its values,
//! a generic parameter with its mentions, a trait's item with those of its impls.
//!
//! Uses are found by name. A wrong guess costs a trial, never a wrong result.

use std::collections::BTreeMap;
use std::ops::Range;

use super::query::{At, all, is_impl, is_member, is_parameter as is_generic, is_type, trait_of};
use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Tree};

/// A parameter of functions of one name, with the argument in the calls of them.
pub struct Parameters;

/// A field, with what struct expressions and patterns give for it; those behind it in a tuple move up.
pub struct Fields;

/// A generic parameter with the arguments for it; what mentions it inside its item goes or becomes `()`.
pub struct TypeParameters;

/// An item of a trait, with the items of that name in impls.
pub struct TraitItems;

fn text<'s>(subject: &'s Subject, file: FileId, range: &Range<usize>) -> &'s str {
    &subject.file(file).source()[range.clone()]
}

pub(super) fn name<'s>(subject: &'s Subject, file: FileId, node: &Node) -> Option<&'s str> {
    Some(text(subject, file, node.name.as_ref()?))
}

fn children<'t>(tree: &'t Tree, node: &'t Node, wanted: fn(Kind) -> bool) -> Vec<&'t Node> {
    let nodes = node.children.iter().map(|child| tree.node(*child));
    nodes.filter(|child| wanted(child.kind)).collect()
}

fn is_parameter(kind: Kind) -> bool {
    matches!(kind, Kind::Param | Kind::Receiver)
}

fn is_expr(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(_))
}

/// All calls in the subject by the name that they call.
pub(super) fn calls(subject: &Subject) -> BTreeMap<&str, Vec<(FileId, &Tree, &Node)>> {
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
    for (file, tree, _, node) in nodes(subject, move |_, _, node| is_call(node.kind)) {
        if let Some(name) = name(subject, file, node) {
            found.entry(name).or_default().push((file, tree, node));
        }
    }
    found
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
pub(super) struct Callees<'s> {
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
pub(super) fn callees(subject: &Subject) -> Vec<Callees<'_>> {
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

impl Pass for Fields {
    fn name(&self) -> &'static str {
        "fields-with-values"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
        for (file, _, _, node) in nodes(subject, |_, _, node| node.kind == Kind::Field) {
            if let Some(field) = name(subject, file, node) {
                *defined.entry(field).or_default() += 1;
            }
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| node.kind == Kind::Field) {
            let Some(owner) = tree.parent(id) else {
                continue;
            };
            let mut edits = vec![Edit::delete(file, node.range.clone())];
            for parameter in At::new(subject, file, id).map_or_else(Vec::new, needed_by_it_alone) {
                edits.extend(without_parameter(subject, parameter).unwrap_or_default());
            }
            match name(subject, file, node) {
                Some(field) => {
                    // Where others are called the same, it has to be said whose it is.
                    let owner = name(subject, file, owner).filter(|_| defined[field] > 1);
                    edits.extend(values_of(subject, field, owner));
                }
                None => {
                    // What a variant has cannot be asked for by its number.
                    let is_variant = owner.kind == Kind::Variant;
                    let fields = children(tree, owner, |kind| kind == Kind::Field);
                    let at = fields.iter().position(|field| field.range == node.range);
                    if let (Some(at), Some(owner)) = (at, name(subject, file, owner)) {
                        edits.extend(nth_of(subject, owner, at));
                        if !is_variant {
                            edits.extend(moved_up(subject, owner, at + 1..fields.len()));
                        }
                    }
                }
            }
            list.push(Element::new(subject, Kind::Field, edits));
        }
        Some(list)
    }
}

/// The generic parameters that its type alone mentions of all that a `field`'s struct or enum has.
fn needed_by_it_alone(field: At<'_>) -> Vec<At<'_>> {
    let has_fields = |kind| matches!(kind, Kind::Item(ItemKind::Struct | ItemKind::Enum));
    let Some(owner) = field.ancestors().find(|outer| has_fields(outer.kind())) else {
        return Vec::new();
    };
    let mut parameters = owner.children(is_generic);
    parameters.retain(|parameter| {
        let Some(name) = parameter.name() else {
            return false;
        };
        let mentions = |at: &At| !at.mentions(name, &at.range()).is_empty();
        let fields = owner.inside(|kind| kind == Kind::Field);
        let mut others = fields.iter().filter(|other| other.id != field.id);
        mentions(&field) && !others.any(mentions)
    });
    parameters
}

/// Deletions of `field: …` in all struct expressions and patterns, or in those of an `owner` alone.
pub(super) fn values_of(subject: &Subject, field: &str, owner: Option<&str>) -> Vec<Edit> {
    let is_value = |kind| matches!(kind, Kind::FieldValue | Kind::FieldPat);
    let values = nodes(subject, move |_, _, node| is_value(node.kind));
    let named = values.filter(|(file, tree, id, node)| {
        let source = subject.file(*file).source();
        let attributes = children(tree, node, |kind| kind == Kind::Attribute);
        let start = attributes
            .last()
            .map_or(node.range.start, |last| last.range.end);
        let first = tree
            .identifiers(source, &(start..node.range.end))
            .find(|word| !matches!(*word, "ref" | "mut"));
        first == Some(field) && owner.is_none_or(|owner| belongs(subject, *file, tree, *id, owner))
    });
    named
        .map(|(file, _, _, node)| Edit::delete(file, node.range.clone()))
        .collect()
}

/// Whether the struct expression or pattern around `id` is of an `owner`, as far as its path says.
fn belongs(subject: &Subject, file: FileId, tree: &Tree, id: NodeId, owner: &str) -> bool {
    let Some(around) = tree.parent(id) else {
        return false;
    };
    match path_end(subject, file, tree, around) {
        Some("Self") => {
            let mut outer = tree.ancestors(id).map(|outer| tree.node(outer));
            let around = outer.find(|outer| outer.kind == Kind::Item(ItemKind::Impl));
            around.is_some_and(|around| is_of(subject, file, tree, around, owner))
        }
        last => last == Some(owner),
    }
}

/// The last name of the path that `node` begins with.
pub(super) fn path_end<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    node: &Node,
) -> Option<&'s str> {
    let source = subject.file(file).source();
    let tokens = tree.tokens_in(&node.range);
    let words = tokens.iter().map(|token| &source[token.range()]);
    let path = words.take_while(|word| !matches!(*word, "(" | "{" | "<"));
    path.filter(|word| !word.starts_with(':')).last()
}

/// Whether one of the types that the impl `around` is about is called `owner`.
fn is_of(subject: &Subject, file: FileId, tree: &Tree, around: &Node, owner: &str) -> bool {
    let types = children(tree, around, |kind| matches!(kind, Kind::Type(_)));
    let mut types = types.into_iter();
    types.any(|ty| name(subject, file, ty) == Some(owner))
}

/// Deletions of the `at`th argument or sub-pattern of all `owner(…)`.
fn nth_of(subject: &Subject, owner: &str, at: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    let is_use = |kind| {
        matches!(
            kind,
            Kind::Expr(ExprKind::Call) | Kind::Pat(crate::syntax::PatKind::TupleStruct)
        )
    };
    for (file, tree, _, node) in nodes(subject, move |_, _, node| is_use(node.kind)) {
        if name(subject, file, node) != Some(owner) {
            continue;
        }
        let parts = children(tree, node, |kind| {
            matches!(kind, Kind::Expr(_) | Kind::Pat(_))
        });
        let skip = usize::from(is_expr(node.kind));
        if let Some(part) = parts.get(at + skip) {
            edits.push(Edit::delete(file, part.range.clone()));
        }
    }
    edits
}

/// `.n` → `.n-1` for the `later` fields of an `owner`, where it may be one that is asked: on `self` in the impl of another type it
/// is not.
fn moved_up(subject: &Subject, owner: &str, later: Range<usize>) -> Vec<Edit> {
    if later.is_empty() {
        return Vec::new();
    }
    let is_selection = |kind| kind == Kind::Expr(ExprKind::Field);
    let selections = nodes(subject, move |_, _, node| is_selection(node.kind));
    let moved = selections.filter_map(|(file, tree, id, node)| {
        let (of, number) = text(subject, file, &node.range).rsplit_once('.')?;
        let number = number.trim();
        let place = number.parse().ok().filter(|place| later.contains(place))?;
        let mut outer = tree.ancestors(id).map(|outer| tree.node(outer));
        let around = outer.find(|outer| outer.kind == Kind::Item(ItemKind::Impl));
        let of_another = around.is_some_and(|around| !is_of(subject, file, tree, around, owner));
        let range = node.range.end - number.len()..node.range.end;
        let edit = Edit::replace(file, range, (place - 1).to_string());
        (of.trim() != "self" || !of_another).then_some(edit)
    });
    moved.collect()
}

impl Pass for TypeParameters {
    fn name(&self) -> &'static str {
        "type-parameters-with-arguments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let parameters = all(subject, is_generic).into_iter();
        let list = parameters.filter_map(|parameter| {
            let edits = without_parameter(subject, parameter)?;
            Some(Element::new(subject, Kind::GenericParam, edits))
        });
        Some(list.collect())
    }
}

/// Deletions of a generic `parameter`, of its mentions and of the arguments for it.
fn without_parameter(subject: &Subject, parameter: At) -> Option<Vec<Edit>> {
    let At {
        file, tree, node, ..
    } = parameter;
    let (owner, own) = (tree.parent(parameter.id)?, parameter.name()?);
    let mut edits = vec![parameter.cut()];
    mentions(subject, file, tree, owner, node, own, &mut edits);
    let parameters = children(tree, owner, |kind| kind == Kind::GenericParam);
    let at = parameters
        .iter()
        .position(|other| other.range == node.range);
    if let (Some(at), Some(owner_name)) = (at, name(subject, file, owner)) {
        let lifetimes = parameters
            .iter()
            .filter(|other| text(subject, file, &other.range).starts_with('\''));
        // A variant takes the arguments of its enum: `E::V::<T>`.
        let mut owners = vec![owner_name];
        let variants = children(tree, owner, |kind| kind == Kind::Variant);
        owners.extend(variants.iter().filter_map(|one| name(subject, file, one)));
        arguments(
            subject,
            &owners,
            at,
            parameters.len(),
            lifetimes.count(),
            &mut edits,
        );
    }
    Some(edits)
}

/// What becomes of the mentions of `parameter` inside `owner`: lifetimes, bounds and predicates
/// about it go, a type becomes `()`.
fn mentions(
    subject: &Subject,
    file: FileId,
    tree: &Tree,
    owner: &Node,
    definition: &Node,
    parameter: &str,
    edits: &mut Vec<Edit>,
) {
    let source = subject.file(file).source();
    let inside: Vec<(NodeId, &Node)> = tree
        .nodes()
        .filter(|(_, node)| {
            owner.range.start <= node.range.start && node.range.end <= owner.range.end
        })
        .filter(|(_, node)| {
            !(definition.range.start <= node.range.start && node.range.end <= definition.range.end)
        })
        .collect();
    for (_, node) in inside {
        let whole = &source[node.range.clone()];
        let about = match node.kind {
            Kind::Lifetime | Kind::Bound => whole == parameter,
            Kind::GenericArg => whole == parameter && parameter.starts_with('\''),
            Kind::Predicate => {
                let first = tree.tokens_in(&node.range).first();
                first.is_some_and(|token| &source[token.range()] == parameter)
            }
            Kind::Type(_) | Kind::Expr(ExprKind::Path) if whole == parameter => {
                let constant = source[definition.range.clone()].starts_with("const");
                let value = if constant { "0" } else { "()" };
                edits.push(Edit::replace(file, node.range.clone(), value));
                false
            }
            _ => false,
        };
        if about {
            edits.push(Edit::delete(file, node.range.clone()));
        }
    }
}

/// Deletions of the argument for parameter `at` in all `owner<…>` for one of `owners`; lifetimes
/// may be left out there.
fn arguments(
    subject: &Subject,
    owners: &[&str],
    at: usize,
    count: usize,
    lifetimes: usize,
    edits: &mut Vec<Edit>,
) {
    let mut of_impls = Vec::new();
    for (file, tree, id, node) in nodes(subject, |_, _, node| node.kind == Kind::GenericArgs) {
        let source = subject.file(file).source();
        let before = tree.tokens_in(&(0..node.range.start)).last();
        if !before.is_some_and(|token| owners.contains(&&source[token.range()])) {
            continue;
        }
        let arguments = children(tree, node, |kind| kind == Kind::GenericArg);
        let place = if arguments.len() + lifetimes == count {
            at.checked_sub(lifetimes)
        } else {
            Some(at)
        };
        if let Some(argument) = place.and_then(|place| arguments.get(place)) {
            edits.push(Edit::delete(file, argument.range.clone()));
            of_impls.extend(needed_for(subject, file, tree, id, argument));
        }
    }
    of_impls.retain(|(around, parameter)| {
        let name = parameter.name().unwrap_or_default();
        let mut mentions = around.mentions(name, &around.range()).into_iter();
        mentions.all(|at| {
            let mut gone = edits.iter().filter(|edit| edit.file == around.file);
            parameter.holds(&at)
                || gone.any(|edit| edit.range.start <= at.start && at.end <= edit.range.end)
        })
    });
    edits.extend(of_impls.iter().map(|(_, parameter)| parameter.cut()));
}

/// The impl, and its parameter, that is the `argument` of its own type in the list `id`: `impl<T> S<T>`.
fn needed_for<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    id: NodeId,
    argument: &Node,
) -> Option<(At<'s>, At<'s>)> {
    let mut outer = tree.ancestors(id);
    let around = outer.find(|outer| is_impl(tree.node(*outer).kind))?;
    let around = At::new(subject, file, around)?;
    let of = around.child(is_type)?;
    let name = text(subject, file, &argument.range);
    let mut parameters = around.children(is_generic).into_iter();
    let parameter = parameters.find(|at| at.name() == Some(name))?;
    of.holds(&argument.range).then_some((around, parameter))
}

impl Pass for TraitItems {
    fn name(&self) -> &'static str {
        "trait-items-with-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        // By the name of the trait and their own.
        let mut members: BTreeMap<(&str, &str), (bool, Vec<Edit>)> = BTreeMap::new();
        for member in all(subject, is_member) {
            let Some(outer) = member.parent() else {
                continue;
            };
            let in_trait = outer.kind() == Kind::Item(ItemKind::Trait);
            let of = if in_trait {
                outer.name()
            } else {
                trait_of(outer)
            };
            if let (Some(of), Some(name)) = (of, member.name()) {
                let entry = members.entry((of, name)).or_default();
                entry.0 |= in_trait;
                entry.1.push(member.cut());
            }
        }
        // `T<Item = u8>`
        for argument in all(subject, |kind| kind == Kind::GenericArg) {
            let words = argument.words(&argument.range());
            if let [(name, _), ("=", _), ..] = words[..] {
                for ((_, own), (_, edits)) in &mut members {
                    if *own == name {
                        edits.push(argument.cut());
                    }
                }
            }
        }
        let with_impls = members
            .into_values()
            .filter(|(in_trait, edits)| *in_trait && edits.len() > 1);
        Some(
            with_impls
                .map(|(_, edits)| Element::new(subject, Kind::Member(ItemKind::Trait), edits))
                .collect(),
        )
    }
}

/// Every trait with its impls and with all bounds by it; what nothing needs goes so, and no search asks for it.
pub fn traits(subject: &Subject) -> Elements {
    let mut list = Vec::new();
    let traits = nodes(subject, |_, _, node| {
        node.kind == Kind::Item(ItemKind::Trait)
    });
    for (file, _, _, item) in traits {
        let Some(of) = name(subject, file, item) else {
            continue;
        };
        let mut edits = vec![Edit::delete(file, item.range.clone())];
        let mentions = nodes(subject, |_, _, node| {
            matches!(node.kind, Kind::Bound | Kind::TraitRef)
        });
        for (file, tree, id, node) in mentions {
            let source = subject.file(file).source();
            let mut words = tree.tokens_in(&node.range).iter();
            let about = words
                .by_ref()
                .map(|token| &source[token.range()])
                .take_while(|word| !matches!(*word, "<" | "(" | "for"))
                .last();
            if about != Some(of) {
                continue;
            }
            let range = match (node.kind, tree.parent(id)) {
                (Kind::TraitRef, Some(implementation)) => implementation.range.clone(),
                _ => node.range.clone(),
            };
            edits.push(Edit::delete(file, range));
        }
        if edits.len() > 1 {
            list.push(Element::new(subject, item.kind, edits));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

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

    #[test]
    fn a_type_parameter_goes_with_what_is_given_for_it() {
        assert_eq!(
            each(
                &TypeParameters,
                "struct S<T>(T, u8); fn f(s: S<u16>) -> S<u32> { S::<u64>(1, 2) }"
            ),
            ["struct S((), u8); fn f(s: S) -> S { S(1, 2) }"]
        );
        assert_eq!(
            each(
                &TypeParameters,
                "struct S<T>; impl<T: A> S<T> { fn f() {} } impl<T> S<T> { fn g(t: T) {} } impl<T> S<(T, T)> {}"
            )[0],
            "struct S; impl S { fn f() {} } impl<T> S { fn g(t: T) {} } impl<T> S {}"
        );
    }

    #[test]
    fn an_item_of_a_trait_goes_with_those_of_its_impls() {
        assert_eq!(
            each(
                &TraitItems,
                "trait T { fn a(); type B; } impl T for X { fn a() {} type B = (); } impl Y { fn a() {} }"
            ),
            [
                "trait T { fn a(); } impl T for X { fn a() {} } impl Y { fn a() {} }",
                "trait T { type B; } impl T for X { type B = (); } impl Y { fn a() {} }"
            ]
        );
    }

    #[test]
    fn what_stands_behind_a_field_of_a_tuple_moves_up_with_its_selections() {
        assert_eq!(
            each(
                &Fields,
                "struct S(u8, u16); impl S { fn f(&self) { self.1; } } impl T { fn g(&self, s: S) { self.1; s.0.1; S(2, 3).1; } }"
            ),
            [
                "struct S( u16); impl S { fn f(&self) { self.0; } } impl T { fn g(&self, s: S) { self.1; s.0.0; S( 3).0; } }",
                "struct S(u8 ); impl S { fn f(&self) { self.1; } } impl T { fn g(&self, s: S) { self.1; s.0.1; S(2 ).1; } }",
            ]
        );
    }

    #[test]
    fn a_field_goes_with_the_parameters_that_it_alone_needs() {
        assert_eq!(
            each(
                &Fields,
                "struct S<'a, T, U> { a: &'a T, b: U } impl<'a, T, U> S<'a, T, U> { fn f(s: S<'a, T, U>) { S { a: 1, b: 2 } } }"
            ),
            [
                "struct S< U> { b: U } impl< U> S< U> { fn f(s: S< U>) { S { b: 2 } } }",
                "struct S<'a, T > { a: &'a T } impl<'a, T > S<'a, T > { fn f(s: S<'a, T >) { S { a: 1 } } }",
            ]
        );
    }

    #[test]
    fn only_what_stands_behind_a_field_of_a_tuple_moves_up() {
        assert_eq!(
            each(
                &Fields,
                "struct N(u8); enum E { V(u8, u16) } fn f(p: (u8, u8)) { p.1; N(1); E::V(2, 3); }"
            ),
            [
                "struct N(); enum E { V(u8, u16) } fn f(p: (u8, u8)) { p.1; N(); E::V(2, 3); }",
                "struct N(u8); enum E { V( u16) } fn f(p: (u8, u8)) { p.1; N(1); E::V( 3); }",
                "struct N(u8); enum E { V(u8 ) } fn f(p: (u8, u8)) { p.1; N(1); E::V(2 ); }",
            ]
        );
    }
}
