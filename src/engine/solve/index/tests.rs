use std::collections::BTreeSet;

use super::Index;
use crate::engine::solve::wanted::Want;
use crate::passes::definitions::{Definition, definitions};
use crate::subject::Subject;
use crate::syntax::FileId;

fn subject(files: &[(&str, &str)]) -> Subject {
    let files = files
        .iter()
        .map(|(path, text)| (path.into(), text.as_bytes().to_vec()));
    Subject::new(files).with_roots([FileId(0)])
}

/// All that is no function, and what of it answers `want`, by its first words.
fn answers(subject: &Subject, want: Want) -> Vec<String> {
    let all = definitions(subject, None, &|_, _| false);
    let index = Index::of(subject, &all);
    let removed: BTreeSet<usize> = (0..all.len()).collect();
    let found = index.wanted(&removed, &[want], &[(FileId(0), 0..0)]);
    found.iter().map(|at| words(subject, &all[*at])).collect()
}

fn words(subject: &Subject, definition: &Definition) -> String {
    let text = &subject.file(definition.file).source()[definition.range.clone()];
    text.split_whitespace()
        .take(4)
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn the_module_item_of_another_file_comes_back_with_what_that_holds() {
    let subject = subject(&[
        ("main.rs", "mod macros; fn main() {}"),
        ("macros.rs", "macro_rules! m { () => {} }"),
    ]);
    let all = definitions(&subject, None, &|_, _| false);
    let index = Index::of(&subject, &all);
    let inner = all
        .iter()
        .position(|one| one.names == ["m"])
        .expect("it is a definition");
    let around: Vec<String> = index
        .around(inner)
        .map(|at| words(&subject, &all[at]))
        .collect();
    assert_eq!(around, ["mod macros;"]);
}

#[test]
fn a_missing_impl_is_that_of_the_type_and_not_of_another() {
    let subject = subject(&[(
        "main.rs",
        "struct A; struct B; trait Tr {} impl Tr for A {} impl Tr for B {}",
    )]);
    assert_eq!(answers(&subject, implementation("B")), ["impl Tr for B"]);
}

/// `Tr` for the type `text`.
fn implementation(text: &str) -> Want {
    Want::implementation("Tr", text).expect("a trait")
}

#[test]
fn of_many_impls_of_an_operator_the_one_between_the_two_types_is_missing() {
    let text = "struct A; impl Sub for A {} impl Sub<u8> for A {} impl<'a> Sub<&'a A> for A {} impl Sub<u8> for &A {}
        impl Sub<A> for u8 {} impl Add<Self> for A {} impl Add<u8> for A {}";
    let all = subject(&[("main.rs", text)]);
    for (of_trait, of_type, answer) in [
        ("Sub", "A", "impl Sub for A"),
        ("Sub<A>", "A", "impl Sub for A"),
        ("Sub<u8>", "A", "impl Sub<u8> for A"),
        ("Sub<&x::A>", "A", "impl<'a> Sub<&'a A> for"),
        ("Sub<u8>", "&A", "impl Sub<u8> for &A"),
        ("Sub<A>", "u8", "impl Sub<A> for u8"),
        ("Add", "A", "impl Add<Self> for A"),
    ] {
        let want = Want::implementation(of_trait, of_type).expect("a trait");
        assert_eq!(answers(&all, want), [answer], "{of_trait} {of_type}");
    }
}

#[test]
fn a_missing_impl_is_that_of_a_type_of_the_same_shape() {
    let text = "struct A; trait Tr {} impl Tr for A {} impl Tr for Vec<A> {} impl<'a> Tr for &'a [A] { fn f() {} }
        impl<X, Y> Tr for (X, Y) {} impl<Func: Fn()> Tr for Func {}";
    let all = subject(&[("main.rs", text)]);
    assert_eq!(
        answers(&all, implementation("(A, u8)")),
        ["impl<X, Y> Tr for"]
    );
    assert_eq!(
        answers(&all, implementation("&[u8]")),
        ["impl<'a> Tr for &'a"]
    );
    assert_eq!(
        answers(&all, implementation("{closure@main.rs:1:2: 3:4}")),
        ["impl<Func: Fn()> Tr for"]
    );
    // What a macro makes of its rules.
    let text = "struct A; trait Tr {} impl Tr for A {} macro_rules! inner { ($($x:ident)*) => { impl<$($x),*> Tr for ($($x),*) {} } }
        macro_rules! outer { ($($x:tt)*) => { inner!($($x)*); } } outer!(X Y); inner!(V W);";
    let all = subject(&[("main.rs", text)]);
    assert_eq!(
        answers(&all, implementation("(A, u8)")),
        ["outer!(X Y);", "inner!(V W);"]
    );
}

#[test]
fn calls_are_not_missed_for_the_name_of_their_macro() {
    let text =
        "macro_rules! cases { ($name:ident $n:expr) => {} } #[cfg(test)] self::cases!(one LIMIT);";
    let all = subject(&[("main.rs", text)]);
    let definitions = definitions(&all, None, &|_, _| false);
    let index = Index::of(&all, &definitions);
    let of = |word: &str| -> Vec<String> {
        let found = index.by_key.get(word).into_iter().flatten();
        found.map(|at| words(&all, &definitions[*at])).collect()
    };
    assert_eq!(of("LIMIT").len(), 1);
    assert_eq!(of("cases"), ["macro_rules! cases { ($name:ident"]);
}

#[test]
fn a_missing_member_is_the_traits_own_or_of_the_type_that_is_most_alike() {
    let subject = subject(&[(
        "main.rs",
        "trait T { fn go(); } impl<X, Y> T for A<X, Y> { fn go() { 1 } } impl<X, Y> T for B<X, Y> { fn go() { 2 } }",
    )]);
    let asked = |of: &[&str]| {
        let want = Want::Member {
            name: "go".into(),
            of: of.iter().map(ToString::to_string).collect(),
        };
        answers(&subject, want)
    };
    assert_eq!(asked(&["T"]), ["fn go();"]);
    assert_eq!(asked(&["B", "X", "Y"]), ["fn go() { 2"]);
}

#[test]
fn a_derive_that_is_missed_comes_back_with_those_of_the_parts_and_of_supertraits() {
    let subject = subject(&[(
        "main.rs",
        "#[derive(PartialEq, Eq)] struct A(B); #[derive(PartialEq, Eq)] struct B; #[derive(Eq)] struct C;",
    )]);
    let all = definitions(&subject, None, &|_, _| false);
    let index = Index::of(&subject, &all);
    let removed: BTreeSet<usize> = (0..all.len()).collect();
    let derive = |of_type: &str, of_trait: &str| {
        let found = all.iter().position(|one| {
            one.of_trait.as_deref() == Some(of_trait)
                && one.of_type.iter().eq([of_type])
                && words(&subject, one) == of_trait
        });
        found.expect("it is a definition")
    };
    let asked = derive("A", "Eq");
    let back = index.mentioned(&subject, &removed, &[asked]);
    for needed in [derive("A", "PartialEq"), derive("B", "Eq")] {
        assert!(back.contains(&needed), "{back:?}");
    }
    assert!(!back.contains(&derive("C", "Eq")));
    let source = subject.file(FileId(0)).source();
    let field = source.find("B)").expect("it is there");
    let around = index.derives_at(&removed, &[(FileId(0), field..field + 1)]);
    assert_eq!(around, [derive("A", "PartialEq"), asked]);
}

#[test]
fn a_method_that_stands_in_a_trait_asks_for_the_impl_for_every_type() {
    let subject = subject(&[(
        "main.rs",
        "trait T { fn go(&self); } impl<X> T for X { } fn main() { 1.go() }",
    )]);
    let all = definitions(&subject, None, &|_, _| false);
    let index = Index::of(&subject, &all);
    let of_impl = |at: &usize| words(&subject, &all[*at]).starts_with("impl");
    let removed: BTreeSet<usize> = (0..all.len()).filter(of_impl).collect();
    let want = Want::Member {
        name: "go".into(),
        of: ["integer".to_string()].into(),
    };
    let found = index.wanted(&removed, &[want], &[(FileId(0), 0..0)]);
    assert_eq!(found, removed.into_iter().collect::<Vec<_>>());
}

#[test]
fn a_call_that_may_make_what_is_missing_is_no_answer_where_there_is_a_better_one() {
    let subject = subject(&[(
        "main.rs",
        "macro_rules! make { ($t:ident) => { impl $t { } } } struct End; make!(End); mod m { pub trait Go { fn go(&self); } \
         impl Go for crate::End { } } use m::Go; fn main() { End.go() }",
    )]);
    let all = definitions(&subject, None, &|_, _| false);
    let index = Index::of(&subject, &all);
    let goes = |at: &usize| ["make!(End);", "use m::Go;"].contains(&&*words(&subject, &all[*at]));
    let removed: BTreeSet<usize> = (0..all.len()).filter(goes).collect();
    assert_eq!(removed.len(), 2);
    let member = Want::Member {
        name: "go".into(),
        of: ["End".to_string()].into(),
    };
    let import = Want::Name {
        name: "Go".into(),
        path: Vec::new(),
    };
    let answers = |wants: &[Want]| -> Vec<String> {
        let found = index.wanted(&removed, wants, &[(FileId(0), 0..0)]);
        found.iter().map(|at| words(&subject, &all[*at])).collect()
    };
    assert_eq!(answers(std::slice::from_ref(&member)), ["make!(End);"]);
    assert_eq!(answers(&[member, import]), ["use m::Go;"]);
}
