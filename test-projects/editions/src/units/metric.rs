units! {
    /// A metre.
    Metre: "m", 1.0;
    /// A thousandth of one.
    Millimetre: "mm", ::constants::MILLI;
    /// A hundredth.
    Centimetre: "cm", ::constants::CENTI;
    /// A thousand.
    Kilometre: "km", ::constants::KILO;
    /// Between foot and fathom.
    Yard: "yd", ::constants::imperial::YARD;
    /// What a thumb is wide.
    Inch: "in", ::constants::imperial::INCH;
}
