//! Macro calls that stand for a condition: `cfg_if! { … }`, and calls of a macro like `cfg_net! { … }` that hands items on under
//! `#[cfg(…)]`. What holds takes the call's place, where everything else can see into it; what does not goes.

use std::collections::HashMap;
use std::ops::Range;

use super::conditions::{Conditions, predicate};
use super::macro_rules::{Definition, Piece, definitions, pieces};
use super::query::{At, all};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, StmtKind};

/// Attributes that mean nothing to what they stand in front of, as far as anybody runs it.
const OF_NO_MATTER: [&str; 6] = [
    "allow",
    "doc",
    "deprecated",
    "inline",
    "must_use",
    "rustfmt::skip",
];

/// What becomes of a call.
enum Fate {
    /// Nothing of it is compiled.
    Goes,
    /// This part of it is.
    Becomes(Range<usize>),
}

/// The element for each call that stands for a condition of which it is known whether it holds, none inside one that goes.
pub fn conditional_calls(subject: &Subject, conditions: &Conditions) -> Elements {
    let all_macros = definitions(subject);
    let mut macros: HashMap<&str, Vec<&Definition<'_>>> = HashMap::new();
    for one in &all_macros {
        macros.entry(one.name).or_default().push(one);
    }
    let is_call = |kind| {
        matches!(
            kind,
            Kind::Item(ItemKind::MacroCall) | Kind::Stmt(StmtKind::Macro)
        )
    };
    let mut list = Vec::new();
    let mut gone: Option<(FileId, usize)> = None;
    for call in all(subject, is_call) {
        let range = call.range();
        if gone.is_some_and(|(file, end)| file == call.file && range.start < end) {
            continue;
        }
        let Some((name, arguments)) = called(call) else {
            continue;
        };
        let fate = match (name, macros.get(name)) {
            ("cfg_if", None) => chosen(call, &arguments, conditions),
            (_, Some(macros)) => handed_on(call, &arguments, macros, conditions),
            _ => None,
        };
        let edits = match fate {
            Some(Fate::Goes) => {
                gone = Some((call.file, range.end));
                vec![Edit::delete(call.file, range)]
            }
            Some(Fate::Becomes(part)) => vec![
                Edit::delete(call.file, range.start..part.start),
                Edit::delete(call.file, part.end..range.end),
            ],
            None => continue,
        };
        list.push(Element::new(subject, call.kind(), edits));
    }
    proc_macro2::extra::invalidate_current_thread_spans();
    list
}

/// The name of the macro that is called, and what stands between the brackets; `None` if an attribute stands in front of it.
fn called<'s>(call: At<'s>) -> Option<(&'s str, Piece)> {
    let text = call.source;
    let pieces = pieces(text, call.range())?;
    let bang = pieces.iter().position(|piece| piece.is(text, "!"))?;
    let (path, rest) = pieces.split_at(bang);
    let plain = |piece: &Piece| matches!(piece, Piece::Token { name, .. } if *name);
    let is_path = path
        .iter()
        .all(|one| plain(one) || one.is(text, ":") || one.is(text, "::"));
    let group = rest
        .get(1)
        .filter(|group| matches!(group, Piece::Group { .. }))?;
    let ends = rest[2..].iter().all(|piece| piece.is(text, ";"));
    let name = path.last().filter(|last| plain(last))?;
    (is_path && ends).then(|| (&text[name.range()], group.clone()))
}

/// What of `if #[cfg(…)] { … } else if #[cfg(…)] { … } else { … }` is compiled.
fn chosen(call: At<'_>, arguments: &Piece, conditions: &Conditions) -> Option<Fate> {
    let text = call.source;
    let Piece::Group { inner, .. } = arguments else {
        return None;
    };
    let mut rest = &inner[..];
    loop {
        match rest {
            [
                word,
                hash,
                Piece::Group { open, close, .. },
                block,
                after @ ..,
            ] if word.is(text, "if") && hash.is(text, "#") => {
                let attribute = format!("#{}", &text[open.start..close.end]);
                if holds(call.file, &attribute, conditions)? {
                    return block.between().map(Fate::Becomes);
                }
                rest = after;
            }
            [word, block] if word.is(text, "else") => return block.between().map(Fate::Becomes),
            [word, after @ ..] if word.is(text, "else") => rest = after,
            [] => return Some(Fate::Goes),
            _ => return None,
        }
    }
}

