//! Functions that ran, answered for: `fn f(…) -> Option<T> { … }` → `{ None }`. One trial tells whether
//! anything matters that runs for the sake of a function.
//!
//! An answer could forge the failure: a function whose value an assertion compares can be answered
//! for by that value. So no answer is given whose words the failing assertion's message has.

use std::collections::{HashMap, HashSet};

use syn::{GenericArgument, PathArguments, Receiver, ReceiverKind, ReturnType, Type, parse_quote};

use super::{Pass, nodes, stub};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::lexer::{self, TokenKind};
use crate::syntax::{FileId, ItemKind, Kind, NodeId, Tree};

/// The answers to one question, in the order in which they are tried: one round for each.
const ANSWERS: usize = 3;

/// Bodies → the simplest value of the function's type.
#[derive(Debug, Default)]
pub struct Answers {
    /// Words that no answer may have.
    told: HashSet<String>,
}

impl Answers {
    /// Answers for anything but what the failing assertion compares, which its `message` tells: a truth value, if nothing else.
    pub fn beside(message: &str) -> Answers {
        let tokens = lexer::tokens(message);
        let tokens = tokens
            .iter()
            .filter(|token| matches!(token.kind, TokenKind::Ident | TokenKind::Literal));
        let words = tokens.map(|token| &message[token.range()]);
        Answers {
            told: words.chain(["true", "false"]).map(String::from).collect(),
        }
    }

    fn is_told(&self, answer: &str) -> bool {
        let tokens = lexer::tokens(answer);
        let mut tokens = tokens.iter().map(|token| &answer[token.range()]);
        tokens.any(|word| self.told.contains(word))
    }
}

impl Pass for Answers {
    fn name(&self) -> &'static str {
        "answers"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round >= ANSWERS {
            return None;
        }
        let shapes = Shapes::of(subject);
        let bodies = nodes(subject, |_, _, node| node.kind == Kind::Body);
        let list = bodies.filter_map(|(file, tree, id, _)| {
            let function = Function::read(&shapes, subject, file, tree, id)?;
            let value = function
                .values(&function.returns, DEEP)
                .into_iter()
                .nth(round)?;
            if self.is_told(&value) {
                return None;
            }
            let text = format!("{{ {value} }}");
            let element = Element::new(
                subject,
                Kind::Body,
                vec![stub::inside(file, tree, id, &text)],
            );
            (element.saves > 0).then_some(element)
        });
        Some(list.collect())
    }
}

fn type_of(receiver: &Receiver) -> Type {
    match &receiver.kind {
        ReceiverKind::Reference(and, lifetime, mutability) => {
            parse_quote!(#and #lifetime #mutability Self)
        }
        ReceiverKind::Typed(_, ty) => (**ty).clone(),
        _ => parse_quote!(Self),
    }
}

/// The types that a subject defines without parameters, by name; those of which there are several are left out.
struct Shapes(HashMap<String, Option<Shape>>);

/// What a value of a type is written like.
enum Shape {
    Struct(syn::Fields),
    /// The variants, those without fields first.
    Enum(Vec<(String, syn::Fields)>),
}

impl Shapes {
    fn of(subject: &Subject) -> Shapes {
        let mut found: HashMap<String, Option<Shape>> = HashMap::new();
        let is_type = |kind| matches!(kind, Kind::Item(ItemKind::Struct | ItemKind::Enum));
        for (file, _, _, node) in nodes(subject, move |_, _, node| is_type(node.kind)) {
            let text = &subject.file(file).source()[node.range.clone()];
            let (name, shape) = match syn::parse_str(text) {
                Ok(syn::Item::Struct(item)) => {
                    let simple = item.generics.params.is_empty();
                    (item.ident, simple.then_some(Shape::Struct(item.fields)))
                }
                Ok(syn::Item::Enum(item)) => {
                    let variants = item.variants.into_iter();
                    let mut variants: Vec<(String, syn::Fields)> = variants
                        .map(|variant| (variant.ident.to_string(), variant.fields))
                        .collect();
                    variants.sort_by_key(|(_, fields)| fields.len());
                    let simple = item.generics.params.is_empty();
                    (item.ident, simple.then_some(Shape::Enum(variants)))
                }
                _ => continue,
            };
            found
                .entry(name.to_string())
                .and_modify(|known| *known = None)
                .or_insert(shape);
        }
        Shapes(found)
    }
}

/// How deep in each other values of types of the subject are written.
const DEEP: usize = 3;

/// What a function's value can be made of.
struct Function<'s> {
    shapes: &'s Shapes,
    returns: Type,
    /// The names and types of its parameters.
    parameters: Vec<(String, Type)>,
}

