//! All that is called the same: what one name stands for is often handed on, from parameter to parameter, into a field, out of it
//! into a variable and into the next field, and read nowhere else. None of these can go alone.
//!
//! By names alone, without scopes or types: a wrong guess costs a trial.

use std::collections::BTreeMap;

use super::fed::{assigned, made};
use super::together::{callees, name, values_of};
use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, Kind, Node, Tree};

/// A name with all fields and their values, all parameters and their arguments, all variables and all assignments; then without
/// the last two.
pub struct OneName;

/// What is called the same.
#[derive(Default)]
struct Called {
    /// Fields, and the functions that have such a parameter.
    places: usize,
    /// What goes with them.
    edits: Vec<Edit>,
    /// Statements that make such a variable, or change what is called so.
    statements: Vec<Edit>,
}

impl Pass for OneName {
    fn name(&self) -> &'static str {
        "one-name"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let with_statements = match round {
            0 => true,
            1 => false,
            _ => return None,
        };
        let all = all_called(subject).into_values();
        let list = all.filter_map(|called| {
            let parts = called.places + called.statements.len();
            let mut edits = called.edits;
            match with_statements {
                true => edits.extend(called.statements.iter().cloned()),
                false if called.statements.is_empty() => return None,
                false => {}
            }
            // What is there once can go alone.
            let several = match with_statements {
                true => parts > 1,
                false => called.places > 1,
            };
            (called.places > 0 && several).then(|| Element::new(subject, Kind::Field, edits))
        });
        Some(list.collect())
    }
}

/// What is called the same, by name.
fn all_called(subject: &Subject) -> BTreeMap<&str, Called> {
    let mut all: BTreeMap<&str, Called> = BTreeMap::new();
    for (file, _, _, node) in nodes(subject, |_, _, node| node.kind == Kind::Field) {
        if let Some(field) = name(subject, file, node) {
            let called = all.entry(field).or_default();
            if called.places == 0 {
                called.edits.extend(values_of(subject, field, None));
            }
            called.places += 1;
            called.edits.push(Edit::delete(file, node.range.clone()));
        }
    }
    for callees in callees(subject) {
        for at in 0..callees.longest() {
            let parameter = callees.parameters.iter().find_map(|(file, parameters)| {
                let parameter = parameters.get(at)?;
                simple_name(subject, *file, parameter)
            });
            if let Some(parameter) = parameter {
                let called = all.entry(parameter).or_default();
                called.places += 1;
                called.edits.extend(callees.without(at));
            }
        }
    }
    for (file, tree, _, node) in nodes(subject, |_, _, node| matches!(node.kind, Kind::Stmt(_))) {
        let made = made_or_changed(subject, file, tree, node);
        if let Some(called) = made.and_then(|made| all.get_mut(made)) {
            let statement = Edit::delete(file, node.range.clone());
            called.statements.push(statement);
        }
    }
    all
}

/// The name of a parameter that is nothing but a name.
fn simple_name<'s>(subject: &'s Subject, file: FileId, parameter: &Node) -> Option<&'s str> {
    let source = &subject.file(file).source()[parameter.range.clone()];
    let (pattern, _) = source.split_once(':')?;
    let pattern = pattern.trim();
    let pattern = pattern.strip_prefix("mut ").unwrap_or(pattern).trim();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    (pattern != "_" && pattern.chars().all(is_word)).then_some(pattern)
}

/// The name of the variable that `statement` makes, or of what it assigns to.
fn made_or_changed<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    statement: &Node,
) -> Option<&'s str> {
    let first = tree.node(*statement.children.first()?);
    made(subject.file(file).source(), tree, statement)
        .or_else(|| assigned(subject, file, tree, first))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::OneName;

    #[test]
    fn what_is_handed_on_goes_with_all_that_hands_it_on() {
        assert_eq!(
            each(
                &OneName,
                "struct A { n: u8, m: u8 } struct B { n: u8 } fn f(a: A) -> B { let n = a.n; g(n, 2); B { n } } fn g(n: u8, k: u8) { h.n += n; A { n, m: k } }"
            ),
            [
                "struct A { m: u8 } struct B { } fn f(a: A) -> B { g( 2); B { } } fn g( k: u8) { A { m: k } }",
                "struct A { m: u8 } struct B { } fn f(a: A) -> B { let n = a.n; g( 2); B { } } fn g( k: u8) { h.n += n; A { m: k } }",
            ]
        );
    }

    #[test]
    fn a_parameter_that_goes_round_goes_from_every_function() {
        assert_eq!(
            each(
                &OneName,
                "fn f(mut d: u8, x: u8) { g(x, d) } fn g(x: u16, d: u8) { f(d + 1, 2); d == 3; }"
            ),
            [
                "fn f( x: u8) { g(x ) } fn g(x: u16 ) { f( 2); d == 3; }",
                "fn f(mut d: u8 ) { g( d) } fn g( d: u8) { f(d + 1 ); d == 3; }",
            ]
        );
    }

    #[test]
    fn what_is_there_once_is_for_other_passes() {
        for text in [
            "struct A { n: u8 } fn f(k: u8) { A { n: k } }",
            "fn f() { let n = 1; n = 2; }",
        ] {
            assert_eq!(each(&OneName, text), [""; 0], "{text}");
        }
    }
}
