use super::*;
use crate::syntax::FileId;

fn flat(text: &str, keep: &[&str]) -> String {
    flat_to(text, keep, Depth::All)
}

fn flat_to(text: &str, keep: &[&str], depth: Depth) -> String {
    let subject = Subject::new([("a.rs".into(), text.as_bytes().to_vec())]);
    let keep: Vec<String> = keep.iter().map(|name| (*name).to_owned()).collect();
    let element = one_module(&subject, &keep, depth).expect("there are modules");
    let after = subject.without([&element]);
    let source = after.file(FileId(0)).source();
    source.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_is_imported_from_another_module_is_there() {
    assert_eq!(
        flat(
            "use a::b::S; mod a { pub mod b { use super::super::c::f; pub(crate) struct S; impl S { pub fn g() { f(); crate::c::f(); } } } pub use self::b::S as T; } mod c { use crate::a::{T, b::*}; pub fn f() -> T { S } } fn main() { a::T::g(); a::b::S; }",
            &[]
        ),
        "struct S; impl S { fn g() { f(); f(); } } fn f() -> S { S } fn main() { S::g(); S; }"
    );
}

#[test]
fn what_has_the_same_name_gets_another() {
    assert_eq!(
        flat(
            "mod a { pub struct S; pub fn f(f: u8) -> S { f; g(S) } fn g(s: S) -> S { s } } mod b { use super::a; pub struct S(a::S); pub fn f() { a::f(1); S(a::S); } }",
            &[]
        ),
        "struct S; fn f(f: u8) -> S { f; g(S) } fn g(s: S) -> S { s } struct BS(S); fn b_f() { f(1); BS(S); }"
    );
}

#[test]
fn what_the_prelude_has_is_still_found() {
    assert_eq!(
        flat(
            "mod a { pub type Result<T> = core::result::Result<T, ()>; fn f() -> Result<u8> { Ok(1) } } fn g() -> Result<u8, u8> { Ok(1) } fn h<Result>(r: Result) {}",
            &[]
        ),
        "type AResult<T> = core::result::Result<T, ()>; fn f() -> AResult<u8> { Ok(1) } fn g() -> Result<u8, u8> { Ok(1) } fn h<Result>(r: Result) {}"
    );
}

#[test]
fn imports_from_elsewhere_are_there_once() {
    assert_eq!(
        flat(
            "use std::fmt; mod a { use core::fmt; use alloc::vec::Vec; use std::io::{Read, Write}; fn f(v: Vec<u8>) -> fmt::Result {} } mod b { use std::fmt::Write; use std::io::Read; fn g(w: impl Write) {} fn h() -> Vec<u8> {} }",
            &[]
        ),
        "use std::fmt; use alloc::vec::Vec; use std::io::{Read, Write}; fn f(v: Vec<u8>) -> fmt::Result {} use std::fmt::Write as FmtWrite; fn g(w: impl FmtWrite) {} fn h() -> Vec<u8> {}"
    );
}

#[test]
fn an_import_named_like_its_crate_is_no_way_into_the_crate() {
    assert_eq!(
        flat(
            "use case::case; mod a { use case::{case, fixture}; #[case] pub fn f() { fixture(); } }",
            &[]
        ),
        "use case::case; use case::fixture; #[case] fn f() { fixture(); }"
    );
}

#[test]
fn imports_that_lead_to_each_other_lead_nowhere() {
    let flat = flat(
        "mod a { pub use crate::b::c; } mod b { pub use crate::a::c; } fn f() {}",
        &[],
    );
    assert!(flat.contains("fn f() {}"), "{flat}");
}

#[test]
fn variants_are_still_imported() {
    assert_eq!(
        flat(
            "mod a { pub enum E { A, B } } mod b { use crate::a::E::*; use super::a::E::A as C; fn f() { match A { A => (), crate::a::E::B => () } } fn g() { use super::a::E; use E::B; C; B; } }",
            &[]
        ),
        "enum E { A, B } use E::*; use E::A as C; fn f() { match A { A => (), E::B => () } } fn g() { use E::B; C; B; }"
    );
}

#[test]
fn the_modules_of_a_test_stay() {
    assert_eq!(
        flat(
            "mod a { mod b { pub(super) fn f() {} } mod c { pub(in crate::a) struct S; mod tests { use super::super::b::f; use super::*; #[test] fn t() { f(); S; } } } }",
            &["t"]
        ),
        "mod a { pub fn f() {} mod c { pub struct S; mod tests { use crate::a::f; use crate::a::c::*; #[test] fn t() { f(); S; } } } }"
    );
}

#[test]
fn what_macros_say_is_a_path_too() {
    assert_eq!(
        flat(
            "mod a { macro_rules! m { ($x:ident) => { $crate::a::f(a::$x, 1) } } #[allow(dead_code)] mod a { #![allow(unused)] pub fn f() {} } pub use self::a::f; } fn g() { assert!(a::f() == vec![crate::a::f()]); }",
            &[]
        ),
        "macro_rules! m { ($x:ident) => { $crate::f(a::$x, 1) } } fn f() {} fn g() { assert!(f() == vec![f()]); }"
    );
}

#[test]
fn a_crate_is_named_once() {
    assert_eq!(
        flat(
            "mod a { extern crate alloc; use self::alloc::vec::Vec; fn f() -> Vec<u8> { alloc::vec![] } } mod b { extern crate alloc; fn g() -> crate::b::alloc::string::String {} }",
            &[]
        ),
        "extern crate alloc; use alloc::vec::Vec; fn f() -> Vec<u8> { alloc::vec![] } fn g() -> alloc::string::String {}"
    );
}

#[test]
fn attributes_and_primitive_types_are_still_found() {
    assert_eq!(
        flat(
            "mod a { use std::usize; pub use m::test; fn f() -> usize { usize::MAX } } mod b { use m::Fun; #[derive(Fun)] struct S(usize); } #[test] fn t() {}",
            &["t"]
        ),
        "use std::usize; use m::test as m_test; fn f() -> usize { usize::MAX } use m::Fun; #[derive(Fun)] struct S(usize); #[test] fn t() {}"
    );
}

#[test]
fn a_function_and_its_module_may_have_the_same_name() {
    assert_eq!(
        flat(
            "mod a { mod f { pub fn f() {} } pub use self::f::f; } mod b { use super::a::f; #[cfg(x)] struct S; #[cfg(not(x))] struct S(u8); fn g(s: S) { f() } } struct S;",
            &[]
        ),
        "fn f() {} #[cfg(x)] struct BS; #[cfg(not(x))] struct BS(u8); fn g(s: BS) { f() } struct S;"
    );
}

#[test]
fn a_module_that_another_one_imports_with_all_else_is_found() {
    assert_eq!(
        flat(
            "mod a { use self::b::*; pub mod b { use super::flags::*; pub mod flags { pub const F: u8 = 1; } pub fn f() -> u8 { F } } fn g() { f(); } }",
            &[]
        ),
        "const F: u8 = 1; fn f() -> u8 { F } fn g() { f(); }"
    );
}

#[test]
fn a_variant_that_is_imported_with_all_others_keeps_its_name_for_itself() {
    assert_eq!(
        flat(
            "mod t { pub enum E { LE, RI } use self::E::*; const ALL: [E; 2] = [LE, RI]; } mod chars { pub const LE: char = 'l'; } fn f() { chars::LE; }",
            &[]
        ),
        "enum E { LE, RI } use E::*; const ALL: [E; 2] = [LE, RI]; const CHARS_LE: char = 'l'; fn f() { CHARS_LE; }"
    );
}

#[test]
fn what_the_rules_of_a_macro_mention_is_what_it_is_where_it_is_called() {
    assert_eq!(
        flat(
            "mod macros { macro_rules! inner { ($e:expr) => { Status::Done($e) } } macro_rules! outer { ($e:expr) => { inner!($e) } } } mod a { use crate::b::Status; fn f() { outer!(1); } } mod b { pub enum Status { Done(u8) } } mod c { struct Status; }",
            &[]
        ),
        "macro_rules! inner { ($e:expr) => { Status::Done($e) } } macro_rules! outer { ($e:expr) => { inner!($e) } } fn f() { outer!(1); } enum Status { Done(u8) } struct CStatus;"
    );
}

#[test]
fn a_private_module_named_like_a_crate_is_not_what_others_import() {
    assert_eq!(
        flat(
            "extern crate alloc; mod raw { mod alloc { pub fn grow() {} } pub struct T; } mod map { use crate::raw::*; use alloc::vec::Vec; struct M(T, Vec<u8>); }",
            &[]
        ),
        "extern crate alloc; fn grow() {} struct T; use alloc::vec::Vec; struct M(T, Vec<u8>);"
    );
}

#[test]
fn what_a_macro_takes_is_no_path() {
    assert_eq!(
        flat(
            "macro_rules! m { ($e:expr) => { fn get() -> Map { $e } } } mod a { pub fn expr() {} pub fn get() {} } mod b { use std::collections::HashMap as Map; pub fn expr() {} m!(1); } mod c { use std::collections::HashMap as Map; m!(2); }",
            &[]
        ),
        "macro_rules! m { ($e:expr) => { fn get() -> Map { $e } } } fn a_expr() {} fn a_get() {} use std::collections::HashMap as Map; fn b_expr() {} m!(1); m!(2);"
    );
}

#[test]
fn what_is_not_in_the_text_is_in_the_module_that_it_was_in() {
    assert_eq!(
        flat_to(
            "flags! { struct O; } mod a { made!(); pub mod b { use crate::O; use crate::a::made; pub fn f() -> O { crate::O::new(made(), super::made()) } } }",
            &[],
            Depth::Inner
        ),
        "flags! { struct O; } mod a { made!(); use crate::O; pub fn f() -> O { crate::O::new(made(), made()) } }"
    );
}

#[test]
fn what_a_module_that_stays_tells_of_stays_visible() {
    assert_eq!(
        flat(
            "pub enum E { A } mod a { pub struct P; impl Iterator for P { type Item = crate::E; } mod t { use super::P; fn t(p: P) {} } } mod b { pub(crate) fn f() {} }",
            &["t"]
        ),
        "pub enum E { A } mod a { pub struct P; impl Iterator for P { type Item = crate::E; } mod t { use crate::a::P; fn t(p: P) {} } } pub fn f() {}"
    );
}
