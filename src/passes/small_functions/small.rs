//! One function of one expression, and what takes the place of a call of it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::super::query::{
    At, advises, is_expr, is_impl, is_lifetime, is_member, is_parameter, owner_of,
};
use super::super::values::{fits, is_between_commas, is_closed, is_steady, repeats};
use super::trait_around;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, PatKind, StmtKind};

/// A function of one expression.
#[derive(Clone, Copy)]
pub(super) struct Small<'s> {
    pub function: At<'s>,
    pub name: &'s str,
    /// The expression.
    value: At<'s>,
    /// Whether the function has no value, whatever the expression gives.
    is_statement: bool,
}

impl<'s> Small<'s> {
    pub fn of(function: At<'s>, traits: &BTreeSet<&str>) -> Option<Small<'s>> {
        let name = function.name().filter(|name| *name != "main")?;
        let outer = function.parent()?;
        let body = function.child(|kind| kind == Kind::Body)?;
        let [statement] = body.children(|kind| matches!(kind, Kind::Stmt(_) | Kind::Item(_)))[..]
        else {
            return None;
        };
        let value = statement.child(is_expr)?;
        let one = Small {
            function,
            name,
            value,
            is_statement: statement.text() != value.text(),
        };
        let has_value = function.child(|kind| kind == Kind::ReturnType).is_some();
        let modifiers = function.children(|kind| kind == Kind::Modifier);
        let attributes = function.children(|kind| kind == Kind::Attribute);
        let is_free = matches!(outer.kind(), Kind::File | Kind::Item(ItemKind::Mod));
        // What `Self` is, a call does not say.
        let is_default = outer.kind() == Kind::Item(ItemKind::Trait)
            && value.mentions("Self", &value.range()).is_empty();
        let is_own = is_impl(outer.kind())
            && trait_around(outer).is_none_or(|name| traits.contains(name))
            && outer.child(|kind| kind == Kind::Modifier).is_none();
        let plain = statement.kind() == Kind::Stmt(StmtKind::Expr)
            && !(one.is_statement && has_value)
            // Who calls what is unsafe has said so.
            && modifiers.iter().all(|at| matches!(at.text(), "const" | "unsafe"))
            && attributes.iter().all(advises)
            && function.children(is_parameter).iter().all(is_lifetime)
            && (is_free || is_own || is_default);
        (plain && one.is_the_same_elsewhere(outer)).then_some(one)
    }

    /// Whether its expression means the same where the function is called.
    fn is_the_same_elsewhere(&self, outer: At<'s>) -> bool {
        use ExprKind::{Break, Macro, Return, Try};
        let leaves = self
            .value
            .inside(|kind| matches!(kind, Kind::Expr(Return | Try | Break | Macro)));
        let is_macro = self.value.kind() == Kind::Expr(Macro);
        let lifetime = |token: &&crate::syntax::lexer::Token| token.kind == TokenKind::Lifetime;
        let tokens = self.value.tree.tokens_in(&self.value.node.range).iter();
        let parameters = outer.children(is_parameter);
        let generic = self
            .body_words()
            .any(|word| parameters.iter().any(|at| at.name() == Some(word)));
        let receiver = self.function.child(|kind| kind == Kind::Receiver);
        let plain = receiver.is_none_or(|at| {
            ["self", "&self", "&mut self"].contains(&&*at.text().replace("'_ ", ""))
        });
        let known = self
            .parameters()
            .is_some_and(|names| names.into_iter().all(|name| self.knows_all(name)));
        let by_value = receiver.is_none_or(|at| at.text() == "self");
        // A reference to the receiver may be one already.
        let behind_dot = self.uses("self").iter().all(|at| {
            let outer = at.parent().map(|outer| (outer.kind(), outer));
            by_value
                || self.gives_itself()
                || outer.is_some_and(|(kind, outer)| {
                    matches!(kind, Kind::Expr(ExprKind::Field | ExprKind::MethodCall))
                        && outer.node.range.start == at.node.range.start
                })
        });
        leaves.is_empty()
            && !is_macro
            && tokens.filter(lifetime).count() == 0
            && !generic
            && plain
            && known
            && behind_dot
            // What a trait has may be what the type itself has.
            && (trait_around(outer).is_some() || !self.may_call_itself())
    }

    /// Whether all it gives is what it is called on.
    fn gives_itself(&self) -> bool {
        self.value.text() == "self"
    }

    /// Whether its expression may call the function again. Without a receiver, it is called by the name of its type.
    fn may_call_itself(&self) -> bool {
        let words = self.value.words(&self.value.range());
        let word = |at: usize| words.get(at).map(|(word, _)| *word);
        let has_receiver = self.function.child(|kind| kind == Kind::Receiver).is_some();
        let owner = owner_of(self.function);
        let is_another = |at: usize| match at.checked_sub(1).and_then(word) {
            // What is not called is a field.
            Some(".") => !has_receiver || !matches!(word(at + 1), Some("(" | "::")),
            Some("::") => {
                let ty = at.checked_sub(2).and_then(word);
                owner.is_some()
                    && ty.is_some_and(|ty| ty != ">" && ty != "Self" && Some(ty) != owner)
            }
            _ => false,
        };
        let own = (0..words.len()).filter(|at| word(*at) == Some(self.name));
        own.into_iter().any(|at| !is_another(at))
    }

    /// The names of its parameters, `self` among them; `None` if one is no plain name.
    pub fn parameters(&self) -> Option<Vec<&'s str>> {
        let is_one = |kind| matches!(kind, Kind::Param | Kind::Receiver);
        let parameters = self.function.children(is_one).into_iter();
        parameters
            .map(|parameter| {
                if parameter.kind() == Kind::Receiver {
                    return Some("self");
                }
                let pattern = parameter.child(|kind| kind == Kind::Pat(PatKind::Ident))?;
                pattern.name().filter(|name| *name == pattern.text())
            })
            .collect()
    }

