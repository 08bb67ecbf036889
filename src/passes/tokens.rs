//! Tokens: for macro bodies, for attributes and for what `syn` cannot parse.

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, Kind};

/// Runs of tokens between separators, outermost first.
pub struct Segments;

/// Delimited groups, gone or emptied.
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
        if round > 2 {
            return None;
        }
        let groups = nodes(subject, |_, _, node| {
            node.kind == Kind::Group && node.range.len() > 1
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
