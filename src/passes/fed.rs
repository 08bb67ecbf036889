//! Statements together with what only they need: `let a = b(); let c = d(a); e(c);` – the last with both `let`s. One by one they
//! may have to stay: without its use, the type of a variable may be unknown. A variable that is never read goes with all that is
//! assigned to it.
//!
//! By names alone, function by function: a wrong guess costs a trial.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::lets::variables;
use super::query::assigns;
use super::together::path_end;
use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, ExprKind, FileId, Kind, Node, NodeId, PatKind, StmtKind, Tree};

/// Statements with the `let`s that feed them alone, and variables with what is assigned to them.
pub struct FedStatements;

/// A `let`.
struct Let<'s> {
    range: Range<usize>,
    variables: BTreeSet<&'s str>,
}

/// What stands in one function.
struct Function<'s> {
    file: FileId,
    statements: Vec<&'s Node>,
    lets: Vec<Let<'s>>,
    /// Names that are assigned to, with the text that does so and what becomes of it.
    assignments: Vec<(&'s str, Edit)>,
    /// Where each of the variables stands.
    mentions: HashMap<&'s str, Vec<Range<usize>>>,
}

impl Pass for FedStatements {
    fn name(&self) -> &'static str {
        "statements-with-lets"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        let is_outermost = |tree: &Tree, id: NodeId| {
            let mut around = tree.ancestors(id);
            !around.any(|outer| tree.node(outer).kind == Kind::Body)
        };
        let bodies = nodes(subject, move |tree, id, node| {
            node.kind == Kind::Body && is_outermost(tree, id)
        });
        for (file, tree, _, body) in bodies {
            let function = Function::read(subject, file, tree, &body.range);
            list.extend(function.elements(subject));
        }
        Some(list)
    }
}

impl<'s> Function<'s> {
    fn read(
        subject: &'s Subject,
        file: FileId,
        tree: &'s Tree,
        body: &Range<usize>,
    ) -> Function<'s> {
        let source = subject.file(file).source();
        let inside = |node: &Node| body.start < node.range.start && node.range.end < body.end;
        let mut function = Function {
            file,
            statements: Vec::new(),
            lets: Vec::new(),
            assignments: Vec::new(),
            mentions: HashMap::new(),
        };
        for (id, node) in tree.nodes().filter(|(_, node)| inside(node)) {
            match node.kind {
                Kind::Stmt(kind) => {
                    function.statements.push(node);
                    if kind == StmtKind::Let {
                        let variables = variables(tree, source, node);
                        let range = node.range.clone();
                        function.lets.push(Let { range, variables });
                    }
                }
                Kind::Expr(ExprKind::Assign | ExprKind::Binary) => {
                    let assigned = assigned(subject, file, tree, node);
                    let outer = tree.parent(id);
                    let Some((name, outer)) = assigned.zip(outer) else {
                        continue;
                    };
                    let edit = match outer.kind {
                        Kind::Stmt(_) => Edit::delete(file, outer.range.clone()),
                        Kind::Arm => Edit::replace(file, node.range.clone(), "{}"),
                        _ => continue,
                    };
                    function.assignments.push((name, edit));
                }
                _ => {}
            }
        }
        let variables = function.lets.iter().flat_map(|own| &own.variables);
        function.mentions = variables.map(|name| (*name, Vec::new())).collect();
        for range in tree.tokens_in(body).iter().map(|token| token.range()) {
            if let Some(mentions) = function.mentions.get_mut(&source[range.clone()]) {
                mentions.push(range);
            }
        }
        function
    }

    fn elements(&self, subject: &Subject) -> Elements {
        let mut seen: BTreeSet<Vec<(usize, usize)>> = BTreeSet::new();
        let elements = self.statements.iter().filter_map(|statement| {
            let edits = self.with_what_feeds(statement);
            let mut places: Vec<(usize, usize)> = edits
                .iter()
                .map(|edit| (edit.range.start, edit.range.end))
                .collect();
            places.sort_unstable();
            places.dedup();
            let own = self.lets.iter().find(|own| own.range == statement.range);
            let is_read = own.is_some_and(|own| self.are_mentioned_besides(&own.variables, &edits));
            (places.len() > 1 && !is_read && seen.insert(places))
                .then(|| Element::new(subject, statement.kind, edits))
        });
        elements.collect()
    }

    /// What goes with `statement`.
    fn with_what_feeds(&self, statement: &Node) -> Vec<Edit> {
        let mut gone = vec![Edit::delete(self.file, statement.range.clone())];
        // A variable of its own goes with what is assigned to it.
        if let Some(own) = self.lets.iter().find(|own| own.range == statement.range) {
            gone.extend(self.assigned_to(&own.variables));
        }
        loop {
            let before = gone.len();
            for other in &self.lets {
                let is_inside = |edit: &Edit| holds(&edit.range, &other.range);
                if other.variables.is_empty() || gone.iter().any(is_inside) {
                    continue;
                }
                let feeds = other.variables.iter().any(|name| {
                    let mut mentions = self.mentions(name);
                    mentions.any(|at| gone.iter().any(|edit| holds(&edit.range, at)))
                });
                let mut all = gone.clone();
                all.push(Edit::delete(self.file, other.range.clone()));
                all.extend(self.assigned_to(&other.variables));
                if feeds && !self.are_mentioned_besides(&other.variables, &all) {
                    gone = all;
                }
            }
            if gone.len() == before {
                return gone;
            }
        }
    }

    fn assigned_to(&self, variables: &BTreeSet<&str>) -> impl Iterator<Item = Edit> {
        let own = self.assignments.iter();
        let own = own.filter(|(name, _)| variables.contains(name));
        own.map(|(_, edit)| edit.clone())
    }

    /// Whether any of `names` stands anywhere else than in what is `gone`.
    fn are_mentioned_besides(&self, names: &BTreeSet<&str>, gone: &[Edit]) -> bool {
        names.iter().any(|name| {
            let mut mentions = self.mentions(name);
            mentions.any(|at| !gone.iter().any(|edit| holds(&edit.range, at)))
        })
    }

    fn mentions(&self, name: &str) -> impl Iterator<Item = &Range<usize>> {
        self.mentions.get(name).into_iter().flatten()
    }
}

fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The last name of the place that `node` assigns to, if it does so.
pub(super) fn assigned<'s>(
    subject: &'s Subject,
    file: FileId,
    tree: &Tree,
    node: &Node,
) -> Option<&'s str> {
    if !matches!(node.kind, Kind::Expr(ExprKind::Assign | ExprKind::Binary)) {
        return None;
    }
    let source = subject.file(file).source();
    let mut sides = node.children.iter().map(|child| tree.node(*child));
    let (left, right) = (sides.next()?, sides.next()?);
    let operator = source[left.range.end..right.range.start].trim();
    let is_place = matches!(left.kind, Kind::Expr(ExprKind::Path | ExprKind::Field));
    (assigns(operator) && is_place)
        .then(|| path_end(subject, file, tree, left))
        .flatten()
}

/// The variable that `statement` makes, if it makes one alone.
pub(super) fn made<'s>(source: &'s str, tree: &Tree, statement: &Node) -> Option<&'s str> {
    let first = tree.node(*statement.children.first()?);
    let is_let = statement.kind == Kind::Stmt(StmtKind::Let);
    (is_let && first.kind == Kind::Pat(PatKind::Ident))
        .then(|| variables(tree, source, statement).into_iter().next())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::FedStatements;

    #[test]
    fn a_statement_goes_with_the_lets_that_feed_it_alone() {
        assert_eq!(
            each(
                &FedStatements,
                "fn f(n: u8) { let a = n; let b = g(a); let c = h(b, a); k(c); l(n); }"
            ),
            ["fn f(n: u8) { l(n); }"]
        );
    }

    #[test]
    fn a_variable_goes_with_what_is_assigned_to_it() {
        assert_eq!(
            each(
                &FedStatements,
                "fn f() { let mut a = 1; let (b, c) = g(); match d { 1 => a = b, _ => {} } a += 2; h(c); }"
            ),
            [
                "fn f() { let (b, c) = g(); match d { 1 => {}, _ => {} } h(c); }",
                "fn f() { let (b, c) = g(); h(c); }",
            ]
        );
    }

    #[test]
    fn what_something_else_needs_stays() {
        for text in [
            "fn f() { let a = b(); c(a); d(a); }",
            "fn f() { c(); d(); }",
        ] {
            assert_eq!(each(&FedStatements, text), [""; 0], "{text}");
        }
    }
}
