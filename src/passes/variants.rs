//! Variants of functions: of each element inside a function's body, a copy of that body without it, all in one program. Which of
//! them runs is said by number while the program runs, so that one compilation is enough to try every element alone.

use std::collections::BTreeMap;
use std::ops::Range;

use super::ran;
use crate::subject::{Element, PROBE_CRATE as CRATE, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Node, NodeId, Part, Text, Tree};

/// An element that lies in the body of a function.
#[derive(Debug, Clone)]
pub struct Variant {
    /// What the function lacks.
    pub element: Element,
    file: FileId,
    body: Range<usize>,
    /// Tokens of the body, which is copied.
    pub tokens: usize,
}

impl Variant {
    /// Whether it is about the same function as `other`.
    pub fn shares_its_body_with(&self, other: &Variant) -> bool {
        self.file == other.file && self.body == other.body
    }
}

/// A variant and its number.
type Numbered<'v> = (usize, &'v Variant);

/// A subject with variants in it.
pub struct Varied {
    /// The text to compile and run.
    pub subject: Subject,
    /// Where the bodies of the variants stand in it, by number.
    places: Vec<(FileId, Range<usize>, usize)>,
}

/// Those of `elements` that lie in the body of a function which is known to run at run time alone.
pub fn variants(subject: &Subject, elements: Vec<Element>) -> Vec<Variant> {
    let found = elements.into_iter().filter_map(|element| {
        let first = element.edits.first()?;
        let file = first.file;
        let version = subject.file(file);
        let (source, tree) = (version.source(), version.tree()?);
        let inside = |body: &Node| {
            element.edits.iter().all(|edit| {
                edit.file == file
                    && body.range.start < edit.range.start
                    && edit.range.end < body.range.end
            })
        };
        let innermost = tree.innermost(&first.range)?;
        let around = std::iter::once(innermost).chain(tree.ancestors(innermost));
        let bodies = around.filter(|id| tree.node(*id).kind == Kind::Body);
        let outermost = bodies.filter(|id| inside(tree.node(*id))).last()?;
        let body = tree.node(outermost).range.clone();
        let suits = element.drops.is_empty()
            && !holds_what_is_there_once(source, tree, &body)
            && ran::at_run_time(source, tree, outermost)
            && has_one_type(source, tree, outermost);
        suits.then(|| Variant {
            tokens: tree.tokens_in(&body).len(),
            element,
            file,
            body,
        })
    });
    found.collect()
}

/// Whether in `body` something is defined that is not its own.
fn holds_what_is_there_once(source: &str, tree: &Tree, body: &Range<usize>) -> bool {
    let inside = |node: &Node| body.start < node.range.start && node.range.end < body.end;
    let mut items = tree
        .nodes()
        .map(|(_, node)| node)
        .filter(|node| inside(node));
    let words = ["export_name", "macro_export", "no_mangle"];
    items.any(|node| node.kind == Kind::Item(ItemKind::Impl))
        || words.iter().any(|word| source[body.clone()].contains(word))
}

/// Whether the function with this `body` can return what two copies of it give: its type is written down, and has a name.
fn has_one_type(source: &str, tree: &Tree, body: NodeId) -> bool {
    let starts_with_attribute = tree.node(body).children.first().is_some_and(|first| {
        let first = tree.node(*first);
        first.kind == Kind::Attribute && source[first.range.clone()].starts_with("#!")
    });
    let function = tree.ancestors(body).map(|id| tree.node(id)).find(|node| {
        matches!(
            node.kind,
            Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn)
        )
    });
    let Some(function) = function else {
        return false;
    };
    let mut children = function.children.iter().map(|child| tree.node(*child));
    let hidden = children.any(|child| {
        child.kind == Kind::ReturnType
            && tree
                .identifiers(source, &child.range)
                .any(|word| word == "impl")
    });
    !starts_with_attribute && !hidden
}

