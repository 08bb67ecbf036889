//! What the compiler itself says that nothing needs, as elements: its lints see through re-exports, same names and traits,
//! where names alone do not.

mod parts;

use std::ops::Range;

use super::query::At;
use super::{Pass, nodes, together};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{
    Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, PatKind, StmtKind, Tree,
};

/// One place that a lint names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unused<'l> {
    /// The lint: `dead_code`, `unused_variables`.
    pub lint: &'l str,
    /// Where it points to, in the present text.
    pub file: FileId,
    /// The bytes there.
    pub range: Range<usize>,
}

/// Deletions of what `places` name, each at most once: first of what is only declared, then of statements, and of what goes through
/// loops, which may do something all the same.
pub fn unused(subject: &Subject, places: &[Unused]) -> [Elements; 2] {
    let list = |pass: &dyn Pass| pass.list(subject, 0).unwrap_or_default();
    let fields = list(&together::Fields);
    let parameters = list(&together::Parameters);
    let trait_items = list(&together::TraitItems);
    let traits = together::traits(subject);
    let mut seen = Vec::new();
    let (mut declared, mut done) = (Vec::new(), Vec::new());
    let named = places.iter().filter_map(|place| {
        let tree = subject.file(place.file).tree()?;
        Some((place, tree, target(tree, place)?))
    });
    let named: Vec<(&Unused, &Tree, NodeId)> = named.collect();
    for &(place, tree, id) in &named {
        let node = tree.node(id);
        let cuts = |element: &&Element| {
            let mut edits = element.edits.iter();
            edits.any(|edit| edit.file == place.file && edit.range == node.range)
        };
        let outer = tree.parent(id).map(|outer| outer.kind);
        let with = |edits| Element::new(subject, node.kind, edits);
        let alone = || Element::cut(subject, node.kind, place.file, node.range.clone());
        let element = match node.kind {
            Kind::Field => fields.iter().find(cuts).cloned(),
            Kind::Param if is_given_by_others(subject, tree, id, place.file) => None,
            Kind::Param => parameters.iter().find(cuts).cloned(),
            Kind::Member(_) if outer == Some(Kind::Item(ItemKind::Trait)) => trait_items
                .iter()
                .find(cuts)
                .cloned()
                .or_else(|| Some(alone())),
            Kind::Item(ItemKind::Trait) => {
                traits.iter().find(cuts).cloned().or_else(|| Some(alone()))
            }
            Kind::Item(ItemKind::Struct | ItemKind::Enum | ItemKind::Union) => {
                Some(with_impls(subject, place.file, node))
            }
            Kind::Variant => {
                let variant = At::new(subject, place.file, id);
                variant.map(|at| with(parts::variant(subject, at)))
            }
            Kind::FieldPat => {
                let beside = named.iter().filter(|(other, _, one)| {
                    other.file == place.file && tree.node(*one).parent == node.parent
                });
                let fields = beside.filter_map(|(_, _, one)| At::new(subject, place.file, *one));
                parts::bound(&fields.collect::<Vec<_>>()).map(with)
            }
            Kind::Pat(_) => {
                let pattern = At::new(subject, place.file, id);
                let edits = pattern.and_then(|at| parts::one_of_two(at, &place.range));
                edits.map(with)
            }
            _ => Some(alone()),
        };
        let Some(element) = element.filter(|element| !seen.contains(&element.edits)) else {
            continue;
        };
        seen.push(element.edits.clone());
        match node.kind {
            Kind::Stmt(_) | Kind::Pat(_) => done.push(element),
            _ => declared.push(element),
        }
    }
    [declared, done]
}

