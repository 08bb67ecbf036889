/// Ten to the power of `exponent`.
pub fn of_ten(exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |power, _| power * 10.0)
}
