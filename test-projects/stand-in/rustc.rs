//! Stands in for rustc in tests: does what rustc does, but "crashes" where the source shows one of a few patterns, and
//! prints what a real crash prints. So crashes can be reduced on every toolchain, whatever bugs its compiler has.
//!
//! Build it with `rustc --edition 2024 -O rustc.rs`, and use it
//!
//! * as `RUSTC`: the compiler behind it is `STAND_IN_RUSTC`, or `rustc`;
//! * as `RUSTDOC` or `RUSTFMT`: the tool behind it is `STAND_IN_TOOL`, and `STAND_IN_RUSTC` says which files the crate has;
//! * as `RUSTC_WRAPPER` or `RUSTC_WORKSPACE_WRAPPER`: the compiler behind it is the first argument, as cargo gives it.
//!
//! It knows no more of Rust than its words: comments, and what is in strings, never count. The patterns are in
//! [`find_crash`]; `README.md` lists them for people.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command, ExitStatus, Stdio};
use std::time::Duration;

fn main() {
    let mut arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let wraps = arguments.first().is_some_and(|first| {
        let path = Path::new(first);
        path.file_stem().is_some_and(|stem| stem == "rustc")
            && path.extension().is_none_or(|it| it != "rs")
    });
    let rustc = if wraps {
        arguments.remove(0)
    } else {
        env::var_os("STAND_IN_RUSTC").unwrap_or_else(|| "rustc".into())
    };

    // Questions about versions and targets, and programs from standard input, are not for us.
    let (behind, understood) = match env::var_os("STAND_IN_TOOL") {
        Some(tool) => (tool, of_a_compiler(&arguments)),
        None => (rustc.clone(), arguments.clone()),
    };
    let Some(sources) = sources(&rustc, &understood) else {
        pass_on(&behind, &arguments);
    };
    let krate: Vec<Vec<String>> = sources
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|text| words(&text))
        .collect();
    match find_crash(&krate).filter(|_| crashes_here()) {
        Some(crash) => crash.happen(&behind, &arguments),
        None => pass_on(&behind, &arguments),
    }
}

/// Whether the toolchain in use is one that crashes: any, or one of those in `STAND_IN_TOOLCHAINS`.
fn crashes_here() -> bool {
    let Ok(crashing) = env::var("STAND_IN_TOOLCHAINS") else {
        return true;
    };
    let used = env::var("RUSTUP_TOOLCHAIN").unwrap_or_default();
    crashing.split_whitespace().any(|one| one == used)
}

// ------------------------------------------------------------------------------------------- the compiler behind

fn pass_on(rustc: &OsString, arguments: &[OsString]) -> ! {
    process::exit(exit_code(run(rustc, arguments)))
}

fn run(rustc: &OsString, arguments: &[OsString]) -> ExitStatus {
    match Command::new(rustc).args(arguments).status() {
        Ok(status) => status,
        Err(error) => {
            eprintln!("stand-in: failed to run {}: {error}", rustc.display());
            process::exit(1)
        }
    }
}

fn exit_code(status: ExitStatus) -> i32 {
    // A compiler that really dies of a signal should not look healthy because of us.
    status.code().unwrap_or(101)
}

/// The files of the crate, as rustc finds them after expansion; `None` if nothing is compiled, or if it does not get that far.
fn sources(rustc: &OsString, arguments: &[OsString]) -> Option<Vec<PathBuf>> {
    let is_source =
        |argument: &OsString| Path::new(argument).extension().is_some_and(|it| it == "rs");
    if !arguments.iter().any(is_source) {
        return None;
    }
    let expanded = Command::new(rustc)
        .args(without_outputs(arguments))
        .arg("--emit=dep-info=-")
        .env("RUSTC_ICE", "0")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    if !expanded.status.success() {
        return None;
    }
    let text = String::from_utf8(expanded.stdout).ok()?;
    let files = text.lines().filter_map(|line| {
        // Every file has a line of its own that ends in a colon; spaces in names are escaped.
        let file = line.strip_suffix(':')?;
        Some(PathBuf::from(file.replace("\\ ", " ")))
    });
    Some(files.collect())
}

/// Those of a tool's arguments that a compiler takes too, and that decide which files the crate has.
fn of_a_compiler(arguments: &[OsString]) -> Vec<OsString> {
    const VALUED: [&str; 6] = ["--edition", "--crate-type", "--crate-name", "--cfg", "--extern", "-L"];
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        let name = text.split('=').next().unwrap_or_default();
        if VALUED.contains(&text.as_ref()) {
            kept.extend([argument.clone()].into_iter().chain(rest.next().cloned()));
        } else if VALUED.contains(&name) || text.ends_with(".rs") {
            kept.push(argument.clone());
        }
    }
    kept
}

