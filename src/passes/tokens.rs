//! Tokens: for macro bodies, for attributes and for what `syn` cannot parse.

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, Kind};

/// Runs of tokens between separators, outermost first.
pub struct Segments;

/// Delimited groups, gone, emptied, without their brackets; where they are empty, a type in their place.
pub struct Groups;

/// Single tokens.
pub struct Tokens;

impl Pass for Segments {
    fn name(&self) -> &'static str {
        "segments"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        by_level(subject, round, |kind| {
            matches!(kind, Kind::Segment | Kind::Line)
        })
    }
}

impl Pass for Tokens {
    fn name(&self) -> &'static str {
        "tokens"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        by_level(subject, round, |kind| kind == Kind::Token)
    }
}

impl Pass for Groups {
    fn name(&self) -> &'static str {
        "groups"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let element = |file, node: &crate::syntax::Node| {
            if round == 3 {
                let nothing = subject.file(file).source()[node.range.clone()].starts_with('(');
                let edit = Edit::replace(file, node.range.clone(), "u8");
                return Element::new(
                    subject,
                    Kind::Group,
                    Vec::from_iter(nothing.then_some(edit)),
                );
            }
            let inner = node.range.start + 1..node.range.end - 1;
            match round {
                0 => Element::cut(subject, Kind::Group, file, node.range.clone()),
                1 => Element::cut(subject, Kind::Group, file, inner),
                _ => Element::new(
                    subject,
                    Kind::Group,
                    vec![
                        Edit::delete(file, node.range.start..inner.start),
                        Edit::delete(file, inner.end..node.range.end),
                    ],
                ),
            }
        };
        if round > 3 {
            return None;
        }
        let groups = nodes(subject, move |tree, _, node| {
            let empty = tree.weight(&node.range) == 2;
            node.kind == Kind::Group && node.range.len() > 1 && (round < 3 || empty)
        });
        let elements = groups.map(|(file, _, _, node)| element(file, node));
        Some(elements.filter(|element| element.saves > 0).collect())
    }
}

fn by_level(subject: &Subject, round: usize, wanted: fn(Kind) -> bool) -> Option<Elements> {
    let mut deeper = false;
    let mut list = Vec::new();
    for (file, tree, id, node) in nodes(subject, |_, _, node| wanted(node.kind)) {
        match super::level(tree, id, wanted) {
            depth if depth == round => {
                list.push(Element::cut(subject, node.kind, file, node.range.clone()));
            }
            depth => deeper |= depth > round,
        }
    }
    (deeper || !list.is_empty()).then_some(list)
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_stands_between_separators_goes_outermost_first() {
        assert_eq!(
            each(&Segments, "m! { a, b(c; d) }"),
            [
                "m! { b(c; d) }",
                "m! { a }",
                "m! { a, b( d) }",
                "m! { a, b(c ) }"
            ]
        );
    }

    #[test]
    fn a_group_goes_is_emptied_or_loses_its_brackets() {
        assert_eq!(
            each(&Groups, "m! { a => (b) () }"),
            [
                "m! { a => () }",
                "m! { a => (b) }",
                "m! { a => () () }",
                "m! { a => b () }",
                "m! { a => (b) }",
                "m! { a => (b) u8 }"
            ]
        );
    }

    #[test]
    fn any_token_may_go_of_what_no_parser_reads() {
        assert_eq!(
            each(&Tokens, "m! { a => b }"),
            ["m! { => b }", "m! { a > b }", "m! { a = b }", "m! { a => }"]
        );
    }
}
