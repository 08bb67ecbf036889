//! Deletion of nodes by kind: most passes are a row here.

use super::{Pass, cuts, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, ItemKind, Kind, Node, NodeId, PatKind, Tree, lexer};

/// Removes the nodes that `wanted` takes. Nested ones are searched level by level, outermost first.
pub struct Delete {
    name: &'static str,
    wanted: fn(&Tree, NodeId, &Node) -> bool,
}

/// Items, modules included, outermost first.
pub const ITEMS: Delete = Delete {
    name: "items",
    wanted: |_, _, node| matches!(node.kind, Kind::Item(kind) if kind != ItemKind::Use),
};

/// Members of impls, traits and extern blocks.
pub const MEMBERS: Delete = Delete {
    name: "members",
    wanted: |_, _, node| matches!(node.kind, Kind::Member(_)),
};

/// Attributes with all that is in them.
pub const ATTRIBUTES: Delete = Delete {
    name: "attributes",
    wanted: |_, _, node| matches!(node.kind, Kind::Attribute | Kind::Doc),
};

/// One derive, one lint, one feature.
pub const ATTRIBUTE_ARGUMENTS: Delete = Delete {
    name: "attribute-arguments",
    // Without its only argument an attribute says as much as none at all.
    wanted: |tree, id, node| {
        let alone = tree
            .parent(id)
            .is_some_and(|outer| outer.children.len() == 1);
        node.kind == Kind::AttributeArg && !alone
    },
};

/// `use` items and the trees in their groups.
pub const USES: Delete = Delete {
    name: "uses",
    wanted: |_, _, node| matches!(node.kind, Kind::Item(ItemKind::Use) | Kind::UseTree),
};

/// Statements, those in nested blocks after those around them.
pub const STATEMENTS: Delete = Delete {
    name: "statements",
    wanted: |_, _, node| matches!(node.kind, Kind::Stmt(_)),
};

/// Enum variants.
pub const VARIANTS: Delete = Delete {
    name: "variants",
    wanted: |_, _, node| node.kind == Kind::Variant,
};

/// Fields of structs, variants, struct expressions and struct patterns.
pub const FIELDS: Delete = Delete {
    name: "fields",
    wanted: |_, _, node| {
        matches!(
            node.kind,
            Kind::Field | Kind::FieldValue | Kind::FieldPat | Kind::Rest
        )
    },
};

/// Match arms.
pub const ARMS: Delete = Delete {
    name: "arms",
    wanted: |_, _, node| node.kind == Kind::Arm,
};

/// Predicates of where clauses.
pub const PREDICATES: Delete = Delete {
    name: "predicates",
    wanted: |_, _, node| node.kind == Kind::Predicate,
};

/// Bounds, supertraits too.
pub const BOUNDS: Delete = Delete {
    name: "bounds",
    wanted: |_, _, node| node.kind == Kind::Bound,
};

/// Parameters of functions and closures, receivers too, for traversals: elsewhere those of functions go with their arguments, and of
/// closures no crash has let one go.
pub const PARAMETERS: Delete = Delete {
    name: "parameters",
    wanted: |_, _, node| matches!(node.kind, Kind::Param | Kind::Receiver),
};

/// Generic parameters and arguments.
pub const TYPE_PARAMETERS: Delete = Delete {
    name: "type-parameters",
    wanted: |_, _, node| {
        matches!(
            node.kind,
            Kind::GenericParam | Kind::GenericArg | Kind::GenericArgs | Kind::ForLifetimes
        )
    },
};

/// What is optional: return types, initial values, `else`, ascriptions, defaults, discriminants,
/// the trait of an impl.
pub const PARTS: Delete = Delete {
    name: "parts",
    wanted: |tree, id, node| match node.kind {
        Kind::ReturnType
        | Kind::Init
        | Kind::Else
        | Kind::Ascription
        | Kind::GenericDefault
        | Kind::Discriminant
        | Kind::TraitRef
        | Kind::Rename => true,
        // The value of `return` and `break`.
        Kind::Expr(_) => tree.parent(id).is_some_and(|outer| {
            matches!(outer.kind, Kind::Expr(ExprKind::Return | ExprKind::Break))
        }),
        _ => false,
    },
};

