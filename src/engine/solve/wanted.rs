//! What a compile error asks for: a name that nothing defines any more, a member that is missing, an
//! impl that does not hold. Knows rustc's messages, and nothing of what was removed.

use std::collections::BTreeSet;

use crate::build::Diagnostic;
use crate::passes::definitions::{Header, Shape, arguments, spelled};

/// Something whose absence an error is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Want {
    /// A definition or an import of this name; `path` are the names in front of it.
    Name { name: String, path: Vec<String> },
    /// A method, an associated type or constant of what `of` names.
    Member { name: String, of: BTreeSet<String> },
    /// An impl of a trait for a type made of these names.
    Impl {
        of_trait: String,
        of_type: BTreeSet<String>,
        shape: Shape,
        /// Both in full, as far as they are known.
        header: Header,
    },
}

impl Want {
    /// An impl of the trait `of_trait`, with what it is given, for the type `of_type`, both as the compiler says them.
    pub fn implementation(of_trait: &str, of_type: &str) -> Option<Want> {
        Some(Want::Impl {
            of_trait: head(of_trait)?,
            of_type: words(of_type).collect(),
            shape: Shape::of(of_type),
            header: Header {
                own: spelled(of_type),
                arguments: arguments(of_trait).map_or_else(String::new, spelled),
            },
        })
    }
}

/// Everything that `error` asks for; nothing if it is about something else.
pub fn wants(error: &Diagnostic) -> Vec<Want> {
    let message = error.message.as_str();
    let quoted = quoted(message);
    let mut found = Vec::new();
    match error.code() {
        Some("E0599" | "E0407" | "E0437" | "E0438" | "E0220" | "E0223" | "E0576" | "E0609") => {
            if let Some((name, rest)) = quoted.split_first() {
                found.push(Want::Member {
                    name: last_name(name),
                    of: rest.iter().flat_map(|text| words(text)).collect(),
                });
            }
        }
        Some("E0046") => {
            let missing = message.split_once("missing:").map_or("", |(_, list)| list);
            found.extend(self::quoted(missing).into_iter().map(|name| Want::Member {
                name: last_name(name),
                of: BTreeSet::new(),
            }));
        }
        Some("E0432") => {
            found.extend(quoted.iter().filter_map(|path| named(path)));
            // `could not find `b` in `a``: it is a name on the way that is missing.
            let labels = error.spans.iter().filter_map(|span| span.label.as_deref());
            for label in labels.filter(|label| label.starts_with("could not find")) {
                found.extend(self::quoted(label).first().and_then(|name| named(name)));
            }
        }
        Some(
            "E0404" | "E0405" | "E0412" | "E0422" | "E0423" | "E0425" | "E0433" | "E0531" | "E0532"
            | "E0573" | "E0574" | "E0583",
        ) => found.extend(name_in(&quoted)),
        None if message.starts_with("cannot find ") => found.extend(name_in(&quoted)),
        _ => {}
    }
    // What does not hold is said in so many words somewhere in the message.
    let labels = error.spans.iter().filter_map(|span| span.label.as_deref());
    let children = error.children.iter().map(|child| child.message.as_str());
    for text in [message].into_iter().chain(labels).chain(children) {
        found.extend(text.lines().filter_map(unsatisfied));
        found.extend(text.lines().flat_map(derives));
    }
    // A method that exists, in a trait that the type does not implement any more.
    if let (Some("E0599"), [_, of_type, ..]) = (error.code(), &quoted[..]) {
        let texts = error.children.iter().map(|child| child.message.as_str());
        let lines = texts.flat_map(str::lines);
        let offers = lines.filter_map(|line| match line.starts_with("candidate #") {
            true => Some(*self::quoted(line).first()?),
            // `X` defines an item `name`
            false => line.split_once(" defines an item `")?.0.rsplit('`').nth(1),
        });
        found.extend(offers.filter_map(|of_trait| Want::implementation(&head(of_trait)?, of_type)));
    }
    // A trait that is not in scope is only said as code.
    if let Some("E0599" | "E0277") = error.code() {
        let suggested = error.children.iter().flat_map(|child| &child.spans);
        let code = suggested.filter_map(|span| span.suggested_replacement.as_deref());
        let imported = code.filter_map(|code| code.trim().strip_prefix("use "));
        found.extend(imported.filter_map(|path| {
            let name = words(path).last()?;
            let path = Vec::new();
            Some(Want::Name { name, path })
        }));
    }
    found.dedup();
    found
}

