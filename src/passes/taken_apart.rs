//! What is made only to be taken apart at once, and names that are other names for something: what runs stays the same, but for
//! conversions that are none, which a trial tells.
//!
//! By syntax and names alone: what does not mean the same, does not compile.

use std::ops::Range;

use super::Pass;
use super::query::{At, all, is_expr, smaller};
use super::values::{fits, is_closed, is_plain, label, mentions_of_values, said_at};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, Kind, PatKind, StmtKind};

/// `S { f: x }.f`, `(x, 1).0`, `Some(x).unwrap()`, `Ok::<_, E>(x)?` and `unsafe { x }` → `x`, `Ok(x).map_err(f)` → `Ok(x)`,
/// `match Some(x) { Some(y) => f(y), None => z }` → `match x { y => f(y) }`, `Some(x).map(|y| f(y))` → `Some(f(x))`,
/// `Some(x).map_or(0, |y| f(y))` → `f(x)`, `u8::from(x)` and `(x)` → `x`, `<u8>::default()` → `0`.
pub struct TakenApart;

impl Pass for TakenApart {
    fn name(&self) -> &'static str {
        "taken-apart"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let list = all(subject, is_expr).into_iter().filter_map(|at| {
            let edits = field_of_new(at)
                .or_else(|| held(at))
                .or_else(|| handled(at))
                .or_else(|| matched(at))
                .or_else(|| mapped(at))
                .or_else(|| needlessly_unsafe(at))
                .or_else(|| converted(at))
                .or_else(|| needlessly_kept_together(at))
                .or_else(|| default_of_primitive(at))?;
            smaller(subject, at.kind(), edits)
        });
        Some(list.collect())
    }
}

/// `let a = b;` goes, and what mentions `a` mentions `b`; `let f = |x| g(x);` goes, and `f(1)` becomes `g(1)`. A `let` of a tuple that is
/// a tuple becomes one for each first.
pub struct OtherNames;

impl Pass for OtherNames {
    fn name(&self) -> &'static str {
        "other-names"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let lets = all(subject, |kind| kind == Kind::Stmt(StmtKind::Let)).into_iter();
        let list = lets.filter_map(|binding| {
            let (pattern, value) = bound(binding)?;
            match value.kind() {
                Kind::Expr(ExprKind::Closure) => called(subject, binding, pattern, value),
                Kind::Expr(ExprKind::Tuple) => renamed_parts(subject, binding, pattern, value),
                _ => {
                    let edits = renamed(binding, pattern, value)?;
                    smaller(subject, binding.kind(), with_cut(binding, edits))
                }
            }
        });
        Some(list.collect())
    }
}

fn with_cut(binding: At, mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.push(binding.cut());
    edits
}

/// What keeps `part` alone of `whole`.
fn only(whole: At, part: At) -> Vec<Edit> {
    // What stands alone may have to be kept together where the whole stood.
    let (open, close) = match fits(part, whole) {
        true => ("", ""),
        false => ("(", ")"),
    };
    vec![
        whole.edit(whole.range().start..part.range().start, open),
        whole.edit(part.range().end..whole.range().end, close),
    ]
}

/// Without the parentheses around it.
fn bare(at: At) -> At {
    match at.kind() == Kind::Expr(ExprKind::Paren) {
        true => at.child(is_expr).map_or(at, bare),
        false => at,
    }
}

/// A field of what is made there.
fn field_of_new(at: At) -> Option<Vec<Edit>> {
    if at.kind() != Kind::Expr(ExprKind::Field) {
        return None;
    }
    let made = bare(at.child(is_expr)?);
    let name = at.words(&at.range()).pop()?.0;
    let (chosen, others) = match made.kind() {
        Kind::Expr(ExprKind::Struct) => {
            if made.child(|kind| kind == Kind::Rest).is_some() {
                return None;
            }
            let fields = made.children(|kind| kind == Kind::FieldValue).into_iter();
            let (own, others): (Vec<At>, Vec<At>) =
                fields.partition(|field| label(*field).is_some_and(|(word, _)| word == name));
            let [own] = own[..] else { return None };
            let value = |field: At<'_>| field.child(is_expr).is_none_or(is_plain);
            let plain = others.into_iter().all(value);
            (own.child(is_expr)?, plain)
        }
        Kind::Expr(ExprKind::Tuple) => {
            let parts = made.children(is_expr);
            let number: usize = name.parse().ok()?;
            let others = parts.iter().enumerate();
            let plain = others
                .filter(|(at, _)| *at != number)
                .all(|(_, part)| is_plain(*part));
            (*parts.get(number)?, plain)
        }
        _ => return None,
    };
    others.then(|| only(at, chosen))
}

