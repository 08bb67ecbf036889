//! One impl for all: of the impls of a trait one stays and says nothing of its types, the others go.
//! `impl A for u8 {} impl<T: B> A for S<T> {}` → `impl<T> A for S<T> {}` → `impl<T> A for T {}`.

use super::Pass;
use super::query::{At, all, is_impl, is_parameter, is_type, smaller, trait_name};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, Kind};

/// An impl of a trait without bounds on its type, and no other impl of that trait; in the second
/// round for a type parameter of its own, in the third with all that is returned as `impl Trait` too.
pub struct BlanketImpls;

impl Pass for BlanketImpls {
    fn name(&self) -> &'static str {
        "blanket-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 2 {
            return None;
        }
        let impls: Vec<(At, &str)> = all(subject, is_impl)
            .into_iter()
            .filter_map(|at| {
                let of = at.child(|kind| kind == Kind::TraitRef)?;
                Some((at, trait_name(of)?))
            })
            .collect();
        let list = impls.iter().filter_map(|(chosen, of)| {
            let mut edits = unbound(*chosen, round > 0)?;
            if round == 2 {
                edits.extend(returned(subject, *chosen, of)?);
            }
            let same = impls.iter().filter(|(_, other)| other == of);
            let others = same.filter(|(at, _)| (at.file, at.id) != (chosen.file, chosen.id));
            edits.extend(others.map(|(at, _)| at.cut()));
            smaller(subject, chosen.kind(), edits)
        });
        Some(list.collect())
    }
}

/// `-> impl A<…>` → `-> impl A<u8>`, where `A<u8>` is what `chosen` is of; `None` if nothing is returned
/// so or if the impl is of `A` for parameters of its own.
fn returned(subject: &Subject, chosen: At, of: &str) -> Option<Vec<Edit>> {
    let header = chosen.child(|kind| kind == Kind::TraitRef)?;
    let mut path = header.range();
    path.end = chosen.words(&path).last()?.1.start;
    let own = chosen
        .children(is_parameter)
        .into_iter()
        .filter_map(At::name);
    if own
        .into_iter()
        .any(|name| !chosen.mentions(name, &path).is_empty())
    {
        return None;
    }
    let path = chosen.source[path].trim_end();
    let bounds = all(subject, |kind| kind == Kind::Bound).into_iter();
    let edits: Vec<Edit> = bounds
        .filter(|bound| trait_name(*bound) == Some(of) && bound.text() != path)
        .filter(|bound| {
            bound
                .ancestors()
                .any(|outer| outer.kind() == Kind::ReturnType)
        })
        .map(|bound| bound.by(path))
        .collect();
    (!edits.is_empty()).then_some(edits)
}

/// Takes all bounds off an impl, and the parameters that only they mentioned; `for_all` puts a new
/// parameter in the place of its type. `None` where that is one already.
fn unbound(chosen: At, for_all: bool) -> Option<Vec<Edit>> {
    let header = chosen.child(|kind| kind == Kind::TraitRef)?;
    let ty = chosen.child(is_type)?;
    let rest = header.node.range.start..chosen.node.range.end;
    let parameters = chosen.children(is_parameter);
    let predicates = chosen.children(|kind| kind == Kind::Predicate);
    let mut edits: Vec<Edit> = predicates.iter().map(|at| at.cut()).collect();
    let mut kept = 0;
    for parameter in &parameters {
        let name = parameter.name()?;
        let mut mentions = chosen.mentions(name, &rest);
        mentions.retain(|at| !predicates.iter().any(|one| one.holds(at)));
        mentions.retain(|at| !(for_all && ty.holds(at)));
        if mentions.is_empty() {
            edits.push(parameter.cut());
        } else {
            kept += 1;
            // What the trait itself may require stays: the bounds have a pass of their own.
            if chosen.mentions(name, &header.range()).is_empty() {
                let bounds = parameter.children(|kind| kind == Kind::Bound);
                edits.extend(bounds.iter().map(|bound| bound.cut()));
            }
        }
    }
    if for_all {
        if parameters.iter().any(|one| one.name() == Some(ty.text())) {
            return None;
        }
        let free = |name: &&&str| chosen.mentions(name, &chosen.range()).is_empty();
        let name = ["T", "U", "V", "W"].iter().find(free)?;
        edits.push(ty.by(*name));
        let words = chosen.words(&(chosen.node.range.start..header.node.range.start));
        match parameters.last() {
            Some(last) if kept > 0 => {
                edits.push(chosen.edit(
                    last.node.range.end..last.node.range.end,
                    format!(", {name}"),
                ));
            }
            // The brackets go with the last parameter, those around the new one take their place.
            _ => {
                let (_, after) = words.iter().find(|(word, _)| *word == "impl")?;
                edits.push(chosen.edit(after.end..after.end, format!("<{name}>")));
            }
        }
    }
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn one_impl_without_bounds_takes_the_place_of_all() {
        let text = "impl A<u8> for u8 {} impl<T: B, U> A<T> for S<T> where U: C<T> { fn f() {} }";
        assert_eq!(
            each(&BlanketImpls, text),
            [
                "impl A<u8> for u8 {}",
                "impl<T: B > A<T> for S<T> { fn f() {} }",
                "impl<T> A<u8> for T {}",
                "impl<T: B , V> A<T> for V { fn f() {} }"
            ]
        );
    }

    #[test]
    fn what_is_returned_is_of_the_impl_that_is_left() {
        let text = "impl A<u8> for () {} impl<T, U: B> A<T> for U {} fn f<T>() -> impl A<T> {}";
        assert_eq!(
            each(&BlanketImpls, text).last().map(String::as_str),
            Some("impl<T> A<u8> for T {} fn f<T>() -> impl A<u8> {}")
        );
    }

    #[test]
    fn an_impl_that_says_nothing_already_stays() {
        let none: [&str; 0] = [];
        assert_eq!(
            each(&BlanketImpls, "impl<T> A for T {} impl S { fn f() {} }"),
            none
        );
    }
}
