//! What the tests of passes share.

use super::Pass;
use crate::subject::Subject;
use crate::syntax::FileId;

/// `text` with each element of all rounds of the pass alone, white space evened out.
pub(super) fn each(pass: &dyn Pass, text: &str) -> Vec<String> {
    let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
    let rounds = (0..).map_while(|round| pass.list(&subject, round));
    rounds
        .flatten()
        .map(|element| {
            let after = subject.without([&element]);
            let source = after.file(FileId(0)).source();
            source.split_whitespace().collect::<Vec<_>>().join(" ")
        })
        .collect()
}
