//! Whatever tool fails, and however: by a crash, an error, a text, a time or a limit. The stand-in plays the tools.

mod support;

use support::toolchain::{self, StandIn};
use support::{Outcome, Project, Reduction};

/// Reduces a file, with arguments in front of `-- --crate-type lib`.
fn library<'p, const N: usize>(project: &'p Project, arguments: [&str; N]) -> Reduction<'p> {
    Reduction::new(project)
        .args(arguments)
        .arg(project.path())
        .args(["--edition", "2021", "--", "--crate-type", "lib"])
}

#[track_caller]
fn still_crashes(outcome: &Outcome, mark: &str) {
    let text = StandIn::get().compile(&outcome.only_file());
    assert!(text.contains(mark), "{text}");
}

const DRAIN: &str = "probe.rs:412:25";

#[test]
fn clippy_rustdoc_and_miri_crash_where_rustc_does_not() {
    for tool in ["clippy", "rustdoc", "miri"] {
        let project = Project::copy_of("stand-in/mailbox.rs");
        let stand_in = StandIn::get();
        let plain = stand_in.as_tools(library(&project, ["--ice"]));
        plain
            .run()
            .ended_with(3)
            .says("the compiler does not crash");

        let reduction = library(&project, ["--ice", "--tool", tool]);
        let outcome = stand_in.as_tools(reduction).run().ok();
        still_crashes(&outcome, DRAIN);
        assert!(outcome.tokens() <= 70, "{}", outcome.code_text());
        let command = outcome.text("command");
        let program = if tool == "clippy" {
            "clippy-driver"
        } else {
            tool
        };
        assert!(
            command.starts_with(&format!("{program} --edition")),
            "{command}"
        );
    }
}

#[test]
fn rustfmt_is_run_on_a_file_and_does_not_change_it() {
    let project = Project::file("bag.rs", toolchain::TWO_CRASHES);
    let reduction = Reduction::new(&project)
        .args(["--ice", "--tool", "rustfmt", "--edition", "2021"])
        .arg(project.path());
    let stand_in = StandIn::get();
    let outcome = stand_in.instead_of_rustfmt(reduction).run().ok();
    still_crashes(&outcome, DRAIN);
    assert_eq!(
        outcome.text("command"),
        "rustfmt --edition 2021 --check bag.rs"
    );
}

#[test]
fn cargo_doc_crashes_where_cargo_check_does_not() {
    let project = Project::copy_of("stand-in/postbox");
    let stand_in = StandIn::get();
    let reduction = project.reduce(["--ice", "--", "doc"]);
    let outcome = stand_in.instead_of_rustdoc(reduction).run().ok();
    let signature = outcome.text("signature");
    assert!(signature.contains("opaque_types.rs:141:33"), "{signature}");
    let code = outcome.code_text();
    assert!(
        code.contains("-> impl") && !code.contains("impl Fn"),
        "{code}"
    );
    assert!(outcome.tokens() <= 40, "{code}");
    assert_eq!(outcome.text("command"), "cargo doc");
    let plain = project
        .reduce(["--ice"])
        .output(project.output().join("plain"));
    stand_in.instead_of_rustdoc(plain).run().ended_with(3);
}

#[test]
fn cargo_clippy_crashes_through_its_driver() {
    let project = Project::copy_of("stand-in/postbox");
    let stand_in = StandIn::get();
    let reduction = stand_in.as_tools(project.reduce(["--ice", "--tool", "clippy"]));
    let outcome = reduction.run().ok();
    assert!(outcome.text("signature").contains("opaque_types.rs:141:33"));
    assert!(outcome.tokens() <= 50, "{}", outcome.code_text());
    assert_eq!(outcome.text("command"), "cargo clippy");
}

const PRICES: &str = "
use std::fmt;

#[derive(Debug, Clone)]
pub struct Price { pub cents: u64, pub currency: Currency }

#[derive(Debug, Clone)]
pub enum Currency { Euro, Pound }

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, \"{}.{:02}\", self.cents / 100, self.cents % 100)
    }
}

pub fn total(prices: &[Price]) -> u64 {
    prices.iter().map(|price| price.cents).sum()
}

pub fn cheapest(prices: &[Price]) -> Option<&Price> {
    let mut sorted: Vec<&Price> = prices.iter().collect();
    sorted.sort_by_key(|price| (price.cents, price.currency.clone()));
    sorted.into_iter().next()
}
";

