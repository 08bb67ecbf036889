use std::borrow::Cow;

use crate::Reason;

/// One line of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    Empty,
    Section(&'a str),
    Setting { key: &'a str, value: Cow<'a, str> },
}

impl<'a> Line<'a> {
    pub(crate) fn parse(line: &'a str) -> Result<Line<'a>, Reason> {
        let line = without_comment(line).trim();
        if line.is_empty() {
            return Ok(Line::Empty);
        }
        if let Some(rest) = line.strip_prefix('[') {
            let name = rest.strip_suffix(']').ok_or(Reason::Form)?;
            return Ok(Line::Section(name.trim()));
        }
        let (key, value) = line.split_once('=').ok_or(Reason::Form)?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return Err(Reason::Form);
        }
        let value = match value.trim_start().strip_prefix('"') {
            Some(quoted) => Cow::Owned(unquote(quoted)?),
            None => Cow::Borrowed(value.trim()),
        };
        Ok(Line::Setting { key, value })
    }
}

/// Everything before `#` or `;`.
fn without_comment(line: &str) -> &str {
    match line.find(['#', ';']) {
        Some(at) => &line[..at],
        None => line,
    }
}

/// What stands before the closing quote, which must be the last character.
fn unquote(text: &str) -> Result<String, Reason> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    loop {
        match characters.next().ok_or(Reason::OpenQuote)? {
            '"' => break,
            '\\' => match characters.next().ok_or(Reason::OpenQuote)? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                same @ ('"' | '\\' | '$') => out.push(same),
                other => return Err(Reason::Escape(other)),
            },
            other => out.push(other),
        }
    }
    if characters.next().is_some() {
        return Err(Reason::Form);
    }
    Ok(out)
}
