//! Text to tree, weights, edits and offset maps. Knows Rust's syntax; knows no processes, no passes.
//!
//! A candidate is the original text with edits applied, never a printed tree: formatting and
//! unknown syntax survive, and every position can be taken back to the original ([`Text::origin`]).
//! Parsing degrades piece by piece: `syn` for the whole file, `syn` for what parses of it, token
//! trees, lines. What is new in the language is blanked where that makes the whole file parse. No text is refused.

pub mod lexer;
mod repair;
mod rust;
pub mod text;
mod tokens;
pub mod tree;

use std::panic::{self, AssertUnwindSafe};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use proc_macro2::TokenStream;

pub use text::{Edit, FileId, Origin, Part, Text};
pub use tree::{ExprKind, ItemKind, Kind, Node, NodeId, PatKind, StmtKind, Tree, TypeKind};

/// The syntax of `text`. Never fails; [`Tree::parsed`] says whether all of it is known syntax.
pub fn parse(text: &str) -> Tree {
    let mut tree = Tree::new(text);
    let readable = blank_first_line(text);
    let mut builder = rust::Builder::new(&mut tree, text);
    let whole = syn::parse_file(&readable).map(|file| (file, Vec::new()));
    let known = whole.ok().or_else(|| {
        let repaired = repair::repaired(&readable)?;
        Some((repaired.file, repaired.blanked))
    });
    let (parsed, blanked) = match known {
        Some((file, blanked)) => {
            builder.node(Kind::File, 0..text.len(), |b| {
                syn::visit::visit_file(b, &file)
            });
            (true, blanked)
        }
        None => {
            match TokenStream::from_str(&readable) {
                Ok(stream) => {
                    builder.node(Kind::File, 0..text.len(), |b| tokens::pieces(b, stream))
                }
                Err(_) => builder.node(Kind::File, 0..text.len(), tokens::lines),
            };
            (false, Vec::new())
        }
    };
    tree.parsed = parsed;
    tree.blanked = blanked;
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
                now.blanked
                    .iter()
                    .all(|word| allowed.any(|other| other == word))
            });
    proc_macro2::extra::invalidate_current_thread_spans();
    parsed
}

/// `text` formatted, if it parses; positions still lead back to the original.
pub fn formatted(text: &Text) -> Option<Text> {
    let file = syn::parse_file(&blank_first_line(text.as_str())).ok()?;
    let formatted = unparsed(&file);
    proc_macro2::extra::invalidate_current_thread_spans();
    let formatted = formatted?;
    Some(text.rewritten(&formatted, &same_tokens(&formatted, text.as_str())))
}

/// What the printer makes of `file`. There is syntax that `syn` takes and hands on as tokens, for which the printer has
/// nothing but a panic; nobody need see that.
fn unparsed(file: &syn::File) -> Option<String> {
    /// There is one panic hook for all threads.
    static HOOK: Mutex<()> = Mutex::new(());
    let _guard = HOOK.lock().unwrap_or_else(PoisonError::into_inner);
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let formatted = panic::catch_unwind(AssertUnwindSafe(|| prettyplease::unparse(file)));
    panic::set_hook(hook);
    formatted.ok()
}

/// `formatted` without the commas before closing brackets that a printer added.
pub fn without_added_commas(formatted: Text) -> Text {
    let source = formatted.as_str();
    let tokens = lexer::tokens(source);
    let added = tokens.windows(2).filter(|pair| {
        source[pair[0].range()] == *","
            && matches!(&source[pair[1].range()], ")" | "]" | "}")
            && formatted.origin(pair[0].start as usize).is_none()
    });
    let edits: Vec<Edit> = added
        .map(|pair| Edit::delete(FileId(0), pair[0].range()))
        .collect();
    formatted.apply(&edits)
}

/// Which tokens of `new` are which of `old`, one printed from the other: a printer adds and takes
/// away some punctuation and changes nothing else.
fn same_tokens(new: &str, old: &str) -> Vec<(usize, usize, usize)> {
    /// How far apart the two may drift at one place.
    const WINDOW: usize = 16;
    let (new_tokens, old_tokens) = (lexer::tokens(new), lexer::tokens(old));
    let same = |a: usize, b: usize| match (new_tokens.get(a), old_tokens.get(b)) {
        (Some(a), Some(b)) => new[a.range()] == old[b.range()],
        _ => false,
    };
    let mut runs = Vec::new();
    let (mut a, mut b) = (0, 0);
    while a < new_tokens.len() && b < old_tokens.len() {
        if same(a, b) {
            let (from, to) = (new_tokens[a], old_tokens[b]);
            runs.push((from.start as usize, to.start as usize, from.range().len()));
            (a, b) = (a + 1, b + 1);
            continue;
        }
        // The nearest place where both agree again, for two tokens if there are two.
        let steps = (1..=2 * WINDOW).flat_map(|sum| (0..=sum).map(move |skip| (skip, sum - skip)));
        let next = steps.into_iter().find(|(skip, other)| {
            let (a, b) = (a + skip, b + other);
            same(a, b) && (same(a + 1, b + 1) || a + 1 >= new_tokens.len())
        });
        let Some((skip, other)) = next else { break };
        (a, b) = (a + skip, b + other);
    }
    runs
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
    fn syntax_that_the_printer_does_not_know_is_no_panic() {
        let print = |text| {
            assert!(parse(text).parsed, "{text}");
            formatted(&Text::original(FileId(0), text)).map(|text| text.as_str().to_owned())
        };
        for new in ["async fn c();", "fn f<T: const A>() {}", "macro m() {}"] {
            assert!(print(new).is_some(), "{new}");
        }
        for newer in ["const trait A {}", "fn f(x: unsafe<'a> &'a u8) {}"] {
            assert_eq!(print(newer), None, "{newer}");
        }
        assert!(print("fn f(){}").is_some(), "as if nothing had happened");
    }

    #[test]
    fn commas_that_a_printer_adds_can_be_taken_off_again() {
        let text = Text::original(FileId(0), "struct A { b: u8, c: (u8,) }");
        let formatted = formatted(&text).expect("it parses");
        assert_eq!(
            without_added_commas(formatted).as_str(),
            "struct A {\n    b: u8,\n    c: (u8,)\n}\n"
        );
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
    fn formatting_keeps_track_of_where_everything_stood() {
        let source = "// c\nfn f ( ) { g ( 1,2 , ) ; if (a) {b ( ).unwrap()} }\nfn h(){}";
        let text = Text::original(FileId(3), source);
        let formatted = formatted(&text).expect("parses");
        for word in ["f", "g", "2", "unwrap", "h"] {
            let at = |text: &str| {
                let tokens = lexer::tokens(text);
                tokens
                    .iter()
                    .find(|token| &text[token.range()] == word)
                    .map(|token| token.range().start)
            };
            let (new, old) = (at(formatted.as_str()).expect(word), at(source).expect(word));
            assert_eq!(
                formatted.origin(new).map(|origin| origin.offset as usize),
                Some(old),
                "{word}"
            );
        }
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
