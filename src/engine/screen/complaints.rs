//! What names alone show to be wrong with a subject. Without scopes of modules and without types: too
//! few complaints by far, and now and then a wrong one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

use super::facts::{
    Facts, KNOWN, LocalNames, children, count, hash, is_generic, is_opaque, is_parameter, named,
    trait_of,
};
use crate::subject::Subject;
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::{
    ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, StmtKind, Tree, TypeKind,
};

/// What kind of thing is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A name that nothing defines any more.
    Undefined,
    /// A field or a method that nothing defines any more.
    UndefinedMember,
    /// A lifetime that nothing declares.
    UndeclaredLifetime,
    /// A member that its trait does not have, or has and its impl has not.
    ImplMembers,
    /// A member of an impl that differs from the trait's in the number of its parameters.
    ImplShape,
    /// A call with a number of arguments that no function of the name takes.
    Arguments,
    /// A type or a bound with a number of generic arguments that it does not take.
    GenericArguments,
    /// `_` where types have to be written.
    Placeholder,
    /// A generic parameter of a type that is not used in it.
    UnusedParameter,
    /// A generic parameter of an impl that neither trait nor type mention.
    Unconstrained,
    /// A field too many or too few.
    Fields,
    /// Two definitions of one name in one place.
    Duplicate,
    /// A reference without a lifetime where one has to be given.
    MissingLifetime,
    /// An empty body where a value is returned.
    EmptyBody,
    /// A block that ends without the value that it has to have.
    NoValue,
}

/// The complaints about one subject.
#[derive(Debug, Default)]
pub struct Complaints {
    found: HashSet<(Class, u64)>,
    local: LocalNames,
}

impl Complaints {
    /// The complaints about `subject`, where the names in `local` are no names of other crates.
    pub fn of(subject: &Subject, local: &LocalNames) -> Complaints {
        let facts = Facts::of(subject);
        let mut complaints = Complaints {
            found: HashSet::new(),
            local: facts.local_names(),
        };
        let mut about = About {
            found: &mut complaints.found,
            facts: &facts,
            local,
        };
        for (file, version, tree) in subject.sources() {
            let source = version.source();
            about.mentions(file, source, tree);
            for (id, node) in tree.nodes() {
                about.node(file, source, tree, id, node);
            }
        }
        complaints
    }

    /// The names that the subject defines.
    pub fn local_names(&self) -> &LocalNames {
        &self.local
    }

    /// The classes of the complaints that `before` does not have.
    pub fn beyond(&self, before: &Complaints) -> BTreeSet<Class> {
        self.found
            .difference(&before.found)
            .map(|(class, _)| *class)
            .collect()
    }
}

struct About<'a, 's> {
    found: &'a mut HashSet<(Class, u64)>,
    facts: &'a Facts<'s>,
    local: &'a LocalNames,
}

impl About<'_, '_> {
    fn add(&mut self, class: Class, about: impl Hash) {
        self.found.insert((class, hash(&about)));
    }

    fn mentions(&mut self, file: FileId, source: &str, tree: &Tree) {
        let mut before = "";
        for token in tree.tokens() {
            let word = &source[token.range()];
            let key = hash(&word);
            if matches!(token.kind, TokenKind::Ident | TokenKind::Lifetime)
                && (self.local.defined.contains(&key) || self.local.used.contains(&key))
            {
                self.mention(file, source, tree, token, before);
            }
            before = word;
        }
    }

    fn mention(&mut self, file: FileId, source: &str, tree: &Tree, token: &Token, before: &str) {
        let word = &source[token.range()];
        let Some(inner) = tree.innermost(&token.range()) else {
            return;
        };
        let in_use = std::iter::once(inner)
            .chain(tree.ancestors(inner))
            .any(|id| tree.node(id).kind == Kind::Item(ItemKind::Use));
        if self.facts.knows(file, word, token.start as usize, in_use)
            // What was known by `use` alone comes from another crate.
            || in_use && !self.local.defined.contains(&hash(&word))
            || before == "." && self.local.modules.contains(&hash(&word))
            || is_opaque(tree, source, inner)
        {
            return;
        }
        let class = match (token.kind, before) {
            (TokenKind::Lifetime, _) => Class::UndeclaredLifetime,
            (_, ".") => Class::UndefinedMember,
            _ => Class::Undefined,
        };
        let owner = tree
            .ancestors(inner)
            .find_map(|outer| named(source, tree.node(outer)));
        self.add(class, (word, owner));
    }