fn without_outputs(arguments: &[OsString]) -> Vec<&OsString> {
    let mut kept = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_string_lossy();
        if text == "--emit" || text == "-o" || text == "--out-dir" {
            rest.next();
        } else if text == "-C" {
            if let Some(option) = rest.next()
                && !option.to_string_lossy().starts_with("incremental=")
            {
                kept.extend([argument, option]);
            }
        } else if !["--emit=", "--out-dir=", "-Cincremental="]
            .iter()
            .any(|start| text.starts_with(start))
        {
            kept.push(argument);
        }
    }
    kept
}

// ------------------------------------------------------------------------------------------- words

/// The words of a source: names and numbers, punctuation sign by sign, `""` for any string and `''` for any character.
fn words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let (mut words, mut i) = (Vec::new(), 0);
    while i < chars.len() {
        let start = i;
        match chars[i] {
            c if c.is_whitespace() => i += 1,
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && chars[i] != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => {
                i = end_of_string(&chars, i);
                words.push("\"\"".to_owned());
            }
            // A character, or a lifetime.
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => {
                i += if at(i + 1) == '\\' { 3 } else { 2 };
                while i < chars.len() && chars[i] != '\'' {
                    i += 1;
                }
                i += 1;
                words.push("''".to_owned());
            }
            c if is_name(c) => {
                while is_name(at(i)) {
                    i += 1;
                }
                let word: String = chars[start..i].iter().collect();
                let hashes = (i..).take_while(|&j| at(j) == '#').count();
                if matches!(word.as_str(), "r" | "br" | "cr") && at(i + hashes) == '"' {
                    i = end_of_raw_string(&chars, i + hashes + 1, hashes);
                    words.push("\"\"".to_owned());
                } else if matches!(word.as_str(), "b" | "c") && at(i) == '"' {
                    i = end_of_string(&chars, i);
                    words.push("\"\"".to_owned());
                } else {
                    words.push(word);
                }
            }
            c => {
                i += 1;
                words.push(c.to_string());
            }
        }
    }
    words
}

fn end_of_string(chars: &[char], quote: usize) -> usize {
    let mut i = quote + 1;
    while i < chars.len() && chars[i] != '"' {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

fn end_of_raw_string(chars: &[char], mut i: usize, hashes: usize) -> usize {
    while i < chars.len() {
        i += 1;
        if chars[i - 1] == '"' && (i..i + hashes).all(|j| chars.get(j) == Some(&'#')) {
            return i + hashes;
        }
    }
    i
}

/// Where the group that opens at `open` ends: the index of its closing bracket.
fn close(words: &[String], open: usize) -> usize {
    let mut depth = 0usize;
    for (index, word) in words.iter().enumerate().skip(open) {
        match word.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return index;
                }
            }
            _ => {}
        }
    }
    words.len()
}

fn starts_with(words: &[String], pattern: &[&str]) -> bool {
    words.len() >= pattern.len()
        && words
            .iter()
            .zip(pattern)
            .all(|(word, wanted)| word == wanted)
}

/// The body of a block that a keyword starts (`impl … { body }`), with what stands between the two.
fn blocks<'w>(
    words: &'w [String],
    keyword: &'w str,
) -> impl Iterator<Item = (&'w [String], &'w [String])> {
    (0..words.len()).filter_map(move |start| {
        if words[start] != keyword {
            return None;
        }
        let mut open = start + 1;
        while open < words.len() && words[open] != "{" {
            // A declaration without a body, or `impl Trait` somewhere in a signature.
            if matches!(words[open].as_str(), ";" | "}" | ")" | "," | "=") && keyword != "fn" {
                return None;
            }
            if keyword == "fn" && (words[open] == ";" || words[open] == "}") {
                return None;
            }
            open = match words[open].as_str() {
                "(" | "[" => close(words, open) + 1,
                _ => open + 1,
            };
        }
        let end = close(words, open);
        (open < end && end < words.len()).then(|| (&words[start + 1..open], &words[open + 1..end]))
    })
}

// ------------------------------------------------------------------------------------------- crashes

/// What looks like a bug of the compiler.
enum Crash {
    /// A panic at a place in the compiler, with a message and the query stack. Errors of the crate are printed too.
    Panic {
        place: &'static str,
        message: String,
        queries: Vec<String>,
    },
    /// Something that should have been an error; seen only if there is none.
    Delayed {
        place: &'static str,
        message: &'static str,
    },
    /// Death by SIGSEGV.
    Signal,
    /// No end.
    Hang,
    /// Seconds of processor time, and then all is well.
    Slow,
    /// Needs several gigabytes, and with them all is well.
    Greedy,
}

