//! What the night shift prints.

use std::fmt;

/// One line of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub name: String,
    pub count: u64,
}

/// A title and lines below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    title: String,
    lines: Vec<Line>,
}

impl Report {
    pub fn new(title: &str) -> Report {
        Report {
            title: title.to_string(),
            lines: Vec::new(),
        }
    }

    pub fn add(&mut self, name: &str, count: u64) {
        self.lines.push(Line {
            name: name.to_string(),
            count,
        });
    }

    /// All lines together.
    pub fn total(&self) -> u64 {
        self.lines.iter().map(|line| line.count).sum()
    }

    /// The busiest first.
    pub fn sorted(mut self) -> Report {
        self.lines.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
        self
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.title)?;
        let width = self.lines.iter().map(|line| line.name.len()).max().unwrap_or(0);
        for Line { name, count } in &self.lines {
            writeln!(f, "  {name:width$} {count:>6}")?;
        }
        write!(f, "  {:width$} {:>6}", "all", self.total())
    }
}
