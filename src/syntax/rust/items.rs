//! Items and their members: what is named, and what stands in front of its name. Knows no expression.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::super::tokens::{self, Place};
use super::super::tree::{ItemKind, Kind};
use super::{Builder, between, bytes, frame, parsed};

/// What `matches!` and `assert_matches!` are called with: a value, a pattern and a condition.
struct Asked {
    value: syn::Expr,
    pattern: syn::Pat,
    condition: Option<(syn::Token![if], syn::Expr)>,
}

impl syn::parse::Parse for Asked {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Asked> {
        let value = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let pattern = syn::Pat::parse_multi_with_leading_vert(input)?;
        let condition = match input.peek(syn::Token![if]) {
            true => Some((input.parse()?, input.parse()?)),
            false => None,
        };
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Asked {
            value,
            pattern,
            condition,
        })
    }
}

impl Asked {
    fn visited(&self, builder: &mut Builder<'_>) {
        builder.visit_expr(&self.value);
        builder.visit_pat(&self.pattern);
        if let Some((keyword, condition)) = &self.condition {
            let range = between(keyword, condition);
            builder.node(Kind::Init, range, |b| b.visit_expr(condition));
        }
    }
}

impl Builder<'_> {
    pub(super) fn attribute(&mut self, attribute: &syn::Attribute) {
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

    pub(super) fn visibility(&mut self, visibility: &syn::Visibility) {
        if !matches!(visibility, syn::Visibility::Inherited) {
            self.leaf(Kind::Visibility, bytes(visibility.span()));
        }
    }

    pub(super) fn item(&mut self, item: &syn::Item) {
        use syn::Item;
        match item {
            Item::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            Item::Enum(i) => self.item_node(ItemKind::Enum, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.generics(&i.generics);
                b.list(&i.variants, Vec::new(), false, |b, variant| {
                    b.visit_variant(variant)
                });
            }),
            Item::ExternCrate(i) => {
                let name = i.rename.as_ref().map_or(&i.ident, |(_, name)| name);
                self.item_node(ItemKind::ExternCrate, item, Some(name), |b| {
                    b.head(&i.attrs, &i.vis);
                });
            }
            Item::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.outer(&i.attrs);
                b.visibility(&i.vis);
                b.signature(&i.sig);
                b.body(&i.attrs, &i.block);
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
                    let mut range = between(&path, &for_token);
                    if let Some(not) = &i.modifiers.polarity {
                        range.start = range.start.min(bytes(not.span()).start);
                    }
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
                b.head(&i.attrs, &i.vis);
                b.modifier(&i.unsafety);
                if let Some((_, items)) = &i.content {
                    items.iter().for_each(|inner| b.visit_item(inner));
                }
            }),
            Item::Static(i) => self.item_node(ItemKind::Static, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            Item::Struct(i) => self.item_node(ItemKind::Struct, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.generics(&i.generics);
                b.visit_fields(&i.fields);
            }),
            Item::Trait(i) => self.item_node(ItemKind::Trait, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.modifier(&i.modifiers.auto_token);
                b.modifier(&i.unsafety);
                b.type_params(&i.generics);
                b.bounds(&i.supertraits, frame(&i.colon_token));
                if let Some(clause) = &i.generics.where_clause {
                    b.visit_where_clause(clause);
                }
                b.in_members(|b| i.items.iter().for_each(|member| b.visit_trait_item(member)));
            }),
            Item::TraitAlias(i) => {
                self.item_node(ItemKind::TraitAlias, item, Some(&i.ident), |b| {
                    b.head(&i.attrs, &i.vis);
                    b.generics(&i.generics);
                    b.bounds(&i.bounds, Vec::new());
                })
            }
            Item::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
            }),
            Item::Union(i) => self.item_node(ItemKind::Union, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.generics(&i.generics);
                b.visit_fields_named(&i.fields);
            }),
            Item::Use(i) => self.item_node(ItemKind::Use, item, None, |b| {
                b.head(&i.attrs, &i.vis);
                b.visit_use_tree(&i.tree);
            }),
            Item::Verbatim(tokens) => {
                let known = |item: &Item| !matches!(item, Item::Verbatim(_));
                self.unknown(tokens, Some(Place::Items), known, |b, item| b.item(item));
            }
            _ => self.item_node(ItemKind::Other, item, None, |b| visit::visit_item(b, item)),
        }
    }

    pub(super) fn impl_item(&mut self, item: &syn::ImplItem) {
        use syn::ImplItem;
        self.members = true;
        match item {
            ImplItem::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.modifier(&i.modifiers.defaultness);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                b.visit_expr(&i.expr);
            }),
            ImplItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.outer(&i.attrs);
                b.visibility(&i.vis);
                b.modifier(&i.modifiers.defaultness);
                b.signature(&i.sig);
                b.body(&i.attrs, &i.block);
            }),
            ImplItem::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.modifier(&i.modifiers.defaultness);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
            }),
            ImplItem::Macro(i) => self.item_node(ItemKind::MacroCall, item, None, |b| {
                b.attributes(&i.attrs);
                b.macro_body(&i.mac, false);
            }),
            ImplItem::Verbatim(tokens) => {
                // A method without a body is known to traits.
                match parsed::<syn::TraitItem>(tokens.clone()) {
                    Some(known) if !matches!(known, syn::TraitItem::Verbatim(_)) => {
                        self.trait_item(&known)
                    }
                    _ => {
                        let known = |item: &ImplItem| !matches!(item, ImplItem::Verbatim(_));
                        let place = Some(Place::ImplItems);
                        self.unknown(tokens, place, known, |b, item| b.impl_item(item));
                    }
                }
            }
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_impl_item(b, item)
            }),
        }
    }

    pub(super) fn trait_item(&mut self, item: &syn::TraitItem) {
        use syn::TraitItem;
        self.members = true;
        match item {
            TraitItem::Const(i) => self.item_node(ItemKind::Const, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.generics(&i.generics);
                b.visit_type(&i.ty);
                if let Some((equals, value)) = &i.default {
                    let range = between(&equals, &value);
                    b.node(Kind::Init, range, |b| b.visit_expr(value));
                }
            }),
            TraitItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.outer(&i.attrs);
                b.signature(&i.sig);
                if let Some(block) = &i.default {
                    b.body(&i.attrs, block);
                }
            }),
            TraitItem::Type(i) => self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                b.attributes(&i.attrs);
                b.type_params(&i.generics);
                b.bounds(&i.bounds, frame(&i.colon_token));
                if let Some((equals, ty)) = &i.default {
                    let range = between(&equals, &ty);
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
            TraitItem::Verbatim(tokens) => {
                let known = |item: &TraitItem| !matches!(item, TraitItem::Verbatim(_));
                self.unknown(tokens, Some(Place::TraitItems), known, |b, item| {
                    b.trait_item(item)
                });
            }
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_trait_item(b, item)
            }),
        }
    }

    pub(super) fn foreign_item(&mut self, item: &syn::ForeignItem) {
        use syn::ForeignItem;
        self.members = true;
        match item {
            ForeignItem::Fn(i) => self.item_node(ItemKind::Fn, item, Some(&i.sig.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.signature(&i.sig);
            }),
            ForeignItem::Static(i) => self.item_node(ItemKind::Static, item, Some(&i.ident), |b| {
                b.head(&i.attrs, &i.vis);
                b.visit_type(&i.ty);
            }),
            ForeignItem::Type(i) => {
                self.item_node(ItemKind::TypeAlias, item, Some(&i.ident), |b| {
                    b.head(&i.attrs, &i.vis);
                })
            }
            ForeignItem::Verbatim(tokens) => {
                let known = |item: &ForeignItem| !matches!(item, ForeignItem::Verbatim(_));
                self.unknown(tokens, Some(Place::TraitItems), known, |b, item| {
                    b.foreign_item(item)
                });
            }
            _ => self.item_node(ItemKind::Other, item, None, |b| {
                visit::visit_foreign_item(b, item)
            }),
        }
    }

    pub(super) fn fields_named(&mut self, fields: &syn::FieldsNamed) {
        self.list(&fields.named, Vec::new(), false, |b, field| {
            b.visit_field(field)
        });
    }

    pub(super) fn fields_unnamed(&mut self, fields: &syn::FieldsUnnamed) {
        self.list(&fields.unnamed, Vec::new(), false, |b, field| {
            b.visit_field(field)
        });
    }

    pub(super) fn field(&mut self, field: &syn::Field) {
        let id = self.node(Kind::Field, bytes(field.span()), |b| {
            b.attributes(&field.attrs);
            b.visit_visibility(&field.vis);
            b.visit_type(&field.ty);
            if let Some((equals, value)) = &field.default {
                let range = between(&equals, &value);
                b.node(Kind::Init, range, |b| b.visit_expr(value));
            }
        });
        if let Some(name) = &field.ident {
            self.named(id, name);
        }
    }

    pub(super) fn variant(&mut self, variant: &syn::Variant) {
        let id = self.node(Kind::Variant, bytes(variant.span()), |b| {
            b.attributes(&variant.attrs);
            b.visit_fields(&variant.fields);
            if let Some((equals, value)) = &variant.discriminant {
                let range = between(&equals, &value);
                b.node(Kind::Discriminant, range, |b| b.visit_expr(value));
            }
        });
        self.named(id, &variant.ident);
    }

    pub(super) fn use_tree(&mut self, tree: &syn::UseTree) {
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
                let range = between(&rename.as_token, &rename.rename);
                self.leaf(Kind::Rename, range);
            }
            _ => {}
        }
    }

    pub(super) fn modifier(&mut self, tokens: &Option<impl Spanned>) {
        if let Some(token) = tokens {
            self.leaf(Kind::Modifier, bytes(token.span()));
        }
    }

    /// What stands between the brackets of a macro call: expressions or statements if it parses as
    /// such, tokens otherwise.
    pub(super) fn macro_body(&mut self, mac: &syn::Macro, rules: bool) {
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
            let name = mac.path.segments.last().map(|last| last.ident.to_string());
            if name.is_some_and(|name| name.ends_with("matches"))
                && let Ok(asked) = syn::parse2::<Asked>(mac.tokens.clone())
            {
                return asked.visited(self);
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

    pub(super) fn item_node(
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

    pub(super) fn in_members(&mut self, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.members, true);
        inside(self);
        self.members = outer;
    }

    /// The body of a function that has `attributes`.
    pub(super) fn body(&mut self, attributes: &[syn::Attribute], block: &syn::Block) {
        self.node(Kind::Body, bytes(block.span()), |b| {
            b.inner(attributes);
            visit::visit_block(b, block)
        });
    }

    fn head(&mut self, attributes: &[syn::Attribute], visibility: &syn::Visibility) {
        self.attributes(attributes);
        self.visibility(visibility);
    }

    pub(super) fn attributes(&mut self, attributes: &[syn::Attribute]) {
        attributes
            .iter()
            .for_each(|attribute| self.visit_attribute(attribute));
    }

    /// Those of the `attributes` that stand in front of what has them.
    pub(super) fn outer(&mut self, attributes: &[syn::Attribute]) {
        let is_outer = |one: &&syn::Attribute| matches!(one.style, syn::AttrStyle::Outer);
        let outer = attributes.iter().filter(is_outer);
        outer.for_each(|attribute| self.visit_attribute(attribute));
    }

    /// Those that stand in its block.
    pub(super) fn inner(&mut self, attributes: &[syn::Attribute]) {
        let is_inner = |one: &&syn::Attribute| matches!(one.style, syn::AttrStyle::Inner(_));
        let inner = attributes.iter().filter(is_inner);
        inner.for_each(|attribute| self.visit_attribute(attribute));
    }

    pub(super) fn signature(&mut self, signature: &syn::Signature) {
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
