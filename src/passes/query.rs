//! What a pass asks of syntax: nodes with the text around them, names, mentions. Knows no element's
//! purpose.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::subject::{Element, Subject};
use crate::syntax::lexer::TokenKind;
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Tree, TypeKind, lexer};

/// A node together with the file that it stands in.
#[derive(Debug, Clone, Copy)]
pub(super) struct At<'s> {
    pub file: FileId,
    pub source: &'s str,
    pub tree: &'s Tree,
    pub id: NodeId,
    pub node: &'s Node,
}

/// The nodes of all files that `wanted` takes, by file and parents first.
pub(super) fn all<'s>(subject: &'s Subject, wanted: fn(Kind) -> bool) -> Vec<At<'s>> {
    let mut found = Vec::new();
    for (file, version, tree) in subject.sources() {
        let here = tree.nodes().filter(|(_, node)| wanted(node.kind));
        found.extend(here.map(|(id, node)| At {
            file,
            source: version.source(),
            tree,
            id,
            node,
        }));
    }
    found
}

/// All calls, by the name of what is called.
pub(super) fn calls_by_name(subject: &Subject) -> BTreeMap<&str, Vec<At<'_>>> {
    let is_call = |kind| matches!(kind, Kind::Expr(ExprKind::Call | ExprKind::MethodCall));
    let mut calls: BTreeMap<&str, Vec<At>> = BTreeMap::new();
    for call in all(subject, is_call) {
        let name = call.name().unwrap_or_default();
        calls.entry(name).or_default().push(call);
    }
    calls
}

/// Whether `sign`, between two operands or behind a place, assigns to the left one: `=`, `+=` and their like.
pub(super) fn assigns(sign: &str) -> bool {
    sign.ends_with('=') && !matches!(sign, "==" | "!=" | "<=" | ">=")
}

/// The nodes of a file that lie in `range` and that `wanted` takes.
pub(super) fn nodes_in<'s>(
    subject: &'s Subject,
    file: FileId,
    range: &Range<usize>,
    wanted: fn(Kind) -> bool,
) -> Vec<At<'s>> {
    let version = subject.file(file);
    let Some(tree) = version.tree() else {
        return Vec::new();
    };
    let inside = tree.nodes().filter(|(_, node)| {
        wanted(node.kind) && range.start <= node.range.start && node.range.end <= range.end
    });
    let found = inside.map(|(id, node)| At {
        file,
        source: version.source(),
        tree,
        id,
        node,
    });
    found.collect()
}

/// The innermost node of a file around `range`.
pub(super) fn at_place<'s>(
    subject: &'s Subject,
    file: FileId,
    range: &Range<usize>,
) -> Option<At<'s>> {
    let tree = subject.file(file).tree()?;
    At::new(subject, file, tree.innermost(range)?)
}

/// The function that `range` of a file is in, the innermost.
pub fn function_around(
    subject: &Subject,
    file: FileId,
    range: &Range<usize>,
) -> Option<(FileId, Range<usize>)> {
    let at = at_place(subject, file, range)?;
    let mut around = std::iter::once(at).chain(at.ancestors());
    let function = around.find(|at| is_fn(at.kind()))?;
    Some((file, function.range()))
}

impl<'s> At<'s> {
    /// `None` if the file has no tree.
    pub fn new(subject: &'s Subject, file: FileId, id: NodeId) -> Option<At<'s>> {
        let version = subject.file(file);
        let tree = version.tree()?;
        Some(At {
            file,
            source: version.source(),
            tree,
            id,
            node: tree.node(id),
        })
    }

    fn other(self, id: NodeId) -> At<'s> {
        let node = self.tree.node(id);
        At { id, node, ..self }
    }

    pub fn kind(self) -> Kind {
        self.node.kind
    }

    pub fn range(self) -> Range<usize> {
        self.node.range.clone()
    }

