//! Generic code as it ran: where a type parameter stood for one type alone, that type takes its place, and what bounded the
//! parameter goes. Only the program itself knows these types, so it is asked: each generic function that runs tells what its
//! parameters, and the types that it makes of them, are called.

mod agreement;
mod apart;
mod generic;
mod naming;
mod numbers;
mod traits;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::query::{At, all};
use super::ran::{at_run_time, behind_inner_attributes, names_the_crate};
use crate::subject::{Element, PROBE_CRATE as CRATE, Subject};
use crate::syntax::{Edit, FileId, ItemKind, Kind, Origin};
pub use agreement::Agreement;
use generic::{Generic, functions};
use naming::Names;
pub use numbers::one_number_for_another;
use traits::Traits;

/// What the functions of a subject can tell of their types.
pub struct Instances<'s> {
    subject: &'s Subject,
    generics: Vec<Generic<'s>>,
    /// What is asked, and where: one question for each type in each function.
    questions: Vec<Question<'s>>,
}

/// A type that is made of parameters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Made {
    /// The place among all generic items.
    generic: usize,
    /// Where the method starts whose parameters it is made of, if they are not the item's own.
    method: Option<usize>,
    /// Its tokens, a space between any two.
    text: String,
}

/// What a function is asked.
struct Question<'s> {
    made: Made,
    function: At<'s>,
}

/// A subject in which functions tell their types.
pub struct Asking {
    /// The text to compile and run.
    pub subject: Subject,
    /// Where in it a question stands, by number.
    places: Vec<(FileId, Range<usize>, usize)>,
}

impl Asking {
    /// The question that stands at `offset` of `file`.
    pub fn question_at(&self, file: FileId, offset: usize) -> Option<usize> {
        let mut places = self.places.iter();
        let there = places.find(|(own, range, _)| *own == file && range.contains(&offset));
        there.map(|(_, _, question)| *question)
    }
}

impl<'s> Instances<'s> {
    /// What can be asked of `subject`; nothing about the items that stood originally where `known` says.
    pub fn of(subject: &'s Subject, known: impl Fn(Origin) -> bool) -> Instances<'s> {
        let items = |kind| matches!(kind, Kind::Item(ItemKind::Fn | ItemKind::Impl));
        let generics: Vec<Generic> = all(subject, items)
            .into_iter()
            .filter(|item| !origin(subject, *item).is_some_and(&known))
            .map(Generic::of)
            .filter(|generic| generic.is_any() && !generic.is_blanket())
            .collect();
        let mut questions = Vec::new();
        for (number, generic) in generics.iter().enumerate() {
            for function in functions(generic.item) {
                let Some(body) = function.child(|kind| kind == Kind::Body) else {
                    continue;
                };
                let inside = body.node.children.first();
                let runs = inside.is_some_and(|id| at_run_time(body.source, body.tree, *id));
                if !runs {
                    continue;
                }
                let all = generic.asked_in(number, function).into_iter();
                questions.extend(all.map(|made| Question { made, function }));
            }
        }
        Instances {
            subject,
            generics,
            questions,
        }
    }

    /// The numbers of all questions.
    pub fn questions(&self) -> BTreeSet<usize> {
        (0..self.questions.len()).collect()
    }

    /// Where the items that can tell something stood originally.
    pub fn origins(&self) -> impl Iterator<Item = Origin> + '_ {
        let items = self.generics.iter();
        items.filter_map(|generic| origin(self.subject, generic.item))
    }

