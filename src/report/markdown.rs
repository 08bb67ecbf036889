//! `report.md`: what came of a reduction as an issue that can be filed as it is; knows nothing of files.

use std::fmt::Write as _;
use std::path::Path;

use super::ice_output::IceOutput;
use super::wording::{count, number};
use super::{Kind, Summary};

/// Code is put into the issue up to this many lines, and listed by file beyond.
const CODE_LINES: usize = 300;
/// GitHub takes 65,536 characters an issue; no single block may use them up.
const BLOCK_CHARACTERS: usize = 20_000;

/// Renders `summary` as Markdown: for an ICE in the order of the rust-lang/rust template for them.
#[must_use]
pub fn markdown(summary: &Summary) -> String {
    match &summary.kind {
        Kind::Ice { location } => ice(summary, location.as_deref()),
        Kind::Test { test } => {
            let what = test.as_ref().map(|test| format!("The test `{test}`:"));
            failure(summary, what.as_deref())
        }
        Kind::Program | Kind::Output | Kind::Script => failure(summary, None),
    }
}

fn ice(summary: &Summary, location: Option<&str>) -> String {
    let output = IceOutput::split(&summary.failure_output);
    let mut text = String::new();
    text.push_str(&duplicates(location, &summary.signature));
    text.push_str(&code(summary));
    text.push_str("### Meta\n\n`rustc --version --verbose`:\n");
    text.push_str(&block("", &summary.toolchain));
    text.push_str("\nCommand:\n");
    text.push_str(&block(
        "sh",
        summary.file_command.as_ref().unwrap_or(&summary.command),
    ));
    text.push_str("\n### Error output\n\n");
    text.push_str(&block("", &output.error));
    text.push('\n');
    text.push_str(&folded("Backtrace", &output.backtrace));
    text.push_str(&folded("Query stack", &output.query_stack));
    text.push_str(&origin(summary));
    text
}

/// What is no crash of a compiler; `what` says what fails, if there is more to say of it than its signature.
fn failure(summary: &Summary, what: Option<&str>) -> String {
    let mut text = String::from("### What fails\n\n");
    if let Some(what) = what {
        let _ = writeln!(text, "{what}\n");
    }
    text.push_str(&block("", &summary.signature));
    text.push_str("\nCommand:\n");
    text.push_str(&block("sh", &summary.command));
    text.push('\n');
    if let Some(flakiness) = &summary.flakiness {
        let _ = writeln!(text, "### How often\n\n{}", flakiness.lines().join("\n"));
        let _ = writeln!(text, "\n{}:", flakiness.loop_words());
        text.push_str(&block("sh", &flakiness.loop_command));
        text.push('\n');
    }
    text.push_str(&code(summary));
    text.push_str("### Output\n\n");
    text.push_str(&block("", &summary.failure_output));
    text.push_str("\n### Meta\n\n`rustc --version --verbose`:\n");
    text.push_str(&block("", &summary.toolchain));
    text.push('\n');
    text.push_str(&origin(summary));
    text
}

/// A comment that only the one who files it sees.
fn duplicates(location: Option<&str>, signature: &str) -> String {
    let mut text =
        String::from("<!--\nBefore filing, look for an issue that has this crash already:\n");
    if let Some(location) = location {
        let (file, place) = place_in_compiler(location);
        let _ = writeln!(
            text,
            "* by the place of the panic, `{place}` (lines move between versions, so by file):"
        );
        let _ = writeln!(
            text,
            "  https://github.com/rust-lang/rust/issues?q=is%3Aissue+%22{file}%22"
        );
    }
    // `-->` would end the comment early.
    let _ = writeln!(text, "* by its message: {}", signature.replace("--", "- -"));
    text.push_str("-->\n\n");
    text
}

/// File and place of a panic as issues quote them: from `compiler/` on, without the directory of the build.
fn place_in_compiler(location: &str) -> (&str, &str) {
    let place = location
        .find("compiler/")
        .map_or(location, |start| &location[start..]);
    let file = place.split(':').next().unwrap_or(place);
    (file, place)
}

fn code(summary: &Summary) -> String {
    let mut text = String::from("### Code\n\n");
    let lines: usize = summary
        .result
        .iter()
        .map(|(_, content)| content.lines().count())
        .sum();
    match summary.result.as_slice() {
        files if files.is_empty() || lines > CODE_LINES => {
            let _ = writeln!(
                text,
                "{} in `{}`:\n",
                count(summary.result_files.len(), "file"),
                summary.directory.display()
            );
            for file in &summary.result_files {
                let _ = writeln!(text, "* `{}`", file.display());
            }
        }
        [(path, content)] => text.push_str(&block(language(path), content)),
        files => {
            for (index, (path, content)) in files.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "{}`{}`:",
                    if index > 0 { "\n" } else { "" },
                    path.display()
                );
                text.push_str(&block(language(path), content));
            }
        }
    }
    text.push('\n');
    text
}

fn language(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => "rust",
        Some("toml" | "lock") => "toml",
        _ => "",
    }
}

/// Where the code comes from, for whoever wants the original.
fn origin(summary: &Summary) -> String {
    let minimal = if summary.one_minimal {
        ", 1-minimal"
    } else {
        ""
    };
    let mut text = format!(
        "Reduced from {} ({}, {}, {}) to {}, {} by cargo-reduce {}: {} in {} s{minimal}.\n",
        summary.subject,
        count(summary.tokens_before, "token"),
        count(summary.lines_before, "line"),
        count(summary.files_before, "file"),
        count(summary.tokens_after, "token"),
        count(summary.lines_after, "line"),
        env!("CARGO_PKG_VERSION"),
        count(summary.trials, "trial"),
        number(usize::try_from(summary.wall.as_secs()).unwrap_or(usize::MAX)),
    );
    if !summary.slips.is_empty() {
        text.push_str("\nOther failures met on the way, most likely bugs of their own:\n");
        for slip in &summary.slips {
            let _ = writeln!(text, "* {} (`{}`)", slip.signature, slip.kept_in.display());
        }
    }
    text
}

/// A fenced block; the fence is longer than any run of backticks inside.
fn block(language: &str, content: &str) -> String {
    let content = clipped(content.trim_end());
    let longest = content
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{content}\n{fence}\n")
}

/// A block behind a click; nothing when there is nothing in it.
fn folded(title: &str, content: &str) -> String {
    if content.trim().is_empty() {
        return String::new();
    }
    format!(
        "<details><summary><strong>{title}</strong></summary>\n<p>\n\n{}\n</p>\n</details>\n\n",
        block("", content)
    )
}

/// Head and tail of what is too long: the first lines tell the cause, the last how it ended.
fn clipped(content: &str) -> String {
    if content.len() <= BLOCK_CHARACTERS {
        return content.to_owned();
    }
    let half = BLOCK_CHARACTERS / 2;
    // Both searches end at the latest at the ends of the text, which are boundaries.
    let head = (0..=half)
        .rev()
        .find(|end| content.is_char_boundary(*end))
        .unwrap_or(0);
    let tail =
        (content.len() - half..=content.len()).find(|start| content.is_char_boundary(*start));
    let (head, tail) = (&content[..head], &content[tail.unwrap_or(content.len())..]);
    format!(
        "{head}\n[… {} bytes left out …]\n{tail}",
        number(content.len() - head.len() - tail.len())
    )
}
