//! Passes that see no more than the tests themselves and what stands beside them: while the code under test is a crate of its
//! own, and whole, a trial of such an element compiles the test alone, and the less the test does the less of that code runs.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Pass, assertions, delete, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{FileId, ItemKind, Kind, Node};

/// The elements of a pass that stand beside tests, or in them.
struct AroundTests {
    pass: Box<dyn Pass>,
    tests: Vec<String>,
}

/// Those passes that make what is around the functions `tests` smaller, largest elements first.
pub fn around_tests(tests: &[String]) -> Vec<Box<dyn Pass>> {
    let passes = [delete::ITEMS, delete::STATEMENTS, delete::ELEMENTS];
    let around = passes.map(|pass| AroundTests {
        pass: Box::new(pass),
        tests: tests.to_vec(),
    });
    around
        .map(|pass| Box::new(pass) as Box<dyn Pass>)
        .into_iter()
        .collect()
}

/// The tokens of the files or modules that hold the functions `tests`.
pub fn tokens_around_tests(subject: &Subject, tests: &[String]) -> usize {
    let around = places(subject, tests).into_iter();
    let around: BTreeSet<(FileId, usize, usize)> = around
        .map(|(file, _, around)| (file, around.start, around.end))
        .collect();
    let tokens = around.into_iter().filter_map(|(file, start, end)| {
        let tree = subject.file(file).tree()?;
        Some(tree.weight(&(start..end)))
    });
    tokens.sum()
}

/// Where the functions `tests` stand, or the macro calls that make them.
pub fn tests(subject: &Subject, tests: &[String]) -> Vec<(FileId, Range<usize>)> {
    let functions = places(subject, tests);
    let found = functions.into_iter().map(|(file, test, _)| (file, test));
    let calls = tests.iter().flat_map(|test| calls_that_make(subject, test));
    found.chain(calls).collect()
}

/// Where macros are called among items with the word `name`: what makes a function of that name.
pub fn calls_that_make<'s>(
    subject: &'s Subject,
    name: &'s str,
) -> impl Iterator<Item = (FileId, Range<usize>)> + 's {
    subject.sources().flat_map(move |(file, version, tree)| {
        let is_one = |node: &&Node| assertions::may_make(tree, version.source(), node, name);
        let calls = tree.nodes().map(|(_, node)| node).filter(is_one);
        let places = calls.map(|node| (file, node.range.clone()));
        places.collect::<Vec<_>>()
    })
}

/// The functions called `tests`, and the text of the files or modules that hold them.
fn places(subject: &Subject, tests: &[String]) -> Vec<(FileId, Range<usize>, Range<usize>)> {
    let functions = nodes(subject, |_, _, node| node.kind == Kind::Item(ItemKind::Fn));
    let tests = functions.filter_map(|(file, tree, _, node)| {
        let source = subject.file(file).source();
        let name = &source[node.name.clone()?];
        let outer = node.parent.map(|outer| tree.node(outer).range.clone());
        let around = outer.unwrap_or(0..source.len());
        let is_test = tests.iter().any(|test| test == name);
        is_test.then(|| (file, node.range.clone(), around))
    });
    tests.collect()
}

impl Pass for AroundTests {
    fn name(&self) -> &'static str {
        self.pass.name()
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let places = places(subject, &self.tests);
        let is_inside = |inner: &Range<usize>, outer: &Range<usize>| {
            outer.start <= inner.start && inner.end <= outer.end
        };
        let around = |element: &Element| {
            element.edits.iter().all(|edit| {
                let mut here = places.iter().filter(|(file, ..)| *file == edit.file);
                let mut own = here.clone();
                here.any(|(_, _, around)| is_inside(&edit.range, around))
                    // Without the test itself nothing fails.
                    && !own.any(|(_, test, _)| is_inside(test, &edit.range))
            })
        };
        let list = self.pass.list(subject, round)?;
        Some(list.into_iter().filter(around).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{around_tests, tokens_around_tests};
    use crate::subject::Subject;
    use crate::syntax::FileId;

    fn lists(text: &str, pass: usize) -> Vec<String> {
        let other = "fn g() { h(); } mod tests { fn t() { g(); } }";
        let files = [("a.rs", text), ("b.rs", other)];
        let subject = Subject::new(files.map(|(path, text)| (path.into(), text.into())));
        let passes = around_tests(&["fails".to_string()]);
        let list = passes[pass].list(&subject, 0).expect("a round");
        let left = list.iter().map(|element| {
            let left = subject.without([element]);
            assert_eq!(left.file(FileId(1)).source(), other);
            left.file(FileId(0)).source().to_string()
        });
        left.collect()
    }

    #[test]
    fn what_stands_in_a_test_or_beside_it_is_an_element() {
        let text = "fn help() { a(); } #[test] fn fails() { b(); c([1, 2]); }";
        assert_eq!(lists(text, 0), [" #[test] fn fails() { b(); c([1, 2]); }"]);
        assert_eq!(
            lists(text, 1),
            [
                "fn help() {  } #[test] fn fails() { b(); c([1, 2]); }",
                "fn help() { a(); } #[test] fn fails() {  c([1, 2]); }",
                "fn help() { a(); } #[test] fn fails() { b();  }",
            ]
        );
        assert_eq!(lists(text, 2).len(), 2);
    }

    #[test]
    fn what_stands_outside_the_module_of_a_test_is_none() {
        let text = "fn help() { a(); } mod tests { fn fails() { b(); } }";
        assert_eq!(
            lists(text, 1),
            ["fn help() { a(); } mod tests { fn fails() {  } }"]
        );
    }

    #[test]
    fn what_is_around_a_test_is_its_file_or_its_module_once() {
        let text = "fn help() { a(); } mod tests { fn fails() {} fn other() {} }";
        let subject = Subject::new([("a.rs".into(), text.into())]);
        let tokens = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
            tokens_around_tests(&subject, &names)
        };
        assert_eq!(tokens(&["fails"]), 16);
        assert_eq!(tokens(&["fails", "other"]), 16);
        assert_eq!(tokens(&["help"]), 26);
        assert_eq!(tokens(&["unknown"]), 0);
    }
}
