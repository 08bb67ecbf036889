//! Methods as free functions: an inherent impl with one function becomes that function, and what asks nothing of the value that it
//! is called on leaves its impl.

use std::collections::BTreeMap;
use std::ops::Range;

use super::Pass;
use super::query::{
    At, all, is_expr, is_fn, is_impl, is_member, is_parameter, is_type, owner_of, smaller, type_of,
};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind};

/// `impl S { fn f(&self, x: T) { self.a } }` → `fn f(this: &S, x: T) { this.a }`, `s.f(x)` → `f(&s, x)`,
/// `S::f(…)` → `f(…)`. And `impl S { fn f(&self, x: T) { x } … }` → `fn f(x: T) { x } impl S { … }`, `s.f(y)` → `f(y)`.
pub struct MethodsToFunctions;

impl Pass for MethodsToFunctions {
    fn name(&self) -> &'static str {
        "methods-to-functions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        if round == 1 {
            return Some(loose(subject));
        }
        let list = all(subject, is_impl).into_iter().filter_map(|one| {
            let inherent = one.child(|kind| kind == Kind::TraitRef).is_none();
            let [function] = one.children(is_member)[..] else {
                return None;
            };
            if !inherent
                || !is_fn(function.kind())
                || one.child(|kind| kind == Kind::Predicate).is_some()
            {
                return None;
            }
            let name = free_name(subject, one, function)?;
            let mut edits = declaration(one, function)?;
            let own = function.node.name.clone()?;
            if function.name() != Some(&*name) {
                edits.push(function.edit(own, name.as_str()));
            }
            let leaving = Leaving {
                function,
                called: name,
                owner: None,
            };
            edit_calls(subject, &[leaving], &mut edits)?;
            smaller(subject, function.kind(), edits)
        });
        Some(list.collect())
    }
}

/// The functions at the beginning and at the end of an inherent impl that ask nothing of their receiver, as free functions: who
/// calls them leaves it out.
fn loose(subject: &Subject) -> Elements {
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    for function in all(subject, is_fn) {
        *defined
            .entry(function.name().unwrap_or_default())
            .or_default() += 1;
    }
    let mut list = Elements::new();
    for one in all(subject, is_impl) {
        let members = one.children(is_member);
        let inherent = one.child(|kind| kind == Kind::TraitRef).is_none();
        if !inherent || members.len() < 2 {
            continue;
        }
        let ends = [members[0], members[members.len() - 1]].into_iter();
        let alone =
            ends.filter(|at| is_fn(at.kind()) && defined[at.name().unwrap_or_default()] == 1);
        list.extend(alone.filter_map(|function| {
            let edits = without_receiver(subject, one, function)?;
            smaller(subject, function.kind(), edits)
        }));
    }
    list
}

/// `function`, which stands at the beginning or the end of the impl `one`, outside of it, without its receiver and what is given
/// for that.
fn without_receiver(subject: &Subject, one: At, function: At) -> Option<Vec<Edit>> {
    let ty = one.child(is_type)?;
    let receiver = function.child(|kind| kind == Kind::Receiver);
    let is_of_receiver = |place: &Range<usize>| receiver.is_some_and(|at| at.holds(place));
    let own = function.range();
    let asked = function.mentions("self", &own);
    let parameters = one.children(is_parameter).into_iter();
    let mut needed = parameters.filter_map(At::name);
    if asked.iter().any(|place| !is_of_receiver(place))
        || needed.any(|name| !function.mentions(name, &own).is_empty())
    {
        return None;
    }
    let open = one.words(&(ty.node.range.end..one.node.range.end));
    let open = open.iter().find(|(word, _)| *word == "{")?.1.end;
    let head = &one.source[one.node.range.start..open];
    let is_first = one.children(is_member)[0].node.range == own;
    let mut edits = match is_first {
        true => vec![
            one.edit(one.node.range.start..own.start, ""),
            one.edit(own.end..own.end, format!(" {head}")),
        ],
        false => vec![
            one.edit(own.start..own.start, "} "),
            one.edit(own.end..one.node.range.end, ""),
        ],
    };
    edits.extend(receiver.map(At::cut));
    for place in function.mentions("Self", &own) {
        if !is_of_receiver(&place) {
            edits.push(function.edit(place, ty.text()));
        }
    }
    let name = function.name()?;
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::MethodCall | ExprKind::Path));
    for call in all(subject, is_call) {
        if call.name() != Some(name) {
            continue;
        }
        if call.kind() == Kind::Expr(ExprKind::MethodCall) {
            let last = call.node.name.clone()?.start;
            edits.push(call.edit(call.node.range.start..last, ""));
            receiver?;
            continue;
        }
        let words = call.words(&call.range());
        let last = words.iter().rposition(|(word, _)| *word == name)?;
        edits.push(call.edit(call.node.range.start..words[last].1.start, ""));
        if receiver.is_some() {
            let around = call.parent()?;
            let is_its_call = around.kind() == Kind::Expr(ExprKind::Call);
            let parts = around.children(is_expr);
            let given = parts
                .get(1)
                .filter(|_| is_its_call && parts[0].id == call.id)?;
            edits.push(given.cut());
        }
    }
    Some(edits)
}

