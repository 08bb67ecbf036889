//! What the warehouse promises over several days.

use inventory::pricing::{Cents, Clearance, Flat, PricePolicy};
use inventory::query::{InFamily, RunningLow};
use inventory::stock::{Movement, WasteCounter};
use inventory::{sku, Batch, Error, Query, Warehouse};

/// Tea that keeps and tea that does not.
fn tea_house() -> Warehouse<WasteCounter> {
    let mut warehouse = Warehouse::watched_by(WasteCounter::default());
    warehouse.receive(sku!("TEA-001"), Batch::new(40, 30));
    warehouse.receive(sku!("TEA-001"), Batch::new(25, 10));
    warehouse.receive(sku!("TEA-002"), Batch::new(12, 90));
    warehouse.receive(sku!("POT-100"), Batch::new(3, 10_000));
    warehouse
}

#[test]
fn promises_no_more_than_it_has() {
    let mut warehouse = tea_house();
    assert_eq!(
        warehouse.reserve(&sku!("TEA-002"), 13),
        Err(Error::NotEnough {
            sku: sku!("TEA-002"),
            wanted: 13,
            available: 12
        })
    );
}

#[test]
fn picks_the_oldest_first() {
    let mut warehouse = tea_house();
    warehouse.reserve(&sku!("TEA-001"), 30).unwrap();
    let picked = warehouse.pick(&sku!("TEA-001"), 30).unwrap();
    assert_eq!(picked, [Batch::new(25, 10), Batch::new(5, 30)]);

    let policy = Clearance {
        regular: Flat(Cents(250)),
        days: 3,
    };
    assert_eq!(policy.total(&picked, 8), Cents(25 * 125 + 5 * 250));
}

#[test]
fn what_went_off_is_reordered() {
    let mut warehouse = tea_house();
    warehouse.reserve(&sku!("TEA-001"), 50).unwrap();
    warehouse.reserve(&sku!("TEA-002"), 2).unwrap();

    for today in 0..=10 {
        warehouse.close_day(today);
    }
    assert_eq!(warehouse.observer().pieces, 25);

    let reorder = InFamily("TEA").and(RunningLow(5)).run(&warehouse);
    assert_eq!(reorder, [sku!("TEA-001")]);
}

#[test]
fn every_movement_is_seen() {
    let mut warehouse = Warehouse::watched_by(Vec::new());
    warehouse.receive(sku!("TEA-001"), Batch::new(4, 1));
    warehouse.close_day(1);
    assert_eq!(
        warehouse.observer(),
        &[
            (sku!("TEA-001"), Movement::Received(4)),
            (sku!("TEA-001"), Movement::Expired(4))
        ]
    );
}
