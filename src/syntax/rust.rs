//! Rust, parsed by `syn`, as a [`Tree`] of byte ranges. Knows the shapes of the language and
//! nothing of what is done with them.

use std::ops::Range;

use proc_macro2::{Span, TokenStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::tokens;
use super::tree::{ExprKind, ItemKind, Kind, NodeId, PatKind, Separated, StmtKind, Tree, TypeKind};

/// Adds the nodes of syntax to a tree; offsets of spans are those of the tree's text.
pub(super) struct Builder<'t> {
    pub(super) tree: &'t mut Tree,
    pub(super) text: &'t str,
    stack: Vec<NodeId>,
    /// Inside an impl, a trait or an extern block.
    members: bool,
}

/// Bytes that `span` covers.
pub(super) fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

impl<'t> Builder<'t> {
    pub(super) fn new(tree: &'t mut Tree, text: &'t str) -> Builder<'t> {
        Builder {
            tree,
            text,
            stack: Vec::new(),
            members: false,
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
        let id = self.tree.push(kind, range, self.stack.last().copied());
        self.stack.push(id);
        inside(self);
        self.stack.pop();
        Some(id)
    }

    fn leaf(&mut self, kind: Kind, range: Range<usize>) {
        self.node(kind, range, |_| {});
    }

    fn modifier(&mut self, tokens: &Option<impl Spanned>) {
        if let Some(token) = tokens {
            self.leaf(Kind::Modifier, bytes(token.span()));
        }
    }

    fn named(&mut self, id: Option<NodeId>, name: &syn::Ident) {
        if let Some(id) = id {
            self.tree.name(id, bytes(name.span()));
        }
    }

    /// Records `elements` as a list and visits each of them with `each`.
    fn list<T: Spanned, P: Spanned>(
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
            let range = bytes(pair.value().span());
            list.separators
                .push(pair.punct().map(|punct| bytes(punct.span())));
            list.items.push(range);
            each(self, pair.into_value());
        }
        if !list.items.is_empty() {
            self.tree.list(list);
        }
    }

    fn bounds<P: Spanned>(
        &mut self,
        bounds: &Punctuated<syn::TypeParamBound, P>,
        frame: Vec<Range<usize>>,
    ) {
        self.list(bounds, frame, false, |b, bound| {
            b.visit_type_param_bound(bound)
        });
    }

    /// What stands between the brackets of a macro call: expressions or statements if it parses as
    /// such, tokens otherwise.
    fn macro_body(&mut self, mac: &syn::Macro, rules: bool) {
        use syn::parse::Parser;
        if mac.tokens.is_empty() {
            return;
        }
        if !rules {
            type Arguments = Punctuated<syn::Expr, syn::Token![,]>;
            if let Ok(arguments) = Arguments::parse_terminated.parse2(mac.tokens.clone()) {
                return self.list(&arguments, Vec::new(), false, |b, argument| {
                    b.visit_expr(argument)
                });
            }
            if let Ok(file) = syn::parse2::<syn::File>(mac.tokens.clone()) {
                return visit::visit_file(self, &file);
            }
            if let Ok(statements) = syn::Block::parse_within.parse2(mac.tokens.clone()) {
                return statements
                    .iter()
                    .for_each(|statement| self.visit_stmt(statement));
            }
        }
        tokens::group_contents(self, mac.tokens.clone());
    }

    fn item_node(
        &mut self,
        kind: ItemKind,
        item: &impl Spanned,
        name: Option<&syn::Ident>,
        inside: impl FnOnce(&mut Self),
    ) {
        let kind = if self.members {
            Kind::Member(kind)
        } else {
            Kind::Item(kind)
        };
        let outer = std::mem::replace(&mut self.members, false);
        let id = self.node(kind, bytes(item.span()), inside);
        self.members = outer;
        if let Some(name) = name {
            self.named(id, name);
        }
    }

    fn in_members(&mut self, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.members, true);
        inside(self);
        self.members = outer;
    }

    fn body(&mut self, block: &syn::Block) {
        self.node(Kind::Body, bytes(block.span()), |b| {
            visit::visit_block(b, block)
        });
    }

    fn attributes(&mut self, attributes: &[syn::Attribute]) {
        attributes
            .iter()
            .for_each(|attribute| self.visit_attribute(attribute));
    }

    fn ascription(&mut self, colon: &impl Spanned, ty: &syn::Type) {
        let range = bytes(colon.span()).start..bytes(ty.span()).end;
        self.node(Kind::Ascription, range, |b| b.visit_type(ty));
    }

    fn expr_list(&mut self, elements: &Punctuated<syn::Expr, syn::Token![,]>, tuple: bool) {
        self.list(elements, Vec::new(), tuple, |b, element| {
            b.visit_expr(element)
        });
    }

    fn pat_list(&mut self, elements: &Punctuated<syn::Pat, syn::Token![,]>, tuple: bool) {
        self.list(elements, Vec::new(), tuple, |b, element| {
            b.visit_pat(element)
        });
    }

    fn type_params(&mut self, generics: &syn::Generics) {
        if let (Some(open), Some(close)) = (&generics.lt_token, &generics.gt_token) {
            let frame = vec![bytes(open.span()), bytes(close.span())];
            self.list(&generics.params, frame, false, |b, param| {
                b.visit_generic_param(param)
            });
        }
    }

    fn generics(&mut self, generics: &syn::Generics) {
        self.type_params(generics);
        if let Some(clause) = &generics.where_clause {
            self.visit_where_clause(clause);
        }
    }

    fn signature(&mut self, signature: &syn::Signature) {
        self.modifier(&signature.constness);
        self.modifier(&signature.asyncness);
        if !matches!(signature.safety, syn::Safety::Default) {
            self.leaf(Kind::Modifier, bytes(signature.safety.span()));
        }
        self.modifier(&signature.abi);
        self.type_params(&signature.generics);
        self.list(&signature.inputs, Vec::new(), false, |b, input| {
            b.visit_fn_arg(input)
        });
        self.visit_return_type(&signature.output);
        if let Some(clause) = &signature.generics.where_clause {
            self.visit_where_clause(clause);
        }
    }
}

