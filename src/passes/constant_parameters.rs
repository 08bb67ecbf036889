//! Parameters that every call gives the same constant.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::BTreeMap;

use super::Pass;
use super::query::{At, all, calls_by_name, is_expr, is_fn, smaller};
use super::values::{mentions_of_values, said_at};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind};

/// `fn f(n: u8, x: X) { g(n, x) }`, called `f(1, y)` and `f(1, z)`, → `fn f(x: X) { g(1, x) }`, called `f(y)` and `f(z)`.
pub struct ConstantParameters;

impl Pass for ConstantParameters {
    fn name(&self) -> &'static str {
        "constant-parameters"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut functions: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        for function in all(subject, is_fn) {
            functions
                .entry(function.name().unwrap_or_default())
                .or_default()
                .push(function);
        }
        let mut mentions: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, version, tree) in subject.sources() {
            for token in tree.tokens() {
                *mentions
                    .entry(&version.source()[token.range()])
                    .or_default() += 1;
            }
        }
        let calls = calls_by_name(subject);
        let mut list = Vec::new();
        for (name, functions) in functions {
            let ([function], Some(calls)) = (&functions[..], calls.get(name)) else {
                continue;
            };
            if mentions.get(name) == Some(&(calls.len() + 1)) {
                list.extend(without_each(subject, *function, calls));
            }
        }
        Some(list)
    }
}

/// What takes each such parameter of a function away, of which these are all calls.
fn without_each(subject: &Subject, function: At, calls: &[At]) -> Vec<Element> {
    let parameters = function.children(|kind| kind == Kind::Param);
    let has_receiver = function.child(|kind| kind == Kind::Receiver).is_some();
    let given = calls.iter().map(|call| {
        let parts = call.children(is_expr);
        let by_dot = call.kind() == Kind::Expr(ExprKind::MethodCall);
        // In front of the arguments stands what is called, or the receiver; by a path, that is an argument.
        let skip = if has_receiver && !by_dot { 2 } else { 1 };
        let arguments: Vec<At> = parts.into_iter().skip(skip).collect();
        (arguments.len() == parameters.len()).then_some(arguments)
    });
    let Some(given) = given.collect::<Option<Vec<Vec<At>>>>() else {
        return Vec::new();
    };
    let elements = parameters
        .iter()
        .enumerate()
        .filter_map(|(place, parameter)| {
            let value = given.first()?[place];
            let same = given
                .iter()
                .all(|arguments| arguments[place].text() == value.text());
            let pattern = parameter.child(|kind| matches!(kind, Kind::Pat(_)))?;
            let name = pattern.name().filter(|name| *name == pattern.text())?;
            let body = function.child(|kind| kind == Kind::Body)?;
            if !same || !is_constant(value) {
                return None;
            }
            let mut edits: Vec<Edit> = vec![parameter.cut()];
            edits.extend(given.iter().map(|arguments| arguments[place].cut()));
            for at in mentions_of_values(body, body.range(), name)? {
                let text = said_at(body, &at, value)?;
                edits.push(body.edit(at, text));
            }
            smaller(subject, parameter.kind(), edits)
        });
    elements.collect()
}

/// Whether it is the same everywhere.
pub(super) fn is_constant(value: At) -> bool {
    let known = ["()", "None", "true", "false"];
    value.kind() == Kind::Expr(ExprKind::Lit) || known.contains(&value.text())
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_every_call_gives_is_no_parameter() {
        assert_eq!(
            each(
                &ConstantParameters,
                "fn f(n: u8, x: X) { g(n, x, S { n }) } fn h() { f(1, y); f(1, z); S::k(s, None); s.k(None); } impl S { fn k(&self, a: Option<u8>) { a } }"
            ),
            [
                "fn f( x: X) { g(1, x, S { n: 1 }) } fn h() { f( y); f( z); S::k(s, None); s.k(None); } impl S { fn k(&self, a: Option<u8>) { a } }",
                "fn f(n: u8, x: X) { g(n, x, S { n }) } fn h() { f(1, y); f(1, z); S::k(s ); s.k(); } impl S { fn k(&self ) { None } }",
            ]
        );
        assert_eq!(
            each(
                &ConstantParameters,
                "fn f(n: u8) { n } fn h() { matches!(f(1), Ok((a, _)) if a.b()) }"
            ),
            ["fn f() { 1 } fn h() { matches!(f(), Ok((a, _)) if a.b()) }"]
        );
        let none: [&str; 0] = [];
        for text in [
            "fn f(n: u8) { n } fn g() { f(1); f(2); }",
            "fn f(n: u8) { n } fn g() { f(1); h(f); }",
            "fn f(n: u8) { let n = n; n } fn g() { f(1); }",
            "fn f(n: u8) { n } fn g() { f(x); }",
        ] {
            assert_eq!(each(&ConstantParameters, text), none, "{text}");
        }
    }
}
