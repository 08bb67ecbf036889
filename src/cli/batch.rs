//! Several inputs on one command line: where the result of each goes, and what the program ends with; knows nothing of
//! how they are told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::Exit;
use crate::report::{BatchEntry, Failure, Status};
use crate::request::{PropertyRequest, Request};

/// Gives each request an output directory of its own: the input's name below `--output` or below the usual directory,
/// with a number where inputs have the same name. What was not begun is not resumed, but begun.
pub(super) fn apart(requests: Vec<Request>) -> Vec<(PathBuf, Request)> {
    let mut taken = BTreeSet::new();
    let apart = requests.into_iter().map(|mut request| {
        let input = input(&request).unwrap_or_default();
        let base = request
            .output
            .take()
            .unwrap_or_else(|| Path::new("target").join("cargo-reduce"));
        let stem = input.file_stem().unwrap_or_default().to_string_lossy();
        let mut name = stem.to_string();
        let mut number = 1;
        while !taken.insert(base.join(&name)) {
            number += 1;
            name = format!("{stem}-{number}");
        }
        let output = base.join(name);
        request.resume &= output.join("journal.jsonl").exists();
        request.output = Some(output);
        (input, request)
    });
    apart.collect()
}

fn input(request: &Request) -> Option<PathBuf> {
    match &request.property {
        PropertyRequest::Ice(selection) => selection.file.clone(),
        PropertyRequest::Script(selection) => selection.file.clone(),
        PropertyRequest::Test(_) => None,
    }
}

/// Whether the user has stopped the batch with this input.
pub(super) fn is_stopped(entry: &BatchEntry) -> bool {
    match &entry.came {
        Some(Ok(summary)) => summary.status == Status::Interrupted,
        Some(Err(failure)) => matches!(failure, Failure::Interrupted),
        None => false,
    }
}

/// What a batch ends with: what its first input without a result would have ended with alone.
pub(super) fn exit(entries: &[BatchEntry]) -> Exit {
    if entries.iter().any(is_stopped) {
        return Exit::Interrupted;
    }
    let failed = entries.iter().find_map(|entry| match &entry.came {
        Some(Err(failure)) => Some(Exit::from(failure)),
        _ => None,
    });
    failed.unwrap_or(Exit::Success)
}
