//! Which definitions the text that stays needs, judged by names alone. A guess to start from: the
//! compiler's errors correct it, so that a name taken too narrowly costs a compilation, and one taken
//! too widely costs a definition.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use super::definitions::Definition;
use super::ran::Ran;
use crate::subject::Subject;
use crate::syntax::lexer::TokenKind;
use crate::syntax::{FileId, ItemKind, Kind, Node, NodeId, Tree};

/// Sets [`Definition::unneeded`]: functions that did not run, impls with functions of which none
/// ran, and whatever no live text mentions. `runs` tells whether anything is run at all.
pub fn mark(subject: &Subject, ran: &Ran, runs: bool, definitions: &mut [Definition]) {
    let local = Local::of(subject);
    let awaits = definitions
        .iter()
        .map(|definition| awaits(subject, ran, runs, definition, &local))
        .collect();
    let live = Liveness::of(subject, definitions, awaits).settled();
    for (definition, live) in definitions.iter_mut().zip(live) {
        // A module goes once nothing is left in it.
        definition.unneeded = !live && definition.element.kind != Kind::Item(ItemKind::Mod);
    }
}

/// Those of `definitions` that no live text leads to, where an impl lives with its trait and its type, and what is in it
/// with the impl: hardly anything of this is missed when it goes, while code alone that did not run is.
pub fn unreachable(subject: &Subject, definitions: &[Definition]) -> BTreeSet<usize> {
    let local = Local::of(subject);
    let awaits = definitions
        .iter()
        .map(|definition| leads_to(subject, definition, &local))
        .collect();
    let live = Liveness::of(subject, definitions, awaits).settled();
    let is_module = |at: &usize| definitions[*at].element.kind == Kind::Item(ItemKind::Mod);
    (0..definitions.len())
        .filter(|at| !live[*at] && !is_module(at))
        .collect()
}

/// How a definition becomes live.
#[derive(Debug, Clone, PartialEq)]
enum Awaits {
    /// Nothing makes it live: code that did not run.
    Nothing,
    /// A mention of its name, anywhere.
    Name(String),
    /// A mention of one of the names that it brings into its file; anywhere, if it is public.
    Import { names: Vec<String>, public: bool },
    /// That all these names are live: those of an impl's trait and type.
    All(Vec<String>),
    /// That one of these names is mentioned: those that a macro call introduces.
    Any(Vec<String>),
    /// The definition around it.
    Outer,
    /// A mention of its name, and the definition around it.
    Member(String),
}

struct Liveness<'s> {
    subject: &'s Subject,
    definitions: &'s [Definition],
    awaits: Vec<Awaits>,
    /// The definitions directly inside each.
    inner: Vec<Vec<usize>>,
    /// The definition right around each.
    outer: Vec<Option<usize>>,
    live: Vec<bool>,
    by_name: HashMap<String, Vec<usize>>,
    imports: HashMap<(FileId, String), Vec<usize>>,
    exports: HashMap<String, Vec<usize>>,
    waiting: Vec<usize>,
    mentioned: HashSet<String>,
    mentioned_in: HashSet<(FileId, String)>,
    open: Vec<(FileId, String)>,
}

