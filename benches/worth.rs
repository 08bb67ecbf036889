//! What each pass is worth: every file is reduced with all passes, then without each pass that removed
//! something from it. One row per pass: how many tokens more the results have without it, and how many
//! trials more it takes to get there.
//!
//! `cargo bench --bench worth -- [+TOOLCHAIN] [--pass NAME]… FILE…`; without files the crashes under
//! `test-projects/ice`. A file's own `// compile-flags:` are not read: every file is a library of the
//! 2021 edition.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What one reduction came to.
struct Outcome {
    tokens: i64,
    trials: i64,
    /// Trials and tokens removed, by pass.
    passes: BTreeMap<String, (i64, i64)>,
}

/// Sums over all files: tokens more, trials more, files that it had a part in.
#[derive(Default)]
struct Worth {
    tokens: i64,
    trials: i64,
    files: usize,
}

fn main() {
    let mut toolchain = "+nightly".to_string();
    let (mut wanted, mut files) = (Vec::new(), Vec::new());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match &*argument {
            // cargo's own.
            "--bench" | "--test" => {}
            "--pass" => wanted.extend(arguments.next()),
            word if word.starts_with('+') => toolchain = argument,
            _ => files.push(PathBuf::from(argument)),
        }
    }
    if files.is_empty() {
        let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("test-projects/ice");
        let entries = std::fs::read_dir(own).expect("test-projects/ice is there");
        files.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
        files.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        files.sort();
    }
    let mut worth: BTreeMap<String, Worth> = BTreeMap::new();
    for file in &files {
        let Some(full) = reduced(&toolchain, file, None) else {
            println!("{}: not reduced, left out", file.display());
            continue;
        };
        println!(
            "{}: {} tokens, {} trials",
            file.display(),
            full.tokens,
            full.trials
        );
        for (pass, (trials, removed)) in &full.passes {
            if !wanted.is_empty() && !wanted.contains(pass) {
                continue;
            }
            let row = worth.entry(pass.clone()).or_default();
            if *removed == 0 {
                // It only cost: without it the rest goes the same way.
                row.trials -= trials;
                continue;
            }
            row.files += 1;
            if let Some(without) = reduced(&toolchain, file, Some(pass)) {
                row.tokens += without.tokens - full.tokens;
                row.trials += without.trials - full.trials;
            }
        }
    }
    println!(
        "\n{:32} {:>12} {:>12} {:>6}",
        "without", "tokens more", "trials more", "files"
    );
    let mut rows: Vec<_> = worth.into_iter().collect();
    rows.sort_by_key(|(name, row)| (-row.tokens, row.trials, name.clone()));
    for (name, row) in rows {
        println!(
            "{name:32} {:>12} {:>12} {:>6}",
            row.tokens, row.trials, row.files
        );
    }
}

/// Reduces `file` without one pass; `None` if that fails.
fn reduced(toolchain: &str, file: &Path, without: Option<&str>) -> Option<Outcome> {
    let output = tempfile::tempdir().expect("a temporary directory");
    let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-reduce"));
    command.args(["reduce", toolchain, "--ice"]).arg(file);
    command
        .args(["--edition", "2021", "--output"])
        .arg(output.path());
    command.args(without.map(|pass| format!("--passes=-{pass}")));
    command.args([
        "--time-limit",
        "300s",
        "--",
        "--crate-type",
        "lib",
        "--cap-lints",
        "allow",
    ]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("cargo-reduce runs");
    let text = std::fs::read_to_string(output.path().join("report.json")).ok()?;
    let report: serde_json::Value = serde_json::from_str(&text).ok()?;
    let number = |value: &serde_json::Value| value.as_i64();
    let passes = report["passes"].as_array()?.iter().filter_map(|pass| {
        let counts = (number(&pass["trials"])?, number(&pass["tokens_removed"])?);
        Some((pass["name"].as_str()?.to_string(), counts))
    });
    Some(Outcome {
        tokens: number(&report["tokens_after"])?,
        trials: number(&report["trials"])?,
        passes: passes.collect(),
    })
}
