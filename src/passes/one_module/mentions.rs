//! What the text mentions by a path, and what may be a variable there instead; changes nothing.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::super::query::{At, is_fn};
use super::scopes::{Found, Resolved, Scopes};
use super::uses::is_name;
use crate::syntax::lexer::Token;
use crate::syntax::{ItemKind, Kind, NodeId, PatKind, Tree};

/// A path in the text, outside `use` items.
#[derive(Debug)]
pub(super) struct Mention<'s> {
    pub scope: usize,
    pub path: Vec<&'s str>,
    /// Where each name of the path stands.
    pub places: Vec<Range<usize>>,
    /// `None` if it leads out of the file.
    pub resolved: Option<Resolved>,
    /// Whether it may be a variable or a parameter instead.
    pub is_local: bool,
    /// Whether it starts with `$crate`.
    pub of_macro: bool,
}

/// The paths of a file, outside `use` items, attributes and what defines a name.
pub(super) fn mentions<'s>(nodes: &[At<'s>], scopes: &Scopes<'s>) -> Vec<Mention<'s>> {
    let Some(root) = nodes.first() else {
        return Vec::new();
    };
    let (tree, source): (&Tree, &str) = (root.tree, root.source);
    let tokens = tree.tokens();
    let word = |at: usize| tokens.get(at).map_or("", |token| &source[token.range()]);
    let mut skip = vec![false; tokens.len()];
    let mut of_scope = vec![0; tokens.len()];
    for at in nodes {
        let inside = |range: &Range<usize>| {
            let from = tokens.partition_point(|token| (token.start as usize) < range.start);
            let to = tokens.partition_point(|token| (token.start as usize) < range.end);
            from..to.max(from)
        };
        let whole = inside(&at.node.range);
        if let Some(number) = scopes.all.iter().position(|scope| scope.at.id == at.id) {
            of_scope[whole.clone()].fill(number);
        }
        let skipped = match at.kind() {
            Kind::Attribute | Kind::Doc | Kind::Visibility | Kind::Item(ItemKind::Use) => whole,
            Kind::FieldValue | Kind::FieldPat => whole.start..whole.start + 1,
            Kind::GenericArg if word(whole.start + 1) == "=" => whole.start..whole.start + 1,
            Kind::Item(ItemKind::Impl | ItemKind::MacroCall) => continue,
            Kind::Item(_) | Kind::Member(_) | Kind::Field | Kind::Variant | Kind::GenericParam => {
                match &at.node.name {
                    Some(name) => inside(name),
                    None => continue,
                }
            }
            _ => continue,
        };
        let end = skipped.end.min(tokens.len());
        skip[skipped.start.min(end)..end].fill(true);
    }
    let rules = Rules::of(nodes, tokens, &of_scope);
    let mut locals = Locals::default();
    let mut found = Vec::new();
    for attribute in nodes.iter().filter(|at| at.kind() == Kind::Attribute) {
        for (name, place) in attribute.words(&attribute.range()) {
            let token = tokens.partition_point(|token| (token.start as usize) < place.start);
            let is_path = word(token + 1) == "::" || token > 0 && word(token - 1) == "::";
            if is_name(tokens[token].kind, name) && !is_path {
                let (scope, path) = (of_scope[token], vec![name]);
                found.push(Mention {
                    scope,
                    resolved: scopes.resolve(scope, &path, false),
                    path,
                    // It cannot become anything else.
                    places: Vec::new(),
                    is_local: false,
                    of_macro: false,
                });
            }
        }
    }
    let mut at = 0;
    while at < tokens.len() {
        let start = at;
        at += 1;
        let before = start.checked_sub(1).map_or("", word);
        let of_macro = before == "$" && word(start) == "crate";
        if skip[start]
            || !is_name(tokens[start].kind, word(start))
            || matches!(before, "." | "::")
            || before == "$" && !of_macro
        {
            continue;
        }
        let mut path = vec![word(start)];
        let mut places = vec![tokens[start].range()];
        while word(at) == "::"
            && tokens
                .get(at + 1)
                .is_some_and(|next| is_name(next.kind, word(at + 1)))
        {
            path.push(word(at + 1));
            places.push(tokens[at + 1].range());
            at += 2;
        }
        let is_alone = path.len() == 1;
        if path[0] == "Self"
            || is_alone && matches!(path[0], "self" | "super" | "crate" | "_")
            || word(at) == "!" && matches!(word(at + 1), "(" | "[" | "{")
        {
            continue;
        }
        let last = path[path.len() - 1];
        let is_value = word(at) == "(" || !last.starts_with(char::is_uppercase);
        let scope = of_scope[start];
        // Of other words in rules – a fragment's kind, a field – nobody knows that they are paths.
        let is_path = !is_alone
            || last.starts_with(char::is_uppercase)
            || word(at) == "(" && !matches!(before, "fn" | ":");
        let resolved = scopes.resolve(scope, &path, is_value).or_else(|| {
            let rules = Some(&rules).filter(|_| is_path);
            rules?.resolve(scopes, start, &path, is_value)
        });
        let is_local = locals.have(root, &places[0], path[0], is_alone);
        found.push(Mention {
            scope,
            path,
            places,
            resolved,
            is_local,
            of_macro,
        });
    }
    found
}

