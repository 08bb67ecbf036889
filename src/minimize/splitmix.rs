//! Numbers that look random and are the same on every machine and in every version: hashes of
//! elements, shuffles, samples. Knows nothing else.

/// SplitMix64's output function (Steele, Lea and Flood 2014): neighbouring numbers give unrelated
/// ones.
pub(super) fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(GOLDEN_GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// 2⁶⁴ divided by the golden ratio, made odd.
const GOLDEN_GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64: a stream of numbers from a seed.
#[derive(Debug, Clone)]
pub(super) struct SplitMix(u64);

impl SplitMix {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        let bits = mix(self.0);
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        // 53 bits are what a double holds exactly.
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }
}
