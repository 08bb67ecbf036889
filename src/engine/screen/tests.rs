use super::*;

fn subject(text: &str) -> Subject {
    Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
}

/// The classes of what is wrong with `after` and not with `before`.
fn classes(before: &str, after: &str) -> Vec<Class> {
    let mut screen = Screen::default();
    screen
        .look(&subject(before), &subject(after))
        .into_iter()
        .collect()
}

#[test]
fn a_definition_that_is_still_mentioned_is_missed() {
    let text = "fn f() { g() } fn g() {} struct S<T>(T); impl<'a, T> S<&'a T> { fn h(&'a self) { let x = 1; x; self.0; } }";
    let without = |part: &str| classes(text, &text.replacen(part, "", 1));
    assert_eq!(without(" fn g() {}"), [Class::Undefined]);
    assert_eq!(without("let x = 1;"), [Class::Undefined]);
    assert_eq!(without("'a, "), [Class::UndeclaredLifetime]);
    assert_eq!(without("fn f() { g() }"), []);
    assert_eq!(without("x; self.0;"), []);
}

#[test]
fn what_other_crates_or_macros_may_define_is_no_complaint() {
    let used = "use std::fmt::Debug; fn f(_: impl Debug) {}";
    assert_eq!(
        classes(used, "use std::fmt::Debug; fn f(_: u8) { todo!() }"),
        []
    );
    let made = "macro_rules! m { () => { fn g() {} } } m!(); fn g() {} fn f() { g() }";
    assert_eq!(
        classes(made, &made.replacen("m!(); fn g() {}", "m!();", 1)),
        []
    );
    let foreign =
        "struct S; impl Iterator for S { type Item = u8; } fn f(_: impl Iterator<Item = u8>) {}";
    assert_eq!(
        classes(foreign, &foreign.replace("type Item = u8;", "")),
        []
    );
    let gated = "fn g() {} #[cfg(test)] fn f() { g() }";
    assert_eq!(classes(gated, &gated.replace("fn g() {}", "")), []);
}

#[test]
fn a_module_defines_no_member() {
    let text = "mod parse { pub fn f() { g() } fn g() {} } fn h(s: &str) -> u8 { parse::f(); s.parse().unwrap() }";
    let gone = text.replacen("mod parse { pub fn f() { g() } fn g() {} } ", "", 1);
    let said = gone.replacen("parse::f(); ", "", 1);
    assert_eq!(classes(text, &gone), [Class::Undefined]);
    assert_eq!(classes(text, &said), []);
}

#[test]
fn impls_have_what_their_traits_ask_for() {
    let text = "trait T { fn a(&self, x: u8); fn b() {} type C<'a>; } impl T for u8 { fn a(&self, x: u8) {} type C<'a> = u8; }";
    let with = |from: &str, to: &str| classes(text, &text.replacen(from, to, 1));
    assert_eq!(with("fn a(&self, x: u8) {}", ""), [Class::ImplMembers]);
    assert_eq!(with("fn b() {} ", ""), []);
    assert_eq!(with("fn a(&self, x: u8);", ""), [Class::ImplMembers]);
    assert_eq!(
        with("fn a(&self, x: u8) {}", "fn a(&self) {}"),
        [Class::ImplShape]
    );
    assert_eq!(with("type C<'a> = u8", "type C = u8"), [Class::ImplShape]);
}

#[test]
fn numbers_of_arguments_fit() {
    let text = "fn f(a: u8, b: u8) {} struct P(u8, u8); struct S<A, B = A>(A, B); fn g(s: S<u8>) { f(1, 2); P(1, 2); }";
    let with = |from: &str, to: &str| classes(text, &text.replacen(from, to, 1));
    assert_eq!(with("f(1, 2)", "f(1)"), [Class::Arguments]);
    assert_eq!(with("P(u8, u8)", "P(u8)"), [Class::Arguments]);
    assert_eq!(with("S<u8>", "S"), [Class::GenericArguments]);
    assert_eq!(with("S<u8>", "S<u8, u8>"), []);
    assert_eq!(with("S<u8>", "S<u8, u8, u8>"), [Class::GenericArguments]);
}

