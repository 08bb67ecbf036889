//! The code of tests: which functions they are, which assertions stand in them, and what of a crate is
//! test code at all. Knows syntax alone: not what ran, and not what was chosen as a guard.

use std::collections::BTreeSet;
use std::ops::Range;

use super::conditions;
use super::lets;
use crate::subject::{PROBE_CRATE as CRATE, Subject};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Origin, StmtKind, Tree};

/// A stretch of a file, in offsets of the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// The file that it stood in originally.
    pub file: FileId,
    /// Where.
    pub range: Range<u32>,
}

impl Stretch {
    /// Whether what stood at `origin` is part of it.
    pub fn holds(&self, origin: Origin) -> bool {
        self.file == origin.file && self.range.contains(&origin.offset)
    }

    /// Whether any of the `length` bytes that stood from `origin` on is part of it.
    pub fn meets(&self, origin: Origin, length: u32) -> bool {
        self.file == origin.file
            && origin.offset < self.range.end
            && self.range.start < origin.offset + length
    }
}

/// The functions that the test `name` of the harness may be: those of its last part, in modules of the names before it.
pub fn test_functions(subject: &Subject, name: &str) -> Vec<(FileId, NodeId)> {
    standing_for(subject, name, |tree, source, node, own| {
        is_named(source, node, own) && is_test(tree, source, node)
    })
}

/// Where the test `name` of the harness may stand: functions, or the macro calls with its name in them if there are none.
pub fn test_places(subject: &Subject, name: &str) -> Vec<(FileId, NodeId)> {
    let functions = test_functions(subject, name);
    if !functions.is_empty() {
        return functions;
    }
    standing_for(subject, name, may_make)
}

/// Whether `node` is a macro call among items that has the word `name` in it, and so may make a function of that name.
pub fn may_make(tree: &Tree, source: &str, node: &Node, name: &str) -> bool {
    let mut words = tree.identifiers(source, &node.range);
    node.kind == Kind::Item(ItemKind::MacroCall)
        && words.any(|word| word.trim_start_matches("r#") == name)
}

/// The nodes that `is_it` takes for the last part of the path `name`, in modules of the names before it: in all of these, or as
/// far as it is known what modules they are in if that is known of none.
fn standing_for(
    subject: &Subject,
    name: &str,
    is_it: impl Fn(&Tree, &str, &Node, &str) -> bool,
) -> Vec<(FileId, NodeId)> {
    let mut parts: Vec<&str> = name.split("::").collect();
    let own = parts.pop().unwrap_or(name);
    let mut found = Vec::new();
    for (file, version, tree) in subject.sources() {
        let source = version.source();
        for (id, node) in tree.nodes() {
            if !is_it(tree, source, node, own) {
                continue;
            }
            let modules = modules_around(subject, file, id);
            let is_named = |(at, module): &(FileId, NodeId), name: &str| {
                let version = subject.file(*at);
                let module = version.tree().map(|tree| tree.node(*module));
                module.is_some_and(|module| is_named(version.source(), module, name))
            };
            let mut pairs = modules.iter().zip(parts.iter().rev());
            if modules.len() <= parts.len() && pairs.all(|(module, name)| is_named(module, name)) {
                found.push((modules.len(), (file, id)));
            }
        }
    }
    let is_known = |(depth, _): &(usize, _)| *depth == parts.len();
    if found.iter().any(is_known) {
        found.retain(is_known);
    }
    found.into_iter().map(|(_, place)| place).collect()
}

/// The modules around the node `id` of `file`, the innermost first.
fn modules_around(subject: &Subject, file: FileId, id: NodeId) -> Vec<(FileId, NodeId)> {
    let is_module = |(file, id): &(FileId, NodeId)| {
        let tree = subject.file(*file).tree();
        tree.is_some_and(|tree| tree.node(*id).kind == Kind::Item(ItemKind::Mod))
    };
    let around = around(subject, file, id).into_iter();
    around.filter(is_module).collect()
}