/// What `function`, of the impl `one`, can be called outside of it: its own name, or with that of its type where there is another
/// function of its name.
fn free_name(subject: &Subject, one: At, function: At) -> Option<String> {
    let name = function.name()?;
    let free = all(subject, |kind| kind == Kind::Item(ItemKind::Fn));
    if !free.iter().any(|at| at.name() == Some(name)) {
        return Some(name.to_string());
    }
    let mut of_type = String::new();
    for letter in type_of(one)?.chars() {
        if letter.is_uppercase() && !of_type.is_empty() {
            of_type.push('_');
        }
        of_type.extend(letter.to_lowercase());
    }
    Some(format!("{of_type}_{name}"))
}

/// The function without the impl around it.
fn declaration(one: At, function: At) -> Option<Vec<Edit>> {
    let mut edits = vec![
        one.edit(one.node.range.start..function.node.range.start, ""),
        one.edit(function.node.range.end..one.node.range.end, ""),
    ];
    edits.extend(outside(one, function)?);
    Some(edits)
}

/// What `function`, of the impl `one`, has to say of itself outside of it.
fn outside(one: At, function: At) -> Option<Vec<Edit>> {
    let ty = one.child(is_type)?;
    let mut edits = Vec::new();
    let parameters: Vec<&str> = one
        .children(is_parameter)
        .iter()
        .map(|at| at.text())
        .collect();
    if !parameters.is_empty() {
        let own = function.children(is_parameter);
        // Lifetimes come first, and either list may have some.
        if let (Some(first), false) = (
            own.first(),
            parameters.iter().any(|text| !text.starts_with('\'')),
        ) {
            edits.push(one.edit(
                first.node.range.start..first.node.range.start,
                format!("{}, ", parameters.join(", ")),
            ));
        } else if let Some(last) = own.last() {
            edits.push(one.edit(
                last.node.range.end..last.node.range.end,
                format!(", {}", parameters.join(", ")),
            ));
        } else {
            let name = function.node.name.clone()?;
            edits.push(one.edit(name.end..name.end, format!("<{}>", parameters.join(", "))));
        }
    }
    let mut this = None;
    if let Some(receiver) = function.child(|kind| kind == Kind::Receiver) {
        let text = receiver.text();
        let declared = match text.split_once(':') {
            Some((_, declared)) => declared.trim().replace("Self", ty.text()),
            None => {
                let reference = text.trim_end_matches("self").trim_start_matches("mut ");
                format!("{reference}{}", ty.text())
            }
        };
        edits.push(receiver.by(format!("this: {declared}")));
        this = Some(receiver);
    }
    // What a type is given is not said in front of a value.
    let is_value = |place: &Range<usize>| {
        let at = function.tree.innermost(place);
        let kind = at.map(|id| function.tree.node(id).kind);
        matches!(kind, Some(Kind::Expr(_) | Kind::Pat(_)))
    };
    for word in ["self", "Self"] {
        for at in function.mentions(word, &function.range()) {
            let name = match word {
                "self" => "this",
                _ if is_value(&at) => type_of(one).unwrap_or(ty.text()),
                _ => ty.text(),
            };
            if !this.is_some_and(|receiver| receiver.holds(&at)) {
                edits.push(function.edit(at, name));
            }
        }
    }
    Some(edits)
}

/// A function that leaves its impl.
struct Leaving<'s> {
    function: At<'s>,
    /// What it is called then.
    called: String,
    /// The type that alone may stand in front of its name; any may if it is not said.
    owner: Option<&'s str>,
}

impl<'s> Leaving<'s> {
    /// How its receiver is asked for.
    fn reference(&self) -> &'static str {
        let receiver = self.function.child(|kind| kind == Kind::Receiver);
        match receiver.map(At::text) {
            Some(text) if text.starts_with('&') && text.contains("mut ") => "&mut ",
            Some(text) if text.starts_with('&') => "&",
            _ => "",
        }
    }

    /// Whether the path `at` may lead to it.
    fn is_named_by(&self, at: At<'s>) -> bool {
        let words = at.words(&at.range());
        let before = |back: usize| {
            let at = words.len().checked_sub(back)?;
            words.get(at).map(|(word, _)| *word)
        };
        let Some(owner) = self.owner else {
            // In front of a free function of the name there is no type.
            return words.len() > 1 || self.function.name() == Some(&*self.called);
        };
        match before(3) {
            Some("Self") => owner_of(at) == Some(owner),
            word => word == Some(owner),
        }
    }
}

