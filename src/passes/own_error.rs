//! Errors of any type where there is but one: what a boxed error asks of that goes.

use super::Pass;
use super::query::{
    At, all, is_impl, is_type, name_of_type, smaller, trait_name, trait_of, type_of,
};
use crate::subject::{Elements, Subject};
use crate::syntax::{Edit, Kind, TypeKind};

/// `Box<dyn Error>` → `E`, where `impl Error for E` and `impl Display for E` go.
pub struct OwnError;

impl Pass for OwnError {
    fn name(&self) -> &'static str {
        "own-error"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let boxed = all(subject, is_type).into_iter().filter(is_boxed_error);
        let boxed: Vec<At> = boxed.collect();
        let impls = all(subject, is_impl);
        let list = impls.iter().filter(|one| trait_of(**one) == Some("Error"));
        let list = list.filter_map(|one| {
            let error = one.child(is_type)?;
            let displays = impls.iter().filter(|other| {
                trait_of(**other) == Some("Display") && type_of(**other) == type_of(*one)
            });
            let mut edits: Vec<Edit> = displays.map(|at| at.cut()).collect();
            edits.push(one.cut());
            edits.extend(boxed.iter().map(|at| at.by(error.text())));
            (!boxed.is_empty()).then(|| smaller(subject, one.kind(), edits))?
        });
        Some(list.collect())
    }
}

/// Whether a type is a box for anything that is an error.
fn is_boxed_error(ty: &At) -> bool {
    let is_bound = |kind| kind == Kind::Bound;
    let of_traits = ty.inside(|kind| kind == Kind::Type(TypeKind::TraitObject));
    ty.kind() == Kind::Type(TypeKind::Path)
        && name_of_type(*ty) == Some("Box")
        && of_traits
            .first()
            .is_some_and(|object| object.child(is_bound).and_then(trait_name) == Some("Error"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::each;
    use super::*;

    #[test]
    fn the_only_error_is_said_in_the_place_of_any() {
        assert_eq!(
            each(
                &OwnError,
                "impl fmt::Display for E { fn fmt() {} } impl std::error::Error for E {} impl Display for F {} fn f() -> Result<u8, Box<dyn std::error::Error + Send>> { g()? }"
            ),
            ["impl Display for F {} fn f() -> Result<u8, E> { g()? }"]
        );
        for text in [
            "impl Error for E {} fn f() -> Result<u8, Box<dyn Any>> { g()? }",
            "impl A for E {} fn f() -> Result<u8, Box<dyn Error>> { g()? }",
        ] {
            assert_eq!(each(&OwnError, text), [""; 0], "{text}");
        }
    }
}
