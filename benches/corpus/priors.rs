//! How often elements were kept, by pass and kind, as a table in Rust. Knows no statistics beyond
//! counting.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::run::Row;

/// Fewer elements than this say little of their kind.
const FEW: usize = 20;

/// The source of `src/engine/priors.rs`.
pub fn table<'r>(rows: impl IntoIterator<Item = &'r Row>, command: &str) -> String {
    let mut seen: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
    for list in rows.into_iter().flat_map(|row| &row.lists) {
        for fate in &list.fates {
            let (kept, all) = seen.entry((&list.pass, &fate.kind)).or_default();
            *kept += usize::from(!fate.gone);
            *all += 1;
        }
    }
    let mut text = format!(
        "//! How often an element of a kind was kept by a pass, in reductions of a corpus. Written by\n\
         //!\n\
         //! ```text\n\
         //! {command}\n\
         //! ```\n\
         //!\n\
         //! and not by hand.\n\n\
         use crate::syntax::Kind::{{self, *}};\n\
         use crate::syntax::{{ExprKind, ItemKind, PatKind, StmtKind, TypeKind}};\n\n\
         /// Pass, kind, the share of elements that were kept, and how many there were.\n\
         #[rustfmt::skip]\n\
         pub const PRIORS: &[(&str, Kind, f64, u32)] = &[\n"
    );
    for ((pass, kind), (kept, all)) in seen {
        if all >= FEW {
            let share = kept as f64 / all as f64;
            let _ = writeln!(
                text,
                "    ({pass:?}, {}, {share:.2}, {all}),",
                in_rust(kind)
            );
        }
    }
    text + "];\n"
}

/// `Item(Fn)` as `Item(ItemKind::Fn)`.
fn in_rust(kind: &str) -> String {
    match kind.split_once('(') {
        None => kind.to_owned(),
        Some((outer, inner)) => {
            let family = if outer == "Member" { "Item" } else { outer };
            format!("{outer}({family}Kind::{inner}")
        }
    }
}
