//! Runs one process under limits and says how it ended; knows nothing of cargo or Rust.
//!
//! A run owns a whole process group. Whatever way it ends – the leader exits, the time is up, the
//! caller cancels, an error of ours – the group is killed and reaped before [`run`] returns, so that
//! nothing writes to the scratch directory, holds memory or keeps a pipe open afterwards.
//!
//! Everything that can happen is a file descriptor that [`run`] polls from the calling thread: the
//! two output pipes, the leader's exit, the cancellations. So an exit is noticed at once, and nothing
//! spins.

#[cfg(not(unix))]
compile_error!("process groups, limits and signals are those of Unix: use Linux or macOS");

mod cancel;
mod confine;
mod group;
mod output;
mod watchdog;

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Resource, Rlimit};

pub use cancel::Cancel;
use confine::Confinement;
use group::Group;
use output::Stream;

/// What to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invocation {
    /// The program; without a slash it is looked up in `PATH`.
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    pub args: Vec<OsString>,
    /// Changes to our own environment, applied in order; `None` removes a variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// The directory it runs in.
    pub cwd: PathBuf,
}

/// What a run may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Wall time; when it is over, the group is killed.
    pub timeout: Duration,
    /// CPU time of the leader, all its threads together, after which its time is up before the wall time is: what has computed
    /// for so long hangs, on a machine under load as well. Linux alone can tell; elsewhere, and for `None`, wall time decides.
    pub busy: Option<Duration>,
    /// Bytes kept of each of the two output streams. Of a longer one the first and the last half are
    /// kept, with a line between them that says how much is missing.
    pub output_bytes: usize,
    /// Address space of each single process (`RLIMIT_AS`), in bytes. macOS accepts but does not enforce it.
    /// Setting it takes a full fork, whose time grows with the memory that we occupy ourselves (some 30 µs
    /// per megabyte); without it, a start takes the same half millisecond always.
    pub memory_bytes: Option<u64>,
    /// The files and directories (with all that is in them) that may be written to, made, renamed and
    /// removed; devices such as `/dev/null` always may. With it, signals to processes outside the run are
    /// refused too. `None` confines nothing. Best effort: it takes Linux with Landlock.
    pub writable: Option<Vec<PathBuf>>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The leader exited with this code.
    Exited(i32),
    /// The leader died of this signal.
    Signalled(i32),
    /// The time was up.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
}

/// What a run left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub ending: Ending,
    /// What the group wrote to standard output, see [`Limits::output_bytes`].
    pub stdout: Vec<u8>,
    /// What the group wrote to standard error, see [`Limits::output_bytes`].
    pub stderr: Vec<u8>,
    /// From before the start until the leader's end was noticed.
    pub wall: Duration,
    /// User and system time of the leader, of all descendants it waited for and, on Linux, of those it left behind.
    pub cpu: Duration,
}

impl Outcome {
    /// Whether the leader exited with code 0.
    pub fn success(&self) -> bool {
        self.ending == Ending::Exited(0)
    }
}

/// Why nothing can be said about a run.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    /// The process could not be started.
    #[error("starting `{}` in `{}`; check that both exist and that the program may be executed", program.display(), cwd.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The directory it was to run in.
        cwd: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The process ran, but could not be watched; it has been killed.
    #[error("watching `{}`; open files or processes may have run out (`ulimit -n -u`)", program.display())]
    Watch {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The writable places could not be made the only ones.
    #[error("confining `{}` to its writable directories: {reason}", program.display())]
    Confine {
        /// The program.
        program: PathBuf,
        /// What the sandbox said.
        reason: String,
    },
}

/// Runs a process until it exits, its time is up or `cancel` is set, whichever comes first.
///
/// Standard input is empty. The process leads a process group of its own, in the background of our
/// terminal if we have one; the group writes no core dumps and dies with us, even of `kill -9`.
/// Processes of the group that outlive the leader are killed; only one that moved to another group (a
/// daemon) survives, and even that one cannot make `run` wait.
///
/// Two things change for the calling process: its own (soft) limit of core dumps becomes zero, for children to
/// inherit, and on Linux it becomes a subreaper, so that what a leader leaves behind can be waited for.
pub fn run(
    invocation: &Invocation,
    limits: &Limits,
    cancel: &Cancel,
) -> Result<Outcome, ExecError> {
    let started = Instant::now();
    if cancel.is_set() {
        return Ok(Outcome {
            ending: Ending::Cancelled,
            stdout: Vec::new(),
            stderr: Vec::new(),
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
        });
    }
    let watchdog = cancel.watchdog();
    let mut child = spawn(invocation, limits)?;
    let mut group = Group::of(&child, watchdog);
    let watched = watch(&mut child, &mut group, limits, cancel, started);
    let (stop, [stdout, stderr], wall, end) = watched.map_err(|source| ExecError::Watch {
        program: invocation.program.clone(),
        source,
    })?;
    Ok(Outcome {
        ending: stop.unwrap_or(end.ending),
        stdout,
        stderr,
        wall,
        cpu: end.cpu,
    })
}

/// Whether [`Limits::writable`] has any effect on this system.
pub fn can_confine() -> bool {
    Confinement::new(&[]).is_ok_and(|confinement| confinement.is_enforced())
}

type Watched = (Option<Ending>, [Vec<u8>; 2], Duration, group::End);