/// The rules of macros, with where they are called: what they mention is looked for there.
struct Rules<'s> {
    /// Of each token, the macro in whose rules it stands.
    around: Vec<Option<&'s str>>,
    /// The scopes with calls of a macro that are in no rules.
    scopes: BTreeMap<&'s str, BTreeSet<usize>>,
    /// The macros in whose rules there are calls of a macro.
    callers: BTreeMap<&'s str, BTreeSet<&'s str>>,
}

impl<'s> Rules<'s> {
    fn of(nodes: &[At<'s>], tokens: &[Token], of_scope: &[usize]) -> Rules<'s> {
        let mut rules = Rules {
            around: vec![None; tokens.len()],
            scopes: BTreeMap::new(),
            callers: BTreeMap::new(),
        };
        let Some(root) = nodes.first() else {
            return rules;
        };
        let word = |at: usize| -> &'s str {
            let token = tokens.get(at);
            token.map_or("", |token| &root.source[token.range()])
        };
        for at in nodes {
            if let (Kind::Item(ItemKind::MacroRules), Some(name)) = (at.kind(), at.name()) {
                let inside = |token: &Token| at.range().contains(&(token.start as usize));
                let own = tokens.iter().zip(&mut rules.around);
                own.filter(|(token, _)| inside(token))
                    .for_each(|(_, around)| *around = Some(name));
            }
        }
        for at in 0..tokens.len() {
            if word(at + 1) == "!" && is_name(tokens[at].kind, word(at)) {
                match rules.around[at] {
                    Some(caller) => rules.callers.entry(word(at)).or_default().insert(caller),
                    None => (rules.scopes.entry(word(at)).or_default()).insert(of_scope[at]),
                };
            }
        }
        rules
    }

    /// What a `path` that begins with the token `at` leads to wherever the rules that it stands in are called.
    fn resolve(
        &self,
        scopes: &Scopes<'s>,
        at: usize,
        path: &[&'s str],
        is_value: bool,
    ) -> Option<Resolved> {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open = vec![self.around[at]?];
        let mut called: BTreeSet<usize> = BTreeSet::new();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                called.extend(self.scopes.get(next).into_iter().flatten());
                open.extend(self.callers.get(next).into_iter().flatten());
            }
        }
        let mut found = called
            .into_iter()
            .map(|scope| scopes.resolve(scope, path, is_value));
        let first = found.next()??;
        let import = |resolved: Resolved| match resolved.found {
            Found::Import(import) => Some(&scopes.imports[import].import),
            _ => None,
        };
        let is_the_same = |other: Resolved| {
            other == first || import(other).is_some() && import(other) == import(first)
        };
        found
            .all(|other| other.is_some_and(is_the_same))
            .then_some(first)
    }
}

/// The names of variables and of parameters, by the function or the item that they belong to.
#[derive(Default)]
struct Locals<'s> {
    known: HashMap<NodeId, BTreeSet<&'s str>>,
}

impl<'s> Locals<'s> {
    /// Whether what is mentioned at `place` may be a parameter of what it stands in or, if it is `alone`, a variable.
    fn have(&mut self, root: &At<'s>, place: &Range<usize>, name: &str, alone: bool) -> bool {
        let Some(id) = root.tree.innermost(place) else {
            return false;
        };
        let at = At {
            id,
            node: root.tree.node(id),
            ..*root
        };
        std::iter::once(at).chain(at.ancestors()).any(|outer| {
            let names = self.known.entry(outer.id).or_insert_with(|| {
                let mut names: BTreeSet<&str> = BTreeSet::new();
                let parameters = outer.children(|kind| kind == Kind::GenericParam);
                names.extend(parameters.into_iter().filter_map(At::name));
                if is_fn(outer.kind()) {
                    let patterns = outer
                        .inside(|kind| matches!(kind, Kind::Pat(PatKind::Ident) | Kind::FieldPat));
                    for pattern in patterns {
                        let words = pattern.words(&pattern.range());
                        let own = words.iter().find(|word| !matches!(word.0, "ref" | "mut"));
                        names.extend(own.map(|own| own.0));
                    }
                }
                names
            });
            let is_variable = name.starts_with(|c: char| c.is_lowercase() || c == '_');
            names.contains(name) && (alone || !is_variable)
        })
    }
}
