//! What `--scope` leaves as it is: whole files, or, for a unit test, all of its file around the test module.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::passes::assertions::{self, Stretch};
use crate::request::TestScope;
use crate::subject::Subject;
use crate::syntax::FileId;

/// What must stay.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Files.
    pub fixed: BTreeSet<PathBuf>,
    /// Parts of others.
    pub untouched: Vec<Stretch>,
}

/// What `scope` leaves of `subject` as it is. `own` are the first files of the package's crates, `root`
/// that of the test, if the code under test is in other crates; `test` is the test's full name.
pub(super) fn left(
    scope: TestScope,
    subject: &Subject,
    own: &[FileId],
    root: Option<FileId>,
    test: &str,
) -> Left {
    let reached = |roots: &[FileId]| -> BTreeSet<FileId> {
        let crates = subject.clone().with_roots(roots.to_vec());
        crates.modules().reached.clone()
    };
    let all = || subject.sources().map(|(file, _, _)| file);
    let paths = |files: &mut dyn Iterator<Item = FileId>| -> BTreeSet<PathBuf> {
        files.map(|file| subject.file(file).path.clone()).collect()
    };
    match (scope, root) {
        (TestScope::Workspace, _) => Left::default(),
        (TestScope::Package, _) => {
            let own = reached(own);
            Left {
                fixed: paths(&mut all().filter(|file| !own.contains(file))),
                ..Left::default()
            }
        }
        (TestScope::Test, Some(root)) => {
            let own = reached(&[root]);
            Left {
                fixed: paths(&mut all().filter(|file| !own.contains(file))),
                ..Left::default()
            }
        }
        (TestScope::Test, None) => {
            let functions = assertions::test_functions(subject, test);
            let modules: Vec<(FileId, std::ops::Range<usize>)> = functions
                .iter()
                .filter_map(|(file, id)| {
                    Some((*file, assertions::test_module(subject, *file, *id)?))
                })
                .collect();
            let mut others = all().filter(|file| !modules.iter().any(|(own, _)| own == file));
            let around = modules.iter().flat_map(|(file, range)| {
                let end = subject.file(*file).source().len();
                [0..range.start, range.end..end].map(|part| Stretch {
                    file: *file,
                    range: part.start as u32..part.end as u32,
                })
            });
            Left {
                untouched: around.collect(),
                fixed: paths(&mut others),
            }
        }
    }
}
