//! When a tool counts as one that does not end: a threshold between what the original takes and what nothing takes.
//! Runs nothing.

use std::time::Duration;

/// A limit for candidates: whoever needs longer hangs.
///
/// `took` is what the original took, at most the limit that it was given itself; `idle` what the tool takes for next to
/// nothing; `asked` what the user asked for. The threshold is a quarter of what the original took, and at most
/// [`LONGEST`]: what blows up still does when most of the code is gone, though less, and every interesting trial takes this long.
/// It is at least ten times `idle` and a second, so that a machine under load makes nothing hang.
///
/// `None` if the original does not take twice the threshold: then its time is no failure.
#[must_use]
pub fn threshold(took: Duration, idle: Duration, asked: Option<Duration>) -> Option<Duration> {
    if let Some(asked) = asked {
        return (took >= asked).then_some(asked);
    }
    let least = (idle * 10).max(Duration::from_secs(1));
    let threshold = (took / 4).min(LONGEST).max(least);
    (took >= threshold * 2).then_some(threshold)
}

/// The most that a candidate gets.
pub const LONGEST: Duration = Duration::from_secs(15);

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn the_threshold_is_a_quarter_of_what_the_original_takes_up_to_a_limit() {
        assert_eq!(threshold(ms(20_000), ms(50), None), Some(ms(5_000)));
        assert_eq!(threshold(ms(600_000), ms(50), None), Some(LONGEST));
    }

    #[test]
    fn what_takes_little_more_than_nothing_does_not_hang() {
        assert_eq!(threshold(ms(1_500), ms(50), None), None);
        assert_eq!(threshold(ms(6_000), ms(400), None), None);
        assert_eq!(threshold(ms(2_400), ms(50), None), Some(ms(1_000)));
    }

    #[test]
    fn what_the_user_asks_for_is_the_threshold() {
        assert_eq!(
            threshold(ms(3_000), ms(50), Some(ms(3_000))),
            Some(ms(3_000))
        );
        assert_eq!(threshold(ms(2_000), ms(50), Some(ms(3_000))), None);
    }
}
