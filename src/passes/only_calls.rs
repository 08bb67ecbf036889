//! Functions that are called once, in the place of their call: what they do keeps where it stood originally.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::query::{
    At, advises, all, is_expr, is_fn, is_impl, is_lifetime, is_parameter, is_type, type_of,
};
use crate::subject::Subject;
use crate::syntax::lexer::{self, TokenKind};
use crate::syntax::{ExprKind, FileId, ItemKind, Kind, Part, PatKind, StmtKind, Text};

/// A function with its only call.
#[derive(Debug, Clone)]
pub struct OnlyCall {
    /// The function's name.
    pub name: String,
    /// The function: its file, and where it stands there.
    pub function: (FileId, Range<usize>),
    /// The call.
    pub call: (FileId, Range<usize>),
    /// What takes the call's place.
    made: Vec<Made>,
}

/// A part of what takes a call's place.
#[derive(Debug, Clone)]
enum Made {
    /// What stands in a file.
    Of(FileId, Range<usize>),
    New(String),
}

/// What is not to go, of the functions that are called once.
pub struct Limits<'l> {
    /// Whether a function of this name is to be left where it is.
    pub left: &'l dyn Fn(&str) -> bool,
    /// Whether what stands there may go.
    pub may_go: &'l dyn Fn(FileId, Range<usize>) -> bool,
    /// Where it fails: the function around that keeps its name, unless its caller has steps and so a name itself; and who calls it
    /// keeps its own, since that says why.
    pub fails_at: Option<(FileId, usize)>,
}

/// The functions of `subject` that are called once, where what they do can stand in the place of the call and is shorter there.
/// No call stands in another one, or in one of the functions.
pub fn only_calls(subject: &Subject, limits: &Limits) -> Vec<OnlyCall> {
    let mut mentions: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mentions_of_members: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, version, tree) in subject.sources() {
        let source = version.source();
        let words: Vec<&str> = tree.tokens().iter().map(|at| &source[at.range()]).collect();
        for (at, token) in tree.tokens().iter().enumerate() {
            if token.kind != TokenKind::Ident {
                continue;
            }
            *mentions.entry(words[at]).or_default() += 1;
            if may_be_a_member(&words, at) {
                *mentions_of_members.entry(words[at]).or_default() += 1;
            }
        }
    }
    let calls = all(subject, |kind| {
        matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall))
    });
    let calls: BTreeMap<&str, At> = calls
        .into_iter()
        .filter_map(|call| Some((call.name()?, call)))
        .collect();
    let macros = all(subject, |kind| kind == Kind::Item(ItemKind::MacroRules));
    let macros: BTreeSet<&str> = macros.iter().filter_map(|at| at.name()).collect();
    let functions = all(subject, is_fn);
    let around = |at: &&At| {
        let place = limits.fails_at;
        place.is_some_and(|(file, offset)| at.file == file && at.range().contains(&offset))
    };
    let fails = functions.iter().filter(around).filter_map(|at| at.name());
    let fails: BTreeSet<&str> = fails.collect();
    let mut found: Vec<OnlyCall> = Vec::new();
    let may_go = |at: &At| (limits.may_go)(at.file, at.range());
    for function in functions.into_iter().filter(may_go) {
        let call = function.name().and_then(|name| {
            let is_member = function.parent().is_some_and(|outer| is_impl(outer.kind()));
            let mentions = match is_member {
                true => &mentions_of_members,
                false => &mentions,
            };
            let only = mentions.get(name) == Some(&2) && !(limits.left)(name);
            calls.get(name).filter(|call| only && may_go(call))
        });
        let Some(call) = call else { continue };
        let words = function.words(&function.range());
        let fails_itself = function.name().is_some_and(|name| fails.contains(name));
        let says_why = match fails_itself {
            true => !caller(*call).is_some_and(has_steps),
            false => words.iter().any(|(word, _)| fails.contains(word)),
        };
        if says_why {
            continue;
        }
        let candidate = Candidate {
            function,
            call: *call,
        };
        let one = candidate.in_place(&macros);
        found.extend(one.filter(|one| found.iter().all(|other| one.is_apart_from(other))));
    }
    found
}