/// Adds to `edits` what all calls of functions that leave their impls become, by their names: without what they are called through.
fn edit_calls(subject: &Subject, leaving: &[Leaving], edits: &mut Vec<Edit>) -> Option<()> {
    // Several calls may begin where one word stands that is changed itself: `self.f().g()`.
    let mut openings: BTreeMap<(FileId, usize), String> = BTreeMap::new();
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::MethodCall | ExprKind::Path));
    for call in all(subject, is_call) {
        let by_path = call.kind() == Kind::Expr(ExprKind::Path);
        let is_it = |one: &&Leaving| {
            let has_receiver = one.function.child(|kind| kind == Kind::Receiver).is_some();
            call.name() == one.function.name()
                && match by_path {
                    true => one.is_named_by(call),
                    false => has_receiver || one.owner.is_none(),
                }
        };
        let Some(one) = leaving.iter().find(is_it) else {
            continue;
        };
        let called = &one.called;
        if by_path {
            let name = call.name()?;
            let words = call.words(&call.range());
            let last = words.iter().rposition(|(word, _)| *word == name)?;
            edits.push(call.edit(call.node.range.start..words[last].1.end, called.as_str()));
            continue;
        }
        let value = call.child(|kind| matches!(kind, Kind::Expr(_)))?;
        let start = call.node.range.start;
        let behind = value.node.range.end..call.node.range.end;
        let words = call.words(&behind);
        let open = words.iter().position(|(word, _)| *word == "(")?;
        let comma = if words.get(open + 1).is_some_and(|(word, _)| *word == ")") {
            ""
        } else {
            ", "
        };
        // A receiver that is a reference is one already.
        let is_lent = |outer: At| {
            let receiver = outer.child(|kind| kind == Kind::Receiver);
            value.text() == "self" && receiver.is_some_and(|at| at.text().starts_with('&'))
        };
        let around = call.ancestors().find(|outer| is_fn(outer.kind()));
        let reference = if around.is_some_and(is_lent) {
            ""
        } else {
            one.reference()
        };
        let opening = openings.entry((call.file, start)).or_default();
        opening.push_str(&format!("{called}({reference}"));
        edits.push(call.edit(value.node.range.end..words[open].1.end, comma));
    }
    for ((file, start), opening) in openings {
        let there = edits.iter_mut().filter(|edit| {
            edit.file == file && edit.range.start == start && !edit.range.is_empty()
        });
        // What stands in it is not changed besides.
        match there.max_by_key(|edit| edit.range.end) {
            Some(edit) => edit.text.insert_str(0, &opening),
            None => edits.push(Edit::replace(file, start..start, opening)),
        }
    }
    Some(())
}