/// What a call of `Some` or `Ok` is given, and which of them it is, whatever would become of a `None` or an `Err`.
fn made_of(at: At<'_>) -> Option<(&str, At<'_>)> {
    let call = bare(at);
    let [of, value] = call.children(is_expr)[..] else {
        let of = call.child(is_expr)?;
        return match (call.kind(), call.name()?) {
            (Kind::Expr(ExprKind::MethodCall), "ok") => Some(("Some", made_of(of)?.1)),
            _ => None,
        };
    };
    match call.kind() {
        Kind::Expr(ExprKind::Call) => {
            let word = of.words(&of.range()).first()?.0;
            matches!(word, "Some" | "Ok").then_some((word, value))
        }
        Kind::Expr(ExprKind::MethodCall) => match call.name()? {
            "map_err" | "or" | "or_else" => made_of(of),
            "ok_or" | "ok_or_else" => Some(("Ok", made_of(of)?.1)),
            _ => None,
        },
        _ => None,
    }
}

fn given(at: At) -> Option<At> {
    made_of(at).map(|(_, value)| value)
}

/// `Ok(x).map_err(f)`, `Some(x).or(y)`.
fn handled(at: At) -> Option<Vec<Edit>> {
    let (of, value) = made_of(at).filter(|_| at.kind() == Kind::Expr(ExprKind::MethodCall))?;
    Some(vec![
        at.edit(at.range().start..value.range().start, format!("{of}(")),
        at.edit(value.range().end..at.range().end, ")"),
    ])
}

/// `match Some(x) { Some(y) => f(y), _ => g() }` → `match x { y => f(y) }`.
fn matched(at: At) -> Option<Vec<Edit>> {
    let whole = at
        .child(is_expr)
        .filter(|_| at.kind() == Kind::Expr(ExprKind::Match))?;
    let (of, value) = made_of(whole)?;
    let is_pattern = |kind| matches!(kind, Kind::Pat(_));
    let arms = at.children(|kind| kind == Kind::Arm);
    let mut own = Vec::new();
    for arm in &arms {
        let pattern = arm.child(is_pattern)?;
        let word = pattern.words(&pattern.range()).first()?.0;
        match pattern.kind() {
            Kind::Pat(PatKind::TupleStruct) if word == of => own.push((arm, pattern)),
            Kind::Pat(PatKind::Wild) if !own.is_empty() => {}
            _ if matches!(word, "Err" | "None") => {}
            _ => return None,
        }
    }
    let [(arm, pattern)] = own[..] else {
        return None;
    };
    let [part] = pattern.children(is_pattern)[..] else {
        return None;
    };
    if arm.child(|kind| kind == Kind::Init).is_some() {
        return None;
    }
    let mut edits = vec![
        at.edit(whole.range().start..value.range().start, ""),
        at.edit(value.range().end..whole.range().end, ""),
        at.edit(pattern.range().start..part.range().start, ""),
        at.edit(part.range().end..pattern.range().end, ""),
    ];
    edits.extend(
        arms.iter()
            .filter(|other| other.id != arm.id)
            .map(|other| other.cut()),
    );
    Some(edits)
}

/// What is asked of an `Option` or a `Result` that is made there.
fn held(at: At) -> Option<Vec<Edit>> {
    let asks = match at.kind() {
        Kind::Expr(ExprKind::Try) => true,
        Kind::Expr(ExprKind::MethodCall) => ASKING.contains(&at.name()?),
        _ => false,
    };
    let value = given(at.child(is_expr).filter(|_| asks)?)?;
    Some(only(at, value))
}

/// Methods that give what is held.
const ASKING: [&str; 5] = [
    "expect",
    "unwrap",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
];

/// `Some(x).map(|y| f(y))`, `Some(x).map_or(d, |y| f(y))`, `Some(x).and_then(|y| f(y))`.
fn mapped(at: At) -> Option<Vec<Edit>> {
    if at.kind() != Kind::Expr(ExprKind::MethodCall) {
        return None;
    }
    let (receiver, closure, stays) = match (at.name()?, &at.children(is_expr)[..]) {
        ("map", [receiver, closure]) => (*receiver, *closure, true),
        ("and_then", [receiver, closure]) => (*receiver, *closure, false),
        ("map_or" | "map_or_else", [receiver, _, closure]) => (*receiver, *closure, false),
        _ => return None,
    };
    let value = given(receiver)?;
    let function = Closure::of(closure)?;
    let text = function.of_arguments(&[value])?;
    let rest = receiver.range().end..at.range().end;
    if stays {
        return Some(vec![value.by(text), at.edit(rest, "")]);
    }
    let alone = fits(function.body, at);
    let (open, close) = if alone { ("", "") } else { ("(", ")") };
    Some(vec![at.by(format!("{open}{text}{close}"))])
}

