//! The crate that probes call: it writes down each probe's number the first time it is hit, and each
//! call the first time it is made, at once, so that what ran is known however the program ends. Switches ask it whether they
//! are off, conditions whether they are to say the opposite, and it counts the steps of a run that may not end.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::own_crate;
use super::replayed::Replayed;
use crate::build::{Addition, Extern};
use crate::exec::Cancel;
use crate::report::Failure;
use crate::subject::place::removed;
use crate::subject::{PROBE_CALL, PROBE_CRATE as CRATE, PROBE_LATE, PROBE_MARK};

/// The compiled crate and the file that it writes to.
#[derive(Debug)]
pub struct Probe {
    library: PathBuf,
    hits: PathBuf,
    turns: PathBuf,
    switches: PathBuf,
    types: PathBuf,
    values: PathBuf,
}

/// What a run is told to do otherwise than the text says.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'s> {
    /// The switches that are off.
    pub off: &'s [usize],
    /// At which of its evaluations a condition that is off says the opposite, and a number is another one.
    pub evaluation: Evaluation,
    /// What literals say instead, by their switches: the bytes of a string, the eight of a number, the least first.
    pub values: &'s [(usize, Vec<u8>)],
    /// The run ends with an abort at the first power of two of at least so many steps.
    pub most: u64,
    /// Time that the run may take, if that is more than the test may.
    pub patience: Duration,
    /// A failure behind the one that is sought counts as none: that one has been passed.
    pub behind_is_fine: bool,
}

impl<'s> Setting<'s> {
    /// With these switches off.
    pub fn without(off: &'s [usize], most: u64) -> Setting<'s> {
        Setting {
            off,
            evaluation: Evaluation::From(0),
            values: &[],
            most,
            patience: Duration::ZERO,
            behind_is_fine: true,
        }
    }
}

/// At which of its evaluations a condition that is off says the opposite, and a number is another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Evaluation {
    /// At all but the first so many, which are fewer than [`EVALUATIONS`].
    From(u8),
    /// At the one that so many come before, fewer than [`EVALUATIONS`].
    Only(u8),
    /// At none: the first of all, [`EVALUATIONS`] of each, are written down instead.
    Told,
}

/// So many evaluations of each are told apart.
pub const EVALUATIONS: u8 = 16;

/// Its source. Switches are read from a file when the first is asked for, and steps are told whenever there are twice as many. The
/// file's name is part of it: asking the environment would allocate, and an allocator may be what is probed. What literals say is
/// read into memory that is allocated: no allocator asks a test for its inputs. No number is written twice, so a probe in what
/// writing calls ends the recursion.
const SOURCE: &str = r#"
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::sync::{Once, OnceLock};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicU8, AtomicUsize, Ordering};

const PROBES: usize = 1 << 20;
static SEEN: [AtomicBool; PROBES] = [const { AtomicBool::new(false) }; PROBES];
static OUT: OnceLock<Option<File>> = OnceLock::new();

#[inline]
pub fn hit(probe: usize) {
    if probe < PROBES {
        turns::hit(probe);
    }
    if probe < PROBES && !SEEN[probe].load(Ordering::Relaxed) && !SEEN[probe].swap(true, Ordering::Relaxed) {
        write(&[probe]);
    }
}

/// When each probe was hit last, in a file that is part of the memory: it is there however the program ends.
#[cfg(all(unix, target_pointer_width = "64"))]
mod turns {
    use std::fs::OpenOptions;
    use std::os::fd::AsRawFd;
    use std::ptr;
    use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

    extern "C" {
        fn mmap(at: *mut u8, length: usize, protection: i32, flags: i32, file: i32, offset: i64) -> *mut u8;
    }
    const READ_AND_WRITE: i32 = 3;
    const SHARED: i32 = 1;

    static PLACES: AtomicPtr<AtomicU64> = AtomicPtr::new(ptr::null_mut());
    static ASKED: AtomicBool = AtomicBool::new(false);
    static TURN: AtomicU64 = AtomicU64::new(0);

