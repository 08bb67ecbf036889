//! Doc tests as integration tests: the code taken out of the comment that it stands in, and made a file. Knows text, and
//! what rustdoc does to it; no cargo.

use std::fmt::Write as _;

use crate::syntax::{self, ItemKind, Kind};

/// The code of a doc test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocTest {
    /// The words behind the opening fence: `should_panic`, `edition2018`.
    pub tags: Vec<String>,
    /// The code, hidden lines included.
    pub code: String,
    /// It stands in a `///` comment, and so documents an item.
    pub of_item: bool,
}

impl DocTest {
    /// The doc test whose opening fence stands on `line`, counted from 1, of `source`: Rust with doc comments, or
    /// Markdown. `None` if there is no fence.
    pub fn at(source: &str, line: usize) -> Option<DocTest> {
        let mut lines = source.lines().skip(line.checked_sub(1)?);
        let first = lines.next()?;
        let marker = ["///", "//!", "*"]
            .into_iter()
            .find(|marker| first.trim_start().starts_with(marker))
            .unwrap_or_default();
        let content = |line: &'_ str| -> Option<String> {
            let line = match marker {
                "" => line,
                _ => line.trim_start().strip_prefix(marker)?,
            };
            Some(line.to_string())
        };
        let opening = content(first)?;
        let fence = opening.trim_start();
        let indent = opening.len() - fence.len();
        let mark = fence.chars().next().filter(|mark| "`~".contains(*mark))?;
        let tags = fence.trim_start_matches(mark);
        let length = fence.len() - tags.len();
        if length < 3 {
            return None;
        }
        let tags = tags.split([',', ' ', '\t']).filter(|tag| !tag.is_empty());
        let closes = |line: &str| {
            let rest = line.trim();
            rest.len() >= length && rest.chars().all(|c| c == mark)
        };
        let mut code = String::new();
        for line in lines.map_while(content).take_while(|line| !closes(line)) {
            let inside = line.len() - line.trim_start().len();
            code.push_str(&shown(&line[indent.min(inside)..]));
            code.push('\n');
        }
        Some(DocTest {
            tags: tags.map(String::from).collect(),
            code,
            of_item: marker == "///",
        })
    }

    /// The same where the comment on `line` is an attribute of `source` that includes a file: `texts` has those files' texts
    /// by the paths that are written there.
    pub fn included(
        source: &str,
        line: usize,
        texts: &dyn Fn(&str) -> Option<String>,
    ) -> Option<DocTest> {
        let attributes = source.lines().enumerate().filter_map(|(before, text)| {
            let path = text.split("include_str!(\"").nth(1)?.split('"').next()?;
            let lines = line.checked_sub(before)?;
            (text.contains("doc") && lines > 0).then_some((path, lines))
        });
        // Where other comments follow, rustdoc counts one line more.
        let found = attributes.filter_map(|(path, lines)| {
            let text = texts(path)?;
            [lines, lines - 1]
                .into_iter()
                .find_map(|line| DocTest::at(&text, line))
        });
        // The nearest before it.
        found.last()
    }

    /// The edition that it asks for.
    pub fn edition(&self) -> Option<&str> {
        self.tags.iter().find_map(|tag| tag.strip_prefix("edition"))
    }

    /// An integration test with one test function, `name`, that does what rustdoc has the code do. `library` is what the
    /// code calls the crate, if it has to be named (edition 2015).
    pub fn as_integration_test(&self, name: &str, library: Option<&str>) -> String {
        let is_top = |line: &str| {
            let line = line.trim_start();
            let line = line
                .strip_prefix("#[macro_use]")
                .unwrap_or(line)
                .trim_start();
            line.starts_with("#![") || line.starts_with("extern crate ")
        };
        let (mut text, mut body) = (String::new(), String::new());
        for line in self.code.lines() {
            let part = if is_top(line) { &mut text } else { &mut body };
            let _ = writeln!(part, "{line}");
        }
        if let Some(library) = library
            && !text.contains(&format!("extern crate {library}"))
        {
            let _ = writeln!(text, "extern crate {library};");
        }
        let panics = self.tags.iter().any(|tag| tag == "should_panic");
        let attributes = if panics {
            "#[test]\n#[should_panic]"
        } else {
            "#[test]"
        };
        let (returns, body) = match main_of(&body) {
            Some(returns) => {
                text.push_str(&body);
                (returns, "main()\n".to_string())
            }
            // What rustdoc takes for a body that uses `?`.
            None if body.trim_end().ends_with("(())") => {
                ("-> Result<(), impl std::fmt::Debug>".to_string(), body)
            }
            None => (String::new(), body),
        };
        let _ = write!(text, "{attributes}\nfn {name}() {returns} {{\n{body}}}\n");
        text
    }
}

