//! Compiler crashes: what rustc printed and how it ended, in a form that survives edits.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use crate::exec::{Ending, Outcome};
use crate::request::{ErrorPolicy, IceMatch};

/// How a compiler crashed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// It panicked at this place of its own source (`file:line:column`).
    Panic(String),
    /// A signal killed it.
    Signal(i32),
    /// It ran out of time.
    Hang,
    /// It ran out of memory.
    Memory,
}

/// A crash, as it is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Crash {
    /// How it ended.
    pub how: How,
    /// The panic's message.
    pub message: String,
    /// Where a delayed bug was delayed.
    pub delayed_at: Option<String>,
    /// The names of the queries on the stack, innermost first.
    pub queries: Vec<String>,
}

/// What a run of the compiler showed.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The crash, if there was one.
    pub crash: Option<Crash>,
    /// Codes of the compile errors; an error without a code is `error`.
    pub errors: BTreeSet<String>,
    /// What the report names and points to.
    pub report: Report,
    /// All that was printed.
    pub text: String,
    /// Whether the tool says that all went well.
    pub success: bool,
}

/// What a crash report names and points to, before any of it is made a wildcard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The words of the message and of the query stack.
    pub words: BTreeSet<String>,
    /// Places in the source (`-->`): file as it was printed, line and column from 1.
    pub places: Vec<(String, usize, usize)>,
}

static PANIC: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^thread '[^']*'(?: \(\d+\))? (?:panicked|has panicked) at (\S+:\d+:\d+):?[ ]*$")
});
static BUG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^error: internal compiler error(?:\[E\d+\])?: (?:(\S+\.rs:\d+:\d+): )?(.*)$")
});
/// Said by the allocators of Rust and of LLVM, when there is no more.
static MEMORY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)^(?:memory allocation of \d+ bytes failed|LLVM ERROR: out of memory|LLVM ERROR: Allocation failed|terminate called after throwing an instance of 'std::bad_alloc'|rustc-LLVM ERROR: out of memory)",
    )
});
/// Said by cargo of what it started.
static CARGO_SIGNAL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^ *process didn't exit successfully: .*\(signal: (\d+)[,)]"));
static DELAYED: LazyLock<Regex> = LazyLock::new(|| pattern(r"delayed at (\S+\.rs:\d+:\d+)"));
static QUERY: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^#\d+ \[([^\]]+)\]"));
static QUERY_LINE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^#\d+ \[[^\]]+\] (.*)$"));
static PLACE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^ *--> (\S+):(\d+):(\d+)$"));
static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"[\p{Alphabetic}_][\w]*"));
static ERROR: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^error(?:\[(E\d+)\])?: (.*)$"));

fn pattern(text: &str) -> Regex {
    // The patterns are literals of this file, and the tests below use each of them.
    Regex::new(text).expect("a valid pattern")
}

/// Messages that only say that there were errors.
const SUMMARIES: [&str; 5] = [
    "internal compiler error",
    "aborting due to",
    "could not compile",
    "the compiler unexpectedly panicked",
    "rustc interrupted by",
];

impl Seen {
    /// What `outcome`, a run of a compiler driver, shows.
    pub fn of(outcome: &Outcome) -> Seen {
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        let mut seen = Seen {
            crash: None,
            errors: errors(&stderr),
            report: Report::of(&stderr),
            text: stderr.to_string(),
            success: outcome.success(),
        };
        let how = match outcome.ending {
            Ending::Signalled(_) | Ending::Exited(1..) if MEMORY.is_match(&stderr) => {
                Some(How::Memory)
            }
            Ending::Signalled(signal) => Some(How::Signal(signal)),
            Ending::TimedOut => Some(How::Hang),
            Ending::Cancelled | Ending::Exited(0) => None,
            // A shell or a wrapper reports death by a signal as 128 and its number.
            Ending::Exited(code) if code > 128 && code < 160 => Some(How::Signal(code - 128)),
            Ending::Exited(_) => panic_place(&stderr).map(How::Panic).or_else(|| {
                let signal = CARGO_SIGNAL.captures(&stderr)?;
                signal[1].parse().ok().map(How::Signal)
            }),
        };
        seen.crash = how.map(|how| Crash {
            message: match how {
                How::Panic(_) => message(&stderr),
                How::Signal(_) | How::Hang | How::Memory => String::new(),
            },
            delayed_at: DELAYED.captures(&stderr).map(|found| place(&found[1])),
            queries: QUERY
                .captures_iter(&stderr)
                .map(|found| found[1].to_string())
                .collect(),
            how,
        });
        seen
    }
}

