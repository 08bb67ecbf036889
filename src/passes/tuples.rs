//! Structs by simpler ones: without what they hold, and in the end no struct at all but a tuple of what
//! it was about.

use std::collections::BTreeMap;

use super::query::{At, all, arguments_of, is_expr, is_parameter, is_type, smaller};
use super::{Pass, fields_open};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, PatKind, lexer};

/// `struct S(T);` → `struct S;`, `S(e)` → `S`, and the same with braces.
pub struct ToUnit;

/// `struct S<A, B>(…);` goes, `S<X, Y>` → the tuple of its fields in the first round, `(X, Y)` in the
/// second; `S(a, b)` → `(a, b)`.
pub struct ToTuple;

fn is_struct(kind: Kind) -> bool {
    matches!(kind, Kind::Item(ItemKind::Struct) | Kind::Variant)
}

fn is_field(kind: Kind) -> bool {
    kind == Kind::Field
}

fn is_part(kind: Kind) -> bool {
    matches!(kind, Kind::FieldValue | Kind::FieldPat)
}

/// What makes or takes apart values of what is called `name`.
fn values<'s>(subject: &'s Subject, name: &str) -> Vec<At<'s>> {
    let is_value = |kind| {
        matches!(
            kind,
            Kind::Expr(ExprKind::Struct | ExprKind::Call)
                | Kind::Pat(PatKind::Struct | PatKind::TupleStruct)
        )
    };
    let found = all(subject, is_value).into_iter();
    found.filter(|at| at.name() == Some(name)).collect()
}

/// The name and the value of a `field: value`.
fn part<'s>(at: At<'s>) -> Option<(&'s str, &'s str)> {
    let value = at.child(|kind| matches!(kind, Kind::Expr(_) | Kind::Pat(_)));
    let words = at.words(&at.range());
    let name = words
        .iter()
        .map(|(word, _)| *word)
        .find(|word| !matches!(*word, "ref" | "mut"))?;
    Some((name, value.map_or(at.text(), At::text)))
}

/// Where the path of a struct's value or pattern ends.
fn behind_path(at: At, open: &str) -> Option<usize> {
    let words = at.words(&at.range());
    let found = words.iter().find(|(word, _)| *word == open)?;
    Some(found.1.start)
}

/// The selections `.name` of one of `names`, with its place among them.
fn selections(
    subject: &Subject,
    names: &[&str],
) -> Vec<(crate::syntax::FileId, std::ops::Range<usize>, usize)> {
    let fields = all(subject, |kind| kind == Kind::Expr(ExprKind::Field)).into_iter();
    fields
        .filter_map(|at| {
            let place = names.iter().position(|name| at.name() == Some(*name))?;
            Some((at.file, at.node.name.clone()?, place))
        })
        .collect()
}

impl Pass for ToUnit {
    fn name(&self) -> &'static str {
        "structs-to-units"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let list = all(subject, is_struct)
            .into_iter()
            .filter_map(|definition| {
                let name = definition.name()?;
                let rest = definition.node.name.clone()?.end..definition.node.range.end;
                let open = fields_open(definition.source, definition.tree, definition.node)?;
                let end = if definition.kind() == Kind::Variant {
                    ""
                } else {
                    ";"
                };
                let mut edits = vec![definition.edit(open..rest.end, end)];
                for value in values(subject, name) {
                    let braced = matches!(
                        value.kind(),
                        Kind::Expr(ExprKind::Struct) | Kind::Pat(PatKind::Struct)
                    );
                    let from = behind_path(value, if braced { "{" } else { "(" })?;
                    edits.push(value.edit(from..value.node.range.end, ""));
                }
                smaller(subject, definition.kind(), edits)
            });
        Some(list.collect())
    }
}

