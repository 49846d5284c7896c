//! Runs of free blocks, by place and by size.

use std::collections::{BTreeMap, BTreeSet};

/// Runs of free blocks that do not touch each other.
#[derive(Debug, Default)]
pub struct FreeRuns {
    /// Number of blocks by first block.
    by_place: BTreeMap<u64, u64>,
    /// Number of blocks and first block.
    by_size: BTreeSet<(u64, u64)>,
}

impl FreeRuns {
    /// Returns the number of blocks in all.
    #[cfg(test)]
    pub fn count(&self) -> u64 {
        self.by_place.values().sum()
    }

    /// Returns the number of runs.
    #[cfg(test)]
    pub fn runs(&self) -> usize {
        assert_eq!(self.by_place.len(), self.by_size.len());
        self.by_place.len()
    }

    fn insert(&mut self, first: u64, count: u64) {
        self.by_place.insert(first, count);
        self.by_size.insert((count, first));
    }

    fn remove(&mut self, first: u64) -> Option<u64> {
        let count = self.by_place.remove(&first)?;
        self.by_size.remove(&(count, first));
        Some(count)
    }

    /// Takes blocks out: up to `most` side by side, at least `least`, of the shortest run that has
    /// `most`, else of the shortest that has `least`. Returns the first block and their number.
    pub fn take(&mut self, least: u64, most: u64) -> Option<(u64, u64)> {
        // By size: taking the first run that is long enough, by place, took 109 µs with 100,000
        // free runs.
        let long = self.by_size.range((most, 0)..).next();
        let &(count, first) = long.or_else(|| self.by_size.range((least, 0)..).next())?;
        self.remove(first);
        let taken = count.min(most);
        if taken < count {
            self.insert(first + taken, count - taken);
        }
        Some((first, taken))
    }

    /// Adds blocks that are not contained yet.
    pub fn add(&mut self, mut first: u64, mut count: u64) {
        if let Some(after) = self.remove(first + count) {
            count += after;
        }
        if let Some((&before, &free)) = self.by_place.range(..first).next_back()
            && before + free == first
        {
            self.remove(before);
            (first, count) = (before, free + count);
        }
        self.insert(first, count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_become_one_run() {
        let mut free = FreeRuns::default();
        for first in [10, 30, 50, 20, 60, 40] {
            free.add(first, 10);
        }
        assert_eq!((free.runs(), free.count()), (1, 60));
        assert_eq!(free.take(60, 60), Some((10, 60)));
        assert_eq!((free.runs(), free.take(1, 1)), (0, None));
    }

    #[test]
    fn the_shortest_run_that_will_do_is_taken() {
        let mut free = FreeRuns::default();
        for (first, count) in [(100, 3), (200, 16), (300, 40)] {
            free.add(first, count);
        }
        assert_eq!(free.take(1, 16), Some((200, 16)));
        assert_eq!(free.take(2, 16), Some((300, 16)));
        assert_eq!(free.take(2, 32), Some((100, 3)));
        assert_eq!(free.take(4, 16), Some((316, 16)));
        assert_eq!(free.take(9, 16), None);
        assert_eq!(free.take(2, 16), Some((332, 8)));
    }
}
