//! Traits taken off their impls: what an impl gives for a trait, the type has of its own.

use super::Pass;
use super::query::{all, is_impl, smaller, trait_name};
use crate::subject::{Elements, Subject};
use crate::syntax::{ItemKind, Kind};

/// `trait A { … }` goes, `impl A for S` → `impl S`, and bounds by it go.
pub struct TraitsToInherent;

impl Pass for TraitsToInherent {
    fn name(&self) -> &'static str {
        "traits-to-inherent"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let traits = all(subject, |kind| kind == Kind::Item(ItemKind::Trait)).into_iter();
        let list = traits.filter_map(|definition| {
            let name = definition.name()?;
            let mut edits = vec![definition.cut()];
            let mut implemented = false;
            for at in all(subject, |kind| matches!(kind, Kind::TraitRef | Kind::Bound)) {
                if trait_name(at) == Some(name) {
                    implemented |= at.kind() == Kind::TraitRef
                        && at.parent().is_some_and(|one| is_impl(one.kind()));
                    edits.push(at.cut());
                }
            }
            smaller(subject, definition.kind(), edits).filter(|_| implemented)
        });
        Some(list.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn impls_of_a_trait_become_inherent_and_its_bounds_go() {
        assert_eq!(
            each(
                &TraitsToInherent,
                "trait A<T> { fn f(); } impl<T> A<T> for S { fn f() {} } fn g<U: A<u8> + B>() {} trait C {}"
            ),
            ["impl<T> S { fn f() {} } fn g<U: B>() {} trait C {}"]
        );
    }
}
