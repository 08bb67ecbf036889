//! Passes: each turns the present subject into lists of elements for a minimizer. A pass looks at
//! syntax and names; it never runs a process and never learns a verdict.
//!
//! # What each is worth
//!
//! Each pass left out in turn, on crashes of rustc in files and packages. Where it takes fewer trials
//! without a pass, the difference is what it takes to find out that it has nothing more to take: `tokens`,
//! `groups`, and `variants` with an enum of 257 that has to stay as it is.
//!
//! Measured at 5d8ce91. Passes that were worth nothing here have gone: `traits-with-impls` at once, and `blanket-impls`,
//! `merge-arms`, `parameters` and `projections` after nothing came of them in 56 more crashes of rustc either (`--cases DIR --passes …`), where
//! they took 139 trials. There `simplify-values` is worth 95 tokens, `unwrap-newtypes` 86, `trait-items-with-impls` 30 and `members` 13.
//! Failing tests are what the others are for (`passes` in report.json, 200 s): of 14, `flatten-blocks` takes 208 tokens, `arms` 135, `fields` 32, `shapes` 11 and
//! `attribute-arguments` 9. `merge-impls` has had nothing to merge in any of these, which costs nothing. What `members` costs
//! here is one input, in which the three tokens that it takes were in the way of more.
//!
// worth table: begin
//! `cargo bench --bench worth -- ice-`: 16 inputs.
//!
//! | without | tokens more | trials more | its trials | inputs |
//! | --- | ---: | ---: | ---: | ---: |
//! | uses | 319 | 153 | 32 | 7 |
//! | attributes | 188 | −63 | 51 | 10 |
//! | parameters-with-arguments | 176 | 69 | 26 | 4 |
//! | items | 107 | 62 | 242 | 12 |
//! | type-parameters-with-arguments | 98 | 96 | 105 | 7 |
//! | concrete-parameters | 72 | 146 | 21 | 2 |
//! | known-definitions | 51 | −11 | 27 | 7 |
//! | segments | 48 | 141 | 5 | 1 |
//! | flatten-modules | 43 | −11 | 8 | 8 |
//! | inline-macros | 40 | 91 | 1 | 1 |
//! | bodies | 36 | 80 | 44 | 8 |
//! | other-parameters | 31 | −56 | 64 | 6 |
//! | return-types | 28 | 16 | 21 | 2 |
//! | simplify-types | 27 | −81 | 86 | 5 |
//! | hoist-expressions | 26 | −37 | 103 | 5 |
//! | parts | 24 | −27 | 62 | 3 |
//! | inline-files | 24 | −37 | 6 | 6 |
//! | other-definitions | 18 | 1 | 38 | 2 |
//! | modifiers | 16 | −45 | 38 | 10 |
//! | simplify-patterns | 15 | −3 | 5 | 3 |
//! | hoist-patterns | 15 | −17 | 6 | 3 |
//! | inline-uses | 12 | −24 | 2 | 2 |
//! | hoist-types | 11 | −26 | 57 | 6 |
//! | type-parameters | 11 | −91 | 100 | 4 |
//! | iterators-to-functions | 9 | −1 | 2 | 2 |
//! | structs-to-tuples | 9 | −4 | 4 | 2 |
//! | macro-arguments | 8 | 2 | 13 | 1 |
//! | statements | 8 | −25 | 42 | 4 |
//! | impl-parameters | 7 | −4 | 2 | 2 |
//! | seed | 7 | −89 | 14 | 8 |
//! | match-to-if-let | 6 | 11 | 5 | 3 |
//! | fields-with-values | 6 | 4 | 10 | 5 |
//! | lets-to-returns | 6 | −1 | 1 | 1 |
//! | lets-to-values | 6 | −9 | 10 | 3 |
//! | projections-once | 5 | −3 | 8 | 2 |
//! | inline-values | 5 | −6 | 9 | 1 |
//! | tokens | 5 | −187 | 183 | 1 |
//! | macros-to-values | 4 | 7 | 1 | 1 |
//! | methods-to-functions | 4 | 5 | 1 | 1 |
//! | inline-predicates | 4 | 0 | 2 | 2 |
//! | impls-to-functions | 4 | −1 | 12 | 1 |
//! | uses-to-globs | 4 | −2 | 1 | 1 |
//! | anonymous-lifetimes | 4 | −6 | 10 | 2 |
//! | functions-to-impls | 4 | −29 | 5 | 1 |
//! | elements | 4 | −38 | 49 | 5 |
//! | bounds | 3 | 35 | 49 | 5 |
//! | predicates | 3 | −6 | 20 | 3 |
//! | structs-to-units | 2 | −2 | 6 | 4 |
//! | rename | 1 | −15 | 15 | 15 |
//! | groups | 1 | −111 | 110 | 1 |
//! | solve | 0 | 45 | 20 | 2 |
//! | conditions | 0 | 15 | 6 | 6 |
//! | comments | 0 | 3 | 12 | 12 |
//! | unwrap-newtypes | 0 | 1 | 2 | 1 |
//! | by-kind | 0 | 0 | 0 | 0 |
//! | inline-deps | 0 | 0 | 0 | 0 |
//! | join-crates | 0 | 0 | 0 | 0 |
//! | merge-impls | 0 | 0 | 0 | 0 |
//! | shapes | 0 | 0 | 1 | 1 |
//! | trait-items-with-impls | 0 | 0 | 13 | 2 |
//! | flatten-blocks | 0 | −1 | 1 | 0 |
//! | fields | 0 | −2 | 2 | 1 |
//! | attribute-arguments | 0 | −3 | 3 | 0 |
//! | arms | 0 | −5 | 5 | 0 |
//! | manifest | 0 | −42 | 42 | 6 |
//! | variants | 0 | −778 | 787 | 1 |
//! | simplify-values | −17 | −104 | 106 | 6 |
//! | members | −42 | −175 | 33 | 2 |
// worth table: end