/// What stands around the node `id` of `file`, the innermost first: in the file itself, and in those that have it, or one of those
/// files, for a module of their own.
fn around(subject: &Subject, file: FileId, id: NodeId) -> Vec<(FileId, NodeId)> {
    let mut found = Vec::new();
    let mut open = Some((file, id));
    // A file that is a module of itself cannot be, and would be no reason to go on for ever.
    for _ in 0..subject.files().len() + 1 {
        let Some((file, id)) = open else { break };
        let Some(tree) = subject.file(file).tree() else {
            break;
        };
        found.extend(tree.ancestors(id).map(|outer| (file, outer)));
        let mut files = subject.modules().files.iter();
        open =
            files.find_map(|(outer, inner)| (*inner == file && outer.0 != file).then_some(*outer));
        found.extend(open);
    }
    found
}

pub(super) fn is_named(source: &str, node: &Node, name: &str) -> bool {
    let range = node.name.clone();
    range.is_some_and(|range| source[range].trim_start_matches("r#") == name)
}

/// Whether `node` is a function that the harness runs.
pub fn is_test(tree: &Tree, source: &str, node: &Node) -> bool {
    let mut texts = attributes(tree, node).map(|range| &source[range]);
    node.kind == Kind::Item(ItemKind::Fn)
        && texts.any(|text| is_word(text, "test") && !is_word(text, "cfg"))
}

/// The `main` of the program whose first file is `root`.
pub fn main_function(subject: &Subject, root: FileId) -> Option<(FileId, NodeId)> {
    let (tree, source) = (subject.file(root).tree()?, subject.file(root).source());
    let is_main = |node: &Node| {
        node.kind == Kind::Item(ItemKind::Fn)
            && node
                .name
                .clone()
                .is_some_and(|name| &source[name] == "main")
    };
    let top = &tree.nodes().next()?.1.children;
    let main = top.iter().find(|id| is_main(tree.node(**id)))?;
    Some((root, *main))
}

/// The outermost item around the function `id` that is compiled for tests alone, or the whole file if
/// that is; the function itself if nothing around it is.
pub fn test_module(subject: &Subject, file: FileId, id: NodeId) -> Option<Range<usize>> {
    let tree = subject.file(file).tree()?;
    let source = subject.file(file).source();
    let text = subject.file(file).text()?;
    if is_for_tests(subject, text.origin(0)?) {
        return Some(0..source.len());
    }
    let for_tests = |id: &NodeId| says_for_tests(tree, source, tree.node(*id));
    let around = std::iter::once(id).chain(tree.ancestors(id));
    let outermost = around.filter(for_tests).last().unwrap_or(id);
    Some(tree.node(outermost).range.clone())
}

/// Where the node `id` of `file` stood originally, attributes included.
pub fn stretch(subject: &Subject, file: FileId, id: NodeId) -> Option<Stretch> {
    let node = subject.file(file).tree()?.node(id);
    original(subject, file, &node.range)
}

/// Where `range` of `file` stood originally; `None` if its ends did not stand there together.
pub fn original(subject: &Subject, file: FileId, range: &Range<usize>) -> Option<Stretch> {
    let text = subject.file(file).text()?;
    let start = text.origin(range.start)?;
    let end = text.origin(range.end.checked_sub(1)?)?;
    (start.file == end.file && start.offset <= end.offset).then(|| Stretch {
        file: start.file,
        range: start.offset..end.offset + 1,
    })
}

