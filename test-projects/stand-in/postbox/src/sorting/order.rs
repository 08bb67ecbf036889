use crate::Item;

/// What decides into which bag something goes.
pub trait Order<I: Item> {
    /// The number of the bag.
    fn key(&self, item: &I) -> u32;

    /// The numbers of several.
    fn keys(&self, items: &[I]) -> impl Iterator<Item = u32> {
        items.iter().map(|item| self.key(item))
    }

    /// Calls a function for everything that goes into one bag.
    fn each(&self, key: u32, items: &[I], found: impl Fn(&I)) {
        for item in items {
            if self.key(item) == key {
                found(item);
            }
        }
    }
}

/// By the first digits of the postal code.
#[derive(Debug, Clone, Copy)]
pub struct ByCode {
    pub digits: u32,
}

impl<I: Item> Order<I> for ByCode {
    fn key(&self, item: &I) -> u32 {
        let mut code = item.address().code;
        while code >= 10_u32.pow(self.digits) {
            code /= 10;
        }
        code
    }
}

/// Light things and heavy things.
#[derive(Debug, Clone, Copy, Default)]
pub struct ByWeight;

impl<I: Item> Order<I> for ByWeight {
    fn key(&self, item: &I) -> u32 {
        item.weight().checked_ilog10().unwrap_or(0)
    }
}
