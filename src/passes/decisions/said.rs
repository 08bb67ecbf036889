//! The branch that says what the failure says: where code runs behind the one that decided – an error is made, and gets its
//! context on the way out –, its words tell which it was.

use std::collections::{BTreeSet, HashMap};

use super::{conditions, known_to_run};
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, NodeId, Origin, Tree};

/// Shorter words are everywhere.
const LETTERS: usize = 4;

/// What a branch has in it that leaves.
const LEAVES: [&str; 6] = ["Err", "bail", "fail", "panic", "return", "unreachable"];

/// Words of most errors.
const COMMON: [&str; 4] = ["Error", "None", "Some", "error"];

/// What the name of a variant or a type counts: others are words of many messages.
const NAME: usize = 4;

/// The branch that ran, leaves, and has most of the words of `message` in it; of several, `last` if it is one of them, else the one
/// that was entered last. `last` if there is none.
pub(super) fn branch_that_says(
    subject: &Subject,
    ran: &Ran,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
    message: &str,
    last: Option<(FileId, NodeId)>,
) -> Option<(FileId, NodeId)> {
    let wanted: BTreeSet<&str> = words(message).collect();
    let score = |said: &BTreeSet<&str>| -> usize {
        let shared = wanted.intersection(said);
        let weights = shared.map(|word| match word.starts_with(char::is_uppercase) {
            true => NAME,
            false => 1,
        });
        weights.sum()
    };
    let of_last = last.and_then(|at| {
        let version = subject.file(at.0);
        Some((score(&said(version.source(), version.tree()?, at.1)), at))
    });
    let mut best = of_last;
    for origin in ran.last.iter().rev() {
        let at = places.get(origin).into_iter().flatten();
        for (file, id) in at.copied() {
            let version = subject.file(file);
            let Some(tree) = version.tree() else { continue };
            if conditions(tree, id).is_empty()
                || known_to_run(subject, ran, file, tree, id) != Some(true)
            {
                continue;
            }
            let said = said(version.source(), tree, id);
            let leaves = LEAVES.iter().any(|word| said.contains(word));
            let score = score(&said);
            if leaves && score > best.map_or(0, |(most, _)| most) {
                best = Some((score, (file, id)));
            }
        }
    }
    best.map(|(_, at)| at)
}

/// The names in `id`, and the words of its literals.
fn said<'s>(source: &'s str, tree: &Tree, id: NodeId) -> BTreeSet<&'s str> {
    let tokens = tree.tokens_in(&tree.node(id).range).iter();
    let texts = tokens.map(|token| (token.kind, &source[token.range()]));
    texts
        .flat_map(|(kind, text)| match kind {
            TokenKind::Ident => vec![text],
            TokenKind::Literal => words(text).collect(),
            _ => Vec::new(),
        })
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.len() >= LETTERS && !COMMON.contains(word))
}