/// `unsafe { x }`.
fn needlessly_unsafe(at: At) -> Option<Vec<Edit>> {
    if at.kind() != Kind::Expr(ExprKind::Unsafe) {
        return None;
    }
    let block = at.child(|kind| kind == Kind::Block)?;
    let [statement] = block.children(|kind| matches!(kind, Kind::Stmt(_) | Kind::Item(_)))[..]
    else {
        return None;
    };
    let value = statement.child(is_expr)?;
    let is_value = statement.text() == value.text();
    let is_name = matches!(value.kind(), Kind::Expr(ExprKind::Path | ExprKind::Lit));
    (is_value && is_name).then(|| only(at, value))
}

/// `x.into()`, `Into::<u8>::into(x)`, `u8::from(x)`: where `x` is of that type, it is `x`.
fn converted(at: At) -> Option<Vec<Edit>> {
    let value = match (at.kind(), &at.children(is_expr)[..]) {
        (Kind::Expr(ExprKind::MethodCall), [value]) if at.name()? == "into" => *value,
        (Kind::Expr(ExprKind::Call), [callee, value]) => {
            let words = callee.words(&callee.range());
            let last = words.last()?.0;
            let of_type = words.len() > 2;
            (of_type && matches!(last, "into" | "from")).then_some(*value)?
        }
        _ => return None,
    };
    Some(only(at, value))
}

/// `(x)`, unless what is called is a field.
fn needlessly_kept_together(at: At) -> Option<Vec<Edit>> {
    let value = at
        .child(is_expr)
        .filter(|_| at.kind() == Kind::Expr(ExprKind::Paren))?;
    let is_call = at.parent().map(At::kind) == Some(Kind::Expr(ExprKind::Call));
    let is_field = value.kind() == Kind::Expr(ExprKind::Field);
    (is_closed(value) && !(is_call && is_field)).then(|| only(at, value))
}

/// `<u8>::default()`.
fn default_of_primitive(at: At) -> Option<Vec<Edit>> {
    if at.kind() != Kind::Expr(ExprKind::Call) {
        return None;
    }
    let words = at.words(&at.range()).into_iter();
    let words: Vec<&str> = words.map(|(word, _)| word).collect();
    let ty = match words[..] {
        ["<", "(", ")", ">", "::", "default", "(", ")"] => "()",
        ["<", ty, ">", "::", "default", "(", ")"] | [ty, "::", "default", "(", ")"] => ty,
        _ => return None,
    };
    let value = match ty {
        "()" => "()",
        "bool" => "false",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64" | "i128"
        | "isize" => "0",
        _ => return None,
    };
    Some(vec![at.by(value)])
}

/// A closure that is one expression.
struct Closure<'s> {
    names: Vec<&'s str>,
    body: At<'s>,
}

