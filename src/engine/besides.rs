//! Elements that leave out what has to stay as it is, where staying for its sake would cost more.

use super::{Engine, Scope};
use crate::passes::{self, Pass};
use crate::subject::{Element, Elements, Subject};

/// A pass of elements whose edits mean nothing to each other: those that may not be made are left out of them.
pub(super) struct Besides {
    pass: Box<dyn Pass>,
    scope: Scope,
}

impl Engine<'_> {
    /// The comments and lint levels besides those in what stays as it is.
    pub(super) fn comments(&self) -> Besides {
        Besides {
            pass: passes::comments(),
            scope: self.scope.clone(),
        }
    }
}

impl Pass for Besides {
    fn name(&self) -> &'static str {
        self.pass.name()
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        let list = self.pass.list(subject, round)?.into_iter();
        Some(
            list.filter_map(|element| self.scope.besides(subject, element))
                .collect(),
        )
    }
}

impl Scope {
    /// `element` without those of its edits that touch text that must stay as it is.
    pub(super) fn besides(&self, subject: &Subject, element: Element) -> Option<Element> {
        let mut edits = element.edits;
        edits.retain(|edit| !self.touches(subject, edit.file, edit.range.clone()));
        (!edits.is_empty()).then(|| Element::new(subject, element.kind, edits))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::Scope;
    use crate::passes;
    use crate::passes::assertions::Stretch;
    use crate::subject::Subject;
    use crate::syntax::FileId;

    #[test]
    fn comments_beside_what_stays_go_all_the_same() {
        let text = "#![deny(a)] // b\nfn f() { /* c */ #[allow(d)] g(); } // e\n";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        let start = text.find("/* c */").expect("a comment") as u32;
        let end = text.find("g();").expect("a call") as u32;
        let scope = Scope::default().leaving(vec![Stretch {
            file: FileId(0),
            range: start..end,
        }]);
        let list = passes::comments().list(&subject, 0).expect("a round");
        let list: Vec<_> = list
            .into_iter()
            .filter_map(|element| scope.besides(&subject, element))
            .collect();
        let left = subject.without(&list);
        let words: Vec<&str> = left.file(FileId(0)).source().split_whitespace().collect();
        assert_eq!(words.join(" "), "fn f() { /* c */ #[allow(d)] g(); }");
    }
}
