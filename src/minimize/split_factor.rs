//! The shape of Tables 2 and 3 of Kiss 2020: ddmin^ν on small inputs cut into lines and into
//! characters, with the papers' outcome cache by content.

use std::collections::HashMap;
use std::fmt::Write;

use super::trace::{needs, trace, weights};
use super::*;

/// What has to stay true of a text.
type Property = fn(&str) -> bool;

/// An array of numbers of which one is not whole.
fn has_a_fraction(text: &str) -> bool {
    let numbers: Result<Vec<f64>, _> = serde_json::from_str(text);
    numbers.is_ok_and(|numbers| numbers.iter().any(|number| number.fract() != 0.0))
}

const NUMBERS: &str = "[\n1, 20,\n3, 4.25,\n50\n]";

/// Braces and parentheses are closed, and something panics in a function.
fn has_a_panic(text: &str) -> bool {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '{' | '(' => open.push(c),
            '}' if open.pop() != Some('{') => return false,
            ')' if open.pop() != Some('(') => return false,
            _ => {}
        }
    }
    let function = text.find("fn ");
    let call = text.find("panic!()");
    open.is_empty() && function.is_some_and(|function| call.is_some_and(|call| function < call))
}

const PROGRAM: &str = "\
use std::fmt;

struct Unit(u32);

impl Unit {
    fn value(&self) -> u32 {
        self.0
    }
}

