//! What a test is run on, made shorter: its numbers, which say how often or how much, by halves; its string literals, in pieces that
//! look as if they belonged together and then by characters. Less input makes less code run, which then goes in a sweep.
//!
//! Equal literals often name the same thing: what is put in under a name is asked for by it. Without one of the two a test
//! fails as well, but for a reason of its own. So they get shorter together first, and what the failing assertion names gets
//! shorter in no other way. What it says alone stays: `assert!(valid("1.2"))` fails for `""`, too, and rightly so.

mod pieces;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use self::pieces::{DEPTHS, parts};
use super::assertions::{Stretch, original};
use super::literals::literals_in;
use super::strings::characters;
use super::{Pass, expected, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, NodeId, Origin, StmtKind};

/// What numbers are divided by, a round each.
const DIVISORS: [u64; 3] = [256, 16, 2];

/// A number below this one says what is meant more often than how much.
const LEAST_NUMBER: u64 = 16;

/// Rounds for literals that change together, and as many for single ones.
const ROUNDS: usize = DEPTHS + 1;

/// The string literals in the functions of these names, and in the functions that stood beside them, each with those in its
/// file that are equal to it: what stands at depth 0 of their brackets in the first round, and so on, then each character; then
/// the same of each alone.
pub struct Inputs {
    tests: Vec<String>,
    message: String,
    place: Option<Origin>,
    numbers: bool,
    /// Where the functions stood.
    own: Vec<Stretch>,
}

/// Where equal string literals stand in a file.
#[derive(Debug, Default)]
struct Equal {
    /// In the tests and beside them.
    own: Vec<Range<usize>>,
    /// In the whole file.
    all: Vec<Range<usize>>,
}

impl Inputs {
    /// Those of the functions `tests` of `subject`, apart from literals that the failure's `message` tells. `place` is where the
    /// test fails.
    pub fn of(subject: &Subject, tests: &[String], message: &str, place: Option<Origin>) -> Inputs {
        let own = beside(tests, subject).into_iter();
        let own = own.filter_map(|one| original(subject, one.file, &one.range));
        Inputs {
            tests: tests.to_vec(),
            message: message.to_string(),
            place,
            numbers: true,
            own: own.collect(),
        }
    }

    /// The same with all numbers as they are.
    pub fn without_numbers(self) -> Inputs {
        Inputs {
            numbers: false,
            ..self
        }
    }

    /// The functions that are tests, or stand beside one as they did from the beginning: once all is in one module, the code under
    /// test stands there, too.
    fn functions(&self, subject: &Subject) -> Vec<(FileId, Range<usize>)> {
        let mut found = beside(&self.tests, subject);
        found.retain(|function| {
            let text = subject.file(function.file).text();
            let first = text.and_then(|text| text.originals(function.range.clone()).next());
            let stood = |(origin, _)| self.own.iter().any(|own| own.holds(origin));
            // A test that a macro made stood nowhere.
            function.is_test || first.is_some_and(stood)
        });
        let places = found.into_iter();
        places.map(|found| (found.file, found.range)).collect()
    }

    /// The string literals that may get shorter, equal ones as one, in the order of the first of each.
    fn literals(&self, subject: &Subject) -> Vec<(FileId, Equal)> {
        let mut found: Vec<(FileId, Equal)> = Vec::new();
        let mut places: HashMap<(FileId, &str), usize> = HashMap::new();
        let functions = self.functions(subject);
        for (file, function) in &functions {
            let source = subject.file(*file).source();
            for range in literals_in(subject, *file, function) {
                if !self.may_change(&source[range.clone()]) {
                    continue;
                }
                let place = places.entry((*file, &source[range.clone()]));
                let at = *place.or_insert_with(|| {
                    found.push((*file, Equal::default()));
                    found.len() - 1
                });
                found[at].1.own.push(range);
            }
        }
        for (file, version, _) in subject.sources() {
            let source = version.source();
            for range in literals_in(subject, file, &(0..source.len())) {
                if let Some(at) = places.get(&(file, &source[range.clone()])) {
                    found[*at].1.all.push(range);
                }
            }
        }
        found
    }

