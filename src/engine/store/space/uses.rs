//! The number of extents in each block, stored for used parts of a file only: a file with holes
//! costs no more than its content.

use std::collections::BTreeMap;
use std::ops::Range;

/// Blocks that are counted together: 256 KiB of a file, 256 bytes of counts.
const CHUNK: u64 = 64;

/// Counts by block; 0 for blocks not counted yet.
#[derive(Debug, Default)]
pub struct Uses {
    chunks: BTreeMap<u64, Vec<u32>>,
}

/// Returns the chunk of a block, and its index there.
fn within(block: u64) -> (u64, usize) {
    (block / CHUNK, usize::try_from(block % CHUNK).expect("below 64"))
}

impl Uses {
    /// Returns the count of a block.
    #[must_use]
    pub fn of(&self, block: u64) -> u32 {
        let (chunk, at) = within(block);
        self.chunks.get(&chunk).map_or(0, |counts| counts[at])
    }

    /// Counts an extent in its blocks.
    pub fn add(&mut self, blocks: Range<u64>) {
        for block in blocks {
            let (chunk, at) = within(block);
            let counts =
                self.chunks.entry(chunk).or_insert_with(|| vec![0; within(CHUNK - 1).1 + 1]);
            counts[at] += 1;
        }
    }

    /// Lowers the count of a block by one; returns true if it becomes 0.
    pub fn less(&mut self, block: u64) -> bool {
        let (chunk, at) = within(block);
        match self.chunks.get_mut(&chunk).map(|counts| &mut counts[at]) {
            Some(count) if *count > 0 => {
                *count -= 1;
                *count == 0
            }
            // A forged file may list a place more than once.
            _ => false,
        }
    }

    /// Returns the blocks with a count above 0, in order.
    pub fn used(&self) -> impl Iterator<Item = u64> {
        self.chunks.iter().flat_map(|(chunk, counts)| {
            let used = (0..).zip(counts).filter(|(_, count)| **count > 0);
            used.map(move |(at, _): (u64, _)| chunk * CHUNK + at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_kept_where_there_are_any() {
        let mut uses = Uses::default();
        let far = u64::from(u32::MAX);
        uses.add(4094..4098);
        uses.add(far..far + 1);
        uses.add(4095..4096);
        assert_eq!(uses.chunks.len(), 3);
        assert_eq!(uses.used().collect::<Vec<_>>(), [4094, 4095, 4096, 4097, far]);
        assert!(!uses.less(4095) && uses.less(4095) && !uses.less(4095) && !uses.less(9));
        assert_eq!((uses.of(4095), uses.of(4096), uses.of(7)), (0, 1, 0));
    }
}