impl<'s> Closure<'s> {
    fn of(at: At<'s>) -> Option<Closure<'s>> {
        if at.kind() != Kind::Expr(ExprKind::Closure) {
            return None;
        }
        let body = at.children(is_expr).pop()?;
        let leaves = |kind| {
            use ExprKind::{Await, Block, Closure, Macro, Return, Try, Unsafe};
            matches!(
                kind,
                Kind::Expr(Await | Block | Closure | Macro | Return | Try | Unsafe)
            )
        };
        if leaves(body.kind()) || !body.inside(leaves).is_empty() {
            return None;
        }
        if at.child(|kind| kind == Kind::ReturnType).is_some() {
            return None;
        }
        let names = at.children(|kind| kind == Kind::Param).into_iter();
        let names = names.map(|parameter| {
            let pattern = parameter.child(|kind| matches!(kind, Kind::Pat(_)))?;
            let name = pattern.name().filter(|name| *name == pattern.text());
            name.or_else(|| (pattern.kind() == Kind::Pat(PatKind::Wild)).then_some("_"))
        });
        let names = names.collect::<Option<_>>()?;
        Some(Closure { names, body })
    }

    /// Its expression with these values in the place of its parameters, if that does the same.
    fn of_arguments(&self, arguments: &[At]) -> Option<String> {
        let patterns = self.body.inside(|kind| matches!(kind, Kind::Pat(_)));
        let bound: Vec<&str> = patterns.into_iter().filter_map(At::name).collect();
        // What is bound would be taken for what is given.
        let hides = |at: &At| {
            bound
                .iter()
                .any(|name| !at.mentions(name, &at.range()).is_empty())
        };
        if arguments.len() != self.names.len() || arguments.iter().any(hides) {
            return None;
        }
        let mut uses: Vec<(Range<usize>, At)> = Vec::new();
        for (name, argument) in self.names.iter().zip(arguments) {
            let own = mentions_of_values(self.body, self.body.range(), name)?;
            if !is_plain(*argument) && (own.len() != 1 || arguments.len() > 1) {
                return None;
            }
            uses.extend(own.into_iter().map(|at| (at, *argument)));
        }
        uses.sort_by_key(|(range, _)| range.start);
        let mut text = String::new();
        let mut done = self.body.range().start;
        for (range, argument) in uses {
            text.push_str(&self.body.source[done..range.start]);
            done = range.end;
            text.push_str(&said_at(self.body, &range, argument)?);
        }
        text.push_str(&self.body.source[done..self.body.range().end]);
        Some(text)
    }
}

/// The pattern and the value of a `let` that always matches.
fn bound(binding: At) -> Option<(At, At)> {
    if binding.child(|kind| kind == Kind::Else).is_some() {
        return None;
    }
    let pattern = binding.child(|kind| matches!(kind, Kind::Pat(_)))?;
    let value = binding.child(|kind| kind == Kind::Init)?.child(is_expr)?;
    Some((pattern, value))
}

/// The function around a statement.
fn function(at: At) -> Option<At> {
    let mut outer = at.ancestors();
    outer.find(|outer| super::query::is_fn(outer.kind()))
}

/// How often a name is bound in `scope`, and whether it may change.
fn bindings(scope: At, name: &str) -> (usize, bool) {
    let is_it = |at: &At| at.name() == Some(name);
    let patterns = scope.inside(|kind| kind == Kind::Pat(PatKind::Ident));
    let bound: Vec<At> = patterns.into_iter().filter(is_it).collect();
    let short = scope.inside(|kind| kind == Kind::FieldPat);
    let short = short.iter().filter(|at| at.text() == name).count();
    let changes = bound.iter().any(|at| at.text() != name);
    (bound.len() + short, changes)
}

/// What has the names of `pattern` be what `value` says, if that is a name itself.
fn renamed(binding: At, pattern: At, value: At) -> Option<Vec<Edit>> {
    let name = pattern.name().filter(|name| *name == pattern.text())?;
    let of_name = value.text();
    if value.kind() != Kind::Expr(ExprKind::Path) || value.words(&value.range()).len() != 1 {
        return None;
    }
    let around = function(binding)?;
    let (own, _) = bindings(around, name);
    let (other, changes) = bindings(around, of_name);
    if own != 1 || other > 1 || changes || name == of_name {
        return None;
    }
    let scope = binding.parent()?;
    let behind = binding.range().end;
    let places = mentions_of_values(scope, behind..scope.range().end, name)?;
    let edits = places.into_iter().map(|place| {
        let text = said_at(scope, &place, value)?;
        Some(scope.edit(place, text))
    });
    edits.collect()
}

/// The same for each name in a tuple.
fn renamed_parts(subject: &Subject, binding: At, pattern: At, value: At) -> Option<Element> {
    let names = pattern.children(|kind| matches!(kind, Kind::Pat(_)));
    let values = value.children(is_expr);
    if !pattern.text().starts_with('(') || names.len() != values.len() {
        return None;
    }
    let mut edits = Vec::new();
    let mut lets = String::new();
    let mut made: Vec<&str> = Vec::new();
    for (name, value) in names.into_iter().zip(values) {
        // One after the other, they would see each other.
        if made
            .iter()
            .any(|name| !value.mentions(name, &value.range()).is_empty())
        {
            return None;
        }
        match renamed(binding, name, value) {
            Some(own) => edits.extend(own),
            None => {
                let words = name.words(&name.range()).into_iter();
                made.extend(words.map(|(word, _)| word));
                lets.push_str(&format!("let {} = {}; ", name.text(), value.text()));
            }
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.push(binding.by(lets.trim_end()));
    smaller(subject, binding.kind(), edits)
}

/// What a closure does in the place of all its calls.
fn called(subject: &Subject, binding: At, pattern: At, value: At) -> Option<Element> {
    let name = pattern.name()?;
    let closure = Closure::of(value)?;
    let around = function(binding)?;
    if bindings(around, name).0 != 1 {
        return None;
    }
    let scope = binding.parent()?;
    // What it mentions beside its parameters has to be the same where it is called.
    let words = closure.body.words(&closure.body.range()).into_iter();
    let others = words.filter(|(word, _)| !closure.names.contains(word));
    let may_differ = |word| {
        let (bound, changes) = bindings(around, word);
        bound > 1 || changes
    };
    if others.into_iter().any(|(word, _)| may_differ(word)) {
        return None;
    }
    let is_call = |kind| kind == Kind::Expr(ExprKind::Call);
    let calls: Vec<At> = scope.inside(is_call);
    let behind = binding.range().end..scope.range().end;
    let places = mentions_of_values(scope, behind, name)?;
    let mut edits = vec![binding.cut()];
    for place in &places {
        let call = calls.iter().find(|call| {
            let callee = call.child(is_expr);
            callee.is_some_and(|callee| callee.range() == *place)
        })?;
        let arguments: Vec<At> = call.children(is_expr).into_iter().skip(1).collect();
        let text = closure.of_arguments(&arguments)?;
        let text = match fits(closure.body, *call) {
            true => text,
            false => format!("({text})"),
        };
        edits.push(call.by(text));
    }
    (!places.is_empty()).then(|| smaller(subject, binding.kind(), edits))?
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_is_made_and_taken_apart_is_not_made() {
        let text = "fn f() { S { a: g(), b: c }.a; (S { a: 1 + 2 }).a.h(); S { a: 1, b: g() }.a; (x, 1).0; Some(x).unwrap(); \
                    Ok::<_, E>(g(1)).expect(s); Ok(x)?; unsafe { x } + unsafe { g() }; <()>::default(); u8::default(); T::default(); Into::<u8>::into(x); from(x); (x + 1).into(); (x.y)[1]; (x.y)(1); }";
        check(
            text,
            &[
                ("S { a: g(), b: c }.a", "g()"),
                ("S { a: 1 + 2 }).a", "1 + 2)"),
                ("(x, 1).0", "x"),
                ("Some(x).unwrap()", "x"),
                ("Ok::<_, E>(g(1)).expect(s", "g(1"),
                ("Ok(x)?", "x"),
                ("unsafe { x }", "x"),
                ("<()>::default", ""),
                ("u8::default()", "0"),
                ("Into::<u8>::into(x)", "x"),
                (".into()", ""),
                ("(x.y)", "x.y"),
            ],
        );
    }

    /// Each change that the pass makes in `text`: what stood there, and what does then.
    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)]) {
        let changed: Vec<(String, String)> = each(&TakenApart, text)
            .into_iter()
            .map(|after| difference(text, &after))
            .collect();
        let changed: Vec<(&str, &str)> = changed.iter().map(|(a, b)| (&**a, &**b)).collect();
        assert_eq!(changed, expected);
    }

