//! Crates put into one: the items of a library as a module of the crate that uses it, paths rewritten. Knows
//! names and paths, no types; what it gets wrong does not compile.

use std::collections::BTreeSet;
use std::ops::Range;

use super::{Element, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, NodeId, Text, Tree};

/// A library of the subject that can become a module of another crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joint {
    /// Its root file.
    pub library: FileId,
    /// What those that use it call it; the first is the module's name.
    pub names: Vec<String>,
    /// Its paths are those of edition 2015: `use a::b` starts at the crate's root.
    pub from_root: bool,
    /// The root file of the crate that it goes into.
    pub into: FileId,
    /// Paths of that crate are those of edition 2015.
    pub into_from_root: bool,
    /// The `--cfg`s of the library, as they are written: `feature="std"`. Those of the other crate may differ.
    pub cfgs: Vec<String>,
}

impl Subject {
    /// This subject with the library of `joint` as a module of the other crate, and an empty file in its
    /// place; `None` if it is that already or has modules in other files.
    pub fn with_crate_joined(&self, joint: &Joint) -> Option<Subject> {
        let library = self.file(joint.library);
        let name = joint.names.first()?;
        let has_files = self
            .modules()
            .files
            .keys()
            .any(|(file, _)| *file == joint.library);
        if library.source().trim().is_empty() || has_files || joint.library == joint.into {
            return None;
        }
        let macros = exported_macros(library.source(), library.tree()?);
        let head = Head::of(library.source(), library.tree()?);
        let mut edits = head.edits(joint.library);
        edits.extend(self.includes_from(joint.library, joint.into));
        edits.extend(library_paths(self, joint, name, &macros)?);
        edits.extend(conditions(self, joint)?);
        let mut exported = false;
        for file in self.files_of(joint.into) {
            exported |= exports(self, joint, file)?;
            edits.extend(user_paths(self, joint, file, name, &macros)?);
        }
        let element = Element::new(self, Kind::File, edits);
        let rewritten = self.without([&element]);
        let inner = rewritten.file(joint.library).text()?;
        let outer = rewritten.file(joint.into).text()?;
        let macro_use = if macros.is_empty() {
            ""
        } else {
            "#[macro_use]\n"
        };
        let visibility = if exported { "pub " } else { "" };
        let open = format!("\n{macro_use}{visibility}mod {name} {{\n");
        let close = "\n}\n";
        let module = Text::inserted(format!("{open}{close}")).splice(open.len()..open.len(), inner);
        let tree = rewritten.file(joint.into).tree()?;
        let top = behind_attributes(rewritten.file(joint.into).source(), tree);
        // Macros are known below their definition alone.
        let at = if macros.is_empty() {
            outer.as_str().len()
        } else {
            top
        };
        let mut joined = outer.splice(at..at, &module);
        let known = self.file(joint.into).source();
        for line in &head.moved {
            if !known.contains(line.trim()) {
                let place = if line.starts_with("#!") {
                    start(joined.as_str())
                } else {
                    top
                };
                joined = joined.splice(place..place, &Text::inserted(format!("{line}\n")));
            }
        }
        let subject = self
            .with_text(joint.into, joined)
            .with_text(joint.library, Text::inserted(""));
        Some(with_others(subject, &rewritten, joint))
    }

    /// The files of the crate whose root is `root`.
    pub(super) fn files_of(&self, root: FileId) -> BTreeSet<FileId> {
        let whole = 0..self.file(root).source().len();
        let mut files = self.modules().below(self, root, &whole);
        files.insert(root);
        files
    }
}

/// `subject` with the other files of the crate as they are in `rewritten`.
fn with_others(mut subject: Subject, rewritten: &Subject, joint: &Joint) -> Subject {
    for id in rewritten.files_of(joint.into) {
        if let (Some(text), true) = (rewritten.file(id).text(), id != joint.into) {
            subject = subject.with_text(id, text.clone());
        }
    }
    subject
}

/// Behind a byte order mark and a `#!` line.
fn start(source: &str) -> usize {
    let script = source.starts_with("#!") && !source.starts_with("#![");
    match script {
        true => source.find('\n').map_or(source.len(), |end| end + 1),
        false => 0,
    }
}

/// Behind the last `#![…]` of the file.
fn behind_attributes(source: &str, tree: &Tree) -> usize {
    let inner = top_level(tree)
        .map(|(_, node)| node)
        .filter(|node| node.kind == Kind::Attribute || node.kind == Kind::Doc);
    inner
        .filter(|node| source[node.range.clone()].starts_with("#!"))
        .map(|node| node.range.end)
        .last()
        .unwrap_or_else(|| start(source))
}

