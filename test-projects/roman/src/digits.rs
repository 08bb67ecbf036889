//! From a number to letters.

/// A letter with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Digit {
    I = 1,
    V = 5,
    X = 10,
    L = 50,
    C = 100,
    D = 500,
    M = 1000,
}

impl Digit {
    /// All digits, the largest first.
    pub const ALL: [Digit; 7] = [
        Digit::M,
        Digit::D,
        Digit::C,
        Digit::L,
        Digit::X,
        Digit::V,
        Digit::I,
    ];

    /// What it counts.
    pub const fn value(self) -> u16 {
        self as u16
    }

    /// How it is written.
    pub const fn letter(self) -> char {
        match self {
            Digit::I => 'I',
            Digit::V => 'V',
            Digit::X => 'X',
            Digit::L => 'L',
            Digit::C => 'C',
            Digit::D => 'D',
            Digit::M => 'M',
        }
    }

    /// The digit that is written like this.
    pub fn from_letter(letter: char) -> Option<Digit> {
        Self::ALL.into_iter().find(|digit| digit.letter() == letter)
    }

    /// Whether it may stand more than once in a row.
    pub const fn repeats(self) -> bool {
        matches!(self, Digit::I | Digit::X | Digit::C | Digit::M)
    }

    /// The digit that may stand in front of this one to be subtracted from it.
    pub fn subtracts(self) -> Option<Digit> {
        match self {
            Digit::V | Digit::X => Some(Digit::I),
            Digit::L => Some(Digit::X),
            Digit::D | Digit::M => Some(Digit::C),
            Digit::I | Digit::C => None,
        }
    }
}

/// Appends the numeral for `value`.
pub(crate) fn write(mut value: u16, out: &mut String) {
    for digit in Digit::ALL {
        while value >= digit.value() {
            value -= digit.value();
            out.push(digit.letter());
        }
        if let Some(small) = digit.subtracts() {
            let together = digit.value() - small.value();
            if value >= together {
                value -= together;
                out.push(small.letter());
                out.push(digit.letter());
            }
        }
    }
}