/// What becomes of the items that a call hands on, if that is all that its macro does with them.
fn handed_on(
    call: At<'_>,
    arguments: &Piece,
    macros: &[&Definition<'_>],
    conditions: &Conditions,
) -> Option<Fate> {
    // Of several, one is compiled.
    let mut compiled: Vec<&Definition<'_>> = Vec::new();
    for one in macros {
        let attributes = one.at.children(|kind| kind == Kind::Attribute).into_iter();
        let mut is_compiled = true;
        for attribute in attributes {
            match predicate(attribute.text()) {
                Some((_, false)) => is_compiled &= holds(call.file, attribute.text(), conditions)?,
                Some((_, true)) => return None,
                None => {}
            }
        }
        compiled.extend(is_compiled.then_some(*one));
    }
    let [one] = compiled[..] else { return None };
    let [rule] = &one.rules[..] else { return None };
    let text = one.at.source;
    let (name, kind) = matched(text, &rule.matcher)?;
    if rule.body.is_empty() {
        return Some(Fate::Goes);
    }
    let [attributes @ .., dollar, variable] = repeated(text, &rule.body)? else {
        return None;
    };
    if !dollar.is(text, "$") || !variable.is(text, name) {
        return None;
    }
    if kind != "item" && !attributes.is_empty() {
        return None;
    }
    let mut all = true;
    for pair in attributes.chunks(2) {
        let [hash, Piece::Group { open, close, .. }] = pair else {
            return None;
        };
        let attribute = format!("#{}", &text[open.start..close.end]);
        all &= hash
            .is(text, "#")
            .then(|| leaves(call.file, &attribute, conditions))??;
    }
    match all {
        true => arguments.between().map(Fate::Becomes),
        false => Some(Fate::Goes),
    }
}

/// What `$( … )*` repeats, if that is all there is.
fn repeated<'p>(text: &str, all: &'p [Piece]) -> Option<&'p [Piece]> {
    match all {
        [dollar, Piece::Group { inner, .. }, star]
            if dollar.is(text, "$") && (star.is(text, "*") || star.is(text, "+")) =>
        {
            Some(inner)
        }
        _ => None,
    }
}

/// The name and the kind of the variable of `$($name:kind)*`, if that is all that is matched, and in whole.
fn matched<'s>(text: &'s str, matcher: &[Piece]) -> Option<(&'s str, &'s str)> {
    let [dollar, name, colon, kind] = repeated(text, matcher)? else {
        return None;
    };
    let kind = &text[kind.range()];
    let whole = dollar.is(text, "$") && colon.is(text, ":") && matches!(kind, "item" | "tt");
    whole.then(|| (&text[name.range()], kind))
}

/// Whether what stands behind `attribute` is compiled as if it were not there; `None` if not even that is known.
fn leaves(file: FileId, attribute: &str, conditions: &Conditions) -> Option<bool> {
    match predicate(attribute) {
        Some((_, false)) => holds(file, attribute, conditions),
        Some((condition, true)) => {
            (conditions.value(file, &condition) == Some(false)).then_some(true)
        }
        None => {
            let name = attribute.trim_start_matches(['#', '[', ' ']);
            let path = |at: char| at.is_alphanumeric() || at == '_' || at == ':';
            let name = name.split(|at| !path(at)).next().unwrap_or_default();
            OF_NO_MATTER.contains(&name).then_some(true)
        }
    }
}

