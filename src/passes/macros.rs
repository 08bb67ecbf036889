//! Macros replaced by what their only call makes of them. Knows rules with plain matchers: tokens and single
//! fragments, no repetition.

use std::collections::BTreeMap;
use std::ops::Range;

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::{Token, TokenKind};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, StmtKind, Tree};

/// `macro_rules! m { (…) => { … } }` and its only call `m!(…)` → what the call expands to.
pub struct OnlyUses;

/// Where a macro's only rule has its matcher and its body, brackets left out.
struct Rule {
    matcher: Range<usize>,
    body: Range<usize>,
}

impl Pass for OnlyUses {
    fn name(&self) -> &'static str {
        "inline-macros"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        let is_macro = |node: &Node| node.kind == Kind::Item(ItemKind::MacroRules);
        for (file, tree, _, node) in nodes(subject, |_, _, node| is_macro(node)) {
            let source = subject.file(file).source();
            let Some(name) = &node.name else { continue };
            let name = &source[name.clone()];
            let Some(rule) = only_rule(source, tree, node) else {
                continue;
            };
            let calls = calls(subject, name);
            let [(at, id)] = calls[..] else { continue };
            let Some(edit) = expanded(subject, at, id, source, tree, &rule) else {
                continue;
            };
            let edits = vec![Edit::delete(file, node.range.clone()), edit];
            list.push(Element::new(subject, node.kind, edits));
        }
        Some(list)
    }
}

/// The bracket that closes the one at `open` of `tokens`.
fn closing(source: &str, tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_i32;
    let found = tokens[open..].iter().position(|token| {
        depth += match &source[token.range()] {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        };
        depth == 0
    })?;
    Some(open + found)
}

fn only_rule(source: &str, tree: &Tree, node: &Node) -> Option<Rule> {
    let tokens = tree.tokens_in(&node.range);
    let name = node.name.as_ref()?;
    let brace = tokens
        .iter()
        .position(|token| token.start as usize >= name.end)?;
    let close = closing(source, tokens, brace)?;
    let matcher = brace + 1;
    let matched = closing(source, tokens, matcher)?;
    let body = matched + 2;
    let arrow = &source[tokens.get(matched + 1)?.range()];
    let done = closing(source, tokens, body)?;
    // A semicolon may follow the last rule; anything else is another rule.
    let rest = &tokens[done + 1..close];
    let alone = rest.iter().all(|token| &source[token.range()] == ";");
    let between =
        |open: usize, close: usize| tokens[open].end as usize..tokens[close].start as usize;
    (arrow == "=>" && alone).then(|| Rule {
        matcher: between(matcher, matched),
        body: between(body, done),
    })
}

/// The calls of the macro `name`, wherever they stand.
fn calls(subject: &Subject, name: &str) -> Vec<(FileId, NodeId)> {
    let is_call = |kind: Kind| {
        matches!(
            kind,
            Kind::Expr(ExprKind::Macro)
                | Kind::Stmt(StmtKind::Macro)
                | Kind::Item(ItemKind::MacroCall)
                | Kind::Member(ItemKind::MacroCall)
        )
    };
    let named = |file: FileId, tree: &Tree, node: &Node| {
        let source = subject.file(file).source();
        let words = tree.tokens_in(&node.range).iter().take(2);
        words.map(|token| &source[token.range()]).eq([name, "!"])
    };
    let all = nodes(subject, |_, _, node| is_call(node.kind));
    let calls: Vec<_> = all
        .filter(|(file, tree, _, node)| named(*file, tree, node))
        .collect();
    // A statement holds the expression that it is.
    let innermost = calls.iter().filter(|(file, tree, id, _)| {
        !calls.iter().any(|(other, _, inner, _)| {
            other == file && tree.ancestors(*inner).any(|outer| outer == *id)
        })
    });
    innermost.map(|(file, _, id, _)| (*file, *id)).collect()
}