/// Follows a started process to its end. On an error the caller's [`Group`] kills what is left.
fn watch(
    child: &mut Child,
    group: &mut Group<'_>,
    limits: &Limits,
    cancel: &Cancel,
    started: Instant,
) -> io::Result<Watched> {
    let exit = group.exit_notice()?;
    let mut streams = [
        Stream::new(child.stdout.take().map(Into::into), limits.output_bytes)?,
        Stream::new(child.stderr.take().map(Into::into), limits.output_bytes)?,
    ];
    let deadline = started.checked_add(limits.timeout);
    let mut look = limits.busy.and_then(|busy| started.checked_add(busy));
    let stop = loop {
        let wake = deadline.into_iter().chain(look).min();
        let events = wait_for_any(exit.as_fd(), cancel, &streams, wake)?;
        for (stream, ready) in streams.iter_mut().zip(events.output) {
            if ready {
                stream.read_once()?;
            }
        }
        // The exit comes first: a process that made it in time has not timed out.
        if events.exited {
            break None;
        }
        if cancel.is_set() {
            break Some(Ending::Cancelled);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            break Some(Ending::TimedOut);
        }
        if let (Some(busy), Some(at)) = (limits.busy, look)
            && Instant::now() >= at
        {
            look = match group.cpu() {
                Some(used) if used >= busy => break Some(Ending::TimedOut),
                Some(used) => Instant::now().checked_add(busy - used),
                None => None,
            };
        }
    };
    let wall = started.elapsed();
    let end = group.kill_and_reap()?;
    let [mut stdout, mut stderr] = streams;
    stdout.read_buffered()?;
    stderr.read_buffered()?;
    Ok((stop, [stdout.into_bytes(), stderr.into_bytes()], wall, end))
}

struct Events {
    exited: bool,
    output: [bool; 2],
}

/// Sleeps until something has happened or the deadline has passed.
fn wait_for_any(
    exit: BorrowedFd<'_>,
    cancel: &Cancel,
    streams: &[Stream; 2],
    deadline: Option<Instant>,
) -> io::Result<Events> {
    let mut fds = vec![PollFd::from_borrowed_fd(exit, PollFlags::IN)];
    let mut slots = [None; 2];
    for (slot, stream) in slots.iter_mut().zip(streams) {
        if let Some(pipe) = stream.pipe() {
            *slot = Some(fds.len());
            fds.push(PollFd::from_borrowed_fd(pipe, PollFlags::IN));
        }
    }
    fds.extend(
        cancel
            .notices()
            .map(|notice| PollFd::from_borrowed_fd(notice, PollFlags::IN)),
    );
    let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
    // A time-out too long for the system is none at all.
    let left = left.and_then(|left| Timespec::try_from(left).ok());
    match poll(&mut fds, left.as_ref()) {
        Ok(_) => Ok(Events {
            exited: !fds[0].revents().is_empty(),
            output: slots.map(|slot| slot.is_some_and(|at| !fds[at].revents().is_empty())),
        }),
        // A signal came in; the caller looks at everything and asks again.
        Err(rustix::io::Errno::INTR) => Ok(Events {
            exited: false,
            output: [false; 2],
        }),
        Err(error) => Err(error.into()),
    }
}

fn spawn(invocation: &Invocation, limits: &Limits) -> Result<Child, ExecError> {
    let confinement = match &limits.writable {
        None => None,
        Some(writable) => {
            let confinement = Confinement::new(writable).map_err(|reason| ExecError::Confine {
                program: invocation.program.clone(),
                reason,
            })?;
            Some(confinement)
        }
    };
    group::prepare_ourselves();
    let mut command = Command::new(&invocation.program);
    command
        .args(&invocation.args)
        .current_dir(&invocation.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in &invocation.env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.process_group(0);
    if let Some(bytes) = limits.memory_bytes {
        // SAFETY: the closure runs between fork and exec, where another thread may have held any lock. It makes
        // two system calls, through wrappers that neither allocate nor lock. Setting the limit from
        // outside, after the start, would miss what the process starts first.
        unsafe {
            command.pre_exec(move || limit_memory(bytes));
        }
    }
    start(&mut command, confinement).map_err(|source| ExecError::Start {
        program: invocation.program.clone(),
        cwd: absolute(&invocation.cwd),
        source,
    })
}

/// Starts the command, from a thread that has confined itself if need be: a child inherits that.
///
/// With nothing to do in the child between fork and exec, the library can use `posix_spawn`, which does not copy
/// our page tables.
fn start(command: &mut Command, confinement: Option<Confinement>) -> io::Result<Child> {
    let Some(confinement) = confinement else {
        return start_when_closed(command);
    };
    std::thread::scope(|scope| {
        let start = || {
            confinement.enter()?;
            start_when_closed(command)
        };
        let thread = std::thread::Builder::new().spawn_scoped(scope, start)?;
        thread
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// An executable that has just been linked counts as busy for as long as a child of some other
/// thread still holds a copy of the descriptor that wrote it, that is until that child's exec.
fn start_when_closed(command: &mut Command) -> io::Result<Child> {
    let mut pause = Duration::from_millis(1);
    loop {
        match command.spawn() {
            Err(error)
                if error.kind() == io::ErrorKind::ExecutableFileBusy
                    && pause < Duration::from_millis(100) =>
            {
                std::thread::sleep(pause);
                pause *= 2;
            }
            result => return result,
        }
    }
}

/// Limits the address space of this process, as far as a stricter limit does not hold already.
fn limit_memory(bytes: u64) -> io::Result<()> {
    let maximum = rustix::process::getrlimit(Resource::As).maximum;
    let value = Some(maximum.map_or(bytes, |maximum| maximum.min(bytes)));
    let limit = Rlimit {
        current: value,
        maximum: value,
    };
    Ok(rustix::process::setrlimit(Resource::As, limit)?)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests;
