//! Rust, parsed by `syn`, as a [`Tree`] of byte ranges. Knows the shapes of the language and
//! nothing of what is done with them.

mod expressions;
mod items;
mod types;

use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::tokens::{self, Place};
use super::tree::{Kind, NodeId, Separated, Tree};

/// Adds the nodes of syntax to a tree; offsets of spans are those of the tree's text.
pub(super) struct Builder<'t> {
    pub(super) tree: &'t mut Tree,
    pub(super) text: &'t str,
    stack: Vec<NodeId>,
    /// Inside an impl, a trait or an extern block.
    members: bool,
    /// Where there is something that `syn` does not know, blanked or left out for it: modifiers of the nodes that they
    /// stand in or in front of.
    new: Vec<Range<usize>>,
}

/// Bytes that `span` covers.
pub(super) fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

/// From where `first` starts to where `last` ends.
fn between(first: &impl Spanned, last: &impl Spanned) -> Range<usize> {
    bytes(first.span()).start..bytes(last.span()).end
}

/// The sign that goes with the last element of its list, if there is one.
fn frame(sign: &Option<impl Spanned>) -> Vec<Range<usize>> {
    sign.iter().map(|sign| bytes(sign.span())).collect()
}

impl<'t> Builder<'t> {
    /// A builder for `text`, where `new` was blanked so that `syn` knows the rest.
    pub(super) fn new(tree: &'t mut Tree, text: &'t str, new: Vec<Range<usize>>) -> Builder<'t> {
        Builder {
            tree,
            text,
            stack: Vec::new(),
            members: false,
            new,
        }
    }

    /// Adds a node and, inside it, what `inside` adds. Empty ranges make no node.
    pub(super) fn node(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        inside: impl FnOnce(&mut Self),
    ) -> Option<NodeId> {
        if range.is_empty() || range.end > self.text.len() {
            inside(self);
            return None;
        }
        // A file has no modifiers, and neither have those.
        let widens = !matches!(kind, Kind::File | Kind::Modifier);
        let range = match widens {
            true => self.with_what_is_new(range),
            false => range,
        };
        let parent = self.stack.last().copied();
        let id = self.tree.push(kind, range.clone(), parent);
        self.stack.push(id);
        self.modifiers(|new| widens && new.start == range.start && new.end < range.end);
        inside(self);
        self.modifiers(|new| range.start <= new.start && new.end <= range.end);
        self.stack.pop();
        Some(id)
    }

    /// Runs `inside` as if `id` were being added.
    pub(super) fn inside(&mut self, id: NodeId, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.stack, vec![id]);
        inside(self);
        self.stack = outer;
    }

    /// `range` together with what stands right in front of it and is new.
    fn with_what_is_new(&self, range: Range<usize>) -> Range<usize> {
        let in_front = |new: &&Range<usize>| {
            new.end <= range.start && self.text[new.end..range.start].trim().is_empty()
        };
        let new = self.new.iter().find(in_front);
        new.map_or(range.start, |new| new.start)..range.end
    }

    /// Adds what is new and `here` as modifiers of the node that is being added.
    fn modifiers(&mut self, here: impl Fn(&Range<usize>) -> bool) {
        for new in self.new.extract_if(.., |new| here(new)).collect::<Vec<_>>() {
            let parent = self.stack.last().copied();
            self.tree.push(Kind::Modifier, new, parent);
        }
    }

    /// Adds what `inside` adds, which leaves `new` out.
    pub(super) fn around_new(&mut self, new: Range<usize>, inside: impl FnOnce(&mut Self)) {
        self.new.push(new.clone());
        inside(self);
        self.modifiers(|left| *left == new);
    }

    pub(super) fn leaf(&mut self, kind: Kind, range: Range<usize>) {
        self.node(kind, range, |_| {});
    }

    /// What `syn` hands on as tokens: `known` syntax with something new about it, which `visit` adds; else an item or a member
    /// of a `place`, or tokens.
    fn unknown<T: syn::parse::Parse>(
        &mut self,
        unknown: &TokenStream,
        place: Option<Place>,
        known: impl Fn(&T) -> bool,
        visit: impl FnOnce(&mut Self, &T),
    ) {
        match (tokens::without_what_is_new(unknown, known), place) {
            (Some((known, new)), _) => self.around_new(new, |b| visit(b, &known)),
            (None, Some(place)) => tokens::unknown_item(self, unknown.clone(), place),
            (None, None) => tokens::group_contents(self, unknown.clone()),
        }
    }

    pub(super) fn named(&mut self, id: Option<NodeId>, name: &syn::Ident) {
        if let Some(id) = id {
            self.tree.name(id, bytes(name.span()));
        }
    }

    /// Records `elements` as a list and visits each of them with `each`.
    pub(super) fn list<T: Spanned, P: Spanned>(
        &mut self,
        elements: &Punctuated<T, P>,
        frame: Vec<Range<usize>>,
        tuple: bool,
        mut each: impl FnMut(&mut Self, &T),
    ) {
        let mut list = Separated {
            frame,
            tuple,
            ..Separated::default()
        };
        for pair in elements.pairs() {
            let range = self.with_what_is_new(bytes(pair.value().span()));
            list.separators
                .push(pair.punct().map(|punct| bytes(punct.span())));
            list.items.push(range);
            each(self, pair.into_value());
        }
        if !list.items.is_empty() {
            self.tree.list(list);
        }
    }
}

