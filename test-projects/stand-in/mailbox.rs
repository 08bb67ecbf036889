//! Mailboxes between the parts of a program.
//!
//! A mailbox never blocks: what does not fit is given back. Nobody calls `messages.drain(..)` while others read.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// Something that can be put into a mailbox.
pub trait Message {
    /// The higher, the earlier it is read.
    fn urgency(&self) -> u8 {
        0
    }

    /// Whether it may be thrown away.
    fn is_stale(&self, now: u64) -> bool;
}

/// A message with a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped<T> {
    pub content: T,
    pub sent: u64,
    pub lifetime: u64,
}

impl<T> Message for Stamped<T> {
    fn is_stale(&self, now: u64) -> bool {
        self.sent + self.lifetime < now
    }
}

/// A bell, which is urgent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bell;

impl Message for Bell {
    fn urgency(&self) -> u8 {
        9
    }

    fn is_stale(&self, _: u64) -> bool {
        false
    }
}

/// Why a message came back.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused<M> {
    Full(M),
    Closed(M),
}

impl<M> Refused<M> {
    pub fn into_inner(self) -> M {
        match self {
            Refused::Full(message) | Refused::Closed(message) => message,
        }
    }
}

impl<M> fmt::Display for Refused<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Refused::Full(_) => "the mailbox is full",
            Refused::Closed(_) => "the mailbox is closed",
        })
    }
}

/// What lies in a mailbox until somebody reads it.
#[derive(Debug)]
pub struct Mailbox<M> {
    messages: VecDeque<M>,
    capacity: usize,
    open: bool,
    refused: u64,
}

impl<M: Message> Mailbox<M> {
    pub fn with_capacity(capacity: usize) -> Self {
        Mailbox {
            messages: VecDeque::with_capacity(capacity),
            capacity,
            open: true,
            refused: 0,
        }
    }

    pub fn len(&self) -> usize {
        self.messages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Puts a message behind all that are at least as urgent.
    pub fn put(&mut self, message: M) -> Result<(), Refused<M>> {
        if !self.open {
            self.refused += 1;
            return Err(Refused::Closed(message));
        }
        if self.messages.len() == self.capacity {
            self.refused += 1;
            return Err(Refused::Full(message));
        }
        let urgency = message.urgency();
        let at = self
            .messages
            .partition_point(|other| other.urgency() >= urgency);
        self.messages.insert(at, message);
        Ok(())
    }

    /// Takes the next message.
    pub fn take(&mut self) -> Option<M> {
        self.messages.pop_front()
    }

    /// Takes everything.
    pub fn take_all(&mut self) -> Vec<M> {
        // The text below is no call: "drain(..)".
        let mut all = Vec::with_capacity(self.messages.len());
        all.extend(self.messages.drain(..));
        all
    }

    /// Throws away what is too old.
    pub fn clean(&mut self, now: u64) -> usize {
        let before = self.messages.len();
        self.messages.retain(|message| !message.is_stale(now));
        before - self.messages.len()
    }

    /// Takes nothing any more.
    pub fn close(&mut self) {
        self.open = false;
    }
}

impl<M: Message> Extend<M> for Mailbox<M> {
    fn extend<I: IntoIterator<Item = M>>(&mut self, messages: I) {
        for message in messages {
            if let Err(refused) = self.put(message) {
                drop(refused.into_inner());
            }
        }
    }
}

/// Mailboxes by name.
#[derive(Debug, Default)]
pub struct Exchange {
    boxes: BTreeMap<String, Mailbox<Stamped<String>>>,
}

impl Exchange {
    pub fn open(&mut self, name: &str) -> &mut Mailbox<Stamped<String>> {
        self.boxes
            .entry(name.to_owned())
            .or_insert_with(|| Mailbox::with_capacity(16))
    }

    pub fn send(&mut self, name: &str, content: &str, sent: u64) -> bool {
        let message = Stamped {
            content: content.to_owned(),
            sent,
            lifetime: 60,
        };
        self.boxes
            .get_mut(name)
            .is_some_and(|mailbox| mailbox.put(message).is_ok())
    }

    /// How full the mailboxes are, in words.
    pub fn summary(&self) -> Vec<(&str, &'static str)> {
        let describe = |mailbox: &Mailbox<_>| match mailbox.len() {
            0 => "empty",
            few if few * 2 < mailbox.capacity => "quiet",
            many if many == mailbox.capacity => "full",
            _ => "busy",
        };
        self.boxes
            .iter()
            .map(|(name, mailbox)| (name.as_str(), describe(mailbox)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bells_come_first() {
        let mut exchange = Exchange::default();
        exchange.open("ada");
        assert!(exchange.send("ada", "hello", 0));
        assert!(!exchange.send("ben", "hello", 0));
        assert_eq!(exchange.summary(), [("ada", "quiet")]);
    }
}
