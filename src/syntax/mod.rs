//! Text to tree, weights, edits and offset maps. Knows Rust's syntax; knows no processes, no passes.
//!
//! A candidate is the original text with edits applied, never a printed tree: formatting and
//! unknown syntax survive, and every position can be taken back to the original ([`Text::origin`]).
//! Parsing degrades piece by piece: `syn` for the whole file, `syn` for what parses of it, token
//! trees, lines. What is new in the language is blanked where that makes the whole file parse. No text is refused.

pub mod brought;
mod layout;
pub mod lexer;
mod repair;
mod rust;
pub mod text;
mod tokens;
pub mod tree;

use std::str::FromStr;

use proc_macro2::TokenStream;

pub use layout::{formatted, without_added_commas};
pub use text::{Edit, FileId, Origin, Part, Text};
pub use tree::{ExprKind, ItemKind, Kind, Node, NodeId, PatKind, StmtKind, Tree, TypeKind};

/// The syntax of `text`. Never fails; [`Tree::parsed`] says whether all of it is known syntax.
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::new(text);
    let readable = blank_first_line(text);
    let whole = syn::parse_file(&readable).map(|file| (file, Vec::new()));
    let known = whole.ok().or_else(|| {
        let repaired = repair::repaired(&readable)?;
        tree.blanked = repaired.words(text);
        Some((repaired.file, repaired.blanked))
    });
    let parsed = known.is_some();
    match known {
        Some((file, new)) => {
            let mut builder = rust::Builder::new(&mut tree, text, new);
            builder.node(Kind::File, 0..text.len(), |b| {
                syn::visit::visit_file(b, &file)
            });
        }
        None => {
            let mut builder = rust::Builder::new(&mut tree, text, Vec::new());
            match TokenStream::from_str(&readable) {
                Ok(stream) => {
                    builder.node(Kind::File, 0..text.len(), |b| tokens::pieces(b, stream))
                }
                Err(_) => builder.node(Kind::File, 0..text.len(), tokens::lines),
            };
        }
    }
    tree.parsed = parsed;
    // proc-macro2 keeps every parsed text until it is told that its spans are no longer used.
    proc_macro2::extra::invalidate_current_thread_spans();
    tree
}

/// Whether `text` is a Rust file as far as `syn` knows the language.
pub fn parses(text: &str) -> bool {
    parses_without(text, &[])
}

/// Whether `text` is a Rust file without some of the tokens `blanked` (sorted), each of them once.
pub fn parses_without(text: &str, blanked: &[String]) -> bool {
    let readable = blank_first_line(text);
    let parsed = syn::parse_file(&readable).is_ok()
        || !blanked.is_empty()
            && repair::repaired(&readable).is_some_and(|now| {
                let mut allowed = blanked.iter();
                now.words(text)
                    .iter()
                    .all(|word| allowed.any(|other| other == word))
            });
    proc_macro2::extra::invalidate_current_thread_spans();
    parsed
}