    /// The subject with these questions in it.
    pub fn asking(&self, chosen: &BTreeSet<usize>) -> Asking {
        let mut by_file: BTreeMap<FileId, Vec<(usize, String, usize)>> = BTreeMap::new();
        for number in chosen {
            let Question { made, function } = &self.questions[*number];
            let Some(body) = function.child(|kind| kind == Kind::Body) else {
                continue;
            };
            let text = format!(" ::{CRATE}::is::<{}>({number}); ", made.text);
            let at = behind_inner_attributes(body.tree, body.node);
            let own = by_file.entry(function.file).or_default();
            own.push((at, text, *number));
        }
        let mut result = self.subject.clone();
        let mut places = Vec::new();
        for (file, version, tree) in self.subject.sources() {
            let Some(text) = version.text() else { continue };
            let mut own = by_file.remove(&file).unwrap_or_default();
            own.sort_by_key(|(at, _, number)| (*at, *number));
            let mut edits: Vec<Edit> = names_the_crate(self.subject, file, tree)
                .into_iter()
                .collect();
            let mut ahead: usize = edits.iter().map(|edit| edit.text.len()).sum();
            for (at, text, number) in own {
                places.push((file, at + ahead..at + ahead + text.len(), number));
                ahead += text.len();
                edits.push(Edit::replace(file, at..at, text));
            }
            if !edits.is_empty() {
                result = result.with_text(file, text.apply(&edits));
            }
        }
        Asking {
            subject: result,
            places,
        }
    }

    /// What each item becomes that stood for one type, by what was `told`: the number of a question and the name of a type.
    pub fn concrete(&self, told: &[(u32, String)], agreement: Agreement) -> Vec<Concrete> {
        let mut types = self.types(told);
        let told: BTreeSet<usize> = types.keys().map(|made| made.generic).collect();
        self.agree(&mut types, agreement);
        let known = self.known(types);
        let mut found = Vec::new();
        for (number, generic) in self.generics.iter().enumerate() {
            let one = |edits: Vec<Edit>| {
                (!edits.is_empty()).then(|| Concrete {
                    element: Element::new(self.subject, generic.item.kind(), edits),
                    item: (generic.item.file, generic.item.range()),
                    of_type: generic.self_type().map(|(name, _)| name.to_string()),
                    guessed: !told.contains(&number),
                    instead: None,
                })
            };
            let whole = one(generic.concrete(number, &known, |_| true));
            let less = match generic.item.kind() {
                Kind::Item(ItemKind::Fn) => {
                    one(generic.concrete(number, &known, |own| !generic.is_handed_in(own)))
                }
                _ => None,
            };
            let less = less.filter(|less| {
                let whole = whole.as_ref();
                whole.is_some_and(|whole| whole.element.edits != less.element.edits)
            });
            found.extend(whole.map(|whole| Concrete {
                instead: less.map(Box::new),
                ..whole
            }));
        }
        found
    }

    /// The names of the types that each stood for.
    fn types<'t>(&self, told: &'t [(u32, String)]) -> BTreeMap<Made, BTreeSet<&'t str>> {
        let mut types: BTreeMap<Made, BTreeSet<&str>> = BTreeMap::new();
        for (number, name) in told {
            if let Some(question) = self.questions.get(*number as usize) {
                types.entry(question.made.clone()).or_default().insert(name);
            }
        }
        types
    }

    fn known<'t>(&self, types: BTreeMap<Made, BTreeSet<&'t str>>) -> Known<'t>
    where
        's: 't,
    {
        let only = types.into_iter().filter_map(|(made, names)| {
            let mut names = names.into_iter();
            let name = names.next()?;
            names.next().is_none().then_some((made, name))
        });
        let names = Names::of(self.subject);
        Known {
            subject: self.subject,
            only: only.collect(),
            traits: Traits::of(self.subject, &names),
            names,
        }
    }

    /// Whether there is an item of which more is said of what is made of parameters than their bounds say.
    pub fn speak_of_projections(&self) -> bool {
        self.generics.iter().any(Generic::speaks_of_projections)
    }

    /// What has the bounds of each item say what is made of its parameters, by what was `told`:
    /// `fn f<I: Iterator>() where I::Item: D` → `fn f<I: Iterator<Item = u8>>()`.
    pub fn known_projections(&self, told: &[(u32, String)]) -> Vec<Element> {
        let known = self.known(self.types(told));
        let all = self.generics.iter().enumerate();
        let all = all.map(|(number, generic)| {
            let edits = generic.with_known_projections(number, &known);
            Element::new(self.subject, generic.item.kind(), edits)
        });
        all.filter(|element| !element.edits.is_empty()).collect()
    }
}