/// Whether the word `at` this place may stand for a function in an impl: what is bound to a name, and a field, have it for themselves.
fn may_be_a_member(words: &[&str], at: usize) -> bool {
    let before = at.checked_sub(1).map_or("", |at| words[at]);
    match before {
        "fn" | "::" => true,
        "." => matches!(words.get(at + 1), Some(&"(" | &"::")),
        _ => false,
    }
}

impl OnlyCall {
    /// Whether neither of them changes what stands in the other's places.
    fn is_apart_from(&self, other: &OnlyCall) -> bool {
        let places = [&self.call, &self.function];
        places.into_iter().all(|(file, range)| {
            [&other.call, &other.function].iter().all(|(own, there)| {
                own != file || range.end <= there.start || there.end <= range.start
            })
        })
    }
}

/// `subject` with what these functions do in the place of their calls, none of which may stand in another one of the functions;
/// and where that stands then.
pub fn in_place(subject: &Subject, chosen: &[&OnlyCall]) -> (Subject, Vec<(FileId, Range<usize>)>) {
    // A call has a number, a function none.
    type Change = (Range<usize>, Option<usize>);
    let mut by_file: BTreeMap<FileId, Vec<Change>> = BTreeMap::new();
    for (number, one) in chosen.iter().enumerate() {
        let (file, range) = one.call.clone();
        by_file.entry(file).or_default().push((range, Some(number)));
        let (file, range) = one.function.clone();
        by_file.entry(file).or_default().push((range, None));
    }
    let mut result = subject.clone();
    let mut places = vec![(FileId(0), 0..0); chosen.len()];
    for (file, mut changes) in by_file {
        changes.sort_by_key(|(range, _)| range.start);
        let Some(text) = subject.file(file).text() else {
            continue;
        };
        let mut parts = Vec::new();
        let mut made = Vec::new();
        let mut at = 0;
        for (range, number) in changes {
            parts.push(Part::Of(text, at..range.start));
            at = range.end;
            let Some(number) = number else { continue };
            let first = parts.len();
            for part in &chosen[number].made {
                parts.extend(match part {
                    Made::Of(file, range) => {
                        let of = subject.file(*file).text();
                        of.map(|text| Part::Of(text, range.clone()))
                    }
                    Made::New(text) => Some(Part::New(text.clone())),
                });
            }
            made.push((number, first..parts.len()));
        }
        parts.push(Part::Of(text, at..text.as_str().len()));
        let (text, starts) = Text::assembled(parts);
        for (number, parts) in made {
            places[number] = (file, starts[parts.start]..starts[parts.end]);
        }
        result = result.with_text(file, text);
    }
    (result, places)
}

/// A function, and the one place where it is called.
struct Candidate<'s> {
    function: At<'s>,
    call: At<'s>,
}