    #[inline]
    pub fn hit(probe: usize) {
        let places = PLACES.load(Ordering::Relaxed);
        let places = if places.is_null() { ready() } else { places };
        if !places.is_null() {
            // Two threads may have the same turn: what counts is about when it was.
            let turn = TURN.load(Ordering::Relaxed) + 1;
            TURN.store(turn, Ordering::Relaxed);
            unsafe { (*places.add(probe)).store(turn, Ordering::Relaxed) };
        }
    }

    #[cold]
    fn ready() -> *mut AtomicU64 {
        // What opens the file may be probed itself.
        if ASKED.swap(true, Ordering::Relaxed) {
            return ptr::null_mut();
        }
        let length = super::PROBES * 8;
        let Ok(file) = OpenOptions::new().read(true).write(true).create(true).open(super::TURNS) else {
            return ptr::null_mut();
        };
        if file.set_len(length as u64).is_err() {
            return ptr::null_mut();
        }
        let places = unsafe { mmap(ptr::null_mut(), length, READ_AND_WRITE, SHARED, file.as_raw_fd(), 0) };
        if places as isize != -1 {
            PLACES.store(places.cast(), Ordering::Relaxed);
        }
        PLACES.load(Ordering::Relaxed)
    }
}

#[cfg(not(all(unix, target_pointer_width = "64")))]
mod turns {
    pub fn hit(_probe: usize) {}
}

const CALLS: usize = 1 << 16;
/// A table of calls, each at or right behind the place of its hash. What finds no room is not told.
static MADE: [AtomicU64; CALLS] = [const { AtomicU64::new(u64::MAX) }; CALLS];

thread_local! {
    /// The body that runs; a number that no probe has where none does.
    static CURRENT: Cell<usize> = const { Cell::new(CALL - 1) };
}

/// A call that has not returned yet.
pub struct Call(usize);

/// Says that a body begins to run, and on whose call.
#[inline]
pub fn enter(probe: usize) -> Call {
    let caller = CURRENT.replace(probe);
    let call = (caller as u64) << 32 | probe as u64;
    let place = (call.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 48) as usize;
    for place in (place..place + 8).map(|place| &MADE[place % CALLS]) {
        let mut there = place.load(Ordering::Relaxed);
        if there == u64::MAX {
            match place.compare_exchange(there, call, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => {
                    write(&[caller | CALL, probe]);
                    break;
                }
                Err(other) => there = other,
            }
        }
        if there == call {
            break;
        }
    }
    hit(probe);
    Call(caller)
}