    /// Whether all mentions of a parameter's name are known to be of it, or of a field or a function.
    fn knows_all(&self, name: &str) -> bool {
        let uses = self.uses(name);
        let mentions = self.value.mentions(name, &self.value.range());
        mentions.iter().all(|place| {
            let named = |outer: &At| {
                let is_other = matches!(
                    outer.kind(),
                    Kind::FieldValue | Kind::Expr(ExprKind::Field | ExprKind::MethodCall)
                );
                is_other && outer.node.name.as_ref() == Some(place) && outer.range() != *place
            };
            uses.iter().any(|at| at.range() == *place)
                || self
                    .value
                    .inside(|_| true)
                    .iter()
                    .chain([&self.value])
                    .any(named)
        })
    }

    /// Where its expression mentions a parameter as a value.
    fn uses(&self, name: &str) -> Vec<At<'s>> {
        let is_use = |kind| matches!(kind, Kind::FieldValue | Kind::Expr(ExprKind::Path));
        let inside = self.value.inside(is_use).into_iter();
        let alone = Some(self.value).filter(|at| is_use(at.kind()));
        let mut found: Vec<At> = alone.into_iter().chain(inside).collect();
        found.retain(|at| at.text() == name);
        // `S { x }` may hold a path or none.
        found.dedup_by_key(|at| at.range());
        found
    }

    /// Whether it says something of the functions `names`, one of which fails: it mentions one, or is called so, and does not just
    /// hand on.
    pub fn keeps_its_name(&self, names: &[&str]) -> bool {
        self.words().any(|word| names.contains(&word)) && !self.hands_on(names)
    }

    /// Whether all it does is to call one of `names`, which is not its own, with what it is given.
    fn hands_on(&self, names: &[&str]) -> bool {
        let is_call = matches!(
            self.value.kind(),
            Kind::Expr(ExprKind::Call | ExprKind::MethodCall)
        );
        let given = self.arguments(self.value).unwrap_or_default();
        let given: Vec<&str> = given.into_iter().map(At::text).collect();
        is_call
            && self.value.name().is_some_and(|name| names.contains(&name))
            && !names.contains(&self.name)
            && self.parameters() == Some(given)
    }

    fn words(&self) -> impl Iterator<Item = &'s str> {
        let words = self.function.words(&self.function.range()).into_iter();
        words.map(|(word, _)| word)
    }

    pub fn body_words(&self) -> impl Iterator<Item = &'s str> {
        let words = self.value.words(&self.value.range()).into_iter();
        words.map(|(word, _)| word)
    }

    /// The function, or the impl that holds nothing else and that nothing can ask for.
    pub fn gone(&self) -> Edit {
        match self.function.parent() {
            Some(outer)
                if is_impl(outer.kind())
                    && trait_around(outer).is_none()
                    && outer.children(is_member).len() == 1 =>
            {
                outer.cut()
            }
            _ => self.function.cut(),
        }
    }

    /// What takes the place of `call`.
    pub fn in_place_of(&self, call: At<'s>) -> Option<Vec<Edit>> {
        let is_alone = call
            .parent()
            .is_some_and(|outer| outer.kind() == Kind::Stmt(StmtKind::Expr));
        if self.is_statement && !(is_alone && call.parent()?.text().ends_with(';')) {
            return None;
        }
        let arguments = self.arguments(call)?;
        let names = self.parameters()?;
        if arguments.len() != names.len() {
            return None;
        }
        // Behind a dot, a reference is made of it again.
        let is_asked = call.parent().is_some_and(|outer| {
            let first = outer
                .child(is_expr)
                .is_some_and(|first| first.id == call.id);
            first
                && matches!(
                    outer.kind(),
                    Kind::Expr(ExprKind::Field | ExprKind::MethodCall)
                )
        });
        let receiver = self.function.child(|kind| kind == Kind::Receiver);
        let by_reference = receiver.is_some_and(|at| at.text() != "self");
        if self.gives_itself() && by_reference && !is_asked {
            return None;
        }
        let bound = self.value.inside(|kind| matches!(kind, Kind::Pat(_)));
        let bound: Vec<&str> = bound.into_iter().filter_map(At::name).collect();
        let mut uses: Vec<(Range<usize>, usize, At)> = Vec::new();
        for (number, (name, argument)) in names.iter().zip(&arguments).enumerate() {
            let own = self.uses(name);
            // What is worked out is so once.
            let hides = bound
                .iter()
                .any(|name| !argument.mentions(name, &argument.range()).is_empty());
            let loops = |at: &At<'s>| {
                let mut outer = at.ancestors().take_while(|outer| outer.id != self.value.id);
                outer.any(|outer| repeats(outer.kind())) || repeats(self.value.kind())
            };
            if hides || (!is_steady(*argument) && (own.len() != 1 || own.iter().any(loops))) {
                return None;
            }
            uses.extend(own.into_iter().map(|at| (at.range(), number, at)));
        }
        uses.sort_by_key(|(range, ..)| range.start);
        let worked_out = uses
            .iter()
            .filter(|(_, number, _)| !is_steady(arguments[*number]));
        if !worked_out.map(|(_, number, _)| number).is_sorted() {
            return None;
        }
        let (open, close) = match fits(self.value, call) {
            true => ("", ""),
            false => ("(", ")"),
        };
        let elsewhere = owner_of(call) != owner_of(self.value);
        let mut edits = Vec::new();
        let (mut text, mut done) = (open.to_string(), call.node.range.start);
        let mut at = self.value.node.range.start;
        for (range, number, mention) in uses {
            let argument = arguments[number];
            text.push_str(&self.said(at..range.start, elsewhere)?);
            at = range.end;
            if mention.kind() == Kind::FieldValue {
                text.push_str(&format!("{}: ", names[number]));
            }
            let alone = is_closed(argument) || is_between_commas(mention);
            text.push_str(if alone { "" } else { "(" });
            if is_steady(argument) {
                text.push_str(argument.text());
            } else {
                edits.push(call.edit(done..argument.node.range.start, std::mem::take(&mut text)));
                done = argument.node.range.end;
            }
            text.push_str(if alone { "" } else { ")" });
        }
        text.push_str(&self.said(at..self.value.node.range.end, elsewhere)?);
        text.push_str(close);
        edits.push(call.edit(done..call.node.range.end, text));
        Some(edits)
    }

    /// A part of its expression as it has to stand in another impl than its own, where `Self` is another type.
    fn said(&self, range: Range<usize>, elsewhere: bool) -> Option<String> {
        let mut text = self.value.source[range.clone()].to_string();
        let mentions = self.value.mentions("Self", &range);
        if mentions.is_empty() || !elsewhere {
            return Some(text);
        }
        let owner = owner_of(self.value)?;
        for at in mentions.iter().rev() {
            text.replace_range(at.start - range.start..at.end - range.start, owner);
        }
        Some(text)
    }

    /// What `call` gives for its parameters.
    fn arguments(&self, call: At<'s>) -> Option<Vec<At<'s>>> {
        let parts = call.children(is_expr);
        let arguments = match call.kind() {
            // In front of the arguments stands what is called.
            Kind::Expr(ExprKind::Call) => parts.into_iter().skip(1).collect(),
            _ => parts,
        };
        let has_types = call.child(|kind| kind == Kind::GenericArgs).is_some();
        (!has_types).then_some(arguments)
    }
}