pub(super) fn top_level(tree: &Tree) -> impl Iterator<Item = (NodeId, &Node)> {
    let children = tree
        .nodes()
        .next()
        .map(|(_, root)| root.children.as_slice());
    let children = children.unwrap_or_default().iter();
    children.map(|id| (*id, tree.node(*id)))
}

/// What stands at the top of a library and is about a whole crate.
struct Head {
    /// What goes, and what stands there instead.
    gone: Vec<(Range<usize>, String)>,
    /// What the crate needs that it goes into.
    moved: Vec<String>,
}

impl Head {
    fn of(source: &str, tree: &Tree) -> Head {
        let mut head = Head {
            gone: Vec::new(),
            moved: Vec::new(),
        };
        for (_, node) in top_level(tree) {
            let text = &source[node.range.clone()];
            match node.kind {
                Kind::Attribute if text.starts_with("#!") => {
                    head.gone.push((node.range.clone(), String::new()));
                    let word = tree.identifiers(source, &node.range).next();
                    if matches!(
                        word,
                        Some("feature" | "recursion_limit" | "type_length_limit")
                    ) {
                        head.moved.push(text.to_string());
                    }
                    // Without it, and in edition 2015, this name is that of a crate at the root.
                    let all = 0..source.len();
                    if word == Some("no_std")
                        && tree.identifiers(source, &all).any(|word| word == "core")
                    {
                        head.moved.push("extern crate core;".to_string());
                    }
                }
                Kind::Item(ItemKind::ExternCrate) if !text.contains("self") => {
                    let import = import_of(text).filter(|(_, name)| is_path_to(source, name));
                    let import = import.map(|(import, _)| import).unwrap_or_default();
                    head.gone.push((node.range.clone(), import));
                    head.moved.push(text.to_string());
                }
                _ => {}
            }
        }
        // Attributes come first: what is put in last.
        head.moved.sort_by_key(|line| line.starts_with("#!"));
        head
    }

    fn edits(&self, file: FileId) -> Vec<Edit> {
        let gone = self.gone.iter().cloned();
        gone.map(|(range, instead)| Edit::replace(file, range, &instead))
            .collect()
    }
}

/// The `use` that does in a module what the `extern crate` item `text` does at the root, and the name that it brings.
fn import_of(text: &str) -> Option<(String, &str)> {
    let (before, declared) = text.split_once("extern crate")?;
    let declared = declared.trim_end_matches(';').trim();
    let name = declared
        .rsplit_once(" as ")
        .map_or(declared, |(_, name)| name.trim());
    let visibility = before.rsplit(']').next()?.trim();
    Some((format!("{visibility} use {name};"), name))
}

/// Whether a path in `source` leads to `name` from a module of the crate.
fn is_path_to(source: &str, name: &str) -> bool {
    let starts = ["self", "crate", "super"];
    starts
        .iter()
        .any(|start| source.contains(&format!("{start}::{name}")))
}

/// The macros with `#[macro_export]`: they stand at the crate's root, wherever they are defined.
pub(super) fn exported_macros<'s>(source: &'s str, tree: &Tree) -> BTreeSet<&'s str> {
    let rules = tree
        .nodes()
        .filter(|(_, node)| node.kind == Kind::Item(ItemKind::MacroRules));
    let exported = rules.filter(|(_, node)| {
        let attributes = node.children.iter().map(|child| tree.node(*child));
        attributes
            .filter(|child| child.kind == Kind::Attribute)
            .any(|child| source[child.range.clone()].contains("macro_export"))
    });
    exported
        .filter_map(|(_, node)| Some(&source[node.name.clone()?]))
        .collect()
}

/// The names of what stands at a library's root, imports included, other crates not: they go to the root of what it goes into.
fn root_names<'s>(source: &'s str, tree: &Tree) -> BTreeSet<&'s str> {
    let mut names = BTreeSet::new();
    for (_, node) in top_level(tree) {
        match &node.name {
            Some(_) if node.kind == Kind::Item(ItemKind::ExternCrate) => {}
            Some(name) => {
                names.insert(&source[name.clone()]);
            }
            None if node.kind == Kind::Item(ItemKind::Use) => {
                let tokens = tree.tokens_in(&node.range);
                let leaves = tokens.windows(2).filter_map(|pair| {
                    let (word, next) = (&source[pair[0].range()], &source[pair[1].range()]);
                    (pair[0].kind == TokenKind::Ident && matches!(next, ";" | "," | "}"))
                        .then_some(word)
                });
                names.extend(leaves.filter(|word| *word != "self"));
            }
            None => {}
        }
    }
    names
}

