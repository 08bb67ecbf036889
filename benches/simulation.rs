//! The simulation of Zhou et al. (WDD, ICSE 2025, section IV-D) for every algorithm, as a Markdown
//! table.
//!
//! ```text
//! cargo bench --bench simulation                    5,000 lists, as in the paper
//! cargo bench --bench simulation -- --lists 500
//! ```
//!
//! A list has 2 to 1,000 elements and 1 to 10 tokens for each on average, distributed at random.
//! One number p between 0 and 1 is drawn for the list: an element of w tokens can go with
//! probability p^w. The property is that all elements which cannot go are there. Every algorithm
//! ends with exactly those, so that only the number of trials differs.

use cargo_reduce::minimize::{
    AfterSuccess, Algorithm, ComplementOrder, InitialProbability, Item, Settings, SplitFactor,
    minimizer_with,
};

const SEED: u64 = 20250;

/// A list, and which of its elements have to stay.
struct List {
    items: Vec<Item>,
    needed: Vec<bool>,
}

/// How a list's tokens are dealt out to its elements; each gets one at least.
#[derive(Clone, Copy)]
enum Deal {
    /// All ways to cut the tokens into that many pieces are equally likely: a few big elements,
    /// many small ones.
    Cuts,
    /// Each further token goes to an element drawn at random: all about the same size.
    Draws,
}

impl List {
    fn random(random: &mut fastrand::Rng, deal: Deal) -> Self {
        let length = random.usize(2..=1000);
        let tokens = random.usize(length..=10 * length);
        let mut weights = vec![1_u32; length];
        match deal {
            Deal::Cuts => {
                let mut cuts = random.choose_multiple(1..tokens, length - 1);
                cuts.sort_unstable();
                let ends = cuts.iter().copied().chain([tokens]);
                let starts = [0].into_iter().chain(cuts.iter().copied());
                for (weight, (start, end)) in weights.iter_mut().zip(starts.zip(ends)) {
                    *weight = (end - start) as u32;
                }
            }
            Deal::Draws => {
                for _ in length..tokens {
                    weights[random.usize(..length)] += 1;
                }
            }
        }
        let p = random.f64();
        let needed = weights
            .iter()
            .map(|&w| random.f64() >= p.powi(w as i32))
            .collect();
        let items = weights
            .iter()
            .map(|&weight| Item {
                weight,
                prior: None,
            })
            .collect();
        Self { items, needed }
    }

    /// Runs to the end and counts the trials.
    fn trials(&self, row: &Row) -> usize {
        let mut minimizer = minimizer_with(&self.items, &row.settings, row.after_success);
        let mut trials = 0;
        while let Some(trial) = minimizer.propose() {
            trials += 1;
            minimizer.record(!trial.remove.iter().any(|&element| self.needed[element]));
        }
        let unneeded: Vec<usize> = (0..self.items.len()).filter(|&e| !self.needed[e]).collect();
        assert_eq!(minimizer.removed(), unneeded, "{}", row.name);
        trials
    }
}

/// One row of the table: an algorithm, bare.
struct Row {
    name: String,
    settings: Settings,
    after_success: AfterSuccess,
}

fn rows() -> Vec<Row> {
    let bare = |algorithm| Settings {
        algorithm,
        one_minimal: false,
        try_all_first: false,
        ..Settings::default()
    };
    let mut rows: Vec<Row> = Vec::new();
    let mut add = |name: String, settings: Settings, after_success: AfterSuccess| {
        rows.push(Row {
            name,
            settings,
            after_success,
        });
    };
    for (words, after_success) in [
        ("starting over after a success", AfterSuccess::StartOver),
        ("going on after a success", AfterSuccess::GoOn),
    ] {
        for algorithm in [Algorithm::Ddmin, Algorithm::WDdmin] {
            add(
                format!("{algorithm}, {words}"),
                bare(algorithm),
                after_success,
            );
        }
    }
    for split_factor in [2, 8, 64].map(SplitFactor::Parts) {
        let settings = Settings {
            split_factor,
            subset_tests: false,
            complement_order: ComplementOrder::Backward,
            ..bare(Algorithm::Ddmin)
        };
        let name = format!("ddmin, ν = {split_factor}, no subset tests, backward");
        add(name, settings, AfterSuccess::GoOn);
    }
    for algorithm in [Algorithm::OneMin, Algorithm::ActiveCoarsen] {
        add(algorithm.to_string(), bare(algorithm), AfterSuccess::GoOn);
    }
    for algorithm in [Algorithm::ProbDd, Algorithm::Cdd, Algorithm::WProbDd] {
        for p in [0.1, 0.25, 0.5] {
            let settings = Settings {
                initial_probability: InitialProbability::Same(p),
                ..bare(algorithm)
            };
            add(
                format!("{algorithm}, p₀ = {p}"),
                settings,
                AfterSuccess::GoOn,
            );
        }
    }
    rows
}

fn table(lists: &[List]) {
    let rows = rows();
    let mut trials: Vec<Vec<f64>> = vec![Vec::new(); rows.len()];
    for list in lists {
        for (column, row) in trials.iter_mut().zip(&rows) {
            column.push(list.trials(row) as f64);
        }
    }
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let ddmin = trials[0].clone();
    println!(
        "| algorithm | trials, mean | trials, geometric mean | saved against the first row, all trials | saved, mean over lists |"
    );
    println!("| --- | ---: | ---: | ---: | ---: |");
    for (row, column) in rows.iter().zip(&trials) {
        let logarithms: Vec<f64> = column.iter().map(|t| t.ln()).collect();
        let saved: Vec<f64> = column
            .iter()
            .zip(&ddmin)
            .map(|(t, d)| 1.0 - t / d)
            .collect();
        println!(
            "| {} | {:.0} | {:.0} | {:.1} % | {:.1} % |",
            row.name,
            mean(column),
            mean(&logarithms).exp(),
            100.0 * (1.0 - mean(column) / mean(&ddmin)),
            100.0 * mean(&saved),
        );
    }
}

fn main() {
    let mut lists = 5000;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--lists" => {
                let count = arguments.next().and_then(|count| count.parse().ok());
                lists = count.expect("--lists takes a whole number");
            }
            // Cargo adds it to every bench.
            "--bench" => {}
            other => panic!("unknown argument `{other}`: this bench takes --lists N"),
        }
    }
    for (title, deal) in [
        ("Tokens dealt out by random cuts", Deal::Cuts),
        ("Tokens dealt out one by one", Deal::Draws),
    ] {
        let mut random = fastrand::Rng::with_seed(SEED);
        let lists: Vec<List> = (0..lists)
            .map(|_| List::random(&mut random, deal))
            .collect();
        let elements: usize = lists.iter().map(|list| list.needed.len()).sum();
        let needed = lists.iter().flat_map(|list| &list.needed);
        let share = needed.filter(|&&needed| needed).count() as f64 / elements as f64;
        println!(
            "\n{title}: {} lists, seed {SEED}, {:.0} % of all elements needed\n",
            lists.len(),
            100.0 * share
        );
        table(&lists);
    }
}