#[test]
fn parameters_are_used_and_types_are_written() {
    let text = "struct S<'a, T>(&'a T); impl<T> S<'static, T> { fn f(t: T) { let x: _ = t; } } struct N { a: u8, b: u8 } fn g(n: N) -> u8 { N { a: 1, b: 2 }; 0 }";
    let with = |from: &str, to: &str| classes(text, &text.replacen(from, to, 1));
    assert_eq!(with("(&'a T)", "(&'a u8)"), [Class::UnusedParameter]);
    assert_eq!(
        with("(&'a T)", "(&T)"),
        [Class::UnusedParameter, Class::MissingLifetime]
    );
    assert_eq!(
        with("S<'static, T>", "S<'static, u8>"),
        [Class::Unconstrained]
    );
    assert_eq!(with("t: T", "t: _"), [Class::Placeholder]);
    assert_eq!(with(", b: 2", ""), [Class::Fields]);
    assert_eq!(with(", b: u8", ""), [Class::Undefined, Class::Fields]);
    assert_eq!(with("{ N { a: 1, b: 2 }; 0 }", "{}"), [Class::EmptyBody]);
    assert_eq!(with("struct N", "struct S; struct N"), [Class::Duplicate]);
}

#[test]
fn a_class_is_trusted_after_some_refusals_and_never_again_after_one_success() {
    let mut screen = Screen::default();
    let undefined = BTreeSet::from([Class::Undefined]);
    for _ in 0..CONFIRMATIONS {
        assert!(!screen.refuses(&undefined));
        screen.learn(&undefined, false);
    }
    assert!(screen.refuses(&undefined));
    assert!(screen.refuses(&BTreeSet::from([Class::Undefined, Class::Fields])));
    screen.learn(&BTreeSet::from([Class::Undefined, Class::Fields]), true);
    assert!(!screen.refuses(&undefined));
}

#[test]
fn a_refusal_with_several_complaints_says_nothing_of_each() {
    let mut screen = Screen::default();
    let both = BTreeSet::from([Class::Undefined, Class::Fields]);
    for _ in 0..10 {
        screen.learn(&both, false);
    }
    assert!(!screen.refuses(&both));
}

#[test]
fn blocks_that_have_a_value_end_with_it() {
    let text = "fn f(a: u8) -> u8 { g(); let b = if a > 1 { g(); 1 } else { 2 }; match a { 0 => { g(); b } 1 => return 3, _ => { g(); todo!() } } }";
    let without = |part: &str| classes(text, &text.replacen(part, "", 1));
    assert_eq!(
        classes(text, &text.replacen("g(); 1 }", "g(); }", 1)),
        [Class::NoValue]
    );
    assert_eq!(
        classes(text, &text.replacen("g(); b }", "g(); }", 1)),
        [Class::NoValue]
    );
    assert_eq!(without("g(); "), []);
    assert_eq!(
        classes("fn f() -> u8 { g(); h() }", "fn f() -> u8 { g(); }"),
        [Class::NoValue]
    );
    assert_eq!(
        classes("fn f() -> u8 { g(); h() }", "fn f() -> u8 { return g(); }"),
        []
    );
    assert_eq!(classes("fn f() { g(); h() }", "fn f() { g(); }"), []);
}

#[test]
fn what_the_best_is_wrongly_accused_of_says_nothing_about_candidates() {
    let text = "fn f() { let h = 1; h; k(); } fn k() {} fn n() { h; }";
    assert_eq!(
        classes(text, &text.replacen("let h = 1; ", "", 1)),
        [Class::Undefined]
    );
    // `h` in `n` is not known in either.
    assert_eq!(classes(text, &text.replacen("k(); ", "", 1)), []);
}

#[test]
fn what_a_macro_is_made_of_is_not_defined_by_it() {
    let text = "macro_rules! m { ($x:ident) => { if matches!($x, 1) { vec![] } } } fn f() { if g { matches!(a, 1); } }";
    let start = text.find("fn").expect("it is there");
    assert_eq!(classes(text, &text[start..]), []);
}
