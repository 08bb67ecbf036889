//! What a person watching sees while a reduction runs: lines, or lines above one live line; decides only what is
//! worth a line.

use std::time::Duration;

use super::progress::Progress;
use super::screen::Screen;
use super::wording::{count, number, percent, time};
use super::{Clock, Event, Observer, Style, TrialOutcome};

/// How much a person wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// `-q`: nothing but errors and where the result lies.
    Quiet,
    /// What matters.
    #[default]
    Normal,
    /// `-v`: every trial, every pass.
    Verbose,
}

/// Shows events to a person.
pub struct Human<'a> {
    screen: Screen<'a>,
    style: Style,
    verbosity: Verbosity,
    clock: Clock,
    progress: Progress,
    /// Size of the best when it was last said; a further line is due when a tenth of that is gone.
    tokens_said: usize,
}

impl<'a> Human<'a> {
    /// Shows events on `screen`; `clock` tells the time since the start.
    pub fn new(screen: Screen<'a>, style: Style, verbosity: Verbosity, clock: Clock) -> Self {
        Human {
            screen,
            style,
            verbosity,
            clock,
            progress: Progress::default(),
            tokens_said: 0,
        }
    }

    /// A line that begins with a status word.
    fn status(&mut self, word: &str, rest: &str) {
        let line = format!("{} {rest}", self.style.status(word));
        self.screen.line(&line);
    }

    /// A line that begins with a pass's name.
    fn pass(&mut self, name: &str, rest: &str) {
        let line = format!("{} {rest}", self.style.pass(name));
        self.screen.line(&line);
    }

    /// `4,512 tokens left (33 %)`
    fn tokens_left(&self) -> String {
        let Progress {
            tokens,
            tokens_before,
            ..
        } = self.progress;
        format!(
            "{} tokens left ({})",
            number(tokens),
            percent(tokens, tokens_before)
        )
    }

    fn elapsed(&self) -> Duration {
        (self.clock)()
    }

    fn say(&mut self, event: &Event<'_>) {
        let verbose = self.verbosity == Verbosity::Verbose;
        match event {
            Event::Step { verb, what } => self.status(verb, what),
            Event::Baseline {
                runs,
                signature,
                tokens,
                files,
                wall,
            } => {
                self.status(
                    "Failing",
                    &format!(
                        "{signature} ({}, {} each)",
                        count(*runs, "run"),
                        time(*wall)
                    ),
                );
                self.status(
                    "Reducing",
                    &format!("{} in {}", count(*tokens, "token"), count(*files, "file")),
                );
                self.tokens_said = *tokens;
            }
            Event::PassStarted {
                name,
                lists,
                elements,
            } if verbose => {
                self.pass(
                    name,
                    &format!(
                        "{} in {}",
                        count(*elements, "element"),
                        count(*lists, "list")
                    ),
                );
            }
            Event::Trial {
                pass,
                outcome,
                stage,
                tokens_tried,
                wall,
                cached,
                ..
            } if verbose => {
                let verdict = match outcome {
                    TrialOutcome::Interesting => "interesting",
                    TrialOutcome::Uninteresting => "uninteresting",
                    TrialOutcome::Slipped => "another failure",
                };
                let cost = if *cached {
                    "known".to_owned()
                } else {
                    time(*wall)
                };
                let trial = number(self.progress.trials);
                self.pass(
                    pass,
                    &format!(
                        "trial {trial}: {} fewer, {verdict} ({stage}, {cost})",
                        count(*tokens_tried, "token")
                    ),
                );
            }
            Event::NewBest { .. } if !self.screen.is_live() => {
                // In integers: below nine tenths of what was last said.
                if self.progress.tokens.saturating_mul(10) < self.tokens_said.saturating_mul(9) {
                    let name = self.progress.at_work.clone();
                    let trials = count(self.progress.trials, "trial");
                    let rest = format!(
                        "{} after {trials}, {}",
                        self.tokens_left(),
                        time(self.elapsed())
                    );
                    self.pass(&name, &rest);
                    self.tokens_said = self.progress.tokens;
                }
            }
            Event::PassFinished {
                name,
                trials,
                interesting,
                tokens_removed,
            } => {
                let worth_a_line = verbose || (*tokens_removed > 0 && !self.screen.is_live());
                if worth_a_line {
                    let gone = if *tokens_removed > 0 {
                        format!("-{} tokens", number(*tokens_removed))
                    } else {
                        "nothing".to_owned()
                    };
                    let rest = format!(
                        "{gone} in {}, {} interesting; {}, {}",
                        count(*trials, "trial"),
                        number(*interesting),
                        self.tokens_left(),
                        time(self.elapsed())
                    );
                    self.pass(name, &rest);
                    self.tokens_said = self.progress.tokens;
                }
            }
            Event::Slip { signature, kept_in } => {
                let word = self.style.help("note");
                self.screen.line(&format!(
                    "{word}: met another failure, kept in {}: {signature}",
                    kept_in.display()
                ));
            }
            Event::Note(text) => {
                let word = self.style.help("note");
                self.screen.line(&format!("{word}: {text}"));
            }
            Event::Finished(_) => self.screen.close(),
            Event::PassStarted { .. }
            | Event::ListSearched { .. }
            | Event::Trial { .. }
            | Event::NewBest { .. } => {}
        }
    }
}

impl Observer for Human<'_> {
    fn event(&mut self, event: &Event<'_>) {
        self.progress.note(event);
        if self.verbosity == Verbosity::Quiet {
            return;
        }
        self.say(event);
        self.screen.show(&self.progress);
    }
}

impl Drop for Human<'_> {
    fn drop(&mut self) {
        // A reduction that failed sends no last event, and a live line must not stand beside the error.
        self.screen.close();
    }
}
