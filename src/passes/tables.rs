//! Tables: long lists of values, and long texts, most of which nothing looks at. One by one they would take as many trials as
//! a table has rows, and as long as they are there each trial takes the compiler long.

use std::ops::Range;

use super::Pass;
use super::query::{At, all, is_expr, is_type};
use super::strings::characters;
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, StmtKind, TypeKind};

/// A list of fewer values is none.
const LEAST_ROWS: usize = 32;

/// A text of fewer bytes is none.
const LEAST_TEXT: usize = 1_000;

/// A list of values is worth a pass of its own if it is at least one part in so many of all there is, by tokens.
const WORTH: usize = 50;

/// A table is taken to so many pieces at most: what is left then is for the passes that look at single values.
const MOST_PIECES: usize = 128;

/// Rows of large tables, and of long texts in statics and constants: halves in the first round, then quarters of what is left,
/// and so on.
pub struct Tables;

impl Pass for Tables {
    fn name(&self) -> &'static str {
        "tables"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let pieces = 2usize << round;
        if pieces > MOST_PIECES {
            return None;
        }
        let mut list = Elements::new();
        for table in tables(subject) {
            let rows = table.children(is_expr);
            let piece = |rows: &[At]| {
                let cuts = rows.iter().map(|row| row.cut()).collect();
                Element::new(subject, table.kind(), cuts)
            };
            list.extend(rows.chunks(rows.len().div_ceil(pieces)).map(piece));
        }
        for text in texts(subject) {
            let rows = characters(text.text());
            let start = text.node.range.start;
            let piece = |rows: &[Range<usize>]| Element {
                kind: Kind::Token,
                edits: vec![Edit::within(
                    text.file,
                    start + rows[0].start..start + rows[rows.len() - 1].end,
                )],
                drops: Vec::new(),
                saves: 0,
            };
            list.extend(rows.chunks(rows.len().div_ceil(pieces)).map(piece));
        }
        Some(list)
    }
}

/// Large tables whose type says how long they are, as slices, which do not: `static T: [u8; 3] = [1, 2, 3];` →
/// `static T: &[u8] = &[1, 2, 3];`.
pub fn uncounted(subject: &Subject) -> Elements {
    let edits = tables(subject).into_iter().filter_map(without_length);
    let elements = edits.map(|edits| Element::new(subject, Kind::Type(TypeKind::Array), edits));
    elements.collect()
}

/// The lists of values that are no part of another, by file and place.
fn tables(subject: &Subject) -> Vec<At<'_>> {
    let mut found: Vec<At> = Vec::new();
    for at in all(subject, is_list) {
        let inside_the_last = found
            .last()
            .is_some_and(|last| last.file == at.file && last.holds(&at.range()));
        if !inside_the_last && is_table(subject, at) {
            found.push(at);
        }
    }
    found
}

fn is_list(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(ExprKind::Array | ExprKind::Macro))
}

fn is_table(subject: &Subject, at: At) -> bool {
    let is_macro = |at: At| at.kind() == Kind::Expr(ExprKind::Macro);
    let is_vec = !is_macro(at) || at.name() == Some("vec");
    // What a macro is given is its own affair: an assertion's is what is expected.
    let mut outer = at.ancestors();
    let is_plain = !outer.any(|at| is_macro(at) || at.kind() == Kind::Stmt(StmtKind::Macro));
    is_vec
        && is_plain
        && at.children(is_expr).len() >= LEAST_ROWS
        && at.tree.weight(&at.range()) * WORTH >= subject.tokens()
}

/// The long string literals that are no test's input.
fn texts(subject: &Subject) -> Vec<At<'_>> {
    let is_literal = |kind| kind == Kind::Expr(ExprKind::Lit);
    let is_text = |at: &At| {
        at.node.range.len() >= LEAST_TEXT && at.ancestors().any(|outer| is_data(outer.kind()))
    };
    let literals = all(subject, is_literal).into_iter().filter(is_text);
    literals
        .filter(|at| characters(at.text()).len() >= LEAST_ROWS)
        .collect()
}

fn is_data(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Item(ItemKind::Static | ItemKind::Const) | Kind::Member(ItemKind::Const)
    )
}

