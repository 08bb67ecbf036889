//! A struct with one field replaced by that field, and another name for a type by that type. What only carried the name goes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::query::{
    At, all, at_place, is_expr, is_impl, is_member, is_type, name_of_type, smaller, trait_name,
    trait_of, type_of,
};
use super::{Complaint, Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{
    Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, Tree, TypeKind,
};

/// `struct S<T>(T);` goes, `S<X>` → `X`, `S(e)` → `e`, `S { f: e }` → `e`, in patterns too. What makes one of its field by
/// `From` goes as well, and so do impls of traits that its field has, or that nearly everything has.
pub struct Newtypes;

/// Traits that a field most likely has as well.
const OF_ANYTHING: [&str; 14] = [
    "Clone",
    "Copy",
    "Debug",
    "Default",
    "Deref",
    "DerefMut",
    "Display",
    "Eq",
    "From",
    "Hash",
    "Ord",
    "PartialEq",
    "PartialOrd",
    "Borrow",
];

/// `type A<T> = S<u8, T>;` goes, `A<X>` → `S<u8, X>`, `A::f()` → `S::f()`.
pub struct Aliases;

fn children<'t>(tree: &'t Tree, node: &'t Node, kind: Kind) -> Vec<&'t Node> {
    let all = node.children.iter().map(|child| tree.node(*child));
    all.filter(|child| child.kind == kind).collect()
}

fn name<'s>(source: &'s str, node: &Node) -> Option<&'s str> {
    Some(&source[node.name.clone()?])
}

impl Pass for Newtypes {
    fn name(&self) -> &'static str {
        "unwrap-newtypes"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let left = with_own_methods(subject);
        let structs = all(subject, is_struct).into_iter();
        let structs = structs.filter(|at| !left.contains(at.name().unwrap_or_default()));
        let impls = all(subject, is_impl);
        Some(
            structs
                .filter_map(|at| unwrapped(subject, at, &impls))
                .collect(),
        )
    }
}

fn is_struct(kind: Kind) -> bool {
    kind == Kind::Item(ItemKind::Struct)
}

