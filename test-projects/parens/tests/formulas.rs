//! Formulas and what comes out.

use parens::{Error, Scope, calculate, parse};

#[test]
fn products_bind_tighter_than_sums() {
    assert_eq!(calculate("1 + 2 * 3"), Ok(7.0));
    assert_eq!(calculate("(1 + 2) * 3"), Ok(9.0));
    assert_eq!(calculate("10 - 4 - 3"), Ok(3.0));
}

#[test]
fn powers_group_to_the_right() {
    let tree = parse("2 ^ 3 ^ 2").unwrap();
    assert_eq!(tree.to_string(), "(2 ^ (3 ^ 2))");
    assert_eq!(tree.depth(), 2);
}

#[test]
fn functions_take_what_they_are_given() {
    assert_eq!(calculate("max(1, 4, 2) + sqrt(9)"), Ok(7.0));
    assert_eq!(
        calculate("abs()"),
        Err(Error::Arguments("abs".to_owned(), 0))
    );
}

#[test]
fn a_sign_in_front_turns_the_value_round() {
    let scope = Scope::default().with("x", 3.0);
    let value = |formula| scope.evaluate(&parse(formula).unwrap()).unwrap();
    assert_eq!(value("+x"), 3.0);
    assert_eq!(value("2 * (x + 1)"), 8.0);
    assert_eq!(value("2 * -x"), -6.0);
    assert_eq!(value("-x ^ 2"), -9.0);
}

#[test]
fn what_makes_no_sense_is_refused() {
    assert_eq!(
        calculate("1 +"),
        Err(Error::Expected("a number, a name or `(`"))
    );
    assert_eq!(calculate("(1"), Err(Error::Expected("`)`")));
    assert_eq!(calculate("1 ? 2"), Err(Error::Character('?', 2)));
}