/// Words that only modify.
pub const MODIFIERS: Delete = Delete {
    name: "modifiers",
    wanted: |_, _, node| {
        matches!(
            node.kind,
            Kind::Visibility | Kind::Modifier | Kind::Label | Kind::Lifetime
        )
    },
};

/// Elements of arrays, tuples, macro calls, slices and alternatives. Arguments go with their
/// parameters: alone they are never one too many.
pub const ELEMENTS: Delete = Delete {
    name: "elements",
    wanted: |tree, id, node| {
        matches!(node.kind, Kind::Expr(_) | Kind::Type(_) | Kind::Pat(_))
            && tree.place(&node.range).is_some()
            && !tree.parent(id).is_some_and(|outer| {
                matches!(
                    outer.kind,
                    Kind::Expr(ExprKind::Call | ExprKind::MethodCall)
                )
            })
            || node.kind == Kind::Pat(PatKind::Rest)
    },
};

/// All of them.
pub const ALL: [&Delete; 16] = [
    &ITEMS,
    &MEMBERS,
    &ATTRIBUTES,
    &ATTRIBUTE_ARGUMENTS,
    &USES,
    &STATEMENTS,
    &VARIANTS,
    &FIELDS,
    &ARMS,
    &PREDICATES,
    &BOUNDS,
    &PARAMETERS,
    &TYPE_PARAMETERS,
    &PARTS,
    &MODIFIERS,
    &ELEMENTS,
];

impl Delete {
    /// Whether this is the pass `name`.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name
    }

    /// Whether this pass would remove the node.
    pub fn wants(&self, tree: &Tree, id: NodeId, node: &Node) -> bool {
        (self.wanted)(tree, id, node)
    }
}

impl Pass for Delete {
    fn name(&self) -> &'static str {
        self.name
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let mut deeper = false;
        let mut found = Vec::new();
        for (file, tree, id, node) in nodes(subject, self.wanted) {
            let outer = tree
                .ancestors(id)
                .filter(|outer| (self.wanted)(tree, *outer, tree.node(*outer)));
            match outer.count() {
                depth if depth == round => found.push((file, node.kind, node.range.clone())),
                depth => deeper |= depth > round,
            }
        }
        if found.is_empty() && !deeper {
            return None;
        }
        Some(cuts(subject, found))
    }
}

/// What no compiler needs: comments, one element a file since they weigh nothing, and lint levels,
/// one element for all of them: what is denied (a missing comment, an unused item) must not stand in
/// the way of everything else.
pub struct Comments;

impl Pass for Comments {
    fn name(&self) -> &'static str {
        "comments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut elements: Elements = lint_levels(subject).into_iter().collect();
        elements.extend(subject.sources().filter_map(|(id, file, _)| {
            let comments = lexer::comments(file.source()).into_iter();
            let edits: Vec<Edit> = comments.map(|range| Edit::delete(id, range)).collect();
            (!edits.is_empty()).then(|| Element::new(subject, Kind::Doc, edits))
        }));
        Some(elements)
    }
}

fn lint_levels(subject: &Subject) -> Option<Element> {
    attributes_of(subject, &["allow", "expect", "warn", "deny", "forbid"])
}

/// All attributes that only advise, as one element: what is compiled does the same without them.
pub fn advice(subject: &Subject) -> Option<Element> {
    attributes_of(
        subject,
        &[
            "inline",
            "cold",
            "must_use",
            "deprecated",
            "rustfmt",
            "clippy",
        ],
    )
}

