use super::*;

fn subject(text: &str) -> Subject {
    Subject::new([("a.rs".into(), text.as_bytes().to_vec())])
}

/// The names of what is certain in `text`, and `text` with values in their place.
fn with_values(text: &str) -> (Vec<String>, String) {
    let subject = subject(text);
    let names = certain(&subject, &["test".to_string()], |name| name == "stays");
    let element = unwrapped(&subject, &names);
    let left = subject.without(element.as_ref());
    let words: Vec<&str> = left.file(FileId(0)).source().split_whitespace().collect();
    (names.into_iter().collect(), words.join(" "))
}

#[test]
fn what_is_always_there_is_not_asked_for() {
    let (names, text) = with_values(
        "fn f(a: u8) -> Result<u8, E> { if a > 1 { return Ok(a); } let b = g(a)?; h(b).map_err(E::of)?; match a { 0 => Ok(b), _ => todo!() } }
         fn g(a: u8) -> Option<u8> { Some(a) }
         fn h(a: u8) -> Result<(), F> { let c = a.parse()?; Ok(()) }
         fn k() -> io::Result<u8> { f(1).map_err(E::of) }
         fn l() { k().unwrap(); f(2); let _ = f(3); m(f(4)); }",
    );
    assert_eq!(names, ["f", "g", "h", "k"]);
    assert_eq!(
        text,
        "fn f(a: u8) -> u8 { if a > 1 { return a; } let b = g(a); h(b); match a { 0 => b, _ => todo!() } } \
         fn g(a: u8) -> u8 { a } \
         fn h(a: u8) { let c = a.parse().ok().unwrap(); () } \
         fn k() -> u8 { f(1) } \
         fn l() { k(); f(2); let _ = f(3); m(Ok::<_, E>(f(4))); }"
    );
}

#[test]
fn what_may_be_missing_or_is_for_others_to_say_stays() {
    let (names, _) = with_values(
        "fn e() -> Option<u8> { None } fn o() -> Option<u8> { e() } fn p() -> Option<u8> { x.first() }
         impl Iterator for S { fn next(&mut self) -> Option<u8> { Some(1) } }
         #[test] fn t() -> Result<(), E> { Ok(()) }
         fn stays() -> Option<u8> { Some(1) } fn on() -> Option<u8> { Some(1) } fn q() { a.map(S::on) }
         fn l() -> Option<u8> { loop { break Some(1); } } fn n() -> u8 { 1 }",
    );
    assert_eq!(names, [""; 0]);
    let (names, _) = with_values(
        "fn g() -> Option<u8> { Some(1) } fn test() { assert!(g().is_none()); } trait T { fn a() -> Option<u8>; } impl T for S { fn a() -> Option<u8> { Some(1) } } fn l() -> Option<u8> { loop { return Some(1); } }",
    );
    assert_eq!(names, ["a", "l"]);
}

#[test]
fn of_functions_of_one_name_those_that_are_asked_give_back_values() {
    let (names, text) = with_values(
        "impl S { fn add(&self) -> Option<u8> { Some(1) } } impl R { fn add(&self) -> u8 { 1 } }
         fn get() -> Option<u8> { Some(1) }
         fn f() { s.add().unwrap(); g(r.add(), v.get(1), get()) }",
    );
    assert_eq!(names, ["add", "get"]);
    assert_eq!(
        text,
        "impl S { fn add(&self) -> u8 { 1 } } impl R { fn add(&self) -> u8 { 1 } } \
         fn get() -> u8 { 1 } \
         fn f() { s.add(); g(r.add(), v.get(1), Some(get())) }"
    );
}

#[test]
fn what_is_taken_apart_is_there() {
    let (_, text) = with_values(
        "fn g() -> Option<u8> { Some(1) }
         fn f() { match g() { None => 1, Some(a) => h(a), } if let Some(b) = g() { h(b); } else { i(); } let Some(c) = g() else { return; };
         match g() { Some(1) => 1, Some(d) => 2, _ => 3 } let e = match g() { Some(e) => e, None => 4 }; }",
    );
    assert_eq!(
        text,
        "fn g() -> u8 { 1 } \
         fn f() { match g() { a => h(a), } { let b = g(); h(b); } let c = g() ; \
         match Some(g()) { Some(1) => 1, Some(d) => 2, _ => 3 } let e = g(); }"
    );
}

#[test]
fn an_error_concerns_what_is_named_around_it() {
    let text = "fn f() -> Option<u8> { let a = [g(1), h(2)]; Some(3) }";
    let names = ["f", "g", "h"].map(String::from);
    let at = |word: &str| {
        let start = text.find(word).expect("it is there");
        let names = names.clone().into_iter().collect();
        let found = concerned(
            &subject(text),
            &names,
            FileId(0),
            &(start..start + word.len()),
        );
        found.into_iter().collect::<Vec<_>>()
    };
    assert_eq!(at("h(2)"), ["h"]);
    assert_eq!(at("[g(1), h(2)]"), ["g", "h"]);
    assert_eq!(at("Some(3)"), ["g", "h"]);
    assert_eq!(at("Option<u8>"), ["f"]);
    let names: BTreeSet<String> = ["h".to_string(), "g".to_string()].into();
    let text = "fn h() -> Option<u8> { g()? } fn g() -> Option<u8> { h()?.k(); x? }";
    assert_eq!(asking(&subject(text), &names), ["g".to_string()].into());
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_types() {
    let (names, text) = with_values(
        "impl A { fn new(a: u8) -> Result<A, E> { Ok(A(a)) } fn two() -> Result<A, E> { Self::new(2) } }
         impl<T> B<T> { fn new(a: T) -> Option<Self> { Some(B(a)) } }
         impl C { fn new() -> C { C } }
         impl D { fn new() -> Result<D, E> { Err(E) } }
         fn f() { A::new(1)?; x::B::<u8>::new(1).unwrap(); C::new(); D::new()?; Vec::new(); }",
    );
    assert_eq!(names, ["A::new", "B::new", "two"]);
    assert_eq!(
        text,
        "impl A { fn new(a: u8) -> A { A(a) } fn two() -> A { Self::new(2) } } \
         impl<T> B<T> { fn new(a: T) -> Self { B(a) } } \
         impl C { fn new() -> C { C } } \
         impl D { fn new() -> Result<D, E> { Err(E) } } \
         fn f() { A::new(1); x::B::<u8>::new(1); C::new(); D::new()?; Vec::new(); }"
    );
}