impl<'s> Candidate<'s> {
    fn in_place(&self, macros: &BTreeSet<&str>) -> Option<OnlyCall> {
        let Candidate { function, call } = *self;
        let body = function.child(|kind| kind == Kind::Body)?;
        let caller = caller(call)?;
        let is_nested = function.file == call.file && function.holds(&call.range());
        if is_nested || !self.is_plain() || !self.leaves_by_its_end(body, macros) {
            return None;
        }
        let inside = body.node.range.start + 1..body.node.range.end - 1;
        let mut given = self.receiver(caller, &inside)?;
        let mut arguments = call.children(is_expr).into_iter().skip(1);
        let mut lets = Vec::new();
        let mut bound: Vec<&str> = Vec::new();
        for parameter in function.children(|kind| kind == Kind::Param) {
            let argument = arguments.next()?;
            match self.instead_of(parameter, argument, body) {
                Some(replaced) => given.extend(replaced),
                None => {
                    // What is bound would be taken for what was there.
                    if bound
                        .iter()
                        .any(|name| !argument.mentions(name, &argument.range()).is_empty())
                    {
                        return None;
                    }
                    let pattern = parameter.child(|kind| matches!(kind, Kind::Pat(_)))?;
                    let words = pattern.words(&pattern.range()).into_iter();
                    bound.extend(words.map(|(word, _)| word));
                    lets.push(Made::New(format!(
                        "let {} = ",
                        binding(function, parameter)
                    )));
                    lets.push(Made::Of(argument.file, argument.range()));
                    lets.push(Made::New("; ".into()));
                }
            }
        }
        if arguments.next().is_some() {
            return None;
        }
        given.sort_by_key(|(range, _)| range.start);
        if has_steps(function) {
            return None;
        }
        let statements = body.children(is_step);
        let ends_with_value =
            |at: &At| at.kind() == Kind::Stmt(StmtKind::Expr) && !at.text().ends_with(';');
        let alone = lets.is_empty() && matches!(&statements[..], [only] if ends_with_value(only));
        let is_part = call
            .parent()
            .is_some_and(|outer| is_expr(outer.kind()) && !is_given(outer));
        let (open, close) = match (alone, is_part) {
            (true, false) => (" ", " "),
            (true, true) => ("(", ")"),
            (false, false) => ("{ ", " }"),
            (false, true) => ("({ ", " })"),
        };
        let mut made = vec![Made::New(open.into())];
        made.extend(lets);
        let mut at = inside.start;
        for (range, text) in given {
            made.push(Made::Of(body.file, at..range.start));
            made.push(Made::New(text));
            at = range.end;
        }
        made.push(Made::Of(body.file, at..inside.end));
        made.push(Made::New(close.into()));
        let tokens = |made: &Made| match made {
            Made::Of(file, range) if *file == body.file => body.tree.weight(range),
            Made::Of(_, range) => call.tree.weight(range),
            Made::New(text) => lexer::count(text),
        };
        let after: usize = made.iter().map(tokens).sum();
        let before = function.tree.weight(&function.range()) + call.tree.weight(&call.range());
        (after < before).then(|| OnlyCall {
            name: function.name().unwrap_or_default().to_string(),
            function: (function.file, function.range()),
            call: (call.file, call.range()),
            made,
        })
    }

    /// Whether it is a function like any other: without types of its own, and nobody but its caller knows it.
    fn is_plain(&self) -> bool {
        let function = self.function;
        let modifiers = function.children(|kind| kind == Kind::Modifier);
        let types = function.children(is_parameter);
        let attributes = function.children(|kind| kind == Kind::Attribute);
        let of_trait = function.parent().is_some_and(|outer| {
            outer.kind() == Kind::Item(ItemKind::Trait)
                || outer.child(|kind| kind == Kind::TraitRef).is_some()
        });
        !of_trait
            // Who calls what is unsafe has said so.
            && modifiers
                .iter()
                .all(|at| matches!(at.text(), "const" | "unsafe"))
            && types
                .iter()
                .all(|at| is_lifetime(at) || self.is_inferred(*at))
            && attributes.iter().all(advises)
    }

    /// Whether a type parameter is known from arguments alone, and nothing that takes the call's place speaks of it.
    fn is_inferred(&self, parameter: At<'s>) -> bool {
        let Candidate { function, call } = *self;
        let Some(name) = parameter.name() else {
            return false;
        };
        let has_types = call.child(|kind| kind == Kind::GenericArgs).is_some();
        let callee = call
            .child(is_expr)
            .filter(|_| call.kind() == Kind::Expr(ExprKind::Call));
        let is_named = callee.is_some_and(|callee| callee.text().contains('<'));
        let body = function.child(|kind| kind == Kind::Body);
        let is_spoken_of = body.is_none_or(|body| !body.mentions(name, &body.range()).is_empty());
        !has_types && !is_named && !is_spoken_of
    }

