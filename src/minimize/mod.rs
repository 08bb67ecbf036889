//! The search: which elements of one list to try without next. Knows nothing of Rust, text, files,
//! processes or time.
//!
//! A [`Minimizer`] is asked for a trial ([`Minimizer::propose`]) and told the verdict
//! ([`Minimizer::record`]); somebody else runs the trial in between. [`minimizer`] makes one from a
//! list of [`Item`]s and [`Settings`]:
//!
//! ```
//! use cargo_reduce::minimize::{Item, Settings, minimizer};
//!
//! // Elements 0, 3 and 4 are needed.
//! let needed = |element: &usize| [0, 3, 4].contains(element);
//! let items = [1, 2, 3, 5, 10].map(|weight| Item { weight, prior: None });
//! let mut minimizer = minimizer(&items, &Settings::default());
//! while let Some(trial) = minimizer.propose() {
//!     minimizer.record(!trial.remove.iter().any(needed));
//! }
//! assert_eq!(minimizer.removed(), [1, 2]);
//! ```
//!
//! # The algorithms
//!
//! Each has a file of its own, to be read beside its paper; deviations are named at the head of the
//! file.
//!
//! | name | what it tries next | learns from refusals | weights | 1-minimal | trials for n elements |
//! | --- | --- | --- | --- | --- | --- |
//! | `wprobdd` | the elements that let expect the most weight to go | yes | yes | if monotone | O(n) |
//! | `probdd` | the elements that let expect the most elements to go | yes | no | if monotone | O(n) |
//! | `cdd` | the next so many elements; how many follows from the round | by counting rounds | no | if monotone | O(n) |
//! | `wddmin` | one half by weight, the other, quarters …, alone and left out | no | yes | yes | O(n²) |
//! | `ddmin` | one of ν parts, then of ν² …, alone and left out | no | no | yes | n² + n(ν+1)/(ν−1) at most |
//! | `onemin` | the next element | no | no | yes | n² at most |
//! | `activecoarsen` | a random sample | only how large | no | yes | O(n²) |
//!
//! * **W_ProbDD** (`wprobdd`, the default): Zhou, Xu, Zhang, Tian, Sun: *WDD: Weighted Delta
//!   Debugging*, ICSE 2025, Algorithm 2.
//! * **ProbDD** (`probdd`): Wang, Shen, Chen, Xiong, Zhang: *Probabilistic Delta Debugging*,
//!   ESEC/FSE 2021, section 3.
//! * **CDD** (`cdd`): Zhang, Xu, Tian, Cheng, Sun: *Toward a Better Understanding of Probabilistic
//!   Delta Debugging*, ICSE 2025, Algorithm 2.
//! * **W_ddmin** (`wddmin`): as W_ProbDD, Algorithm 1.
//! * **ddmin** (`ddmin`): Kiss: *Generalizing the Split Factor of the Minimizing Delta Debugging
//!   Algorithm*, IEEE Access 2020, Algorithm 3. A [`SplitFactor`] of 2 is Zeller and Hildebrandt's
//!   ddmin.
//! * **onemin** (`onemin`): as ddmin, Algorithm 2.
//! * **ActiveCoarsen** (`activecoarsen`): Liang, Tripp, Naik: *Learning Minimal Abstractions*, POPL
//!   2011; the random baseline of the ProbDD paper.
//!
//! # What is around them
//!
//! * **The trial without any element** comes first ([`Settings::try_all_first`]). Whole lists of
//!   attributes, or of bodies to be stubbed, often can go.
//! * **Memory.** No candidate is asked for twice in a run. A choice that amounts to a candidate
//!   refused before counts as refused. The papers' figures list some of these repetitions and leave
//!   out others; the tests say which.
//! * **The one-minimal pass** comes last ([`Settings::one_minimal`]; alone: [`OneMinimal`]): single
//!   elements, the last one first, round after round until nothing goes. "If monotone" in the table
//!   does not hold in programs: a definition goes only after its uses, and what was refused while a
//!   use stood is never tried again by the probabilistic algorithms. Thanks to the memory the pass
//!   asks only for what is not proved yet.
//!
//! # Which to choose
//!
//! * Leave it at `wprobdd` if elements differ in size or if little is known. It asks for heavy
//!   elements first.
//! * What matters more than the algorithm is the [`InitialProbability`]: best near the share of
//!   elements that are needed, which is what `by-kind` starts from: a table of measured shares. Above one half every probabilistic algorithm becomes one by one,
//!   which is then cheapest.
//! * `cdd` decides in a microsecond at any length and needs what `probdd` needs to within four in a
//!   hundred trials.
//! * `onemin` backward suits short lists, and lists of which most is needed.
//! * `ddmin` and `wddmin` are for comparison. Keeping one part alone hardly ever succeeds (Zhang et
//!   al., section IV-F: 9 times in 490,896): without those tests and with a larger ν, `ddmin` takes
//!   less than half the trials below.
//!
//! # What the simulation says
//!
//! `cargo bench --bench simulation` runs the simulation of the WDD paper (section IV-D): 5,000
//! random lists of 2 to 1,000 elements and up to ten tokens an element on average, of which three
//! quarters are needed, heavy ones more often. Tokens are dealt out by random cuts (sizes differ
//! much) or one by one (they differ little). Mean trials of the bare algorithms, and the mean over
//! the lists of what is saved against the first row:
//!
//! | algorithm | by cuts: trials | saved | one by one: trials | saved |
//! | --- | ---: | ---: | ---: | ---: |
//! | ddmin, starting over after a success | 17979 | 0.0 % | 13353 | 0.0 % |
//! | wddmin, starting over after a success | 10211 | 32.9 % | 9974 | 14.9 % |
//! | ddmin, going on after a success | 2430 | 65.9 % | 2340 | 49.7 % |
//! | wddmin, going on after a success | 2606 | 64.1 % | 2504 | 47.5 % |
//! | ddmin, ν = 8, no subset tests, backward | 1178 | 83.9 % | 1100 | 78.1 % |
//! | onemin | 847 | 82.1 % | 802 | 77.1 % |
//! | activecoarsen | 907 | 82.7 % | 858 | 77.6 % |
//! | probdd, p₀ = 0.1 | 913 | 85.3 % | 926 | 77.2 % |
//! | probdd, p₀ = 0.5 | 681 | 86.6 % | 691 | 80.3 % |
//! | cdd, p₀ = 0.1 | 946 | 84.8 % | 960 | 76.4 % |
//! | cdd, p₀ = 0.5 | 681 | 86.6 % | 692 | 80.3 % |
//! | wprobdd, p₀ = 0.1 | 930 | 84.6 % | 948 | 76.1 % |
//! | wprobdd, p₀ = 0.25 | 803 | 85.6 % | 830 | 77.9 % |
//! | wprobdd, p₀ = 0.5 | 501 | 86.4 % | 501 | 82.0 % |
//!
//! The paper reports that W_ddmin saves 23 % of ddmin's tests on average. It does not say how
//! tokens are dealt out; the two ways bracket that number, if both algorithms start over from the
//! front after each success, as they do there. If both go on to the next part instead
//! ([`AfterSuccess`]), as Kiss's implementation of ddmin does, they take a fraction of the tests,
//! and weighting costs a few: what it saves is repetition. Each after its own paper, `wddmin`
//! starts over and `ddmin` goes on; [`minimizer_with`] compares them on equal terms.
//!
//! Where three quarters are needed, one by one is hard to beat: a p₀ of 0.5 makes W_ProbDD do just
//! that, heavy elements first. (ProbDD and CDD try pairs at 0.5, because their ties go to the
//! longer subset; onemin asks again for what was refused before its last success, which a monotone
//! property does not need.)
//!
//! `cargo bench --bench decision` measures what a decision costs. Measured with W_ProbDD, beside other jobs: 0.9 µs a trial at
//! 10² elements, 1.3 µs at 10³, 5.7 µs at 10⁴ and 39 µs at 10⁵, each step below that of n log n; a copy for a trial run ahead
//! costs 12 µs at 10⁴.
//!
//! # What the corpus says
//!
//! Crashes of rustc, reduced by each algorithm (`benches/corpus`): geometric means; p is the p-value of
//! Wilcoxon's signed-rank test against the first line; ρ is Spearman's correlation of an element's
//! weight and its chance to go, which Zhou et al. found negative too (section VI-A). Names behind `--`
//! choose inputs.
//!
//! The first trials, made from the crash's report, leave short lists: seven in eight have five elements
//! at most, and from two in three nothing goes. There every algorithm that ends up one by one takes
//! about the same; what tries parts that are too large, or each part alone, pays for it. `probdd` and
//! `wprobdd` are within two in a hundred trials. Trials and tokens came out the same when repeated; CPU
//! was taken on a busy machine: trials tell more.
//!
// corpus table: begin
//! `cargo bench --bench corpus -- arrayvec generics ice-file-matches mir-validate nosyn-gce opaque smallvec semver --algorithms wprobdd,onemin,probdd,cdd,ddmin,wddmin,activecoarsen`: 56 reductions of 8 inputs, 1104 tokens before (geometric mean).
//!
//! | algorithm | tokens | p | trials | p | CPU seconds | p | ρ |
//! | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
//! | wprobdd | 55.8 |  | 82.3 |  | 3.83 |  | −0.28 |
//! | onemin | 55.8 |  | 85.4 | 0.281 | 4.46 | 0.008 | −0.32 |
//! | probdd | 55.8 |  | 81.5 | 0.625 | 3.99 | 0.195 | −0.32 |
//! | cdd | 55.8 |  | 85.3 | 0.031 | 4.16 | 0.250 | −0.32 |
//! | ddmin | 55.8 |  | 104.1 | 0.016 | 4.79 | 0.008 | −0.29 |
//! | wddmin | 55.8 |  | 102.1 | 0.016 | 4.41 | 0.055 | −0.28 |
//! | activecoarsen | 55.8 |  | 91.9 | 0.008 | 4.26 | 0.016 | −0.32 |
// corpus table: end

mod activecoarsen;
mod belief;
mod cdd;
mod ddmin;
mod kept;
mod onemin;
mod parts;
mod probdd;
#[cfg(test)]
mod properties;
mod run;
mod settings;
#[cfg(test)]
mod split_factor;
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

/// A pure search over one list: no I/O, no clock, no text, and the same verdicts always lead to the
/// same trials.
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

/// As [`minimizer`], but what ddmin and W_ddmin do after a success is chosen, not taken from their
/// papers: for comparing the two on equal terms. The other algorithms have no such choice.
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