impl Drop for Call {
    #[inline]
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// Says that the program comes by here: what was hit before counts as new from now on.
pub fn mark(number: usize) {
    if MARKS.fetch_add(1, Ordering::Relaxed) < 4096 {
        SEEN.iter().for_each(|seen| seen.store(false, Ordering::Relaxed));
        write(&[number | MARK]);
    }
}

static MARKS: AtomicUsize = AtomicUsize::new(0);

const ANSWERS: usize = 1 << 14;
/// A table of answers, each at or right behind the place of its hash. What finds no room is told again and again.
static TOLD: [AtomicU64; ANSWERS] = [const { AtomicU64::new(0) }; ANSWERS];
static NAMES: OnceLock<Option<File>> = OnceLock::new();

/// Tells what type this is where the question stands.
pub fn is<T: ?Sized>(question: usize) {
    let name = std::any::type_name::<T>();
    let hash = (question as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ name.as_ptr() as u64;
    let place = (hash.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 50) as usize;
    for place in (place..place + 8).map(|place| &TOLD[place % ANSWERS]) {
        let there = place.load(Ordering::Relaxed);
        if there == hash {
            return;
        }
        if there == 0 && place.compare_exchange(0, hash, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            break;
        }
    }
    // In one piece: another thread may write at the same time.
    let mut bytes = [0; LONGEST + 8];
    let told = &name.as_bytes()[..name.len().min(LONGEST)];
    bytes[..4].copy_from_slice(&(question as u32).to_le_bytes());
    bytes[4..8].copy_from_slice(&(told.len() as u32).to_le_bytes());
    bytes[8..8 + told.len()].copy_from_slice(told);
    let out = NAMES.get_or_init(|| OpenOptions::new().append(true).create(true).open(TYPES).ok());
    if let Some(mut file) = out.as_ref() {
        let _ = file.write_all(&bytes[..8 + told.len()]);
    }
}

/// A name that is longer is none that anybody would write.
const LONGEST: usize = 1000;

static STEPS: AtomicU64 = AtomicU64::new(0);
/// As many as a program may take that is to end.
static MOST: AtomicU64 = AtomicU64::new(u64::MAX);
static OFF: [AtomicBool; PROBES] = [const { AtomicBool::new(false) }; PROBES];
static READ: Once = Once::new();

/// Counts a turn of a loop, or a call.
#[inline]
pub fn step() {
    // Two threads may count one step for two: what counts is how many there are about.
    let steps = STEPS.load(Ordering::Relaxed) + 1;
    STEPS.store(steps, Ordering::Relaxed);
    if steps.is_power_of_two() {
        count(steps);
    }
}

#[cold]
fn count(steps: u64) {
    READ.call_once(read);
    write(&[steps.trailing_zeros() as usize]);
    if steps >= MOST.load(Ordering::Relaxed) {
        std::process::abort();
    }
}

/// Whether what has this number is to run.
#[inline]
pub fn is_on(switch: usize) -> bool {
    !is_off(switch)
}

/// Whether what has this number is not to run.
#[inline]
pub fn is_off(switch: usize) -> bool {
    READ.call_once(read);
    switch < PROBES && OFF[switch].load(Ordering::Relaxed)
}

/// `value`, or the opposite in those evaluations in which that is wanted of what has this number.
#[inline]
pub fn turned(switch: usize, value: bool) -> bool {
    value != is_changed(switch)
}

/// `value`, or one more in those.
#[inline]
pub fn more<N: Number>(switch: usize, value: N) -> N {
    if is_changed(switch) { value.next() } else { value }
}

/// `value`, or one less in those.
#[inline]
pub fn less<N: Number>(switch: usize, value: N) -> N {
    if is_changed(switch) { value.previous() } else { value }
}

/// Whether what has this number is off, and this is an evaluation in which that is wanted. If there are none, the first of each are
/// told instead.
#[inline]
fn is_changed(switch: usize) -> bool {
    READ.call_once(read);
    let (first, end) = (FIRST.load(Ordering::Relaxed), END.load(Ordering::Relaxed));
    let tells = first == end;
    if switch >= PROBES || !tells && !is_off(switch) {
        return false;
    }
    // Two threads may count one evaluation for two.
    let evaluation = EVALUATED[switch].load(Ordering::Relaxed);
    if evaluation < EVALUATIONS {
        EVALUATED[switch].store(evaluation + 1, Ordering::Relaxed);
        if tells {
            write(&[switch | MARK]);
        }
    }
    first <= evaluation && evaluation < end
}

/// The evaluations in which conditions say the opposite, and numbers are others.
static FIRST: AtomicU8 = AtomicU8::new(0);
static END: AtomicU8 = AtomicU8::new(u8::MAX);
static EVALUATED: [AtomicU8; PROBES] = [const { AtomicU8::new(0) }; PROBES];

static VALUES: OnceLock<Vec<u8>> = OnceLock::new();

/// What the literal of this number says instead, if it is to say something else.
fn value(switch: usize) -> Option<&'static [u8]> {
    let mut rest = &VALUES.get_or_init(|| std::fs::read(GIVEN).unwrap_or_default())[..];
    while rest.len() >= 8 {
        let number = |at: usize| u32::from_le_bytes([rest[at], rest[at + 1], rest[at + 2], rest[at + 3]]) as usize;
        let (own, end) = (number(0), 8 + number(4));
        let bytes = rest.get(8..end)?;
        if own == switch {
            return Some(bytes);
        }
        rest = &rest[end..];
    }
    None
}

/// `usual`, or what the string of this number says instead.
pub fn text(switch: usize, usual: &'static str) -> &'static str {
    value(switch).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or(usual)
}

/// The same for bytes.
pub fn bytes(switch: usize, usual: &'static [u8]) -> &'static [u8] {
    value(switch).unwrap_or(usual)
}

/// The same for a number.
pub fn number<N: Number>(switch: usize, usual: N) -> N {
    let mut number = [0; 8];
    match value(switch) {
        Some(bytes) if bytes.len() == 8 => {
            number.copy_from_slice(bytes);
            N::of(u64::from_le_bytes(number))
        }
        _ => usual,
    }
}

/// What a whole number may be.
pub trait Number {
    fn of(value: u64) -> Self;
    fn next(self) -> Self;
    fn previous(self) -> Self;
}

macro_rules! numbers {
    ($($name:ident)*) => {
        $(impl Number for $name {
            fn of(value: u64) -> $name { value as $name }
            fn next(self) -> $name { self.wrapping_add(1) }
            fn previous(self) -> $name { self.wrapping_sub(1) }
        })*
    };
}

numbers! { u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

#[cold]
fn read() {
    let Ok(mut file) = File::open(SWITCHES) else { return };
    let mut number = [0; 8];
    if file.read_exact(&mut number).is_ok() {
        MOST.store(u64::from_le_bytes(number), Ordering::Relaxed);
    }
    let mut turned = [0; 2];
    if file.read_exact(&mut turned).is_ok() {
        FIRST.store(turned[0], Ordering::Relaxed);
        END.store(turned[1], Ordering::Relaxed);
    }
    let mut numbers = [0; 4096];
    while let Ok(read @ 1..) = file.read(&mut numbers) {
        for number in numbers[..read].chunks_exact(4) {
            let switch = u32::from_le_bytes([number[0], number[1], number[2], number[3]]) as usize;
            if switch < PROBES {
                OFF[switch].store(true, Ordering::Relaxed);
            }
        }
    }
}

#[cold]
fn write(words: &[usize]) {
    // In one piece: another thread may write at the same time.
    let mut bytes = [0; 8];
    for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
        place.copy_from_slice(&(*word as u32).to_le_bytes());
    }
    let out = OUT.get_or_init(|| OpenOptions::new().append(true).create(true).open(PATH).ok());
    if let Some(mut file) = out.as_ref() {
        let _ = file.write_all(&bytes[..words.len() * 4]);
    }
}
"#;

impl Probe {
    /// Compiles the crate for what `replayed` compiles.
    ///
    /// # Errors
    ///
    /// When its files cannot be written or rustc does not take it.
    pub fn compiled(replayed: &Replayed, cancel: &Cancel) -> Result<Probe, Failure> {
        let directory = replayed.directory().join("probe");
        fs::create_dir_all(&directory).map_err(Failure::io("creating", &directory))?;
        let [hits, turns, switches, types, values] =
            ["hits", "turns", "switches", "types", "values"].map(|name| directory.join(name));
        let text = format!(
            "const PATH: &str = {hits:?}; const TURNS: &str = {turns:?}; const SWITCHES: &str = {switches:?}; const TYPES: &str = {types:?}; const GIVEN: &str = {values:?}; const CALL: usize = {PROBE_CALL}; const MARK: usize = {PROBE_MARK}; const EVALUATIONS: u8 = {EVALUATIONS};\n{SOURCE}"
        );
        let library = own_crate::compiled(replayed, CRATE, "rlib", &text, cancel)?;
        let library = library.map_err(|why| Failure::Bug {
            doing: "compiling the probe".into(),
            why,
        })?;
        Ok(Probe {
            library,
            hits,
            turns,
            switches,
            types,
            values,
        })
    }

    /// What a unit's command line needs to call it.
    pub fn addition(&self) -> Addition {
        Addition {
            externs: vec![Extern {
                options: None,
                name: CRATE.to_string(),
                path: Some(self.library.clone()),
            }],
            ..Addition::default()
        }
    }

    /// Forgets what has been hit.
    ///
    /// # Errors
    ///
    /// When a file cannot be removed.
    pub fn clear(&self) -> Result<(), Failure> {
        for file in [&self.hits, &self.turns, &self.types] {
            removed(file).map_err(Failure::io("removing", file))?;
        }
        Ok(())
    }

    /// Tells every run from now on this `setting`.
    ///
    /// # Errors
    ///
    /// When a file cannot be written.
    pub fn set(&self, setting: Setting) -> Result<(), Failure> {
        let mut bytes = setting.most.to_le_bytes().to_vec();
        bytes.extend(match setting.evaluation {
            Evaluation::From(first) => [first, u8::MAX],
            Evaluation::Only(number) => [number, number + 1],
            Evaluation::Told => [0, 0],
        });
        let numbers = setting.off.iter().map(|switch| *switch as u32);
        bytes.extend(numbers.flat_map(u32::to_le_bytes));
        let mut values = Vec::new();
        for (switch, value) in setting.values {
            let head = [*switch, value.len()].map(|number| (number as u32).to_le_bytes());
            values.extend(head.as_flattened());
            values.extend(value);
        }
        for (file, bytes) in [(&self.switches, bytes), (&self.values, values)] {
            fs::write(file, bytes).map_err(Failure::io("writing", file))?;
        }
        Ok(())
    }

    /// The numbers of the probes that were hit, in this order, with calls and marks between them.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn hits(&self) -> Result<Vec<u32>, Failure> {
        let bytes = match fs::read(&self.hits) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(Failure::io("reading", &self.hits))?,
        };
        Ok(bytes
            .chunks_exact(4)
            .map(|number| u32::from_le_bytes([number[0], number[1], number[2], number[3]]))
            .collect())
    }

    /// The numbers of the conditions that were evaluated since hits were forgotten last, in this order, the first times of each.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn evaluated(&self) -> Result<Vec<usize>, Failure> {
        let words = self.hits()?.into_iter();
        let marked = words.filter(|word| word & PROBE_MARK != 0);
        Ok(marked.map(|word| (word & !PROBE_MARK) as usize).collect())
    }

