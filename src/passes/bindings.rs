//! What patterns bind. Where a name is mentioned that no pattern binds any more, another one of the same name is meant, or none.

use super::query::nodes_in;
use crate::subject::{Element, Subject};
use crate::syntax::{ExprKind, Kind, PatKind};

/// Whether `element` takes a name away from a pattern that is mentioned where the pattern matched: if that compiles, another
/// value of that name has come in its place.
pub fn loses_a_name(subject: &Subject, element: &Element) -> bool {
    let Kind::Pat(_) = element.kind else {
        return false;
    };
    let is_bound = |kind| kind == Kind::Pat(PatKind::Ident);
    element.edits.iter().any(|edit| {
        let bound = nodes_in(subject, edit.file, &edit.range, is_bound);
        let mut names = bound.into_iter().filter_map(|at| Some((at, at.name()?)));
        names.any(|(at, name)| {
            let Some(scope) = at.ancestors().find(|outer| is_scope(outer.kind())) else {
                return false;
            };
            let mentions = scope.mentions(name, &scope.range()).into_iter();
            let mut left = mentions.filter(|place| {
                let mut edits = element.edits.iter().filter(|edit| edit.file == at.file);
                !edits.any(|edit| edit.range.start <= place.start && place.end <= edit.range.end)
            });
            left.next().is_some()
        })
    })
}

/// Whether what a pattern inside binds is known there and no further.
fn is_scope(kind: Kind) -> bool {
    use ExprKind::{Closure, For, If, While};
    matches!(
        kind,
        Kind::Arm | Kind::Block | Kind::Body | Kind::Expr(Closure | For | If | While)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Edit, FileId};

    /// Whether a name is lost where `pattern` gives way to `_`.
    fn lost(text: &str, pattern: &str) -> bool {
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let start = text.find(pattern).expect("it is there");
        let edit = Edit::replace(FileId(0), start..start + pattern.len(), "_");
        let element = Element::new(&subject, Kind::Pat(PatKind::TupleStruct), vec![edit]);
        loses_a_name(&subject, &element)
    }

    #[test]
    fn a_name_that_is_mentioned_where_it_was_bound_is_lost() {
        let text = "fn f(x: u8) -> u8 { match g(x) { Some(x) => x, None => 1 } }";
        assert!(lost(text, "Some(x)"));
        assert!(!lost(text, "None"));
        assert!(lost("fn f() { if let Some(x) = g() { h(x) } }", "Some(x)"));
        assert!(lost("fn f() { let S(x) = g(); h(x); }", "S(x)"));
    }

    #[test]
    fn what_nobody_mentions_is_not() {
        let text = "fn f(x: u8) -> u8 { match g() { Some(x) => 2, None => x } }";
        assert!(!lost(text, "Some(x)"));
    }
}