/// What makes all methods of the type `name` functions, however many words that takes; `None` if it has none, or their calls
/// cannot be told by their names.
pub fn without_methods(subject: &Subject, name: &str) -> Option<Element> {
    let is_its = |one: &At| {
        let of = type_of(*one);
        of == Some(name) && one.child(|kind| kind == Kind::TraitRef).is_none()
    };
    let mut defined: BTreeMap<&str, usize> = BTreeMap::new();
    for function in all(subject, is_fn) {
        if function.child(|kind| kind == Kind::Receiver).is_some() {
            *defined
                .entry(function.name().unwrap_or_default())
                .or_default() += 1;
        }
    }
    let mut edits = Vec::new();
    let mut leaving = Vec::new();
    for one in all(subject, is_impl).into_iter().filter(is_its) {
        let members = one.children(is_member);
        let plain = members.iter().all(|at| is_fn(at.kind()));
        if !plain || one.child(|kind| kind == Kind::Predicate).is_some() {
            return None;
        }
        let (first, last) = (members.first()?, members.last()?);
        edits.push(one.edit(one.node.range.start..first.node.range.start, ""));
        edits.push(one.edit(last.node.range.end..one.node.range.end, ""));
        for function in members {
            if defined
                .get(function.name()?)
                .is_some_and(|count| *count > 1)
            {
                return None;
            }
            let called = free_name(subject, one, function)?;
            edits.push(function.edit(function.node.name.clone()?, called.as_str()));
            edits.extend(outside(one, function)?);
            leaving.push(Leaving {
                function,
                called,
                owner: Some(name),
            });
        }
    }
    edit_calls(subject, &leaving, &mut edits)?;
    (!leaving.is_empty()).then(|| Element::new(subject, Kind::Item(ItemKind::Impl), edits))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn an_impl_with_one_method_becomes_a_function() {
        assert_eq!(
            each(
                &MethodsToFunctions,
                "impl<T> S<T> { fn f<U>(&mut self, x: U) { self.a } } fn g() { s.h().f(1); S::<u8>::f(&mut s, 2); }"
            ),
            [
                "fn f<U, T>(this: &mut S<T>, x: U) { this.a } fn g() { f(&mut s.h(), 1); f(&mut s, 2); }"
            ]
        );
        assert_eq!(
            each(
                &MethodsToFunctions,
                "impl S { fn f(self) {} } fn g() { s.f() }"
            ),
            ["fn f(this: S) {} fn g() { f(s) }"]
        );
    }

    #[test]
    fn another_function_of_the_name_keeps_it() {
        assert_eq!(
            each(
                &MethodsToFunctions,
                "impl<T> RawText<T> { fn f(&self) { f(self.a) } } fn f(x: u8) {} fn g() { s.f(); RawText::f(&s); f(1); }"
            ),
            [
                "fn raw_text_f<T>(this: &RawText<T>) { f(this.a) } fn f(x: u8) {} fn g() { raw_text_f(&s); raw_text_f(&s); f(1); }"
            ]
        );
    }

    #[test]
    fn all_methods_of_a_type_become_functions() {
        let without = |text: &str| {
            let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
            let element = without_methods(&subject, "S")?;
            let after = subject.without([&element]);
            let source = after.file(FileId(0)).source();
            Some(source.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            without(
                "impl<'a> S<'a> { fn new(x: &'a u8) -> Self { S(x) } fn f(&self) -> u8 { self.0.h() } } impl S<'_> { fn g(&mut self, n: u8) -> &Self { self.g(n).f(); Self::new(n).f(); Self { x: 1 }; self } } impl T { fn new() {} } fn k(s: S) { s.g(1).f(); T::new(); S::new(2); S::f(&s); }"
            )
            .as_deref(),
            Some(
                "fn new<'a>(x: &'a u8) -> S<'a> { S(x) } fn f<'a>(this: &S<'a>) -> u8 { this.0.h() } fn g(this: &mut S<'_>, n: u8) -> &S<'_> { f(&g(this, n)); f(&new(n)); S { x: 1 }; this } impl T { fn new() {} } fn k(s: S) { f(&g(&mut s, 1)); T::new(); new(2); f(&s); }"
            )
        );
        for text in [
            "impl S { fn f(&self) {} } impl T { fn f(&self) {} }",
            "impl S { const N: u8 = 1; fn f(&self) {} }",
            "impl A for S { fn f(&self) {} }",
        ] {
            assert_eq!(without(text), None, "{text}");
        }
    }

    #[test]
    fn what_asks_nothing_of_its_receiver_leaves_the_impl() {
        assert_eq!(
            each(
                &MethodsToFunctions,
                "impl S { fn f(&self, x: u8) -> Self { g(x) } fn h(&self) { self.a } fn i() {} } fn k() { s.t().f(1); S::f(&s, 2); s.h(); crate::S::i(); }"
            ),
            [
                "fn f( x: u8) -> S { g(x) } impl S { fn h(&self) { self.a } fn i() {} } fn k() { f(1); f( 2); s.h(); crate::S::i(); }",
                "impl S { fn f(&self, x: u8) -> Self { g(x) } fn h(&self) { self.a } } fn i() {} fn k() { s.t().f(1); S::f(&s, 2); s.h(); i(); }"
            ]
        );
        let none: [&str; 0] = [];
        for text in [
            "impl<T> S<T> { fn f(x: T) {} fn g(&self) { self } } fn h() { S::f(1) }",
            "impl S { fn f(&self) {} fn g(&self) { self } } fn h() { a.map(S::f) }",
            "impl S { fn f(&self) {} fn g(&self) { self } } impl R { fn f(&self) {} fn k(&self) { self } } fn h() { a.f() }",
        ] {
            assert_eq!(each(&MethodsToFunctions, text), none, "{text}");
        }
    }

    #[test]
    fn a_trait_or_a_second_method_keeps_its_impl() {
        let none: [&str; 0] = [];
        let text = "impl A for S { fn f(&self) {} } impl S { fn f() {} fn g() {} }";
        assert_eq!(each(&MethodsToFunctions, text), none);
    }
}
