//! Passes: each turns the present subject into lists of elements for a minimizer. A pass looks at
//! syntax and names; it never runs a process and never learns a verdict.

mod answers;
mod around_tests;
pub mod assertions;
mod blanket;
mod bounds;
pub mod calls;
mod concrete;
mod conditions;
mod decisions;
pub mod definitions;
mod delete;
mod flatten;
mod hoist;
mod hollow;
mod impl_shells;
mod inline;
mod inputs;
mod live;
mod macro_arguments;
mod macro_items;
mod macro_rules;
mod macro_values;
mod macros;
pub mod manifest;
mod merge;
mod methods;
mod names;
mod paths;
mod project;
#[cfg(test)]
mod properties;
mod query;
pub mod ran;
mod raw;
pub mod rename;
mod returns;
mod seed;
mod shorter;
mod signatures;
mod simplify;
mod stub;
mod substitute;
#[cfg(test)]
mod testing;
mod together;
mod tokens;
mod traversal;
mod tuples;
mod unused;
mod unwrap;

use std::ops::Range;

use crate::subject::{Element, Elements, Subject};
use crate::syntax::{FileId, Kind, Node, NodeId, Tree};

/// One way to make a subject smaller.
pub trait Pass: Send + Sync {
    /// Its name, as `--passes` takes it.
    fn name(&self) -> &'static str;

    /// The list of round `round`, made from the subject as it is by then; `None` when there are no
    /// more rounds. An empty list only means that this round has nothing to offer.
    fn list(&self, subject: &Subject, round: usize) -> Option<Elements>;
}

/// The passes that work on whole definitions: what is far apart and large.
pub fn coarse() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(stub::Bodies),
        Box::new(delete::ITEMS),
        Box::new(delete::MEMBERS),
        Box::new(delete::ATTRIBUTES),
        Box::new(delete::USES),
        Box::new(flatten::Modules),
    ]
}

/// The bodies of all functions, as elements that stub them.
pub fn bodies(subject: &Subject) -> Elements {
    stub::Bodies.list(subject, 0).unwrap_or_default()
}

/// The passes that work inside definitions.
pub fn fine() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(delete::STATEMENTS),
        Box::new(delete::VARIANTS),
        Box::new(together::Fields),
        Box::new(delete::FIELDS),
        Box::new(delete::ARMS),
        Box::new(delete::PREDICATES),
        Box::new(delete::BOUNDS),
        Box::new(substitute::OtherParameters),
        Box::new(together::Parameters),
        Box::new(delete::PARAMETERS),
        Box::new(together::TypeParameters),
        Box::new(concrete::ConcreteParameters),
        Box::new(delete::TYPE_PARAMETERS),
        Box::new(bounds::InlinePredicates),
        Box::new(bounds::AnonymousLifetimes),
        Box::new(bounds::ImplParameters),
        Box::new(together::TraitItems),
        Box::new(blanket::BlanketImpls),
        Box::new(impl_shells::ImplsToFunctions),
        Box::new(methods::MethodsToFunctions),
        Box::new(merge::MergeImpls),
        Box::new(substitute::OtherDefinitions),
        Box::new(substitute::KnownDefinitions),
        Box::new(unwrap::Newtypes),
        Box::new(tuples::ToUnit),
        Box::new(tuples::ToTuple),
        Box::new(unwrap::Projections),
        Box::new(project::Mentions),
        Box::new(returns::ReturnTypes),
        Box::new(signatures::FunctionsToImpls),
        Box::new(delete::PARTS),
        Box::new(delete::MODIFIERS),
        Box::new(inline::InlineValues),
        Box::new(hoist::Initials),
        Box::new(macro_values::MacroValues),
        Box::new(hoist::Expressions),
        Box::new(hoist::Types),
        Box::new(hoist::Patterns),
        Box::new(flatten::Blocks),
        Box::new(delete::ELEMENTS),
        Box::new(simplify::Types),
        Box::new(simplify::Patterns),
        Box::new(simplify::Values),
        Box::new(simplify::Shapes),
        Box::new(macros::OnlyUses),
        Box::new(shorter::Matches),
        Box::new(shorter::Arms),
        Box::new(shorter::Returns),
        Box::new(shorter::Iterators),
        Box::new(delete::ATTRIBUTE_ARGUMENTS),
        Box::new(paths::Globs),
        Box::new(paths::InlineUses),
        Box::new(macro_arguments::MacroArguments),
        Box::new(tokens::Segments),
        Box::new(tokens::Groups),
        Box::new(tokens::Tokens),
    ]
}