impl<'ast> Visit<'ast> for Builder<'_> {
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        let range = bytes(attribute.span());
        if attribute.path().is_ident("doc") {
            return self.leaf(Kind::Doc, range);
        }
        self.node(Kind::Attribute, range, |b| {
            if let syn::Meta::List(list) = &attribute.meta {
                tokens::attribute_arguments(b, list.tokens.clone());
            }
        });
    }

    fn visit_visibility(&mut self, visibility: &'ast syn::Visibility) {
        if !matches!(visibility, syn::Visibility::Inherited) {
            self.leaf(Kind::Visibility, bytes(visibility.span()));
        }
    }

    // ------------------------------------------------------------------------------- items

    fn visit_item(&mut self, item: &'ast syn::Item) {
        use syn::Item;
        match item {
            Item::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            Item::Enum(i) => self.item_node(ItemKind::Enum, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.list(&i.variants, Vec::new(), false, |b, variant| {
                    b.visit_variant(variant)
                });
            }),
            Item::ExternCrate(i) => {
                let name = i.rename.as_ref().map_or(&i.ident, |(_, name)| name);
                self.item_node(ItemKind::ExternCrate, item, Some(name), |b| {
                    b.attributes(&i.attrs);
                    b.visit_visibility(&i.vis);
                });
            }
            Item::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.signature(&i.sig);
                b.body(&i.block);
            }),
            Item::ForeignMod(i) => self.item_node(ItemKind::ForeignMod, item, None, |b| {
                b.attributes(&i.attrs);
                b.modifier(&i.unsafety);
                b.in_members(|b| {
                    i.items
                        .iter()
                        .for_each(|member| b.visit_foreign_item(member))
                });
            }),
            Item::Impl(i) => self.item_node(ItemKind::Impl, item, None, |b| {
                b.attributes(&i.attrs);
                b.modifier(&i.modifiers.defaultness);
                b.modifier(&i.unsafety);
                b.type_params(&i.generics);
                if let Some((path, for_token)) = &i.trait_ {
                    let range = bytes(path.span()).start..bytes(for_token.span()).end;
                    b.node(Kind::TraitRef, range, |b| {
                        b.modifier(&i.modifiers.polarity);
                        b.visit_path(path);
                    });
                }
                b.visit_type(&i.self_ty);
                if let Some(clause) = &i.generics.where_clause {
                    b.visit_where_clause(clause);
                }
                b.in_members(|b| i.items.iter().for_each(|member| b.visit_impl_item(member)));
            }),
            Item::Macro(i) => {
                let kind = if i.mac.path.is_ident("macro_rules") {
                    ItemKind::MacroRules
                } else {
                    ItemKind::MacroCall
                };
                self.item_node(kind, item, i.ident.as_ref(), |b| {
                    b.attributes(&i.attrs);
                    b.macro_body(&i.mac, kind == ItemKind::MacroRules);
                });
            }
            Item::Mod(i) => self.item_node(ItemKind::Mod, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.modifier(&i.unsafety);
                if let Some((_, items)) = &i.content {
                    items.iter().for_each(|inner| b.visit_item(inner));
                }
            }),
            Item::Static(i) => self.item_node(ItemKind::Static, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            Item::Struct(i) => self.item_node(ItemKind::Struct, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_fields(&i.fields);
            }),
            Item::Trait(i) => self.item_node(ItemKind::Trait, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.modifier(&i.modifiers.auto_token);
                b.modifier(&i.unsafety);
                b.type_params(&i.generics);
                let colon = i
                    .colon_token
                    .iter()
                    .map(|colon| bytes(colon.span()))
                    .collect();
                b.bounds(&i.supertraits, colon);
                if let Some(clause) = &i.generics.where_clause {
                    b.visit_where_clause(clause);
                }
                b.in_members(|b| i.items.iter().for_each(|member| b.visit_trait_item(member)));
            }),
            Item::TraitAlias(i) => {
                self.item_node(ItemKind::TraitAlias, item, Some(&i.ident), |b| {
                    b.attributes(&i.attrs);
                    b.visit_visibility(&i.vis);
                    b.generics(&i.generics);
                    b.bounds(&i.bounds, Vec::new());
                })
            }
            Item::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
            }),
            Item::Union(i) => self.item_node(ItemKind::Union, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_fields_named(&i.fields);
            }),
            Item::Use(i) => self.item_node(ItemKind::Use, item, None, |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.visit_use_tree(&i.tree);
            }),
            _ => self.item_node(ItemKind::Other, item, None, |b| visit::visit_item(b, item)),
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        use syn::ImplItem;
        self.members = true;
        match item {
            ImplItem::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            ImplItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.modifier(&i.modifiers.defaultness);
                b.signature(&i.sig);
                b.body(&i.block);
            }),
            ImplItem::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
            }),
            ImplItem::Macro(i) => self.item_node(ItemKind::MacroCall, item, None, |b| {
                b.attributes(&i.attrs);
                b.macro_body(&i.mac, false);
            }),
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_impl_item(b, item)
            }),
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        use syn::TraitItem;
        self.members = true;
        match item {
            TraitItem::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                if let Some((equals, value)) = &i.default {
                    let range = bytes(equals.span()).start..bytes(value.span()).end;
                    b.node(Kind::Init, range, |b| b.visit_expr(value));
                }
            }),
            TraitItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.attributes(&i.attrs);
                b.signature(&i.sig);
                if let Some(block) = &i.default {
                    b.body(block);
                }
            }),
            TraitItem::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.type_params(&i.generics);
                let colon = i
                    .colon_token
                    .iter()
                    .map(|colon| bytes(colon.span()))
                    .collect();
                b.bounds(&i.bounds, colon);
                if let Some((equals, ty)) = &i.default {
                    let range = bytes(equals.span()).start..bytes(ty.span()).end;
                    b.node(Kind::GenericDefault, range, |b| b.visit_type(ty));
                }
                if let Some(clause) = &i.generics.where_clause {
                    b.visit_where_clause(clause);
                }
            }),
            TraitItem::Macro(i) => self.item_node(ItemKind::MacroCall, item, None, |b| {
                b.attributes(&i.attrs);
                b.macro_body(&i.mac, false);
            }),
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_trait_item(b, item)
            }),
        }
    }

    fn visit_foreign_item(&mut self, item: &'ast syn::ForeignItem) {
        use syn::ForeignItem;
        self.members = true;
        match item {
            ForeignItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.signature(&i.sig);
            }),
            ForeignItem::Static(i) => self.item_node(ItemKind::Static, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.visit_visibility(&i.vis);
                b.visit_type(&i.ty);
            }),
            ForeignItem::Type(i) => {
                self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                    b.attributes(&i.attrs);
                    b.visit_visibility(&i.vis);
                })
            }
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_foreign_item(b, item)
            }),
        }
    }

    fn visit_macro(&mut self, mac: &'ast syn::Macro) {
        self.macro_body(mac, false);
    }

    fn visit_fields_named(&mut self, fields: &'ast syn::FieldsNamed) {
        self.list(&fields.named, Vec::new(), false, |b, field| {
            b.visit_field(field)
        });
    }

    fn visit_fields_unnamed(&mut self, fields: &'ast syn::FieldsUnnamed) {
        self.list(&fields.unnamed, Vec::new(), false, |b, field| {
            b.visit_field(field)
        });
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        let id = self.node(Kind::Field, bytes(field.span()), |b| {
            b.attributes(&field.attrs);
            b.visit_visibility(&field.vis);
            b.visit_type(&field.ty);
        });
        if let Some(name) = &field.ident {
            self.named(id, name);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        let id = self.node(Kind::Variant, bytes(variant.span()), |b| {
            b.attributes(&variant.attrs);
            b.visit_fields(&variant.fields);
            if let Some((equals, value)) = &variant.discriminant {
                let range = bytes(equals.span()).start..bytes(value.span()).end;
                b.node(Kind::Discriminant, range, |b| b.visit_expr(value));
            }
        });
        self.named(id, &variant.ident);
    }

    fn visit_use_tree(&mut self, tree: &'ast syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.visit_use_tree(&path.tree),
            syn::UseTree::Group(group) => {
                self.list(&group.items, Vec::new(), false, |b, inner| {
                    b.node(Kind::UseTree, bytes(inner.span()), |b| {
                        b.visit_use_tree(inner)
                    });
                });
            }
            syn::UseTree::Rename(rename) => {
                let range = bytes(rename.as_token.span()).start..bytes(rename.rename.span()).end;
                self.leaf(Kind::Rename, range);
            }
            _ => {}
        }
    }

    // ---------------------------------------------------------------------------- generics

    fn visit_where_clause(&mut self, clause: &'ast syn::WhereClause) {
        let frame = vec![bytes(clause.where_token.span())];
        self.list(&clause.predicates, frame, false, |b, predicate| {
            b.node(
                Kind::Predicate,
                bytes(predicate.span()),
                |b| match predicate {
                    syn::WherePredicate::Type(ty) => {
                        if let Some(lifetimes) = &ty.lifetimes {
                            b.visit_bound_lifetimes(lifetimes);
                        }
                        b.visit_type(&ty.bounded_ty);
                        b.bounds(&ty.bounds, Vec::new());
                    }
                    syn::WherePredicate::Lifetime(lifetime) => {
                        b.list(&lifetime.bounds, Vec::new(), false, |b, bound| {
                            b.leaf(Kind::Bound, bytes(bound.span()));
                        });
                    }
                    other => visit::visit_where_predicate(b, other),
                },
            );
        });
    }

    fn visit_generic_param(&mut self, param: &'ast syn::GenericParam) {
        let range = bytes(param.span());
        let (id, name) = match param {
            syn::GenericParam::Type(ty) => {
                let id = self.node(Kind::GenericParam, range, |b| {
                    b.attributes(&ty.attrs);
                    let colon = ty
                        .colon_token
                        .iter()
                        .map(|colon| bytes(colon.span()))
                        .collect();
                    b.bounds(&ty.bounds, colon);
                    if let Some((equals, default)) = &ty.default {
                        let range = bytes(equals.span()).start..bytes(default.span()).end;
                        b.node(Kind::GenericDefault, range, |b| b.visit_type(default));
                    }
                });
                (id, bytes(ty.ident.span()))
            }
            syn::GenericParam::Lifetime(lifetime) => {
                let id = self.node(Kind::GenericParam, range, |b| {
                    b.attributes(&lifetime.attrs);
                    let colon = lifetime
                        .colon_token
                        .iter()
                        .map(|colon| bytes(colon.span()))
                        .collect();
                    b.list(&lifetime.bounds, colon, false, |b, bound| {
                        b.leaf(Kind::Bound, bytes(bound.span()));
                    });
                });
                (id, bytes(lifetime.lifetime.span()))
            }
            syn::GenericParam::Const(constant) => {
                let id = self.node(Kind::GenericParam, range, |b| {
                    b.attributes(&constant.attrs);
                    b.visit_type(&constant.ty);
                    if let Some((equals, default)) = &constant.default {
                        let range = bytes(equals.span()).start..bytes(default.span()).end;
                        b.node(Kind::GenericDefault, range, |b| b.visit_expr(default));
                    }
                });
                (id, bytes(constant.ident.span()))
            }
        };
        if let Some(id) = id {
            self.tree.name(id, name);
        }
    }

    fn visit_type_param_bound(&mut self, bound: &'ast syn::TypeParamBound) {
        self.node(Kind::Bound, bytes(bound.span()), |b| {
            if let syn::TypeParamBound::Trait(bound) = bound {
                b.modifier(&bound.maybe);
            }
            visit::visit_type_param_bound(b, bound);
        });
    }

    fn visit_bound_lifetimes(&mut self, lifetimes: &'ast syn::BoundLifetimes) {
        self.node(Kind::ForLifetimes, bytes(lifetimes.span()), |b| {
            let frame = vec![
                bytes(lifetimes.for_token.span()),
                bytes(lifetimes.lt_token.span()),
                bytes(lifetimes.gt_token.span()),
            ];
            b.list(&lifetimes.lifetimes, frame, false, |b, param| {
                b.visit_generic_param(param)
            });
        });
    }

    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        arguments: &'ast syn::AngleBracketedGenericArguments,
    ) {
        self.node(Kind::GenericArgs, bytes(arguments.span()), |b| {
            let mut frame = vec![
                bytes(arguments.lt_token.span()),
                bytes(arguments.gt_token.span()),
            ];
            frame.extend(arguments.colon2_token.map(|colons| bytes(colons.span())));
            b.list(&arguments.args, frame, false, |b, argument| {
                b.node(
                    Kind::GenericArg,
                    bytes(argument.span()),
                    |b| match argument {
                        syn::GenericArgument::Lifetime(_) => {}
                        syn::GenericArgument::Constraint(constraint) => {
                            b.bounds(&constraint.bounds, Vec::new())
                        }
                        other => visit::visit_generic_argument(b, other),
                    },
                );
            });
        });
    }

    fn visit_parenthesized_generic_arguments(
        &mut self,
        arguments: &'ast syn::ParenthesizedGenericArguments,
    ) {
        self.list(&arguments.inputs, Vec::new(), false, |b, input| {
            b.visit_type(&input.ty)
        });
        self.visit_return_type(&arguments.output);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast syn::Lifetime) {
        self.leaf(Kind::Lifetime, bytes(lifetime.span()));
    }

    fn visit_fn_arg(&mut self, argument: &'ast syn::FnArg) {
        match argument {
            syn::FnArg::Receiver(_) => self.leaf(Kind::Receiver, bytes(argument.span())),
            syn::FnArg::Typed(typed) => {
                self.node(Kind::Param, bytes(argument.span()), |b| {
                    b.attributes(&typed.attrs);
                    b.visit_pat(&typed.pat);
                    b.visit_type(&typed.ty);
                });
            }
        }
    }

    fn visit_return_type(&mut self, output: &'ast syn::ReturnType) {
        if let syn::ReturnType::Type(_, ty) = output {
            self.node(Kind::ReturnType, bytes(output.span()), |b| b.visit_type(ty));
        }
    }

    // -------------------------------------------------------------------------- statements

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.node(Kind::Block, bytes(block.span()), |b| {
            visit::visit_block(b, block)
        });
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        let range = bytes(statement.span());
        match statement {
            syn::Stmt::Item(item) => {
                let outer = std::mem::replace(&mut self.members, false);
                self.visit_item(item);
                self.members = outer;
            }
            syn::Stmt::Local(local) => {
                self.node(Kind::Stmt(StmtKind::Let), range, |b| {
                    b.attributes(&local.attrs);
                    match &local.pat {
                        syn::Pat::Type(typed) => {
                            b.visit_pat(&typed.pat);
                            b.ascription(&typed.colon_token, &typed.ty);
                        }
                        pattern => b.visit_pat(pattern),
                    }
                    if let Some(init) = &local.init {
                        let range = bytes(init.eq_token.span()).start..bytes(init.expr.span()).end;
                        b.node(Kind::Init, range, |b| b.visit_expr(&init.expr));
                        if let Some((otherwise, block)) = &init.diverge {
                            let range = bytes(otherwise.span()).start..bytes(block.span()).end;
                            b.node(Kind::Else, range, |b| b.visit_expr(block));
                        }
                    }
                });
            }
            syn::Stmt::Expr(expr, _) => {
                self.node(Kind::Stmt(StmtKind::Expr), range, |b| b.visit_expr(expr));
            }
            syn::Stmt::Macro(call) => {
                self.node(Kind::Stmt(StmtKind::Macro), range, |b| {
                    b.attributes(&call.attrs);
                    b.macro_body(&call.mac, call.mac.path.is_ident("macro_rules"));
                });
            }
        }
    }

    // ------------------------------------------------------------------------- expressions

    fn visit_expr(&mut self, expr: &'ast syn::Expr) {
        use syn::Expr;
        let range = bytes(expr.span());
        let id = self.node(Kind::Expr(expr_kind(expr)), range, |b| match expr {
            Expr::Array(e) => {
                b.attributes(&e.attrs);
                b.expr_list(&e.elems, false);
            }
            Expr::Tuple(e) => {
                b.attributes(&e.attrs);
                b.expr_list(&e.elems, true);
            }
            Expr::Call(e) => {
                b.attributes(&e.attrs);
                b.visit_expr(&e.func);
                b.expr_list(&e.args, false);
            }
            Expr::MethodCall(e) => {
                b.attributes(&e.attrs);
                b.visit_expr(&e.receiver);
                if let Some(turbofish) = &e.turbofish {
                    b.visit_angle_bracketed_generic_arguments(turbofish);
                }
                b.expr_list(&e.args, false);
            }
            Expr::Struct(e) => {
                b.attributes(&e.attrs);
                b.visit_path(&e.path);
                b.list(&e.fields, Vec::new(), false, |b, field| {
                    b.node(Kind::FieldValue, bytes(field.span()), |b| {
                        if field.colon_token.is_some() {
                            b.visit_expr(&field.expr);
                        }
                    });
                });
                if let (Some(dots), Some(rest)) = (&e.dot2_token, &e.rest) {
                    let range = bytes(dots.span()).start..bytes(rest.span()).end;
                    b.node(Kind::Rest, range, |b| b.visit_expr(rest));
                }
            }
            Expr::Match(e) => {
                b.attributes(&e.attrs);
                b.visit_expr(&e.expr);
                e.arms.iter().for_each(|arm| b.visit_arm(arm));
            }
            Expr::If(e) => {
                b.attributes(&e.attrs);
                b.visit_expr(&e.cond);
                b.visit_block(&e.then_branch);
                if let Some((otherwise, branch)) = &e.else_branch {
                    let range = bytes(otherwise.span()).start..bytes(branch.span()).end;
                    b.node(Kind::Else, range, |b| b.visit_expr(branch));
                }
            }
            Expr::Closure(e) => {
                b.attributes(&e.attrs);
                b.modifier(&e.constness);
                b.modifier(&e.asyncness);
                b.modifier(&e.capture);
                b.list(&e.inputs, Vec::new(), false, |b, input| {
                    b.node(Kind::Param, bytes(input.span()), |b| match input {
                        syn::Pat::Type(typed) => {
                            b.visit_pat(&typed.pat);
                            b.ascription(&typed.colon_token, &typed.ty);
                        }
                        pattern => b.visit_pat(pattern),
                    });
                });
                b.visit_return_type(&e.output);
                b.visit_expr(&e.body);
            }
            Expr::Reference(e) => {
                b.attributes(&e.attrs);
                b.modifier(&e.mutability);
                b.visit_expr(&e.expr);
            }
            Expr::Async(e) => {
                b.attributes(&e.attrs);
                b.modifier(&e.capture);
                b.visit_block(&e.block);
            }
            other => visit::visit_expr(b, other),
        });
        if let Some(name) = mentioned_name(expr) {
            self.named(id, name);
        }
    }

    fn visit_label(&mut self, label: &'ast syn::Label) {
        self.leaf(Kind::Label, bytes(label.span()));
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.node(Kind::Arm, bytes(arm.span()), |b| {
            b.attributes(&arm.attrs);
            b.visit_pat(&arm.pat);
            b.visit_expr(&arm.body);
        });
    }

    // -------------------------------------------------------------------- types, patterns

    fn visit_type(&mut self, ty: &'ast syn::Type) {
        use syn::Type;
        let range = bytes(ty.span());
        let id = self.node(Kind::Type(type_kind(ty)), range, |b| match ty {
            Type::Tuple(t) => b.list(&t.elems, Vec::new(), true, |b, element| {
                b.visit_type(element)
            }),
            Type::ImplTrait(t) => b.bounds(&t.bounds, Vec::new()),
            Type::TraitObject(t) => b.bounds(&t.bounds, Vec::new()),
            Type::FnPtr(t) => {
                if let Some(lifetimes) = &t.lifetimes {
                    b.visit_bound_lifetimes(lifetimes);
                }
                b.modifier(&t.unsafety);
                b.modifier(&t.abi);
                b.list(&t.inputs, Vec::new(), false, |b, input| {
                    b.visit_type(&input.ty)
                });
                b.visit_return_type(&t.output);
            }
            Type::Reference(t) => {
                if let Some(lifetime) = &t.lifetime {
                    b.visit_lifetime(lifetime);
                }
                b.modifier(&t.mutability);
                b.visit_type(&t.elem);
            }
            other => visit::visit_type(b, other),
        });
        if let Type::Path(path) = ty
            && let Some(last) = path.path.segments.last()
        {
            self.named(id, &last.ident);
        }
    }

    fn visit_pat(&mut self, pattern: &'ast syn::Pat) {
        use syn::Pat;
        if let Pat::Guard(guarded) = pattern {
            self.visit_pat(&guarded.pat);
            let range = bytes(guarded.if_token.span()).start..bytes(guarded.guard.span()).end;
            self.node(Kind::Init, range, |b| b.visit_expr(&guarded.guard));
            return;
        }
        let range = bytes(pattern.span());
        let id = self.node(Kind::Pat(pat_kind(pattern)), range, |b| match pattern {
            Pat::Ident(p) => {
                b.modifier(&p.by_ref);
                b.modifier(&p.mutability);
                if let Some((_, inner)) = &p.subpat {
                    b.visit_pat(inner);
                }
            }
            Pat::Or(p) => b.list(&p.cases, Vec::new(), false, |b, case| b.visit_pat(case)),
            Pat::Slice(p) => b.pat_list(&p.elems, false),
            Pat::Tuple(p) => b.pat_list(&p.elems, true),
            Pat::TupleStruct(p) => b.pat_list(&p.elems, false),
            Pat::Struct(p) => {
                b.visit_path(&p.path);
                b.list(&p.fields, Vec::new(), false, |b, field| {
                    b.node(Kind::FieldPat, bytes(field.span()), |b| {
                        if field.colon_token.is_some() {
                            b.visit_pat(&field.pat);
                        }
                    });
                });
                if let Some(rest) = &p.rest {
                    b.leaf(Kind::Rest, bytes(rest.span()));
                }
            }
            Pat::Reference(p) => {
                b.modifier(&p.mutability);
                b.visit_pat(&p.pat);
            }
            other => visit::visit_pat(b, other),
        });
        match pattern {
            Pat::Ident(p) => self.named(id, &p.ident),
            Pat::TupleStruct(syn::PatTupleStruct { path, .. })
            | Pat::Struct(syn::PatStruct { path, .. }) => {
                if let Some(last) = path.segments.last() {
                    self.named(id, &last.ident);
                }
            }
            _ => {}
        }
    }
}

