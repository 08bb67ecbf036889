//! The tree that passes look at: nodes with byte ranges, and the lists that they are elements of.
//! Knows what the pieces of Rust are called, not how they were parsed.

use std::collections::HashMap;
use std::ops::Range;

use super::lexer::{self, Token, TokenKind};

/// A node, by its place in [`Tree::nodes`]; parents come before their children.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// What an item or a member of an impl, a trait or an extern block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    Const,
    Enum,
    ExternCrate,
    Fn,
    ForeignMod,
    Impl,
    MacroCall,
    MacroRules,
    Mod,
    Static,
    Struct,
    Trait,
    TraitAlias,
    TypeAlias,
    Union,
    Use,
    /// What the parser takes for an item and does not know.
    Other,
}

/// What a statement is; an item in statement position is an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StmtKind {
    Let,
    /// An expression, with its semicolon if it has one.
    Expr,
    Macro,
}

/// What an expression is, as far as passes care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ExprKind {
    Array,
    Assign,
    Async,
    Await,
    Binary,
    Block,
    Break,
    Call,
    Cast,
    Closure,
    Const,
    Field,
    For,
    If,
    Index,
    Let,
    Lit,
    Loop,
    Macro,
    Match,
    MethodCall,
    Paren,
    Path,
    Range,
    Reference,
    Repeat,
    Return,
    Struct,
    Try,
    Tuple,
    Unary,
    Unsafe,
    While,
    Other,
}

/// What a type is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    Array,
    FnPtr,
    ImplTrait,
    Infer,
    Macro,
    Never,
    Paren,
    Path,
    Ptr,
    Reference,
    Slice,
    TraitObject,
    Tuple,
    Other,
}

/// What a pattern is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PatKind {
    Ident,
    Or,
    Paren,
    Path,
    Reference,
    Rest,
    Slice,
    Struct,
    Tuple,
    TupleStruct,
    Wild,
    Other,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A whole file.
    File,
    /// An item, wherever it stands.
    Item(ItemKind),
    /// A member of an impl, a trait or an extern block.
    Member(ItemKind),
    Stmt(StmtKind),
    Expr(ExprKind),
    Type(TypeKind),
    Pat(PatKind),
    /// `#[…]` or `#![…]`, but no doc comment.
    Attribute,
    /// One of the names in `#[derive(…)]`, `#[allow(…)]`, `#[feature(…)]`.
    AttributeArg,
    /// A doc comment or `#[doc = …]`.
    Doc,
    Visibility,
    /// `const`, `unsafe`, `async`, `extern "C"`, `default`, `mut`, `ref`, `move`, `dyn`, `?` and the like.
    Modifier,
    /// The block of a function.
    Body,
    /// Any other block.
    Block,
    /// `-> T`
    ReturnType,
    /// `= e` of a `let`.
    Init,
    /// `else …` of an `if` or a `let`.
    Else,
    /// `: T` of a `let` or a closure's parameter.
    Ascription,
    /// `= e` of an enum variant.
    Discriminant,
    Arm,
    /// A field of a struct, a union or a variant.
    Field,
    Variant,
    /// A parameter of a function or a closure.
    Param,
    /// `self` in all its forms.
    Receiver,
    GenericParam,
    GenericArg,
    /// The angle brackets with all arguments.
    GenericArgs,
    /// `= T` of a generic parameter.
    GenericDefault,
    /// `A`, `'a` or `?Sized` in `T: A + 'a + ?Sized`; a supertrait too.
    Bound,
    /// One predicate of a `where` clause.
    Predicate,
    /// `for<'a>`
    ForLifetimes,
    /// `Trait for` of an impl.
    TraitRef,
    Lifetime,
    Label,
    /// One tree of a `use` group.
    UseTree,
    /// `field: value` of a struct expression.
    FieldValue,
    /// `field: pattern` of a struct pattern.
    FieldPat,
    /// `..base` or `..`
    Rest,
    /// `as name` of a `use` or an `extern crate`.
    Rename,
    /// A delimited group of tokens that was not parsed any further.
    Group,
    /// A run of tokens between separators in a group.
    Segment,
    /// One token of a group.
    Token,
    /// A line of a text that does not even fall into tokens.
    Line,
}

