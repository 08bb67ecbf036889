//! Literals: where they stand, and what each may say instead. Knows tokens alone: not what comes of it.

use std::ops::Range;

use super::strings::characters;
use crate::subject::Subject;
use crate::syntax::FileId;
use crate::syntax::lexer::TokenKind;

/// Where the literals in `range` of `file` stand.
pub fn literals_in<'s>(
    subject: &'s Subject,
    file: FileId,
    range: &Range<usize>,
) -> impl Iterator<Item = Range<usize>> + use<'s> {
    let tokens = subject.file(file).tree().map(|tree| tree.tokens_in(range));
    let tokens = tokens.unwrap_or_default().iter();
    tokens
        .filter(|token| token.kind == TokenKind::Literal)
        .map(|token| token.range())
}

/// What stands near the literal `text` and is one too: a string with another character, one less or one more; a number that is a
/// little larger or smaller, or half as large. None for what is neither, or not said in decimal digits.
pub fn near(text: &str) -> Vec<String> {
    let all = characters(text);
    let mut found = match (text.chars().next_back(), all.is_empty()) {
        (_, false) => strings(text, &all),
        (Some('\''), _) => single(text),
        (Some('"' | '#'), _) => Vec::new(),
        _ => numbers(text),
    };
    found.retain(|other| other != text);
    found
}

/// Those near the string `text` of the characters `all`.
fn strings(text: &str, all: &[Range<usize>]) -> Vec<String> {
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return Vec::new();
    };
    let with =
        |at: &Range<usize>, instead: &str| [&text[..at.start], instead, &text[at.end..]].concat();
    let changed = all
        .iter()
        .find_map(|at| Some((at, next(&text[at.clone()])?)));
    let twice = text[last.clone()].repeat(2);
    let mut found: Vec<String> = changed
        .map(|(at, next)| with(at, &next.to_string()))
        .into_iter()
        .collect();
    found.extend([with(last, ""), with(first, ""), with(last, &twice)]);
    if all.len() > 2 {
        found.push(with(&all[all.len() / 2], ""));
    }
    found
}

/// Those near the character or byte `text`.
fn single(text: &str) -> Vec<String> {
    let Some((open, said)) = text
        .strip_suffix('\'')
        .and_then(|rest| rest.split_once('\''))
    else {
        return Vec::new();
    };
    let other = next(said).map(|next| format!("{open}'{next}'"));
    other.into_iter().collect()
}

/// Those near the number `text`, which may go on behind its digits.
fn numbers(text: &str) -> Vec<String> {
    let behind = text.trim_start_matches(|at: char| at.is_ascii_digit() || at == '_');
    let digits = text[..text.len() - behind.len()].replace('_', "");
    if behind.starts_with(['x', 'o', 'b']) {
        return Vec::new();
    }
    let Ok(value) = digits.parse::<u128>() else {
        return Vec::new();
    };
    let others = [
        value.checked_add(1),
        value.checked_add(2),
        value.checked_sub(1),
        Some(value / 2),
    ];
    let others = others.into_iter().flatten();
    others.map(|other| format!("{other}{behind}")).collect()
}

/// The digit or letter that comes behind the one that `character` is.
fn next(character: &str) -> Option<char> {
    let mut characters = character.chars();
    let (Some(only), None) = (characters.next(), characters.next()) else {
        return None;
    };
    let next = |last: char, first: char| match only == last {
        true => first,
        false => (only as u8 + 1) as char,
    };
    match only {
        '0'..='9' => Some(next('9', '0')),
        'a'..='z' => Some(next('z', 'a')),
        'A'..='Z' => Some(next('Z', 'A')),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn strings_lose_get_and_change_a_character() {
        assert_eq!(
            near(r#""-9a\n""#),
            [
                r#""-0a\n""#,
                r#""-9a""#,
                r#""9a\n""#,
                r#""-9a\n\n""#,
                r#""-9\n""#
            ]
        );
        assert_eq!(
            near(r##"br#"z"#"##),
            [
                r##"br#"a"#"##,
                r##"br#""#"##,
                r##"br#""#"##,
                r##"br#"zz"#"##
            ]
        );
        assert_eq!(near(r#""""#), [""; 0]);
    }

    #[test]
    fn numbers_get_larger_and_smaller_and_keep_their_type() {
        assert_eq!(near("1_000u16"), ["1001u16", "1002u16", "999u16", "500u16"]);
        assert_eq!(near("0"), ["1", "2"]);
        assert_eq!(near("2.50"), ["3.50", "4.50", "1.50", "1.50"]);
        assert_eq!(near("0xff"), [""; 0]);
        assert_eq!(near("0b11"), [""; 0]);
    }

    #[test]
    fn characters_are_followed_by_the_next() {
        assert_eq!(near("'a'"), ["'b'"]);
        assert_eq!(near("b'9'"), ["b'0'"]);
        assert_eq!(near(r"'\n'"), [""; 0]);
        assert_eq!(near("'é'"), [""; 0]);
    }
}
