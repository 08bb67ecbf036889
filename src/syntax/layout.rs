//! How the result is laid out: by a printer what it knows, by its brackets what it does not. Positions lead back to the
//! original all the same.

use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use proc_macro2::TokenStream;

use super::lexer;
use super::text::{Edit, FileId, Text};
use super::{blank_first_line, tokens};

/// `text` formatted, if it falls into tokens; positions still lead back to the original. Items that the printer does not
/// know are laid out by their brackets.
pub fn formatted(text: &Text) -> Option<Text> {
    let source = blank_first_line(text.as_str());
    let whole = syn::parse_file(&source).ok();
    let formatted = whole.and_then(|file| unparsed(&file));
    let formatted = formatted.or_else(|| item_by_item(&source));
    proc_macro2::extra::invalidate_current_thread_spans();
    let formatted = formatted?;
    Some(text.rewritten(&formatted, &same_tokens(&formatted, text.as_str())))
}

/// `source` with each item printed on its own, or laid out.
fn item_by_item(source: &str) -> Option<String> {
    let items = tokens::item_ranges(TokenStream::from_str(source).ok()?);
    let mut formatted = String::new();
    for range in items {
        let item = &source[range];
        let known = syn::parse_file(item).ok().and_then(|file| unparsed(&file));
        formatted.push_str(&known.unwrap_or_else(|| laid_out(item)));
        // An attribute alone comes without a line end.
        if !formatted.ends_with('\n') {
            formatted.push('\n');
        }
    }
    Some(formatted)
}

/// `source` with its own line ends; how far lines are indented follows from the brackets that are open.
fn laid_out(source: &str) -> String {
    let tokens = lexer::tokens(source);
    let mut result = String::new();
    // The lines in which the open brackets stand.
    let mut open: Vec<usize> = Vec::new();
    let mut line = 0;
    // How many brackets are open around a where clause.
    let mut clause: Option<usize> = None;
    let mut end = 0;
    for token in tokens {
        let range = token.range();
        let (gap, word) = (&source[end..range.start], &source[range.clone()]);
        end = range.end;
        if matches!(word, ")" | "]" | "}") {
            open.pop();
        }
        if matches!(word, "{" | ";") && clause == Some(open.len()) {
            clause = None;
        }
        if gap.contains('\n') && !result.is_empty() {
            line += 1;
            let depth = open.iter().collect::<BTreeSet<_>>().len() + usize::from(clause.is_some());
            result.push('\n');
            result.push_str(&"    ".repeat(depth));
        } else if !gap.is_empty() && !result.is_empty() && !result.ends_with(['(', '[']) {
            result.push(' ');
        }
        if word == "where" {
            clause = Some(open.len());
        }
        if matches!(word, "(" | "[" | "{") {
            open.push(line);
        }
        result.push_str(word);
    }
    result.push('\n');
    result
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

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn syntax_that_the_printer_does_not_know_is_no_panic() {
        let print = |text| {
            assert!(parse(text).parsed, "{text}");
            formatted(&Text::original(FileId(0), text)).map(|text| text.as_str().to_owned())
        };
        for new in ["async fn c();", "fn f<T: const A>() {}", "macro m() {}"] {
            assert!(print(new).is_some(), "{new}");
        }
        for newer in ["const trait A {}\n", "fn f(x: unsafe<'a> &'a u8) {}\n"] {
            assert_eq!(print(newer).as_deref(), Some(newer));
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
    fn what_the_printer_does_not_know_is_laid_out_by_its_brackets() {
        let source = "\n\nconst trait A   where\n*const   Self:  B, u8: C\n  {\n\n  fn f( ) { g(|| {\n 1  })\n; }\n}\nfn h(){}";
        let text = formatted(&Text::original(FileId(0), source)).expect("tokens");
        assert_eq!(
            text.as_str(),
            "const trait A where\n    *const Self: B, u8: C\n{\n    fn f() { g(|| {\n        1 })\n        ; }\n}\nfn h() {}\n"
        );
        assert_eq!(
            formatted(&Text::original(FileId(0), "fn f( {")).map(|_| ()),
            None
        );
    }
}
