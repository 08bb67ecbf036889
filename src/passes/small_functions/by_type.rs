//! Methods of one expression whose name others have as well. Which calls are of which, the compiler says once one of them is gone.

use super::small::Small;
use super::{Alike, Group, Names, groups, is_declared, names_around, trait_around, traits};
use crate::passes::query::{At, all, is_fn, smaller};
use crate::passes::{Complaint, Pass};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, Origin};

/// The name of the pass.
pub const NAME: &str = "inline-small-methods";

/// The code of errors about a method that a type does not have.
const NO_SUCH_METHOD: &str = "E0599";

/// `impl S { fn n(&self) -> u8 { self.0 } }` goes, where another type's `n` does something else. What becomes of those who call it
/// is [`with_calls`].
#[derive(Debug, Clone, Default)]
pub struct SmallMethods {
    /// Where it fails: the function around keeps its name, and so do those that call it and do not just hand on what they are given.
    pub fails_at: Option<Origin>,
}

impl Pass for SmallMethods {
    fn name(&self) -> &'static str {
        NAME
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let traits = traits(subject);
        let fails = names_around(subject, self.fails_at);
        let mut list = Elements::new();
        for (of, group) in groups(subject) {
            if !matches!(of, Group::Method(_)) || Alike::of(&group, &traits).is_some() {
                continue;
            }
            let small = group.iter().filter_map(|at| Small::of(*at, &traits));
            for one in small.filter(|one| !one.keeps_its_name(&fails)) {
                if let Some(edits) = gone(one, &group) {
                    list.push(Element::new(subject, one.function.kind(), edits));
                }
            }
        }
        Some(list)
    }
}

/// What takes a method away, and what a trait says of it; `None` if other impls of that have to have one.
fn gone(one: Small, group: &[At]) -> Option<Vec<Edit>> {
    let mut edits = vec![one.gone()];
    if let Some(name) = one.function.parent().and_then(trait_around) {
        let is_of_it = |at: &&At| at.parent().and_then(trait_around) == Some(name);
        let of_trait = group.iter().filter(is_of_it);
        let (declared, defined): (Vec<At>, Vec<At>) = of_trait.partition(|at| is_declared(**at));
        if defined.len() > 1 {
            return None;
        }
        edits.extend(declared.iter().map(|at| at.cut()));
    }
    Some(edits)
}

/// `element`, of [`SmallMethods`], with what the method does in the place of the calls that it is missed in, where that is shorter.
pub fn with_calls(
    subject: &Subject,
    element: &Element,
    complaints: &[Complaint],
) -> Option<Element> {
    let first = element.edits.first()?;
    let traits = traits(subject);
    let functions = all(subject, is_fn).into_iter();
    let mut small = functions.filter_map(|at| Small::of(at, &traits));
    let small = small.find(|one| one.gone() == *first)?;
    let names = Names::of(subject);
    let is_missed = |call: &&At| {
        let mut missing = complaints.iter().filter(|one| one.code == NO_SUCH_METHOD);
        let name = call.node.name.as_ref().map(|name| (call.file, name.start));
        missing.any(|one| name == Some((one.file, one.range.start)))
    };
    let calls = names.calls.get(small.name)?.iter().filter(is_missed);
    let mut edits = element.edits.clone();
    for call in calls {
        edits.extend(small.in_place_of(*call)?);
    }
    smaller(subject, element.kind, edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::testing::each;
    use crate::syntax::FileId;

    const TEXT: &str = "trait A { fn n(&self) -> u8; } impl A for (u8, u8) { fn n(&self) -> u8 { self.0 } } impl S { fn n(&self) -> u8 { self.k } fn m(&self) {} } fn f(s: S) { (1, s.n()).n() }";

    #[test]
    fn each_of_a_name_goes_alone() {
        assert_eq!(
            each(&SmallMethods::default(), TEXT),
            [
                "trait A { } impl A for (u8, u8) { } impl S { fn n(&self) -> u8 { self.k } fn m(&self) {} } fn f(s: S) { (1, s.n()).n() }",
                "trait A { fn n(&self) -> u8; } impl A for (u8, u8) { fn n(&self) -> u8 { self.0 } } impl S { fn m(&self) {} } fn f(s: S) { (1, s.n()).n() }",
            ]
        );
        let with_another = format!("{TEXT} impl A for u8 {{ fn n(&self) -> u8 {{ 1 }} }}");
        assert_eq!(each(&SmallMethods::default(), &with_another).len(), 1);
    }

    #[test]
    fn the_calls_that_are_named_say_what_it_does() {
        let subject = Subject::new([("a.rs".into(), TEXT.into())]);
        let list = SmallMethods::default()
            .list(&subject, 0)
            .unwrap_or_default();
        let call = TEXT.find("n())").expect("it is called");
        let last = TEXT.rfind("n()").expect("it is called");
        let become_of = |element: &Element, places: &[usize]| {
            let complaint = |at: &usize| Complaint {
                code: NO_SUCH_METHOD.to_string(),
                said: String::new(),
                file: FileId(0),
                range: *at..*at + 1,
                about: Vec::new(),
            };
            let complaints: Vec<Complaint> = places.iter().map(complaint).collect();
            let element = with_calls(&subject, element, &complaints)?;
            let candidate = subject.without([&element]);
            Some(candidate.file(FileId(0)).source().to_string())
        };
        assert_eq!(
            become_of(&list[1], &[call]).as_deref(),
            Some(
                "trait A { fn n(&self) -> u8; } impl A for (u8, u8) { fn n(&self) -> u8 { self.0 } } impl S {  fn m(&self) {} } fn f(s: S) { (1, s.k).n() }"
            )
        );
        assert_eq!(
            become_of(&list[0], &[last]).as_deref(),
            Some(
                "trait A {  } impl A for (u8, u8) {  } impl S { fn n(&self) -> u8 { self.k } fn m(&self) {} } fn f(s: S) { (1, s.n()).0 }"
            )
        );
    }
}
