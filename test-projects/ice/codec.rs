//! Copies records between media that lend what they read.

use std::io;
use std::marker::PhantomData;

/// Records can be read from it.
pub trait Read<'a> {
    /// What a record is while it is lent.
    type Record;

    fn read(&'a mut self) -> io::Result<Option<Self::Record>>;
}

/// Records can be written to it.
pub trait Write<'a> {
    /// What a record has to be.
    type Record;

    fn write(&'a mut self, record: Self::Record) -> io::Result<()>;
}

/// A pair of media between which records of the form `F` can go.
pub trait Route<F> {
    const NAME: &'static str;
}

impl<R, W> Route<for<'a> fn(<R as Read<'a>>::Record, <W as Write<'a>>::Record)> for (R, W)
where
    R: for<'a> Read<'a> + for<'a> Write<'a, Record = u8>,
    W: for<'a> Write<'a>,
{
    const NAME: &'static str = "direct";
}

/// Bytes in memory.
#[derive(Debug, Default, Clone)]
pub struct Memory {
    bytes: Vec<u8>,
    at: usize,
}

impl Memory {
    pub fn with(bytes: &[u8]) -> Self {
        Memory {
            bytes: bytes.to_vec(),
            at: 0,
        }
    }

    pub fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }
}

impl Read<'_> for Memory {
    type Record = u8;

    fn read(&mut self) -> io::Result<Option<u8>> {
        let byte = self.rest().first().copied();
        self.at += usize::from(byte.is_some());
        Ok(byte)
    }
}

impl Write<'_> for Memory {
    type Record = u8;

    fn write(&mut self, byte: u8) -> io::Result<()> {
        self.bytes.push(byte);
        Ok(())
    }
}

/// A line on which two bytes go at a time.
#[derive(Debug, Default)]
pub struct Line {
    sent: Vec<u16>,
    limit: Option<usize>,
}

impl Line {
    pub fn limited_to(limit: usize) -> Self {
        Line {
            sent: Vec::new(),
            limit: Some(limit),
        }
    }

    fn is_full(&self) -> bool {
        self.limit.is_some_and(|limit| self.sent.len() >= limit)
    }
}

impl Read<'_> for Line {
    type Record = u8;

    fn read(&mut self) -> io::Result<Option<u8>> {
        Err(io::Error::from(io::ErrorKind::Unsupported))
    }
}

impl Write<'_> for Line {
    type Record = u16;

    fn write(&mut self, word: u16) -> io::Result<()> {
        if self.is_full() {
            return Err(io::Error::from(io::ErrorKind::WriteZero));
        }
        self.sent.push(word);
        Ok(())
    }
}

/// Lines of a text, lent from it.
#[derive(Debug)]
pub struct Lines<'t> {
    rest: &'t str,
}

impl<'a, 't> Read<'a> for Lines<'t> {
    type Record = &'t str;

    fn read(&'a mut self) -> io::Result<Option<&'t str>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        Ok(Some(line))
    }
}

/// Counts what goes through.
#[derive(Debug)]
pub struct Counted<M> {
    medium: M,
    records: u64,
}

impl<M> Counted<M> {
    pub fn new(medium: M) -> Self {
        Counted { medium, records: 0 }
    }

    pub fn records(&self) -> u64 {
        self.records
    }
}

impl<'a, M: Write<'a>> Write<'a> for Counted<M> {
    type Record = M::Record;

    fn write(&'a mut self, record: M::Record) -> io::Result<()> {
        self.records += 1;
        self.medium.write(record)
    }
}

/// Two media with a route between them.
#[derive(Debug)]
pub struct Connection<R, W, F> {
    from: R,
    to: W,
    form: PhantomData<fn() -> F>,
}

impl<R, W, F> Connection<R, W, F> {
    pub fn into_parts(self) -> (R, W) {
        (self.from, self.to)
    }
}

/// Connects two media, if there is a route.
pub fn connect<R, W, F>(from: R, to: W) -> (Connection<R, W, F>, &'static str)
where
    R: for<'a> Read<'a>,
    W: for<'a> Write<'a>,
    (R, W): Route<F>,
{
    let connection = Connection {
        from,
        to,
        form: PhantomData,
    };
    (connection, <(R, W)>::NAME)
}

/// Everything from memory to memory, by hand.
pub fn copy(from: &mut Memory, to: &mut Memory) -> io::Result<u64> {
    let mut counted = Counted::new(std::mem::take(to));
    while let Some(byte) = from.read()? {
        counted.write(byte)?;
    }
    let records = counted.records();
    *to = counted.medium;
    Ok(records)
}

/// What the way from memory to the line is called.
pub fn way_out() -> &'static str {
    let (connection, name) = connect::<Memory, Line, _>(Memory::default(), Line::limited_to(3));
    let (memory, line) = connection.into_parts();
    assert!(memory.rest().is_empty() && !line.is_full());
    name
}
