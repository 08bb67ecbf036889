//! What a package has besides Rust, as elements: tables and keys of `Cargo.toml`, configuration, data. Only cargo
//! itself can judge them.

use crate::subject::{Element, Elements, Subject, manifest};
use crate::syntax::{Edit, FileId, Kind};

/// Rounds of [`list`].
pub const ROUNDS: usize = 3;

/// The list of round `round`: whole tables and files, then keys, then what stands in lists.
///
/// The workspace's own table stays: without it, cargo would look for one further up where the result lies.
pub fn list(subject: &Subject, round: usize) -> Elements {
    let mut found = Vec::new();
    for (at, file) in subject.files().iter().enumerate() {
        let id = FileId(at as u32);
        let name = file.path.file_name().unwrap_or_default();
        let decides = |name: &str| name == "Cargo.lock" || name.starts_with("rust-toolchain");
        if !file.exists() || file.is_rust() || name.to_str().is_none_or(decides) {
            continue;
        }
        if name != "Cargo.toml" {
            if round == 0 {
                found.push(Element {
                    kind: Kind::File,
                    edits: Vec::new(),
                    drops: vec![id],
                    saves: 1,
                });
            }
            continue;
        }
        for section in manifest::sections(file.source()) {
            let stays = matches!(&*section.header, "package" | "workspace");
            let ranges = match round {
                0 if stays => Vec::new(),
                0 => vec![section.range],
                _ => {
                    let needed = |key: &str| section.header == "package" && key == "name";
                    let entries = section.entries.iter();
                    let entries = entries.filter(|entry| !needed(&entry.key));
                    match round {
                        1 => entries.map(|entry| entry.range.clone()).collect(),
                        _ => entries
                            .flat_map(|entry| strings(file.source(), entry))
                            .collect(),
                    }
                }
            };
            let element = |range| Element::new(subject, Kind::Line, vec![Edit::delete(id, range)]);
            found.extend(ranges.into_iter().map(element));
        }
    }
    found
}

/// `subject` without the comments and blank lines of its manifests.
pub fn without_comments(subject: &Subject) -> Subject {
    let mut result = subject.clone();
    for (at, file) in subject.files().iter().enumerate() {
        let id = FileId(at as u32);
        let (Some(text), true) = (file.text(), file.path.ends_with("Cargo.toml")) else {
            continue;
        };
        let values: Vec<_> = manifest::sections(file.source())
            .into_iter()
            .flat_map(|section| section.entries)
            .map(|entry| entry.range)
            .collect();
        let mut edits = Vec::new();
        let mut start = 0;
        for line in file.source().split_inclusive('\n') {
            let range = start..start + line.len();
            start = range.end;
            let of_value = values.iter().any(|value| value.contains(&range.start));
            let trimmed = line.trim();
            if !of_value && (trimmed.is_empty() || trimmed.starts_with('#')) {
                edits.push(Edit::delete(id, range));
            }
        }
        result = result.with_text(id, text.apply(&edits));
    }
    result
}

/// The strings of an array that stands alone as a value, each with the comma behind it.
fn strings(source: &str, entry: &manifest::Entry) -> Vec<std::ops::Range<usize>> {
    let text = &source[entry.range.clone()];
    let Some(open) = text.find('=').and_then(|equals| {
        let value = text[equals + 1..].trim_start();
        value.starts_with('[').then(|| text.len() - value.len() + 1)
    }) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut at = open;
    while let Some(quote) = text[at..].find(['"', '\'']) {
        let start = at + quote;
        let Some(length) = text[start + 1..].find(&text[start..start + 1]) else {
            break;
        };
        let mut end = start + length + 2;
        let behind = text[end..].trim_start();
        if behind.starts_with(',') {
            end = text.len() - behind.len() + 1;
        }
        found.push(entry.range.start + start..entry.range.start + end);
        at = end;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn subject(text: &str) -> Subject {
        Subject::new([(PathBuf::from("Cargo.toml"), text.as_bytes().to_vec())])
    }

    fn gone(text: &str, round: usize) -> Vec<String> {
        let subject = subject(text);
        let ranges = list(&subject, round)
            .into_iter()
            .flat_map(|element| element.edits)
            .map(|edit| text[edit.range].to_string());
        ranges.collect()
    }

    #[test]
    fn tables_then_keys_then_strings_may_go_and_the_name_stays() {
        let text = "[package]\nname = \"a\"\nedition = \"2021\"\n[features]\nb = [\"c\", 'd']\n[workspace]\n";
        assert_eq!(gone(text, 0), ["[features]\nb = [\"c\", 'd']\n"]);
        assert_eq!(
            gone(text, 1),
            ["edition = \"2021\"\n", "b = [\"c\", 'd']\n"]
        );
        assert_eq!(gone(text, 2), ["\"c\",", "'d'"]);
    }

    #[test]
    fn comments_go_but_not_those_in_values() {
        let before = "# made by\n\n[package]\ndescription = \"\"\"\n# not\n\"\"\"\n";
        let after = without_comments(&subject(before));
        assert_eq!(
            after.file(FileId(0)).source(),
            "[package]\ndescription = \"\"\"\n# not\n\"\"\"\n"
        );
    }
}