/// `subject` with the variants of these numbers.
pub fn varied<'v>(
    subject: &Subject,
    variants: impl IntoIterator<Item = (usize, &'v Variant)>,
) -> Varied {
    // By file, and in it by where the body begins.
    let mut bodies: BTreeMap<FileId, BTreeMap<usize, Vec<Numbered<'_>>>> = BTreeMap::new();
    for (number, variant) in variants {
        let of_file = bodies.entry(variant.file).or_default();
        let of_body = of_file.entry(variant.body.start).or_default();
        of_body.push((number, variant));
    }
    let mut result = Varied {
        subject: subject.clone(),
        places: Vec::new(),
    };
    for (file, bodies) in bodies {
        let Some(text) = subject.file(file).text() else {
            continue;
        };
        let mut without: Vec<(usize, usize, Text)> = Vec::new();
        for (start, own) in &bodies {
            let Some(body) = own.first().map(|(_, variant)| variant.body.clone()) else {
                continue;
            };
            let (whole, _) = Text::assembled([Part::Of(text, body)]);
            for (number, variant) in own {
                // No other file has a part of it.
                let mut edits = subject.edits([&variant.element]);
                let edits = edits.get_mut(&file).map(std::mem::take).unwrap_or_default();
                let inside = edits.into_iter().map(|mut edit| {
                    edit.range = edit.range.start - start..edit.range.end - start;
                    edit
                });
                let inside: Vec<Edit> = inside.collect();
                without.push((*start, *number, whole.apply(&inside)));
            }
        }
        let mut parts: Vec<Part<'_>> = Vec::new();
        let mut numbers: Vec<(usize, usize, usize)> = Vec::new();
        let mut at = 0;
        for (start, own) in &bodies {
            let Some(body) = own.first().map(|(_, variant)| &variant.body) else {
                continue;
            };
            parts.push(Part::Of(text, at..*start));
            parts.push(Part::New("{ ".into()));
            for (_, number, own) in without.iter().filter(|one| one.0 == *start) {
                let length = own.as_str().len();
                parts.push(Part::New(format!("if ::{CRATE}::is_off({number}) ")));
                numbers.push((parts.len(), *number, length));
                parts.push(Part::Of(own, 0..length));
                parts.push(Part::New(" else ".into()));
            }
            parts.push(Part::Of(text, body.clone()));
            parts.push(Part::New(" }".into()));
            at = body.end;
        }
        parts.push(Part::Of(text, at..text.as_str().len()));
        let (varied, starts) = Text::assembled(parts);
        let places = numbers.into_iter().map(|(part, number, length)| {
            let start = starts[part];
            (file, start..start + length, number)
        });
        result.places.extend(places);
        result.subject = result.subject.with_text(file, varied);
    }
    result
}

impl Varied {
    /// The number of the variant whose body the byte at `offset` of `file` stands in.
    pub fn variant_at(&self, file: FileId, offset: usize) -> Option<usize> {
        let mut all = self.places.iter();
        let there = all.find(|(own, range, _)| *own == file && range.contains(&offset));
        there.map(|(_, _, number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::{Pass, delete};

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
    }

    fn statements(subject: &Subject) -> Vec<Variant> {
        let lists = (0..).map_while(|round| delete::STATEMENTS.list(subject, round));
        variants(subject, lists.flatten().collect())
    }

    #[test]
    fn each_element_of_a_body_has_a_copy_of_it() {
        let subject = subject("fn f() -> u8 { a(); b(); 1 } fn g() {} fn h() { c(); }");
        let all = statements(&subject);
        let varied = varied(&subject, all.iter().enumerate());
        let text = varied.subject.file(FileId(0)).source();
        let text = text.replace(&format!("::{CRATE}::is_off"), "off");
        let words: Vec<&str> = text.split_whitespace().collect();
        let number = |gone: &str| {
            let at = all.iter().position(|one| {
                let after = subject.without([&one.element]);
                !after.file(FileId(0)).source().contains(gone)
            });
            at.expect("it is an element")
        };
        let (a, b, c, one) = (number("a()"), number("b()"), number("c()"), number("1"));
        let mut order = [(a, "{ b(); 1 }"), (b, "{ a(); 1 }"), (one, "{ a(); b(); }")];
        order.sort();
        let of_f: Vec<String> = order
            .iter()
            .map(|(at, body)| format!("if off({at}) {body} else "))
            .collect();
        assert_eq!(
            words.join(" "),
            format!(
                "fn f() -> u8 {{ {}{{ a(); b(); 1 }} }} fn g() {{}} fn h() {{ if off({c}) {{ }} else {{ c(); }} }}",
                of_f.concat()
            )
        );
    }

    #[test]
    fn a_place_in_a_variant_is_known_and_keeps_its_origin() {
        let subject = subject("fn f() { a(); panic!(); }");
        let all = statements(&subject);
        let varied = varied(&subject, all.iter().enumerate());
        let text = varied.subject.file(FileId(0)).text().expect("it is text");
        let at = text.as_str().find("panic").expect("it is there");
        let without_a = all.iter().position(|one| {
            let after = subject.without([&one.element]);
            !after.file(FileId(0)).source().contains("a()")
        });
        assert_eq!(varied.variant_at(FileId(0), at), without_a);
        assert_eq!(varied.variant_at(FileId(0), 0), None);
        let original = subject.file(FileId(0)).source().find("panic");
        let origin = text.origin(at).map(|origin| origin.offset as usize);
        assert_eq!(origin, original);
    }

    #[test]
    fn what_may_run_at_compile_time_or_hides_its_type_has_none() {
        for text in [
            "const fn f() { a(); }",
            "fn f() -> impl Sized { a(); 1 }",
            "macro_rules! m { () => { a(); } }",
            "struct S { a: u8 }",
        ] {
            assert!(statements(&subject(text)).is_empty(), "{text}");
        }
    }
}
