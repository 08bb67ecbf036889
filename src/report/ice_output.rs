//! What a crashing compiler printed, split into what an issue shows and what it folds away; interprets nothing.

/// The three parts of a crash's output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct IceOutput {
    /// Everything that is in neither of the others.
    pub(super) error: String,
    /// The frames after `stack backtrace:`, and those of where a bug was delayed.
    pub(super) backtrace: String,
    /// The queries between `query stack during panic:` and `end of query stack`.
    pub(super) query_stack: String,
}

impl IceOutput {
    /// Splits by the lines that rustc marks the parts with; their order does not matter.
    pub(super) fn split(output: &str) -> Self {
        #[derive(PartialEq)]
        enum Part {
            Error,
            Backtrace,
            Delayed,
            QueryStack,
        }
        let mut parts = IceOutput::default();
        let mut part = Part::Error;
        let mut before = "";
        for line in output.lines() {
            if part == Part::Error && before.contains("delayed at ") && is_frame(line) {
                part = Part::Delayed;
            }
            before = line;
            match part {
                Part::Delayed if !is_frame(line) => part = Part::Error,
                // Frames are indented; the first line that is not ends them.
                Part::Backtrace if !line.starts_with(' ') => part = Part::Error,
                Part::QueryStack if line == "end of query stack" => {
                    part = Part::Error;
                    continue;
                }
                _ => {}
            }
            let text = match part {
                Part::Error if line == "stack backtrace:" => {
                    part = Part::Backtrace;
                    continue;
                }
                Part::Error if line.starts_with("query stack during panic") => {
                    part = Part::QueryStack;
                    continue;
                }
                Part::Error => &mut parts.error,
                Part::Backtrace | Part::Delayed => &mut parts.backtrace,
                Part::QueryStack => &mut parts.query_stack,
            };
            text.push_str(line);
            text.push('\n');
        }
        parts.error = without_repeated_blanks(&parts.error);
        parts
    }
}

/// Whether `line` is a part of a backtrace in a note: a numbered frame, its place in the source, or nothing.
fn is_frame(line: &str) -> bool {
    let text = line.trim_start();
    let number = text
        .split_once(": ")
        .is_some_and(|(number, _)| number.bytes().all(|byte| byte.is_ascii_digit()));
    line.starts_with("   ") && (number || text.is_empty() || text.starts_with("at "))
}

/// Taking parts out leaves their blank lines behind, one above the other.
fn without_repeated_blanks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut blank = true;
    for line in text.lines() {
        if line.is_empty() && blank {
            continue;
        }
        blank = line.is_empty();
        kept.push_str(line);
        kept.push('\n');
    }
    kept.truncate(kept.trim_end().len());
    kept
}