fn panic_place(stderr: &str) -> Option<String> {
    // `span_bug!` and delayed bugs panic in the emitter; the place that matters is in the message.
    let bug = BUG
        .captures_iter(stderr)
        .find_map(|found| Some(place(found.get(1)?.as_str())));
    bug.or_else(|| PANIC.captures(stderr).map(|found| place(&found[1])))
        .or_else(|| BUG.is_match(stderr).then(|| DELAYED_BUG.to_string()))
}

/// The place of a bug that was delayed: nobody says where the compiler came back to it.
const DELAYED_BUG: &str = "delayed";

/// A place in the compiler's source without the directory that it was built in.
fn place(found: &str) -> String {
    let known = ["/compiler/", "/library/"];
    let start = known
        .iter()
        .filter_map(|part| found.find(part).map(|at| at + 1))
        .min();
    found[start.unwrap_or(0)..].to_string()
}

fn message(stderr: &str) -> String {
    if let Some(found) = BUG.captures(stderr) {
        return found[2].trim().to_string();
    }
    let Some(found) = PANIC.find(stderr) else {
        return String::new();
    };
    let lines = stderr[found.end()..].lines().skip(1);
    let text: Vec<&str> = lines
        .take_while(|line| {
            !line.is_empty() && !line.starts_with("stack backtrace:") && !line.starts_with("note: ")
        })
        .collect();
    text.join("\n")
}

fn errors(stderr: &str) -> BTreeSet<String> {
    ERROR
        .captures_iter(stderr)
        .filter(|found| {
            !SUMMARIES
                .iter()
                .any(|summary| found[2].starts_with(summary))
        })
        .map(|found| {
            found
                .get(1)
                .map_or("error", |code| code.as_str())
                .to_string()
        })
        .collect()
}

impl Report {
    /// What an error names and points to, by its message and the paragraph that it stands in.
    pub fn of_error(message: &str, paragraph: &str) -> Report {
        Report {
            words: WORD
                .find_iter(message)
                .map(|word| word.as_str().to_string())
                .collect(),
            places: places(paragraph),
        }
    }

    /// What `stderr` says of a crash. Ordinary errors are about something else: only the places of
    /// a report that starts with the crash count.
    pub fn of(stderr: &str) -> Report {
        let mut words = BTreeSet::new();
        let mut add = |text: &str| {
            words.extend(WORD.find_iter(text).map(|word| word.as_str().to_string()));
        };
        add(&message(stderr));
        for found in QUERY_LINE.captures_iter(stderr) {
            add(&found[1]);
        }
        let about_the_crash = stderr.split("\n\n").filter(|part| {
            let first = part.trim_start().lines().next().unwrap_or_default();
            !ERROR.is_match(first) || BUG.is_match(first)
        });
        Report {
            places: about_the_crash.flat_map(places).collect(),
            words,
        }
    }
}

/// The places that `text` points to.
fn places(text: &str) -> Vec<(String, usize, usize)> {
    let places = PLACE.captures_iter(text);
    places
        .filter_map(|found| {
            let number = |at: usize| found[at].parse().ok();
            Some((found[1].to_string(), number(2)?, number(3)?))
        })
        .collect()
}

impl Crash {
    /// That of a tool that ran out of time.
    pub fn hang() -> Crash {
        Crash {
            how: How::Hang,
            message: String::new(),
            delayed_at: None,
            queries: Vec::new(),
        }
    }

    /// One line that names the crash.
    pub fn title(&self) -> String {
        self.titled(self.message.lines().next().unwrap_or_default())
    }

    /// One line that is the same for all crashes that are the same by [`IceMatch::Location`].
    pub fn class(&self) -> String {
        let line = self.message.lines().next().unwrap_or_default();
        let words = skeleton(line);
        if words.len() < line.trim().len() {
            self.titled(&format!("{words} …"))
        } else {
            self.titled(&words)
        }
    }

    fn titled(&self, message: &str) -> String {
        let at = match &self.how {
            How::Panic(place) => place.clone(),
            How::Signal(signal) => super::signal_name(*signal),
            How::Hang => "time-out".to_string(),
            How::Memory => "out of memory".to_string(),
        };
        let at = match &self.delayed_at {
            Some(place) if at == DELAYED_BUG => format!("delayed at {place}"),
            Some(place) => format!("{at}, delayed at {place}"),
            None => at,
        };
        let message: String = message.chars().take(120).collect();
        let colon = if message.is_empty() { "" } else { ": " };
        format!("{at}{colon}{message}")
    }

    /// Whether `other` is the same crash.
    pub fn same(&self, other: &Crash, matching: IceMatch) -> bool {
        let place = self.how == other.how && self.delayed_at == other.delayed_at;
        let words = || skeleton(&self.message) == skeleton(&other.message);
        match matching {
            IceMatch::Any => true,
            IceMatch::Exact => place && self.message == other.message,
            // What has no message is known by how it ended alone.
            IceMatch::Message => match (&self.how, &other.how) {
                (How::Panic(_), How::Panic(_)) => words(),
                _ => place,
            },
            IceMatch::Location => place && words(),
        }
    }