    pub fn text(self) -> &'s str {
        &self.source[self.range()]
    }

    /// Its own name, if it defines or mentions one.
    pub fn name(self) -> Option<&'s str> {
        Some(&self.source[self.node.name.clone()?])
    }

    pub fn parent(self) -> Option<At<'s>> {
        Some(self.other(self.node.parent?))
    }

    pub fn ancestors(self) -> impl Iterator<Item = At<'s>> {
        let outer = self.tree.ancestors(self.id);
        outer.map(move |id| self.other(id))
    }

    pub fn children(self, wanted: fn(Kind) -> bool) -> Vec<At<'s>> {
        let all = self.node.children.iter().map(|id| self.other(*id));
        all.filter(|child| wanted(child.kind())).collect()
    }

    pub fn child(self, wanted: fn(Kind) -> bool) -> Option<At<'s>> {
        self.children(wanted).into_iter().next()
    }

    /// All nodes inside it, itself left out.
    pub fn inside(self, wanted: fn(Kind) -> bool) -> Vec<At<'s>> {
        let mut open = self.node.children.clone();
        let mut found = Vec::new();
        while let Some(id) = open.pop() {
            let at = self.other(id);
            open.extend(&at.node.children);
            if wanted(at.kind()) {
                found.push(at);
            }
        }
        found.sort_by_key(|at| at.id);
        found
    }

    pub fn holds(self, range: &Range<usize>) -> bool {
        self.node.range.start <= range.start && range.end <= self.node.range.end
    }

    /// The words and signs of `range`; of a `>>` that only begins in it, the first half.
    pub fn words(self, range: &Range<usize>) -> Vec<(&'s str, Range<usize>)> {
        let tokens = self.tree.tokens_in(range).iter();
        let places = tokens.map(|token| token.range().start..token.range().end.min(range.end));
        places
            .map(|place| (&self.source[place.clone()], place))
            .collect()
    }

    /// Where `name` stands inside `range` as a word of its own.
    pub fn mentions(self, name: &str, range: &Range<usize>) -> Vec<Range<usize>> {
        let tokens = self.tree.tokens_in(range).iter();
        tokens
            .filter(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Lifetime))
            .map(|token| token.range())
            .filter(|token| &self.source[token.clone()] == name)
            .collect()
    }

    pub fn cut(self) -> Edit {
        Edit::delete(self.file, self.range())
    }

    pub fn by(self, text: impl Into<String>) -> Edit {
        Edit::replace(self.file, self.range(), text.into())
    }

    pub fn edit(self, range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit::replace(self.file, range, text.into())
    }
}

/// The brace before the members of an impl, if no attribute or `unsafe` stands before that.
pub(super) fn opening_of_plain_impl(at: At) -> Option<Range<usize>> {
    let ty = at.child(is_type)?;
    let words = at.words(&at.range());
    let mut behind = words
        .iter()
        .skip_while(|(_, range)| range.start < ty.range().end);
    let is_plain = words.first().is_some_and(|(word, _)| *word == "impl");
    let (_, open) = behind.find(|(word, _)| is_plain && *word == "{")?;
    Some(open.clone())
}

pub(super) fn is_type(kind: Kind) -> bool {
    matches!(kind, Kind::Type(_))
}

pub(super) fn is_expr(kind: Kind) -> bool {
    matches!(kind, Kind::Expr(_))
}

pub(super) fn is_fn(kind: Kind) -> bool {
    matches!(kind, Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn))
}

pub(super) fn is_impl(kind: Kind) -> bool {
    kind == Kind::Item(ItemKind::Impl)
}

pub(super) fn is_parameter(kind: Kind) -> bool {
    kind == Kind::GenericParam
}

/// Attributes of functions that say nothing which a call in place would lack.
const ADVICE: [&str; 6] = ["inline", "allow", "must_use", "doc", "cold", "expect"];

/// Whether an attribute of a function says nothing which a call in place would lack.
pub(super) fn advises(attribute: &At) -> bool {
    let words = attribute.words(&attribute.range());
    words.get(2).is_some_and(|(word, _)| ADVICE.contains(word))
}

/// Whether a parameter or an argument is a lifetime.
pub(super) fn is_lifetime(at: &At) -> bool {
    at.text().starts_with('\'')
}

pub(super) fn is_member(kind: Kind) -> bool {
    matches!(kind, Kind::Member(_))
}

