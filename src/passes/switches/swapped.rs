//! Numbers that are computed in another way.

use super::{Off, Switch, nodes, operator, ran};
use crate::subject::{Element, Subject};
use crate::syntax::{ExprKind, Kind};

/// What happens to them.
pub(super) const SWAPPED: &str = "swapped";

/// What may have been meant instead, as in mutation testing ("arithmetic" and "logical operator replacement").
const INSTEAD: [(&str, &str); 10] = [
    ("+", "-"),
    ("-", "+"),
    ("*", "/"),
    ("/", "*"),
    ("%", "/"),
    ("<<", ">>"),
    (">>", "<<"),
    ("&", "|"),
    ("|", "&"),
    ("^", "&"),
];

/// A switch for every number that is computed from two others at run time, also where one of them is to hold it.
pub fn operators(subject: &Subject) -> Vec<Switch> {
    let mut found = Vec::new();
    let is_binary = |kind| kind == Kind::Expr(ExprKind::Binary);
    for (file, tree, id, node) in nodes(subject, |_, _, node| is_binary(node.kind)) {
        let source = subject.file(file).source();
        let Some(instead) = operator(source, tree, node).and_then(instead) else {
            continue;
        };
        if let [left, right] = node.children[..]
            && ran::at_run_time(source, tree, id)
        {
            let text = |id| &source[tree.node(id).range.clone()];
            let text = format!("{} {instead} {}", text(left), text(right));
            found.push(Switch {
                element: Element::cut(subject, node.kind, file, node.range.clone()),
                file,
                range: node.range.clone(),
                off: Off::Swaps(text),
            });
        }
    }
    found
}

fn instead(operator: &str) -> Option<String> {
    let plain = operator.strip_suffix('=');
    let (own, assigns) = (plain.unwrap_or(operator), plain.map_or("", |_| "="));
    let (_, instead) = INSTEAD.iter().find(|(is, _)| *is == own)?;
    Some(format!("{instead}{assigns}"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{shown, subject};
    use super::*;

    #[test]
    fn what_is_computed_is_computed_in_another_way() {
        let subject = subject(
            "fn f() -> bool { a <<= b % 2; (c | (1 << d)) != 0 && e <= g } const fn h() { i + 1 }",
        );
        assert_eq!(
            shown(&subject, &operators(&subject)),
            "fn f() -> bool { . (0~ { a <<= (1~ { b % 2 } else { b / 2 }) } else { a >>= b % 2 }); \
             ((2~ { c | ((3~ { 1 << d } else { 1 >> d })) } else { c & (1 << d) })) != 0 && e <= g } const fn h() { i + 1 }"
        );
    }
}