    /// Whether the innermost `depth` queries of `other`'s stack are those of this one's.
    pub fn same_queries(&self, other: &Crash, depth: usize) -> bool {
        self.queries
            .iter()
            .take(depth)
            .eq(other.queries.iter().take(depth))
    }

    /// Where issues about it would say that it happens: where the compiler panicked or, for a delayed bug, where that was
    /// delayed; `None` if it did not panic.
    pub fn location(&self) -> Option<String> {
        match &self.how {
            How::Panic(place) => Some(self.delayed_at.clone().unwrap_or_else(|| place.clone())),
            How::Signal(_) | How::Hang | How::Memory => None,
        }
    }
}

/// `message` with what stands between quotation marks, and numbers, made wildcards.
pub fn wildcarded(message: &str) -> String {
    static NAMED: LazyLock<Regex> =
        LazyLock::new(|| pattern(r#"`[^`]*`|"[^"]*"|'[A-Za-z_]\w*|\d+"#));
    NAMED.replace_all(message, "_").into_owned()
}

/// The words a message starts with, up to where names, types, numbers or values begin.
fn skeleton(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    let end = line.find(|c: char| c.is_ascii_digit() || "`'\"(<[{#:/&*=".contains(c));
    let words = &line[..end.unwrap_or(line.len())];
    // A value may begin in the middle of a word (`Foo(…)`): only whole words count.
    let whole = if end.is_some() && !words.ends_with(' ') {
        words.rfind(' ').map_or("", |at| &words[..at])
    } else {
        words
    };
    whole.trim().to_string()
}

/// Whether a candidate with the errors `now` is allowed, given those of the original.
pub fn errors_allowed(
    policy: ErrorPolicy,
    original: &BTreeSet<String>,
    now: &BTreeSet<String>,
) -> bool {
    match policy {
        ErrorPolicy::Any => true,
        ErrorPolicy::None => now.is_empty(),
        ErrorPolicy::Same => now.is_subset(original),
        ErrorPolicy::Auto => !original.is_empty() || now.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn seen(code: i32, stderr: &str) -> Seen {
        Seen::of(&Outcome {
            ending: Ending::Exited(code),
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        })
    }

    const PANICKED: &str = "error[E0308]: mismatched types\n\nthread 'rustc' (77) panicked at /rustc-dev/abc/compiler/rustc_x/src/y.rs:1:2:\nno entry for `Foo`\nnote: run with\n\nerror: the compiler unexpectedly panicked. This is a bug\n\nquery stack during panic:\n#0 [mir_built] building MIR for `f`\n#1 [analysis] running\nend of query stack\nerror: aborting due to 1 previous error\n";

    #[test]
    fn a_panic_is_known_by_its_place_its_message_and_its_queries() {
        let seen = seen(101, PANICKED);
        let crash = seen.crash.expect("a crash");
        assert_eq!(
            crash.how,
            How::Panic("compiler/rustc_x/src/y.rs:1:2".into())
        );
        assert_eq!(crash.message, "no entry for `Foo`");
        assert_eq!(crash.queries, ["mir_built", "analysis"]);
        assert_eq!(seen.errors, BTreeSet::from(["E0308".to_string()]));
    }

    #[test]
    fn a_bug_with_a_place_in_its_message_is_not_known_by_the_place_of_the_emitter() {
        let text = "error: internal compiler error: compiler/rustc_a/src/b.rs:5:6: cannot relate X\n\nthread 'rustc' panicked at compiler/rustc_a/src/b.rs:5:6:\nBox<dyn Any>\n";
        let crash = seen(101, text).crash.expect("a crash");
        assert_eq!(
            crash.how,
            How::Panic("compiler/rustc_a/src/b.rs:5:6".into())
        );
        assert_eq!(crash.message, "cannot relate X");
    }

    #[test]
    fn delayed_bugs_are_told_apart_by_where_they_were_delayed() {
        let text = |line: u32| {
            format!(
                "error: internal compiler error: broken\n  |\n  = note: delayed at compiler/rustc_q/src/r.rs:{line}:9 - disabled backtrace\n"
            )
        };
        let (a, b) = (seen(101, &text(1)).crash, seen(101, &text(2)).crash);
        let (a, b) = (a.expect("a crash"), b.expect("a crash"));
        assert!(a.same(&a.clone(), IceMatch::Location));
        assert!(!a.same(&b, IceMatch::Location));
        assert!(a.same(&b, IceMatch::Message));
    }

    #[test]
    fn a_delayed_bug_may_have_an_errors_code() {
        let text = "note: no errors encountered even though delayed bugs were created\n\nerror: internal compiler error[E0552]: unrecognized representation hint\n --> a.rs:2:8\n  |\nnote: delayed at compiler/rustc_a/src/b.rs:270:51 - disabled backtrace\n";
        let seen = seen(101, text);
        assert!(seen.errors.is_empty());
        let crash = seen.crash.expect("a crash");
        assert_eq!(crash.message, "unrecognized representation hint");
        assert_eq!(
            crash.location().as_deref(),
            Some("compiler/rustc_a/src/b.rs:270:51")
        );
    }

    fn ended(ending: Ending, stderr: &str) -> Crash {
        let outcome = Outcome {
            ending,
            stdout: Vec::new(),
            stderr: stderr.as_bytes().to_vec(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        };
        Seen::of(&outcome).crash.expect("a crash")
    }

    #[test]
    fn by_the_message_alone_deaths_without_one_are_told_apart() {
        let segv = ended(Ending::Signalled(11), "");
        let (kill, hang) = (ended(Ending::Signalled(9), ""), ended(Ending::TimedOut, ""));
        let panic = seen(
            101,
            "thread 'rustc' panicked at compiler/x.rs:1:1:\n`A` it is\n",
        );
        let panic = panic.crash.expect("a crash");
        for other in [kill, hang, panic] {
            assert!(!segv.same(&other, IceMatch::Message), "{other:?}");
            assert!(segv.same(&other, IceMatch::Any));
        }
    }

    #[test]
    fn as_many_queries_count_as_are_asked_for() {
        let stack = |outer: &str| {
            let text = format!(
                "thread 'rustc' panicked at compiler/x.rs:1:1:\nbad\n\n#0 [typeck] a\n#1 [{outer}] b\n"
            );
            seen(101, &text).crash.expect("a crash")
        };
        let (a, b) = (stack("analysis"), stack("mir_built"));
        assert!(a.same_queries(&b, 0) && a.same_queries(&b, 1));
        assert!(!a.same_queries(&b, 2) && a.same_queries(&a, 9));
    }

    #[test]
    fn a_tool_that_lacks_memory_is_told_from_one_that_aborts() {
        let lacks = "memory allocation of 4294967296 bytes failed\n";
        assert_eq!(ended(Ending::Signalled(6), lacks).how, How::Memory);
        assert_eq!(ended(Ending::Signalled(6), "").how, How::Signal(6));
    }

    #[test]
    fn a_signal_that_cargo_tells_of_is_known() {
        let text = "error: could not compile `a` (lib)\n\nCaused by:\n  process didn't exit successfully: `rustc --x` (signal: 11, SIGSEGV: invalid memory reference)\n";
        assert_eq!(ended(Ending::Exited(101), text).how, How::Signal(11));
    }

    #[test]
    fn names_and_numbers_in_a_message_are_wildcards() {
        let a = wildcarded("the trait bound `Vec<u8>: Copy` is not satisfied, 2 of 3 apply");
        let b = wildcarded("the trait bound `A: B` is not satisfied, 1 of 1 apply");
        assert_eq!(a, b);
        assert_ne!(a, wildcarded("the trait `A` is not satisfied"));
    }

    #[test]
    fn names_in_a_message_do_not_matter_and_its_words_do() {
        let crash = |message: &str| Crash {
            how: How::Panic("x.rs:1:1".into()),
            message: message.into(),
            delayed_at: None,
            queries: Vec::new(),
        };
        let original = crash("no entry for `Foo<u8>` in map");
        assert!(original.same(&crash("no entry for `A` in map"), IceMatch::Location));
        assert!(!original.same(&crash("two entries for `A`"), IceMatch::Location));
        assert!(!original.same(&crash("no entry for `A` in map"), IceMatch::Exact));
        assert_eq!(original.class(), crash("no entry for u8").class());
        assert_eq!(original.class(), "x.rs:1:1: no entry for …");
    }

    #[test]
    fn an_ordinary_compile_error_is_no_crash() {
        let seen = seen(
            1,
            "error[E0425]: cannot find value\n\nerror: aborting due to 1 previous error\n",
        );
        assert!(seen.crash.is_none());
        assert_eq!(seen.errors.len(), 1);
    }

    #[test]
    fn a_report_names_what_its_message_and_its_queries_name_and_points_to_its_own_places() {
        let text = "error[E0308]: mismatched types\n --> src/a.rs:1:2\n\nerror: internal compiler error: compiler/x.rs:5:6: no layout for `Disc<u8>`\n  --> src/b.rs:3:4\n\nquery stack during panic:\n#0 [layout_of] computing layout of `shapes::Disc`\nend of query stack\n";
        let report = seen(101, text).report;
        for word in ["Disc", "u8", "shapes", "computing"] {
            assert!(report.words.contains(word), "{word}");
        }
        assert!(!report.words.contains("layout_of"), "a query is no item");
        assert_eq!(report.places, [("src/b.rs".to_string(), 3, 4)]);
    }
}