/// The passes that work inside what a sweep has left of a failing test, most promising first.
pub fn inside() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(hollow::Hollow {
            purity: hollow::Purity::Any,
        }),
        Box::new(macro_items::MacroItems),
        Box::new(delete::STATEMENTS),
        Box::new(delete::ARMS),
        Box::new(together::Fields),
        Box::new(delete::VARIANTS),
        Box::new(together::TraitItems),
        Box::new(delete::ATTRIBUTES),
        Box::new(delete::PARTS),
        Box::new(delete::USES),
        Box::new(delete::MODIFIERS),
        Box::new(delete::PREDICATES),
        Box::new(delete::BOUNDS),
        Box::new(together::Parameters),
        Box::new(together::TypeParameters),
        Box::new(flatten::Blocks),
        Box::new(hoist::Expressions),
        Box::new(delete::ELEMENTS),
        Box::new(delete::FIELDS),
        Box::new(hoist::Types),
        Box::new(hoist::Patterns),
        Box::new(simplify::Patterns),
        Box::new(simplify::Shapes),
        Box::new(delete::ATTRIBUTE_ARGUMENTS),
        Box::new(tokens::Segments),
        Box::new(tokens::Groups),
    ]
}

/// The passes over definitions of which many are never mentioned once the code that mentioned them is gone.
pub fn named() -> Vec<Box<dyn Pass>> {
    vec![Box::new(delete::VARIANTS), Box::new(together::Fields)]
}

/// Branches that hold nothing but a stub, where what decides about them looks as if it did nothing else: from what seems to
/// do so to what surely does.
pub fn hollow() -> [Box<dyn Pass>; 2] {
    [hollow::Purity::Signatures, hollow::Purity::Names]
        .map(|purity| Box::new(hollow::Hollow { purity }) as Box<dyn Pass>)
}

/// The passes that take text away without a look at what it is part of.
pub fn raw() -> Vec<Box<dyn Pass>> {
    vec![Box::new(raw::Lines), Box::new(raw::Tokens)]
}

/// Comments and documentation: they are no tokens, and only in the way.
pub fn comments() -> Box<dyn Pass> {
    Box::new(delete::Comments)
}

pub use answers::Answers;
pub use around_tests::around_tests;
pub use conditions::{Conditions, Holds};
pub use decisions::{At, End, decisions};
pub use delete::advice;
pub use inputs::Inputs;
pub use live::unreachable;
pub use seed::Seed;
pub use traversal::{Place, Traversal, UnknownTraversal, Walk};
pub use unused::{Unused, unused};

/// The nodes of all files that `wanted` takes, with their files.
fn nodes<'s>(
    subject: &'s Subject,
    wanted: impl Fn(&Tree, NodeId, &Node) -> bool + 's,
) -> impl Iterator<Item = (FileId, &'s Tree, NodeId, &'s Node)> {
    subject.sources().flat_map(move |(file, _, tree)| {
        let found: Vec<_> = tree
            .nodes()
            .filter(|(id, node)| wanted(tree, *id, node))
            .map(|(id, node)| (file, tree, id, node))
            .collect();
        found
    })
}

/// How many ancestors of `id` are of a kind that `same` takes: the level of nested elements.
fn level(tree: &Tree, id: NodeId, same: impl Fn(Kind) -> bool) -> usize {
    tree.ancestors(id)
        .filter(|outer| same(tree.node(*outer).kind))
        .count()
}

/// The elements that remove each of `ranges`.
fn cuts(
    subject: &Subject,
    ranges: impl IntoIterator<Item = (FileId, Kind, Range<usize>)>,
) -> Elements {
    ranges
        .into_iter()
        .map(|(file, kind, range)| Element::cut(subject, kind, file, range))
        .collect()
}