impl<'s> Liveness<'s> {
    fn of(
        subject: &'s Subject,
        definitions: &'s [Definition],
        awaits: Vec<Awaits>,
    ) -> Liveness<'s> {
        let mut this = Liveness {
            subject,
            definitions,
            inner: vec![Vec::new(); definitions.len()],
            outer: vec![None; definitions.len()],
            live: vec![false; definitions.len()],
            by_name: HashMap::new(),
            imports: HashMap::new(),
            exports: HashMap::new(),
            waiting: Vec::new(),
            mentioned: HashSet::new(),
            mentioned_in: HashSet::new(),
            open: Vec::new(),
            awaits,
        };
        for (at, definition) in definitions.iter().enumerate() {
            let file = definition.file;
            match &this.awaits[at] {
                Awaits::Nothing | Awaits::Outer => {}
                Awaits::Name(name) | Awaits::Member(name) => {
                    this.by_name.entry(name.clone()).or_default().push(at);
                }
                Awaits::Any(names) => {
                    for name in names {
                        this.by_name.entry(name.clone()).or_default().push(at);
                    }
                }
                Awaits::Import { names, public } => {
                    for name in names {
                        this.imports
                            .entry((file, name.clone()))
                            .or_default()
                            .push(at);
                        if *public {
                            this.exports.entry(name.clone()).or_default().push(at);
                        }
                    }
                }
                Awaits::All(_) => this.waiting.push(at),
            }
        }
        this.nest();
        this
    }

    /// Finds out what stands inside what, and takes in the words of what is no definition at all.
    fn nest(&mut self) {
        let mut by_file: HashMap<FileId, Vec<usize>> = HashMap::new();
        for (at, definition) in self.definitions.iter().enumerate() {
            by_file.entry(definition.file).or_default().push(at);
        }
        for (file, version, _) in self.subject.sources() {
            let mut own = by_file.remove(&file).unwrap_or_default();
            own.sort_by_key(|at| {
                let range = &self.definitions[*at].range;
                (range.start, std::cmp::Reverse(range.end))
            });
            let mut outer: Vec<usize> = Vec::new();
            let mut outermost = Vec::new();
            for at in own {
                let range = &self.definitions[at].range;
                while outer
                    .last()
                    .is_some_and(|last| self.definitions[*last].range.end <= range.start)
                {
                    outer.pop();
                }
                match outer.last() {
                    Some(last) => {
                        self.inner[*last].push(at);
                        self.outer[at] = Some(*last);
                    }
                    None => outermost.push(at),
                }
                outer.push(at);
            }
            let whole = 0..version.source().len();
            self.take(file, whole, &outermost);
            for at in outermost {
                if self.awaits[at] == Awaits::Outer {
                    self.enliven(at);
                }
            }
        }
    }

    /// Takes in the words of `range` outside of the definitions `without`, which stand in it in order.
    fn take(&mut self, file: FileId, range: Range<usize>, without: &[usize]) {
        let Some(tree) = self.subject.file(file).tree() else {
            return;
        };
        let source = self.subject.file(file).source();
        let mut start = range.start;
        let holes = without.iter().map(|at| self.definitions[*at].range.clone());
        let end = range.end..range.end;
        for hole in holes.chain(std::iter::once(end)) {
            if start < hole.start {
                for word in tree.identifiers(source, &(start..hole.start)) {
                    self.open
                        .push((file, word.trim_start_matches("r#").to_string()));
                }
            }
            start = start.max(hole.end);
        }
    }

    fn enliven(&mut self, at: usize) {
        if std::mem::replace(&mut self.live[at], true) {
            return;
        }
        if let Some(outer) = self.outer[at] {
            self.enliven(outer);
        }
        let definition = &self.definitions[at];
        let inner = self.inner[at].clone();
        self.take(definition.file, definition.range.clone(), &inner);
        for at in inner {
            let lives = match &self.awaits[at] {
                Awaits::Outer => true,
                Awaits::Member(name) => self.mentioned.contains(name),
                _ => false,
            };
            if lives {
                self.enliven(at);
            }
        }
    }

    /// Whether a mention of its name is enough for the definition `at`.
    fn is_open(&self, at: usize) -> bool {
        let outer = self.outer[at];
        !matches!(self.awaits[at], Awaits::Member(_)) || outer.is_none_or(|outer| self.live[outer])
    }

    /// What is live once nothing more becomes so.
    fn settled(mut self) -> Vec<bool> {
        loop {
            while let Some((file, word)) = self.open.pop() {
                let mut found: Vec<usize> = Vec::new();
                if self.mentioned.insert(word.clone()) {
                    found.extend(self.by_name.get(&word).into_iter().flatten());
                    found.extend(self.exports.get(&word).into_iter().flatten());
                }
                let here = (file, word);
                if !self.mentioned_in.contains(&here) {
                    found.extend(self.imports.get(&here).into_iter().flatten());
                    self.mentioned_in.insert(here);
                }
                for at in found {
                    if self.is_open(at) {
                        self.enliven(at);
                    }
                }
            }
            let (mentioned, awaits) = (&self.mentioned, &self.awaits);
            let ready: Vec<usize> = self
                .waiting
                .iter()
                .copied()
                .filter(|at| match &awaits[*at] {
                    Awaits::All(names) => names.iter().all(|name| mentioned.contains(name)),
                    _ => false,
                })
                .collect();
            if ready.is_empty() {
                return self.live;
            }
            self.waiting.retain(|at| !ready.contains(at));
            for at in ready {
                self.enliven(at);
            }
        }
    }
}

