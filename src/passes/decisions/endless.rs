//! What goes on and on in a run that does not end.

use std::collections::HashMap;

use super::places;
use crate::passes::ran::Ran;
use crate::subject::Subject;
use crate::syntax::{ExprKind, FileId, Kind, NodeId, Origin};

/// What goes on and on in a run that does not end: the block of the outermost loop that does in a function that is not called
/// again, or the body of a function that is called again and again from elsewhere.
pub fn endless(subject: &Subject, ran: &Ran) -> Option<Origin> {
    going_on(subject, ran, &places(subject)).map(|(origin, _)| origin)
}

/// The same, and where it stands.
pub(super) fn going_on(
    subject: &Subject,
    ran: &Ran,
    places: &HashMap<Origin, Vec<(FileId, NodeId)>>,
) -> Option<(Origin, (FileId, NodeId))> {
    let found = |wanted: fn(&Subject, &Ran, FileId, NodeId) -> bool| {
        let entered = ran.entered.iter().rev();
        let mut late = entered.filter(|origin| ran.late.contains(origin));
        late.find_map(|origin| {
            let mut at = places.get(origin)?.iter().copied();
            let own = at.find(|(file, id)| wanted(subject, ran, *file, *id));
            Some((*origin, own?))
        })
    };
    found(is_outermost_loop).or_else(|| found(is_called_from_elsewhere))
}

/// Whether the block `id` is that of a loop in a function which was not called in the later half of the run.
fn is_outermost_loop(subject: &Subject, ran: &Ran, file: FileId, id: NodeId) -> bool {
    let (Some(tree), Some(text)) = (subject.file(file).tree(), subject.file(file).text()) else {
        return false;
    };
    let is_loop = |id: NodeId| {
        let outer = tree.parent(id).map(|outer| outer.kind);
        let of_a_loop = matches!(
            outer,
            Some(Kind::Expr(ExprKind::For | ExprKind::While | ExprKind::Loop))
        );
        tree.node(id).kind == Kind::Block && of_a_loop
    };
    let is_late = |id: NodeId| {
        let origin = text.origin(tree.node(id).range.start);
        origin.is_some_and(|origin| ran.late.contains(&origin))
    };
    let mut around = tree.ancestors(id);
    let outer = around.find(|id| tree.node(*id).kind == Kind::Body || is_loop(*id) && is_late(*id));
    is_loop(id) && outer.is_some_and(|outer| tree.node(outer).kind == Kind::Body && !is_late(outer))
}

/// Whether `id` is the body of a function that was called by one which was not itself called in the later half of the run.
fn is_called_from_elsewhere(subject: &Subject, ran: &Ran, file: FileId, id: NodeId) -> bool {
    let (Some(tree), Some(text)) = (subject.file(file).tree(), subject.file(file).text()) else {
        return false;
    };
    let node = tree.node(id);
    node.kind == Kind::Body
        && text.origin(node.range.start).is_some_and(|body| {
            let mut callers = ran.calls.callers(body);
            callers.any(|caller| !ran.late.contains(&caller))
        })
}
