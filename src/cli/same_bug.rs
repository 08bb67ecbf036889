//! The flags that say what counts as the same bug, and what guards it against drift.

use clap::{Args, ValueEnum};

use crate::request::{Guarding, TestMatch, TestScope};

const GUARDS: &str = "The same bug, not any failure";

/// What counts as the same failure of a test, and what has to hold besides.
#[derive(Debug, Args)]
pub(super) struct SameBug {
    /// How much is reduced.
    #[arg(
        long,
        value_name = "WHAT",
        value_enum,
        default_value_t,
        conflicts_with = "ice",
        help_heading = "What is reduced"
    )]
    pub scope: ScopeChoice,

    /// How alike a candidate's failure has to be to the test's.
    #[arg(long = "match", value_name = "HOW", value_enum, default_value_t, conflicts_with = "ice", help_heading = GUARDS)]
    pub matching: MatchChoice,

    /// A test of the same target that has to go on passing; repeatable.
    #[arg(long, value_name = "NAME", conflicts_with = "ice", help_heading = GUARDS)]
    pub guard: Vec<String>,

    /// Whether further guards are chosen: tests, and assertions of the failing test, that pass and go through the code
    /// that fails [default: auto if the test itself panics or returns an error, none if the code under test does].
    #[arg(long, value_name = "WHICH", value_enum, conflicts_with = "ice", help_heading = GUARDS)]
    pub guards: Option<GuardsChoice>,

    /// A version of the code under test in which the test passes: a directory, a version in the registry (1.2.3) or a git
    /// revision.
    ///
    /// Both versions are reduced together. Beside `reduced/` there is then `good/`, where the test passes, and
    /// `regression.patch`, which leads from that to `reduced/`. Manifests, build scripts and tests are those of the package.
    #[arg(long, value_name = "REV|VERSION|PATH", conflicts_with = "ice", help_heading = GUARDS)]
    pub good: Option<String>,
}

/// `--scope`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum ScopeChoice {
    /// The test alone: each trial compiles nothing else.
    Test,
    /// The package, and no other crate.
    Package,
    /// All crates of the workspace, and path dependencies outside of it.
    #[default]
    Workspace,
}

/// `--match`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum MatchChoice {
    /// At the same place, and the same message up to what differs from run to run.
    #[default]
    Location,
    /// The same message up to what differs from run to run, wherever.
    Message,
    /// At the same place, and the very same message.
    Exact,
    /// Any failure of the test.
    Any,
}

/// `--guards`
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum GuardsChoice {
    /// Choose some.
    Auto,
    /// Choose none.
    None,
}

impl SameBug {
    pub(super) fn matching(&self) -> TestMatch {
        match self.matching {
            MatchChoice::Location => TestMatch::Location,
            MatchChoice::Message => TestMatch::Message,
            MatchChoice::Exact => TestMatch::Exact,
            MatchChoice::Any => TestMatch::Any,
        }
    }

    pub(super) fn scope(&self) -> TestScope {
        match self.scope {
            ScopeChoice::Test => TestScope::Test,
            ScopeChoice::Package => TestScope::Package,
            ScopeChoice::Workspace => TestScope::Workspace,
        }
    }

    pub(super) fn guarding(&self) -> Guarding {
        Guarding {
            named: self.guard.clone(),
            good: self.good.clone(),
            automatic: self.guards.map(|choice| choice == GuardsChoice::Auto),
        }
    }
}