    /// Where the literals stood that are in lists in the tests and beside them.
    pub fn listed(&self, subject: &Subject) -> Vec<Stretch> {
        let mut found = Vec::new();
        for (file, function) in self.functions(subject) {
            let version = subject.file(file);
            let tokens = version.tree().map(|tree| tree.tokens_in(&function));
            let mut lists = 0;
            for token in tokens.unwrap_or_default() {
                match &version.source()[token.range()] {
                    "[" => lists += 1,
                    "]" => lists -= 1,
                    _ if lists > 0 && token.kind == TokenKind::Literal => {
                        found.extend(original(subject, file, &token.range()));
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// The large numbers in the tests and beside them, divided by `divisor`.
    pub fn divided(&self, subject: &Subject, divisor: u64) -> Elements {
        self.numbers(subject, |value| (value >= divisor).then(|| value / divisor))
    }

    /// The large numbers in the tests and beside them, so many times as large.
    pub fn multiplied(&self, subject: &Subject, factor: u64) -> Elements {
        self.numbers(subject, |value| value.checked_mul(factor))
    }

    /// The large numbers in the tests and beside them, apart from those that the failure's message tells, after a `change`.
    fn numbers(&self, subject: &Subject, change: impl Fn(u64) -> Option<u64>) -> Elements {
        let expecting = self.expecting(subject);
        let mut list = Vec::new();
        for (file, function) in self.functions(subject) {
            let source = subject.file(file).source();
            for range in literals_in(subject, file, &function) {
                let text = &source[range.clone()];
                let is_digit = |at: char| at.is_ascii_digit() || at == '_';
                let suffix = text.trim_start_matches(is_digit);
                let digits = text[..text.len() - suffix.len()].replace('_', "");
                let is_whole = suffix.is_empty() || suffix.starts_with(['u', 'i']);
                let value = digits.parse::<u64>().ok().filter(|_| is_whole);
                let value = value.filter(|value| *value >= LEAST_NUMBER);
                let Some(value) = value.and_then(&change) else {
                    continue;
                };
                if !self.message.contains(&digits) && !is_in(&expecting, file, &range) {
                    let edit = Edit::replace(file, range, format!("{value}{suffix}"));
                    list.push(Element::new(subject, Kind::Token, vec![edit]));
                }
            }
        }
        list
    }

    /// Whether the literal `text` is a string that is not empty and that the failure's message does not tell.
    fn may_change(&self, text: &str) -> bool {
        let characters = characters(text);
        match (characters.first(), characters.last()) {
            (Some(first), Some(last)) => !self.message.contains(&text[first.start..last.end]),
            _ => false,
        }
    }

    /// Where the failing assertion says what it expects of what: with other inputs it would expect something else.
    fn expecting(&self, subject: &Subject) -> Vec<(FileId, Range<usize>)> {
        let functions = self.functions(subject);
        let is_own = |(file, range): &(FileId, Range<usize>)| {
            functions.iter().any(|(other, function)| {
                other == file && function.start <= range.start && range.end <= function.end
            })
        };
        let failing = self.failing(subject).into_iter().filter(is_own);
        failing
            .flat_map(|(file, range)| expected::places(subject, file, &range))
            .collect()
    }

    /// The statement that fails; of what a macro made, those that may be the one.
    fn failing(&self, subject: &Subject) -> Vec<(FileId, Range<usize>)> {
        let places = self.place.map(|place| subject.standing_for(place));
        let mut found = Vec::new();
        for (file, range) in places.into_iter().flatten() {
            let Some(tree) = subject.file(file).tree() else {
                continue;
            };
            let asserting = tree.nodes().filter(|(_, node)| {
                node.kind == Kind::Stmt(StmtKind::Macro)
                    && range.start <= node.range.start
                    && node.range.end <= range.end
            });
            let before = found.len();
            found.extend(asserting.map(|(_, node)| (file, node.range.clone())));
            if found.len() > before {
                continue;
            }
            let innermost = tree.innermost(&range).into_iter();
            let mut around = innermost.flat_map(|id| std::iter::once(id).chain(tree.ancestors(id)));
            let statement = around.find(|outer| matches!(tree.node(*outer).kind, Kind::Stmt(_)));
            found.extend(statement.map(|id| (file, tree.node(id).range.clone())));
        }
        found
    }
}

/// A function that is a test, or stands beside one.
struct Function {
    file: FileId,
    range: Range<usize>,
    is_test: bool,
}

/// The functions of `subject` that are one of `tests` or stand beside one.
fn beside(tests: &[String], subject: &Subject) -> Vec<Function> {
    let is_function = |node: &Node| node.kind == Kind::Item(ItemKind::Fn);
    let functions: Vec<_> = nodes(subject, |_, _, node| is_function(node)).collect();
    let is_test = |file: FileId, node: &Node| {
        let source = subject.file(file).source();
        let name = node.name.clone().map(|name| &source[name]);
        name.is_some_and(|name| tests.iter().any(|test| test == name))
    };
    let around: BTreeSet<(FileId, Option<NodeId>)> = functions
        .iter()
        .filter(|(file, _, _, node)| is_test(*file, node))
        .map(|(file, _, _, node)| (*file, node.parent))
        .collect();
    let own = functions
        .iter()
        .filter(|(file, _, _, node)| around.contains(&(*file, node.parent)));
    own.map(|(file, _, _, node)| Function {
        file: *file,
        range: node.range.clone(),
        is_test: is_test(*file, node),
    })
    .collect()
}

impl Pass for Inputs {
    fn name(&self) -> &'static str {
        "inputs"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if let Some(divisor) = DIVISORS.get(round) {
            return Some(match self.numbers {
                true => self.divided(subject, *divisor),
                false => Vec::new(),
            });
        }
        let round = round - DIVISORS.len();
        if round >= 2 * ROUNDS {
            return None;
        }
        let failing = self.failing(subject);
        let expecting = self.expecting(subject);
        let mut list = Vec::new();
        for (file, equal) in self.literals(subject) {
            let together = round < ROUNDS;
            let is_any = |places: &[_]| equal.all.iter().any(|at| is_in(places, file, at));
            let alone = equal.all.len() > 1 && !is_any(&failing) && !is_any(&expecting);
            let groups: Vec<&[Range<usize>]> = match together {
                true if equal.all.len() == 1 && is_any(&expecting) => Vec::new(),
                true => vec![&equal.all],
                false if alone => equal.own.chunks(1).collect(),
                false => Vec::new(),
            };
            let source = subject.file(file).source();
            for places in groups {
                let Some(first) = places.first() else {
                    continue;
                };
                let parts = parts(&source[first.clone()], round % ROUNDS);
                list.extend(parts.iter().map(|part| without(file, places, part)));
            }
        }
        Some(list)
    }
}

/// Whether `range` of `file` begins in one of `places`.
fn is_in(places: &[(FileId, Range<usize>)], file: FileId, range: &Range<usize>) -> bool {
    let mut places = places.iter();
    places.any(|(other, place)| *other == file && place.contains(&range.start))
}

/// The element that takes `part` of it from each of the equal literals at `places`.
fn without(file: FileId, places: &[Range<usize>], part: &[Range<usize>]) -> Element {
    let edits = places.iter().flat_map(|place| {
        let shifted = part
            .iter()
            .map(|at| place.start + at.start..place.start + at.end);
        shifted.map(|at| Edit::within(file, at))
    });
    Element {
        kind: Kind::Token,
        edits: edits.collect(),
        drops: Vec::new(),
        saves: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::{DEPTHS, DIVISORS, Inputs, ROUNDS};
    use crate::passes::Pass;
    use crate::subject::{Element, Subject};
    use crate::syntax::{FileId, Kind, Origin};

    /// The literals of `text`, a test `t` that fails at `#`, that get shorter.
    fn shortened(text: &str) -> Vec<String> {
        let at = text.find('#').expect("a place");
        let source = text.replacen('#', "", 1);
        let subject = Subject::new([("t.rs".into(), source.as_bytes().to_vec())]);
        let place = Origin {
            file: FileId(0),
            offset: at as u32,
        };
        let inputs = Inputs::of(&subject, &["t".into()], "", Some(place));
        let mut found = std::collections::BTreeSet::new();
        let mut round = 0;
        while let Some(list) = inputs.list(&subject, round) {
            let tokens = |text: &str| -> Vec<String> {
                let tokens = crate::syntax::lexer::tokens(text);
                tokens
                    .iter()
                    .map(|token| text[token.range()].to_string())
                    .collect()
            };
            for element in &list {
                let left = subject.without([element]);
                let (new, old) = (tokens(left.file(FileId(0)).source()), tokens(&source));
                found.extend(
                    old.into_iter()
                        .zip(new)
                        .filter(|(old, new)| old != new)
                        .map(|(old, _)| old),
                );
            }
            round += 1;
        }
        found.into_iter().collect()
    }

    #[test]
    fn what_the_failing_assertion_says_alone_stays() {
        for (assertion, shorter) in [
            // It fails by itself: so do other inputs, rightly.
            (
                "let a = f(\"ab\"); let b = \"cd\"; g(\"ef\"); #assert!(h(&a, \"gh\", 99), \"ij\");",
                &["\"cd\"", "\"ef\""][..],
            ),
            // The message tells what came out.
            (
                "let a = f(\"ab\"); #assert_eq!(h(a, \"gh\"), Some(99));",
                &["\"ab\""],
            ),
            (
                "let a = f(\"ab\"); #assert!(h(a, \"gh\") == 99u64);",
                &["\"ab\""],
            ),
            (
                "let a = f(\"ab\"); #assert!(a.parse::<u8>().is_ok() && !i(\"gh\"));",
                &[],
            ),
            // Both sides follow their inputs.
            (
                "let a = f(\"ab\"); #assert_eq!(h(a, \"gh\"), i(a));",
                &["\"ab\"", "\"gh\""],
            ),
            (
                "let a = f(\"ab\"); #assert!(h(a, \"gh\") <= i(a), \"kl {}\", 3);",
                &["\"ab\"", "\"gh\"", "\"kl {}\""],
            ),
            // What is put in is asked for.
            ("f(\"ab\"); #assert!(h(\"ab\"));", &["\"ab\""]),
            // No assertion, no expectation.
            (
                "let a = f(\"ab\"); #h(a, \"gh\").unwrap();",
                &["\"ab\"", "\"gh\""],
            ),
        ] {
            assert_eq!(
                shortened(&format!("fn t() {{ {assertion} }}")),
                shorter,
                "{assertion}"
            );
        }
    }

    #[test]
    fn what_is_listed_is_known_by_where_it_stood() {
        let text = "fn t() { f(1, &[(2, \"a\"), b], vec![3; 4][5]); } mod m { fn g() { [6] } }";
        let subject = Subject::new([("t.rs".into(), text.as_bytes().to_vec())]);
        let first = Element::cut(&subject, Kind::Token, FileId(0), 11..14);
        let shorter = subject.without([&first]);
        let listed = Inputs::of(&subject, &["t".into()], "", None).listed(&shorter);
        let listed = listed.into_iter().map(|stretch| {
            let range = stretch.range.start as usize..stretch.range.end as usize;
            &text[range]
        });
        let listed: Vec<&str> = listed.collect();
        assert_eq!(listed, ["2", "\"a\"", "3", "4", "5"]);
    }

    #[test]
    fn large_numbers_in_the_tests_get_smaller() {
        let source = "fn t() { for i in 0..60_000u32 { f(i, 0x1000, 1.5, 7, 40) } } mod m { fn g() { h(90) } }";
        let subject = Subject::new([("t.rs".into(), source.as_bytes().to_vec())]);
        let inputs = Inputs::of(&subject, &["t".into()], "there are 40", None);
        let left = |round: usize| -> Vec<String> {
            let list = inputs.list(&subject, round).expect("a round");
            let left = list.iter().map(|one| subject.without([one]));
            left.map(|left| left.file(FileId(0)).source().to_string())
                .collect()
        };
        assert_eq!(left(0), [source.replace("60_000u32", "234u32")]);
        assert_eq!(left(2), [source.replace("60_000u32", "30000u32")]);
        assert!(left(3).is_empty());
        let larger = subject.without(&inputs.multiplied(&subject, 4));
        let larger = larger.file(FileId(0)).source();
        assert_eq!(larger, source.replace("60_000u32", "240000u32"));
        let kept = inputs.without_numbers().list(&subject, 0);
        assert!(kept.is_some_and(|list| list.is_empty()));
    }

    #[test]
    fn inputs_of_a_test_and_its_helpers_get_shorter_and_stay_in_one_piece() {
        let text = r##"fn help() { f("abc"); } mod lib { fn f(a: &str) { g("no"); } } #[test] fn t() { help(); f("de"); g("told"); g(r#"told"#); g(b"told"); }"##;
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let list = Inputs::of(&subject, &["t".to_string()], "told", None)
            .list(&subject, DIVISORS.len() + DEPTHS)
            .expect("a round");
        assert_eq!(list.len(), 5);
        let left = subject.without([&list[1], &list[4]]);
        let expected = text.replace("abc", "ac").replace("de", "d");
        assert_eq!(left.file(FileId(0)).source(), expected);
    }

    /// What is left of `text` without each of the elements of `round`, where the test `t` fails at `failing`.
    fn lists(text: &str, failing: &str, round: usize) -> Vec<String> {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        lists_failing_at(&subject, at(text, failing), round)
    }

    fn at(text: &str, part: &str) -> Origin {
        let offset = text.find(part).expect("it is there");
        Origin {
            file: FileId(0),
            offset: u32::try_from(offset).expect("it is short"),
        }
    }

    fn lists_failing_at(subject: &Subject, place: Origin, round: usize) -> Vec<String> {
        let inputs = Inputs::of(subject, &["t".to_string()], "", Some(place));
        let list = inputs
            .list(subject, DIVISORS.len() + round)
            .unwrap_or_default();
        let left = list.iter().map(|element| subject.without([element]));
        left.map(|left| left.file(FileId(0)).source().to_string())
            .collect()
    }

    /// The literals that get shorter in `text`, where only `before` was there from the beginning.
    fn shortened_since(before: &str, text: &str) -> Vec<String> {
        let subject = |text: &str| Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let inputs = Inputs::of(&subject(before), &["t".into()], "", None);
        let whole = subject(text);
        let list = inputs.list(&whole, DIVISORS.len()).expect("a round");
        let literals = list.iter().flat_map(|element| &element.edits);
        literals
            .map(|edit| text[edit.range.clone()].to_string())
            .collect()
    }

    #[test]
    fn what_has_come_to_stand_beside_the_test_is_no_input() {
        let test = r#"fn help() { f("ef") } fn t() { f("ab"); }"#;
        let joined = format!(r#"{test} fn f(_: &str) {{ g("cd"); }}"#);
        assert_eq!(shortened_since(test, &joined), ["ef", "ab"]);
        let made = r#"fn t() { f("ab"); } fn f(_: &str) { g("cd"); }"#;
        assert_eq!(shortened_since("m! { t }", made), ["ab"]);
    }

    #[test]
    fn an_assertion_that_a_macro_made_is_the_one_that_fails_where_the_macro_was_called() {
        let text = r#"fn t() { f("ab"); { g("c"); assert_eq!(h("de"), "fg"); } }"#;
        let made = r#"{ g("c"); assert_eq!(h("de"), "fg"); }"#;
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let call = Origin {
            file: FileId(0),
            offset: 5000,
        };
        let unknown = lists_failing_at(&subject, call, 0);
        let subject = subject.counting(at(text, made), made.len(), call);
        let known = lists_failing_at(&subject, call, 0);
        assert_eq!(known, lists(text, "assert_eq!", 0));
        assert_ne!(known, unknown);
    }

    #[test]
    fn equal_literals_get_shorter_together() {
        let text = r#"const B: &str = "b"; fn t() { add("b", "x"); assert!(has("b")); }"#;
        for round in [0, DEPTHS] {
            assert_eq!(
                lists(text, "assert!", round),
                [text.replace("\"b\"", "\"\""), text.replace("\"x\"", "\"\"")]
            );
        }
    }

    #[test]
    fn what_the_failing_assertion_names_gets_shorter_nowhere_alone() {
        let text = r#"fn t() { add("b"); put("x"); look("x"); assert!(has("b")); }"#;
        assert_eq!(
            lists(text, "assert!", ROUNDS),
            [
                text.replace("put(\"x\")", "put(\"\")"),
                text.replace("look(\"x\")", "look(\"\")")
            ]
        );
        // Where it is another statement that fails, both are like any others.
        assert_eq!(lists(text, "look", ROUNDS).len(), 2);
        assert_eq!(lists(text, "put", ROUNDS + DEPTHS).len(), 2);
    }
}
