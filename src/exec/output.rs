//! One output stream of a process, kept up to a limit; knows nothing of what is written to it.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

/// Bytes asked for at a time: what a pipe holds on Linux unless told otherwise.
const CHUNK: usize = 64 * 1024;

/// Our end of a pipe, and what came through it.
pub(super) struct Stream {
    /// `None` once all writers are gone.
    pipe: Option<OwnedFd>,
    kept: Kept,
}

impl Stream {
    pub(super) fn new(pipe: Option<OwnedFd>, limit: usize) -> io::Result<Self> {
        if let Some(pipe) = &pipe {
            // Our end alone: the writers' end is another open file, and keeps blocking.
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(Stream {
            pipe,
            kept: Kept::new(limit),
        })
    }

    /// What to poll, while there are writers.
    pub(super) fn pipe(&self) -> Option<BorrowedFd<'_>> {
        self.pipe.as_ref().map(AsFd::as_fd)
    }

    /// Takes what is there, up to one chunk, without waiting; returns the number of bytes.
    pub(super) fn read_once(&mut self) -> io::Result<usize> {
        let Some(pipe) = &self.pipe else {
            return Ok(0);
        };
        let mut chunk = [0; CHUNK];
        match rustix::io::read(pipe, &mut chunk[..]) {
            Ok(0) => {
                self.pipe = None;
                Ok(0)
            }
            Ok(count) => {
                self.kept.push(&chunk[..count]);
                Ok(count)
            }
            Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => Ok(0),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes what is in the pipe now, and not more: a process that escaped may go on writing for ever.
    pub(super) fn read_buffered(&mut self) -> io::Result<()> {
        let Some(pipe) = &self.pipe else {
            return Ok(());
        };
        let mut left = usize::try_from(rustix::io::ioctl_fionread(pipe)?).unwrap_or(usize::MAX);
        while left > 0 {
            match self.read_once()? {
                0 => break,
                count => left = left.saturating_sub(count),
            }
        }
        Ok(())
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.kept.into_bytes()
    }
}

/// The beginning and the end of a stream.
struct Kept {
    limit: usize,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    left_out: u64,
}

impl Kept {
    fn new(limit: usize) -> Self {
        Kept {
            limit,
            head: Vec::new(),
            tail: VecDeque::new(),
            left_out: 0,
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        let head_limit = self.limit - self.limit / 2;
        let (first, rest) = bytes.split_at(bytes.len().min(head_limit - self.head.len()));
        self.head.extend_from_slice(first);
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(self.limit / 2);
        self.tail.drain(..excess);
        self.left_out += excess as u64;
    }

    fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        if self.left_out > 0 {
            let note = format!("\n[{} bytes left out]\n", self.left_out);
            bytes.extend_from_slice(note.as_bytes());
        }
        bytes.extend(self.tail);
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;

    fn kept(limit: usize, pieces: &[&str]) -> String {
        let mut kept = Kept::new(limit);
        for piece in pieces {
            kept.push(piece.as_bytes());
        }
        String::from_utf8(kept.into_bytes()).unwrap()
    }

    #[test]
    fn a_stream_within_the_limit_is_kept_whole() {
        assert_eq!(kept(6, &["ab", "cdef"]), "abcdef");
    }

    #[test]
    fn of_a_longer_stream_both_ends_are_kept_however_it_is_cut_into_pieces() {
        let expected = "abc\n[4 bytes left out]\nhij";
        assert_eq!(kept(6, &["abcdefghij"]), expected);
        assert_eq!(kept(6, &["a", "bcd", "efgh", "i", "j"]), expected);
    }

    #[test]
    fn a_limit_of_nothing_keeps_nothing_but_says_so() {
        assert_eq!(kept(0, &["abc"]), "\n[3 bytes left out]\n");
    }
}
