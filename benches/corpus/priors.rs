//! How often elements were kept, by pass and kind, as a table in Rust. Knows no statistics beyond
//! counting.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::run::Row;

/// Fewer elements than this say little of their kind.
const FEW: usize = 5;

/// The source of `src/engine/priors.rs`.
pub fn table<'r>(rows: impl IntoIterator<Item = &'r Row>, command: &str) -> String {
    let mut kept: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    let mut together: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for list in rows.into_iter().flat_map(|row| &row.lists) {
        for fate in &list.fates {
            let (kept, all) = kept.entry((&list.pass, &fate.kind)).or_default();
            *kept += usize::from(!fate.gone);
            *all += 1;
        }
        if list.fates.len() > 1 {
            let (gone, all) = together.entry(&list.pass).or_default();
            *gone += usize::from(list.fates.iter().all(|fate| fate.gone));
            *all += 1;
        }
    }
    kept.retain(|_, (_, all)| *all >= FEW);
    let families: BTreeSet<String> = kept.keys().filter_map(|(_, kind)| family(kind)).collect();
    let families: Vec<String> = families.into_iter().collect();
    let mut text = format!(
        "//! What became of elements, by pass and kind, in reductions of a corpus. Written by\n\
         //!\n\
         //! ```text\n\
         //! {command}\n\
         //! ```\n\
         //!\n\
         //! and not by hand.\n\n\
         use crate::syntax::Kind::{{self, *}};\n\
         use crate::syntax::{{{}}};\n\n\
         /// Pass, kind, how many elements were kept, and of how many.\n\
         #[rustfmt::skip]\n\
         pub const KEPT: &[(&str, Kind, u32, u32)] = &[\n",
        families.join(", ")
    );
    for ((pass, kind), (kept, all)) in kept {
        let _ = writeln!(text, "    ({pass:?}, {}, {kept}, {all}),", in_rust(kind));
    }
    text += "];\n\n\
         /// Pass, how many lists of several elements went as a whole, and of how many.\n\
         #[rustfmt::skip]\n\
         pub const TOGETHER: &[(&str, u32, u32)] = &[\n";
    for (pass, (gone, all)) in together {
        let _ = writeln!(text, "    ({pass:?}, {gone}, {all}),");
    }
    text + "];\n"
}

/// The type of what is in the brackets of a kind.
fn family(kind: &str) -> Option<String> {
    let (outer, _) = kind.split_once('(')?;
    let family = if outer == "Member" { "Item" } else { outer };
    Some(format!("{family}Kind"))
}

/// `Item(Fn)` as `Item(ItemKind::Fn)`.
fn in_rust(kind: &str) -> String {
    match (kind.split_once('('), family(kind)) {
        (Some((outer, inner)), Some(family)) => format!("{outer}({family}::{inner}"),
        _ => kind.to_owned(),
    }
}