impl Function<'_> {
    fn read<'s>(
        shapes: &'s Shapes,
        subject: &Subject,
        file: FileId,
        tree: &Tree,
        body: NodeId,
    ) -> Option<Function<'s>> {
        let outer = tree.parent(body)?;
        if !matches!(
            outer.kind,
            Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn)
        ) {
            return None;
        }
        let name = outer.name.as_ref()?;
        let head = tree.node(body).range.start;
        // From its name on: what comes before says nothing of its value.
        let source = subject.file(file).source();
        let signature: syn::Signature =
            syn::parse_str(&format!("fn {}", &source[name.start..head])).ok()?;
        let returns = match &signature.output {
            ReturnType::Default => parse_quote!(()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        };
        let parameters = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Receiver(receiver) => Some(("self".to_owned(), type_of(receiver))),
            syn::FnArg::Typed(typed) => match &*typed.pat {
                syn::Pat::Ident(name) if name.subpat.is_none() => {
                    Some((name.ident.to_string(), (*typed.ty).clone()))
                }
                _ => None,
            },
        });
        Some(Function {
            shapes,
            parameters: parameters.collect(),
            returns,
        })
    }

    /// The simplest values of `ty`, its parameters first.
    fn values(&self, ty: &Type, deep: usize) -> Vec<String> {
        let given = self.parameters.iter().filter(|(_, other)| other == ty);
        let mut values: Vec<String> = given.map(|(name, _)| name.clone()).collect();
        values.extend(self.made(ty, deep));
        values
    }

    fn made(&self, ty: &Type, deep: usize) -> Vec<String> {
        let one = |value: &str| vec![value.to_owned()];
        match ty {
            Type::Tuple(tuple) => {
                let parts: Option<Vec<String>> = tuple
                    .elems
                    .iter()
                    .map(|part| self.values(part, deep).into_iter().next())
                    .collect();
                match parts.as_deref() {
                    // A body of nothing is `()`.
                    Some([]) => one(""),
                    Some([single]) => vec![format!("({single},)")],
                    Some(parts) => vec![format!("({})", parts.join(", "))],
                    None => Vec::new(),
                }
            }
            Type::Reference(reference) => match &*reference.elem {
                Type::Slice(_) if reference.mutability.is_some() => one("&mut []"),
                Type::Slice(_) => one("&[]"),
                Type::Path(path) if path.path.is_ident("str") => one("\"\""),
                _ => Vec::new(),
            },
            Type::Path(path) => {
                let Some(last) = path.path.segments.last() else {
                    return Vec::new();
                };
                let inner: Vec<&Type> = match &last.arguments {
                    PathArguments::AngleBracketed(arguments) => {
                        let types = arguments.args.iter().filter_map(|argument| match argument {
                            GenericArgument::Type(ty) => Some(ty),
                            _ => None,
                        });
                        types.collect()
                    }
                    _ => Vec::new(),
                };
                self.named(path, &last.ident.to_string(), &inner, deep)
            }
            _ => Vec::new(),
        }
    }

    /// The simplest values of the type `name` with the arguments `inner`.
    fn named(&self, path: &syn::TypePath, name: &str, inner: &[&Type], deep: usize) -> Vec<String> {
        let around = |open: &str| -> Vec<String> {
            let inner = inner
                .first()
                .map_or_else(Vec::new, |inner| self.values(inner, deep));
            let value = |inner: String| match inner.is_empty() {
                true => format!("{open}(())"),
                false => format!("{open}({inner})"),
            };
            inner.into_iter().map(value).collect()
        };
        let texts = |values: &[&str]| -> Vec<String> {
            values.iter().map(|value| (*value).to_owned()).collect()
        };
        match name {
            "bool" => texts(&["false", "true"]),
            "char" => texts(&["' '"]),
            "f32" | "f64" => texts(&["0.0", "1.0"]),
            "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16" | "i32" | "i64"
            | "i128" | "isize" => texts(&["0", "1"]),
            "Option" => {
                let mut values: Vec<String> = texts(&["None"]);
                values.extend(around("Some"));
                values
            }
            // Also those with an error of their own, `io::Result<T>`; `fmt::Result` has no argument.
            _ if name.ends_with("Result") && inner.is_empty() => texts(&["Ok(())"]),
            _ if name.ends_with("Result") => around("Ok"),
            "String" | "Vec" => vec![format!("{name}::new()")],
            "Box" | "Rc" | "Arc" | "Cell" | "RefCell" => around(&format!("{name}::new")),
            _ => {
                let mut values: Vec<String> = self.written(path, name, deep).into_iter().collect();
                values.push("Default::default()".to_owned());
                values
            }
        }
    }

    /// A value of the type `name` of the subject, which is written as `path` here.
    fn written(&self, path: &syn::TypePath, name: &str, deep: usize) -> Option<String> {
        let deep = deep.checked_sub(1)?;
        let names = path.path.segments.iter();
        let names: Vec<String> = names.map(|segment| segment.ident.to_string()).collect();
        let path = names.join("::");
        match self.shapes.0.get(name)?.as_ref()? {
            Shape::Struct(fields) => Some(format!("{path}{}", self.filled(fields, deep)?)),
            Shape::Enum(variants) => variants.iter().find_map(|(variant, fields)| {
                Some(format!("{path}::{variant}{}", self.filled(fields, deep)?))
            }),
        }
    }

    /// The simplest values for `fields`, as they stand behind the name.
    fn filled(&self, fields: &syn::Fields, deep: usize) -> Option<String> {
        let value = |field: &syn::Field| self.made(&field.ty, deep).into_iter().next();
        match fields {
            syn::Fields::Unit => Some(String::new()),
            syn::Fields::Unnamed(fields) => {
                let values: Option<Vec<String>> = fields.unnamed.iter().map(value).collect();
                Some(format!("({})", values?.join(", ")))
            }
            syn::Fields::Named(fields) => {
                let values = fields.named.iter().map(|field| {
                    let name = field.ident.as_ref()?;
                    Some(format!("{name}: {}", value(field)?))
                });
                Some(format!(
                    " {{ {} }}",
                    values.collect::<Option<Vec<String>>>()?.join(", ")
                ))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Answers;
    use crate::passes::testing::each;

    fn bodies(answers: &Answers, signature: &str) -> Vec<String> {
        let body = "{ let x = 1; let y = 2; let z = 3; f(x, y, z) }";
        let all = each(answers, &format!("{signature} {body}"));
        let bodies = all.iter().map(|text| {
            let open = text.find('{').expect("a body");
            text[open..].trim_matches(['{', '}', ' ']).to_owned()
        });
        bodies.collect()
    }

    #[test]
    fn the_type_says_what_the_simplest_value_is() {
        let answers = Answers::default();
        for (signature, expected) in [
            ("fn f()", &[""][..]),
            ("fn f() -> bool", &["false", "true"]),
            ("fn f(a: u8) -> u8", &["a", "0", "1"]),
            ("fn f() -> Option<usize>", &["None", "Some(0)", "Some(1)"]),
            ("fn f() -> io::Result<()>", &["Ok(())"]),
            ("fn f() -> Outcome", &["Default::default()"]),
            ("fn f() -> fmt::Result", &["Ok(())"]),
            ("fn f() -> Result<Vec<u8>, E>", &["Ok(Vec::new())"]),
            ("fn f() -> (&'static str, Box<[u8; 2]>)", &[]),
            ("fn f() -> (&str, &[u8])", &["(\"\", &[])"]),
            ("fn f(&mut self, a: u8) -> &mut Self", &["self"]),
            (
                "fn f(self, b: Self) -> Self",
                &["self", "b", "Default::default()"],
            ),
        ] {
            assert_eq!(bodies(&answers, signature), expected, "{signature}");
        }
    }

    #[test]
    fn values_of_own_types_are_written_out() {
        let types = "struct Unit; struct Pair(u8, Option<Unit>); struct Named { pair: Pair, of: Kind }
            enum Kind { Full(Unit), Empty } struct Deep { named: Named } struct Many<T>(T); struct Same; mod m { struct Same; }";
        let written = |returns: &str| {
            let function =
                format!("fn f() -> {returns} {{ let x = 1; g(x, x, x, x, x, x, x, x, x, x) }}");
            let all = each(&Answers::default(), &format!("{function} {types}"));
            let first = all.first().cloned().unwrap_or_default();
            let (_, body) = first.split_once("{ ").expect("a body");
            body.split(" } struct").next().map(str::to_owned)
        };
        for (returns, value) in [
            ("Unit", "Unit"),
            ("Pair", "Pair(0, None)"),
            ("Option<Box<Kind>>", "None"),
            ("Result<Kind, ()>", "Ok(Kind::Empty)"),
            (
                "m::Named",
                "m::Named { pair: Pair(0, None), of: Kind::Empty }",
            ),
            (
                "Deep",
                "Deep { named: Named { pair: Pair(0, None), of: Kind::Empty } }",
            ),
            ("Many<u8>", "Default::default()"),
            ("Same", "Default::default()"),
        ] {
            assert_eq!(written(returns).as_deref(), Some(value), "{returns}");
        }
    }

    #[test]
    fn no_answer_has_a_word_of_what_the_assertion_compares() {
        let answers =
            Answers::beside("assertion `left == right` failed\n  left: None\n right: Some(1)");
        assert_eq!(bodies(&answers, "fn f() -> Option<u8>"), [""; 0]);
        assert_eq!(bodies(&answers, "fn f() -> bool"), [""; 0]);
        assert_eq!(bodies(&answers, "fn f() -> u8"), ["0"]);
    }
}
