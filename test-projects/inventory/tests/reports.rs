//! What the reports look like.

use inventory::report::{Format, Table};
use inventory::{sku, Batch, Warehouse};

fn two_articles() -> Warehouse {
    let mut warehouse = Warehouse::new();
    warehouse.receive(sku!("CUP-001"), Batch::new(7, 400));
    warehouse.receive(sku!("TEA-001"), Batch::new(40, 30));
    warehouse.reserve(&sku!("TEA-001"), 1).unwrap();
    warehouse
}

#[test]
fn columns_are_aligned() {
    let text = Table { width: 6 }.render(&two_articles());
    assert_eq!(
        text,
        "article   hand  free\nCUP-001      7     7\nTEA-001     40    39\n"
    );
}

#[cfg(feature = "csv")]
#[test]
fn fields_are_separated() {
    let text = inventory::report::Csv { separator: ';' }.render(&two_articles());
    assert_eq!(text, "CUP-001;7;400\nTEA-001;40;30\n");
}

#[cfg(feature = "json")]
#[test]
fn json_is_a_list() {
    let text = inventory::report::Json.render(&two_articles());
    assert!(text.starts_with(r#"[{"sku":"CUP-001","on_hand":7}"#));
}