/// A line as it is compiled: rustdoc hides what begins with `# `.
fn shown(line: &str) -> String {
    let trimmed = line.trim();
    match trimmed.strip_prefix('#') {
        Some("") => String::new(),
        Some(rest) if rest.starts_with('#') => line.replacen("##", "#", 1),
        Some(rest) if rest.starts_with(' ') => rest[1..].to_string(),
        _ => line.to_string(),
    }
}

/// What the function `main` of `code` returns, as it is written with its arrow; `None` if there is no `main`.
fn main_of(code: &str) -> Option<String> {
    let tree = syntax::parse(code);
    let root = tree.nodes().next()?.1;
    let functions = root.children.iter().map(|id| tree.node(*id));
    let main = functions
        .filter(|node| node.kind == Kind::Item(ItemKind::Fn))
        .find(|node| node.name.clone().is_some_and(|name| &code[name] == "main"))?;
    let mut children = main.children.iter().map(|id| tree.node(*id));
    let returns = children.find(|child| child.kind == Kind::ReturnType);
    Some(returns.map_or(String::new(), |found| code[found.range.clone()].to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_taken_from_comments_as_rustdoc_takes_it() {
        let source = "/// Adds.\n///\n/// ```should_panic, edition2018\n/// # use a::add;\n/// ##[derive(Debug)]\n/// struct A;\n///   #\n/// #[test]\n/// ```\n/// ```\nfn add() {}\n";
        let test = DocTest::at(source, 3).expect("a fence");
        assert_eq!(test.tags, ["should_panic", "edition2018"]);
        assert_eq!(test.edition(), Some("2018"));
        assert_eq!(
            test.code,
            "use a::add;\n#[derive(Debug)]\nstruct A;\n\n#[test]\n"
        );
        assert_eq!(DocTest::at(source, 1), None);
        assert_eq!(DocTest::at(source, 99), None);
    }

    #[test]
    fn code_in_a_list_and_in_markdown_loses_the_indentation_of_its_fence() {
        let comment = "    //! * so:\n    //!   ~~~~\n    //!   if x {\n    //!     ~~~\n    //!   }\n    //!   ~~~~\n";
        let test = DocTest::at(comment, 2).expect("a fence");
        assert_eq!(test.code, "if x {\n  ~~~\n}\n");
        let markdown = "# A\n\n```rust\nf();\n```\nmore\n";
        let test = DocTest::at(markdown, 3).expect("a fence");
        assert_eq!(
            (test.code.as_str(), &test.tags[..]),
            ("f();\n", &["rust".to_string()][..])
        );
    }

    #[test]
    fn code_in_a_file_that_a_comment_includes_is_found_there() {
        let source = "// A\n#![doc = include_str!(\"a.md\")]\n";
        let texts = |path: &str| (path == "a.md").then(|| "# A\n\n```\nf();\n```\n".to_string());
        for line in [4, 5] {
            let test = DocTest::included(source, line, &texts).expect("a fence");
            assert_eq!(test.code, "f();\n");
        }
        assert_eq!(DocTest::included(source, 9, &texts), None);
        assert_eq!(DocTest::included(source, 4, &|_| None), None);
    }

    fn made(code: &str, tags: &[&str], library: Option<&str>) -> String {
        let test = DocTest {
            tags: tags.iter().map(|tag| tag.to_string()).collect(),
            code: code.to_string(),
            of_item: false,
        };
        let text = test.as_integration_test("doc_f", library);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn code_without_a_main_becomes_the_body_of_the_test() {
        assert_eq!(
            made(
                "#![allow(unused)]\nassert!(a::f());\n",
                &["should_panic"],
                Some("a")
            ),
            "#![allow(unused)] extern crate a; #[test] #[should_panic] fn doc_f() { assert!(a::f()); }"
        );
        assert_eq!(
            made(
                "extern crate a;\na::f()?;\nOk::<(), a::E>(())\n",
                &[],
                Some("a")
            ),
            "extern crate a; #[test] fn doc_f() -> Result<(), impl std::fmt::Debug> { a::f()?; Ok::<(), a::E>(()) }"
        );
    }

    #[test]
    fn a_main_is_called() {
        assert_eq!(
            made(
                "fn main() -> Result<(), a::E> {\n    a::f()\n}\n",
                &[],
                None
            ),
            "fn main() -> Result<(), a::E> { a::f() } #[test] fn doc_f() -> Result<(), a::E> { main() }"
        );
    }
}