/// The call `id` in `file` replaced by the body of `rule`, which stands in `source`.
fn expanded(
    subject: &Subject,
    file: FileId,
    id: NodeId,
    source: &str,
    tree: &Tree,
    rule: &Rule,
) -> Option<Edit> {
    let there = subject.file(file);
    let (text, call_tree) = (there.source(), there.tree()?);
    let node = call_tree.node(id);
    let tokens = call_tree.tokens_in(&node.range);
    let close = closing(text, tokens, 2)?;
    let arguments = matched(
        source,
        tree.tokens_in(&rule.matcher),
        text,
        &tokens[3..close],
    )?;
    let mut body = String::new();
    let mut at = rule.body.start;
    for pair in tree.tokens_in(&rule.body).windows(2) {
        if &source[pair[0].range()] != "$" {
            continue;
        }
        // `$crate`, repetitions: more than a substitution.
        let argument = arguments.get(&source[pair[1].range()])?;
        body.push_str(&source[at..pair[0].start as usize]);
        body.push_str(argument);
        at = pair[1].end as usize;
    }
    body.push_str(source[at..rule.body.end].trim_end());
    let body = body.trim();
    // Several statements are a block where a value is wanted; where statements may stand they need none.
    let value = node.kind == Kind::Expr(ExprKind::Macro);
    let whole = tree.tokens_in(&rule.body);
    let several = whole.iter().any(|token| &source[token.range()] == ";");
    let text = match value && several {
        true => format!("{{ {body} }}"),
        false => body.to_string(),
    };
    Some(Edit::replace(file, node.range.clone(), text))
}

/// What the fragments of `matcher` stand for in `call`.
fn matched<'s>(
    source: &'s str,
    matcher: &[Token],
    text: &'s str,
    call: &[Token],
) -> Option<BTreeMap<&'s str, &'s str>> {
    let word = |at: usize| matcher.get(at).map(|token| &source[token.range()]);
    let mut found = BTreeMap::new();
    let (mut at, mut given) = (0, 0);
    while let Some(next) = word(at) {
        if next != "$" {
            let same = call
                .get(given)
                .is_some_and(|token| &text[token.range()] == next);
            if !same {
                return None;
            }
            (at, given) = (at + 1, given + 1);
            continue;
        }
        if matcher.get(at + 1)?.kind != TokenKind::Ident {
            return None;
        }
        let name = word(at + 1)?;
        // `:expr` may be gone already.
        at += if word(at + 2) == Some(":") { 4 } else { 2 };
        // Up to what has to follow, brackets taken as one.
        let stop = word(at);
        let start = given;
        while let Some(token) = call.get(given)
            && (given == start || stop != Some(&text[token.range()]))
        {
            let open = matches!(&text[token.range()], "(" | "[" | "{");
            given = if open {
                closing(text, call, given)?
            } else {
                given
            } + 1;
        }
        let (first, last) = (call.get(start)?, call.get(given.checked_sub(1)?)?);
        found.insert(name, &text[first.start as usize..last.end as usize]);
    }
    (given == call.len()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn inlined(source: &str) -> Option<String> {
        let subject = Subject::new([(PathBuf::from("a.rs"), source.as_bytes().to_vec())]);
        let list = OnlyUses.list(&subject, 0).expect("one round");
        let without = subject.without(list.first());
        let text = without.file(FileId(0)).source();
        (!list.is_empty()).then(|| text.split_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn an_only_call_becomes_the_body_with_its_arguments() {
        assert_eq!(
            inlined(
                "fn f() { macro_rules! m { ($p:pat = $s:expr) => { match $s { Some($p) => {} } }; } let x = m!((_, a) = g(1, 2)); }"
            ),
            Some("fn f() { let x = match g(1, 2) { Some((_, a)) => {} }; }".into())
        );
        assert_eq!(
            inlined("macro_rules! m { () => { struct A; struct B; } } m! {}"),
            Some("struct A; struct B;".into())
        );
        assert_eq!(
            inlined("macro_rules! m { ($x:expr) => { g(); $x } } fn f() -> u8 { 1 + m!(2) }"),
            Some("fn f() -> u8 { 1 + { g(); 2 } }".into())
        );
    }

    #[test]
    fn what_is_more_than_a_substitution_stays() {
        for source in [
            "macro_rules! m { ($($x:expr),*) => { g($($x),*) } } fn f() { m!(1) }",
            "macro_rules! m { (a) => { 1 }; (b) => { 2 } } fn f() { m!(a) }",
            "macro_rules! m { () => { 1 } } fn f() { m!() + m!() }",
            "macro_rules! m { (a) => { 1 } } fn f() { m!(b) }",
        ] {
            assert_eq!(inlined(source), None, "{source}");
        }
    }
}
