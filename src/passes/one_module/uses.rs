//! `use` items that are written anew.

use crate::syntax::lexer::TokenKind;

/// `use` items for `wanted`, each a path and what it is called if that is not its last name: those from one place together.
pub(super) fn written(wanted: &[(String, Option<String>)]) -> String {
    let mut groups: Vec<(&str, Vec<String>)> = Vec::new();
    for (path, name) in wanted {
        let (place, last) = path.rsplit_once("::").unwrap_or(("", path));
        let last = match name {
            Some(name) => format!("{last} as {name}"),
            None => last.to_owned(),
        };
        let is_whole = !path.contains("::");
        match groups
            .iter_mut()
            .find(|group| group.0 == place && !is_whole)
        {
            Some(group) => group.1.push(last),
            None => groups.push((place, vec![last])),
        }
    }
    let items = groups.into_iter().map(|(place, names)| {
        let way = if place.is_empty() { "" } else { "::" };
        match &names[..] {
            [only] => format!("use {place}{way}{only};"),
            all => format!("use {place}{way}{{{}}};", all.join(", ")),
        }
    });
    items.collect::<Vec<_>>().join(" ")
}

/// Whether a word of a text may be a part of a path.
pub(super) fn is_name(kind: TokenKind, word: &str) -> bool {
    const WORDS: [&str; 36] = [
        "as", "async", "await", "break", "const", "continue", "dyn", "else", "enum", "extern",
        "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut",
        "pub", "ref", "return", "static", "struct", "trait", "true", "type", "union", "unsafe",
        "use", "where", "while", "yield",
    ];
    kind == TokenKind::Ident && !WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_one_place_is_imported_together() {
        let wanted = [
            ("a::b", None),
            ("c", None),
            ("a::d", Some("e")),
            ("f", None),
        ];
        let wanted = wanted.map(|(path, name)| (path.to_owned(), name.map(str::to_owned)));
        assert_eq!(written(&wanted), "use a::{b, d as e}; use c; use f;");
    }
}
