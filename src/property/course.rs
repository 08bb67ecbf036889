//! The course that a run took to its panic: the functions of the subject that it was in. What comes to the same panic through other
//! functions fails for another reason. Knows how it is seen and compared; not what failed.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use object::{Object, ObjectSymbol, SymbolKind};

use super::preload::Preload;
use super::replayed::Replayed;
use crate::build::{Executable, Unit};
use crate::exec::Cancel;
use crate::report::Failure;
use crate::subject::Subject;
use crate::subject::place::removed;
use crate::syntax::lexer::TokenKind;

/// Writes down where a panic came from as it starts to unwind. The runtime's own backtraces read the debug information of all
/// libraries that are loaded, which takes longer than the rest of the run.
const SOURCE: &str = r#"
use std::ffi::{c_char, c_int, c_void};
use std::fmt::Write as _;
use std::io::Write as _;

unsafe extern "C" {
    fn dlsym(handle: *mut c_void, symbol: *const c_char) -> *mut c_void;
    fn dl_iterate_phdr(each: extern "C" fn(*const usize, usize, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_Backtrace(each: extern "C" fn(*mut c_void, *mut c_void) -> c_int, data: *mut c_void) -> c_int;
    fn _Unwind_GetIP(context: *mut c_void) -> usize;
}

/// The program itself comes first; its first field is what its addresses were moved by.
extern "C" fn moved_by(object: *const usize, _size: usize, data: *mut c_void) -> c_int {
    unsafe { *data.cast::<usize>() = *object };
    1
}

extern "C" fn frame(context: *mut c_void, data: *mut c_void) -> c_int {
    let found = unsafe { &mut *data.cast::<Vec<usize>>() };
    found.push(unsafe { _Unwind_GetIP(context) });
    if found.len() < FRAMES { 0 } else { 5 }
}

fn write_down() {
    let mut base = 0usize;
    let mut found: Vec<usize> = Vec::new();
    unsafe {
        dl_iterate_phdr(moved_by, (&raw mut base).cast());
        _Unwind_Backtrace(frame, (&raw mut found).cast());
    }
    let mut line = String::new();
    for address in found {
        // What was called returns behind the call.
        let _ = write!(line, "{} ", address.wrapping_sub(base).wrapping_sub(1));
    }
    line.push('\n');
    if let Ok(mut file) = std::fs::OpenOptions::new().append(true).create(true).open(PATH) {
        let _ = file.write_all(line.as_bytes());
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn _Unwind_RaiseException(exception: *mut c_void) -> c_int {
    write_down();
    // The next one: that of the library which has it by rights.
    let next = unsafe { dlsym(usize::MAX as *mut c_void, c"_Unwind_RaiseException".as_ptr()) };
    let next: extern "C-unwind" fn(*mut c_void) -> c_int = unsafe { std::mem::transmute(next) };
    next(exception)
}
"#;

/// The library made of it.
const LIBRARY: &str = "course";

/// The innermost frames that are looked at.
const FRAMES: usize = 256;

/// What sees courses.
#[derive(Debug)]
pub struct Watch {
    library: Preload,
    written: PathBuf,
    /// Names of the crates that are the subject's.
    crates: HashSet<String>,
}

impl Watch {
    /// `None` where courses cannot be seen: on another system than Linux, or where functions are optimised away.
    ///
    /// # Errors
    ///
    /// When files cannot be written.
    pub fn of(replayed: &Replayed, cancel: &Cancel) -> Result<Option<Watch>, Failure> {
        let units = &replayed.captured().units;
        let own = || {
            let units = replayed.units().iter().map(|at| &units[*at]);
            units.filter(|unit| unit.own)
        };
        // What is optimised has functions inside one another, today these and tomorrow those.
        if own().any(Unit::is_optimised) {
            return Ok(None);
        }
        let written = replayed.directory().join(format!("{LIBRARY}.txt"));
        let source =
            format!("const PATH: &str = {written:?}; const FRAMES: usize = {FRAMES};\n{SOURCE}");
        let library = Preload::compiled(replayed, LIBRARY, &source, cancel)?;
        Ok(library.map(|library| Watch {
            library,
            written,
            crates: own().map(|unit| unit.crate_name.clone()).collect(),
        }))
    }

    /// `executable` as it has to be run; forgets what was seen.
    ///
    /// # Errors
    ///
    /// When what was written cannot be removed.
    pub fn watching(&self, executable: &Executable) -> Result<Executable, Failure> {
        removed(&self.written).map_err(Failure::io("removing", &self.written))?;
        Ok(self.library.loaded_by(executable))
    }

    /// The way that the panic number `at`, of `all` that the last run of `executable` told of, came; `None` if there was no panic, or
    /// nothing is known of it.
    pub fn seen(&self, executable: &Executable, (at, all): (usize, usize)) -> Option<Way> {
        let written = fs::read_to_string(&self.written).ok()?;
        // Those that nobody is told of unwind as well; the first is told of before it does.
        if at > 0 && written.lines().count() != all {
            return None;
        }
        let addresses: Vec<u64> = written
            .lines()
            .nth(at)?
            .split_whitespace()
            .map_while(|word| word.parse().ok())
            .collect();
        let symbols = symbols(&executable.path, &addresses)?;
        let outermost_first = symbols.iter().rev().map(String::as_str);
        Some(Way::of(outermost_first, &self.crates))
    }
}

/// The functions of the subject's crates that a panic came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Way {
    /// Each once, the outermost first.
    names: Vec<String>,
    /// Those that called themselves, maybe through others.
    recursive: BTreeSet<String>,
}

impl Way {
    /// That through what the `symbols` name, the outermost first. What stands in a closure was called by others.
    fn of<'s>(symbols: impl Iterator<Item = &'s str>, crates: &HashSet<String>) -> Way {
        let mut way = Way::default();
        let mut before = HashSet::new();
        for symbol in symbols {
            let Some((function, name)) = own_function(symbol, crates) else {
                continue;
            };
            if !way.names.iter().any(|known| known == name) {
                way.names.push(name.to_string());
            }
            if !before.insert(function) {
                way.recursive.insert(name.to_string());
            }
        }
        way
    }
}

/// The names of what stands at `addresses` in the executable `path`.
fn symbols(path: &Path, addresses: &[u64]) -> Option<Vec<String>> {
    let bytes = fs::read(path).ok()?;
    let file = object::File::parse(&*bytes).ok()?;
    let mut found = vec![None; addresses.len()];
    for symbol in file
        .symbols()
        .filter(|symbol| symbol.kind() == SymbolKind::Text)
    {
        let range = symbol.address()..symbol.address() + symbol.size();
        for (address, name) in addresses.iter().zip(&mut found) {
            if range.contains(address) {
                *name = symbol.name().ok();
            }
        }
    }
    let names = found.into_iter().flatten();
    Some(
        names
            .map(|name| format!("{:#}", rustc_demangle::demangle(name)))
            .collect(),
    )
}

/// The function that `symbol` is, without arguments for its type parameters, and its name, if it, its type or its trait is one of
/// `crates`.
fn own_function<'s>(symbol: &'s str, crates: &HashSet<String>) -> Option<(&'s str, &'s str)> {
    let segments = split(symbol, "::");
    let first = *segments.first()?;
    let is_own = |path: &str| crates.contains(split(path, "::")[0]);
    let whose = match first
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'))
    {
        Some(inner) => split(inner, " as ").into_iter().any(is_own),
        None => is_own(first),
    };
    let is_closure = segments.iter().any(|segment| segment.starts_with('{'));
    if !whose || is_closure {
        return None;
    }
    let name = *segments[1..]
        .iter()
        .rfind(|segment| !segment.starts_with('<'))?;
    let end = name.as_ptr().addr() - symbol.as_ptr().addr() + name.len();
    Some((&symbol[..end], name))
}

/// `text` split at each `at` that is in no brackets.
fn split<'t>(text: &'t str, at: &str) -> Vec<&'t str> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    let mut before = ' ';
    for (offset, letter) in text.char_indices() {
        if depth == 0 && offset >= from && offset > 0 && text[offset..].starts_with(at) {
            found.push(&text[from..offset]);
            from = offset + at.len();
        }
        match letter {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        before = letter;
    }
    found.push(&text[from.min(text.len())..]);
    found
}

