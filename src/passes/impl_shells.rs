//! Impls that only say something of types, by functions that say the same.

use super::Pass;
use super::query::{At, all, is_impl, is_member, is_type, smaller, trait_name};
use crate::subject::{Elements, Subject};
use crate::syntax::{ItemKind, Kind};

/// `trait A {} impl<T> A for S<T> where T: B {}` → `fn f<T>() where T: B {}`, with the type as a
/// parameter in the second round.
pub struct ImplsToFunctions;

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
}