/// The name that a call, a path or a struct expression is about: its last path segment.
fn mentioned_name(expr: &syn::Expr) -> Option<&syn::Ident> {
    match expr {
        syn::Expr::MethodCall(call) => Some(&call.method),
        syn::Expr::Call(call) => mentioned_name(&call.func),
        syn::Expr::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        syn::Expr::Struct(value) => value.path.segments.last().map(|segment| &segment.ident),
        syn::Expr::Macro(call) => call.mac.path.segments.last().map(|segment| &segment.ident),
        syn::Expr::Field(field) => match &field.member {
            syn::Member::Named(name) => Some(name),
            syn::Member::Unnamed(_) => None,
        },
        _ => None,
    }
}

fn expr_kind(expr: &syn::Expr) -> ExprKind {
    use syn::Expr;
    match expr {
        Expr::Array(_) => ExprKind::Array,
        Expr::Assign(_) => ExprKind::Assign,
        Expr::Async(_) => ExprKind::Async,
        Expr::Await(_) => ExprKind::Await,
        Expr::Binary(_) => ExprKind::Binary,
        Expr::Block(_) | Expr::TryBlock(_) => ExprKind::Block,
        Expr::Break(_) | Expr::Continue(_) => ExprKind::Break,
        Expr::Call(_) => ExprKind::Call,
        Expr::Cast(_) => ExprKind::Cast,
        Expr::Closure(_) => ExprKind::Closure,
        Expr::Const(_) => ExprKind::Const,
        Expr::Field(_) => ExprKind::Field,
        Expr::ForLoop(_) => ExprKind::For,
        Expr::If(_) => ExprKind::If,
        Expr::Index(_) => ExprKind::Index,
        Expr::Let(_) => ExprKind::Let,
        Expr::Lit(_) => ExprKind::Lit,
        Expr::Loop(_) => ExprKind::Loop,
        Expr::Macro(_) => ExprKind::Macro,
        Expr::Match(_) => ExprKind::Match,
        Expr::MethodCall(_) => ExprKind::MethodCall,
        Expr::Paren(_) | Expr::Group(_) => ExprKind::Paren,
        Expr::Path(_) => ExprKind::Path,
        Expr::Range(_) => ExprKind::Range,
        Expr::Reference(_) | Expr::RawAddr(_) => ExprKind::Reference,
        Expr::Repeat(_) => ExprKind::Repeat,
        Expr::Return(_) => ExprKind::Return,
        Expr::Struct(_) => ExprKind::Struct,
        Expr::Try(_) => ExprKind::Try,
        Expr::Tuple(_) => ExprKind::Tuple,
        Expr::Unary(_) => ExprKind::Unary,
        Expr::Unsafe(_) => ExprKind::Unsafe,
        Expr::While(_) => ExprKind::While,
        _ => ExprKind::Other,
    }
}