/// Whether the token at `range` stands in a `use` item, and whether in a module of its file.
fn place(tree: &Tree, range: &Range<usize>) -> (bool, bool) {
    let Some(innermost) = tree.innermost(range) else {
        return (false, false);
    };
    let mut around: Vec<Kind> = tree
        .ancestors(innermost)
        .map(|id| tree.node(id).kind)
        .collect();
    around.push(tree.node(innermost).kind);
    let has = |kind: ItemKind| around.contains(&Kind::Item(kind));
    (has(ItemKind::Use), has(ItemKind::Mod))
}

/// What becomes of the paths in the library itself.
pub(super) fn library_paths(
    subject: &Subject,
    joint: &Joint,
    name: &str,
    macros: &BTreeSet<&str>,
) -> Option<Vec<Edit>> {
    let file = joint.library;
    let (source, tree) = (subject.file(file).source(), subject.file(file).tree()?);
    let names = if joint.from_root {
        root_names(source, tree)
    } else {
        BTreeSet::new()
    };
    let prefix = match joint.into_from_root {
        true => format!("{name}::"),
        false => format!("crate::{name}::"),
    };
    let mut edits = Vec::new();
    let words: Vec<&str> = tree
        .tokens()
        .iter()
        .map(|token| &source[token.range()])
        .collect();
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or("");
    for (at, token) in tree.tokens().iter().enumerate() {
        let before = word(at.checked_sub(1));
        let after = word(Some(at + 1));
        if words[at] == "crate" && after == "::" {
            // An exported macro stays at the root.
            if !macros.contains(word(Some(at + 2))) {
                let behind = tree.tokens()[at + 1].end as usize;
                edits.push(Edit::replace(file, behind..behind, format!("{name}::")));
            }
        } else if names.contains(words[at]) && token.kind == TokenKind::Ident {
            let (in_use, _) = place(tree, &token.range());
            let starts =
                before == "use" || in_use && before == "{" && word(at.checked_sub(2)) == "use";
            let rooted = before == "::" && !tree.goes_on_with_a_path(source, at);
            let start = token.start as usize;
            if rooted {
                let colons = tree.tokens()[at - 1].start as usize;
                let prefix = if in_use || !joint.into_from_root {
                    prefix.clone()
                } else {
                    format!("::{prefix}")
                };
                edits.push(Edit::replace(file, colons..start, prefix));
            } else if in_use && starts {
                edits.push(Edit::replace(file, start..start, prefix.clone()));
            }
        }
    }
    Some(edits)
}

