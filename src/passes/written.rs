//! Types as they are written, but for lifetimes: which these are depends on where a type is put.

use super::query::At;

/// Stands for a lifetime until it is known where that is written.
pub(super) const LIFETIME: &str = "'?";

/// How a type is written, but for lifetimes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Written(String);

impl Written {
    /// A text in which [`LIFETIME`] stands for each lifetime.
    pub fn new(text: String) -> Written {
        Written(text)
    }

    /// That of `ty`: what its lifetimes are called means nothing elsewhere.
    pub fn of(ty: At) -> Written {
        let words = ty.words(&ty.range());
        let has_lifetimes = |(word, _): &(&str, _)| *word == "&" || is_open(word);
        if !words.iter().any(has_lifetimes) {
            return Written(ty.text().to_string());
        }
        let mut text = String::new();
        let mut behind = words.iter().skip(1).map(|(word, _)| *word);
        for (word, _) in &words {
            let next = behind.next().unwrap_or_default();
            match *word {
                "&" if !next.starts_with('\'') => text.push_str(&format!("&{LIFETIME} ")),
                word if is_open(word) => text.push_str(&format!("{LIFETIME} ")),
                "&" | "::" | "<" | "[" | "(" => text.push_str(word),
                word => text.push_str(&format!("{word} ")),
            }
        }
        Written(text.trim_end().to_string())
    }

    /// Whether it has lifetimes.
    pub fn has_lifetimes(&self) -> bool {
        self.0.contains(LIFETIME)
    }

    /// How long it is.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// With this lifetime for all of them; without one, they are left to the compiler.
    pub fn with(&self, lifetime: Option<&str>) -> String {
        match lifetime {
            Some(lifetime) => self.0.replace(LIFETIME, lifetime),
            None => self.0.replace("&'? ", "&").replace(LIFETIME, "'_"),
        }
    }
}

/// Whether a word is the lifetime of some place, and no character.
fn is_open(word: &str) -> bool {
    word.starts_with('\'') && !word[1..].ends_with('\'') && word != "'static"
}
