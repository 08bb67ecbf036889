use crate::Item;

/// Things that go the same way.
#[derive(Debug, Clone)]
pub struct Bag<I> {
    items: Vec<I>,
}

impl<I> Default for Bag<I> {
    fn default() -> Self {
        Bag { items: Vec::new() }
    }
}

impl<I: Item> Bag<I> {
    pub fn add(&mut self, item: I) {
        self.items.push(item);
    }

    pub fn weight(&self) -> u32 {
        self.items.iter().map(I::weight).sum()
    }

    pub fn postage(&self) -> u32 {
        self.items.iter().map(I::postage).sum()
    }

    pub fn items(&self) -> &[I] {
        &self.items
    }
}
