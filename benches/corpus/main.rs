//! Whole reductions of a corpus by every algorithm, as a Markdown table: tokens left, trials and CPU
//! seconds (geometric means), p-values of Wilcoxon's signed-rank test against the first line, and
//! Spearman's ρ of weight and deletion (Zhou et al. 2025, RQ1).
//!
//! ```text
//! cargo bench --bench corpus                                    every algorithm, by kind
//! cargo bench --bench corpus -- --traversals                    every traversal, by the default algorithm
//! cargo bench --bench corpus -- --algorithms all --traversals   every pair
//! cargo bench --bench corpus -- --initial-probabilities by-kind,0.1,0.25,0.5 --algorithms wprobdd
//! cargo bench --bench corpus -- ice-file semver                 cases with one of these in their names
//! ```
//!
//! The corpus is the directory in `CARGO_REDUCE_CORPUS` or `--cases`, `../shared/bench/cases` if
//! neither is given; without one, three inputs of the stand-in compiler in `test-projects` are reduced.
//!
//! | option | |
//! | --- | --- |
//! | `--cases DIR` | the corpus |
//! | `--stand-in` | the stand-in's inputs too |
//! | `--algorithms A,B` | which; the first is what the others are compared with; `all` |
//! | `--traversals [A,B]` | which; all if none is named |
//! | `--initial-probabilities P,Q` | for the algorithms that have one |
//! | `--time-limit SECONDS` | of each reduction; 120 |
//! | `--results FILE` | keeps every row, and takes from it what was measured before |
//! | `--by-case` | also a table of all cases |
//! | `--write FILE` | puts the table between the marked lines of FILE |
//! | `--priors FILE` | writes the shares of elements kept, by pass and kind, as the table in `src/engine/priors.rs` |

mod cases;
mod marked;
mod priors;
mod run;
mod statistics;
mod table;

use std::error::Error;
use std::path::PathBuf;

use cargo_reduce::minimize::Algorithm;
use cargo_reduce::passes::Traversal;

use run::{Configuration, Results};
use table::Group;

struct Options {
    corpus: PathBuf,
    wanted: Vec<String>,
    with_stand_in: bool,
    algorithms: Vec<String>,
    traversals: Vec<String>,
    probabilities: Vec<String>,
    seconds: u64,
    results: Option<PathBuf>,
    by_case: bool,
    write: Option<PathBuf>,
    priors: Option<PathBuf>,
    command: String,
}

/// What to type for the same table; where it is put does not matter.
fn command() -> String {
    let mut command = String::from("cargo bench --bench corpus --");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--bench" | "--by-case" => {}
            "--cases" | "--results" | "--write" => drop(arguments.next()),
            _ => command = command + " " + &argument,
        }
    }
    command.trim_end_matches(" --").to_owned()
}

fn names<const N: usize>(all: [&str; N]) -> Vec<String> {
    all.map(str::to_owned).to_vec()
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        corpus: cases::corpus(),
        wanted: Vec::new(),
        with_stand_in: false,
        algorithms: Vec::new(),
        traversals: Vec::new(),
        probabilities: names(["by-kind"]),
        seconds: 120,
        results: None,
        by_case: false,
        write: None,
        priors: None,
        command: command(),
    };
    let list = |text: String| text.split(',').map(str::to_owned).collect::<Vec<_>>();
    let mut arguments = std::env::args().skip(1).peekable();
    while let Some(argument) = arguments.next() {
        // Cargo adds it to every bench.
        if argument == "--bench" {
            continue;
        }
        let is_value = |next: &String| !next.starts_with("--");
        let name = argument.clone();
        let mut value = || {
            let value = arguments.next_if(is_value);
            value.ok_or_else(|| format!("{name} takes a value"))
        };
        match argument.as_str() {
            "--cases" => options.corpus = value()?.into(),
            "--algorithms" => options.algorithms = list(value()?),
            "--traversals" => {
                let all = names(Traversal::ALL.map(Traversal::name));
                options.traversals = value().map_or(all, list);
            }
            "--initial-probabilities" => options.probabilities = list(value()?),
            "--time-limit" => options.seconds = value()?.parse()?,
            "--results" => options.results = Some(value()?.into()),
            "--stand-in" => options.with_stand_in = true,
            "--by-case" => options.by_case = true,
            "--write" => options.write = Some(value()?.into()),
            "--priors" => options.priors = Some(value()?.into()),
            other if other.starts_with('-') => {
                return Err(
                    format!("unknown argument `{other}`: see benches/corpus/main.rs").into(),
                );
            }
            _ => options.wanted.push(argument.clone()),
        }
    }
    let all = names(Algorithm::ALL.map(Algorithm::name));
    if options.algorithms == ["all"]
        || options.algorithms.is_empty() && options.traversals.is_empty()
    {
        options.algorithms = all;
    } else if options.algorithms.is_empty() {
        options.algorithms = names([Algorithm::default().name()]);
    }
    if options.traversals.is_empty() {
        options.traversals = names([Traversal::default().name()]);
    }
    for name in &options.algorithms {
        name.parse::<Algorithm>()?;
    }
    for name in &options.traversals {
        name.parse::<Traversal>()?;
    }
    Ok(options)
}

fn configurations(options: &Options) -> Vec<Configuration> {
    let mut found = Vec::new();
    for traversal in &options.traversals {
        for algorithm in &options.algorithms {
            let probabilistic = ["wprobdd", "probdd", "cdd"].contains(&algorithm.as_str());
            let given = options.probabilities.iter().cloned().map(Some);
            let given: Vec<Option<String>> = if probabilistic {
                given.collect()
            } else {
                vec![None]
            };
            for initial_probability in given {
                found.push(Configuration {
                    algorithm: algorithm.clone(),
                    traversal: traversal.clone(),
                    initial_probability,
                });
            }
        }
    }
    found
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let cases = cases::cases(&options.corpus, &options.wanted, options.with_stand_in)?;
    if cases.is_empty() {
        return Err("no input has one of these words in its name".into());
    }
    let mut results = Results::open(options.results.as_deref())?;
    let mut groups = Vec::new();
    for configuration in configurations(&options) {
        let mut rows = Vec::new();
        for case in &cases {
            eprintln!("{} {configuration}", case.name);
            rows.push(results.row(case, &configuration, options.seconds)?);
        }
        groups.push(Group {
            configuration,
            rows,
        });
    }
    let mut text = format!(
        "`{}`: {} reductions of {} inputs, {:.0} tokens before (geometric mean).\n\n",
        options.command,
        cases.len() * groups.len(),
        cases.len(),
        table::size_before(&groups),
    );
    text += &table::summary(&groups);
    println!("{text}");
    if options.by_case {
        println!("{}", table::by_case(&groups));
    }
    if let Some(file) = &options.write {
        marked::write(file, "corpus table", &text)?;
    }
    if let Some(file) = &options.priors {
        let rows = groups.iter().flat_map(|group| &group.rows);
        std::fs::write(file, priors::table(rows, &options.command))?;
    }
    Ok(())
}
