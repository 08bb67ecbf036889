//! What a person watching sees.

use super::*;

fn trial(outcome: TrialOutcome) -> Event<'static> {
    Event::Trial {
        pass: "bodies",
        outcome,
        stage: "run",
        tokens_tried: 100,
        wall: Duration::from_millis(50),
        cpu: Duration::from_millis(40),
        cached: false,
    }
}

fn baseline() -> Event<'static> {
    Event::Baseline {
        runs: 3,
        signature: "panicked at src/lib.rs:8:5: boom",
        tokens: 1_000,
        files: 3,
        wall: Duration::from_millis(200),
    }
}

fn live(terminal: &InMemoryTerm, width: usize) -> Human<'static> {
    let clock: super::super::Clock = Arc::new(|| Duration::from_millis(4_100));
    // No refresh and no limit to the rate, so that the last event is what is on the screen.
    let target = ProgressDrawTarget::term_like_with_hz(Box::new(terminal.clone()), 255);
    let line = LiveLine::new(target, Arc::new(move || width), Arc::clone(&clock), None);
    Human::new(Screen::Live(line), PLAIN, Verbosity::Normal, clock)
}

/// The events' plain lines.
fn lines(verbosity: Verbosity, events: &[Event<'_>]) -> String {
    let mut err = Vec::new();
    let mut human = Human::new(
        Screen::Plain(&mut err),
        PLAIN,
        verbosity,
        Arc::new(|| Duration::from_millis(4_100)),
    );
    events.iter().for_each(|event| human.event(event));
    drop(human);
    String::from_utf8(err).unwrap()
}

#[test]
fn a_terminal_shows_one_line_below_what_stays() {
    let terminal = InMemoryTerm::new(20, 90);
    let mut human = live(&terminal, 90);
    human.event(&Event::Step {
        verb: "Copying",
        what: "semver v1.0.26",
    });
    human.event(&baseline());
    human.event(&Event::PassStarted {
        name: "bodies",
        lists: 1,
        elements: 20,
    });
    human.event(&trial(TrialOutcome::Uninteresting));
    human.event(&trial(TrialOutcome::Interesting));
    human.event(&Event::NewBest {
        tokens: 400,
        files: 2,
        bytes: 1_900,
    });
    human.event(&Event::Slip {
        signature: "panicked at src/other.rs:1:1: bang",
        kept_in: Path::new("out/slips/1"),
    });
    insta::assert_snapshot!("live", terminal.contents());
    drop(human);
    insta::assert_snapshot!("live_after", terminal.contents());
}

#[test]
fn a_narrow_terminal_is_never_wrapped_by_the_live_line() {
    let terminal = InMemoryTerm::new(20, 40);
    let mut human = live(&terminal, 40);
    human.event(&Event::PassStarted {
        name: "bodies",
        lists: 1,
        elements: 20,
    });
    human.event(&Event::NewBest {
        tokens: 400,
        files: 2,
        bytes: 1_900,
    });
    (0..10).for_each(|_| human.event(&trial(TrialOutcome::Uninteresting)));
    let shown = terminal.contents();
    assert_eq!(shown.lines().count(), 1, "{shown}");
    assert!(shown.contains("bodies"), "{shown}");
}

#[test]
fn lines_are_few_while_the_size_falls_slowly() {
    let mut events = vec![
        baseline(),
        Event::PassStarted {
            name: "items",
            lists: 1,
            elements: 1_000,
        },
    ];
    // One token at a time, down to half.
    for tokens in (500..1_000).rev() {
        events.push(trial(TrialOutcome::Interesting));
        events.push(Event::NewBest {
            tokens,
            files: 3,
            bytes: 4 * tokens,
        });
    }
    events.push(Event::PassFinished {
        name: "items",
        trials: 500,
        interesting: 500,
        tokens_removed: 500,
    });
    let text = lines(Verbosity::Normal, &events);
    insta::assert_snapshot!(text);
    assert!(lines(Verbosity::Verbose, &events).lines().count() > 500);
    assert_eq!(lines(Verbosity::Quiet, &events), "");
}

#[test]
fn a_pass_that_found_nothing_is_not_worth_a_line() {
    let nothing = [Event::PassFinished {
        name: "types",
        trials: 7,
        interesting: 0,
        tokens_removed: 0,
    }];
    assert_eq!(lines(Verbosity::Normal, &nothing), "");
    assert!(lines(Verbosity::Verbose, &nothing).contains("types nothing in 7 trials"));
}

#[test]
fn other_failures_and_notes_are_told() {
    let text = lines(
        Verbosity::Normal,
        &[
            Event::Slip {
                signature: "panicked at src/other.rs:1:1: bang",
                kept_in: Path::new("out/slips/1"),
            },
            Event::Note("cargo accepts the formatted result"),
        ],
    );
    insta::assert_snapshot!(text, @r"
    note: met another failure, kept in out/slips/1: panicked at src/other.rs:1:1: bang
    note: cargo accepts the formatted result
    ");
}
