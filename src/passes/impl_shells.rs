//! Impls that only say something of types, by functions that say the same; impls of one type as one.

use std::collections::BTreeMap;

use super::Pass;
use super::query::{At, all, is_impl, is_member, is_type, smaller, trait_name};
use crate::subject::{Elements, Subject};
use crate::syntax::{ItemKind, Kind};

/// `trait A {} impl<T> A for S<T> where T: B {}` → `fn f<T>() where T: B {}`, with the type as a
/// parameter in the second round.
pub struct ImplsToFunctions;

/// `impl S { a } impl S { b }` → `impl S { a b }`.
pub struct MergedImpls;

impl Pass for ImplsToFunctions {
    fn name(&self) -> &'static str {
        "impls-to-functions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 1 {
            return None;
        }
        let list = all(subject, is_impl).into_iter().filter_map(|one| {
            let of = one.child(|kind| kind == Kind::TraitRef);
            let ty = one.child(is_type)?;
            let (words, bounds) = (one.words(&one.range()), |kind| {
                matches!(kind, Kind::Predicate | Kind::Bound)
            });
            if one.child(is_member).is_some() || round == 0 && one.inside(bounds).is_empty() {
                return None;
            }
            let (_, word) = words.iter().find(|(word, _)| *word == "impl")?;
            let header = of.map_or(ty.node.range.start, |of| of.node.range.start);
            let parameter = if round == 0 {
                String::new()
            } else {
                format!("_: {}", ty.text())
            };
            let mut edits = vec![
                one.edit(word.clone(), "fn f"),
                one.edit(header..ty.node.range.end, format!("({parameter})")),
            ];
            // A trait that nothing else is about goes with its impl.
            if let Some(name) = of.and_then(trait_name) {
                let is_trait = |kind| kind == Kind::Item(ItemKind::Trait);
                let definitions = all(subject, is_trait).into_iter();
                let definition = definitions.into_iter().find(|at| at.name() == Some(name));
                let mentions: usize = subject
                    .sources()
                    .map(|(_, file, tree)| {
                        let all = 0..file.source().len();
                        tree.identifiers(file.source(), &all)
                            .filter(|word| *word == name)
                            .count()
                    })
                    .sum();
                edits.extend(definition.filter(|_| mentions == 2).map(At::cut));
            }
            smaller(subject, one.kind(), edits)
        });
        Some(list.collect())
    }
}

impl Pass for MergedImpls {
    fn name(&self) -> &'static str {
        "merged-impls"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut by_header: BTreeMap<(u32, Option<crate::syntax::NodeId>, String), At> =
            BTreeMap::new();
        let mut list = Vec::new();
        for one in all(subject, is_impl) {
            let Some(braces) = one.braces() else { continue };
            if one.child(|kind| kind == Kind::TraitRef).is_some() {
                continue;
            }
            let words = one.words(&(one.node.range.start..braces.start - 1));
            let header: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            let key = (one.file.0, one.node.parent, header.join(" "));
            let Some(first) = by_header.get(&key) else {
                by_header.insert(key, one);
                continue;
            };
            if let Some(inside) = first.braces() {
                let members = &one.source[braces];
                let edits = vec![one.cut(), first.edit(inside.end..inside.end, members)];
                list.extend(smaller(subject, one.kind(), edits));
            }
        }
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn what_an_empty_impl_requires_a_function_requires() {
        assert_eq!(
            each(
                &ImplsToFunctions,
                "trait A {} impl<T: C> A for S<T> where T: for<'a> B<'a> {}"
            ),
            [
                "fn f<T: C> () where T: for<'a> B<'a> {}",
                "fn f<T: C> (_: S<T>) where T: for<'a> B<'a> {}",
            ]
        );
    }

    #[test]
    fn impls_with_the_same_header_become_one() {
        assert_eq!(
            each(
                &MergedImpls,
                "impl<T> S<T> { fn f() {} } impl S<u8> { fn g() {} } impl <T> S<T> { fn h() {} }"
            ),
            ["impl<T> S<T> { fn f() {} fn h() {} } impl S<u8> { fn g() {} }"]
        );
    }
}
