//! A test that calls the test again and again in one process: what state and timing do to each other shows sooner, and a
//! process is started once for many calls. Only what is run has it; no candidate does.

use std::path::PathBuf;

use crate::subject::Subject;
use crate::syntax::{Edit, ItemKind, Kind, Node, NodeId, Tree};

/// The name of the test that calls the other.
const NAME: &str = "cargo_reduce_repeats";

/// Which test is repeated, and how often.
#[derive(Debug, Clone)]
pub struct Repetition {
    /// The test as the harness names it.
    pub test: String,
    /// The first file of the test's crate, in the subject.
    pub root: PathBuf,
    /// Calls in one process, at least two.
    pub times: usize,
}

impl Repetition {
    /// What the harness calls the test that repeats the other.
    #[must_use]
    pub fn name(&self) -> String {
        match self.test.rsplit_once("::") {
            Some((module, _)) => format!("{module}::{NAME}"),
            None => NAME.to_owned(),
        }
    }

    /// `args` for the harness, with the name of the one in the place of the other's.
    #[must_use]
    pub fn args(&self, args: &[String]) -> Vec<String> {
        let renamed = |arg: &String| match *arg == self.test {
            true => self.name(),
            false => arg.clone(),
        };
        args.iter().map(renamed).collect()
    }

    /// `subject` with the test that repeats the other; `None` if that is not found, as a macro's may not be, or if there are
    /// several that it may be.
    #[must_use]
    pub fn within(&self, subject: &Subject) -> Option<Subject> {
        let root = subject.find(&self.root)?;
        let own = subject.clone().with_roots([root]);
        let mut path: Vec<&str> = self.test.split("::").collect();
        let name = path.pop()?;
        let mut found = Vec::new();
        for file in &own.modules().reached {
            let Some(tree) = own.file(*file).tree() else {
                continue;
            };
            let source = own.file(*file).source();
            for (id, node) in tree.nodes() {
                if node.kind == Kind::Item(ItemKind::Fn)
                    && named(node, source) == Some(name)
                    && path.ends_with(&modules(tree, id, source))
                    && is_plain_test(tree, node, source)
                {
                    found.push((*file, tree, id, node));
                }
            }
        }
        let [(file, tree, id, node)] = found[..] else {
            return None;
        };
        let text = subject.file(file).text()?;
        let call = self.call(name, node, tree, text.as_str())?;
        // In the end, so that what compile errors say of positions is right.
        let module = tree.ancestors(id).find(|outer| {
            let kind = tree.node(*outer).kind;
            kind == Kind::Item(ItemKind::Mod)
        });
        let end = module.map_or(text.as_str().len(), |module| {
            tree.node(module).range.end - 1
        });
        let edit = Edit::replace(file, end..end, call);
        Some(subject.with_text(file, text.apply([&edit])))
    }

    /// The test that calls `name`, which is `node`.
    fn call(&self, name: &str, node: &Node, tree: &Tree, source: &str) -> Option<String> {
        let mut children = node.children.iter().map(|child| tree.node(*child));
        let body = children.rfind(|child| child.kind == Kind::Body)?;
        let header = &source[node.name.as_ref()?.end..body.range.start];
        let times = self.times;
        Some(match header.split_once("->") {
            None => format!("\n#[test] fn {NAME}() {{ for _ in 0..{times} {{ {name}(); }} }}\n"),
            Some((_, returned)) => format!(
                "\n#[test] fn {NAME}() -> {} {{ for _ in 1..{times} {{ {name}()?; }} {name}() }}\n",
                returned.trim()
            ),
        })
    }
}

fn named<'s>(node: &Node, source: &'s str) -> Option<&'s str> {
    node.name.clone().map(|name| &source[name])
}

/// The modules of the same file around `id`, outermost first.
fn modules<'s>(tree: &Tree, id: NodeId, source: &'s str) -> Vec<&'s str> {
    let outer = tree.ancestors(id).map(|outer| tree.node(outer));
    let outer = outer.filter(|outer| outer.kind == Kind::Item(ItemKind::Mod));
    let mut names: Vec<&str> = outer.filter_map(|outer| named(outer, source)).collect();
    names.reverse();
    names
}

/// Whether it is a test, and fails by failing.
fn is_plain_test(tree: &Tree, node: &Node, source: &str) -> bool {
    let children = node.children.iter().map(|child| tree.node(*child));
    let attributes = children.filter(|child| child.kind == Kind::Attribute);
    let words: Vec<&str> = attributes
        .map(|found| &source[found.range.clone()])
        .collect();
    words.iter().any(|words| words.contains("test"))
        && !words.iter().any(|words| words.contains("should_panic"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::FileId;

    fn repetition(test: &str) -> Repetition {
        Repetition {
            test: test.into(),
            root: "src/lib.rs".into(),
            times: 5,
        }
    }

    fn subject(lib: &str, inner: &str) -> Subject {
        let files = [("src/lib.rs", lib), ("src/inner.rs", inner)];
        Subject::new(files.map(|(path, text)| (path.into(), text.into())))
    }

    fn source(subject: &Subject, at: u32) -> &str {
        subject.file(FileId(at)).source()
    }

    #[test]
    fn a_test_is_called_by_another_at_the_end_of_its_module() {
        let lib = "mod inner;\nmod tests { #[test] fn t() {} #[test] fn u() {} }\nfn after() {}\n";
        let with = repetition("tests::t")
            .within(&subject(lib, ""))
            .expect("it is found");
        assert_eq!(
            source(&with, 0),
            "mod inner;\nmod tests { #[test] fn t() {} #[test] fn u() {} \n\
             #[test] fn cargo_reduce_repeats() { for _ in 0..5 { t(); } }\n}\nfn after() {}\n"
        );
        assert_eq!(repetition("tests::t").name(), "tests::cargo_reduce_repeats");
    }

    #[test]
    fn a_test_that_returns_something_hands_errors_on() {
        let inner = "#[test] fn t() -> Result<(), String> { Ok(()) }\n";
        let with = repetition("inner::t").within(&subject("mod inner;\n", inner));
        let with = with.expect("it is found");
        let call =
            "fn cargo_reduce_repeats() -> Result<(), String> { for _ in 1..5 { t()?; } t() }";
        assert!(source(&with, 1).contains(call), "{}", source(&with, 1));
    }

    #[test]
    fn what_may_be_another_or_fails_by_passing_is_not_repeated() {
        let twice = "mod a { #[test] fn t() {} }\nmod b { mod a { #[test] fn t() {} } }\n";
        assert!(repetition("a::t").within(&subject(twice, "")).is_some());
        for lib in [
            "#[test] #[should_panic] fn t() {}\n",
            "fn t() {}\n",
            "tests! { t }\n",
            "mod inner;\n#[test] fn t() {}\n",
        ] {
            let subject = subject(lib, "#[test] fn t() {}\n");
            assert!(repetition("t").within(&subject).is_none(), "{lib}");
        }
    }

    #[test]
    fn the_name_changes_among_the_arguments() {
        let args = ["a::t", "--exact", "--nocapture"].map(String::from);
        assert_eq!(
            repetition("a::t").args(&args),
            ["a::cargo_reduce_repeats", "--exact", "--nocapture"]
        );
    }
}