mod answers;
mod around_tests;
pub mod assertions;
mod bindings;
mod bounds;
pub mod calls;
pub mod cases;
pub mod certain;
pub mod changes;
mod components;
mod concrete;
mod conditional;
mod conditions;
mod constant_fields;
mod constant_parameters;
pub mod consts;
pub mod data;
mod decisions;
pub mod definitions;
mod delete;
mod derives;
mod ends;
pub mod expansions;
pub mod expected;
mod fed;
mod flatten;
mod hoist;
mod hollow;
mod impl_shells;
mod imports;
mod inherent;
mod inline;
mod inputs;
pub mod instances;
mod lets;
pub mod literals;
mod live;
mod macro_arguments;
mod macro_items;
mod macro_rules;
mod macro_values;
mod macros;
pub mod manifest;
mod merge;
pub mod methods;
mod names;
mod one_arm;
mod one_form;
pub mod one_module;
mod one_name;
pub mod only_calls;
mod own_error;
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
pub mod small_functions;
mod strings;
mod stub;
mod substitute;
pub mod switches;
mod tables;
mod taken_apart;
#[cfg(test)]
mod testing;
mod together;
mod tokens;
mod traversal;
mod tuples;
mod unused;
pub mod unwrap;
mod values;
pub mod variants;
mod written;

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

/// The passes that say what types there are in fewer words. Nearly all that they ask for may be had: what the search inside
/// definitions has to do is less afterwards.
pub fn types_in_fewer_words() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(concrete::ConcreteParameters::default()),
        Box::new(one_form::EnumsToStructs),
        Box::new(own_error::OwnError),
        Box::new(unwrap::Aliases),
        Box::new(bounds::InlinePredicates),
        Box::new(bounds::AnonymousLifetimes),
        Box::new(bounds::ImplParameters),
        Box::new(derives::Derives),
        Box::new(merge::MergeImpls),
        Box::new(methods::MethodsToFunctions),
        Box::new(project::Mentions),
    ]
}

