//! Tables that are computed when the program is compiled.

/// Powers of a base, modulo a prime.
pub struct Powers<const N: usize> {
    values: [u32; N],
    modulus: u32,
}

impl<const N: usize> Powers<N> {
    pub const fn of(base: u32, modulus: u32) -> Self {
        let mut values = [1; N];
        let mut index = 1;
        while index < N {
            values[index] = values[index - 1] * base % modulus;
            index += 1;
        }
        Powers { values, modulus }
    }

    pub fn get(&self, exponent: usize) -> Option<u32> {
        self.values.get(exponent).copied()
    }

    /// The first exponent that gives `value`.
    pub fn logarithm(&self, value: u32) -> Option<usize> {
        self.values
            .iter()
            .position(|power| *power == value % self.modulus)
    }
}

/// Powers of three modulo 257.
pub static THREE: Powers<256> = Powers::of(3, 257);

/// Encrypts badly.
pub fn scramble(bytes: &[u8]) -> Vec<u8> {
    bytes
        .iter()
        .map(|byte| THREE.get(usize::from(*byte)).map_or(0, |power| power as u8))
        .collect()
}

#[test]
fn powers_have_logarithms() {
    assert_eq!(THREE.get(2), Some(9));
    assert_eq!(THREE.logarithm(27), Some(3));
    assert_eq!(scramble(&[0, 1]), [1, 3]);
}
