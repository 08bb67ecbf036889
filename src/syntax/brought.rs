//! Calls of the compiler's own macros that bring in what stands elsewhere: files (`include!` and its kin) and variables of the
//! environment (`env!`). Works on tokens, so that those in other macros' bodies and arguments are found, too; opens no file.

use std::ops::Range;

use syn::parse::Parser;
use syn::punctuated::Punctuated;

use super::lexer::Token;

/// What such a call stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Brings {
    /// `include!`: the code in a file.
    Code,
    /// `include_str!`: the text of a file.
    Text,
    /// `include_bytes!`: the bytes of a file.
    Bytes,
    /// `env!`: a variable.
    Variable,
    /// `option_env!`: a variable that need not be set.
    VariableOrNone,
}

impl Brings {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "include" => Brings::Code,
            "include_str" => Brings::Text,
            "include_bytes" => Brings::Bytes,
            "env" => Brings::Variable,
            "option_env" => Brings::VariableOrNone,
            _ => return None,
        })
    }
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brought {
    /// What it stands for.
    pub what: Brings,
    /// The call, with the path in front of the macro's name: bytes of the text.
    pub range: Range<usize>,
    /// What stands between its brackets.
    pub arguments: Range<usize>,
}

/// The calls in `text`, whose tokens these are, by place. Those in the arguments of another are left out.
pub fn brought(text: &str, tokens: &[Token]) -> Vec<Brought> {
    let word = |at: usize| tokens.get(at).map_or("", |token| &text[token.range()]);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let name = at;
        at += 1;
        let Some(what) = Brings::of(word(name)).filter(|_| word(name + 1) == "!") else {
            continue;
        };
        let Some(close) = closing(tokens, text, name + 2) else {
            continue;
        };
        let Some(first) = start_of_path(name, &word) else {
            continue;
        };
        found.push(Brought {
            what,
            range: tokens[first].range().start..tokens[close].range().end,
            arguments: tokens[name + 2].range().end..tokens[close].range().start,
        });
        at = close + 1;
    }
    found
}

/// Where the path begins that ends with the macro's name at `name`; `None` if it leads to a macro of somebody else.
fn start_of_path<'t>(name: usize, word: &impl Fn(usize) -> &'t str) -> Option<usize> {
    let before = |at: usize, back: usize| at.checked_sub(back).map_or("", word);
    match (before(name, 1), before(name, 2), before(name, 3)) {
        ("::", "std" | "core", "::") => Some(name - 3),
        ("::", "std" | "core", _) => Some(name - 2),
        ("::", ..) => None,
        _ => Some(name),
    }
}

/// Where the bracket is closed that is opened at `open`.
fn closing(tokens: &[Token], text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &text[token.range()] {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The text that the first of these arguments is: string literals, `concat!` and `env!`, whose variables `variable` knows.
/// `None` if it is anything else.
pub fn first_value(arguments: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let parsed = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated.parse_str(arguments);
    let value = value(parsed.ok()?.first()?, variable);
    proc_macro2::extra::invalidate_current_thread_spans();
    value
}

fn value(of: &syn::Expr, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    match of {
        syn::Expr::Group(group) => value(&group.expr, variable),
        syn::Expr::Paren(inner) => value(&inner.expr, variable),
        syn::Expr::Lit(literal) => Some(match &literal.lit {
            syn::Lit::Str(text) => text.value(),
            syn::Lit::Char(character) => character.value().to_string(),
            syn::Lit::Int(number) => number.base10_digits().to_string(),
            syn::Lit::Bool(flag) => flag.value.to_string(),
            _ => return None,
        }),
        syn::Expr::Macro(call) => {
            let name = call.mac.path.segments.last()?.ident.to_string();
            let parser = Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
            let given = parser.parse2(call.mac.tokens.clone()).ok()?;
            match name.as_str() {
                "concat" => given.iter().map(|part| value(part, variable)).collect(),
                "env" => variable(&value(given.first()?, variable)?),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::lexer::tokens;

    fn found(text: &str) -> Vec<(Brings, &str, &str)> {
        brought(text, &tokens(text))
            .into_iter()
            .map(|call| (call.what, &text[call.range], &text[call.arguments]))
            .collect()
    }

    #[test]
    fn calls_are_found_wherever_they_stand() {
        assert_eq!(
            found("macro_rules! m { () => { ::core::include!{concat!(env!(\"A\"), \"/b\")} } }"),
            [(
                Brings::Code,
                "::core::include!{concat!(env!(\"A\"), \"/b\")}",
                "concat!(env!(\"A\"), \"/b\")"
            )]
        );
        assert_eq!(
            found("f(std::env!(\"V\"), include_str![\"x\"]); my::env!(\"x\"); include! no; env!(")
                .iter()
                .map(|call| call.1)
                .collect::<Vec<_>>(),
            ["std::env!(\"V\")", "include_str![\"x\"]"]
        );
    }

    #[test]
    fn values_are_what_the_compiler_takes_them_for() {
        let variable = |name: &str| (name == "OUT").then(|| "/out".to_string());
        for (arguments, expected) in [
            ("\"a.rs\"", Some("a.rs")),
            ("r\"a.rs\",", Some("a.rs")),
            (
                "concat!(env!(\"OUT\"), '/', \"t\", 1, \".rs\")",
                Some("/out/t1.rs"),
            ),
            (
                "std::concat!(std::env!(\"OUT\"), \"/t.rs\",)",
                Some("/out/t.rs"),
            ),
            ("env!(\"OUT\", \"not set\")", Some("/out")),
            ("env!(\"OTHER\")", None),
            ("$name", None),
            ("concat!(\"a\", stringify!(b))", None),
            ("", None),
        ] {
            let found = first_value(arguments, &variable);
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }
}
