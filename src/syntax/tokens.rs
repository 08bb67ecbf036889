//! Token trees as syntax: for macro bodies, for attributes, and for files that `syn` cannot parse,
//! piece by piece: whatever parses on its own becomes real nodes, the rest stays groups, segments
//! and tokens.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use syn::visit::Visit;

use super::rust::{Builder, bytes, parsed};
use super::tree::{ItemKind, Kind, Separated};

/// A run of tokens up to a separator.
struct Segment {
    tokens: Vec<TokenTree>,
    separator: Option<std::ops::Range<usize>>,
}

impl Segment {
    fn range(&self) -> std::ops::Range<usize> {
        let start = self
            .tokens
            .first()
            .map_or(0, |token| bytes(token.span()).start);
        let end = self
            .tokens
            .last()
            .map_or(0, |token| bytes(token.span()).end);
        start..end
    }

    fn stream(&self) -> TokenStream {
        self.tokens.iter().cloned().collect()
    }
}

/// Splits `tokens` behind every `separator`.
fn split(tokens: TokenStream, separator: char) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut run = Vec::new();
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == separator && !run.is_empty() => {
                segments.push(Segment {
                    tokens: std::mem::take(&mut run),
                    separator: Some(bytes(punct.span())),
                });
            }
            _ => run.push(token),
        }
    }
    if !run.is_empty() {
        segments.push(Segment {
            tokens: run,
            separator: None,
        });
    }
    segments
}

/// What separates the parts of a group, from the outside in.
const SEPARATORS: [char; 2] = [';', ','];

/// The first of `candidates` that `tokens` has at its top level, behind something; and those after it.
fn separator<'c>(tokens: &TokenStream, candidates: &'c [char]) -> Option<(char, &'c [char])> {
    let has = |wanted: char| {
        let behind = tokens.clone().into_iter().skip(1);
        behind
            .into_iter()
            .any(|token| matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted))
    };
    let at = candidates.iter().position(|candidate| has(*candidate))?;
    Some((candidates[at], &candidates[at + 1..]))
}

/// The arguments of an attribute, as elements of a list.
pub(super) fn attribute_arguments(builder: &mut Builder, tokens: TokenStream) {
    let segments = split(tokens, ',');
    list_of(builder, &segments);
    for segment in &segments {
        builder.node(Kind::AttributeArg, segment.range(), |_| {});
    }
}

fn list_of(builder: &mut Builder, segments: &[Segment]) {
    if segments.is_empty() {
        return;
    }
    builder.tree.list(Separated {
        items: segments.iter().map(Segment::range).collect(),
        separators: segments
            .iter()
            .map(|segment| segment.separator.clone())
            .collect(),
        ..Separated::default()
    });
}

/// What stands in a group, as segments if it has separators, as tokens otherwise.
pub(super) fn group_contents(builder: &mut Builder, tokens: TokenStream) {
    contents(builder, tokens, &SEPARATORS);
}

fn contents(builder: &mut Builder, tokens: TokenStream, separators: &[char]) {
    match separator(&tokens, separators) {
        Some((separator, inner)) => {
            let segments = split(tokens, separator);
            list_of(builder, &segments);
            for segment in segments {
                let range = segment.range();
                builder.node(Kind::Segment, range, |b| {
                    contents(b, segment.stream(), inner)
                });
            }
        }
        None => tokens
            .into_iter()
            .for_each(|token| token_tree(builder, token)),
    }
}

fn token_tree(builder: &mut Builder, token: TokenTree) {
    let range = bytes(token.span());
    match token {
        TokenTree::Group(group) if group.delimiter() != Delimiter::None => {
            builder.node(Kind::Group, range, |b| group_contents(b, group.stream()));
        }
        _ => {
            builder.node(Kind::Token, range, |_| {});
        }
    }
}

/// What the pieces of a text that does not parse may be.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    Items,
    ImplItems,
    TraitItems,
    Statements,
}

/// A file that does not parse as a whole: item by item, and inside an item that does not parse,
/// member by member or statement by statement.
pub(super) fn pieces(builder: &mut Builder, tokens: TokenStream) {
    in_place(builder, tokens, Place::Items);
}

/// Where the items of `tokens` stand, whether they parse or not.
pub(super) fn item_ranges(tokens: TokenStream) -> Vec<std::ops::Range<usize>> {
    let pieces = item_like(tokens).into_iter().map(|tokens| Segment {
        tokens,
        separator: None,
    });
    pieces.map(|piece| piece.range()).collect()
}

