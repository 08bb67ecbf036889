//! Code that is not compiled: what stands under a `#[cfg(…)]` that does not hold. Knows the
//! conditions of each crate; where they come from is not its business.

use std::collections::{BTreeMap, BTreeSet};

use super::{Pass, nodes};
use crate::subject::{Element, Elements, Subject};
use crate::syntax::{Edit, FileId, Kind, Node, NodeId, Tree};

/// What holds where one crate is compiled: names, and names with values.
pub type Holds = BTreeSet<(String, Option<String>)>;

/// Removes what is not compiled, and the conditions on what is.
#[derive(Debug, Clone, Default)]
pub struct Conditions {
    /// Per file, what holds in each of the crates that it is part of.
    by_file: BTreeMap<FileId, Vec<Holds>>,
}

impl Conditions {
    /// Says that `file` is part of a crate in which `holds` holds.
    pub fn add(&mut self, file: FileId, holds: &Holds) {
        self.by_file.entry(file).or_default().push(holds.clone());
    }

    /// Whether `predicate` holds in all crates that `file` is part of (`Some(true)`), in none
    /// (`Some(false)`), or that is not known.
    pub(super) fn value(&self, file: FileId, predicate: &syn::Meta) -> Option<bool> {
        let crates = self.by_file.get(&file)?;
        let mut values = crates.iter().map(|holds| value(holds, predicate));
        let first = values.next()??;
        values.all(|other| other == Some(first)).then_some(first)
    }
}

/// The value of one predicate; `None` if it is of a kind that we do not know.
fn value(holds: &Holds, predicate: &syn::Meta) -> Option<bool> {
    let name = predicate.path().get_ident()?.to_string();
    match predicate {
        syn::Meta::Path(_) => Some(match &*name {
            "true" => true,
            "false" => false,
            _ => holds.contains(&(name, None)),
        }),
        syn::Meta::NameValue(pair) => match &pair.value {
            syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(text),
                ..
            }) => Some(holds.contains(&(name, Some(text.value())))),
            _ => None,
        },
        syn::Meta::List(list) => {
            let inner = parts(list)?;
            let values: Vec<Option<bool>> = inner.iter().map(|part| value(holds, part)).collect();
            match &*name {
                "not" => values.first().copied()?.map(|value| !value),
                "all" if values.contains(&Some(false)) => Some(false),
                "any" if values.contains(&Some(true)) => Some(true),
                "all" => values.iter().all(Option::is_some).then_some(true),
                "any" => values.iter().all(Option::is_some).then_some(false),
                _ => None,
            }
        }
    }
}

fn parts(list: &syn::MetaList) -> Option<Vec<syn::Meta>> {
    use syn::parse::Parser;
    type Parts = syn::punctuated::Punctuated<syn::Meta, syn::Token![,]>;
    let parts = Parts::parse_terminated.parse2(list.tokens.clone()).ok()?;
    Some(parts.into_iter().collect())
}

/// The predicate of an attribute, and whether it is that of a `cfg_attr`.
pub(super) fn predicate(attribute: &str) -> Option<(syn::Meta, bool)> {
    use syn::parse::Parser;
    let read = |source: &str| syn::Attribute::parse_outer.parse_str(source).ok();
    let attributes = read(attribute).or_else(|| read(&attribute.replacen("#!", "#", 1)))?;
    let [attribute] = &attributes[..] else {
        return None;
    };
    let syn::Meta::List(list) = &attribute.meta else {
        return None;
    };
    let is_attr = list.path.is_ident("cfg_attr");
    if !is_attr && !list.path.is_ident("cfg") {
        return None;
    }
    Some((parts(list)?.into_iter().next()?, is_attr))
}

/// Whether `predicate` asks for a build of tests, whatever else it asks for.
pub(super) fn holds_for_tests_alone(predicate: &syn::Meta) -> bool {
    let syn::Meta::List(list) = predicate else {
        return predicate.path().is_ident("test");
    };
    let inner = parts(list).unwrap_or_default();
    match list.path.get_ident().map(ToString::to_string).as_deref() {
        Some("all") => inner.iter().any(holds_for_tests_alone),
        Some("any") => !inner.is_empty() && inner.iter().all(holds_for_tests_alone),
        _ => false,
    }
}

/// What an attribute is an attribute of: the statement, where it stands in front of one.
fn owner(tree: &Tree, id: NodeId) -> Option<&Node> {
    let mut owner = tree.node(id).parent?;
    while let Some(outer) = tree.node(owner).parent {
        let starts_with_it = tree.node(outer).range.start == tree.node(owner).range.start;
        if !starts_with_it || !matches!(tree.node(outer).kind, Kind::Stmt(_)) {
            break;
        }
        owner = outer;
    }
    Some(tree.node(owner))
}

impl Pass for Conditions {
    fn name(&self) -> &'static str {
        "conditions"
    }

    fn list(&self, subject: &Subject, round: usize) -> Option<Elements> {
        if round > 0 {
            return None;
        }
        let mut list = Vec::new();
        for (file, tree, id, node) in nodes(subject, |_, _, node| node.kind == Kind::Attribute) {
            let text = &subject.file(file).source()[node.range.clone()];
            let Some((condition, is_attr)) = predicate(text) else {
                continue;
            };
            let inner = text.starts_with("#!");
            match (self.value(file, &condition), is_attr) {
                (Some(false), false) if !inner => {
                    if let Some(owner) = owner(tree, id).filter(|owner| owner.kind != Kind::File) {
                        list.push(Element::cut(subject, owner.kind, file, owner.range.clone()));
                    }
                }
                (Some(false), true) | (Some(true), false) => {
                    list.push(Element::new(
                        subject,
                        Kind::Attribute,
                        vec![Edit::delete(file, node.range.clone())],
                    ));
                }
                _ => {}
            }
        }
        proc_macro2::extra::invalidate_current_thread_spans();
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn what_is_not_compiled_goes_and_conditions_that_hold_go_too() {
        let text = "#[cfg(feature = \"a\")] fn a() {}\n#[cfg(all(unix, not(feature = \"b\")))] fn b() {}\n\
                    fn c() { #[cfg(windows)] { d(); } #[cfg(any(windows, unix))] e(); }\n\
                    #[cfg_attr(windows, inline)] struct F { #[cfg(windows)] g: u8, h: u8 }\n#[cfg(odd(1))] fn i() {}\n";
        let subject = Subject::new([(PathBuf::from("lib.rs"), text.as_bytes().to_vec())]);
        let mut conditions = Conditions::default();
        let holds: Holds = [
            ("unix".to_string(), None),
            ("feature".to_string(), Some("b".to_string())),
        ]
        .into();
        conditions.add(FileId(0), &holds);
        let list = conditions.list(&subject, 0).expect("a list");
        let result = subject.without(&list);
        let words: Vec<&str> = result.file(FileId(0)).source().split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "fn c() { e(); } struct F { h: u8 } #[cfg(odd(1))] fn i() {}"
        );
    }

    #[test]
    fn a_file_of_two_crates_keeps_what_either_compiles() {
        let subject = Subject::new([(PathBuf::from("lib.rs"), b"#[cfg(test)] fn a() {}".to_vec())]);
        let mut conditions = Conditions::default();
        conditions.add(FileId(0), &Holds::new());
        conditions.add(FileId(0), &[("test".to_string(), None)].into());
        assert_eq!(conditions.list(&subject, 0).map(|list| list.len()), Some(0));
    }
}
