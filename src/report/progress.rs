//! How far a reduction has come, kept from its events, and the live line made of it; knows nothing of terminals.

use std::time::Duration;

use super::wording::{bytes, count, number, percent, time};
use super::{Event, TrialOutcome};

/// How far a reduction has come.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// The step or pass at work.
    pub(super) at_work: String,
    /// Size of the original; 0 before it was measured.
    pub(super) tokens_before: usize,
    /// Size of the best so far.
    pub(super) tokens: usize,
    /// Files in the best so far.
    pub(super) files: usize,
    /// Bytes in the best so far; `None` before the first.
    pub(super) best_bytes: Option<usize>,
    /// Candidates judged.
    pub(super) trials: usize,
    /// How many of them were interesting.
    pub(super) interesting: usize,
}

impl Progress {
    /// Takes note of an event.
    pub(super) fn note(&mut self, event: &Event<'_>) {
        match event {
            Event::Step { verb, what } => self.at_work = format!("{verb} {what}"),
            Event::Baseline { tokens, files, .. } => {
                self.tokens_before = *tokens;
                self.tokens = *tokens;
                self.files = *files;
            }
            Event::PassStarted { name, .. } => self.at_work = (*name).to_owned(),
            Event::Trial { outcome, .. } => {
                self.trials += 1;
                self.interesting += usize::from(*outcome == TrialOutcome::Interesting);
            }
            Event::NewBest {
                tokens,
                files,
                bytes,
            } => {
                self.tokens = *tokens;
                self.files = *files;
                self.best_bytes = Some(*bytes);
            }
            Event::ListSearched { .. }
            | Event::PassFinished { .. }
            | Event::Slip { .. }
            | Event::Note(_)
            | Event::Finished(_) => {}
        }
    }

    /// The live line, at most `width` columns wide: what matters less goes first when room is short.
    pub(super) fn live_line(&self, elapsed: Duration, width: usize) -> String {
        const SEPARATOR: &str = " · ";
        // Each part with its rank: the highest rank goes first.
        let mut parts = vec![(0, self.at_work.clone())];
        if self.tokens_before > 0 {
            let left = percent(self.tokens, self.tokens_before);
            parts.push((1, format!("{} tokens left ({left})", number(self.tokens))));
        }
        if self.trials > 0 {
            parts.push((3, count(self.trials, "trial")));
            parts.push((
                4,
                format!("{} interesting", percent(self.interesting, self.trials)),
            ));
        }
        parts.push((2, time(elapsed)));
        if let Some(size) = self.best_bytes {
            parts.push((
                5,
                format!("best {} in {}", bytes(size), count(self.files, "file")),
            ));
        }
        for limit in (0..=5).rev() {
            let line: Vec<&str> = parts
                .iter()
                .filter(|(rank, part)| *rank <= limit && !part.is_empty())
                .map(|(_, part)| part.as_str())
                .collect();
            let line = line.join(SEPARATOR);
            if line.chars().count() <= width {
                return line;
            }
        }
        shortened(&self.at_work, width)
    }
}

/// `text` cut to `width` characters, with an ellipsis when something was cut.
pub(super) fn shortened(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_the_middle() -> Progress {
        Progress {
            at_work: "bodies".to_owned(),
            tokens_before: 13_641,
            tokens: 4_512,
            files: 7,
            best_bytes: Some(21_400),
            trials: 61,
            interesting: 9,
        }
    }

    #[test]
    fn the_live_line_gives_up_what_matters_least_as_the_terminal_narrows() {
        let progress = in_the_middle();
        let lines: Vec<_> = [120, 80, 60, 48, 34, 10, 4]
            .map(|width| {
                format!(
                    "{width:>3}: {}",
                    progress.live_line(Duration::from_millis(12_300), width)
                )
            })
            .into();
        insta::assert_snapshot!(lines.join("\n"), @r"
        120: bodies · 4,512 tokens left (33 %) · 61 trials · 15 % interesting · 12 s · best 21 kB in 7 files
         80: bodies · 4,512 tokens left (33 %) · 61 trials · 15 % interesting · 12 s
         60: bodies · 4,512 tokens left (33 %) · 61 trials · 12 s
         48: bodies · 4,512 tokens left (33 %) · 12 s
         34: bodies · 4,512 tokens left (33 %)
         10: bodies
          4: bod…
        ");
    }

    #[test]
    fn the_live_line_never_exceeds_the_width() {
        let progress = in_the_middle();
        for width in 1..200 {
            assert!(
                progress
                    .live_line(Duration::from_secs(5), width)
                    .chars()
                    .count()
                    <= width
            );
        }
    }

    #[test]
    fn before_anything_happened_there_is_only_the_time() {
        assert_eq!(
            Progress::default().live_line(Duration::from_secs(3), 80),
            "3.0 s"
        );
    }

    #[test]
    fn before_the_baseline_the_live_line_says_what_is_done() {
        let mut progress = Progress::default();
        progress.note(&Event::Step {
            verb: "Building",
            what: "semver v1.0.26",
        });
        assert_eq!(
            progress.live_line(Duration::from_secs(3), 80),
            "Building semver v1.0.26 · 3.0 s"
        );
    }
}
