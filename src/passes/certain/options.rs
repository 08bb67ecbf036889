//! `Option`s that always hold something become what they hold. Where that was asked for, the compiler says: what is left has no
//! such method, no such pattern fits it, or it is of another type.

use std::collections::BTreeMap;

use super::asked::{looks_into, without_if};
use super::{UNWRAPPING, Wrapper, is_try};
use crate::passes::query::{At, all, at_place, is_expr, is_fn, is_type, smaller};
use crate::passes::{Complaint, Pass};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind, PatKind, StmtKind};

/// `Option<T>` → `T`, wherever that is the type of a field, of a parameter or of a part of one. What becomes of those who ask is
/// [`with_who_asks`].
pub struct Options;

/// The name of the pass.
pub const NAME: &str = "certain-options";

/// Methods that give what is in it, or something else if there is nothing.
const WITH_DEFAULT: [&str; 4] = [
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "unwrap_unchecked",
];

/// Methods that leave another one behind: what they are called on does not always hold the same.
const CHANGING: [&str; 6] = [
    "get_or_insert",
    "get_or_insert_with",
    "insert",
    "replace",
    "take",
    "take_if",
];

impl Pass for Options {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut same: BTreeMap<&str, Vec<Edit>> = BTreeMap::new();
        for ty in all(subject, is_type) {
            let is_returned = ty.ancestors().any(|outer| outer.kind() == Kind::ReturnType);
            if let Some(inner) = held(ty).filter(|_| !is_returned) {
                same.entry(ty.text()).or_default().push(ty.by(inner.text()));
            }
        }
        let kind = Kind::GenericArg;
        let list = same.into_values();
        Some(
            list.map(|edits| Element::new(subject, kind, edits))
                .collect(),
        )
    }
}