impl Kind {
    /// Whether it is a macro call that stands for items, or for members.
    pub fn is_macro_call(self) -> bool {
        let call = ItemKind::MacroCall;
        self == Kind::Item(call) || self == Kind::Member(call)
    }
}

/// One piece of syntax.
#[derive(Debug, Clone)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Where it stands, without separators.
    pub range: Range<usize>,
    /// The innermost node around it.
    pub parent: Option<NodeId>,
    /// The nodes right inside it, in source order.
    pub children: Vec<NodeId>,
    /// Its own name, if it defines one.
    pub name: Option<Range<usize>>,
}

/// Elements with separators between them: any subset can go if the separators follow.
#[derive(Debug, Clone, Default)]
pub struct Separated {
    /// The elements, in order.
    pub items: Vec<Range<usize>>,
    /// The separator behind each element; the last element may have none.
    pub separators: Vec<Option<Range<usize>>>,
    /// What goes with the last element that goes: brackets, a keyword, a colon.
    pub frame: Vec<Range<usize>>,
    /// A tuple: with one element left, the separator behind it stays.
    pub tuple: bool,
}

/// A file's syntax.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    lists: Vec<Separated>,
    places: HashMap<(usize, usize), (u32, u32)>,
    tokens: Vec<Token>,
    /// Whether the whole file parsed as Rust, without falling back to tokens anywhere.
    pub parsed: bool,
    /// The tokens, sorted, without which it did: syntax that the parser does not know.
    pub blanked: Vec<String>,
}

/// Words that may stand in front of a path that starts with `::`.
const BEFORE_PATHS: [&str; 16] = [
    "as", "break", "dyn", "else", "for", "if", "impl", "in", "match", "move", "mut", "pub", "ref",
    "return", "use", "where",
];

impl Tree {
    /// A tree that holds only the tokens of `text`; a parser adds the nodes.
    pub fn new(text: &str) -> Tree {
        Tree {
            tokens: lexer::tokens(text),
            ..Tree::default()
        }
    }

