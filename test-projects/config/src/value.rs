use std::path::PathBuf;
use std::time::Duration;

/// What a setting can be read as.
pub trait FromValue: Sized {
    /// What it is called in messages.
    const KIND: &'static str;

    /// The value, if the text is one.
    fn from_value(text: &str) -> Option<Self>;
}

macro_rules! parsed {
    ($($kind:literal: $type:ty),* $(,)?) => {$(
        impl FromValue for $type {
            const KIND: &'static str = $kind;

            fn from_value(text: &str) -> Option<Self> {
                text.parse().ok()
            }
        }
    )*};
}

parsed! {
    "number": u16,
    "number": u32,
    "number": u64,
    "number": i64,
    "fraction": f64,
    "text": String,
    "path": PathBuf,
}

impl FromValue for bool {
    const KIND: &'static str = "switch";

    fn from_value(text: &str) -> Option<bool> {
        match text.to_ascii_lowercase().as_str() {
            "on" | "yes" | "true" | "1" => Some(true),
            "off" | "no" | "false" | "0" => Some(false),
            _ => None,
        }
    }
}

impl FromValue for Duration {
    const KIND: &'static str = "duration";

    fn from_value(text: &str) -> Option<Duration> {
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let number: u64 = number.parse().ok()?;
        match unit.trim() {
            "ms" => Some(Duration::from_millis(number)),
            "s" => Some(Duration::from_secs(number)),
            "min" => Some(Duration::from_secs(number.checked_mul(60)?)),
            _ => None,
        }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    const KIND: &'static str = T::KIND;

    fn from_value(text: &str) -> Option<Vec<T>> {
        text.split(',')
            .map(|part| T::from_value(part.trim()))
            .collect()
    }
}
