//! A project with what a reduction made of it.

use super::{Outcome, Project, tokens};

/// Passes that take what did not run and what nobody uses. They are enough where the question is what is kept, and many
/// times as fast as all.
pub const COARSE: &str = "comments,sweep,solve";

/// A project with what a reduction made of it, shared by the tests that look at it.
pub struct Reduced {
    pub project: Project,
    pub outcome: Outcome,
}

impl Reduced {
    /// What a reduction of `project` by the coarse passes, which has to end well, makes of it.
    #[track_caller]
    pub fn coarsely<const N: usize>(project: Project, arguments: [&str; N]) -> Reduced {
        // In front: what follows `--` belongs to others.
        let reduction = project.reduce(arguments).flag(COARSE).flag("--passes");
        let outcome = reduction.run().ok();
        Reduced { project, outcome }
    }

    /// Fails if plain cargo does not show all of this when it runs the same thing of the result.
    #[track_caller]
    pub fn still_shows(&self, arguments: &[&str], marks: &[&str]) {
        let (good, text) = self.project.cargo(&self.outcome.reduced(), arguments);
        assert!(!good, "it passes:\n{text}");
        for mark in marks {
            assert!(text.contains(mark), "`{mark}` is not in:\n{text}");
        }
    }

    /// Fails if more than this share of the tokens is left.
    #[track_caller]
    pub fn is_at_most(&self, percent: usize) {
        let before = tokens::count_path(self.project.path());
        let after = self.outcome.tokens();
        let code = self.outcome.code_text();
        assert!(
            after * 100 <= before * percent,
            "{after} of {before} tokens are left:\n{code}"
        );
    }
}
