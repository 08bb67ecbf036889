//! What a decision costs: the time from one trial to the next, by algorithm and length of the list.
//!
//! ```text
//! cargo bench --bench decision
//! ```
//!
//! Each sample runs the first n/10 trials of a list of n elements of which every twentieth is needed, so that lists of all
//! lengths are compared at the same stage; the throughput column is trials per second. Wanted: under 1 ms a trial (over
//! 1,000 a second) at 10⁴ elements, and no faster growth than n log n.

use cargo_reduce::minimize::{Algorithm, Item, Minimizer, Settings, minimizer};
use divan::Bencher;
use divan::counter::ItemsCount;

const LENGTHS: [usize; 4] = [100, 1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

fn items(length: usize) -> Vec<Item> {
    let mut random = fastrand::Rng::with_seed(7);
    (0..length)
        .map(|_| Item {
            weight: random.u32(1..=200),
            prior: Some(random.f64()),
        })
        .collect()
}

/// Runs so many trials, or to the end; says how many there were.
fn run(minimizer: &mut dyn Minimizer, trials: usize) -> usize {
    for count in 0..trials {
        let Some(trial) = minimizer.propose() else {
            return count;
        };
        minimizer.record(!trial.remove.iter().any(|element| element % 20 == 0));
    }
    trials
}

fn bench(bencher: Bencher, length: usize, algorithm: Algorithm) {
    let items = items(length);
    let settings = Settings {
        algorithm,
        ..Settings::default()
    };
    let most = length / 10;
    let trials = run(&mut *minimizer(&items, &settings), most);
    bencher
        .counter(ItemsCount::new(trials))
        .with_inputs(|| minimizer(&items, &settings))
        .bench_local_refs(|minimizer| run(&mut **minimizer, most));
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn wprobdd(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::WProbDd);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn probdd(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::ProbDd);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn cdd(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::Cdd);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn wddmin(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::WDdmin);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn ddmin(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::Ddmin);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn onemin(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::OneMin);
}

#[divan::bench(args = LENGTHS, sample_count = 10, sample_size = 1)]
fn activecoarsen(bencher: Bencher, length: usize) {
    bench(bencher, length, Algorithm::ActiveCoarsen);
}

/// The copy that a trial run ahead costs, after n/10 trials.
#[divan::bench(args = LENGTHS)]
fn clone_of_wprobdd(bencher: Bencher, length: usize) {
    let mut original = minimizer(&items(length), &Settings::default());
    run(&mut *original, length / 10);
    bencher.bench_local(|| original.clone_box());
}