    /// What differs between two texts, up to white space.
    fn difference(before: &str, after: &str) -> (String, String) {
        let ahead = before.chars().zip(after.chars());
        let ahead = ahead.take_while(|(a, b)| a == b).count();
        let (before, after) = (&before[ahead..], &after[ahead..]);
        let behind = before.chars().rev().zip(after.chars().rev());
        let behind = behind.take_while(|(a, b)| a == b).count();
        let cut = |text: &str| text[..text.len() - behind].to_string();
        (cut(before), cut(after))
    }

    #[test]
    fn what_would_become_of_another_outcome_is_not_asked() {
        let text = "fn f() { Ok::<_, E>(x).map_err(g); Ok::<_, E>(g(1)).ok().unwrap(); Some(x).ok_or(E)?; a.map_err(g); \
                    match Some(x) { None => g(), Some((a, b)) => h(a) }; match Ok::<_, E>(x) { Ok(a) => a, _ => b }; \
                    match Some(x) { Some(1) => a, Some(_) => b }; match Some(x) { Some(a) if b => c, _ => d }; match Some(x) { a => b, _ => c }; }";
        check(
            text,
            &[
                ("::<_, E>(x).map_err(g", "(x"),
                ("Ok::<_, E>(g(1)).ok().unwrap(", "g(1"),
                ("Ok::<_, E>(g(1)).ok(", "Some(g(1)"),
                ("Some(x).ok_or(E)?", "x"),
                ("Some(x).ok_or(E", "Ok(x"),
                ("Some(x) { None => g(), Some((a, b)", "x { (a, b"),
                ("Ok::<_, E>(x) { Ok(a) => a, _ => b", "x { a => a,"),
            ],
        );
    }