/// The only field of a struct.
fn only_field(at: At<'_>) -> Option<At<'_>> {
    let fields = at.children(|kind| kind == Kind::Field);
    let [field] = fields[..] else { return None };
    Some(field)
}

/// What puts the only field of the struct `at` in its place, where `impls` are all there are.
fn unwrapped(subject: &Subject, at: At, impls: &[At]) -> Option<Element> {
    let field = only_field(at)?;
    let newtype = Newtype::of(at.source, at.tree, at.node, field.node)?;
    let of_field = type_of(field);
    let of_its_field = impls
        .iter()
        .filter(|one| of_field.is_some() && type_of(**one) == of_field);
    let of_its_field: BTreeSet<&str> = of_its_field.filter_map(|one| trait_of(*one)).collect();
    let gone = impls.iter().filter(|one| {
        let is_its = type_of(**one) == Some(newtype.name);
        let both_have = trait_of(**one).is_some_and(|name| of_its_field.contains(name));
        newtype.has_like_its_field(**one) || is_its && both_have
    });
    let mut edits = vec![at.cut()];
    edits.extend(gone.map(|one| one.cut()));
    for (file, tree, id, other) in nodes(subject, |_, _, _| true) {
        let source = subject.file(file).source();
        newtype.unwrap(source, file, tree, id, other, &mut edits);
    }
    Some(Element::new(subject, at.kind(), edits))
}

/// The names of structs with one field that have functions of their own, which the type of the field, from elsewhere, cannot have.
pub fn with_own_methods(subject: &Subject) -> BTreeSet<&str> {
    let is_defined = |kind| {
        matches!(
            kind,
            Kind::Item(ItemKind::Struct | ItemKind::Enum | ItemKind::Union | ItemKind::TypeAlias)
        )
    };
    let defined = all(subject, is_defined).into_iter();
    let defined: BTreeSet<&str> = defined.filter_map(At::name).collect();
    let has_own = |one: &At| {
        one.child(|kind| kind == Kind::TraitRef).is_none() && one.child(is_member).is_some()
    };
    let impls = all(subject, is_impl).into_iter().filter(has_own);
    let has_own: BTreeSet<&str> = impls.filter_map(type_of).collect();
    let structs = all(subject, is_struct).into_iter().filter(|at| {
        let ty = only_field(*at).and_then(|field| field.child(is_type));
        ty.is_some_and(|ty| {
            // A reference to what is defined here is another type.
            let own = Some(ty).filter(|ty| ty.kind() == Kind::Type(TypeKind::Path));
            own.and_then(name_of_type)
                .is_none_or(|name| !defined.contains(name))
        })
    });
    let names = structs.filter_map(At::name);
    names.filter(|name| has_own.contains(name)).collect()
}

/// What puts the only field of the struct `name` in its place.
pub fn newtype(subject: &Subject, name: &str) -> Option<Element> {
    let mut structs = all(subject, is_struct).into_iter();
    let at = structs.find(|at| at.name() == Some(name))?;
    unwrapped(subject, at, &all(subject, is_impl))
}

/// The codes of errors about a field that a type does not have, or that nothing of its kind has.
const NO_SUCH_FIELD: [&str; 2] = ["E0609", "E0610"];

/// `element`, of [`Newtypes`], without the fields that are not there any more. Where a field was that of a reference, this has to
/// be followed now.
pub fn with_fields(
    subject: &Subject,
    element: &Element,
    complaints: &[Complaint],
) -> Option<Element> {
    let mut edits = element.edits.clone();
    let makers = complaints
        .iter()
        .filter_map(|one| mapping_with_maker(subject, one));
    for edit in fields(subject, complaints).into_iter().chain(makers) {
        // The same field may be complained of in two ways.
        if !edits.contains(&edit) {
            edits.push(edit);
        }
    }
    Some(Element::new(subject, element.kind, edits))
}

/// The codes of errors about a name that is that of no value.
const NO_SUCH_VALUE: [&str; 2] = ["E0423", "E0425"];

/// `x.map(S)` → `x`, where a value has to be made no more by the `S` that is complained of.
fn mapping_with_maker(subject: &Subject, complaint: &Complaint) -> Option<Edit> {
    if !NO_SUCH_VALUE.contains(&complaint.code.as_str()) {
        return None;
    }
    let at = at_place(subject, complaint.file, &complaint.range)?;
    let mut around = [at].into_iter().chain(at.ancestors());
    let call = around.find(|at| at.kind() == Kind::Expr(ExprKind::MethodCall))?;
    let [receiver, only] = call.children(is_expr)[..] else {
        return None;
    };
    let maps = matches!(call.name()?, "map" | "map_err") && only.range() == complaint.range;
    maps.then(|| call.edit(receiver.node.range.end..call.node.range.end, ""))
}

fn fields(subject: &Subject, complaints: &[Complaint]) -> Vec<Edit> {
    let missing = complaints
        .iter()
        .filter(|one| NO_SUCH_FIELD.contains(&one.code.as_str()));
    let found = missing.flat_map(|one| {
        let of_reference = one.said.contains("type `&");
        field(subject, one.file, one.range.start, of_reference).unwrap_or_default()
    });
    found.collect()
}

fn field(subject: &Subject, file: FileId, start: usize, of_reference: bool) -> Option<Vec<Edit>> {
    let (source, tree) = (subject.file(file).source(), subject.file(file).tree()?);
    let name = tree.tokens_in(&(0..start + 1)).last()?.range();
    let innermost = tree.innermost(&name)?;
    let mut around = std::iter::once(innermost).chain(tree.ancestors(innermost));
    let (id, field) = around.find_map(|id| {
        let node = tree.node(id);
        let is_it = node.kind == Kind::Expr(ExprKind::Field) && node.range.end == name.end;
        is_it.then_some((id, node))
    })?;
    // `1.0` in `x.1.0` is one token.
    let within_token = name.start < start;
    let before = match within_token {
        true => start - 1,
        false => tree.node(*field.children.first()?).range.end,
    };
    let is_last = !source[start..name.end].contains('.');
    let follows = tree.parent(id).is_some_and(|outer| {
        use ExprKind::{Field, Index, MethodCall};
        let first = outer.children.first() == Some(&id);
        first && matches!(outer.kind, Kind::Expr(Field | Index | MethodCall))
    });
    let mut edits = vec![Edit {
        within_token,
        ..Edit::delete(file, before..name.end)
    }];
    if of_reference && !follows {
        let start = field.range.start;
        edits.push(Edit::replace(file, start..start, "*"));
    }
    is_last.then_some(edits)
}

impl Pass for Aliases {
    fn name(&self) -> &'static str {
        "inline-aliases"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let is_alias = |kind| kind == Kind::Item(ItemKind::TypeAlias);
        let list = all(subject, is_alias).into_iter().filter_map(|alias| {
            let (source, tree) = (alias.source, alias.tree);
            let another = Newtype::of(source, tree, alias.node, alias.node)?;
            let of = type_of(alias)?;
            let mut edits = vec![alias.cut()];
            for at in all(subject, |_| true) {
                if matches!(at.kind(), Kind::Type(_) | Kind::UseTree | Kind::Item(_)) {
                    another.unwrap(at.source, at.file, at.tree, at.id, at.node, &mut edits);
                } else if matches!(at.kind(), Kind::Expr(_) | Kind::Pat(_)) {
                    edits.extend(another.spoken_of(at).map(|place| at.edit(place, of)));
                }
            }
            smaller(subject, alias.kind(), edits)
        });
        Some(list.collect())
    }
}