    /// Whether it has no other end than that of its body; or its caller ends where it does.
    fn leaves_by_its_end(&self, body: At<'s>, macros: &BTreeSet<&str>) -> bool {
        let ends = |at: &At| match at.kind() {
            Kind::Expr(ExprKind::Macro) | Kind::Stmt(StmtKind::Macro) => {
                let name = at.tree.macro_called(at.source, &at.range());
                name.is_some_and(|name| name == "try" || macros.contains(name))
                    || at
                        .words(&at.range())
                        .iter()
                        .any(|(word, _)| matches!(*word, "?" | "return"))
            }
            _ => true,
        };
        let all = body.inside(|kind| {
            use ExprKind::{Macro, Return, Try};
            matches!(
                kind,
                Kind::Expr(Return | Try | Macro) | Kind::Stmt(StmtKind::Macro)
            )
        });
        let own = |at: &At| {
            let outer = at.ancestors().take_while(|outer| outer.id != body.id);
            let mut outer = outer.map(|outer| outer.kind());
            !outer.any(|kind| is_fn(kind) || kind == Kind::Expr(ExprKind::Closure))
        };
        !all.iter().any(|at| own(at) && ends(at)) || is_last(self.call)
    }

    /// What takes the place of `self` in `inside`; `None` if nothing can.
    fn receiver(
        &self,
        caller: At<'s>,
        inside: &Range<usize>,
    ) -> Option<Vec<(Range<usize>, String)>> {
        let Candidate { function, call } = *self;
        let own_type = |at: At<'s>| {
            let outer = at.parent().filter(|outer| is_impl(outer.kind()))?;
            type_of(outer)
        };
        let same_type = own_type(function) == own_type(caller);
        let mut given = Vec::new();
        if !same_type {
            let mentions = function.mentions("Self", inside);
            let named = |outer: &At<'s>| {
                let mut parts = outer.children(is_parameter);
                let arguments = outer.child(is_type).into_iter();
                parts.extend(arguments.flat_map(|ty| ty.inside(|kind| kind == Kind::GenericArg)));
                parts.iter().all(is_lifetime)
            };
            let known = function.parent().is_some_and(|outer| named(&outer));
            let name = own_type(function).filter(|_| known);
            for at in mentions {
                given.push((at, name?.to_string()));
            }
        }
        let has_receiver = function.child(|kind| kind == Kind::Receiver).is_some();
        let is_method = call.kind() == Kind::Expr(ExprKind::MethodCall);
        if has_receiver != is_method {
            return None;
        }
        if !has_receiver {
            return Some(given);
        }
        let receiver = call.child(is_expr)?;
        if receiver.text() == "self" {
            return same_type.then_some(given);
        }
        let words = receiver.words(&receiver.range());
        let is_place = words
            .iter()
            .enumerate()
            .all(|(at, (word, _))| match at % 2 {
                0 => word.starts_with(|c: char| c.is_alphanumeric() || c == '_'),
                _ => *word == ".",
            });
        let mentions = function.mentions("self", inside).into_iter();
        is_place.then(|| {
            given.extend(mentions.map(|range| (range, receiver.text().to_string())));
            given
        })
    }

    /// What takes the place of a parameter where it is mentioned, if its argument is as good a name.
    fn instead_of(
        &self,
        parameter: At<'s>,
        argument: At<'s>,
        body: At<'s>,
    ) -> Option<Vec<(Range<usize>, String)>> {
        let pattern = parameter.child(|kind| matches!(kind, Kind::Pat(_)))?;
        let name = pattern.name().filter(|name| *name == pattern.text())?;
        let kinds = (pattern.kind(), argument.kind());
        let (Kind::Pat(PatKind::Ident), Kind::Expr(ExprKind::Path | ExprKind::Lit)) = kinds else {
            return None;
        };
        let text = argument.text();
        let is_word = text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let mentions = body.mentions(name, &body.range());
        if text == name {
            return Some(Vec::new());
        }
        // Other literals have one type among many; a name may be that of something else.
        let is_as_good = match argument.kind() {
            Kind::Expr(ExprKind::Lit) => text.starts_with('"'),
            _ => is_word && body.mentions(text, &body.range()).is_empty(),
        };
        if !is_as_good {
            return None;
        }
        let replaced = mentions.into_iter().map(|range| {
            let id = body.tree.innermost(&range)?;
            let here = body.tree.node(id);
            let is_mention = here.kind == Kind::Expr(ExprKind::Path) && here.range == range;
            let field = here.parent.map(|outer| body.tree.node(outer));
            let is_short =
                field.is_some_and(|outer| outer.kind == Kind::FieldValue && outer.range == range);
            (is_mention && !is_short).then(|| (range, text.to_string()))
        });
        replaced.collect()
    }
}