    #[test]
    fn what_is_mapped_at_once_is_what_it_is_mapped_to() {
        assert_eq!(
            each(
                &TakenApart,
                "fn f() { Some(&e.w).map(|w| R { i, w }); Some(g()).map(|w| h(w, w)); Some(g()).map(|w| h(w)); o.map(|w| w); }"
            ),
            [
                "fn f() { Some(R { i, w: &e.w }); Some(g()).map(|w| h(w, w)); Some(g()).map(|w| h(w)); o.map(|w| w); }",
                "fn f() { Some(&e.w).map(|w| R { i, w }); Some(g()).map(|w| h(w, w)); Some(h(g())); o.map(|w| w); }",
            ]
        );
    }

    #[test]
    fn what_is_asked_for_something_else_is_there() {
        assert_eq!(
            each(
                &TakenApart,
                "fn f() { Some(a).map_or(0, |x| x.n()).m(); Ok(b).and_then(|x| x + 1).m(); Some(c).unwrap_or(1); d.map_or(0, |x| x); }"
            ),
            [
                "fn f() { a.n().m(); Ok(b).and_then(|x| x + 1).m(); Some(c).unwrap_or(1); d.map_or(0, |x| x); }",
                "fn f() { Some(a).map_or(0, |x| x.n()).m(); (b + 1).m(); Some(c).unwrap_or(1); d.map_or(0, |x| x); }",
                "fn f() { Some(a).map_or(0, |x| x.n()).m(); Ok(b).and_then(|x| x + 1).m(); c; d.map_or(0, |x| x); }",
            ]
        );
    }

    #[test]
    fn what_is_another_name_is_the_first_one() {
        assert_eq!(
            each(
                &OtherNames,
                "fn f(b: u8, mut c: u8) { let a = b; g(a, a.k(), S { a, x: 1 }); let d = c; c += 1; d; }"
            ),
            ["fn f(b: u8, mut c: u8) { g(b, b.k(), S { a: b, x: 1 }); let d = c; c += 1; d; }"]
        );
        let none: [&str; 0] = [];
        for text in [
            "fn f(b: u8) { let a = b; let a = g(a); a; }",
            "fn f(b: u8) { let a = b; let b = 1; a; }",
            "fn f(b: u8) { let mut a = b; a += b; }",
            "fn f(b: u8) { let a = b; m!(a => 1); }",
        ] {
            assert_eq!(each(&OtherNames, text), none, "{text}");
        }
    }

    #[test]
    fn names_in_a_tuple_are_names_too() {
        assert_eq!(
            each(
                &OtherNames,
                "fn f(b: u8, c: u8) { let (x, y) = (b, c); g(x, y); let (z, w) = (b, h(c)); k(z, w); }"
            ),
            [
                "fn f(b: u8, c: u8) { g(b, c); let (z, w) = (b, h(c)); k(z, w); }",
                "fn f(b: u8, c: u8) { let (x, y) = (b, c); g(x, y); let w = h(c); k(b, w); }",
            ]
        );
    }

    #[test]
    fn what_a_closure_does_stands_in_the_place_of_its_calls() {
        assert_eq!(
            each(
                &OtherNames,
                "fn f(g: G) { let map = |gr: &G, i| i + k; h(map(&g, 1), map(&g, n), map(&g, 2) * 2); }"
            ),
            ["fn f(g: G) { h(1 + k, n + k, (2 + k) * 2); }"]
        );
        let none: [&str; 0] = [];
        for text in [
            "fn f(x: u8, b: u8) { let (x, y, z) = (b, x, b); g(x, y, z); }",
            "fn f(g: G) { let map = |i| i + i; map(g()); }",
            "fn f(g: G) { let map = |i| i; h(map); }",
            "fn f(k: G) { let map = |i| match h { k => i + k }; map(k); }",
            "fn f(mut k: G) { let map = move |i| i + k; k += 1; map(1); }",
            "fn f(g: G) { let map = |i| i + k; let k = 1; let k = 2; map(1); }",
        ] {
            assert_eq!(each(&OtherNames, text), none, "{text}");
        }
    }
}