/// `cannot find type `X` in module `t``
fn name_in(quoted: &[&str]) -> Option<Want> {
    let (name, rest) = quoted.split_first()?;
    let Want::Name { name, mut path } = named(name)? else {
        return None;
    };
    path.extend(rest.iter().flat_map(|text| words(text)));
    Some(Want::Name { name, path })
}

/// `a::b::C` as a name and what leads to it.
fn named(path: &str) -> Option<Want> {
    let mut path: Vec<String> = words(path).collect();
    let name = path.pop()?;
    Some(Want::Name { name, path })
}

/// The impls that `text` says a `derive` would make.
fn derives(text: &str) -> Vec<Want> {
    let annotated = text.contains("consider annotating") || text.contains("must be annotated");
    let (true, [of_type, derive, ..]) = (annotated, &quoted(text)[..]) else {
        return Vec::new();
    };
    let traits = words(derive).skip_while(|word| word != "derive").skip(1);
    traits
        .filter_map(|of_trait| Want::implementation(&of_trait, of_type))
        .collect()
}

/// The bound that `text` says is missing.
fn unsatisfied(text: &str) -> Option<Want> {
    let quoted = quoted(text);
    let (of_type, of_trait) = if text.contains("which does not implement the") {
        // `move occurs because `x` has type `T`, which does not implement the `Copy` trait`
        let [.., of_type, of_trait] = quoted[..] else {
            return None;
        };
        (of_type, of_trait)
    } else if text.contains("is not implemented for") {
        let [of_trait, of_type, ..] = quoted[..] else {
            return None;
        };
        (of_type, of_trait)
    } else if text.contains("might be missing for") || text.contains("must implement") {
        let [first, second, ..] = quoted[..] else {
            return None;
        };
        match text.contains("must implement") {
            true => (first, second),
            false => (second, first),
        }
    } else if text.contains("doesn't implement") {
        let [of_type, of_trait, ..] = quoted[..] else {
            return None;
        };
        (of_type, of_trait)
    } else if text.contains("trait bound") || text.contains("is not satisfied") {
        quoted
            .iter()
            .find_map(|bound| split_bound(bound))
            .unwrap_or_default()
    } else if text.contains("cannot be dereferenced") {
        (*quoted.first()?, "Deref")
    } else if text.contains("cannot index into") {
        (*quoted.first()?, "Index")
    } else {
        // A list of bounds under a heading of its own.
        let alone = text.trim().strip_prefix('`')?.strip_suffix('`')?;
        split_bound(alone)?
    };
    Want::implementation(of_trait, of_type)
}

/// `Vec<T>: Trait<U>` at the colon that is not part of a path.
fn split_bound(bound: &str) -> Option<(&str, &str)> {
    bound.split_once(": ")
}

/// The last name of a path in front of its arguments.
fn head(path: &str) -> Option<String> {
    let path = path.trim_start_matches("for<").trim();
    let end = path.find('<').unwrap_or(path.len());
    words(&path[..end]).last()
}

fn last_name(text: &str) -> String {
    head(text).unwrap_or_default()
}

fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_name(c))
        .filter(|word| !word.is_empty())
        .map(String::from)
}

#[cfg(test)]
mod tests {
    use super::{Want, wants};
    use crate::build::Diagnostic;

    fn error(code: &str, message: &str, help: &[&str]) -> Diagnostic {
        let children: Vec<_> = help
            .iter()
            .map(|text| {
                serde_json::json!({"level": "help", "code": null, "message": text,
                    "spans": [], "children": [], "rendered": null})
            })
            .collect();
        serde_json::from_value(serde_json::json!({
            "level": "error", "code": {"code": code}, "message": message,
            "spans": [], "children": children, "rendered": null,
        }))
        .unwrap()
    }