#[test]
fn an_error_keeps_its_code_and_its_message_and_gets_no_company() {
    let project = Project::file("prices.rs", PRICES);
    let outcome = library(&project, ["--error", "E0277"]).run().ok();
    let text = StandIn::get().compile_for_real(&outcome.only_file());
    let errors: Vec<_> = text.lines().filter(|it| it.starts_with("error[")).collect();
    assert_eq!(errors.len(), 1, "{text}");
    assert!(
        errors[0].starts_with("error[E0277]: the trait bound"),
        "{text}"
    );
    assert!(outcome.tokens() <= 50, "{}", outcome.code_text());
    assert_eq!(outcome.text("kind"), "output");
}

#[test]
fn an_error_that_is_not_there_is_refused() {
    let project = Project::file("prices.rs", PRICES);
    let ended = library(&project, ["--error", "E0308"]).run().ended_with(3);
    ended.says("the compiler does not report E0308");
}

#[test]
fn an_error_of_a_package_is_reduced_by_its_crate() {
    let project = Project::package("prices", PRICES);
    let outcome = project.reduce(["--error", "E0277"]).run().ok();
    let (good, text) = project.cargo(&outcome.reduced(), &["check"]);
    assert!(!good && text.contains("error[E0277]"), "{text}");
    assert!(outcome.tokens() <= 50, "{}", outcome.code_text());
}

const WARNED: &str = "
pub fn area(width: u32, height: u32) -> u32 {
    let unused = width;
    let area = width * height;
    area
}
fn nobody() -> u32 { area(1, 2) }
";

#[test]
fn a_text_on_standard_error_stays_there() {
    let wanted = "^warning: unused variable: `unused`";
    let project = Project::file("area.rs", WARNED);
    let outcome = library(&project, ["--stderr", wanted]).run().ok();
    let code = outcome.code_text();
    assert!(
        code.contains("let unused") && !code.contains("nobody"),
        "{code}"
    );

    let project = Project::package("area", WARNED);
    let outcome = project.reduce(["--stderr", wanted]).run().ok();
    let code = outcome.code_text();
    assert!(
        code.contains("let unused") && !code.contains("nobody"),
        "{code}"
    );
    let (_, text) = project.cargo(&outcome.reduced(), &["check"]);
    assert!(text.contains("unused variable: `unused`"), "{text}");
}

/// Compiles with one toolchain whatever is in it; what that refuses must stay out.
#[test]
fn a_contrast_keeps_what_the_other_toolchain_says_of_it() {
    let project = Project::file("bag.rs", toolchain::TWO_CRASHES);
    let stand_in = StandIn::get();
    for (used, other) in [("one", "two"), ("two", "one")] {
        let reduction = library(&project, ["--ice", "--only-on", other, "--compiles-on"])
            .toolchain(used)
            .output(project.output().join(used));
        let outcome = stand_in
            .instead_of_rustc(reduction)
            .env("STAND_IN_TOOLCHAINS", "one")
            .run()
            .ok();
        still_crashes(&outcome, DRAIN);
        let text = stand_in.compile_for_real(&outcome.only_file());
        assert!(!text.contains("error"), "{text}");
        assert!(outcome.tokens() <= 70, "{}", outcome.code_text());
        let signature = outcome.text("signature");
        assert!(signature.contains("two, where it compiles"), "{signature}");
    }
}

#[test]
fn a_crash_that_shows_with_both_toolchains_is_no_contrast() {
    let project = Project::copy_of("stand-in/mailbox.rs");
    let reduction = library(&project, ["--ice", "--only-on", "two"]).toolchain("one");
    let outcome = StandIn::get().instead_of_rustc(reduction).run();
    outcome.ended_with(3).says("with two, it crashes");
}

