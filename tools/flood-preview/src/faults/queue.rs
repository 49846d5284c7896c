//! Queue of cells by height, the lowest first: a radix heap.
//!
//! The level of the water in a flood of a map only rises, so no cell is queued below the one that
//! left last. Keys are sorted by the highest bit in which they differ from that one, and each moves
//! through at most 32 buckets.
//!
//! Source: Ahuja, Mehlhorn, Orlin & Tarjan (1990), Faster algorithms for the shortest path problem.

/// Returns a height's key, a whole number; a higher height has a greater key.
#[must_use]
pub(super) fn key(height_m: f32) -> u32 {
    let bits = height_m.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// Returns the height of a key.
#[must_use]
pub(super) fn height_m(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

/// Cells by key.
#[derive(Debug)]
pub(super) struct Queue {
    /// Bucket `i` has the keys whose highest bit that differs from `last` is bit `i - 1`.
    buckets: [Vec<(u32, u32)>; 33],
    last: u32,
}

impl Queue {
    /// Returns an empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self { buckets: std::array::from_fn(|_| Vec::new()), last: 0 }
    }

    /// Adds a cell whose key is not below the last one that left.
    pub fn push(&mut self, key: u32, cell: u32) {
        self.buckets[bucket(key ^ self.last)].push((key, cell));
    }

    /// Removes a cell of the lowest key.
    pub fn pop(&mut self) -> Option<(u32, u32)> {
        if self.buckets[0].is_empty() {
            let filled = self.buckets.iter().position(|bucket| !bucket.is_empty())?;
            let moved = std::mem::take(&mut self.buckets[filled]);
            self.last = moved.iter().map(|(key, _)| *key).min()?;
            for &(key, cell) in &moved {
                self.push(key, cell);
            }
        }
        self.buckets[0].pop()
    }
}

/// Returns the bucket of a key that differs in these bits.
fn bucket(difference: u32) -> usize {
    (u32::BITS - difference.leading_zeros()) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_order_of_heights() {
        let heights = [f32::MIN, -3.5, -1.0e-6, 0.0, 1.0e-6, 2.0, 3000.0];
        assert!(heights.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
    }

    #[test]
    fn the_lowest_cell_leaves_first() {
        let (mut queue, mut state) = (Queue::new(), 7_u32);
        let mut left = Vec::new();
        for cell in 0..2000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            queue.push(left.last().copied().unwrap_or(0) + (state >> 12), cell);
            if cell % 3 == 0 {
                left.extend(queue.pop().map(|(key, _)| key));
            }
        }
        left.extend(std::iter::from_fn(|| queue.pop()).map(|(key, _)| key));
        assert_eq!(left.len(), 2000);
        assert!(left.windows(2).all(|pair| pair[0] <= pair[1]));
    }
}