/// The names that the subject defines itself.
#[derive(Default)]
struct Local {
    types: HashSet<String>,
    traits: HashSet<String>,
    macros: HashSet<String>,
}

impl Local {
    /// Whether it is a type or a trait of the subject.
    fn defines(&self, name: &str) -> bool {
        self.types.contains(name) || self.traits.contains(name)
    }

    fn of(subject: &Subject) -> Local {
        let mut found = Local::default();
        for (_, version, tree) in subject.sources() {
            for (_, node) in tree.nodes() {
                let names = match node.kind {
                    Kind::Item(
                        ItemKind::Struct | ItemKind::Enum | ItemKind::Union | ItemKind::TypeAlias,
                    ) => &mut found.types,
                    Kind::Item(ItemKind::Trait | ItemKind::TraitAlias) => &mut found.traits,
                    Kind::Item(ItemKind::MacroRules) => &mut found.macros,
                    _ => continue,
                };
                let name = node.name.iter().map(|name| &version.source()[name.clone()]);
                names.extend(name.map(String::from));
            }
        }
        found
    }
}

fn awaits(
    subject: &Subject,
    ran: &Ran,
    runs: bool,
    definition: &Definition,
    local: &Local,
) -> Awaits {
    let version = subject.file(definition.file);
    let (source, Some(tree)) = (version.source(), version.tree()) else {
        return Awaits::Nothing;
    };
    let node = tree.node(definition.node);
    let named = || match &node.name {
        Some(name) => Awaits::Name(source[name.clone()].trim_start_matches("r#").to_string()),
        None => Awaits::Outer,
    };
    let body = || {
        let mut children = node.children.iter().map(|child| tree.node(*child));
        children.find(|child| child.kind == Kind::Body)
    };
    match node.kind {
        Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn) => match body() {
            // Whether a body without a probe ran is not known.
            Some(body) if !runs || ran.block(subject, definition.file, body).is_some() => {
                Awaits::Nothing
            }
            _ => named(),
        },
        Kind::Item(ItemKind::Impl) => {
            let is_function = |child: &Node| child.kind == Kind::Member(ItemKind::Fn);
            let mut children = node.children.iter().map(|child| tree.node(*child));
            if children.any(is_function) {
                return Awaits::Nothing;
            }
            Awaits::All(implemented(source, tree, node, local))
        }
        Kind::Item(ItemKind::Use) | Kind::UseTree => import(tree, definition, local),
        // What derives make takes no probe: the errors tell which are needed.
        Kind::AttributeArg if runs => Awaits::Nothing,
        Kind::AttributeArg => Awaits::Outer,
        Kind::Item(ItemKind::MacroCall) if !runs => Awaits::Nothing,
        Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall) => {
            let called = tree.macro_called(source, &node.range);
            let is_of_its_own = called.is_some_and(|name| local.macros.contains(name));
            match definition.names.clone() {
                // Impls, most likely: the errors tell.
                names if names.is_empty() && is_of_its_own => Awaits::Nothing,
                names if names.is_empty() => Awaits::Outer,
                names => Awaits::Any(names),
            }
        }
        Kind::Member(_) => Awaits::Outer,
        _ => named(),
    }
}

/// How an import becomes live.
fn import(tree: &Tree, definition: &Definition, local: &Local) -> Awaits {
    let names = definition.names.clone();
    if names.iter().any(|name| name == "*") {
        return Awaits::Outer;
    }
    let item = std::iter::once(definition.node)
        .chain(tree.ancestors(definition.node))
        .find(|outer| tree.node(*outer).kind == Kind::Item(ItemKind::Use));
    let public = item.is_some_and(|item| {
        let mut children = tree.node(item).children.iter();
        children.any(|child| tree.node(*child).kind == Kind::Visibility)
    });
    // A trait is there to be in scope, and nobody says its name.
    match &names[..] {
        [name] if local.traits.contains(name) => match public || is_in_use(tree, definition.node) {
            true => Awaits::All(names),
            false => Awaits::Nothing,
        },
        _ => Awaits::Import { names, public },
    }
}