/// The passes that write a test which has nothing more to lose in fewer words, and leave what it does as it is, but for its types.
pub fn in_fewer_words() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(delete::TYPE_PARAMETERS),
        Box::new(tuples::ToUnit),
        Box::new(returns::ReturnTypes),
        Box::new(inline::InlineValues::ALL),
        Box::new(hoist::Initials),
        Box::new(macros::OnlyUses),
        Box::new(shorter::Matches),
        Box::new(shorter::Returns),
        Box::new(paths::Standard),
        Box::new(paths::Globs),
        Box::new(paths::InlineUses),
    ]
}

/// What is bound once and used once, in the place of its name, where it is short.
pub fn short_values_used_once() -> [Box<dyn Pass>; 1] {
    [Box::new(inline::InlineValues::SHORT)]
}

/// Enums of which one variant is left.
pub fn of_one_form() -> [Box<dyn Pass>; 1] {
    [Box::new(one_form::EnumsToStructs)]
}

/// What is made to be taken apart at once, other names for what has one, what is matched in one way, and what every
/// call and every value of a struct gives.
pub fn said_twice() -> [Box<dyn Pass>; 5] {
    [
        Box::new(constant_fields::ConstantFields),
        Box::new(constant_parameters::ConstantParameters),
        Box::new(one_arm::OneArm),
        Box::new(taken_apart::TakenApart),
        Box::new(taken_apart::OtherNames),
    ]
}

/// Structs with one field.
pub fn newtypes() -> [Box<dyn Pass>; 1] {
    [Box::new(unwrap::Newtypes)]
}

/// Whole definitions, alone.
pub fn items() -> Box<dyn Pass> {
    Box::new(delete::ITEMS)
}

/// Expressions that give way to one that stands in them.
pub fn expressions() -> Box<dyn Pass> {
    Box::new(hoist::Expressions)
}

/// The bodies of all functions, as elements that stub them.
pub fn bodies(subject: &Subject) -> Elements {
    stub::Bodies.list(subject, 0).unwrap_or_default()
}

/// The passes that work inside definitions.
pub fn fine() -> Vec<Box<dyn Pass>> {
    vec![
        Box::new(delete::STATEMENTS),
        Box::new(fed::FedStatements),
        Box::new(delete::VARIANTS),
        Box::new(together::Fields),
        Box::new(one_name::OneName),
        Box::new(delete::FIELDS),
        Box::new(delete::ARMS),
        Box::new(delete::PREDICATES),
        Box::new(delete::BOUNDS),
        Box::new(substitute::OtherParameters),
        Box::new(together::Parameters),
        Box::new(together::TypeParameters),
        Box::new(concrete::ConcreteParameters::default()),
        Box::new(delete::TYPE_PARAMETERS),
        Box::new(bounds::InlinePredicates),
        Box::new(bounds::AnonymousLifetimes),
        Box::new(bounds::ImplParameters),
        Box::new(together::TraitItems),
        Box::new(impl_shells::ImplsToFunctions),
        Box::new(methods::MethodsToFunctions),
        Box::new(merge::MergeImpls),
        Box::new(substitute::OtherDefinitions),
        Box::new(substitute::KnownDefinitions),
        Box::new(one_form::EnumsToStructs),
        Box::new(unwrap::Newtypes),
        Box::new(tuples::ToUnit),
        Box::new(tuples::ToTuple),
        Box::new(project::Mentions),
        Box::new(returns::ReturnTypes),
        Box::new(signatures::FunctionsToImpls),
        Box::new(delete::PARTS),
        Box::new(delete::MODIFIERS),
        Box::new(inline::InlineValues::ALL),
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
        Box::new(one_arm::OneArm),
        Box::new(shorter::Matches),
        Box::new(shorter::Returns),
        Box::new(shorter::Iterators),
        Box::new(delete::ATTRIBUTE_ARGUMENTS),
        Box::new(paths::Standard),
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
        Box::new(delete::STATEMENTS),
        Box::new(fed::FedStatements),
        Box::new(delete::ARMS),
        Box::new(together::Fields),
        Box::new(one_name::OneName),
        Box::new(components::Components),
        Box::new(delete::VARIANTS),
        Box::new(together::TraitItems),
        Box::new(inherent::TraitsToInherent),
        Box::new(macro_items::MacroItems),
        Box::new(delete::ATTRIBUTES),
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
        Box::new(delete::PARTS),
        Box::new(delete::MODIFIERS),
        Box::new(paths::ShortPaths),
        Box::new(delete::ATTRIBUTE_ARGUMENTS),
        Box::new(tokens::Segments),
        Box::new(tokens::Groups),
    ]
}

