//! Numbers, sizes and times as people read them; knows nothing of what they measure.

use std::time::Duration;

/// `13,641`
pub(super) fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 file`, `12 files`
pub(super) fn count(value: usize, noun: &str) -> String {
    format!(
        "{} {noun}{}",
        number(value),
        if value == 1 { "" } else { "s" }
    )
}

/// `part` of `whole`, `0.4 %`, `34 %`; rounded so that neither `0 %` nor `100 %` is said of what is neither.
pub(super) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 || part == 0 {
        return "0 %".to_owned();
    }
    // Sizes are far below 2^52, where the conversion is exact.
    let share = 100.0 * part as f64 / whole as f64;
    if share < 0.1 {
        "<0.1 %".to_owned()
    } else if share < 9.95 {
        format!("{share:.1} %")
    } else if part < whole && share > 99.0 {
        "99 %".to_owned()
    } else {
        format!("{share:.0} %")
    }
}

/// `0.21 s`, `4.1 s`, `42 s`, `3 min 05 s`, `2 h 07 min`
pub(super) fn time(duration: Duration) -> String {
    let seconds = duration.as_secs_f64();
    let whole = duration.as_secs();
    if seconds < 0.995 {
        format!("{seconds:.2} s")
    } else if seconds < 9.95 {
        format!("{seconds:.1} s")
    } else if seconds < 59.5 {
        format!("{seconds:.0} s")
    } else if whole < 3600 {
        // 59.5 to 60 seconds round up to the minute.
        let whole = whole.max(60);
        format!("{} min {:02} s", whole / 60, whole % 60)
    } else {
        format!("{} h {:02} min", whole / 3600, whole % 3600 / 60)
    }
}

/// `812 B`, `21 kB`, `1.4 MB`
pub(super) fn bytes(value: usize) -> String {
    let size = value as f64;
    match value {
        0..1_000 => format!("{value} B"),
        1_000..10_000 => format!("{:.1} kB", size / 1e3),
        10_000..1_000_000 => format!("{:.0} kB", size / 1e3),
        _ => format!("{:.1} MB", size / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        let shown: Vec<_> = [0, 12, 999, 1_000, 13_641, 1_234_567].map(number).into();
        assert_eq!(shown, ["0", "12", "999", "1,000", "13,641", "1,234,567"]);
    }

    #[test]
    fn a_share_is_never_rounded_to_nothing_or_to_all() {
        assert_eq!(percent(0, 10), "0 %");
        assert_eq!(percent(1, 100_000), "<0.1 %");
        assert_eq!(percent(5, 1_000), "0.5 %");
        assert_eq!(percent(1, 3), "33 %");
        assert_eq!(percent(99_999, 100_000), "99 %");
        assert_eq!(percent(3, 3), "100 %");
        assert_eq!(percent(3, 0), "0 %");
    }

    #[test]
    fn times_keep_two_or_three_digits() {
        let shown: Vec<_> = [
            0.0, 0.207, 0.999, 4.14, 42.4, 59.9, 60.0, 185.0, 3599.9, 7620.0,
        ]
        .map(|seconds| time(Duration::from_secs_f64(seconds)))
        .into();
        assert_eq!(
            shown,
            [
                "0.00 s",
                "0.21 s",
                "1.0 s",
                "4.1 s",
                "42 s",
                "1 min 00 s",
                "1 min 00 s",
                "3 min 05 s",
                "59 min 59 s",
                "2 h 07 min"
            ]
        );
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(
            [812, 1_250, 21_400, 1_400_000].map(bytes),
            ["812 B", "1.2 kB", "21 kB", "1.4 MB"]
        );
    }
}
