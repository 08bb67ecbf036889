//! What `use` items import, one by one.

use super::query::At;

/// One import of a `use` item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Import<'s> {
    /// The path, without the `*` or the `self` at its end; it starts with an empty name where it starts with `::`.
    pub path: Vec<&'s str>,
    /// What it is called here; `None` for a glob.
    pub name: Option<&'s str>,
}

/// The imports of the `use` item `at`, in order.
pub(super) fn imports<'s>(at: At<'s>) -> Vec<Import<'s>> {
    let tokens = at.tree.tokens_in(&at.range()).iter();
    let words: Vec<&str> = tokens.map(|token| &at.source[token.range()]).collect();
    let start = words.iter().position(|word| *word == "use");
    let mut found = Vec::new();
    if let Some(start) = start {
        tree(&words[start + 1..], &[], &mut found);
    }
    found
}

/// Adds the imports of one tree of a `use` item, which starts `words`; how many of these it is.
fn tree<'s>(words: &[&'s str], before: &[&'s str], found: &mut Vec<Import<'s>>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    if words.first() == Some(&"::") {
        path.push("");
        at = 1;
    }
    loop {
        match words.get(at) {
            Some(&"*") => {
                found.push(Import { path, name: None });
                return at + 1;
            }
            Some(&"{") => {
                at += 1;
                while !matches!(words.get(at), None | Some(&"}")) {
                    at += match words[at] {
                        "," => 1,
                        _ => tree(&words[at..], &path, found).max(1),
                    };
                }
                return at + 1;
            }
            Some(word) if *word != "}" && *word != "," && *word != ";" => {
                path.push(word);
                at += 1;
            }
            _ => return at,
        }
        match words.get(at) {
            Some(&"::") => at += 1,
            next => {
                if path.len() > 1 && path.last() == Some(&"self") {
                    path.pop();
                }
                let alias = (next == Some(&"as")).then(|| words.get(at + 1)).flatten();
                let name = alias.or(path.last()).copied();
                found.push(Import { path, name });
                return at + if alias.is_some() { 2 } else { 0 };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::query::all;
    use super::*;
    use crate::subject::Subject;
    use crate::syntax::{ItemKind, Kind};

    #[test]
    fn trees_come_apart_into_imports() {
        let text =
            "pub(crate) use a::{self, b::*, c as d, e::{f, self as g,}}; use ::h; use i::j as _;";
        let subject = Subject::new([("a.rs".into(), text.into())]);
        let uses = all(&subject, |kind| kind == Kind::Item(ItemKind::Use));
        let found: Vec<_> = uses.into_iter().flat_map(imports).collect();
        let told: Vec<_> = found
            .iter()
            .map(|import| (import.path.join("::"), import.name))
            .collect();
        let expected = [
            ("a", Some("a")),
            ("a::b", None),
            ("a::c", Some("d")),
            ("a::e::f", Some("f")),
            ("a::e", Some("g")),
            ("::h", Some("h")),
            ("i::j", Some("_")),
        ];
        let expected = expected.map(|(path, name)| (path.to_owned(), name));
        assert_eq!(told, expected);
    }
}