/// The passes over what the compiler alone has a say in: nothing runs in another way without it.
pub fn compiled_away() -> [Box<dyn Pass>; 6] {
    [
        Box::new(delete::ATTRIBUTES),
        Box::new(delete::PREDICATES),
        Box::new(delete::BOUNDS),
        Box::new(together::TypeParameters),
        Box::new(delete::MODIFIERS),
        Box::new(paths::ShortPaths),
    ]
}

/// The passes over what is said of type parameters: of little use once generic code is concrete.
pub fn said_of_parameters() -> [Box<dyn Pass>; 2] {
    [Box::new(delete::PREDICATES), Box::new(delete::BOUNDS)]
}

/// The pass over the parameters of types that are given one thing only.
pub fn concrete_parameters() -> [Box<dyn Pass>; 1] {
    let grow = TOKENS_OF_A_REFERENCE;
    [Box::new(concrete::ConcreteParameters { grow })]
}

/// So many tokens may be added where a type gets a lifetime in the place of a parameter, whose bounds are of no use any more.
const TOKENS_OF_A_REFERENCE: i64 = 40;

/// The pass that says what associated types are.
pub fn projections() -> [Box<dyn Pass>; 1] {
    [Box::new(project::Mentions)]
}

/// The pass over traits of which types can have the methods themselves.
pub fn traits() -> [Box<dyn Pass>; 1] {
    [Box::new(inherent::TraitsToInherent)]
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

/// What the compiler said of a subject after some edits, about a place as it was before them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// As in `E0308`.
    pub code: String,
    /// The message, and what it says at that place.
    pub said: String,
    /// The file of that place.
    pub file: FileId,
    /// The bytes of it.
    pub range: Range<usize>,
    /// What is shown to explain it.
    pub about: Vec<(FileId, Range<usize>)>,
}

pub use answers::Answers;
pub use around_tests::{around_tests, calls_that_make, tests, tokens_around_tests};
pub use bindings::loses_a_name;
pub use conditional::conditional_calls;
pub use conditions::{Conditions, Holds};
pub use data::Data;
pub use decisions::{
    At, End, check, closed, decisions, endless, idle, may_run, place, stood, stubs_behind,
    turnable, unentered,
};
pub use delete::advice;
pub use inputs::Inputs;
pub use live::unreachable;
pub use query::function_around;
pub use seed::Seed;
pub use small_functions::SmallFunctions;
pub use tables::{Tables, uncounted};
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

/// Where the bracket around the fields of the struct or the variant `node` opens, which may not be the first that there is:
/// `struct S<F: Fn(u8)> where [(); N]: {`.
fn fields_open(source: &str, tree: &Tree, node: &Node) -> Option<usize> {
    let children = node.children.iter().map(|child| tree.node(*child));
    let bounds: Vec<&Node> = children
        .filter(|child| matches!(child.kind, Kind::GenericParam | Kind::Predicate))
        .collect();
    let rest = node.name.clone()?.end..node.range.end;
    let mut tokens = tree.tokens_in(&rest).iter().map(|token| token.range());
    let open = tokens.find(|token| {
        let is_bound = bounds
            .iter()
            .any(|bound| bound.range.contains(&token.start));
        matches!(&source[token.clone()], "{" | "(") && !is_bound
    })?;
    Some(open.start)
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
