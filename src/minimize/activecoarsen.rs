//! ActiveCoarsen: random samples (Liang, Tripp and Naik, Learning Minimal Abstractions, POPL 2011),
//! the random baseline of the ProbDD paper. Knows only what is left.
//!
//! Each element is kept with probability α and left out otherwise, all at once. If s elements are
//! needed, α = e^(−1/s) makes a trial succeed with probability 1/e, which is best. As s is not
//! known, α = 1/(1 + e^(−θ)) follows the successes: θ ← θ − γ(success − 1/e). When no more is left
//! than what α says is needed, the elements are scanned one by one: that stage is
//! [`super::onemin::OneMin`].
//!
//! The ProbDD paper (section 5.1, RQ3) does not restate the algorithm: it runs it "in its default
//! setting" in the place of ddmin inside HDD and CHISEL, five times each, since it is random. So there
//! is no trace or table of trials to follow. What differs from both papers:
//!
//! * α starts from the number of needed elements that the initial probabilities let expect (Liang et
//!   al.: from a given or guessed s).
//! * s for the switch to scanning is what the present α stands for, −1/ln α, not the first guess: a
//!   guess far too low would sample for ever, one far too high not at all.
//! * γ = 0.1; nothing in the ProbDD paper says which it used.
//! * A sample that leaves out nothing is no trial; another one is drawn. One that amounts to a
//!   candidate refused before is answered from memory, and moves θ like any other.
//! * The scan goes round until nothing more goes, not once: properties of programs are not monotone,
//!   as those of their abstractions are.
//! * One run, by a seed (`--seed`), not the mean of five.

use super::Item;
use super::kept::Kept;
use super::run::Search;
use super::settings::InitialProbability;
use super::splitmix::SplitMix;

/// γ: how fast α follows.
const STEP: f64 = 0.1;

#[derive(Debug, Clone)]
pub(super) struct ActiveCoarsen {
    theta: f64,
    random: SplitMix,
    /// The sample to judge; drawn once, whether it is judged or answered from memory.
    sample: Vec<usize>,
}

impl ActiveCoarsen {
    pub(super) fn new(items: &[Item], start: InitialProbability, seed: u64) -> Self {
        let needed: f64 = items.iter().map(|item| start.of(item.prior)).sum();
        Self {
            // α = e^(−1/s), solved for θ.
            theta: -((1.0 / needed).exp_m1()).ln(),
            random: SplitMix::new(seed),
            sample: Vec::new(),
        }
    }

    fn alpha(&self) -> f64 {
        1.0 / (1.0 + (-self.theta).exp())
    }
}

impl Search for ActiveCoarsen {
    fn choose(&mut self, kept: &Kept) -> Option<Vec<usize>> {
        let alpha = self.alpha();
        let needed = -1.0 / alpha.ln();
        if kept.count() as f64 <= needed + 1.0 {
            return None;
        }
        self.sample.clear();
        while self.sample.is_empty() {
            let random = &mut self.random;
            self.sample
                .extend(kept.iter().filter(|_| random.unit() >= alpha));
        }
        Some(self.sample.clone())
    }

    fn learn(&mut self, _tried: &[usize], interesting: bool, _kept: &Kept) {
        let success = f64::from(u8::from(interesting));
        self.theta -= STEP * (success - 1.0 / std::f64::consts::E);
    }

    fn clone_box(&self) -> Box<dyn Search> {
        Box::new(self.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::minimize::trace::{Answer, needs, steps, weights};

    fn search(length: usize, needed: usize, seed: u64) -> ActiveCoarsen {
        let share = needed as f64 / length as f64;
        let items = weights(&vec![1; length]);
        ActiveCoarsen::new(&items, InitialProbability::Same(share), seed)
    }

    #[test]
    fn a_seed_draws_the_same_samples_again_and_another_seed_others() {
        let first = |seed| search(100, 5, seed).choose(&Kept::all(100));
        assert_eq!(first(1), first(1));
        assert_ne!(first(1), first(2));
    }

    #[test]
    fn with_few_needed_elements_one_sample_in_about_e_succeeds() {
        let needed: Vec<usize> = (0..10).map(|i| i * 97).collect();
        let (mut successes, mut samples) = (0, 0);
        for seed in 0..20 {
            let steps = steps(search(1000, 10, seed), 1000, needs(&needed), |_| ());
            successes += steps
                .iter()
                .filter(|(_, answer, _)| *answer == Answer::Yes)
                .count();
            samples += steps.len();
        }
        let rate = successes as f64 / samples as f64;
        assert!((0.3..0.45).contains(&rate), "{rate}");
        // O(s log n): each success takes a tenth or so of the list.
        assert!(samples / 20 < 200, "{samples}");
    }

    #[test]
    fn the_rate_is_found_from_a_wrong_start_too() {
        // A hundred are needed, not two: at first hardly any sample succeeds.
        let needed: Vec<usize> = (0..100).map(|i| i * 9).collect();
        let alphas = steps(
            search(1000, 2, 0),
            1000,
            needs(&needed),
            ActiveCoarsen::alpha,
        );
        assert!(alphas[0].2 < 0.65);
        assert!(
            alphas
                .iter()
                .any(|&(_, answer, alpha)| answer == Answer::Yes && alpha > 0.98)
        );
    }
}