    fn node(&mut self, file: FileId, source: &str, tree: &Tree, id: NodeId, node: &Node) {
        match node.kind {
            Kind::Item(ItemKind::Impl) if !is_opaque(tree, source, id) => {
                self.implementation(source, tree, node);
            }
            Kind::Item(ItemKind::Struct | ItemKind::Enum | ItemKind::Union) => {
                self.unused(source, tree, node);
            }
            Kind::Expr(ExprKind::Call | ExprKind::MethodCall) => {
                self.call(file, source, tree, id, node);
            }
            Kind::Type(TypeKind::Path) | Kind::Bound => self.arguments(file, source, tree, node),
            Kind::Type(TypeKind::Infer) => self.placeholder(source, tree, id),
            Kind::Type(TypeKind::Reference) => self.reference(source, tree, id, node),
            Kind::Expr(ExprKind::Struct) | Kind::Pat(PatKind::Struct) => {
                self.fields(source, tree, node);
            }
            Kind::Body => {
                self.body(source, tree, id, node);
                self.values(source, tree, id, node);
            }
            Kind::Stmt(StmtKind::Let) => self.value_of_a_variable(source, tree, node),
            Kind::File | Kind::Item(ItemKind::Mod) => self.duplicates(source, tree, node),
            _ => {}
        }
    }

    fn implementation(&mut self, source: &str, tree: &Tree, node: &Node) {
        let of = trait_of(source, tree, node);
        let itself = children(tree, node)
            .find(|child| matches!(child.kind, Kind::Type(_)))
            .map(|ty| ty.range.clone());
        let who = itself.clone().map(|range| &source[range]);
        let members: Vec<&Node> = children(tree, node)
            .filter(|child| matches!(child.kind, Kind::Member(_)))
            .collect();
        let complete = !members
            .iter()
            .any(|member| member.kind == Kind::Member(ItemKind::MacroCall));
        if let Some(known) = of.and_then(|of| self.facts.traits.get(of))
            && let [expected] = &known[..]
            && complete
        {
            let given: HashMap<&str, &Node> = members
                .iter()
                .filter_map(|member| Some((named(source, member)?, *member)))
                .collect();
            for (name, member) in expected {
                match given.get(name) {
                    None if member.required => self.add(Class::ImplMembers, (of, who, name)),
                    None => {}
                    Some(given)
                        if count(tree, given, is_parameter) != member.parameters
                            || count(tree, given, is_generic) != member.generics =>
                    {
                        self.add(Class::ImplShape, (of, who, name));
                    }
                    Some(_) => {}
                }
            }
            for name in given.keys().filter(|name| !expected.contains_key(*name)) {
                self.add(Class::ImplMembers, (of, who, name));
            }
        }
        let header = children(tree, node)
            .filter(|child| child.kind == Kind::TraitRef || itself.as_ref() == Some(&child.range))
            .map(|child| child.range.clone());
        let mut mentioned: BTreeSet<&str> = BTreeSet::new();
        header.for_each(|range| mentioned.extend(tree.identifiers(source, &range)));
        for parameter in children(tree, node).filter(|child| is_generic(child.kind)) {
            let Some(name) = named(source, parameter) else {
                continue;
            };
            let bound = tree.tokens_in(&node.range).windows(2).any(|pair| {
                matches!(&source[pair[0].range()], "=" | "->") && &source[pair[1].range()] == name
            });
            if !name.starts_with('\'') && !mentioned.contains(name) && !bound {
                self.add(Class::Unconstrained, (of, who, name));
            }
        }
    }

    fn unused(&mut self, source: &str, tree: &Tree, node: &Node) {
        let contents: Vec<Range<usize>> = children(tree, node)
            .filter(|child| matches!(child.kind, Kind::Field | Kind::Variant))
            .map(|child| child.range.clone())
            .collect();
        for parameter in children(tree, node).filter(|child| is_generic(child.kind)) {
            let constant = source[parameter.range.clone()].starts_with("const");
            let Some(name) = named(source, parameter).filter(|_| !constant) else {
                continue;
            };
            let used = contents
                .iter()
                .flat_map(|range| tree.tokens_in(range))
                .any(|token| &source[token.range()] == name);
            if !used {
                self.add(Class::UnusedParameter, (named(source, node), name));
            }
        }
    }

