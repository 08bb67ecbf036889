/// An inch in metres, since 1959.
pub const INCH: f64 = 0.0254;
/// A yard is 36 inches.
pub const YARD: f64 = 36.0 * INCH;
