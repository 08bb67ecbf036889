//! Generic parameters, with the arguments for them and what mentions them.

use super::{children, name, text};
use crate::passes::query::{At, all, is_impl, is_parameter, is_type};
use crate::passes::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, NodeId, Tree};

/// A generic parameter with the arguments for it; what mentions it inside its item goes or becomes `()`.
pub struct TypeParameters;
impl Pass for TypeParameters {
    fn name(&self) -> &'static str {
        "type-parameters-with-arguments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let parameters = all(subject, is_parameter).into_iter();
        let list = parameters.filter_map(|parameter| {
            let edits = without_parameter(subject, parameter)?;
            Some(Element::new(subject, Kind::GenericParam, edits))
        });
        Some(list.collect())
    }
}

/// Deletions of a generic `parameter`, of its mentions and of the arguments for it.
pub(super) fn without_parameter(subject: &Subject, parameter: At) -> Option<Vec<Edit>> {
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
    let mut parameters = around.children(is_parameter).into_iter();
    let parameter = parameters.find(|at| at.name() == Some(name))?;
    of.holds(&argument.range).then_some((around, parameter))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;

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
}