/// In the package, the trait that crashes; for the other toolchain to have something to refuse, it must be used.
#[test]
fn a_package_has_its_contrast_by_cargo() {
    let stand_in = StandIn::get();
    let reduce = |project: &Project| {
        let reduction = project
            .reduce(["--ice", "--compiles-on", "stable"])
            .toolchain("one")
            .env("CARGO", stand_in.cargo())
            .env("STAND_IN_TOOLCHAINS", "one");
        stand_in.instead_of_rustc(reduction).run()
    };
    let project = Project::package("posts", POSTS);
    let outcome = reduce(&project).ok();
    let signature = outcome.text("signature");
    assert!(
        signature.ends_with("; not on stable, where it compiles"),
        "{signature}"
    );
    let (good, text) = project.cargo(&outcome.reduced(), &["check"]);
    assert!(good, "{text}");
    let code = outcome.code_text();
    assert!(
        code.contains("drain(..)") && !code.contains("count"),
        "{code}"
    );

    let broken = Project::package("posts", &POSTS.replace("usize { 1 }", "usize { \"one\" }"));
    let refused = reduce(&broken).ended_with(3);
    refused.says("with stable, it does not compile");
}

const POSTS: &str = "
pub struct Posts<T>(pub Vec<T>);
impl<T> Posts<T> {
    pub fn all(&mut self) -> Vec<T> { self.0.drain(..).collect() }
    pub fn count(&self) -> usize { 1 }
}
";

#[test]
fn more_memory_than_is_allowed_is_a_crash() {
    let text = "
pub struct Deep(pub Vec<Vec<Vec<u8>>>);
pub fn depth(deep: &Deep) -> usize {
    let first = deep.0.first();
    first.map_or(0, |it| it.len())
}
";
    let project = Project::file("deep.rs", text);
    let stand_in = StandIn::get();
    let plain = stand_in.instead_of_rustc(library(&project, ["--ice"]));
    plain.run().ended_with(3);

    let limited = library(&project, ["--ice", "--memory-limit", "8GiB"]);
    let outcome = stand_in.instead_of_rustc(limited).run().ok();
    let code = outcome.code_text();
    assert!(
        code.contains("Vec<Vec<Vec<") && !code.contains("depth"),
        "{code}"
    );
    assert!(outcome.text("signature").starts_with("out of memory"));
    let command = outcome.text("command");
    assert!(
        command.starts_with("(ulimit -v 8388608; rustc "),
        "{command}"
    );

    let little = library(&project, ["--ice", "--memory-limit", "20MB"])
        .output(project.output().join("little"));
    let ended = stand_in.instead_of_rustc(little).run();
    assert_ne!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn a_time_longer_than_was_asked_for_is_a_hang_though_the_compiler_ends() {
    let text = "
pub const fn spin(mut left: u32) -> u32 {
    loop {
        left -= 1;
        if left == 0 { return 7; }
    }
}
pub fn twice(number: u32) -> u32 { number + number }
";
    let project = Project::file("spin.rs", text);
    let hang = library(&project, ["--hang", "--timeout", "2s"]);
    let outcome = StandIn::get().instead_of_rustc(hang).run().ok();
    let code = outcome.code_text();
    assert!(code.contains("loop") && !code.contains("twice"), "{code}");
    assert!(outcome.text("signature").starts_with("time-out"));
}

#[test]
fn what_compiles_in_no_time_does_not_hang() {
    let project = Project::copy_of("stand-in/mailbox.rs");
    let ended = library(&project, ["--hang"]).run().ended_with(3);
    ended.says("the compiler does not take too long");
}

/// Two crashes at one place with one message, on two ways; the first function is the heavier.
const HEAVIER_FIRST: &str = "
pub struct Bag<T>(Vec<T>);
impl<T: PartialEq> Bag<T> {
    pub fn all(&mut self, more: Vec<T>) -> (Vec<T>, usize, bool) {
        let taken: Vec<T> = self.0.drain(..).chain(more).collect();
        let count = taken.len() + self.0.len() + self.0.capacity();
        let none = count == 0 && taken.is_empty() && self.0.is_empty();
        (taken, count, none)
    }
    pub fn half(&mut self) -> Vec<T> { self.0.split_off(1) }
}
";

#[test]
fn the_queries_of_the_stack_may_have_to_stay() {
    let project = Project::file("bag.rs", HEAVIER_FIRST);
    let stand_in = StandIn::get();
    for (depth, kept, gone) in [("0", "split_off", "drain"), ("1", "drain", "split_off")] {
        let reduction = library(&project, ["--ice", "--backtrace-match", depth])
            .output(project.output().join(depth));
        let outcome = stand_in.instead_of_rustc(reduction).run().ok();
        let code = outcome.code_text();
        assert!(
            code.contains(kept) && !code.contains(gone),
            "{depth}: {code}"
        );
    }
}
