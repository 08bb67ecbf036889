//! From a heap to bags.

mod bag;
mod order;

use std::collections::BTreeMap;

pub use bag::Bag;
pub use order::{ByCode, ByWeight, Order};

use crate::Item;

/// Puts things into bags.
#[derive(Debug)]
pub struct Sorter<I, O> {
    bags: BTreeMap<u32, Bag<I>>,
    order: O,
}

impl<I: Item, O: Order<I>> Sorter<I, O> {
    pub fn by(order: O) -> Self {
        Sorter {
            bags: BTreeMap::new(),
            order,
        }
    }

    pub fn sort(&mut self, items: Vec<I>) {
        for item in items {
            let key = self.order.key(&item);
            self.bags.entry(key).or_default().add(item);
        }
    }

    /// Bags with their keys, the heaviest first.
    pub fn heaviest(&self) -> Vec<(u32, &Bag<I>)> {
        let mut bags: Vec<_> = self.bags.iter().map(|(key, bag)| (*key, bag)).collect();
        bags.sort_by_key(|(_, bag)| std::cmp::Reverse(bag.weight()));
        bags
    }
}