    /// What questions about types were answered with since hits were forgotten last: the number of each, and a name.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn types(&self) -> Result<Vec<(u32, String)>, Failure> {
        let bytes = match fs::read(&self.types) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(Failure::io("reading", &self.types))?,
        };
        let mut found = Vec::new();
        let mut rest = &bytes[..];
        while let [a, b, c, d, e, f, g, h, behind @ ..] = rest {
            let length = u32::from_le_bytes([*e, *f, *g, *h]) as usize;
            let Some((name, behind)) = behind.split_at_checked(length) else {
                break;
            };
            let name = String::from_utf8_lossy(name).into_owned();
            found.push((u32::from_le_bytes([*a, *b, *c, *d]), name));
            rest = behind;
        }
        Ok(found)
    }

    /// The numbers of the probes that were hit, in the order in which that happened for the last time, with [`PROBE_LATE`] in
    /// front of those that were hit in the later half of the run; none where that is not known.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub fn last(&self) -> Result<Vec<u32>, Failure> {
        let bytes = match fs::read(&self.turns) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            other => other.map_err(Failure::io("reading", &self.turns))?,
        };
        let turns = bytes.chunks_exact(8).map(|turn| {
            let mut own = [0; 8];
            own.copy_from_slice(turn);
            u64::from_le_bytes(own)
        });
        let mut turns: Vec<(u64, u32)> = turns.zip(0..).filter(|(turn, _)| *turn > 0).collect();
        turns.sort_unstable();
        let half = turns.last().map_or(0, |(turn, _)| turn / 2);
        let late = turns.partition_point(|(turn, _)| *turn <= half);
        let mut probes: Vec<u32> = turns.into_iter().map(|(_, probe)| probe).collect();
        probes.insert(late, PROBE_LATE);
        Ok(probes)
    }
}
