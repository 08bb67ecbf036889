//! Bounds said shorter: a type parameter with one use becomes `impl …`, a predicate moves to the
//! parameter that it is about, a lifetime becomes `'_`.

use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::Token;
use crate::syntax::{Edit, FileId, Kind, Node, Tree};

/// `fn f<T: B>(x: T)` → `fn f(x: impl B)`.
pub struct ImplParameters;

/// `fn f<T>() where T: B` → `fn f<T: B>()`.
pub struct InlinePredicates;

/// `for<'a> F(&'a u8)` and `fn f<'a>(x: &'a u8)` → the same without a name for the lifetime.
pub struct AnonymousLifetimes;

fn children<'t>(tree: &'t Tree, node: &'t Node) -> impl Iterator<Item = &'t Node> {
    node.children.iter().map(|child| tree.node(*child))
}

/// The tokens of `name` in `around`, those in `without` left out.
fn mentions<'t>(
    source: &str,
    tree: &'t Tree,
    name: &str,
    around: &Range<usize>,
    without: &Range<usize>,
) -> Vec<&'t Token> {
    let tokens = tree.tokens_in(around).iter();
    tokens
        .filter(|token| &source[token.range()] == name)
        .filter(|token| !without.contains(&(token.start as usize)))
        .collect()
}

/// All generic parameters with the node that declares them, which for `for<…>` is the one around it.
fn parameters(subject: &Subject) -> Vec<(FileId, &Tree, &Node, &Node)> {
    let all = nodes(subject, |_, _, node| node.kind == Kind::GenericParam);
    all.filter_map(|(file, tree, id, node)| {
        let owner = tree.node(id).parent?;
        let owner = match tree.node(owner).kind {
            Kind::ForLifetimes => tree.node(owner).parent?,
            _ => owner,
        };
        Some((file, tree, node, tree.node(owner)))
    })
    .collect()
}

/// What stands behind the colon of a parameter or a predicate.
fn bounds(tree: &Tree, node: &Node) -> Option<Range<usize>> {
    let mut all = children(tree, node).filter(|child| child.kind == Kind::Bound);
    let first = all.next()?;
    let last = all.last().unwrap_or(first);
    Some(first.range.start..last.range.end)
}

impl Pass for ImplParameters {
    fn name(&self) -> &'static str {
        "impl-parameters"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, parameter, owner) in parameters(subject) {
            let source = subject.file(file).source();
            let (Some(name), Some(bounds)) = (&parameter.name, bounds(tree, parameter)) else {
                continue;
            };
            let uses = mentions(
                source,
                tree,
                &source[name.clone()],
                &owner.range,
                &parameter.range,
            );
            let [only] = uses[..] else { continue };
            let is_argument = children(tree, owner)
                .filter(|child| child.kind == Kind::Param)
                .flat_map(|child| children(tree, child))
                .any(|ty| matches!(ty.kind, Kind::Type(_)) && ty.range == only.range());
            if is_argument {
                let text = format!("impl {}", &source[bounds]);
                let edits = vec![
                    Edit::delete(file, parameter.range.clone()),
                    Edit::replace(file, only.range(), text),
                ];
                list.push(Element::new(subject, Kind::GenericParam, edits));
            }
        }
        Some(list)
    }
}

impl Pass for InlinePredicates {
    fn name(&self) -> &'static str {
        "inline-predicates"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, parameter, owner) in parameters(subject) {
            let source = subject.file(file).source();
            let Some(name) = &parameter.name else {
                continue;
            };
            // Bounds of its own would have to be added to.
            if *name != parameter.range {
                continue;
            }
            let about = children(tree, owner).find(|child| {
                let mut tokens = tree.tokens_in(&child.range).iter();
                let mut word = || tokens.next().map(|token| &source[token.range()]);
                child.kind == Kind::Predicate
                    && word() == Some(&source[name.clone()])
                    && word() == Some(":")
            });
            if let Some(predicate) = about
                && let Some(bounds) = bounds(tree, predicate)
            {
                let text = format!(": {}", &source[bounds]);
                let edits = vec![
                    Edit::delete(file, predicate.range.clone()),
                    Edit::replace(file, name.end..name.end, text),
                ];
                list.push(Element::new(subject, Kind::Predicate, edits));
            }
        }
        Some(list)
    }
}

impl Pass for AnonymousLifetimes {
    fn name(&self) -> &'static str {
        "anonymous-lifetimes"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, parameter, owner) in parameters(subject) {
            let source = subject.file(file).source();
            let Some(name) = parameter.name.clone() else {
                continue;
            };
            let name = &source[name];
            if !name.starts_with('\'') {
                continue;
            }
            let mut edits = vec![Edit::delete(file, parameter.range.clone())];
            for token in mentions(source, tree, name, &owner.range, &parameter.range) {
                let before = source[..token.start as usize].trim_end();
                let text = if before.ends_with('&') { "" } else { "'_" };
                edits.push(Edit::replace(file, token.range(), text));
            }
            list.push(Element::new(subject, Kind::Lifetime, edits));
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_type_parameter_used_for_one_argument_becomes_impl() {
        assert_eq!(
            each(
                &ImplParameters,
                "fn f<T: A + B, U: A, V>(x: T, y: &U, z: V) -> U {}"
            ),
            ["fn f< U: A, V>(x: impl A + B, y: &U, z: V) -> U {}"]
        );
        assert_eq!(
            each(&ImplParameters, "fn f<T: A>(x: T) {}"),
            ["fn f(x: impl A) {}"]
        );
    }

    #[test]
    fn a_predicate_moves_to_its_parameter() {
        assert_eq!(
            each(
                &InlinePredicates,
                "impl<T, U: A> S<T, U> where T: B + 'static, U: B, Vec<T>: B {}"
            ),
            ["impl<T: B + 'static, U: A> S<T, U> where U: B, Vec<T>: B {}"]
        );
        assert_eq!(
            each(&InlinePredicates, "fn f<T>() where T: B {}"),
            ["fn f<T: B>() {}"]
        );
    }

    #[test]
    fn lifetimes_lose_their_names() {
        assert_eq!(
            each(
                &AnonymousLifetimes,
                "fn f<'a, T>(x: &'a T, y: S<'a>) where T: for<'b> F<'b> {}"
            ),
            [
                "fn f< T>(x: & T, y: S<'_>) where T: for<'b> F<'b> {}",
                "fn f<'a, T>(x: &'a T, y: S<'a>) where T: F<'_> {}"
            ]
        );
    }
}
