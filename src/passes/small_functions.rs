//! Functions of one expression, in the place of all their calls: what gives a field, makes a value or hands on to another one.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Pass;
use super::query::{
    At, advises, all, is_expr, is_fn, is_impl, is_lifetime, is_member, is_parameter,
};
use super::query::{is_type, name_of_type, smaller};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Origin, PatKind, StmtKind};

/// `impl S { fn len(&self) -> usize { self.all.len } }`, `s.len()` → `s.all.len`; `fn f(x: u8) -> S { S(x) }`, `f(1)` → `S(1)`.
/// Each round is for those that call none of the others any more.
#[derive(Debug, Clone, Default)]
pub struct SmallFunctions {
    /// Where it fails: the function around keeps its name, and so do those that call it.
    pub fails_at: Option<Origin>,
}

/// The name of the pass.
pub const NAME: &str = "inline-small-functions";

/// What calls what calls what is small, at most.
const ROUNDS: usize = 4;

impl Pass for SmallFunctions {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= ROUNDS {
            return None;
        }
        let names = Names::of(subject);
        let functions = all(subject, is_fn);
        let fails: Vec<&str> = functions
            .iter()
            .filter(|function| self.fails_in(subject, function))
            .filter_map(|function| function.name())
            .collect();
        let mut groups: BTreeMap<Group, Vec<At>> = BTreeMap::new();
        for function in functions {
            if let Some(group) = Group::of(function) {
                groups.entry(group).or_default().push(function);
            }
        }
        let small: Vec<Vec<Small>> = groups
            .into_values()
            .filter_map(|group| all_alike(&group))
            .filter(|group| {
                let mut words = group.iter().flat_map(|one| one.words());
                !words.any(|word| fails.contains(&word))
            })
            .collect();
        let called: BTreeSet<&str> = small.iter().map(|group| group[0].name).collect();
        let list = small.iter().filter(|group| {
            let mut inside = group.iter().flat_map(|one| one.body_words());
            !inside.any(|word| called.contains(word))
        });
        Some(list.filter_map(|group| names.inlined(group)).collect())
    }
}

impl SmallFunctions {
    fn fails_in(&self, subject: &Subject, function: &At) -> bool {
        let text = subject.file(function.file).text();
        let place = text.and_then(|text| text.find(self.fails_at?));
        place.is_some_and(|offset| function.range().contains(&offset))
    }
}

/// Functions that no name tells apart.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group<'s> {
    Free(&'s str),
    /// By its type's name and its own.
    OfType(&'s str, &'s str),
    Method(&'s str),
}

impl<'s> Group<'s> {
    fn of(function: At<'s>) -> Option<Group<'s>> {
        let name = function.name()?;
        if function.kind() == Kind::Item(ItemKind::Fn) {
            return Some(Group::Free(name));
        }
        if function.child(|kind| kind == Kind::Receiver).is_some() {
            return Some(Group::Method(name));
        }
        let owner = function.parent()?.child(is_type).and_then(name_of_type)?;
        Some(Group::OfType(owner, name))
    }
}

/// A function of one expression.
#[derive(Clone, Copy)]
struct Small<'s> {
    function: At<'s>,
    name: &'s str,
    /// The expression.
    value: At<'s>,
}

/// The functions of a group, if each could take the place of the others.
fn all_alike<'s>(group: &[At<'s>]) -> Option<Vec<Small<'s>>> {
    let small: Vec<Small> = group
        .iter()
        .map(|function| Small::of(*function))
        .collect::<Option<_>>()?;
    let what = |one: &Small<'s>| (one.parameters(), one.body_words().collect::<Vec<_>>());
    let first = small.first().map(&what)?;
    let speaks_of_type = first.1.contains(&"Self");
    let alike = small.iter().all(|one| what(one) == first);
    (alike && (small.len() == 1 || !speaks_of_type)).then_some(small)
}