const GENERICS_PLACE: &str = "compiler/rustc_hir_typeck/src/method/probe.rs:412:25";
const RETAIN_PLACE: &str = "compiler/rustc_hir_typeck/src/method/confirm.rs:533:9";
const GUARD_PLACE: &str = "compiler/rustc_mir_build/src/builder/matches/guards.rs:87:20";
const OPAQUE_PLACE: &str = "compiler/rustc_borrowck/src/region_infer/opaque_types.rs:141:33";
const CALLBACK_PLACE: &str = "compiler/rustc_borrowck/src/region_infer/callbacks.rs:59:21";

/// The first crash that the crate shows, in the order in which a compiler would get there.
fn find_crash(krate: &[Vec<String>]) -> Option<Crash> {
    let all = |look: fn(&[String]) -> Option<Crash>| krate.iter().find_map(|words| look(words));
    all(deep_box)
        .or_else(|| all(deep_vec))
        .or_else(|| all(const_endless_loop))
        .or_else(|| all(const_loop))
        .or_else(|| all(drain_in_generic_impl))
        .or_else(|| all(split_in_generic_impl))
        .or_else(|| all(retain_in_generic_impl))
        .or_else(|| all(guard_in_closure))
        .or_else(|| all(opaque_in_trait))
        .or_else(|| all(callback_in_trait))
}

/// `Box<Box<Box<`
fn deep_box(words: &[String]) -> Option<Crash> {
    let nested = ["Box", "<", "Box", "<", "Box", "<"];
    (0..words.len())
        .any(|at| starts_with(&words[at..], &nested))
        .then_some(Crash::Signal)
}

/// `Vec<Vec<Vec<`
fn deep_vec(words: &[String]) -> Option<Crash> {
    let nested = ["Vec", "<", "Vec", "<", "Vec", "<"];
    (0..words.len())
        .any(|at| starts_with(&words[at..], &nested))
        .then_some(Crash::Greedy)
}

/// `const fn` with a `loop` in its body.
fn const_endless_loop(words: &[String]) -> Option<Crash> {
    const_with(words, "loop").then_some(Crash::Slow)
}

/// `const fn` with a `while` in its body.
fn const_loop(words: &[String]) -> Option<Crash> {
    const_with(words, "while").then_some(Crash::Hang)
}

fn const_with(words: &[String], keyword: &str) -> bool {
    (0..words.len())
        .filter(|at| starts_with(&words[*at..], &["const", "fn"]))
        .any(|at| {
            let body = blocks(&words[at + 1..], "fn").next();
            body.is_some_and(|(_, body)| body.iter().any(|word| word == keyword))
        })
}

/// `.drain(..)` in a function of an `impl<…>`
fn drain_in_generic_impl(words: &[String]) -> Option<Crash> {
    let function = in_generic_impl(words, &[".", "drain", "(", ".", ".", ")"])?;
    Some(Crash::Panic {
        place: GENERICS_PLACE,
        message: "called `Option::unwrap()` on a `None` value".to_owned(),
        queries: vec![
            format!("[typeck] type-checking `<impl>::{function}`"),
            "[analysis] running analysis passes on crate".to_owned(),
        ],
    })
}

/// `.split_off(` in a function of an `impl<…>`: the same message from the same place, on another way.
fn split_in_generic_impl(words: &[String]) -> Option<Crash> {
    let function = in_generic_impl(words, &[".", "split_off", "("])?;
    Some(Crash::Panic {
        place: GENERICS_PLACE,
        message: "called `Option::unwrap()` on a `None` value".to_owned(),
        queries: vec![
            format!("[mir_borrowck] borrow-checking `<impl>::{function}`"),
            "[analysis] running analysis passes on crate".to_owned(),
        ],
    })
}

/// `.retain(` in a function of an `impl<…>`: the same message from another place.
fn retain_in_generic_impl(words: &[String]) -> Option<Crash> {
    let function = in_generic_impl(words, &[".", "retain", "("])?;
    Some(Crash::Panic {
        place: RETAIN_PLACE,
        message: "called `Option::unwrap()` on a `None` value".to_owned(),
        queries: vec![
            format!("[typeck] type-checking `<impl>::{function}`"),
            "[analysis] running analysis passes on crate".to_owned(),
        ],
    })
}