    fn name(name: &str, path: &[&str]) -> Want {
        Want::Name {
            name: name.into(),
            path: path.iter().map(ToString::to_string).collect(),
        }
    }

    fn implementation(of_trait: &str, of_type: &str) -> Want {
        Want::implementation(of_trait, of_type).expect("names")
    }

    #[test]
    fn an_unresolved_import_asks_for_the_last_name_of_every_path() {
        let error = error(
            "E0432",
            "unresolved imports `crate::span::Span`, `self::date::Date`",
            &[],
        );
        assert_eq!(
            wants(&error),
            [
                name("Span", &["crate", "span"]),
                name("Date", &["self", "date"])
            ]
        );
    }

    #[test]
    fn a_name_is_looked_for_in_the_module_that_the_message_names() {
        let error = error("E0412", "cannot find type `Months` in module `t`", &[]);
        assert_eq!(wants(&error), [name("Months", &["t"])]);
    }

    #[test]
    fn a_missing_method_comes_with_the_type_it_is_called_on() {
        let error = error(
            "E0599",
            "no method named `context` found for struct `error::Error` in the current scope",
            &[],
        );
        let of = ["error", "Error"].map(String::from).into();
        let name = "context".into();
        assert_eq!(wants(&error), [Want::Member { name, of }]);
    }

    #[test]
    fn an_unsatisfied_bound_asks_for_an_impl_however_it_is_put() {
        for (message, help) in [
            (
                "the trait bound `Csr<N>: visit::Data` is not satisfied",
                &[][..],
            ),
            ("`Csr<N>` doesn't implement `Data`", &[]),
            (
                "odd words",
                &["the trait `Data` is not implemented for `Csr<N>`"],
            ),
            (
                "odd words",
                &["an implementation of `Data` might be missing for `Csr<N>`"],
            ),
            (
                "odd words",
                &["the following trait bounds were not satisfied:\n`Csr<N>: Data`"],
            ),
        ] {
            assert_eq!(
                wants(&error("E0277", message, help)),
                [implementation("Data", "Csr<N>")],
                "{message} {help:?}"
            );
        }
    }

    #[test]
    fn an_operator_s_impl_is_asked_for_with_its_other_side() {
        let help = "the trait `Sub<&'a num::Big<u8>>` is not implemented for `Big<u8>`";
        let error = error(
            "E0277",
            "cannot subtract `&Big<u8>` from `Big<u8>`",
            &[help],
        );
        let [Want::Impl { header, .. }] = &wants(&error)[..] else {
            panic!("one impl");
        };
        assert_eq!(header.own, "Big < u8 >");
        assert_eq!(header.arguments, "& Big < u8 >");
    }

    #[test]
    fn a_derive_that_would_help_asks_for_its_impls() {
        let help = "consider annotating `Y<T>` with `#[derive(Eq, Hash)]`";
        assert_eq!(
            wants(&error("E0599", "odd words", &[help])),
            [implementation("Eq", "Y<T>"), implementation("Hash", "Y<T>")]
        );
        let label = "`Y` must be annotated with `#[derive(PartialEq)]` to be usable in patterns";
        assert_eq!(
            wants(&error("E0158", "odd words", &[label])),
            [implementation("PartialEq", "Y")]
        );
        let moved =
            "move occurs because `x.y` has type `Y`, which does not implement the `Copy` trait";
        assert_eq!(
            wants(&error("E0382", "odd words", &[moved])),
            [implementation("Copy", "Y")]
        );
    }

    #[test]
    fn an_associated_function_of_a_foreign_trait_asks_for_its_impl() {
        let note = "the following trait defines an item `default`, perhaps you need to implement it:\ncandidate #1: `Default`";
        let error = error(
            "E0599",
            "no function or associated item named `default` found for struct `Y` in the current scope",
            &[note],
        );
        assert!(wants(&error).contains(&implementation("Default", "Y")));
    }

    #[test]
    fn missing_trait_items_are_members() {
        let error = error(
            "E0046",
            "not all trait items implemented, missing: `Item`, `next`",
            &[],
        );
        let member = |name: &str| Want::Member {
            name: name.into(),
            of: Default::default(),
        };
        assert_eq!(wants(&error), [member("Item"), member("next")]);
    }
}