/// The function around a call.
fn caller(call: At) -> Option<At> {
    call.ancestors().find(|outer| is_fn(outer.kind()))
}

/// Whether a function does one thing after the other: what that is for is what its name says.
fn has_steps(function: At) -> bool {
    let body = function.child(|kind| kind == Kind::Body);
    body.is_some_and(|body| body.children(is_step).len() > 1)
}

fn is_step(kind: Kind) -> bool {
    matches!(kind, Kind::Stmt(_) | Kind::Item(_))
}

/// Whether what stands in it need not be kept together: it is between commas, or behind a keyword.
fn is_given(at: At) -> bool {
    use ExprKind::{Array, Assign, Break, Return, Struct, Tuple};
    matches!(
        at.kind(),
        Kind::Expr(Array | Assign | Break | Return | Struct | Tuple)
    )
}

/// Whether the function around an expression ends with it.
fn is_last(at: At) -> bool {
    let mut at = at;
    loop {
        let Some(outer) = at.parent() else {
            return false;
        };
        let is_end = match outer.kind() {
            Kind::Expr(ExprKind::Return) => return true,
            Kind::Stmt(StmtKind::Expr) => !outer.text().ends_with(';'),
            Kind::Body | Kind::Block => outer.node.children.last() == Some(&at.id),
            Kind::Arm => outer.node.children.last() == Some(&at.id),
            Kind::Expr(ExprKind::Match) => at.kind() == Kind::Arm,
            Kind::Expr(ExprKind::If) => matches!(at.kind(), Kind::Block | Kind::Else),
            Kind::Else | Kind::Expr(ExprKind::Block | ExprKind::Paren) => true,
            _ => false,
        };
        if !is_end {
            return false;
        }
        if outer.kind() == Kind::Body {
            return outer.parent().is_some_and(|outer| is_fn(outer.kind()));
        }
        at = outer;
    }
}