    /// All nodes, parents first.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(at, node)| (NodeId(at as u32), node))
    }

    /// The node `id`.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    /// The node around `id`.
    pub fn parent(&self, id: NodeId) -> Option<&Node> {
        self.node(id).parent.map(|parent| self.node(parent))
    }

    /// `id`'s ancestors, innermost first.
    pub fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.node(id).parent, |id| self.node(*id).parent)
    }

    /// The innermost node that holds all of `range`.
    pub fn innermost(&self, range: &Range<usize>) -> Option<NodeId> {
        let mut best = None;
        let mut next = (!self.nodes.is_empty()).then_some(NodeId(0));
        while let Some(id) = next {
            best = Some(id);
            next = self.node(id).children.iter().copied().find(|child| {
                let inner = &self.node(*child).range;
                inner.start <= range.start && range.end <= inner.end
            });
        }
        best
    }

    /// The tokens of the text, comments left out.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The tokens that lie in `range`.
    pub fn tokens_in(&self, range: &Range<usize>) -> &[Token] {
        let from = self
            .tokens
            .partition_point(|t| (t.start as usize) < range.start);
        let to = self
            .tokens
            .partition_point(|t| (t.start as usize) < range.end);
        &self.tokens[from..to.max(from)]
    }

    /// The number of tokens in `range`.
    pub fn weight(&self, range: &Range<usize>) -> usize {
        self.tokens_in(range).len()
    }

    /// The identifiers in `range`, as they stand in `text`.
    pub fn identifiers<'t>(
        &self,
        text: &'t str,
        range: &Range<usize>,
    ) -> impl Iterator<Item = &'t str> {
        self.tokens_in(range)
            .iter()
            .filter(|token| token.kind == TokenKind::Ident)
            .map(|token| &text[token.range()])
    }

    /// The name of the macro that is called in `range`, as it stands in `text`: what is right in front of the first `!`.
    pub fn macro_called<'t>(&self, text: &'t str, range: &Range<usize>) -> Option<&'t str> {
        let tokens = self.tokens_in(range);
        let bang = tokens
            .iter()
            .position(|token| &text[token.range()] == "!")?;
        let name = tokens.get(bang.checked_sub(1)?)?;
        Some(&text[name.range()])
    }

    /// Whether the token `at` this place, as it stands in `text`, is behind the first word of a path: `c` is in `b::c` and in
    /// `<B>::c`, not in `for ::c`.
    pub fn goes_on_with_a_path(&self, text: &str, at: usize) -> bool {
        let [.., outer, colons] = &self.tokens[..at] else {
            return false;
        };
        let word = &text[outer.range()];
        let is_path = outer.kind == TokenKind::Ident && !BEFORE_PATHS.contains(&word)
            || matches!(word, ">" | ">>");
        is_path && &text[colons.range()] == "::"
    }

    /// The list and the place in it of the element that stands at exactly `range`.
    pub fn place(&self, range: &Range<usize>) -> Option<(&Separated, usize)> {
        let (list, at) = self.places.get(&(range.start, range.end))?;
        Some((&self.lists[*list as usize], *at as usize))
    }

    /// What has to be deleted together with the deletions `cuts` (whole nodes) so that the
    /// separators of every list are right again, brackets around nothing included.
    pub fn separators_for(&self, cuts: &[Range<usize>]) -> Vec<Range<usize>> {
        let mut touched: Vec<(u32, u32)> = cuts
            .iter()
            .filter_map(|cut| self.places.get(&(cut.start, cut.end)).copied())
            .collect();
        touched.sort_unstable();
        touched.dedup();
        let mut extra = Vec::new();
        for same_list in touched.chunk_by(|a, b| a.0 == b.0) {
            let list = &self.lists[same_list[0].0 as usize];
            let gone: Vec<u32> = same_list.iter().map(|(_, at)| *at).collect();
            list.separators_without(&gone, &mut extra);
        }
        extra
    }

    pub(super) fn push(
        &mut self,
        kind: Kind,
        range: Range<usize>,
        parent: Option<NodeId>,
    ) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            kind,
            range,
            parent,
            children: Vec::new(),
            name: None,
        });
        if let Some(parent) = parent {
            self.nodes[parent.0 as usize].children.push(id);
        }
        id
    }

    pub(super) fn name(&mut self, id: NodeId, name: Range<usize>) {
        self.nodes[id.0 as usize].name = Some(name);
    }

    pub(super) fn list(&mut self, list: Separated) {
        let at = self.lists.len() as u32;
        for (index, item) in list.items.iter().enumerate() {
            self.places
                .insert((item.start, item.end), (at, index as u32));
        }
        self.lists.push(list);
    }
}

impl Separated {
    fn separators_without(&self, gone: &[u32], extra: &mut Vec<Range<usize>>) {
        let is_gone = |at: usize| gone.binary_search(&(at as u32)).is_ok();
        let kept: Vec<usize> = (0..self.items.len()).filter(|at| !is_gone(*at)).collect();
        let last = self.items.len() - 1;
        for (at, separator) in self.separators.iter().enumerate() {
            let Some(separator) = separator else { continue };
            let between = kept.last().is_some_and(|last_kept| at < *last_kept);
            let trailing = at == last || (self.tuple && kept == [at]);
            if is_gone(at) || !(between || trailing) {
                extra.push(separator.clone());
            }
        }
        if kept.is_empty() {
            extra.extend(self.frame.iter().cloned());
        }
    }
}