/// What becomes of the conditions that do not hold for both crates: whatever stands in a macro is not known before it is called.
fn conditions(subject: &Subject, joint: &Joint) -> Option<Vec<Edit>> {
    let file = joint.library;
    let (source, tree) = (subject.file(file).source(), subject.file(file).tree()?);
    let tokens = tree.tokens();
    let word = |at: usize| tokens.get(at).map_or("", |token| &source[token.range()]);
    let mut edits = Vec::new();
    for at in 0..tokens.len() {
        // Anything else may have that name, too.
        let is_attribute = at > 0 && matches!(word(at - 1), "[" | ",");
        let open = match (word(at), word(at + 1)) {
            ("cfg" | "cfg_attr", "(") if is_attribute => at + 1,
            ("cfg", "!") if word(at + 2) == "(" => at + 2,
            _ => continue,
        };
        let mut depth = 0;
        for inner in open..tokens.len() {
            match word(inner) {
                "(" => depth += 1,
                ")" => depth -= 1,
                // What follows is what is said if the condition holds.
                "," if depth == 1 => break,
                "test" => edits.push(Edit::replace(file, tokens[inner].range(), "any()")),
                "feature" if word(inner + 1) == "=" => {
                    let value = tokens.get(inner + 2)?;
                    let holds = joint.cfgs.contains(&format!("feature={}", word(inner + 2)));
                    let instead = if holds { "all()" } else { "any()" };
                    let range = tokens[inner].range().start..value.range().end;
                    edits.push(Edit::replace(file, range, instead));
                }
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    Some(edits)
}

/// Whether `file` has `pub use` of the library itself: only what is public can be given on.
fn exports(subject: &Subject, joint: &Joint, file: FileId) -> Option<bool> {
    let (source, tree) = (subject.file(file).source(), subject.file(file).tree()?);
    let mut uses = tree
        .nodes()
        .filter(|(_, node)| node.kind == Kind::Item(ItemKind::Use));
    Some(uses.any(|(_, node)| {
        let words: Vec<&str> = tree
            .tokens_in(&node.range)
            .iter()
            .map(|token| &source[token.range()])
            .collect();
        let is_it = |word: &str| joint.names.iter().any(|own| own == word);
        matches!(&words[..], ["pub", "use", own, ";" | "as", ..] if is_it(own))
    }))
}

/// What becomes of the paths by which `file`, of the crate that the library goes into, names it.
fn user_paths(
    subject: &Subject,
    joint: &Joint,
    file: FileId,
    name: &str,
    macros: &BTreeSet<&str>,
) -> Option<Vec<Edit>> {
    let (source, tree) = (subject.file(file).source(), subject.file(file).tree()?);
    let mut edits = Vec::new();
    for (_, node) in tree.nodes() {
        let words: Vec<&str> = tree
            .tokens_in(&node.range)
            .iter()
            .map(|token| &source[token.range()])
            .skip_while(|word| !matches!(*word, "extern" | "use"))
            .collect();
        let is_it = |word: &str| joint.names.iter().any(|own| own == word);
        match (node.kind, &words[..]) {
            (Kind::Item(ItemKind::ExternCrate), ["extern", "crate", own, rest @ ..])
                if is_it(own) =>
            {
                let text = match rest {
                    ["as", other, ..] if *other != name => format!("use {name} as {other};"),
                    _ => String::new(),
                };
                edits.push(Edit::replace(file, node.range.clone(), text));
            }
            // Macros are known without being imported, and so is the module at the root.
            (Kind::Item(ItemKind::Use), ["use", own, "::", leaf, ";"])
                if is_it(own) && macros.contains(leaf) =>
            {
                edits.push(Edit::delete(file, node.range.clone()));
            }
            (Kind::Item(ItemKind::Use), ["use", own, ";" | "as", ..]) if is_it(own) => {
                let (_, nested) = place(tree, &node.range);
                let nested = nested || file != joint.into;
                if !nested && words.len() == 3 {
                    edits.push(Edit::delete(file, node.range.clone()));
                } else if nested && !joint.into_from_root {
                    let mut tokens = tree.tokens_in(&node.range).iter();
                    let at = tokens.rfind(|token| &source[token.range()] == *own);
                    let at = at.map_or(node.range.start, |token| token.start as usize);
                    edits.push(Edit::replace(file, at..at, "crate::"));
                }
            }
            _ => {}
        }
    }
    let tokens = tree.tokens();
    for (at, token) in tokens.iter().enumerate() {
        let word = &source[token.range()];
        let follows = |offset: usize| tokens.get(at + offset).map(|token| &source[token.range()]);
        if !joint.names.iter().any(|own| own == word) || follows(1) != Some("::") {
            continue;
        }
        let behind = tokens[at + 1].end as usize;
        if follows(2).is_some_and(|leaf| macros.contains(leaf)) && follows(3) == Some("!") {
            edits.push(Edit::delete(file, token.start as usize..behind));
            continue;
        }
        let before = at.checked_sub(1).map(|at| &source[tokens[at].range()]);
        let (in_use, nested) = place(tree, &token.range());
        let rooted = before == Some("::") && !tree.goes_on_with_a_path(source, at);
        if before == Some("::") && !rooted {
            continue;
        }
        // From edition 2018 on, a path starts where it stands or at another crate.
        let prefix = match (nested || file != joint.into, joint.into_from_root) {
            (_, false) if rooted => "crate::",
            (true, false) => "crate::",
            (true, true) if !in_use => "::",
            _ => "",
        };
        let start = match rooted {
            true => tokens[at - 1].start as usize,
            false => token.start as usize,
        };
        if word != name || !prefix.is_empty() || rooted {
            let text = format!("{prefix}{name}");
            edits.push(Edit::replace(file, start..token.end as usize, text));
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn joined(library: &str, user: &str, from_root: bool) -> String {
        let files = [("src/lib.rs", library), ("tests/t.rs", user)];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let subject = Subject::new(files).with_roots([FileId(0), FileId(1)]);
        let joint = Joint {
            library: FileId(0),
            names: vec!["shop".into()],
            from_root,
            into: FileId(1),
            into_from_root: from_root,
            cfgs: vec!["feature=\"std\"".into()],
        };
        let joined = subject.with_crate_joined(&joint).expect("a library");
        assert_eq!(joined.file(FileId(0)).source(), "");
        let text = joined.file(FileId(1)).source();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_library_becomes_a_module_and_paths_lead_to_it() {
        assert_eq!(
            joined(
                "#![no_std] #![feature(never_type)] extern crate alloc; mod a { use crate::B; pub(crate) fn f() -> crate::B {} } pub struct B;",
                "use shop::B; mod m { pub use shop; use shop::B; fn g() { ::shop::a::f() } } #[test] fn t() { shop::a::f(); }",
                false,
            ),
            "#![feature(never_type)] extern crate alloc; use shop::B; mod m { pub use crate::shop; use crate::shop::B; fn g() { crate::shop::a::f() } } #[test] fn t() { shop::a::f(); } \
             pub mod shop { mod a { use crate::shop::B; pub(crate) fn f() -> crate::shop::B {} } pub struct B; }"
        );
    }

    #[test]
    fn a_library_without_std_finds_core_in_edition_2015() {
        assert_eq!(
            joined(
                "#![no_std] extern crate json; use core::mem; use json::V; pub struct B;",
                "extern crate shop; use shop::B; #[test] fn t() {}",
                true,
            ),
            "extern crate json; extern crate core; use shop::B; #[test] fn t() {} \
             mod shop { use core::mem; use json::V; pub struct B; }"
        );
    }

    #[test]
    fn conditions_of_the_library_hold_as_they_did() {
        assert_eq!(
            joined(
                "macro_rules! m { () => { #[cfg(all(test, feature = \"std\"))] fn f() {} #[cfg_attr(feature = \"a\", test)] fn test() {} } } fn g() { if cfg!(test) {} cfg(test); test(feature = 1) }",
                "",
                false,
            ),
            "mod shop { macro_rules! m { () => { #[cfg(all(any(), all()))] fn f() {} #[cfg_attr(any(), test)] fn test() {} } } fn g() { if cfg!(any()) {} cfg(test); test(feature = 1) } }"
        );
    }

    #[test]
    fn a_crate_that_paths_of_the_library_lead_to_is_imported_in_its_place() {
        assert_eq!(
            joined(
                "#[macro_use] extern crate log; pub extern crate json as js; pub use self::js::V; mod a { use crate::log; }",
                "",
                false,
            ),
            "pub extern crate json as js; #[macro_use] extern crate log; \
             mod shop { use log; pub use js; pub use self::js::V; mod a { use crate::shop::log; } }"
        );
    }

    #[test]
    fn exported_macros_are_known_below_the_module() {
        assert_eq!(
            joined(
                "#[macro_export] macro_rules! add { ($a:expr) => { $crate::one($a) } } pub fn one(a: u8) { $crate::add!(1) }",
                "use shop::add; #[test] fn t() { add!(1); shop::add!(2); }",
                false,
            ),
            "#[macro_use] mod shop { #[macro_export] macro_rules! add { ($a:expr) => { $crate::shop::one($a) } } pub fn one(a: u8) { $crate::add!(1) } } \
             #[test] fn t() { add!(1); add!(2); }"
        );
    }

    #[test]
    fn paths_of_edition_2015_start_at_the_root() {
        assert_eq!(
            joined(
                "use a::A; use std::fmt; mod a { use b::B; pub struct A(::b::B, ::std::fmt::Error); impl ::b::B {} } mod b { pub struct B; }",
                "extern crate shop; use shop::a::A; mod m { use shop::a::A; fn f() { ::shop::a::g() } }",
                true,
            ),
            "use shop::a::A; mod m { use shop::a::A; fn f() { ::shop::a::g() } } \
             mod shop { use shop::a::A; use std::fmt; mod a { use shop::b::B; pub struct A(::shop::b::B, ::std::fmt::Error); impl ::shop::b::B {} } mod b { pub struct B; } }"
        );
    }

    #[test]
    fn positions_lead_back_to_the_library() {
        let files = [
            ("src/lib.rs", "pub fn f() {}"),
            ("tests/t.rs", "use shop::f;"),
        ];
        let files = files.map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec()));
        let subject = Subject::new(files).with_roots([FileId(0), FileId(1)]);
        let joint = Joint {
            library: FileId(0),
            names: vec!["shop".into()],
            from_root: false,
            into: FileId(1),
            into_from_root: false,
            cfgs: Vec::new(),
        };
        let joined = subject.with_crate_joined(&joint).expect("a library");
        let text = joined.file(FileId(1)).text().expect("text");
        let at = text.as_str().find("fn f").expect("the function");
        let origin = text.origin(at).expect("an origin");
        assert_eq!((origin.file, origin.offset), (FileId(0), 4));
    }
}