/// The course that the original took.
#[derive(Debug, Clone)]
pub struct Course {
    /// Functions that the original has.
    known: HashSet<String>,
    way: Way,
}

impl Course {
    /// That which `subject` takes on this `way`.
    pub fn of(subject: &Subject, way: Way) -> Course {
        let mut known = HashSet::new();
        for (_, file, tree) in subject.sources() {
            let tokens = tree.tokens();
            let mut inlined = false;
            for (at, token) in tokens.iter().enumerate() {
                match &file.source()[token.range()] {
                    "always" => inlined = true,
                    "fn" => {
                        let name = tokens.get(at + 1);
                        let name = name.filter(|name| name.kind == TokenKind::Ident);
                        // Whether it is a call depends on an attribute.
                        if let Some(name) = name.filter(|_| !inlined) {
                            known.insert(file.source()[name.range()].to_string());
                        }
                        inlined = false;
                    }
                    _ => {}
                }
            }
        }
        Course { known, way }
    }

    /// Whether a panic that came this `way` took this course. It may leave functions out, which are inlined or handed something on
    /// and are gone; those count that the original has. Where functions call themselves, one of them goes on doing so.
    pub fn is_taken_by(&self, way: &Way) -> bool {
        let mut rest = self.way.names.iter();
        let mut known = way.names.iter().filter(|name| self.known.contains(*name));
        let recursive = self.way.recursive.iter();
        let mut recursive = recursive.filter(|name| way.names.contains(name)).peekable();
        let goes_on =
            recursive.peek().is_none() || recursive.any(|name| way.recursive.contains(name));
        goes_on && known.all(|name| rest.any(|expected| expected == name))
    }