fn in_place(builder: &mut Builder, tokens: TokenStream, place: Place) {
    for piece in item_like(tokens) {
        let stream: TokenStream = piece.iter().cloned().collect();
        if !parsed_piece(builder, stream, place) {
            unparsed_piece(builder, piece, place);
        }
    }
}

/// Runs of tokens that end with `;` or with a braced group, as items, members and statements do.
fn item_like(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut pieces = Vec::new();
    let mut piece: Vec<TokenTree> = Vec::new();
    let mut assigned = false;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let ends = match &token {
            TokenTree::Punct(punct) => {
                assigned |= punct.as_char() == '=';
                punct.as_char() == ';'
            }
            // `= S { … };` and `if … { … } else { … }` go on behind the braces, and so does an
            // inner attribute in front of its item.
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                let goes_on = matches!(
                    tokens.peek(),
                    Some(TokenTree::Ident(word)) if *word == "else"
                ) || matches!(
                    tokens.peek(),
                    Some(TokenTree::Punct(punct)) if matches!(punct.as_char(), '>' | ',' | '.' | '?' | ';' | ')')
                );
                !assigned && !goes_on
            }
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
                matches!(&piece[..], [TokenTree::Punct(hash), TokenTree::Punct(bang)]
                    if hash.as_char() == '#' && bang.as_char() == '!')
            }
            _ => false,
        };
        piece.push(token);
        if ends {
            pieces.push(std::mem::take(&mut piece));
            assigned = false;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

fn parsed_piece(builder: &mut Builder, stream: TokenStream, place: Place) -> bool {
    use syn::parse::Parser;
    match place {
        Place::Items => {
            if let Some(file) = parsed::<syn::File>(stream) {
                syn::visit::visit_file(builder, &file);
                return true;
            }
        }
        Place::ImplItems => {
            if let Some(item) = parsed::<syn::ImplItem>(stream) {
                builder.visit_impl_item(&item);
                return true;
            }
        }
        Place::TraitItems => {
            if let Some(item) = parsed::<syn::TraitItem>(stream) {
                builder.visit_trait_item(&item);
                return true;
            }
        }
        Place::Statements => {
            if let Ok(statements) = syn::Block::parse_within.parse2(stream.clone()) {
                statements
                    .iter()
                    .for_each(|statement| builder.visit_stmt(statement));
                return true;
            }
            let words: Vec<_> = stream.clone().into_iter().take(IN_FRONT).collect();
            let is_word = |range: &std::ops::Range<usize>| {
                let inside = words
                    .iter()
                    .filter(|token| range.contains(&bytes(token.span()).start));
                inside.into_iter().all(|token| matches!(token, TokenTree::Ident(word) if word.to_string().starts_with(char::is_lowercase)))
            };
            if let Some((known, new)) =
                without_what_is_new(&stream, |_: &Statements| true).filter(|(_, new)| is_word(new))
            {
                builder.around_new(new, |b| {
                    known.0.iter().for_each(|statement| b.visit_stmt(statement))
                });
                return true;
            }
        }
    }
    false
}

/// Statements, to the end.
struct Statements(Vec<syn::Stmt>);

impl syn::parse::Parse for Statements {
    fn parse(input: syn::parse::ParseStream) -> syn::Result<Statements> {
        syn::Block::parse_within(input).map(Statements)
    }
}

/// A piece that parses but for what stands in its block: nodes for its head, and what is in the block piece by piece.
fn known_but_for_its_block(
    builder: &mut Builder,
    piece: &[TokenTree],
    place: Place,
    inner: Place,
) -> bool {
    let Some((TokenTree::Group(block), head)) = piece.split_last() else {
        return false;
    };
    if block.delimiter() != Delimiter::Brace || block.stream().is_empty() {
        return false;
    }
    let mut emptied = Group::new(Delimiter::Brace, TokenStream::new());
    emptied.set_span(block.span());
    let head = head.iter().cloned();
    let head = head.chain([TokenTree::Group(emptied)]).collect();
    let first = builder.tree.nodes().count();
    if !parsed_piece(builder, head, place) {
        return false;
    }
    let range = bytes(block.span());
    let added = || builder.tree.nodes().skip(first);
    let body = added()
        .filter(|(_, node)| node.range == range)
        .map(|(id, _)| id);
    let Some(parent) = body.last().or_else(|| added().next().map(|(id, _)| id)) else {
        return false;
    };
    builder.inside(parent, |b| in_place(b, block.stream(), inner));
    true
}

/// A piece that does not parse: a node of its own whose groups are looked into.
fn unparsed_piece(builder: &mut Builder, piece: Vec<TokenTree>, place: Place) {
    let segment = Segment {
        tokens: piece,
        separator: None,
    };
    let keyword = |wanted: &str| {
        segment
            .tokens
            .iter()
            .any(|token| matches!(token, TokenTree::Ident(word) if *word == wanted))
    };
    // `macro name { … }`: what stands in the braces is not known to be anything.
    let is_macro = keyword("macro");
    let inner = if keyword("fn") {
        Place::Statements
    } else if keyword("impl") {
        Place::ImplItems
    } else if keyword("trait") {
        Place::TraitItems
    } else if keyword("mod") {
        Place::Items
    } else {
        Place::Statements
    };
    if !is_macro
        && place != Place::Statements
        && known_but_for_its_block(builder, &segment.tokens, place, inner)
    {
        return;
    }
    let item = [
        "fn", "impl", "trait", "mod", "struct", "enum", "use", "const", "static", "type",
    ]
    .into_iter()
    .find(|word| keyword(word));
    let kind = match (place, item) {
        (Place::Items, Some("fn")) => Kind::Item(ItemKind::Fn),
        (Place::Items, Some("impl")) => Kind::Item(ItemKind::Impl),
        (Place::Items, Some("trait")) => Kind::Item(ItemKind::Trait),
        (Place::Items, Some("mod")) => Kind::Item(ItemKind::Mod),
        (Place::Items, Some("struct")) => Kind::Item(ItemKind::Struct),
        (Place::Items, _) => Kind::Item(ItemKind::Other),
        (Place::ImplItems | Place::TraitItems, Some("fn")) => Kind::Member(ItemKind::Fn),
        (Place::ImplItems | Place::TraitItems, _) => Kind::Member(ItemKind::Other),
        (Place::Statements, _) => Kind::Segment,
    };
    let range = segment.range();
    let block_at = segment.tokens.iter().rposition(
        |token| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace),
    );
    builder.node(kind, range, |b| {
        for (at, token) in segment.tokens.into_iter().enumerate() {
            match token {
                TokenTree::Group(group)
                    if Some(at) == block_at && !is_macro && splits(&group.stream(), inner) =>
                {
                    let kind = if inner == Place::Statements && item == Some("fn") {
                        Kind::Body
                    } else {
                        Kind::Group
                    };
                    b.node(kind, bytes(group.span()), |b| {
                        in_place(b, group.stream(), inner)
                    });
                }
                token => token_tree(b, token),
            }
        }
    });
}