/// Whether there is anything but imports and modules where `import` stands.
fn is_in_use(tree: &Tree, import: NodeId) -> bool {
    let mut around = tree.ancestors(import).map(|outer| tree.node(outer));
    let module =
        around.find(|outer| !matches!(outer.kind, Kind::UseTree | Kind::Item(ItemKind::Use)));
    let mut children = module.into_iter().flat_map(|module| &module.children);
    children.any(|child| match tree.node(*child).kind {
        Kind::Item(kind) => !matches!(kind, ItemKind::Use | ItemKind::Mod | ItemKind::ExternCrate),
        kind => matches!(kind, Kind::Stmt(_) | Kind::Expr(_)),
    })
}

/// The names in the trait and the type of an impl that the subject defines itself.
fn implemented(source: &str, tree: &Tree, node: &Node, local: &Local) -> Vec<String> {
    let children = node.children.iter().map(|child| tree.node(*child));
    let parts = children.filter(|child| matches!(child.kind, Kind::TraitRef | Kind::Type(_)));
    let words = parts.flat_map(|part| tree.identifiers(source, &part.range));
    let names: BTreeSet<&str> = words.filter(|word| local.defines(word)).collect();
    names.into_iter().map(String::from).collect()
}

/// How a definition becomes live where code is needed with what it belongs to.
fn leads_to(subject: &Subject, definition: &Definition, local: &Local) -> Awaits {
    let version = subject.file(definition.file);
    let (source, Some(tree)) = (version.source(), version.tree()) else {
        return Awaits::Outer;
    };
    let node = tree.node(definition.node);
    match (node.kind, &definition.names[..]) {
        (Kind::Item(ItemKind::Impl), _) => Awaits::All(implemented(source, tree, node, local)),
        (Kind::Item(ItemKind::Use) | Kind::UseTree, _) => import(tree, definition, local),
        // What a macro makes belongs to what it is told, most likely.
        (Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall), []) => {
            let words = tree.identifiers(source, &node.range);
            let types = words.filter(|word| local.types.contains(*word));
            let types: Vec<String> = types.map(String::from).collect();
            match types.is_empty() {
                true => Awaits::Outer,
                false => Awaits::Any(types),
            }
        }
        (Kind::Item(ItemKind::MacroCall) | Kind::Member(ItemKind::MacroCall), names) => {
            Awaits::Any(names.to_vec())
        }
        // Whoever implements a trait has all that is in it.
        (Kind::Member(_), [name]) if definition.of_trait.is_none() => Awaits::Member(name.clone()),
        (Kind::Item(_), [name]) => Awaits::Name(name.clone()),
        _ => Awaits::Outer,
    }
}