impl Pass for ToTuple {
    fn name(&self) -> &'static str {
        "structs-to-tuples"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let structs = all(subject, |kind| kind == Kind::Item(ItemKind::Struct)).into_iter();
        let list = structs.filter_map(|definition| {
            let name = definition.name()?;
            let all_parameters = definition.children(is_parameter);
            if all_parameters
                .iter()
                .any(|one| one.text().starts_with("const "))
            {
                return None;
            }
            let types_only = all_parameters
                .iter()
                .filter(|one| !one.text().starts_with('\''));
            let parameters: Vec<&str> = types_only.filter_map(|one| one.name()).collect();
            let fields = definition.children(is_field);
            // One field is a pass of its own.
            let types: Vec<&str> = match (round, fields.len()) {
                (0, 1) => return None,
                (0, _) => fields
                    .iter()
                    .filter_map(|field| field.child(is_type))
                    .map(At::text)
                    .collect(),
                _ => parameters.clone(),
            };
            let mut edits = vec![definition.cut()];
            edits.extend(type_edits(subject, name, &parameters, &types));
            edits.extend(value_edits(subject, name, fields.is_empty())?);
            let names: Vec<&str> = fields.iter().filter_map(|field| field.name()).collect();
            for (file, range, at) in selections(subject, &names) {
                edits.push(Edit::replace(file, range, at.to_string()));
            }
            smaller(subject, definition.kind(), edits)
        });
        Some(list.collect())
    }
}

/// `S<X, Y>` → `(…)` with the arguments in the place of the parameters.
fn type_edits(subject: &Subject, name: &str, parameters: &[&str], types: &[&str]) -> Vec<Edit> {
    let arguments = arguments_of(subject, name);
    let found = all(subject, is_type).into_iter();
    found
        .filter(|ty| ty.name() == Some(name))
        .map(|ty| {
            let list = arguments.iter().find(|(list, _)| {
                list.file == ty.file && ty.holds(&list.range()) && list.node.parent == Some(ty.id)
            });
            let given: BTreeMap<&str, &str> = list.map_or_else(BTreeMap::new, |(_, given)| {
                let given = given.iter().map(|one| one.text());
                let types = given.filter(|text| !text.starts_with('\''));
                parameters.iter().copied().zip(types).collect()
            });
            let types: Vec<String> = types.iter().map(|one| substituted(one, &given)).collect();
            ty.by(tuple(&types))
        })
        .collect()
}

/// `S(a, b)`, `S { x: a, y: b }` → `(a, b)`, and a bare `S` → `()`.
fn value_edits(subject: &Subject, name: &str, unit: bool) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for value in values(subject, name) {
        let parts: Vec<String> = match value.kind() {
            Kind::Expr(ExprKind::Call) => value
                .children(is_expr)
                .iter()
                .skip(1)
                .map(|at| at.text().to_string())
                .collect(),
            Kind::Pat(PatKind::TupleStruct) => {
                let inner = value.children(|kind| matches!(kind, Kind::Pat(_)));
                inner.iter().map(|at| at.text().to_string()).collect()
            }
            _ => value
                .children(is_part)
                .into_iter()
                .filter_map(part)
                .map(|(_, text)| text.to_string())
                .collect(),
        };
        edits.push(value.by(tuple(&parts)));
    }
    if unit {
        let is_path = |kind| {
            matches!(
                kind,
                Kind::Expr(ExprKind::Path) | Kind::Pat(PatKind::Ident | PatKind::Path)
            )
        };
        let paths = all(subject, is_path)
            .into_iter()
            .filter(|at| at.name() == Some(name));
        edits.extend(paths.map(|at| at.by("()")));
    }
    Some(edits)
}

fn tuple(parts: &[String]) -> String {
    match parts {
        [one] => format!("({one},)"),
        _ => format!("({})", parts.join(", ")),
    }
}

/// `text` with the words of `given` replaced.
fn substituted(text: &str, given: &BTreeMap<&str, &str>) -> String {
    let mut result = String::new();
    let mut at = 0;
    for token in lexer::tokens(text) {
        result.push_str(&text[at..token.range().start]);
        let word = &text[token.range()];
        result.push_str(given.get(word).copied().unwrap_or(word));
        at = token.range().end;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_struct_loses_its_contents_with_its_values() {
        assert_eq!(
            each(
                &ToUnit,
                "struct S<T>(T, u8); fn f() { let S(a, b) = S(1, 2); }"
            ),
            ["struct S<T>; fn f() { let S = S; }"]
        );
    }

    #[test]
    fn a_struct_becomes_a_tuple_of_its_fields_or_of_its_arguments() {
        assert_eq!(
            each(
                &ToTuple,
                "struct S<A, B>(Vec<A>, B); impl<A> T for S<A, u8> { fn f() { S(a, b); } }"
            ),
            [
                "impl<A> T for (Vec<A>, u8) { fn f() { (a, b); } }",
                "impl<A> T for (A, u8) { fn f() { (a, b); } }",
            ]
        );
        assert_eq!(
            each(&ToTuple, "struct S; fn f() -> S { S }")[0],
            "fn f() -> () { () }"
        );
    }
}