/// What `syn` comes across: each goes to the module that knows it.
impl<'ast> Visit<'ast> for Builder<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        self.attribute(attribute);
    }

    fn visit_visibility(&mut self, visibility: &'ast syn::Visibility) {
        self.visibility(visibility);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        self.item(item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        self.impl_item(item);
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        self.trait_item(item);
    }

    fn visit_foreign_item(&mut self, item: &'ast syn::ForeignItem) {
        self.foreign_item(item);
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.macro_body(mac, false);
    }

    fn visit_fields_named(&mut self, fields: &'ast syn::FieldsNamed) {
        self.fields_named(fields);
    }

    fn visit_fields_unnamed(&mut self, fields: &'ast syn::FieldsUnnamed) {
        self.fields_unnamed(fields);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.field(field);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.variant(variant);
    }

    fn visit_use_tree(&mut self, tree: &'ast syn::UseTree) {
        self.use_tree(tree);
    }

    fn visit_where_clause(&mut self, clause: &'ast syn::WhereClause) {
        self.where_clause(clause);
    }

    fn visit_generic_param(&mut self, param: &'ast syn::GenericParam) {
        self.generic_param(param);
    }

    fn visit_type_param_bound(&mut self, bound: &'ast syn::TypeParamBound) {
        self.type_param_bound(bound);
    }

    fn visit_bound_lifetimes(&mut self, lifetimes: &'ast syn::BoundLifetimes) {
        self.bound_lifetimes(lifetimes);
    }

    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        arguments: &'ast syn::AngleBracketedGenericArguments,
    ) {
        self.angle_arguments(arguments);
    }

    fn visit_parenthesized_generic_arguments(
        &mut self,
        arguments: &'ast syn::ParenthesizedGenericArguments,
    ) {
        self.parenthesized_arguments(arguments);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.lifetime(lifetime);
    }

    fn visit_fn_arg(&mut self, argument: &'ast syn::FnArg) {
        self.fn_arg(argument);
    }

    fn visit_return_type(&mut self, output: &'ast syn::ReturnType) {
        self.return_type(output);
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.block(block);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        self.statement(statement);
    }

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        self.expression(expr);
    }

    fn visit_label(&mut self, label: &'ast syn::Label) {
        self.label(label);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.arm(arm);
    }

    fn visit_type(&mut self, ty: &'ast syn::Type) {
        self.ty(ty);
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        self.pattern(pattern);
    }
}

/// Whether `tokens` parses as a `T`, and the `T`.
pub(super) fn parsed<T: syn::parse::Parse>(tokens: TokenStream) -> Option<T> {
    syn::parse2(tokens).ok()
}
