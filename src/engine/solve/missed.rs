//! What an error misses by its name, among elements of which some take it away.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{enclosing, touches};
use crate::build::Diagnostic;
use crate::subject::{Element, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind};

/// Errors that quote the name of what is not there: a field, a variant – whose bare name in a pattern is a variable then –, a
/// variable, a method, a path, a type.
const MISSING: [&str; 15] = [
    "E0026", "E0405", "E0407", "E0408", "E0412", "E0422", "E0425", "E0432", "E0433", "E0437",
    "E0438", "E0531", "E0560", "E0599", "E0609",
];

/// Those of the `removed` elements that take away what a name stands for that `error` misses at `places`; where some of them are
/// in the same module, these alone.
pub(super) fn naming(
    base: &Subject,
    elements: &[Element],
    removed: &BTreeSet<usize>,
    error: &Diagnostic,
    places: &[(FileId, Range<usize>)],
) -> Vec<usize> {
    let missed = missed(error);
    if missed.is_empty() {
        return Vec::new();
    }
    let names = |edit: &Edit| {
        let version = base.file(edit.file);
        version.tree().is_some_and(|tree| {
            let mut names = tree.identifiers(version.source(), &edit.range);
            names.any(|name| missed.contains(&name))
        })
    };
    // What lacks a macro has no such code, though a trait may have a macro's name.
    let found = removed.iter().copied();
    let found: Vec<usize> = found
        .filter(|at| elements[*at].kind != Kind::Item(ItemKind::MacroRules))
        .filter(|at| elements[*at].edits.iter().any(names))
        .collect();
    let module = |kind| matches!(kind, Kind::File | Kind::Item(ItemKind::Mod));
    let modules = enclosing(base, places, module);
    let near = found.iter().copied();
    let near: Vec<usize> = near
        .filter(|at| touches(&elements[*at], &modules))
        .collect();
    if near.is_empty() { found } else { near }
}

/// The names that are missing, if it is about such: where they are sought is quoted behind them.
fn missed(error: &Diagnostic) -> Vec<&str> {
    if !error.code().is_some_and(|code| MISSING.contains(&code)) {
        return Vec::new();
    }
    let quoted = error.message.split('`').skip(1).step_by(2);
    // `struct S has no field named x`: whose it is stands in front.
    let (owners, most) = match error.code() {
        Some("E0432") => (0, usize::MAX),
        Some("E0026") => (1, usize::MAX),
        Some("E0560") => (1, 1),
        _ => (0, 1),
    };
    fn last(path: &str) -> Option<&str> {
        let words = path.split(|c: char| !(c.is_alphanumeric() || c == '_'));
        words.rev().find(|word| !word.is_empty())
    }
    quoted.skip(owners).take(most).filter_map(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::{Code, Level};

    fn error(code: &str, message: &str) -> Diagnostic {
        Diagnostic {
            level: Level::Error,
            code: Some(Code { code: code.into() }),
            message: message.into(),
            spans: Vec::new(),
            children: Vec::new(),
            rendered: None,
        }
    }

    #[test]
    fn only_what_is_missing_counts_and_not_where_it_is_sought() {
        let method = error("E0407", "method `min` is not a member of trait `Measure`");
        assert_eq!(missed(&method), ["min"]);
        let imports = error("E0432", "unresolved imports `crate::a::B`, `crate::a::C`");
        assert_eq!(missed(&imports), ["B", "C"]);
        let path = error("E0433", "cannot find `d` in `crate::a`");
        assert_eq!(missed(&path), ["d"]);
        let field = error("E0560", "struct `S` has no field named `a`");
        assert_eq!(missed(&field), ["a"]);
        let fields = error("E0026", "struct `S` does not have fields named `a`, `b`");
        assert_eq!(missed(&fields), ["a", "b"]);
        let alternative = error("E0408", "variable `A` is not bound in all patterns");
        assert_eq!(missed(&alternative), ["A"]);
        let pattern = error(
            "E0531",
            "cannot find tuple struct or tuple variant `A` in this scope",
        );
        assert_eq!(missed(&pattern), ["A"]);
        let other = error("E0308", "mismatched types `B`");
        assert_eq!(missed(&other), [""; 0]);
    }

    #[test]
    fn what_was_there_in_the_same_module_comes_back_first() {
        let text = "mod a { pub trait T {} } mod b { use crate::a::T; impl T for u8 {} } mod c { use crate::a::T; }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let file = FileId(0);
        let cuts = [
            "pub trait T {}",
            "use crate::a::T; impl",
            "use crate::a::T; }",
        ];
        let elements: Vec<Element> = cuts
            .iter()
            .map(|cut| {
                let start = text.find(cut).unwrap();
                let end = start + cut.find(['}', ';']).unwrap() + 1;
                Element::new(
                    &subject,
                    Kind::UseTree,
                    vec![Edit::delete(file, start..end)],
                )
            })
            .collect();
        let at = text.find("T for").unwrap();
        let place = [(file, at..at + 1)];
        let error = error("E0405", "cannot find trait `T` in this scope");
        let mut removed = BTreeSet::from([0, 1, 2]);
        assert_eq!(naming(&subject, &elements, &removed, &error, &place), [1]);
        removed.remove(&1);
        assert_eq!(
            naming(&subject, &elements, &removed, &error, &place),
            [0, 2]
        );
    }
}