/// An item without the parameters that stood for one type.
pub struct Concrete {
    /// What makes it that.
    pub element: Element,
    /// Where the item stands.
    pub item: (FileId, Range<usize>),
    /// Of an impl, the name of its type.
    pub of_type: Option<String>,
    /// Nothing of it ran: others for the same type say what it is for.
    pub guessed: bool,
    /// Of a function, the same but for parameters that what it takes may be handed on from.
    pub instead: Option<Box<Concrete>>,
}

/// What is known when types are put in.
struct Known<'s> {
    subject: &'s Subject,
    /// What stood for one type, and that type's name.
    only: BTreeMap<Made, &'s str>,
    names: Names,
    traits: Traits,
}

/// Where an item stood originally.
fn origin(subject: &Subject, item: At) -> Option<Origin> {
    subject.file(item.file).text()?.origin(item.range().start)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(text: &str) -> Subject {
        Subject::new([("a.rs".into(), text.as_bytes().to_vec())]).with_roots([FileId(0)])
    }

    /// What `text` becomes by what is told: of a question that has this text, and this name.
    fn told(text: &str, told: &[(&str, &str)], agreement: Agreement) -> (Subject, Vec<Concrete>) {
        let subject = subject(text);
        let instances = Instances::of(&subject, |_| false);
        let concrete = instances.concrete(&answers(&instances, told), agreement);
        (subject, concrete)
    }

    /// What is answered, of a question that has this text, and this name.
    fn answers(instances: &Instances, told: &[(&str, &str)]) -> Vec<(u32, String)> {
        let mut answers = Vec::new();
        for (number, question) in instances.questions.iter().enumerate() {
            let own = told.iter().filter(|(text, _)| *text == question.made.text);
            answers.extend(own.map(|(_, name)| (number as u32, name.to_string())));
        }
        answers
    }

    fn without(subject: &Subject, concrete: Vec<Concrete>) -> String {
        let elements: Vec<Element> = concrete.into_iter().map(|one| one.element).collect();
        let after = subject.without(&elements);
        let source = after.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// `text` with all types concrete that are told.
    fn concrete(text: &str, names: &[(&str, &str)]) -> String {
        let (subject, concrete) = told(text, names, Agreement::OfAll);
        without(&subject, concrete)
    }

    /// `text` where bounds say what is told.
    fn settled(text: &str, names: &[(&str, &str)]) -> String {
        let subject = subject(text);
        let instances = Instances::of(&subject, |_| false);
        assert!(instances.speak_of_projections());
        let elements = instances.known_projections(&answers(&instances, names));
        let source = subject.without(&elements);
        let source = source.file(FileId(0)).source();
        source.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn each_function_is_asked_for_its_parameters_and_what_is_made_of_them() {
        let subject = subject(
            "impl<G: A> X<G> { fn f<I: Iterator>(g: G::Id, i: I::Item) { let x: <G as A>::Id; } } fn h<T>() { fn k() {} } fn l() {}",
        );
        let instances = Instances::of(&subject, |_| false);
        let texts = instances.questions.iter();
        let texts: Vec<&str> = texts.map(|question| &question.made.text[..]).collect();
        assert_eq!(
            texts,
            ["< G as A > :: Id", "G", "G :: Id", "I", "I :: Item", "T"]
        );
    }

    #[test]
    fn a_parameter_gives_way_to_its_type() {
        let text = "fn f<K, F: Fn(K)>(f: F) -> K where K: Copy, F: Copy { let x = K::new(); f::<K, _>(vec![K::max(); 2]) }";
        let told = [("K", "u32"), ("F", "b::f::{{closure}}")];
        assert_eq!(
            concrete(text, &told),
            "fn f< F: Fn(u32)>(f: F) -> u32 where F: Copy { let x = <u32>::new(); f::< _>(vec![<u32>::max(); 2]) }"
        );
    }

    #[test]
    fn what_is_made_of_a_parameter_is_written_as_it_is() {
        let text = "fn f<G>(g: G::Id, h: <G as A>::Id) where G: A, G::Id: Copy {}";
        let told = [
            ("G", "u8"),
            ("G :: Id", "(u8, alloc::vec::Vec<u8>)"),
            ("< G as A > :: Id", "[&str; 2]"),
        ];
        let after = concrete(&text.replace("{}", "{ g }"), &told);
        assert_eq!(after, "fn f(g: (u8, Vec<u8>), h: [&str; 2]) { g }");
    }

    #[test]
    fn what_is_made_of_a_parameter_that_stays_is_said_of_it() {
        let text = "fn f<I: IntoIterator, J>(i: I) where I::Item: D + E, <I::Item as D>::Id: Into<u16>, J: Sized { for x in i { let y: Option<I::Item> = x.id().into(); } } \
                    trait D { fn id(self); }";
        let told = [
            ("I", "core::iter::Map<b::f::{{closure}}>"),
            ("J", "b::f::{{closure}}"),
            ("I :: Item", "(u8, u16)"),
            ("< I :: Item as D > :: Id", "u16"),
        ];
        let after = settled(text, &told);
        assert_eq!(
            after.split(" trait").next().unwrap(),
            "fn f<I: IntoIterator<Item = (u8, u16)>, J>(i: I) where J: Sized { for x in i { let y: Option<(u8, u16)> = Into::<u16>::into(x.id()); } }"
        );
        // A lifetime would need a name.
        let told = [
            ("I", "b::{{closure}}"),
            ("I :: Item", "&u8"),
            ("< I :: Item as D > :: Id", "u16"),
        ];
        assert_eq!(settled(text, &told), text);
    }

    #[test]
    fn a_parameter_that_stood_for_two_types_stays() {
        let text = "fn f<A, B>(a: A, b: B) { g(a) }";
        let told = [("A", "u8"), ("A", "u16"), ("B", "u8")];
        assert_eq!(concrete(text, &told), "fn f<A >(a: A, b: u8) { g(a) }");
    }

    #[test]
    fn lifetimes_have_a_name_where_they_need_one() {
        let text = "struct S<'a>(&'a u8); impl<T: A> I for X<T> { type Item = T; fn f(&self) -> T { self.0 } } fn g<T>(x: T) -> T { x } fn h<T>(x: T) { x } fn i<T, F: Fn(T)>(x: T) { x }";
        assert_eq!(
            concrete(text, &[("T", "&b::S<'_>")]),
            "struct S<'a>(&'a u8); impl<'g> I for X<&'g S<'g>> { type Item = &'g S<'g>; fn f(&self) -> &'g S<'g> { self.0 } } \
             fn g<'g>(x: &'g S<'g>) -> &'g S<'g> { x } fn h(x: &S<'_>) { x } fn i<'g, F: Fn(&'g S<'g>)>(x: &'g S<'g>) { x }"
        );
    }

    #[test]
    fn what_bounds_made_known_is_named() {
        let text = "mod a { pub trait A { fn max(); fn len(&self); } pub trait B: A {} make! { pub trait C { fn run(&self); } } } use a::B; use a::C; \
                    fn f<T: B + C>(x: T) { T::max(); x.len(); x.run() }";
        let after = concrete(text, &[("T", "u8")]);
        let (_, function) = after.split_once("use a::C; ").unwrap();
        assert_eq!(
            function,
            "fn f(x: u8) { use crate::a::A; <u8 as crate::a::A>::max(); x.len(); x.run() }"
        );
    }

    #[test]
    fn impls_for_one_type_agree() {
        let told = [("N", "u8")];
        let text =
            "impl<N> S<N> { fn f() { g() } } impl<M: Copy> Clone for S<M> {} struct S<N>(N);";
        assert_eq!(
            concrete(text, &told),
            "impl S<u8> { fn f() { g() } } impl Clone for S<u8> {} struct S<N>(N);"
        );
        // What is handed on to a type that is for two stays for two as well.
        let text = "impl<N> S<N> { fn f() { g() } } impl<N> T<N> { fn f() { g() } fn h() -> S<N> { g() } }";
        let subject = subject(text);
        let instances = Instances::of(&subject, |_| false);
        let of = |at: usize| instances.questions[at].made.generic;
        let names = (0..instances.questions.len()).map(|at| (at as u32, "u8".to_string()));
        let mut told: Vec<(u32, String)> = names.collect();
        assert_eq!(instances.concrete(&told, Agreement::OfAll).len(), 2);
        let second = (0..instances.questions.len()).find(|at| of(*at) == 1);
        told.push((second.unwrap() as u32, "u16".to_string()));
        assert_eq!(instances.concrete(&told, Agreement::OfAll).len(), 0);
        // Errors will say whether the first can do alone.
        assert_eq!(instances.concrete(&told, Agreement::OfIdle).len(), 1);
    }

    #[test]
    fn what_is_made_of_a_parameter_that_stays_stays_too() {
        let text = "fn f<E, I>(i: I) where I: Iterator, <I::Item as A<E>>::Id: Into<E> { g(i) }";
        let told = [
            ("E", "u8"),
            ("I", "b::f::{{closure}}"),
            ("< I :: Item as A < E >> :: Id", "u16"),
        ];
        assert_eq!(
            concrete(text, &told),
            "fn f< I>(i: I) where I: Iterator, <I::Item as A<u8>>::Id: Into<u8> { g(i) }"
        );
    }

    #[test]
    fn what_another_hands_on_may_stay_generic_alone() {
        let text = "fn f<G: New, I: Iterator<Item = G::A>>(i: I) -> G { g(i) }";
        let names = [("G", "u8"), ("G :: A", "u16"), ("I", "u32")];
        let (subject, whole) = told(text, &names, Agreement::OfAll);
        let less = whole.into_iter().filter_map(|whole| whole.instead);
        assert_eq!(
            without(&subject, less.map(|less| *less).collect()),
            "fn f< I: Iterator<Item = u16>>(i: I) -> u8 { g(i) }"
        );
    }

    #[test]
    fn what_is_idle_is_for_what_most_others_are_for() {
        let text = "impl<N> S<N> { fn f() { g() } } impl<O> S<O> { fn f() { g() } } impl<P> S<P> { fn f() { g() } } impl<Q> A for S<Q> {}";
        let names = [("N", "u8"), ("O", "u16"), ("P", "u16")];
        let (subject, concrete) = told(text, &names, Agreement::OfIdle);
        assert_eq!(
            without(&subject, concrete),
            "impl S<u8> { fn f() { g() } } impl S<u16> { fn f() { g() } } impl S<u16> { fn f() { g() } } impl A for S<u16> {}"
        );
    }

    #[test]
    fn types_of_one_name_need_not_agree() {
        let text = "mod a { struct S<N>(N); impl<N> S<N> { fn f() { g() } } impl<N> A for S<N> {} } mod b { struct S<M>(M); impl<M> A for S<M> {} }";
        assert_eq!(
            concrete(text, &[("N", "u8")]),
            text.replace("impl<N> S<N>", "impl S<u8>")
                .replace("impl<N> A for S<N>", "impl A for S<u8>")
        );
    }

    #[test]
    fn a_conversion_that_a_bound_made_known_is_named() {
        let text = "fn f<T, I>(i: I) where I: Into<S<T>> { let x = i.into(); g(x, i.k().into()); j(1).into(2) }";
        assert_eq!(
            concrete(text, &[("T", "u8"), ("I", "u16")]),
            "fn f (i: u16) { let x = Into::<S<u8>>::into(i); g(x, Into::<S<u8>>::into(i.k())); j(1).into(2) }"
        );
    }

    #[test]
    fn an_impl_for_any_type_stays() {
        let text =
            "impl<T> A for T { fn f(&self) { g() } } impl<T> A for (T, u8) { fn f(&self) { g() } }";
        assert_eq!(concrete(text, &[("T", "u8")]), text);
    }
}