/// Whether the condition of `#[cfg(…)]` holds, if that is known.
fn holds(file: FileId, attribute: &str, conditions: &Conditions) -> Option<bool> {
    match predicate(attribute)? {
        (condition, false) => conditions.value(file, &condition),
        (_, true) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` where `unix` holds, with its calls replaced.
    fn left(text: &str) -> String {
        let subject = Subject::new([("lib.rs".into(), text.as_bytes().to_vec())]);
        let mut conditions = Conditions::default();
        let unix = [("unix".to_string(), None)];
        conditions.add(FileId(0), &unix.into_iter().collect());
        let list = conditional_calls(&subject, &conditions);
        let left = subject.without(&list);
        let source = left.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_branch_of_cfg_if_that_is_compiled_takes_its_place() {
        let text = "cfg_if::cfg_if! { if #[cfg(windows)] { mod a; } else if #[cfg(unix)] { mod b; fn f() {} } else { mod c; } }";
        assert_eq!(left(text), "mod b; fn f() {}");
        assert_eq!(left("cfg_if! { if #[cfg(windows)] { mod a; } }"), "");
        let otherwise = "cfg_if! { if #[cfg(windows)] { mod a; } else { mod c; } }";
        assert_eq!(left(otherwise), "mod c;");
        let unknown = "cfg_if! { if #[cfg(version(\"1.9\"))] { mod a; } else { mod c; } }";
        assert_eq!(left(unknown), unknown);
    }

    #[test]
    fn items_that_are_handed_on_take_the_place_of_the_call() {
        let unix = "macro_rules! on { ($($i:item)*) => { $( #[cfg(unix)] #[cfg_attr(docsrs, doc(cfg(unix)))] $i )* } }";
        let text = format!("{unix} on! {{ fn f() {{}} mod m; }}");
        assert_eq!(left(&text), format!("{unix} fn f() {{}} mod m;"));
        let windows = "macro_rules! on { ($($i:item)*) => { $( #[cfg(windows)] $i )* } }";
        let text = format!("{windows} on! {{ fn f() {{}} }} struct S;");
        assert_eq!(left(&text), format!("{windows} struct S;"));
        let derived =
            "macro_rules! on { ($($i:item)*) => { $( #[derive(Clone)] $i )* } } on! { struct S; }";
        assert_eq!(left(derived), derived);
        let same = "macro_rules! all { ($($t:tt)*) => { $($t)* } } all! { const A: u8 = 1; }";
        assert_eq!(left(same).matches("all").count(), 1);
        let twice =
            "macro_rules! all { ($($t:tt)*) => { $($t)* $($t)* } } all! { const A: u8 = 1; }";
        assert_eq!(left(twice), twice);
    }

    #[test]
    fn the_macro_whose_own_condition_holds_is_the_one_that_is_called() {
        let two = "#[cfg(unix)] macro_rules! on { ($($i:item)*) => { $($i)* } } #[cfg(not(unix))] macro_rules! on { ($($i:item)*) => {} }";
        assert_eq!(
            left(&format!("{two} on! {{ struct S; }}")),
            format!("{two} struct S;")
        );
        let other = two
            .replace("not(unix)", "windows")
            .replace("#[cfg(unix)]", "#[cfg(not(unix))]");
        let both = format!("{other} on! {{ struct S; }}");
        assert_eq!(left(&both), both);
        let none = two
            .replace("not(unix)", "all()")
            .replace("#[cfg(unix)]", "#[cfg(windows)]");
        assert_eq!(left(&format!("{none} on! {{ struct S; }}")), none);
    }

    #[test]
    fn calls_inside_calls_change_too_unless_those_go() {
        let text = "macro_rules! on { ($($i:item)*) => { $( #[cfg(unix)] $i )* } } macro_rules! off { ($($i:item)*) => { $( #[cfg(windows)] $i )* } } \
            on! { struct A; off! { struct B; } } off! { on! { struct C; } struct D; } struct E;";
        assert!(
            left(text).ends_with("} struct A; struct E;"),
            "{}",
            left(text)
        );
    }
}
