//! Files that are brought in by `include!`, `include_str!` and `include_bytes!`, and what they hold put in the place of the call.

use super::Subject;
use crate::paths::{normal, parent, relative};
use crate::syntax::brought::{self, Brings, Brought};
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, NodeId, Text, Tree};

/// So many bytes of a text, or of what is none, are put in the place where they are asked for.
const SMALL_DATA: usize = 1_000;

impl Subject {
    /// The edits that let every `include!("…")` and the like in `from` find its file when it stands in `to`.
    pub(super) fn includes_from(&self, from: FileId, to: FileId) -> Vec<Edit> {
        let (here, there) = (parent(&self.file(from).path), parent(&self.file(to).path));
        if here == there {
            return Vec::new();
        }
        let found = self.brought_in_by_name(from).into_iter();
        let edits = found.filter(|(_, named)| !named.starts_with('/'));
        let edits = edits.map(|(call, named)| {
            let file = normal(&here.join(named));
            let text = format!("{:?}", relative(&there, &file));
            Edit::replace(from, call.arguments, text)
        });
        edits.collect()
    }

    /// The calls in `id` that bring in a file of the subject's that is there, with that file.
    pub fn brought_in(&self, id: FileId) -> Vec<(Brought, FileId)> {
        let here = parent(&self.file(id).path);
        let calls = self.brought_in_by_name(id).into_iter();
        let found = calls.filter_map(|(call, named)| {
            let file = self.find(&normal(&here.join(named)))?;
            self.file(file).exists().then_some((call, file))
        });
        found.collect()
    }

    /// The calls in `id` that bring in a file whose name is written there, with that name.
    fn brought_in_by_name(&self, id: FileId) -> Vec<(Brought, String)> {
        let source = self.file(id).source();
        let Some(tree) = self.file(id).tree().filter(|_| source.contains("include")) else {
            return Vec::new();
        };
        let calls = brought::brought(source, tree.tokens()).into_iter();
        let files =
            calls.filter(|call| !matches!(call.what, Brings::Variable | Brings::VariableOrNone));
        let named = files.filter_map(|call| {
            let name = brought::first_value(&source[call.arguments.clone()], &|_| None)?;
            Some((call, name))
        });
        named.collect()
    }

    /// This subject with a file in the place of the call that brings it in: code that has at most `limit` tokens and that nothing
    /// else names, or a small text or a few bytes; `None` if there is none.
    pub fn with_inclusion_inlined(&self, limit: usize) -> Option<Subject> {
        let reached = self.modules().reached.iter();
        let calls = reached.flat_map(|outer| {
            let calls = self.brought_in(*outer).into_iter();
            calls.map(|(call, inner)| (*outer, call, inner))
        });
        let mut inlined = calls.filter_map(|(outer, call, inner)| {
            let text = self.file(outer).text()?;
            if call.what != Brings::Code {
                let literal = self.as_literal(inner, call.what, SMALL_DATA)?;
                let text = text.splice(call.range, &Text::inserted(literal));
                // Others may read it, and who removes what nobody reads sees that.
                return Some(self.with_text(outer, text));
            }
            let small = self
                .file(inner)
                .tree()
                .is_some_and(|tree| tree.tokens().len() <= limit);
            let once = self.modules().mentions(inner) == 1 && inner != outer;
            let leaf = !self.modules().files.keys().any(|(file, _)| *file == inner);
            let inside = self.file(inner).text().filter(|_| small && once && leaf)?;
            let inside = inside.apply(&self.includes_from(inner, outer));
            let tree = self.file(outer).tree()?;
            let place = called_at(tree, &call)?;
            let around = match place {
                Inclusion::Items(_) => ["", "\n"],
                Inclusion::Value(_) => brackets(inside.as_str())?,
            };
            let (Inclusion::Items(range) | Inclusion::Value(range)) = place;
            let inside =
                Text::inserted(around.concat()).splice(around[0].len()..around[0].len(), &inside);
            let text = text.splice(range, &inside);
            Some(self.with_text(outer, text).without_file(inner))
        });
        inlined.next()
    }

    /// The contents of `id` as the literal that stands for them, if there are `limit` bytes of them at most.
    pub fn as_literal(&self, id: FileId, what: Brings, limit: usize) -> Option<String> {
        let bytes = self.file(id).bytes()?;
        match what {
            _ if bytes.len() > limit => None,
            Brings::Text => Some(format!("{:?}", std::str::from_utf8(bytes).ok()?)),
            Brings::Bytes => Some(format!("b\"{}\"", bytes.escape_ascii())),
            _ => None,
        }
    }
}

/// Where what is included stands.
enum Inclusion {
    /// In the place of these bytes, as items.
    Items(std::ops::Range<usize>),
    /// In the place of these bytes, as an expression.
    Value(std::ops::Range<usize>),
}

