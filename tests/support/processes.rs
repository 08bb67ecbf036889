//! Finds processes that a run left behind, and sends signals.

use std::ffi::OsStr;
use std::process::Child;
use std::thread;
use std::time::{Duration, Instant};

/// The environment variable that tells our processes from others; it is inherited.
pub const MARKER: &str = "CARGO_REDUCE_TEST_RUN";

/// Command lines of the living processes that carry this marker. Always empty where there is no `/proc`.
pub fn marked(marker: &str) -> Vec<String> {
    let wanted = format!("{MARKER}={marker}");
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    processes
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            let digits = |name: &OsStr| name.to_string_lossy().bytes().all(|b| b.is_ascii_digit());
            path.file_name().is_some_and(digits)
        })
        .filter(|path| {
            // A process may end while we look, or be somebody else's.
            std::fs::read(path.join("environ")).is_ok_and(|bytes| {
                bytes
                    .split(|byte| *byte == 0)
                    .any(|it| it == wanted.as_bytes())
            })
        })
        .map(|path| {
            let line = std::fs::read(path.join("cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).replace('\0', " ")
        })
        .collect()
}

/// The marked processes that are still there after those that are ending had time to do so.
pub fn left_behind(marker: &str, patience: Duration) -> Vec<String> {
    let start = Instant::now();
    loop {
        let found = marked(marker);
        if found.is_empty() || start.elapsed() > patience {
            return found;
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// Ctrl-C as a terminal sends it: to the whole process group of a child that leads one.
#[cfg(unix)]
pub fn interrupt(child: &Child) {
    use rustix::process::{Signal, kill_process_group};
    // It may have ended by itself: then there is nothing to interrupt.
    let _ = kill_process_group(pid(child), Signal::INT);
}

/// `kill -9` to everything in the process group of a child that leads one.
#[cfg(unix)]
pub fn kill_group(child: &Child) {
    use rustix::process::{Signal, kill_process_group};
    let _ = kill_process_group(pid(child), Signal::KILL);
}

/// `kill -9`: to the one process.
#[cfg(unix)]
pub fn kill(child: &Child) {
    use rustix::process::{Signal, kill_process};
    let _ = kill_process(pid(child), Signal::KILL);
}

#[cfg(unix)]
fn pid(child: &Child) -> rustix::process::Pid {
    let number = i32::try_from(child.id()).expect("process numbers are small");
    rustix::process::Pid::from_raw(number).expect("a child has a number")
}
