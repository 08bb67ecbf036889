//! What a type is called at a place. The program knows types by where they are defined; the text by what is in scope.

use std::collections::{BTreeMap, BTreeSet};

use super::super::query::{At, all, is_lifetime};
use super::super::written::{LIFETIME, Written};
use crate::subject::Subject;
use crate::syntax::{FileId, ItemKind, Kind};

/// A module: the root of its crate, and its path there.
pub(super) type Module = (FileId, Vec<String>);

/// Where the types of a subject are defined, and what each module calls them.
pub struct Names {
    modules: BTreeMap<FileId, Module>,
    /// The types by module and name: the root of the crate that each is in, and how many lifetimes it has.
    defined: BTreeMap<(Vec<String>, String), Vec<Defined>>,
    /// What is imported in each module, by name.
    imported: BTreeMap<Module, BTreeMap<String, String>>,
}

/// The root of a type's crate, and how many lifetimes it has.
type Defined = (FileId, usize);

/// The crates of the standard library.
const STANDARD: [&str; 3] = ["core", "alloc", "std"];

/// Types that are in scope everywhere.
const PRELUDE: [&str; 5] = ["Option", "Vec", "String", "Box", "Result"];

impl Names {
    /// Those of `subject`.
    pub fn of(subject: &Subject) -> Names {
        let mut names = Names {
            modules: modules(subject),
            defined: BTreeMap::new(),
            imported: BTreeMap::new(),
        };
        let types = |kind| {
            use ItemKind::{Enum, Struct, Union};
            matches!(kind, Kind::Item(Enum | Struct | Union))
        };
        for item in all(subject, types) {
            let (root, path) = names.module(item);
            if let Some(name) = item.name() {
                let parameters = item.children(|kind| kind == Kind::GenericParam);
                let lifetimes = parameters.iter().filter(|at| is_lifetime(at));
                let all = names.defined.entry((path, name.to_string())).or_default();
                all.push((root, lifetimes.count()));
            }
        }
        for item in all(subject, |kind| kind == Kind::Item(ItemKind::Use)) {
            let words = item.words(&item.range());
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let start = words.iter().position(|word| *word == "use");
            let words = &words[start.map_or(words.len(), |at| at + 1)..];
            let module = names.module(item);
            let own = names.imported.entry(module).or_default();
            leaves(words, "", own);
        }
        names
    }

    /// The module around a node.
    pub fn module(&self, at: At) -> Module {
        let (root, mut path) = self
            .modules
            .get(&at.file)
            .cloned()
            .unwrap_or((at.file, Vec::new()));
        let inline = at
            .ancestors()
            .filter(|outer| outer.kind() == Kind::Item(ItemKind::Mod));
        let mut inline: Vec<String> = inline
            .filter_map(|outer| Some(outer.name()?.to_string()))
            .collect();
        inline.reverse();
        path.extend(inline);
        (root, path)
    }

    /// How what is defined as `name` in a module of the same crate is written in another one, and whether it is in scope there.
    pub fn path(&self, (_, path): &Module, name: &str, place: &Module) -> (String, bool) {
        let imports = |module: &Module| {
            let imported = self.imported.get(module);
            imported.is_some_and(|names| names.contains_key(name))
        };
        if imports(place) || *path == place.1 {
            return (name.to_string(), true);
        }
        // What imports it and is around the place is nearer.
        let mut around = (0..place.1.len()).map(|length| (place.0, place.1[..length].to_vec()));
        let nearest = around.find(imports).map(|(_, module)| module);
        let nearest = nearest.filter(|module| module.len() < path.len());
        let path = nearest.as_ref().unwrap_or(path).iter().map(String::as_str);
        let path: Vec<&str> = ["crate"].into_iter().chain(path).chain([name]).collect();
        (path.join("::"), false)
    }

    /// What the program calls `name`, as it is written in a module, but for lifetimes; `None` if it cannot be.
    pub fn written(&self, name: &str, module: &Module) -> Option<Written> {
        let mut parser = Parser {
            names: self,
            module,
            rest: name,
        };
        let text = parser.ty()?;
        parser.rest.is_empty().then_some(Written::new(text))
    }
}

/// The module that each file is.
fn modules(subject: &Subject) -> BTreeMap<FileId, Module> {
    let mut found: BTreeMap<FileId, Module> = BTreeMap::new();
    found.extend(
        subject
            .roots()
            .iter()
            .map(|root| (*root, (*root, Vec::new()))),
    );
    let tree = subject.modules();
    loop {
        let before = found.len();
        for ((file, node), below) in &tree.files {
            let Some((root, path)) = found.get(file).cloned() else {
                continue;
            };
            let (source, syntax) = (subject.file(*file).source(), subject.file(*file).tree());
            let Some(syntax) = syntax else { continue };
            let name = |id| {
                let name = syntax.node(id).name.clone()?;
                Some(source[name].to_string())
            };
            let outer = syntax.ancestors(*node);
            let outer = outer.filter(|id| syntax.node(*id).kind == Kind::Item(ItemKind::Mod));
            let mut inner: Vec<String> = outer.filter_map(name).collect();
            inner.reverse();
            inner.extend(name(*node));
            found
                .entry(*below)
                .or_insert((root, [path, inner].concat()));
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Adds what the tree of a `use` item brings in, behind `path`: each name with where it is from. Returns the words behind it.
fn leaves<'w>(
    mut words: &'w [&'w str],
    path: &str,
    found: &mut BTreeMap<String, String>,
) -> &'w [&'w str] {
    let mut path = path.to_string();
    loop {
        match words {
            ["{", rest @ ..] => {
                words = rest;
                loop {
                    words = match words {
                        ["}", rest @ ..] => return rest,
                        [",", rest @ ..] => rest,
                        [] => return words,
                        _ => leaves(words, &path, found),
                    };
                }
            }
            [name, "as", alias, rest @ ..] => {
                found.insert(alias.to_string(), format!("{path}{name}"));
                return rest;
            }
            [name, "::", rest @ ..] => {
                path.push_str(name);
                path.push_str("::");
                words = rest;
            }
            ["::", rest @ ..] => words = rest,
            [name, rest @ ..] => {
                found.insert(name.to_string(), format!("{path}{name}"));
                return rest;
            }
            [] => return words,
        }
    }
}