/// The type that `node` of `file` defines, with its impls.
fn with_impls(subject: &Subject, file: FileId, node: &Node) -> Element {
    let mut edits = vec![Edit::delete(file, node.range.clone())];
    let name = node
        .name
        .clone()
        .map(|name| &subject.file(file).source()[name]);
    let impls = nodes(subject, |_, _, node| {
        node.kind == Kind::Item(ItemKind::Impl)
    });
    for (file, tree, _, node) in impls {
        let source = subject.file(file).source();
        let mut own = node.children.iter().map(|child| tree.node(*child));
        let of = own.find(|child| matches!(child.kind, Kind::Type(_)));
        let is_of_it = of.is_some_and(|of| {
            let mut names = tree.identifiers(source, &of.range);
            names.any(|own| Some(own) == name)
        });
        if is_of_it {
            edits.push(Edit::delete(file, node.range.clone()));
        }
    }
    Element::new(subject, node.kind, edits)
}

/// Whether the parameter `id` is one of a method whose trait is not defined in `subject`: how many there are is not for us to
/// say.
fn is_given_by_others(subject: &Subject, tree: &Tree, id: NodeId, file: FileId) -> bool {
    let method = tree
        .ancestors(id)
        .find(|outer| matches!(tree.node(*outer).kind, Kind::Member(_) | Kind::Item(_)));
    let Some(outer) = method.and_then(|method| tree.parent(method)) else {
        return false;
    };
    let mut parts = outer.children.iter().map(|child| tree.node(*child));
    let Some(reference) = parts.find(|child| child.kind == Kind::TraitRef) else {
        return false;
    };
    let names = tree.identifiers(subject.file(file).source(), &reference.range);
    let names: Vec<&str> = names.collect();
    let mut traits = nodes(subject, |_, _, node| {
        node.kind == Kind::Item(ItemKind::Trait)
    });
    !traits.any(|(file, _, _, node)| {
        let name = node
            .name
            .clone()
            .map(|name| &subject.file(file).source()[name]);
        name.is_some_and(|name| names.contains(&name))
    })
}