fn type_kind(ty: &syn::Type) -> TypeKind {
    use syn::Type;
    match ty {
        Type::Array(_) => TypeKind::Array,
        Type::FnPtr(_) => TypeKind::FnPtr,
        Type::ImplTrait(_) => TypeKind::ImplTrait,
        Type::Infer(_) => TypeKind::Infer,
        Type::Macro(_) => TypeKind::Macro,
        Type::Never(_) => TypeKind::Never,
        Type::Paren(_) | Type::Group(_) => TypeKind::Paren,
        Type::Path(_) => TypeKind::Path,
        Type::Ptr(_) => TypeKind::Ptr,
        Type::Reference(_) => TypeKind::Reference,
        Type::Slice(_) => TypeKind::Slice,
        Type::TraitObject(_) => TypeKind::TraitObject,
        Type::Tuple(_) => TypeKind::Tuple,
        _ => TypeKind::Other,
    }
}

fn pat_kind(pattern: &syn::Pat) -> PatKind {
    use syn::Pat;
    match pattern {
        Pat::Ident(_) => PatKind::Ident,
        Pat::Or(_) => PatKind::Or,
        Pat::Paren(_) => PatKind::Paren,
        Pat::Path(_) => PatKind::Path,
        Pat::Reference(_) => PatKind::Reference,
        Pat::Rest(_) => PatKind::Rest,
        Pat::Slice(_) => PatKind::Slice,
        Pat::Struct(_) => PatKind::Struct,
        Pat::Tuple(_) => PatKind::Tuple,
        Pat::TupleStruct(_) => PatKind::TupleStruct,
        Pat::Wild(_) => PatKind::Wild,
        _ => PatKind::Other,
    }
}

/// Whether `tokens` parses as a `T`, and the `T`.
pub(super) fn parsed<T: syn::parse::Parse>(tokens: TokenStream) -> Option<T> {
    syn::parse2(tokens).ok()
}
