//! Rounding to digits.

mod powers;

/// Rounds to so many digits after the point.
pub fn round(number: f64, digits: u32) -> f64 {
    let scale = powers::of_ten(digits);
    (number * scale).round() / scale
}
