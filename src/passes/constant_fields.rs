//! Fields that are given the same constant wherever their struct is made.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::BTreeMap;

use super::Pass;
use super::constant_parameters::is_constant;
use super::query::{At, all, is_expr, smaller};
use super::values::label;
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind};

/// `struct S { n: u8, x: X }`, made by `S { n: 1, x }` alone, → `struct S { x: X }`, `s.n + 1` → `1 + 1`.
pub struct ConstantFields;

impl Pass for ConstantFields {
    fn name(&self) -> &'static str {
        "constant-fields"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut fields: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        for field in all(subject, |kind| kind == Kind::Field) {
            if let Some(name) = field.name() {
                fields.entry(name).or_default().push(field);
            }
        }
        let mut values: BTreeMap<&str, Vec<At>> = BTreeMap::new();
        for value in all(subject, |kind| kind == Kind::FieldValue) {
            if let Some((name, _)) = label(value) {
                values.entry(name).or_default().push(value);
            }
        }
        let named = fields.into_iter().filter_map(|(name, fields)| {
            let [field] = fields[..] else { return None };
            let of_struct = field.parent()?.kind() == Kind::Item(ItemKind::Struct);
            let values = values.get(name).filter(|_| of_struct)?;
            without(subject, field, values)
        });
        Some(named.collect())
    }
}

/// What takes a field away, which is the only one of its name and is given these `values`.
fn without(subject: &Subject, field: At, values: &[At]) -> Option<Element> {
    let name = field.name()?;
    let constant = values.first()?.child(is_expr)?.text();
    let is_same = |value: &At| {
        let said = value.child(is_expr);
        said.is_some_and(|said| is_constant(said) && said.text() == constant)
    };
    let patterns = all(subject, |kind| kind == Kind::FieldPat).into_iter();
    let mut bound = patterns.filter_map(label);
    if !values.iter().all(is_same) || bound.any(|(word, _)| word == name) {
        return None;
    }
    let mut edits: Vec<Edit> = vec![field.cut()];
    edits.extend(values.iter().map(|value| value.cut()));
    let asked = all(subject, |kind| kind == Kind::Expr(ExprKind::Field)).into_iter();
    for at in asked.filter(|at| at.name() == Some(name)) {
        if is_changed(at) {
            return None;
        }
        edits.push(at.by(constant));
    }
    smaller(subject, field.kind(), edits)
}

/// Whether something may be put there.
fn is_changed(at: At) -> bool {
    let before = at.tree.tokens_in(&(0..at.node.range.start)).last();
    let is_lent = before.is_some_and(|token| &at.source[token.range()] == "mut");
    let is_set = at.parent().is_some_and(|outer| {
        outer.kind() == Kind::Expr(ExprKind::Assign)
            && outer.child(is_expr).is_some_and(|first| first.id == at.id)
    });
    is_lent || is_set
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_is_always_the_same_is_no_field() {
        assert_eq!(
            each(
                &ConstantFields,
                "struct S { n: u8, x: X } fn f(s: &S) { g(s.n + 1, s.x); S { x: y, n: 7 }; S { n: 7, x: 2 }; }"
            ),
            ["struct S { x: X } fn f(s: &S) { g(7 + 1, s.x); S { x: y }; S { x: 2 }; }"]
        );
        for text in [
            "struct S { n: u8 } fn f() { S { n: 1 }; S { n: 2 }; }",
            "struct S { n: u8 } fn f() { S { n: x }; }",
            "struct S { n: u8 } fn f(s: S) { S { n: 1 }; s.n = 2; }",
            "struct S { n: u8 } fn f(s: S) { S { n: 1 }; g(&mut s.n); }",
            "struct S { n: u8 } fn f(S { n }: S) { S { n: 1 }; }",
            "struct S { n: u8 } struct T { n: u8 } fn f() { S { n: 1 }; }",
            "struct S { n: u8 }",
        ] {
            assert_eq!(each(&ConstantFields, text), [""; 0], "{text}");
        }
    }
}