    /// The function that it was in last.
    pub fn innermost(&self) -> Option<&str> {
        self.way.names.last().map(String::as_str)
    }

    /// Whether it tells anything.
    pub fn is_known(&self) -> bool {
        !self.way.names.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_known_by_its_last_name() {
        let crates: HashSet<String> = ["lru".to_string(), "repro".to_string()].into();
        for (symbol, function) in [
            ("repro::a", Some(("repro::a", "a"))),
            ("repro::m::a::{closure#0}", None),
            (
                "lru::get::<u8, fn(u8) -> lru::Key>",
                Some(("lru::get", "get")),
            ),
            (
                "<lru::Cache<K, V>>::get",
                Some(("<lru::Cache<K, V>>::get", "get")),
            ),
            (
                "lru::Cache<K,V>::get",
                Some(("lru::Cache<K,V>::get", "get")),
            ),
            (
                "<lru::Cache as core::clone::Clone>::clone",
                Some(("<lru::Cache as core::clone::Clone>::clone", "clone")),
            ),
            (
                "<alloc::vec::Vec<u8> as lru::Sum>::sum::<u8>",
                Some(("<alloc::vec::Vec<u8> as lru::Sum>::sum", "sum")),
            ),
            (
                "<core::iter::Map<I, lru::F> as core::iter::Iterator>::next",
                None,
            ),
            ("core::option::unwrap_failed", None),
            ("hashbrown::raw::get", None),
            ("main", None),
        ] {
            assert_eq!(own_function(symbol, &crates), function, "{symbol}");
        }
    }

    fn way(symbols: &str) -> Way {
        let symbols: Vec<String> = symbols
            .split(' ')
            .map(|name| format!("k::{name}"))
            .collect();
        Way::of(
            symbols.iter().map(String::as_str),
            &["k".to_string()].into(),
        )
    }

    fn course(names: &str) -> Course {
        let text = "#[test] fn t() {} fn a() {} fn b() {} fn c() {} #[inline(always)] fn d() {} m!(fn e() {});";
        let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
        Course::of(&subject, way(names))
    }

    /// Asserts of each way whether it takes the course through the functions `names`.
    fn assert_taken<const N: usize>(names: &str, ways: [(&str, bool); N]) {
        let course = course(names);
        for (seen, taken) in ways {
            assert_eq!(course.is_taken_by(&way(seen)), taken, "{seen}");
        }
    }

    #[test]
    fn a_course_may_leave_functions_out_and_enter_no_others() {
        let ways = [
            ("t a c", true),
            ("t c", true),
            ("a c", true),
            ("t a_of_m c", true),
            ("t a d c", true),
            ("t b c", false),
            ("t e c", false),
            ("t c a", false),
        ];
        assert_taken("t a c", ways);
    }

    #[test]
    fn what_calls_itself_goes_on_doing_so() {
        let ways = [
            ("t a b a c", true),
            ("t a b a b c", true),
            ("t a a c", true),
            ("t a b c", false),
            ("t a c", false),
            ("t c", true),
            ("t a b a_of_m b c", true),
            ("t b c", false),
        ];
        assert_taken("t a b a b a c", ways);
    }
}
