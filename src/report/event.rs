//! What happens during a reduction, as the engine tells it; knows nothing of who listens.

use std::path::Path;
use std::time::Duration;

use super::Summary;
use crate::syntax::Kind;

/// Someone who is told what happens.
///
/// Events come in the order in which they happen, from one thread.
pub trait Observer {
    /// Takes note of one event. Must be cheap: it is called once a trial.
    fn event(&mut self, event: &Event<'_>);
}

/// One thing that happened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A step outside the search began, such as building the original.
    Step {
        /// What is being done, one word in cargo's manner: `Copying`, `Building`, `Running`, `Checking`.
        verb: &'a str,
        /// To what: `semver v1.0.26 (12 files)`.
        what: &'a str,
    },
    /// The original was run and shows the property.
    Baseline {
        /// How often it was run.
        runs: usize,
        /// The signature taken from these runs, for people.
        signature: &'a str,
        /// Size of the subject.
        tokens: usize,
        /// Number of files in the subject.
        files: usize,
        /// Wall time of one run.
        wall: Duration,
    },
    /// A pass begins.
    PassStarted {
        /// The pass's name, as `--passes` takes it.
        name: &'a str,
        /// How many lists it made.
        lists: usize,
        /// How many elements are in these lists.
        elements: usize,
    },
    /// A list was searched to its end.
    ListSearched {
        /// The pass that made it.
        pass: &'a str,
        /// What became of each element, in list order.
        fates: &'a [Fate],
    },
    /// A candidate was judged.
    Trial {
        /// The pass that asked.
        pass: &'a str,
        /// The judgement.
        outcome: TrialOutcome,
        /// Where it was decided: `cache`, `library`, `test`, `run` … (the oracle's own word).
        stage: &'a str,
        /// Tokens that the candidate went without, compared with the best so far.
        tokens_tried: usize,
        /// Wall time.
        wall: Duration,
        /// User and system time of all processes run for it.
        cpu: Duration,
        /// The answer was known, nothing was run.
        cached: bool,
    },
    /// A smaller subject that shows the property; it is on disk.
    NewBest {
        /// Its size.
        tokens: usize,
        /// Files left in it.
        files: usize,
        /// Bytes of all its files.
        bytes: usize,
    },
    /// A pass ended.
    PassFinished {
        /// The pass's name.
        name: &'a str,
        /// Trials it took, cached ones included.
        trials: usize,
        /// How many of these were interesting.
        interesting: usize,
        /// Tokens that went.
        tokens_removed: usize,
    },
    /// A candidate failed in a way not met before; it was kept.
    Slip {
        /// The other signature.
        signature: &'a str,
        /// The directory under `slips/` that holds the candidate.
        kept_in: &'a Path,
    },
    /// Something worth a sentence.
    Note(&'a str),
    /// The reduction ended.
    Finished(&'a Summary),
}

/// A verdict without its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// The candidate shows the property.
    Interesting,
    /// It does not.
    Uninteresting,
    /// It fails, but in another way.
    Slipped,
}

/// What became of one element of a list.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Fate {
    /// What kind of syntax it is about.
    #[serde(serialize_with = "kind")]
    pub kind: Kind,
    /// Tokens that go with it, at least one.
    pub weight: u32,
    /// It went.
    pub gone: bool,
}

/// `Item(Fn)` and the like: the names that the source code has for kinds.
fn kind<S: serde::Serializer>(kind: &Kind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{kind:?}"))
}