/// A struct with one field, or another name for a type.
struct Newtype<'s> {
    name: &'s str,
    field: Option<&'s str>,
    ty: &'s str,
    parameters: Vec<&'s str>,
}

impl<'s> Newtype<'s> {
    fn of(source: &'s str, tree: &Tree, node: &Node, field: &Node) -> Option<Newtype<'s>> {
        let ty = field
            .children
            .iter()
            .map(|child| tree.node(*child))
            .find(|child| matches!(child.kind, Kind::Type(_)))?;
        let parameters = children(tree, node, Kind::GenericParam);
        Some(Newtype {
            name: name(source, node)?,
            field: name(source, field),
            ty: &source[ty.range.clone()],
            parameters: parameters
                .into_iter()
                .filter_map(|parameter| name(source, parameter))
                .collect(),
        })
    }

    /// Its field's type in front of `::`.
    fn in_front(&self) -> String {
        let is_name = self.ty.chars().all(|c| c.is_alphanumeric() || c == '_');
        match is_name {
            true => self.ty.to_string(),
            false => format!("<{}>", self.ty),
        }
    }

    /// Where its name begins the path of a value or a pattern.
    fn spoken_of(&self, at: At) -> Option<Range<usize>> {
        let is_path = matches!(
            at.kind(),
            Kind::Expr(ExprKind::Path | ExprKind::Struct)
                | Kind::Pat(PatKind::Path | PatKind::Struct | PatKind::TupleStruct)
        );
        let words = at.words(&at.range());
        let (first, place) = words.first()?;
        (is_path && *first == self.name).then(|| place.clone())
    }

    /// Whether the impl `at` is one for it and says nothing of it, or is of a trait that its field has as well.
    fn has_like_its_field(&self, at: At) -> bool {
        let of_it = at.child(is_type).and_then(At::name) == Some(self.name);
        let of_trait = at.child(|kind| kind == Kind::TraitRef);
        of_it
            && match of_trait {
                None => at.child(is_member).is_none(),
                Some(of) => trait_name(of).is_some_and(|name| OF_ANYTHING.contains(&name)),
            }
    }

    /// What becomes of the node `id` of a file.
    fn unwrap(
        &self,
        source: &str,
        file: FileId,
        tree: &Tree,
        id: NodeId,
        node: &Node,
        edits: &mut Vec<Edit>,
    ) {
        let mine = name(source, node) == Some(self.name);
        let of_part = |part: &Node, edits: &mut Vec<Edit>| {
            edits.push(Edit::delete(file, node.range.start..part.range.start));
            edits.push(Edit::delete(file, part.range.end..node.range.end));
        };
        match node.kind {
            // In front of a function's name it is a type.
            Kind::Expr(ExprKind::Path) if !mine => {
                let words: Vec<Range<usize>> = tree
                    .tokens_in(&node.range)
                    .iter()
                    .map(|at| at.range())
                    .collect();
                if words
                    .first()
                    .is_some_and(|first| &source[first.clone()] == self.name)
                {
                    edits.push(Edit::replace(file, words[0].clone(), self.in_front()));
                }
            }
            Kind::Type(_) if mine => match self.argument(source, tree, node) {
                Some(argument) => of_part(argument, edits),
                None => edits.push(Edit::replace(
                    file,
                    node.range.clone(),
                    self.substituted(source, tree, node),
                )),
            },
            Kind::Expr(ExprKind::Call) | Kind::Pat(PatKind::TupleStruct) if mine => {
                let last = node.children.last().map(|child| tree.node(*child));
                if let Some(part) = last.filter(|part| part.range.end < node.range.end) {
                    of_part(part, edits);
                }
            }
            Kind::Expr(ExprKind::Struct) | Kind::Pat(PatKind::Struct) if mine => {
                let values = node.children.iter().map(|child| tree.node(*child));
                let value = values
                    .into_iter()
                    .find(|child| matches!(child.kind, Kind::FieldValue | Kind::FieldPat));
                if let Some(value) = value {
                    let part = value.children.last().map(|child| tree.node(*child));
                    of_part(part.unwrap_or(value), edits);
                }
            }
            Kind::Expr(ExprKind::Field) => {
                let selected = match self.field {
                    Some(field) => name(source, node) == Some(field),
                    // What else has a field of this number, the compiler knows.
                    None => {
                        let mut around = tree.ancestors(id).map(|id| tree.node(id));
                        let own = around.find(|outer| outer.kind == Kind::Item(ItemKind::Impl));
                        let mut types = own.into_iter().flat_map(|own| &own.children);
                        let is_own = types.any(|child| {
                            let child = tree.node(*child);
                            matches!(child.kind, Kind::Type(_))
                                && name(source, child) == Some(self.name)
                        });
                        is_own && source[node.range.clone()].replace(' ', "") == "self.0"
                    }
                };
                let value = node.children.first().map(|child| tree.node(*child));
                if let Some(value) = value.filter(|_| selected) {
                    edits.push(Edit::delete(file, value.range.end..node.range.end));
                }
            }
            Kind::UseTree | Kind::Item(ItemKind::Use) => {
                let inner = children(tree, node, Kind::UseTree);
                let last = tree.identifiers(source, &node.range).last();
                if inner.is_empty() && last == Some(self.name) && tree.parent(id).is_some() {
                    edits.push(Edit::delete(file, node.range.clone()));
                }
            }
            _ => {}
        }
    }

    /// The argument that stands for the field, where the field is of the type of a parameter.
    fn argument<'t>(&self, source: &str, tree: &'t Tree, node: &'t Node) -> Option<&'t Node> {
        let at = self.parameters.iter().position(|one| *one == self.ty)?;
        let arguments = children(tree, node, Kind::GenericArgs);
        let all = children(tree, arguments.last()?, Kind::GenericArg);
        // Lifetimes may have been left out.
        let at = at.checked_sub(self.parameters.len().checked_sub(all.len())?)?;
        all.get(at)
            .copied()
            .filter(|argument| !source[argument.range.clone()].starts_with('\''))
    }

    /// The field's type with the arguments of `node` in the place of the parameters.
    fn substituted(&self, source: &str, tree: &Tree, node: &Node) -> String {
        let arguments = children(tree, node, Kind::GenericArgs);
        let arguments: Vec<&str> = arguments
            .last()
            .map(|all| children(tree, all, Kind::GenericArg))
            .unwrap_or_default()
            .into_iter()
            .map(|argument| &source[argument.range.clone()])
            .collect();
        // Lifetimes may have been left out.
        let all_given = arguments.len() == self.parameters.len();
        let is_given = |name: &&str| all_given || !name.starts_with('\'');
        let parameters = self.parameters.iter().copied().filter(is_given);
        let given: BTreeMap<&str, &str> = parameters.zip(arguments).collect();
        let mut text = String::new();
        let mut at = 0;
        for token in crate::syntax::lexer::tokens(self.ty) {
            text.push_str(&self.ty[at..token.range().start]);
            let word = &self.ty[token.range()];
            let is_left_out = word.starts_with('\'') && self.parameters.contains(&word);
            text.push_str(match given.get(word) {
                Some(given) => given,
                None if is_left_out && text.ends_with('&') => "",
                None if is_left_out => "'_",
                None => word,
            });
            at = token.range().end;
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn a_struct_with_one_field_becomes_that_field_everywhere() {
        assert_eq!(
            each(
                &Newtypes,
                "struct W<T> { inner: T } impl<T> Tr for W<T> { fn f(self) { self.inner; } } fn g(W { inner: x }: W<u8>) -> W<u8> { W { inner: x } }"
            ),
            ["impl<T> Tr for T { fn f(self) { self; } } fn g(x: u8) -> u8 { x }"]
        );
        assert_eq!(
            each(
                &Newtypes,
                "struct W<'a, T>(&'a [T]); fn g(W(x): W<'_, u8>) { W(x); }"
            ),
            ["fn g(x: &'_ [u8]) { x; }"]
        );
        assert_eq!(
            each(
                &Newtypes,
                "struct W<'a, T>(&'a mut X<'a, T>); impl<T> Deref for W<'_, T> { type Target = T; fn deref(&self) -> &T { self.0 } } fn g(x: W<u8>) { h(W(x)); }"
            ),
            ["fn g(x: & mut X<'_, u8>) { h(x); }"]
        );
        assert_eq!(
            each(&Newtypes, "struct S(u8, u8); struct U;"),
            Vec::<String>::new()
        );
    }

    #[test]
    fn what_makes_it_of_its_field_goes() {
        assert_eq!(
            each(
                &Newtypes,
                "struct N(usize); impl From<usize> for N { fn from(x: usize) -> N { N(x) } } trait A {} impl A for N { fn f(self) { self.0 } } impl Clone for N { fn clone(&self) -> N { N(self.0) } } fn f(n: N) { g(N::from(self.0)); }"
            ),
            [
                "trait A {} impl A for usize { fn f(self) { self } } fn f(n: usize) { g(usize::from(self.0)); }"
            ]
        );
    }

    #[test]
    fn what_a_type_from_elsewhere_cannot_have_keeps_its_struct() {
        let text = "struct A(u8); impl A { fn f(&self) {} } struct B(C); struct C(u8); impl B { fn f(&self) {} } struct D<'a>(&'a C); impl D<'_> { fn f(&self) {} } struct E(u8); impl Tr for E { fn f(&self) {} }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        assert_eq!(
            with_own_methods(&subject).into_iter().collect::<Vec<_>>(),
            ["A", "D"]
        );
        assert_eq!(each(&Newtypes, text).len(), 3);
    }

    #[test]
    fn what_its_field_does_it_need_not_do() {
        assert_eq!(
            each(
                &Newtypes,
                "struct J { a: u8, b: u8 } struct I(J); impl Iterator for J { fn next() {} } impl Iterator for I { fn next() {} } impl A for I {}"
            ),
            ["struct J { a: u8, b: u8 } impl Iterator for J { fn next() {} } impl A for J {}"]
        );
    }

    #[test]
    fn what_is_made_by_mapping_is_there_already() {
        let text = "fn f() { g().map(S).ok(); h(S); }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let made = |(at, _)| {
            let complaint = Complaint {
                code: "E0425".to_string(),
                said: String::new(),
                file: FileId(0),
                range: at..at + 1,
                about: Vec::new(),
            };
            mapping_with_maker(&subject, &complaint)
        };
        let edits: Vec<Edit> = text.match_indices('S').filter_map(made).collect();
        let element = Element::new(&subject, Kind::Body, edits);
        let after = subject.without([&element]);
        assert_eq!(after.file(FileId(0)).source(), "fn f() { g().ok(); h(S); }");
    }

    #[test]
    fn another_name_becomes_what_it_stands_for() {
        assert_eq!(
            each(
                &Aliases,
                "use a::A; type A<T> = S<T>; fn f(a: A<u8>) -> A<u16> { let A { x, .. } = a; A { x: A::f(x) } } type B = Vec<Vec<Vec<u8>>>; fn g(a: B, b: B, c: B, d: B) {}"
            ),
            [
                "fn f(a: S<u8>) -> S<u16> { let S { x, .. } = a; S { x: S::f(x) } } type B = Vec<Vec<Vec<u8>>>; fn g(a: B, b: B, c: B, d: B) {}"
            ]
        );
    }

    #[test]
    fn a_field_goes_where_it_is_named() {
        let text = "fn f(n: N) { n.a(1).0 + n.0.b + n.c.1.0; }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let named = text.match_indices(".0");
        let complaint = |at: usize| Complaint {
            code: "E0609".to_string(),
            said: match text[..at].ends_with("1)") {
                true => "no field `0` on type `&u8`".to_string(),
                false => String::new(),
            },
            file: FileId(0),
            range: at + 1..at + 2,
            about: Vec::new(),
        };
        let places: Vec<Complaint> = named.map(|(at, _)| complaint(at)).collect();
        let element = Element::new(&subject, Kind::Body, fields(&subject, &places));
        let after = subject.without([&element]);
        assert_eq!(
            after.file(FileId(0)).source().replace("  ", " "),
            "fn f(n: N) { *n.a(1) + n.b + n.c.1; }"
        );
    }
}