/// A parameter of a function as what is bound by a `let`: lifetimes have no names there, and types that only the function knows either.
fn binding(function: At, parameter: At) -> String {
    let text = parameter.text();
    let types = function.children(is_parameter).into_iter();
    let mut own: Vec<&str> = types.filter_map(At::name).collect();
    own.retain(|name| !name.starts_with('\''));
    own.extend(["Self", "impl"]);
    let is_known = |name: &&str| parameter.mentions(name, &parameter.range()).is_empty();
    if !own.iter().all(is_known) {
        let pattern = parameter.child(|kind| matches!(kind, Kind::Pat(_)));
        return pattern.map_or(text, |pattern| pattern.text()).to_string();
    }
    let mut text = text.to_string();
    let lifetimes = parameter.tree.tokens_in(&parameter.node.range).iter().rev();
    let start = parameter.node.range.start;
    for token in lifetimes.filter(|token| token.kind == TokenKind::Lifetime) {
        if &parameter.source[token.range()] != "'static" {
            text.replace_range(token.range().start - start..token.range().end - start, "'_");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str) -> String {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let calls = only_calls(
            &subject,
            &Limits {
                left: &|_| false,
                may_go: &|_, _| true,
                fails_at: text.find("FAILS").map(|at| (FileId(0), at)),
            },
        );
        let all: Vec<&OnlyCall> = calls.iter().collect();
        let (after, places) = in_place(&subject, &all);
        let source = after.file(FileId(0)).source();
        for (_, range) in places {
            assert!(source.get(range).is_some());
        }
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_function_does_takes_the_place_of_its_only_call() {
        assert_eq!(
            after(
                "fn f(a: u8) { g(a, h()); } fn g(x: u8, y: &'a u8) { k(x + *y); } fn h() -> u8 { 1 }"
            ),
            "fn f(a: u8) { { let y: &'_ u8 = h(); k(a + *y); }; } fn h() -> u8 { 1 }"
        );
    }

    #[test]
    fn what_is_inferred_is_so_in_its_place_too() {
        assert_eq!(
            after(
                "fn f() { g(h(1)); k(h(2)); l::<u8>(3); } fn g<I: Iterator>(i: I) where I::Item: D { for x in i { m(x) } } \
                 fn k<T: D>(t: T) { let x: T = t; } fn l<T>(t: u8) { m(t); }"
            ),
            "fn f() { { let i = h(1); for x in i { m(x) } }; k(h(2)); l::<u8>(3); } \
             fn k<T: D>(t: T) { let x: T = t; } fn l<T>(t: u8) { m(t); }"
        );
    }

    #[test]
    fn a_type_has_its_name_elsewhere() {
        assert_eq!(
            after(
                "impl S { fn f(x: &Self) -> Self { Self(x.0) } } impl T<u8> { fn h(x: u8) -> Self { Self(x) } } fn g() { S::f(k()); T::h(1) }"
            ),
            "impl S { } impl T<u8> { fn h(x: u8) -> Self { Self(x) } } fn g() { { let x = k(); S(x.0) }; T::h(1) }"
        );
    }

    #[test]
    fn what_is_bound_to_the_name_of_a_method_is_no_call() {
        assert_eq!(
            after(
                "impl S { fn f(&self) -> u8 { let g = self.g(); g + self.a.g } fn g(&self) -> u8 { self.b } }"
            ),
            "impl S { fn f(&self) -> u8 { let g = self.b ; g + self.a.g } }"
        );
    }

    #[test]
    fn methods_know_the_same_self() {
        assert_eq!(
            after(
                "impl S { fn f(&self) -> u8 { self.g(1) } fn g(&self, x: u8) -> u8 { self.a + x } fn h(&self) { self.b.m(\"c\").n(); } } impl B { fn m(&self, s: &str) -> C { C(self.d, s) } }"
            ),
            "impl S { fn f(&self) -> u8 { { let x: u8 = 1; self.a + x } } fn h(&self) { ( C(self.b.d, \"c\") ).n(); } } impl B { }"
        );
    }

    #[test]
    fn who_calls_what_fails_keeps_its_name() {
        assert_eq!(
            after(
                "fn f() { g() } fn g() { h() } fn h() { i() } fn i() { j(FAILS) } fn j(x: u8) { k(x) }"
            ),
            "fn f() { h() } fn h() { i() } fn i() { k(FAILS) }"
        );
        assert_eq!(
            after("fn f() { g(); h() } fn h() { i() } fn i() { FAILS }"),
            "fn f() { g(); h() } fn h() { i() } fn i() { FAILS }"
        );
        assert_eq!(
            after("fn f() { g(); h() } fn h() { FAILS }"),
            "fn f() { g(); FAILS }"
        );
    }

    #[test]
    fn what_ends_early_stands_where_its_caller_ends() {
        let text = "fn f() -> R { match a { 1 => g(), _ => { return h()?; } } } fn g() -> R { j(i()?) } fn h() -> R { k(i()?) }";
        assert_eq!(
            after(text),
            "fn f() -> R { match a { 1 => j(i()?) , _ => { return h()?; } } } fn h() -> R { k(i()?) }"
        );
    }

    #[test]
    fn what_is_known_in_another_way_stays() {
        for text in [
            "fn f() { g::<u8>(1) } fn g<T>(t: T) { 1 }",
            "fn f() { g(2) } #[test] fn g(t: u8) { 1 }",
            "fn f() { h(g) } fn g(t: u8) { 1 }",
            "fn f() { x.g(2) } impl T for X { fn g(&self, t: u8) { 1 } }",
            "impl X { fn f() { Y::g(2) } } impl<T> Y<T> { fn g(t: u8) -> Self { Self } }",
            "fn g(t: u8) { g(1) }",
        ] {
            assert_eq!(after(text), text);
        }
    }
}
