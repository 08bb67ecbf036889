//! Two impls of the same type by one of both.

use super::Pass;
use super::query::{At, all, is_impl, is_parameter, opening_of_plain_impl, smaller};
use crate::subject::{Elements, Subject};
use crate::syntax::Kind;
use crate::syntax::lexer::TokenKind;

/// `impl<T> S<T> { a } … impl<U> S<U> { b }` → `impl<T> S<T> { a b }`, for impls side by side that differ in the names of their
/// parameters at most. Each is in one pair: what is left over gets its turn when the pairs are one.
pub struct MergeImpls;

impl Pass for MergeImpls {
    fn name(&self) -> &'static str {
        "merge-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut open: Vec<Impl> = Vec::new();
        let mut list = Elements::new();
        for other in all(subject, is_impl).into_iter().filter_map(Impl::new) {
            let same = open.iter().position(|one| one.is_like(&other));
            let Some(same) = same else {
                open.push(other);
                continue;
            };
            let one = open.swap_remove(same);
            let end = one.at.node.range.end - 1;
            let edits = vec![
                one.at.edit(end..end, other.members(&one.parameters)),
                other.at.cut(),
            ];
            list.extend(smaller(subject, one.at.kind(), edits));
        }
        Some(list)
    }
}

/// An impl of a type's own functions, without attributes.
struct Impl<'s> {
    at: At<'s>,
    parameters: Vec<&'s str>,
    /// What stands before its members, each parameter as its place among them.
    header: Vec<Result<usize, &'s str>>,
    /// Where its members begin.
    inside: usize,
}

impl<'s> Impl<'s> {
    fn new(at: At<'s>) -> Option<Impl<'s>> {
        // What stands before a plain one would be lost, or be about both.
        let open = opening_of_plain_impl(at)?;
        if at.child(|kind| kind == Kind::TraitRef).is_some() {
            return None;
        }
        let parameters: Option<Vec<&str>> = at
            .children(is_parameter)
            .into_iter()
            .map(|parameter| parameter.name())
            .collect();
        let parameters = parameters?;
        let header = at
            .words(&(at.range().start..open.start))
            .into_iter()
            .map(|(word, _)| {
                let place = parameters.iter().position(|name| *name == word);
                place.ok_or(word)
            })
            .collect::<Vec<_>>();
        Some(Impl {
            at,
            parameters,
            header,
            inside: open.end,
        })
    }

    fn is_like(&self, other: &Impl) -> bool {
        self.at.file == other.at.file
            && self.at.node.parent == other.at.node.parent
            && self.header == other.header
    }

    /// Its members, for an impl whose parameters have these names.
    fn members(&self, names: &[&str]) -> String {
        let range = self.inside..self.at.node.range.end - 1;
        let mut text = String::new();
        let mut from = range.start;
        for token in self.at.tree.tokens_in(&range) {
            let word = &self.at.source[token.range()];
            let is_name = matches!(token.kind, TokenKind::Ident | TokenKind::Lifetime);
            let place = self.parameters.iter().position(|name| *name == word);
            if let Some(place) = place.filter(|_| is_name) {
                text.push_str(&self.at.source[from..token.range().start]);
                text.push_str(names[place]);
                from = token.range().end;
            }
        }
        text.push_str(&self.at.source[from..range.end]);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn two_impls_of_one_type_become_one() {
        assert_eq!(
            each(
                &MergeImpls,
                "impl<T: A> S<T> { fn f(&self) {} } struct S<T>(T); impl<U: A> S<U> { fn g(u: U) -> S<U> {} }"
            ),
            ["impl<T: A> S<T> { fn f(&self) {} fn g(u: T) -> S<T> {} } struct S<T>(T);"]
        );
    }

    #[test]
    fn each_is_in_one_pair() {
        let found = each(
            &MergeImpls,
            "impl S { fn a() {} } impl S { fn b() {} } impl S { fn c() {} } impl S { fn d() {} }",
        );
        assert_eq!(
            found,
            [
                "impl S { fn a() {} fn b() {} } impl S { fn c() {} } impl S { fn d() {} }",
                "impl S { fn a() {} } impl S { fn b() {} } impl S { fn c() {} fn d() {} }",
            ]
        );
    }

    #[test]
    fn what_differs_stays_apart() {
        for text in [
            "impl<T: A> S<T> { fn f() {} } impl<T> S<T> { fn g() {} }",
            "impl<T> S<T> { fn f() {} } impl A for S<u8> { fn g() {} }",
            "impl S { fn f() {} } mod m { impl S { fn g() {} } }",
            "impl S { fn f() {} } #[cfg(any())] impl S { fn g() {} }",
        ] {
            assert!(each(&MergeImpls, text).is_empty(), "{text}");
        }
    }
}