/// What the type `ty` holds if it is an `Option`.
fn held(ty: At<'_>) -> Option<At<'_>> {
    let list = ty
        .child(|kind| kind == Kind::GenericArgs)
        .filter(|_| ty.name() == Some("Option"))?;
    match list.children(|kind| kind == Kind::GenericArg)[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// `element`, of [`Options`], with what becomes of those about whom the compiler complained; `None` where that is not known, or no
/// shorter.
pub fn with_who_asks(
    subject: &Subject,
    element: &Element,
    complaints: &[Complaint],
) -> Option<Element> {
    let mut edits = element.edits.clone();
    for complaint in complaints {
        let at = at_place(subject, complaint.file, &complaint.range)?;
        let more = match complaint.code.as_str() {
            "E0308" => of_another_type(subject, at, complaint),
            "E0599" => without_method(at, complaint),
            "E0277" if complaint.said.contains("`?`") => without_question(at),
            "E0277" if complaint.said.contains("Option<") => put_in_around(at, &complaint.said),
            // It comes of another one.
            "E0282" => Some(Vec::new()),
            _ => None,
        };
        for edit in more? {
            if !edits.contains(&edit) {
                edits.push(edit);
            }
        }
    }
    smaller(subject, element.kind, edits)
}

/// The node itself, and what is around it.
fn outwards(at: At<'_>) -> impl Iterator<Item = At<'_>> {
    std::iter::once(at).chain(at.ancestors())
}

/// `e` → `Some(e)`.
fn held_again(value: At) -> Vec<Edit> {
    let (start, end) = (value.node.range.start, value.node.range.end);
    vec![value.edit(start..start, "Some("), value.edit(end..end, ")")]
}

fn of_another_type(subject: &Subject, at: At, complaint: &Complaint) -> Option<Vec<Edit>> {
    if let Some(edits) = pattern(at, complaint) {
        return Some(edits);
    }
    let said = complaint.said.rsplit_once("expected ")?.1;
    let (expected, found) = said.split_once(", found")?;
    let options = |text: &str| text.matches("Option<").count();
    if options(expected) > options(found) {
        // Who takes it takes what it holds as well.
        let about = complaint.about.iter();
        let mut takers = about.filter_map(|(file, range)| at_place(subject, *file, range));
        let taker = takers.find_map(|at| outwards(at).find(|at| at.kind() == Kind::Param));
        let given = outwards(at).find(|at| is_expr(at.kind()))?;
        return match taker {
            Some(taker) => without_option(taker),
            None if expected.contains('&') => None,
            None => Some(held_again(given)),
        };
    }
    value(outwards(at).find(|at| is_expr(at.kind()))?)
}

/// Where it is looked into.
fn pattern(at: At, complaint: &Complaint) -> Option<Vec<Edit>> {
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let is_it = |at: &At| is_pattern(at.kind()) && at.node.range.start == complaint.range.start;
    let pattern = outwards(at).find(is_it)?;
    let outer = pattern.parent()?;
    if pattern.text() == "None" {
        return (outer.kind() == Kind::Arm).then(|| vec![outer.cut()]);
    }
    let mut edits = looks_into(pattern, Wrapper::Some)?.to_vec();
    match outer.kind() {
        Kind::Expr(ExprKind::Let) => {
            let around = outer
                .parent()
                .filter(|around| around.kind() == Kind::Expr(ExprKind::If))?;
            let value = outer.child(is_expr)?;
            edits.extend(without_if(around, pattern, value)?);
            // It is lent, not given away.
            if bound(value).is_some_and(|at| is_lent(&at)) {
                let start = value.node.range.start;
                edits.push(value.edit(start..start, "&mut *"));
            }
        }
        Kind::Stmt(StmtKind::Let) => {
            edits.push(outer.child(|kind| kind == Kind::Else)?.cut());
        }
        Kind::Arm => {}
        _ => return None,
    }
    Some(edits)
}

/// Where it is made.
fn value(expression: At) -> Option<Vec<Edit>> {
    match expression.kind() {
        Kind::Expr(ExprKind::Call) => {
            let parts = expression.children(is_expr);
            match parts[..] {
                [_, inner] if expression.name() == Some(Wrapper::Some.name()) => {
                    let (whole, part) = (&expression.node.range, &inner.node.range);
                    Some(vec![
                        expression.edit(whole.start..part.start, ""),
                        expression.edit(part.end..whole.end, ""),
                    ])
                }
                _ => None,
            }
        }
        Kind::Expr(ExprKind::Paren | ExprKind::Reference) => value(expression.child(is_expr)?),
        Kind::Expr(ExprKind::Path) => {
            let bound = bound(expression)?;
            match bound.child(|kind| kind == Kind::Init) {
                Some(init) => value(init.child(is_expr)?),
                None => without_option(bound),
            }
        }
        _ => None,
    }
}

/// The `let` or the parameter of the function around that gives the variable `mention` its name.
fn bound(mention: At<'_>) -> Option<At<'_>> {
    let name = mention.text();
    let function = mention.ancestors().find(|outer| is_fn(outer.kind()))?;
    let is_named = |at: &At| {
        let pattern = at.child(|kind| kind == Kind::Pat(PatKind::Ident));
        pattern.and_then(At::name) == Some(name)
    };
    let lets = function.inside(|kind| kind == Kind::Stmt(StmtKind::Let));
    let parameters = function.children(|kind| kind == Kind::Param);
    lets.into_iter().chain(parameters).find(is_named)
}

/// Whether it is a parameter that may be written through.
fn is_lent(bound: &At) -> bool {
    let ty = bound.child(is_type);
    bound.kind() == Kind::Param && ty.is_some_and(|ty| ty.text().starts_with("&mut"))
}

/// A parameter, or whatever has a type, whose outermost `Option` is what that holds.
fn without_option(typed: At) -> Option<Vec<Edit>> {
    let types = typed.inside(is_type);
    let (ty, inner) = types.iter().find_map(|ty| Some((ty, held(*ty)?)))?;
    Some(vec![ty.by(inner.text())])
}

/// Where what holds something is asked for it: once it is there, or is held again.
fn without_method(at: At, complaint: &Complaint) -> Option<Vec<Edit>> {
    let is_call = |at: &At| {
        let name = at.node.name.as_ref().map(|name| name.start);
        at.kind() == Kind::Expr(ExprKind::MethodCall) && name == Some(complaint.range.start)
    };
    let call = outwards(at).find(is_call)?;
    let receiver = call.child(is_expr)?;
    let name = call.name()?;
    let (start, end) = (receiver.node.range.start, receiver.node.range.end);
    let behind = |open: &str, close: &str| {
        vec![
            call.edit(start..start, open),
            call.edit(end..call.node.range.end, close),
        ]
    };
    Some(match name {
        "as_ref" => behind("Some(&", ")"),
        "as_deref" => behind("Some(&*", ")"),
        "as_mut" => behind("Some(&mut ", ")"),
        "as_deref_mut" => behind("Some(&mut *", ")"),
        _ if CHANGING.contains(&name) => return None,
        _ if UNWRAPPING.contains(&name) || WITH_DEFAULT.contains(&name) => behind("", ""),
        _ => held_again(receiver),
    })
}

fn without_question(at: At) -> Option<Vec<Edit>> {
    let whole = outwards(at).find(|at| is_try(at.kind()))?;
    let inner = whole.child(is_expr)?;
    Some(vec![
        whole.edit(inner.node.range.end..whole.node.range.end, ""),
    ])
}

/// What the function around puts into an `Option`, in a struct of which there are the wrong ones.
fn put_in_around(at: At, said: &str) -> Option<Vec<Edit>> {
    let function = outwards(at).find(|outer| is_fn(outer.kind()))?;
    let is_wrong = |at: &At| {
        let is_struct = |at: &At| at.kind() == Kind::Expr(ExprKind::Struct);
        let around = at.ancestors().find(is_struct);
        around.is_none_or(|at| {
            at.name()
                .is_some_and(|name| said.contains(&format!("{name}<")))
        })
    };
    let calls = function.inside(|kind| kind == Kind::Expr(ExprKind::Call));
    let wrong = calls.into_iter().filter(is_wrong);
    let edits: Vec<Edit> = wrong.filter_map(value).flatten().collect();
    (!edits.is_empty()).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;
    use crate::syntax::FileId;

    #[test]
    fn what_is_the_same_goes_together() {
        assert_eq!(
            each(
                &Options,
                "struct S { a: Option<u8>, b: Vec<Option<u8>>, c: Option<Vec<u8>> } fn f(x: &mut Option<u8>) -> Option<u8> {}"
            ),
            [
                "struct S { a: Option<u8>, b: Vec<Option<u8>>, c: Vec<u8> } fn f(x: &mut Option<u8>) -> Option<u8> {}",
                "struct S { a: u8, b: Vec<u8>, c: Option<Vec<u8>> } fn f(x: &mut u8) -> Option<u8> {}",
            ]
        );
    }

    /// What becomes of `text` after a complaint about the first `place`.
    #[track_caller]
    fn after(text: &str, code: &str, said: &str, place: &str) -> Option<String> {
        let subject = Subject::new([("a.rs".into(), text.into())]);
        let list = Options.list(&subject, 0).unwrap_or_default();
        let start = text.find(place).expect("it is there");
        let complaint = Complaint {
            code: code.to_string(),
            said: said.to_string(),
            file: FileId(0),
            range: start..start + place.len(),
            about: Vec::new(),
        };
        let element = with_who_asks(&subject, list.first()?, &[complaint])?;
        let after = subject.without([&element]);
        Some(after.file(FileId(0)).source().to_string())
    }

    #[test]
    fn who_asks_need_not() {
        let found = "mismatched types: expected `u8`, found `Option<_>`";
        let cases = [
            (
                "E0308",
                found,
                "Some(a)",
                "if let Some(a) = x { g(a) }",
                "{ let a = x; g(a) }",
            ),
            (
                "E0308",
                found,
                "Some(b)",
                "let Some(b) = x else { h() };",
                "let b = x ;",
            ),
            (
                "E0308",
                found,
                "None",
                "match x { None => 1, c => 2 }",
                "match x {  c => 2 }",
            ),
            ("E0308", found, "Some(1)", "g(Some(1))", "g(1)"),
            (
                "E0308",
                found,
                "&y",
                "let y = Some(2); g(&y)",
                "let y = 2; g(&y)",
            ),
            ("E0599", "", "unwrap", "x.unwrap()", "x"),
            (
                "E0599",
                "",
                "as_ref",
                "x.a.as_ref().map(g)",
                "Some(&x.a).map(g)",
            ),
            ("E0599", "", "map", "x.map(g)", "Some(x).map(g)"),
            ("E0277", "the `?` operator", "x?", "g(x?)", "g(x)"),
        ];
        for (code, said, place, before, behind) in cases {
            let text = format!("fn f(x: Option<u8>, z: Option<u8>) {{ {before} }}");
            let expected = format!("fn f(x: u8, z: u8) {{ {behind} }}");
            assert_eq!(after(&text, code, said, place), Some(expected));
        }
    }

    #[test]
    fn what_is_not_there_or_changes_is_asked_for() {
        let found = "mismatched types: expected `u8`, found `Option<_>`";
        let text = "fn f(x: Option<u8>) { f(None) }";
        assert_eq!(after(text, "E0308", found, "None"), None);
        let text = "fn f(x: &mut Option<u8>) { x.take() }";
        assert_eq!(after(text, "E0599", "", "take"), None);
    }
}