/// What the code that `call` brings in is; `None` where nothing is known of the syntax, as in what a macro is made of.
fn called_at(tree: &Tree, call: &Brought) -> Option<Inclusion> {
    let inner = tree.innermost(&call.range)?;
    let holds = |id: &NodeId| tree.node(*id).range.start == call.range.start;
    let around = std::iter::once(inner).chain(tree.ancestors(inner));
    let mut calls = around.take_while(holds).map(|id| tree.node(id));
    calls.find_map(|node| match node.kind {
        Kind::Item(ItemKind::MacroCall) => Some(Inclusion::Items(node.range.clone())),
        Kind::Expr(ExprKind::Macro) | Kind::Stmt(_) => Some(Inclusion::Value(call.range.clone())),
        _ => None,
    })
}

/// What the expression `text` has to be in to be one wherever it stands; `None` if it is none.
fn brackets(text: &str) -> Option<[&'static str; 2]> {
    let parsed = syn::parse_str::<syn::Expr>(text);
    proc_macro2::extra::invalidate_current_thread_spans();
    let is_closed = matches!(
        parsed.ok()?,
        syn::Expr::Array(_)
            | syn::Expr::Call(_)
            | syn::Expr::Lit(_)
            | syn::Expr::Macro(_)
            | syn::Expr::MethodCall(_)
            | syn::Expr::Paren(_)
            | syn::Expr::Path(_)
            | syn::Expr::Tuple(_)
    );
    Some(match is_closed {
        true => ["", "\n"],
        false => ["(", "\n)"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(files: &[(&str, &str)]) -> Subject {
        let files = files
            .iter()
            .map(|(path, text)| ((*path).into(), text.as_bytes().to_vec()));
        Subject::new(files).with_roots([FileId(0)])
    }

    fn inlined(root: &str, path: &str, text: &str) -> Option<(String, bool)> {
        let subject = subject(&[("src/lib.rs", root), (path, text)]);
        let inlined = subject.with_inclusion_inlined(100)?;
        let source = inlined.file(FileId(0)).source().to_string();
        Some((source, inlined.file(FileId(1)).exists()))
    }

    #[test]
    fn what_a_file_includes_is_found_from_where_it_goes() {
        let subject = subject(&[
            ("src/lib.rs", "mod a;"),
            (
                "src/a/mod.rs",
                "const A: &str = include_str!(\"../b.txt\");",
            ),
        ]);
        let inlined = subject.with_file_inlined(100).expect("one file");
        let source = inlined.file(FileId(0)).source();
        assert!(source.contains("include_str!(\"b.txt\")"), "{source}");
    }

    #[test]
    fn code_goes_where_it_is_included() {
        for (root, text, expected) in [
            (
                "mod a { include!(\"x.rs\"); }",
                "fn f() {}",
                "mod a { fn f() {}\n }",
            ),
            (
                "const A: [u8; 1] = std::include!(\"x.rs\");",
                "[1] // one",
                "const A: [u8; 1] = [1] // one\n;",
            ),
            (
                "fn f() -> u8 { 2 * include!(\"x.rs\") }",
                "1 + 1",
                "fn f() -> u8 { 2 * (1 + 1\n) }",
            ),
            ("fn f() { include!(\"x.rs\"); }", "g()", "fn f() { g()\n; }"),
        ] {
            let found = inlined(root, "src/x.rs", text);
            assert_eq!(found, Some((expected.to_string(), false)), "{root}");
        }
        let rules = "macro_rules! m { () => { include!(\"x.rs\") } }";
        assert_eq!(inlined(rules, "src/x.rs", "1"), None);
        assert_eq!(
            inlined("fn f() { include!(\"x.rs\") }\nmod x;", "src/x.rs", "1"),
            None
        );
    }

    #[test]
    fn a_little_data_is_a_literal() {
        let text = "const A: &str = include_str!(\"a.txt\");";
        let found = inlined(text, "src/a.txt", "a \"b\"\n");
        let expected = "const A: &str = \"a \\\"b\\\"\\n\";";
        assert_eq!(found, Some((expected.to_string(), true)));
        let bytes = "fn f() { g(include_bytes!(\"a.txt\")) }";
        let found = inlined(bytes, "src/a.txt", "a\n");
        assert_eq!(found, Some(("fn f() { g(b\"a\\n\") }".to_string(), true)));
        assert_eq!(inlined(text, "src/a.txt", &"a".repeat(2_000)), None);
    }

    #[test]
    fn what_is_included_goes_with_the_call() {
        let subject = subject(&[
            ("src/lib.rs", "mod a { include!(\"x.rs\"); }\nmod b;"),
            ("src/x.rs", "include!(\"y.rs\");"),
            ("src/y.rs", ""),
            ("src/b.rs", ""),
        ]);
        assert_eq!(subject.orphans(), []);
        let range = 0..29;
        let kind = Kind::Item(ItemKind::Mod);
        let element = crate::subject::Element::cut(&subject, kind, FileId(0), range);
        assert_eq!(element.drops, [FileId(1), FileId(2)]);
    }
}