/// `text` with a byte order mark and a `#!` line turned into white space: `syn` would take them
/// off and count its offsets without them.
fn blank_first_line(text: &str) -> std::borrow::Cow<'_, str> {
    let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let rest = &text[mark..];
    let script = rest.starts_with("#!") && !rest[2..].trim_start().starts_with('[');
    let blank = mark
        + if script {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            0
        };
    if blank == 0 {
        return text.into();
    }
    let mut blanked = " ".repeat(blank);
    blanked.push_str(&text[blank..]);
    blanked.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str, wanted: impl Fn(Kind) -> bool) -> Vec<String> {
        let tree = parse(text);
        let mut found = Vec::new();
        for (_, node) in tree.nodes() {
            if wanted(node.kind) {
                found.push(text[node.range.clone()].to_string());
            }
        }
        found
    }

    #[test]
    fn ranges_are_right_behind_a_script_line_and_multi_byte_characters() {
        let text = "#!/usr/bin/env run\n// ä\nfn ö() { f(\"é\", 1) }\n";
        assert_eq!(kinds(text, |k| k == Kind::Body), ["{ f(\"é\", 1) }"]);
        assert_eq!(
            kinds(text, |k| k == Kind::Expr(ExprKind::Lit)),
            ["\"é\"", "1"]
        );
    }

    #[test]
    fn inner_attributes_are_inside_the_block_that_they_stand_in() {
        let text = "#[a] fn f() { #![b] unsafe { #![c] g() } #[d] loop { #![e] } }
                    impl T { #[h] fn m() { #![i] } } trait U { fn n() { #![j] } }";
        let tree = parse(text);
        for (id, node) in tree.nodes() {
            for pair in node.children.windows(2) {
                let [one, next] = [pair[0], pair[1]].map(|child| tree.node(child));
                assert!(
                    one.range.end <= next.range.start,
                    "children of {id:?} overlap"
                );
            }
        }
        let around = |attribute: &str| {
            let mut nodes = tree.nodes();
            let found = nodes.find(|(_, node)| &text[node.range.clone()] == attribute);
            let outer = tree.parent(found.expect("it is there").0);
            outer.expect("it stands somewhere").kind
        };
        for inner in ["#![b]", "#![i]", "#![j]"] {
            assert_eq!(around(inner), Kind::Body);
        }
        for inner in ["#![c]", "#![e]"] {
            assert_eq!(around(inner), Kind::Block);
        }
        assert_eq!(around("#[a]"), Kind::Item(ItemKind::Fn));
        assert_eq!(around("#[d]"), Kind::Expr(ExprKind::Loop));
    }

    #[test]
    fn a_file_with_one_bad_item_still_has_the_nodes_of_the_others() {
        let text =
            "fn a() { b(); }\nimpl T { fn c() { S { 0 } } fn d() { e(); } }\nstruct F { x: u8 }\n";
        let tree = parse(text);
        assert!(!tree.parsed);
        assert_eq!(kinds(text, |k| k == Kind::Field), ["x: u8"]);
        assert_eq!(
            kinds(text, |k| k == Kind::Member(ItemKind::Fn)),
            ["fn c() { S { 0 } }", "fn d() { e(); }"]
        );
    }

    #[test]
    fn what_is_new_is_a_modifier_of_what_it_stands_in_or_in_front_of() {
        for (text, outer, modifier) in [
            (
                "const trait A { fn f() {} }",
                "const trait A { fn f() {} }",
                "const",
            ),
            (
                "impl(self) trait A {}",
                "impl(self) trait A {}",
                "impl(self)",
            ),
            ("gen fn f() {}", "gen fn f() {}", "gen"),
            ("struct S { a: u8, unsafe b: u8 }", "unsafe b: u8", "unsafe"),
            ("fn f<T: A + [const] B>() {}", "[const] B", "[const]"),
            ("fn f() { become g(); }", "become g()", "become"),
            (
                "fn f(x: unsafe<'a> &'a u8) {}",
                "unsafe<'a> &'a u8",
                "unsafe<'a>",
            ),
            (
                "fn f() { g(1); super let x = 2; }",
                "super let x = 2;",
                "super",
            ),
            (
                "fn f() { h(3); super let x = 2.match { _ => 1 }; y.match {} }",
                "y.match {}",
                "",
            ),
        ] {
            let tree = parse(text);
            let node = tree
                .nodes()
                .find(|(_, node)| text[node.range.clone()] == *outer);
            assert!(node.is_some(), "{text}");
            let all = kinds(text, |kind| kind == Kind::Modifier);
            assert_eq!(
                all,
                [modifier]
                    .into_iter()
                    .filter(|word| !word.is_empty())
                    .collect::<Vec<_>>(),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_new_inside_an_item_leaves_its_head_known() {
        let text = "impl<T: A + B> C for D<T> { reuse C::{f, g} { self.0 } fn h(x: u8) { i(1); x.match { _ => 2 } } }";
        let tree = parse(text);
        assert!(!tree.parsed);
        assert_eq!(kinds(text, |k| k == Kind::Bound), ["A", "B"]);
        assert_eq!(kinds(text, |k| k == Kind::Param), ["x: u8"]);
        assert_eq!(
            kinds(text, |k| k == Kind::Stmt(StmtKind::Expr)),
            ["self.0", "i(1);"]
        );
        let parents_first = tree.nodes().all(|(id, node)| {
            node.parent.is_none_or(|parent| {
                let outer = &tree.node(parent).range;
                parent < id && outer.start <= node.range.start && node.range.end <= outer.end
            })
        });
        assert!(parents_first);
    }

    #[test]
    fn a_macro_with_stray_separators_is_read_to_its_end() {
        let text = "m! { ; a, , b; ;; (, ,) c => ; }\n";
        assert_eq!(parse(text).tokens().len(), lexer::count(text));
        assert!(!kinds(text, |k| k == Kind::Segment).is_empty());
    }

    #[test]
    fn separators_follow_any_subset() {
        let text = "fn f<A, B>(a: A, b: B) where A: X + Y, {}";
        let tree = parse(text);
        let without = |words: &[&str]| {
            let cuts: Vec<_> = tree
                .nodes()
                .filter(|(_, node)| words.contains(&&text[node.range.clone()]))
                .map(|(_, node)| node.range.clone())
                .collect();
            let mut all = tree.separators_for(&cuts);
            all.extend(cuts);
            let edits: Vec<_> = all
                .into_iter()
                .map(|cut| Edit::delete(FileId(0), cut))
                .collect();
            let result = Text::original(FileId(0), text).apply(&edits);
            result
                .as_str()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(without(&["b: B"]), "fn f<A, B>(a: A ) where A: X + Y, {}");
        assert_eq!(
            without(&["a: A", "b: B"]),
            "fn f<A, B>( ) where A: X + Y, {}"
        );
        assert_eq!(without(&["Y"]), "fn f<A, B>(a: A, b: B) where A: X , {}");
        assert_eq!(without(&["A: X + Y"]), "fn f<A, B>(a: A, b: B) {}");
    }

    #[test]
    fn separators_in_front_of_everything_are_tokens_like_others() {
        let text = "macro_rules! m { ($($t:ty),*) => { $(, $t)* (, ,) } }";
        let tree = parse(text);
        assert!(tree.parsed);
        assert!(kinds(text, |k| k == Kind::Token).contains(&",".to_string()));
    }
}
