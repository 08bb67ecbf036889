//! Names as people write them who make an example up: `A` for types, `f` for functions, `x` for values. By
//! text alone, everywhere at once; a trial decides whether two things of one name are two.

use std::collections::{BTreeMap, BTreeSet};

use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, PatKind, Tree};

/// What a name is of, by which its new one is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Family {
    /// Types, traits, variants, constants, type parameters.
    Type,
    /// Functions, modules, macros.
    Function,
    /// Bindings, parameters, fields.
    Value,
    Lifetime,
}

impl Family {
    /// Its names, the most usual one first.
    fn names(self) -> impl Iterator<Item = String> {
        let letters = match self {
            Family::Type => "ABCDEGHIJKLMNOPQRSTUVWXYZ",
            Family::Function => "fghijklmnopqrstuvwxyzabcde",
            Family::Value => "xyzabcdeghijklmnopqrstuvw",
            Family::Lifetime => "abcdefghijklmnopqrstuvwxyz",
        };
        let mark = if self == Family::Lifetime { "'" } else { "" };
        let numbered = (0..).map(|round: usize| match round {
            0 => String::new(),
            round => round.to_string(),
        });
        numbered.flat_map(move |number| {
            letters
                .chars()
                .map(move |letter| format!("{mark}{letter}{number}"))
        })
    }
}

/// One element for each name that the subject defines and that may have another: all its mentions,
/// replaced. Those in `keep` stay, and names that stand in attributes or strings, that belong to traits of others, or that are short already stay.
pub fn names(subject: &Subject, keep: &[String]) -> Elements {
    let mut order: Vec<(&str, Family)> = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let local_traits = local_traits(subject);
    for (_, version, tree) in subject.sources() {
        let source = version.source();
        for (_, node) in tree.nodes() {
            if let Some((name, family)) = defined(source, tree, node, &local_traits)
                && known.insert(name)
            {
                order.push((name, family));
            }
        }
    }
    let mentions = mentions(subject);
    let fixed = fixed(subject, &mentions);
    let mut free: BTreeMap<Family, Box<dyn Iterator<Item = String>>> = BTreeMap::new();
    let mut list = Vec::new();
    for (name, family) in order {
        let bare = name.trim_start_matches('\'');
        if fixed.contains(name)
            || keep.iter().any(|kept| kept == name)
            || bare.chars().count() < 2
            || bare.starts_with("r#")
        {
            continue;
        }
        let names = free
            .entry(family)
            .or_insert_with(|| Box::new(family.names()));
        let Some(new) = names.find(|new| !mentions.contains_key(new.as_str())) else {
            continue;
        };
        let places = mentions.get(name).into_iter().flatten();
        let edits = places
            .map(|(file, range)| Edit::replace(*file, range.clone(), new.clone()))
            .collect();
        list.push(Element::new(subject, Kind::Rename, edits));
    }
    list
}

/// Where every word and lifetime stands.
fn mentions(subject: &Subject) -> BTreeMap<&str, Vec<(FileId, std::ops::Range<usize>)>> {
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for (file, version, tree) in subject.sources() {
        for token in tree.tokens() {
            if matches!(token.kind, TokenKind::Ident | TokenKind::Lifetime) {
                let word = &version.source()[token.range()];
                found.entry(word).or_default().push((file, token.range()));
            }
        }
    }
    found
}

fn local_traits(subject: &Subject) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    for (_, version, tree) in subject.sources() {
        let traits = tree
            .nodes()
            .filter(|(_, node)| node.kind == Kind::Item(ItemKind::Trait));
        found.extend(traits.filter_map(|(_, node)| Some(&version.source()[node.name.clone()?])));
    }
    found
}

