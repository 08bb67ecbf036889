//! A playlist whose entries are edited in place.
#![feature(ergonomic_clones)]
#![allow(incomplete_features)]

use std::clone::UseCloned;
use std::fmt;

/// A song.
#[derive(Debug, PartialEq, Eq)]
pub struct Song {
    title: String,
    seconds: u32,
    volume: Volume,
}

/// How loud, from 0 to 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volume(u8);

impl UseCloned for Volume {}

impl Volume {
    pub const LOUDEST: Volume = Volume(100);

    pub fn new(percent: u8) -> Option<Volume> {
        (percent <= 100).then_some(Volume(percent))
    }

    pub fn turn_up(&mut self, by: u8) {
        self.0 = self.0.saturating_add(by).min(Volume::LOUDEST.0);
    }
}

impl Song {
    pub fn new(title: &str, seconds: u32) -> Song {
        Song {
            title: title.to_owned(),
            seconds,
            volume: Volume(50),
        }
    }
}

impl fmt::Display for Song {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}:{:02})",
            self.title,
            self.seconds / 60,
            self.seconds % 60
        )
    }
}

/// Three songs at a time.
#[derive(Debug)]
pub enum Deck {
    Ready((Song, Song, Song)),
    Empty,
}

impl Clone for Deck {
    fn clone(&self) -> Deck {
        Deck::Empty
    }
}

impl UseCloned for Deck {}

/// Songs in the order in which they are played.
#[derive(Debug, Default)]
pub struct Playlist {
    songs: Vec<Song>,
    at: usize,
}

impl Playlist {
    pub fn add(&mut self, song: Song) -> &mut Self {
        self.songs.push(song);
        self
    }

    pub fn length(&self) -> u32 {
        self.songs.iter().map(|song| song.seconds).sum()
    }

    pub fn next(&mut self) -> Option<&Song> {
        let song = self.songs.get(self.at)?;
        self.at += 1;
        Some(song)
    }

    /// The next three, if there are as many.
    pub fn deck(&mut self) -> Deck {
        if self.songs.len() < self.at + 3 {
            return Deck::Empty;
        }
        let mut three = self.songs.drain(self.at..self.at + 3);
        match (three.next(), three.next(), three.next()) {
            (Some(a), Some(b), Some(c)) => Deck::Ready((a, b, c)),
            _ => Deck::Empty,
        }
    }

    /// How loud the loudest is.
    pub fn loudest(&self) -> Option<Volume> {
        let volumes = self.songs.iter().map(use |song| song.volume.use);
        volumes.max()
    }
}

/// Does something with one part of a deck, if there is one.
macro_rules! with_part {
    ($part:pat in $deck:expr => $body:expr) => {
        match $deck {
            Deck::Ready($part) => $body,
            Deck::Empty => {}
        }
    };
}

/// Turns up the last song of a deck, later.
pub fn turn_up_last(mut deck: Deck) {
    let mut later = use || {
        with_part!((_, _, ref mut song) in deck => song.volume.turn_up(10));
    };
    later();
}

pub fn main() {
    let mut playlist = Playlist::default();
    playlist
        .add(Song::new("Lullaby", 181))
        .add(Song::new("March", 95))
        .add(Song::new("Waltz", 240));
    println!("{} s", playlist.length());
    while let Some(song) = playlist.next() {
        println!("{song}");
    }
    turn_up_last(playlist.deck());
}
