//! Bars made of letters.

/// A bar with one sign for every `unit`, to the left if negative.
pub fn bar(value: i64, unit: u64) -> String {
    let length = (value.unsigned_abs() / unit.max(1)) as usize;
    let sign = if value < 0 { '-' } else { '#' };
    std::iter::repeat(sign).take(length).collect()
}

/// Several bars, drawn to the same scale so that the longest has `width` signs.
pub fn bars(values: &[i64], width: u64) -> Vec<String> {
    let longest = values.iter().map(|value| value.unsigned_abs()).max();
    let unit = longest.unwrap_or(0).div_ceil(width.max(1));
    values.iter().map(|value| bar(*value, unit)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_fits() {
        assert_eq!(bars(&[10, -5], 4), ["###", "-"]);
    }
}