/// The name of the trait that a bound or the `Trait for` of an impl is about.
pub(super) fn trait_name<'s>(at: At<'s>) -> Option<&'s str> {
    let words = at.words(&at.range());
    let mut last = None;
    let mut skip = false;
    for (at, (word, _)) in words.iter().enumerate() {
        match *word {
            // `for<'a>` in front of a bound.
            "for" if at == 0 => skip = true,
            ">" if skip => skip = false,
            _ if skip => {}
            "<" | "(" | "for" => break,
            word if word.starts_with(|c: char| c.is_alphabetic() || c == '_') => last = Some(word),
            _ => {}
        }
    }
    last
}

/// The type behind all references.
pub(super) fn referent(ty: At) -> At {
    let is_reference = |at: &At| at.kind() == Kind::Type(TypeKind::Reference);
    let mut ty = ty;
    while let Some(inner) = Some(ty)
        .filter(is_reference)
        .and_then(|ty| ty.child(is_type))
    {
        ty = inner;
    }
    ty
}

/// The name of the type whose impl stands around.
pub(super) fn owner_of(at: At<'_>) -> Option<&str> {
    let mut outer = at.ancestors();
    type_of(outer.find(|outer| is_impl(outer.kind()))?)
}

/// The name of the type that an impl is of, that a field has, or that another name stands for.
pub(super) fn type_of(at: At<'_>) -> Option<&str> {
    at.child(is_type).and_then(name_of_type)
}

/// The name of the trait that an impl is of.
pub(super) fn trait_of(at: At<'_>) -> Option<&str> {
    at.child(|kind| kind == Kind::TraitRef).and_then(trait_name)
}

/// The last word of a type's path, in front of its arguments.
pub(super) fn name_of_type(ty: At<'_>) -> Option<&str> {
    let ty = Some(referent(ty)).filter(|ty| ty.kind() == Kind::Type(TypeKind::Path))?;
    let end = ty.child(|kind| kind == Kind::GenericArgs);
    let end = end.map_or(ty.node.range.end, |list| list.node.range.start);
    let words = ty.words(&(ty.node.range.start..end));
    words
        .iter()
        .rev()
        .map(|(word, _)| *word)
        .find(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// The element of these edits, if the subject gets smaller by them.
pub(super) fn smaller(subject: &Subject, kind: Kind, edits: Vec<Edit>) -> Option<Element> {
    counted(subject, kind, edits).filter(|element| element.saves > 0)
}

/// The element of these edits, nested ones counted once.
pub(super) fn counted(subject: &Subject, kind: Kind, edits: Vec<Edit>) -> Option<Element> {
    let mut element = Element::new(subject, kind, edits);
    let mut saves = 0;
    for (file, edits) in subject.edits([&element]) {
        let text = subject.file(file).text()?;
        let before = subject.file(file).tree()?.tokens().len();
        saves += before as i64 - lexer::count(text.apply(&edits).as_str()) as i64;
    }
    element.saves = saves;
    Some(element)
}

/// The arguments given for the generic parameters of what is called `owner`, everywhere: each list
/// of arguments with its node.
pub(super) fn arguments_of<'s>(subject: &'s Subject, owner: &str) -> Vec<(At<'s>, Vec<At<'s>>)> {
    let lists = all(subject, |kind| kind == Kind::GenericArgs).into_iter();
    lists
        .filter(|list| {
            let before = 0..list.node.range.start;
            let mut words = list.tree.tokens_in(&before).iter().rev();
            words
                .next()
                .is_some_and(|token| &list.source[token.range()] == owner)
        })
        .map(|list| (list, list.children(|kind| kind == Kind::GenericArg)))
        .collect()
}

/// The place among `given` arguments, of which the leading lifetimes may be left out, of the one for
/// parameter `at` of `parameters`.
pub(super) fn place_of(parameters: &[At], at: usize, given: &[At]) -> Option<usize> {
    let lifetimes = |all: &[At]| all.iter().filter(|one| is_lifetime(one)).count();
    let (wanted, there) = (lifetimes(parameters), lifetimes(given));
    let place = if at < wanted {
        (there == wanted).then_some(at)?
    } else {
        at - wanted + there
    };
    (place < given.len()).then_some(place)
}