/// The names that stand behind a keyword that introduces one.
pub fn introduced(source: &str, tree: &Tree, range: &Range<usize>) -> Vec<String> {
    const KEYWORDS: [&str; 11] = [
        "struct", "enum", "union", "fn", "static", "const", "type", "trait", "mod", "ref", "macro",
    ];
    let tokens = tree.tokens_in(range);
    let pairs = tokens.windows(2).filter(|pair| {
        pair.iter().all(|token| token.kind == TokenKind::Ident)
            && KEYWORDS.contains(&&source[pair[0].range()])
    });
    let mut names: Vec<String> = pairs
        .map(|pair| source[pair[1].range()].trim_start_matches("r#").to_string())
        .filter(|name| !matches!(name.as_str(), "mut" | "fn" | "unsafe"))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The names that a `use`, or the part of one at `range`, brings in: `*` for all, `_` as the name that
/// it renames. `before` is the name in front of the group that it is a part of.
pub fn bindings(
    source: &str,
    tree: &Tree,
    range: &Range<usize>,
    before: Option<&str>,
) -> Vec<String> {
    let tokens = tree.tokens_in(range);
    let text = |at: usize| tokens.get(at).map_or("", |token| &source[token.range()]);
    let mut names = Vec::new();
    // The last name in front of each open brace: what `self` means there.
    let mut outer: Vec<&str> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match text(at) {
            "{" => outer.push(text(at.wrapping_sub(2))),
            "}" => {
                outer.pop();
            }
            "*" => names.push("*".to_string()),
            "self" if matches!(text(at + 1), "," | "}" | "") => {
                let outer = outer.last().copied().or(before);
                names.extend(outer.map(String::from));
            }
            word if token.kind == TokenKind::Ident
                && matches!(text(at + 1), "," | "}" | ";" | "") =>
            {
                let renamed = at
                    .checked_sub(2)
                    .filter(|_| text(at.wrapping_sub(1)) == "as");
                names.push(match renamed {
                    Some(old) if word == "_" => text(old).to_string(),
                    _ => word.trim_start_matches("r#").to_string(),
                });
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::definitions::definitions;

    /// The definitions of `subject` when the function `main` stays.
    fn besides_main(subject: &Subject) -> Vec<Definition> {
        let stays = |file, range: &Range<usize>| {
            subject.file(file).source()[range.clone()].contains("fn main")
        };
        definitions(subject, None, &stays)
    }

    /// What is judged unneeded in `files` when the function `main` stays, by its first words.
    fn unneeded(files: &[(&str, &str)]) -> Vec<String> {
        let files = files.iter();
        let subject =
            Subject::new(files.map(|(path, text)| (path.into(), text.as_bytes().to_vec())));
        let all = besides_main(&subject).into_iter();
        all.filter(|one| one.unneeded)
            .map(|one| {
                let text = &subject.file(one.file).source()[one.range.clone()];
                let words = text.split_whitespace().take(3);
                words.collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    #[test]
    fn what_live_text_names_stays_with_what_that_names() {
        let gone = unneeded(&[(
            "src/main.rs",
            "struct Used(Inner); struct Inner; struct Dead(Deader); struct Deader; fn main() { Used; }",
        )]);
        assert_eq!(gone, ["struct Dead(Deader);", "struct Deader;"]);
    }

    #[test]
    fn an_import_is_live_where_its_name_is_mentioned_and_nowhere_else() {
        let gone = unneeded(&[
            ("src/main.rs", "mod a; mod b; use a::A; fn main() { A; }"),
            ("src/a.rs", "use crate::b::{B, C}; pub struct A(B);"),
            ("src/b.rs", "use crate::a::A; pub struct B; pub struct C;"),
        ]);
        assert_eq!(gone, ["C", "use crate::a::A;", "pub struct C;"]);
    }

    #[test]
    fn a_trait_in_scope_stays_as_long_as_the_trait_does() {
        let gone = unneeded(&[(
            "src/main.rs",
            "use t::Live; use t::Dead; mod t { pub trait Live {} pub trait Dead {} } fn main() { f::<dyn Live>() }",
        )]);
        assert_eq!(gone, ["use t::Dead;", "pub trait Dead"]);
    }

    #[test]
    fn a_trait_is_in_scope_for_code_alone() {
        let gone = unneeded(&[(
            "src/main.rs",
            "trait T {} mod a { use crate::T; } mod b { use crate::T; struct S; } fn main() { use crate::T; S; g::<dyn T>() }",
        )]);
        assert_eq!(gone, ["use crate::T;"]);
    }

    #[test]
    fn what_nothing_leads_to_goes_with_all_its_impls() {
        let source = "struct A; struct B(C); struct C; trait T { fn t(&self); fn new() {} }
            impl T for A { fn t(&self) {} } impl T for B { fn t(&self) {} }
            impl A { fn new() {} fn old() {} } impl B { fn new() {} fn from(c: C) {} }
            forward! { T, A } forward! { T, B } fn unsaid() { B } fn main() { A::new() as dyn T }";
        let subject = Subject::new([("src/main.rs".into(), source.as_bytes().to_vec())]);
        let all = besides_main(&subject);
        let gone = unreachable(&subject, &all);
        let gone: Vec<&str> = gone
            .iter()
            .map(|at| &source[all[*at].range.clone()])
            .collect();
        assert_eq!(
            gone,
            [
                "struct B(C);",
                "struct C;",
                "impl T for B { fn t(&self) {} }",
                "fn t(&self) {}",
                "fn old() {}",
                "impl B { fn new() {} fn from(c: C) {} }",
                "fn new() {}",
                "fn from(c: C) {}",
                "forward! { T, B }",
                "fn unsaid() { B }",
            ]
        );
    }

    #[test]
    fn an_impl_without_code_needs_its_trait_and_its_type() {
        let gone = unneeded(&[(
            "src/main.rs",
            "struct A; struct B; trait T {} impl T for A {} impl T for B {} fn main() { f::<A, dyn T>() }",
        )]);
        assert_eq!(gone, ["struct B;", "impl T for"]);
    }
}