/// What makes the definition of `table` that of a slice; `None` if its type says no length.
fn without_length(table: At) -> Option<Vec<Edit>> {
    let outer = table.parent()?;
    let ty = match outer.kind() {
        kind if is_data(kind) => outer.child(is_type),
        Kind::Init => outer
            .parent()?
            .child(|kind| kind == Kind::Ascription)?
            .child(is_type),
        _ => None,
    };
    let ty = ty.filter(|ty| ty.kind() == Kind::Type(TypeKind::Array))?;
    let row = ty.child(is_type)?;
    let before = |at: At| at.edit(at.node.range.start..at.node.range.start, "&");
    let length = row.node.range.end..ty.node.range.end - 1;
    Some(vec![before(ty), ty.edit(length, ""), before(table)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;
    use crate::syntax::FileId;

    fn numbers(from: usize, to: usize) -> String {
        let numbers: Vec<String> = (from..to).map(|number| number.to_string()).collect();
        numbers.join(", ")
    }

    fn after(text: &str, list: impl Fn(&Subject) -> Elements) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let elements = list(&subject).into_iter();
        elements
            .map(|element| {
                let after = subject.without([&element]);
                after.file(FileId(0)).source().to_owned()
            })
            .collect()
    }

    #[test]
    fn a_table_goes_by_halves_and_then_by_smaller_pieces() {
        let text = format!("static T: &[u8] = &[{}];", numbers(0, 64));
        let halves = after(&text, |subject| Tables.list(subject, 0).unwrap());
        let squeezed: Vec<String> = halves.iter().map(|text| text.replace(' ', "")).collect();
        let half = |from, to| format!("static T: &[u8] = &[{}];", numbers(from, to));
        let expected = [half(32, 64), half(0, 32)].map(|text| text.replace(' ', ""));
        assert_eq!(squeezed, expected);
        let quarters = after(&text, |subject| Tables.list(subject, 1).unwrap());
        assert_eq!(quarters.len(), 4);
        assert_eq!(each(&Tables, &text).len(), 2 + 4 + 8 + 16 + 32 + 64 + 64);
    }

    #[test]
    fn a_table_inside_another_waits_for_it() {
        let inner = format!("[{}]", numbers(0, 40));
        let outer = vec![inner.as_str(); 33].join(", ");
        let text = format!("fn f() {{ let t = [{outer}]; }}");
        assert_eq!(
            after(&text, |subject| Tables.list(subject, 0).unwrap()).len(),
            2
        );
        let text = format!("fn f() {{ let t = [{inner}, {inner}]; }}");
        assert_eq!(
            after(&text, |subject| Tables.list(subject, 0).unwrap()).len(),
            4
        );
    }

    #[test]
    fn what_an_assertion_is_given_and_what_is_short_is_no_table() {
        let list = numbers(0, 40);
        assert!(each(&Tables, &format!("fn f() {{ assert_eq!(g(), [{list}]); }}")).is_empty());
        assert!(each(&Tables, &format!("fn f() {{ other![{list}] }}")).is_empty());
        assert!(!each(&Tables, &format!("fn f() {{ g(vec![{list}]) }}")).is_empty());
        let list = numbers(0, 20);
        assert!(each(&Tables, &format!("static T: &[u8] = &[{list}];")).is_empty());
    }

    #[test]
    fn a_long_text_is_a_table_of_its_characters() {
        let text = format!("static T: &str = \"{}\";", r"\u{41}".repeat(200));
        let halves = after(&text, |subject| Tables.list(subject, 0).unwrap());
        let half = format!("static T: &str = \"{}\";", r"\u{41}".repeat(100));
        assert_eq!(halves, [half.clone(), half]);
        let elsewhere = format!("fn f() {{ g(\"{}\") }}", "a".repeat(2_000));
        assert!(each(&Tables, &elsewhere).is_empty());
    }

    #[test]
    fn a_table_that_is_a_small_part_of_all_is_left_alone() {
        let list = numbers(0, 40);
        let other = "fn f() { g(); }".repeat(1_000);
        assert!(each(&Tables, &format!("static T: &[u8] = &[{list}]; {other}")).is_empty());
    }

    #[test]
    fn a_length_goes_with_the_array() {
        let list = numbers(0, 40);
        let of = |text: &str| after(&text.replace("LIST", &list), uncounted);
        let expected = |text: &str| [text.replace("LIST", &list)];
        assert_eq!(
            of("static T: [u8; 40] = [LIST];"),
            expected("static T: &[u8] = &[LIST];")
        );
        assert_eq!(
            of("impl S { const T: [[u8; 2]; N] = [LIST]; }"),
            expected("impl S { const T: &[[u8; 2]] = &[LIST]; }")
        );
        assert_eq!(
            of("fn f() { let t: [u8; 40] = [LIST]; }"),
            expected("fn f() { let t: &[u8] = &[LIST]; }")
        );
        assert!(of("static T: &[u8] = &[LIST];").is_empty());
        assert!(of("fn f() { let t = [LIST]; }").is_empty());
    }
}
