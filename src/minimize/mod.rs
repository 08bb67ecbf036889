//! The search: which elements of one list to try without next. Knows nothing of Rust, text, files, processes or time.
//!
//! A [`Minimizer`] is a state machine that is asked ([`Minimizer::propose`]) and told
//! ([`Minimizer::record`]); somebody else runs the trial in between.

mod activecoarsen;
mod belief;
mod cdd;
mod ddmin;
mod kept;
mod onemin;
mod parts;
mod probdd;
mod run;
mod settings;
mod splitmix;
#[cfg(test)]
mod trace;
mod walk;
mod wddmin;
mod wprobdd;

pub use onemin::OneMinimal;
pub use settings::{
    Algorithm, ComplementOrder, DEFAULT_INITIAL_PROBABILITY, InitialProbability, InvalidSetting,
    Settings, SplitFactor,
};
pub use walk::AfterSuccess;

use activecoarsen::ActiveCoarsen;
use cdd::Cdd;
use ddmin::Ddmin;
use onemin::OneMin;
use probdd::ProbDd;
use run::{AllFirst, Run, Search};
use wddmin::{EnsureOneMinimal, WDdmin};
use wprobdd::WProbDd;

/// A candidate: the present state without these elements too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trial {
    /// Indices into the list: ascending, none already removed, never empty.
    pub remove: Vec<usize>,
}

/// A pure search over one list: no I/O, no clock, no text, and the same verdicts always lead to the same trials.
///
/// Removing is monotone in the state: what an interesting trial removed stays removed. No candidate
/// (a set of elements still kept) is proposed twice.
pub trait Minimizer: Send {
    /// The next trial, or `None` when the search is finished. Called again without
    /// [`record`](Self::record) in between, it returns the same trial.
    fn propose(&mut self) -> Option<Trial>;

    /// The verdict on the trial last proposed.
    ///
    /// # Panics
    ///
    /// If no trial is open: nothing was proposed since the last verdict.
    fn record(&mut self, interesting: bool);

    /// The elements removed so far, ascending.
    fn removed(&self) -> Vec<usize>;

    /// A copy that can be run ahead on a guessed verdict.
    fn clone_box(&self) -> Box<dyn Minimizer>;
}

/// What one element tells a minimizer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Item {
    /// Tokens that go with the element; 0 counts as 1.
    pub weight: u32,
    /// The probability that an element of this kind is needed, before anything was tried; `None`
    /// takes [`DEFAULT_INITIAL_PROBABILITY`]. Used under [`InitialProbability::ByKind`] only.
    pub prior: Option<f64>,
}

/// The minimizer for a list: the trial without any element first ([`Settings::try_all_first`]),
/// then the algorithm, then the one-minimal pass ([`Settings::one_minimal`]).
pub fn minimizer(items: &[Item], settings: &Settings) -> Box<dyn Minimizer> {
    let as_published = match settings.algorithm {
        Algorithm::WDdmin => AfterSuccess::StartOver,
        _ => AfterSuccess::GoOn,
    };
    minimizer_with(items, settings, as_published)
}

/// As [`minimizer`], but what ddmin and W_ddmin do after a success is chosen, not taken from
/// their papers: for comparing the two on equal terms. The other algorithms have no such choice.
pub fn minimizer_with(
    items: &[Item],
    settings: &Settings,
    after_success: AfterSuccess,
) -> Box<dyn Minimizer> {
    let mut stages: Vec<Box<dyn Search>> = Vec::new();
    if settings.try_all_first {
        stages.push(Box::new(AllFirst::default()));
    }
    let start = settings.initial_probability;
    match settings.algorithm {
        Algorithm::WProbDd => stages.push(Box::new(WProbDd::new(items, start))),
        Algorithm::ProbDd => stages.push(Box::new(ProbDd::new(items, settings))),
        Algorithm::Cdd => stages.push(Box::new(Cdd::new(items, start))),
        Algorithm::WDdmin => {
            stages.push(Box::new(WDdmin::new(items, after_success)));
            stages.push(match after_success {
                AfterSuccess::StartOver => Box::new(EnsureOneMinimal::default()),
                AfterSuccess::GoOn => Box::new(OneMin::new(ComplementOrder::Forward)),
            });
        }
        Algorithm::Ddmin => stages.push(Box::new(Ddmin::new(settings, after_success))),
        Algorithm::OneMin => stages.push(Box::new(OneMin::new(settings.complement_order))),
        Algorithm::ActiveCoarsen => {
            let seed = settings.shuffle.unwrap_or(0);
            stages.push(Box::new(ActiveCoarsen::new(items, start, seed)));
            stages.push(Box::new(OneMin::new(ComplementOrder::Forward)));
        }
    }
    if settings.one_minimal {
        stages.push(Box::new(OneMin::new(ComplementOrder::Backward)));
    }
    Box::new(Run::new(items.len(), stages))
}