fn check(unit: &Unit) {
    let value = unit.value();
    if value > 3 {
        for _ in 0..value {
            println!(\"{}\", value);
        }
    } else {
        panic!()
    }
}

fn main() {
    check(&Unit(2));
}
";

/// Runs ddmin^ν; counts the texts tested, each once. Returns that number and the parts left.
fn run(parts: &[&str], property: Property, settings: &Settings) -> (usize, Vec<usize>) {
    let mut minimizer = minimizer(&weights(&vec![1; parts.len()]), settings);
    let mut outcomes: HashMap<String, bool> = HashMap::new();
    let mut kept: Vec<usize> = (0..parts.len()).collect();
    while let Some(trial) = minimizer.propose() {
        let without = |&part: &usize| trial.remove.binary_search(&part).is_err();
        let candidate: Vec<usize> = kept.iter().copied().filter(without).collect();
        let text: String = candidate.iter().map(|&part| parts[part]).collect();
        let interesting = *outcomes
            .entry(text)
            .or_insert_with_key(|text| property(text));
        minimizer.record(interesting);
        if interesting {
            kept = candidate;
        }
    }
    (outcomes.len(), kept)
}

/// The paper's two variants: with subset tests, forward, and without, backward.
fn variants(nu: usize) -> [Settings; 2] {
    [
        (true, ComplementOrder::Forward),
        (false, ComplementOrder::Backward),
    ]
    .map(|(subset_tests, complement_order)| Settings {
        algorithm: Algorithm::Ddmin,
        split_factor: SplitFactor::Parts(nu),
        subset_tests,
        complement_order,
        one_minimal: false,
        try_all_first: false,
        ..Settings::default()
    })
}

/// ν, then steps and parts left with and without subset tests.
type Row = (usize, [(usize, usize); 2]);

/// A row for each ν of the paper's two sequences that is less than the number of parts, and one for
/// that number.
fn rows(parts: &[&str], property: Property) -> Vec<Row> {
    let factors = [
        2, 3, 4, 5, 8, 13, 16, 21, 32, 34, 55, 64, 89, 128, 144, 233, 256,
    ];
    let factors = factors.into_iter().filter(|&nu| nu < parts.len());
    let row = |nu| {
        let cells = variants(nu).map(|settings| {
            let (steps, kept) = run(parts, property, &settings);
            for gone in &kept {
                let without = kept.iter().filter(|part| *part != gone);
                let text: String = without.map(|&part| parts[part]).collect();
                assert!(!property(&text), "ν = {nu}: not 1-minimal");
            }
            (steps, kept.len())
        });
        (nu, cells)
    };
    factors.chain([parts.len()]).map(row).collect()
}

fn table(rows: &[Row]) -> String {
    let mut table = String::new();
    for (nu, [(steps, left), (steps_without, left_without)]) in rows {
        let line = format!("{nu:>4} {steps:>6} {left:>4} {steps_without:>6} {left_without:>4}\n");
        table.write_str(&line).unwrap();
    }
    table
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn characters(text: &str) -> Vec<&str> {
    text.split_inclusive(|_| true).collect()
}

/// Table 2, three of its four inputs: number of lines, those that can go, and the published steps
/// for each ν with and without subset tests. Which lines go is not published; of all choices of so
/// many lines these alone give all of these numbers.
///
/// This settles what Algorithm 3 leaves open: longer parts last, and after a complement has
/// succeeded the next one has its turn. (Starting over gives 18 and 15 instead of 17 and 13 for
/// issue1387.js.) The fourth input, bug.c, has more than one 1-minimal result and is not given in
/// the paper.
#[test]
fn the_published_steps_of_line_based_reduction_come_out_exactly() {
    let irrational = [(2, 14, 9), (3, 14, 10), (4, 13, 8), (5, 11, 8)];
    let issue1387 = [(2, 17, 9), (3, 17, 8), (4, 16, 8), (5, 13, 6)];
    let helloworld = [
        (2, 41, 28),
        (3, 38, 24),
        (4, 34, 18),
        (5, 36, 19),
        (8, 32, 23),
        (13, 26, 14),
    ];
    check("irrational.json", 5, &[1], &irrational);
    check("issue1387.js", 5, &[2, 4], &issue1387);
    check("helloworld.c", 10, &[3, 6, 8], &helloworld);

    fn check(name: &str, lines: usize, unneeded: &[usize], table: &[(usize, usize, usize)]) {
        let needed: Vec<usize> = (0..lines).filter(|line| !unneeded.contains(line)).collect();
        for &(nu, with_subset_tests, without) in table {
            let steps = variants(nu).map(|settings| {
                let mut minimizer = minimizer(&weights(&vec![1; lines]), &settings);
                trace(&mut *minimizer, lines, needs(&needed)).trials()
            });
            assert_eq!(steps, [with_subset_tests, without], "{name}, ν = {nu}");
        }
    }
}

/// Tables 2 and 3: what the paper says of them, on inputs of our own.
#[test]
fn a_larger_split_factor_saves_steps_but_not_steadily() {
    let inputs: [(Vec<&str>, Property); 4] = [
        (lines(NUMBERS), has_a_fraction),
        (lines(PROGRAM), has_a_panic),
        (characters(NUMBERS), has_a_fraction),
        (characters(PROGRAM), has_a_panic),
    ];
    let tables = inputs.map(|(parts, property)| rows(&parts, property));
    for (input, rows) in tables.iter().enumerate() {
        for (nu, cells) in rows {
            assert!(cells[1].0 < cells[0].0, "ν = {nu}: subset tests cost steps");
        }
        for variant in [0, 1] {
            let steps: Vec<usize> = rows.iter().map(|(_, cells)| cells[variant].0).collect();
            assert!(steps.iter().any(|&more| more < steps[0]), "some ν beats 2");
            // The first list is too short for it.
            assert!(
                input == 0 || !steps.is_sorted_by(|a, b| a >= b),
                "not steadily"
            );
        }
    }
    // "1-minimal configurations are not unique": a larger ν may leave less, or more.
    let left: Vec<usize> = tables[1].iter().map(|(_, cells)| cells[0].1).collect();
    assert!(left.iter().any(|&less| less < left[0]));
    assert!(left.iter().any(|&more| more > left[0]));
    // ν, steps and lines left with subset tests, steps and lines left without.
    insta::assert_snapshot!(table(&tables[1]), @r"
       2     87   11     63   11
       3     72   11     44   11
       4     80   13     59   13
       5     46    9     32    9
       8     65   11     43   11
      13     72   13     54   13
      16     72   13     55   13
      21     67   13     50   13
      24     54   13     37   13
    ");
}