/// The name of the function in which the pattern stands.
fn in_generic_impl(words: &[String], pattern: &[&str]) -> Option<String> {
    blocks(words, "impl")
        .filter(|(header, _)| header.first().is_some_and(|word| word == "<"))
        .flat_map(|(_, items)| blocks(items, "fn"))
        .find(|(_, body)| (0..body.len()).any(|at| starts_with(&body[at..], pattern)))
        .map(|(signature, _)| signature[0].clone())
}

/// A closure whose body is a `match` with a guard; the message has the number of arms in it.
fn guard_in_closure(words: &[String]) -> Option<Crash> {
    (0..words.len()).find_map(|at| {
        if !starts_with(&words[at..], &["|", "match"]) {
            return None;
        }
        let (_, arms) = blocks(&words[at..], "match").next()?;
        let arrow = |index: &usize| starts_with(&arms[*index..], &["=", ">"]);
        let count = (0..arms.len()).filter(arrow).count();
        let guarded = arms.iter().any(|word| word == "if");
        guarded.then(|| Crash::Panic {
            place: GUARD_PLACE,
            message: format!("index out of bounds: the len is {count} but the index is {count}"),
            queries: vec![
                "[mir_built] building MIR for `{closure#0}`".to_owned(),
                "[mir_borrowck] borrow-checking `{closure#0}`".to_owned(),
                "[analysis] running analysis passes on crate".to_owned(),
            ],
        })
    })
}

/// A function of a trait that has a body and returns `impl …`.
fn opaque_in_trait(words: &[String]) -> Option<Crash> {
    default_function(words, |signature| {
        (0..signature.len()).any(|at| starts_with(&signature[at..], &["-", ">", "impl"]))
    })
    .then_some(Crash::Delayed {
        place: OPAQUE_PLACE,
        message: "opaque type with non-universal region args",
    })
}

/// A function of a trait that has a body and takes a function as `impl Fn`: the same message, delayed elsewhere.
fn callback_in_trait(words: &[String]) -> Option<Crash> {
    default_function(words, |signature| {
        (0..signature.len()).any(|at| starts_with(&signature[at..], &["impl", "Fn", "("]))
    })
    .then_some(Crash::Delayed {
        place: CALLBACK_PLACE,
        message: "opaque type with non-universal region args",
    })
}

fn default_function(words: &[String], wanted: fn(&[String]) -> bool) -> bool {
    blocks(words, "trait")
        .flat_map(|(_, items)| blocks(items, "fn"))
        .any(|(signature, _)| wanted(signature))
}

impl Crash {
    fn happen(self, rustc: &OsString, arguments: &[OsString]) -> ! {
        match self {
            Crash::Signal => {
                eprintln!("error: rustc interrupted by SIGSEGV, printing backtrace\n");
                eprintln!("note: rustc unexpectedly overflowed its stack! this is a bug");
                eprintln!(
                    "note: we would appreciate a report at https://github.com/rust-lang/rust"
                );
                die_of_segmentation_fault()
            }
            Crash::Slow => {
                let start = std::time::Instant::now();
                while start.elapsed() < Duration::from_secs(6) {
                    std::hint::spin_loop();
                }
                pass_on(rustc, arguments)
            }
            Crash::Greedy => {
                // Never touched, so no memory is taken where there is no limit.
                let room: Vec<u8> = Vec::with_capacity(16 << 30);
                std::hint::black_box(&room);
                pass_on(rustc, arguments)
            }
            Crash::Hang => loop {
                std::thread::sleep(Duration::from_secs(3600));
            },
            Crash::Panic {
                place,
                message,
                queries,
            } => {
                // Errors come first, as they do when another function is checked before the one that crashes.
                run(rustc, arguments);
                let compiler = Compiler::ask(rustc);
                eprintln!(
                    "\nthread 'rustc' ({}) panicked at /rustc-dev/{}/{place}:\n{message}",
                    process::id(),
                    compiler.commit
                );
                eprintln!(
                    "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"
                );
                eprintln!("error: the compiler unexpectedly panicked. This is a bug\n");
                compiler.report(arguments, &queries);
                process::exit(101)
            }
            Crash::Delayed { place, message } => {
                let status = run(rustc, arguments);
                if !status.success() {
                    process::exit(exit_code(status));
                }
                let compiler = Compiler::ask(rustc);
                let delayed = format!(
                    "delayed at /rustc-dev/{}/{place} - disabled backtrace",
                    compiler.commit
                );
                let format = Format::of(arguments);
                let (first, second) = DELAYED_NOTES;
                format.print("note", first, None);
                format.print("note", second, None);
                format.print("error: internal compiler error", message, Some(&delayed));
                compiler.report(arguments, &[]);
                process::exit(101)
            }
        }
    }
}

