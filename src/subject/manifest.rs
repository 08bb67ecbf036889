//! `Cargo.toml` as elements: its sections and entries as byte ranges. Knows TOML's lines, and which
//! of cargo's tables are about targets.

use std::ops::Range;

/// A table of a manifest: its header and what stands under it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// `package`, `[test]` for an array of tables, empty for what stands above all headers.
    pub header: String,
    /// From its header to the next.
    pub range: Range<usize>,
    /// Its entries, in order.
    pub entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The key, as written.
    pub key: String,
    /// The value, as written.
    pub value: String,
    /// The lines of both.
    pub range: Range<usize>,
}

impl Section {
    /// The value of `key`, as written, without quotes.
    pub fn value(&self, key: &str) -> Option<&str> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some(entry.value.trim().trim_matches(['"', '\'']))
    }
}

/// The sections of `text`.
pub fn sections(text: &str) -> Vec<Section> {
    let mut sections = vec![Section {
        header: String::new(),
        range: 0..0,
        entries: Vec::new(),
    }];
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if trimmed.starts_with('[') {
            let header = trimmed.split('#').next().unwrap_or(trimmed).trim();
            let header = header
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .unwrap_or(header);
            sections.push(Section {
                header: header.trim().to_string(),
                range: start..at,
                entries: Vec::new(),
            });
        } else if let Some((key, value)) = trimmed
            .split_once('=')
            .filter(|_| !trimmed.starts_with('#'))
        {
            let mut value = value.to_string();
            while !complete(&value) {
                let Some(more) = lines.next() else { break };
                value.push('\n');
                value.push_str(more.trim_end());
                at += more.len();
            }
            let entry = Entry {
                key: key.trim().to_string(),
                value,
                range: start..at,
            };
            if let Some(section) = sections.last_mut() {
                section.entries.push(entry);
            }
        }
        if let Some(section) = sections.last_mut() {
            section.range.end = at;
        }
    }
    sections.retain(|section| !section.range.is_empty());
    sections
}

/// The value of `path` in an inline table.
pub fn path_of(value: &str) -> Option<&str> {
    let at = value.find("path")?;
    let rest = value[at + 4..].trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split(quote).next()
}

/// Whether all brackets and long strings of a value are closed.
fn complete(value: &str) -> bool {
    let mut depth = 0_i32;
    let mut rest = value;
    while let Some(first) = rest.chars().next() {
        let long = ["\"\"\"", "'''"]
            .into_iter()
            .find(|quote| rest.starts_with(quote));
        if let Some(quote) = long {
            match rest[3..].find(quote) {
                Some(end) => rest = &rest[3 + end + 3..],
                None => return false,
            }
            continue;
        }
        let mut skip = first.len_utf8();
        match first {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            '#' => skip = rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => {
                let mut escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == first && !escaped || c == '\n';
                    escaped = c == '\\' && !escaped && first == '"';
                    ends
                });
                skip = end.map_or(rest.len(), |end| end + 2);
            }
            _ => {}
        }
        rest = &rest[skip.min(rest.len())..];
    }
    depth <= 0
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[package]\nname = \"a\" # [x]\ninclude = [\n  \"b\",\n  # ]\n]\n\n[[test]]\nname = \"t\"\ndescription = \"\"\"\n[not]\n\"\"\"\n[features]\n";

    #[test]
    fn sections_and_entries_have_their_lines() {
        let sections = sections(TEXT);
        let headers: Vec<&str> = sections.iter().map(|section| &*section.header).collect();
        assert_eq!(headers, ["package", "[test]", "features"]);
        assert_eq!(
            &TEXT[sections[0].entries[1].range.clone()],
            "include = [\n  \"b\",\n  # ]\n]\n"
        );
        assert_eq!(sections[1].value("name"), Some("t"));
        assert_eq!(sections[1].entries.len(), 2);
    }

    #[test]
    fn the_sections_together_are_the_whole_text() {
        let joined: String = sections(TEXT)
            .iter()
            .map(|section| &TEXT[section.range.clone()])
            .collect();
        assert_eq!(joined, TEXT);
    }
}
