//! Counts tokens with a pattern of its own, so that the program's numbers are checked by something else than themselves.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;

/// One thing that counts, or white space, or the start of a comment or a raw string.
static NEXT: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?xs) \A (?:
          (?P<nothing> \s+ | //[^\n]* )
        | (?P<comment> /\* )
        | (?P<raw> [bc]?r(?P<hashes>\#*)" )
        | [bc]?"(?:\\.|[^"\\])*"
        | b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^\\'\n])'
        | '[A-Za-z_]\w*
        | (?:r\#)?[^\W\d]\w*
        | \d\w*(?:\.\d\w*)?(?:[eE][+-]?\d+)?
        | <<= | >>= | \.\.\. | \.\.= | :: | -> | => | == | != | <= | >= | && | \|\|
        | \+= | -= | \*= | /= | %= | \^= | &= | \|= | << | >> | \.\.
        | .
    )"#;
    Regex::new(pattern).expect("the pattern is well formed")
});

/// Tokens of a text: comments and white space count nothing, an operator of several characters one.
pub fn count(text: &str) -> usize {
    let (mut rest, mut total) = (text, 0);
    while let Some(found) = NEXT.captures(rest) {
        let end = found.get(0).map_or(0, |all| all.end());
        if found.name("nothing").is_some() {
            rest = &rest[end..];
        } else if found.name("comment").is_some() {
            rest = behind_comment(&rest[end..]);
        } else if let Some(hashes) = found.name("hashes") {
            let close = format!("\"{}", hashes.as_str());
            total += 1;
            rest = rest[end..]
                .split_once(&close)
                .map_or("", |(_, behind)| behind);
        } else {
            total += 1;
            rest = &rest[end..];
        }
    }
    total
}

/// What follows a block comment whose start was just read; comments nest.
fn behind_comment(mut rest: &str) -> &str {
    let mut depth = 1;
    while depth > 0 {
        let (open, close) = (rest.find("/*"), rest.find("*/"));
        let at = match (open, close) {
            (Some(open), Some(close)) if open < close => {
                depth += 1;
                open
            }
            (_, Some(close)) => {
                depth -= 1;
                close
            }
            (_, None) => return "",
        };
        rest = &rest[at + 2..];
    }
    rest
}

/// Tokens of a file, or of all `.rs` files below a directory.
pub fn count_path(path: &Path) -> usize {
    if path.is_file() {
        let text = fs::read(path).expect("the file can be read");
        return count(&String::from_utf8_lossy(&text));
    }
    fs::read_dir(path)
        .expect("the directory can be read")
        .map(|entry| entry.expect("its entries can be read").path())
        .filter(|path| path.file_name().is_some_and(|name| name != "target"))
        .filter(|path| path.is_dir() || path.extension().is_some_and(|end| end == "rs"))
        .map(|path| count_path(&path))
        .sum()
}