/// All attributes of these names, also those under a condition.
fn attributes_of(subject: &Subject, names: &[&str]) -> Option<Element> {
    let attributes = nodes(subject, |_, _, node| node.kind == Kind::Attribute);
    let edits: Vec<Edit> = attributes
        .filter(|(file, tree, _, node)| {
            let source = subject.file(*file).source();
            let mut words = tree.identifiers(source, &node.range);
            words.next().is_some_and(|first| {
                names.contains(&first)
                    || first == "cfg_attr" && words.any(|word| names.contains(&word))
            })
        })
        .map(|(file, _, _, node)| Edit::delete(file, node.range.clone()))
        .collect();
    (!edits.is_empty()).then(|| Element::new(subject, Kind::Attribute, edits))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_is_a_definition_goes_by_itself() {
        assert_eq!(
            each(&ITEMS, "use a; struct S; mod m { fn f() {} }"),
            [
                "use a; mod m { fn f() {} }",
                "use a; struct S;",
                "use a; struct S; mod m { }"
            ]
        );
        assert_eq!(
            each(&MEMBERS, "impl T for S { type A = B; fn f() {} }"),
            ["impl T for S { fn f() {} }", "impl T for S { type A = B; }"]
        );
        assert_eq!(
            each(&VARIANTS, "enum E { A, B(u8) }"),
            ["enum E { B(u8) }", "enum E { A }"]
        );
        assert_eq!(
            each(&FIELDS, "struct S { a: A, b: B }"),
            ["struct S { b: B }", "struct S { a: A }"]
        );
        assert_eq!(
            each(&USES, "use a::{b, c};"),
            ["", "use a::{ c};", "use a::{b };"]
        );
    }

    #[test]
    fn attributes_go_whole_and_by_argument() {
        assert_eq!(
            each(&ATTRIBUTES, "#[derive(A, B)] struct S;"),
            ["struct S;"]
        );
        assert_eq!(
            each(&ATTRIBUTE_ARGUMENTS, "#[derive(A, B)] struct S;"),
            ["#[derive( B)] struct S;", "#[derive(A )] struct S;"]
        );
    }

    #[test]
    fn code_goes_by_statements_and_arms() {
        assert_eq!(
            each(&STATEMENTS, "fn f() { let a = 1; g(a); { h() } }"),
            [
                "fn f() { g(a); { h() } }",
                "fn f() { let a = 1; { h() } }",
                "fn f() { let a = 1; g(a); }",
                "fn f() { let a = 1; g(a); { } }"
            ]
        );
        assert_eq!(
            each(&ARMS, "fn f() { match x { A => 1, _ => {} } }"),
            [
                "fn f() { match x { _ => {} } }",
                "fn f() { match x { A => 1, } }"
            ]
        );
        assert_eq!(
            each(&ELEMENTS, "fn f() { [a, b]; (c, d) }"),
            [
                "fn f() { [ b]; (c, d) }",
                "fn f() { [a ]; (c, d) }",
                "fn f() { [a, b]; ( d) }",
                "fn f() { [a, b]; (c, ) }"
            ]
        );
    }

    #[test]
    fn signatures_lose_what_they_ask_for() {
        assert_eq!(
            each(&PREDICATES, "fn f<T>() where T: A, T: B {}"),
            ["fn f<T>() where T: B {}", "fn f<T>() where T: A {}"]
        );
        assert_eq!(
            each(&BOUNDS, "fn f<T: A + B>() {}"),
            ["fn f<T: B>() {}", "fn f<T: A >() {}"]
        );
        assert_eq!(
            each(&PARAMETERS, "fn f(&self, a: A) {}"),
            ["fn f( a: A) {}", "fn f(&self ) {}"]
        );
        assert_eq!(
            each(&TYPE_PARAMETERS, "fn f<A, B>() {}"),
            ["fn f< B>() {}", "fn f<A >() {}"]
        );
    }

    #[test]
    fn what_is_optional_goes() {
        assert_eq!(
            each(
                &PARTS,
                "impl T for S { fn f() -> A { let b: B = c; return d } }"
            ),
            [
                "impl S { fn f() -> A { let b: B = c; return d } }",
                "impl T for S { fn f() { let b: B = c; return d } }",
                "impl T for S { fn f() -> A { let b = c; return d } }",
                "impl T for S { fn f() -> A { let b: B ; return d } }",
                "impl T for S { fn f() -> A { let b: B = c; return } }"
            ]
        );
        assert_eq!(
            each(&MODIFIERS, "pub const fn f<'a>(x: &'a u8) {}"),
            [
                "const fn f<'a>(x: &'a u8) {}",
                "pub fn f<'a>(x: &'a u8) {}",
                "pub const fn f<'a>(x: & u8) {}"
            ]
        );
    }
}
