//! Tables in documentation, between lines that mark them. Knows no table.

use std::error::Error;
use std::path::Path;

/// Puts `text` between the lines of `file` that end in `NAME: begin` and `NAME: end`, as documentation.
///
/// # Errors
///
/// When the file cannot be read or written, or lacks one of the lines.
pub fn write(file: &Path, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    let source = std::fs::read_to_string(file)?;
    let marked = |mark: String| {
        let line = source.lines().find(|line| line.trim_end().ends_with(&mark));
        line.ok_or_else(|| format!("{}: no line ends in `{mark}`", file.display()))
    };
    let begin = marked(format!("{name}: begin"))?;
    let end = marked(format!("{name}: end"))?;
    let (before, rest) = source.split_once(begin).unwrap_or((&source, ""));
    let (_, after) = rest.split_once(end).unwrap_or(("", ""));
    let lines = text.trim_end().lines();
    let lines: Vec<String> = lines
        .map(|line| format!("//! {line}").trim_end().into())
        .collect();
    let lines = lines.join("\n");
    std::fs::write(file, format!("{before}{begin}\n{lines}\n{end}{after}"))?;
    Ok(())
}