const DELAYED_NOTES: (&str, &str) = (
    "no errors encountered even though delayed bugs were created",
    "those delayed bugs will now be shown as internal compiler errors",
);

/// How rustc was told to print diagnostics.
struct Format {
    json: bool,
    colour: bool,
}

impl Format {
    fn of(arguments: &[OsString]) -> Format {
        let says = |wanted: &str| {
            arguments
                .iter()
                .any(|it| it.to_string_lossy().contains(wanted))
        };
        Format {
            json: says("error-format=json")
                || arguments
                    .windows(2)
                    .any(|pair| pair[0] == "--error-format" && pair[1] == "json"),
            colour: says("diagnostic-rendered-ansi"),
        }
    }

    /// Prints a diagnostic, with a note below it if there is one. Neither text has anything in it that JSON escapes.
    fn print(&self, level: &str, message: &str, note: Option<&str>) {
        let below = note
            .map(|note| format!("\n  |\n  = note: {note}"))
            .unwrap_or_default();
        if !self.json {
            eprintln!("{level}: {message}{below}\n");
            return;
        }
        let (bold, plain) = if self.colour {
            ("\\u001b[1m", "\\u001b[0m")
        } else {
            ("", "")
        };
        let rendered = format!(
            "{bold}{level}{plain}{bold}: {message}{plain}{}\\n\\n",
            below.replace('\n', "\\n")
        );
        let children = note.map(|note| {
            format!("{{\"message\":\"{note}\",\"code\":null,\"level\":\"note\",\"spans\":[],\"children\":[],\"rendered\":null}}")
        });
        eprintln!(
            "{{\"$message_type\":\"diagnostic\",\"message\":\"{message}\",\"code\":null,\"level\":\"{level}\",\
             \"spans\":[],\"children\":[{}],\"rendered\":\"{rendered}\"}}",
            children.unwrap_or_default()
        );
    }
}

/// What a report says of the compiler.
struct Compiler {
    version: String,
    commit: String,
    host: String,
}

impl Compiler {
    fn ask(rustc: &OsString) -> Compiler {
        let output = Command::new(rustc).arg("-vV").output();
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let text = text.unwrap_or_default();
        let field = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name));
            value.unwrap_or("unknown").trim().to_owned()
        };
        Compiler {
            version: text.lines().next().unwrap_or("rustc").to_owned(),
            commit: field("commit-hash:"),
            host: field("host:"),
        }
    }

    fn report(&self, arguments: &[OsString], queries: &[String]) {
        eprintln!(
            "note: we would appreciate a bug report: \
             https://github.com/rust-lang/rust/issues/new?labels=C-bug%2C+I-ICE%2C+T-compiler&template=ice.md\n"
        );
        self.write_file();
        eprintln!("note: {} running on {}\n", self.version, self.host);
        let mut flags = String::new();
        for pair in arguments.windows(2) {
            if pair[0] == "--crate-type" {
                flags = format!(" --crate-type {}", pair[1].display());
            }
        }
        eprintln!("note: compiler flags:{flags}\n");
        eprintln!("query stack during panic:");
        for (index, query) in queries.iter().enumerate() {
            eprintln!("#{index} {query}");
        }
        eprintln!("end of query stack");
    }

    /// As rustc does on nightly: a file in the current directory, unless `RUSTC_ICE` says no or says where.
    fn write_file(&self) {
        let directory = match env::var("RUSTC_ICE") {
            Ok(value) if value == "0" => return,
            Ok(value) => PathBuf::from(value),
            Err(_) => PathBuf::from("."),
        };
        let path = directory.join(format!(
            "rustc-ice-2026-01-01T00_00_00-{}.txt",
            process::id()
        ));
        if fs::write(&path, format!("{}\n", self.version)).is_ok() {
            eprintln!(
                "note: please attach the file at `{}` to your bug report\n",
                path.display()
            );
        }
    }
}

#[cfg(unix)]
fn die_of_segmentation_fault() -> ! {
    unsafe extern "C" {
        fn signal(number: i32, action: usize) -> usize;
        fn raise(number: i32) -> i32;
    }
    const SIGSEGV: i32 = 11;
    // SAFETY: both are functions of the C library that take numbers; 0 is the default action, which is to die. Without
    // it the handler that the standard library installs for stack overflows would return here.
    unsafe {
        signal(SIGSEGV, 0);
        raise(SIGSEGV);
    }
    process::abort()
}

#[cfg(not(unix))]
fn die_of_segmentation_fault() -> ! {
    process::abort()
}