impl<'s> Small<'s> {
    fn of(function: At<'s>) -> Option<Small<'s>> {
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
        };
        let modifiers = function.children(|kind| kind == Kind::Modifier);
        let attributes = function.children(|kind| kind == Kind::Attribute);
        let is_free = matches!(outer.kind(), Kind::File | Kind::Item(ItemKind::Mod));
        let is_own = is_impl(outer.kind())
            && outer.child(|kind| kind == Kind::TraitRef).is_none()
            && outer.child(|kind| kind == Kind::Modifier).is_none();
        let plain = statement.kind() == Kind::Stmt(StmtKind::Expr)
            && statement.text() == value.text()
            && modifiers.iter().all(|at| at.text() == "const")
            && attributes.iter().all(advises)
            && function.children(is_parameter).iter().all(is_lifetime)
            && (is_free || is_own);
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
            && !self.body_words().any(|word| word == self.name)
    }

    /// The names of its parameters, `self` among them; `None` if one is no plain name.
    fn parameters(&self) -> Option<Vec<&'s str>> {
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

    fn words(&self) -> impl Iterator<Item = &'s str> {
        let words = self.function.words(&self.function.range()).into_iter();
        words.map(|(word, _)| word)
    }

    fn body_words(&self) -> impl Iterator<Item = &'s str> {
        let words = self.value.words(&self.value.range()).into_iter();
        words.map(|(word, _)| word)
    }

    /// The function, or the impl that holds nothing else.
    fn gone(&self) -> Edit {
        match self.function.parent() {
            Some(outer) if is_impl(outer.kind()) && outer.children(is_member).len() == 1 => {
                outer.cut()
            }
            _ => self.function.cut(),
        }
    }

    /// What takes the place of `call`.
    fn in_place_of(&self, call: At<'s>) -> Option<Vec<Edit>> {
        let arguments = self.arguments(call)?;
        let names = self.parameters()?;
        if arguments.len() != names.len() {
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
            if hides || (!is_plain(*argument) && (own.len() != 1 || own.iter().any(loops))) {
                return None;
            }
            uses.extend(own.into_iter().map(|at| (at.range(), number, at)));
        }
        uses.sort_by_key(|(range, ..)| range.start);
        let worked_out = uses
            .iter()
            .filter(|(_, number, _)| !is_plain(arguments[*number]));
        if !worked_out.map(|(_, number, _)| number).is_sorted() {
            return None;
        }
        let (open, close) = match is_kept_together(self.value) || is_between_commas(call) {
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
            let alone = is_kept_together(argument) || is_between_commas(mention);
            text.push_str(if alone { "" } else { "(" });
            if is_plain(argument) {
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

/// Whether what stands in it may run more than once, or later.
fn repeats(kind: Kind) -> bool {
    use ExprKind::{Async, Closure, For, Loop, While};
    matches!(kind, Kind::Expr(Async | Closure | For | Loop | While))
}

/// Whether an expression is the same wherever it is mentioned, and does nothing: a name, a field, a literal.
fn is_plain(at: At) -> bool {
    match at.kind() {
        Kind::Expr(ExprKind::Path | ExprKind::Lit) => true,
        Kind::Expr(ExprKind::Field) => at.child(is_expr).is_some_and(is_plain),
        _ => false,
    }
}

/// Whether an expression is one operand, whatever stands around it.
fn is_kept_together(at: At) -> bool {
    use ExprKind::{Array, Call, Field, Index, Lit, MethodCall, Paren, Path, Repeat, Tuple};
    matches!(
        at.kind(),
        Kind::Expr(Array | Call | Field | Index | Lit | MethodCall | Paren | Path | Repeat | Tuple)
    )
}

/// Whether nothing around an expression could take a part of it.
fn is_between_commas(at: At) -> bool {
    use ExprKind::{Array, Call, MethodCall, Paren, Tuple};
    let Some(outer) = at.parent() else {
        return true;
    };
    let is_first = outer.child(is_expr).is_some_and(|first| first.id == at.id);
    match outer.kind() {
        Kind::Expr(Call | MethodCall) => !is_first,
        Kind::Expr(Array | Paren | Tuple) => true,
        Kind::Expr(_) => false,
        // `S { }` at its beginning would be a block.
        Kind::Stmt(_) => outer.text() == at.text(),
        _ => true,
    }
}

/// The name of the type whose impl stands around.
fn owner_of(at: At<'_>) -> Option<&str> {
    let mut outer = at.ancestors();
    let around = outer.find(|outer| is_impl(outer.kind()))?;
    around.child(is_type).and_then(name_of_type)
}

/// Where names stand in a subject.
struct Names<'s> {
    subject: &'s Subject,
    calls: BTreeMap<&'s str, Vec<At<'s>>>,
    /// What other names there are for types.
    aliases: BTreeMap<&'s str, &'s str>,
}

impl<'s> Names<'s> {
    fn of(subject: &'s Subject) -> Names<'s> {
        let mut calls: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
        for call in all(subject, is_call) {
            calls
                .entry(call.name().unwrap_or_default())
                .or_default()
                .push(call);
        }
        let aliases = all(subject, |kind| kind == Kind::Item(ItemKind::TypeAlias));
        let aliases = aliases.into_iter().filter_map(|alias| {
            let of = alias.child(is_type).and_then(name_of_type)?;
            Some((alias.name()?, of))
        });
        Names {
            subject,
            calls,
            aliases: aliases.collect(),
        }
    }

    /// All calls of functions that are alike with what they do in their place; `None` if one is mentioned in another way.
    fn inlined(&self, group: &[Small<'s>]) -> Option<Element> {
        let first = group[0];
        let owner = match Group::of(first.function)? {
            Group::OfType(owner, _) => Some(owner),
            _ => None,
        };
        let is_free = first.function.kind() == Kind::Item(ItemKind::Fn);
        let mut edits: Vec<Edit> = group.iter().map(Small::gone).collect();
        let mut called: BTreeSet<(FileId, usize)> = BTreeSet::new();
        for call in self.calls.get(first.name).into_iter().flatten() {
            let by_dot = call.kind() == Kind::Expr(ExprKind::MethodCall);
            let callee = call.child(is_expr)?;
            let of_it = match by_dot {
                true => owner.is_none() && !is_free,
                false => self.is_path_to(callee, owner, is_free),
            };
            if of_it {
                let name = call.node.name.clone()?;
                called.insert((call.file, name.start));
                edits.extend(first.in_place_of(*call)?);
            }
        }
        for (file, version, tree) in self.subject.sources() {
            let source = version.source();
            let tokens = tree.tokens();
            for (at, token) in tokens.iter().enumerate() {
                let place = token.range();
                let defined = group.iter().any(|one| {
                    one.function.file == file && one.function.node.name.as_ref() == Some(&place)
                });
                let known = defined || called.contains(&(file, place.start));
                if token.kind != TokenKind::Ident || &source[place.clone()] != first.name || known {
                    continue;
                }
                let before = |back: usize| {
                    let token = tokens.get(at.checked_sub(back)?)?;
                    Some(&source[token.range()])
                };
                let after = tokens.get(at + 1).map(|token| &source[token.range()]);
                let may_be_it = match (is_free, owner) {
                    // What imports it alone goes with it.
                    (true, _) => {
                        let id = tree.innermost(&place)?;
                        let node = tree.node(id);
                        let around = tree.ancestors(id).map(|outer| tree.node(outer));
                        let mut around = std::iter::once(node).chain(around);
                        let import = around.find(|node| {
                            matches!(node.kind, Kind::UseTree | Kind::Item(ItemKind::Use))
                        });
                        if let Some(import) = import.filter(|_| after != Some("::")) {
                            edits.push(Edit::delete(file, import.range.clone()));
                            continue;
                        }
                        before(1) != Some(".")
                    }
                    (false, Some(owner)) => {
                        before(1) == Some("::")
                            && before(2).is_some_and(|ty| self.is_name_of(ty, owner))
                    }
                    (false, None) => match before(1) {
                        Some("::") => true,
                        Some(".") => matches!(after, Some("(" | "::")),
                        // Another one of the name is there.
                        before => before == Some("fn"),
                    },
                };
                if may_be_it {
                    return None;
                }
            }
        }
        (!called.is_empty())
            .then(|| smaller(self.subject, first.function.kind(), edits))
            .flatten()
    }

    /// Whether `ty` is `owner`, or another name for it.
    fn is_name_of(&self, ty: &str, owner: &str) -> bool {
        ty == owner || self.aliases.get(ty) == Some(&owner)
    }

    /// Whether a path may lead to a function of the type `owner`, to a free function, or to a method.
    fn is_path_to(&self, callee: At<'s>, owner: Option<&str>, is_free: bool) -> bool {
        let words = callee.words(&callee.range());
        let behind = |at: usize| {
            let at = words.len().checked_sub(at)?;
            words.get(at).map(|(word, _)| *word)
        };
        match (is_free, owner) {
            (true, _) => behind(2).is_none_or(|sign| sign == "::"),
            (false, Some(owner)) => match behind(3) {
                Some("Self") => owner_of(callee) == Some(owner),
                Some(ty) => self.is_name_of(ty, owner),
                None => false,
            },
            (false, None) => behind(2) == Some("::"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    fn inlined(text: &str) -> Vec<String> {
        let fails_at = text.find("FAILS").map(|at| Origin {
            file: FileId(0),
            offset: at as u32,
        });
        // What is made from the same text is the same in every round.
        let mut found = each(&SmallFunctions { fails_at }, text);
        assert_eq!(found.len() % ROUNDS, 0);
        found.truncate(found.len() / ROUNDS);
        found
    }

    #[test]
    fn what_gives_a_field_is_that_field() {
        assert_eq!(
            inlined(
                "struct S(u8); impl S { fn n(&self) -> u8 { self.0 } fn m(&self) -> u8 { self.n() + 1 } } fn f(s: S) { s.n(); g(s.a().n()); S::n(s) }"
            )[0],
            "struct S(u8); impl S { fn m(&self) -> u8 { self.0 + 1 } } fn f(s: S) { s.0; g(s.a().0); s.0 }"
        );
    }

    #[test]
    fn what_makes_a_value_is_that_value() {
        assert_eq!(
            inlined(
                "struct S { a: u8, b: u8 } type T = S; impl S { fn new(a: u8, c: u8) -> Self { Self { a, b: c } } } fn f() { let s = S::new(1, 2 + 3); T::new(g(), S::new(4, 5).b).h(); Vec::new(); }"
            ),
            [
                "struct S { a: u8, b: u8 } type T = S; fn f() { let s = S { a: 1, b: 2 + 3 }; (S { a: g(), b: (S { a: 4, b: 5 }).b }).h(); Vec::new(); }"
            ]
        );
    }

    #[test]
    fn operands_stay_together() {
        assert_eq!(
            inlined(
                "mod m { pub fn twice(x: u8) -> u8 { x * 2 } } use m::twice; fn f() { -twice(1 + 2); twice(a.b) + m::twice(c) }"
            ),
            ["mod m { } fn f() { -((1 + 2) * 2); (a.b * 2) + (c * 2) }"]
        );
    }

    #[test]
    fn methods_that_do_the_same_go_together() {
        assert_eq!(
            inlined(
                "impl S { fn n(&self) -> u8 { self.0.k } } impl T { fn n(&self) -> u16 { self.0.k } } fn f() { s.n(); t.n(); s.n() }"
            ),
            ["fn f() { s.0.k; t.0.k; s.0.k }"]
        );
    }

    #[test]
    fn what_is_called_by_another_goes_first() {
        assert_eq!(
            inlined("fn f() { g(1); g(2); g(3); } fn g(x: u8) { h(x) } fn h(x: u8) { i(x, 1, 2) }"),
            ["fn f() { g(1); g(2); g(3); } fn g(x: u8) { i(x, 1, 2) }"]
        );
    }

    #[test]
    fn what_fails_and_what_is_not_the_same_elsewhere_stays() {
        for text in [
            "fn f() { g(1); g(2); } fn g(x: u8) { FAILS(x) }",
            "fn f() { g(1); g(2); h(g); } fn g(x: u8) { k(x) }",
            "fn f() { g(k()); g(k()); } fn g(x: u8) { x + x }",
            "fn f() { g(k(), l()); g(k(), l()); } fn g(x: u8, y: u8) { m(y, x) }",
            "fn f() { g(k()); } fn g(x: u8) { h(|| x) }",
            "fn f() { g(); g(); } fn g() -> Option<u8> { h()?.i() }",
            "fn f() { g::<u8>(); g::<u8>(); } fn g<T>() { h() }",
            "fn f() { s.g(); s.g(); } impl S { fn g(&self) { h(self) } }",
            "fn f() { s.g(); s.g(); } impl S { fn g(&self) { self.h } } impl T for U { fn g(&self) {} }",
            "fn f(y: u8) { g(y); g(y); } fn g(x: u8) { match h() { y => x } }",
        ] {
            assert_eq!(inlined(text), Vec::<String>::new(), "{text}");
        }
    }
}
