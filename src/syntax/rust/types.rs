//! Types, generics and bounds.

use std::ops::Range;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::super::tree::{Kind, TypeKind};
use super::{Builder, between, bytes, frame};

impl Builder<'_> {
    pub(super) fn where_clause(&mut self, clause: &syn::WhereClause) {
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

    pub(super) fn generic_param(&mut self, param: &syn::GenericParam) {
        let range = bytes(param.span());
        let (id, name) = match param {
            syn::GenericParam::Type(ty) => {
                let id = self.node(Kind::GenericParam, range, |b| {
                    b.attributes(&ty.attrs);
                    b.bounds(&ty.bounds, frame(&ty.colon_token));
                    if let Some((equals, default)) = &ty.default {
                        let range = between(&equals, &default);
                        b.node(Kind::GenericDefault, range, |b| b.visit_type(default));
                    }
                });
                (id, bytes(ty.ident.span()))
            }
            syn::GenericParam::Lifetime(lifetime) => {
                let id = self.node(Kind::GenericParam, range, |b| {
                    b.attributes(&lifetime.attrs);
                    let colon = frame(&lifetime.colon_token);
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
                        let range = between(&equals, &default);
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

    pub(super) fn type_param_bound(&mut self, bound: &syn::TypeParamBound) {
        self.node(Kind::Bound, bytes(bound.span()), |b| {
            if let syn::TypeParamBound::Trait(bound) = bound {
                b.modifier(&bound.maybe);
            }
            match bound {
                syn::TypeParamBound::Verbatim(tokens) => {
                    let known = |b: &_| !matches!(b, syn::TypeParamBound::Verbatim(_));
                    b.unknown(tokens, None, known, |b, bound| {
                        visit::visit_type_param_bound(b, bound)
                    })
                }
                bound => visit::visit_type_param_bound(b, bound),
            }
        });
    }

    pub(super) fn bound_lifetimes(&mut self, lifetimes: &syn::BoundLifetimes) {
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

    pub(super) fn angle_arguments(&mut self, arguments: &syn::AngleBracketedGenericArguments) {
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

    pub(super) fn parenthesized_arguments(
        &mut self,
        arguments: &syn::ParenthesizedGenericArguments,
    ) {
        self.list(&arguments.inputs, Vec::new(), false, |b, input| {
            b.visit_type(&input.ty)
        });
        self.visit_return_type(&arguments.output);
    }

    pub(super) fn lifetime(&mut self, lifetime: &syn::Lifetime) {
        self.leaf(Kind::Lifetime, bytes(lifetime.span()));
    }

    pub(super) fn fn_arg(&mut self, argument: &syn::FnArg) {
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

    pub(super) fn return_type(&mut self, output: &syn::ReturnType) {
        if let syn::ReturnType::Type(_, ty) = output {
            self.node(Kind::ReturnType, bytes(output.span()), |b| b.visit_type(ty));
        }
    }

    pub(super) fn ty(&mut self, ty: &syn::Type) {
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
            Type::Verbatim(tokens) => {
                let known = |ty: &Type| !matches!(ty, Type::Verbatim(_));
                b.unknown(tokens, None, known, |b, ty| b.visit_type(ty))
            }
            other => visit::visit_type(b, other),
        });
        if let Type::Path(path) = ty
            && let Some(last) = path.path.segments.last()
        {
            self.named(id, &last.ident);
        }
    }

    pub(super) fn bounds<P: Spanned>(
        &mut self,
        bounds: &Punctuated<syn::TypeParamBound, P>,
        frame: Vec<Range<usize>>,
    ) {
        self.list(bounds, frame, false, |b, bound| {
            b.visit_type_param_bound(bound)
        });
    }

    pub(super) fn ascription(&mut self, colon: &impl Spanned, ty: &syn::Type) {
        let range = between(colon, ty);
        self.node(Kind::Ascription, range, |b| b.visit_type(ty));
    }

    pub(super) fn type_params(&mut self, generics: &syn::Generics) {
        if let (Some(open), Some(close)) = (&generics.lt_token, &generics.gt_token) {
            let frame = vec![bytes(open.span()), bytes(close.span())];
            self.list(&generics.params, frame, false, |b, param| {
                b.visit_generic_param(param)
            });
        }
    }

    pub(super) fn generics(&mut self, generics: &syn::Generics) {
        self.type_params(generics);
        if let Some(clause) = &generics.where_clause {
            self.visit_where_clause(clause);
        }
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
