//! Which `const fn`s are called at run time alone: without `const` they do the same, and can be asked whether they ran.
//!
//! By names alone: what is called like something that is evaluated at compile time stays as it is.

use std::collections::BTreeSet;

use super::nodes;
use crate::subject::Subject;
use crate::syntax::{Edit, ExprKind, FileId, ItemKind, Kind, Node, NodeId, Tree};

/// The functions that may do without `const`, and the deletions of it.
#[derive(Debug, Default)]
pub struct Freed {
    functions: BTreeSet<(FileId, NodeId)>,
    /// One for each.
    pub edits: Vec<Edit>,
}

impl Freed {
    /// Those of `subject`.
    pub fn of(subject: &Subject) -> Freed {
        let mut open: Vec<&str> = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| is_compile_time(node.kind)) {
            let inside_another = tree
                .ancestors(id)
                .any(|outer| is_compile_time(tree.node(outer).kind));
            if !inside_another {
                let source = subject.file(file).source();
                open.extend(tree.identifiers(source, &node.range));
            }
        }
        let is_fn = |kind| matches!(kind, Kind::Item(ItemKind::Fn) | Kind::Member(ItemKind::Fn));
        let functions: Vec<(FileId, &Tree, NodeId, &Node, &str)> =
            nodes(subject, move |_, _, node| is_fn(node.kind))
                .filter_map(|(file, tree, id, node)| {
                    let source = subject.file(file).source();
                    const_modifier(source, tree, node)?;
                    let name = &source[node.name.clone()?];
                    Some((file, tree, id, node, name))
                })
                .collect();
        let mut needed: BTreeSet<&str> = BTreeSet::new();
        while let Some(name) = open.pop() {
            if !needed.insert(name) {
                continue;
            }
            for (file, tree, _, node, _) in functions.iter().filter(|(.., own)| *own == name) {
                let source = subject.file(*file).source();
                open.extend(tree.identifiers(source, &node.range));
            }
        }
        let mut freed = Freed::default();
        for (file, tree, id, node, name) in functions {
            let source = subject.file(file).source();
            if let Some(modifier) = const_modifier(source, tree, node)
                && !needed.contains(name)
            {
                freed.functions.insert((file, id));
                freed.edits.push(Edit::delete(file, modifier.range.clone()));
            }
        }
        freed
    }

    /// Whether the function is one of them.
    pub fn contains(&self, file: FileId, function: NodeId) -> bool {
        self.functions.contains(&(file, function))
    }
}

/// Whether what stands there may be evaluated at compile time, or becomes something that may.
fn is_compile_time(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::Item(ItemKind::Const | ItemKind::Static | ItemKind::MacroCall | ItemKind::MacroRules)
            | Kind::Member(ItemKind::Const | ItemKind::MacroCall)
            | Kind::Type(_)
            | Kind::GenericArg
            | Kind::Discriminant
            | Kind::Pat(_)
            | Kind::Expr(ExprKind::Const | ExprKind::Repeat)
    )
}

/// The `const` of a `const fn`.
pub(super) fn const_modifier<'t>(
    source: &str,
    tree: &'t Tree,
    function: &'t Node,
) -> Option<&'t Node> {
    let children = function.children.iter().map(|child| tree.node(*child));
    let mut modifiers = children.filter(|child| child.kind == Kind::Modifier);
    modifiers.find(|modifier| &source[modifier.range.clone()] == "const")
}

#[cfg(test)]
mod tests {
    use super::Freed;
    use crate::subject::Subject;
    use crate::syntax::FileId;

    #[test]
    fn what_is_called_at_run_time_alone_needs_no_const() {
        let text = "const N: usize = size(); const fn size() -> usize { inner(1) } const fn inner(n: usize) -> usize { n }
            const fn run() { inner(2); } fn f() { run(); let a: [u8; len()]; } impl S { pub const unsafe fn g(&self) {} } const fn len() -> usize { 2 }
            fn h() { [0; twice(2)] } const fn twice(n: usize) -> usize { n }";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let freed = Freed::of(&subject);
        let after = subject.file(FileId(0)).text().expect("text");
        let after = after.apply(&freed.edits).as_str().to_string();
        for kept in [
            "const fn size",
            "const fn inner",
            "const fn len",
            "const fn twice",
        ] {
            assert!(after.contains(kept), "{kept}\n{after}");
        }
        for gone in ["const fn run", "const unsafe fn g"] {
            assert!(!after.contains(gone), "{gone}\n{after}");
        }
    }
}