/// What a lint means by its place, as far as it can go.
fn target(tree: &Tree, place: &Unused) -> Option<NodeId> {
    let innermost = tree.innermost(&place.range)?;
    let around = || std::iter::once(innermost).chain(tree.ancestors(innermost));
    let first = |wanted: fn(Kind) -> bool| around().find(|id| wanted(tree.node(*id).kind));
    match place.lint {
        // A call that makes a macro may make more.
        "unused_macros" => first(|kind| matches!(kind, Kind::Item(_) | Kind::Member(_)))
            .filter(|id| tree.node(*id).kind == Kind::Item(ItemKind::MacroRules)),
        "dead_code" => first(|kind| {
            matches!(
                kind,
                Kind::Field | Kind::Variant | Kind::Item(_) | Kind::Member(_)
            )
        }),
        "unused_imports" => {
            let mut id = first(|kind| matches!(kind, Kind::UseTree | Kind::Item(ItemKind::Use)))?;
            // A group of nothing imports nothing.
            while let Some(outer) = tree.node(id).parent {
                let node = tree.node(outer);
                let is_alone = node
                    .children
                    .iter()
                    .filter(|child| tree.node(**child).kind == Kind::UseTree);
                if is_alone.count() > 1
                    || !matches!(node.kind, Kind::UseTree | Kind::Item(ItemKind::Use))
                {
                    break;
                }
                id = outer;
            }
            Some(id)
        }
        "unused_variables" => {
            let id = first(|kind| {
                matches!(
                    kind,
                    Kind::Param | Kind::FieldPat | Kind::Arm | Kind::Stmt(_) | Kind::Expr(_)
                )
            })?;
            let is_tuple = |id: &NodeId| tree.node(*id).kind == Kind::Pat(PatKind::Tuple);
            let outer = tree.parent(id).map(|outer| outer.kind);
            let in_loop = tree.node(id).kind == Kind::Expr(ExprKind::For);
            let in_closure = outer == Some(Kind::Expr(ExprKind::Closure));
            if in_loop || in_closure && tree.node(id).kind == Kind::Param {
                let mut around = tree.ancestors(innermost).take_while(|outer| *outer != id);
                return around.find(is_tuple);
            }
            match tree.node(id).kind {
                Kind::Param | Kind::FieldPat | Kind::Stmt(StmtKind::Let) => Some(id),
                _ => None,
            }
        }
        "unused_assignments" | "path_statements" | "unreachable_code" => {
            let id = first(|kind| matches!(kind, Kind::Stmt(_)))?;
            (tree.node(id).kind == Kind::Stmt(StmtKind::Expr)).then_some(id)
        }
        "unused_mut" | "unused_labels" => {
            let inside = |id: &NodeId| {
                let node = tree.node(*id);
                matches!(node.kind, Kind::Modifier | Kind::Label)
                    && place.range.contains(&node.range.start)
            };
            let mut open = vec![innermost];
            while let Some(id) = open.pop() {
                if inside(&id) {
                    return Some(id);
                }
                open.extend(&tree.node(id).children);
            }
            None
        }
        "unreachable_patterns" => {
            let id = first(|kind| matches!(kind, Kind::Pat(_) | Kind::Arm))?;
            let outer = tree.parent(id).map(|outer| outer.kind);
            match outer {
                Some(Kind::Arm) => tree.node(id).parent,
                Some(Kind::Pat(PatKind::Or)) => Some(id),
                _ => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Unused, unused};
    use crate::subject::Subject;
    use crate::syntax::FileId;

    /// `text` without what `lint` says of what stands between `«` and `»` in it, and without white space.
    fn left(lint: &str, text: &str) -> Option<String> {
        let start = text.find('«').expect("a beginning");
        let text = text.replacen('«', "", 1);
        let end = text.find('»').expect("an end");
        let text = text.replacen('»', "", 1);
        let subject = Subject::new([("a.rs".into(), text.into_bytes())]);
        let place = Unused {
            lint,
            file: FileId(0),
            range: start..end,
        };
        let lists = unused(&subject, &[place.clone(), place]);
        let all: Vec<_> = lists.into_iter().flatten().collect();
        assert!(all.len() <= 1, "the same place is one element");
        let left = subject.without(all.first());
        all.first().map(|_| dense(left.file(FileId(0)).source()))
    }

    fn dense(text: &str) -> String {
        text.split_whitespace().collect()
    }

    #[track_caller]
    fn check(lint: &str, text: &str, expected: &str) {
        assert_eq!(left(lint, text), Some(dense(expected)));
    }

    #[test]
    fn dead_code_goes_with_what_gives_it_values() {
        check(
            "dead_code",
            "struct S { «a»: u8, b: u8 } fn f() -> S { S { a: 1, b: 2 } }",
            "struct S { b: u8 } fn f() -> S { S { b: 2 } }",
        );
        check("dead_code", "enum E { «A», B }", "enum E { B }");
        check(
            "dead_code",
            "enum E { «A», B } fn f(e: E) { match e { E::A { .. } => 1, E::A { .. } | E::B => 3, E::A | E::B | D::A => 2 } } impl E { fn f(e: E) { if let Self::A | X = e { } } }",
            "enum E { B } fn f(e: E) { match e { E::B => 3, E::B | D::A => 2 } } impl E { fn f(e: E) { if let X = e { } } }",
        );
        check(
            "dead_code",
            "enum E { «A», B } fn f(e: E) { use crate::E::*; match e { A => 1, A | B => 2 } } fn g(d: D) { use D::*; match d { A | B => 3 } }",
            "enum E { B } fn f(e: E) { use crate::E::*; match e { B => 2 } } fn g(d: D) { use D::*; match d { A | B => 3 } }",
        );
        check(
            "dead_code",
            "use E::*; enum E { «A», B } mod m { fn f(e: E) { match e { A => 1 } } } mod n { use E::*; fn f(e: E) { match e { A => 1, B => 2 } } }",
            "use E::*; enum E { B } mod m { fn f(e: E) { match e { A => 1 } } } mod n { use E::*; fn f(e: E) { match e { B => 2 } } }",
        );
        check(
            "dead_code",
            "use self::E::{A, B as X, C}; use E::B; enum E { A, «B», C } fn f(e: E) { match e { X => 1, A | B => 2, C => 3 } }",
            "use self::E::{A, C}; enum E { A, C } fn f(e: E) { match e { A => 2, C => 3 } }",
        );
        check(
            "dead_code",
            "impl S { fn «f»() {} fn g() {} }",
            "impl S { fn g() {} }",
        );
        check(
            "dead_code",
            "struct «S»; struct T; impl S {} impl A for S {} impl A<S> for T {}",
            "struct T; impl A<S> for T {}",
        );
        check(
            "dead_code",
            "trait T { fn «a»(); fn b(); } impl T for S { fn a() {} fn b() {} }",
            "trait T { fn b(); } impl T for S { fn b() {} }",
        );
    }

    #[test]
    fn a_parameter_goes_with_its_arguments_and_a_variable_with_its_statement() {
        check(
            "unused_variables",
            "fn f(«a»: u8, b: u8) { } fn g() { f(1, 2); }",
            "fn f(b: u8) { } fn g() { f(2); }",
        );
        check(
            "unused_variables",
            "fn f() { let «a» = g(); h(); }",
            "fn f() { h(); }",
        );
        check(
            "unused_variables",
            "fn f() { let S { «a», .. } = g(); }",
            "fn f() { let S { .. } = g(); }",
        );
        check(
            "unused_variables",
            "fn f() { match a { S { «a» } => b, S { a: c, d, } => d } }",
            "fn f() { match a { S { .. } => b, S { a: c, d, } => d } }",
        );
        check(
            "unused_variables",
            "fn f() { let S { «a», b, } = g(); }",
            "fn f() { let S { b, .. } = g(); }",
        );
        check(
            "unused_variables",
            "fn f() { let S { a, b: «c», } = g(); }",
            "fn f() { let S { a, .. } = g(); }",
        );
        check(
            "unused_assignments",
            "fn f() { «a» = 1; h(); }",
            "fn f() { h(); }",
        );
    }

    #[test]
    fn a_variable_among_others_is_left_alone_and_a_parameter_of_a_method_that_others_call() {
        for text in [
            "impl Display for S { fn fmt(&self, «f»: &mut F) {} }",
            "fn f() { match a { B(«c», d) => d } }",
            "fn f() { g(|«a»| 1); h(); }",
            "fn f() { if let Some(«a») = b { c(); } }",
            "fn f() { for (a, «b», c) in d.enumerate() { } }",
            "fn f() { for (a, (b, «c»)) in d { } }",
        ] {
            assert_eq!(left("unused_variables", text), None, "{text}");
        }
    }

    #[test]
    fn of_two_that_go_through_a_loop_or_into_a_closure_one_may_go() {
        for (text, expected) in [
            (
                "fn f() { for («i», x) in a.b().enumerate() { g(x) } }",
                "fn f() { for x in a.b() { g(x) } }",
            ),
            (
                "fn f() { for (x, «i») in a.zip(b.c()) { g(x) } }",
                "fn f() { for x in a { g(x) } }",
            ),
            (
                "fn f() { for («i», &x) in a.zip(b.c()) { g(x) } }",
                "fn f() { for &x in b.c() { g(x) } }",
            ),
            (
                "fn f() { a.b().enumerate().map(|(«i», x)| g(x)); }",
                "fn f() { a.b().map(|x| g(x)); }",
            ),
        ] {
            check("unused_variables", text, expected);
        }
    }

    #[test]
    fn imports_go_one_by_one_and_groups_of_nothing_as_a_whole() {
        check("unused_imports", "use a::{«b», c};", "use a::{c};");
        check("unused_imports", "use «a::b»; use c;", "use c;");
        check("unused_imports", "use a::{b::{«c»}}; use d;", "use d;");
    }

    #[test]
    fn modifiers_labels_and_patterns_go_alone() {
        check(
            "unused_mut",
            "fn f() { let «mut a» = 1; }",
            "fn f() { let a = 1; }",
        );
        check(
            "unused_labels",
            "fn f() { «'a»: loop { } }",
            "fn f() { loop { } }",
        );
        check(
            "unreachable_patterns",
            "fn f() { match a { _ => 1, «B» => 2 } }",
            "fn f() { match a { _ => 1, } }",
        );
        assert_eq!(left("unknown", "fn «f»() {}"), None);
    }
}
