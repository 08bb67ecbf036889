//! Macros replaced by what they expand to: all calls of a macro, with its definition, or one of them.

use super::Pass;
use super::macro_rules::{Definition, definitions, expansion};
use super::query::{At, all, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, StmtKind};

/// `m!(a, b)` → what its rule makes of it; in the first round all calls together with the
/// definition, in the second one call at a time.
pub struct Expansions;

/// Tokens that an expansion may have: what grows by doubling never ends as something small.
const LONGEST: usize = 2000;

impl Pass for Expansions {
    fn name(&self) -> &'static str {
        "macro-expansions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let mut list = Vec::new();
        for definition in definitions(subject) {
            let calls = calls(subject, &definition);
            let edits: Vec<Option<Edit>> = calls
                .iter()
                .map(|call| expanded(&definition, *call))
                .collect();
            if round == 1 {
                if edits.len() > 1 {
                    let single = edits.into_iter().flatten();
                    list.extend(single.filter_map(|edit| {
                        smaller(subject, Kind::Item(ItemKind::MacroCall), vec![edit])
                    }));
                }
                continue;
            }
            // Every mention has to be one of these calls, or the definition cannot go.
            let mentions: usize = all(subject, |kind| kind == Kind::File)
                .into_iter()
                .map(|file| {
                    let found = file.mentions(definition.name, &file.range()).into_iter();
                    let outside = |at: &std::ops::Range<usize>| {
                        !(file.file == definition.at.file && definition.at.holds(at))
                    };
                    found.filter(outside).count()
                })
                .sum();
            if mentions == calls.len()
                && let Some(mut edits) = edits.into_iter().collect::<Option<Vec<Edit>>>()
            {
                edits.push(definition.at.cut());
                list.extend(smaller(subject, Kind::Item(ItemKind::MacroRules), edits));
            }
        }
        Some(list)
    }
}

/// The calls of a macro that stand in a place of their own, outside of its definition.
fn calls<'s>(subject: &'s Subject, definition: &Definition) -> Vec<At<'s>> {
    let is_call = |kind| {
        matches!(
            kind,
            Kind::Item(ItemKind::MacroCall)
                | Kind::Member(ItemKind::MacroCall)
                | Kind::Stmt(StmtKind::Macro)
                | Kind::Expr(ExprKind::Macro)
                | Kind::Type(crate::syntax::TypeKind::Macro)
        )
    };
    let found = all(subject, is_call).into_iter();
    found
        .filter(|call| {
            let words = call.words(&call.range());
            matches!(&words[..], [(name, _), ("!", _), ..] if *name == definition.name)
        })
        .filter(|call| !(call.file == definition.at.file && definition.at.holds(&call.range())))
        .collect()
}

fn expanded(definition: &Definition, call: At) -> Option<Edit> {
    let words = call.words(&call.range());
    let open = words.get(2)?.1.end;
    let close = words
        .iter()
        .rfind(|(word, _)| matches!(*word, ")" | "]" | "}"))?
        .1
        .start;
    let text = written(definition, &call.source[open..close], LONGEST)?;
    let text = text.trim();
    let value = match call.kind() {
        Kind::Expr(_) if crate::syntax::parses(&format!("const _: () = {text};")) => {
            format!("({text})")
        }
        Kind::Expr(_) => format!("{{ {text} }}"),
        _ => text.to_string(),
    };
    Some(call.by(value))
}

/// The expansion, with calls of the same macro in it expanded too.
fn written(definition: &Definition, arguments: &str, left: usize) -> Option<String> {
    let text = expansion(definition.at.source, &definition.rules, arguments)?;
    let tokens = crate::syntax::lexer::tokens(&text);
    let left = left.checked_sub(tokens.len())?;
    let word = |at: usize| tokens.get(at).map(|token| &text[token.range()]);
    let start = (0..tokens.len())
        .find(|at| word(*at) == Some(definition.name) && word(at + 1) == Some("!"));
    let Some(start) = start else {
        return Some(text);
    };
    let mut depth = 0;
    let end = (start + 2..tokens.len()).find(|at| {
        match word(*at) {
            Some("(" | "[" | "{") => depth += 1,
            Some(")" | "]" | "}") => depth -= 1,
            _ => {}
        }
        depth == 0
    })?;
    let inner = &text[tokens.get(start + 2)?.range().end..tokens[end].range().start];
    let inner = written(definition, inner, left)?;
    let closed = format!(
        "{}{inner}{}",
        &text[..tokens[start].range().start],
        &text[tokens[end].range().end..]
    );
    // Another call may stand behind this one.
    Some(closed).filter(|text| !text.contains(&format!("{} !", definition.name)))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_macro_goes_when_its_calls_are_what_they_expand_to() {
        assert_eq!(
            each(
                &Expansions,
                "macro_rules! long { ($a:ident, $t:ty) => { struct $a($t); impl B for $a {} }; } long!(S, Vec<u8>);"
            ),
            ["struct S ( Vec<u8> ) ; impl B for S { }"]
        );
    }

    #[test]
    fn a_call_inside_of_the_expansion_is_expanded_too() {
        assert_eq!(
            each(
                &Expansions,
                "macro_rules! m { ([a $($t:tt)*] $($o:tt)*) => { m! { [$($t)*] & $($o)* } }; ([] $($o:tt)*) => { $($o)* u8 }; } type T = m!([a a a]);"
            ),
            ["type T = & & & u8;"]
        );
    }

    #[test]
    fn a_macro_that_is_mentioned_elsewhere_stays() {
        let none: [&str; 0] = [];
        assert_eq!(
            each(
                &Expansions,
                "macro_rules! m { () => { 1 }; } fn f() { m!(); n!(m!() =>); }"
            ),
            none
        );
    }
}