/// How many of the first tokens of what `syn` does not know may be what is new about it.
const IN_FRONT: usize = 8;

/// How many of them may belong together, as in `unsafe<'a> &'a u8`.
const TOGETHER: usize = 5;

/// `tokens` without one or some of the first, where what is left is a `T` that is `known`; and where those were.
/// `syn` hands on as tokens what is too new for it: `const trait`, `impl(self) trait`, `become`.
pub(super) fn without_what_is_new<T: syn::parse::Parse>(
    tokens: &TokenStream,
    known: impl Fn(&T) -> bool,
) -> Option<(T, std::ops::Range<usize>)> {
    let all: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_block = |token: &TokenTree| matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let head = all
        .iter()
        .take(IN_FRONT)
        .take_while(|token| !is_block(token));
    let head = head.count();
    let runs = (1..=TOGETHER).flat_map(|length| (0..head).map(move |at| at..at + length));
    // `pub(crate)` and `f(x)`: what stands in parentheses goes with what is in front of them.
    let starts = |at: usize| !matches!(&all[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis);
    let runs = runs.filter(|run| run.end <= head && run.len() < all.len() && starts(run.start));
    runs.into_iter().find_map(|run| {
        let left = all[..run.start].iter().chain(&all[run.end..]);
        let left = parsed::<T>(left.cloned().collect()).filter(&known)?;
        let range = bytes(all[run.start].span()).start..bytes(all[run.end - 1].span()).end;
        Some((left, range))
    })
}

/// An item or a member that `syn` hands on as tokens.
pub(super) fn unknown_item(builder: &mut Builder, tokens: TokenStream, place: Place) {
    unparsed_piece(builder, tokens.into_iter().collect(), place);
}

/// Whether the contents of a braced group look like members or statements, not like fields.
fn splits(tokens: &TokenStream, place: Place) -> bool {
    place != Place::Statements
        || separator(tokens, &SEPARATORS).is_none_or(|(found, _)| found != ',')
}

/// A text that does not fall into tokens: its lines.
pub(super) fn lines(builder: &mut Builder) {
    let text = builder.text;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        builder.node(Kind::Line, at..at + line.len(), |_| {});
        at += line.len();
    }
}