/// The attributes of the function `id` that say that it should panic, and with what message.
pub fn expectations(subject: &Subject, file: FileId, id: NodeId) -> Vec<Stretch> {
    let version = subject.file(file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    attributes(tree, tree.node(id))
        .filter(|range| is_word(&version.source()[range.clone()], "should_panic"))
        .filter_map(|range| original(subject, file, &range))
        .collect()
}

/// The statements in the body of the function `id`, but not those in other statements.
pub fn statements(subject: &Subject, file: FileId, id: NodeId) -> Vec<&Node> {
    let Some(tree) = subject.file(file).tree() else {
        return Vec::new();
    };
    let children = |id: NodeId| tree.node(id).children.iter().copied();
    let bodies = children(id).filter(|child| tree.node(*child).kind == Kind::Body);
    bodies
        .flat_map(children)
        .map(|child| tree.node(child))
        .filter(|node| matches!(node.kind, Kind::Stmt(_)))
        .collect()
}

/// The statements in the function `id` that are calls of a macro whose name begins with `assert`, or of one of the `helpers`,
/// which assert something too, in order; those in nested functions and closures left out.
pub fn assertions(
    subject: &Subject,
    file: FileId,
    id: NodeId,
    helpers: &BTreeSet<&str>,
) -> Vec<Range<usize>> {
    let Some(tree) = subject.file(file).tree() else {
        return Vec::new();
    };
    let source = subject.file(file).source();
    let asserts = |node: &Node| {
        is_assertion(&source[node.range.clone()]) || calls_one_of(helpers, tree, source, node)
    };
    let mut found = Vec::new();
    let mut open = vec![id];
    while let Some(next) = open.pop() {
        for child in &tree.node(next).children {
            let node = tree.node(*child);
            match node.kind {
                Kind::Item(_) | Kind::Expr(ExprKind::Closure) => {}
                Kind::Stmt(StmtKind::Macro | StmtKind::Expr) if asserts(node) => {
                    found.push(node.range.clone());
                }
                _ => open.push(*child),
            }
        }
    }
    found.sort_by_key(|range| range.start);
    found
}

/// Whether `statement` is a call and nothing else, its value is not that of the function, and one of `names` is in it.
fn calls_one_of(names: &BTreeSet<&str>, tree: &Tree, source: &str, statement: &Node) -> bool {
    let is_call = |node: &Node| {
        matches!(
            node.kind,
            Kind::Expr(
                ExprKind::Call
                    | ExprKind::MethodCall
                    | ExprKind::Macro
                    | ExprKind::Try
                    | ExprKind::Await
            )
        )
    };
    let mut inner = statement.children.iter().map(|id| tree.node(*id));
    let calls = statement.kind == Kind::Stmt(StmtKind::Macro) || inner.any(is_call);
    let mut words = tree.identifiers(source, &statement.range);
    calls
        && source[statement.range.clone()].ends_with(';')
        && words.any(|word| names.contains(word))
}

/// The `let`s behind the offset `from` that make what the statement at `range` of `file` names, or what another of them names,
/// in order.
pub fn lets_for(
    subject: &Subject,
    file: FileId,
    from: usize,
    range: &Range<usize>,
) -> Vec<Range<usize>> {
    let version = subject.file(file);
    let Some((tree, statement)) = version
        .tree()
        .and_then(|tree| Some((tree, tree.innermost(range)?)))
    else {
        return Vec::new();
    };
    let source = version.source();
    let mut names: BTreeSet<&str> = tree.identifiers(source, range).collect();
    let mut found = Vec::new();
    // The nearest first: what one names is made further ahead.
    for outer in tree.ancestors(statement) {
        let before = tree.node(outer).children.iter().rev();
        for node in before.map(|child| tree.node(*child)) {
            let between = from <= node.range.start && node.range.end <= range.start;
            if between && makes_one_of(tree, source, node, &names) {
                names.extend(tree.identifiers(source, &node.range));
                found.push(node.range.clone());
            }
        }
    }
    found.reverse();
    found
}

/// Whether `statement` is a `let` of a variable whose name is one of `names`.
pub fn makes_one_of(tree: &Tree, source: &str, statement: &Node, names: &BTreeSet<&str>) -> bool {
    !lets::variables(tree, source, statement).is_disjoint(names)
}

/// Whether `statement` is one of the macros that assert something.
pub fn is_assertion(statement: &str) -> bool {
    let path = statement.split('!').next().unwrap_or_default();
    let name = path.rsplit("::").next().unwrap_or_default().trim();
    statement.contains('!')
        && (name.starts_with("assert") || name.starts_with("debug_assert"))
        && path
            .chars()
            .all(|c| c.is_alphanumeric() || "_: ".contains(c))
}

/// `subject` with marks around each of `ranges`, statements of `file`: mark `2n` before the `n`th,
/// `2n + 1` behind it.
pub fn marked(subject: &Subject, file: FileId, ranges: &[Range<usize>]) -> Subject {
    let Some(text) = subject.file(file).text() else {
        return subject.clone();
    };
    let edits: Vec<Edit> = ranges
        .iter()
        .enumerate()
        .flat_map(|(at, range)| {
            let call = |number| format!(" ::{CRATE}::mark({number}); ");
            // The last statement of a block may end without a semicolon, and the mark would take its place.
            let behind = format!(";{}", call(2 * at + 1));
            [
                Edit::replace(file, range.start..range.start, call(2 * at)),
                Edit::replace(file, range.end..range.end, behind),
            ]
        })
        .collect();
    subject.with_text(file, text.apply(&edits))
}

/// Whether what stands at `origin` is compiled for tests alone: it is below `#[test]` or
/// `#[cfg(test)]`, or in a module that is. `subject` is the original.
pub fn is_for_tests(subject: &Subject, origin: Origin) -> bool {
    let Some(tree) = subject.file(origin.file).tree() else {
        return false;
    };
    let offset = origin.offset as usize;
    let innermost = tree
        .innermost(&(offset..offset))
        .map(|id| (origin.file, id));
    let around = innermost
        .into_iter()
        .flat_map(|(file, id)| std::iter::once((file, id)).chain(around(subject, file, id)));
    for (file, id) in around {
        let version = subject.file(file);
        let Some(tree) = version.tree() else { continue };
        if says_for_tests(tree, version.source(), tree.node(id)) {
            return true;
        }
    }
    false
}

/// Whether an attribute of `node` says that it is compiled for tests alone. `#![feature(test)]` and `cfg_attr(test, …)` have the
/// word and say something else.
fn says_for_tests(tree: &Tree, source: &str, node: &Node) -> bool {
    let mut found = attributes(tree, node).map(|range| &source[range]);
    let says = |text: &str| match conditions::predicate(text) {
        Some((predicate, in_cfg_attr)) => {
            !in_cfg_attr && conditions::holds_for_tests_alone(&predicate)
        }
        None => !text.starts_with("#!"),
    };
    is_test(tree, source, node) || found.any(|text| is_word(text, "test") && says(text))
}

fn attributes<'t>(tree: &'t Tree, node: &'t Node) -> impl Iterator<Item = Range<usize>> + 't {
    let children = node.children.iter().map(|child| tree.node(*child));
    children
        .filter(|child| child.kind == Kind::Attribute)
        .map(|child| child.range.clone())
}

/// Whether `word` is one of the words of `text`.
fn is_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .any(|other| other == word)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        Subject::new(files).with_roots([FileId(0)])
    }

    fn origin(subject: &Subject, file: u32, text: &str) -> Origin {
        let offset = subject.file(FileId(file)).source().find(text);
        Origin {
            file: FileId(file),
            offset: offset.expect("it is there") as u32,
        }
    }

    #[test]
    fn a_test_is_found_by_its_path() {
        let text = "#[test] fn a() {} mod m { #[test] fn a() {} fn b() {} } mod o;";
        let subject = subject(&[
            ("src/lib.rs", text),
            (
                "src/o.rs",
                "#[test] fn a() {} mod m { #[test] fn a() {} #[test] fn c() {} }",
            ),
        ]);
        let named = |name: &str| -> Vec<usize> {
            let found = test_functions(&subject, name).into_iter();
            found
                .map(|(file, id)| modules_around(&subject, file, id).len())
                .collect()
        };
        assert_eq!(named("a"), [0]);
        assert_eq!(named("m::a"), [1]);
        assert_eq!(named("o::a"), [1]);
        assert_eq!(named("o::m::a"), [2]);
        assert_eq!(
            named("n::a"),
            [0],
            "what is in no module may be in a file that another includes"
        );
        assert_eq!(named("n::o::m::c"), [2]);
        assert_eq!(named("m::b"), [0; 0]);
    }

    #[test]
    fn assertions_are_found_in_blocks_and_loops_but_not_in_closures() {
        let text = "fn t() { assert!(a); for x in y { assert_eq!(x, 1); } let f = || { assert!(b); }; std::assert_ne!(c, d) }";
        let subject = subject(&[("src/lib.rs", text)]);
        let tree = subject.file(FileId(0)).tree().expect("parses");
        let function = tree
            .nodes()
            .find(|(_, node)| node.kind == Kind::Item(ItemKind::Fn));
        let function = function.expect("a function").0;
        let none = BTreeSet::new();
        let found: Vec<&str> = assertions(&subject, FileId(0), function, &none)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[2].starts_with("std::assert_ne!"));
        let ranges = assertions(&subject, FileId(0), function, &none);
        let marked = marked(&subject, FileId(0), &ranges);
        let source = marked.file(FileId(0)).source();
        assert!(crate::syntax::parses(source), "{source}");
        assert_eq!(source.matches("::mark(").count(), 6, "{source}");
    }

    #[test]
    fn calls_of_what_asserts_are_assertions() {
        let text = "fn t() -> R { check::<u8>(1); for x in y { same!(x, 1); } if check(2) { other(); } a.check(|x| { x + 1; })?; \
                    let b = check(3); m::other(); check(4) }";
        let subject = subject(&[("src/lib.rs", text)]);
        let (helpers, function) = (BTreeSet::from(["check", "same"]), NodeId(1));
        let found: Vec<&str> = assertions(&subject, FileId(0), function, &helpers)
            .into_iter()
            .map(|range| &text[range])
            .collect();
        assert_eq!(
            found,
            [
                "check::<u8>(1);",
                "same!(x, 1);",
                "a.check(|x| { x + 1; })?;"
            ]
        );
    }

    #[test]
    fn what_a_test_does_and_what_panic_it_expects_are_found() {
        let text = "#[test] #[should_panic(expected = \"big\")] fn t() { fn f() { g(1); } let a = f(); { a.h(); } i(a) }";
        let subject = subject(&[("src/lib.rs", text)]);
        let [(file, id)] = test_functions(&subject, "t")[..] else {
            panic!("one test");
        };
        let expected = expectations(&subject, file, id);
        let at = |stretch: &Stretch| stretch.range.start as usize..stretch.range.end as usize;
        let expected: Vec<&str> = expected.iter().map(|found| &text[at(found)]).collect();
        assert_eq!(expected, ["#[should_panic(expected = \"big\")]"]);
        let done = statements(&subject, file, id);
        let done: Vec<&str> = done
            .iter()
            .map(|node| text[node.range.clone()].trim())
            .collect();
        assert_eq!(done, ["let a = f();", "{ a.h(); }", "i(a)"]);
    }

    #[test]
    fn an_assertion_has_the_lets_that_make_what_it_names() {
        let text = "fn t() { let far = 0; check(); let mut a = f(1); let Some(b) = g(a) else { return }; { let b = 2; } \
                    let c = 3; for x in y { let d = b + x; assert_eq!(Some(d), far.h(&mut 4)); let d = 5; } }";
        let subject = subject(&[("src/lib.rs", text)]);
        let at = |part: &str| text.find(part).expect("it is there");
        let end = |part: &str| at(part) + part.len();
        let assertion = at("assert_eq!")..end("&mut 4));");
        let lets = |from: usize| -> Vec<&str> {
            let found = lets_for(&subject, FileId(0), from, &assertion);
            found.into_iter().map(|range| &text[range]).collect()
        };
        let near = [
            "let mut a = f(1);",
            "let Some(b) = g(a) else { return };",
            "let d = b + x;",
        ];
        assert_eq!(lets(end("check();")), near);
        assert_eq!(lets(0), [&["let far = 0;"], &near[..]].concat());
    }

    #[test]
    fn test_code_is_known_through_files_too() {
        let subject = subject(&[
            (
                "src/lib.rs",
                "#![cfg_attr(test, deny(warnings))]\n#![feature(test)]\nfn f() { 1 }\n#[cfg(test)]\nmod tests;\n\
                 #[cfg(not(test))]\nmod other { fn g() {2} }\n#[cfg(any(test, unix))] fn h() { 4 }\n\
                 #[cfg(all(test, unix))] fn i() { 5 }\n\
                 /// In a test.\nfn j() { 6 }\n#[doc = \"In a test.\"] mod m { fn k() { 7 } }",
            ),
            ("src/tests.rs", "fn helper() { 3 }"),
        ]);
        assert!(!is_for_tests(&subject, origin(&subject, 0, "1")));
        assert!(!is_for_tests(&subject, origin(&subject, 0, "2")));
        assert!(is_for_tests(&subject, origin(&subject, 1, "3")));
        assert!(!is_for_tests(&subject, origin(&subject, 0, "4")));
        assert!(is_for_tests(&subject, origin(&subject, 0, "5")));
        assert!(!is_for_tests(&subject, origin(&subject, 0, "6")));
        assert!(!is_for_tests(&subject, origin(&subject, 0, "7")));
    }
}