/// The name that `node` defines.
fn defined<'s>(
    source: &'s str,
    tree: &Tree,
    node: &Node,
    local_traits: &BTreeSet<&str>,
) -> Option<(&'s str, Family)> {
    let family = match node.kind {
        Kind::Item(kind) | Kind::Member(kind) => match kind {
            ItemKind::Fn | ItemKind::Mod | ItemKind::MacroRules => Family::Function,
            ItemKind::Use | ItemKind::ExternCrate | ItemKind::MacroCall => return None,
            _ => Family::Type,
        },
        Kind::Variant => Family::Type,
        Kind::Field => Family::Value,
        Kind::GenericParam => match source[node.range.clone()].starts_with('\'') {
            true => Family::Lifetime,
            false => Family::Type,
        },
        Kind::Pat(PatKind::Ident) => {
            // `None` and the like are patterns of one word too.
            let mut name = tree.identifiers(source, &node.range);
            let name = name.find(|word| !matches!(*word, "ref" | "mut"))?;
            let is_value = name.starts_with(|c: char| c.is_lowercase() || c == '_');
            return is_value.then_some((name, Family::Value));
        }
        _ => return None,
    };
    if matches!(node.kind, Kind::Member(_)) {
        // What a trait of another crate declares has the name that it has there.
        let owner = node.parent.map(|owner| tree.node(owner))?;
        let mut parts = owner.children.iter().map(|child| tree.node(*child));
        let of_trait = parts.find(|part| part.kind == Kind::TraitRef);
        let is_local = of_trait.is_none_or(|part| {
            let mut words = tree.identifiers(source, &part.range);
            words.any(|word| local_traits.contains(word))
        });
        if !is_local || owner.kind == Kind::Item(ItemKind::ForeignMod) {
            return None;
        }
    }
    let name = node.name.clone().or_else(|| {
        // A lifetime parameter is its own name.
        (family == Family::Lifetime).then(|| {
            let token = tree.tokens_in(&node.range).first();
            token.map_or(node.range.clone(), |token| token.range())
        })
    })?;
    Some((&source[name], family))
}

/// The names that have to stay: what the language or something outside calls by them.
fn fixed<'s>(
    subject: &'s Subject,
    mentions: &BTreeMap<&'s str, Vec<(FileId, std::ops::Range<usize>)>>,
) -> BTreeSet<&'s str> {
    let mut fixed: BTreeSet<&str> = [
        "main", "_", "self", "Self", "super", "crate", "'static", "'_",
    ]
    .into();
    for (_, version, tree) in subject.sources() {
        let source = version.source();
        for (_, node) in tree.nodes() {
            if node.kind == Kind::Attribute {
                fixed.extend(tree.identifiers(source, &node.range));
            }
        }
        for token in tree.tokens() {
            if token.kind == TokenKind::Literal {
                let text = &source[token.range()];
                let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                fixed.extend(words.filter(|word| mentions.contains_key(word)));
            }
        }
        // `std::…::name`: what stands on a path from another crate is that crate's.
        let tokens = tree.tokens();
        let mut foreign = false;
        for (at, token) in tokens.iter().enumerate() {
            let word = &source[token.range()];
            let before = at.checked_sub(1).map(|at| &source[tokens[at].range()]);
            match (word, before) {
                ("std" | "core" | "alloc", _) => foreign = true,
                ("::" | "{" | ",", _) if foreign => {}
                (_, Some("::" | "{" | ",")) if foreign => {
                    fixed.insert(word);
                }
                _ => foreign = false,
            }
        }
    }
    fixed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn renamed(source: &str) -> String {
        let subject = Subject::new([(PathBuf::from("a.rs"), source.as_bytes().to_vec())]);
        let list = names(&subject, &[]);
        assert!(list.iter().all(|element| element.saves == 0));
        let renamed = subject.without(&list);
        renamed.file(FileId(0)).source().to_string()
    }

    #[test]
    fn names_become_those_of_an_example() {
        assert_eq!(
            renamed(
                "trait Shape<'life, Unit> { fn area(&'life self, scale: Unit) -> Unit; } struct Circle { radius: u8 } fn main() { let circle = Circle { radius: 1 }; circle.area(2); }"
            ),
            "trait A<'a, B> { fn f(&'a self, x: B) -> B; } struct C { y: u8 } fn main() { let z = C { y: 1 }; z.f(2); }"
        );
    }

    #[test]
    fn names_that_others_know_stay() {
        let source = "use std::fmt::{Display, Debug}; #[derive(Tracing)] struct Tracing; impl Iterator for A { type Item = u8; fn next(&mut self) {} } macro_rules! shown { ($value:expr) => { \"shown\" } } fn x() {}";
        assert_eq!(renamed(source), source);
    }

    #[test]
    fn a_name_that_is_taken_is_not_given_again() {
        assert_eq!(
            renamed("struct A; struct Other; fn f(f: Other, value: u8) {}"),
            "struct A; struct B; fn f(f: B, x: u8) {}"
        );
    }
}
