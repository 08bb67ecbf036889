//! What a process can see of how it is run; on Linux, most of it.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

/// Threads that the test harness was told to use.
pub fn threads_asked_for() -> Option<usize> {
    env::var("RUST_TEST_THREADS").ok()?.parse().ok()
}

/// Cores that this process may use.
pub fn cores() -> usize {
    thread::available_parallelism().map_or(0, usize::from)
}

/// Processes of this program that are there now, this one included.
pub fn copies() -> usize {
    let program = |process: PathBuf| fs::read_link(process.join("exe")).ok();
    let own = program(PathBuf::from("/proc/self"));
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes.filter(|process| own.is_some() && program(process.path()) == own).count()
}

/// Threads that compute, in the processes that have started this one.
pub fn busy_threads() -> usize {
    let mut busy = 0;
    let mut process = parent("self");
    while let Some(number) = process.filter(|number| number != "0") {
        let threads = fs::read_dir(format!("/proc/{number}/task")).into_iter().flatten().flatten();
        let states = threads.filter_map(|thread| fs::read_to_string(thread.path().join("stat")).ok());
        busy += states.filter(|stat| after_name(stat).starts_with('R')).count();
        process = parent(&number);
    }
    busy
}

fn parent(process: &str) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    after_name(&stat).split_whitespace().nth(1).map(String::from)
}

/// What follows the name, which may have anything in it, and stands in brackets.
fn after_name(stat: &str) -> &str {
    stat.rsplit_once(") ").map_or("", |(_, rest)| rest)
}

/// How often this was called in this process.
pub fn calls() -> usize {
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed) + 1
}

/// True once in so many times.
pub fn once_in(times: u64) -> bool {
    RandomState::new().build_hasher().finish() % times == 0
}
