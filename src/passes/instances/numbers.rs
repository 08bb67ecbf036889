//! Types of numbers that stand for each other: where a parameter stood for two of them, one may do.

use std::collections::{BTreeMap, BTreeSet};

use super::super::query::{At, all, is_impl, is_type, trait_of};
use super::Instances;
use crate::subject::{Element, Subject};
use crate::syntax::lexer::{self, TokenKind};
use crate::syntax::{Edit, Kind, TypeKind};

/// The types of numbers; of two, the later one holds more of what the other does.
const NUMBERS: [&str; 14] = [
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "isize", "usize", "i128", "u128", "f32",
    "f64",
];

/// A type, and the one that may do for it.
type Pair = (&'static str, &'static str);

impl Instances<'_> {
    /// Types of numbers without which parameters would have stood for one type alone, by what was `told`: each with the one that
    /// takes its place, those of most parameters first.
    pub fn numbers_too_many(&self, told: &[(u32, String)]) -> Vec<Pair> {
        let mut types: BTreeMap<_, BTreeSet<&str>> = BTreeMap::new();
        for (number, name) in told {
            if let Some(question) = self.questions.get(*number as usize) {
                types.entry(&question.made).or_default().insert(name);
            }
        }
        let mut votes: BTreeMap<Pair, usize> = BTreeMap::new();
        for names in types.values().filter(|names| names.len() > 1) {
            let mentioned: BTreeSet<usize> = names
                .iter()
                .flat_map(|name| words(name))
                .filter_map(number)
                .collect();
            for (from, to) in pairs(&mentioned) {
                let alike: BTreeSet<String> =
                    names.iter().map(|name| renamed(name, from, to)).collect();
                if alike.len() == 1 {
                    *votes.entry((NUMBERS[from], NUMBERS[to])).or_default() += 1;
                }
            }
        }
        let mut found: Vec<(Pair, usize)> = votes.into_iter().collect();
        found.sort_by_key(|(_, votes)| std::cmp::Reverse(*votes));
        found.into_iter().map(|(pair, _)| pair).collect()
    }
}

/// What puts one type of numbers in the place of another everywhere: two impls of one trait would be for the same type then, and
/// one of them goes.
pub fn one_number_for_another(subject: &Subject, (from, to): (&str, &str)) -> Element {
    let mut edits = Vec::new();
    let impls = all(subject, is_impl);
    let of = |at: &At, ty: &str| at.child(is_type).is_some_and(|own| own.text() == ty);
    let there: BTreeSet<_> = impls
        .iter()
        .filter(|at| of(at, to))
        .filter_map(|at| trait_of(*at))
        .collect();
    let twice = impls.iter().filter(|at| of(at, from));
    let twice = twice.filter(|at| trait_of(**at).is_some_and(|name| there.contains(name)));
    edits.extend(twice.map(|at| at.cut()));
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        for token in tree.tokens() {
            let range = token.range();
            let word = &source[range.clone()];
            let is_suffix = token.kind == TokenKind::Literal
                && word.starts_with(|c: char| c.is_ascii_digit())
                && word.ends_with(from);
            if token.kind == TokenKind::Ident && word == from || is_suffix {
                let text = format!("{}{to}", &word[..word.len() - from.len()]);
                edits.push(Edit::replace(file, range, text));
            }
        }
    }
    Element::new(subject, Kind::Type(TypeKind::Path), edits)
}

fn number(word: &str) -> Option<usize> {
    NUMBERS.iter().position(|name| *name == word)
}

/// Any two of them, the smaller one first; then the other way round.
fn pairs(mentioned: &BTreeSet<usize>) -> Vec<(usize, usize)> {
    let all = mentioned.iter();
    let up = all.flat_map(|from| mentioned.range(from + 1..).map(move |to| (*from, *to)));
    let up: Vec<(usize, usize)> = up.collect();
    let down = up.iter().map(|(from, to)| (*to, *from));
    up.iter().copied().chain(down).collect()
}

fn words(name: &str) -> Vec<&str> {
    let tokens = lexer::tokens(name);
    tokens.iter().map(|token| &name[token.range()]).collect()
}

fn renamed(name: &str, from: usize, to: usize) -> String {
    let words = words(name).into_iter();
    words
        .map(|word| {
            if word == NUMBERS[from] {
                NUMBERS[to]
            } else {
                word
            }
        })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::FileId;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())]).with_roots([FileId(0)])
    }

    #[test]
    fn numbers_that_parameters_differ_in_are_too_many() {
        let subject = subject("fn f<T, U>() { g() }");
        let instances = Instances::of(&subject, |_| false);
        let told = |all: &[(u32, &str)]| -> Vec<Pair> {
            let all: Vec<(u32, String)> = all
                .iter()
                .map(|(at, name)| (*at, name.to_string()))
                .collect();
            instances.numbers_too_many(&all)
        };
        assert_eq!(
            told(&[(0, "a::S<u32>"), (0, "a::S<usize>"), (1, "u8"), (1, "bool")]),
            [("u32", "usize"), ("usize", "u32")]
        );
        assert_eq!(told(&[(0, "u32"), (1, "usize")]), []);
    }

    #[test]
    fn one_type_of_numbers_takes_the_place_of_another() {
        let subject = subject(
            "trait A {} impl A for u32 {} impl A for usize {} impl B for u32 {} fn f(x: u32) -> [u8; 2] { g(1u32, 0x2u32, x as u32) }",
        );
        let after = subject.without(&[one_number_for_another(&subject, ("u32", "usize"))]);
        assert_eq!(
            after.file(FileId(0)).source(),
            "trait A {}  impl A for usize {} impl B for usize {} fn f(x: usize) -> [u8; 2] { g(1usize, 0x2usize, x as usize) }"
        );
    }
}