    fn call(&mut self, file: FileId, source: &str, tree: &Tree, id: NodeId, node: &Node) {
        let Some(name) = named(source, node) else {
            return;
        };
        let mut arguments = count(tree, node, |kind| matches!(kind, Kind::Expr(_)));
        arguments = arguments.saturating_sub(1);
        let known = match node.kind {
            Kind::Expr(ExprKind::MethodCall) => self.facts.methods.get(name),
            _ => self.facts.calls.get(name),
        };
        let local = self.facts.within.contains_key(&(file, name));
        if !local
            && known.is_some_and(|known| !known.contains(&arguments))
            && !is_opaque(tree, source, id)
        {
            self.add(Class::Arguments, (name, arguments));
        }
    }

    /// Generic arguments of a path of one name.
    fn arguments(&mut self, file: FileId, source: &str, tree: &Tree, node: &Node) {
        let tokens = tree.tokens_in(&node.range);
        let Some(first) = tokens
            .first()
            .filter(|token| token.kind == TokenKind::Ident)
        else {
            return;
        };
        let name = &source[first.range()];
        let next = tokens.get(1).map(|token| &source[token.range()]);
        let local = self.facts.within.contains_key(&(file, name));
        let Some(known) = self.facts.generics.get(name).filter(|_| !local) else {
            return;
        };
        let given = match next {
            None => 0,
            Some("<") => {
                let arguments = children(tree, node).find(|child| child.kind == Kind::GenericArgs);
                let Some(arguments) = arguments.filter(|found| found.range.end == node.range.end)
                else {
                    return;
                };
                let given = children(tree, arguments).filter(|one| {
                    let words = tree.tokens_in(&one.range);
                    let binding = words.get(1).map(|token| &source[token.range()]);
                    !source[one.range.clone()].starts_with('\'') && binding != Some("=")
                });
                given.count()
            }
            Some(_) => return,
        };
        if !known
            .iter()
            .any(|(least, most)| (*least..=*most).contains(&given))
        {
            self.add(Class::GenericArguments, (name, given));
        }
    }

    fn placeholder(&mut self, source: &str, tree: &Tree, id: NodeId) {
        for outer in tree.ancestors(id).map(|outer| tree.node(outer)) {
            match outer.kind {
                Kind::Expr(_) | Kind::Stmt(_) | Kind::Body | Kind::Block => return,
                Kind::Item(_) | Kind::Member(_) => {
                    return self.add(Class::Placeholder, named(source, outer));
                }
                _ => {}
            }
        }
    }

    fn reference(&mut self, source: &str, tree: &Tree, id: NodeId, node: &Node) {
        if children(tree, node).any(|child| child.kind == Kind::Lifetime) {
            return;
        }
        for outer in tree.ancestors(id).map(|outer| tree.node(outer)) {
            match outer.kind {
                Kind::Type(TypeKind::FnPtr) | Kind::Bound | Kind::GenericArgs => return,
                Kind::Field => return self.add(Class::MissingLifetime, named(source, outer)),
                Kind::Item(_) | Kind::Member(_) => return,
                _ => {}
            }
        }
    }

    fn fields(&mut self, source: &str, tree: &Tree, node: &Node) {
        let Some(name) = named(source, node) else {
            return;
        };
        let Some([expected]) = self.facts.fields.get(name).map(Vec::as_slice) else {
            return;
        };
        let given: BTreeSet<&str> = children(tree, node)
            .filter(|child| matches!(child.kind, Kind::FieldValue | Kind::FieldPat))
            .filter_map(|child| {
                let mut words = tree.identifiers(source, &child.range);
                words.find(|word| !matches!(*word, "ref" | "mut"))
            })
            .collect();
        let rest = children(tree, node).any(|child| child.kind == Kind::Rest);
        for field in expected.symmetric_difference(&given) {
            if given.contains(field) || !rest {
                self.add(Class::Fields, (name, field, format!("{:?}", node.kind)));
            }
        }
    }