/// Reads what `type_name` gives, and writes it as the text has it.
struct Parser<'n> {
    names: &'n Names,
    module: &'n Module,
    rest: &'n str,
}

impl Parser<'_> {
    fn takes(&mut self, prefix: &str) -> bool {
        let rest = self.rest.strip_prefix(prefix);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn word(&mut self) -> Option<String> {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
        let end = self
            .rest
            .find(|c: char| !is_part(c))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then(|| word.to_string())
    }

    fn list(&mut self, end: &str) -> Option<Vec<String>> {
        let mut found = Vec::new();
        while !self.takes(end) {
            found.push(self.ty()?);
            let _ = self.takes(", ") || self.takes(",");
        }
        Some(found)
    }

    fn ty(&mut self) -> Option<String> {
        if self.takes("'") {
            self.word()?;
            return Some(LIFETIME.to_string());
        }
        if self.takes("&mut ") {
            return Some(format!("&{LIFETIME} mut {}", self.ty()?));
        }
        if self.takes("&") {
            return Some(format!("&{LIFETIME} {}", self.ty()?));
        }
        for pointer in ["*const ", "*mut "] {
            if self.takes(pointer) {
                return Some(format!("{pointer}{}", self.ty()?));
            }
        }
        if self.takes("!") {
            return Some("!".into());
        }
        if self.takes("(") {
            let parts = self.list(")")?;
            return Some(match &parts[..] {
                [only] => format!("({only},)"),
                all => format!("({})", all.join(", ")),
            });
        }
        if self.takes("[") {
            let inner = self.ty()?;
            if self.takes("; ") {
                let length = self.word()?;
                return self.takes("]").then(|| format!("[{inner}; {length}]"));
            }
            return self.takes("]").then(|| format!("[{inner}]"));
        }
        self.path()
    }

    fn path(&mut self) -> Option<String> {
        let mut segments = vec![self.word()?];
        let mut arguments = Vec::new();
        loop {
            if self.takes("::") {
                segments.push(self.word()?);
            } else if self.takes("<") {
                arguments = self.list(">")?;
            } else {
                break;
            }
        }
        // What names a trait, a closure or a function is followed by something else, or has no such name.
        if matches!(
            &segments[0][..],
            "dyn" | "fn" | "unsafe" | "extern" | "impl" | "for"
        ) {
            return None;
        }
        let (name, lifetimes) = self.name(&segments)?;
        let told = arguments.iter().any(|argument| argument == LIFETIME);
        let lifetimes = if told { 0 } else { lifetimes };
        let lifetimes = std::iter::repeat_n(LIFETIME.to_string(), lifetimes);
        let arguments: Vec<String> = lifetimes.chain(arguments).collect();
        Some(match arguments.is_empty() {
            true => name,
            false => format!("{name}<{}>", arguments.join(", ")),
        })
    }

    /// What is written for a path of a type, and how many lifetimes that has.
    fn name(&self, segments: &[String]) -> Option<(String, usize)> {
        let [krate, path @ .., name] = segments else {
            // A type of the language itself.
            return Some((segments.first()?.clone(), 0));
        };
        let (root, _) = self.module;
        let in_scope = self.names.imported.get(self.module);
        let in_scope = in_scope.is_some_and(|names| names.contains_key(name));
        let standard = STANDARD.contains(&krate.as_str());
        let defined = self.names.defined.get(&(path.to_vec(), name.clone()));
        if let Some(places) = defined.filter(|_| !standard) {
            let own = places.iter().find(|(other, _)| other == root);
            let (_, lifetimes) = own.or(places.first())?;
            let text = match own {
                Some(_) => {
                    self.names
                        .path(&(*root, path.to_vec()), name, self.module)
                        .0
                }
                None => segments.join("::"),
            };
            return Some((text, *lifetimes));
        }
        if in_scope || standard && PRELUDE.contains(&name.as_str()) {
            return Some((name.clone(), 0));
        }
        let local = |path: &str| {
            ["crate", "self", "super"].contains(&path.split("::").next().unwrap_or(path))
        };
        let elsewhere: BTreeSet<&String> = self
            .names
            .imported
            .values()
            .filter_map(|names| names.get(name))
            .filter(|path| !local(path))
            .collect();
        if let Some(path) = elsewhere.first() {
            return Some(((*path).clone(), 0));
        }
        Some(match (standard, path.first()) {
            // Its modules are public, what they are made of is not.
            (true, Some(module)) => (format!("std::{module}::{name}"), 0),
            _ => (format!("{krate}::{name}"), 0),
        })
    }
}
