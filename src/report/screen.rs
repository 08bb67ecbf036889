//! Where lines for a person go: a stream, or a terminal with one live line at the bottom; knows nothing of what they say.

use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::style::ProgressTracker;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::Clock;
use super::progress::Progress;

/// Somewhere to show lines to a person.
///
/// Errors of writing are ignored: that a reader has gone away is no reason to end a reduction.
pub enum Screen<'a> {
    /// A stream of lines that stay.
    Plain(&'a mut dyn Write),
    /// A terminal: lines that stay, above one line that changes.
    Live(LiveLine),
}

impl Screen<'_> {
    /// Shows a line that stays.
    pub(super) fn line(&mut self, line: &str) {
        match self {
            Screen::Plain(stream) => {
                let _ = writeln!(stream, "{line}");
            }
            Screen::Live(live) => live.bar.println(line),
        }
    }

    /// Shows how far it has come.
    pub(super) fn show(&mut self, progress: &Progress) {
        if let Screen::Live(live) = self {
            // A panic elsewhere leaves at worst an older line.
            progress.clone_into(&mut live.shown.lock().unwrap_or_else(PoisonError::into_inner));
            live.bar.tick();
        }
    }

    /// Takes the live line away.
    pub(super) fn close(&mut self) {
        if let Screen::Live(live) = self {
            live.bar.finish_and_clear();
        }
    }

    /// There is a live line, so that less has to be said by lines that stay.
    pub(super) fn is_live(&self) -> bool {
        matches!(self, Screen::Live(_))
    }
}

/// The width of a terminal in columns, asked for anew at each drawing: windows are resized.
pub type Width = Arc<dyn Fn() -> usize + Send + Sync>;

/// One line at the bottom of a terminal that says how far it has come.
pub struct LiveLine {
    bar: ProgressBar,
    shown: Arc<Mutex<Progress>>,
}

impl LiveLine {
    /// Draws on `target`. With `refresh`, the time goes on between events too.
    pub fn new(
        target: ProgressDrawTarget,
        width: Width,
        clock: Clock,
        refresh: Option<Duration>,
    ) -> Self {
        let shown = Arc::new(Mutex::new(Progress::default()));
        let bar = ProgressBar::with_draw_target(None, target);
        let line = Line {
            shown: Arc::clone(&shown),
            width,
            clock,
        };
        if let Ok(style) = ProgressStyle::with_template("{spinner:.cyan} {line}") {
            bar.set_style(style.with_key("line", line));
        }
        if let Some(interval) = refresh {
            bar.enable_steady_tick(interval);
        }
        LiveLine { bar, shown }
    }
}

/// Writes the line whenever indicatif draws.
#[derive(Clone)]
struct Line {
    shown: Arc<Mutex<Progress>>,
    width: Width,
    clock: Clock,
}

impl ProgressTracker for Line {
    fn clone_box(&self) -> Box<dyn ProgressTracker> {
        Box::new(self.clone())
    }

    fn tick(&mut self, _: &ProgressState, _: Instant) {}

    fn reset(&mut self, _: &ProgressState, _: Instant) {}

    fn write(&self, _: &ProgressState, out: &mut dyn fmt::Write) {
        // The spinner and the space after it; the last column stays free, since some terminals wrap there.
        const TAKEN: usize = 3;
        let width = (self.width)().saturating_sub(TAKEN);
        let shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = out.write_str(&shown.live_line((self.clock)(), width));
    }
}
