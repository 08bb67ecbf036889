//! What spans are worth.

use clock::{print, BadSpan, Span};

fn minutes(text: &str) -> u32 {
    Span::parse(text).map_or(0, |span| span.minutes)
}

#[test]
fn hours_and_minutes_add_up() {
    assert_eq!(minutes("2h 30m"), 150);
}

#[test]
fn days_come_first() {
    assert_eq!(minutes("1d 1h"), 1500);
}

#[test]
fn units_come_in_any_order() {
    assert_eq!(minutes("1h 1d"), 1500);
}

#[test]
fn each_unit_counts() {
    assert_eq!(minutes("3m"), 3);
    assert_eq!(minutes("2d 5m"), 2885);
    assert_eq!(print::short(Span { minutes: 90 }), "1:30");
    assert_eq!(minutes("5m 2d"), 2885);
}

#[test]
fn mistakes_are_told() {
    assert_eq!(Span::parse("1x"), Err(BadSpan::UnknownUnit('x')));
    assert_eq!(Span::parse("h"), Err(BadSpan::NoNumber('h')));
}

#[test]
fn spans_are_printed() {
    let span = Span { minutes: 1590 };
    assert_eq!(print::long(span), "1d 2h 30m");
    assert_eq!(print::short(span), "26:30");
}

#[test]
fn a_day_and_a_week() -> Result<(), BadSpan> {
    let span = Span::parse("1d")?.plus(Span::parse("1 week")?);
    assert_eq!(span.minutes, 8 * 1440);
    Ok(())
}
