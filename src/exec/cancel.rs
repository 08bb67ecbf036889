//! Telling running processes to end at once, from any thread; knows nothing of processes.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use super::watchdog::Watchdog;

/// Once set, every process that runs under it ends, and none starts.
///
/// Clones are the same cancellation. A [`child`](Self::child) is set together with its parent, but can also be
/// set alone: so one run among several can be given up while a signal still ends them all.
///
/// The one end that no code of ours can bring about is our own death (`kill -9`). So a cancellation
/// keeps, from the first run under it on, a small process that sees us die and ends the runs; its children share it.
#[derive(Debug, Clone)]
pub struct Cancel {
    /// Our own flag first, then those of the ancestors.
    flags: Vec<Arc<Flag>>,
    watchdog: Arc<OnceLock<Option<Watchdog>>>,
}

#[derive(Debug)]
struct Flag {
    set: AtomicBool,
    /// Becomes readable when the flag is set, and stays so, because nobody reads.
    reader: PipeReader,
    writer: PipeWriter,
}

impl Flag {
    fn new() -> io::Result<Arc<Self>> {
        let (reader, writer) = io::pipe()?;
        Ok(Arc::new(Flag {
            set: AtomicBool::new(false),
            reader,
            writer,
        }))
    }
}

impl Cancel {
    /// A cancellation that is not set. Takes two file descriptors; fails when there are none left.
    pub fn new() -> io::Result<Self> {
        Ok(Cancel {
            flags: vec![Flag::new()?],
            watchdog: Arc::default(),
        })
    }

    /// A cancellation that is set when this one is set, and can be set without setting this one.
    pub fn child(&self) -> io::Result<Self> {
        let mut flags = vec![Flag::new()?];
        flags.extend(self.flags.iter().cloned());
        Ok(Cancel {
            flags,
            watchdog: self.watchdog.clone(),
        })
    }

    /// Ends every run under this cancellation. Neither locks nor allocates, so that a signal handler may call it.
    pub fn set(&self) {
        let flag = &self.flags[0];
        if !flag.set.swap(true, Ordering::SeqCst) {
            // The pipe is empty and we hold its reader, so one byte always fits.
            let _ = rustix::io::write(&flag.writer, &[0]);
        }
    }

    /// Whether this cancellation or one of its ancestors has been set.
    pub fn is_set(&self) -> bool {
        self.flags
            .iter()
            .any(|flag| flag.set.load(Ordering::SeqCst))
    }

    /// What ends the runs if we die; `None` if it could not be started.
    pub(super) fn watchdog(&self) -> Option<&Watchdog> {
        self.watchdog
            .get_or_init(|| Watchdog::start().ok())
            .as_ref()
    }

    /// One of these is readable from the moment on that this cancellation is set.
    pub(super) fn notices(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.flags.iter().map(|flag| flag.reader.as_fd())
    }
}
