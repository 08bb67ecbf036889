//! Statements, expressions and patterns.

use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};

use super::super::tokens;
use super::super::tree::{ExprKind, Kind, PatKind, StmtKind};
use super::{Builder, between, bytes};

impl Builder<'_> {
    pub(super) fn block(&mut self, block: &syn::Block) {
        self.node(Kind::Block, bytes(block.span()), |b| {
            visit::visit_block(b, block)
        });
    }

    /// The block of an expression that has `attributes`, behind the `label`.
    fn block_of(
        &mut self,
        attributes: &[syn::Attribute],
        label: Option<&syn::Label>,
        before: impl FnOnce(&mut Self),
        block: &syn::Block,
    ) {
        self.outer(attributes);
        label.into_iter().for_each(|label| self.visit_label(label));
        before(self);
        self.node(Kind::Block, bytes(block.span()), |b| {
            b.inner(attributes);
            visit::visit_block(b, block)
        });
    }

    pub(super) fn statement(&mut self, statement: &syn::Stmt) {
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
                        let range = between(&init.eq_token, &init.expr);
                        b.node(Kind::Init, range, |b| b.visit_expr(&init.expr));
                        if let Some((otherwise, block)) = &init.diverge {
                            let range = between(&otherwise, &block);
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

    pub(super) fn expression(&mut self, expr: &syn::Expr) {
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
                        b.attributes(&field.attrs);
                        if field.colon_token.is_some() {
                            b.visit_expr(&field.expr);
                        }
                    });
                });
                if let (Some(dots), Some(rest)) = (&e.dot2_token, &e.rest) {
                    let range = between(&dots, &rest);
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
                    let range = between(&otherwise, &branch);
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
                let before = |b: &mut Self| b.modifier(&e.capture);
                b.block_of(&e.attrs, None, before, &e.block);
            }
            Expr::Block(e) => b.block_of(&e.attrs, e.label.as_ref(), |_| {}, &e.block),
            Expr::Unsafe(e) => b.block_of(&e.attrs, None, |_| {}, &e.block),
            Expr::Loop(e) => b.block_of(&e.attrs, e.label.as_ref(), |_| {}, &e.body),
            Expr::While(e) => {
                let before = |b: &mut Self| b.visit_expr(&e.cond);
                b.block_of(&e.attrs, e.label.as_ref(), before, &e.body);
            }
            Expr::ForLoop(e) => {
                let before = |b: &mut Self| {
                    b.visit_pat(&e.pat);
                    b.visit_expr(&e.expr);
                };
                b.block_of(&e.attrs, e.label.as_ref(), before, &e.body);
            }
            Expr::Verbatim(tokens) => {
                let known = |expr: &Expr| !matches!(expr, Expr::Verbatim(_));
                b.unknown(tokens, None, known, |b, expr| b.visit_expr(expr))
            }
            other => visit::visit_expr(b, other),
        });
        if let Some(name) = mentioned_name(expr) {
            self.named(id, name);
        }
    }

    pub(super) fn label(&mut self, label: &syn::Label) {
        self.leaf(Kind::Label, bytes(label.span()));
    }

    pub(super) fn arm(&mut self, arm: &syn::Arm) {
        self.node(Kind::Arm, bytes(arm.span()), |b| {
            b.attributes(&arm.attrs);
            b.visit_pat(&arm.pat);
            b.visit_expr(&arm.body);
        });
    }

    pub(super) fn pattern(&mut self, pattern: &syn::Pat) {
        use syn::Pat;
        if let Pat::Guard(guarded) = pattern {
            self.visit_pat(&guarded.pat);
            let range = between(&guarded.if_token, &guarded.guard);
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
                        b.attributes(&field.attrs);
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
            Pat::Verbatim(unknown) => tokens::group_contents(b, unknown.clone()),
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

    pub(super) fn expr_list(
        &mut self,
        elements: &Punctuated<syn::Expr, syn::Token![,]>,
        tuple: bool,
    ) {
        self.list(elements, Vec::new(), tuple, |b, element| {
            b.visit_expr(element)
        });
    }

    pub(super) fn pat_list(
        &mut self,
        elements: &Punctuated<syn::Pat, syn::Token![,]>,
        tuple: bool,
    ) {
        self.list(elements, Vec::new(), tuple, |b, element| {
            b.visit_pat(element)
        });
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
