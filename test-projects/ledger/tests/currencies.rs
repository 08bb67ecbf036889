//! What the build script knows.

use ledger::currency::minor_units;

#[test]
fn every_currency_has_its_digits() {
    assert_eq!(minor_units("EUR"), Some(ledger::DEFAULT_DIGITS));
    assert_eq!(minor_units("JPY"), Some(0));
    assert_eq!(minor_units("XXX"), None);
}