    fn body(&mut self, source: &str, tree: &Tree, id: NodeId, node: &Node) {
        let empty = tree.weight(&node.range) == 2;
        let Some(function) = tree.parent(id).filter(|_| empty) else {
            return;
        };
        let returns = children(tree, function).find(|child| child.kind == Kind::ReturnType);
        let value = returns.is_some_and(|returns| {
            children(tree, returns).any(|ty| {
                let text = &source[ty.range.clone()];
                match ty.kind {
                    Kind::Type(TypeKind::Path) => KNOWN.contains(&text) && text != "Self",
                    Kind::Type(
                        TypeKind::Reference | TypeKind::Array | TypeKind::Slice | TypeKind::Ptr,
                    ) => true,
                    _ => false,
                }
            })
        });
        if value {
            self.add(Class::EmptyBody, named(source, function));
        }
    }

    /// A body has a value where the function returns one.
    fn values(&mut self, source: &str, tree: &Tree, id: NodeId, node: &Node) {
        let Some(function) = tree.parent(id) else {
            return;
        };
        let returns = children(tree, function).find(|child| child.kind == Kind::ReturnType);
        let nothing = |returns: &Node| {
            let text = &source[returns.range.clone()];
            text.ends_with("()") || text.ends_with('!')
        };
        if returns.is_none_or(nothing) || tree.weight(&node.range) == 2 {
            return;
        }
        let mut missing = 0;
        without_value(source, tree, node, &mut missing);
        for number in 0..missing {
            self.add(Class::NoValue, (named(source, function), number));
        }
    }

    /// So has each branch of what a variable begins with.
    fn value_of_a_variable(&mut self, source: &str, tree: &Tree, node: &Node) {
        let mut missing = 0;
        let init = children(tree, node).find(|child| child.kind == Kind::Init);
        if let Some(value) = init.and_then(|init| children(tree, init).next()) {
            branches_without_value(source, tree, value, &mut missing);
        }
        let pattern = children(tree, node).find(|child| matches!(child.kind, Kind::Pat(_)));
        let pattern = pattern.map(|pattern| &source[pattern.range.clone()]);
        for number in 0..missing {
            self.add(Class::NoValue, (pattern, number));
        }
    }

    fn duplicates(&mut self, source: &str, tree: &Tree, node: &Node) {
        let mut seen = HashSet::new();
        for child in children(tree, node) {
            let Kind::Item(kind) = child.kind else {
                continue;
            };
            let values = matches!(kind, ItemKind::Fn | ItemKind::Const | ItemKind::Static);
            let macros = matches!(kind, ItemKind::MacroRules | ItemKind::MacroCall);
            if let Some(name) = named(source, child)
                && !macros
                && !seen.insert((name, values))
            {
                self.add(Class::Duplicate, name);
            }
        }
    }
}

/// What a statement begins with that does not come to its end.
const LEAVES: [&str; 8] = [
    "break",
    "continue",
    "loop",
    "panic",
    "return",
    "todo",
    "unimplemented",
    "unreachable",
];

/// Counts the blocks that have to have the value of `block`, itself included, and end without one.
fn without_value(source: &str, tree: &Tree, block: &Node, missing: &mut usize) {
    let statements = children(tree, block).filter(|child| matches!(child.kind, Kind::Stmt(_)));
    let Some(last) = statements.last() else {
        // What holds nothing but a macro's tokens is not known.
        *missing += usize::from(tree.weight(&block.range) == 2);
        return;
    };
    let text = &source[last.range.clone()];
    if text.ends_with(';') || last.kind == Kind::Stmt(StmtKind::Let) {
        let leaves = tree
            .identifiers(source, &last.range)
            .any(|word| LEAVES.contains(&word));
        *missing += usize::from(!leaves);
    } else if let Some(value) = children(tree, last).next() {
        branches_without_value(source, tree, value, missing);
    }
}

/// The same for the branches of an expression.
fn branches_without_value(source: &str, tree: &Tree, value: &Node, missing: &mut usize) {
    let has_else = children(tree, value).any(|child| child.kind == Kind::Else);
    for child in children(tree, value) {
        match (value.kind, child.kind) {
            (Kind::Expr(ExprKind::If), Kind::Block) if has_else => {
                without_value(source, tree, child, missing);
            }
            (Kind::Expr(ExprKind::Block), Kind::Block) => {
                without_value(source, tree, child, missing);
            }
            (Kind::Expr(ExprKind::If), Kind::Else) | (Kind::Expr(ExprKind::Match), Kind::Arm) => {
                let inner = children(tree, child)
                    .filter(|inner| matches!(inner.kind, Kind::Expr(_)))
                    .last();
                if let Some(inner) = inner {
                    branches_without_value(source, tree, inner, missing);
                }
            }
            _ => {}
        }
    }
}
