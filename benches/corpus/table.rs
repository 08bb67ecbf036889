//! Rows to Markdown. Measures nothing.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::run::{Configuration, List, Row};
use crate::statistics::{geometric_mean, spearman, wilcoxon};

/// All rows of one configuration, in the order of the cases.
pub struct Group {
    pub configuration: Configuration,
    pub rows: Vec<Row>,
}

impl Group {
    fn column(&self, value: fn(&Row) -> f64) -> Vec<f64> {
        self.rows.iter().map(value).collect()
    }

    /// The mean over the cases of the mean over the lists.
    fn correlation(&self) -> Option<f64> {
        let means = self.rows.iter().filter_map(|row| {
            let all: Vec<f64> = row.lists.iter().filter_map(correlation).collect();
            mean(&all)
        });
        mean(&means.collect::<Vec<_>>())
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Zhou et al. 2025, section VI-A: the rank correlation of a weight and the share of its elements that
/// went; undefined where nothing went, or where one of both does not vary.
fn correlation(list: &List) -> Option<f64> {
    if !list.fates.iter().any(|fate| fate.gone) {
        return None;
    }
    let mut by_weight: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for fate in &list.fates {
        let (gone, all) = by_weight.entry(fate.weight).or_default();
        *gone += f64::from(u8::from(fate.gone));
        *all += 1.0;
    }
    let weights: Vec<f64> = by_weight.keys().map(|weight| f64::from(*weight)).collect();
    let shares: Vec<f64> = by_weight.values().map(|(gone, all)| gone / all).collect();
    spearman(&weights, &shares)
}

type Column = (&'static str, fn(&Row) -> f64, usize);

const COLUMNS: [Column; 3] = [
    ("tokens", |row| row.tokens, 1),
    ("trials", |row| row.trials, 1),
    ("CPU seconds", |row| row.cpu, 2),
];

/// One line for each group: geometric means, the p-values against the first group, and ρ.
pub fn summary(groups: &[Group]) -> String {
    let mut text = String::new();
    let Some(first) = groups.first() else {
        return text;
    };
    let several = |value: fn(&Configuration) -> Option<&str>| {
        let first = value(&first.configuration);
        groups
            .iter()
            .filter_map(|group| value(&group.configuration))
            .any(|value| Some(value) != first)
    };
    let traversals = several(|configuration| Some(&configuration.traversal));
    let priors = several(|configuration| configuration.initial_probability.as_deref());
    text += "| algorithm |";
    let mut rule = String::from("| --- |");
    for (head, shown) in [("traversal", traversals), ("p₀", priors)] {
        if shown {
            let _ = write!(text, " {head} |");
            rule += " --- |";
        }
    }
    for (head, ..) in COLUMNS {
        let _ = write!(text, " {head} | p |");
        rule += " ---: | ---: |";
    }
    let _ = writeln!(text, " ρ |\n{rule} ---: |");
    for group in groups {
        let configuration = &group.configuration;
        let _ = write!(text, "| {} |", configuration.algorithm);
        if traversals {
            let _ = write!(text, " {} |", configuration.traversal);
        }
        if priors {
            let p = configuration.initial_probability.as_deref();
            let _ = write!(text, " {} |", p.unwrap_or(""));
        }
        for (_, value, digits) in COLUMNS {
            let (here, there) = (group.column(value), first.column(value));
            let p = wilcoxon(&here, &there).map_or(String::new(), |p| format!("{p:.3}"));
            let _ = write!(text, " {:.digits$} | {p} |", geometric_mean(&here));
        }
        let rho = group.correlation();
        let rho = rho.map_or(String::new(), |rho| format!("{rho:.2}"));
        let _ = writeln!(text, " {} |", rho.replace('-', "−"));
    }
    let unfinished = groups.iter().flat_map(|group| &group.rows);
    let unfinished = unfinished.filter(|row| !row.finished).count();
    if unfinished > 0 {
        let _ = writeln!(
            text,
            "\nReductions cut short by the time limit: {unfinished}."
        );
    }
    text
}

/// One line for each case: tokens and trials of every group.
pub fn by_case(groups: &[Group]) -> String {
    let mut text = String::from("| case | before |");
    let mut rule = String::from("| --- | ---: |");
    for group in groups {
        let _ = write!(text, " {} |", group.configuration);
        rule += " ---: |";
    }
    let _ = writeln!(text, "\n{rule}");
    let rows = groups.first().map_or(&[][..], |group| &group.rows);
    for (at, row) in rows.iter().enumerate() {
        let _ = write!(text, "| {} | {} |", row.case, row.before);
        for group in groups {
            let row = &group.rows[at];
            let _ = write!(text, " {} in {} |", row.tokens, row.trials);
        }
        text += "\n";
    }
    text
}

/// The geometric mean of the originals' sizes.
pub fn size_before(groups: &[Group]) -> f64 {
    let sizes = groups.first().map(|group| group.column(|row| row.before));
    geometric_mean(&sizes.unwrap_or_default())
}
