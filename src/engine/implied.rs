//! What a refusal implies. A program that compiles and shows nothing shows nothing either when still more
//! is taken from it: removing is taken to be monotone where no error can have hidden the failure. Knows
//! neither passes nor elements.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::property::{Stage, Verdict};
use crate::subject::Subject;
use crate::syntax::{ExprKind, Kind, NodeId, PatKind, StmtKind, Tree};

/// Above this many tokens looking costs more than it saves.
const TOO_LARGE: usize = 20_000;

/// Candidates that were refused.
#[derive(Debug, Default)]
pub struct Implied {
    /// Word by word, of those that compile and show nothing, made from the present best: in a later one,
    /// the failure may need something else.
    idle: Vec<Vec<u64>>,
    /// All of them, whatever the white space in them.
    refused: HashSet<u64>,
}

impl Implied {
    /// Whether `candidate` need not be run: its tokens are those of one that was refused, or what does
    /// something in it is less than there is in one that compiles and shows nothing.
    pub fn refuses(&self, candidate: &Subject) -> bool {
        if candidate.tokens() > TOO_LARGE {
            return false;
        }
        if self.refused.contains(&digest(&words(candidate, false))) {
            return true;
        }
        let active = words(candidate, true);
        self.idle.iter().any(|idle| is_within(&active, idle))
    }

    /// Takes note of the verdict on `candidate`.
    pub fn learn(&mut self, candidate: &Subject, verdict: &Verdict) {
        if *verdict == Verdict::Interesting {
            self.idle.clear();
        } else if candidate.tokens() <= TOO_LARGE {
            let words = words(candidate, false);
            self.refused.insert(digest(&words));
            if *verdict == Verdict::Uninteresting(Stage::Run) {
                self.idle.push(words);
            }
        }
    }
}

/// The tokens of all files, as hashes of what they say and where they stood originally, so that one of
/// many that say the same is not taken for another; if `active`, without the statements that do nothing.
fn words(subject: &Subject, active: bool) -> Vec<u64> {
    let mut words = Vec::new();
    for (_, file, tree) in subject.sources() {
        let source = file.source();
        let idle: Vec<_> = tree
            .nodes()
            .filter(|(id, _)| active && does_nothing(source, tree, *id))
            .map(|(_, node)| node.range.clone())
            .collect();
        // What was put in stands nowhere originally: it is known by what stands in front of it.
        let mut last = None;
        for token in tree.tokens() {
            let range = token.range();
            last = file
                .text()
                .and_then(|text| text.origin(range.start))
                .or(last);
            let holds = |idle: &Range<usize>| idle.start <= range.start && range.end <= idle.end;
            if !idle.iter().any(holds) {
                words.push(digest(&(&source[range.clone()], last)));
            }
        }
    }
    words
}

/// Whether `id` is a statement that only gives a name to a plain value, or drops it.
fn does_nothing(source: &str, tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    let children = || node.children.iter().map(|child| tree.node(*child));
    let value = match node.kind {
        Kind::Stmt(StmtKind::Expr) if source[node.range.clone()].ends_with(';') => {
            node.children.first().copied()
        }
        Kind::Stmt(StmtKind::Let) => {
            let plain = children().all(|child| {
                matches!(
                    child.kind,
                    Kind::Pat(PatKind::Ident | PatKind::Wild) | Kind::Init
                )
            });
            let init = node
                .children
                .iter()
                .find(|child| tree.node(**child).kind == Kind::Init);
            init.filter(|_| plain)
                .and_then(|init| tree.node(*init).children.first().copied())
        }
        _ => None,
    };
    value.is_some_and(|value| {
        let value = tree.node(value);
        match value.kind {
            // A path is more: it may name a generic function, which is then instantiated.
            Kind::Expr(ExprKind::Lit) => true,
            Kind::Expr(ExprKind::Tuple) => value.children.is_empty(),
            Kind::Expr(ExprKind::Macro) => &source[value.range.clone()] == "todo!()",
            _ => false,
        }
    })
}

/// Whether `part` is `whole` with some left out.
fn is_within(part: &[u64], whole: &[u64]) -> bool {
    let mut rest = whole.iter();
    part.len() <= whole.len() && part.iter().all(|word| rest.any(|other| other == word))
}

fn digest<T: Hash + ?Sized>(what: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Edit, FileId};

    const IDLE: Verdict = Verdict::Uninteresting(Stage::Run);

    fn subject(source: &str) -> Subject {
        Subject::new([("a.rs".into(), source.as_bytes().to_vec())])
    }

    /// `of` with each first text replaced by the second.
    fn with(of: &Subject, changes: &[(&str, &str)]) -> Subject {
        let file = of.file(FileId(0));
        let edits = changes.iter().map(|(old, new)| {
            let start = file.source().find(old).expect("it is there");
            Edit::replace(FileId(0), start..start + old.len(), *new)
        });
        let text = file.text().expect("it is text");
        of.with_text(FileId(0), text.apply(&edits.collect::<Vec<_>>()))
    }

    #[test]
    fn less_than_what_compiles_and_shows_nothing_is_refused() {
        let best = subject("fn f() { g(); } fn g() {}");
        let mut implied = Implied::default();
        implied.learn(&with(&best, &[("g(); ", "")]), &IDLE);
        assert!(implied.refuses(&with(&best, &[("fn f() { g(); }", "")])));
        assert!(!implied.refuses(&with(&best, &[(" fn g() {}", "")])));
    }

    #[test]
    fn what_does_not_compile_is_refused_alone_whatever_its_white_space() {
        let best = subject("fn f() { g(); } fn g() {}");
        let mut implied = Implied::default();
        let broken = Verdict::Uninteresting(Stage::Compile);
        implied.learn(&with(&best, &[(" fn g() {}", "")]), &broken);
        assert!(implied.refuses(&with(&best, &[(" fn g() {}", "\n")])));
        let less = [("g();", ""), (" fn g() {}", "")];
        assert!(!implied.refuses(&with(&best, &less)));
    }

    #[test]
    fn statements_that_do_nothing_are_no_more_than_none() {
        let best = subject("fn f(b: u8) { let y = g(b); }");
        let with = |statement| with(&best, &[("let y = g(b);", statement)]);
        let mut implied = Implied::default();
        implied.learn(&with(""), &IDLE);
        for nothing in ["let x = 0;", "let _ = 0;", "();", "let x = todo!();"] {
            assert!(implied.refuses(&with(nothing)), "{nothing}");
        }
        for something in [
            "let x: u8 = 0;",
            "let x = g();",
            "b;",
            "0",
            "let (x, y) = 0;",
        ] {
            assert!(!implied.refuses(&with(something)), "{something}");
        }
    }

    #[test]
    fn of_two_that_say_the_same_one_is_not_taken_for_the_other() {
        let best = subject("fn f() { g(); } fn h() { g(); }");
        let mut implied = Implied::default();
        implied.learn(&with(&best, &[("f() { g(); }", "f() {}")]), &IDLE);
        assert!(!implied.refuses(&with(&best, &[("fn h() { g(); }", "")])));
    }

    #[test]
    fn once_something_has_gone_less_is_tried_again() {
        let best = subject("fn f() {} fn g() {}");
        let less = with(&best, &[("fn f() {} fn g() {}", "")]);
        let mut implied = Implied::default();
        implied.learn(&with(&best, &[("fn f() {}", "")]), &IDLE);
        assert!(implied.refuses(&less));
        implied.learn(&with(&best, &[("fn g() {}", "")]), &Verdict::Interesting);
        assert!(!implied.refuses(&less));
    }
}
